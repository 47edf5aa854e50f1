"""Snapshots of the registry: the one that comes with this distribution, and the user's own.

A snapshot is a CSV file. Its first lines are `# source: ...` and `# date: YYYY-MM-DD`; then come the names of the
columns, and a row for each scheme, sorted by name.
"""

from __future__ import annotations

import csv
import io
import os
import re
from pathlib import Path
from pkgutil import get_data
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.errors import ConfigurationError
from urlschemes.grammar.octets import SCHEME_NAME_FORM
from urlschemes.registry.names import KnownName, Ledger
from urlschemes.storage import user_dirs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Literal

__all__ = [
    "Snapshot",
    "make_ledger",
    "own_file",
    "read_file",
    "shipped_snapshot",
    "snapshot_in_use",
    "write_snapshot",
]

MAX_OCTETS = 4 * 1024 * 1024
"""Octets that a file may have: some two hundred times as many as today."""

_TITLE = "IANA's registry of URI schemes"
_FILE = "uri-schemes.csv"
_COLUMNS = ["name", "status", "means", "reference", "since"]
_SOURCE = "https://www.iana.org/assignments/uri-schemes/uri-schemes.xhtml"
_HEAD = re.compile(r"# source: ([!-~]{1,200})\n# date: (\d{4}(?:-\d\d){0,2})\n", re.ASCII)


class Snapshot(NamedTuple):
    """One state of the registry, and its file. `note` says why the user's own snapshot is not used."""

    ledger: Ledger
    file: Path
    note: str = ""


def snapshot_in_use() -> Snapshot:
    """Return the newer of the shipped snapshot and the user's own; of two equally old ones, the user's own."""
    shipped = shipped_snapshot()
    file = own_file(os.environ)
    if file is None:
        return shipped
    try:
        own = _read_own(file)
    except ConfigurationError as error:
        return shipped._replace(note=error.message)
    if own is None:
        return shipped
    if own.date < shipped.ledger.date:
        return shipped._replace(note=f"the snapshot {file} is older: {own.date}")
    return Snapshot(own, file)


def shipped_snapshot() -> Snapshot:
    """Return the snapshot that comes with this distribution."""
    octets = get_data("urlschemes_iana", _FILE)
    assert octets is not None
    file = Path(__file__).parent / _FILE
    return Snapshot(_parse(octets.decode("utf-8"), file), file)


def own_file(environ: Mapping[str, str]) -> Path | None:
    """Return the path of the user's own snapshot, whether it exists or not; None if there is no folder for it."""
    folder = user_dirs.folder("data", environ)
    return None if folder is None else Path(folder, _FILE)


def make_ledger(names: Iterable[KnownName], date: str) -> Ledger:
    """Return the registry with these names, as of that date."""
    return Ledger(_TITLE, _SOURCE, date, tuple(sorted(names)))


def write_snapshot(ledger: Ledger, file: Path) -> None:
    """Write a snapshot, completely or not at all, readable only by its owner. Raises ConfigurationError."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        user_dirs.write_own(file, _format(ledger).encode())
    except OSError as error:
        raise ConfigurationError(f"cannot write the file {file}: {error.strerror}", source=str(file)) from None


def read_file(file: Path, *, writers: Literal["user", "any"] = "any") -> bytes:
    """Return the content of a file; `writers` says who may be able to write it.

    Raises FileNotFoundError, ConfigurationError.
    """
    try:
        return user_dirs.read_own(file, MAX_OCTETS, writers=writers)
    except FileNotFoundError:
        raise
    except OSError as error:
        hint = getattr(error, "hint", None)
        raise ConfigurationError(f"cannot use the file {file}: {error.strerror}", source=str(file), hint=hint) from None


def _read_own(file: Path) -> Ledger | None:
    """Return the user's own snapshot; None if there is none. Raises ConfigurationError."""
    try:
        octets = read_file(file, writers="user")
    except FileNotFoundError:
        return None
    try:
        return _parse(octets.decode("utf-8"), file)
    except UnicodeDecodeError:
        raise _unusable(file, "it is not UTF-8") from None


def _format(ledger: Ledger) -> str:
    """Return the text of a snapshot."""
    stream = io.StringIO()
    stream.write(f"# source: {ledger.source}\n# date: {ledger.date}\n")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows((each.name, each.status, each.means, each.reference, each.since) for each in ledger.names)
    return stream.getvalue()


def _parse(text: str, file: Path) -> Ledger:
    """Return the ledger in the text of a snapshot. Raises ConfigurationError."""
    head = _HEAD.match(text)
    if head is None:
        raise _unusable(file, "it does not begin with a source and a date")
    names = {}
    try:
        rows = csv.reader(text[head.end() :].splitlines(keepends=True), strict=True)
        if next(rows, None) != _COLUMNS:
            raise ValueError(f"expected the columns {', '.join(_COLUMNS)}")
        for name, status, means, reference, since in rows:
            if SCHEME_NAME_FORM.fullmatch(name) is None or name in names:
                raise ValueError("a name is invalid or occurs twice")
            names[name] = KnownName(name, means, reference, since, "", status)
    except (ValueError, csv.Error) as error:
        raise _unusable(file, str(error)) from None
    return Ledger(_TITLE, head[1], head[2], tuple(names.values()))


def _unusable(file: Path, reason: str) -> ConfigurationError:
    return ConfigurationError(f"cannot use the snapshot {file}: {reason}", source=str(file))
