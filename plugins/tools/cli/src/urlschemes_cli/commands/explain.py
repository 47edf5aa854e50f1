"""The command `explain`: a drawing of a URL, or of its error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from urlschemes_cli.exit_codes import INVALID

if TYPE_CHECKING:
    from urlschemes_cli.settings import Settings

__all__ = ["explain"]


@click.command()
@click.argument("url")
@click.pass_obj
def explain(settings: Settings, url: str) -> None:
    """Draw URL with the name and value of each part underneath.

    If URL is invalid, mark the error and show the rule, the section, what to do, and the repaired URL if there is one.
    """
    from urlschemes_cli.output.console import Console  # late: rich
    from urlschemes_cli.output.drawing import print_drawing, strokes_for
    from urlschemes_lint.explaining import explanation

    console = Console()
    drawing = explanation(url, registry=settings.registry, width=console.width, strokes=strokes_for(console))
    print_drawing(drawing, console)
    if drawing.error is not None:
        click.get_current_context().exit(INVALID)
