"""Ledgers: registers of scheme names that are known without being installed.

The core ships one, `ledger.toml`: what RFC 1738 itself says of names. Eleven belong to one distribution each; the seven
of section 4 the RFC reserves without defining them. Plugins provide others by the hook `urlschemes_ledger`.
"""

from __future__ import annotations

import re
import sys
import tomllib
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.grammar.octets import SCHEME_NAME_FORM
from urlschemes.storage.package_data import read_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["IANA", "KnownName", "Ledger", "attribution", "core_ledger", "install_command", "known_names", "merged"]

IANA = "urlschemes-iana"
"""The distribution whose ledger holds the names that IANA has registered."""

MAX_NAMES = 20_000
"""Names that a ledger may hold: fifty times as many as IANA has registered in thirty years."""

_DATE = re.compile(r"(?:\d{4}(?:-\d\d){0,2})?", re.ASCII)
_DISTRIBUTION = re.compile(r"[\w.-]*", re.ASCII)


class KnownName(NamedTuple):
    """What is known of a scheme's name, in lower case; unknown fields are empty.

    `means` says what its URLs are for, `reference` where it is defined, `since` what happened to it later.
    `distribution` is the distribution that provides it; in the core's own ledger, the only one that may. `status` is the
    register's word: `permanent`, `provisional`, `historical`.
    """

    name: str
    means: str = ""
    reference: str = ""
    since: str = ""
    distribution: str = ""
    status: str = ""


class Ledger(NamedTuple):
    """A register of names.

    `title` names it in a few words that can stand within a sentence, `source` says where it was taken from, `date`
    (YYYY-MM-DD, YYYY-MM or YYYY) of when it is.
    """

    title: str
    source: str
    date: str
    names: tuple[KnownName, ...]

    def problem(self) -> str | None:
        """Return why the ledger cannot be used, or None."""
        if not _DATE.fullmatch(self.date):
            return f"has the date {self.date!r}"
        if len(self.names) > MAX_NAMES:
            return f"holds more than {MAX_NAMES} names"
        seen = set()
        for known in self.names:
            if type(known) is not KnownName or SCHEME_NAME_FORM.fullmatch(known.name) is None:
                return f"holds {known!r}, which is not a KnownName with a scheme name"
            if not _DISTRIBUTION.fullmatch(known.distribution):
                return f"holds {known.name} with the distribution {known.distribution!r}"
            if known.name in seen:
                return f"holds {known.name} twice"
            seen.add(known.name)
        return None


@cache
def known_names() -> Mapping[str, KnownName]:
    """Return the names of the core's own ledger."""
    text, _ = read_from(sys.modules[__package__].__spec__, "ledger.toml")  # type: ignore[arg-type]  # it was imported
    return MappingProxyType({name: KnownName(name, **facts) for name, facts in tomllib.loads(text).items()})


def core_ledger() -> Ledger:
    """Return the core's own ledger."""
    return Ledger("the names that RFC 1738 settles", "RFC 1738", "1994-12", tuple(known_names().values()))


def install_command(name: str) -> str | None:
    """Return the command that installs the scheme, if the core's own ledger says which distribution provides it.

    Other ledgers are not asked: nobody is told to install something on a third party's word.
    """
    known = known_names().get(name)
    return f"pip install {known.distribution}" if known and known.distribution else None


def attribution(name: str, ledgers: Iterable[Ledger]) -> str | None:
    """Return which distribution provides the scheme according to the first ledger that says so."""
    for ledger in ledgers:
        for known in ledger.names:
            if known.name == name and known.distribution:
                return f"according to {ledger.title}, {known.distribution} provides it"
    return None


def merged(ledgers: Iterable[Ledger]) -> Mapping[str, KnownName]:
    """Return what all the ledgers know, by name, sorted; of each field the first ledger's value counts."""
    found: dict[str, KnownName] = {}
    for ledger in ledgers:
        for known in ledger.names:
            other = found.get(known.name)
            first = known if other is None else KnownName(*(old or new for old, new in zip(other, known, strict=True)))
            found[known.name] = first
    return MappingProxyType(dict(sorted(found.items())))
