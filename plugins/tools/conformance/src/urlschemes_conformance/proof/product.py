"""The product of two automata that read the same text, searched wholly.

They read one character of each kind at a time. If every pair of states that they reach together agrees, they agree on
every text; else the shortest text on which they differ is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from urlschemes_conformance.characters import kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from urlschemes_conformance.derivatives import Derivatives
    from urlschemes_conformance.proof.table_reading import TableReading

__all__ = ["MAX_STEPS", "NotProven", "Proof", "prove_rules", "search"]

MAX_STEPS = 1_000_000
"""Steps after which a proof is given up; the schemes of RFC 1738 need at most 6,000, news URLs of RFC 3986 106,000."""

Pair = TypeVar("Pair", bound="Hashable")


class NotProven(Exception):
    """Neither a proof nor a difference was found. The text says why."""


class Proof(NamedTuple):
    """The result: the pairs of states and the steps between them, and the shortest difference, None if equal."""

    pairs: int
    steps: int
    difference: str | None


def prove_rules(one: Derivatives | TableReading, other: Derivatives | TableReading, codes: int = 256) -> Proof:
    """Compare two sets of rules on all texts of the first `codes` octets: the same texts derive.

    A table is a set of rules, too. Raises NotProven.
    """
    dead = one.dead, other.dead

    def agrees(pair: tuple[Any, Any]) -> bool:
        return one.nullable(pair[0]) == other.nullable(pair[1])

    def after(pair: tuple[Any, Any], code: int) -> tuple[Any, Any] | None:
        reached = one.after(pair[0], chr(code)), other.after(pair[1], chr(code))
        return None if reached == dead else reached

    try:
        return search((one.start, other.start), kinds([*one.masks(), *other.masks()], codes), agrees, after)
    except RecursionError:
        raise NotProven("the rules nest too deeply") from None


def search(
    first: Pair, kind: dict[int, int], agrees: Callable[[Pair], bool], after: Callable[[Pair, int], Pair | None]
) -> Proof:
    """Search every pair that can be reached from `first`, the nearest first, by one character of each `kind`.

    `after` returns None if no text is left for either of the two.
    """
    characters = sorted({*kind.values()})
    origin: dict[Pair, tuple[Pair, int] | None] = {first: None}
    order = [first]
    steps = 0
    for pair in order:  # grows
        if not agrees(pair):
            return Proof(len(order), steps, _text(origin, pair))
        for character in characters:
            reached = after(pair, character)
            if reached is None:
                continue
            steps += 1
            if steps > MAX_STEPS:
                raise NotProven(f"a proof would take more than {MAX_STEPS:,} steps")
            if reached not in origin:
                origin[reached] = pair, character
                order.append(reached)
    return Proof(len(order), steps, None)


def _text(origin: dict[Pair, tuple[Pair, int] | None], pair: Pair) -> str:
    text = ""
    while (before := origin[pair]) is not None:
        pair, character = before
        text = chr(character) + text
    return text
