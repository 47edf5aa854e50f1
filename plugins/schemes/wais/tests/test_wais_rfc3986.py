"""Wais URLs of today (RFC 4156)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from urlschemes import Encoded, InvalidURL, Registry
from urlschemes_testing.examples import check_example
from urlschemes_wais.rfc3986 import WaisURI, registration

if TYPE_CHECKING:
    from urlschemes.scheme.record_fields import Example

MODERN = Registry(profile="rfc3986")


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_of_the_record_are_true(example: Example) -> None:
    check_example(WaisURI, example)


def test_the_registry_has_this_type() -> None:
    url = MODERN.parse("wais://[::1]:8210/d/t/p/q=3;4=%00#x")
    assert type(url) is WaisURI
    assert str(WaisURI(**{name: value for name, value in url.parts.items() if value is not None})) == str(url)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"host": "[::1]", "database": ""}, "wais://[::1]/"),
        ({"host": "h", "database": "a/b?", "search": "c/d?#"}, "wais://h/a%2Fb%3F?c/d?%23"),
        ({"host": "h", "database": "d", "wtype": "a/b", "wpath": "c/d?\0"}, "wais://h/d/a%2Fb/c/d%3F%00"),
        ({"host": "h", "database": Encoded("%61"), "fragment": "f"}, "wais://h/%61#f"),
    ],
)
def test_a_constructor_encodes_its_parts(parts: dict[str, Any], text: str) -> None:
    assert str(WaisURI(**parts)) == text


@pytest.mark.parametrize("parts", [{"host": "::1", "database": ""}, {"host": "h", "database": "d", "wtype": "t"}])
def test_values_without_a_url_are_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidURL):
        WaisURI(**parts)


@pytest.mark.parametrize(
    ("text", "form"), [("wais://h/d#f", "database"), ("wais://h/d?", "search"), ("wais://h/d/t/a/../b", "document")]
)
def test_there_are_three_forms(text: str, form: str) -> None:
    url = WaisURI.parse(text)
    assert url.form == form
    assert str(url.normalized()) == text
