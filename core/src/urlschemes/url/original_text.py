"""Errors of a text that was made of another one before it was parsed: they count in that one, and quote it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class OriginalText(NamedTuple):
    """The text as it was given, of which another one was made that is parsed.

    Character n of the parsed text was made of the characters from `starts[n]` to `ends[n]`, by default of one; the last
    of `starts` is the end of the text that was given.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place of what the characters from `start` to `end` of the parsed text were made of."""
        first = self.starts[min(start, len(self.starts) - 1)]
        if start >= end:
            return first, first
        return first, self.starts[end - 1] + 1 if self.ends is None else self.ends[end - 1]


class Rewritten(NamedTuple):
    """The explainer of errors of a text that the `explainer`, a type of URLs or references, was given as `parsed`.

    `starts` and `ends` are those of an OriginalText.
    """

    explainer: Any
    parsed: str
    starts: Sequence[int]
    ends: Sequence[int] | None = None

    def explanation(self, text: str, original: OriginalText | None = None) -> Any:
        """Return the reason why `text` is invalid; if it was itself made of an `original`, by the place in that."""
        given = OriginalText(text, self.starts, self.ends)
        if original is not None:
            spans = [original.span(*given.span(index, index + 1)) for index in range(len(self.parsed))]
            end = original.span(len(text), len(text))
            given = OriginalText(original.text, [start for start, _ in (*spans, end)], [last for _, last in spans])
        return self.explainer.explanation(self.parsed, given)
