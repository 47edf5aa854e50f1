"""Installing only what is needed, by pip, into environments that hold nothing else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from typing import TYPE_CHECKING

import pytest
from workspace import ROOT, Environment, environ

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

READS_FTP = """
import json, urlschemes
url = urlschemes.parse("ftp://myname@host.dom/%2Fetc/motd;type=a")
try:
    urlschemes.parse("http://host.dom/")
except urlschemes.UnknownScheme as error:
    refused = str(error)
installed = [record.scheme for record in urlschemes.Registry().registrations()]
print(json.dumps([url.user, url.host, url.port, url.directories, url.name, url.typecode, refused, installed]))
"""

TEN = {
    "ftp": "ftp://host.dom/",
    "http": "http://host.dom/",
    "gopher": "gopher://host.dom/",
    "mailto": "mailto:joe@host.dom",
    "news": "news:*",
    "nntp": "nntp://host.dom/misc.test",
    "telnet": "telnet://host.dom/",
    "wais": "wais://host.dom/db",
    "file": "file:///a",
    "prospero": "prospero://host.dom/a",
}
READS_TEN = f"""
import json, urlschemes
print(json.dumps(sorted(urlschemes.parse(text).scheme for text in {[*TEN.values()]})))
"""

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
url = registry.parse("x-shelf:po%65ms/7")
try:
    registry.parse("x-shelf:poems/seven")
except urlschemes.InvalidURL as error:
    refused = [error.part, error.position]
print(json.dumps([before, dict(url.parts), url.raw["shelf"], str(url), refused]))
"""


