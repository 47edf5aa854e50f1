"""`urlschemes demo`: a URL of every scheme, accessed over its real protocol on this machine."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from workspace import SLOW_IMPORT, distributions, environ, scheme_plugins

SCHEMES = {name for plugin in scheme_plugins() for name in plugin.schemes}
ENTRY_POINTS = [each.project.get("entry-points", {}) for each in distributions()]
DEMONSTRATED = sorted(SCHEMES & {name for groups in ENTRY_POINTS for name in groups.get("urlschemes.demos", {})})


def command(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "urlschemes_cli", *arguments],
        cwd=cwd,
        env=environ() | variables,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    done.stderr = SLOW_IMPORT.sub("", done.stderr)
    return done


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The output of a demonstration of all schemes, with their dialogues, where accesses are configured."""
    variables = {"URLSCHEMES_GATEWAYS": "gopher=http://gw.dom/{url}", "NNTPSERVER": "h"}
    done = command("demo", "--dialogue", cwd=tmp_path_factory.mktemp("demo"), **variables)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


@pytest.mark.rfc1738(147)
def test_every_scheme_is_accessed_or_named_as_missing(tmp_path: Path) -> None:
    assert len(DEMONSTRATED) > 4
    done = command("demo", cwd=tmp_path, COLUMNS="80")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    rows = [line for line in lines if re.search(r"  [1-9]\d* (octets|entries)  +(access|open session|send)", line)]
    assert [row.split()[0] for row in rows] == DEMONSTRATED
    missing = sorted(SCHEMES - {*DEMONSTRATED})
    note = [f"installed, but without a demonstration: {', '.join(missing)}"] if missing else []
    assert lines[-2 - len(note) :] == ["", *note, lines[-1]]
    # It fits a screen of 24 lines and 80 columns, with two lines for the prompt.
    assert len(lines) <= 22
    assert max(map(len, lines)) <= 80


def test_a_line_names_the_server_and_the_requests(tmp_path: Path) -> None:
    done = command("demo", "ftp", "gopher", "https", "mailto", cwd=tmp_path)
    assert [re.split("  +", line) for line in done.stdout.splitlines()[2:-2]] == [
        ["ftp", "pyftpdlib", "103 octets", "access: USER PASS CWD TYPE SIZE EPSV RETR QUIT"],
        ["gopher", "gopher_server", "3 entries", "access: /library"],
        ["https", "http_server", "103 octets", "access: TLS GET"],
        ["mailto", "aiosmtpd", "181 octets", "send: EHLO MAIL RCPT DATA (181 octets) . QUIT"],
    ]
    assert done.stdout.endswith("\nurlschemes demo ftp --dialogue shows URL, parts, dialogue and content.\n")


@pytest.mark.parametrize("name", DEMONSTRATED)
def test_it_shows_url_parts_dialogue_and_result(demo: str, name: str) -> None:
    (section,) = re.findall(rf"(?ms)^{re.escape(name)}  [^\n]* ─+\n(.*?\n)\n(?=\S+  [^\n]* ─+\n|\Z)", demo)
    assert re.search(rf"^{re.escape(name)}:\S+$", section, re.MULTILINE)
    assert f"+- scheme {name}" in section
    dialogue, result = section.split("\nDialogue\n")[1].split("\nResult\n")
    assert re.search(r"^\S* +\* open (document|listing|session|attributes)$", dialogue, re.MULTILINE)
    assert re.match(r"a (document|listing|session) of [1-9]|[a-z_@.]+: ", result)


def test_no_password_is_shown(demo: str) -> None:
    assert "PASS ***" in demo
    assert "sesame" not in demo


def test_only_loopback_addresses_are_connected_to_whatever_is_configured(demo: str) -> None:
    assert set(re.findall(r"\* connect (\S+) ", demo)) == {"127.0.0.1"}
    assert "gw.dom" not in demo


def test_the_doctor_finds_no_problem_in_the_workspace(tmp_path: Path) -> None:
    done = command("doctor", "--load", "--json", cwd=tmp_path)
    claims = [claim for claim in json.loads(done.stdout) if claim["module"]]  # records of ledgers give way to plugins
    assert (done.returncode, {claim["state"] for claim in claims}) == (0, {"active"})
    assert {claim["name"] for claim in claims if claim["group"] == "urlschemes.schemes"} == SCHEMES
