"""Headers of articles: whatever a sender wrote, they are read, and nothing but their meaning comes out."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes_nntp.article_header import decode_words, parse_date, parse_fields

PIECES = ["=?", "?=", "utf-8", "?q?", "?b?", "=C3=A9", "abc=", "\udce9", "é", "x", "iso-8859-1", "idna", "rot13", "hex",
          "====", " ", "_", "utf-7", "utf-16", "punycode", "\r", "\n", "undefined", "unicode_escape"]  # fmt: skip
DATES = ["Thu", ",", " ", "01", "1", "Dec", "1994", "94", "12:00:00", "99:99", "+0100", "-9999999", "GMT", "-0000", ":",
         "-", "(x", "2038", "0", "9" * 20, ".", "\udce9", "AM"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_is_shown(text: str) -> None:
    assert isinstance(decode_words(text), str)


@given(st.one_of(st.lists(st.sampled_from(DATES), max_size=12).map(" ".join), st.text()))
def test_any_date_is_one_with_a_zone_or_none(text: str) -> None:
    date = parse_date(text)
    assert date is None or date.tzinfo is not None


@given(st.binary())
def test_any_header_has_fields(header: bytes) -> None:
    for name, value in parse_fields(header).items():
        assert name == name.lower()
        assert "\r" not in value + name
        assert "\n" not in value + name


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("=?utf-8?q?na=C3=AFve_?= =?iso-8859-1?b?6Q==?= one", "naïve é one"),
        ("plain é \udce9", "plain é \udce9"),
        ("=?no-such-charset?q?x?=", "=?no-such-charset?q?x?="),
        ("=?utf-8?b?a?=", "=?utf-8?b?a?="),
        ("=?\udce9?q?x?=", "=?\udce9?q?x?="),
        ("=?ascii?q?=FF?=", "=?ascii?q?=FF?="),
    ],
)
def test_encoded_words(text: str, shown: str) -> None:
    assert decode_words(text) == shown


def test_what_is_too_long_is_not_decoded() -> None:
    assert decode_words("=?utf-8?q?x?=" + " " * 1980) == "x" + " " * 1980
    assert decode_words("=?utf-8?q?x?=" + " " * 2000) == "=?utf-8?q?x?=" + " " * 2000


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Thu, 01 Dec 1994 12:00:00 +0100", datetime(1994, 12, 1, 11, tzinfo=UTC)),
        ("1 Dec 94 12:00 GMT", datetime(1994, 12, 1, 12, tzinfo=UTC)),
        ("Thu, 01 Dec 1994 12:00:00 -0000 (UTC)", datetime(1994, 12, 1, 12, tzinfo=UTC)),
        ("", None),
        ("yesterday", None),
        ("Thu, 32 Dec 1994 12:00:00 +0100", None),
        ("Thu, 01 Dec 99999999999999999999 12:00:00 +0100", None),
    ],
)
def test_dates(text: str, date: datetime | None) -> None:
    assert parse_date(text) == date


def test_fields() -> None:
    header = b"A: 1\r\nb:2\r\nno field\r\n: none\r\nC d: no\r\nA:\t3\r\n  4\r\nE:\r\n\r\n"
    assert parse_fields(header) == {"a": "1, 3  4", "b": "2", "e": ""}
