"""The commands `access` and `attributes`."""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from urlschemes.errors import UnsupportedOperation
from urlschemes.redaction import redact
from urlschemes_access import Document, Listing, Range
from urlschemes_cli.access_options import with_access_options
from urlschemes_cli.options import json_option
from urlschemes_cli.output.attributes import attributes_json, write_attributes
from urlschemes_cli.output.documents import document_json, write_document
from urlschemes_cli.output.downloads import download
from urlschemes_cli.output.json_output import errors_as_json, with_profile, write_json
from urlschemes_cli.output.listings import listing_json, write_listing
from urlschemes_cli.output.progress import ProgressBar, can_show_progress
from urlschemes_cli.output.text import safe_line

if TYPE_CHECKING:
    from urlschemes_access import Client, Session
    from urlschemes_cli.access_options import AccessOptions
    from urlschemes_cli.settings import Settings

__all__ = ["access", "attributes"]


_NUMBER = re.compile("[0-9]{1,18}")


def _check_target(context: click.Context, _: click.Parameter, value: str | None) -> Path | None:
    """Return the file to write to, None for standard output; the folder for --many. Checked before any access."""
    if context.params.get("many") is not None:
        if value is None or not Path(value).is_dir():
            raise click.UsageError("--many needs -o DIR, an existing folder for the files")
        return Path(value)
    if value is None or value == "-":
        return None
    path = Path(value)
    if path.is_dir():
        raise click.BadParameter(f"{value!r} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {str(path.parent)!r}")
    return path


def _parse_range(_: click.Context, __: click.Parameter, value: str | None) -> Range | None:
    """Return the range FIRST-LAST, both included; without LAST, to the end."""
    if value is None:
        return None
    first, dash, last = value.partition("-")
    if dash and _NUMBER.fullmatch(first) and _NUMBER.fullmatch(last or first) and int(first) <= int(last or first):
        return Range(int(first), int(last) + 1 if last else None)
    raise click.BadParameter(f"expected FIRST-LAST, as in 0-499, or FIRST-, got {value!r}")


def _check_raw(_: click.Context, __: click.Parameter, value: bool) -> bool:
    if value and sys.stdout.isatty():
        raise click.UsageError(
            "--raw writes to files and pipes, not to a terminal, which would obey what the server sends"
        )
    return value


def _check_url(context: click.Context, _: click.Parameter, value: str | None) -> str:
    if (value is None) == (context.params.get("many") is None):
        raise click.UsageError("give a URL, or --many FILE with URLs" if value is None else "give a URL or --many FILE")
    return value or ""


@click.command()
@click.argument("url", required=False, callback=_check_url)
@click.option("-o", "--output", "target", callback=_check_target, metavar="FILE", help="Write the content to FILE.")
@click.option(
    "--many",
    type=click.File(encoding="utf-8", errors="surrogateescape"),
    is_eager=True,
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
    "--range", "part", callback=_parse_range, metavar="FIRST-LAST", help="Get only these octets, counted from 0."
)
@click.option("--compressed", is_flag=True, help="Ask for compressed content, and decode it (http, https).")
@click.option("--raw", is_flag=True, expose_value=False, callback=_check_raw, help="Refuse to write to a terminal.")
@json_option
@with_access_options
@click.pass_obj
def access(
    settings: Settings,
    url: str,
    target: Path | None,
    many: TextIO | None,
    part: Range | None,
    access_options: AccessOptions,
    *,
    resumes: bool,
    compressed: bool,
    as_json: bool,
) -> None:
    """Get the document or listing that URL locates.

    Files and pipes get a document unchanged; on a terminal its control characters are escaped. A listing is a table on
    a terminal; elsewhere each entry is a line of URL, kind, size, time, name and problem, separated by tabs.

    Private networks are allowed, because you typed the URL. Local files are allowed below a --root only.
    """
    if many is not None and (resumes or part is not None):
        raise click.UsageError("--many cannot be combined with --continue or --range")
    if compressed and (resumes or part is not None):
        raise click.UsageError("--compressed cannot be combined with --continue or --range")
    if resumes:
        _check_resumes(target, part)
    if compressed:
        access_options = access_options._replace(options=(*access_options.options, "compressed"))
    client = settings.client
    if many is not None and target is not None:
        _access_many(client, many, target, access_options, as_json=as_json)
        return
    result: dict[str, Any] | None
    progress = ProgressBar() if not access_options.verbose and can_show_progress(target) else None
    with errors_as_json(url, enabled=as_json):
        arguments = access_options.arguments(client, url, "access")
        if progress:
            arguments["trace"] = progress
        if resumes and target is not None:
            result = download(client, url, target.resolve(), arguments, progress)
        else:
            with (
                client.access(url, range=part, **arguments) as resource,
                progress.transfer(resource.attributes.size) if progress else nullcontext(),
            ):
                result = _write(resource, target, as_json=as_json)
        if as_json:
            write_json(None if result is None else with_profile(result))


def _check_resumes(target: Path | None, part: Range | None) -> None:
    if part is not None:
        raise click.UsageError("--continue and --range cannot be combined")
    if target is None or (target.exists() and not target.is_file()):
        raise click.UsageError("--continue needs -o FILE: only a file can be continued")


def _access_many(client: Client, source: TextIO, folder: Path, access_options: AccessOptions, *, as_json: bool) -> None:
    from urlschemes_cli.many import access_many  # late: asyncio

    if access_options.options:
        raise click.UsageError("--many takes no --option: options of schemes can be set in the configuration")
    if access_options.has_login:
        raise click.UsageError("--many takes no login: --user and --bearer-file are for one host")
    urls = [line.strip() for line in source if line.strip()]
    access_many(client, urls, folder, access_options.arguments(client, "", "access"), as_json=as_json)


def _write(resource: Document | Listing | Session, target: Path | None, *, as_json: bool) -> dict[str, Any] | None:
    """Write a document or listing, or return it as JSON."""
    if isinstance(resource, Document):
        if as_json:
            return document_json(resource, target)
        write_document(resource, target)
    elif isinstance(resource, Listing):
        if as_json:
            return listing_json(resource, target)
        write_listing(resource, target)
    else:
        raise UnsupportedOperation(
            f"{safe_line(resource.url.redacted())} opens an interactive session, not a document or a listing",
            scheme=resource.url.scheme,
            hint="`urlschemes --help` lists the commands of plugins",
        )
    return None


@click.command()
@click.argument("url")
@json_option
@with_access_options
@click.pass_obj
def attributes(settings: Settings, url: str, access_options: AccessOptions, *, as_json: bool) -> None:
    """Show what is known of the resource at URL, without getting its content."""
    client = settings.client
    with errors_as_json(url, enabled=as_json):
        found = client.find_attributes(url, **access_options.arguments(client, url, "find attributes"))
    if as_json:
        write_json(with_profile({"url": redact(url), "attributes": attributes_json(found)}))
        return
    write_attributes(found, if_none="the resource exists; nothing more is known of it")
