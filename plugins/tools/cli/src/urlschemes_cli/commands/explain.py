"""The command `explain`: a URL, or the error in it, as a drawing in colour."""

from __future__ import annotations

import click
from rich.text import Text

from urlschemes.errors import UnknownScheme
from urlschemes_cli.error_reports import verdict_json, verdict_line
from urlschemes_cli.exit_codes import INVALID
from urlschemes_cli.options import for_each_url
from urlschemes_cli.output.console import Console
from urlschemes_cli.settings import Settings
from urlschemes_lint.explaining import ASCII_STROKES, BOX_STROKES, Drawing, Strokes, explanation

COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "bright_red", "bright_cyan", "bright_green")
STYLES = {"": "", "error": "bold red", "strong": "bold", "label": "cyan", "section": "dim", "good": "green"}


@click.command()
@for_each_url(heading="\n")
def explain(settings: Settings, text: str) -> int:
    """Draw URL with the name and value of each part underneath, and of each field of its query.

    If URL is invalid, mark the error and show the rule, the section, what to do, and the repaired URL if there is one.
    A URL of an unknown scheme has the parts of all URLs. With `-`, each line of standard input is a URL.
    """
    console, registry = Console(), settings.registry_for(text)
    drawing = explanation(text, registry=registry, width=console.rich.width, strokes=strokes_for(console))
    print_drawing(drawing, console)
    if verdict := verdict_json(text):
        console.print_line((verdict_line(verdict), "dim"))
    if isinstance(drawing.error, UnknownScheme):
        raise drawing.error
    return INVALID if drawing.error else 0


def strokes_for(console: Console) -> Strokes:
    """Return the strokes to draw with: box-drawing characters if `console` is a terminal that can show them."""
    has_lines = console.is_terminal and console.rich.encoding.startswith("utf")
    return BOX_STROKES if has_lines else ASCII_STROKES


def print_drawing(drawing: Drawing, console: Console) -> None:
    """Print a drawing without wrapping its lines, so that the URL can be copied."""
    for line in drawing.lines:
        console.print_line(Text.assemble(*((piece, _style(role)) for piece, role in line)))


def _style(role: str) -> str:
    """Return the style of a role; `part N` has the colour number N."""
    if not role.startswith("part "):
        return STYLES[role]
    _, number, *more = role.split()
    return " ".join([COLOURS[int(number) % len(COLOURS)], *more]).replace("strong", "bold")
