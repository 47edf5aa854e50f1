"""why, doctor: who provides a scheme and why, and all that is installed looked at closely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from urlschemes.cli.plain import as_json, line, write_json
from urlschemes.cli.registry import READS_ONLY, TROUBLE
from urlschemes.discovery import SCHEMES
from urlschemes.errors import PluginError

if TYPE_CHECKING:
    from urlschemes.cli.app import Settings
    from urlschemes.cli.screen import Screen
    from urlschemes.discovery import Claim
    from urlschemes.registry import Diagnosis, Registry, Why

__all__ = ["doctor", "why"]

SHORT = 16
"""Digits of a hash that a person is shown; --json has them all."""
_COLOURS = {"active": "green", "disabled": "dim", "ignored": "dim"}


@click.command(short_help="Say who provides a scheme, and why.")
@click.argument("name")
@as_json
@click.pass_obj
def why(settings: Settings, name: str, *, as_json: bool) -> None:
    """Say who provides the scheme NAME, by which rule, and how to choose otherwise."""
    from urlschemes.cli.app import UNKNOWN

    found = settings.registry.why(name)
    if as_json:
        write_json(
            {
                "name": found.name,
                "provider": found.provider,
                "rule": found.rule,
                "claims": [_claim(claim) for claim in found.claims],
                "gateway": found.gateway,
            }
        )
    else:
        _say_why(found, reads_only=_reads_only(settings.registry, found))
    if found.provider is None:
        click.get_current_context().exit(UNKNOWN)


def _say_why(found: Why, *, reads_only: bool) -> None:
    from rich.text import Text

    from urlschemes.cli.screen import Screen, facts

    screen = Screen()
    provider = (line(found.provider), "bold green") if found.provider else ("nobody provides it", "bold red")
    screen.print(Text.assemble((line(found.name), "bold"), "  ", provider), soft_wrap=True)
    rows: list[tuple[str, object]] = [("because", found.rule), *(("claim", str(claim)) for claim in found.claims)]
    rows.append(("gateway", found.gateway))
    if found.provider is None:
        rows.append(("help", _advice(found)))
    else:
        if reads_only:
            rows.append(("operations", READS_ONLY))
        rows.append(("otherwise", "--plugins lists the distributions to use, --pin chooses one of several"))
    screen.table(facts(rows))


def _reads_only(registry: Registry, found: Why) -> bool:
    """Whether the record of a scheme that somebody provides offers no operation."""
    try:
        return found.provider is not None and not registry.registration(found.name).operations
    except PluginError:  # `doctor` says what is wrong with it
        return False


def _advice(found: Why) -> str:
    conflict = [claim.distribution for claim in found.claims if claim.state == "conflict"]
    return f"choose one: --pin {found.name}={conflict[0]}, or uninstall the other" if conflict else found.advice


def _claim(claim: Claim) -> dict[str, Any]:
    return claim._asdict()


@click.command(short_help="Look closely at what is installed.")
@click.option("--load", is_flag=True, help="Import the plugins, too, and say how long that takes.")
@as_json
@click.pass_obj
def doctor(settings: Settings, *, load: bool, as_json: bool) -> None:
    """Look closely at everything that installed distributions claim; the exit code is 5 where something is wrong."""
    from urlschemes.cli.app import UNKNOWN

    found = settings.registry.diagnose(load=load)
    trouble = [each for each in found if each.claim.state in TROUBLE]
    if as_json:
        write_json([_diagnosis(each) for each in found])
    else:
        _show_diagnoses(found, load=load)
    if trouble:
        click.get_current_context().exit(UNKNOWN)


def _diagnosis(each: Diagnosis) -> dict[str, Any]:
    return {**_claim(each.claim), "file": each.file, "sha256": each.sha256, "seconds": each.seconds}


def _show_diagnoses(found: tuple[Diagnosis, ...], *, load: bool) -> None:
    """What is wrong comes first; then the schemes, and what else plugins add."""
    from rich.text import Text

    from urlschemes.cli.screen import Screen

    screen = Screen()
    groups = sorted({each.claim.group for each in found}, key=lambda group: (group != SCHEMES, group))
    ordered = sorted(found, key=lambda each: (each.claim.state not in TROUBLE, groups.index(each.claim.group)))
    heading = ""
    for each in ordered:
        group = "in trouble" if each.claim.state in TROUBLE else each.claim.group
        if group != heading:
            screen.print(Text(f"{'' if not heading else chr(10)}{group}", "bold underline"))
            heading = group
        _show_diagnosis(screen, each)
    states = [each.claim.state for each in found]
    said = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states)) or "nothing is installed"
    screen.print(Text(f"\n{said}", "bold"))
    if not load and "active" in states:
        screen.print(Text("Nothing was imported; --load imports the plugins as well.", "dim"))


def _show_diagnosis(screen: Screen, each: Diagnosis) -> None:
    from rich.text import Text

    from urlschemes.plugins import SLOW_IMPORT

    claim = each.claim
    state = (claim.state, _COLOURS.get(claim.state, "bold red"))
    head = Text.assemble((f"{line(claim.name) or '(no name)':<10} ", "bold"), state, f"  {line(claim.provider)}")
    place = f"{claim.module}:{claim.attribute}" if claim.attribute else claim.module
    if place:
        head.append(f"  {place}")
    if each.seconds is not None:
        head.append(f"  {each.seconds * 1000:.0f} ms", "bold yellow" if each.seconds > SLOW_IMPORT else "dim")
    screen.print(head, soft_wrap=True)
    if claim.group != SCHEMES and claim.state in TROUBLE:
        screen.print(Text(f"{'':<10} in the group {claim.group}", "dim"), soft_wrap=True)
    if claim.reason:
        screen.print(Text(f"{'':<10} {line(claim.reason)}"), soft_wrap=True)
    digest = f"  sha256 {each.sha256[:SHORT]}..." if each.sha256 else ""
    screen.print(Text(f"{'':<10} {line(each.file or claim.origin)}{digest}", "dim"), soft_wrap=True)
