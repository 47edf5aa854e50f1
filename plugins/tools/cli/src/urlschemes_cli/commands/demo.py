"""demo: a URL of every installed scheme, accessed on servers that run for a moment on this machine."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from urlschemes_cli.output.delivery import dump
from urlschemes_cli.output.plain import line, note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes.registry.claims import Claim
    from urlschemes.registry.registry import Registry
    from urlschemes_access.attributes import Attributes
    from urlschemes_access.client import Client
    from urlschemes_access.resources import Document, Listing, Session
    from urlschemes_access.trace_event import TraceEvent
    from urlschemes_cli.app import Settings
    from urlschemes_cli.demonstration import Demonstration
    from urlschemes_cli.output.screen import Screen

__all__ = ["demo"]

KIT = "urlschemes-servers"
LOOPBACK = ("127.0.0.0/8", "::1/128")
OCTETS = 128
"""Octets of a document that are shown."""
ENTRIES = 6
"""Entries of a listing that are shown."""


@click.command(short_help="Access a URL of every scheme, on this machine.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.pass_obj
def demo(settings: Settings, names: tuple[str, ...]) -> None:
    """Access a URL of every installed scheme, or of those called NAME, on servers of this machine alone.

    It shows the URL, its parts, what goes over the wire, and the first octets that come back. The servers are in the
    distribution urlschemes-servers; they run while their scheme is shown.
    """
    from urlschemes.errors import URLError
    from urlschemes_cli.app import FAILED, UNKNOWN, report
    from urlschemes_cli.output.screen import Screen

    client = settings.unconfigured_client
    registry = client.registry
    demos = _demos(registry)
    wanted = [name.lower() for name in names] or list(registry)
    for name in wanted:
        registry.registration(name)
    if not demos:
        note(_why_nothing(registry))
        click.get_current_context().exit(UNKNOWN)
    screen = Screen()
    accessed, missing, failed = [], [], []
    for name in wanted:
        if name not in demos:
            missing.append(name)
            continue
        try:
            _demonstrate(screen, client, name, demos[name])
            accessed.append(name)
        except URLError as error:
            sys.stdout.flush()
            report(error)
            failed.append(name)
    sys.stdout.flush()
    _sum_up(screen, accessed, _say_conflicts(registry, missing), failed)
    if failed:
        click.get_current_context().exit(FAILED)


def _demos(registry: Registry) -> dict[str, Claim]:
    """The demonstration for each name."""
    from urlschemes.registry.claims import DEMOS

    return {claim.name: claim for claim in registry.claims() if claim.group == DEMOS and claim.state == "active"}


def _why_nothing(registry: Registry) -> str:
    from urlschemes.registry.claims import DEMOS

    for claim in registry.claims():
        if claim.group == DEMOS:
            return f"{claim.provider} has demonstrations, and is {claim.state}: {claim.reason}"
    return f"nothing can be shown without servers to talk to: pip install {KIT}"


def _say_conflicts(registry: Registry, names: list[str]) -> list[str]:
    """Say which demonstrations are at odds, of the schemes of those names, and return the names of the others."""
    from urlschemes.registry.claim_selection import locations
    from urlschemes.registry.claims import DEMOS
    from urlschemes_cli.app import to_settle

    others = []
    for name in names:
        claims = [
            each for each in registry.claims() if (each.group, each.name, each.state) == (DEMOS, name, "conflict")
        ]
        if claims:
            advice = to_settle(name, [each.distribution for each in claims])
            note(f"several demonstrate {name}, so none is used: {locations(claims)}; {advice}")
        else:
            others.append(name)
    return others


def _demonstrate(screen: Screen, client: Client, name: str, claim: Claim) -> None:
    from tempfile import TemporaryDirectory

    from rich.rule import Rule
    from rich.text import Text

    from urlschemes.errors import URLError

    record = client.registry.registration(name)
    title = Text.assemble((name, "bold"), f"  {line(record.title)}")
    screen.print(Rule(title, align="left", style="dim"), width=min(screen.width, 100))
    with TemporaryDirectory(prefix="urlschemes-demo-") as folder, _begun(client.registry, claim, Path(folder)) as shown:
        try:
            _show_access(screen, client, shown)
        except URLError:
            sys.stdout.flush()
            note(f"the demonstration of {claim.provider} failed, which is to {shown.operation} {shown.url}:")
            raise
    screen.print()


@contextmanager
def _begun(registry: Registry, claim: Claim, folder: Path) -> Iterator[Demonstration]:
    """The demonstration that `claim` names, under way in `folder`. What goes wrong in it is a PluginError."""
    from urlschemes.errors import PluginContractError, PluginError, URLError
    from urlschemes.redaction import described
    from urlschemes_cli.demonstration import Demonstration

    demonstrate: Any = registry.load(claim)
    try:
        with demonstrate(folder) as shown:
            if not isinstance(shown, Demonstration):
                kind = type(shown).__qualname__
                raise PluginContractError(
                    f"the demonstration of {claim.name} gave a {kind}",
                    scheme=claim.name,
                    distribution=claim.provider,
                    wants="a Demonstration",
                    has=kind,
                )
            yield shown
    except URLError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"the demonstration of {claim.name}, of {claim.provider}, failed: {described(error)}",
            scheme=claim.name,
            distribution=claim.provider,
        ) from error


def _show_access(screen: Screen, client: Client, shown: Demonstration) -> None:
    from rich.text import Text

    from urlschemes_access.attributes import Attributes
    from urlschemes_access.policy import Policy
    from urlschemes_cli.output.narrator import told
    from urlschemes_cli.output.picture import show, strokes_of
    from urlschemes_lint.explaining import draw

    screen.print(Text(line(shown.says), "italic"))
    screen.print()
    show(draw(client.registry.parse(shown.url), width=screen.width, strokes=strokes_of(screen)), screen)
    events: list[TraceEvent] = []
    policy = Policy(public=False, networks=LOOPBACK, roots=shown.roots)
    found = client.operate(
        shown.operation,
        shown.url,
        policy=policy,
        ssl_context=shown.ssl_context,
        trace=events.append,
        options=shown.options,
    )
    if isinstance(found, Attributes):
        content = list(_said(found))
    else:
        with found:
            content = list(_content(found, shown))
    screen.print(Text("\nOver the wire", "bold"))
    for event in events:
        for text in told(event):
            screen.print(text, soft_wrap=True)
    screen.print(Text("\nWhat came back", "bold"))
    for each in content:
        screen.print(Text(each), soft_wrap=True)


def _content(resource: Document | Listing | Session, shown: Demonstration) -> Iterator[str]:
    """The beginning of what came back, all of which is read."""
    from urlschemes_access.resources import Document, Listing

    if isinstance(resource, Listing):
        entries = list(resource)
        begins = "" if len(entries) <= ENTRIES else f"; its first {ENTRIES}"
        yield f"a listing of {len(entries)} entries{begins}:"
        for entry in entries[:ENTRIES]:
            yield f"{line(entry.kind):<10} {line(entry.name)}  {line(entry.url or entry.problem or '')}"
        return
    if isinstance(resource, Document):
        octets, what = resource.read(), "a document"
        kind = f", {line(resource.media_type or 'of no known media type')}"
    else:
        octets, what, kind = shown.talk(resource) if shown.talk else b"", "a session", ""
    begins = "" if len(octets) <= OCTETS else f"; its first {OCTETS}"
    yield f"{what} of {len(octets)} octets{kind}{begins}:"
    yield from dump(octets[:OCTETS])


def _said(attributes: Attributes) -> Iterator[str]:
    """What the other side says of an operation that gives no content."""
    from urlschemes_cli.output.delivery import attributes_json

    for name, value in attributes_json(attributes).items():
        if isinstance(value, Mapping):
            yield from (f"{line(each)}: {line(str(text))}" for each, text in value.items())
        elif value is not None:
            yield f"{name}: {line(str(value))}"


def _sum_up(screen: Screen, accessed: list[str], missing: list[str], failed: list[str]) -> None:
    from rich.text import Text

    for names, said, style in (
        (accessed, "accessed", "bold green"),
        (missing, "installed, and nobody offers a demonstration", "bold yellow"),
        (failed, "failed", "bold red"),
    ):
        if names:
            screen.print(Text.assemble((said, style), f": {', '.join(names)}"), soft_wrap=True)
