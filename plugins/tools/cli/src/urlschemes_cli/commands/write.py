"""The commands `replace`, `update` and `delete`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace as with_changes
from pathlib import Path
from typing import IO

import click

from urlschemes.redaction import redact
from urlschemes_access import Attributes
from urlschemes_access.client import Content
from urlschemes_cli.access_options import FOLDER, INPUT, AccessOptions, with_access_options
from urlschemes_cli.options import json_option, url_argument
from urlschemes_cli.output.documents import attributes_json, write_attributes
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.progress import progress_of_sending
from urlschemes_cli.output.text import safe_line, write_note
from urlschemes_cli.settings import Settings

CHUNK = 112 * 1024
"""Octets that are read at once."""
MAX_WHOLE = 16 * 1024 * 1024
"""Octets up to which a file is read whole, so that its length can be sent."""


def _write_command(operation: str, summary: str) -> click.Command:
    @click.command(operation, help=summary)
    @url_argument
    @json_option
    @click.option("--writable", type=FOLDER, multiple=True, metavar="DIR", help="Allow writing local files below DIR.")
    @with_access_options
    @click.pass_obj
    def write(
        settings: Settings,
        url: str,
        file: str | None = None,
        *,
        access_options: AccessOptions,
        writable: tuple[str, ...],
        as_json: bool,
    ) -> None:
        client = settings.client_for(url)
        with nullcontext() if operation == "delete" else _content_of(file) as content:
            arguments = access_options.arguments(client, url, operation)
            policy = arguments["policy"] or client.policy
            arguments["policy"] = with_changes(policy, writable=(*policy.writable, *writable))
            progress = progress_of_sending(is_typed=file in (None, "-"))
            arguments["trace"] = arguments["trace"] or (progress.tracer if content else None)
            with progress.transfer(_size_of(file)):
                found = client.operate(operation, url, content, **arguments)
        assert isinstance(found, Attributes)
        if as_json:
            write_json({"url": redact(url), "operation": operation, "attributes": attributes_json(found)})
        else:
            write_note(f"{safe_line(url)} was {operation}d")
            write_attributes(found, if_none="the server gave no details")

    return write


_SENT = "Without FILE, or with `-`, standard input is sent. The server's answer is shown."
_file_argument = click.argument("file", required=False, type=INPUT)

replace = _file_argument(_write_command("replace", f"Replace the resource at URL by FILE, or create it.\n\n{_SENT}"))
update = _file_argument(_write_command("update", f"Append FILE to the resource at URL.\n\n{_SENT}"))
delete = _write_command("delete", "Delete the resource at URL, without asking.")


def _size_of(file: str | None) -> int | None:
    """Return the size of a regular file; None for anything else."""
    path = None if file in (None, "-") else Path(file)
    return path.stat().st_size if path and path.is_file() else None


@contextmanager
def _content_of(file: str | None) -> Iterator[Content]:
    """Open a file, or standard input, and yield its content. An OSError while it is read names it."""
    try:
        with click.open_file(file or "-", "rb") as source:
            size = _size_of(file)
            if source.isatty():
                write_note("type the content; Ctrl-D at the beginning of a line ends it")
            if size is None:
                yield _chunks(source, may_be_empty=file is not None)
            else:
                yield source.read() if size <= MAX_WHOLE else source
    except OSError as error:
        raise OSError(error.errno, error.strerror, file or "standard input") from error


def _chunks(source: IO[bytes], *, may_be_empty: bool) -> Iterator[bytes]:
    """Yield the octets of `source` as they arrive. Raises UsageError for an empty source that may not be empty."""
    read: Callable[[int], bytes] = getattr(source, "read1", source.read)
    if not (octets := read(CHUNK)) and not may_be_empty:
        raise click.UsageError("standard input is empty: give `-` as FILE to send no content")
    while octets:
        yield octets
        octets = read(CHUNK)
