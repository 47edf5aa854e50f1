"""The command `schemes`: the installed schemes, or every known name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from typing import Any

import click

from urlschemes import Registration
from urlschemes.errors import PluginError
from urlschemes.record.record_fields import STATUSES
from urlschemes.registry.claims import SCHEMES, Claim, distribution_key
from urlschemes.registry.names import KnownName, how_to_install, known_names, reserved_names
from urlschemes_cli.error_reports import report_missing_profile
from urlschemes_cli.options import json_option
from urlschemes_cli.output.console import Console
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import write_note
from urlschemes_cli.settings import Settings

_COLUMNS = ("name", "distribution", "profile", "status", "operations", "port", "title", "version")
_COLUMNS_OF_FOUND = ("name", "distribution", "profile", "status", "title", "operations", "port", "version")
_COLUMNS_OF_ALL = ("name", "distribution", "status", "installed", "means", "reference", "since")
_KEYS = ("name", "title", "distribution", "version", "ledger", "status", "port", "operations", "reference", "profile")
_KEYS_OF_ALL = (*_COLUMNS_OF_ALL, "version", "ledger", "profile")


@click.command()
@click.argument("word", default="")
@click.option("--all", "everything", is_flag=True, help="List every known name, installed or not.")
@click.option("--from", "provider", metavar="NAME", help="List what this distribution or folder of records provides.")
@click.option("--status", type=click.Choice(STATUSES), help="List schemes of this status.")
@json_option
@click.pass_obj
def schemes(
    settings: Settings, word: str, provider: str | None, status: str | None, *, everything: bool, as_json: bool
) -> int:
    """List the installed schemes; with WORD, those that have it in their name or title."""
    code = report_missing_profile(settings)
    records: dict[str, Registration] = {}
    for name, registry in settings.schemes.items():
        with suppress(PluginError):  # `doctor` names those that cannot be read
            records[name] = registry.registration(name)
    found = (claim for registry in reversed(settings.registries) for claim in registry.claims())
    claims = {claim.name: claim for claim in found if claim.group == SCHEMES and claim.state == "active"}
    known = settings.registry.known_names() if everything else {}
    names = sorted({*records, *known})
    entries = (_entry(name, records.get(name), claims.get(name), known.get(name)) for name in names)
    listed = [each for each in entries if _matches(each, word, provider, status)]
    filters = bool(word or provider or status)
    if as_json:
        keys = _KEYS_OF_ALL if everything else _KEYS
        write_json([{key: each[key] for key in keys} for each in listed])
    elif listed:
        columns = _COLUMNS_OF_ALL if everything else _COLUMNS_OF_FOUND if filters else _COLUMNS
        _show(listed, columns, settings.registry.profile.name, in_columns=not (everything or filters))
    elif filters:
        installed = "no installed scheme matches; --all searches all known names"
        write_note("no known name matches" if everything else installed)
    if everything:
        _note_sources(settings, listed)
    elif not as_json:
        _note_unusable(settings, records)
    return code


def _entry(name: str, record: Registration | None, claim: Claim | None, known: KnownName | None) -> dict[str, Any]:
    """Return what is known of a name; the record of an installed scheme takes precedence."""
    about = known or KnownName(name)
    means = record.title if record else about.means
    return {
        "name": name,
        "title": means,
        "distribution": claim.distribution if claim else about.distribution,
        "version": claim and claim.version,
        "ledger": claim.provider if claim and claim.in_ledger else None,
        "status": record.status if record else about.status,
        "port": record and record.default_port,
        "operations": record and record.operations,
        "installed": record is not None,
        "means": means,
        "reference": record.reference if record else about.reference,
        "since": about.since,
        "profile": record and record.profile.name,
    }


def _matches(each: dict[str, Any], word: str, provider: str | None, status: str | None) -> bool:
    """Return True if an entry is one that the options ask for."""
    if provider is not None and _short(each["distribution"]) != _short(provider):
        folders = os.path.abspath(provider), os.path.realpath(provider)  # noqa: PTH100  the ledger is text
        if each["ledger"] not in folders:
            return False
    return status in {None, each["status"]} and word.lower() in f"{each['name']} {each['title']}".lower()


def _short(distribution: str) -> str:
    return distribution_key(distribution).removeprefix("urlschemes-")


def _show(listed: list[dict[str, Any]], columns: Sequence[str], profile: str, *, in_columns: bool) -> None:
    """Print a table of these columns; `in_columns`, only the names of ledgers, in columns of their own."""
    console = Console()
    rows = [each for each in listed if not (in_columns and each["ledger"])]
    if all(each["profile"] == profile for each in rows):
        columns = [column for column in columns if column != "profile"]
    least = 2 + ("profile" in columns)
    fits = not rows or console.print_rows(rows, columns, prose=("operations", "title", "means"), least=least)
    by_ledger = itemgetter("ledger")
    for ledger, names in groupby(sorted((each for each in listed if each not in rows), key=by_ledger), by_ledger):
        console.print_heading(ledger)
        console.print_names(each["name"] for each in names)
    if not fits:
        write_note("--json has more columns")


def _note_unusable(settings: Settings, records: dict[str, Registration]) -> None:
    """Say how to install schemes if there are none, and that `urlschemes doctor` explains what cannot be used."""
    claims = [claim for registry in settings.registries for claim in registry.claims()]
    if not records:
        write_note("no scheme is installed, or all are switched off")
        if all(claim.group != SCHEMES for claim in settings.registry.claims()):
            first = next(known for known in known_names().values() if known.distribution)
            write_note(f"to use the scheme {first.name}, {how_to_install(first.distribution)}")
    in_trouble = [claim for claim in claims if claim.in_trouble]
    unusable = {claim.name for claim in in_trouble if claim.group == SCHEMES and claim.name} | {*settings.schemes}
    unusable -= records.keys()
    if unusable:
        write_note(f"{len(unusable)} more cannot be used: `urlschemes doctor` says why")
    elif in_trouble:
        write_note("another part of a plugin cannot be used: `urlschemes doctor` says why")


def _note_sources(settings: Settings, listed: list[dict[str, Any]]) -> None:
    ledgers = settings.registry.ledgers()
    sources = "; ".join(each.dated for each in ledgers)
    installed = sum(each["installed"] for each in listed)
    write_note(f"{len(listed)} names, {installed} installed; sources: {sources}")
    if len(ledgers) == 1:
        write_note(f"to list the names that IANA has registered, {how_to_install(reserved_names().iana)}")
