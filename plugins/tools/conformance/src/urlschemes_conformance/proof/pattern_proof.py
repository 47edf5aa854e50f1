"""The proof that a pattern and a table say the same of every text: if it is a URL, and where its parts stand."""

from __future__ import annotations

from functools import cache, reduce
from itertools import count, islice
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from urlschemes_conformance.proof.pattern_machine import Machine, Thread
from urlschemes_conformance.proof.product import Proof, search
from urlschemes_conformance.proof.table_reading import TableReading, bit
from urlschemes_tables.table import ABSENT, POSITION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from urlschemes.grammar.syntax import Syntax
    from urlschemes_tables import Table

__all__ = ["prove_pattern"]


def prove_pattern(syntax: Syntax, table: Table) -> Proof:
    """Compare the pattern with the table: the same texts, and in each the same parts at the same places.

    Raises NotProven.
    """
    return _PatternAndTable(syntax, table).search()


class _Both(NamedTuple):
    """A state of the machine and one of the table.

    The symbol of a position in the tags of a thread is a place: the set of registers that hold it, as far as they may
    become that tag, as a mask of `bit`. More than that the table does not know of it.
    """

    threads: tuple[Thread, ...]
    previous: int | None
    state: int


class _PatternAndTable:
    def __init__(self, syntax: Syntax, table: Table) -> None:
        self.reading = TableReading(table)
        self.content = table.content
        self.machine = Machine(syntax.pattern)
        numbers = {mark: number for number, mark in enumerate(table.marks)}
        self.parts = [
            (numbers[part.mark], [self.machine.groups[group] for group in syntax.groups[name]])
            for name, part in syntax.parts.items()
        ]
        sources, of_tag = self.reading.sources(), [0] * 2 * len(self.machine.groups)
        for number, groups in self.parts:
            for group in groups:
                of_tag[2 * group : 2 * group + 2] = sources[2 * number : 2 * number + 2]
        self.held = [[live & each for each in of_tag] for live in self.reading.live_registers()]
        """For each state and tag of the machine the registers whose positions may become that of the table's tag."""
        self.kinds: dict[tuple[int, int, int], int] = {}
        """The characters that neither tells apart: what the machine tests, the class of the table, the look behind."""
        for code, (number, behind) in enumerate(zip(self.content.class_of, self.machine.behind, strict=True)):
            kind = self.machine.sets_with(code), number, behind
            self.kinds[kind] = self.kinds.get(kind, 0) | 1 << code
        self.characters: dict[tuple[int, int], int] = {}
        """For the sets that are tested, and those with the character, the first character that is like it."""
        self.advance = cache(self.machine.advance)

    def search(self) -> Proof:
        return search(_Both(self.machine.begin(), None, 1), self.agrees, self.ways)

    def agrees(self, both: _Both) -> bool:
        """Return True if pattern and table agree on the text that leads to `both`."""
        _, symbols = self.advance(_without_places(both.threads), both.previous, None)
        final = self.content.finals[both.state]
        if symbols is None or final is None:
            return symbols is None and final is None
        places, sources = _places(both.threads), dict(final)
        tags = [places[symbol] for symbol in symbols]  # type: ignore[index]
        for number, groups in self.parts:
            spans = (2 * group for group in groups if tags[2 * group + 1] is not None)
            first = next(spans, None)
            for end in (0, 1):
                held = None if first is None else tags[first + end]
                source = sources.get(2 * number + end, 2 * number + end)
                if source == ABSENT or held is None:
                    if source != ABSENT or held is not None:
                        return False
                elif not held & bit(source):
                    return False
        return True

    def ways(self, both: _Both) -> Iterator[tuple[int, _Both]]:
        """Yield the states after one character, found once for all that neither tells apart in `both`."""
        tested = reduce(or_, [self.machine.tested(thread.step) for thread in both.threads], 0)
        alike: dict[tuple[int, int], dict[int, int]] = {}
        for (sets, number, behind), mask in self.kinds.items():
            way = self.content.transitions[both.state * self.content.classes + number]
            found = alike.setdefault((sets & tested, way), {})
            found[behind] = found.get(behind, 0) | mask
        threads, places = _without_places(both.threads), _places(both.threads)
        for (sets, way), found in alike.items():
            code = self.characters.setdefault((tested, sets), next(iter(found.values())).bit_length() - 1)
            after, _ = self.advance(threads, both.previous, code)
            reached = self._reached(after, places, way, code)
            if reached is not None and reached.previous is None:
                yield sum(found.values()), reached
            elif reached is not None:
                for behind, mask in found.items():
                    yield mask, reached._replace(previous=behind)

    def _reached(self, threads: tuple[Thread, ...], places: list[int | None], way: int, code: int) -> _Both | None:
        """Return the states after a way of the table; `threads` have the numbers of `places` as symbols."""
        state, ops = self.reading.way(way)
        if not threads and not state:
            return None
        moved = [None if place is None else _moved(ops, place) for place in places]
        reached = []
        for step, inside, at_risk, tags, drops in threads:
            pairs = zip([moved[symbol] for symbol in tags], self.held[state], strict=False)  # type: ignore[index]
            held = tuple([None if place is None else place & mask for place, mask in pairs])
            reached.append(Thread(step, inside, at_risk, held, drops))
        is_looked_at = any(thread.step in self.machine.looks_behind for thread in reached)
        return _Both(tuple(reached), code if is_looked_at else None, state)


def _places(threads: tuple[Thread, ...]) -> list[int | None]:
    """Return the places in the tags of all threads; HERE, which is -1, is the last one."""
    return [*(place for thread in threads for place in thread.tags), bit(POSITION)]


def _without_places(threads: tuple[Thread, ...]) -> tuple[Thread, ...]:
    """Return the threads with the numbers of their places as symbols: the ways of a machine do not depend on places."""
    found, numbers = [], count()
    for step, inside, at_risk, tags, drops in threads:
        found.append(Thread(step, inside, at_risk, tuple(islice(numbers, len(tags))), drops))
    return tuple(found)


def _moved(ops: Sequence[tuple[int, int]], place: int) -> int:
    """Return the registers that hold a position after some ops, of those that hold it before."""
    for target, source in ops:
        place = place | bit(target) if place & bit(source) else place & ~bit(target)
    return place
