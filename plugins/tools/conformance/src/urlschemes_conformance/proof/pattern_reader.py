r"""Reading a pattern: exactly the constructs that `urlschemes.grammar.pattern` writes, and nothing of `re`.

These are characters, classes, `(?i:letters)`, groups (named, plain and atomic), alternatives, repetitions (greedy and
possessive), a look at the next character or the end, `(?=[a-z]|\Z)`, and one at the last character, `(?<![a-z])`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "Ahead",
    "Atomic",
    "Behind",
    "Chain",
    "Choice",
    "Group",
    "Node",
    "One",
    "Times",
    "UnknownConstruct",
    "read",
    "read_by",
]


class UnknownConstruct(Exception):
    """The pattern has a construct that is not read. The text says which, and where."""


@dataclass(frozen=True, slots=True)
class One:
    """One character of a set; `mask` has bit N for the character with code N."""

    mask: int


@dataclass(frozen=True, slots=True)
class Chain:
    """One after another."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives, the preferred one first."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A named group."""

    name: str
    item: Node


@dataclass(frozen=True, slots=True)
class Atomic:
    """A group whose first match is kept."""

    item: Node


@dataclass(frozen=True, slots=True)
class Times:
    """A greedy repetition, from `least` to `most` times (None: without bound)."""

    item: Node
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Ahead:
    """The next character is of the set `mask`; or there is none, if it `may_end`."""

    mask: int
    may_end: bool


@dataclass(frozen=True, slots=True)
class Behind:
    """The last character is not of the set `mask`."""

    mask: int


Node: TypeAlias = "One | Chain | Choice | Group | Atomic | Times | Ahead | Behind"

_NAMED = re.compile(r"\(\?P<(\w+)>")
_LETTERS = re.compile(r"\(\?i:([A-Za-z]+)\)")
_QUANTIFIER = re.compile(r"(?:([*+?])|\{(\d+)(?:(,)(\d+))?\})(\+?)(?!\?)")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r\v\f")
_SPECIAL = frozenset(r"()[]{}?*+|^$\.")
_BOUNDS = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def read(pattern: str) -> Node:
    """Return the tree of `pattern`. Raises UnknownConstruct."""
    reader = _Reader(pattern)
    node = reader.choice()
    if reader.at != len(pattern):
        raise reader.unknown()
    return node


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def unknown(self) -> UnknownConstruct:
        return UnknownConstruct(
            f"unknown construct at position {self.at} of the pattern: {self.pattern[self.at :][:20]}"
        )

    def takes(self, text: str) -> bool:
        if not self.pattern.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def expect(self, text: str) -> None:
        if not self.takes(text):
            raise self.unknown()

    def choice(self) -> Node:
        items = [self.chain()]
        while self.takes("|"):
            items.append(self.chain())
        return items[0] if len(items) == 1 else Choice(tuple(items))

    def chain(self) -> Node:
        items = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            items.append(self.quantified())
        return items[0] if len(items) == 1 else Chain(tuple(items))

    def quantified(self) -> Node:
        item = self.atom()
        found = _QUANTIFIER.match(self.pattern, self.at)
        if found is None:
            return item
        if nullable(item):
            raise self.unknown()  # what a turn without characters does is not read
        self.at = found.end()
        sign, least, comma, most, possessive = found.groups()
        bounds = _BOUNDS[sign] if sign else (int(least), int(most if comma else least))
        times = Times(item, *bounds)
        return Atomic(times) if possessive else times

    def atom(self) -> Node:
        if found := _NAMED.match(self.pattern, self.at):
            self.at = found.end()
            return Group(found[1], self.inner())
        if found := _LETTERS.match(self.pattern, self.at):
            self.at = found.end()
            letters = (1 << ord(letter.lower()) | 1 << ord(letter.upper()) for letter in found[1])
            return Chain(tuple(map(One, letters)))
        if self.takes("(?:"):
            return self.inner()
        if self.takes("(?>"):
            return Atomic(self.inner())
        if self.takes("(?!)"):
            return One(0)
        if self.takes("(?<!"):
            mask = self.one()
            self.expect(")")
            return Behind(mask)
        if self.takes("(?="):
            return self.ahead()
        return One(self.one())

    def inner(self) -> Node:
        item = self.choice()
        self.expect(")")
        return item

    def ahead(self) -> Node:
        mask, may_end = 0, False
        while True:
            if self.takes(r"\Z"):
                may_end = True
            else:
                mask |= self.one()
            if not self.takes("|"):
                self.expect(")")
                return Ahead(mask, may_end)

    def one(self) -> int:
        """Read one character, or a class."""
        if not self.takes("["):
            return 1 << self.character(_SPECIAL)
        mask = 0
        while not self.takes("]"):
            low = high = self.character(frozenset("[^-"))
            if self.takes("-"):
                high = self.character(frozenset("[]^-"))
            if high < low:
                raise self.unknown()
            mask |= (1 << high + 1) - (1 << low)
        return mask

    def character(self, special: frozenset[str]) -> int:
        """Read a character that is not `special`, or an escaped one, and return its code."""
        is_escaped = self.takes("\\")
        found = self.pattern[self.at : self.at + 1]
        if not found or not found.isascii() or (found not in _PUNCTUATION if is_escaped else found in special):
            raise self.unknown()
        self.at += 1
        return ord(found)


def nullable(node: Node) -> bool:
    """Return True if the empty text may match."""
    if isinstance(node, One):
        return False
    if isinstance(node, Chain):
        return all(map(nullable, node.items))
    if isinstance(node, Choice):
        return any(map(nullable, node.items))
    if isinstance(node, Times):
        return node.least == 0 or nullable(node.item)
    return nullable(node.item) if isinstance(node, Group | Atomic) else True


def read_by(node: Node) -> int:
    """Return the characters that `node` reads, as a mask."""
    if isinstance(node, One):
        return node.mask
    mask = 0
    for item in node.items if isinstance(node, Chain | Choice) else ():
        mask |= read_by(item)
    return mask | (read_by(node.item) if isinstance(node, Group | Atomic | Times) else 0)
