"""Attributes, entries of listings, and other values that describe resources."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime
from typing import cast

import pytest

from urlschemes.url.value import URL
from urlschemes_access.attributes import Attributes, Entry, FileFacts, media_type_of
from urlschemes_access.credentials import Credentials, Form, Question
from urlschemes_access.errors import ProtocolError, RedirectRefused
from urlschemes_access.resources.many import Result


def test_an_entry_is_parsed_by_the_registry_of_its_listing() -> None:
    entry = Entry(name="a", url="x-talk://host.example/")
    entry.read_by(lambda text: cast("URL", f"read {text}"))
    assert cast("str", entry.parse()) == "read x-talk://host.example/"
    assert entry == Entry(name="a", url="x-talk://host.example/")


def test_an_entry_without_a_listing_has_a_generic_url() -> None:
    entry = Entry(name="a", url="x-not-installed://host.example/")
    assert entry.parse() == URL.parse("x-not-installed://host.example/")
    assert type(entry.parse()) is URL


def test_an_entry_without_a_url_is_an_error_with_its_problem() -> None:
    with pytest.raises(ProtocolError, match="port 99999 is none"):
        Entry(name="a", problem="port 99999 is none").parse()
    with pytest.raises(ProtocolError, match="has no URL"):
        Entry(name="a\x1b[2J").parse()


@pytest.mark.parametrize(
    "value",
    [
        Attributes(media_type="text/plain", size=3, modified=datetime(2020, 1, 1, tzinfo=UTC), fields={"a": "b"}),
        Entry(name="a", url="x-talk://h/", kind="file", size=1, fields={"a": "b"}, problem="none"),
        Credentials("user", "secret"),
        FileFacts("/a", "file", 3, datetime(2020, 1, 1, tzinfo=UTC)),
        Form("title", (Question("Ask", "Who?", choices=("a", "b")),)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_can_be_pickled_and_copied(value: object) -> None:
    assert pickle.loads(pickle.dumps(value)) == value == copy.deepcopy(value)


def test_an_entry_is_pickled_without_its_registry() -> None:
    entry = Entry(name="a", url="x-talk://h/")
    entry.read_by(lambda _: cast("URL", None))
    assert pickle.loads(pickle.dumps(entry)) == entry


def test_credentials_print_without_the_password() -> None:
    assert "secret" not in repr(Credentials("user", "secret"))


def test_the_result_of_one_access_among_many_prints_without_the_password() -> None:
    assert "url='ftp://joe:***@h/'" in repr(Result(0, "ftp://joe:secret@h/"))


def test_the_location_of_a_redirect_that_is_not_followed_is_safe_to_print() -> None:
    refused = RedirectRefused("no", reason="downgrade", location="http://joe:secret@h/\n")
    assert refused.location == "http://joe:***@h/\\x0a"


def test_attributes_and_entries_print_without_passwords() -> None:
    fields = {"at": "ftp://user:secret@host.example/", "by": "a@b"}
    assert repr(Entry(name="ftp://u:secret@h/", url="ftp://u:secret@h:21/a", size=3, fields=fields)) == (
        "Entry(name='ftp://u:***@h/', url='ftp://u:***@h:21/a', kind='', size=3, modified=None, "
        "fields={'at': 'ftp://user:***@host.example/', 'by': 'a@b'}, problem=None)"
    )
    assert repr(Attributes(name="a", fields=fields)) == (
        "Attributes(media_type=None, size=None, modified=None, name='a', "
        "fields={'at': 'ftp://user:***@host.example/', 'by': 'a@b'}, start=0)"
    )


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("a.txt", "text/plain"),
        ("a.PNG", "image/png"),
        ("a.tar.gz", "application/gzip"),
        ("a.txt.bz2", "application/x-bzip2"),
        ("a.tar.xz", "application/x-xz"),
        ("a.txt.Z", None),
        ("a", None),
        ("", None),
        (None, None),
        ("http://x.txt", "text/plain"),
        ("data:image/png,x", None),
    ],
)
def test_the_suffix_of_a_name_determines_the_media_type(name: str | None, media_type: str | None) -> None:
    """Of what was compressed, that of the octets that are there."""
    assert media_type_of(name) == media_type
