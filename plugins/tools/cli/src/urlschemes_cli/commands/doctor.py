"""The command `doctor`: an examination of everything that plugins provide."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from urlschemes.registry.claims import SCHEMES, Claim, subject, switch
from urlschemes.registry.names import how_to_install
from urlschemes.registry.plugins import SLOW_IMPORT
from urlschemes.registry.readers import CHOICE
from urlschemes.storage.package_data import locate, read_file
from urlschemes_cli.error_reports import report
from urlschemes_cli.exit_codes import UNKNOWN
from urlschemes_cli.options import json_option
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import safe_line, write_note
from urlschemes_cli.settings import known_records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes import Registry
    from urlschemes_cli.output.console import Console
    from urlschemes_cli.settings import Settings

__all__ = ["diagnoses", "doctor"]

_NATIVE = "URLSCHEMES_NATIVE"
"""The variable that switches urlschemes-native off."""
DIGITS = 16
"""Digits of a hash that a table shows; --json has them all."""
_OF_PROFILE = frozenset({"active", "broken", "conflict"})
"""The states that a claim for a scheme has in the profiles of which it has a record."""
_STATE_STYLES = {"active": "green", "disabled": "dim", "ignored": "dim", "shadowed": "dim"}


@click.command()
@click.option("--load", is_flag=True, help="Import the plugins, and show how long it takes.")
@click.option(
    "--verify",
    is_flag=True,
    help="Import each plugin in a process of its own, and show what it changes there, such as signal handlers.",
)
@json_option
@click.pass_obj
def doctor(settings: Settings, *, load: bool, verify: bool, as_json: bool) -> None:
    """Examine everything that installed plugins provide, and say what reads URLs.

    The exit code is 5 if something is wrong.
    """
    missing = settings.without_missing_profile()
    examined = tuple(_examined(settings, load=load, verify=verify))
    if as_json:
        write_json([_examined_json(each) for each in examined])
    else:
        _show(examined)
        if examined and not (load or verify):
            write_note("plugins were not imported: --load imports them, --verify imports each in a separate process")
    known = known_records(settings.installed)
    for claim in {each.claim for each in examined}:
        if unknown := [each for each in map(os.path.basename, claim.records) if each not in known]:
            write_note(f"{claim.provider}: {', '.join(unknown)} is no record of a known profile")
    write_note(f"URLs are read by {safe_line(CHOICE.provider) or f'their patterns: {safe_line(CHOICE.reason)}'}")
    value = os.environ.get(_NATIVE, "none")
    if value not in {"", "none"}:
        write_note(f"{_NATIVE} is {safe_line(value)!r}, which means nothing: `none` switches the native reader off")
    if missing is not None:
        report(missing)
    if missing is not None or any(each.in_trouble for each in examined):
        click.get_current_context().exit(UNKNOWN)


class Examined(NamedTuple):
    """The result of examining one claim.

    `file` is what would be imported for it, or the record if there is no code ("" if it cannot be found), `sha256` that
    file's hash, `seconds` how long the import took (None if nothing was imported). `changes` are those that importing
    the plugin makes to its process (None if not verified). `profile` is that of the record, if a claim for a scheme has
    one that counts.
    """

    claim: Claim
    file: str = ""
    sha256: str = ""
    seconds: float | None = None
    changes: tuple[str, ...] | None = None
    profile: str | None = None

    @property
    def in_trouble(self) -> bool:
        """Return True if the user has to do something about the claim."""
        return self.claim.in_trouble or bool(self.changes)


def diagnoses(registry: Registry, *, load: bool = False) -> Iterator[Examined]:
    """Yield what `registry.diagnose` returns, with the file of each claim and its hash."""
    for claim, seconds in registry.diagnose(load=load):
        yield Examined(claim, *_file(claim, registry.profile.record), seconds)


def _file(claim: Claim, record: str) -> tuple[str, str]:
    """Return the claim's file, which is read and not executed, and its hash."""
    from hashlib import sha256  # it loads OpenSSL, which no other command needs

    try:
        if claim.attribute or claim.group != SCHEMES:
            spec = locate(claim.module)
            file = spec.origin or ""
            octets = spec.loader.get_data(file)  # type: ignore[union-attr]  # without a loader, there is no file
        else:
            text, file = read_file(claim.module, record)
            octets = text.encode()
    except Exception:  # noqa: BLE001  there may be no such file, or another package's finder failed
        return "", ""
    return file, sha256(octets).hexdigest()


def _examined(settings: Settings, *, load: bool, verify: bool) -> Iterator[Examined]:
    """Yield the result for each claim; for that of a scheme, one for each profile of which it has a record."""
    registries = settings.registries
    known = {registry.profile.record for registry in registries}
    for registry in registries:
        profile = registry.profile
        of_profile, others = [], []
        for each in diagnoses(registry, load=load):
            records = {*map(os.path.basename, each.claim.records)}
            if profile.record in records and each.claim.state in _OF_PROFILE:
                of_profile.append(each)
            elif registry is registries[0] and not (each.claim.state == "unused" and records & known):
                others.append(each)
        for found, name in (of_profile, profile.name), (others, None):
            results = _verified(found, profile.name) if verify else found
            yield from (each._replace(profile=name) for each in results)


