"""A text read side by side with the automaton of a syntax: what `fix` and `check` go by.

A walk knows at every character where it stands, what may come next, and how to go back.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.grammar import octets
from urlschemes.grammar.automaton import bits
from urlschemes.grammar.bnf import Choice, Literal, Reference, Repeat, Sequence
from urlschemes.grammar.derivation import part_of
from urlschemes.url.fault_kind import AUTHORITY

if TYPE_CHECKING:
    from urlschemes.grammar.bnf import Node
    from urlschemes.grammar.rule_tree import Marked
    from urlschemes.grammar.syntax import Syntax

__all__ = [
    "ENDS_HOST",
    "RESERVED",
    "Walk",
    "delimiters",
    "host_ends",
    "host_positions",
    "hosts",
    "impossible_login",
    "part_at",
    "places",
]

RESERVED = frozenset(octets.RESERVED)
"""The characters that a scheme may give a meaning of its own (section 2.2)."""

ENDS_HOST = re.compile("[?;&=]")
"""What ends a host where the `/` behind it is missing: the reserved characters that divide no login, host and port."""

_RESERVED_MASK = octets.mask(octets.RESERVED)


class Walk:
    """Where a reader of URLs of `syntax` stands, as text is taken, piece by piece.

    `pieces` are the texts taken so far. `expected` and `reached` are sets of positions of the automaton: what may come
    next, and where the last character stood. `text` is the whole text that will be read: without an `@` in the right
    place of it, no user name is seen in it.
    """

    __slots__ = (
        "_automaton",
        "_begun",
        "_instead",
        "_parts",
        "_past",
        "_steps",
        "_without",
        "expected",
        "pieces",
        "reached",
        "syntax",
    )

    def __init__(self, syntax: Syntax, text: str) -> None:
        self.syntax = syntax
        self._automaton = syntax.automaton
        self._without = impossible_login(text, syntax)
        self._steps: dict[tuple[int, str], tuple[int, int]] = {}
        self._parts: dict[tuple[int, int], str | None] = {}
        self._begun: dict[int, tuple[int, str]] = {}
        self._instead: dict[int, tuple[str, ...]] = {}
        self._past: list[tuple[int, int]] = []
        self.pieces: list[str] = []
        self.expected = self._automaton.tree.first & ~self._without
        self.reached = 0

    @property
    def at_end(self) -> bool:
        """Whether the URL may end here."""
        return bool(self._automaton.tree.last & self.reached)

    def takes(self, text: str) -> bool:
        """Whether `text` may come next."""
        return self._after(text) is not None

    def take(self, text: str) -> bool:
        """Go on by `text`, if it may come next."""
        after = self._after(text)
        if after is None:
            return False
        self._past.append((self.expected, self.reached))
        self.pieces.append(text)
        self.expected, self.reached = after
        return True

    def back(self) -> str:
        """Undo the last `take`; the text that was taken by it."""
        self.expected, self.reached = self._past.pop()
        return self.pieces.pop()

    @property
    def part(self) -> str | None:
        """The innermost part that the last character lies in, or the one that must begin here; None outside of all."""
        key = (self.expected, self.reached)
        if key not in self._parts:
            self._parts[key] = part_of(self.syntax, self.reached) or part_of(self.syntax, self.expected)
        return self._parts[key]

    def part_by(self, text: str) -> str | None:
        """The part that `text`, which may come next, ends in; None outside of all parts, or where it may not come."""
        if not self.take(text):
            return None
        part = self.part
        self.back()
        return part

    @property
    def begun(self) -> tuple[int, str]:
        """Of a literal that has not come to its end: how many characters were taken, and the whole; 0 without one."""
        if self.expected not in self._begun:
            leaf = self._automaton.begun(self.expected)
            self._begun[self.expected] = (leaf.offset, leaf.literal or "") if leaf is not None else (0, "")
        return self._begun[self.expected]

    def separators(self) -> frozenset[str]:
        """The reserved characters that may come next as literals of their own."""
        leaves = (self._automaton.leaves[position] for position in bits(self.expected))
        return RESERVED.intersection(leaf.literal for leaf in leaves if leaf.literal is not None)

    def only_divides(self, character: str) -> bool:
        """Whether `character` may come next, and as a literal of the rules alone: never as one of a set."""
        leaves = (self._automaton.leaves[position] for position in bits(self.expected))
        literals = [leaf.literal is not None for leaf in leaves if leaf.mask >> ord(character) & 1]
        return bool(literals) and all(literals)

    @property
    def at_literal(self) -> bool:
        """Whether the last character stands in a literal of the rules, and in nothing else."""
        leaves = [self._automaton.leaves[position] for position in bits(self.reached)]
        return all(leaf.literal is not None for leaf in leaves)

    def instead(self, follows: str) -> str | None:
        """A character of a set that may come next, behind which `follows` may come, or the end for nothing."""
        if self.expected not in self._instead:
            leaves = [self._automaton.leaves[position] for position in bits(self.expected)]
            masks = dict.fromkeys(leaf.mask for leaf in leaves if leaf.literal is None)
            self._instead[self.expected] = tuple(map(_likely, filter(None, masks)))
        for character in self._instead[self.expected]:
            self.take(character)
            goes_on = self.takes(follows) if follows else self.at_end
            self.back()
            if goes_on:
                return character
        return None

    def passed(self) -> list[int]:
        """For each piece that was taken, the positions that its last character stood at in a way that led to here."""
        follow, found = self._automaton.follow, []
        reached = [reached for _, reached in self._past[1:]] + [self.reached] * bool(self._past)
        known: dict[tuple[int, int], int] = {}
        here = self._automaton.tree.last
        for index, before in enumerate(reversed(reached)):
            if index == 0:
                here &= before
            else:
                if (before, here) not in known:
                    known[before, here] = sum(1 << position for position in bits(before) if follow[position] & here)
                here = known[before, here]
            found.append(here)
        return found[::-1]

    def rest(self) -> str:
        """The shortest text, as to its positions, by which what was taken becomes a whole URL."""
        follow, last = self._automaton.follow, self._automaton.tree.last
        before: dict[int, int | None] = dict.fromkeys(bits(self.expected & ~self._without))
        ahead = list(before)
        for position in ahead:
            if last >> position & 1:
                found: int | None = position
                text = ""
                while found is not None:
                    text = _likely(self._automaton.leaves[found].mask) + text
                    found = before[found]
                return text
            for after in bits(follow[position] & ~self._without):
                if after not in before and self._automaton.leaves[after].mask:
                    before[after] = position
                    ahead.append(after)
        return ""

    def _after(self, text: str) -> tuple[int, int] | None:
        expected, reached = self.expected, self.reached
        for character in text:
            step = self._steps.get((expected, character))
            if step is None:
                step = self._automaton.step(expected, character, ~self._without)
                self._steps[expected, character] = step
            reached, expected = step
            if not reached:
                return None
        return expected, reached


def _likely(mask: int) -> str:
    """A character of the set `mask`: a letter, or a digit, if there is one."""
    return next((character for character in "a0" if mask >> ord(character) & 1), "") or chr(next(bits(mask)))


def impossible_login(text: str, syntax: Syntax) -> int:
    """The positions of user name and password, if `text` has none.

    Without an `@`, what stands behind the `//` is a host, however much it looks like the beginning of a login.
    """
    found = AUTHORITY.match(text)
    positions = 0
    if found is not None and found["user"] is None:
        for marked in syntax.automaton.marked:
            if marked.mark in {"user", "password"}:
                positions |= marked.inside
    return positions


def host_ends(authority: re.Match[str], before: int) -> int | None:
    """Where a host ends without the `/` that should follow it: at a `?`, or what else none holds; None if nowhere.

    `authority` is what AUTHORITY matches; what ends the host stands before the index `before`.
    """
    if authority["slashes"] is None:
        return None
    ends = ENDS_HOST.search(authority.string, authority.start("host"), min(before, authority.end()))
    return ends.start() if ends is not None and ends.start() > authority.start("host") else None


def host_positions(syntax: Syntax) -> int:
    """The positions of the automaton where a host stands, also one within a part, as in an article of news."""
    found = 0
    for position, leaf in enumerate(syntax.automaton.leaves):
        if "host" in leaf.path:
            found |= 1 << position
    for marked in syntax.automaton.marked:
        if marked.mark == "host":
            found |= marked.inside
    return found


def hosts(syntax: Syntax, text: str) -> list[tuple[int, int]]:
    """Where in the URL `text` something derives from the rule `host` that is not the part of that name."""
    inside = host_positions(syntax)
    for marked in syntax.automaton.marked:
        if marked.mark == "host":
            inside &= ~marked.inside
    if not inside:
        return []
    walk = Walk(syntax, text)
    if not all(map(walk.take, text)):
        return []
    found: list[tuple[int, int]] = []
    for index, positions in enumerate(walk.passed()):
        if positions and not positions & ~inside:
            start = found.pop()[0] if found and found[-1][1] == index else index
            found.append((start, index + 1))
    return found


def delimiters(syntax: Syntax, name: str) -> frozenset[str]:
    """The reserved characters that mean something else in the part `name` where they stand as they are.

    They are literals of the part's rule, or stand behind the part. In a user name and a password they are what section
    3.1 says. Where the part is decoded before it is read, as in mailto, there are none.
    """
    part = syntax.parts[name]
    if not part.escapes or part.decoded:
        return frozenset()
    if name in {"user", "password"}:
        return frozenset(":@/")
    found = _literals(syntax, part.at[0][-1])
    for marked in syntax.automaton.marked:
        if marked.mark == part.mark:
            found |= _behind(syntax, marked)
        elif part.mark in syntax.within(marked.mark) and any(
            each.decoded for each in syntax.parts.values() if each.mark == marked.mark
        ):
            return frozenset()
    return frozenset(found)


def _behind(syntax: Syntax, marked: Marked) -> set[str]:
    """The reserved characters that may stand behind the part, by themselves."""
    inside, leaves, follow = marked.inside, syntax.automaton.leaves, syntax.automaton.follow
    masks = {leaves[other].mask for position in bits(marked.last) for other in bits(follow[position] & ~inside)}
    return {chr(code) for mask in masks if not mask & ~_RESERVED_MASK for code in bits(mask)}


def _literals(syntax: Syntax, rule: str) -> set[str]:
    """The reserved characters that stand by themselves in `rule`, not as members of a set of characters."""
    found: set[str] = set()
    ahead: list[Node] = [syntax.grammar.rules[rule].node] if rule in syntax.grammar.rules else []
    while ahead:
        node = ahead.pop()
        match node:
            case Reference(name=name):
                ahead.append(syntax.grammar.rules[name].node)
            case Sequence(items=items):
                found |= {item.text[:1] for item in items if isinstance(item, Literal)}
                ahead += items
            case Choice(items=items):
                ahead += items
            case Repeat(item=Literal(text=text), most=1):
                found.add(text[:1])
            case Repeat(item=item):
                ahead.append(item)
            case _:  # a set of characters
                pass
    return found & RESERVED


def places(syntax: Syntax, match: re.Match[str]) -> list[tuple[int, int, str]]:
    """Where each part of a URL stands that is not absent, and its name: first the outer ones."""
    spans = ((syntax.place(match, name), name) for name in syntax.parts)
    found = [(*span, name) for span, name in spans if span is not None]
    return sorted(found, key=lambda place: place[0] - place[1])


def part_at(places: list[tuple[int, int, str]], index: int) -> str | None:
    """The innermost part that the character at `index` lies in, None outside of all."""
    return next((name for start, end, name in reversed(places) if start <= index < end), None)
