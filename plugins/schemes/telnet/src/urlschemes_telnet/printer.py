"""What a terminal is shown of what a service writes: text that moves the cursor within its line, and can do no more."""

from __future__ import annotations

import codecs
import re

from urlschemes.redaction import shown

__all__ = ["Printer"]

_MOVEMENT = re.compile("\r\n|[\r\n\b\0]")


class Printer:
    """Turns octets into text for a terminal, where a line ends with LF: UTF-8, else each octet by its number.

    Of the NVT's controls (RFC 854) these keep their meaning: CR, LF, BS, HT, and NUL, which has none. BS stops at the
    beginning of the line. Whatever else a terminal could obey, escape sequences first of all, is shown and not obeyed.
    """

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._column = 0
        self._held = ""

    def feed(self, octets: bytes, *, final: bool = False) -> str:
        """The text to write for `octets`; `final` when nothing follows."""
        text = self._held + self._decode.decode(octets, final=final)
        self._held = (
            "\r" if text.endswith("\r") and not final else ""
        )  # perhaps an LF follows, which makes it one line end
        text = text.removesuffix(self._held)
        written, position = [], 0
        for control in _MOVEMENT.finditer(text):
            written += [self._plain(text[position : control.start()]), self._moved(control[0])]
            position = control.end()
        return "".join((*written, self._plain(text[position:])))

    def _plain(self, text: str) -> str:
        safe = shown(text)
        self._column += len(safe)
        return safe

    def _moved(self, control: str) -> str:
        if control == "\b":
            moves = self._column > 0
            self._column -= moves
            return "\b" if moves else ""
        if control == "\0":
            return ""
        self._column = 0
        return "\n" if control == "\r\n" else control
