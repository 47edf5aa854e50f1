"""The coverage of a scheme's grammar by a set of texts: its alternatives, options, repetitions and parts.

Each of these elements is a grammar: that of the scheme, in which the element must be used. A text covers the element if
it derives from that grammar, as the independent recognizer decides. Neither the pattern and its automaton nor the
generated URLs are used: they work on expanded rules, whose alternatives are merged.

An element counts in each place where its rule is used: the ports of two `hostport` are two elements. A set of
characters of section 5 is one element, not one for each letter. A text that derives in several ways covers the
elements of all of them. Elements that the exclusions and second grammars of parts make impossible do not count: nothing
derives from their grammar.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from urlschemes import Registration, Scheme
from urlschemes.errors import members
from urlschemes.grammar.bnf import Choice, Literal, Node, Reference, Repeat, Sequence
from urlschemes_conformance.derivatives import EMPTY, NOTHING, State, either, state, then, times
from urlschemes_conformance.recognizer import Recognizer, series
from urlschemes_testing.generation import syntax_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeGuard

    from urlschemes import Registry
    from urlschemes.grammar.syntax import Syntax
    from urlschemes_testing.generation import Source

__all__ = ["GrammarCoverage"]


class GrammarCoverage:
    """The coverage of the grammar of `source` by the texts that are added.

        coverage = GrammarCoverage("gopher")
        coverage.add(texts)
        print(coverage)

    `elements` describes everything that can be covered, `reached` and `missing` the two parts of it; `texts` is the
    number of texts. Raises what `urls` raises for the name of a scheme.
    """

    def __init__(self, source: Source, *, registry: Registry | None = None) -> None:
        syntax = syntax_of(source, registry)
        self.name = source if isinstance(source, str) else _name(source, syntax)
        self.texts = 0
        self._rules = rules = _Rules(syntax)
        absent = {part.name: _Without(syntax, part.mark) for part in syntax.parts.values()}
        self._elements = [
            *(_Element(f"{name} absent", without, without.start, rules.start) for name, without in absent.items()),
            *rules.elements,
        ]

    def add(self, texts: Iterable[str]) -> None:
        """Add texts. Raises ValueError for a text that does not derive, TypeError for a str."""
        if isinstance(texts, str):
            raise TypeError("expected several texts, got a str: put it into a list")
        for text in members("texts", texts, str):
            derives = cache(partial(self._rules.accepts, text))
            if not derives(self._rules.start):
                raise ValueError(f"{text!r} does not derive")
            for each in self._elements:
                if not each.is_reached and derives(each.within):
                    each.is_reached = each.rules.accepts(text, each.state)
            self.texts += 1

    @property
    def elements(self) -> tuple[str, ...]:
        """Everything that can be covered, in the order of the rules. Equal alternatives of a rule have equal names."""
        return tuple(each.name for each in self._elements if each.is_reached or each.rules.is_live(each.state))

    @property
    def reached(self) -> tuple[str, ...]:
        """The elements that the texts cover."""
        return tuple(each.name for each in self._elements if each.is_reached)

    @property
    def missing(self) -> tuple[str, ...]:
        """The elements that they do not cover."""
        return tuple(each.name for each in self._elements if not each.is_reached and each.rules.is_live(each.state))

    @property
    def complete(self) -> bool:
        """Return True if the texts cover everything."""
        return not self.missing

    def __str__(self) -> str:
        return (
            f"{self.name}: {len(self.reached)} of {len(self.elements)} alternatives, options, repetitions and parts "
            f"reached by {self.texts} texts" + (f"; missing: {'; '.join(self.missing)}" if self.missing else "")
        )


def _name(source: Registration | Scheme | Syntax, syntax: Syntax) -> str:
    if isinstance(source, Registration):
        return source.scheme
    return source.name if isinstance(source, Scheme) else syntax.rule


@dataclass
class _Element:
    """An element. The texts that use it derive from `state` of `rules`.

    They all derive from `within`, too: the state of the alternative that the element is part of.
    """

    name: str
    rules: Recognizer
    state: State
    within: State
    is_reached: bool = False


class _Without(Recognizer):
    """The rules of a syntax, without the part of a mark."""

    def __init__(self, syntax: Syntax, mark: str) -> None:
        super().__init__(syntax)
        self.mark = mark

    def _with_part_rules(self, of: State, path: tuple[str, ...]) -> State:
        is_part = any(part.mark == self.mark for part in self.parts_at(path)[:1])
        return NOTHING if is_part else super()._with_part_rules(of, path)


class _Rules(Recognizer):
    """The rules of a syntax, and their elements."""

    def __init__(self, syntax: Syntax) -> None:
        super().__init__(syntax)
        self.shared = syntax.grammar.rules.keys() - syntax.own_rules.keys()
        self.elements = [*self.elements_of(Reference(syntax.rule), (), lambda whole: whole, self.start)]

    def elements_of(
        self, node: Node, path: tuple[str, ...], using: Callable[[State], State], within: State, *, counted: bool = True
    ) -> Iterator[_Element]:
        """Yield the elements at and below `node`.

        `using` returns the state of a whole text, for a state of `node`. `counted` says that the number of repetitions
        matters.
        """
        place, where = state("name", node, path), "/".join(path)

        def element(name: str, of: State) -> _Element:
            return _Element(name, self, using(of), within)

        inner_path = (*path, node.quoted if isinstance(node, Literal) else str(node))
        for part in self.parts_at(inner_path) if isinstance(node, Literal | Reference) else ():
            yield element(f"{part.name} present", state("some", place))
            yield element(f"{part.name} empty", EMPTY if self.nullable(place) else NOTHING)
        if isinstance(node, Reference):
            for rule in self.decoded_at(inner_path):
                counted = False
                yield from self.elements_of(
                    Reference(rule), inner_path, lambda of: using(state("decoded", place, of, "")), within
                )
            yield from self.elements_of(
                self.rules[node.name].node,
                inner_path,
                lambda of: using(self._with_part_rules(of, inner_path)),
                within,
                counted=counted,
            )
        elif isinstance(node, Choice):
            characters = [item for item in node.items if path[-1] in self.shared and _is_character(item)]
            others = [item for item in node.items if item not in characters]
            if characters and others:
                texts = "".join(item.text for item in characters)
                yield element(
                    f"{where}: one of {texts}", either(self.resolved(state("name", item, path)) for item in characters)
                )
            for item in others:
                taken = element(f"{where}: alternative {item}", state("name", item, path))
                yield taken
                yield from self.elements_of(item, path, using, taken.state, counted=counted)
        elif isinstance(node, Sequence):
            for index, item in enumerate(node.items):
                beside = series(node.items[:index], path), series(node.items[index + 1 :], path)
                yield from self.elements_of(item, path, partial(_between, *beside, using), within, counted=counted)
        elif isinstance(node, Repeat):
            turn, least, most = state("name", node.item, path), node.least, node.most
            names = ["not taken", "taken"] if most == 1 else ["none", "one", "several"]
            counts = [count for count in range(least, len(names)) if most is None or count <= most]
            for count in counts if counted and len(counts) > 1 else ():
                turns = state("times", turn, 2, most) if count == 2 else times(turn, count, count)
                yield element(f"{where}: {node} {names[count]}", turns)
            yield from self.elements_of(
                node.item, path, lambda of: using(state("turn", of, turn, least, most)), within, counted=counted
            )


def _between(before: State, after: State, using: Callable[[State], State], of: State) -> State:
    return using(then(before, then(of, after)))


def _is_character(node: Node) -> TypeGuard[Literal]:
    return isinstance(node, Literal) and len(node.text) == 1
