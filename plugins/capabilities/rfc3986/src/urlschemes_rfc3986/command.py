"""The command `urlschemes unicode`: a URL from the characters of all languages, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from urlschemes_cli.output.text import safe_line, write_line
from urlschemes_rfc3986.iri import from_unicode, to_unicode

if TYPE_CHECKING:
    from urlschemes_cli.settings import Settings

__all__ = ["unicode"]


@click.command(short_help="Write a Unicode text as a URL, or a URL as Unicode.")
@click.argument("text")
@click.option("--show", is_flag=True, help="Take TEXT as a URL, and write it in Unicode.")
@click.option("--uts46", is_flag=True, help="Map the host as browsers do, above all to lower case.")
@click.pass_obj
def unicode(settings: Settings, text: str, *, show: bool, uts46: bool) -> None:
    """Write TEXT, which may hold characters of all languages, as a URL."""
    if show and uts46:
        raise click.UsageError("--uts46 and --show cannot be combined")
    parse = settings.registry_for(text).parse
    if show:
        write_line(safe_line(to_unicode(parse(text))))
    else:
        write_line(str(from_unicode(text, parse, uts46=uts46)))
