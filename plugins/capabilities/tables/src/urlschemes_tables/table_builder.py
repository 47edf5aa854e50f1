"""Building the table of a tree: a deterministic automaton that notes where parts begin and end (Laurikari, 2000).

The tree becomes a graph of steps, whose alternatives have the order of the pattern's. A state of the table is the list
of the steps that may read the next character, the preferred one first, each with the versions of the tags passed on
the way to it: the first occurrence of a way counts, so that the table divides a text as the pattern does. A register
keeps one version of one tag.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from urlschemes.grammar.rule_tree import Characters, Element, Marked, Repeated, Series, Variants, occurrences
from urlschemes_tables.table import ABSENT, HEADER, MAGIC, POSITION, Table

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_STATES = 3_000
_MAX_WORK = 1_000_000
"""The maximum number of ways that are looked at: about a second."""
_MAX_REGISTERS = ABSENT
_MAX_NUMBER = 0xFFFF

_UNSET, _HERE = -1, -2
"""Versions of a tag: not passed, and passed just before the character that is read (or the end)."""

_Versions: TypeAlias = tuple[int, ...]
_Ways: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]
"""Steps, each with the tags on the way to it."""
_State: TypeAlias = tuple[tuple[int, _Versions], ...]
_Op: TypeAlias = tuple[int, int, int]
"""A tag, the version that is set, and the version that it is set from."""
_Edge: TypeAlias = tuple[int, tuple[_Op, ...]]

_NOWHERE: _Edge = (0, ())


class _TooLarge(Exception):
    pass


class _Step(NamedTuple):
    """A step: it reads a character of `mask`, or passes `tag`, or neither, and goes on at one of `after`."""

    mask: int | None
    tag: int | None
    after: list[int]


def build_table(tree: Element) -> Table | None:
    """Return the table of a tree that has a pattern; None if there is none, or it would be too large."""
    try:
        return _Builder(tree).table()
    except _TooLarge:
        return None


class _Builder:
    def __init__(self, tree: Element) -> None:
        self.steps: list[_Step] = []
        found = dict.fromkeys(marked.mark for marked in occurrences(tree))
        self.marks = {mark: number for number, mark in enumerate(found)}
        self.end = self.step(None, None, [])
        self.start = self.graph(tree, self.end)
        self.work = 0

    # The graph, from its end to its start

    def step(self, mask: int | None, tag: int | None, after: list[int]) -> int:
        self.steps.append(_Step(mask, tag, after))
        return len(self.steps) - 1

    def either(self, *ways: int) -> int:
        return self.step(None, None, [*ways])

    def graph(self, item: Element, after: int) -> int:
        """Add the steps of `item`, which go on at `after`, and return the first."""
        if isinstance(item, Characters):
            return self.step(item.mask, None, [after])
        if isinstance(item, Marked):
            number = self.marks[item.mark]
            inner = self.graph(item.item, self.step(None, 2 * number + 1, [after]))
            return self.step(None, 2 * number, [inner])
        if isinstance(item, Series):
            for each in reversed(item.items):
                after = self.graph(each, after)
            return after
        if isinstance(item, Variants):
            # As in the pattern, the variant that may be empty comes last.
            ordered = sorted(item.items, key=lambda each: each.nullable)
            return self.either(*[self.graph(each, after) for each in ordered])
        assert isinstance(item, Repeated)
        return self.repetition(item, after)

    def repetition(self, item: Repeated, after: int) -> int:
        inner, least, most = item.item, item.least, item.most
        if most == 1:
            taken = self.graph(inner, after)
            return taken if inner.nullable else self.either(taken, after)
        if most is not None:
            first = after
            for _ in range(most - least):
                first = self.either(self.graph(inner, first), after)
            return self.graph(inner, first) if least else first
        again = self.either()
        first = self.graph(inner, again)
        self.steps[again].after.extend((first, after))
        return first if least else again

    def ways(self, start: int) -> list[tuple[int, tuple[int, ...]]]:
        """Return the steps that may read next from `start` on (or are the end), each with the tags on the way."""
        found: dict[int, tuple[int, ...]] = {}
        seen: set[int] = set()
        ahead: list[tuple[int, tuple[int, ...]]] = [(start, ())]
        while ahead:
            number, tags = ahead.pop()
            if number in seen:
                continue
            seen.add(number)
            mask, tag, after = self.steps[number]
            if mask is not None or number == self.end:
                found[number] = tags
            else:
                tags = tags if tag is None else (*tags, tag)
                ahead += [(each, tags) for each in reversed(after)]
        self.work += len(seen)
        return [*found.items()]

    # The states

    def table(self) -> Table:
        readers = [number for number, step in enumerate(self.steps) if step.mask]
        ways = {number: self.ways(self.steps[number].after[0]) for number in readers}
        live = self.live(ways)
        begin = len(self.steps)  # stands for the step before the first
        ways[begin] = self.ways(self.start)
        ways = {number: [way for way in found if way[0] in live] for number, found in ways.items()}
        if not ways[begin]:
            raise _TooLarge  # no URL at all
        class_of, members = self.classes(live)
        numbers: dict[_Ways, int] = {}
        by_class = {
            step: [
                numbers.setdefault(tuple([way for way in found if way[0] in reading]), len(numbers))
                for reading in members
            ]
            for step, found in ways.items()
        }
        taken = [*numbers]
        tags = 2 * len(self.marks)
        first: _State = ((begin, (_UNSET,) * tags),)
        states: dict[_State, int] = {first: 1}
        order: list[_State] = [first]
        rows: list[list[_Edge]] = [[_NOWHERE] * len(members)]
        finals: list[_Versions | None] = [None]
        for state in order:  # grows
            finals.append(self.final(state, ways))
            row, known = [], {}
            for number in range(len(members)):
                alike = tuple([by_class[step][number] for step, _ in state])
                found = [taken[each] for each in alike]
                self.work += len(state) + sum(map(len, found))
                if self.work > _MAX_WORK:
                    raise _TooLarge
                if alike not in known:
                    known[alike] = self.after(state, found, tags)
                to, ops = known[alike]
                if not to:
                    row.append(_NOWHERE)
                    continue
                if to not in states:
                    states[to] = len(states) + 1
                    order.append(to)
                    if len(order) >= _MAX_STATES:
                        raise _TooLarge
                row.append((states[to], ops))
            rows.append(row)
        return self.blob(class_of, *_minimal(rows, finals), tags)

    def live(self, ways: dict[int, list[tuple[int, tuple[int, ...]]]]) -> set[int]:
        """Return the steps from which the end can be reached; an exclusion may leave no character to others."""
        before: dict[int, list[int]] = {}
        for number, found in ways.items():
            for step, _ in found:
                before.setdefault(step, []).append(number)
        live = {self.end}
        ahead = [self.end]
        while ahead:
            for number in before.get(ahead.pop(), ()):
                if number not in live:
                    live.add(number)
                    ahead.append(number)
        return live

    def classes(self, live: set[int]) -> tuple[bytes, list[set[int]]]:
        """Return the class of each character, and for each class (0: no character) the steps that read it."""
        masks: dict[int, set[int]] = {}
        for number in live - {self.end}:
            masks.setdefault(self.steps[number].mask or 0, set()).add(number)
        numbers: dict[tuple[int, ...], int] = {(): 0}
        class_of = bytearray(128)
        for code in range(128):
            reading = tuple(sorted(mask for mask in masks if mask >> code & 1))
            class_of[code] = numbers.setdefault(reading, len(numbers))
        return bytes(class_of), [set().union(*(masks[mask] for mask in reading)) for reading in numbers]

    def after(self, state: _State, ways: list[_Ways], tags: int) -> tuple[_State, tuple[_Op, ...]]:
        """Return the state after `state` when the `ways` from each of its steps are taken, and the ops of the edge."""
        reached: dict[int, _Versions] = {}
        for (_, versions), found in zip(state, ways, strict=True):
            for step, passed in found:
                if step not in reached:
                    reached[step] = _passed(versions, passed)
        # Versions are numbered anew in the order of the steps, so that equal states look equal.
        named: list[dict[int, int]] = [{_UNSET: _UNSET} for _ in range(tags)]
        to = tuple(
            (
                step,
                tuple(
                    [names.setdefault(version, len(names) - 1) for names, version in zip(named, versions, strict=True)]
                ),
            )
            for step, versions in reached.items()
        )
        ops = tuple(
            (tag, version, source)
            for tag, names in enumerate(named)
            for source, version in names.items()
            if source != version
        )
        return to, ops

    def final(self, state: _State, ways: dict[int, list[tuple[int, tuple[int, ...]]]]) -> _Versions | None:
        """Return the versions of the tags if the text ends here, None if it must not."""
        for step, versions in state:
            for reached, passed in ways[step]:
                if reached == self.end:
                    return _passed(versions, passed)
        return None

    # The octets

    def blob(self, class_of: bytes, rows: list[list[_Edge]], finals: list[_Versions | None], tags: int) -> Table:
        further: dict[tuple[int, int], int] = {}

        def register(tag: int, version: int) -> int:
            return tag if version == 0 else further.setdefault((tag, version), tags + len(further))

        edges: dict[_Edge, int] = {}
        edge_rows: list[tuple[int, int, int, int]] = []
        all_ops: list[tuple[int, int]] = []
        transitions = []
        for row in rows:
            for to, ops in row:
                if ops and (to, ops) not in edges:
                    edges[to, ops] = len(rows) + len(edges)
                    moves = [
                        (register(tag, version), POSITION if source == _HERE else register(tag, source))
                        for tag, version, source in ops
                    ]
                    ordered = _ordered(moves, lambda: register(tags, 1))
                    edge_rows.append((to, len(all_ops), len(ordered), 0))
                    all_ops += ordered
                transitions.append(edges[to, ops] if ops else to)
        final_rows: list[tuple[int, int, int, int]] = []
        final_ops: list[tuple[int, int]] = []
        for final in finals:
            sources = {_UNSET: ABSENT, _HERE: POSITION}
            moves = [
                (tag, sources[version] if version in sources else register(tag, version))
                for tag, version in enumerate(final or ())
                if version != 0
            ]
            final_rows.append((int(final is not None), len(final_ops), len(moves), 0))
            final_ops += moves
        registers = tags + len(further)
        if registers > _MAX_REGISTERS or max(len(rows) + len(edges), len(all_ops), len(final_ops)) > _MAX_NUMBER:
            raise _TooLarge
        counts = (len(rows), len(rows[0]), len(edges), len(all_ops), len(final_ops), tags, registers)
        parts = [
            HEADER.pack(MAGIC, *counts, class_of),
            _shorts(transitions),
            bytes(-2 * len(transitions) % 4),
            *(_shorts(row) for row in edge_rows),
            *(_shorts(row) for row in final_rows),
            *(bytes(op) for op in all_ops),
            *(bytes(op) for op in final_ops),
        ]
        return Table(b"".join(parts), tuple(self.marks))


def _passed(versions: _Versions, tags: tuple[int, ...]) -> _Versions:
    if not tags:
        return versions
    changed = [*versions]
    for tag in tags:
        changed[tag] = _HERE
    return tuple(changed)


def _shorts(numbers: list[int] | tuple[int, ...]) -> bytes:
    return b"".join(number.to_bytes(2, "little") for number in numbers)


def _ordered(moves: list[tuple[int, int]], scratch: Callable[[], int]) -> list[tuple[int, int]]:
    """Return the simultaneous `moves` in an order in which each register is read before it is set."""
    ordered: list[tuple[int, int]] = []
    waiting = [*moves]
    while waiting:
        free = [move for move in waiting if all(other is move or other[1] != move[0] for other in waiting)]
        if not free:
            # A cycle: save the register that is set first, so that it can be read later.
            saved = waiting[0][0]
            ordered.append((scratch(), saved))
            waiting = [(target, scratch() if source == saved else source) for target, source in waiting]
            continue
        ordered += free
        waiting = [move for move in waiting if move not in free]
    return ordered


def _minimal(
    rows: list[list[_Edge]], finals: list[_Versions | None]
) -> tuple[list[list[_Edge]], list[_Versions | None]]:
    """Return the automaton with states merged that no text tells apart (Moore, 1956); 0 and 1 keep their numbers."""
    kinds: dict[object, int] = {}
    block = [kinds.setdefault((final, number == 0), len(kinds)) for number, final in enumerate(finals)]
    while True:
        known: dict[object, int] = {}
        finer = [
            known.setdefault((block[number], tuple([(block[to], ops) for to, ops in row])), len(known))
            for number, row in enumerate(rows)
        ]
        if len(known) == len(kinds):
            break
        block, kinds = finer, known
    numbers = {block[0]: 0, block[1]: 1}
    first = [0, 1]
    for number in range(len(rows)):
        if block[number] not in numbers:
            numbers[block[number]] = len(numbers)
            first.append(number)
    merged = [[(numbers[block[to]], ops) for to, ops in rows[number]] for number in first]
    return merged, [finals[number] for number in first]
