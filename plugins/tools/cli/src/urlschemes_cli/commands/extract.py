"""The commands `extract` and `wrap`: the URLs in a text, and URLs for a text."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator
from functools import partial
from textwrap import indent
from typing import IO, Any

import click

import urlschemes_text
from urlschemes import InvalidURL
from urlschemes.redaction import one_line, redact_url
from urlschemes_cli.error_reports import error_json
from urlschemes_cli.exit_codes import INVALID
from urlschemes_cli.options import for_each_url, json_option, note_hidden_password, passwords_option
from urlschemes_cli.output.hints import message_of
from urlschemes_cli.output.json_output import json_text, profile_of
from urlschemes_cli.output.text import write_line, write_note
from urlschemes_cli.settings import Settings
from urlschemes_text import Broken, Found, find

_CHUNK = 64 * 1024


@click.command()
@click.argument("file", type=click.File("rb"), default="-")
@click.option("--delimited", is_flag=True, help="List only URLs within brackets: <URL:...>.")
@click.option("--invalid", is_flag=True, help="Report invalid URLs on standard error.")
@click.option("--positions", is_flag=True, help="Write LINE:COLUMN: before each URL.")
@json_option
@passwords_option
@click.pass_obj
def extract(
    settings: Settings,
    file: IO[bytes],
    *,
    delimited: bool,
    invalid: bool,
    positions: bool,
    as_json: bool,
    passwords: bool,
) -> int:
    """List the URLs in FILE or standard input, one on each line, without fragments.

    FILE is text in UTF-8. Within <URL:...>, a URL may be broken over several lines.
    """
    any_broken = any_hidden = False
    before = "["
    for passage in find(decoded(file), registries=settings.registries, invalid=invalid):
        if delimited and passage.grade != "delimited":
            continue
        any_broken = any_broken or isinstance(passage, Broken)
        item = _json(passage, passwords=passwords)
        if as_json:  # each item is written as soon as it is found
            sys.stdout.write(f"{before}\n{indent(json_text(item, indent=2), '  ')}")
            before = ","
            continue
        place = f"{passage.line}:{passage.column}: "
        if isinstance(passage, Broken):
            write_note(f"{place}{one_line(_joined(passage), 80)}: {message_of(passage.error)}")
            continue
        any_hidden = any_hidden or item["url"] != str(passage.url)
        write_line(place + item["url"] if positions else item["url"])
        if passage.uncertain:
            write_note(
                f"{place}uncertain: there is a hyphen before a line break, or a line begins with the closing `>`"
            )
    if as_json:
        write_line("[]" if before == "[" else "\n]")
    elif any_hidden:
        note_hidden_password()
    return INVALID if any_broken else 0


@click.command()
@for_each_url(heading="")
@click.option("--width", type=click.IntRange(min=1), metavar="COLUMNS", help="Break longer lines.")
@passwords_option
def wrap(settings: Settings, text: str, *, width: int | None, passwords: bool) -> int:
    """Write URL as RFC 1738 recommends for a text: `<URL:...>`. `extract` finds it there, whatever stands around it.

    With `-`, each line of standard input is a URL.
    """
    url = settings.registry_for(text).parse(text)
    shown = url if passwords else type(url).parse(url.redacted())
    write_line(urlschemes_text.wrap(shown, width=width))
    if shown != url:
        note_hidden_password()
    return 0


def decoded(file: IO[bytes]) -> Iterator[str]:
    """Yield the text of `file` as it arrives; octets that are not UTF-8 become surrogates. Raises UsageError."""
    read = getattr(file, "read1", file.read)  # does not wait for more octets than have arrived
    try:
        yield from codecs.iterdecode(iter(partial(read, _CHUNK), b""), "utf-8-sig", "surrogateescape")
    except OSError as error:
        raise click.UsageError(f"cannot read the text: {error.strerror}") from error


def _json(passage: Found | Broken, *, passwords: bool) -> dict[str, Any]:
    place = {"grade": passage.grade, "span": passage.span, "line": passage.line, "column": passage.column}
    if isinstance(passage, Broken):
        error = passage.error
        text = error.text if isinstance(error, InvalidURL) else _joined(passage)
        return {"text": redact_url(text), **place, **error_json(error), "profile": profile_of(text)}
    url = str(passage.url) if passwords else passage.url.redacted()
    found = {"url": url, "fragment": passage.fragment, "uncertain": passage.uncertain}
    return {**found, **place, "profile": passage.url.syntax.profile.name}


def _joined(broken: Broken) -> str:
    return "".join(broken.text.split())
