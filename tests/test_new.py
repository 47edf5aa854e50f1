"""`urlschemes new` makes the distribution x-example, and its results work in an environment of their own."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

import pytest
from workspace import ROOT, Environment, must, run, workspace_files

import urlschemes
from urlschemes_conformance.scaffold import plan

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.timeout(900)  # a release is built, or a scheme of two records reviewed

EXAMPLE = ROOT / "plugins" / "schemes" / "x-example"
REPOSITORY_FILES = {".github/workflows/test.yml", ".gitignore"}
"""Files of a repository, which a folder of this one does not need."""
WORKSPACE_FILES = {"ruff.toml"}

ACCESSES = """
import subprocess, sys
from urlschemes_x_foo.demo import RULES, server
with server(RULES) as address:
    for edition in (";edition=1", "", ";edition=3"):
        subprocess.run([sys.argv[1], "access", f"x-foo://{address}/house%20rules{edition}"], timeout=30)
"""


def test_x_example_is_what_new_makes() -> None:
    (year,) = re.findall(r"Copyright \(c\) (\d+) ", (ROOT / "LICENSE").read_text("utf-8"))
    version = urlschemes.__version__
    author, profiles = "The urlschemes authors", ["rfc1738", "rfc3986"]
    files = dict(plan("x-example", profiles=profiles, author=author, year=int(year), version=version).files)
    assert set(files) >= REPOSITORY_FILES
    for place in REPOSITORY_FILES:
        del files[place]
    own = [path for path in workspace_files() if EXAMPLE in path.parents]
    there = {path.relative_to(EXAMPLE).as_posix(): path.read_text("utf-8") for path in own}
    for place in WORKSPACE_FILES:
        del there[place]
    # To bring it up to date: `urlschemes new x-example --profile rfc1738 --profile rfc3986 --author ...` elsewhere, and
    # copy.
    assert sorted(there) == sorted(files)
    for place, text in files.items():
        assert there[place] == text, place


def test_x_example_is_installed_with_nothing_else() -> None:
    wanted = [path for path in workspace_files() if path.name == "pyproject.toml" and EXAMPLE not in path.parents]
    assert [path for path in wanted if "x-example" in path.read_text("utf-8")] == []


@pytest.fixture(scope="module")
def authors(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The environment of an author: the command and the conformance kit."""
    environment = Environment.make(tmp_path_factory.mktemp("author"), release)
    environment.install("urlschemes[cli]", "urlschemes-conformance")
    return environment


