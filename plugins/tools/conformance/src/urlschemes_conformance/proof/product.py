"""The product of two automata that read the same text, searched wholly.

They read one character at a time, once for all characters that neither tells apart. If every pair of states that they
reach together agrees, they agree on every text; else the shortest text on which they differ is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

__all__ = ["MAX_STEPS", "NotProven", "Proof", "search"]

MAX_STEPS = 1_000_000
"""Steps after which a proof is given up; the schemes here need some thousands."""

Pair = TypeVar("Pair", bound="Hashable")


class NotProven(Exception):
    """Neither a proof nor a difference was found. The text says why."""


class Proof(NamedTuple):
    """The result: the pairs of states and the steps between them, and the shortest difference, None if equal."""

    pairs: int
    steps: int
    difference: str | None


def search(first: Pair, agrees: Callable[[Pair], bool], ways: Callable[[Pair], Iterable[tuple[int, Pair]]]) -> Proof:
    """Search every pair that can be reached from `first`, the nearest first.

    `ways` returns the pairs after one character, each with the characters that lead to it, as a mask.
    """
    origin: dict[Pair, tuple[Pair, int] | None] = {first: None}
    order = [first]
    steps = 0
    for pair in order:  # grows
        if not agrees(pair):
            return Proof(len(order), steps, _text(origin, pair))
        for mask, reached in sorted(ways(pair), key=_lowest):
            steps += 1
            if steps > MAX_STEPS:
                raise NotProven(f"a proof would take more than {MAX_STEPS:,} steps")
            if reached not in origin:
                origin[reached] = pair, mask
                order.append(reached)
    return Proof(len(order), steps, None)


def _lowest(way: tuple[int, object]) -> int:
    return way[0] & -way[0]


def _text(origin: dict[Pair, tuple[Pair, int] | None], pair: Pair) -> str:
    text = ""
    while (before := origin[pair]) is not None:
        pair, mask = before
        text = _one_of(mask) + text
    return text


def _one_of(mask: int) -> str:
    """Return a character of a set, a letter or digit if possible."""
    found = [chr(code) for code in range(mask.bit_length()) if mask >> code & 1]
    return min(found, key=lambda each: (not each.isalnum(), not each.isprintable(), each))
