"""Sets of characters as masks, and the kinds of characters that they do not tell apart: one of each stands for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["both_cases", "kinds"]


def kinds(masks: Iterable[int], codes: int = 128) -> dict[int, int]:
    """Return, for each of the first `codes` characters, the one that stands for its kind; a letter if possible.

    `masks` do not tell characters of one kind apart.
    """
    tested = set(masks)
    order = sorted(range(codes), key=lambda code: (not chr(code).isalnum(), not chr(code).isprintable(), code))
    first: dict[tuple[int, ...], int] = {}
    return {code: first.setdefault(tuple([mask >> code & 1 for mask in tested]), code) for code in order}


def both_cases(letter: str) -> int:
    """Return the set of `letter` in both its letter cases."""
    return 1 << ord(letter.lower()) | 1 << ord(letter.upper())
