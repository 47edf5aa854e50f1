"""The agreement of the pattern, the table and the independent recognizer on single texts.

The three must accept the same texts, and divide them alike. The table and the recognizer must find the same longest
prefix that some URL begins with. `urlschemes_conformance.proof` shows nearly all of this for all texts at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_conformance.recognizer import Divider, Recognizer, divide_by_pattern
from urlschemes_tables import table_of

if TYPE_CHECKING:
    from urlschemes.grammar.syntax import Syntax

__all__ = ["Judges"]


class Judges:
    """The three, for one syntax; two if it has no table."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax
        self.table = table_of(syntax)
        self.recognizer = Recognizer(syntax)
        self.divider = Divider(syntax)

    def difference(self, text: str) -> str | None:
        """Return how they differ on `text`, None if they agree."""
        spans = divide_by_pattern(self.syntax, text)
        if self.recognizer.accepts(text) != (spans is not None):
            return _differ("pattern", "recognizer") if spans is None else _differ("recognizer", "pattern")
        if spans is not None and not self.divider.allows(text, spans):
            return f"the pattern divides it into {sorted(spans)}, the BNF does not"
        if self.table is None:
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
