"""Registers of schemes' names that are known without being installed: the core's own, and those that hooks give.

The core's own is `ledger.toml`, a data file and no more: what RFC 1738 itself says of names. Eleven belong to one
distribution each; the seven of section 4 the RFC reserves without defining them.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.beside import read_own

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["REGISTER", "KnownName", "Ledger", "according", "installing", "known_names", "merged", "own_ledger"]

REGISTER = "urlschemes-iana"
"""The distribution whose ledger has all that is registered anywhere."""


class KnownName(NamedTuple):
    """What is known of a scheme's name, in lower case; what is not known is empty.

    `means` says what its URLs are for, `reference` where it is defined, `since` what became of it. `distribution` is
    what provides it: in the core's own ledger the only one that may, and so what to install. `status` is the
    register's word in lower case: `permanent`, `provisional`, `historical`.
    """

    name: str
    means: str = ""
    reference: str = ""
    since: str = ""
    distribution: str = ""
    status: str = ""


class Ledger(NamedTuple):
    """A whole register of names.

    `title` says what it is, in a few words that can stand within a sentence, `source` where it was taken from, `date`
    (YYYY-MM-DD, YYYY-MM or YYYY) the state that it has.
    """

    title: str
    source: str
    date: str
    names: tuple[KnownName, ...]


@cache
def known_names() -> Mapping[str, KnownName]:
    """The names of the core's own ledger."""
    import tomllib

    text = read_own("ledger.toml")
    return MappingProxyType({name: KnownName(name, **facts) for name, facts in tomllib.loads(text).items()})


def installing(name: str) -> str | None:
    """What to type to get the scheme: only for a name that belongs to a distribution by the core's own ledger.

    What another ledger says is a stranger's word, and nobody is told to install something on that.
    """
    known = known_names().get(name)
    return f"pip install {known.distribution}" if known and known.distribution else None


def according(name: str, ledgers: Iterable[Ledger]) -> str | None:
    """What the first of the ledgers that says so says of who provides the scheme: a fact with its source, no advice."""
    for ledger in ledgers:
        for known in ledger.names:
            if known.name == name and known.distribution:
                return f"according to {ledger.title}, {known.distribution} provides it"
    return None


def own_ledger() -> Ledger:
    """The core's own ledger, as one among others."""
    return Ledger("the names that RFC 1738 settles", "RFC 1738", "1994-12", tuple(known_names().values()))


def merged(ledgers: Iterable[Ledger]) -> Mapping[str, KnownName]:
    """What all the ledgers know, by name, sorted; where several know something, the first of them counts."""
    found: dict[str, KnownName] = {}
    for ledger in ledgers:
        for known in ledger.names:
            other = found.get(known.name)
            first = known if other is None else KnownName(*(old or new for old, new in zip(other, known, strict=True)))
            found[known.name] = first
    return MappingProxyType(dict(sorted(found.items())))
