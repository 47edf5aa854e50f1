"""The registry as it is kept: a CSV file with its source and date, which comes with the distribution or is the user's.

The first lines are `# source: ...` and `# date: YYYY-MM-DD`; then come a row with the names of the columns, and a row
for each scheme, sorted by name. It is read as it is: what IANA's own file says is checked before it becomes one.
"""

# A path is text: it is shown, and compared with what somebody wrote.
# ruff: noqa: PTH103, PTH118, PTH120

from __future__ import annotations

import csv
import io
import os
import re
from pkgutil import get_data
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.errors import ConfigurationError
from urlschemes.grammar.octets import SCHEME_NAME_FORM
from urlschemes.registry.known_names import KnownName, Ledger
from urlschemes.storage import user_dirs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Literal

__all__ = ["MOST", "Snapshot", "in_use", "ledger_of", "octets_of", "own_file", "shipped", "write"]

MOST = 4 * 1024 * 1024
"""Octets that a file may have, IANA's or the user's own: some two hundred times what it has today."""

_TITLE = "IANA's registry of URI schemes"
_SHIPPED = "uri-schemes.csv"
_COLUMNS = ["name", "status", "means", "reference", "since"]
_SOURCE = "https://www.iana.org/assignments/uri-schemes/uri-schemes.xhtml"
_HEAD = re.compile(r"# source: ([!-~]{1,200})\n# date: (\d{4}(?:-\d\d){0,2})\n", re.ASCII)


class Snapshot(NamedTuple):
    """One state of the registry, and the file that it is in. `note` says why the user's own does not count."""

    ledger: Ledger
    file: str
    note: str = ""


def in_use() -> Snapshot:
    """The newer of the shipped state and the user's own, if that can be used; of equal ones, the user's own."""
    came = shipped()
    file = own_file(os.environ)
    if file is None:
        return came
    try:
        own = _own(file)
    except ConfigurationError as error:
        return came._replace(note=error.message)
    if own is None:
        return came
    if own.date < came.ledger.date:
        return came._replace(note=f"the state in {file} is older: {own.date}")
    return Snapshot(own, file)


def shipped() -> Snapshot:
    """The state that comes with this distribution."""
    octets = get_data("urlschemes_iana", _SHIPPED)
    assert octets is not None
    file = os.path.join(os.path.dirname(__file__), _SHIPPED)
    return Snapshot(_read(octets.decode("utf-8"), file), file)


def own_file(environ: Mapping[str, str]) -> str | None:
    """Where the user's own snapshot is; None where there is no such place."""
    folder = user_dirs.folder("data", environ)
    return None if folder is None else os.path.join(folder, _SHIPPED)


def ledger_of(names: Iterable[KnownName], date: str) -> Ledger:
    """The registry with these names, in the state of that date."""
    return Ledger(_TITLE, _SOURCE, date, tuple(sorted(names)))


def write(ledger: Ledger, file: str) -> None:
    """Make `file` the user's own snapshot: readable for its owner alone, there as a whole or not at all.

    Raises ConfigurationError.
    """
    try:
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
        user_dirs.write_own(file, _text_of(ledger).encode())
    except OSError as error:
        raise ConfigurationError(f"the file {file} cannot be written: {error.strerror}", source=file) from None


def _text_of(ledger: Ledger) -> str:
    stream = io.StringIO()
    stream.write(f"# source: {ledger.source}\n# date: {ledger.date}\n")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows((each.name, each.status, each.means, each.reference, each.since) for each in ledger.names)
    return stream.getvalue()


def _own(file: str) -> Ledger | None:
    """The user's own snapshot, if there is one. Raises ConfigurationError for one that cannot be used."""
    try:
        octets = octets_of(file, writers="user")
    except FileNotFoundError:
        return None
    try:
        return _read(octets.decode("utf-8"), file)
    except UnicodeDecodeError:
        raise ConfigurationError(f"the file {file} is not UTF-8", source=file) from None


def octets_of(file: str, *, writers: Literal["user", "any"] = "any") -> bytes:
    """What the file holds; `writers` is who may be able to write it.

    Raises FileNotFoundError, ConfigurationError.
    """
    try:
        return user_dirs.read_own(file, MOST, writers=writers)
    except FileNotFoundError:
        raise
    except OSError as error:
        hint = getattr(error, "hint", None)
        raise ConfigurationError(f"the file {file} cannot be used: {error.strerror}", source=file, hint=hint) from None


def _read(text: str, file: str) -> Ledger:
    """The ledger that a file in our own form holds. Raises ConfigurationError."""
    head = _HEAD.match(text)
    if head is None:
        raise ConfigurationError(f"the file {file} does not begin with its source and its date", source=file)
    names = {}
    try:
        rows = csv.reader(text[head.end() :].splitlines(keepends=True), strict=True)
        if next(rows, None) != _COLUMNS:
            raise ValueError("its columns are others")
        for name, status, means, reference, since in rows:
            if SCHEME_NAME_FORM.fullmatch(name) is None or name in names:
                raise ValueError("a name in it can be none, or comes twice")
            names[name] = KnownName(name, means, reference, since, "", status)
    except (ValueError, csv.Error) as error:
        raise ConfigurationError(f"the file {file} is none of ours: {error}", source=file) from None
    return Ledger(_TITLE, head[1], head[2], tuple(names.values()))
