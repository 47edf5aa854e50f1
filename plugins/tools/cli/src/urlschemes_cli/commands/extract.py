"""The command `extract`: the URLs in a text."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from textwrap import indent
from typing import IO

import click

from urlschemes import InvalidURL
from urlschemes.redaction import one_line, redact_url
from urlschemes_cli.error_reports import error_json
from urlschemes_cli.exit_codes import INVALID
from urlschemes_cli.options import json_option, note_hidden_password, passwords_option
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
) -> None:
    """List the URLs in FILE or standard input, one on each line, without fragments.

    FILE is text in UTF-8. Within <URL:...>, a URL may be broken over several lines.
    """
    passages = find(decoded(file), registries=settings.registries, invalid=invalid)
    chosen = (each for each in passages if not delimited or each.grade == "delimited")
    write = _write_json if as_json else partial(_write_lines, positions=positions)
    if write(chosen, passwords=passwords):
        click.get_current_context().exit(INVALID)


def decoded(file: IO[bytes]) -> Iterator[str]:
    """Yield the text of `file` as it arrives; octets that are not UTF-8 become surrogates. Raises UsageError."""
    read = getattr(file, "read1", file.read)  # does not wait for more octets than have arrived
    try:
        yield from codecs.iterdecode(iter(partial(read, _CHUNK), b""), "utf-8-sig", "surrogateescape")
    except OSError as error:
        raise click.UsageError(f"cannot read the text: {error.strerror}") from error


def _write_lines(passages: Iterable[Found | Broken], *, positions: bool, passwords: bool) -> bool:
    """Write each URL on a line; return True if a passage is broken."""
    any_broken = any_hidden = False
    for passage in passages:
        place = f"{passage.line}:{passage.column}: "
        if isinstance(passage, Broken):
            any_broken = True
            write_note(f"{place}{one_line(_joined(passage), 80)}: {message_of(passage.error)}")
            continue
        url = str(passage.url) if passwords else passage.url.redacted()
        any_hidden = any_hidden or url != str(passage.url)
        write_line(place + url if positions else url)
        if passage.uncertain:
            write_note(
                f"{place}uncertain: there is a hyphen before a line break, or a line begins with the closing `>`"
            )
    if any_hidden:
        note_hidden_password()
    return any_broken


def _write_json(passages: Iterable[Found | Broken], *, passwords: bool) -> bool:
    """Write a JSON list, each item as soon as it is found; return True if a passage is broken."""
    any_broken = False
    before = "["
    for passage in passages:
        place = {"grade": passage.grade, "span": passage.span, "line": passage.line, "column": passage.column}
        if isinstance(passage, Broken):
            any_broken = True
            error = passage.error
            text = error.text if isinstance(error, InvalidURL) else _joined(passage)
            item = {"text": redact_url(text), **place, **error_json(error), "profile": profile_of(text)}
        else:
            url, profile = str(passage.url) if passwords else passage.url.redacted(), passage.url.syntax.profile.name
            item = {"url": url, "fragment": passage.fragment, "uncertain": passage.uncertain}
            item |= {**place, "profile": profile}
        sys.stdout.write(f"{before}\n{indent(json_text(item, indent=2), '  ')}")
        before = ","
    write_line("[]" if before == "[" else "\n]")
    return any_broken


def _joined(broken: Broken) -> str:
    return "".join(broken.text.split())
