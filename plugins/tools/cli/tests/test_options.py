"""Several URLs of one command: as arguments, and as the lines of standard input."""

from __future__ import annotations

import json

import pytest

VALID, WRONG, UNKNOWN, SECRET = "x-shelf://h/a", "x-shelf://h/~", "x-attic:b", "x-shelf://joe:hunter2@h/~"
KEYS = {"parse": "url", "check": "url", "fix": "given"}


@pytest.mark.parametrize("command", KEYS)
@pytest.mark.parametrize("is_input", [True, False])
def test_json_is_a_line_for_each_url_and_the_exit_code_that_of_the_worst(run, command: str, is_input: bool) -> None:
    urls = [VALID, WRONG, UNKNOWN, SECRET]
    words = ["-"] if is_input else urls
    result = run(command, "--json", *words, input="\r\n".join([*urls, "  ", ""]) if is_input else None)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line[KEYS[command]] for line in lines] == [VALID, WRONG, UNKNOWN, SECRET.replace("hunter2", "***")]
    assert all("profile" in line for line in lines)
    alone = [run(command, "--json", url) for url in urls]
    assert lines == [json.loads(each.stdout) for each in alone]
    assert result.exit_code == max(each.exit_code for each in alone)
    assert result.stderr == ""


@pytest.mark.parametrize(("command", "on_input"), [("parse", 2), ("explain", 2), ("check", 3), ("fix", 2)])
def test_each_url_is_named_beside_its_result_or_its_error(run, command: str, on_input: int) -> None:
    result = run(command, VALID, "-", SECRET, input=f"{WRONG}\n{UNKNOWN}\n")
    assert result.exit_code == max(run(command, url).exit_code for url in (VALID, WRONG, UNKNOWN))
    assert f"urlschemes: line 2: {UNKNOWN}: " in result.stderr or command == "check"
    for url in (VALID, WRONG, UNKNOWN, SECRET.replace("hunter2", "***")):
        assert url in result.output or command == "check" or (command == "fix" and "x-shelf://h/%7E" in result.stdout)
    assert "hunter2" not in result.output


def test_a_byte_order_mark_and_blank_lines_are_not_read(run) -> None:
    assert run("parse", "-", input=f"\ufeff{VALID}\n").exit_code == 0
    assert (run("parse", "-", input="\n").output, run("parse", "-", input="").exit_code) == ("", 0)


def test_what_is_wrong_with_all_urls_is_reported_once(run) -> None:
    result = run("--config", "/no/such/file", "parse", VALID, WRONG, "--json")
    assert (result.exit_code, len(result.stdout.splitlines())) == (2, 1)
    assert run("parse", VALID, WRONG, "--profile", "never").stderr.count("never") == 1
