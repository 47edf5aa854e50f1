"""Texts up to a line with a single dot: strict as RFC 3977 has them, and lenient as servers of RFC 1436 send them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

from urlschemes_access.errors import LimitExceeded, Truncated
from urlschemes_access.protocol.replies import END, dot_stuffed
from urlschemes_access.protocol.texts import Text

if TYPE_CHECKING:
    from urlschemes_access.protocol import Algorithm

T = TypeVar("T")


def text(*pieces: bytes, strict: bool, required: bool = True, most: int = 20) -> Text:
    """Return a text that arrives in these pieces."""
    left = iter(pieces)

    def read() -> Algorithm[bytes]:
        yield from ()
        return next(left, b"")

    return Text(read, strict=strict, required=required, most=most, hint="read octets")


def result(algorithm: Algorithm[T]) -> T:
    """Return the result of an algorithm that requests nothing."""
    with pytest.raises(StopIteration) as end:
        next(algorithm)
    value: T = end.value.value
    return value


def content(read: Text) -> bytes:
    return b"".join(iter(lambda: result(read.some()), b""))


def cuts(octets: bytes) -> list[tuple[bytes, ...]]:
    """Return the octets in one piece, in two, and octet by octet."""
    octet_by_octet = tuple(octets[at : at + 1] for at in range(len(octets)))
    return [(octets,), octet_by_octet, *((octets[:at], octets[at:]) for at in range(1, len(octets)))]


@pytest.mark.parametrize("body", [b"", b".\r\n", b"..\r\n.\r\n\r\n.", b"\n.\n\r\n.x\r\n", b"a\r\r\n.\r", b"\x00\xff"])
def test_a_strict_text_is_what_was_stuffed_however_it_is_cut(body: bytes) -> None:
    lines = body + b"\r\n"
    for pieces in cuts(dot_stuffed(lines) + END + b".more\r\n"):
        assert content(read := text(*pieces, strict=True)) == lines
        assert read.terminated
        assert b".more\r\n".startswith(read.excess)
        assert read.received == sum(map(len, pieces)) - (7 - len(read.excess))
        read = text(*pieces, strict=True)
        assert [result(read.line()) for _ in range(lines.count(b"\r\n") + 1)] == [*lines.split(b"\r\n")[:-1], None]


@pytest.mark.parametrize(
    ("octets", "lines", "terminated"),
    [
        (b"a\r\nb\n.\r\n", b"a\r\nb\n", True),
        (b"a\n.\n", b"a\n", True),
        (b".\r\n", b"", True),
        (b"..a\n...\n.\n", b".a\n..\n", True),
        (b"a.b\nc.\n .\n.\n", b"a.b\nc.\n .\n", True),
        (b".profile\n..two\nend\n", b".profile\n..two\nend\n", False),
        (b"..one\n.profile\n..two\n.\n", b".one\n.profile\n..two\n", True),
        (b"a\nb", b"a\nb", False),
        (b"a\n..b", b"a\n.b", False),
        (b"a\n.", b"a\n", False),
        (b"a\n.\r", b"a\n", False),
        (b"", b"", False),
    ],
)
def test_a_lenient_text_is_that_of_real_servers_however_it_is_cut(
    octets: bytes, lines: bytes, terminated: bool
) -> None:
    for pieces in cuts(octets):
        assert content(read := text(*pieces, strict=False, required=False)) == lines
        assert read.terminated == terminated
    if not terminated:
        with pytest.raises(Truncated, match="did not end with a line with a single dot"):
            content(text(octets, strict=False))


@pytest.mark.parametrize("octets", [b"", b"a\r\n", b"a\n.\n", b"\r\na\n.\r\n", b"\r\na\r\n.\n", b".", b".\r"])
def test_a_strict_text_without_its_dot_between_two_line_ends_is_truncated(octets: bytes) -> None:
    for pieces in cuts(octets):
        with pytest.raises(Truncated) as cut:
            content(text(*pieces, strict=True))
        assert cut.value.received == len(octets)


def test_octets_and_lines_can_be_read_in_turns() -> None:
    read = text(b"a\r\n\r\nb\r\n", b"c\r\n.\r\n", strict=True)
    assert [result(read.line()), result(read.line())] == [b"a", b""]
    assert [result(read.some()), result(read.line()), result(read.some())] == [b"b\r\n", b"c", b""]


def test_a_line_without_its_end_is_no_line() -> None:
    read = text(b"a\n0L\xffst", strict=False, required=False)
    assert result(read.line()) == b"a"
    with pytest.raises(Truncated, match="within the line '0L"):
        result(read.line())


@pytest.mark.parametrize("strict", [True, False])
def test_a_line_is_limited_however_it_is_cut(strict: bool) -> None:
    for pieces in cuts(b"a\r\n" + b"x" * 20 + b"\r\n..\r\n.\r\n"):
        assert len(content(text(*pieces, strict=strict))) == 28
    for octets in (b"a\r\n" + b"x" * 22, b"a\r\n" + b"x" * 22 + b"\r\nb\r\n.\r\n"):
        for pieces in cuts(octets):
            with pytest.raises(LimitExceeded) as long:
                content(text(*pieces, strict=strict))
            assert (long.value.limit, long.value.value, long.value.hint) == ("line", 20, "read octets")
