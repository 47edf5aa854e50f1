"""access and attributes: the operations of section 2 on what a URL locates."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlschemes_cli.access_options import accessing
from urlschemes_cli.output.plain import as_json, errors_as_json, line, write_json

if TYPE_CHECKING:
    from urlschemes_cli.access_options import Given
    from urlschemes_cli.app import Settings

__all__ = ["access", "attributes"]


def _target(_: click.Context, __: click.Parameter, value: str | None) -> Path | None:
    """Where the content goes; None is standard output. Looked at before anything is accessed."""
    if value is None or value == "-":
        return None
    path = Path(value)
    if path.is_dir():
        raise click.BadParameter("this is a folder; a name that a server gives is never used, so name a file")
    if not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {str(path.parent)!r}")
    return path


def _raw(_: click.Context, __: click.Parameter, value: bool) -> bool:
    if value and sys.stdout.isatty():
        raise click.UsageError("--raw is for files and pipes: a terminal would obey what a server sent")
    return value


@click.command(short_help="Get the document or listing that a URL locates.")
@click.argument("url")
@click.option("-o", "--output", "target", callback=_target, metavar="FILE", help="Save the content as FILE.")
@click.option("--raw", is_flag=True, expose_value=False, callback=_raw, help="Refuse to write to a terminal.")
@as_json
@accessing
@click.pass_obj
def access(settings: Settings, url: str, target: Path | None, given: Given, *, as_json: bool) -> None:
    """Access what URL locates: write a document, list a folder or a menu.

    A file or a pipe gets the octets as they came, a terminal text that it cannot obey. Listings are tables on a
    terminal, elsewhere lines of URL, kind, size, time, name and problem with tabs between them. Private networks are
    allowed, since you typed the URL; local files only below a --root.
    """
    from urlschemes.errors import UnsupportedOperation
    from urlschemes_access.resources import Document, Listing
    from urlschemes_cli.output.delivery import Progress, deliver, deliver_listing, document_json, listing_json

    client = settings.client
    progress = Progress() if not given.verbose and _watched(target) else None
    with errors_as_json(url, wanted=as_json):
        arguments = given.arguments(client, url, "access")
        if progress:
            arguments["trace"] = progress
        with client.access(url, **arguments) as resource:
            if not isinstance(resource, Document | Listing):
                raise UnsupportedOperation(
                    f"{line(url)} opens an interactive session, and this command shows documents and listings",
                    scheme=resource.url.scheme,
                    hint="`urlschemes --help` lists the commands that plugins have for it",
                )
            with progress.shown(resource.attributes.size) if progress else nullcontext():
                if isinstance(resource, Document):
                    said = document_json(resource, target) if as_json else deliver(resource, target)
                else:
                    said = listing_json(resource, target) if as_json else deliver_listing(resource, target)
            if as_json:
                write_json(said)


@click.command(short_help="Find what is known of a resource.")
@click.argument("url")
@as_json
@accessing
@click.pass_obj
def attributes(settings: Settings, url: str, given: Given, *, as_json: bool) -> None:
    """Find what is known of the resource at URL, without its content."""
    from urlschemes_cli.output.delivery import attributes_json, write_attributes

    client = settings.client
    with errors_as_json(url, wanted=as_json):
        found = client.find_attributes(url, **given.arguments(client, url, "find attributes"))
    if as_json:
        write_json({"url": line(url), "attributes": attributes_json(found)})
        return
    write_attributes(found, otherwise="it exists, and nothing more is known of it")


def _watched(target: Path | None) -> bool:
    """Whether somebody watches while a file is written. Behind a pipe, another program may draw on the terminal."""
    import os
    import stat

    if not sys.stderr.isatty():
        return False
    try:
        return target is not None or stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):  # a standard output that is no file at all
        return False
