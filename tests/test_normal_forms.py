"""Normal forms of URLs, and the differences between URLs that are not equivalent (RFC 1738 sections 2.1 and 3.1)."""

from __future__ import annotations

import pytest

import urlschemes
from urlschemes import default_registry
from urlschemes.grammar.octets import unescape
from urlschemes_testing.generation import random_urls

NORMAL_FORMS = [
    # URL, normal form
    ("HTTP://Host.DOM/", "http://host.dom/"),
    ("http://h:80/a", "http://h/a"),
    ("http://h:0080/a", "http://h/a"),
    ("http://h:08080/", "http://h:8080/"),
    ("http://h", "http://h/"),
    ("http://h:80", "http://h/"),
    ("ftp://h", "ftp://h/"),
    ("ftp://u:@h", "ftp://u:@h/"),
    ("gopher://h", "gopher://h/1"),
    ("gopher://h/", "gopher://h/1"),
    ("telnet://h", "telnet://h/"),
    ("http://h/%7euser/%41%2f%3B", "http://h/%7Euser/A%2F%3B"),
    ("http://h/a?b%3dc%26", "http://h/a?b%3Dc%26"),
    ("ftp://%75%3a@h/%2f/a%3b;TYPE=a", "ftp://u%3A@h/%2F/a%3B;type=a"),
    ("ftp://h/a%3Fb", "ftp://h/a?b"),
    ("file://LOCALHOST/%61", "file:///a"),
    ("ftp://h/a;type=I", "ftp://h/a;type=i"),
    ("mailto:a?b@h", "mailto:a%3Fb@h"),
    ("wais://h/db?a%2bb+c", "wais://h/db?a%2Bb%2Bc"),
    ("gopher://h/0a%2fb%09%2f", "gopher://h/0a/b%09/"),
    ("gopher://h/%30a", "gopher://h/0a"),
    ("mailto:%6Aoe%40host", "mailto:joe@host"),
    ("news:%61b@Host.dom", "news:ab@Host.dom"),
    ("news:a%2fb%40%63@h", "news:a/b%40c@h"),
    ("nntp://H:119/a.b/007", "nntp://h/a.b/7"),
    ("wais://H:210/%64b?a%20%62", "wais://h/db?a%20b"),
    ("prospero://h:1525/a%2fb;c=%64", "prospero://h/a/b;c=d"),
]


@pytest.mark.parametrize(("text", "normal"), NORMAL_FORMS)
def test_a_url_is_equivalent_to_its_normal_form(text: str, normal: str) -> None:
    url = urlschemes.parse(text)
    assert str(url.normalized()) == normal
    assert url.equivalent(urlschemes.parse(normal))
    assert str(url) == text


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
