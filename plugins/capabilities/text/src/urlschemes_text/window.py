"""The piece of a text that is being searched; it moves through the text.

So memory stays bounded, and the time linear, for a text of any length. How the text is divided into pieces has no
influence on the result: a match that touches the end of the window is tried again when there is more text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.url.value import LIMIT, unfit

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from urlschemes import InvalidURL

__all__ = ["Unfinished", "Window", "not_text"]


class Unfinished(Exception):
    """A match goes on after the end of the window."""


def not_text(thing: object) -> InvalidURL:
    """Return the error for an object that is not a str."""
    error = unfit(thing, LIMIT)
    assert error is not None
    return error


class Window:
    """A window of a text that comes in `pieces`; it begins as all of a text that is `whole`.

    `text` is the piece in the window, and `offset` where it begins in the whole text; `complete` is true if the text
    ends with it. `next` is the index at which the search continues, and `done` where the last passage ended. All
    indexes are those of `text`; they move with the window.
    """

    def __init__(self, pieces: Iterable[object], kept: int, whole: str | None = None) -> None:
        self.text = whole or ""
        self.offset = 0
        self.complete = whole is not None
        self.next = 0
        self.done = 0
        self._pieces = iter(pieces)
        self._kept = kept
        """The characters before an index that stay in the window when it moves there."""
        self._line = 1
        self._line_start = 0
        self._counted = 0

    def move_to(self, index: int) -> None:
        """Move the window to `index`, and read as much text again as there is after it.

        So a passage that comes in many small pieces is tried a few times only. Raises InvalidURL for a piece that is
        not a str.
        """
        pieces: list[str] = []
        missing = max(1, len(self.text) - index)
        for piece in self._pieces:
            if not isinstance(piece, str):
                raise not_text(piece)
            pieces.append(piece)
            missing -= len(piece)
            if missing <= 0:
                break
        else:
            self.complete = True
        self._drop(max(0, index - self._kept))
        self.text += "".join(pieces)

    def match_end(self, pattern: re.Pattern[str], start: int, most: int) -> int:
        """Return where the match of `pattern` at `start` ends, but at most `most`. Raises Unfinished."""
        match = pattern.match(self.text, start, max(start, most))
        assert match is not None
        end = match.end()
        if not self.complete and end == len(self.text) and end < most:
            raise Unfinished
        return end

    def line_and_column(self, index: int) -> tuple[int, int]:
        """Return the line and the column of the character at `index`, which must not be before the last one asked."""
        if index > self._counted:
            self._count_lines(index)
        return self._line, self.offset + index - self._line_start + 1

    def _drop(self, count: int) -> None:
        """Drop the first `count` characters."""
        if count > self._counted:
            self._count_lines(count)
        self.text = self.text[count:]
        self.offset += count
        self.next = max(self.next - count, 0)
        self.done -= count
        self._counted -= count

    def _count_lines(self, index: int) -> None:
        counted, text = self._counted, self.text
        if lines := text.count("\n", counted, index):
            self._line += lines
            self._line_start = self.offset + text.rindex("\n", counted, index) + 1
        self._counted = index
