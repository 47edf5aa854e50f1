"""The text of rules, in the notation of section 5 or in ABNF, as pieces, so that names of rules can become links."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.grammar.bnf import Choice, Literal, Octets, Reference, Repeat, Sequence

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from urlschemes.grammar.bnf import Node

__all__ = ["Piece", "pieces", "tokens"]


class Piece(NamedTuple):
    """A piece of text and its kind: `literal`, `octets`, `rule` (a name), `comment`, or `mark` for all else."""

    kind: str
    text: str


_TOKEN = re.compile(
    r"""(?P<comment>;[^\n]*)
      | (?P<literal>(?:%[sSiI])?"[^"\n]*"|<">)
      | (?P<octets>%(?:[xX][0-9A-Fa-f]+(?:[.-][0-9A-Fa-f]+)*|[dDbB][0-9]+(?:[.-][0-9]+)*))
      | (?P<rule>[A-Za-z][A-Za-z0-9+_-]*)
      | (?P<mark>[^;"<%A-Za-z]+|<[^">\n]*>|.)
    """,
    re.VERBOSE | re.DOTALL,
)


def tokens(text: str, rules: Container[str]) -> Iterator[Piece]:
    """Return the pieces of the text of rules; joined, they are that text. `rules` are the names of all rules."""
    for found in _TOKEN.finditer(text):
        kind = str(found.lastgroup)
        yield Piece("mark" if kind == "rule" and found[0] not in rules else kind, found[0])


def pieces(node: Node) -> Iterator[Piece]:
    """Return the pieces of a definition; joined, they are `str(node)`."""
    if isinstance(node, Literal):
        yield Piece("literal", str(node))
    elif isinstance(node, Octets):
        yield Piece("octets", str(node))
    elif isinstance(node, Reference):
        yield Piece("rule", node.name)
    elif isinstance(node, Choice):
        for index, item in enumerate(node.items):
            if index:
                yield Piece("mark", " | ")
            yield from pieces(item)
    elif isinstance(node, Sequence) and not node.items:
        yield Piece("literal", str(node))
    elif isinstance(node, Sequence):
        for index, item in enumerate(node.items):
            if index:
                yield Piece("mark", " ")
            yield from _bracketed(item, "( ", " )") if isinstance(item, Choice) else pieces(item)
    elif isinstance(node, Repeat):
        yield from _repeated(node)


def _repeated(node: Repeat) -> Iterator[Piece]:
    if (node.least, node.most) == (0, 1):
        yield from _bracketed(node.item, "[ ", " ]")
        return
    if node.least == node.most:
        times = str(node.least)
    else:
        times = f"{node.least or ''}*{'' if node.most is None else node.most}"
    if isinstance(node.item, Literal | Octets | Reference):
        yield Piece("mark", times)
        yield from pieces(node.item)
    else:
        yield from _bracketed(node.item, f"{times}[ ", " ]")


def _bracketed(node: Node, before: str, after: str) -> Iterator[Piece]:
    yield Piece("mark", before)
    yield from pieces(node)
    yield Piece("mark", after)
