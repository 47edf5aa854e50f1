"""An independent opinion on whether a text derives from a BNF, to compare the fast pattern with.

`Recognizer` computes the derivative of the rules by each character in turn (Brzozowski, 1964), from the tree of the
notation. It uses no automaton, no regular expression and nothing of `urlschemes.grammar.pattern`. For a part with a
second grammar, two rules are derived in parallel: one by the characters, the other by the octets that they encode.
`derivations` tries all alternatives of the tree, and returns every division of a short text into parts.
"""

from __future__ import annotations

from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias

from urlschemes.grammar.bnf import Choice, Literal, Node, Octets, Reference, Repeat, Sequence
from urlschemes_conformance.characters import kinds, masks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes.grammar.part import Part
    from urlschemes.grammar.syntax import Syntax

__all__ = ["NOTHING", "Recognizer", "State", "derivations", "divide_by_pattern", "divides_alike"]

State: TypeAlias = tuple[Any, ...]
"""The rest of a derivation: a tuple with a tag."""

EMPTY: State = ("empty",)
NOTHING: State = ("nothing",)


class Recognizer:
    """Recognizes, slowly, the texts that derive from the rules of `syntax`.

    The exclusions and second grammars of its parts are respected. Repetitions of `uncounted_from` turns or more have no
    bound.
    """

    def __init__(self, syntax: Syntax, *, uncounted_from: float = inf) -> None:
        self.syntax = syntax
        self.uncounted_from = uncounted_from
        self.start: State = ("node", Reference(syntax.rule), ())
        self.unfold = cache(self._unfold)
        self.after = cache(self._after)
        self.nullable = cache(self._nullable)
        self.characters = [*map(chr, kinds(masks(syntax)))]
        self.live: set[State] = set()
        """States from which a text that derives can be reached, as far as they are known."""

    def accepts(self, text: str) -> bool:
        """Return True if `text` derives."""
        state = self.start
        for character in text:
            state = self.after(state, character)
            if state == NOTHING:
                return False
        return self.nullable(state)

    def viable(self, text: str) -> int:
        """Return the length of the longest prefix of `text` that begins a text that derives."""
        state = self.start
        for index, character in enumerate(text):
            state = self.after(state, character)
            if not self.is_live(state):
                return index
        return len(text)

    def is_live(self, state: State) -> bool:
        """Return True if a text that derives can be reached from `state`."""
        origin: dict[State, State | None] = {state: None, NOTHING: None}
        ahead = [state]
        for reached in ahead:  # grows; the nearest first
            if reached in self.live or self.nullable(reached):
                way: State | None = reached
                while way is not None:
                    self.live.add(way)
                    way = origin[way]
                return True
            for character in self.characters:
                following = self.after(reached, character)
                if following not in origin:
                    origin[following] = reached
                    ahead.append(following)
        return False

    def _unfold(self, state: State) -> State:
        _, node, path = state
        if isinstance(node, Reference):
            inner_path = (*path, node.name)
            return self._with_part_rules(("node", self.syntax.grammar.rules[node.name].node, inner_path), inner_path)
        if isinstance(node, Literal):
            return self._with_part_rules(("text", node.text.lower()), (*path, str(node)))
        if isinstance(node, Octets):
            return ("octet", node.low, node.high)
        if isinstance(node, Repeat):
            is_counted = node.most is not None and node.most < self.uncounted_from
            return ("times", ("node", node.item, path), node.least, node.most if is_counted else None)
        if isinstance(node, Choice):
            return ("or", frozenset(("node", item, path) for item in node.items))
        assert isinstance(node, Sequence)
        state = EMPTY
        for item in reversed(node.items):
            state = _then(("node", item, path), state)
        return state

    def _with_part_rules(self, state: State, path: tuple[str, ...]) -> State:
        parts = [part for part in self.syntax.parts.values() if any(path[-len(at) :] == at for at in part.at)]
        octets = frozenset[int]().union(*(part.exclude for part in parts))
        if octets:
            state = ("without", state, octets, "")
        for rule in {part.decoded for part in parts if part.decoded}:
            state = ("decoded", state, ("node", Reference(rule), path), "")
        return state

    def _nullable(self, state: State) -> bool:
        kind = state[0]
        if kind == "node":
            return self.nullable(self.unfold(state))
        if kind == "or":
            return any(map(self.nullable, state[1]))
        if kind == "then":
            return self.nullable(state[1]) and self.nullable(state[2])
        if kind == "times":
            return state[2] == 0 or self.nullable(state[1])
        if kind == "without":
            return self.nullable(state[1])
        if kind == "decoded":
            return not state[3] and self.nullable(state[1]) and self.nullable(state[2])
        return state == EMPTY

    def _after(self, state: State, character: str) -> State:
        kind = state[0]
        if kind == "node":
            return self.after(self.unfold(state), character)
        if kind == "text":
            same = character.isascii() and character.lower() == state[1][0]
            return (("text", state[1][1:]) if state[1][1:] else EMPTY) if same else NOTHING
        if kind == "or":
            return _either(self.after(item, character) for item in state[1])
        if kind == "then":
            first = _then(self.after(state[1], character), state[2])
            return _either((first, self.after(state[2], character))) if self.nullable(state[1]) else first
        if kind == "times":
            _, item, least, most = state
            if most == 0:
                return NOTHING
            rest = ("times", item, max(least - 1, 0), None if most is None else most - 1)
            return _then(self.after(item, character), rest)
        if kind == "octet":
            return EMPTY if state[1] <= ord(character) <= state[2] else NOTHING
        if kind == "without":
            return self._without(state, character)
        if kind == "decoded":
            return self._decoded(state, character)
        return NOTHING

    def _without(self, state: State, character: str) -> State:
        _, inner, octets, partial = state
        inner = self.after(inner, character)
        if inner == NOTHING:
            return NOTHING
        octet, partial = _octet(partial + character)
        return NOTHING if octet in octets else ("without", inner, octets, partial)

    def _decoded(self, state: State, character: str) -> State:
        """Derive the rule by the character, and the second grammar by the octet once it is complete."""
        _, inner, second, partial = state
        inner = self.after(inner, character)
        if inner == NOTHING:
            return NOTHING
        octet, partial = _octet(partial + character)
        if octet is not None:
            second = self.after(second, chr(octet))
        return NOTHING if second == NOTHING else ("decoded", inner, second, partial)


