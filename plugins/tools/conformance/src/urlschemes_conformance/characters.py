"""Sets of characters as masks, and the kinds of characters that they do not tell apart: one of each stands for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["both_cases", "kinds"]


def kinds(masks: Iterable[int], codes: int = 128) -> list[int]:
    """Return one of the first `codes` characters of each kind, which `masks` do not tell apart; letters if possible."""
    tested = set(masks)
    found: dict[tuple[int, ...], int] = {}
    for code in sorted(range(codes), key=lambda code: (not chr(code).isalnum(), not chr(code).isprintable(), code)):
        found.setdefault(tuple([mask >> code & 1 for mask in tested]), code)
    return sorted(found.values())


def both_cases(letter: str) -> int:
    """Return the set of `letter` in both its letter cases."""
    return 1 << ord(letter.lower()) | 1 << ord(letter.upper())
