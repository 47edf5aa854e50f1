"""Telnet URLs of today (RFC 4248)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import urlschemes_access
from urlschemes import Encoded, InvalidURL, Registry
from urlschemes.errors import UnsafeURL
from urlschemes_access import Policy
from urlschemes_servers.telnet import telnet_server
from urlschemes_telnet import open_session
from urlschemes_telnet.rfc3986 import TelnetURI, registration
from urlschemes_testing.examples import check_example

if TYPE_CHECKING:
    from urlschemes.record.record_fields import Example

MODERN = Registry(profile="rfc3986")
HERE = Policy.interactive()


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_of_the_record_are_true(example: Example) -> None:
    check_example(TelnetURI, example)


def test_the_registry_has_this_type() -> None:
    url = MODERN.parse("telnet://joe:s:x@[::1]:2323#x")
    assert type(url) is TelnetURI
    assert str(TelnetURI(**{name: value for name, value in url.parts.items() if value is not None})) == str(url)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"host": "[::1]", "port": 23}, "telnet://[::1]"),
        ({"host": "h", "user": "a:b", "password": "c:d@"}, "telnet://a%3Ab:c:d%40@h"),
        ({"host": "h", "fragment": ""}, "telnet://h#"),
        ({"host": "h", "user": Encoded("%7Ejoe")}, "telnet://%7Ejoe@h"),
    ],
)
def test_a_constructor_encodes_its_parts(parts: dict[str, Any], text: str) -> None:
    assert str(TelnetURI(**parts)) == text


@pytest.mark.parametrize("parts", [{"host": ""}, {"host": "::1"}, {"host": "h", "password": "p"}])
def test_values_without_a_url_are_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidURL):
        TelnetURI(**parts)


def test_the_forms_of_one_service_are_equivalent() -> None:
    assert TelnetURI.parse("telnet://%7eJoe@[::A]:023").equivalent(TelnetURI.parse("TELNET://~Joe@[::a]/"))


# Access


def test_a_session_speaks_ipv6_and_types_the_login() -> None:
    with (
        telnet_server({"joe": "a:b"}, host="::1") as address,
        open_session(f"telnet://joe:a:b@{address}#f", policy=HERE, registry=MODERN) as session,
    ):
        received = session.login()
        while b"Welcome, joe." not in received:
            received += session.read() or pytest.fail("the service said nothing more")


@pytest.mark.parametrize(
    "text", ["telnet://guest%0D%0A@h.invalid", "telnet://-froot@h.invalid/", "telnet://u:%1B@h.invalid"]
)
def test_access_refuses_what_a_request_cannot_hold_before_it_connects(text: str) -> None:
    url = MODERN.parse(text)
    with pytest.raises(UnsafeURL) as refused:
        urlschemes_access.operate("open session", url, registry=MODERN)
    assert refused.value.section is not None
    assert refused.value.section.startswith("RFC 3986 section 7")
