"""`urlschemes parse`."""

from __future__ import annotations

import json
import re

import pytest


def test_each_part_is_shown_and_the_password_hidden(run) -> None:
    result = run("parse", "x-shelf://joe:hunter2@Host.dom/a%20b")
    assert (result.exit_code, result.stderr) == (0, "")
    rows = [re.split(r"  +", row) for row in result.stdout.splitlines()]
    assert rows[0] == ["part", "value", "as written"]
    assert rows[2:] == [
        ["scheme", "x-shelf", "x-shelf"],
        ["user", "joe", "joe"],
        ["password", "***", "***"],
        ["host", "host.dom", "Host.dom"],
        ["port", "7070", "absent"],
        ["thing", "a b", "a%20b"],
    ]


def test_json_has_the_same_parts(run) -> None:
    result = run("parse", "--json", "x-shelf://joe:hunter2@host.dom/a%20b%FF")
    raw = {"scheme": "x-shelf", "user": "joe", "password": "***", "host": "host.dom", "port": None}
    assert json.loads(result.stdout) == {
        "url": "x-shelf://joe:***@host.dom/a%20b%FF",
        "scheme": "x-shelf",
        "type": "XShelfURL",
        "parts": {**raw, "port": 7070, "thing": "a b\\xff"},
        "raw": {**raw, "thing": "a%20b%FF"},
        "profile": "rfc1738",
        "text_is_lossy": True,
    }
    assert result.stdout.isascii()


def test_an_absent_password_and_an_empty_one_are_different(run) -> None:
    absent, empty = (json.loads(run("parse", "--json", f"x-shelf://joe{each}@h/").stdout) for each in ("", ":"))
    assert (absent["parts"]["password"], empty["parts"]["password"]) == (None, "")


def test_passwords_writes_the_password(run) -> None:
    parsed = json.loads(run("parse", "--json", "--passwords", "x-shelf://joe:hunter2@host.dom/").stdout)
    assert parsed["url"] == "x-shelf://joe:hunter2@host.dom/"
    assert parsed["parts"]["password"] == parsed["raw"]["password"] == "hunter2"


@pytest.mark.parametrize("name", ["parse", "fix", "extract"])
def test_the_help_says_that_passwords_are_hidden_within_urls_too(run, name: str) -> None:
    text = " ".join(run(name, "--help").stdout.split())
    assert "Otherwise each password is ***, also within URLs." in text


@pytest.mark.parametrize("arguments", [["parse", "--json"], ["fix"], ["extract"]])
def test_passwords_are_never_written_to_a_terminal(terminal, arguments: list[str]) -> None:
    screen = terminal(*arguments, "--passwords", "x-shelf://joe:hunter2@h/" if arguments != ["extract"] else "-")
    assert screen.code == 2
    assert "--passwords writes to files and pipes, not to a terminal" in screen.text
    assert "hunter2" not in screen.written


def test_a_character_that_the_stream_cannot_encode_is_escaped(shell) -> None:
    done = shell("parse", "x-shelf://h/caf%C3%A9", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.returncode, b"caf\\xe9" in done.stdout) == (0, True)
