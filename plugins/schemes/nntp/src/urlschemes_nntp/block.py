"""Multi-line data blocks (RFC 3977 section 3.1.1), read: lines that end with CR LF, closed by a dot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_access.errors import LimitExceeded, Truncated
from urlschemes_access.protocol import TEXT_LINE, Algorithm

if TYPE_CHECKING:
    from urlschemes_access.protocol import Reader

__all__ = ["Block"]

CRLF = b"\r\n"


class Block:
    """The block that follows a reply, as it comes: the dots of the transfer are taken out.

    It ends with a line that is a single dot between CR LF and CR LF; a bare LF ends no line. Once it has `ended`,
    `rest` is what came behind it. Raises Truncated where the stream ends before; LimitExceeded for a line too long.
    """

    __slots__ = ("_begun", "_lines", "_position", "_reader", "ended", "rest")

    def __init__(self, reader: Reader) -> None:
        self.ended = False
        self.rest = b""
        self._reader = reader
        self._begun = bytearray()
        self._lines = b""
        self._position = 0

    def some(self) -> Algorithm[bytes]:
        """The next lines, at least one, each with its CR LF; `b""` at the end of the block."""
        while self._position == len(self._lines) and not self.ended:
            octets = yield from self._reader.some()
            if not octets:
                raise Truncated(
                    "the connection was closed before the line with a single dot", received=self._reader.received
                )
            self._feed(octets)
        lines, self._lines = self._lines[self._position :], b""
        self._position = 0
        return lines

    def line(self) -> Algorithm[bytes | None]:
        """The next line without its CR LF; None at the end of the block."""
        if self._position == len(self._lines):
            self._lines = yield from self.some()
            if not self._lines:
                return None
        end = self._lines.index(CRLF, self._position)
        line = self._lines[self._position : end]
        self._position = end + 2
        return line

    def _feed(self, octets: bytes) -> None:
        self._begun += octets
        whole = self._begun.rfind(CRLF) + 2 if b"\n" in octets else 0
        if whole < 2:
            if len(self._begun) > TEXT_LINE + 1:  # the last octet may be the CR that ends the line
                raise self._too_long()
            return
        lines = bytes(self._begun[:whole])
        del self._begun[:whole]
        self._lines = self._unstuffed(lines)
        self._position = 0
        self._check_lengths()

    def _unstuffed(self, lines: bytes) -> bytes:
        if b"\r\n." not in lines and not lines.startswith(b"."):
            return lines
        first, *others = (CRLF + lines).split(b"\r\n.")
        kept = [first]
        for number, piece in enumerate(others):
            # Behind the dot at the beginning of a line stands the end of that line, which also begins the next
            # separator where the next line has a dot too.
            if not piece or piece.startswith(CRLF):
                self.ended = True
                self.rest = b"\r\n.".join(others[number:])[2:] + bytes(self._begun)
                self._begun.clear()
                return (CRLF.join(kept) + CRLF)[2:]
            kept.append(piece)
        return CRLF.join(kept)[2:]

    def _check_lengths(self) -> None:
        start, lines = 0, self._lines
        while len(lines) - start > TEXT_LINE + 2:
            end = lines.rfind(CRLF, start, start + TEXT_LINE + 2)
            if end < 0:
                raise self._too_long()
            start = end + 2

    def _too_long(self) -> LimitExceeded:
        return LimitExceeded(f"a line is longer than {TEXT_LINE} octets", limit="line", value=TEXT_LINE)
