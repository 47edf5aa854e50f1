"""The command `parse`: the parts of a URL as a table."""

from __future__ import annotations

from typing import Any

import click

from urlschemes import URL
from urlschemes.redaction import HIDDEN
from urlschemes_cli.error_reports import verdict_json
from urlschemes_cli.options import json_option, passwords_option, url_argument
from urlschemes_cli.output.console import Console, columns_table, dim
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import safe_line
from urlschemes_cli.settings import Settings
from urlschemes_cli.verdict import print_verdict

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


def _element(element: str | tuple[str | None, ...]) -> str:
    """Return an element of a list, or of a list of pairs, as text."""
    if isinstance(element, str):
        return f'"{safe_line(element)}"'
    return "=".join(_element(each) for each in element if each is not None)
