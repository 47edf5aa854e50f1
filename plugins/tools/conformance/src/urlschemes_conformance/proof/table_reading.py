"""A table as an automaton, in the terms of the proofs."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from urlschemes_tables.table import POSITION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlschemes_tables import Table

__all__ = ["TableReading", "bit", "proves_positions"]


class TableReading:
    """The reading of a table: see `urlschemes_tables.table`."""

    start = 1
    dead = 0

    def __init__(self, table: Table) -> None:
        self.content = table.content
        self.masks = [0] * table.content.classes
        """The characters of each class."""
        for code, number in enumerate(table.content.class_of):
            self.masks[number] |= 1 << code
        self.row = cache(self._row)

    def nullable(self, state: int) -> bool:
        """Return True if a text may end in `state`."""
        return self.content.finals[state] is not None

    def _row(self, state: int) -> dict[int, int]:
        """Return the states after one character, each with the characters that lead to it, as a mask."""
        row: dict[int, int] = {}
        for number, mask in enumerate(self.masks):
            reached, _ = self.step(state, number)
            if reached != self.dead:
                row[reached] = row.get(reached, 0) | mask
        return row

    def step(self, state: int, number: int) -> tuple[int, list[tuple[int, int]]]:
        """Return the state after a character of the class `number`, and the ops on the way."""
        return self.way(self.content.transitions[state * self.content.classes + number])

    def way(self, number: int) -> tuple[int, list[tuple[int, int]]]:
        """Return the state that a transition leads to, and the ops on the way."""
        states = self.content.states
        return (number, []) if number < states else self.content.edges[number - states]

    def sources(self) -> list[int]:
        """Return for each tag the registers whose positions may become that of the tag, as a mask: see `bit`."""
        finals = [dict(final) for final in self.content.finals if final is not None]
        ops = {op for _, ops in self.content.edges for op in ops}
        found = []
        for tag in range(self.content.tags):
            known = {final.get(tag, tag) for final in finals}
            while more := {source for target, source in ops if target in known} - known:
                known |= more
            found.append(self._registers(known))
        return found

    def live_registers(self) -> list[int]:
        """Return for each state the registers that are read before they are set again, as a mask."""
        content = self.content
        live = [
            0 if final is None else self._registers(dict(final).get(tag, tag) for tag in range(content.tags))
            for final in content.finals
        ]
        rows = [{*content.transitions[state * content.classes :][: content.classes]} for state in range(content.states)]
        changed = True
        while changed:
            changed = False
            for state, row in enumerate(rows):
                needed = live[state]
                for to, ops in map(self.way, row):
                    read = live[to]
                    for target, source in reversed(ops):
                        read = read & ~bit(target) | bit(source) if read & bit(target) else read
                    needed |= read & ~bit(POSITION)
                changed = changed or needed != live[state]
                live[state] = needed
        return live

    def _registers(self, sources: Iterable[int]) -> int:
        return sum(bit(each) for each in {*sources} if each < self.content.registers)


def bit(source: int) -> int:
    """Return the bit of the source of an op: 1 for the current position, 2, 4, 8, ... for the registers."""
    return 1 if source == POSITION else 2 << source


def proves_positions(table: Table) -> bool:
    """Return True if every state but the dead one can go on to the end of a URL.

    Then the table refuses each text at the end of the longest prefix that some URL begins with.
    """
    reading = TableReading(table)
    states = {*range(1, table.content.states)}
    live = {*filter(reading.nullable, states)}
    while more := {state for state in states - live if not live.isdisjoint(reading.row(state))}:
        live |= more
    return live == states
