"""Gopher URLs of today (RFC 4266)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import urlschemes_access
from urlschemes import Encoded, InvalidURL, Registry
from urlschemes.errors import UnsafeURL
from urlschemes_access import Listing, Policy
from urlschemes_gopher.rfc3986 import GopherURI, registration
from urlschemes_servers.gopher import gopher_server, link, menu, text
from urlschemes_testing.examples import check_example

if TYPE_CHECKING:
    from urlschemes.record.record_fields import Example

MODERN = Registry(profile="rfc3986")
HERE = Policy.interactive()


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_of_the_record_are_true(example: Example) -> None:
    check_example(GopherURI, example)


def test_the_registry_has_this_type() -> None:
    url = MODERN.parse("gopher://[::1]:7070/7/q?%09a%20b%09+#x")
    assert type(url) is GopherURI
    assert str(GopherURI(**{name: value for name, value in url.parts.items() if value is not None})) == str(url)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"host": "[::1]", "port": 70}, "gopher://[::1]"),
        ({"host": "h", "selector": "/a b?#[]~"}, "gopher://h/1/a%20b?%23%5B%5D~"),
        ({"host": "h", "gtype": "7", "selector": "/s", "search": "a/b?"}, "gopher://h/7/s%09a/b?"),
        ({"host": "h", "gopher_plus": "+\t1\r\n", "fragment": "f"}, "gopher://h/1%09%09+%091%0D%0A#f"),
        ({"host": "h", "selector": Encoded("a%2Fb")}, "gopher://h/1a%2Fb"),
        ({"host": "h", "gtype": "/", "selector": "a"}, "gopher://h//a"),
    ],
)
def test_a_constructor_encodes_its_parts(parts: dict[str, Any], text: str) -> None:
    assert str(GopherURI(**parts)) == text


@pytest.mark.parametrize(
    "parts",
    [{"host": "::1"}, {"host": "h", "selector": "a\tb"}, {"host": "h", "search": "\r"}, {"host": "h", "gtype": ""}],
)
def test_values_without_a_url_are_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidURL):
        GopherURI(**parts)


@pytest.mark.parametrize(
    ("level", "text"),
    [
        ("percent-encoding", "gopher://[::a]:70/0%2Fa%3A../~%09%2B%09%23#f"),
        (None, "gopher://[::a]/0/a:../~%09+%09%23#f"),
    ],
)
def test_no_character_is_reserved_within_the_path(level: str | None, text: str) -> None:
    url = GopherURI.parse("GOPHER://[::A]:70/0%2fa%3A../%7e%09%2B%09%23#f")
    assert str(url.normalized(level)) == text
    assert url.effective_gtype == "0"


def test_an_empty_path_is_the_top_menu() -> None:
    url = GopherURI.parse("gopher://h:#f")
    assert url.effective_gtype == "1"
    assert [str(url.normalized(level)) for level in ("case", None)] == ["gopher://h:#f", "gopher://h/1#f"]


# Access


def test_access_speaks_ipv6_and_sends_no_fragment() -> None:
    items = {"~a": text("Hello.\n"), "link": link("1", "/", "2001:db8::1", 70, title="IPv6")}
    items["login"] = link("8", "a.example?joe", "[2001:db8::1]", 2323, title="Login")
    with gopher_server(menu(items), host="::1") as address:
        with urlschemes_access.access(
            f"gopher://{address}/0/%7ea%09%09+#end", policy=HERE, registry=MODERN
        ) as document:
            assert document.read() == b"Hello.\r\n"
        with urlschemes_access.access(f"gopher://{address}#end", policy=HERE, registry=MODERN) as listing:
            assert isinstance(listing, Listing)
            assert [entry.url for entry in listing] == [
                f"gopher://{address}/0/~a%09%09+",
                "gopher://[2001:db8::1]/1/",
                "telnet://a.example%3Fjoe@[2001:db8::1]:2323/",
            ]


@pytest.mark.parametrize(
    "text",
    [
        "gopher://h.invalid/0a%00",
        "gopher://h.invalid/%09x",
        "gopher://h.invalid/0a%09%09+%0D%0A",
        "gopher://h.invalid:7070/0%09%09+%091%0D%0A+-1%0D%0A.%0D%0A",
    ],
)
def test_access_refuses_what_a_request_cannot_hold_before_it_connects(text: str) -> None:
    url = MODERN.parse(text)
    with pytest.raises(UnsafeURL) as refused:
        urlschemes_access.access(url, registry=MODERN)
    assert refused.value.section is not None
    assert refused.value.section.startswith(("RFC 3986 section 7", "RFC 4266 section 2"))
