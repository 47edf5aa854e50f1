"""Installing only what is needed, by pip, into environments that hold nothing else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from proofs import PAGES
from workspace import ROOT, Environment, environ

from urlschemes.registry.names import how_to_install

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

HEAVY = {"click", "h11", "rich"}

SHELF = """
api = 1
scheme = "x-shelf"
status = "experimental"
title = "Books by shelf and place"
reference = "none"
contact = "the librarian"
change_controller = "the librarian"
operations = []
encoding_considerations = "A shelf is named by letters and digits alone."
interoperability_considerations = "None: one library uses it."
security_considerations = "None: nothing is accessed."

[syntax]
rule = "shelfurl"
bnf = '''
shelfurl  = "x-shelf:" shelf "/" place
shelf     = 1*uchar
place     = digits
'''

[syntax.parts]
shelf = { at = "shelf" }
place = { at = "place", number = true }

[[examples]]
url = "x-shelf:poems/7"
parts = { shelf = "poems", place = 7 }
says = "the seventh book of the poems"
"""

REGISTERS_BY_FILE = """
import json, sys, urlschemes
registry = urlschemes.Registry()
before = list(registry)
registry.register(urlschemes.Registration.from_file(sys.argv[1]))
generic = urlschemes.parse_generic("ftp://host.dom/").schemepart
url = registry.parse("x-shelf:po%65ms/7")
try:
    registry.parse("x-shelf:poems/seven")
except urlschemes.InvalidURL as error:
    refused = [error.part, error.position]
print(json.dumps([before, generic, dict(url.parts), url.raw["shelf"], str(url), refused]))
"""


@pytest.fixture(scope="module")
def core_alone(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the core and its dependencies."""
    environment = Environment.make(tmp_path_factory.mktemp("core-alone"), release)
    environment.install("./core")
    return environment


def test_the_core_knows_no_scheme_until_a_file_defines_one(core_alone: Environment, tmp_path: Path) -> None:
    installed = core_alone.distributions()
    assert {name for name in installed if name.startswith("urlschemes")} == {"urlschemes"}
    assert HEAVY & installed == set()
    record = tmp_path / "x-shelf.toml"
    record.write_text(SHELF, "utf-8")
    done = core_alone.run("python", "-I", "-W", "error", "-c", REGISTERS_BY_FILE, record)
    assert done.returncode == 0, done.stderr
    before, generic, parts, raw, text, refused = json.loads(done.stdout)
    assert before == []
    assert generic == "//host.dom/"
    assert parts == {"shelf": "poems", "place": 7}
    assert raw == "po%65ms"
    assert text == "x-shelf:po%65ms/7"
    assert refused == ["place", len("x-shelf:poems/")]


def test_the_core_passes_its_own_tests_without_a_plugin(core_alone: Environment) -> None:
    core_alone.install("pytest", "hypothesis")
    tests = core_alone.folder / "core"
    shutil.copytree(ROOT / "core" / "tests", tests, ignore=shutil.ignore_patterns("__pycache__"))
    options = ["--import-mode=importlib", "--rootdir", str(tests), "-p", "no:cacheprovider", "-p", "plugin_fixtures"]
    markers = "\n".join(["slow", *PAGES])
    options += ["-W", "error", "-o", f"pythonpath={tests}", "-o", f"markers={markers}", "-m", "not slow"]
    done = subprocess.run(
        [str(core_alone.scripts / "pytest"), "-q", *options, str(tests)],
        cwd=core_alone.folder,
        env=environ(),
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"(\d+) passed", done.stdout.splitlines()[-1])
    assert passed is not None, done.stdout
    assert int(passed[1]) > 300, done.stdout


