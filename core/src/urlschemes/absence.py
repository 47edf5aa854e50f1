"""Why nobody provides a scheme's name, what is known of it all the same, and what to do: the words of UnknownScheme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.choice import listed
from urlschemes.errors import PluginConflict, UnknownScheme
from urlschemes.ledger import REGISTER, according, installing, known_names, merged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from urlschemes.claims import Claim
    from urlschemes.ledger import KnownName, Ledger

__all__ = ["absence"]

_SLIP = 20
"""Letters that a misspelt name may have."""
_DEFINE_IT = "`parse_generic` reads it; a plugin can define it"


def absence(
    name: str,
    claims: tuple[Claim, ...],
    ledgers: Callable[[], tuple[Ledger, ...]],
    installed: Callable[[], Iterable[str]],
) -> UnknownScheme | PluginConflict:
    """Why nobody provides the name, with what is known of it, as an error to raise.

    The `ledgers` are asked for, and the names that are `installed`, when the words of the error are first read, and
    only where the core's own ledger does not know the name.
    """
    conflict = [claim for claim in claims if claim.state == "conflict"]
    if conflict:
        said = listed(conflict)
        return PluginConflict(
            f"several distributions claim the scheme {name}, so none is used: {said}",
            scheme=name,
            claimants=tuple(claim.provider for claim in conflict),
            distribution=conflict[0].provider,
            hint=f"choose one: Registry(pins={{{name!r}: {conflict[0].distribution!r}}}), or uninstall the other",
        )
    disabled = [claim for claim in claims if claim.state == "disabled"]
    if disabled:
        said = "; ".join(f"{claim.provider} ({claim.reason})" for claim in disabled)
        return UnknownScheme(f"the scheme {name} is installed but disabled: {said}", scheme=name)
    known = known_names().get(name)
    if claims:
        said = "; ".join(f"{claim.provider} is {claim.state}: {claim.reason}" for claim in claims)
        return UnknownScheme(f"nobody provides the scheme {name}: {said}", scheme=name, hint=installing(name))
    if known is not None:
        message, hint = _of_known(known)
        return UnknownScheme(message, scheme=name, hint=hint)
    return UnknownScheme(scheme=name, told=lambda: _told(name, ledgers(), installed))


def _of_known(known: KnownName) -> tuple[str, str | None]:
    """Of a name that the core's own ledger knows."""
    install = installing(known.name)
    if install:
        described = ", ".join(filter(None, (known.means, known.reference)))
        return f"the scheme {known.name} ({described}) is not installed", install
    by = f" by {known.reference}" if known.reference else ""
    means = f" for {known.means}" if known.means else ""
    since = f"; since then: {known.since}" if known.since else ""
    return f"the name {known.name} is reserved{by}{means}, and nobody provides it here{since}", _DEFINE_IT


def _told(name: str, ledgers: tuple[Ledger, ...], installed: Callable[[], Iterable[str]]) -> tuple[str, str | None]:
    """Message and hint for a name that only other ledgers can know."""
    names = merged(ledgers)
    known = names.get(name)
    if known is None:
        message = f"no scheme is registered as {name!r}"
        # A name that can be used here, or could be, is meant more likely than one that is merely registered.
        near = _nearest(name, {*known_names(), *installed()}) or _nearest(name, names)
        return message, _taken_for_a_scheme(name) or near or _registered(name, ledgers)
    by = next(each for each in ledgers if any(other.name == name for other in each.names))
    facts = ", ".join(filter(None, (known.means, known.reference, known.since)))
    as_what = f" as {known.status}" if known.status else ""
    dated = f" ({by.date})" if by.date else ""
    has = f"{by.title}{dated} has it{as_what}{f': {facts}' if facts else ''}"
    told = filter(None, (f"nobody provides the scheme {name} here", has, according(name, ledgers)))
    return "; ".join(told), _DEFINE_IT


def _taken_for_a_scheme(name: str) -> str | None:
    """What else a text may be that begins with `name` and a colon, and what to do then."""
    if name == "url":
        return "the prefix `URL:` of the RFC's Appendix is no part of a URL: leave it out, or let `fix` do it"
    if len(name) == 1:
        return "if this is the letter of a drive, the text is the path of a file, and no URL"
    if "." in name:
        return "if this is a host, write the name of the scheme, a colon and `//` in front of it"
    return None


def _registered(name: str, ledgers: tuple[Ledger, ...]) -> str | None:
    """Where to look the name up, where there is only the core's own ledger; experiments are registered nowhere."""
    if len(ledgers) > 1 or name.startswith("x-"):
        return None
    return f"{REGISTER} knows the names that IANA has registered"


def _nearest(name: str, names: Iterable[str]) -> str | None:
    """The names for which `name` may be a slip."""
    if len(name) > _SLIP:
        return None
    from difflib import get_close_matches

    # With an s in front or behind it is another scheme than the one without, mostly the same within TLS.
    near = get_close_matches(name, [each for each in sorted(names) if name not in {f"{each}s", f"s{each}"}], 2, 0.7)
    return f"did you mean {' or '.join(near)}?" if near else None
