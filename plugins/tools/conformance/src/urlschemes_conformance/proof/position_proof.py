"""The proof that a table refuses each text at the end of the longest prefix that some URL begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_conformance.characters import kinds
from urlschemes_conformance.proof.table_reading import TableReading

if TYPE_CHECKING:
    from urlschemes.grammar.table import Table

__all__ = ["proves_positions"]


def proves_positions(table: Table) -> bool:
    """Return True if every state but the dead one can go on to the end of a URL, whatever led to it.

    The way on must not need a run that the table does not count. It does not if it begins with a character that such a
    run cannot have (or if no such character led to the state), and is shorter than the run.
    """
    content, reading = table.content, TableReading(table)
    characters = {*kinds([*reading.masks(), content.counted]).values()}
    after = [{code: reading.after(state, chr(code)) for code in characters} for state in range(content.states)]
    live = {state for state in range(content.states) if content.finals[state] is not None}
    while more := {state for state in range(content.states) if live & {*after[state].values()}} - live:
        live |= more
    if live != {*range(1, content.states)} or content.states > content.longest:
        return False
    in_run = {code for code in characters if content.counted >> code & 1}
    return all(
        content.finals[state] is not None or any(after[state][code] for code in characters if code not in in_run)
        for state in {row[code] for row in after for code in in_run} - {0}
    )
