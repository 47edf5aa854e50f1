"""The commands `access` and `attributes`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TextIO, TypeVar

import click

from urlschemes import URL
from urlschemes.errors import UnsupportedOperation
from urlschemes.redaction import redact, redact_url
from urlschemes_access import Document, Listing, Range, Session
from urlschemes_access.errors import IsDirectory
from urlschemes_access.resources.file_names import file_name
from urlschemes_cli.access_options import AccessOptions, with_access_options
from urlschemes_cli.options import json_option, remember, url_argument
from urlschemes_cli.output import documents
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.progress import ProgressBar, can_show_progress
from urlschemes_cli.output.text import write_note
from urlschemes_cli.settings import Settings

T = TypeVar("T")

_NUMBER = re.compile("[0-9]{1,18}")


def _target(url: str, output: str | None, *, by_name: bool) -> Path | None:
    """Return the file to write to; None for standard output. Raises click.UsageError before any access."""
    if output == "-" or (output is None and not by_name):
        return None
    path = Path(file_name(url) if output is None else output)
    if not path.name and output is None:
        raise click.UsageError(f"no file can be named after {redact_url(url)}: give -o FILE")
    option = "'-O'" if output is None else "'-o' / '--output'"
    if path.is_dir():
        raise click.BadParameter(f"{str(path)!r} is a folder: name a file in it", param_hint=option)
    if not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {str(path.parent)!r}", param_hint=option)
    return path


def _range(text: str) -> Range | int:
    """Return the range FIRST-LAST, both included, and without LAST to the end; the number of the last octets, -N."""
    first, dash, last = text.partition("-")
    if dash and not first and _NUMBER.fullmatch(last) and int(last):
        return int(last)
    if dash and _NUMBER.fullmatch(first) and _NUMBER.fullmatch(last or first) and int(first) <= int(last or first):
        return Range(int(first), int(last) + 1 if last else None)
    raise click.BadParameter(f"expected FIRST-LAST, as in 0-499, FIRST-, or -N for the last N octets, got {text!r}")


@click.command(context_settings={"allow_extra_args": True})
@click.argument("url", required=False, callback=remember)
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Write to FILE.")
@click.option("-O", "by_name", is_flag=True, help="Write the content to a file named after the path of URL.")
@click.option(
    "--many",
    type=click.File(encoding="utf-8-sig", errors="surrogateescape"),
    metavar="FILE",
    help="Get every URL of FILE (one on each line, - is standard input), several at once, into files in the folder -o.",
)
@click.option(
    "--continue",
    "resumes",
    is_flag=True,
    help="Keep what was received in FILE.part if the command is interrupted, and continue there.",
)
@click.option(
    "--range",
    "part",
    type=_range,
    metavar="FIRST-LAST",
    help="Get only these octets, counted from 0; -500: the last 500.",
)
@click.option("--compressed", is_flag=True, help="Ask for compressed content, and decode it (http, https).")
@json_option
@with_access_options
@click.pass_obj
def access(
    settings: Settings,
    url: str | None,
    output: str | None,
    many: TextIO | None,
    part: Range | int | None,
    access_options: AccessOptions,
    *,
    by_name: bool,
    resumes: bool,
    compressed: bool,
    as_json: bool,
) -> int:
    """Get the document or listing that URL locates.

    Files and pipes get a document unchanged; on a terminal its control characters are escaped. A listing is a table on
    a terminal; elsewhere each entry is a line of URL, kind, size, time, name and problem, separated by tabs.

    Private networks are allowed, because you typed the URL. Local files are allowed below a --root only.
    """
    if click.get_current_context().args:
        raise click.UsageError("give one URL, or --many FILE with several")
    given = {"--many": many is not None, "--continue": resumes, "--range": part is not None, "--compressed": compressed}
    taken = [name for name, is_taken in given.items() if is_taken]
    if len(taken) > 1:
        raise click.UsageError(f"{' and '.join(taken)} cannot be combined")
    if by_name and output is not None:
        raise click.UsageError("-O and -o cannot be combined")
    if many is not None:
        if url is not None:
            raise click.UsageError("give a URL or --many FILE")
        if output is None:
            raise click.UsageError("--many needs -o DIR, a folder for the files")
        from urlschemes_cli.many import access_many  # late: asyncio

        return access_many(settings, many, Path(output), access_options, as_json=as_json)
    if url is None or url == "-":
        raise click.UsageError("give a URL, or --many FILE with URLs, or --many - for those of standard input")
    target = _target(url, output, by_name=by_name)
    if resumes and (target is None or (target.exists() and not target.is_file())):
        raise click.UsageError("--continue needs -o FILE: only a file can be continued")
    if compressed:
        access_options = access_options._replace(options=(*access_options.options, "compressed"))
    client = settings.client_for(url)
    progress = ProgressBar(shown=can_show_progress(target))
    arguments = access_options.arguments(client, url, "access")
    arguments["trace"] = arguments["trace"] or progress.tracer
    if resumes and target is not None:
        result: object = documents.download(client, url, target.resolve(), arguments, progress)
    else:

        def opened(url: URL | str) -> Document | Listing | Session:
            if isinstance(part, Range | None):
                return client.access(url, range=part, **arguments)
            size = client.find_attributes(url, **documents.for_attributes(arguments)).size
            if size is None:
                raise UnsupportedOperation("the size of the resource, and so the place of its last octets, is unknown")
            return client.access(url, range=Range(max(size - part, 0)), **arguments)

        with _or_listing(opened, url) as resource, progress.transfer(resource.attributes.size):
            result = (documents.resource_json if as_json else documents.write_resource)(resource, target)
    if by_name:
        write_note(f"saved as {target}")
    if as_json:
        write_json(result)
    return 0


def _or_listing(operate: Callable[[URL | str], T], url: str) -> T:
    """Return `operate(url)`. If the server says that the URL names a directory, use the one that lists it."""
    try:
        return operate(url)
    except IsDirectory as error:
        if error.listing is None:
            raise
        write_note(f"{url} is a directory, listed by {error.listing}")
        return operate(error.listing)


@click.command()
@url_argument
@json_option
@with_access_options
@click.pass_obj
def attributes(settings: Settings, url: str, access_options: AccessOptions, *, as_json: bool) -> None:
    """Show what is known of the resource at URL, without getting its content."""
    client = settings.client_for(url)
    arguments = access_options.arguments(client, url, "find attributes")
    found = _or_listing(lambda each: client.find_attributes(each, **arguments), url)
    if as_json:
        write_json({"url": redact(url), "attributes": documents.attributes_json(found)})
    else:
        documents.write_attributes(found, if_none="the resource exists; nothing more is known of it")
