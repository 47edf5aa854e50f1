"""The passages of text files that are meant as URLs, for `extract` and `check --text`."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain

import click

from urlschemes.registry.names import known_names, merged, suggestion
from urlschemes_cli.output.text import write_note
from urlschemes_cli.settings import Settings
from urlschemes_text import Broken, Found, find

__all__ = ["passages", "unchecked_name"]

_CHUNK = 64 * 1024


def passages(settings: Settings, files: Sequence[str]) -> Iterator[tuple[str, Found | Broken | click.UsageError]]:
    """Yield each passage that is meant as a URL, or the error of a file that cannot be read, with the file's name.

    A note says which files are binary.
    """
    for file in files:
        try:
            pieces = _text_of(file)
            first = next(pieces, "")
            if "\0" in first:
                write_note(f"{file} was not read: it holds NUL, so it is no text in UTF-8 or UTF-16")
                continue
            found = find(chain([first], pieces), registries=settings.registries, invalid=True)
            yield from ((file, each) for each in found if each.meant is not None)
        except click.UsageError as unreadable:
            yield file, unreadable


def unchecked_name(settings: Settings, passage: Found | Broken) -> str | None:
    """Return the name of a scheme that is not installed, and does not look misspelt; else None."""
    name = str(passage.meant).partition(":")[0].lower()
    return None if name in settings.registry_for(name) or _is_misspelt(settings, name) else name


@lru_cache(maxsize=1024)
def _is_misspelt(settings: Settings, name: str) -> bool:
    """Return True for a name such as `htps`: no register has it, and it is near a well-known scheme."""
    near = suggestion(name, {*known_names(), *settings.schemes}) if name.isalpha() else None  # not for `git+https`
    return near is not None and name not in merged(settings.registry.ledgers())


def _text_of(file: str) -> Iterator[str]:
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
