"""A reader of URLs that follows the automaton of a syntax, character by character, and can go back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.automaton import bits
from urlschemes.grammar.derivation import part_of
from urlschemes.url.fault_place import first_state

if TYPE_CHECKING:
    from urlschemes.grammar.automaton import State
    from urlschemes.grammar.syntax import Syntax

__all__ = ["Walk"]


class Walk:
    """A reader of URLs of `syntax`, which takes text piece by piece.

    `pieces` are the texts taken so far, and `state` that of the automaton after them. `text` is the whole text to read:
    if it has no `@` in the right place, no user name is expected in it.
    """

    __slots__ = ("_automaton", "_begun", "_parts", "_past", "pieces", "state", "syntax")

    def __init__(self, syntax: Syntax, text: str) -> None:
        self.syntax = syntax
        self._automaton = syntax.automaton
        self._parts: dict[tuple[int, int], str | None] = {}
        self._begun: dict[int, tuple[int, str]] = {}
        self._past: list[State] = []
        self.pieces: list[str] = []
        self.state = first_state(syntax, text)

    @property
    def expected(self) -> int:
        """The positions of the automaton that may come next."""
        return self.state.expected

    @property
    def reached(self) -> int:
        """The positions of the last character."""
        return self.state.reached

    @property
    def at_end(self) -> bool:
        """True if the URL may end here."""
        return self.state.ends

    def takes(self, text: str) -> bool:
        """Return True if `text` may come next."""
        return self._after(text) is not None

    def take(self, text: str) -> bool:
        """Take `text` if it may come next; return False if it may not."""
        after = self._after(text)
        if after is None:
            return False
        self._past.append(self.state)
        self.pieces.append(text)
        self.state = after
        return True

    def back(self) -> str:
        """Undo the last `take`, and return its text."""
        self.state = self._past.pop()
        return self.pieces.pop()

    @property
    def part(self) -> str | None:
        """The innermost part of the last character, or else the one that must begin here; None outside of all parts."""
        key = (self.expected, self.reached)
        if key not in self._parts:
            self._parts[key] = part_of(self.syntax, self.reached) or part_of(self.syntax, self.expected)
        return self._parts[key]

    def part_by(self, text: str) -> str | None:
        """Return the part that `text` ends in; None outside of all parts, or if `text` may not come next."""
        if not self.take(text):
            return None
        part = self.part
        self.back()
        return part

    @property
    def begun(self) -> tuple[int, str]:
        """The number of characters taken of an unfinished literal, and the literal; 0 and "" if there is none."""
        if self.expected not in self._begun:
            leaf = self._automaton.begun(self.expected)
            self._begun[self.expected] = (leaf.offset, leaf.literal or "") if leaf is not None else (0, "")
        return self._begun[self.expected]

    def separators(self) -> frozenset[str]:
        """Return the reserved characters that may come next as literals of one character."""
        leaves = (self._automaton.leaves[position] for position in bits(self.expected))
        return frozenset(self.syntax.profile.reserved).intersection(
            leaf.literal for leaf in leaves if leaf.literal is not None
        )

    def only_divides(self, character: str) -> bool:
        """Return True if `character` may come next, but only in a literal of the rules."""
        leaves = (self._automaton.leaves[position] for position in bits(self.expected))
        literals = [leaf.literal is not None for leaf in leaves if leaf.mask >> ord(character) & 1]
        return bool(literals) and all(literals)

    def is_in(self, rule: str) -> bool:
        """Return True if the last character may be in `rule`."""
        return any(rule in self._automaton.leaves[position].path for position in bits(self.reached))

    @property
    def at_literal(self) -> bool:
        """True if the last character can only belong to a literal of the rules."""
        leaves = [self._automaton.leaves[position] for position in bits(self.reached)]
        return all(leaf.literal is not None for leaf in leaves)

    def _after(self, text: str) -> State | None:
        length, state = self.state.walk(text)
        return state if length == len(text) else None
