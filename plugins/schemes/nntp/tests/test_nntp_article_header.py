"""Headers of articles: whatever a sender wrote, they are read, and nothing but their meaning comes out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes_nntp.article_header import decode_words, parse_fields

PIECES = ["=?", "?=", "utf-8", "?q?", "?b?", "=C3=A9", "abc=", "\udce9", "é", "x", "iso-8859-1", "idna", "rot13", "hex",
          "====", " ", "_", "utf-7", "utf-16", "punycode", "\r", "\n", "undefined", "unicode_escape"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_is_shown(text: str) -> None:
    assert isinstance(decode_words(text), str)


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


def test_fields() -> None:
    header = b"A: 1\r\nb:2\r\nno field\r\n: none\r\nC d: no\r\nA:\t3\r\n  4\r\nE:\r\n\r\n"
    assert parse_fields(header) == {"a": "1, 3  4", "b": "2", "e": ""}
