"""Hypothesis strategies for the URLs of any scheme, made from its BNF: valid ones, and near misses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from urlschemes.automaton import bits
from urlschemes.expansion import Characters, Element, Marked, Repeated, Series, Variants

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from urlschemes.syntax import Syntax

__all__ = ["near_misses", "texts"]

RUN = 4
"""Turns of an unbounded repetition, at most."""


def texts(syntax: Syntax) -> SearchStrategy[str]:
    """Texts that derive from `syntax`, its exclusions counted.

    Every alternative and every option of the grammar is reached.
    """
    return _of(syntax.automaton.tree)


def _of(item: Element) -> SearchStrategy[str]:
    if isinstance(item, Characters):
        return st.sampled_from([chr(code) for code in bits(item.mask)])
    if isinstance(item, Marked):
        return _of(item.item)
    if isinstance(item, Series):
        return st.tuples(*map(_of, item.items)).map("".join)
    if isinstance(item, Variants):
        return st.one_of(*map(_of, item.items))
    assert isinstance(item, Repeated)
    most = RUN if item.most is None else min(item.most, RUN)
    return st.lists(_of(item.item), min_size=item.least, max_size=most).map("".join)


def near_misses(syntax: Syntax) -> SearchStrategy[str]:
    """Valid texts with one edit: a character inserted, left out, replaced or doubled. Some are still valid."""
    characters = st.characters(max_codepoint=0x17F) | st.sampled_from("/:@?#%;=& \t\r\n~[]\\")

    def edited(text: str) -> SearchStrategy[str]:
        at = st.integers(0, max(len(text) - 1, 0))
        return st.one_of(
            st.tuples(at, characters).map(lambda edit: text[: edit[0]] + edit[1] + text[edit[0] :]),
            st.tuples(at, characters).map(lambda edit: text[: edit[0]] + edit[1] + text[edit[0] + 1 :]),
            at.map(lambda index: text[:index] + text[index + 1 :]),
            at.map(lambda index: text[: index + 1] + text[index:]),
        )

    return texts(syntax).flatmap(edited)
