"""Texts that end with a line with a single dot (RFC 1436, appendix: `TextFile Entity`), as real servers send them."""

from __future__ import annotations

import re

from urlschemes_access.errors import LimitExceeded
from urlschemes_access.protocol import TEXT_LINE

__all__ = ["DotDecoder"]

_LATER_DOT = re.compile(rb"\n\.")  # twice as fast as `b"\n." in lines` if many lines end with a period
_DOT = re.compile(rb"^\.(\r?\n|\.)?", re.MULTILINE)


class DotDecoder:
    """Removes from a text the dots that the transfer added, and finds its end.

    A line with a single dot ends the text; from a line that begins with two dots, one is removed. Many servers do
    neither. A line that begins with one dot and goes on shows that the server does not double dots: from there on, dots
    stay. `terminated` becomes True at the line with the single dot; `rest` is what followed it in those octets. A line
    longer than `max_line` octets raises LimitExceeded.
    """

    __slots__ = ("_doubled", "_max_line", "_unfinished", "rest", "terminated")

    def __init__(self, max_line: int = TEXT_LINE) -> None:
        self.terminated = False
        self.rest = b""
        self._max_line = max_line
        self._unfinished = bytearray()
        self._doubled = True

    def feed(self, octets: bytes) -> bytes:
        """Return the lines of the text that are now complete."""
        if self.terminated:
            return b""
        first, last = octets.find(b"\n") + 1, octets.rfind(b"\n") + 1
        if len(self._unfinished) + (first or len(octets)) > self._max_line:
            raise LimitExceeded(
                f"a line of the text is longer than {self._max_line} octets",
                limit="line",
                value=self._max_line,
                hint='options={"octets": True} delivers the octets without reading lines',
            )
        if not last:
            self._unfinished += octets
            return b""
        lines = b"".join((self._unfinished, memoryview(octets)[:last]))
        self._unfinished[:] = octets[last:]
        return self._decode(lines)

    def end(self) -> bytes:
        """Return the rest of the text at the end of the stream, without a dot that has no line end."""
        rest = bytes(self._unfinished)
        self._unfinished.clear()
        return b"" if self.terminated or rest in {b".", b".\r"} else self._decode(rest)

    def _decode(self, lines: bytes) -> bytes:
        if not lines.startswith(b".") and not _LATER_DOT.search(lines):
            return lines
        kept: list[bytes] = []
        start = 0
        for dot in _DOT.finditer(lines):
            if dot[1] is None:
                self._doubled = False
            elif dot[1] != b".":
                self.terminated = True
                self.rest = lines[dot.end() :] + self._unfinished
                return b"".join(kept) + lines[start : dot.start()]
            elif self._doubled:
                kept.append(lines[start : dot.start()])
                start = dot.start() + 1
        return b"".join(kept) + lines[start:]
