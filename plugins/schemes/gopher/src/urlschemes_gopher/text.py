"""Texts that end with a dot (RFC 1436, appendix: `TextFile Entity`), as real servers send them."""

from __future__ import annotations

import re

from urlschemes_access.errors import LimitExceeded
from urlschemes_access.protocol import TEXT_LINE

__all__ = ["DotText"]

_LATER_DOT = re.compile(rb"\n\.")  # twice as fast as `b"\n." in lines`, where many lines end with a period
_DOT = re.compile(rb"^\.(\r?\n|\.)?", re.MULTILINE)


class DotText:
    """Takes the dots of a transfer out of a text, as the octets come.

    A line with a single dot ends the text; of a line that begins with two, one is dropped. Many servers do neither. A
    line that begins with a single dot, and goes on, betrays a server that does not double them: from there on dots
    stay as they are.

    `terminated` tells, after `feed` or `end`, whether the line with the single dot came; what follows it is dropped.
    A line longer than `most` octets raises LimitExceeded.
    """

    __slots__ = ("_begun", "_doubled", "_most", "terminated")

    def __init__(self, most: int = TEXT_LINE) -> None:
        self.terminated = False
        self._most = most
        self._begun = bytearray()
        self._doubled = True

    def feed(self, octets: bytes) -> bytes:
        """The part of the text that is now complete to the end of a line."""
        if self.terminated:
            return b""
        first, last = octets.find(b"\n") + 1, octets.rfind(b"\n") + 1
        if len(self._begun) + (first or len(octets)) > self._most:
            raise LimitExceeded(
                f"a line of the text is longer than {self._most} octets",
                limit="line",
                value=self._most,
                hint="type 9 in the URL transfers an item without looking at its lines",
            )
        if not last:
            self._begun += octets
            return b""
        lines = b"".join((self._begun, memoryview(octets)[:last]))
        self._begun[:] = octets[last:]
        return self._undotted(lines)

    def end(self) -> bytes:
        """The rest of the text, once the stream has ended. A dot without its line end is no text, and no end either."""
        rest = bytes(self._begun)
        self._begun.clear()
        return b"" if self.terminated or rest in {b".", b".\r"} else self._undotted(rest)

    def _undotted(self, lines: bytes) -> bytes:
        if not lines.startswith(b".") and not _LATER_DOT.search(lines):
            return lines
        kept: list[bytes] = []
        start = 0
        for dot in _DOT.finditer(lines):
            if dot[1] is None:
                self._doubled = False
            elif dot[1] != b".":
                self.terminated = True
                return b"".join(kept) + lines[start : dot.start()]
            elif self._doubled:
                kept.append(lines[start : dot.start()])
                start = dot.start() + 1
        return b"".join(kept) + lines[start:]
