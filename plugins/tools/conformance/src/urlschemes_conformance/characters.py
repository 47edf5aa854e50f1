"""The characters that a BNF tells apart: it treats all others alike, so that one of each kind stands for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.bnf import Choice, Literal, Node, Octets, Reference, Repeat, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from urlschemes.grammar.syntax import Syntax

__all__ = ["kinds", "masks", "masks_of", "nodes"]


def kinds(masks: Iterable[int]) -> list[int]:
    """Return one character of each kind, of those of US-ASCII that `masks` do not tell apart; letters if possible."""
    tested = set(masks)
    found: dict[tuple[int, ...], int] = {}
    for code in sorted(range(128), key=lambda code: (not chr(code).isalnum(), not chr(code).isprintable(), code)):
        found.setdefault(tuple([mask >> code & 1 for mask in tested]), code)
    return sorted(found.values())


def masks(syntax: Syntax) -> set[int]:
    """Return the sets of characters that the BNF names."""
    found = {mask for rule in syntax.grammar.rules.values() for mask in masks_of(syntax, rule.node)}
    for part in syntax.parts.values():
        found |= {1 << octet for octet in part.exclude if octet < 128}
        if part.exclude or part.decoded:  # octets are read from their escapes
            found |= {_both_cases(digit) for digit in "0123456789abcdef"}
    return found


def masks_of(syntax: Syntax, node: Node) -> Iterator[int]:
    """Yield the sets of characters that `node` and the rules within it name."""
    for each in nodes(node):
        if isinstance(each, Literal):
            yield from map(_both_cases, each.text)
        elif isinstance(each, Octets):
            yield ((1 << each.high + 1) - (1 << each.low)) & (1 << 128) - 1
        elif isinstance(each, Reference):
            yield from masks_of(syntax, syntax.grammar.rules[each.name].node)


def nodes(node: Node) -> Iterator[Node]:
    """Yield `node` and all nodes within it."""
    yield node
    for inner in node.items if isinstance(node, Sequence | Choice) else [node.item] if isinstance(node, Repeat) else ():
        yield from nodes(inner)


def _both_cases(letter: str) -> int:
    return 1 << ord(letter.lower()) | 1 << ord(letter.upper())
