"""Which claims count.

A distribution that was switched off does not take part. A reserved name belongs to one distribution. Where a name is
pinned, no other distribution counts. Where two are left that claim one name, neither does: the order in which they
were installed or found never decides.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.discovery import SCHEMES, Claim, distribution_key
from urlschemes.errors import PluginError
from urlschemes.ledger import known_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Installed", "installed_list", "place", "settled"]


class Installed(NamedTuple):
    """Every claim with what became of it, and the one that counts for each scheme."""

    claims: tuple[Claim, ...]
    chosen: dict[str, Claim]


def settled(claims: Iterable[Claim], plugins: frozenset[str] | None, pins: Mapping[str, str]) -> Installed:
    """Which of the claims count, by the rules above.

    `plugins` are the distributions that may take part (None: all), `pins` the one chosen for a name; both as keys.
    Raises PluginError where `plugins` or URLSCHEMES_PLUGINS names a distribution that nobody installed.
    """
    found = tuple(claims)
    lists = _allowed(plugins, found)
    judged = [_judged(claim, lists, pins) for claim in found]
    wanted: dict[str, list[int]] = {}
    for index, claim in enumerate(judged):
        if claim.group == SCHEMES and claim.state == "active":
            wanted.setdefault(claim.name, []).append(index)
    chosen = {}
    for name, indexes in wanted.items():
        if len(indexes) == 1:
            chosen[name] = judged[indexes[0]]
            continue
        for index in indexes:
            others = "; ".join(place(judged[other]) for other in indexes if other != index)
            judged[index] = judged[index]._replace(state="conflict", reason=f"claimed as well by {others}")
    return Installed(tuple(judged), chosen)


def _allowed(plugins: frozenset[str] | None, claims: tuple[Claim, ...]) -> dict[str, frozenset[str]]:
    """The distributions that may take part, by who says so. Raises PluginError for one that nobody installed."""
    lists = {} if plugins is None else {"Registry(plugins=...)": plugins}
    named = os.environ.get("URLSCHEMES_PLUGINS", "").strip()
    if named:
        names = {distribution_key(name.strip()) for name in named.split(",") if name.strip()}
        lists["URLSCHEMES_PLUGINS"] = frozenset() if named == "none" else frozenset(names)
    there = {distribution_key(claim.distribution) for claim in claims if claim.state != "ignored"}
    for source, names_ in lists.items():
        for name in sorted(names_ - there):
            raise PluginError(
                f"{source} names {name}, which is not installed as a plugin",
                distribution=name,
                hint=installed_list(claims),
            )
    return lists


def _judged(claim: Claim, lists: Mapping[str, frozenset[str]], pins: Mapping[str, str]) -> Claim:
    """The claim by itself, without regard to others: whether it may count."""
    if claim.state != "active":
        return claim
    distribution = distribution_key(claim.distribution)
    for source, names in lists.items():
        if distribution not in names:
            return claim._replace(state="disabled", reason=f"{source} leaves {claim.distribution} out")
    if claim.group != SCHEMES:
        return claim
    if distribution != distribution_key(f"urlschemes-{claim.name}"):  # whose name it is, it is for them to say
        known = known_names().get(claim.name)
        if known is not None and known.distribution:
            return claim._replace(state="reserved", reason=f"the name is reserved to {known.distribution}")
    pin = pins.get(claim.name, distribution)
    if pin != distribution:
        return claim._replace(state="disabled", reason=f"the name is pinned to {pin}")
    return claim


def place(claim: Claim) -> str:
    """The claim's distribution and where it lies."""
    return f"{claim.provider} in {claim.origin}"


def installed_list(claims: Iterable[Claim]) -> str:
    """The distributions whose claims count, for a hint."""
    names = sorted({claim.distribution for claim in claims if claim.state == "active"})
    return f"installed: {', '.join(names) or 'none'}"
