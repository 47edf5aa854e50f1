"""An independent opinion on whether a text derives from a BNF, to compare the fast pattern with.

`Recognizer` computes the derivative of the rules by each character in turn, from the tree of the notation. It uses no
automaton, no regular expression and nothing of `urlschemes.grammar.pattern`. For a part with a second grammar, two
rules are derived in parallel: one by the characters, the other by the octets that they encode.
`Divider` recognizes the places at which the rules allow parts.
"""

from __future__ import annotations

from functools import cache, reduce
from typing import TYPE_CHECKING, TypeAlias

from urlschemes.grammar.bnf import Choice, Literal, Octets, Reference, Repeat, Sequence
from urlschemes_conformance.derivatives import (
    EMPTY,
    NOTHING,
    Derivatives,
    State,
    both_cases,
    either,
    octets,
    state,
    then,
    times,
)

if TYPE_CHECKING:
    from urlschemes.grammar.bnf import Grammar, Node
    from urlschemes.grammar.part import Part
    from urlschemes.grammar.syntax import Syntax

__all__ = ["Divider", "NodeRules", "Recognizer", "divide_by_pattern", "series"]


def series(nodes: tuple[Node, ...], path: tuple[str, ...]) -> State:
    """Return the state of nodes of the rule at `path`, one after the other."""
    return reduce(lambda rest, node: then(state("name", node, path), rest), reversed(nodes), EMPTY)


def _literal(node: Literal) -> State:
    if len(node.text) == 1:
        return state("set", 1 << ord(node.text) if node.sensitive else both_cases(node.text))
    return state("exactly", node.text) if node.sensitive else state("text", node.text.lower())


class NodeRules(Derivatives):
    """The texts that derive from the rule `start` of a grammar."""

    path_names: frozenset[str] = frozenset()
    """The names in the paths of states that matter. Without the others, states in different places are the same."""

    def __init__(self, grammar: Grammar, start: str) -> None:
        super().__init__()
        self.rules = grammar.rules
        self.start = state("name", Reference(start), ())

    def _unfold(self, named: State) -> State:
        """Return the state of a node of the notation, which may have names within."""
        _, node, path = named
        if isinstance(node, Reference):
            inner_path = self._below(path, node.name)
            return self._with_part_rules(state("name", self.rules[node.name].node, inner_path), inner_path)
        if isinstance(node, Literal):
            return self._with_part_rules(_literal(node), self._below(path, node.quoted))
        if isinstance(node, Octets):
            return octets(node.low, node.high)
        if isinstance(node, Repeat):
            return times(state("name", node.item, path), node.least, node.most)
        if isinstance(node, Choice):
            return either(self.resolved(state("name", item, path)) for item in node.items)
        assert isinstance(node, Sequence)
        return series(node.items, path)

    def _below(self, path: tuple[str, ...], name: str) -> tuple[str, ...]:
        """Return the path of `name` within `path`; "" stands for names that do not matter."""
        if name in self.path_names:
            return (*path, name)
        return path if path[-1:] == ("",) else (*path, "")

    def resolved(self, whole: State) -> State:
        """Return the state, or the set of characters that it names."""
        named = whole
        while named[0] == "name":
            named = self.unfold(named)
        return named if named[0] == "set" else whole

    def _with_part_rules(self, of: State, path: tuple[str, ...]) -> State:  # noqa: ARG002  see Recognizer
        return of


