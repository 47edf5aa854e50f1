"""Names of schemes: who provides one and why, or what is known of it.

Ledgers are registers of names that are known without being installed. The core ships one, `ledger.toml`: what RFC 1738
itself says of names. Eleven belong to one distribution each; the seven of section 4 are reserved by the RFC, but not
defined. Plugins provide others by the hook `urlschemes_ledger`.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from urlschemes.errors import Hint, PluginConflict, Remedy, UnknownScheme
from urlschemes.grammar.octets import SCHEME_NAME_FORM
from urlschemes.redaction import one_line
from urlschemes.registry.claims import DISABLE, Claim, locations, switch
from urlschemes.storage.package_data import read_from

__all__ = [
    "KnownName",
    "Ledger",
    "Names",
    "ReservedNames",
    "Why",
    "attribution",
    "core_ledger",
    "how_to_install",
    "known_names",
    "merged",
    "reserved_names",
    "suggestion",
]

MAX_NAMES = 20_000
"""Names that a ledger may hold: fifty times as many as IANA has registered in thirty years."""

_DATE = re.compile(r"(?:\d{4}(?:-\d\d){0,2})?", re.ASCII)
_DISTRIBUTION = re.compile(r"[\w.-]*", re.ASCII)
MAX_MISSPELT = 20
"""Letters that a misspelt name may have."""

_DEFINE_IT = Hint(Remedy("reads any scheme", "parse_generic()"), Remedy("reads its record", "Registry.records"))


class KnownName(NamedTuple):
    """An entry of a ledger; the name is in lower case, and unknown fields are empty.

    `means` says what URLs of the scheme are for, `reference` where it is defined, `since` what happened to it later.
    `distribution` is the distribution that provides it; in the core's own ledger, the only one that may. `status` is
    the register's word: `permanent`, `provisional`, `historical`. `no_syntax` says why there is no syntax to register.
    """

    name: str
    means: str = ""
    reference: str = ""
    since: str = ""
    distribution: str = ""
    status: str = ""
    no_syntax: str = ""


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
    found = ((each, known) for each in ledgers for known in each.names if known.name == name and known.distribution)
    ledger, known = next(found, (None, None))
    return f"according to {ledger.title}, {known.distribution} provides it" if ledger and known else None


@lru_cache(maxsize=4)
def merged(ledgers: tuple[Ledger, ...]) -> Mapping[str, KnownName]:
    """Return the entries of all ledgers, by name, sorted; the first ledger that fills a field takes precedence."""
    found: dict[str, KnownName] = {}
    for known in (known for ledger in ledgers for known in ledger.names):
        first = found.get(known.name, known)
        found[known.name] = KnownName(*(old or new for old, new in zip(first, known, strict=True)))
    return MappingProxyType(dict(sorted(found.items())))


class Why(NamedTuple):
    """The provider of a name, the rule by which it counts, the other claims, and ways to choose another.

    `pins` are the distributions that a pin could choose instead. `switch` is the name that switches the scheme off, or
    None if no distribution provides it. `hint` says what else can be done. `str()` gives several lines.
    """

    name: str
    provider: str | None
    rule: str
    claims: tuple[Claim, ...]
    pins: tuple[str, ...] = ()
    switch: str | None = None
    hint: str | None = None

    @property
    def advice(self) -> str:
        """Ways for a program to choose another plugin."""
        if self.switch is None:
            return self.hint or "install a distribution that provides it, or make one with `urlschemes new`"
        pin = f"pin another: Registry(pins={{{self.name!r}: {self.pins[0]!r}}}), " if self.pins else ""
        return f"{pin}override(scheme), or switch it off: {DISABLE}={self.switch}"

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.provider or 'no provider'}", f"  because {self.rule}"]
        lines += [f"  claim: {claim}" for claim in self.claims]
        return "\n".join(one_line(line, 1000) for line in [*lines, f"  to choose otherwise: {self.advice}"])


class Names(NamedTuple):
    """The names that a registry knows, and the explainer of errors about those that only other ledgers can know.

    Both functions are called when such an error is first read. `installed` returns the names of the installed schemes.
    """

    ledgers: Callable[[], tuple[Ledger, ...]]
    installed: Callable[[], Iterable[str]]

    def why(self, name: str, claims: tuple[Claim, ...], *, pinned: bool) -> Why:
        """Return who provides `name`, which is in lower case, and why, given its claims; else as `no_provider`."""
        active = next((claim for claim in claims if claim.state == "active"), None)
        other = "shadowed" if active else "conflict"
        pins = tuple(claim.distribution for claim in claims if claim.state == other and claim.distribution)
        if active is not None:
            return Why(name, active.provider, _rule(active, claims, pinned=pinned), claims, pins, switch(active))
        error = self.no_provider(name, claims)
        return Why(name, None, error.message, claims, pins, hint=error.hint)

    def no_provider(self, name: str, claims: tuple[Claim, ...]) -> UnknownScheme | PluginConflict:
        """Return the error for a name that nothing provides, given the `claims` for it."""
        conflict = [claim for claim in claims if claim.state == "conflict"]
        if conflict:
            problem = f"several distributions claim the scheme {name}, so none is used: {locations(conflict)}"
            providers = tuple(claim.provider for claim in conflict)
            choose = f"choose one: Registry(pins={{{name!r}: {conflict[0].distribution!r}}}), or uninstall the other"
            return PluginConflict(problem, scheme=name, claimants=providers, distribution=providers[0], hint=choose)
        disabled = [claim for claim in claims if claim.state == "disabled"]
        if disabled:
            reasons = "; ".join(f"{claim.provider} ({claim.reason})" for claim in disabled)
            return UnknownScheme(f"the scheme {name} is installed but disabled: {reasons}", scheme=name)
        known = known_names().get(name)
        install = how_to_install(known.distribution) if known is not None and known.distribution else None
        if claims:
            reasons = "; ".join(f"{claim.provider} is {claim.state}: {claim.reason}" for claim in claims)
            profiles = [(*claim.profiles, None)[0] for claim in claims if claim.state == "unused"]
            hint = Hint(Remedy("reads its URLs", "Registry.profile", profiles[0])) if profiles else install
            return UnknownScheme(f"no plugin provides the scheme {name}: {reasons}", scheme=name, hint=hint)
        if known is not None:
            message, hint = _of_core_ledger(known, install)
            return UnknownScheme(message, scheme=name, hint=hint)
        return UnknownScheme(scheme=name, explainer=self)

    def explanation(self, name: str) -> UnknownScheme:
        """Return the error with what is known of `name`."""
        ledgers = self.ledgers()
        names = merged(ledgers)
        known = names.get(name)
        if known is None:
            # An installed or installable scheme is more likely to be meant than one that is merely registered.
            near = suggestion(name, {*known_names(), *self.installed()}) or suggestion(name, names)
            hint = _not_a_scheme(name) or near or _where_to_look(name, ledgers)
            return UnknownScheme(f"no scheme is registered as {name!r}", hint=hint)
        ledger = next(each for each in ledgers if any(other.name == name for other in each.names))
        facts = ", ".join(filter(None, (known.means, known.reference, known.since, known.no_syntax.rstrip("."))))
        status = f" as {known.status}" if known.status else ""
        entry = f"{ledger.dated} lists it{status}{f': {facts}' if facts else ''}"
        sentences = (f"no installed plugin provides the scheme {name}", entry, attribution(name, ledgers))
        return UnknownScheme("; ".join(filter(None, sentences)), hint=_DEFINE_IT)


def _of_core_ledger(known: KnownName, install: str | None) -> tuple[str, str | None]:
    """Return message and hint for a name of the core's own ledger."""
    if install:
        described = ", ".join(filter(None, (known.means, known.reference)))
        return f"the scheme {known.name} ({described}) is not installed", install
    by = f" by {known.reference}" if known.reference else ""
    means = f" for {known.means}" if known.means else ""
    since = f"; since then: {known.since}" if known.since else ""
    return f"the name {known.name} is reserved{by}{means}, and no installed plugin provides it{since}", _DEFINE_IT


