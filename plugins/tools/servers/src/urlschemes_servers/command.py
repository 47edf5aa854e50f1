"""The command `demo`: a URL of every installed scheme, accessed on servers of this machine."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import click
from rich.rule import Rule

from urlschemes.errors import URLError
from urlschemes.registry.claims import SCHEMES, locations
from urlschemes_access import Attributes, Client, Document, Listing
from urlschemes_cli.commands.explain import print_drawing, strokes_for
from urlschemes_cli.error_reports import report
from urlschemes_cli.exit_codes import FAILED
from urlschemes_cli.output.console import Console, columns_table
from urlschemes_cli.output.documents import attributes_json, hex_dump
from urlschemes_cli.output.hints import conflict_hint
from urlschemes_cli.output.text import safe_line, write_note
from urlschemes_cli.output.trace import trace_lines
from urlschemes_lint.explaining import draw
from urlschemes_testing.demonstration import GROUP, Demonstration, started

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sized

    from urlschemes import URL, Registry
    from urlschemes.registry.claims import Claim
    from urlschemes_access import Entry, Session, TraceEvent
    from urlschemes_cli.settings import Settings

__all__ = ["demo"]

MAX_OCTETS = 128
"""Octets of a document that are shown."""
MAX_ENTRIES = 6
"""Entries of a listing that are shown."""
MAX_WIDTH = 100
"""The width of the line above each demonstration."""

_COMMAND = re.compile(rb"[A-Z][A-Z-]*(?=[ \r])")
"""The word with which a command of a protocol begins."""
_SHORT_LINE = re.compile(rb"[\t -~]{1,24}\r\n")


class Accessed(NamedTuple):
    """A demonstration that was accessed: the size of what was returned, and its beginning as lines."""

    scheme: str
    demonstration: Demonstration
    url: URL
    events: list[TraceEvent]
    size: str
    lines: list[str]


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--dialogue", is_flag=True, help="Show the parts of each URL, the dialogue, and what was returned.")
@click.pass_obj
def demo(settings: Settings, names: tuple[str, ...], *, dialogue: bool) -> None:
    """Access a URL of every scheme that a plugin provides, or of the schemes NAME, on servers of this machine.

    A line for each scheme says what was fetched, from which server, and which requests were sent. Each server listens
    on this machine only, and stops once its URL has been accessed.
    """
    installed = settings.registry.claims()
    claims = [claim for claim in installed if claim.group == GROUP]
    demos = {claim.name: claim for claim in claims if claim.state == "active"}
    of_plugins = {claim.name for claim in installed if claim.group == SCHEMES and claim.module}
    chosen = [name.lower() for name in names] or [name for name in settings.schemes if name in of_plugins]
    for name in chosen:
        settings.registry_for(name).registration(name)  # raises the error for a scheme that cannot be used
    console = Console()
    accessed: list[Accessed] = []
    failed: list[str] = []
    for name in chosen:
        if name not in demos:
            continue
        try:
            accessed.append(_access(settings.registry_for(name), name, demos[name]))
        except URLError as error:
            report(error)
            failed.append(name)
            continue
        if dialogue:
            _show_dialogue(console, accessed[-1])
    if accessed and not dialogue:
        _show_table(console, accessed)
    missing = _without_conflicts(claims, [name for name in chosen if name not in demos])
    _show_others(console, missing, failed)
    if accessed and not dialogue:
        longest = max(accessed, key=lambda each: len(each.events)).scheme
        more = f"urlschemes demo {longest} --dialogue"
        console.print_line((more, "bold"), " shows URL, parts, dialogue and content.")
    sys.stdout.flush()
    if failed:
        click.get_current_context().exit(FAILED)


def _without_conflicts(claims: list[Claim], names: list[str]) -> list[str]:
    """Note which of the schemes have several demonstrations, so that none is used; return the other names."""
    others = []
    for name in names:
        found = [each for each in claims if (each.name, each.state) == (name, "conflict")]
        if found:
            hint = conflict_hint(name, [each.distribution for each in found])
            write_note(f"several distributions demonstrate {name}, so none is used: {locations(found)}; {hint}")
        else:
            others.append(name)
    return others


def _access(registry: Registry, name: str, claim: Claim) -> Accessed:
    """Run a demonstration and access its URL. Raises URLError."""
    client = Client(registry=registry, keep_connections=False)  # without gateways or policy of the configuration
    whose = f"of {name} by {claim.provider}"
    with started(lambda: registry.load(claim), whose, scheme=name, distribution=claim.provider) as demonstration:
        try:
            url = registry.parse(demonstration.url)
            events: list[TraceEvent] = []
            found = client.operate(demonstration.operation, url, trace=events.append, **demonstration.settings)
            if isinstance(found, Attributes):
                size = "attributes" if found.size is None else f"{found.size} octets"
                lines = list(_attribute_lines(found))
            else:
                with found:
                    size, lines = _read(found, demonstration)
        except URLError:
            write_note(f"the demonstration {whose} failed: {demonstration.operation} {demonstration.url}")
            raise
    return Accessed(name, demonstration, url, events, size, lines)


def _read(resource: Document | Listing | Session, demonstration: Demonstration) -> tuple[str, list[str]]:
    """Read all of a resource. Return its size, and what it is, with its beginning, as lines."""
    if isinstance(resource, Listing):
        entries = list(resource)
        size, begins = f"{len(entries)} entries", _begins(entries, MAX_ENTRIES)
        return size, [f"a listing of {size}{begins}:", *map(_entry_line, entries[:MAX_ENTRIES])]
    if isinstance(resource, Document):
        octets, kind = resource.read(), "a document"
        media_type = f", {safe_line(resource.media_type or 'of unknown media type')}"
    else:
        octets = demonstration.talk(resource) if demonstration.talk else b""
        kind, media_type = "a session", ""
    size, begins = f"{len(octets)} octets", _begins(octets, MAX_OCTETS)
    return size, [f"{kind} of {size}{media_type}{begins}:", *hex_dump(octets[:MAX_OCTETS])]


def _begins(content: Sized, count: int) -> str:
    return "" if len(content) <= count else f"; its first {count}"


def _entry_line(entry: Entry) -> str:
    return f"{safe_line(entry.kind):<10} {safe_line(entry.name)}  {safe_line(entry.url or entry.problem or '')}"


def _attribute_lines(attributes: Attributes) -> Iterator[str]:
    """Return the attributes as lines."""
    for name, value in attributes_json(attributes).items():
        if isinstance(value, Mapping):
            yield from (f"{safe_line(key)}: {safe_line(str(text))}" for key, text in value.items())
        elif value is not None:
            yield f"{name}: {safe_line(str(value))}"


def _show_table(console: Console, accessed: Iterable[Accessed]) -> None:
    """Print a line for each demonstration."""
    columns = ("scheme", "server", "result", "operation: requests")
    table = columns_table(*columns, unwrapped=columns[:-1])
    for each in accessed:
        demonstration = each.demonstration
        how = ": ".join(filter(None, (demonstration.operation, " ".join(_requests(each.events)))))
        table.add_row(each.scheme, safe_line(demonstration.server), each.size, safe_line(how))
    console.print_table(table)
    console.print()


def _requests(events: Iterable[TraceEvent]) -> Iterator[str]:
    """Yield the name of each command that was sent, other short lines as they are, and the length of other octets."""
    for event in events:
        if event.kind == "tls":
            yield "TLS"
        if event.kind == "send":
            command = _COMMAND.match(event.octets)
            if command:
                yield command[0].decode()
            elif _SHORT_LINE.fullmatch(event.octets):
                yield event.octets.decode().removesuffix("\r\n")
            else:
                yield f"({len(event.octets)} octets)"


def _show_dialogue(console: Console, accessed: Accessed) -> None:
    """Print the parts of the URL, the dialogue, and the result."""
    record = accessed.url.registration
    title = f"{accessed.scheme}  {safe_line(record.title) if record else ''}"
    console.rich.print(Rule(title, align="left", style="dim"), width=min(console.rich.width, MAX_WIDTH))
    console.print_line((safe_line(accessed.demonstration.description), "italic"))
    console.print()
    print_drawing(draw(accessed.url, width=console.rich.width, strokes=strokes_for(console)), console)
    console.print()
    console.print_line(("Dialogue", "bold"))
    for event in accessed.events:
        for pieces in trace_lines(event):
            console.print_line(*pieces)
    console.print()
    console.print_line(("Result", "bold"))
    for line in accessed.lines:
        console.print_line(line)
    console.print()


def _show_others(console: Console, missing: list[str], failed: list[str]) -> None:
    """Print the names of the schemes that were not accessed."""
    for names, label, style in (
        (missing, "installed, but without a demonstration", "bold yellow"),
        (failed, "failed", "bold red"),
    ):
        if names:
            console.print_line((label, style), f": {', '.join(names)}")
