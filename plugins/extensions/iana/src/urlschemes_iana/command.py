"""The command `urlschemes iana`: which state of the registry counts, and a newer one read from a file."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from urlschemes_cli.options import json_option
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import safe_line, write_line, write_note

if TYPE_CHECKING:
    from urlschemes.registry.known_names import KnownName, Ledger
    from urlschemes_iana.snapshot import Snapshot

__all__ = ["iana"]


@click.command(short_help="Say which state of IANA's registry is in use, or read a newer one from FILE.")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, resolve_path=True))
@click.option(
    "--date",
    "dated",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="The state that FILE has; without it, the day on which FILE was last written.",
)
@json_option
def iana(file: str | None, dated: datetime | None, *, as_json: bool) -> None:
    """Say which state of IANA's registry of URI schemes is in use; with FILE, make that the state.

    FILE is the registry as CSV, as https://www.iana.org/assignments/uri-schemes/ offers it. It is checked, and kept
    among your own files. Nothing is fetched from the network.
    """
    from urlschemes_iana.snapshot import in_use

    before = in_use()
    if file is None:
        if dated is not None:
            raise click.UsageError("--date says of which day FILE is, and there is no FILE")
        _say(before, None, json=as_json)
        return
    day = dated.date() if dated else datetime.fromtimestamp(Path(file).stat().st_mtime, UTC).date()
    if day > datetime.now(UTC).date():
        raise click.BadParameter(f"{day} is yet to come", param_hint="'--date'")
    ledger = _taken(file, day)
    _say(in_use(), Changes.between(before.ledger, ledger), json=as_json)


def _taken(file: str, day: date) -> Ledger:
    """The registry in `file`, which is now the user's own snapshot. Raises ConfigurationError."""
    from urlschemes.errors import ConfigurationError
    from urlschemes_iana.download import downloaded
    from urlschemes_iana.snapshot import ledger_of, own_file, write

    ledger = ledger_of(downloaded(file), day.isoformat())
    own = own_file(os.environ)
    if own is None:
        raise ConfigurationError("there is no folder for your own data", source=file, hint="set HOME")
    write(ledger, own)
    return ledger


class Changes(NamedTuple):
    """What is different between two states of the registry."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    status: tuple[tuple[str, str, str], ...]

    @classmethod
    def between(cls, before: Ledger, after: Ledger) -> Changes:
        """The names that were added and removed, and those of another status, with the old and the new one."""
        old: dict[str, KnownName] = {each.name: each for each in before.names}
        new = {each.name: each for each in after.names}
        both = (name for name in new if name in old and old[name].status != new[name].status)
        return cls(
            tuple(name for name in new if name not in old),
            tuple(name for name in old if name not in new),
            tuple((name, old[name].status, new[name].status) for name in both),
        )


def _say(snapshot: Snapshot, changes: Changes | None, *, json: bool) -> None:
    ledger = snapshot.ledger
    statuses = [each.status for each in ledger.names]
    counts = {status: statuses.count(status) for status in sorted({*statuses})}
    if json:
        found: dict[str, Any] = {
            "title": ledger.title,
            "source": ledger.source,
            "date": ledger.date,
            "file": snapshot.file,
            "names": len(ledger.names),
            "statuses": counts,
            "note": snapshot.note or None,
        }
        if changes is not None:
            moved = [dict(zip(("name", "before", "after"), each, strict=True)) for each in changes.status]
            found["changes"] = {"added": changes.added, "removed": changes.removed, "status": moved}
        write_json(found)
        return
    if changes is not None:
        for what, names in (("added", changes.added), ("removed", changes.removed)):
            write_line(f"{what:<8} {len(names)}{': ' if names else ''}{', '.join(names)}")
        write_line(f"{'status':<8} {len(changes.status)} changed")
        for name, old, new in changes.status:
            write_line(f"{'':<8} {name}: {old or 'none'} -> {new or 'none'}")
    counted = ", ".join(f"{count} {status}" for status, count in counts.items())
    write_line(safe_line(f"{ledger.title}, {ledger.date}: {len(ledger.names)} names ({counted}), from {snapshot.file}"))
    if snapshot.note:
        write_note(snapshot.note)
