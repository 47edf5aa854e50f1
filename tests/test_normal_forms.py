"""Normal forms of URLs, and the differences between URLs that are not equivalent (RFC 1738 sections 2.1 and 3.1)."""

from __future__ import annotations

import pytest

import urlschemes
from urlschemes import default_registry
from urlschemes.grammar.octets import unescape
from urlschemes_testing.generation import random_urls

DIFFERENT = [
    # An empty part differs from an absent one (section 3.1)
    ("ftp://@h/", "ftp://h/"),
    ("ftp://u:@h/", "ftp://u@h/"),
    ("http://h/?", "http://h/"),
    ("gopher://h/0a%09", "gopher://h/0a"),
    ("gopher://h", "gopher://h/0"),
    ("ftp://h//a", "ftp://h/a"),
    # Letter case matters after the host
    ("http://h/A", "http://h/a"),
    ("mailto:Joe@h", "mailto:joe@h"),
    ("news:A@h", "news:a@h"),
    ("news:a%40b@b", "news:a@b"),
    # These look empty, but are not
    ("file:///", "file://h/"),
    ("nntp://h/a", "nntp://h/a/0"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_urls_that_may_mean_different_things_are_not_equivalent(one: str, other: str) -> None:
    assert not urlschemes.parse(one).equivalent(urlschemes.parse(other))


CHANGED_VALUES = {
    # Equivalences that a scheme's own section states: an omitted `/`, a default, a letter case.
    ("http", "path", None, ""),
    ("https", "path", None, ""),
    ("ftp", "name", None, ""),
    *(("ftp", "typecode", upper, upper.lower()) for upper in "AID"),
    ("gopher", "gtype", None, "1"),
    ("file", "host", "localhost", ""),
}
"""Scheme, part, its value in a URL, and that in the normal form."""


@pytest.mark.parametrize("number", [20, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("scheme", sorted(default_registry))
def test_a_normal_form_has_the_same_parts(scheme: str, number: int) -> None:
    for text in random_urls(scheme, number):
        url = urlschemes.parse(text)
        normal = url.normalized()
        for name in url.parts:
            value, normal_value = getattr(url, name), getattr(normal, name)
            if url.syntax.parts[name].as_written and value is not None:
                normal_value, value = unescape(normal_value), unescape(value)
            if normal_value != value:
                assert (scheme, name, value, normal_value) in CHANGED_VALUES, text