@pytest.fixture(scope="module")
def core_alone(wheelhouse: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the core, what it depends on, and what its tests need."""
    environment = Environment.make(tmp_path_factory.mktemp("core-alone"), wheelhouse)
    environment.install("urlschemes", "pytest", "hypothesis")
    return environment


@pytest.fixture(scope="module")
def own_tests(core_alone: Environment) -> Iterator[subprocess.Popen[str]]:
    """The core's own tests, running in that environment while other tests of this module run."""
    tests = core_alone.folder / "core"
    shutil.copytree(ROOT / "core" / "tests", tests, ignore=shutil.ignore_patterns("__pycache__"))
    options = ["--import-mode=importlib", "--rootdir", str(tests), "-p", "no:cacheprovider", "-W", "error"]
    marks = ["-o", f"pythonpath={tests}", "-o", "markers=slow: takes seconds", "-m", "not slow"]
    command = [str(core_alone.scripts / "pytest"), "-q", *options, *marks, str(tests)]
    with subprocess.Popen(
        command, cwd=core_alone.folder, env=environ(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        yield process
        process.kill()


@pytest.mark.usefixtures("own_tests")
def test_the_core_knows_no_scheme_until_a_file_says_what_one_is(core_alone: Environment, tmp_path: Path) -> None:
    assert [name for name in core_alone.distributions() if name.startswith("urlschemes-")] == []
    record = tmp_path / "x-shelf.toml"
    record.write_text(SHELF, "utf-8")
    done = core_alone.run("python", "-I", "-W", "error", "-c", REGISTERS_BY_FILE, record)
    assert done.returncode == 0, done.stderr
    before, parts, raw, text, refused = json.loads(done.stdout)
    assert before == []
    assert parts == {"shelf": "poems", "place": 7}
    assert raw == "po%65ms"
    assert text == "x-shelf:po%65ms/7"
    assert refused == ["place", len("x-shelf:poems/")]


def test_the_core_and_one_plugin_make_a_working_whole(empty: Environment) -> None:
    empty.install("./core", "./plugins/ftp")
    own = {name for name in empty.distributions() if name.startswith("urlschemes")}
    assert own == {"urlschemes", "urlschemes-ftp"}
    done = empty.run("python", "-I", "-W", "error", "-c", READS_FTP)
    assert done.returncode == 0, done.stderr
    *parts, refused, installed = json.loads(done.stdout)
    assert parts == ["myname", "host.dom", 21, ["/etc"], "motd", "a"]
    assert "pip install urlschemes-http" in refused
    assert installed == ["ftp"]

    command = empty.run("urlschemes", "parse", "ftp://host.dom/")
    assert command.returncode != 0
    assert "urlschemes[cli]" in command.stderr
    assert "Traceback" not in command.stderr
    assert command.stdout == ""


def test_the_ten_schemes_come_in_one_installation(empty: Environment) -> None:
    empty.install("urlschemes-rfc1738")
    (wheel,) = empty.wheels.glob("urlschemes_rfc1738-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert {name.partition("/")[0].rpartition(".")[2] for name in archive.namelist()} == {"dist-info"}
    done = empty.run("python", "-I", "-W", "error", "-c", READS_TEN)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == sorted(TEN)
    own = {name.removeprefix("urlschemes-") for name in empty.distributions() if name.startswith("urlschemes-")}
    assert own == {*TEN, "rfc1738"}


def test_the_command_works_with_its_extra(empty: Environment) -> None:
    empty.install("urlschemes[cli]", "urlschemes-ftp")
    done = empty.run("urlschemes", "parse", "--json", "ftp://host.dom/a/b")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["scheme"] == "ftp"
    demo = empty.run("urlschemes", "demo")
    assert demo.returncode != 0
    assert "urlschemes-testing" in demo.stderr
    assert "Traceback" not in demo.stderr


EVERY = {  # each command there is, with the exit code that it ends with; FILE and URL stand for a file and its URL
    "parse URL": 0,
    "explain URL": 0,
    "check URL": 0,
    "fix <URL:URL>": 0,
    "extract FILE": 0,
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
    "doctor --verify": 0,
    "demo": 5,
    "new x-foo": 2,
    "review file": 2,
    "site here": 2,
    "parse ftp://host.dom/": 5,
    "access ftp://host.dom/": 5,
    "show ftp": 0,
}
SAYS = {  # what to install, where there is something to install
    "demo": "pip install urlschemes-testing",
    "new x-foo": "pip install urlschemes-testing",
    "review file": "pip install urlschemes-testing",
    "site here": "pip install urlschemes-site",
    "parse ftp://host.dom/": "pip install urlschemes-ftp",
    "access ftp://host.dom/": "pip install urlschemes-ftp",
    "show ftp": "urlschemes-ftp",
}
OF_ALL = ("doctor --load", "doctor --verify")
"""They import every plugin, because that is what is asked for."""


def test_every_command_works_with_one_scheme_or_says_what_to_install(empty: Environment, tmp_path: Path) -> None:
    empty.install("urlschemes[cli]", "urlschemes-file")
    assert {name for name in empty.distributions() if name.startswith("urlschemes")} == {
        "urlschemes",
        "urlschemes-file",
    }
    listed = empty.run("urlschemes", "--help").stdout.partition("\nCommands:\n")[2].partition("\n\n")[0]
    assert {line.split()[0] for line in listed.splitlines()} <= {command.split()[0] for command in EVERY}
    folder = tmp_path.resolve()
    file, source = folder / "notes.txt", folder / "source.txt"
    source.write_text("notes\n")

    def run(command: str) -> subprocess.CompletedProcess[str]:
        file.write_text("see <URL:file:///a>\n")
        words = {
            "URL": file.as_uri(),
            "FILE": str(source),
            "FOLDER": str(folder),
            "<URL:URL>": f"<URL:{file.as_uri()}>",
        }
        return empty.run(
            "python", "-X", "importtime", "-m", "urlschemes_cli", *(words.get(w, w) for w in command.split())
        )

    for command, code in EVERY.items():
        done = run(command)
        assert done.returncode == code, (command, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr, command
        assert SAYS.get(command, "") in done.stdout + done.stderr, command
    empty.install("urlschemes-ftp", "urlschemes-http", "urlschemes-testing")
    for command in EVERY:
        if (
            command not in OF_ALL
            and "ftp" not in command
            and command.split()[0] not in {"demo", "new", "review", "site"}
        ):
            assert not re.search(r"urlschemes_(ftp|http|testing)", run(command).stderr), command


@pytest.mark.timeout(600)
def test_the_core_alone_passes_its_own_tests(own_tests: subprocess.Popen[str]) -> None:
    printed, _ = own_tests.communicate(timeout=580)
    assert own_tests.returncode == 0, printed
    passed = re.search(r"(\d+) passed", printed.splitlines()[-1])
    assert passed is not None, printed
    assert int(passed[1]) > 300, printed
