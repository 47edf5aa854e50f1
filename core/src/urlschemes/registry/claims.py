"""A claim: an entry point by which a distribution asks to provide a name; and what messages say of claims.

`discovery` finds the claims, `selection` decides which of them count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from urlschemes.errors import Hint, Remedy
from urlschemes.redaction import one_line

__all__ = [
    "DISABLE",
    "GROUPS",
    "HOOKS",
    "HOOK_PREFIX",
    "OWN_HOOKS",
    "OWN_SPECIFICATIONS",
    "PROFILES",
    "READERS",
    "RECORDS",
    "SCHEMES",
    "SPECIFICATIONS",
    "Claim",
    "Diagnosis",
    "State",
    "distribution_key",
    "installed_list",
    "locations",
    "object_reference",
    "removal_hint",
    "subject",
    "switch",
]

State: TypeAlias = Literal[
    "active", "shadowed", "conflict", "reserved", "disabled", "malformed", "broken", "ignored", "unused"
]
"""The state of a claim.

`active`: it counts. `shadowed`: it gave way to a pin, or to what the program registered. `conflict`: another
distribution claims the name too. `reserved`: the name belongs to another distribution. `disabled`: the user switched it
off. `malformed`: the distribution's metadata is wrong. `broken`: it failed when it was used. `ignored`: it was found
through the current directory. `unused`: no installed distribution uses its group, it has no record of the registry's
profile, or it is a reader that does not read.
"""

SCHEMES = "urlschemes.schemes"
"""The entry-point group of schemes; the name of an entry is the scheme's."""
HOOKS = "urlschemes"
"""The entry-point group of modules that implement hooks; the name of an entry is the hook's."""
SPECIFICATIONS = "urlschemes.hooks"
"""The entry-point group of modules that specify hooks; the name of an entry is the hook's.

A claim for a hook that nobody specifies is malformed: a misspelt veto would never be called.
"""
OWN_SPECIFICATIONS = "urlschemes.registry.hooks"
"""The module that specifies the hooks of the core."""
OWN_HOOKS = (("ledger", OWN_SPECIFICATIONS),)
"""The hooks of the core, each with the module that specifies it."""
HOOK_PREFIX = "urlschemes_"
"""The functions that implement a hook are named after it, with this prefix."""
PROFILES = "urlschemes.profiles"
"""The entry-point group of profiles other than that of RFC 1738; the name of an entry is the profile's."""
READERS = "urlschemes.readers"
"""The entry-point group of readers of URLs other than the pattern."""
RECORDS = "urlschemes.records"
"""The entry-point group of ledgers, folders of records; an entry's value is the package that holds the files."""
GROUPS = "urlschemes.groups"
"""The entry-point group by which a distribution says that it uses another group, `urlschemes.<name of the entry>`.

The entry's module describes that group. In each group but that of hooks, a name has at most one provider.
"""

DISABLE = "URLSCHEMES_DISABLE"
"""The variable that switches off distributions and schemes: their names, separated by commas."""

_MAX_LISTED = 3
"""Claims that a message lists; of more it gives the number."""
_TROUBLE = frozenset({"conflict", "reserved", "malformed", "broken"})


class Claim(NamedTuple):
    """One entry point of one distribution.

    `origin` is the folder or archive in which the distribution was found. `module` and `attribute` locate the object;
    without `attribute` there is only a record, and without `module` it is in a ledger. `reason` says why the claim is
    in its `state`. `name` is empty if the whole distribution is malformed. `records` are the files of a scheme's
    records, one for each profile, if they can be listed, or all files of a ledger. A record in a ledger is one file for
    all its `profiles`, which are empty if it cannot be read. A ledger that the program names has no `distribution`.
    """

    name: str
    distribution: str
    version: str
    origin: str
    module: str = ""
    attribute: str = ""
    group: str = SCHEMES
    state: State = "active"
    reason: str = ""
    records: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()

    @property
    def in_ledger(self) -> bool:
        """Return True if the claim is the record of a ledger."""
        return self.group == SCHEMES and bool(self.records) and not self.module

    @property
    def in_trouble(self) -> bool:
        """Return True if the user has to do something about the claim."""
        return self.state in _TROUBLE

    @property
    def kind(self) -> str:
        """The kind of the name, as it stands before it: "scheme", "hook", "command"."""
        return "hook" if self.group == HOOKS else self.group.removeprefix(f"{HOOKS}.").removesuffix("s")

    @property
    def provider(self) -> str:
        """The distribution with its version, as in "urlschemes-ftp 0.1.0"; the folder of a ledger without one."""
        return f"{self.distribution} {self.version}".strip() or self.origin

    @property
    def place(self) -> tuple[str, str, str]:
        """The distribution, the module and the attribute that it names."""
        return self.distribution, self.module, self.attribute

    def __str__(self) -> str:
        location = f"{self.module}:{self.attribute}" if self.attribute else self.module or " ".join(self.records)
        text = f"{self.name or '(no name)'}: {self.provider} [{self.state}] {location} in {self.origin}"
        return one_line(f"{text}: {self.reason}" if self.reason else text, 1000)


class Diagnosis(NamedTuple):
    """The result of examining one claim: in `seconds` how long its import took (None if nothing was imported)."""

    claim: Claim
    seconds: float | None = None


def distribution_key(name: str) -> str:
    """Return a distribution's name in the form in which spellings are compared (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def object_reference(value: str) -> tuple[str, str] | None:
    """Return the module and the attribute that an entry point's value names; None if it is malformed.

    The attribute is "" if there is none. Extras, in brackets after the reference, are ignored.
    """
    module, colon, attribute = (part.strip() for part in value.partition("[")[0].partition(":"))
    names = [*module.split("."), *(attribute.split(".") if colon else ())]
    return (module, attribute) if all(name.isidentifier() for name in names) else None


def subject(claim: Claim) -> str:
    """Return how a message about the claim begins."""
    return f"{claim.provider}, which provides {claim.name}, "


def removal_hint(claim: Claim, hint: str | None = None) -> Hint:
    """Return how to do without the claim, after the `hint` how to correct it."""
    removal = f", `pip uninstall {claim.distribution}` removes it" if claim.module else ""
    return Hint(hint, Remedy(f"switches it off{removal}", DISABLE, switch(claim)))


def switch(claim: Claim) -> str:
    """Return the name that switches the claim off: the scheme's, or the distribution's if another has the scheme."""
    return claim.name if claim.group == SCHEMES and claim.state in {"active", "broken"} else claim.distribution


def locations(claims: list[Claim]) -> str:
    """Return the providers of the claims and where they are installed, for a message."""
    more = len(claims) - _MAX_LISTED
    listed = [f"{claim.provider} in {claim.origin}" for claim in claims[:_MAX_LISTED]]
    return "; ".join([*listed, f"{more} more"] if more > 0 else listed)


def installed_list(claims: Iterable[Claim]) -> str:
    """Return the distributions whose claims are active, for a hint."""
    names = sorted({claim.distribution for claim in claims if claim.state == "active"} - {""})
    return f"installed: {', '.join(names) or 'none'}"
