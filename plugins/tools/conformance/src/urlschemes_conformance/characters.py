"""Sets of characters as masks."""

from __future__ import annotations

__all__ = ["both_cases", "one_of"]


def one_of(mask: int) -> str:
    """Return a character of a set, a letter or digit if possible."""
    found = [chr(code) for code in range(mask.bit_length()) if mask >> code & 1]
    return min(found, key=lambda each: (not each.isalnum(), not each.isprintable(), each))


def both_cases(letter: str) -> int:
    """Return the set of `letter` in both its letter cases."""
    return 1 << ord(letter.lower()) | 1 << ord(letter.upper())
