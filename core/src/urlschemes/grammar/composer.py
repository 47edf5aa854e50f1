"""Texts composed of parts by the rules, and the parts that lie within others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import combinations

from urlschemes.grammar.automaton import Automaton, bits
from urlschemes.grammar.rule_tree import Characters, Element, Marked, Repeated, Series, Variants

_MAX_OPTIONS = 8
"""The options without a part that are tried for a URL that is changed."""


class Composer:
    """The composer of texts by the tree of an automaton. Occurrences of parts are named by their marks."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton

    def derives(self, mark: str, text: str) -> bool:
        """Return True if an occurrence of `mark` may be written as `text`."""
        automaton = self._automaton
        return any(marked.mark == mark and automaton.derives(marked, text) for marked in automaton.marked)

    def compose(self, raw: Mapping[str, str], options: Collection[Element] = ()) -> str | None:
        """Return the text with the occurrence of each mark of `raw` written like that; None if no URL has just these.

        An option is written if a part of it is given, or if it is one of `options`.
        """
        return self._composed(self._automaton.tree, raw, frozenset(map(id, options)))

    def options_taken(self, url: str, raw: Mapping[str, str]) -> tuple[Element, ...] | None:
        """Return the options in `url` that none of its parts implies, such as a `/` with nothing after it.

        None if `url` is not what the rules compose of its parts and options.
        """
        text = url.lower()
        options = [item for item in _options(self._automaton.tree, raw) if not item.marks & raw.keys()][:_MAX_OPTIONS]
        for count in range(len(options) + 1):
            for chosen in combinations(options, count):
                if (self.compose(raw, chosen) or "").lower() == text:
                    return chosen
        return None

    def _composed(self, item: Element, raw: Mapping[str, str], taken: frozenset[int]) -> str | None:
        if isinstance(item, Marked):
            written = raw.get(item.mark)
            if written is not None:
                fits = self._automaton.derives(item, written) or not self.derives(item.mark, written)
                return written if fits else None  # a part may have occurrences of several rules
            if item.item.marks & raw.keys():  # parts within the part
                return self._composed(item.item, raw, taken)
            return "" if item.nullable else None
        if isinstance(item, Characters):
            if item.literal is not None:
                return item.literal[item.offset]
            codes = list(bits(item.mask))
            return chr(codes[0]) if len(codes) == 1 else None
        if isinstance(item, Series):
            pieces = [self._composed(inner, raw, taken) for inner in item.items]
            return None if None in pieces else "".join(piece for piece in pieces if piece)
        if isinstance(item, Repeated):
            if item.least == 0 and id(item) not in taken and not item.marks & raw.keys():
                return ""
            return self._composed(item.item, raw, taken)
        assert isinstance(item, Variants)
        wanted = item.marks & raw.keys()
        for inner in sorted(item.items, key=lambda inner: len(inner.marks)):
            if inner.marks & raw.keys() == wanted and (text := self._composed(inner, raw, taken)) is not None:
                return text
        return None


def _options(item: Element, raw: Collection[str]) -> Iterator[Repeated]:
    """Yield every option within `item`, outermost first, but those within the marks `raw`, whose texts are known."""
    if isinstance(item, Repeated) and item.most == 1:
        yield item
    for inner in item.items if not (isinstance(item, Marked) and item.mark in raw) else ():
        yield from _options(inner, raw)
