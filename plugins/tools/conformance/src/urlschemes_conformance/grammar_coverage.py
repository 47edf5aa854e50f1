"""The coverage of a scheme's grammar by a set of texts: its alternatives, options, repetitions and parts.

Each text is derived from the tree of the notation, with a chart of which node derives which piece of the text. Neither
the pattern and its automaton nor the strategies are used: they work on expanded rules, whose alternatives are merged.

An element counts in each place where its rule is used: the ports of two `hostport` are two elements. A set of
characters of section 5 is one element, not one for each letter. A text that derives in several ways covers the
elements of all of them. Elements that the exclusions and second grammars of parts make impossible do not count.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from urlschemes import Registration, Scheme
from urlschemes.errors import members
from urlschemes.grammar.bnf import Choice, Literal, Node, Octets, Reference, Repeat
from urlschemes_testing.generation import syntax_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from urlschemes import Registry
    from urlschemes.grammar.part import Part
    from urlschemes.grammar.syntax import Syntax
    from urlschemes_testing.generation import Source

__all__ = ["GrammarCoverage"]

LARGEST = 1_000
"""Texts of a node that are tried one by one, to see which of them an exclusion permits."""


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
        self._grammar = _Grammar(syntax)
        self._elements = dict(self._grammar.elements())
        self._reached: set[_Element] = set()

    def add(self, texts: Iterable[str]) -> None:
        """Add texts. Raises ValueError for a text that does not derive, TypeError for a str."""
        if isinstance(texts, str):
            raise TypeError("expected several texts, got a str: put it into a list")
        for text in members("texts", texts, str):
            self._reached |= self._grammar.reached(text)
            self.texts += 1

    @property
    def elements(self) -> tuple[str, ...]:
        """Everything that can be covered, in the order of the rules. Equal alternatives of a rule have equal names."""
        return tuple(self._elements.values())

    @property
    def reached(self) -> tuple[str, ...]:
        """The elements that the texts cover."""
        return tuple(description for element, description in self._elements.items() if element in self._reached)

    @property
    def missing(self) -> tuple[str, ...]:
        """The elements that they do not cover."""
        return tuple(description for element, description in self._elements.items() if element not in self._reached)

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


class _Place:
    """An occurrence of a node of the notation, within the rules of `path`."""

    def __init__(self, node: Node, path: tuple[str, ...], parts: Sequence[Part], items: Sequence[_Place]) -> None:
        self.node = node
        self.path = path
        self.parts = parts
        self.items = items
        self.second_grammar: _Place | None = None
        """The second grammar, from which the decoded octets derive."""
        self.is_shared = False
        """True within a rule of the profile, which every scheme may use."""

    @cached_property
    def excluded(self) -> frozenset[int]:
        return frozenset[int]().union(*(part.exclude for part in self.parts))

    @cached_property
    def character_set(self) -> frozenset[str]:
        """The characters of a choice that count as one alternative."""
        if not isinstance(self.node, Choice) or not self.is_shared:
            return frozenset()
        singles = [item.text for item in self.node.items if isinstance(item, Literal) and len(item.text) == 1]
        return frozenset(case for text in singles for case in (text.lower(), text.upper()))

    @cached_property
    def alternatives(self) -> Sequence[_Place]:
        """The alternatives of a choice that count separately."""
        return [
            item for item in self.items if not (isinstance(item.node, Literal) and item.node.text in self.character_set)
        ]

    @cached_property
    def language(self) -> frozenset[str] | None:
        """All texts that derive, or None if there are many; letters of longer literals in one case."""
        node = self.node
        if isinstance(node, Literal):
            both_cases = len(node.text) == 1 and not node.sensitive
            return frozenset({node.text, node.text.lower(), node.text.upper()} if both_cases else {node.text})
        if isinstance(node, Octets):
            return frozenset(map(chr, range(node.low, node.high + 1)))
        if isinstance(node, Repeat):
            return None
        each = [item.language for item in self.items]
        if isinstance(node, Choice | Reference):
            return None if None in each else frozenset[str]().union(*(texts for texts in each if texts))
        size = 1
        for texts in each:
            size *= LARGEST + 1 if texts is None else len(texts)
        return (
            None if size > LARGEST else frozenset("".join(text) for text in product(*(texts or () for texts in each)))
        )


_Element = tuple[_Place, str]
"""A place, and one of the states that a derivation can give it."""


class _Grammar:
    """The rules of a syntax, expanded to places."""

    def __init__(self, syntax: Syntax) -> None:
        self.rules = syntax.grammar.rules
        self.shared = syntax.profile.grammar.rules.keys()
        self.parts = list(syntax.parts.values())
        self.start = self._place(Reference(syntax.rule), ())

    def _place(self, node: Node, path: tuple[str, ...]) -> _Place:
        if isinstance(node, Reference):
            path = (*path, node.name)
            place = _Place(node, path, self._parts_at(path), [self._place(self.rules[node.name].node, path)])
            for rule in {part.decoded for part in self.parts if part.decoded and part.decodes(path)}:
                place.second_grammar = self._place(Reference(rule), path)
            return place
        if isinstance(node, Literal):
            return _Place(node, path, self._parts_at((*path, node.quoted)), [])
        if isinstance(node, Octets):
            return _Place(node, path, [], [])
        inner = [node.item] if isinstance(node, Repeat) else node.items  # type: ignore[attr-defined]
        place = _Place(node, path, [], [self._place(item, path) for item in inner])
        place.is_shared = path[-1] in self.shared
        return place

    def _parts_at(self, path: tuple[str, ...]) -> list[Part]:
        return [part for part in self.parts if any(path[-len(at) :] == at for at in part.at)]

    def reached(self, text: str) -> set[_Element]:
        """Return the elements in the derivations of `text`. Raises ValueError if there is none."""
        chart = _Chart(text)
        if len(text) not in chart.ends(self.start, 0):
            raise ValueError(f"{text!r} does not derive")
        chart.visit(self.start, 0, len(text))
        present = {part.name for place, _ in chart.reached for part in place.parts}
        absent = {(self.start, f"{part.name} absent") for part in self.parts if part.name not in present}
        return chart.reached | absent

    def elements(self) -> Iterator[tuple[_Element, str]]:
        """Yield every element that can be covered, with its description."""
        for part in self.parts:
            if self._avoids(self.start, part):
                yield (self.start, f"{part.name} absent"), f"{part.name} absent"
        yield from self._within(self.start, frozenset(), encoded=True, counted=True)

    def _avoids(self, place: _Place, part: Part) -> bool:
        """Return True if some text derives without the part."""
        if part in place.parts:
            return False
        if place.second_grammar is not None and not self._avoids(place.second_grammar, part):
            return False
        if isinstance(place.node, Choice):
            return any(self._avoids(item, part) for item in place.items)
        if isinstance(place.node, Repeat) and place.node.least == 0:
            return True
        return all(self._avoids(item, part) for item in place.items)

    def _within(
        self, place: _Place, without: frozenset[int], *, encoded: bool, counted: bool
    ) -> Iterator[tuple[_Element, str]]:
        """Yield the elements at and below `place` that texts without the octets `without` can cover.

        `encoded` says that octets may be written as escapes; `counted` that the number of repetitions matters.
        """
        without |= place.excluded
        for part in place.parts:
            yield (place, f"{part.name} present"), f"{part.name} present"
            if _may_be_empty(place):
                yield (place, f"{part.name} empty"), f"{part.name} empty"
        if place.second_grammar is not None:
            writes = {octet for text in place.items[0].language or _units(place) for octet, _ in _octets(text, 0)}
            holds = _alphabet(place.second_grammar)
            yield from self._within(
                place.second_grammar, frozenset(range(256)) - writes | without, encoded=False, counted=True
            )
            without, counted = without | frozenset(range(256)) - holds, False
        node = place.node
        if without and place.language is not None and all(_is_octet(text, encoded=encoded) for text in place.language):
            yield from self._permitted(place, without, encoded=encoded)
            return
        if isinstance(node, Repeat):
            possible = _possible(place.items[0], without, encoded=encoded)
            states = [state for state in _states(node) if possible or state in {"none", "not taken"}]
            if counted and len(states) > 1:
                yield from (((place, state), _describe(place, state)) for state in states)
            if not possible:
                return
        if isinstance(node, Choice):
            if place.character_set and place.alternatives:
                letters = "".join(
                    item.text for item in node.items if isinstance(item, Literal) and item.text in place.character_set
                )
                yield (place, "character_set"), _describe(place, f"one of {letters}")
            for item in place.alternatives:
                if _possible(item, without, encoded=encoded):
                    yield (item, "taken"), _describe(place, f"alternative {item.node}")
                    yield from self._within(item, without, encoded=encoded, counted=counted)
            return
        for item in place.items:
            yield from self._within(item, without, encoded=encoded, counted=counted)

    def _permitted(self, place: _Place, without: frozenset[int], *, encoded: bool) -> Iterator[tuple[_Element, str]]:
        """Yield the elements of a set of characters and escapes that an exclusion permits."""
        every = dict(self._within(place, frozenset(), encoded=encoded, counted=True))
        left: set[_Element] = set()
        for text in sorted(place.language or ()):
            if _octet(text, encoded=encoded) not in without:
                chart = _Chart(text)
                chart.visit(place, 0, len(text))
                left |= chart.reached
        yield from ((element, description) for element, description in every.items() if element in left)


class _Chart:
    """The pieces of a text that the places of a grammar derive."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.known: dict[tuple[_Place, int], frozenset[int]] = {}
        self.visited: set[tuple[_Place, int, int]] = set()
        self.reached: set[_Element] = set()
        self.decoded_charts: dict[int, tuple[_Chart, dict[int, int]]] = {}

    def ends(self, place: _Place, start: int) -> frozenset[int]:
        """Return the ends of the pieces that `place` derives from `start` on."""
        known = self.known.get((place, start))
        if known is None:
            known = self._ends(place, start)
            if known and place.excluded:
                known &= {start} | self._free_ends(start, place.excluded)
            if known and place.second_grammar is not None:
                chart, places = self._decoded_chart(start)
                inner = chart.ends(place.second_grammar, 0)
                known = frozenset(end for end in known if places.get(end) in inner)
            self.known[place, start] = known
        return known

    def _ends(self, place: _Place, start: int) -> frozenset[int]:
        node = place.node
        if isinstance(node, Literal):
            end = start + len(node.text)
            return frozenset({end} if _same(self.text[start:end], node) else ())
        if isinstance(node, Octets):
            here = self.text[start : start + 1]
            return frozenset({start + 1} if here and node.low <= ord(here) <= node.high else ())
        if isinstance(node, Choice):
            found = {start + 1} if self.text[start : start + 1] in place.character_set else set[int]()
            return frozenset(found.union(*(self.ends(item, start) for item in place.alternatives)))
        if isinstance(node, Repeat):
            return frozenset(end for count, end in self._turns(place, start) if count >= node.least)
        ends = frozenset({start})
        for item in place.items:
            ends = frozenset(end for at in ends for end in self.ends(item, at))
        return ends

    def _free_ends(self, start: int, octets: frozenset[int]) -> set[int]:
        """Return the ends of the pieces from `start` on that contain none of `octets`."""
        ends = set()
        for octet, end in _octets(self.text, start):
            if octet in octets:
                break
            ends.add(end)
        return ends

    def _decoded_chart(self, start: int) -> tuple[_Chart, dict[int, int]]:
        """Return the chart of the decoded octets from `start` on, and its positions by those of this chart."""
        if start not in self.decoded_charts:
            octets = list(_octets(self.text, start))
            places = {start: 0} | {end: index for index, (_, end) in enumerate(octets, 1)}
            self.decoded_charts[start] = _Chart("".join(chr(octet) for octet, _ in octets)), places
        return self.decoded_charts[start]

    def _turns(self, place: _Place, start: int) -> dict[tuple[int, int], set[tuple[int, int]]]:
        """Return the numbers and ends of turns of a repetition, each with the turns that may precede it.

        An unbounded repetition counts turns up to two, or up to its minimum.
        """
        node = place.node
        assert isinstance(node, Repeat)
        most = max(node.least, 2) if node.most is None else node.most
        turns: dict[tuple[int, int], set[tuple[int, int]]] = {(0, start): set()}
        ahead = [(0, start)]
        while ahead:
            count, at = ahead.pop()
            if count == most and node.most is not None:
                continue
            for end in self.ends(place.items[0], at):
                turn = (min(count + 1, most), end)
                if turn == (count, at):
                    continue
                if turn not in turns:
                    turns[turn] = set()
                    ahead.append(turn)
                turns[turn].add((count, at))
        return turns

    def visit(self, place: _Place, start: int, end: int) -> None:
        """Collect the elements in the derivations of the piece from `start` to `end`; there is at least one."""
        if (place, start, end) in self.visited:
            return
        self.visited.add((place, start, end))
        for part in place.parts:
            self.reached.add((place, f"{part.name} {'present' if end > start else 'empty'}"))
        if place.second_grammar is not None:
            chart, places = self._decoded_chart(start)
            chart.visit(place.second_grammar, 0, places[end])
            self.reached |= chart.reached
        node = place.node
        if isinstance(node, Choice):
            if end == start + 1 and self.text[start] in place.character_set:
                self.reached.add((place, "character_set"))
            for item in place.alternatives:
                if end in self.ends(item, start):
                    self.reached.add((item, "taken"))
                    self.visit(item, start, end)
        elif isinstance(node, Repeat):
            self._visit_turns(place, start, end)
        elif not isinstance(node, Literal | Octets):
            self._visit_series(place.items, start, end)

    def _visit_series(self, items: Sequence[_Place], start: int, end: int) -> None:
        ahead = [frozenset({start})]
        for item in items:
            ahead.append(frozenset(stop for at in ahead[-1] for stop in self.ends(item, at)))
        stops = frozenset({end})
        for item, before in zip(reversed(items), reversed(ahead[:-1]), strict=True):
            pairs = [(at, stop) for at in before for stop in self.ends(item, at) & stops]
            for at, stop in pairs:
                self.visit(item, at, stop)
            stops = frozenset(at for at, _ in pairs)

    def _visit_turns(self, place: _Place, start: int, end: int) -> None:
        node = place.node
        assert isinstance(node, Repeat)
        turns = self._turns(place, start)
        back = [(count, stop) for count, stop in turns if stop == end and count >= node.least]
        names = ("not taken", "taken", "taken") if node.most == 1 else ("none", "one", "several")
        self.reached |= {(place, names[min(count, 2)]) for count, _ in back}
        seen = set(back)
        while back:
            turn = back.pop()
            for before in turns[turn]:
                self.visit(place.items[0], before[1], turn[1])
                if before not in seen:
                    seen.add(before)
                    back.append(before)


