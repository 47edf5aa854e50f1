"""Multi-line data blocks (RFC 3977 section 3.1.1): lines that end with CR LF, up to a line with a single dot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_access.errors import LimitExceeded, Truncated
from urlschemes_access.protocol import TEXT_LINE, Algorithm

if TYPE_CHECKING:
    from urlschemes_access.protocol import Reader

__all__ = ["MultilineBlock"]

CRLF = b"\r\n"


class MultilineBlock:
    """The block that follows a reply, read as it arrives, without the dots that the transfer added.

    Its last line is a single dot between CR LF and CR LF; a bare LF ends no line. After the end, `ended` is true and
    `excess` holds the octets received after it. Reading raises Truncated if the connection closes before the end, and
    LimitExceeded for a line that is too long.
    """

    __slots__ = ("_lines", "_partial", "_position", "_reader", "ended", "excess")

    def __init__(self, reader: Reader) -> None:
        self.ended = False
        self.excess = b""
        self._reader = reader
        self._partial = bytearray()
        self._lines = b""
        self._position = 0

    def some(self) -> Algorithm[bytes]:
        """Return the next lines, at least one, each with its CR LF; `b""` at the end of the block."""
        while self._position == len(self._lines) and not self.ended:
            octets = yield from self._reader.some()
            if not octets:
                raise Truncated(
                    "the server closed the connection before the line with a single dot",
                    received=self._reader.received,
                )
            self._feed(octets)
        lines, self._lines = self._lines[self._position :], b""
        self._position = 0
        return lines

    def line(self) -> Algorithm[bytes | None]:
        """Return the next line without its CR LF; None at the end of the block."""
        if self._position == len(self._lines):
            self._lines = yield from self.some()
            if not self._lines:
                return None
        end = self._lines.index(CRLF, self._position)
        line = self._lines[self._position : end]
        self._position = end + 2
        return line

    def _feed(self, octets: bytes) -> None:
        """Add received octets, and move the complete lines to `_lines`."""
        self._partial += octets
        complete = self._partial.rfind(CRLF) + 2 if b"\n" in octets else 0
        if complete < 2:
            if len(self._partial) > TEXT_LINE + 1:  # the last octet may be the CR that ends the line
                raise _too_long()
            return
        lines = bytes(self._partial[:complete])
        del self._partial[:complete]
        self._lines = self._unstuffed(lines)
        self._position = 0
        _check_line_lengths(self._lines)

    def _unstuffed(self, lines: bytes) -> bytes:
        """Return `lines` up to the one with a single dot, without the first dot of each line that begins with one."""
        if b"\r\n." not in lines and not lines.startswith(b"."):
            return lines
        first, *others = (CRLF + lines).split(b"\r\n.")
        kept = [first]
        for number, piece in enumerate(others):
            # A piece is empty if the CR LF after a single dot also begins the next separator.
            if not piece or piece.startswith(CRLF):
                self.ended = True
                self.excess = b"\r\n.".join(others[number:])[2:] + bytes(self._partial)
                self._partial.clear()
                return (CRLF.join(kept) + CRLF)[2:]
            kept.append(piece)
        return CRLF.join(kept)[2:]


def _check_line_lengths(lines: bytes) -> None:
    start = 0
    while len(lines) - start > TEXT_LINE + 2:
        end = lines.rfind(CRLF, start, start + TEXT_LINE + 2)
        if end < 0:
            raise _too_long()
        start = end + 2


def _too_long() -> LimitExceeded:
    return LimitExceeded(f"the server sent a line longer than {TEXT_LINE} octets", limit="line", value=TEXT_LINE)
