"""JSON on standard output, for results and errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from urlschemes.errors import URLError
from urlschemes.redaction import redact_url
from urlschemes_cli.output.hints import hint_of
from urlschemes_cli.output.text import safe_line, write_line, write_log_as_notes
from urlschemes_cli.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["error_json", "errors_as_json", "with_profile", "write_error_json", "write_json", "write_json_line"]

_WRITTEN = f"{__name__}.written"
"""The key in click's context for: JSON was written."""


def write_json(value: object) -> None:
    """Write `value` as JSON in US-ASCII, so that a terminal sees no control characters."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[_WRITTEN] = True
    write_line(json.dumps(_serializable(value), indent=2))


def write_json_line(value: object) -> None:
    """Write `value` as JSON on one line, as one of several."""
    write_line(json.dumps(_serializable(value)))


def with_profile(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return `value`, which is about a URL or a scheme, with the name of the profile; null if it cannot be used."""
    settings = click.get_current_context().find_object(Settings)
    try:
        return {**value, "profile": None if settings is None else settings.registry.profile.name}
    except URLError:
        return {**value, "profile": None}


def error_json(error: URLError) -> dict[str, Any]:
    """Return an error as JSON; every error has the same keys, and that of `fix` its readings, too."""
    readings = getattr(error, "readings", None)
    write_log_as_notes()  # some messages are made by plugins' ledgers, which may fail
    hint = hint_of(error)
    return {
        "error": {
            "code": error.code,
            "message": safe_line(str(error.message or error.code)),
            "scheme": error.scheme,
            "part": error.part,
            "position": error.position,
            "span": getattr(error, "span", None),
            "rule": error.rule,
            "section": error.section,
            "hint": hint and safe_line(hint),
            "origin": error.origin,
            **({} if readings is None else {"readings": [redact_url(each) for each in readings]}),
        }
    }


def write_error_json(error: URLError | click.ClickException, context: click.Context) -> None:
    """Write the error that ended the command, unless JSON was written already."""
    if context.meta.get(_WRITTEN):
        return
    if isinstance(error, URLError):
        write_json(error_json(error))
        return
    keys = ("scheme", "part", "position", "span", "rule", "section", "hint", "origin")
    message = safe_line(error.format_message())
    write_json({"error": {"code": "usage", "message": message, **dict.fromkeys(keys)}})


@contextmanager
def errors_as_json(url: str, *, enabled: bool, key: str = "url") -> Iterator[None]:
    """Write an error that leaves this block as JSON too, if `enabled`; `url` is added to it under `key`."""
    try:
        yield
    except URLError as error:
        if enabled:
            write_json(with_profile({key: safe_line(redact_url(url)), **error_json(error)}))
        raise


def _serializable(value: object) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _serializable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_serializable(each) for each in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if value is None or isinstance(value, str | int | float):
        return value
    return str(value)
