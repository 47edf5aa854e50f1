"""An independent opinion on whether a text derives from a BNF, to compare the fast pattern with.

`Recognizer` computes the derivative of the rules by each character in turn, from the tree of the notation. It uses no
automaton, no regular expression and nothing of `urlschemes.grammar.pattern`. For a part with a second grammar, two
rules are derived in parallel: one by the characters, the other by the octets that they encode.
`Divider` recognizes the places at which the rules allow a part.
"""

from __future__ import annotations

from functools import cache, cached_property, reduce
from typing import TYPE_CHECKING, TypeAlias

from urlschemes.grammar.bnf import Choice, Literal, Octets, Reference, Repeat, Sequence
from urlschemes_conformance.characters import both_cases
from urlschemes_conformance.derivatives import EMPTY, NOTHING, Derivatives, State, either, octets, then, times

if TYPE_CHECKING:
    from urlschemes.grammar.bnf import Grammar, Node
    from urlschemes.grammar.part import Part
    from urlschemes.grammar.syntax import Syntax

__all__ = ["Divider", "Divisions", "NodeRules", "Recognizer", "divide_by_pattern", "series"]


def series(nodes: tuple[Node, ...], path: tuple[str, ...]) -> State:
    """Return the state of nodes of the rule at `path`, one after the other."""
    return reduce(lambda rest, node: then(("name", node, path), rest), reversed(nodes), EMPTY)


def _literal(node: Literal) -> State:
    if len(node.text) == 1:
        return ("set", 1 << ord(node.text) if node.sensitive else both_cases(node.text))
    return ("exactly", node.text) if node.sensitive else ("text", node.text.lower())


class NodeRules(Derivatives):
    """The texts that derive from the rule `start` of a grammar."""

    def __init__(self, grammar: Grammar, start: str) -> None:
        super().__init__()
        self.rules = grammar.rules
        self.start = ("name", Reference(start), ())

    def _unfold(self, state: State) -> State:
        """Return the state of a node of the notation, which may have names within."""
        _, node, path = state
        if isinstance(node, Reference):
            inner_path = (*path, node.name)
            return self._with_part_rules(("name", self.rules[node.name].node, inner_path), inner_path)
        if isinstance(node, Literal):
            return self._with_part_rules(_literal(node), (*path, node.quoted))
        if isinstance(node, Octets):
            return octets(node.low, node.high)
        if isinstance(node, Repeat):
            return times(("name", node.item, path), node.least, node.most)
        if isinstance(node, Choice):
            return either(self.resolved(("name", item, path)) for item in node.items)
        assert isinstance(node, Sequence)
        return series(node.items, path)

    def resolved(self, state: State) -> State:
        """Return `state`, or the set of characters that it names."""
        named = state
        while named[0] == "name":
            named = self.unfold(named)
        return named if named[0] == "set" else state

    def _with_part_rules(self, state: State, path: tuple[str, ...]) -> State:  # noqa: ARG002  see Recognizer
        return state