COMMANDS = {  # every command with its exit code; FILE and URL stand for a file and its URL
    "parse URL": 0,
    "explain URL": 0,
    "check URL": 0,
    "fix <URL:URL>": 0,
    "extract FILE": 0,
    "wrap URL": 0,
    "access --root FOLDER URL": 0,
    "attributes --root FOLDER URL": 0,
    "replace --writable FOLDER URL FILE": 0,
    "update --writable FOLDER URL FILE": 0,
    "delete --writable FOLDER URL": 0,
    "schemes": 0,
    "schemes --all": 0,
    "show file": 0,
    "why file": 0,
    "config": 0,
    "doctor": 0,
    "doctor --load": 0,
    "doctor --verify": 2,
    "demo": 2,
    "mirror URL FOLDER": 2,
    "new x-foo": 2,
    "review file": 2,
    "site here": 2,
    "parse ftp://host.dom/": 5,
    "access ftp://host.dom/": 5,
    "show ftp": 0,
}
ADVICE = {
    "doctor --verify": how_to_install("urlschemes-conformance"),
    "demo": how_to_install("urlschemes-servers"),
    "mirror URL FOLDER": how_to_install("urlschemes-mirror"),
    "new x-foo": how_to_install("urlschemes-conformance"),
    "review file": how_to_install("urlschemes-conformance"),
    "site here": how_to_install("urlschemes-site"),
    "parse ftp://host.dom/": how_to_install("urlschemes-ftp"),
    "access ftp://host.dom/": how_to_install("urlschemes-ftp"),
    "show ftp": "urlschemes-ftp",
}


def test_every_command_works_with_one_scheme_or_names_what_to_install(empty: Environment, tmp_path: Path) -> None:
    empty.install("urlschemes[cli]", "urlschemes-file")
    own = {name for name in empty.distributions() if name.startswith("urlschemes-")}
    assert own == {f"urlschemes-{name}" for name in ("access", "cli", "file", "lint", "rfc3986", "text")}
    listed = empty.run("urlschemes", "--help").stdout.partition("\nCommands:\n")[2].partition("\n\n")[0]
    assert {line.split()[0] for line in listed.splitlines()} <= {command.split()[0] for command in COMMANDS}
    folder = tmp_path.resolve()
    file, source = folder / "notes.txt", folder / "source.txt"
    source.write_text("notes\n")
    values = {"URL": file.as_uri(), "FILE": str(source), "FOLDER": str(folder), "<URL:URL>": f"<URL:{file.as_uri()}>"}
    for command, code in COMMANDS.items():
        file.write_text("see <URL:file:///a>\n")
        done = empty.run("urlschemes", *(values.get(word, word) for word in command.split()))
        assert done.returncode == code, (command, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr, command
        assert ADVICE.get(command, "") in done.stdout + done.stderr, command


BRIDGE = """
import pydantic, urlschemes_bridges.pydantic
from urlschemes_ftp import FtpURL
print(pydantic.TypeAdapter(FtpURL).validate_python("ftp://host.dom/motd").name)
import urlschemes_bridges.django
"""


def test_a_bridge_brings_its_library_and_names_the_extra_of_another(empty: Environment) -> None:
    empty.install("urlschemes-bridges[pydantic]", "urlschemes-ftp")
    installed = {name.lower() for name in empty.distributions()}
    assert installed & {"click", "django", "pydantic", "sqlalchemy", "typer"} == {"pydantic"}
    done = empty.run("python", "-I", "-W", "error", "-c", BRIDGE)
    assert done.stdout == "motd\n"
    assert "urlschemes_bridges.django: No module named 'django'; " in done.stderr
    assert done.stderr.endswith(f"{how_to_install('urlschemes-bridges', 'django')}\n")


def test_a_command_imports_no_plugin_that_it_does_not_need(empty: Environment, tmp_path: Path) -> None:
    empty.install("urlschemes[cli]", "urlschemes-file", "urlschemes-ftp", "urlschemes-http", "urlschemes-testing")
    file = tmp_path.resolve() / "notes.txt"
    file.write_text("notes\n")
    for command in ("parse URL", "explain URL", "check URL", "schemes", "show file", "why file", "doctor", "config"):
        words = [file.as_uri() if word == "URL" else word for word in command.split()]
        done = empty.run("python", "-X", "importtime", "-m", "urlschemes_cli", *words)
        assert done.returncode == 0, (command, done.stderr)
        assert not re.search(r"urlschemes_(ftp|http|testing)", done.stderr), command
