"""The error for a scheme name that no plugin provides: what is known of the name, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import PluginConflict, UnknownScheme
from urlschemes.registry.claim_selection import locations
from urlschemes.registry.known_names import attribution, how_to_install, known_names, merged, reserved_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from urlschemes.registry.claims import Claim
    from urlschemes.registry.known_names import KnownName, Ledger

__all__ = ["no_provider"]

MAX_MISSPELT = 20
"""Letters that a misspelt name may have."""

_DEFINE_IT = "`parse_generic` reads it; a plugin can define it"


def no_provider(
    name: str,
    claims: tuple[Claim, ...],
    ledgers: Callable[[], tuple[Ledger, ...]],
    installed: Callable[[], Iterable[str]],
) -> UnknownScheme | PluginConflict:
    """Return the error for a name that nothing provides, given the `claims` for it.

    `ledgers` and `installed` (the names of the installed schemes) are called when the message is first read, and only
    if the core's own ledger does not know the name.
    """
    conflict = [claim for claim in claims if claim.state == "conflict"]
    if conflict:
        return PluginConflict(
            f"several distributions claim the scheme {name}, so none is used: {locations(conflict)}",
            scheme=name,
            claimants=tuple(claim.provider for claim in conflict),
            distribution=conflict[0].provider,
            hint=f"choose one: Registry(pins={{{name!r}: {conflict[0].distribution!r}}}), or uninstall the other",
        )
    disabled = [claim for claim in claims if claim.state == "disabled"]
    if disabled:
        reasons = "; ".join(f"{claim.provider} ({claim.reason})" for claim in disabled)
        return UnknownScheme(f"the scheme {name} is installed but disabled: {reasons}", scheme=name)
    known = known_names().get(name)
    install = how_to_install(known.distribution) if known is not None and known.distribution else None
    if claims:
        reasons = "; ".join(f"{claim.provider} is {claim.state}: {claim.reason}" for claim in claims)
        unused = any(claim.state == "unused" for claim in claims)
        hint = "Registry(profile=...) reads URLs of another profile" if unused else install
        return UnknownScheme(f"no plugin provides the scheme {name}: {reasons}", scheme=name, hint=hint)
    if known is not None:
        message, hint = _of_core_ledger(known, install)
        return UnknownScheme(message, scheme=name, hint=hint)
    return UnknownScheme(scheme=name, describe=lambda: _of_other_ledgers(name, ledgers(), installed))


def _of_core_ledger(known: KnownName, install: str | None) -> tuple[str, str | None]:
    """Return message and hint for a name of the core's own ledger."""
    if install:
        described = ", ".join(filter(None, (known.means, known.reference)))
        return f"the scheme {known.name} ({described}) is not installed", install
    by = f" by {known.reference}" if known.reference else ""
    means = f" for {known.means}" if known.means else ""
    since = f"; since then: {known.since}" if known.since else ""
    return f"the name {known.name} is reserved{by}{means}, and no installed plugin provides it{since}", _DEFINE_IT


def _of_other_ledgers(
    name: str, ledgers: tuple[Ledger, ...], installed: Callable[[], Iterable[str]]
) -> tuple[str, str | None]:
    """Return message and hint for a name that only other ledgers can know."""
    names = merged(ledgers)
    known = names.get(name)
    if known is None:
        message = f"no scheme is registered as {name!r}"
        # An installed or installable scheme is more likely to be meant than one that is merely registered.
        near = _suggestion(name, {*known_names(), *installed()}) or _suggestion(name, names)
        return message, _not_a_scheme(name) or near or _where_to_look(name, ledgers)
    ledger = next(each for each in ledgers if any(other.name == name for other in each.names))
    facts = ", ".join(filter(None, (known.means, known.reference, known.since)))
    status = f" as {known.status}" if known.status else ""
    entry = f"{ledger.dated} lists it{status}{f': {facts}' if facts else ''}"
    sentences = (f"no installed plugin provides the scheme {name}", entry, attribution(name, ledgers))
    return "; ".join(filter(None, sentences)), _DEFINE_IT


def _not_a_scheme(name: str) -> str | None:
    """Return what a text that begins with `name` and a colon may be instead of a URL."""
    if name == "url":
        return "leave out the prefix `URL:` of the RFC's Appendix, which is not part of a URL, or let `fix` remove it"
    if len(name) == 1:
        return "if this is a drive letter, the text is the path of a file, not a URL"
    if "." in name or name == "localhost":
        return "if this is a host, write the name of the scheme, a colon and `//` in front of it"
    return None


def _where_to_look(name: str, ledgers: tuple[Ledger, ...]) -> str | None:
    """Return what to install to look the name up, if there is only the core's own ledger."""
    if len(ledgers) > 1 or name.startswith("x-"):  # experiments are registered nowhere
        return None
    return f"to look up the names that IANA has registered, {how_to_install(reserved_names().iana)}"


def _suggestion(name: str, names: Iterable[str]) -> str | None:
    """Return the names that may be meant."""
    if len(name) > MAX_MISSPELT:
        return None
    from difflib import get_close_matches  # only a mistake needs it

    # A name with an s more is another scheme, usually the same one over TLS.
    others = [each for each in sorted(names) if name not in {f"{each}s", f"s{each}"}]
    near = get_close_matches(name, others, 2, 0.7)
    return f"did you mean {' or '.join(near)}?" if near else None
