"""The passages of text files that are meant as URLs, for `extract` and `check --text`."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain

import click

from urlschemes.registry.names import merged, suggestion
from urlschemes_cli.output.text import write_note
from urlschemes_cli.settings import Settings
from urlschemes_text import Broken, Found, find

__all__ = ["note_unchecked", "passages", "unchecked_name"]

_CHUNK = 64 * 1024
_MISTYPED = ("file", "ftp", "http", "https", "mailto")
"""Schemes that people mistype in texts; names near others are usually schemes of their own, such as amqp."""
_MAX_NOTED = 20
"""Schemes that the note about unchecked URLs names."""


class _BinaryFile(click.UsageError):
    exit_code = 0


def passages(settings: Settings, files: Sequence[str]) -> Iterator[tuple[str, Found | Broken | click.UsageError]]:
    """Yield each passage that is meant as a URL, or the error of a file that is not read, with the file's name."""
    for file in files:
        try:
            pieces = _text_of(file)
            first = next(pieces, "")
            if "\0" in first:
                raise _BinaryFile(f"{file} was not read: it holds NUL, so it is no text in UTF-8 or UTF-16")
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
    """Return True for a name such as `htps`: no register has it, and it is near a scheme that people mistype."""
    near = suggestion(name, _MISTYPED) if name.isalpha() else None  # not for `git+https`
    return near is not None and name not in merged(settings.registry.ledgers())


def note_unchecked(counts: Counter[str], what: str) -> None:
    """Say on standard error how many URLs of each name in `counts` were `what`, such as "not checked"."""
    if counts:
        listed = ", ".join(f"{count} {name}" for name, count in counts.most_common(_MAX_NOTED))
        listed += f", and those of {len(counts) - _MAX_NOTED} other names" if len(counts) > _MAX_NOTED else ""
        write_note(f"URLs {what}, as no plugin has their scheme: {listed}; see `urlschemes why NAME`")


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
