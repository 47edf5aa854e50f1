"""The product of two automata that read the same text, searched wholly.

They read one character at a time, once for all characters that neither tells apart. If every pair of states that they
reach together agrees, they agree on every text; else the shortest text on which they differ is found.
"""

from __future__ import annotations

from operator import eq, le
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from urlschemes_conformance.characters import one_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from urlschemes_conformance.derivatives import Derivatives
    from urlschemes_conformance.proof.table_reading import TableReading

__all__ = ["MAX_STEPS", "NotProven", "Proof", "prove_rules", "search"]

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


def prove_rules(
    one: Derivatives | TableReading, other: Derivatives | TableReading, *, contained: bool = False
) -> Proof:
    """Compare two sets of rules on all texts of octets: the same texts derive.

    If they are `contained`, those of `one` derive from `other`, which may derive more. A table is a set of rules, too.
    Raises NotProven.
    """
    agree = le if contained else eq

    def agrees(pair: tuple[Any, Any]) -> bool:
        return bool(agree(one.nullable(pair[0]), other.nullable(pair[1])))

    def ways(pair: tuple[Any, Any]) -> Iterator[tuple[int, tuple[Any, Any]]]:
        first: dict[Any, int] = one.row(pair[0])
        second: dict[Any, int] = other.row(pair[1])
        left = {**second}
        for reached, mask in first.items():
            rest = mask
            for beside, characters in second.items():
                if mask & characters:
                    yield mask & characters, (reached, beside)
                    rest &= ~characters
                    left[beside] &= ~mask
            if rest:
                yield rest, (reached, other.dead)
        for beside, mask in left.items():
            if mask and not contained:
                yield mask, (one.dead, beside)

    try:
        return search((one.start, other.start), agrees, ways)
    except RecursionError:
        raise NotProven("the rules nest too deeply") from None


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
        text = one_of(mask) + text
    return text
