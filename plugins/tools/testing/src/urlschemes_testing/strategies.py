"""Hypothesis strategies for valid and nearly valid URLs of any scheme and profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from urlschemes_testing.generation import near_miss_writer, syntax_of, url_writer

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from urlschemes import Registry
    from urlschemes_testing.generation import Source

__all__ = ["near_misses", "urls"]


def urls(source: Source, *, registry: Registry | None = None) -> SearchStrategy[str]:
    """Return a strategy for texts that are URLs by the BNF of `source`.

    They reach every alternative and every option of the grammar. Examples shrink towards few options and repetitions.
    Raises the errors of `syntax_of`.
    """
    return st.randoms(use_true_random=False).map(url_writer(syntax_of(source, registry)))


def near_misses(source: Source, *, registry: Registry | None = None) -> SearchStrategy[str]:
    """Return a strategy for texts that are not URLs of `source`, but one or two edits away from one.

    Raises the errors of `syntax_of`.
    """
    return st.randoms(use_true_random=False).map(near_miss_writer(syntax_of(source, registry)))
