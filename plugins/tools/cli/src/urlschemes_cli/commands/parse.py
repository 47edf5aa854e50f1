"""The command `parse`: the parts of a URL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from urlschemes.redaction import HIDDEN
from urlschemes_cli.options import json_option, passwords_option
from urlschemes_cli.output.json_output import errors_as_json, write_json
from urlschemes_cli.output.text import safe_line

if TYPE_CHECKING:
    from urlschemes import URL
    from urlschemes_cli.settings import Settings

__all__ = ["parse"]

PASSWORD = "password"  # noqa: S105  the name of a part


@click.command()
@click.argument("url")
@json_option
@passwords_option
@click.pass_obj
def parse(settings: Settings, url: str, *, as_json: bool, passwords: bool) -> None:
    """Split URL into its parts, and show each decoded and as written."""
    with errors_as_json(url, enabled=as_json):
        parsed = settings.registry.parse(url)
    parts = _parts(parsed, passwords=passwords)
    if as_json:
        write_json(
            {
                "url": str(parsed) if passwords else parsed.redacted(),
                "scheme": parsed.scheme,
                "type": type(parsed).__name__,
                "parts": {name: value for name, (value, _) in parts.items()},
                "raw": {name: raw for name, (_, raw) in parts.items()},
            }
        )
        return
    from urlschemes_cli.output.console import Console, columns_table  # late: rich

    table = columns_table("part", "value", "as written")
    for name, (value, raw) in parts.items():
        table.add_row(name, _cell(value), _cell(raw))
    Console().print_table(table)


def _parts(url: URL, *, passwords: bool) -> dict[str, tuple[Any, Any]]:
    """Return each part by name, the scheme first: its value, and its text as written."""
    parts: dict[str, tuple[Any, Any]] = {"scheme": (url.scheme, str(url).partition(":")[0])}
    raw = url.raw
    for name, value in url.parts.items():
        is_hidden = name == PASSWORD and value and not passwords
        parts[name] = (HIDDEN, HIDDEN) if is_hidden else (value, raw[name])
    return parts


def _cell(value: object) -> Any:
    """Return the value of a part as the cell of a table, in which absent and empty values look different."""
    from rich.text import Text  # late: --json does without rich

    if value is None:
        return Text("absent", "dim italic")
    if isinstance(value, tuple):
        return Text("none", "dim italic") if not value else ", ".join(map(_element, value))
    return safe_line(str(value)) if str(value) else Text("empty", "dim italic")


def _element(element: str | tuple[str, str]) -> str:
    """Return an element of a list, or of a list of pairs, as text."""
    return f'"{safe_line(element)}"' if isinstance(element, str) else "=".join(map(_element, element))