def _not_a_scheme(name: str) -> str | None:
    """Return what a text that begins with `name` and a colon may be instead of a URL."""
    if name == "url":
        return "leave out the prefix `URL:` of RFC 1738's appendix, which is not part of a URL"
    if len(name) == 1:
        return "if this is a drive letter, the text is the path of a file, not a URL"
    if "." in name or name == "localhost":
        return "if this is a host, write the name of the scheme, a colon and `//` before it, and `/` before a path"
    return None


def _where_to_look(name: str, ledgers: tuple[Ledger, ...]) -> str | None:
    """Return what to install to look the name up, if there is only the core's own ledger."""
    if len(ledgers) > 1 or name.startswith("x-"):  # experiments are registered nowhere
        return None
    return f"to look up the names that IANA has registered, {how_to_install(reserved_names().iana)}"


def suggestion(name: str, names: Iterable[str], prefix: str = "") -> str | None:
    """Return the names that may be meant, each after the `prefix`, as a question."""
    if len(name) > MAX_MISSPELT or "+" in name:  # `git+https` is meant
        return None
    from difflib import get_close_matches  # only a mistake needs it

    # A name with an s more is another scheme, usually the same one over TLS; with two, it is misspelt.
    others = [each for each in sorted(names) if each[-1:] == "s" or name not in {f"{each}s", f"s{each}"}]
    swapped = {name[:at] + name[at : at + 2][::-1] + name[at + 2 :] for at in range(len(name) - 1)}
    near = [*dict.fromkeys([*sorted(swapped.intersection(others)), *get_close_matches(name, others, 2, 0.7)])][:2]
    return f"did you mean {' or '.join(prefix + each for each in near)}?" if near else None


def _rule(active: Claim, claims: tuple[Claim, ...], *, pinned: bool) -> str:
    """Return why the `active` one of the claims for a name counts."""
    if pinned:
        return "the name is pinned to it"
    if active.in_ledger:
        return f"no plugin claims the name, so the record {active.records[0]} counts"
    if any(claim.in_ledger and claim.state == "shadowed" for claim in claims):
        return "a plugin comes before the record of a ledger"
    if any(claim.state == "reserved" for claim in claims):
        return "the name is reserved for it"
    return "the other claims do not count" if len(claims) > 1 else "no other distribution claims the name"
