"""The news scheme in the profile of RFC 3986: the examples of its record and of RFC 5538, and building."""

import pytest

from urlschemes import Encoded, InvalidURL, Registry
from urlschemes_news.rfc3986 import NewsURI, registration

MODERN = Registry(profile="rfc3986")


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_are_true(example):
    if example.parts is None:
        with pytest.raises(InvalidURL):
            NewsURI.parse(example.url)
    else:
        parts = NewsURI.parse(example.url).parts
        assert parts == {name: example.parts.get(name) for name in parts}


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("news://news.server.example/example.group.this", "group"),
        ("news://news.server.example/*", "groups"),
        ("news://news.server.example/", "groups"),
        ("news://wild.server.example/example.group.th%3Fse", "groups"),
        ("news:example.group.*", "groups"),
        ("news:example.group.this", "group"),
        ("news:", "groups"),
        ("news:4123@ucbvax.Berkeley.EDU", "article"),
        ("news:a%40b", "group"),
    ],
)
def test_the_forms_of_rfc_5538(text, form):
    url = MODERN.parse(text)
    assert type(url) is NewsURI
    assert url.form == form


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({}, "news:"),
        ({"group": "comp.*"}, "news:comp.*"),
        ({"group": "a?é/b"}, "news:a%3F%C3%A9%2Fb"),
        ({"message_id": "a/b%c@[1.2]"}, "news:a%2Fb%25c@%5B1.2%5D"),
        ({"host": "[::1]", "group": "g"}, "news://[::1]/g"),
        ({"host": "h", "port": 119}, "news://h/"),
        (
            {"user": "u:", "password": "p:", "host": "h", "port": 8, "message_id": "a@b", "fragment": "x"},
            "news://u%3A:p:@h:8/a@b#x",
        ),
    ],
)
def test_a_url_is_built_of_its_parts(parts, text):
    assert str(NewsURI(**parts)) == text


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"group": "*"}, "news://h:/*#f"),
        ({"host": None}, "news:g#f"),
        ({"host": "i", "port": 1}, "news://i:1/g#f"),
        ({"fragment": None}, "news://h:/g"),
    ],
)
def test_a_url_is_changed_in_its_parts(changes, text):
    assert str(NewsURI.parse("news://h:/g#f").replace(**changes)) == text


@pytest.mark.parametrize(
    "parts",
    [
        {"message_id": "a@b@c"},
        {"message_id": "a b@c"},
        {"message_id": "a"},
        {"message_id": "a>@b"},
        {"group": "g", "message_id": "a@b"},
        {"host": "", "group": "g"},
        {"port": 1, "group": "g"},
        {"group": Encoded("a/b")},
    ],
)
def test_parts_that_no_url_has_are_refused(parts):
    with pytest.raises(InvalidURL):
        NewsURI(**parts)
