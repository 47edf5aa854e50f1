"""Ledgers: registers of scheme names that are known without being installed; and names that are reserved.

The core ships one ledger, `ledger.toml`: what RFC 1738 itself says of names. Eleven belong to one distribution each;
the seven of section 4 are reserved by the RFC, but not defined. Plugins provide others by the hook `urlschemes_ledger`.
"""

from __future__ import annotations

import re
import sys
import tomllib
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from urlschemes.grammar.octets import SCHEME_NAME_FORM
from urlschemes.storage.package_data import read_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "KnownName",
    "Ledger",
    "ReservedNames",
    "attribution",
    "core_ledger",
    "how_to_install",
    "known_names",
    "merged",
    "reserved_names",
]

MAX_NAMES = 20_000
"""Names that a ledger may hold: fifty times as many as IANA has registered in thirty years."""

_DATE = re.compile(r"(?:\d{4}(?:-\d\d){0,2})?", re.ASCII)
_DISTRIBUTION = re.compile(r"[\w.-]*", re.ASCII)


class KnownName(NamedTuple):
    """An entry of a ledger; the name is in lower case, and unknown fields are empty.

    `means` says what URLs of the scheme are for, `reference` where it is defined, `since` what happened to it later.
    `distribution` is the distribution that provides it; in the core's own ledger, the only one that may. `status` is
    the register's word: `permanent`, `provisional`, `historical`.
    """

    name: str
    means: str = ""
    reference: str = ""
    since: str = ""
    distribution: str = ""
    status: str = ""


class Ledger(NamedTuple):
    """A register of names.

    `title` names it in a few words that can stand within a sentence. `source` says where it was taken from, and `date`
    when (YYYY-MM-DD, YYYY-MM, YYYY or "").
    """

    title: str
    source: str
    date: str
    names: tuple[KnownName, ...]

    @property
    def dated(self) -> str:
        """The title with the date, as in "IANA's registry of URI schemes (2024-04)"."""
        return f"{self.title} ({self.date})" if self.date else self.title

    def problem(self) -> str | None:
        """Return what is wrong with the ledger, which a plugin made, or None."""
        title, source, date, names = tuple[Any, ...](self)  # a type checker did not see the plugin
        if not all(isinstance(text, str) for text in (title, source, date)):
            return "has a title, a source or a date that is not a str"
        if not _DATE.fullmatch(date):
            return f"has the date {date!r}"
        if not isinstance(names, tuple) or len(names) > MAX_NAMES:
            return f"is not a tuple of at most {MAX_NAMES} names"
        seen = set()
        for known in names:
            if not isinstance(known, KnownName) or not all(isinstance(field, str) for field in known):
                return f"holds {known!r}, which is not a KnownName of strings"
            if SCHEME_NAME_FORM.fullmatch(known.name) is None:
                return f"holds {known.name!r}, which is not a scheme name"
            if not _DISTRIBUTION.fullmatch(known.distribution):
                return f"holds {known.name} with the distribution {known.distribution!r}"
            if known.name in seen:
                return f"holds {known.name} twice"
            seen.add(known.name)
        return None


class ReservedNames(NamedTuple):
    """The content of `reserved.toml`: the distribution of each profile, and that of IANA's ledger."""

    published: bool
    profiles: Mapping[str, str]
    iana: str
    kinds: Mapping[str, str]


@cache
def reserved_names() -> ReservedNames:
    """Return the names that are reserved besides those of schemes."""
    return ReservedNames(**_table("reserved.toml"))


@cache
def known_names() -> Mapping[str, KnownName]:
    """Return the entries of the core's own ledger, by name."""
    return MappingProxyType({name: KnownName(name, **facts) for name, facts in _table("ledger.toml").items()})


def _table(file: str) -> dict[str, Any]:
    text, _ = read_from(sys.modules[__package__].__spec__, file)  # type: ignore[arg-type]  # it was imported
    return tomllib.loads(text)


def core_ledger() -> Ledger:
    """Return the core's own ledger."""
    return Ledger("the names that RFC 1738 settles", "RFC 1738", "1994-12", tuple(known_names().values()))


def how_to_install(distribution: str, extra: str = "") -> str:
    """Return how to install a distribution of this project: by its name, or from its folder until it is published.

    `extra` is one of its extras.
    """
    suffix = f"[{extra}]" if extra else ""
    if reserved_names().published:
        return f'pip install "{distribution}{suffix}"' if extra else f"pip install {distribution}"
    folder = f"{reserved_names().kinds.get(distribution, 'schemes')}/{distribution.removeprefix('urlschemes-')}"
    return f"install {distribution}{suffix} as you installed urlschemes (in a checkout: plugins/{folder}{suffix})"


def attribution(name: str, ledgers: Iterable[Ledger]) -> str | None:
    """Return which distribution provides the scheme according to the first ledger that says so."""
    for ledger in ledgers:
        for known in ledger.names:
            if known.name == name and known.distribution:
                return f"according to {ledger.title}, {known.distribution} provides it"
    return None


def merged(ledgers: Iterable[Ledger]) -> Mapping[str, KnownName]:
    """Return the entries of all ledgers, by name, sorted; the first ledger that fills a field takes precedence."""
    found: dict[str, KnownName] = {}
    for ledger in ledgers:
        for known in ledger.names:
            other = found.get(known.name)
            first = known if other is None else KnownName(*(old or new for old, new in zip(other, known, strict=True)))
            found[known.name] = first
    return MappingProxyType(dict(sorted(found.items())))
