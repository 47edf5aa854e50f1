"""What `explain` draws, in colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from urlschemes_lint.explaining import LINES, PLAIN

if TYPE_CHECKING:
    from urlschemes_cli.output.screen import Screen
    from urlschemes_lint.explaining import Picture, Strokes

__all__ = ["show", "strokes_of"]

COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "bright_red", "bright_cyan", "bright_green")
"""The colours of the parts, in turn."""
STYLES = {"": "", "fault": "bold red", "strong": "bold", "label": "cyan", "section": "dim", "good": "green"}


def strokes_of(screen: Screen) -> Strokes:
    """What to draw with on `screen`: lines, where its encoding has them."""
    return LINES if screen.stream_is_terminal and screen.encoding.startswith("utf") else PLAIN


def show(picture: Picture, screen: Screen) -> None:
    """Print `picture`; no line of it is broken, so that what it shows can be copied."""
    for line in picture.lines:
        text = Text.assemble(*((piece, _style(role)) for piece, role in line))
        text.rstrip()
        screen.print(text, soft_wrap=True)


def _style(role: str) -> str:
    """The style of a role; `part N` has a colour for each N."""
    if not role.startswith("part "):
        return STYLES[role]
    _, number, *more = role.split()
    return " ".join([COLOURS[int(number) % len(COLOURS)], *more]).replace("strong", "bold")
