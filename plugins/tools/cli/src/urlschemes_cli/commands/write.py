"""replace, update and delete: the operations of section 2 that change what a URL locates."""

from __future__ import annotations

import stat
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from urlschemes_cli.access_options import FOLDER, accessing
from urlschemes_cli.output.plain import as_json, errors_as_json, line, note, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from urlschemes_access.operation_arguments import Content
    from urlschemes_cli.access_options import Given
    from urlschemes_cli.app import Settings

__all__ = ["delete", "replace", "update"]

PIECE = 64 * 1024
"""Octets that are read at once."""
WHOLE = 16 * 1024 * 1024
"""Octets of a file that is sent whole, so that its length can be told first; a longer one goes in pieces."""

_DONE = {"replace": "is replaced", "update": "is updated", "delete": "is deleted"}


def _writing(command: Callable[..., Any]) -> Callable[..., Any]:
    """The arguments and options that the three commands have."""
    decorated: Callable[..., Any] = click.pass_obj(command)
    decorated = click.option(
        "--writable", type=FOLDER, multiple=True, metavar="DIR", help="Allow files below DIR to be written."
    )(accessing(decorated))
    return as_json(decorated)


_content = click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, allow_dash=True))


@click.command(short_help="Put content in the place of what a URL locates.")
@click.argument("url")
@_content
@_writing
def replace(settings: Settings, url: str, file: str | None, **more: Any) -> None:
    """Put the octets of FILE in the place of what URL locates, or where nothing is yet.

    Without FILE (or with `-`) they come from standard input. What the other side says of it is written.
    """
    with _opened(file) as content:
        _operate(settings, "replace", url, content, **more)


@click.command(short_help="Add content to what a URL locates.")
@click.argument("url")
@_content
@_writing
def update(settings: Settings, url: str, file: str | None, **more: Any) -> None:
    """Add the octets of FILE to the end of what URL locates.

    Without FILE (or with `-`) they come from standard input. What the other side says of it is written.
    """
    with _opened(file) as content:
        _operate(settings, "update", url, content, **more)


@click.command(short_help="Delete what a URL locates.")
@click.argument("url")
@_writing
def delete(settings: Settings, url: str, **more: Any) -> None:
    """Delete what URL locates. Nobody is asked again."""
    _operate(settings, "delete", url, None, **more)


def _operate(
    settings: Settings,
    operation: str,
    url: str,
    content: Content | None,
    *,
    given: Given,
    writable: tuple[str, ...],
    as_json: bool,
) -> None:
    from dataclasses import replace as replaced

    from urlschemes_access.attributes import Attributes
    from urlschemes_cli.output.delivery import attributes_json, write_attributes

    client = settings.client
    with errors_as_json(url, wanted=as_json):
        arguments = given.arguments(client, url, operation)
        policy = arguments["policy"] or client.policy
        arguments["policy"] = replaced(policy, writable=(*policy.writable, *writable))
        found = client.operate(operation, url, content, **arguments)
    assert isinstance(found, Attributes)
    if as_json:
        write_json({"url": line(url), "operation": operation, "attributes": attributes_json(found)})
    else:
        note(f"{line(url)} {_DONE[operation]}")
        write_attributes(found, otherwise="nothing more was said of it")


@contextmanager
def _opened(file: str | None) -> Iterator[Content]:
    """The content of the file that is named, or of standard input."""
    if file is None or file == "-":
        source = sys.stdin.buffer
        if source.isatty():
            note("what you type is sent; Ctrl-D on a line of its own ends it")
        yield _pieces(source, "standard input", may_be_empty=file is not None)
        return
    path = Path(file)
    with path.open("rb") as opened:
        status = path.stat()
        if stat.S_ISREG(status.st_mode) and status.st_size <= WHOLE:
            yield opened.read()
        else:
            yield _pieces(opened, file, may_be_empty=True)


def _pieces(source: IO[bytes], name: str, *, may_be_empty: bool) -> Iterator[bytes]:
    """What comes, as it comes. Where nothing does, somebody has to have said that this is meant."""
    read: Callable[[int], bytes] = getattr(source, "read1", source.read)
    empty = True
    while octets := _read(read, name):
        yield octets
        empty = False
    if empty and not may_be_empty:
        raise click.UsageError("standard input is empty; `-` in the place of FILE says that this is meant")


def _read(read: Callable[[int], bytes], name: str) -> bytes:
    try:
        return read(PIECE)
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror, name) from fault
