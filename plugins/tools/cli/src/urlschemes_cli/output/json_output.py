"""JSON on standard output, for results and errors."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

import click

from urlschemes.errors import InvalidURL, URLError
from urlschemes.redaction import HIDDEN, password_spans, redact, redact_url, shown
from urlschemes_cli.output.hints import hint_of
from urlschemes_cli.output.text import write_line, write_log_as_notes
from urlschemes_cli.settings import Settings
from urlschemes_cli.verdict import verdict_on

__all__ = [
    "ABOUT",
    "About",
    "GivenText",
    "error_json",
    "json_text",
    "profile_of",
    "verdict_json",
    "write_error_json",
    "write_json",
    "write_json_line",
]

ABOUT = f"{__name__}.about"
"""The key in click's context for what the command is about."""
_WRITTEN = f"{__name__}.written"
"""The key in click's context for: JSON was written."""
_LOSSY = re.compile("[\ud800-\udfff]")
"""A lone surrogate, such as that of an octet that is not UTF-8."""


class About(NamedTuple):
    """The URL that a command is about, with its `key` in JSON; or the name of a scheme, without a key."""

    text: str
    key: str | None


class GivenText:
    """A text that the user gave, without its passwords, and the places in it as JSON has them.

    `is_url` says that it is meant as one URL, whose password may hold blanks. With `passwords` they stay.
    """

    def __init__(self, text: str, *, is_url: bool = True, passwords: bool = False) -> None:
        self.text = text
        self.redacted = text if passwords else redact_url(text) if is_url else redact(text)
        hidden = [] if passwords else password_spans(text, is_url=is_url)
        changes = [(start, end, HIDDEN) for start, end in hidden]
        changes += [(*found.span(), shown(found[0])) for found in _LOSSY.finditer(text)]
        self._changes: list[tuple[int, int, int, int]] = []
        moved = last = 0
        for start, end, written in sorted(changes, key=lambda change: (change[0], -change[1])):
            if start >= last:  # a surrogate within a password is hidden
                self._changes.append((start, end, start + moved, len(written)))
                moved, last = moved + len(written) - (end - start), end
        self._starts = [change[0] for change in self._changes]

    def place(self, position: int, *, is_end: bool = False) -> int:
        """Return where `position` is in JSON. Within a password it is before it, or behind it if it `is_end`."""
        index = bisect_right(self._starts, position - is_end) - 1
        if index < 0:
            return position
        _, end, place, length = self._changes[index]
        if position >= end:
            return place + length + position - end
        return place + length if is_end else place

    def span(self, span: tuple[int, int] | None) -> tuple[int, int] | None:
        """Return where `span` is in JSON."""
        if span is None:
            return None
        start = self.place(span[0])
        return start, max(start, self.place(span[1], is_end=True))


def json_text(value: object, *, indent: int | None = None) -> str:
    """Return `value` as JSON in US-ASCII, so that a terminal sees no control characters.

    An octet that is not UTF-8 is written in hexadecimal; the object that holds it then has the key `text_is_lossy`.
    """
    return json.dumps([*map(_complete, value)] if isinstance(value, list) else _complete(value), indent=indent)


def write_json(value: object) -> None:
    """Write `value` as JSON, with the profile if it is about a URL or a scheme that the command was given."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[_WRITTEN] = True
        about: About | None = context.meta.get(ABOUT)
        if about is not None and isinstance(value, dict):
            value = {**value, "profile": profile_of(about.text)}
    write_line(json_text(value, indent=2))


def write_json_line(value: object) -> None:
    """Write `value` as JSON on one line, as one of several."""
    write_line(json_text(value))


def profile_of(text: str) -> str | None:
    """Return the name of the profile that reads `text`, a URL or the name of a scheme; None if it cannot be used."""
    settings = click.get_current_context().find_object(Settings)
    with suppress(URLError):
        return None if settings is None else settings.registry_for(text).profile.name
    return None


def verdict_json(text: str, given: GivenText) -> dict[str, Any] | None:
    """Return what RFC 1738 says of `text` where that differs, as JSON; its places are those in `given`."""
    settings = click.get_current_context().find_object(Settings)
    verdict = None if settings is None else verdict_on(text, settings)
    if verdict is None:
        return None
    error = None if verdict.error is None else error_json(verdict.error, given)["error"]
    return {"valid": error is None, "error": error, "reads": verdict.reads}


def error_json(error: URLError, given: GivenText | None = None) -> dict[str, Any]:
    """Return an error as JSON. Its places are those in `given`, if it is about that.

    Every error has the same keys, and that of `fix` its readings, too.
    """
    readings = getattr(error, "shown_readings", None)
    write_log_as_notes()  # some messages are made by plugins' ledgers, which may fail
    hint, position, span = hint_of(error), error.position, getattr(error, "span", None)
    if given is not None and not (isinstance(error, InvalidURL) and error.text != given.text):
        position, span = None if position is None else given.place(position), given.span(span)
    return {
        "error": {
            "code": error.code,
            "message": redact(str(error.message or error.code)),
            "scheme": error.scheme,
            "part": error.part,
            "position": position,
            "span": span,
            "rule": error.rule,
            "section": error.section,
            "hint": hint and redact(hint),
            "origin": error.origin,
            **({} if readings is None else {"readings": list(readings)}),
        }
    }


def write_error_json(error: URLError | click.ClickException, context: click.Context) -> None:
    """Write the error that ended the command, unless JSON was written already."""
    if context.meta.get(_WRITTEN):
        return
    if isinstance(error, URLError):
        about: About | None = context.meta.get(ABOUT)
        if about is None or about.key is None:
            write_json(error_json(error))
            return
        given = GivenText(about.text)
        value = {about.key: given.redacted, **error_json(error, given)}
        if isinstance(error, InvalidURL) and error.text == about.text:
            value["rfc1738"] = verdict_json(about.text, given)
        write_json(value)
        return
    keys = ("scheme", "part", "position", "span", "rule", "section", "hint", "origin")
    message = redact(error.format_message())
    write_json({"error": {"code": "usage", "message": message, **dict.fromkeys(keys)}})


def _complete(value: object) -> Any:
    """Return `value` for JSON, with `text_is_lossy` if a text in it is not written as it was."""
    lossy: list[str] = []
    made = _serializable(value, lossy)
    return made | {"text_is_lossy": True} if lossy and isinstance(made, dict) else made


def _serializable(value: object, lossy: list[str]) -> Any:
    """Return `value` for JSON; add the texts in it that hold lone surrogates to `lossy`."""
    if isinstance(value, Mapping):
        return {_serializable(str(key), lossy): _serializable(each, lossy) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_serializable(each, lossy) for each in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if value is None or isinstance(value, int | float):
        return value
    text = str(value)
    if _LOSSY.search(text):
        lossy.append(text)
    return _LOSSY.sub(lambda found: shown(found[0]), text)