def _octet(written: str) -> tuple[int | None, str]:
    """Return the octet that `written` encodes and "", or None and an escape that is incomplete."""
    if written[0] != "%":
        return ord(written), ""
    if len(written) < 3:
        return None, written
    return int(written[1:], 16), ""


def _then(first: State, second: State) -> State:
    if NOTHING in (first, second):
        return NOTHING
    if first == EMPTY:
        return second
    if second == EMPTY:
        return first
    if first[0] == "then":
        return ("then", first[1], _then(first[2], second))
    return ("then", first, second)


def _either(states: Any) -> State:
    flat: set[State] = set()
    for state in states:
        flat |= state[1] if state[0] == "or" else {state}
    flat.discard(NOTHING)
    if not flat:
        return NOTHING
    return flat.pop() if len(flat) == 1 else ("or", frozenset(flat))


Spans: TypeAlias = frozenset[tuple[str, int, int]]
"""The parts of a derivation: the mark of each occurrence, its start and its end."""


def derivations(syntax: Syntax, text: str) -> set[Spans]:
    """Return every division of `text` into parts that the BNF allows; none if it does not derive."""
    return {
        spans for end, spans in _AllDerivations(syntax, text).node(Reference(syntax.rule), (), 0) if end == len(text)
    }


class _AllDerivations:
    """All derivations of one text. If it is not `encoded`, its characters are octets, and `%` begins no escape."""

    def __init__(self, syntax: Syntax, text: str, *, encoded: bool = True) -> None:
        self.syntax = syntax
        self.text = text
        self.encoded = encoded
        self.node = cache(self._node)

    def _node(self, node: Node, path: tuple[str, ...], start: int) -> frozenset[tuple[int, Spans]]:
        if isinstance(node, Reference):
            path = (*path, node.name)
            return self.marked(self.node(self.syntax.grammar.rules[node.name].node, path, start), path, start)
        if isinstance(node, Literal):
            end = start + len(node.text)
            same = self.text[start:end].lower() == node.text.lower()
            return self.marked(frozenset({(end, frozenset())}) if same else frozenset(), (*path, str(node)), start)
        if isinstance(node, Octets):
            here = self.text[start : start + 1]
            same = here != "" and node.low <= ord(here) <= node.high
            return frozenset({(start + 1, frozenset())}) if same else frozenset()
        if isinstance(node, Choice):
            return frozenset().union(*(self.node(item, path, start) for item in node.items))
        ways: set[tuple[int, Spans]] = {(start, frozenset())}
        if isinstance(node, Sequence):
            for item in node.items:
                ways = self.continued(ways, item, path)
            return frozenset(ways)
        assert isinstance(node, Repeat)
        found = set(ways) if node.least == 0 else set()
        count = 0
        while ways and (node.most is None or count < node.most):
            # A repetition of the empty text adds nothing, unless it marks a part as present and empty.
            ways = {way for way in self.continued(ways, node.item, path) if way not in found}
            count += 1
            if count >= node.least:
                found |= ways
        return frozenset(found)

    def continued(self, ways: set[tuple[int, Spans]], node: Node, path: tuple[str, ...]) -> set[tuple[int, Spans]]:
        return {(end, marks | more) for at, marks in ways for end, more in self.node(node, path, at)}

    def marked(
        self, ways: frozenset[tuple[int, Spans]], path: tuple[str, ...], start: int
    ) -> frozenset[tuple[int, Spans]]:
        part = next((p for p in self.syntax.parts.values() if any(path[-len(at) :] == at for at in p.at)), None)
        if part is None:
            return ways
        found = set()
        for end, marks in ways:
            octets, places = self.octets(start, end)
            if part.exclude.isdisjoint(octets):
                spans = marks | {(part.mark, start, end)}
                found |= {(end, spans | more) for more in self.second(part, path, octets, places)}
        return frozenset(found)

    def second(self, part: Part, path: tuple[str, ...], octets: list[int], places: list[int]) -> Iterator[Spans]:
        """Yield the spans of each derivation of the octets of `part` by its second grammar, if it has one."""
        if part.decoded is None:
            yield frozenset()
            return
        inner = _AllDerivations(self.syntax, "".join(map(chr, octets)), encoded=False)
        for end, marks in inner.node(Reference(part.decoded), path, 0):
            if end == len(octets):
                yield frozenset((mark, places[first], places[last]) for mark, first, last in marks)

    def octets(self, start: int, end: int) -> tuple[list[int], list[int]]:
        """Return the octets from `start` to `end`, and the positions at which they begin and the last one ends."""
        octets, places, partial = [], [start], ""
        for index in range(start, end):
            octet, partial = _octet(partial + self.text[index]) if self.encoded else (ord(self.text[index]), "")
            if octet is not None:
                octets.append(octet)
                places.append(index + 1)
        return octets, places


def divide_by_pattern(syntax: Syntax, text: str) -> Spans | None:
    """Return the division of `text` by the pattern; None if it does not match."""
    match = syntax.fullmatch(text)
    if match is None:
        return None
    spans = {(part.mark, syntax.span(match, part.name)) for part in syntax.parts.values()}
    return frozenset((mark, *span) for mark, span in spans if span is not None)


def divides_alike(syntax: Syntax, text: str) -> bool:
    """Return True if the pattern divides `text` in one of the ways that the BNF allows."""
    return divide_by_pattern(syntax, text) in derivations(syntax, text)