def _same(text: str, literal: Literal) -> bool:
    return text == literal.text or (not literal.sensitive and text.isascii() and text.lower() == literal.text.lower())


def _octets(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the octets that `text` encodes from `start` on, each with its end, up to the first invalid escape."""
    while start < len(text):
        if text[start] != "%":
            octet, start = ord(text[start]), start + 1
        elif len(text) < start + 3 or not all(
            digit in "0123456789ABCDEFabcdef" for digit in text[start + 1 : start + 3]
        ):
            return
        else:
            octet, start = int(text[start + 1 : start + 3], 16), start + 3
        yield octet, start


def _is_octet(text: str, *, encoded: bool) -> bool:
    """Return True if `text` encodes one octet."""
    return len(text) == 1 or (encoded and [end for _, end in _octets(text, 0)] == [3])


def _octet(text: str, *, encoded: bool) -> int:
    return next(_octets(text, 0))[0] if encoded and len(text) == 3 else ord(text)


def _possible(place: _Place, without: frozenset[int], *, encoded: bool) -> bool:
    """Return True if `place` derives some text that contains no octet of `without`."""
    without |= place.excluded
    if place.language is not None and all(_is_octet(text, encoded=encoded) for text in place.language):
        return any(_octet(text, encoded=encoded) not in without for text in place.language)
    if isinstance(place.node, Literal):
        return without.isdisjoint(place.node.text.encode())
    if isinstance(place.node, Choice):
        return any(_possible(item, without, encoded=encoded) for item in place.items)
    if isinstance(place.node, Repeat) and place.node.least == 0:
        return True
    return all(_possible(item, without, encoded=encoded) for item in place.items)


def _may_be_empty(place: _Place) -> bool:
    if place.second_grammar is not None and not _may_be_empty(place.second_grammar):
        return False
    if isinstance(place.node, Literal | Octets):
        return False
    if isinstance(place.node, Choice):
        return any(map(_may_be_empty, place.items))
    return (isinstance(place.node, Repeat) and place.node.least == 0) or all(map(_may_be_empty, place.items))


def _alphabet(place: _Place) -> frozenset[int]:
    """Return the octets in the texts that a place of a second grammar derives."""
    if isinstance(place.node, Literal):
        text = place.node.text
        return frozenset((text if place.node.sensitive else text.lower() + text.upper()).encode())
    if isinstance(place.node, Octets):
        return frozenset(range(place.node.low, place.node.high + 1))
    return frozenset[int]().union(*map(_alphabet, place.items))


def _units(place: _Place) -> frozenset[str]:
    """Return the characters and escapes of which a part with a second grammar consists."""
    return place.language if place.language is not None else frozenset[str]().union(*map(_units, place.items))


def _states(node: Repeat) -> list[str]:
    """Return the states of a repetition."""
    if node.most == 1:
        return ["not taken", "taken"] if node.least == 0 else []
    bound = 2 if node.most is None else min(node.most, 2)
    return [
        state for count, state in enumerate(("none", "one", "several")) if node.least <= count <= bound or count == 2
    ]


def _describe(place: _Place, state: str) -> str:
    if isinstance(place.node, Choice):
        return f"{'/'.join(place.path)}: {state}"
    return f"{'/'.join(place.path)}: {place.node} {state}"
