"""The commands `replace`, `update` and `delete`."""

from __future__ import annotations

import stat
import sys
from contextlib import contextmanager, nullcontext
from dataclasses import replace as with_changes
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from urlschemes.redaction import redact
from urlschemes_access import Attributes
from urlschemes_cli.access_options import FOLDER, with_access_options
from urlschemes_cli.options import json_option
from urlschemes_cli.output.attributes import attributes_json, write_attributes
from urlschemes_cli.output.json_output import errors_as_json, with_profile, write_json
from urlschemes_cli.output.progress import progress_of_sending
from urlschemes_cli.output.text import safe_line, write_note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from urlschemes_access.client import Content
    from urlschemes_cli.access_options import AccessOptions
    from urlschemes_cli.settings import Settings

__all__ = ["delete", "replace", "update"]

CHUNK = 112 * 1024
"""Octets that are read at once."""
MAX_WHOLE = 16 * 1024 * 1024
"""Octets up to which a file is read whole, so that its length can be sent first."""

_DONE = {"replace": "was replaced", "update": "was updated", "delete": "was deleted"}


def _write_command(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that the three commands have."""
    decorated: Callable[..., Any] = with_access_options(click.pass_obj(function))
    decorated = click.option(
        "--writable", type=FOLDER, multiple=True, metavar="DIR", help="Allow writing local files below DIR."
    )(decorated)
    return json_option(decorated)


_file_argument = click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, allow_dash=True))


@click.command()
@click.argument("url")
@_file_argument
@_write_command
def replace(settings: Settings, url: str, file: str | None, **options: Any) -> None:
    """Replace the resource at URL by FILE, or create it.

    Without FILE, or with `-`, standard input is sent. The server's answer is shown.
    """
    with _content_of(file) as content:
        _operate(settings, "replace", url, content, file=file, **options)


@click.command()
@click.argument("url")
@_file_argument
@_write_command
def update(settings: Settings, url: str, file: str | None, **options: Any) -> None:
    """Append FILE to the resource at URL.

    Without FILE, or with `-`, standard input is sent. The server's answer is shown.
    """
    with _content_of(file) as content:
        _operate(settings, "update", url, content, file=file, **options)


@click.command()
@click.argument("url")
@_write_command
def delete(settings: Settings, url: str, **options: Any) -> None:
    """Delete the resource at URL, without asking."""
    _operate(settings, "delete", url, None, **options)


def _operate(
    settings: Settings,
    operation: str,
    url: str,
    content: Content | None,
    *,
    file: str | None = None,
    access_options: AccessOptions,
    writable: tuple[str, ...],
    as_json: bool,
) -> None:
    client = settings.client
    with errors_as_json(url, enabled=as_json):
        arguments = access_options.arguments(client, url, operation)
        policy = arguments["policy"] or client.policy
        arguments["policy"] = with_changes(policy, writable=(*policy.writable, *writable))
        progress = None
        if content is not None and not access_options.verbose:
            progress = progress_of_sending(is_typed=file in (None, "-"))
        with progress.transfer(_size_of(file)) if progress else nullcontext():
            if progress:
                arguments["trace"] = progress
            found = client.operate(operation, url, content, **arguments)
    assert isinstance(found, Attributes)
    if as_json:
        write_json(with_profile({"url": redact(url), "operation": operation, "attributes": attributes_json(found)}))
    else:
        write_note(f"{safe_line(url)} {_DONE[operation]}")
        write_attributes(found, if_none="the server gave no details")


def _size_of(file: str | None) -> int | None:
    """Return the size of a regular file; None for anything else."""
    if file is None or file == "-":
        return None
    status = Path(file).stat()
    return status.st_size if stat.S_ISREG(status.st_mode) else None


@contextmanager
def _content_of(file: str | None) -> Iterator[Content]:
    """Open a file, or standard input, and yield its content."""
    if file is None or file == "-":
        source = sys.stdin.buffer
        if source.isatty():
            write_note("type the content; Ctrl-D at the beginning of a line ends it")
        yield _chunks(source, "standard input", may_be_empty=file is not None)
        return
    path = Path(file)
    with path.open("rb") as opened:
        status = path.stat()
        if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_WHOLE:
            yield opened.read()
        else:
            yield _chunks(opened, file, may_be_empty=True)


def _chunks(source: IO[bytes], name: str, *, may_be_empty: bool) -> Iterator[bytes]:
    """Yield the octets of `source` as they arrive. Raises UsageError for an empty source that may not be empty."""
    read: Callable[[int], bytes] = getattr(source, "read1", source.read)
    is_empty = True
    while octets := _read(read, name):
        yield octets
        is_empty = False
    if is_empty and not may_be_empty:
        raise click.UsageError("standard input is empty: give `-` as FILE to send no content")


def _read(read: Callable[[int], bytes], name: str) -> bytes:
    try:
        return read(CHUNK)
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from error
