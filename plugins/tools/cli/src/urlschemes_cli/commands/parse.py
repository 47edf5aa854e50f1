"""The commands `parse` and `explain`: the parts of a URL as a table, and as a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from urlschemes.redaction import HIDDEN
from urlschemes_cli.exit_codes import INVALID
from urlschemes_cli.options import json_option, passwords_option, url_argument
from urlschemes_cli.output.json_output import verdict_json, write_json
from urlschemes_cli.output.text import safe_line
from urlschemes_cli.verdict import print_verdict

if TYPE_CHECKING:
    from urlschemes import URL
    from urlschemes_cli.settings import Settings

__all__ = ["explain", "parse"]

_EMPTY = {None: "absent", "": "empty", (): "none"}
"""The words for values without text."""
PASSWORD = "password"  # noqa: S105  the name of a part


@click.command()
@url_argument
@json_option
@passwords_option
@click.pass_obj
def parse(settings: Settings, url: str, *, as_json: bool, passwords: bool) -> None:
    """Split URL into its parts, and show each decoded and as written."""
    parsed = settings.registry_for(url).parse(url)
    parts = _parts(parsed, passwords=passwords)
    if as_json:
        found = {
            "url": str(parsed) if passwords else parsed.redacted(),
            "scheme": parsed.scheme,
            "type": type(parsed).__name__,
            "parts": {name: value for name, (value, _) in parts.items()},
            "raw": {name: raw for name, (_, raw) in parts.items()},
            "rfc1738": verdict_json(url),
        }
        write_json(found)
        return
    from urlschemes_cli.output.console import Console, columns_table, dim  # late: rich

    table = columns_table("part", "value", "as written")
    for name, values in parts.items():
        table.add_row(name, *(_text(value) or dim(_EMPTY[value]) for value in values))
    console = Console()
    console.print_table(table)
    print_verdict(console, url, settings)


def _parts(url: URL, *, passwords: bool) -> dict[str, tuple[Any, Any]]:
    """Return each part by name, the scheme first: its value, and its text as written."""
    parts: dict[str, tuple[Any, Any]] = {"scheme": (url.scheme, str(url).partition(":")[0])}
    raw = url.raw
    for name in url.parts:
        value = getattr(url, name)
        is_hidden = name == PASSWORD and value and not passwords
        parts[name] = (HIDDEN, HIDDEN) if is_hidden else (value, raw[name])
    return parts


def _text(value: object) -> str:
    """Return the value of a part as text; "" if the part is absent, empty, or a list without elements."""
    if isinstance(value, tuple):
        return ", ".join(map(_element, value))
    return "" if value is None else safe_line(str(value))


def _element(element: str | tuple[str, str]) -> str:
    """Return an element of a list, or of a list of pairs, as text."""
    return f'"{safe_line(element)}"' if isinstance(element, str) else "=".join(map(_element, element))


@click.command()
@url_argument
@click.pass_obj
def explain(settings: Settings, url: str) -> None:
    """Draw URL with the name and value of each part underneath.

    If URL is invalid, mark the error and show the rule, the section, what to do, and the repaired URL if there is one.
    """
    from urlschemes_cli.output.console import Console  # late: rich
    from urlschemes_cli.output.drawing import print_drawing, strokes_for
    from urlschemes_lint.explaining import explanation

    console = Console()
    registry = settings.registry_for(url)
    drawing = explanation(url, registry=registry, width=console.width, strokes=strokes_for(console))
    print_drawing(drawing, console)
    print_verdict(console, url, settings)
    if drawing.error is not None:
        click.get_current_context().exit(INVALID)