class Recognizer(NodeRules):
    """Recognizes, slowly, the texts that derive from the rules of `syntax`.

    The exclusions and second grammars of its parts are respected.
    """

    def __init__(self, syntax: Syntax) -> None:
        super().__init__(syntax.grammar, syntax.rule)
        self.syntax = syntax
        self.is_live = cache(self._is_live)
        self.live: set[State] = set()
        """States of two rules from which a text that derives can be reached, as far as they are known."""

    @cached_property
    def characters(self) -> list[str]:
        """One character of each kind."""
        return sorted({*self.kind.values()})

    def viable(self, text: str) -> int:
        """Return the length of the longest prefix of `text` that begins a text that derives."""
        state = self.start
        for index, character in enumerate(text):
            state = self.after(state, self.kind.get(character, character))
            if not self.is_live(state):
                return index
        return len(text)

    def _is_live(self, state: State) -> bool:
        """Return True if a text that derives can be reached from `state`."""
        match state:
            case ("or", states):
                return any(map(self.is_live, states))
            case ("then", first, second):
                return self.is_live(first) and self.is_live(second)
            case ("times", item, least, _):
                return least == 0 or self.is_live(item)
            case ("turn", special, item, least, _):
                return self.is_live(special) and (least <= 1 or self.is_live(item))
            case ("some", inner):
                return any(self.is_live(self.after(inner, each)) for each in self.characters)
            case ("name", *_):
                return self.is_live(self.unfold(state))
            case ("decoded" | "without", *_):
                return self._leads_to_end(state)
            case _:
                return state != NOTHING

    def _leads_to_end(self, state: State) -> bool:
        """Search for a text: what two rules allow, one by one, they may not allow together."""
        seen = {state, NOTHING}
        way = [(state, iter(self.characters))]
        while way:
            reached, characters = way[-1]
            if reached in self.live or self.nullable(reached):
                self.live |= {each for each, _ in way}
                return True
            for character in characters:
                following = self.after(reached, character)
                inner = following[1:3] if state[0] == "decoded" else following[1:2]
                if following not in seen and all(map(self.is_live, inner)):
                    seen.add(following)
                    way.append((following, iter(self.characters)))
                    break
            else:
                way.pop()
        return False

    def parts_at(self, path: tuple[str, ...]) -> list[Part]:
        """Return the parts that what derives at `path` is."""
        return [part for part in self.syntax.parts.values() if any(path[-len(at) :] == at for at in part.at)]

    def decoded_at(self, path: tuple[str, ...]) -> set[str]:
        """Return the rules from which the decoded octets of what derives at `path` must derive."""
        return {part.decoded for part in self.syntax.parts.values() if part.decoded and part.decodes(path)}

    def _with_part_rules(self, state: State, path: tuple[str, ...]) -> State:
        excluded = frozenset[int]().union(*(part.exclude for part in self.parts_at(path)))
        if excluded:
            state = ("without", state, excluded, "")
        for rule in self.decoded_at(path):
            state = ("decoded", state, ("name", Reference(rule), path), "")
        return state


Spans: TypeAlias = frozenset[tuple[str, int, int]]
"""The parts of a text: the mark of each, its start and its end."""

BEGIN, END = "\u0100", "\u0101"
"""The marks in a text round a part."""


class Divider(Recognizer):
    """Recognizes texts with BEGIN and END round the part of the mark `mark`, or those without the part."""

    def __init__(self, syntax: Syntax, mark: str, *, is_present: bool) -> None:
        self.mark = mark
        self.is_present = is_present
        super().__init__(syntax)

    def _with_part_rules(self, state: State, path: tuple[str, ...]) -> State:
        state = super()._with_part_rules(state, path)
        if not any(part.mark == self.mark for part in self.parts_at(path)[:1]):
            return state
        return then(("exactly", BEGIN), then(state, ("exactly", END))) if self.is_present else NOTHING


class Divisions:
    """The divisions of texts into parts that the BNF of `syntax` allows."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax
        self.marks = {part.mark for part in syntax.parts.values()}
        self.divider = cache(Divider)

    def allow(self, text: str, spans: Spans) -> bool:
        """Return True if the BNF allows each part of `spans` at its place, and the other parts to be absent."""
        places = {mark: (start, end) for mark, start, end in spans}
        for mark in self.marks:
            marked = text
            if mark in places:
                start, end = places[mark]
                marked = f"{text[:start]}{BEGIN}{text[start:end]}{END}{text[end:]}"
            if not self.divider(self.syntax, mark, is_present=mark in places).accepts(marked):
                return False
        return True


def divide_by_pattern(syntax: Syntax, text: str) -> Spans | None:
    """Return the division of `text` by the pattern; None if it does not match."""
    match = syntax.regex.fullmatch(text)
    if match is None:
        return None
    spans = {(part.mark, syntax.span(match, part.name)) for part in syntax.parts.values()}
    return frozenset((mark, *span) for mark, span in spans if span is not None)
