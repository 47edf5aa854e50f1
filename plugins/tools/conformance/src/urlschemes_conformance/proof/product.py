"""The product of two automata that read the same text, searched wholly.

They read one character of each kind at a time. If every pair of states that they reach together agrees, they agree on
every text; else the shortest text on which they differ is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from urlschemes.grammar.table import Table

__all__ = ["MAX_STEPS", "NotProven", "Proof", "after_in", "class_masks", "search"]

MAX_STEPS = 1_000_000
"""Steps after which a proof is given up; the schemes of RFC 1738 need at most 6,000,
and the addresses of RFC 6068 400,000."""

Pair = TypeVar("Pair", bound="Hashable")


class NotProven(Exception):
    """Neither a proof nor a difference was found. The text says why."""


class Proof(NamedTuple):
    """The result: the pairs of states and the steps between them, and the shortest difference, None if equal."""

    pairs: int
    steps: int
    difference: str | None


def search(
    first: Pair, characters: list[int], agrees: Callable[[Pair], bool], after: Callable[[Pair, int], Pair | None]
) -> Proof:
    """Search every pair that can be reached from `first`, the nearest first."""
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


def class_masks(table: Table) -> list[int]:
    """Return the characters of each class of the table, as masks."""
    class_of = table.content.class_of
    return [sum(1 << code for code in range(128) if class_of[code] == number) for number in set(class_of)]


def after_in(table: Table, state: int, character: int) -> tuple[int, list[tuple[int, int]]]:
    """Return the state of the table after `character`, and the ops on the way."""
    content = table.content
    number = content.transitions[state * content.classes + content.class_of[character]]
    return (number, []) if number < content.states else content.edges[number - content.states]
