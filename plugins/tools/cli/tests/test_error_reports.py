"""Errors as the command reports them: on standard error with a hint, and as JSON."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from urlschemes.errors import Hint, Remedy, URLError
from urlschemes_cli.output.hints import hint_of


def test_an_error_is_one_line_and_a_hint(run) -> None:
    result = run("parse", "x-shelf://host.dom/~")
    assert result.stdout == ""
    error, hint = result.stderr.splitlines()
    assert error.startswith("urlschemes: ")
    assert "'~' in the thing at position 19" in error
    assert hint == "  help: write %7E, or let `fix` do it"


def test_an_unknown_scheme_is_reported_with_what_ledgers_know(run, art_ledger) -> None:
    result = run("parse", "x-song:la", plugins="arts")
    assert result.exit_code == 5
    assert result.stderr == (
        "urlschemes: no installed plugin provides the scheme x-song; "
        "the list of arts (2026-03) lists it as historical: songs, by \\x1btheir words, the songbook, sung no more\n"
        "  help: `parse` reads any scheme; --records FOLDER before the command reads its record\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["parse", "--json", "x-shelf://joe:hunter2@h/~"], "invalid-character"),
        (["parse", "--json", "x-attic://joe:hunter2@h/"], "unknown-scheme"),
        (["access", "--json", "x-shelf://joe:hunter2@h/cut"], "truncated"),
        (["attributes", "--json", "x-shelf://joe:hunter2@h:81/"], "policy-denied"),
    ],
)
def test_errors_as_json_have_their_code_and_no_passwords(run, arguments: list[str], code: str) -> None:
    result = run(*arguments)
    assert json.loads(result.stdout)["error"]["code"] == code
    assert result.stderr.startswith("urlschemes: ")
    assert "hunter2" not in result.stdout + result.stderr


def test_a_usage_error_hides_passwords_among_the_arguments(run) -> None:
    for arguments in (["show", "a", "x-shelf://joe:hunter2@h/"], ["x-shelf://joe:hunter2@h/"]):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "joe:***@h" in result.stderr
        assert "hunter2" not in result.stderr


def test_a_refusal_by_the_policy_names_the_option_that_allows_it(run, tmp_path: Path) -> None:
    (tmp_path / "motd").write_text("of the day\n")
    assert "--allow-port N" in run("access", "x-shelf://127.0.0.1:81/").stderr
    assert run("access", "--allow-port", "81", "x-shelf://127.0.0.1:81/").stdout == "a vase\n"
    assert "--root DIR" in run("access", f"x-drawer:{tmp_path}/motd").stderr
    many = ("access", "--many", "-", "-o", str(tmp_path / "copy"))
    (tmp_path / "copy").mkdir()
    for arguments in (many, (*many, "--json"), ("access", "--json", f"x-drawer:{tmp_path}/motd")):
        assert "--root DIR" in run(*arguments, input=f"x-drawer:{tmp_path}/motd\n").stdout
    assert run("access", "--root", str(tmp_path), f"x-drawer:{tmp_path}/motd").stdout == "of the day\n"
    assert run("access", "--root", str(tmp_path), f"x-drawer:{Path(__file__)}").exit_code == 4
    assert "--allow-network NET" in run("access", "x-shelf://169.254.1.1/wire").stderr


@pytest.mark.parametrize(
    ("policy", "hint"),
    [
        ('denied_hosts = ["127.0.0.1"]', "the policy's `denied_hosts` forbids it: `urlschemes config` shows where"),
        ('hosts = ["h.dom"]', "the policy's `hosts` forbids it"),
        ('schemes = ["http"]', "the policy's `schemes` forbids it"),
        ('denied_schemes = ["x-shelf"]', "the policy's `denied_schemes` forbids it"),
        ("networks = []", "--allow-network NET allows"),
        ('denied_networks = ["127.0.0.0/8"]', "the policy's `denied_networks` forbids it"),
    ],
)
def test_a_refusal_by_a_configured_policy_names_its_rule(run, configure, policy: str, hint: str) -> None:
    configure(f"[policy]\n{policy}\n")
    refused = run("access", "x-shelf://127.0.0.1/wire")
    assert (refused.exit_code, hint in refused.stderr) == (4, True), refused.stderr


def test_a_broken_contract_is_reported_with_what_was_expected(run, install) -> None:
    install("odd-schemes", "x-odd = odd:number\nx-nobody = nobody\n", {"odd.py": "number = 7\n"})
    result = run("show", "x-odd", plugins="shelf-schemes,odd-schemes")
    assert result.exit_code == 5
    assert "\n  expected: registration.rfc3986.toml" in result.stderr
    assert "  help: --disable x-odd switches it off, `pip uninstall odd-schemes` removes it" in result.stderr
    listed = run("schemes", plugins="shelf-schemes,odd-schemes")
    assert "urlschemes: 2 more cannot be used" in listed.stderr


def test_broken_hooks_stop_an_access_and_are_reported(run, install) -> None:
    install("odd-hooks", "[urlschemes]\nveto = odd_hooks\n", {"odd_hooks.py": "def urlschemes_vetoes(url): pass\n"})
    result = run("access", "x-shelf://127.0.0.1:1/", plugins="shelf-schemes,odd-hooks")
    assert result.exit_code == 5
    assert "  expected: a function urlschemes_veto with" in result.stderr
    assert "  help: --disable odd-hooks switches it off" in result.stderr


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("http://host.dom/a\\b", "write `/` if it is a delimiter, or %5C if it is data"),
        ("www.host.dom", "a host alone is not a URL: write the name of the scheme, a colon and `//` before it"),
        ("me@host.dom:notes", "this is a file on a host as scp and git write it, not a URL"),
        ('"http://host.dom/"', 'leave out `"` and `"` around the URL, or let `fix` do it'),
        ("URL:http://host.dom/", ", or let `fix` do it"),
        ("x-nobody:a", None),
        ("http://host.dom/\xe9\xe8", "write its octets in UTF-8, %C3%A9%C3%A8, or let `fix` do it"),
    ],
)
def test_every_command_gives_the_same_hint(run, text: str, hint: str | None) -> None:
    def found(command: str) -> dict[str, Any]:
        return json.loads(run(command, "--json", text, plugins="urlschemes-http").stdout)

    hints = [found(command)["error"]["hint"] for command in ("parse", "access")]
    assert hints == [found("check")["findings"][0]["hint"]] * 2
    assert (hints[0] or "").endswith(hint or "")


@pytest.mark.parametrize(
    ("setting", "value", "shown"),
    [
        ("Registry.profile", "rfc3986", "--profile rfc3986 helps"),
        ("Registry.profile", None, "--profile NAME helps"),
        ("URLSCHEMES_DISABLE", "x-foo", "--disable x-foo helps"),
        ("options.server", "host", "--option server=host helps"),
        ("options.octets", True, "--option octets=yes helps"),
        ("login", False, "--option login=no helps"),
        ("scheme", "x-foo", "--scheme x-foo helps"),
        ("parse_generic()", None, "`parse` helps"),
        ("normalized()", None, "`fix --normalize` helps"),
        ("Registry.records", None, "--records FOLDER before the command helps"),
        ("octets", None, "--octets N helps"),
        ("cert", None, "--cert FILE helps, or `cert = FILE` in the table [tls] of the configuration file"),
        ("Document.save()", None, "-o FILE helps"),
        ("Limits.deadline", None, "--deadline SECONDS helps"),
        ("credentials", None, "--user NAME with --password-file FILE helps"),
        ("Configuration()", None, "--no-config helps"),
        ("span_hosts", True, "--span-hosts helps"),
        ("Credentials.token", None, "--bearer-file FILE helps"),
        ("Limits.idle", None, "--limit idle=N helps, or `idle = N` in the table [limits] of the configuration file"),
    ],
)
def test_a_hint_names_options_in_place_of_settings(setting: str, value: object, shown: str) -> None:
    error = URLError("unknown", hint=Hint("look", Remedy("helps", setting, value)))
    assert hint_of(pickle.loads(pickle.dumps(error))) == f"look; {shown}"
