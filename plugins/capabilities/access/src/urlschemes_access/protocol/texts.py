"""Texts that a line with a single dot ends, read as they arrive."""

from __future__ import annotations

import re
from collections.abc import Callable

from urlschemes.grammar.octets import text_of
from urlschemes.redaction import one_line
from urlschemes_access.errors import LimitExceeded, Truncated
from urlschemes_access.protocol.reader import TEXT_LINE
from urlschemes_access.protocol.requests import Algorithm

__all__ = ["Text"]

_STRICT_DOT = re.compile(rb"\r\n\.(\r\n)?")
_LENIENT_DOT = re.compile(rb"\n\.(\r?\n|\.)?")


class Text:
    """The lines of a text, without the dots that the transfer added. `read` returns octets, `b""` at the end of them.

    A `strict` text is sent as RFC 3977 section 3.1.1 demands: lines end with CR LF, a line with a single dot ends the
    text, and any other line that begins with a dot has one more. A text that is not strict is sent as servers of RFC
    1436 do: lines may end with LF. Many of them double no dots: a line that begins with one dot and goes on shows it,
    and from there on dots stay. The line with the single dot may be missing only if it is not `required`.

    `terminated` becomes True at the line with the single dot; `excess` are the octets received after it, and `received`
    counts all octets. A line has at most `most` octets; `hint` says what to do about a longer one.
    """

    def __init__(
        self,
        read: Callable[[], Algorithm[bytes]],
        *,
        strict: bool,
        required: bool = True,
        most: int = TEXT_LINE,
        hint: str | None = None,
    ) -> None:
        self.excess = b""
        self.received = 0
        self.terminated = False
        self._read = read
        self._strict = strict
        self._required = required
        self._line_end, self._dot = (b"\r\n", _STRICT_DOT) if strict else (b"\n", _LENIENT_DOT)
        self._is_doubled = True
        self._most = most
        self._hint = hint
        self._ended = False
        self._partial = bytearray()  # a line that is not complete
        self._lines = b""
        self._position = 0  # in the lines

    def some(self) -> Algorithm[bytes]:
        """Return the next lines, with their line ends; `b""` at the end. The last line may lack its line end.

        Raises LimitExceeded; Truncated after the last line, if the one with the single dot is missing.
        """
        while self._position == len(self._lines) and not self._ended:
            octets = yield from self._read()
            self.received += len(octets)
            self._lines, self._position = self._decoded(octets), 0
            self._ended = self.terminated or not octets
        lines, self._lines = self._lines[self._position :], b""
        self._position = 0
        if not lines and self._required and not self.terminated:
            raise Truncated("the text did not end with a line with a single dot", received=self.received)
        return lines

    def line(self) -> Algorithm[bytes | None]:
        """Return the next line without its line end; None at the end. Raises as `some`, and Truncated within a line."""
        if self._position == len(self._lines):
            self._lines = yield from self.some()
            if not self._lines:
                return None
        start, end = self._position, self._lines.find(self._line_end, self._position)
        if end < 0:
            rest = one_line(text_of(self._lines[start:]), 120)
            raise Truncated(f"the stream ended within the line {rest!r}", received=self.received)
        self._position = end + len(self._line_end)
        line = self._lines[start:end]
        return line if self._strict else line.removesuffix(b"\r")

    def _decoded(self, octets: bytes) -> bytes:
        """Return the lines that are complete with the next octets; at the end of the stream, what is left."""
        if octets and b"\n" not in octets:
            self._partial += octets  # without a copy of what is there
            lines = b""
        else:
            complete, line_end, rest = b"".join((self._partial, octets)).rpartition(self._line_end)
            if not octets and rest not in (b".", b".\r"):  # a last line without its end
                complete, rest = rest, b""
            lines = complete + line_end
            self._partial[:] = rest
        lines = self._without_dots(lines)
        self._check_lengths(lines)
        return lines

    def _without_dots(self, lines: bytes) -> bytes:
        """Return `lines` up to the one with a single dot, without the dots that the transfer added."""
        if not lines.startswith(b".") and not self._dot.search(lines):
            return lines
        lines = self._line_end + lines
        start = size = len(self._line_end)
        kept: list[bytes] = []
        for dot in self._dot.finditer(lines):
            place = dot.start() + size
            if dot[1] not in (None, b"."):
                self.terminated = True
                self.excess = lines[dot.end() :] + self._partial
                self._partial.clear()
                return b"".join((*kept, lines[start:place]))
            if dot[1] is None and not self._strict:
                self._is_doubled = False
            elif self._is_doubled:
                kept.append(lines[start:place])
                start = place + 1
        return b"".join((*kept, lines[start:]))

    def _check_lengths(self, lines: bytes) -> None:
        """Raise LimitExceeded for a line that is too long, complete or not."""
        start, longest = 0, self._most + 2  # with its CR LF
        while len(lines) - start > longest and (end := lines.rfind(self._line_end, start, start + longest)) >= 0:
            start = end + len(self._line_end)
        if len(lines) - start > longest or len(self._partial) > longest - 1:
            raise LimitExceeded(
                f"a line of the text is longer than {self._most} octets",
                limit="line",
                value=self._most,
                hint=self._hint,
            )
