"""What does not change the meaning of a URL (RFC 1738 sections 2.1, 2.2, 3.1): `normalized` and `equivalent`."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import urlschemes
from urlschemes import default_registry as REGISTRY  # noqa: N812  it does not change here
from urlschemes_testing.strategies import urls

NORMAL = [
    # text, its normal form
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


@pytest.mark.parametrize(("text", "normal"), NORMAL)
def test_the_normal_form(text: str, normal: str) -> None:
    url = urlschemes.parse(text)
    assert str(url.normalized()) == normal
    assert url.equivalent(urlschemes.parse(normal))
    assert str(url) == text


DIFFERENT = [
    # Reserved characters, whose escape may mean something else (section 2.2)
    ("http://h/a/b", "http://h/a%2Fb"),
    ("http://h/a?b=c", "http://h/a?b%3Dc"),
    ("ftp://h/a/b", "ftp://h/a%2Fb"),
    ("ftp://h/a;type=a", "ftp://h/a%3Btype=a"),
    # An empty part is no absent one (section 3.1)
    ("ftp://@h/", "ftp://h/"),
    ("ftp://u:@h/", "ftp://u@h/"),
    ("http://h/?", "http://h/"),
    ("gopher://h/0a%09", "gopher://h/0a"),
    ("gopher://h", "gopher://h/0"),
    ("ftp://h//a", "ftp://h/a"),
    # Letter case matters behind the host
    ("http://h/A", "http://h/a"),
    ("mailto:Joe@h", "mailto:joe@h"),
    ("news:A@h", "news:a@h"),
    ("news:a%40b@b", "news:a@b"),
    # What looks empty and is not
    ("file:///", "file://h/"),
    ("nntp://h/a", "nntp://h/a/0"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_is_not_the_same(one: str, other: str) -> None:
    assert not urlschemes.parse(one).equivalent(urlschemes.parse(other))


SAID = {
    # What a scheme's own section says is the same: the `/` that may be omitted, a default, a letter case
    ("http", "path", None, ""),
    ("https", "path", None, ""),
    ("ftp", "name", None, ""),
    *(("ftp", "typecode", upper, upper.lower()) for upper in "AID"),
    ("gopher", "gtype", None, "1"),
    ("file", "host", "localhost", ""),
}


@pytest.mark.parametrize("scheme", sorted(REGISTRY))
def test_a_normal_form_has_the_same_parts(scheme: str) -> None:
    @settings(max_examples=150, deadline=None)
    @given(urls(scheme))
    def law(text: str) -> None:
        url = urlschemes.parse(text)
        normal = url.normalized()
        assert normal.normalized() == normal
        for name, value in url.parts.items():
            if normal.parts[name] != value:
                assert (scheme, name, value, normal.parts[name]) in SAID

    law()
