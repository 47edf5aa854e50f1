"""The command `schemes`: the installed schemes, or every known name."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from urlschemes.errors import PluginError
from urlschemes.registry.claims import SCHEMES
from urlschemes.registry.names import KnownName, how_to_install, known_names, reserved_names
from urlschemes_cli.error_reports import report_missing_profile
from urlschemes_cli.options import json_option
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import safe_line, write_note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes import Registration, Registry
    from urlschemes.registry.claims import Claim
    from urlschemes_cli.settings import Settings

__all__ = ["schemes"]

LEAST_COLUMNS = 2
"""The columns that are shown on a console of any width."""


@click.command()
@click.option("--all", "everything", is_flag=True, help="List every known name, installed or not.")
@json_option
@click.pass_obj
def schemes(settings: Settings, *, everything: bool, as_json: bool) -> None:
    """List the installed schemes."""
    code = report_missing_profile(settings)
    records = tuple(_records(settings))
    if everything:
        _list_all(settings, records, as_json=as_json)
    else:
        _list_installed(settings, records, as_json=as_json)
    if code:
        click.get_current_context().exit(code)


def _records(settings: Settings) -> Iterator[Registration]:
    """Yield the record by which each scheme is read, sorted by name; those that cannot be read are left out."""
    for name, registry in settings.schemes.items():
        with suppress(PluginError):
            yield registry.registration(name)


def _list_installed(settings: Settings, records: tuple[Registration, ...], *, as_json: bool) -> None:
    claims = _active_claims(settings)
    if as_json:
        write_json([_summary(each, claims[each.scheme]) for each in records])
        return
    from urlschemes_cli.output.console import Console  # late: rich

    others = any(each.profile is not settings.registry.profile for each in records)
    rows = []
    for each in records:
        port = "" if each.default_port is None else str(each.default_port)
        claim = claims[each.scheme]
        operations = ", ".join(each.operations) or "none"
        profile = [each.profile.name] if others else []
        title = safe_line(each.title)
        rows.append((each.scheme, claim.distribution, *profile, each.status, operations, port, title, claim.version))
    if records:
        columns = ("name", "distribution", *["profile"] * others, "status", "operations", "port", "title", "version")
        least = LEAST_COLUMNS + others
        if not Console().print_fitting_table(columns, rows, prose=("operations", "title"), least=least):
            _note_more_columns()
    else:
        write_note("no scheme is installed, or all are switched off")
        _note_installation(settings.registry)
    _note_unusable(settings, records)


def _note_more_columns() -> None:
    sys.stdout.flush()
    write_note("--json has more columns")


def _note_installation(registry: Registry) -> None:
    if all(claim.group != SCHEMES for claim in registry.claims()):
        first = next(known for known in known_names().values() if known.distribution)
        write_note(f"to use the scheme {first.name}, {how_to_install(first.distribution)}")


def _note_unusable(settings: Settings, records: tuple[Registration, ...]) -> None:
    """Say that `urlschemes doctor` explains what cannot be used."""
    in_trouble = [claim for registry in settings.registries for claim in registry.claims() if claim.in_trouble]
    unusable = {claim.name for claim in in_trouble if claim.group == SCHEMES and claim.name} | {*settings.schemes}
    unusable -= {each.scheme for each in records}
    if unusable:
        write_note(f"{len(unusable)} more cannot be used: `urlschemes doctor` says why")
    elif in_trouble:
        write_note("another part of a plugin cannot be used: `urlschemes doctor` says why")


def _list_all(settings: Settings, found: tuple[Registration, ...], *, as_json: bool) -> None:
    """List the installed schemes and all other known names together."""
    registry = settings.registry
    claims = _active_claims(settings)
    records = {each.scheme: each for each in found}
    known = registry.known_names()
    entries = [
        _entry(name, records.get(name), claims.get(name), known.get(name)) for name in sorted({*records, *known})
    ]
    if as_json:
        write_json(entries)
    else:
        from urlschemes_cli.output.console import Console  # late: rich

        columns = ("name", "distribution", "status", "installed", "means", "reference", "since then")
        if not Console().print_fitting_table(columns, list(map(_row, entries)), prose=("means",), least=LEAST_COLUMNS):
            _note_more_columns()
    sys.stdout.flush()
    ledgers = registry.ledgers()
    sources = "; ".join(each.dated for each in ledgers)
    write_note(f"{len(entries)} names, {len(records)} installed; sources: {sources}")
    if len(ledgers) == 1:
        write_note(f"to list the names that IANA has registered, {how_to_install(reserved_names().iana)}")


def _entry(name: str, record: Registration | None, claim: Claim | None, known: KnownName | None) -> dict[str, Any]:
    """Return what is known of a name; the record of an installed scheme takes precedence."""
    about = known or KnownName(name)
    return {
        "name": name,
        "status": record.status if record else about.status,
        "installed": record is not None,
        "means": record.title if record else about.means,
        "reference": record.reference if record else about.reference,
        "since": about.since,
        "distribution": claim.distribution if claim else about.distribution,
        "version": claim.version if claim else None,
        "profile": record.profile.name if record else None,
    }


def _row(entry: dict[str, Any]) -> tuple[str, ...]:
    """Return the cells of an entry."""
    installed = "yes" if entry["installed"] else ""
    distribution = f"{entry['distribution']} {entry['version'] or ''}".rstrip()
    means, reference, since = (safe_line(entry[key]) for key in ("means", "reference", "since"))
    return (entry["name"], distribution, entry["status"], installed, means, reference, since)


def _active_claims(settings: Settings) -> dict[str, Claim]:
    """Return the claims that count, by the names of the schemes, in the profiles that read them."""
    claims = (claim for registry in reversed(settings.registries) for claim in registry.claims())
    return {claim.name: claim for claim in claims if claim.group == SCHEMES and claim.state == "active"}


def _summary(record: Registration, claim: Claim) -> dict[str, Any]:
    return {
        "name": record.scheme,
        "title": record.title,
        "distribution": claim.distribution,
        "version": claim.version,
        "status": record.status,
        "port": record.default_port,
        "operations": record.operations,
        "reference": record.reference,
        "profile": record.profile.name,
    }
