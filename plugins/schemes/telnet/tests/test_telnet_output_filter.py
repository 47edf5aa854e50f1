"""The output filter: text for a terminal, which executes none of it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes_telnet.output_filter import OutputFilter


@pytest.mark.parametrize(
    ("octets", "text"),
    [
        (b"plain\ttext\r\n", "plain\ttext\n"),
        (b"a\r\r\nb\n\r", "a\r\nb\n\r"),
        (b"a\nb\rc", "a\nb\rc"),
        (b"ab\b\b\b\bc", "ab\b\bc"),
        (b"a\n\b\b", "a\n"),
        (b"a\r\b", "a\r"),
        (b"\b", ""),
        (b"a\0b", "ab"),
        (b"\x07\x0b\x0c\x1b[2J\x7f", "\\x07\\x0b\\x0c\\x1b[2J\\x7f"),
        ("né€𝄞".encode(), "né€𝄞"),
        (b"caf\xe9\x9b", "caf\\xe9\\x9b"),
        ("\u202e\u200b\ufeff\x9b".encode(), "\\u202e\\u200b\\ufeff\\x9b"),
        (b"cut\xe2\x82", "cut\\xe2\\x82"),
    ],
)
def test_octets_become_safe_text_however_they_are_cut(octets: bytes, text: str) -> None:
    assert OutputFilter().feed(octets, final=True) == text
    output_filter = OutputFilter()
    pieces = [output_filter.feed(octets[index : index + 1]) for index in range(len(octets))]
    assert "".join((*pieces, output_filter.feed(b"", final=True))) == text


@given(
    octets=st.binary(max_size=60)
    | st.text(st.sampled_from("a\b\r\n\x1b[\x9b\u202e\u2028é\0"), max_size=40).map(str.encode)
)
def test_any_octets_become_text_that_stays_within_the_line(octets: bytes) -> None:
    text = OutputFilter().feed(octets, final=True)
    assert not re.search(
        "[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]", text
    )
    for line in re.split("[\r\n]", text):
        column = 0
        for character in line:
            column += -1 if character == "\b" else 1
            assert column >= 0
