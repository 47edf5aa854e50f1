"""The command `urlschemes iana`: shows the state of the registry in use, or imports a newer one from a file."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from urlschemes.errors import ConfigurationError
from urlschemes_cli.options import json_option
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import safe_line, write_line, write_note
from urlschemes_iana.iana_csv import parse_iana_csv
from urlschemes_iana.snapshot import make_ledger, own_file, snapshot_in_use, write_snapshot

if TYPE_CHECKING:
    from urlschemes.registry.names import KnownName, Ledger
    from urlschemes_iana.snapshot import Snapshot

__all__ = ["iana"]


LOSS = 10
"""A file that lacks one of so many names is refused."""


@click.command(short_help="Show which state of IANA's registry is in use, or import a newer one from FILE.")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path))
@click.option(
    "--date",
    "given_date",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="The date of the state in FILE. Default: the day on which FILE was last modified.",
)
@click.option("--force", is_flag=True, help="Import FILE even if it lacks a tenth of the names in use, or more.")
@json_option
def iana(file: Path | None, given_date: datetime | None, *, force: bool, as_json: bool) -> None:
    """Show which state of IANA's registry of URI schemes is in use. With FILE, import a newer one.

    FILE is the CSV file of https://www.iana.org/assignments/uri-schemes/. It is checked and stored among your own
    files. Nothing is downloaded.
    """
    before = snapshot_in_use().ledger
    changes = None
    if file is not None:
        day = given_date.date() if given_date else datetime.fromtimestamp(file.stat().st_mtime, UTC).date()
        if day > datetime.now(UTC).date():
            raise click.BadParameter(f"{day} is in the future", param_hint="'--date'")
        changes = _import(file, day, before, force=force)
    elif given_date is not None or force:
        raise click.UsageError("--date and --force need a FILE")
    after = snapshot_in_use()
    if as_json:
        write_json(_as_json(after, changes))
    else:
        _print(after, changes)


def _import(file: Path, day: date, before: Ledger, *, force: bool) -> Changes:
    """Make the registry in `file` the user's own snapshot, and return the changes. Raises ConfigurationError.

    A reference that the file leaves out, as those with "RFC only" do, is that of the snapshot before.
    """
    references = {each.name: each.reference for each in before.names}
    names = (
        each if each.reference else each._replace(reference=references.get(each.name, ""))
        for each in parse_iana_csv(file)
    )
    ledger = make_ledger(names, day.isoformat())
    changes = Changes.between(before, ledger)
    if not force and LOSS * len(changes.removed) >= len(before.names):
        lost = f"{len(changes.removed)} of the {len(before.names)} names"
        hint = "is it the whole registry? If so, --force imports it"
        raise ConfigurationError(f"the file {file} lacks {lost} in {before.dated}", source=str(file), hint=hint)
    own = own_file(os.environ)
    if own is None:
        raise ConfigurationError("there is no folder for your data", source=str(file), hint="set HOME")
    write_snapshot(ledger, own)
    return changes


class Changes(NamedTuple):
    """The differences between two states of the registry. `status` holds names with their old and new status."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    status: tuple[tuple[str, str, str], ...]

    @classmethod
    def between(cls, before: Ledger, after: Ledger) -> Changes:
        """Return the differences between two states."""
        old: dict[str, KnownName] = {each.name: each for each in before.names}
        new = {each.name: each for each in after.names}
        changed = (name for name in new if name in old and old[name].status != new[name].status)
        return cls(
            tuple(name for name in new if name not in old),
            tuple(name for name in old if name not in new),
            tuple((name, old[name].status, new[name].status) for name in changed),
        )


def _count_statuses(ledger: Ledger) -> dict[str, int]:
    statuses = [each.status for each in ledger.names]
    return {status: statuses.count(status) for status in sorted({*statuses})}


def _as_json(snapshot: Snapshot, changes: Changes | None) -> dict[str, Any]:
    ledger = snapshot.ledger
    content: dict[str, Any] = {
        "title": ledger.title,
        "source": ledger.source,
        "date": ledger.date,
        "file": str(snapshot.file),
        "names": len(ledger.names),
        "statuses": _count_statuses(ledger),
        "note": snapshot.note or None,
    }
    if changes is not None:
        status = [dict(zip(("name", "before", "after"), each, strict=True)) for each in changes.status]
        content["changes"] = {"added": changes.added, "removed": changes.removed, "status": status}
    return content


def _print(snapshot: Snapshot, changes: Changes | None) -> None:
    if changes is not None:
        for what, names in (("added", changes.added), ("removed", changes.removed)):
            write_line(f"{what:<8} {len(names)}{': ' if names else ''}{', '.join(names)}")
        write_line(f"{'status':<8} {len(changes.status)} changed")
        for name, old, new in changes.status:
            write_line(f"{'':<8} {name}: {old or 'none'} -> {new or 'none'}")
    ledger = snapshot.ledger
    counts = ", ".join(f"{count} {status}" for status, count in _count_statuses(ledger).items())
    write_line(safe_line(f"{ledger.title}, {ledger.date}: {len(ledger.names)} names ({counts}), from {snapshot.file}"))
    if snapshot.note:
        write_note(snapshot.note)
