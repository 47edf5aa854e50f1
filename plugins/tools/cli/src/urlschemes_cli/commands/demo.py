"""The command `demo`: a URL of every installed scheme, accessed on servers of this machine."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
from rich.rule import Rule

from urlschemes.errors import PluginContractError, PluginError, URLError
from urlschemes.redaction import described
from urlschemes.registry.claim_selection import locations
from urlschemes.registry.claims import DEMOS
from urlschemes_access import Attributes, Document, Listing, Policy
from urlschemes_cli.demonstration import Demonstration
from urlschemes_cli.error_reports import report
from urlschemes_cli.exit_codes import FAILED, UNKNOWN
from urlschemes_cli.output.attributes import attributes_json
from urlschemes_cli.output.console import Console
from urlschemes_cli.output.documents import hex_dump
from urlschemes_cli.output.drawing import print_drawing, strokes_for
from urlschemes_cli.output.hints import conflict_hint
from urlschemes_cli.output.text import safe_line, write_note
from urlschemes_cli.output.trace import trace_lines
from urlschemes_lint.explaining import draw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes import Registry
    from urlschemes.registry.claims import Claim
    from urlschemes_access import Client, Session, TraceEvent
    from urlschemes_cli.settings import Settings

__all__ = ["demo"]

SERVERS = "urlschemes-servers"
"""The distribution with the servers of the demonstrations."""
LOOPBACK = ("127.0.0.0/8", "::1/128")
MAX_OCTETS = 128
"""Octets of a document that are shown."""
MAX_ENTRIES = 6
"""Entries of a listing that are shown."""
MAX_WIDTH = 100
"""The width of the line above each demonstration."""


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.pass_obj
def demo(settings: Settings, names: tuple[str, ...]) -> None:
    """Access a URL of every installed scheme, or of the schemes NAME, on servers of this machine.

    Each demonstration shows the URL, its parts, the dialogue with the server, and the beginning of the result. The
    servers are part of urlschemes-servers. They listen on this machine only, while their scheme is shown.
    """
    client = settings.unconfigured_client
    registry = client.registry
    demos = {claim.name: claim for claim in registry.claims() if claim.group == DEMOS and claim.state == "active"}
    chosen = [name.lower() for name in names] or list(registry)
    for name in chosen:
        registry.registration(name)  # raises the error for a scheme that cannot be used
    if not demos:
        write_note(_why_none(registry))
        click.get_current_context().exit(UNKNOWN)
    console = Console()
    accessed, missing, failed = [], [], []
    for name in chosen:
        if name not in demos:
            missing.append(name)
            continue
        try:
            _show(console, client, name, demos[name])
            accessed.append(name)
        except URLError as error:
            sys.stdout.flush()
            report(error)
            failed.append(name)
    sys.stdout.flush()
    _show_summary(console, accessed, _without_conflicts(registry, missing), failed)
    if failed:
        click.get_current_context().exit(FAILED)


def _why_none(registry: Registry) -> str:
    """Return why there are no demonstrations."""
    for claim in registry.claims():
        if claim.group == DEMOS:
            return f"{claim.provider} has demonstrations, but is {claim.state}: {claim.reason}"
    return f"there are no servers to access: pip install {SERVERS}"


def _without_conflicts(registry: Registry, names: list[str]) -> list[str]:
    """Note which of the schemes have several demonstrations, so that none is used; return the other names."""
    others = []
    for name in names:
        key = (DEMOS, name, "conflict")
        claims = [each for each in registry.claims() if (each.group, each.name, each.state) == key]
        if claims:
            hint = conflict_hint(name, [each.distribution for each in claims])
            write_note(f"several distributions demonstrate {name}, so none is used: {locations(list(claims))}; {hint}")
        else:
            others.append(name)
    return others


def _show(console: Console, client: Client, name: str, claim: Claim) -> None:
    """Show one demonstration. Raises URLError."""
    title = f"{name}  {safe_line(client.registry.registration(name).title)}"
    console.print(Rule(title, align="left", style="dim"), width=min(console.width, MAX_WIDTH))
    with (
        TemporaryDirectory(prefix="urlschemes-demo-") as folder,
        _running(client.registry, claim, Path(folder)) as demonstration,
    ):
        try:
            _show_access(console, client, demonstration)
        except URLError:
            sys.stdout.flush()
            operation = f"{demonstration.operation} {demonstration.url}"
            write_note(f"the demonstration of {claim.provider} failed: {operation}")
            raise
    console.print()


@contextmanager
def _running(registry: Registry, claim: Claim, folder: Path) -> Iterator[Demonstration]:
    """Run the demonstration that `claim` names, with the empty `folder`. Raises PluginError for its exceptions."""
    demo_function: Any = registry.load(claim)
    try:
        with demo_function(folder) as demonstration:
            if not isinstance(demonstration, Demonstration):
                kind = type(demonstration).__qualname__
                raise PluginContractError(
                    f"the demonstration of {claim.name} returned an object of type {kind}",
                    scheme=claim.name,
                    distribution=claim.provider,
                    wants="a Demonstration",
                    has=kind,
                )
            yield demonstration
    except URLError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"the demonstration of {claim.name} by {claim.provider} failed: {described(error)}",
            scheme=claim.name,
            distribution=claim.provider,
        ) from error


def _show_access(console: Console, client: Client, demonstration: Demonstration) -> None:
    console.print_line((safe_line(demonstration.description), "italic"))
    console.print()
    url = client.registry.parse(demonstration.url)
    print_drawing(draw(url, width=console.width, strokes=strokes_for(console)), console)
    events: list[TraceEvent] = []
    result = client.operate(
        demonstration.operation,
        url,
        policy=Policy(public=False, networks=LOOPBACK, roots=demonstration.roots),
        ssl_context=demonstration.ssl_context,
        trace=events.append,
        options=demonstration.options,
    )
    if isinstance(result, Attributes):
        lines = list(_attribute_lines(result))
    else:
        with result:
            lines = list(_content_lines(result, demonstration))
    console.print()
    console.print_line(("Dialogue", "bold"))
    for event in events:
        for text in trace_lines(event):
            console.print(text, soft_wrap=True)
    console.print()
    console.print_line(("Result", "bold"))
    for line in lines:
        console.print_line(line)


def _content_lines(resource: Document | Listing | Session, demonstration: Demonstration) -> Iterator[str]:
    """Read all of a resource, and return its beginning as lines."""
    if isinstance(resource, Listing):
        entries = list(resource)
        begins = "" if len(entries) <= MAX_ENTRIES else f"; its first {MAX_ENTRIES}"
        yield f"a listing of {len(entries)} entries{begins}:"
        for entry in entries[:MAX_ENTRIES]:
            yield f"{safe_line(entry.kind):<10} {safe_line(entry.name)}  {safe_line(entry.url or entry.problem or '')}"
        return
    if isinstance(resource, Document):
        octets, kind = resource.read(), "a document"
        media_type = f", {safe_line(resource.media_type or 'of unknown media type')}"
    else:
        octets = demonstration.talk(resource) if demonstration.talk else b""
        kind, media_type = "a session", ""
    begins = "" if len(octets) <= MAX_OCTETS else f"; its first {MAX_OCTETS}"
    yield f"{kind} of {len(octets)} octets{media_type}{begins}:"
    yield from hex_dump(octets[:MAX_OCTETS])


def _attribute_lines(attributes: Attributes) -> Iterator[str]:
    """Return the attributes as lines."""
    for name, value in attributes_json(attributes).items():
        if isinstance(value, Mapping):
            yield from (f"{safe_line(key)}: {safe_line(str(text))}" for key, text in value.items())
        elif value is not None:
            yield f"{name}: {safe_line(str(value))}"


def _show_summary(console: Console, accessed: list[str], missing: list[str], failed: list[str]) -> None:
    for names, label, style in (
        (accessed, "accessed", "bold green"),
        (missing, "installed, but without a demonstration", "bold yellow"),
        (failed, "failed", "bold red"),
    ):
        if names:
            console.print_line((label, style), f": {', '.join(names)}")
