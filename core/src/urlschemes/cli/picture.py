"""A URL with its parts named underneath, and an error with a caret under the character at fault, in colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from urlschemes.cli.plain import line
from urlschemes.cli.screen import grid
from urlschemes.drawing import around

if TYPE_CHECKING:
    from rich.console import RenderableType

    from urlschemes.drawing import Drawing
    from urlschemes.errors import InvalidURL

__all__ = ["COLOURS", "pointed", "taken_apart"]

COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "bright_red", "bright_cyan", "bright_green")
"""The colours of the parts, in turn."""
ROUND = {"one": "┬", "more": "─", "stem": "│", "branch": "╰─ ", "fork": "├─ "}
SQUARE = {"one": "^", "more": "~", "stem": "|", "branch": "+- ", "fork": "+- "}


def taken_apart(drawing: Drawing, *, width: int, lines: bool) -> list[RenderableType]:
    """The drawing for a terminal of `width`; `lines` allows the characters that lines are made of.

    Where it is too wide to be drawn, the URL with a table.
    """
    url = Text(drawing.text, overflow="fold")
    rows = [(*row, COLOURS[index % len(COLOURS)]) for index, row in enumerate(drawing.rows) if row[1] != (0, 0)]
    for _, (start, end), _, _, colour in rows:
        url.stylize(colour, start, end)
    drawn = _drawn(rows, len(drawing.text), ROUND if lines else SQUARE)
    if all(text.cell_len <= width for text in (url, *drawn)):
        return [url, *drawn]
    table = grid("part", "value", "section")
    for name, _, value, section, colour in rows:
        table.add_row(Text(name, colour), value, section)
    return [url, Text(), table]


def _drawn(rows: list[tuple[str, tuple[int, int], str, str, str]], length: int, with_: dict[str, str]) -> list[Text]:
    marks = [(" ", "")] * (length + 1)
    for _, (start, end), _, _, colour in rows:
        marks[start : max(end, start + 1)] = [(with_["more"], colour)] * max(end - start, 1)
    for _, (start, _), _, _, colour in rows:
        marks[start] = (with_["one"], colour)
    drawn = [Text.assemble(*marks)]
    for index, (name, (start, _), value, section, colour) in reversed(list(enumerate(rows))):
        stems = {row[1][0]: row[4] for row in rows[:index]}
        cells = [(with_["stem"], stems[column]) if column in stems else (" ", "") for column in range(start)]
        branch = with_["fork" if start in stems else "branch"]
        note = [(f"  {section}", "dim")] if section else []
        drawn.append(Text.assemble(*cells, (branch, colour), (name, f"bold {colour}"), f" {value}", *note))
    for text in drawn:
        text.rstrip()
    return drawn


def pointed(error: InvalidURL, *, width: int) -> list[Text]:
    """The text at fault with a caret, and why it is no URL."""
    drawn = []
    if error.position is not None:
        before, after = around(error.text, error.position, width)
        drawn = [Text.assemble(before, (after[:1], "bold red"), after[1:]), Text(" " * len(before) + "^", "bold red")]
    drawn.append(Text(line(str(error.message)), "bold"))
    for name, value in (("rule", error.rule), ("section", error.section), ("part", error.part), ("help", error.hint)):
        if value:
            drawn.append(Text.assemble((f"  {name:<8}", "cyan"), line(value)))
    return drawn
