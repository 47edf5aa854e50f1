"""The nntp scheme in the profile of RFC 3986: the examples of its record and of RFC 5538, and building."""

import pytest

from urlschemes import InvalidURL, Registry
from urlschemes_nntp.rfc3986 import NntpURI, registration

MODERN = Registry(profile="rfc3986")


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_are_true(example):
    if example.parts is None:
        with pytest.raises(InvalidURL):
            NntpURI.parse(example.url)
    else:
        parts = NntpURI.parse(example.url).parts
        assert parts == {name: example.parts.get(name) for name in parts}


@pytest.mark.parametrize(
    ("text", "group", "article"),
    [
        ("nntp://news.server.example/example.group.this/12345", "example.group.this", 12345),
        ("nntp://wild.server.example/example.group.n%2Fa/12345", "example.group.n/a", 12345),
        ("nntp://news.server.example/example.group.this", "example.group.this", None),
    ],
)
def test_the_examples_of_rfc_5538_are_urls(text, group, article):
    url = MODERN.parse(text)
    assert type(url) is NntpURI
    assert (url.group, url.article) == (group, article)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"host": "h", "group": "n/a"}, "nntp://h/n%2Fa"),
        ({"host": "[::1]", "port": 119, "group": "g", "article": 7}, "nntp://[::1]/g/7"),
        ({"user": "u", "host": "h", "port": 1, "group": "*", "fragment": "f"}, "nntp://u@h:1/%2A#f"),
    ],
)
def test_a_url_is_built_of_its_parts(parts, text):
    assert str(NntpURI(**parts)) == text


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"article": None}, "nntp://h:/g#f"),
        ({"article": 9, "fragment": None}, "nntp://h:/g/9"),
        ({"password": "p", "user": ""}, "nntp://:p@h:/g/01#f"),
    ],
)
def test_a_url_is_changed_in_its_parts(changes, text):
    assert str(NntpURI.parse("nntp://h:/g/01#f").replace(**changes)) == text


@pytest.mark.parametrize(
    "parts", [{"host": "h", "group": ""}, {"host": "", "group": "g"}, {"host": "h", "group": "g", "article": 10**16}]
)
def test_parts_that_no_url_has_are_refused(parts):
    with pytest.raises(InvalidURL):
        NntpURI(**parts)
