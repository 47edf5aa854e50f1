"""Links as entries of a listing, and attributes of objects."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from urlschemes_prospero import ProsperoURL
from urlschemes_prospero.listing import attributes_of, link_entry
from urlschemes_prospero.response import Attribute, Link
from urlschemes_prospero.tokens import split_lines

URL = ProsperoURL.parse("prospero://host.dom//pub/name")


def link(text: str, *attributes: Attribute) -> Link:
    (tokens,) = split_lines(text.encode())
    return Link(tuple(tokens), list(attributes))


@pytest.mark.parametrize(
    ("text", "kind", "url"),
    [
        ("L FILE a INTERNET-D h.dom ASCII /x/a 0", "file", "prospero://h.dom//x/a"),
        ("L FILE a INTERNET-D h.dom(1525) ASCII /x/a 0", "file", "prospero://h.dom//x/a"),
        (
            "L FILE a INTERNET-D h.dom(1526) ASCII '/a b;c' 3",
            "file",
            "prospero://h.dom:1526//a%20b%3Bc;OBJECT-VERSION=3",
        ),
        ("L DIRECTORY d INTERNET-D h.dom ASCII d 0 DEST-EXP 1", "directory", "prospero://h.dom/d"),
        ("L DIRECTORY+FILE d INTERNET-D h.dom ASCII d", "directory+file", "prospero://h.dom/d"),
        ("U DIRECTORY d INTERNET-D h.dom ASCII d 0", "union", "prospero://h.dom/d"),
    ],
)
def test_a_link_to_an_object_is_a_prospero_url(text: str, kind: str, url: str) -> None:
    entry = link_entry(link(text), URL)
    assert (entry.kind, entry.url, entry.problem) == (kind, url, None)


AFTP = Attribute("ACCESS-METHOD", (b"AFTP", b"INTERNET-D", b"ftp.dom", b"ASCII", b"/pub/x", b"TEXT"))
LOCAL = Attribute("ACCESS-METHOD", (b"LOCAL", b"", b"", b"", b""))


@pytest.mark.rfc1738(137)
def test_an_external_link_has_the_url_of_its_access_method() -> None:
    text = "L EXTERNAL x INTERNET-D ftp.dom ASCII /pub/x 0"
    entry = link_entry(link(text, LOCAL, AFTP), URL)
    assert (entry.url, entry.problem) == ("ftp://ftp.dom/pub/x;type=a", None)
    assert entry.fields["target"] == "INTERNET-D ftp.dom ASCII /pub/x"
    local = link_entry(link(text, LOCAL), URL)
    assert local.url is None
    assert local.problem is not None
    assert local.problem.startswith("LOCAL: it is only for clients")
    assert link_entry(link(text), URL).problem == "the link has no access method"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("L SYMBOLIC s VIRTUAL-SYSTEM /vs ASCII /a 0", "virtual system"),
        ("NULL NULL secret NULL NULL NULL NULL NULL", "hides the target"),
        ("L FILE a HOST-X h ASCII a 0", "not an Internet host"),
        ("L FILE a INTERNET-D h(0) ASCII a 0", "invalid port"),
        ("L FILE a INTERNET-D h HANDLE a 0", "type 'HANDLE'"),
        ("L FILE a INTERNET-D 127.1 ASCII a 0", ""),
        ("L FILE a INTERNET-D h ASCII 'a\nFAILURE' 0", "control"),
        ("L FILE a", "not a complete link"),
        ("L EXTERNAL a HOST-X h ASCII a 0", "no URL can hold"),
    ],
)
def test_a_link_that_no_url_can_name_has_a_problem(text: str, problem: str) -> None:
    entry = link_entry(link(text), URL)
    assert entry.url is None
    assert problem in (entry.problem or "")
    assert entry.name


def test_attributes_have_size_time_and_fields() -> None:
    attributes = attributes_of(
        [
            Attribute("SIZE", (b"21 bytes",)),
            Attribute("LAST-MODIFIED", (b"19941201235959Z",)),
            AFTP,
            LOCAL,
            Attribute("COMMENT", (b"two", b"words")),
        ],
        URL,
    )
    assert (attributes.size, attributes.modified) == (21, datetime(1994, 12, 1, 23, 59, 59, tzinfo=UTC))
    assert attributes.fields["ACCESS-METHOD"] == "ftp://ftp.dom/pub/x;type=a\nLOCAL    "
    assert attributes.fields["COMMENT"] == "two words"


@pytest.mark.parametrize("size", [b"many bytes", b"-1 bytes", b"9" * 30 + b" bytes", b"21"])
@pytest.mark.parametrize("time", [b"19941301000000Z", b"yesterday", b"00000000000000Z"])
def test_an_invalid_size_or_time_is_left_out(size: bytes, time: bytes) -> None:
    attributes = attributes_of([Attribute("SIZE", (size,)), Attribute("LAST-MODIFIED", (time,))], URL)
    assert (attributes.size, attributes.modified) == (None, None)
    assert attributes.fields["LAST-MODIFIED"] == time.decode()
