"""Wais URLs of today (RFC 4156)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import urlschemes_access
from urlschemes import Encoded, InvalidURL, Registry
from urlschemes.errors import UnsafeURL
from urlschemes_access import Listing, Policy
from urlschemes_servers.wais import wais_server
from urlschemes_testing.examples import check_example
from urlschemes_wais.rfc3986 import WaisURI, registration

if TYPE_CHECKING:
    from urlschemes.record.record_fields import Example

MODERN = Registry(profile="rfc3986")
HERE = Policy.interactive()


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


# Access


def test_access_speaks_ipv6_and_sends_no_fragment() -> None:
    with wais_server({"db": {"bread": "Bread and butter."}}, host="::1") as address:
        with urlschemes_access.access(f"wais://{address}/db?bread#end", policy=HERE, registry=MODERN) as listing:
            assert isinstance(listing, Listing)
            (entry,) = listing
        url = MODERN.parse(entry.url or "")
        assert (type(url), url.host, url.fragment) == (WaisURI, "[::1]", None)
        with urlschemes_access.access(f"{url}#end", policy=HERE, registry=MODERN) as document:
            assert document.read() == b"Bread and butter."
        again = {"feedback": f"{url}#end"}
        with urlschemes_access.access(f"wais://{address}/db?x", options=again, policy=HERE, registry=MODERN) as listing:
            assert [each.name for each in listing] == [entry.name]


@pytest.mark.parametrize(
    "text",
    [
        "wais://h.invalid/db/TEXT%1F/x",
        "wais://h.invalid/db@other",
        "wais://h.invalid/..%2Fdb?a",
        "wais://h.invalid/db?a%00",
    ],
)
def test_access_refuses_what_a_request_cannot_hold_before_it_connects(text: str) -> None:
    url = MODERN.parse(text)
    with pytest.raises(UnsafeURL) as refused:
        urlschemes_access.access(url, registry=MODERN)
    assert refused.value.section is not None
    assert refused.value.section.startswith("RFC 3986 section 7")
