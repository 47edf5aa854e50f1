"""The http scheme in the profile of RFC 3986: the examples of its record, building, and the request target."""

import pytest

from urlschemes import InvalidURL, Registry
from urlschemes_http.rfc3986 import HttpURI, registration
from urlschemes_testing.examples import check_example

MODERN = Registry(profile="rfc3986")


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_are_true(example):
    check_example(HttpURI, example)


def test_the_registry_has_this_type():
    url = MODERN.parse("http://[2001:db8::1]:8080/~joe/?q=a/b#top")
    assert type(url) is HttpURI
    assert url.registration is registration


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"host": "h"}, "http://h"),
        ({"host": "[::1]", "port": 80, "path": "/"}, "http://[::1]/"),
        ({"host": "h", "port": 8080, "path": "/a b/[1]#", "query": "a=b?/", "fragment": "é"}, "http://h:8080/a%20b/%5B1%5D%23?a=b?/#%C3%A9"),
        ({"host": "h", "path": "/a%2Fb", "query": ""}, "http://h/a%2Fb?"),
    ],
)  # fmt: skip
def test_a_url_is_built_of_its_parts(parts, text):
    assert str(HttpURI(**parts)) == text


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"port": 8}, "http://h:8/a?q#f"),
        ({"fragment": None}, "http://h:/a?q"),
        ({"path": ""}, "http://h:?q#f"),
        ({"query": None, "host": "[::]"}, "http://[::]:/a#f"),
    ],
)
def test_a_url_is_changed_in_its_parts(changes, text):
    assert str(HttpURI.parse("http://h:/a?q#f").replace(**changes)) == text


@pytest.mark.parametrize(
    ("parts", "part", "hint"),
    [
        ({"host": "a b"}, "host", "write a name, an IPv4 address, or an IPv6 address in brackets"),
        ({"host": "e.com", "path": "a"}, "path", 'begin it with "/"'),
        ({"host": "::1"}, "host", "write brackets around an IPv6 address"),
        ({"host": "h:80"}, "host", "write a name, an IPv4 address, or an IPv6 address in brackets"),
        ({"host": "u@h", "path": "/"}, "host", "write a name, an IPv4 address, or an IPv6 address in brackets"),
        ({"host": "h", "path": "/100%"}, "path", "a percent sign is written %25"),
    ],
)
def test_the_part_at_fault_is_blamed_with_a_hint(parts, part, hint):
    for build in (lambda: HttpURI(**parts), lambda: HttpURI.parse("http://e.com/b?c").replace(**parts)):
        with pytest.raises(InvalidURL) as caught:
            build()
        assert (caught.value.part, caught.value.hint) == (part, hint)


@pytest.mark.parametrize(
    ("text", "target"),
    [("http://h", "/"), ("http://h?q#f", "/?q"), ("http://h/a%7E/?#", "/a%7E/?"), ("http://h//a", "//a")],
)
def test_the_target_of_a_request_has_no_fragment(text, target):
    assert HttpURI.parse(text).target == target
