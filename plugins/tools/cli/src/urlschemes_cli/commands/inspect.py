"""why, doctor: who provides a scheme and why, and all that is installed looked at closely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from urlschemes.errors import PluginError
from urlschemes.registry.claims import COMMANDS, DEMOS, HOOKS, SCHEMES, Claim
from urlschemes_cli.commands.schemes import READS_ONLY
from urlschemes_cli.output.plain import as_json, line, name_of_a_scheme, note, write_json

if TYPE_CHECKING:
    from urlschemes.registry.inspection import Diagnosis, Why
    from urlschemes.registry.registry import Registry
    from urlschemes_cli.app import Settings
    from urlschemes_cli.output.screen import Screen

__all__ = ["doctor", "why"]

SHORT = 16
"""Digits of a hash that a person is shown; --json has them all."""
_COLOURS = {"active": "green", "disabled": "dim", "ignored": "dim", "shadowed": "dim"}

_HEADINGS = {SCHEMES: "Schemes", HOOKS: "Hooks", COMMANDS: "Commands", DEMOS: "Demonstrations"}


@click.command(short_help="Say who provides a scheme, and why.")
@click.argument("name", callback=name_of_a_scheme)
@as_json
@click.pass_obj
def why(settings: Settings, name: str, *, as_json: bool) -> None:
    """Say who provides the scheme NAME, by which rule, and how to choose otherwise."""
    from urlschemes_cli.app import UNKNOWN

    found = settings.registry.why(name)
    gateway = settings.client.describe_gateway(found.name)
    if as_json:
        write_json(
            {
                "name": found.name,
                "provider": found.provider,
                "rule": found.rule,
                "claims": [_claim(claim) for claim in found.claims],
                "gateway": gateway,
                "advice": _advice(found),
            }
        )
    else:
        _say_why(found, gateway, reads_only=_reads_only(settings.registry, found))
    if found.provider is None:
        click.get_current_context().exit(UNKNOWN)


def _say_why(found: Why, gateway: str | None, *, reads_only: bool) -> None:
    from rich.text import Text

    from urlschemes_cli.output.screen import Screen, facts

    screen = Screen()
    provider = (line(found.provider), "bold green") if found.provider else ("nobody provides it", "bold red")
    screen.print(Text.assemble((line(found.name), "bold"), "  ", provider), soft_wrap=True)
    rows: list[tuple[str, object]] = [("because", found.rule), *(("claim", str(claim)) for claim in found.claims)]
    rows.append(("gateway", gateway))
    if found.provider is None:
        rows.append(("help", _advice(found)))
    else:
        if reads_only:
            rows.append(("operations", READS_ONLY))
        rows.append(("otherwise", _advice(found)))
    screen.table(facts(rows))


def _reads_only(registry: Registry, found: Why) -> bool:
    """Whether the record of a scheme that somebody provides offers no operation."""
    try:
        return found.provider is not None and not registry.registration(found.name).operations
    except PluginError:  # `doctor` says what is wrong with it
        return False


def _advice(found: Why) -> str:
    """How to choose otherwise, in the words of the command line."""
    from urlschemes_cli.app import to_settle

    if found.switch is None:
        return to_settle(found.name, found.pins) if found.pins else found.advice
    pin = f"--pin {found.name}={found.pins[0]} chooses another, " if found.pins else ""
    return f"{pin}--disable {found.switch} switches it off"


def _claim(claim: Claim) -> dict[str, Any]:
    return claim._asdict()


@click.command(short_help="Look closely at what is installed.")
@click.option("--load", is_flag=True, help="Import the plugins, too, and say how long that takes.")
@click.option(
    "--verify", is_flag=True, help="Load each plugin in a process of its own, and say what it changes there for others."
)
@as_json
@click.pass_obj
def doctor(settings: Settings, *, load: bool, verify: bool, as_json: bool) -> None:
    """Look closely at everything that installed distributions claim; the exit code is 5 where something is wrong."""
    from urlschemes_cli.app import UNKNOWN

    found = settings.registry.diagnose(load=load)
    examined = _verified(found) if verify else tuple(Examined(*each) for each in found)
    if as_json:
        write_json([_diagnosis(each) for each in examined])
    else:
        _show_diagnoses(examined)
        if not (load or verify) and found:
            note("nothing was imported: --load imports the plugins, --verify each in a process of its own")
    if any(each.in_trouble for each in examined):
        click.get_current_context().exit(UNKNOWN)


class Examined(NamedTuple):
    """A Diagnosis, with what loading the plugin changed for others in its process (None if that was not verified)."""

    claim: Claim
    file: str = ""
    sha256: str = ""
    seconds: float | None = None
    changes: tuple[str, ...] | None = None

    @property
    def in_trouble(self) -> bool:
        """Return True if the user has to do something about the claim."""
        return self.claim.in_trouble or bool(self.changes)


def _verified(found: tuple[Diagnosis, ...]) -> tuple[Examined, ...]:
    """Return the diagnoses with the results of loading each active claim in a process of its own."""
    try:
        from urlschemes_conformance.import_probe.probe import verify
    except ModuleNotFoundError:
        raise click.UsageError("--verify needs urlschemes-conformance: pip install urlschemes-conformance") from None
    verified = verify(each.claim for each in found)
    examined = []
    for each in found:
        claim, seen = each.claim, verified.get(each.claim)
        if seen is None:
            examined.append(Examined(*each))
            continue
        if seen.fault:
            claim = claim._replace(state="broken", reason=seen.fault)
        examined.append(Examined(claim, each.file, each.sha256, seen.seconds, seen.changes))
    return tuple(examined)


def _diagnosis(each: Examined) -> dict[str, Any]:
    return {**_claim(each.claim), **{name: getattr(each, name) for name in ("file", "sha256", "seconds", "changes")}}


def _show_diagnoses(found: tuple[Examined, ...]) -> None:
    """What is wrong comes first, by distribution; then the schemes, what else plugins add, and what is switched off."""
    from rich.text import Text

    from urlschemes_cli.output.screen import Screen

    screen = Screen()
    trouble = sorted((each for each in found if each.in_trouble), key=lambda each: each.claim.provider)
    if trouble:
        screen.print(Text("In trouble", "bold underline"))
        for each in trouble:
            _show_trouble(screen, each)
    groups = sorted({each.claim.group for each in found}, key=lambda group: (group != SCHEMES, group))
    for group in groups:
        rows = [each for each in found if each.claim.group == group and _is_of_use(each)]
        if rows:
            screen.print(Text(f"\n{_HEADINGS.get(group, group)}", "bold underline"))
        file = ""
        for each in rows:
            _show_diagnosis(screen, each, new_file=each.file != file or not file)
            file = each.file
    _show_disabled(screen, [each.claim for each in found if each.claim.state == "disabled"])
    states = [each.claim.state for each in found]
    said = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states)) or "nothing is installed"
    changing = sum(bool(each.changes) for each in found)
    if changing:
        said += f"; {changing} change{'s' * (changing == 1)} what belongs to others"
    screen.print(Text(f"\n{said}", "bold"))


def _is_of_use(each: Examined) -> bool:
    return each.claim.state != "disabled" and not each.in_trouble


def _show_disabled(screen: Screen, claims: list[Claim]) -> None:
    """What is switched off, by distribution: there may be much of it, and none of it counts."""
    from rich.text import Text

    if claims:
        screen.print(Text("\nSwitched off", "bold underline"))
    for provider, reason in sorted({(claim.provider, claim.reason) for claim in claims}):
        off = [claim for claim in claims if (claim.provider, claim.reason) == (provider, reason)]
        names = ", ".join(f"{claim.kind} {claim.name}" for claim in off)
        screen.print(Text(f"{line(provider)}: {line(reason)}"), soft_wrap=True)
        screen.paragraph(line(names), "dim", indent=4)


def _show_trouble(screen: Screen, each: Examined) -> None:
    """One claim that somebody has to do something about: who, what, where it lies, and how to be rid of it."""
    from rich.text import Text

    from urlschemes.registry.claim_selection import switch

    claim = each.claim
    what = "changes the process" if claim.state == "active" else claim.state
    head = Text.assemble((line(claim.provider) or "(no name)", "bold"), "  ", (what, "bold red"))
    if claim.name:
        head.append(f"  the {claim.kind} {line(claim.name)}")
    screen.print(head, soft_wrap=True)
    reason = claim.reason.removeprefix(f"{claim.provider}, which provides {claim.name}, ")
    for said in (*([reason] if reason else []), *(each.changes or ())):
        screen.print(Text(f"    {line(said)}"), soft_wrap=True)
    _show_file(screen, each, 4)
    remedy = f"--disable {switch(claim)} switches it off"
    if claim.state == "conflict":
        remedy = f"--pin {claim.name}={claim.distribution} chooses it"
    elif claim.state == "malformed":
        remedy = ""
    if remedy:
        screen.print(Text(f"    {line(remedy)}", "dim"), soft_wrap=True)


def _show_diagnosis(screen: Screen, each: Examined, *, new_file: bool) -> None:
    from rich.text import Text

    from urlschemes.registry.plugins import SLOW_IMPORT

    claim = each.claim
    state = (f"{claim.state:<8}", _COLOURS.get(claim.state, "bold red"))
    head = Text.assemble((f"{line(claim.name) or '(no name)':<10} ", "bold"), state, f"  {line(claim.provider)}")
    place = f"{claim.module}:{claim.attribute}" if claim.attribute else claim.module
    if place:
        head.append(f"  {place}")
    if each.seconds is not None:
        head.append(f"  {each.seconds * 1000:.0f} ms", "bold yellow" if each.seconds > SLOW_IMPORT else "dim")
    screen.print(head, soft_wrap=True)
    if claim.reason:
        screen.print(Text(f"{'':<10} {line(claim.reason)}"), soft_wrap=True)
    if new_file:
        _show_file(screen, each, 11)


def _show_file(screen: Screen, each: Examined, indent: int) -> None:
    """What would be imported, and its hash, by which it can be told from another of that name."""
    from rich.text import Text

    digest = f"  sha256 {each.sha256[:SHORT]}..." if each.sha256 else ""
    place = line(each.file or each.claim.origin)
    if place:
        screen.print(Text(f"{'':<{indent}}{place}{digest}", "dim"), soft_wrap=True)
