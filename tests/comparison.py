"""Pattern, table and recognizer on every short sequence of tokens."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes_conformance.agreement import Judges


class Comparison(NamedTuple):
    """The result of comparing pattern, table and recognizer.

    `tried` is the number of texts, `accepted` those that all accepted, `difference` the first text on which they
    differ, and how, or None.
    """

    tried: int
    accepted: tuple[str, ...]
    difference: str | None


def compare(judges: Judges, prefix: str, tokens: tuple[str, ...], length: int) -> Comparison:
    """Compare the three on `prefix` and every sequence of up to `length` tokens."""
    tried = 0
    accepted: list[str] = []
    for text in _sequences(prefix, tokens, length):
        tried += 1
        difference = judges.difference(text)
        if difference is not None:
            return Comparison(tried, tuple(accepted), f"{text!r}: {difference}")
        if judges.syntax.fullmatch(text):
            accepted.append(text)
    return Comparison(tried, tuple(accepted), None)


def _sequences(prefix: str, tokens: tuple[str, ...], length: int) -> Iterator[str]:
    for count in range(length + 1):
        for sequence in product(tokens, repeat=count):
            yield prefix + "".join(sequence)