def _verified(found: list[Examined], profile: str) -> Iterator[Examined]:
    """Yield them with the results of importing each plugin in a process of its own."""
    try:
        from urlschemes_conformance.import_probe import probe_imports  # late: an optional distribution
    except ModuleNotFoundError:
        raise click.UsageError(f"--verify is not installed: {how_to_install('urlschemes-conformance')}") from None
    verified = probe_imports((each.claim for each in found), profile)
    for each in found:
        result = verified.get(each.claim)
        if result is None:
            yield each
            continue
        claim = each.claim
        if result.fault:
            claim = claim._replace(state="broken", reason=result.fault.removeprefix(subject(claim)))
        yield each._replace(claim=claim, seconds=result.seconds, changes=result.changes)


def _examined_json(each: Examined) -> dict[str, Any]:
    return {**each.claim._asdict(), **{name: value for name, value in each._asdict().items() if name != "claim"}}


def _show(examined: tuple[Examined, ...]) -> None:
    """Print what is wrong first, then what can be used, then what is switched off."""
    from urlschemes_cli.output.console import Console  # late: rich

    console = Console()
    _show_trouble(console, examined)
    groups = sorted({each.claim.group for each in examined}, key=lambda group: (group != SCHEMES, group))
    for group in groups:
        usable = [each for each in examined if each.claim.group == group and _is_usable(each)]
        _show_group(console, sorted(usable, key=lambda each: each.claim.name))
    _show_disabled(console, [each.claim for each in examined if each.claim.state == "disabled"])
    states = [each.claim.state for each in examined]
    summary = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states)) or "nothing is installed"
    changing = sum(bool(each.changes) for each in examined)
    if changing:
        summary += f"; {changing} {'changes' if changing == 1 else 'change'} the process when imported"
    console.print()
    console.print_line((summary, "bold"))


def _is_usable(each: Examined) -> bool:
    return each.claim.state != "disabled" and not each.in_trouble


def _show_trouble(console: Console, examined: tuple[Examined, ...]) -> None:
    """Print the claims that the user has to do something about, by distribution."""
    claims = sorted((each for each in examined if each.in_trouble), key=lambda each: each.claim.provider)
    if claims:
        console.print_line(("Problems", "bold underline"))
    for each in claims:
        _show_problem(console, each)


def _show_problem(console: Console, each: Examined) -> None:
    """Print the distribution, the problem, the file, and what to do."""
    claim = each.claim
    problem = "changes the process" if claim.state == "active" else claim.state
    name = f"  the {claim.kind} {safe_line(claim.name)}" if claim.name else ""
    console.print_line((safe_line(claim.provider) or "(no name)", "bold"), "  ", (problem, "bold red"), name, _of(each))
    for line in (*([claim.reason] if claim.reason else []), *(each.changes or ())):
        console.print_line(f"    {safe_line(line)}")
    _show_file(console, each, 4)
    remedy = _remedy(claim)
    if remedy:
        console.print_line((f"    {safe_line(remedy)}", "dim"))


def _of(each: Examined) -> str:
    return f"  {each.profile}" if each.profile else ""


def _remedy(claim: Claim) -> str | None:
    if claim.state == "malformed":
        return None
    if claim.state == "conflict":
        return f"--pin {claim.name}={claim.distribution} chooses it"
    return f"--disable {switch(claim)} switches it off"


def _show_group(console: Console, rows: list[Examined]) -> None:
    """Print the claims of an entry-point group; claims of the same file in a row show it once."""
    if rows:
        console.print_heading(f"{rows[0].claim.kind.capitalize()}s")
    file = ""
    for each in rows:
        _show_claim(console, each)
        if each.file != file or not file:
            _show_file(console, each, 11)
        file = each.file


def _show_claim(console: Console, each: Examined) -> None:
    claim = each.claim
    state = (f"{claim.state:<8}", _STATE_STYLES.get(claim.state, "bold red"))
    name = safe_line(claim.name) or "(no name)"
    reference = f"{claim.module}:{claim.attribute}" if claim.attribute else claim.module
    seconds = "" if each.seconds is None else f"  {each.seconds * 1000:.0f} ms"
    style = "bold yellow" if (each.seconds or 0) > SLOW_IMPORT else "dim"
    provider = f"  {safe_line(claim.provider)}  {reference}".rstrip()
    console.print_line((f"{name:<10} ", "bold"), state, provider, _of(each), (seconds, style))
    if claim.reason:
        console.print_line(f"{'':<10} {safe_line(claim.reason)}")


def _show_file(console: Console, each: Examined, indent: int) -> None:
    """Print the file that would be imported, and the beginning of its hash."""
    digest = f"  sha256 {each.sha256[:DIGITS]}..." if each.sha256 else ""
    file = safe_line(each.file or each.claim.origin)
    if file:
        console.print_line((f"{'':<{indent}}{file}{digest}", "dim"))


def _show_disabled(console: Console, claims: list[Claim]) -> None:
    """Print what is switched off, by distribution."""
    if claims:
        console.print_heading("Switched off")
    for provider, reason in sorted({(claim.provider, claim.reason) for claim in claims}):
        disabled = [claim for claim in claims if (claim.provider, claim.reason) == (provider, reason)]
        names = ", ".join(f"{claim.kind} {claim.name}" for claim in disabled)
        console.print_line(f"{safe_line(provider)}: {safe_line(reason)}")
        console.print_paragraph(safe_line(names), "dim", indent=4)
