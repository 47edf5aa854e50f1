"""Tokens and lines: quoting, splitting, and any octets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes_access.errors import ProtocolError
from urlschemes_prospero.tokens import quote, split_lines


@pytest.mark.parametrize(
    ("token", "written"),
    [
        (b"README-1.0_b", b"README-1.0_b"),
        (b"", b"''"),
        (b"/pub/README", b"'/pub/README'"),
        (b"AFTP/pub/README", b"AFTP'/pub/README'"),
        (b"21 bytes", b"21' bytes'"),
        (b"quo'te", b"quo'''te'"),
        (b"'", b"''''"),
        (b"a\nFAILURE", b"a'\nFAILURE'"),
        (b"a\tb", b"a'\tb'"),
        (b"\xff\x00", b"'\xff\x00'"),
    ],
)
def test_a_token_is_quoted_as_by_real_servers(token: bytes, written: bytes) -> None:
    assert quote(token) == written
    assert list(split_lines(written)) == [[token]]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (b"LINK  L\tFILE a\n", [[b"LINK", b"L", b"FILE", b"a"]]),
        (b"A\n\n B \nC", [[b"A"], [b"B"], [b"C"]]),
        (b"A 'two\nlines' b", [[b"A", b"two\nlines", b"b"]]),
        (b"A '' ''''''", [[b"A", b"", b"''"]]),
        (b"a'b'c'd'", [[b"abcd"]]),
        (b"A\r\nB", [[b"A\r"], [b"B"]]),  # a CR is an ordinary octet: contents may contain it unquoted
        (b"", []),
        (b" \n\t\n", []),
    ],
)
def test_lines_are_split_into_tokens(text: bytes, tokens: list[list[bytes]]) -> None:
    assert list(split_lines(text)) == tokens


@given(st.lists(st.lists(st.binary(), min_size=1), min_size=1))
def test_quoted_tokens_are_split_into_themselves(tokens: list[list[bytes]]) -> None:
    text = b"\n".join(b" ".join(map(quote, line)) for line in tokens)
    assert list(split_lines(text)) == tokens


@given(st.text("' \n\tab").map(str.encode) | st.binary())
def test_any_text_is_lines_or_a_protocol_error(text: bytes) -> None:
    try:
        split = list(split_lines(text))
    except ProtocolError:
        assert text.count(b"'") % 2
    else:
        assert all(line for line in split)


def test_a_megabyte_of_quotes_is_split_in_linear_time() -> None:
    (tokens,) = split_lines(b"'" + b"''" * 500_000 + b"'")
    assert tokens == [b"'" * 500_000]
