"""What the command says of names that are known and not installed; and whom it asks for a login."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner, Result

from urlschemes_cli.app import command

LEDGER = """
from urlschemes.registry.hooks import hookimpl
from urlschemes.registry.known_names import Ledger
from urlschemes.registry.known_names import KnownName

@hookimpl
def urlschemes_ledger():
    names = (
        KnownName("x-song", "songs, by \\x1btheir words", "the songbook", "sung no more", "", "historical"),
        KnownName("x-dance", distribution="urlschemes-x-dance"),
        KnownName("x-plain", "what is installed", "elsewhere", "", "", "historical"),
    )
    return Ledger("the list of arts", "https://arts.example/", "2026-03", names)
"""
LOGIN = """
from urlschemes_access.attributes import Attributes
from urlschemes_access.protocol import Authenticate, Deliver, Open

def access(url):
    given = yield from Authenticate("host.example", 21)
    yield from Open("document", Attributes())
    yield from Deliver(f"{given.user}:{given.password}".encode() if given else b"nobody")
"""
CREDENTIALS = """
from urlschemes import Credentials
from urlschemes.registry.hooks import hookimpl

@hookimpl
def urlschemes_credentials(request):
    return Credentials("me", request.host)
"""


def run(*words: str, plugins: str = "x-plain,arts") -> Result:
    return CliRunner().invoke(command, ["--plugins", plugins, *words], prog_name="urlschemes")


@pytest.fixture(autouse=True)
def arts(plugin, install, monkeypatch) -> None:
    """One scheme, and a ledger."""
    install("arts", "[urlschemes]\nledger = arts\n", {"arts.py": LEDGER})
    monkeypatch.syspath_prepend(plugin("x-plain", access=LOGIN))


def test_all_that_is_known_is_listed_with_what_is_installed(monkeypatch):
    done = run("schemes", "--all")
    assert done.exit_code == 0
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in done.stdout.splitlines()[2:]}
    assert list(rows) == sorted(rows)
    assert rows["x-song"] == "historical songs, by \\x1btheir words the songbook sung no more"
    assert rows["x-dance"] == "urlschemes-x-dance"
    assert rows["x-plain"].startswith("experimental yes ")
    assert rows["x-plain"].endswith(" x-plain 1.0")
    assert rows["mid"].startswith("permanent messages of electronic mail, by their identifiers RFC 1738 section 4 ")
    assert done.stderr == (
        "urlschemes: 21 names, 1 installed; known from: the names that RFC 1738 settles (1994-12); "
        "the list of arts (2026-03)\n"
    )
    monkeypatch.setenv("COLUMNS", "70")
    narrow = run("schemes", "--all")
    assert max(map(len, narrow.stdout.splitlines())) <= 70
    assert "--json has more columns" in narrow.stderr


def test_all_that_is_known_as_json():
    found = {each["name"]: each for each in json.loads(run("schemes", "--all", "--json").stdout)}
    assert len(found) == 21
    assert found["x-song"] == {
        "name": "x-song",
        "status": "historical",
        "installed": False,
        "means": "songs, by \\x1btheir words",
        "reference": "the songbook",
        "since": "sung no more",
        "distribution": "",
        "version": None,
    }
    mine = found["x-plain"]
    assert (mine["installed"], mine["status"], mine["distribution"], mine["version"]) == (
        True,
        "experimental",
        "x-plain",
        "1.0",
    )


def test_without_a_ledger_the_cores_own_names_are_listed_and_it_says_who_has_the_rest():
    done = run("schemes", "--all", plugins="x-plain")
    assert len(done.stdout.splitlines()) == 2 + 19
    assert "urlschemes-iana adds every name that IANA has registered: pip install urlschemes-iana" in done.stderr


def test_a_name_that_is_known_is_shown_with_how_to_get_it():
    done = run("show", "X-Song")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "x-song  not installed  songs, by \\x1btheir words",
        "",
        "status      historical",
        "reference   the songbook",
        "since then  sung no more",
        "known from  the list of arts, 2026-03 (https://arts.example/)",
        "to use it   nobody is known to provide it; `urlschemes new x-song` begins a distribution that does",
    ]
    assert "`urlschemes new mid --registered` begins a distribution" in run("show", "mid").stdout
    dance = run("show", "x-dance").stdout
    assert "to use it   according to the list of arts, urlschemes-x-dance provides it" in dance
    assert "pip install" not in dance  # on a ledger's word
    found = json.loads(run("show", "x-song", "--json").stdout)
    assert (found["scheme"], found["installed"], found["status"]) == ("x-song", False, "historical")
    assert found["ledgers"] == [{"title": "the list of arts", "date": "2026-03", "source": "https://arts.example/"}]
    assert json.loads(run("show", "x-plain", "--json").stdout)["installed"] is True


def test_a_name_that_is_unknown_or_claimed_is_an_error_still():
    done = run("show", "x-nobody")
    assert (done.exit_code, done.stdout) == (5, "")
    assert done.stderr == "urlschemes: no scheme is registered as 'x-nobody'\n"
    done = run("show", "x-plain", plugins="arts")
    assert (done.exit_code, done.stdout) == (5, "")
    assert "x-plain is installed but disabled" in done.stderr


def test_parsing_says_what_is_known():
    done = run("parse", "x-song:la")
    assert done.exit_code == 5
    assert done.stderr == (
        "urlschemes: nobody provides the scheme x-song here; the list of arts (2026-03) has it as historical: "
        "songs, by \\x1btheir words, the songbook, sung no more\n"
        "  help: `parse_generic` reads it; a plugin can define it\n"
    )


def test_plugins_are_asked_for_a_login_only_where_they_are_to_be(install, monkeypatch):
    monkeypatch.syspath_prepend(install("knows", "[urlschemes]\ncredentials = knows\n", {"knows.py": CREDENTIALS}))
    assert run("access", "x-plain:a", plugins="x-plain,knows").stdout == "nobody"
    assert run("access", "--plugin-credentials", "x-plain:a", plugins="x-plain,knows").stdout == "me:host.example"
    assert run("access", "--plugin-credentials", "x-plain:a").stdout == "nobody"


@pytest.mark.parametrize(
    ("words", "code"), [(("access", "x-plain:a"), 0), (("parse", "x-nobody:a"), 5), (("parse", "--json", "x-no:a"), 5)]
)
def test_what_is_logged_is_said_as_a_note_of_the_command(install, words, code):
    """An observer that fails at each turn of one access is reported once, and a ledger once."""
    broken = {"broken.py": "raise OSError('the disk is full')"}
    site = str(install("broken", "[urlschemes]\nobserve=broken\nledger=broken\n", broken))
    done = subprocess.run(
        [sys.executable, "-m", "urlschemes_cli", "--no-config", "--plugins", "x-plain,broken", *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([site, *filter(None, [os.environ.get("PYTHONPATH")])])},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stderr
    (said,) = [each for each in done.stderr.splitlines() if "the disk is full" in each]
    assert said.startswith("urlschemes: ")


def test_the_doctor_lists_what_is_switched_off_behind_what_counts():
    done = run("doctor", plugins="x-plain")
    counts, _, off = done.stdout.partition("\nSwitched off\n")
    assert "x-plain    active    x-plain 1.0" in counts
    assert "arts" not in counts.partition("\nSchemes")[2]
    assert re.search(r"^arts 1\.0: .*leaves? arts out\n    hook ledger$", off, re.MULTILINE)
    assert "\narts 1.0" not in run("doctor").stdout
