"""`urlschemes check` and `urlschemes fix`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest


def test_check_lists_warnings_and_errors(run) -> None:
    warned = run("check", "x-shelf://joe:hunter2@host.dom:81/")
    assert warned.exit_code == 0
    heads = [line.split(":")[0] for line in warned.stdout.splitlines() if not line.startswith(" ")]
    assert heads == ["warning at 14", "warning at 31"]
    assert "hunter2" not in warned.stdout
    wrong = run("check", "x-shelf://host.dom/a b~")
    assert wrong.exit_code == 1
    lines = wrong.stdout.splitlines()
    assert [line.split(":")[0] for line in lines if line[0] != " "] == ["error", "error"], (
        "the message has the position"
    )
    assert all(line == line.rstrip() for line in lines)
    assert run("check", "x-shelf://host.dom/a").stdout == "valid, without warnings\n"


def test_check_of_several_urls_writes_a_line_for_each_finding(run) -> None:
    result = run("check", "x-shelf://joe:hunter2@h/~", "-", input="x-shelf://h/a\n\nx-shelf://h:81/^\n")
    starts = [
        "x-shelf://joe:***@h/~: warning: password: the URL contains a password",
        "x-shelf://joe:***@h/~: error: invalid-character: invalid character '~' in the thing at position 24",
        "3: x-shelf://h:81/^: warning: reserved-port: port 81",
        "3: x-shelf://h:81/^: error: invalid-character: invalid character '^'",
    ]
    lines = result.stdout.splitlines()
    assert [line[: len(start)] for line, start in zip(lines, starts, strict=True)] == starts
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("url", "ignored", "code", "codes"),
    [
        ("x-shelf://joe:p@h:81/~", "password, invalid-character", 0, ["reserved-port"]),
        ("x-attic:a", "unknown-scheme", 0, []),
        ("x-shelf://h:81/~", "reserved-port", 1, ["invalid-character"]),
    ],
)
def test_ignored_findings_are_left_out(run, url: str, ignored: str, code: int, codes: list[str]) -> None:
    check = partial(run, "check", "--json", "--ignore", "long-host", "--ignore", ignored)
    result = check(url)
    assert (result.exit_code, [each["code"] for each in json.loads(result.stdout)["findings"]]) == (code, codes)
    text = check("--text", input=f"<URL:{url}>")
    assert (text.exit_code, [json.loads(line)["code"] for line in text.stdout.splitlines()]) == (code, codes)


def test_a_url_whose_findings_are_all_ignored_is_not_called_valid(run) -> None:
    assert run("check", "--ignore", "password", "x-shelf://h/").stdout == "valid, without warnings\n"
    assert run("check", "--ignore", "password", "x-shelf://a:b@h/").stdout == "every finding is ignored\n"


@pytest.mark.parametrize(("words", "noted"), [(("list",), True), (("x-shelf://h/",), False), (("-",), False)])
def test_a_file_that_is_given_for_a_url_is_noted(run, words, noted: bool, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("list").write_text("x-shelf://h/")
    note = "urlschemes: list is a file: --text checks the URLs in it\n"
    assert run("check", *words, input="list\n").stderr == note * noted


def test_check_needs_a_url(run) -> None:
    result = run("check")
    assert (result.exit_code, "Missing argument 'URL...'" in result.stderr) == (2, True)
    assert run("check", "--text", input="x-shelf://h/~").stdout.startswith("-:1:13: error: ")


def test_check_as_json(run) -> None:
    checked = json.loads(run("check", "--json", "x-shelf://host.dom:81/").stdout)
    assert (checked["url"], checked["valid"]) == ("x-shelf://host.dom:81/", True)
    (finding,) = checked["findings"]
    assert (finding["code"], finding["severity"], finding["span"]) == ("reserved-port", "warning", [19, 21])
    invalid = run("check", "--json", "x-shelf://host.dom/~")
    assert (invalid.exit_code, json.loads(invalid.stdout)["valid"]) == (1, False)


def test_check_of_an_unknown_scheme_applies_the_rules_for_all_urls(run) -> None:
    result = run("check", "--json", "x-attic:a b")
    checked = json.loads(result.stdout)
    assert (result.exit_code, checked["valid"]) == (1, False)
    assert [finding["code"] for finding in checked["findings"]] == ["unknown-scheme", "invalid-character"]


def test_fix_writes_the_url_and_lists_the_changes_on_standard_error(run) -> None:
    result = run("fix", "x-shelf://host.dom/~a#top")
    assert (result.exit_code, result.stdout) == (0, "x-shelf://host.dom/%7Ea\n")
    assert result.stderr.count("urlschemes: ") == 2
    assert "character encoded at 19: ~ -> %7E" in result.stderr
    assert run("fix", "x-shelf://host.dom/a").stderr == "urlschemes: the URL is valid and was not changed\n"


def test_fix_writes_the_normal_form(run) -> None:
    result = run("fix", "--normalize", "X-Shelf://HOST.dom/%61")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "x-shelf://host.dom/a\n", "")


def test_fix_as_json(run) -> None:
    fixed = json.loads(run("fix", "--json", "x-shelf://host.dom/~a#top").stdout)
    assert (fixed["given"], fixed["url"]) == ("x-shelf://host.dom/~a#top", "x-shelf://host.dom/%7Ea")
    assert fixed["fragment"] == "top"
    keys = {"what", "position", "before", "after", "part", "section"}
    assert all(set(change) == keys for change in fixed["changes"])


def test_fix_shows_the_readings_of_a_text_without_passwords(run) -> None:
    result = run("fix", "--json", "x-shelf://joe:hunter2@h/a\u200bb\x1b")
    error = json.loads(result.stdout)["error"]
    assert (result.exit_code, error["code"]) == (1, "not-repairable")
    assert error["readings"] == ["x-shelf://joe:***@h/ab\x1b", "x-shelf://joe:***@h/a%E2%80%8Bb\x1b"]
    assert f"  help: it may mean {' or '.join(error['readings'])}\n".replace("\x1b", r"\x1b") in result.stderr
    assert json.loads(run("fix", "--json", "x-shelf://joe:hunter2@").stdout)["error"]["readings"] == []


def test_fix_shows_no_character_of_a_password(run) -> None:
    url = "x-shelf://joe:hun~ter2@host.dom/~"
    result = run("fix", url)
    assert (result.stdout, result.exit_code) == ("x-shelf://joe:***@host.dom/%7E\n", 1)
    assert "character encoded at 17: in the password" in result.stderr
    assert result.stderr.count("the password is hidden; --passwords writes it") == 1
    changes = json.loads(run("fix", "--json", url).stdout)["changes"]
    assert [(change["part"], change["before"]) for change in changes] == [("password", "***"), ("thing", "~")]
    fragment = "x-shelf://h/a#x-shelf://joe:hunter2@h/"
    assert json.loads(run("fix", "--json", fragment).stdout)["fragment"] == "x-shelf://joe:***@h/"
    assert "is hidden" not in run("fix", "x-shelf://joe@host.dom/~").stderr


@pytest.mark.parametrize("command", ["check", "fix", "parse"])
@pytest.mark.parametrize("url", ["x-shelf://joe:hunter 2@host.dom/", "x-shelf:/joe:hunter2@host.dom/"])
def test_no_command_shows_a_password_with_a_blank_or_after_too_few_slashes(run, command: str, url: str) -> None:
    result = run(command, "--json", url)
    assert "joe:***@host.dom" in result.stdout
    assert "hunter" not in result.output


@pytest.mark.parametrize("words", [("check",), ("fix",), ("check", "--text")])
@pytest.mark.parametrize("text", ["sip:alice:hunter2@h.example", "<sip:alice:hunter2@h.example>"])
def test_json_hides_a_password_without_slashes(run, words: tuple[str, ...], text: str) -> None:
    given = ("-",) if "--text" in words else (text,)
    assert "hunter2" not in run(*words, "--json", *given, input=text).stdout


def test_json_hides_a_password_in_which_what_is_checked_ends(run) -> None:
    assert "hunt" not in run("check", "--text", "--json", "-", input=r"see x-shelf://joe:hunt\!er2@h/x").stdout


def test_json_shows_a_valid_url_without_a_password_as_it_is(run) -> None:
    assert json.loads(run("check", "--json", "x-shelf://h/a:b@c").stdout)["url"] == "x-shelf://h/a:b@c"


def test_fix_with_passwords_writes_them(run) -> None:
    url = "x-shelf://joe:hun~ter2@host.dom/~"
    result = run("fix", "--passwords", url)
    assert result.stdout == "x-shelf://joe:hun%7Eter2@host.dom/%7E\n"
    assert "is hidden" not in result.stderr
    assert json.loads(run("fix", "--json", "--passwords", url).stdout)["changes"][0]["before"] == "~"
    fragment = "x-shelf://h/a#x-shelf://joe:hunter2@h/"
    fixed = json.loads(run("fix", "--json", "--passwords", fragment).stdout)
    assert fixed["fragment"] == "x-shelf://joe:hunter2@h/"
