"""The places of parts and hosts in a URL, and the characters that delimit a part."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from urlschemes.grammar.automaton import bits
from urlschemes.grammar.bnf import Choice, Literal, Reference, Repeat, Sequence
from urlschemes.grammar.octets import mask
from urlschemes.grammar.profile import RFC1738
from urlschemes.url.fault_place import first_state

if TYPE_CHECKING:
    import re

    from urlschemes.grammar.bnf import Node
    from urlschemes.grammar.rule_tree import Marked
    from urlschemes.grammar.syntax import Syntax

__all__ = ["Host", "delimiters", "host_positions", "hosts", "part_at", "places"]

_RESERVED_MASK = mask(RFC1738.reserved)


def host_positions(syntax: Syntax) -> int:
    """Return the positions of the automaton in hosts, also in hosts within a part, as in an article of news."""
    found = 0
    for position, leaf in enumerate(syntax.automaton.leaves):
        if "host" in leaf.path:
            found |= 1 << position
    for marked in syntax.automaton.marked:
        if marked.mark == "host":
            found |= marked.inside
    return found


class Host(NamedTuple):
    """A host of the rule `host` in a URL: its place, those of its labels or groups, and whether it is an address."""

    start: int
    end: int
    labels: list[tuple[int, int]]
    is_address: bool


def hosts(syntax: Syntax, text: str) -> list[Host]:
    """Return the hosts in the URL `text`, as they derive from the rules of section 3.1, also those within a part."""
    leaves = list(enumerate(syntax.automaton.leaves))
    inside = sum(1 << each for each, leaf in leaves if "host" in leaf.path)
    if not inside:
        return []
    address = sum(1 << each for each, leaf in leaves if "hostnumber" in leaf.path)
    dots = sum(1 << each for each, leaf in leaves if inside >> each & 1 and leaf.literal is not None)
    found: list[Host] = []
    for index, positions in enumerate(syntax.automaton.derivation(text, first_state(syntax, text))):
        if not positions or positions & ~inside:
            continue
        if not found or found[-1].end != index:
            found.append(Host(index, index, [(index, index)], is_address=not positions & ~address))
        labels = found[-1].labels
        if positions & dots:
            labels.append((index + 1, index + 1))
        else:
            labels[-1] = labels[-1][0], index + 1
        found[-1] = found[-1]._replace(end=index + 1)
    return found


def delimiters(syntax: Syntax, name: str) -> frozenset[str]:
    """Return the reserved characters that have a meaning of their own in the part `name` unless they are encoded.

    They are literals of the rule of the part, or come after the part. In a user name and a password they are those of
    section 3.1. A part that is decoded before it is read, as in mailto, has none.
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
    """Return the reserved characters that may come after the part."""
    inside, leaves, follow = marked.inside, syntax.automaton.leaves, syntax.automaton.follow
    masks = {leaves[other].mask for position in bits(marked.last) for other in bits(follow[position] & ~inside)}
    return {chr(code) for mask in masks if not mask & ~_RESERVED_MASK for code in bits(mask)}


def _literals(syntax: Syntax, rule: str) -> set[str]:
    """Return the reserved characters that `rule` has as literals, not in sets of characters."""
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
    return found & frozenset(RFC1738.reserved)


def places(syntax: Syntax, match: re.Match[str]) -> list[tuple[int, int, str]]:
    """Return the place and the name of each part of a URL that is not absent; outer parts come first."""
    spans = ((syntax.place(match, name), name) for name in syntax.parts)
    found = [(*span, name) for span, name in spans if span is not None]
    return sorted(found, key=lambda place: place[0] - place[1])


def part_at(places: list[tuple[int, int, str]], index: int) -> str | None:
    """Return the innermost part of the character at `index`; None outside of all parts."""
    return next((name for start, end, name in reversed(places) if start <= index < end), None)
