"""The agreement of the pattern, the table and the independent recognizer on single texts.

The three must accept the same texts, the pattern and the table must divide them alike, and the table and the recognizer
must find the same longest prefix that some URL begins with. `urlschemes_conformance.proof` shows the first two for all
texts at once.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from urlschemes_conformance.recognizer import Recognizer, divide_by_pattern, divides_alike

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes.grammar.syntax import Syntax

__all__ = ["Comparison", "Judges", "compare"]


class Judges:
    """The three, for one syntax. A text that the table leaves to the pattern has only two."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax
        self.table = syntax.table
        self.recognizer = Recognizer(syntax)

    def difference(self, text: str) -> str | None:
        """Return how they differ on `text`, None if they agree."""
        spans = divide_by_pattern(self.syntax, text)
        if self.recognizer.accepts(text) != (spans is not None):
            return _differ("pattern", "recognizer") if spans is None else _differ("recognizer", "pattern")
        if self.table is None or not self.table.counts(text):
            return None
        found = self.table.spans(text)
        if (found is None) != (spans is None):
            return _differ("pattern", "table") if spans is None else _differ("table", "pattern")
        if found is not None and frozenset((mark, *span) for mark, span in found.items()) != spans:
            return f"the table divides it into {found}, the pattern does not"
        viable, expected = self.table.viable(text), self.recognizer.viable(text)
        if viable != expected:
            return f"for the table a URL may begin with {viable} of its characters, for the recognizer with {expected}"
        return None


def _differ(refuses: str, accepts: str) -> str:
    return f"the {refuses} refuses what the {accepts} accepts"


class Comparison(NamedTuple):
    """The result of comparing pattern, table and recognizer.

    `tried` is the number of texts, `accepted` those that all accepted, `difference` the first text on which they
    differ, and how, or None.
    """

    tried: int
    accepted: tuple[str, ...]
    difference: str | None


def compare(judges: Judges, prefix: str, tokens: tuple[str, ...], length: int) -> Comparison:
    """Compare the three on `prefix` and every sequence of up to `length` tokens.

    For every hundredth accepted text, compare the division into parts with the BNF too.
    """
    tried = 0
    accepted: list[str] = []
    for text in _sequences(prefix, tokens, length):
        tried += 1
        difference = judges.difference(text)
        if difference is not None:
            return Comparison(tried, tuple(accepted), f"{text!r}: {difference}")
        if judges.syntax.fullmatch(text):
            accepted.append(text)
            if len(accepted) % 100 == 0 and not divides_alike(judges.syntax, text):
                return Comparison(tried, tuple(accepted), f"{text!r}: the BNF does not divide it like that")
    return Comparison(tried, tuple(accepted), None)


def _sequences(prefix: str, tokens: tuple[str, ...], length: int) -> Iterator[str]:
    for count in range(length + 1):
        for sequence in product(tokens, repeat=count):
            yield prefix + "".join(sequence)
