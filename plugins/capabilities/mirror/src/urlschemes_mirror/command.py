"""The command `urlschemes mirror`."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from urlschemes.redaction import redact, redact_url
from urlschemes_access import Client
from urlschemes_cli.access_options import with_access_options
from urlschemes_cli.error_reports import error_json
from urlschemes_cli.exit_codes import FAILED
from urlschemes_cli.options import json_option, url_argument
from urlschemes_cli.output.documents import UNMARKED
from urlschemes_cli.output.hints import message_of
from urlschemes_cli.output.json_output import write_json_line
from urlschemes_cli.output.progress import count_bar
from urlschemes_cli.output.text import safe_line, write_line, write_note
from urlschemes_mirror import mirror as mirror_steps
from urlschemes_mirror.walk import DEPTH, ENTRIES, OCTETS

if TYPE_CHECKING:
    from urlschemes_cli.access_options import AccessOptions
    from urlschemes_cli.settings import Settings
    from urlschemes_mirror import MirrorStep

__all__ = ["mirror"]


@click.command()
@url_argument
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False))
@click.option("--depth", type=click.IntRange(0, 100), default=DEPTH, show_default=True, help="Folders in folders.")
@click.option("--entries", type=click.IntRange(0), default=ENTRIES, show_default=True, help="Entries of all listings.")
@click.option("--octets", type=click.IntRange(0), default=OCTETS, show_default=True, help="Octets of all documents.")
@click.option("--span-hosts", is_flag=True, help="Follow entries to other servers of the same scheme.")
@click.option("--refresh", is_flag=True, help="Also fetch files whose listing gives no size or time.")
@json_option
@with_access_options
@click.pass_obj
def mirror(
    settings: Settings,
    url: str,
    folder: str,
    depth: int,
    entries: int,
    octets: int,
    access_options: AccessOptions,
    *,
    span_hosts: bool,
    refresh: bool,
    as_json: bool,
) -> None:
    """Save the listing at URL, and everything that it leads to, in the folder DIR.

    Listings become folders, and documents become files; resources on other servers are left out. Each line has
    action, URL, file and message, separated by tabs. The action is saved, unchanged, refused or failed.

    The same command again fetches files that are missing or have changed.
    """
    if "://" in folder:
        raise click.BadParameter("expected a folder, got a URL: each call saves one URL", param_hint="'DIR'")
    counts: Counter[str] = Counter()
    received = 0
    registry = settings.registry_for(url)
    client = Client(registry=registry, configuration=settings.configuration)  # it keeps connections
    arguments = access_options.arguments(client, url, "access")
    arguments["ask"] = None  # forms are left out, as searches are
    steps = mirror_steps(
        url,
        folder,
        client=client,
        depth=depth,
        entries=entries,
        octets=octets,
        span_hosts=span_hosts,
        refresh=refresh,
        **arguments,
    )
    try:
        # On a terminal, the lines themselves show the progress.
        with client, count_bar(None, shown=sys.stderr.isatty() and not sys.stdout.isatty()) as advance:
            for step in steps:
                counts[step.action] += 1
                received += step.octets
                _report(step, registry.profile.name, as_json=as_json)
                advance(1)
    finally:
        if counts:
            write_note(
                f"{counts['saved']} saved ({received:,} octets received), {counts['unchanged']} unchanged, "
                f"{counts['refused']} left out, {counts['failed']} failed"
            )
    if counts["failed"]:
        sys.exit(FAILED)


def _report(step: MirrorStep, profile: str, *, as_json: bool) -> None:
    if as_json:
        url = redact(step.url) if step.error is None else redact_url(step.url)
        line: dict[str, Any] = {"action": step.action, "url": url, "path": step.path and str(step.path)}
        line |= {"octets": step.octets, "terminated": step.terminated, "profile": profile}
        write_json_line(line | (error_json(step.error) if step.error else {}))
        return
    url, path = safe_line(step.url), "" if step.path is None else safe_line(str(step.path))
    message = UNMARKED if step.terminated is False else ""
    if step.error is not None:
        message = safe_line(message_of(step.error))
    write_line(f"{step.action}\t{url}\t{path}\t{message}".rstrip("\t"))
