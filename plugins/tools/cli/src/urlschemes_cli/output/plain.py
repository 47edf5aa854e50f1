"""Safe lines and JSON: what the command writes without rich, and the option that asks for JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import IO, TYPE_CHECKING, Any

import click

from urlschemes.redaction import HIDDEN, redact, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes.errors import URLError
    from urlschemes.url.value import URL

__all__ = [
    "as_json",
    "error_json",
    "errors_as_json",
    "line",
    "listen",
    "name_of_a_scheme",
    "note",
    "parts_of",
    "published",
    "write",
    "write_failure",
    "write_json",
]

as_json = click.option("--json", "as_json", is_flag=True, help="Write JSON.")

PASSWORD = "password"  # noqa: S105  the name of a part, not a password
_WRITTEN = "urlschemes_cli.output.plain.written"
"""In the contexts of click: whether JSON was written."""
_BREAKS = str.maketrans({"\n": "\\n", "\t": "\\t"})


def name_of_a_scheme(_: click.Context, __: click.Parameter, value: str) -> str:
    """The argument NAME of a command, if a scheme can be called so. Raises BadParameter."""
    from urlschemes.url.fault_kind import is_scheme_name

    if is_scheme_name(value):
        return value
    begins = value.partition(":")[0]
    meant = f"; did you mean {begins}?" if begins != value and is_scheme_name(begins) else ""
    raise click.BadParameter(f"{line(value)!r} is not the name of a scheme{meant}")


def line(text: str) -> str:
    """`text` as one line for a person: no control or invisible character, no password."""
    return published(redact(text))


def published(text: str) -> str:
    """As `line`, of what a record says: a password in its examples is no secret."""
    return shown(text).translate(_BREAKS)


def write(text: str = "", *, stream: IO[str] | None = None) -> None:
    """Write one line to standard output, or to `stream`."""
    print(text, file=stream or sys.stdout, flush=stream is sys.stderr)


def note(text: str) -> None:
    """Say something beside the result, on standard error."""
    write(f"urlschemes: {line(text)}", stream=sys.stderr)


def listen() -> None:
    """Let what the library logs be said beside the result, unless somebody hears it already.

    `logging` is imported for that: do it where a hook may be called, and not for what only parses.
    """
    import logging

    class Notes(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            note(record.getMessage())

    logger = logging.getLogger("urlschemes")
    if not logger.hasHandlers():
        logger.addHandler(Notes())


def write_json(value: object) -> None:
    """Write `value` as JSON, in US-ASCII: what a person's terminal could obey is escaped."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[_WRITTEN] = True
    write(json.dumps(_plain(value), indent=2))


def error_json(error: URLError) -> dict[str, Any]:
    """An error as a program reads it. The keys are the same for every error."""
    listen()  # the words of some are asked of ledgers
    return {
        "error": {
            "code": error.code,
            "message": line(str(error.message or error.code)),
            "scheme": error.scheme,
            "part": error.part,
            "position": error.position,
            "rule": error.rule,
            "section": error.section,
            "hint": error.hint and line(error.hint),
            "origin": error.origin,
        }
    }


def write_failure(error: URLError | click.ClickException, context: click.Context) -> None:
    """Write as JSON why the command failed, unless it has written JSON itself."""
    if context.meta.get(_WRITTEN):
        return
    if isinstance(error, click.ClickException):
        keys = ("scheme", "part", "position", "rule", "section", "hint", "origin")
        said = {"code": "usage", "message": line(error.format_message()), **dict.fromkeys(keys)}
        write_json({"error": said})
    else:
        write_json(error_json(error))


@contextmanager
def errors_as_json(url: str, *, wanted: bool, name: str = "url") -> Iterator[None]:
    """Where JSON is `wanted`, what ends this block is written as JSON too, with the `url` that was given as `name`."""
    from urlschemes.errors import URLError

    try:
        yield
    except URLError as error:
        if wanted:
            write_json({name: line(url), **error_json(error)})
        raise


def parts_of(url: URL, *, passwords: bool = False) -> dict[str, tuple[Any, Any]]:
    """Each part with its value and as it is written, the scheme first."""
    parts: dict[str, tuple[Any, Any]] = {"scheme": (url.scheme, str(url).partition(":")[0])}
    raw = url.raw
    for name, value in url.parts.items():
        hidden = name == PASSWORD and value and not passwords
        parts[name] = (HIDDEN, HIDDEN) if hidden else (value, raw[name])
    return parts


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if value is None or isinstance(value, str | int | float):
        return value
    return str(value)
