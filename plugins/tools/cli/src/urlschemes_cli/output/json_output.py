"""JSON on standard output."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

import click

from urlschemes.errors import URLError
from urlschemes.redaction import shown
from urlschemes_cli.output.text import write_line
from urlschemes_cli.settings import current_settings

__all__ = ["ABOUT", "ASKED", "About", "json_text", "profile_of", "write_json", "write_json_line"]

ABOUT = f"{__name__}.about"
"""The key in click's context for what the command is about."""
ASKED = f"{__name__}.asked"
"""The key in click's context for: `--json` is among the arguments."""
_LOSSY = re.compile("[\ud800-\udfff]")
"""A lone surrogate, such as that of an octet that is not UTF-8."""


class About(NamedTuple):
    """The URL, one of many or alone, that a command is about, and its `key` in JSON; or a scheme, without a key.

    `line` is its number in standard input, 0 for an argument.
    """

    text: str
    key: str | None
    is_one_of_many: bool = False
    line: int = 0


def json_text(value: object, *, indent: int | None = None) -> str:
    """Return `value` as JSON in US-ASCII, so that a terminal sees no control characters.

    An octet that is not UTF-8 is written in hexadecimal; the object that holds it then has the key `text_is_lossy`.
    """
    return json.dumps([*map(_complete, value)] if isinstance(value, list) else _complete(value), indent=indent)


def write_json(value: object) -> None:
    """Write `value` as JSON, with the profile if it is about a URL or a scheme that the command was given."""
    context = click.get_current_context(silent=True)
    about: About | None = context.meta.get(ABOUT) if context is not None else None
    if about is not None and isinstance(value, dict):
        value = {**value, "profile": profile_of(about.text)}
    write_line(json_text(value, indent=None if about is not None and about.is_one_of_many else 2))


def write_json_line(value: object) -> None:
    """Write `value` as JSON on one line, as one of several."""
    write_line(json_text(value))


def profile_of(text: str) -> str | None:
    """Return the name of the profile that reads `text`, a URL or the name of a scheme; None if it cannot be used."""
    with suppress(URLError):
        return current_settings().registry_for(text).profile.name
    return None


def _complete(value: object) -> Any:
    """Return `value` as plain JSON, with `text_is_lossy` if a text in it is not written as it was."""
    text = json.dumps(value, ensure_ascii=False, default=_plain)
    made = json.loads(_LOSSY.sub(lambda found: json.dumps(shown(found[0]))[1:-1], text))
    return made | {"text_is_lossy": True} if isinstance(made, dict) and _LOSSY.search(text) else made


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    return value.isoformat() if isinstance(value, datetime) else str(value)
