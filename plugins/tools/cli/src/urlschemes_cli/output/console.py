"""Rich consoles that show text as it is, and the tables of the command."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import rich.console
from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from urlschemes_cli.output.text import safe_line, write_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

__all__ = ["Console", "columns_table", "dim", "facts_table"]

UNLIMITED_WIDTH = 10_000
"""The width of files and pipes: nothing is cut or wrapped there, so that programs can search it."""
PARAGRAPH_WIDTH = 100
"""The width at which prose is wrapped on a wider console."""
PROSE_WIDTH = 24
"""The least width of a column of prose; other columns are left out to keep it."""


class Console(rich.console.Console):
    """Standard output or standard error: no markup, no emoji, no syntax highlighting. A closed pipe raises."""

    def __init__(self, *, stderr: bool = False) -> None:
        stream = sys.stderr if stderr else sys.stdout
        self.stream_is_terminal = stream.isatty()
        wraps = self.stream_is_terminal or "COLUMNS" in os.environ
        super().__init__(
            stderr=stderr, markup=False, emoji=False, highlight=False, width=None if wraps else UNLIMITED_WIDTH
        )

    def on_broken_pipe(self) -> None:
        """Let BrokenPipeError pass: the command has an exit code for it."""
        raise  # noqa: PLE0704  rich calls this within its `except BrokenPipeError`

    def print_line(self, *pieces: str | tuple[str, str], wrap: bool = False) -> None:
        """Print a line of pieces of text, each of which may have a style, as in `("text", "bold")`.

        The line stays in one piece, so that it can be copied or searched; with `wrap`, a terminal wraps it.
        """
        line = Text.assemble(*pieces)
        line.rstrip()
        self.print(line, soft_wrap=not (wrap and self.stream_is_terminal))

    def print_table(self, table: Table) -> None:
        """Print a table; in files and pipes without blanks at the ends of lines."""
        if self.stream_is_terminal:
            self.print(table)
            return
        with self.capture() as captured:
            self.print(table)
        for row in captured.get().splitlines():
            write_line(row.rstrip(), stream=self.file)

    def print_fitting_table(
        self, columns: Sequence[str], rows: Sequence[Sequence[str]], *, prose: Collection[str], least: int
    ) -> bool:
        """Print as many of the first columns as fit, at least `least` of them; return True if all do.

        Only the columns `prose` are wrapped.
        """
        widths = [
            min(max(map(cell_len, cells)), PROSE_WIDTH if cells[0] in prose else UNLIMITED_WIDTH)
            for cells in zip(columns, *rows, strict=True)
        ]
        count = len(columns)
        while count > least and sum(widths[:count]) + 2 * (count - 1) > self.width:
            count -= 1
        table = columns_table(*columns[:count], unwrapped={*columns} - {*prose})
        for row in rows:
            table.add_row(*row[:count])
        self.print_table(table)
        return count == len(columns)

    def print_paragraph(self, text: str, style: str = "", *, indent: int = 0) -> None:
        """Print prose, wrapped and indented."""
        for each in Text(text, style).wrap(self, min(self.width, PARAGRAPH_WIDTH) - indent):
            each.rstrip()
            each.pad_left(indent)
            self.print(each, soft_wrap=True)

    def print_heading(self, text: str) -> None:
        """Print the heading of a section, after an empty line."""
        self.print()
        self.print_line((text, "bold underline"))


def dim(text: str) -> Text:
    """Return a remark in place of a value, for the cell of a table."""
    return Text(text, "dim italic")


def columns_table(*columns: str, unwrapped: Iterable[str] = ()) -> Table:
    """Return an empty table with these column headings."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    not_wrapped = {*unwrapped}
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column in not_wrapped)
    return table


def facts_table(rows: Iterable[tuple[str, object]]) -> Table:
    """Return a table of names and values; rows whose value is None are left out."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        if value is not None:
            # Names are escaped too: those of attributes come from servers.
            table.add_row(safe_line(name), value if isinstance(value, Text) else safe_line(str(value)))
    return table
