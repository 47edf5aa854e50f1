"""The command `parse`: the parts of a URL as a table."""

from __future__ import annotations

from typing import Any

import click

from urlschemes import URL
from urlschemes.errors import UnknownScheme
from urlschemes.redaction import HIDDEN
from urlschemes_cli.error_reports import error_json, report, verdict_json, verdict_line
from urlschemes_cli.options import for_each_url, json_option, passwords_option
from urlschemes_cli.output.console import Console, columns_table
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import safe_line
from urlschemes_cli.settings import Settings

_EMPTY = {None: "absent", "": "empty", (): "none"}
"""The words for values without text."""


@click.command()
@for_each_url()
@json_option
@passwords_option
def parse(settings: Settings, text: str, *, as_json: bool, passwords: bool) -> int:
    """Split URL into its parts, and show each decoded and as written.

    A URL of an unknown scheme is split by the rules for all URLs. With `-`, each line of standard input is a URL.
    """
    registry, unknown = settings.registry_for(text), None
    try:
        url = registry.parse(text)
    except UnknownScheme as error:
        url, unknown = registry.parse_generic(text), error
    value = _json(url, text, passwords=passwords)
    if as_json:
        write_json(value if unknown is None else value | error_json(unknown))
    else:
        _print(value)
    return 0 if unknown is None else report(unknown)


def _json(url: URL, text: str, *, passwords: bool) -> dict[str, Any]:
    """Return the parts of a URL as JSON: their values, and their texts as written, the scheme first."""
    if not passwords and "password" not in url.parts:  # user information of no certain form may hold one
        url = type(url).parse(url.redacted(), limit=2 * len(text))
    parts = {"scheme": url.scheme} | {name: getattr(url, name) for name in url.parts}
    raw = {"scheme": str(url).partition(":")[0]} | {name: url.raw[name] for name in url.parts}
    if parts.get("password") and not passwords:
        parts["password"] = raw["password"] = HIDDEN
    return {
        "url": str(url) if passwords else url.redacted(),
        "scheme": url.scheme,
        "type": type(url).__name__,
        "parts": parts,
        "raw": raw,
        "rfc1738": verdict_json(text),
    }


def _print(value: dict[str, Any]) -> None:
    from rich.text import Text  # late: JSON does without it

    table = columns_table("part", "value", "as written")
    for name, part in value["parts"].items():
        table.add_row(name, *(_text(each) or Text(_EMPTY[each], "dim italic") for each in (part, value["raw"][name])))
    console = Console()
    console.print_table(table)
    if value["rfc1738"]:
        console.print_line((verdict_line(value["rfc1738"]), "dim"))


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
