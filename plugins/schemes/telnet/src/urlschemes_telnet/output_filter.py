"""The filter for output on a terminal: text can only move the cursor within its line."""

from __future__ import annotations

import codecs
import re

from urlschemes.redaction import shown

__all__ = ["OutputFilter"]

_CONTROL = re.compile("\r\n|[\r\n\b\0]")


class OutputFilter:
    """Turns octets into text that is safe for a terminal: UTF-8; other octets are shown as escapes.

    Of the NVT's control characters (RFC 854), CR, LF, BS, HT and NUL keep their meaning; BS stops at the beginning of
    the line. All other control characters, such as those of escape sequences, are shown and not executed.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._column = 0
        self._pending = ""

    def feed(self, octets: bytes, *, final: bool = False) -> str:
        """Return the text to write for `octets`; with `final`, also for an incomplete character at their end."""
        text = self._pending + self._decoder.decode(octets, final=final)
        self._pending = "\r" if text.endswith("\r") and not final else ""  # an LF may follow
        text = text.removesuffix(self._pending)
        pieces, position = [], 0
        for match in _CONTROL.finditer(text):
            pieces += [self._plain(text[position : match.start()]), self._move(match[0])]
            position = match.end()
        return "".join((*pieces, self._plain(text[position:])))

    def _plain(self, text: str) -> str:
        safe = shown(text)
        self._column += len(safe)
        return safe

    def _move(self, control: str) -> str:
        if control == "\b":
            moves = self._column > 0
            self._column -= moves
            return "\b" if moves else ""
        if control == "\0":
            return ""
        self._column = 0
        return "\n" if control == "\r\n" else control
