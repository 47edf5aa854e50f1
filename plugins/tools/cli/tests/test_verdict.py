"""What RFC 1738 says of a URL that is read by RFC 3986, where that differs."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from urlschemes_cli.app import command

FRAGMENT = "invalid character '#' at position 9: a fragment is not part of a URL"
HEADERS = "many programs read `?` as the beginning of header fields; in RFC 1738 it is part of the address"
SERVER = "many programs read `//` as the beginning of a server name; in RFC 1738 it is part of the message identifier"
VERDICTS = {
    "http://h/a?b": None,
    "http://h/#a": {"valid": False, "error": FRAGMENT, "reads": None},
    "http://h/ ": None,
    "file:////h/a": {"valid": True, "error": None, "reads": None},
    "mailto:joe@h?subject=a": {"valid": True, "error": None, "reads": HEADERS},
    "mailto:joe@h?a": {"valid": True, "error": None, "reads": HEADERS},
    "news://h/1@x": {"valid": True, "error": None, "reads": SERVER},
    "wais://h/db?a+b": None,
    "x-none:~": None,
    "~": None,
}
"""Texts, with the verdict."""


def invoke(*words: str) -> Result:
    return CliRunner().invoke(command, ["--no-config", *words])


@pytest.mark.decision(34)
@pytest.mark.parametrize("text", VERDICTS)
@pytest.mark.parametrize("name", ["parse", "check"])
def test_json_has_the_verdict_where_it_differs(name: str, text: str) -> None:
    found = json.loads(invoke(name, "--json", text).stdout).get("rfc1738")
    if found is not None and found["error"] is not None:
        assert {"code", "position", "span", "hint"} < found["error"].keys()
        found["error"] = found["error"]["message"]
    assert found == VERDICTS[text]
    assert json.loads(invoke(name, "--json", text, "--profile", "rfc1738").stdout).get("rfc1738") is None


@pytest.mark.parametrize("text", VERDICTS)
@pytest.mark.parametrize("name", ["parse", "check", "explain"])
def test_one_line_after_the_result_says_what_rfc_1738_says(name: str, text: str) -> None:
    done, verdict = invoke(name, text), VERDICTS[text]
    lines = [line.strip() for line in done.output.splitlines() if line.strip().startswith("RFC 1738: ")]
    if verdict is None:
        assert lines == []
        return
    said = verdict["error"] or ("valid, but" if verdict["reads"] else "valid, with --profile rfc1738")
    assert len(lines) == 1
    assert lines[0].startswith(f"RFC 1738: {said}")
    assert done.output.splitlines()[-1].strip() == lines[0]


def test_the_verdict_is_no_finding_and_has_no_influence_on_the_exit_code() -> None:
    for text, code in {"http://h/#a": 0, "file:////h/a": 1, "mailto:joe@h?subject=a": 0}.items():
        assert {invoke(name, text).exit_code for name in ("parse", "check", "explain")} == {code}
    assert json.loads(invoke("check", "--json", "http://h/#a").stdout)["findings"] == []


def test_places_in_the_verdict_are_those_in_the_text_that_was_given() -> None:
    text = "ftp://joe:secret@h/a~b"
    found = json.loads(invoke("parse", "--json", text).stdout)
    assert text[slice(*found["rfc1738"]["error"]["span"])] == "~"
    assert "secret" not in str(found)


def test_fix_drops_nothing_that_is_valid_by_the_chosen_profile() -> None:
    assert invoke("fix", "http://[::1]/~a|b#c").stdout == "http://[::1]/~a%7Cb#c\n"
    assert json.loads(invoke("fix", "--json", "http://h/~#a").stdout)["changes"] == []
