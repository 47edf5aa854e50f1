"""An independent opinion on whether a text derives from a BNF, to compare the fast pattern with.

`Recognizer` computes the derivative of the rules by each character in turn, from the tree of the notation. It uses no
automaton, no regular expression and nothing of `urlschemes.grammar.pattern`. For a part with a second grammar, two
rules are derived in parallel: one by the characters, the other by the octets that they encode.
`derivations` tries all alternatives of the tree, and returns every division of a short text into parts.
"""

from __future__ import annotations

from functools import cache
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from urlschemes.grammar.bnf import Choice, Literal, Node, Octets, Reference, Repeat, Sequence
from urlschemes_conformance.characters import both_cases, kinds
from urlschemes_conformance.derivatives import EMPTY, NOTHING, Derivatives, State, octet_of, then

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes.grammar.bnf import Grammar
    from urlschemes.grammar.syntax import Syntax

__all__ = ["NodeRules", "Recognizer", "derivations", "divide_by_pattern", "divides_alike"]


class NodeRules(Derivatives):
    """The texts that derive from the rule `start` of a grammar.

    Repetitions of `uncounted_from` turns or more have no bound.
    """

    def __init__(self, grammar: Grammar, start: str, *, uncounted_from: float = inf) -> None:
        super().__init__()
        self.uncounted_from = uncounted_from
        self.rules = grammar.rules
        self.start = ("name", Reference(start), ())

    def _unfold(self, state: State) -> State:
        """Return the state of a node of the notation, which may have names within."""
        _, node, path = state
        if isinstance(node, Reference):
            inner_path = (*path, node.name)
            return self._with_part_rules(("name", self.rules[node.name].node, inner_path), inner_path)
        if isinstance(node, Literal):
            literal = ("exactly", node.text) if node.sensitive else ("text", node.text.lower())
            return self._with_part_rules(literal, (*path, node.quoted))
        if isinstance(node, Octets):
            return ("octet", node.low, node.high)
        if isinstance(node, Repeat):
            is_counted = node.most is not None and node.most < self.uncounted_from
            return ("times", ("name", node.item, path), node.least, node.most if is_counted else None)
        if isinstance(node, Choice):
            return ("or", frozenset(("name", item, path) for item in node.items))
        assert isinstance(node, Sequence)
        whole = EMPTY
        for item in reversed(node.items):
            whole = then(("name", item, path), whole)
        return whole

    def _with_part_rules(self, state: State, path: tuple[str, ...]) -> State:  # noqa: ARG002  see Recognizer
        return state


class Recognizer(NodeRules):
    """Recognizes, slowly, the texts that derive from the rules of `syntax`.

    The exclusions and second grammars of its parts are respected.
    """

    def __init__(self, syntax: Syntax, *, uncounted_from: float = inf) -> None:
        super().__init__(syntax.grammar, syntax.rule, uncounted_from=uncounted_from)
        self.syntax = syntax
        self.characters = [*map(chr, kinds(self.masks()))]
        self.live: set[State] = set()
        """States from which a text that derives can be reached, as far as they are known."""

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

    def _with_part_rules(self, state: State, path: tuple[str, ...]) -> State:
        parts = [part for part in self.syntax.parts.values() if any(path[-len(at) :] == at for at in part.at)]
        octets = frozenset[int]().union(*(part.exclude for part in parts))
        if octets:
            state = ("without", state, octets, "")
        for rule in {part.decoded for part in self.syntax.parts.values() if part.decoded and part.decodes(path)}:
            state = ("decoded", state, ("name", Reference(rule), path), "")
        return state

    def masks(self) -> set[int]:
        """Return the sets of octets that the rules tell from others, or the exclusions do."""
        found = super().masks()
        for part in self.syntax.parts.values():
            found |= {1 << octet for octet in part.exclude}
            if part.exclude:  # octets are read from their escapes
                found |= set(map(both_cases, "0123456789abcdef"))
        return found

    def _nullable(self, state: State) -> bool:
        if state[0] == "without":
            return self.nullable(state[1])
        return super()._nullable(state)

    def _after(self, state: State, character: str) -> State:
        if state[0] == "without":
            return self._without(state, character)
        return super()._after(state, character)

    def _without(self, state: State, character: str) -> State:
        _, inner, octets, partial = state
        inner = self.after(inner, character)
        if inner == NOTHING:
            return NOTHING
        octet, partial = octet_of(partial + character)
        return NOTHING if octet in octets else ("without", inner, octets, partial)


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
            here = self.text[start:end]
            same = here == node.text or (not node.sensitive and here.lower() == node.text.lower())
            return self.marked(frozenset({(end, frozenset())}) if same else frozenset(), (*path, node.quoted), start)
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
        parts = self.syntax.parts.values()
        part = next((each for each in parts if any(path[-len(at) :] == at for at in each.at)), None)
        rule = next((each.decoded for each in parts if each.decodes(path)), None)
        if part is None and rule is None:
            return ways
        found = set()
        for end, marks in ways:
            octets, places = self.octets(start, end)
            if part is None or part.exclude.isdisjoint(octets):
                spans = marks if part is None else marks | {(part.mark, start, end)}
                found |= {(end, spans | more) for more in self.second(rule, path, octets, places)}
        return frozenset(found)

    def second(self, rule: str | None, path: tuple[str, ...], octets: list[int], places: list[int]) -> Iterator[Spans]:
        """Yield the spans of each derivation of the octets from the second grammar `rule`, if there is one."""
        if rule is None:
            yield frozenset()
            return
        inner = _AllDerivations(self.syntax, "".join(map(chr, octets)), encoded=False)
        for end, marks in inner.node(Reference(rule), path, 0):
            if end == len(octets):
                yield frozenset((mark, places[first], places[last]) for mark, first, last in marks)

    def octets(self, start: int, end: int) -> tuple[list[int], list[int]]:
        """Return the octets from `start` to `end`, and the positions at which they begin and the last one ends."""
        octets, places, partial = [], [start], ""
        for index in range(start, end):
            octet, partial = octet_of(partial + self.text[index]) if self.encoded else (ord(self.text[index]), "")
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
