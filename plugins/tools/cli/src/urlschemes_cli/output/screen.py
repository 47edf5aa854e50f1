"""Rich consoles that show text as it is, and the tables of this command."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from urlschemes_cli.output.plain import line, write

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Screen", "facts", "grid"]

UNWRAPPED = 10_000
"""The width of what is no terminal: nothing is cut or wrapped there, so that programs can search it."""
PARAGRAPH = 100
"""The width at which prose is wrapped, where there is more room."""

PROSE = 36
"""The width that a column of prose has at least, before others are left out for it."""


class Screen(Console):
    """Standard output or standard error: no markup, no emoji, no guessed colours. A pipe that closed raises."""

    def __init__(self, *, stderr: bool = False) -> None:
        stream = sys.stderr if stderr else sys.stdout
        self.stream_is_terminal = stream.isatty()
        wrapped = self.stream_is_terminal or "COLUMNS" in os.environ
        super().__init__(
            stderr=stderr, markup=False, emoji=False, highlight=False, width=None if wrapped else UNWRAPPED
        )

    def on_broken_pipe(self) -> None:
        """Let BrokenPipeError go on: the command ends with the exit code for it."""
        raise  # noqa: PLE0704  rich calls this within its `except BrokenPipeError`

    def table(self, table: Table) -> None:
        """Print a table; without the blanks at the ends of its lines, where programs may read it."""
        if self.stream_is_terminal:
            self.print(table)
            return
        with self.capture() as captured:
            self.print(table)
        for row in captured.get().splitlines():
            write(row.rstrip(), stream=self.file)

    def listing(self, columns: Sequence[str], rows: Sequence[Sequence[str]], *, prose: str, least: int) -> bool:
        """Print `rows`: as many of the first columns as there is room for, `least` at least. Whether these are all.

        The column `prose` is wrapped where it has to be, the others never.
        """
        widths = [max(map(cell_len, cells)) for cells in zip(columns, *rows, strict=True)]
        widths[columns.index(prose)] = min(widths[columns.index(prose)], PROSE)
        count = len(columns)
        while count > least and sum(widths[:count]) + 2 * (count - 1) > self.width:
            count -= 1
        table = grid(*columns[:count], whole=(column for column in columns if column != prose))
        for row in rows:
            table.add_row(*row[:count])
        self.table(table)
        return count == len(columns)

    def paragraph(self, text: str, style: str = "", *, indent: int = 0) -> None:
        """Print prose, wrapped for reading, `indent` columns to the right."""
        for each in Text(text, style).wrap(self, min(self.width, PARAGRAPH) - indent):
            each.rstrip()
            each.pad_left(indent)
            self.print(each, soft_wrap=True)


def grid(*columns: str, whole: Iterable[str] = ()) -> Table:
    """A table with a heading for each column; those in `whole` are never wrapped."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    unwrapped = {*whole}
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column in unwrapped)
    return table


def facts(rows: Iterable[tuple[str, object]]) -> Table:
    """Names with their values, side by side; a value of None is left out. Names, too, may be a server's words."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        if value is not None:
            table.add_row(line(name), value if isinstance(value, Text) else line(str(value)))
    return table
