"""The table of a syntax: it is built when it is first needed, and cached with what else is cached of the syntax."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from urlschemes.errors import GrammarError
from urlschemes_tables.table import Table

if TYPE_CHECKING:
    from urlschemes.grammar.syntax import Syntax


def table_of(syntax: Syntax) -> Table | None:
    """Return the table that says what the pattern says; None if the rules are refused, or need too large a table."""
    return syntax.once(__name__, lambda: _restored(syntax))  # type: ignore[no-any-return]  # it keeps anything


def _restored(syntax: Syntax) -> Table | None:
    return Table.restored(syntax.once(f"table {_state()}", lambda: _built(syntax), stored=True))


def _state() -> str:
    """Return the state of the module that builds tables: another version of it, or a change, may build others."""
    with suppress(OSError):  # in an archive
        found = os.stat(f"{os.path.dirname(__file__)}/table_builder.py")  # noqa: PTH116, PTH120  pathlib takes 5 ms
        return f"{found.st_mtime_ns} {found.st_size}"
    return ""


def _built(syntax: Syntax) -> dict[str, Any]:
    from urlschemes_tables.table_builder import build_table  # a kept table is not built

    try:
        syntax.compile()  # a grammar without a pattern has no table
    except GrammarError:
        return {}
    built = build_table(syntax.automaton.tree)
    return {} if built is None else built.stored()
