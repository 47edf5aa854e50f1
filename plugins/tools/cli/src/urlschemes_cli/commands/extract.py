"""The commands `extract` and `wrap`: the URLs in a text, and URLs for a text."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator
from functools import partial
from itertools import chain
from textwrap import indent
from typing import Any

import click

import urlschemes_text
from urlschemes import InvalidURL
from urlschemes.redaction import one_line, redact_url
from urlschemes_cli.error_reports import error_json
from urlschemes_cli.exit_codes import INVALID
from urlschemes_cli.options import for_each_url, json_option, note_hidden_password, passwords_option
from urlschemes_cli.output.hints import message_of
from urlschemes_cli.output.json_output import json_text, profile_of
from urlschemes_cli.output.text import safe_line, write_line, write_note
from urlschemes_cli.settings import Settings
from urlschemes_text import Broken, Found, find

_CHUNK = 64 * 1024


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--delimited", is_flag=True, help="List only URLs within brackets: <URL:...>.")
@click.option("--invalid", is_flag=True, help="Report invalid URLs on standard error.")
@click.option("--positions", is_flag=True, help="Write LINE:COLUMN:, or FILE:LINE:COLUMN:, before each URL.")
@json_option
@passwords_option
@click.pass_obj
def extract(
    settings: Settings,
    files: tuple[str, ...],
    *,
    delimited: bool,
    invalid: bool,
    positions: bool,
    as_json: bool,
    passwords: bool,
) -> int:
    """List the URLs in each FILE, or in standard input, one on each line.

    FILE is text in UTF-8, or in UTF-16 with a byte order mark. Within <URL:...>, a URL may be broken over several
    lines.
    """
    any_broken = any_hidden = False
    before = "["
    passages = (
        (file, each)
        for file in files or "-"
        for each in find(text_of(file), registries=settings.registries, invalid=True)
    )
    try:
        for file, passage in passages:
            place = f"{safe_line(file)}:" * (len(files) > 1) + f"{passage.line}:{passage.column}: "
            if delimited and passage.grade != "delimited":
                continue
            if isinstance(passage, Broken) and not (invalid and isinstance(passage.error, InvalidURL)):
                if passage.error.code == "url-too-long":
                    write_note(f"{place}passed over: {passage.error.message}")
                continue
            any_broken = any_broken or isinstance(passage, Broken)
            item = ({"file": file} if len(files) > 1 else {}) | _json(passage, passwords=passwords)
            if as_json:  # each item is written as soon as it is found
                sys.stdout.write(f"{before}\n{indent(json_text(item, indent=2), '  ')}")
                before = ","
                continue
            if isinstance(passage, Broken):
                write_note(f"{place}{one_line(_joined(passage), 80)}: {message_of(passage.error)}")
                continue
            any_hidden = any_hidden or item["url"] != str(passage.url)
            write_line(place + item["url"] if positions else item["url"])
            if passage.uncertain:
                write_note(
                    f"{place}uncertain: there is a hyphen before a line break, or a line begins with the closing `>`"
                )
    finally:  # the list ends, too, if a file cannot be read to its end
        if before == ",":
            write_line("\n]")
    if as_json and before == "[":
        write_line("[]")
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


def text_of(file: str) -> Iterator[str]:
    """Yield the text of a file as it arrives. Raises UsageError.

    It is UTF-8, whose invalid octets become surrogates, or UTF-16 if it begins with the byte order mark of that.
    """
    try:
        with click.open_file(file, "rb") as opened:
            read = getattr(opened, "read1", opened.read)  # does not wait for more octets than have arrived
            first: bytes = read(_CHUNK)
            is_utf16 = first.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE))
            coding, errors = ("utf-16", "replace") if is_utf16 else ("utf-8-sig", "surrogateescape")
            yield from codecs.iterdecode(chain([first], iter(partial(read, _CHUNK), b"")), coding, errors)
    except OSError as error:
        raise click.UsageError(f"cannot read the text {file}: {error.strerror}") from error


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
