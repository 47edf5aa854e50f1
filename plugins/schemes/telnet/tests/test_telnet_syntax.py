"""The syntax of telnet URLs (RFC 1738 section 3.8): parts, errors, constructor."""

from typing import Any

import pytest

import urlschemes
import urlschemes_access
import urlschemes_lint
from urlschemes import Encoded
from urlschemes.errors import InvalidURL, UnsafeURL, UnsupportedOperation
from urlschemes.record.record_fields import Example
from urlschemes_telnet import TelnetURL, registration
from urlschemes_testing.examples import check_example


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_of_the_record_are_true(example: Example) -> None:
    check_example(TelnetURL, example)


def test_the_record_is_that_of_the_scheme() -> None:
    assert (registration.scheme, registration.status, registration.default_port) == ("telnet", "permanent", 23)
    assert (registration.operations, registration.redirects, registration.local) == (("open session",), (), False)
    assert set(registration.options) == {"columns", "rows", "terminal"}
    assert "terminal" in registration.security_considerations
    assert sum(example.parts is None for example in registration.examples) >= 10


def test_the_grammar_is_that_of_section_5() -> None:
    lines = [line.partition("; ")[0].strip() for line in registration.syntax.bnf.strip().splitlines()]
    assert lines == ['telneturl      = "telnet://" login [ "/" ]']


def test_a_service_cannot_be_accessed_as_an_object() -> None:
    with pytest.raises(UnsupportedOperation, match="it offers open session"):
        urlschemes_access.access("telnet://localhost/")


# Decision 14: the final slash


@pytest.mark.decision(14)
@pytest.mark.parametrize("end", ["/x", "//", "/?", "/;x", "/%20", "/ ", "?", "/x@h/"])
def test_nothing_follows_the_final_slash(end: str) -> None:
    assert TelnetURL.parse("telnet://h/").parts == TelnetURL.parse("telnet://h").parts
    with pytest.raises(InvalidURL):
        TelnetURL.parse(f"telnet://h{end}")


# Section 3.1: the login


@pytest.mark.parametrize(
    ("login", "user", "password"),
    [
        ("", None, None),
        ("@", "", None),
        (":@", "", ""),
        ("u@", "u", None),
        ("u:@", "u", ""),
        (":p@", "", "p"),
        ("u:p@", "u", "p"),
        ("%3a%40%2F:%3A%40%2f@", ":@/", ":@/"),
        ("u;?&=$-_.+!*'(),:p;?&=$-_.+!*'(),@", "u;?&=$-_.+!*'(),", "p;?&=$-_.+!*'(),"),
        ("%FF%00@", "\udcff\x00", None),
        ("u%2525@", "u%25", None),
    ],
)
@pytest.mark.parametrize("end", ["", "/", ":23", ":2323/"])
def test_user_name_and_password(login: str, user: str | None, password: str | None, end: str) -> None:
    url = TelnetURL.parse(f"telnet://{login}host.dom{end}")
    assert (url.user, url.password, url.host) == (user, password, "host.dom")
    assert url.port == (2323 if "2323" in end else 23)
    assert url.raw["port"] == (end.strip(":/") or None)


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("telnet:h", "missing-authority", 7),
        ("telnet:/h/", "missing-authority", 8),
        ("telnet://", "empty-host", 9),
        ("telnet:///", "empty-host", 9),
        ("telnet://u:p:q@h/", "invalid-userinfo", 12),
        ("telnet://u@v@h/", "invalid-userinfo", 10),
        ("telnet://h_h/", "invalid-host", 10),
        ("telnet://h./", "invalid-host", 11),
        ("telnet://h?x", "invalid-host", 10),
        ("telnet://h:", "invalid-port", 11),
        ("telnet://h:-1/", "invalid-port", 11),
        ("telnet://h:23x/", "invalid-port", 13),
        ("telnet://h/x", "invalid-part", 11),
        ("telnet://u/v@h/", "invalid-part", 11),
        ("telnet://u v@h/", "invalid-character", 10),
        ("telnet://u{}@h/", "invalid-character", 10),
        ("telnet://h/\r\n", "invalid-character", 11),
        ("telnet://h/#top", "fragment-present", 11),
        ("telnet://%4@h/", "bad-escape", 9),
    ],
)
def test_invalid_urls_are_refused(text: str, code: str, position: int) -> None:
    with pytest.raises(InvalidURL) as caught:
        TelnetURL.parse(text)
    assert caught.value.code == code
    assert caught.value.position == position
    assert not urlschemes.is_valid(text)


def test_the_password_is_not_shown() -> None:
    url = TelnetURL.parse("telnet://guest:secret@h/")
    assert "secret" not in repr(url)
    assert "secret" not in urlschemes_lint.explain(str(url))
    assert "password" in {finding.code for finding in urlschemes_lint.check(str(url))}


@pytest.mark.parametrize("login", ["a%0D%0Ab@", "a%00@", ":%1B@", "a:b%7F@", "%09@"])
def test_control_octets_are_parsed_and_never_sent(login: str) -> None:
    url = TelnetURL.parse(f"telnet://{login}h/")
    with pytest.raises(UnsafeURL) as caught:
        url.check_line()
    assert caught.value.scheme == "telnet"
    assert "control-octet" in {finding.code for finding in urlschemes_lint.check(str(url))}


# Constructor and replace


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({}, "telnet://h"),
        ({"port": 2323}, "telnet://h:2323"),
        ({"user": "u"}, "telnet://u@h"),
        ({"user": "", "password": ""}, "telnet://:@h"),
        ({"user": "a:b@c/d", "password": "e f"}, "telnet://a%3Ab%40c%2Fd:e%20f@h"),
        ({"user": "?;&=é\udcff~"}, "telnet://?;&=%C3%A9%FF%7E@h"),
        ({"user": Encoded("a%3ab")}, "telnet://a%3ab@h"),
    ],
)
def test_a_constructor_encodes_its_parts(parts: dict[str, Any], text: str) -> None:
    assert str(TelnetURL(host="h", **parts)) == text


@pytest.mark.parametrize(
    "parts",
    [
        {"password": "p"},
        {"user": Encoded("a:b")},
        {"user": Encoded("a b")},
        {"host": "h/"},
        {"host": ""},
        {"port": "23"},
        {"port": -1},
        {"user": "\ud800"},
    ],
)
def test_values_without_a_url_are_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidURL):
        TelnetURL(**{"host": "h"} | parts)


@pytest.mark.parametrize(
    ("before", "parts", "after"),
    [
        ("telnet://u:p@h:23/", {"password": None}, "telnet://u@h:23/"),
        ("telnet://u:p@h:23/", {"user": None, "password": None}, "telnet://h:23/"),
        ("telnet://h", {"user": "u"}, "telnet://u@h"),
        ("telnet://h/", {"user": "u", "password": "p"}, "telnet://u:p@h/"),
        ("telnet://%75@h/", {"host": "i", "port": 24}, "telnet://%75@i:24/"),
        ("telnet://h:23", {"port": None}, "telnet://h"),
    ],
)
def test_replace_changes_the_given_parts(before: str, parts: dict[str, Any], after: str) -> None:
    assert str(TelnetURL.parse(before).replace(**parts)) == after


def test_a_password_alone_is_no_replacement() -> None:
    with pytest.raises(InvalidURL) as caught:
        TelnetURL.parse("telnet://h/").replace(password="p")
    assert caught.value.code == "invalid-userinfo"
