"""The options of every command that accesses a URL."""

from __future__ import annotations

import pytest

URL = "x-shelf://127.0.0.1/options"
CREDENTIALS = """
from urlschemes_access import Credentials
from urlschemes.registry.hooks import hookimpl

@hookimpl
def urlschemes_credentials(request):
    return Credentials("me", request.host)
"""


def test_options_of_the_scheme_are_converted_to_their_types(run) -> None:
    assert run("access", URL).stdout == "False 1"
    assert run("access", "--option", "shout", "--option", "times=3", URL).stdout == "True 3"
    assert run("access", "--option", "shout=no", URL).stdout == "False 1"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("volume=11", "x-shelf has no option 'volume'; its options: shout, times"),
        ("shout=loud", "shout must be yes or no"),
        ("times=often", "times must be a whole number"),
        ("times", "times needs a value: times=VALUE"),
    ],
)
def test_a_wrong_option_of_the_scheme_is_a_usage_error(run, option: str, message: str) -> None:
    result = run("access", "--option", option, URL)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


@pytest.mark.parametrize("value", ["nan", "inf", "0", "-1", "86401", "soon"])
def test_a_wrong_deadline_is_a_usage_error(run, value: str) -> None:
    result = run("access", "--deadline", value, URL)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"expected seconds, more than 0 and at most 86400, got '{value}'" in result.stderr


def test_verbose_shows_the_dialogue_without_passwords_and_control_characters(run, server) -> None:
    with server(b"one opensesame\r\ntwo \x1b[31m\r\n") as port:
        result = run("access", "-v", f"x-shelf://127.0.0.1:{port}/wire")
    assert result.stdout_bytes == b"one opensesame\r\ntwo \x1b[31m\r\n"
    for line in (
        f"* connect 127.0.0.1 port {port}",
        "> PASS ***",
        "< one ***",
        "< two \\x1b[31m",
        "* open document",
    ):
        assert line in result.stderr
    assert "opensesame" not in result.stderr
    assert "\x1b" not in result.stderr


@pytest.mark.parametrize(("verbose", "lines"), [("-v", 16), ("-vv", 40)])
def test_a_long_message_is_shortened_unless_verbose_is_given_twice(run, server, verbose: str, lines: int) -> None:
    with server(b"word\r\n" * 40) as port:
        result = run("access", verbose, f"x-shelf://127.0.0.1:{port}/wire")
    assert result.stderr.count("< word") == lines
    assert ("octets in all" in result.stderr) == (verbose == "-v")
    assert result.stdout_bytes == b"word\r\n" * 40


def test_plugins_provide_credentials_only_if_the_option_is_given(run, install) -> None:
    install("knows", "[urlschemes]\ncredentials = knows\n", {"knows.py": CREDENTIALS})
    both, url = "shelf-schemes,knows", "x-shelf://127.0.0.1/login"
    assert run("access", url, plugins=both).exit_code == 3
    assert run("access", "--plugin-credentials", url, plugins=both).stdout == "me has 9 letters\n"
    assert run("access", "--plugin-credentials", url).exit_code == 3


LOGIN = "x-shelf://127.0.0.1/login"


def test_the_login_of_user_goes_to_the_url(run, tmp_path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"opensesame\r\nmore\n")
    assert run("access", "--user", "joe:a:b", LOGIN).stdout == "joe has 3 letters\n"
    assert run("access", "--user", "joe:", LOGIN).stdout == "joe has 0 letters\n"
    assert run("access", "--user", "joe", "--password-file", str(secret), LOGIN).stdout == "joe has 10 letters\n"
    typed = run("access", "--user", "joe", "--password-file", "-", LOGIN, input="four\n")
    assert typed.stdout == "joe has 4 letters\n"
    refused = run("access", "--bearer-file", str(secret), LOGIN)
    assert refused.exit_code == 3
    assert "a user name and a password, not a token" in refused.stderr


def test_a_user_name_in_a_url_without_one_names_the_option(run) -> None:
    result = run("access", "http://joe@127.0.0.1/", plugins="urlschemes-http")
    assert result.exit_code == 1
    assert "; --user NAME with --password-file FILE logs in where a server asks for it\n" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--user", "joe"], "--user has no password, and there is no terminal to ask"),
        (["--user", ":x"], "--user needs a name"),
        (["--user", "joe:x", "--password-file", "-"], "--user has a password already"),
        (["--user", "joe", "--password-file", "-"], "--password-file: the first line is empty"),
        (["--password-file", "-"], "--password-file needs --user"),
        (["--bearer-file", "-", "--user", "joe"], "cannot be used together"),
    ],
)
def test_a_login_that_is_not_complete_is_a_usage_error(run, arguments: list[str], message: str) -> None:
    result = run("access", *arguments, LOGIN)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_key_without_a_certificate_is_a_usage_error(run) -> None:
    result = run("access", "--key", __file__, "x-shelf://127.0.0.1/")
    assert result.exit_code == 2
    assert "name that with --cert FILE" in result.stderr


@pytest.mark.parametrize(
    ("limit", "arguments", "before"),
    [
        ("entries", ["/menu"], ""),
        ("content", ["/vase", "--json"], "-o FILE takes a document of any length; "),
        ("content", ["/wire", "-o", "out"], ""),
    ],
)
def test_the_hint_of_a_limit_says_where_it_is_set(
    run, server, tmp_path, monkeypatch, limit: str, arguments: list[str], before: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with server(b"four") as port:
        result = run("access", "--limit", f"{limit}=1", f"x-shelf://127.0.0.1:{port}{arguments[0]}", *arguments[1:])
    assert result.exit_code == 3
    table = "in the table [limits] of the configuration file"
    expected = f"help: {before}--limit {limit}=N changes it, or `{limit} = N` {table}"
    assert expected in " ".join(result.stderr.split())
