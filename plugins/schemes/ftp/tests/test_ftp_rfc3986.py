"""Ftp URLs in the profile of RFC 3986."""

from __future__ import annotations

from string import ascii_letters
from typing import TYPE_CHECKING, Any

import pytest

import urlschemes_access
from urlschemes import Encoded, InvalidURL, Registry
from urlschemes.errors import UnsafeURL
from urlschemes_access import Listing, Policy
from urlschemes_ftp.rfc3986 import FtpURI, registration
from urlschemes_servers.ftp import FtpUser, ftp_server
from urlschemes_testing.examples import check_example

if TYPE_CHECKING:
    from pathlib import Path

    from urlschemes.record.record_fields import Example

MODERN = Registry(profile="rfc3986")
HERE = Policy.interactive()


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


def test_a_type_code_is_one_of_three_letters_in_either_case() -> None:
    assert [each for each in ascii_letters if MODERN.is_valid(f"ftp://h/a;type={each}")] == [*"adiADI"]


def test_a_host_alone_is_normalized_with_a_slash() -> None:
    assert str(FtpURI.parse("ftp://h#f").normalized()) == "ftp://h/#f"


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


# Access


def test_access_speaks_ipv6_and_sends_no_fragment(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "~?").write_bytes(b"one\ntwo\n")
    users = {"joe": FtpUser("s:x", writable=True)}
    with ftp_server(tmp_path, users, host="::1") as address:
        here = f"ftp://joe:s:x@{address}/a%20b/"
        with urlschemes_access.access(f"{here}~%3F;type=a#end", policy=HERE, registry=MODERN) as document:
            assert document.read() == b"one\r\ntwo\r\n"
        urlschemes_access.replace(f"{here}new#end", b"three", policy=HERE, registry=MODERN)
        with urlschemes_access.access(f"{here}#end", policy=HERE, registry=MODERN) as listing:
            assert isinstance(listing, Listing)
            assert {(entry.name, entry.url) for entry in listing} == {("~?", f"{here}~%3F"), ("new", f"{here}new")}


@pytest.mark.parametrize(
    "text", ["ftp://h.invalid/a%0D%0ADELE%20b", "ftp://h.invalid/a%0A/b", "ftp://u:p%00@h.invalid/", "ftp://h;type=d"]
)
def test_access_refuses_what_a_request_cannot_hold_before_it_connects(text: str) -> None:
    url = MODERN.parse(text)
    with pytest.raises(UnsafeURL) as refused:
        urlschemes_access.access(url, registry=MODERN)
    assert refused.value.section is not None
    assert refused.value.section.startswith("RFC 3986 section ")
