"""Output for people: lines, tables and sections, which rich draws. It is imported when something is drawn."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from urlschemes_cli.output.text import escaped_line, safe_line, write_line

if TYPE_CHECKING:
    from rich.console import Console as RichConsole
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

__all__ = ["Console", "columns_table", "facts_table", "words"]

UNLIMITED_WIDTH = 10_000
"""The width of files and pipes: nothing is cut or wrapped there, so that programs can search it."""
PARAGRAPH_WIDTH = 100
"""The width at which prose is wrapped on a wider console."""
PROSE_WIDTH = 24
"""The least width of a column of prose; other columns are left out to keep it."""


class Console:
    """Standard output or standard error: no markup, no emoji, no syntax highlighting. A closed pipe raises."""

    def __init__(self, *, stderr: bool = False) -> None:
        self.stream = sys.stderr if stderr else sys.stdout
        self.is_terminal = self.stream.isatty()

    @cached_property
    def rich(self) -> RichConsole:
        """The console of rich."""
        from rich.console import Console as RichConsole

        class RaisingConsole(RichConsole):
            def on_broken_pipe(self) -> None:
                raise  # noqa: PLE0704  rich calls this within its `except BrokenPipeError`; the command has an exit code

        wraps = self.is_terminal or "COLUMNS" in os.environ
        return RaisingConsole(
            file=self.stream, markup=False, emoji=False, highlight=False, width=None if wraps else UNLIMITED_WIDTH
        )

    def status(self, text: str) -> AbstractContextManager[object]:
        """Return a `with` block in which a terminal shows what is being done."""
        return self.rich.status(text)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print what rich draws; an empty line without `objects`."""
        self.rich.print(*objects, **options)

    def print_line(self, *pieces: str | tuple[str, str] | Text, wrap: bool = False) -> None:
        """Print a line of pieces of text, each of which may have a style, as in `("text", "bold")`.

        The line stays in one piece, so that it can be copied or searched; with `wrap`, a terminal wraps it.
        """
        from rich.text import Text

        line = Text.assemble(*pieces)
        line.rstrip()
        self.print(line, soft_wrap=not (wrap and self.is_terminal))

    def print_table(self, table: RenderableType) -> None:
        """Print a table; in files and pipes without blanks at the ends of lines."""
        if self.is_terminal:
            self.print(table)
            return
        with self.rich.capture() as captured:
            self.print(table)
        for row in captured.get().splitlines():
            write_line(row.rstrip(), stream=self.stream)

    def fits(self, table: Table) -> bool:
        """Return True if no cell of a table needs to be wrapped."""
        unlimited = self.rich.options.update(max_width=UNLIMITED_WIDTH)
        return self.rich.measure(table, options=unlimited).maximum <= self.rich.width

    def print_fields(self, value: Mapping[str, Any], *, without: Collection[str] = ()) -> None:
        """Print the fields of a JSON object that have a value, except those `without` and objects within it."""
        fields = ((key.replace("_", " "), words(each)) for key, each in value.items() if key not in without)
        self.print_table(facts_table((name, text) for name, text in fields if text))

    def print_rows(
        self,
        rows: Sequence[Mapping[str, Any]],
        columns: Sequence[str],
        *,
        prose: Collection[str] = (),
        least: int | None = None,
    ) -> bool:
        """Print fields of JSON objects as a table, without columns that are empty; return True if all others fit.

        With `least`, columns that do not fit are left out, except so many; only the columns `prose` are wrapped. An
        object may have a `style`.
        """
        from rich.cells import cell_len

        columns = [column for column in columns if any(words(row[column]) for row in rows)]
        cells = [[words(row[column]) for column in columns] for row in rows]
        count = len(columns)
        if least is not None:
            widths = [
                min(max(map(cell_len, texts)), PROSE_WIDTH if column in prose else UNLIMITED_WIDTH)
                for column, *texts in zip(columns, columns, *cells, strict=True)
            ]
            while count > least and sum(widths[:count]) + 2 * (count - 1) > self.rich.width:
                count -= 1
        table = columns_table(*columns[:count], unwrapped=() if least is None else {*columns} - {*prose})
        for row, texts in zip(rows, cells, strict=True):
            table.add_row(*map(safe_line, texts[:count]), style=row.get("style"))
        self.print_table(table)
        return count == len(columns)

    def print_names(self, names: Iterable[str]) -> None:
        """Print names in columns."""
        from rich.columns import Columns
        from rich.constrain import Constrain

        columns = Columns(map(safe_line, names), padding=(0, 2, 0, 0), column_first=True)
        self.print_table(Constrain(columns, PARAGRAPH_WIDTH))

    def print_section(self, heading: str, entries: Sequence[tuple[str, str, str]], text: str = "") -> None:
        """Print a heading with entries of a record or a text of it, unless there are none.

        An entry is a name, a remark, and a text below them. Their passwords stay: a record holds no secrets.
        """
        if entries or text:
            self.print_heading(heading)
            self.print_paragraph(escaped_line(text))
        for name, remark, said in entries:
            self.print_line((escaped_line(name), "bold"), (f"  {remark}", "dim"))
            self.print_paragraph(escaped_line(said), "dim", indent=4)

    def print_paragraph(self, text: str, style: str = "", *, indent: int = 0) -> None:
        """Print prose, wrapped and indented; nothing if there is none."""
        from rich.text import Text

        for each in Text(text, style).wrap(self.rich, min(self.rich.width, PARAGRAPH_WIDTH) - indent) if text else ():
            each.rstrip()
            each.pad_left(indent)
            self.print(each, soft_wrap=True)

    def print_heading(self, text: str) -> None:
        """Print the heading of a section, after an empty line."""
        self.print()
        self.print_line((text, "bold underline"))


def words(value: object) -> str:
    """Return a value of JSON in words; "" for null, false, objects and what is empty."""
    if isinstance(value, list | tuple):
        return ", ".join(filter(None, map(words, value)))
    if value is None or value is False or isinstance(value, Mapping):
        return ""
    return "yes" if value is True else str(value)


def columns_table(*columns: str, unwrapped: Iterable[str] = ()) -> Table:
    """Return an empty table with these column headings."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    not_wrapped = {*unwrapped}
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column in not_wrapped)
    return table


def facts_table(rows: Iterable[tuple[str, object]]) -> Table:
    """Return a table of names and values; rows whose value is None are left out."""
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        if value is not None:
            # Names are escaped too: those of attributes come from servers.
            table.add_row(safe_line(name), safe_line(str(value)))
    return table
