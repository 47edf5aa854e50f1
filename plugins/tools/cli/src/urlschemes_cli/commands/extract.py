"""The commands `extract` and `wrap`: the URLs in a text, and URLs for a text."""

from __future__ import annotations

import sys
from collections import Counter
from textwrap import indent
from typing import Any

import click

import urlschemes_text
from urlschemes import UnknownScheme, URLError
from urlschemes.redaction import one_line, redact_url
from urlschemes_cli.error_reports import error_json
from urlschemes_cli.exit_codes import INVALID
from urlschemes_cli.options import for_each_url, json_option, note_hidden_password, passwords_option
from urlschemes_cli.output.hints import message_of
from urlschemes_cli.output.json_output import json_text, profile_of
from urlschemes_cli.output.text import safe_line, write_line, write_note
from urlschemes_cli.passages import note_unchecked, passages, unchecked_name
from urlschemes_cli.settings import Settings
from urlschemes_text import Broken, Found, Passage

_UNCERTAIN = "uncertain: there is a hyphen before a line break, or a line begins with the closing `>`"


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path())
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
    lines. Standard error says how many URLs were left out, as invalid or as no plugin has their scheme, and which files
    are binary or cannot be read.
    """
    code, left_out, unchecked = 0, 0, Counter[str]()
    any_hidden, before, many = False, "[", len(files) > 1
    for file, found in passages(settings, files or "-"):
        url = note = None
        if isinstance(found, click.UsageError):
            code, note = max(code, found.exit_code), found.format_message()
            item = {"file": file, **error_json(found)}
        elif delimited and found.grade != "delimited":
            continue
        else:
            place = f"{safe_line(file)}:" * many + f"{found.line}:{found.column}: "
            item = {"file": file} if many else {}
            if isinstance(found, Found):
                item |= _found_json(found, passwords=passwords)
                url = place + item["url"] if positions else item["url"]
                any_hidden = any_hidden or item["url"] != str(found.url)
                note = place + _UNCERTAIN if found.uncertain else None
            elif name := unchecked_name(settings, found):
                unchecked[name] += 1
                continue
            elif not invalid:
                left_out += 1
                continue
            else:
                code, error = max(code, INVALID), _error_of(settings, found)
                item |= _broken_json(found, error)
                note = f"{place}{one_line(item['text'], 80)}: {message_of(error)}"
        if as_json:  # each item is written as soon as it is found
            sys.stdout.write(f"{before}\n{indent(json_text(item, indent=2), '  ')}")
            before = ","
            continue
        if url is not None:
            write_line(url)
        if note is not None:
            write_note(note)
    if as_json:
        write_line("[]" if before == "[" else "\n]")
    elif any_hidden:
        note_hidden_password()
    if left_out:
        write_note(f"invalid URLs left out: {left_out}; --invalid reports them")
    note_unchecked(unchecked, "left out")
    return code


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


def _found_json(found: Found, *, passwords: bool) -> dict[str, Any]:
    url = str(found.url) if passwords else found.url.redacted()
    value = {"url": url, "fragment": found.fragment, "uncertain": found.uncertain}
    return {**value, **_place_json(found), "profile": found.url.syntax.profile.name}


def _broken_json(broken: Broken, error: URLError) -> dict[str, Any]:
    start = broken.span[0]
    text = broken.text[broken.inside[0] - start : broken.inside[1] - start]
    if broken.grade == "delimited":  # the places of the error count no white space
        text = "".join(text.split())
    return {"text": redact_url(text), **_place_json(broken), **error_json(error), "profile": profile_of(text)}


def _place_json(passage: Passage) -> dict[str, Any]:
    return {"grade": passage.grade, "span": passage.span, "line": passage.line, "column": passage.column}


def _error_of(settings: Settings, broken: Broken) -> URLError:
    """Return the error of a passage; for a misspelt scheme the one that says what it may mean."""
    name = str(broken.meant).partition(":")[0]
    try:
        settings.registry_for(name)[name]
    except UnknownScheme as error:
        return error
    return broken.error
