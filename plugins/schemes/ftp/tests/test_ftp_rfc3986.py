"""Ftp URLs in the profile of RFC 3986."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from urlschemes import Encoded, InvalidURL, Registry
from urlschemes_ftp.rfc3986 import FtpURI, registration
from urlschemes_testing.examples import check_example

if TYPE_CHECKING:
    from urlschemes.scheme.record_fields import Example

MODERN = Registry(profile="rfc3986")


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_of_the_record_are_true(example: Example) -> None:
    check_example(FtpURI, example)


def test_the_registry_has_this_type() -> None:
    url = MODERN.parse("ftp://joe:s:x@[::1]:2121/%2Fetc/~a;type=i#x")
    assert type(url) is FtpURI
    assert str(FtpURI(**{name: value for name, value in url.parts.items() if value is not None})) == str(url)


@pytest.mark.parametrize(
    ("text", "directories", "name"),
    [
        ("ftp://h", (), None),
        ("ftp://h/#f", (), ""),
        ("ftp://[::1]//", ("",), ""),
        ("ftp://h/a;type=d#f", (), "a"),
        ("ftp://h/a//b", ("a", ""), "b"),
        ("ftp://h/a%ff%2fb/", ("a\udcff/b",), ""),
    ],
)
def test_slashes_separate_directories_and_name(text: str, directories: tuple[str, ...], name: str | None) -> None:
    url = FtpURI.parse(text)
    assert (url.directories, url.name) == (directories, name)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"host": "[::1]", "directories": ["/etc", ""], "name": "a;b?#[]~"}, "ftp://[::1]/%2Fetc//a%3Bb%3F%23%5B%5D~"),
        ({"host": "h", "user": "a:b", "password": "c:d@/", "port": 21}, "ftp://a%3Ab:c:d%40%2F@h"),
        ({"host": "h", "typecode": "d", "fragment": "a b"}, "ftp://h/;type=d#a%20b"),
        ({"host": "h", "name": Encoded("na%c3%afve"), "typecode": "I"}, "ftp://h/na%c3%afve;type=I"),
    ],
)
def test_a_constructor_encodes_its_parts(parts: dict[str, Any], text: str) -> None:
    assert str(FtpURI(**parts)) == text


@pytest.mark.parametrize(
    "parts", [{"host": ""}, {"host": "::1"}, {"host": "h", "typecode": "x"}, {"host": "h", "password": "p"}]
)
def test_values_without_a_url_are_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidURL):
        FtpURI(**parts)


@pytest.mark.parametrize(
    ("level", "text"),
    [
        ("percent-encoding", "ftp://[::a]:21/a/../~b;TYPE=A#f"),
        ("dot-segments", "ftp://[::a]:21/~b;TYPE=A#f"),
        (None, "ftp://[::a]/~b;type=a#f"),
    ],
)
def test_the_type_code_is_normalized_with_what_the_scheme_means(level: str | None, text: str) -> None:
    assert str(FtpURI.parse("FTP://[::A]:21/a/../%7eb;TYPE=A#f").normalized(level)) == text
