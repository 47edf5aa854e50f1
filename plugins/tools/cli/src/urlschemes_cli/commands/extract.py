"""extract: the URLs in a text."""

from __future__ import annotations

import codecs
import json
import sys
from functools import partial
from textwrap import indent
from typing import IO, TYPE_CHECKING

import click

from urlschemes.redaction import one_line, redact
from urlschemes_cli.commands.read import note_hidden, with_passwords
from urlschemes_cli.output.plain import as_json, error_json, note, write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from urlschemes.url.value import URL
    from urlschemes_cli.app import Settings
    from urlschemes_text.search import Broken, Found

__all__ = ["extract"]

_CHUNK = 64 * 1024


@click.command(short_help="Write the URLs that stand in a text.")
@click.argument("file", type=click.File("rb"), default="-")
@click.option("--delimited", is_flag=True, help="Only URLs within brackets: <URL:...>.")
@click.option("--invalid", is_flag=True, help="Report on standard error what should be a URL and is none.")
@click.option("--positions", is_flag=True, help="Write LINE:COLUMN: before each URL.")
@as_json
@with_passwords
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
    """Write the URLs that stand in FILE, or in standard input, one on each line and without their fragments.

    FILE is text in UTF-8. Within <URL:...> a URL may be broken over lines. Passwords are written as ***.
    """
    from urlschemes_cli.app import INVALID
    from urlschemes_text.search import Broken, find

    found = find(_decoded(file), registry=settings.registry, invalid=invalid)
    chosen = (each for each in found if not delimited or each.grade == "delimited")
    if as_json:
        broken = _write_list(chosen, passwords=passwords)
    else:
        broken = hidden = False
        for each in chosen:
            place = f"{each.line}:{each.column}: "
            if isinstance(each, Broken):
                broken = True
                _remark(f"{place}{_of_one_line(each)}: {each.error.message}")
                continue
            url = _shown(each.url, passwords=passwords)
            hidden = hidden or url != str(each.url)
            write(place + url if positions else url)
            if each.uncertain:
                _remark(f"{place}uncertain: a hyphen stands before a line break, or `>` is the first on its line")
        if hidden:
            note_hidden()
    if broken:
        click.get_current_context().exit(INVALID)


def _decoded(file: IO[bytes]) -> Iterator[str]:
    """The text of `file` as it comes; octets that are no UTF-8 become surrogates."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    read = getattr(file, "read1", file.read)  # what is there already, where the file can tell
    for octets in iter(partial(read, _CHUNK), b""):
        yield decoder.decode(octets)
    yield decoder.decode(b"", final=True)


def _shown(url: URL, *, passwords: bool) -> str:
    if passwords:
        return str(url)
    # Which part of a scheme that nobody registered is a password is not known.
    return redact(str(url)) if url.registration is None else url.redacted()


def _remark(text: str) -> None:
    """Say something on standard error, behind what was written before."""
    sys.stdout.flush()
    note(text)


def _of_one_line(broken: Broken) -> str:
    return one_line("".join(broken.text.split()), 80)


def _write_list(passages: Iterable[Found | Broken], *, passwords: bool) -> bool:
    """Write a JSON list, each item as soon as it is found. Whether one of them is broken."""
    from urlschemes_text.search import Broken

    broken = False
    before = "["
    for each in passages:
        place = {"grade": each.grade, "span": each.span, "line": each.line, "column": each.column}
        if isinstance(each, Broken):
            broken = True
            item = {"text": _of_one_line(each), **place, **error_json(each.error)}
        else:
            url = _shown(each.url, passwords=passwords)
            item = {"url": url, "fragment": each.fragment, "uncertain": each.uncertain, **place}
        sys.stdout.write(f"{before}\n{indent(json.dumps(item, indent=2), '  ')}")
        before = ","
    write("[]" if before == "[" else "\n]")
    return broken
