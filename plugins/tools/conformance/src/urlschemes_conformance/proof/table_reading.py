"""A table as an automaton, in the terms of the proofs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_tables.table import POSITION

if TYPE_CHECKING:
    from urlschemes_tables import Table

__all__ = ["TableReading"]


class TableReading:
    """The reading of a table: see `urlschemes_tables.table`."""

    start = 1
    dead = 0

    def __init__(self, table: Table) -> None:
        self.content = table.content

    def masks(self) -> list[int]:
        """Return the characters of each class, as masks."""
        class_of = self.content.class_of
        return [sum(1 << code for code in range(128) if class_of[code] == number) for number in {*class_of}]

    def nullable(self, state: int) -> bool:
        """Return True if a text may end in `state`."""
        return self.content.finals[state] is not None

    def after(self, state: int, character: str) -> int:
        """Return the state after `character`."""
        return self.step(state, self.content.class_of[ord(character)])[0]

    def step(self, state: int, number: int) -> tuple[int, list[tuple[int, int]]]:
        """Return the state after a character of the class `number`, and the ops on the way."""
        content = self.content
        number = content.transitions[state * content.classes + number]
        return (number, []) if number < content.states else content.edges[number - content.states]

    def live_registers(self) -> list[set[int]]:
        """Return for each state the registers that are read before they are set again."""
        content = self.content
        live: list[set[int]] = []
        for final in content.finals:
            sources = dict(final or ())
            read = {sources.get(tag, tag) for tag in range(content.tags)} if final is not None else set()
            live.append({register for register in read if register < content.registers})
        changed = True
        while changed:
            changed = False
            for state in range(content.states):
                before = len(live[state])
                for number in range(content.classes):
                    to, ops = self.step(state, number)
                    needed = {*live[to]}
                    for target, source in reversed(ops):
                        if target in needed:
                            needed.discard(target)
                            if source != POSITION:
                                needed.add(source)
                    live[state] |= needed
                changed = changed or len(live[state]) != before
        return live
