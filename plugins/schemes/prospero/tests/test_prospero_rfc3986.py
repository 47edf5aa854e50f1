"""Prospero URLs of today (RFC 4157)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import urlschemes_access
from urlschemes import Encoded, InvalidURL, Registry
from urlschemes.errors import UnsafeURL
from urlschemes_access import Listing, Policy
from urlschemes_prospero.rfc3986 import ProsperoURI, registration
from urlschemes_servers.prospero import directory, external, file, prospero_server
from urlschemes_testing.examples import check_example

if TYPE_CHECKING:
    from urlschemes.record.record_fields import Example

MODERN = Registry(profile="rfc3986")
HERE = Policy.interactive()


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_of_the_record_are_true(example: Example) -> None:
    check_example(ProsperoURI, example)


def test_the_registry_has_this_type() -> None:
    url = MODERN.parse("prospero://[::1]:191//a;b=c#x")
    assert type(url) is ProsperoURI
    assert str(ProsperoURI(**{name: value for name, value in url.parts.items() if value is not None})) == str(url)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"host": "[::1]"}, "prospero://[::1]/"),
        ({"host": "h", "hsoname": "/a b;c?=~"}, "prospero://h//a%20b%3Bc%3F=~"),
        ({"host": "h", "fields": [("a=b", "/;"), ("", "")], "fragment": "f"}, "prospero://h/;a%3Db=%2F%3B;=#f"),
        ({"host": "h", "hsoname": Encoded("a%2Fb")}, "prospero://h/a%2Fb"),
    ],
)
def test_a_constructor_encodes_its_parts(parts: dict[str, Any], text: str) -> None:
    assert str(ProsperoURI(**parts)) == text


@pytest.mark.parametrize("parts", [{"host": ""}, {"host": "::1"}, {"host": "h", "fields": [("a",)]}])
def test_values_without_a_url_are_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidURL):
        ProsperoURI(**parts)


def test_dots_in_a_name_have_no_meaning() -> None:
    url = ProsperoURI.parse("PROSPERO://H:1525//a/../%7e;%41=b")
    assert str(url.normalized()) == "prospero://h//a/../~;A=b"


# Access


def test_access_speaks_ipv6_and_sends_no_fragment() -> None:
    methods = external(("GOPHER", "INTERNET-D", "", "ASCII", "0/~a?b$"))
    tree = directory({"~a": file(b"Hello."), "b": methods})
    with prospero_server(tree, host="::1") as address:
        with urlschemes_access.access(f"prospero://{address}//~a#end", policy=HERE, registry=MODERN) as document:
            assert document.read() == b"Hello."
        with urlschemes_access.access(f"prospero://{address}//#end", policy=HERE, registry=MODERN) as listing:
            assert isinstance(listing, Listing)
            inner, external_link = listing
        assert inner.url == f"prospero://{address}//~a"
        assert external_link.fields["ACCESS-METHOD"] == "gopher://[::1]/00/~a%3Fb$"


@pytest.mark.parametrize(
    "text", ["prospero://h.invalid/a%0A", "prospero://h.invalid/a;b=%00", "prospero://h.invalid/a;OBJECT-VERSION=x"]
)
def test_access_refuses_what_a_request_cannot_hold_before_it_connects(text: str) -> None:
    url = MODERN.parse(text)
    with pytest.raises(UnsafeURL) as refused:
        urlschemes_access.access(url, registry=MODERN)
    assert refused.value.section is not None
    assert refused.value.section.startswith(("RFC 3986 section 7", "RFC 4157 section 2"))
