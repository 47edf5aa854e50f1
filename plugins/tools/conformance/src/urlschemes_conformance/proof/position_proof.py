"""The proof that a table refuses each text at the end of the longest prefix that some URL begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_conformance.proof.table_reading import TableReading

if TYPE_CHECKING:
    from urlschemes_tables import Table

__all__ = ["proves_positions"]


def proves_positions(table: Table) -> bool:
    """Return True if every state but the dead one can go on to the end of a URL."""
    content, reading = table.content, TableReading(table)
    after = [{reading.step(state, number)[0] for number in range(content.classes)} for state in range(content.states)]
    live = {state for state in range(content.states) if content.finals[state] is not None}
    while more := {state for state in range(content.states) if live & after[state]} - live:
        live |= more
    return live == {*range(1, content.states)}
