"""Gopher URLs of today (RFC 4266)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from urlschemes import Encoded, InvalidURL, Registry
from urlschemes_gopher.rfc3986 import GopherURI, registration
from urlschemes_testing.examples import check_example

if TYPE_CHECKING:
    from urlschemes.scheme.record_fields import Example

MODERN = Registry(profile="rfc3986")


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