def made(authors: Environment, *words: str) -> Path:
    """Make a distribution with `urlschemes new`, check its style and types, install it, and return its folder."""
    done = authors.run("urlschemes", "new", *words)
    assert done.returncode == 0, done.stderr
    (folder,) = (authors.folder / line.strip()[3:] for line in done.stdout.splitlines() if line.startswith("  cd "))
    must(sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", folder, cwd=folder)
    must(sys.executable, "-m", "ruff", "format", "--check", "--isolated", "--no-cache", folder, cwd=folder)
    (extras,) = re.findall(r" -e '\.(\[.+\])'", done.stdout)
    authors.install(f"{folder}{extras}")
    typed = ("--python-executable", authors.python, "--cache-dir", authors.folder / "mypy", "--config-file", "")
    must(sys.executable, "-m", "mypy", "--strict", *typed, "src", "tests", cwd=folder)
    return folder


def prints(authors: Environment, *command: str | Path) -> str:
    done = authors.run(*command)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def findings(authors: Environment, target: str) -> dict[str, str]:
    """Return the checks of the review that neither passed nor were skipped, with few generated URLs."""
    report = json.loads(prints(authors, "urlschemes", "review", target, "--examples", "100", "--json"))
    assert report["passed"]
    outcomes = {each["check"]: each["outcome"] for each in report["verdicts"]}
    assert len(outcomes) > 20
    return {check: outcome for check, outcome in outcomes.items() if outcome not in {"passed", "skipped"}}


@pytest.mark.slow
def test_a_new_scheme_is_green_at_birth(authors: Environment) -> None:
    folder = made(authors, "foo", "--author", "Ann Example", "--contact", "ann@host.dom")
    tested = run(authors.python, "-m", "pytest", "-q", "-W", "error", cwd=folder)
    assert tested.returncode == 0, tested.stdout
    assert "review[x-foo]::examples" in must(authors.python, "-m", "pytest", "--collect-only", "-q", cwd=folder)
    assert findings(authors, "x-foo") == {}

    url = "x-foo://host.dom/house%20rules;edition=2"
    assert json.loads(prints(authors, "urlschemes", "parse", "--json", url))["parts"]["edition"] == 2
    assert "name 'house rules'" in prints(authors, "urlschemes", "explain", url)
    assert "demo.py  9 octets  access: house rules" in prints(authors, "urlschemes", "demo", "x-foo")
    accessed = authors.run("python", "-c", ACCESSES, authors.scripts / "urlschemes")
    assert accessed.stdout == "Be kind.\nBe kind.\nThe last one out locks the door.\n"
    assert accessed.stderr == "urlschemes: the server refused: no such document\n"
    assert "malformed" not in prints(authors, "urlschemes", "doctor", "--load")


@pytest.mark.slow
def test_a_new_record_is_green_at_birth(authors: Environment) -> None:
    folder = made(authors, "x-bar", "--record-only")
    tested = run(authors.python, "-m", "pytest", "-q", "-W", "error", cwd=folder)
    assert tested.returncode == 0, tested.stdout
    assert findings(authors, str(folder)) == {}
    url = "x-bar:house%20rules;edition=2"
    assert json.loads(prints(authors, "urlschemes", "parse", "--json", url))["parts"]["name"] == "house rules"
    assert authors.run("urlschemes", "access", url).returncode == 4


@pytest.mark.slow
def test_a_new_scheme_of_two_profiles_is_green_at_birth(authors: Environment) -> None:
    authors.install("urlschemes-rfc3986")
    folder = made(authors, "x-both", "--profile", "rfc1738", "--profile", "rfc3986", "--contact", "ann@host.dom")
    tested = run(authors.python, "-m", "pytest", "-q", "-W", "error", cwd=folder, timeout=600)
    assert tested.returncode == 0, tested.stdout
    assert findings(authors, "x-both") == {}


@pytest.mark.slow
def test_a_name_that_is_registered_is_green_once_the_syntax_is_another(authors: Environment) -> None:
    folder = made(authors, "mid", "--registered", "--contact", "ann@host.dom", "--directory", "mid")
    done = authors.run("urlschemes", "review", folder, "--examples", "20", "--json")
    (verdict,) = (each for each in json.loads(done.stdout)["verdicts"] if each["outcome"] == "failed")
    assert (done.returncode, verdict["check"]) == (1, "reference")
    assert verdict["reason"].endswith("but the syntax is still the template of `urlschemes new`")
    record = folder / "src" / "urlschemes_mid" / "registration.toml"
    record.write_text(record.read_text("utf-8").replace("1*uchar", '1*[ uchar | "=" ]'), "utf-8")
    left = findings(authors, str(folder))
    assert {check: left.pop(check) for check in ("considerations", "security")} == {
        "considerations": "warned",
        "security": "warned",
    }


@pytest.mark.slow
def test_without_the_kit_it_is_read_and_accessed(authors: Environment, release: Path, tmp_path: Path) -> None:
    assert authors.run("urlschemes", "new", "x-foo", "--directory", tmp_path / "x-foo").returncode == 0
    alone = Environment.make(tmp_path, release)
    alone.install("urlschemes[cli]", tmp_path / "x-foo")
    assert "urlschemes-testing" not in alone.distributions()
    assert "edition 2" in prints(alone, "urlschemes", "explain", "x-foo://host.dom/rules;edition=2")
    assert prints(alone, "urlschemes", "doctor", "--load")