class Recognizer(NodeRules):
    """Recognizes, slowly, the texts that derive from the rules of `syntax`.

    The exclusions and second grammars of its parts are respected.
    """

    def __init__(self, syntax: Syntax) -> None:
        super().__init__(syntax.grammar, syntax.rule)
        self.syntax = syntax
        parts = syntax.parts.values()
        self.path_names = frozenset({name for part in parts for at in part.at for name in at}).union(
            [part.element for part in parts if part.element is not None]
        )
        self.is_live = cache(self._is_live)

    def viable(self, text: str) -> int:
        """Return the length of the longest prefix of `text` that begins a text that derives."""
        reached = self.start
        for index, character in enumerate(text):
            reached = self.after(reached, character)
            if not self.is_live(reached):
                return index
        return len(text)

    def _is_live(self, of: State) -> bool:
        """Return True if a text that derives can be reached from a state."""
        match of:
            case ("or", states):
                return any(map(self.is_live, states))
            case ("then", first, second):
                return self.is_live(first) and self.is_live(second)
            case ("times", item, least, _):
                return least == 0 or self.is_live(item)
            case ("turn", special, item, least, _):
                return self.is_live(special) and (least <= 1 or self.is_live(item))
            case ("some", inner):
                return any(map(self.is_live, self.row(inner)))
            case ("name", *_):
                return self.is_live(self.unfold(of))
            case ("decoded", *_):
                return self._leads_to_end(of)
            case _:
                return of is not NOTHING

    def _leads_to_end(self, of: State) -> bool:
        """Search for a text: what two rules allow, one by one, they may not allow together."""
        seen, ahead = {of}, [of]
        while ahead:
            reached = ahead.pop()
            if self.nullable(reached):
                return True
            more = {each for each in self.row(reached) if all(map(self.is_live, each[1:3]))} - seen
            seen |= more
            ahead += more
        return False

    def parts_at(self, path: tuple[str, ...]) -> list[Part]:
        """Return the parts that what derives at `path` is."""
        return [part for part in self.syntax.parts.values() if any(path[-len(at) :] == at for at in part.at)]

    def decoded_at(self, path: tuple[str, ...]) -> set[str]:
        """Return the rules from which the decoded octets of what derives at `path` must derive."""
        return {part.decoded for part in self.syntax.parts.values() if part.decoded and part.decodes(path)}

    def _with_part_rules(self, of: State, path: tuple[str, ...]) -> State:
        excluded = frozenset[int]().union(*(part.exclude for part in self.parts_at(path)))
        if excluded:
            allowed = state("set", (1 << 256) - 1 - sum(1 << octet for octet in excluded))
            of = state("decoded", of, times(allowed, 0, None), "")
        for rule in self.decoded_at(path):
            of = state("decoded", of, state("name", Reference(rule), path), "")
        return of


Spans: TypeAlias = frozenset[tuple[str, int, int]]
"""The parts of a text: the mark of each, its start and its end."""


class Divider(Recognizer):
    """Recognizes the places of parts: the rules have a sign before and behind each part, which is no octet."""

    def __init__(self, syntax: Syntax) -> None:
        marks = dict.fromkeys(part.mark for part in syntax.parts.values())
        self.signs = {mark: (chr(256 + 2 * number), chr(257 + 2 * number)) for number, mark in enumerate(marks)}
        super().__init__(syntax)

    def allows(self, text: str, spans: Spans) -> bool:
        """Return True if the BNF allows each part of `spans` at its place, and the other parts to be absent."""
        signs: list[set[str]] = [set() for _ in range(len(text) + 1)]
        for mark, *places in spans:
            for place, sign in zip(places, self.signs[mark], strict=True):
                signs[place].add(sign)
        reached = self._past(self.start, signs[0])
        for character, beyond in zip(text, signs[1:], strict=True):
            reached = self._past(self.after(reached, character), beyond)
        return self.nullable(reached)

    def _past(self, before: State, signs: set[str]) -> State:
        """Return the state after these signs, in any order."""
        if not signs or before is NOTHING:
            return before
        return either(self._past(self.after(before, each), signs - {each}) for each in signs)

    def _with_part_rules(self, of: State, path: tuple[str, ...]) -> State:
        of = super()._with_part_rules(of, path)
        for part in self.parts_at(path)[:1]:
            begin, end = (state("exactly", sign) for sign in self.signs[part.mark])
            is_optional = part.number and self.nullable(of)  # an empty number is an absent part
            of = either([then(begin, then(of, end)), *([EMPTY] if is_optional else [])])
        return of


def divide_by_pattern(syntax: Syntax, text: str) -> Spans | None:
    """Return the division of `text` by the pattern; None if it does not match."""
    match = syntax.regex.fullmatch(text)
    if match is None:
        return None
    spans = {(part.mark, syntax.span(match, part.name)) for part in syntax.parts.values()}
    return frozenset((mark, *span) for mark, span in spans if span is not None)
