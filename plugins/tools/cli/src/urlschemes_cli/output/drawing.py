"""The drawings of `explain`, in colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from urlschemes_lint.explaining import ASCII_STROKES, BOX_STROKES

if TYPE_CHECKING:
    import rich.console

    from urlschemes_cli.output.console import Console
    from urlschemes_lint.explaining import Drawing, Strokes

__all__ = ["print_drawing", "strokes_for"]

COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "bright_red", "bright_cyan", "bright_green")
"""The colours of the parts, in turn."""
STYLES = {"": "", "error": "bold red", "strong": "bold", "label": "cyan", "section": "dim", "good": "green"}


def strokes_for(console: Console) -> Strokes:
    """Return the strokes to draw with: box-drawing characters if `console` is a terminal that can show them."""
    has_lines = console.stream_is_terminal and console.encoding.startswith("utf")
    return BOX_STROKES if has_lines else ASCII_STROKES


def print_drawing(drawing: Drawing, console: rich.console.Console) -> None:
    """Print a drawing without wrapping its lines, so that the URL can be copied."""
    for line in drawing.lines:
        text = Text.assemble(*((piece, _style(role)) for piece, role in line))
        text.rstrip()
        console.print(text, soft_wrap=True)


def _style(role: str) -> str:
    """Return the style of a role; `part N` has the colour number N."""
    if not role.startswith("part "):
        return STYLES[role]
    _, number, *more = role.split()
    return " ".join([COLOURS[int(number) % len(COLOURS)], *more]).replace("strong", "bold")
