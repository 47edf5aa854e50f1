"""The commands `access` and `attributes`."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from urlschemes.errors import UnsupportedOperation
from urlschemes_access import Document, Listing
from urlschemes_cli.access_options import with_access_options
from urlschemes_cli.options import json_option
from urlschemes_cli.output.attributes import attributes_json, write_attributes
from urlschemes_cli.output.documents import document_json, write_document
from urlschemes_cli.output.json_output import errors_as_json, write_json
from urlschemes_cli.output.listings import listing_json, write_listing
from urlschemes_cli.output.progress import ProgressBar, can_show_progress
from urlschemes_cli.output.text import safe_line

if TYPE_CHECKING:
    from urlschemes_access import Session
    from urlschemes_cli.access_options import AccessOptions
    from urlschemes_cli.settings import Settings

__all__ = ["access", "attributes"]


def _check_target(_: click.Context, __: click.Parameter, value: str | None) -> Path | None:
    """Return the file to write to, None for standard output; checked before anything is accessed."""
    if value is None or value == "-":
        return None
    path = Path(value)
    if path.is_dir():
        raise click.BadParameter(f"{value!r} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {str(path.parent)!r}")
    return path


def _check_raw(_: click.Context, __: click.Parameter, value: bool) -> bool:
    if value and sys.stdout.isatty():
        raise click.UsageError(
            "--raw writes to files and pipes, not to a terminal, which would obey what the server sends"
        )
    return value


@click.command()
@click.argument("url")
@click.option("-o", "--output", "target", callback=_check_target, metavar="FILE", help="Write the content to FILE.")
@click.option("--raw", is_flag=True, expose_value=False, callback=_check_raw, help="Refuse to write to a terminal.")
@json_option
@with_access_options
@click.pass_obj
def access(settings: Settings, url: str, target: Path | None, access_options: AccessOptions, *, as_json: bool) -> None:
    """Get the document or listing that URL locates.

    Files and pipes get a document unchanged; on a terminal its control characters are escaped. A listing is a table on
    a terminal; elsewhere each entry is a line of URL, kind, size, time, name and problem, separated by tabs.

    Private networks are allowed, because you typed the URL. Local files are allowed below a --root only.
    """
    client = settings.client
    progress = ProgressBar() if not access_options.verbose and can_show_progress(target) else None
    with errors_as_json(url, enabled=as_json):
        arguments = access_options.arguments(client, url, "access")
        if progress:
            arguments["trace"] = progress
        with client.access(url, **arguments) as resource:
            with progress.transfer(resource.attributes.size) if progress else nullcontext():
                result = _write(resource, target, as_json=as_json)
            if as_json:
                write_json(result)


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
        write_json({"url": safe_line(url), "attributes": attributes_json(found)})
        return
    write_attributes(found, if_none="the resource exists; nothing more is known of it")
