"""The proof that a pattern and a table say the same of every text: if it is a URL, and where its parts stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from urlschemes_conformance.characters import kinds
from urlschemes_conformance.proof.pattern_machine import HERE, Machine, Thread
from urlschemes_conformance.proof.product import Proof, search
from urlschemes_conformance.proof.table_reading import TableReading
from urlschemes_tables.table import ABSENT, POSITION

if TYPE_CHECKING:
    from urlschemes.grammar.syntax import Syntax
    from urlschemes_tables import Table

__all__ = ["prove_pattern"]

_NEVER_SET = -2
"""The symbol of a register before it is set: no position."""


def prove_pattern(syntax: Syntax, table: Table) -> Proof:
    """Compare the pattern with the table: the same texts, and in each the same parts at the same places.

    Raises NotProven.
    """
    return _PatternAndTable(syntax, table).search()


class _Both(NamedTuple):
    """A state of the machine and one of the table, with the symbols of the positions in the table's registers."""

    threads: tuple[Thread, ...]
    previous: int | None
    state: int
    registers: tuple[int | None, ...]


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
        self.live = self.reading.live_registers()

    def search(self) -> Proof:
        first = _Both(self.machine.begin(), None, 1, (_NEVER_SET,) * self.content.registers)
        return search(first, kinds([*self.reading.masks(), *self.machine.masks]), self.agrees, self.after)

    def agrees(self, both: _Both) -> bool:
        """Return True if pattern and table agree on the text that leads to `both`."""
        _, tags = self.machine.advance(both.threads, both.previous, None)
        final = self.content.finals[both.state]
        if tags is None or final is None:
            return tags is None and final is None
        found: list[int | None] = [*both.registers[: self.content.tags]]
        for tag, source in final:
            found[tag] = HERE if source == POSITION else None if source == ABSENT else both.registers[source]
        for number, groups in self.parts:
            spans = [(tags[2 * group], tags[2 * group + 1]) for group in groups if tags[2 * group + 1] is not None]
            if (found[2 * number], found[2 * number + 1]) != (spans[0] if spans else (None, None)):
                return False
        return True

    def after(self, both: _Both, character: int) -> _Both | None:
        threads, _ = self.machine.advance(both.threads, both.previous, character)
        state, ops = self.reading.step(both.state, self.content.class_of[character])
        if not threads and not state:
            return None
        registers = [*both.registers]
        for target, source in ops:
            registers[target] = HERE if source == POSITION else registers[source]
        live = self.live[state]
        # Positions are numbered anew in the order in which they are found, so that equal pairs look equal.
        symbols: dict[int | None, int | None] = {None: None}

        def named(symbol: int | None) -> int | None:
            return symbols.setdefault(symbol, len(symbols))

        return _Both(
            tuple(thread._replace(tags=tuple(map(named, thread.tags))) for thread in threads),
            character if any(thread.step in self.machine.looks_behind for thread in threads) else None,
            state,
            tuple(named(symbol) if number in live else None for number, symbol in enumerate(registers)),
        )
