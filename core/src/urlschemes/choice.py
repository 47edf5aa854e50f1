"""Which claims count.

A distribution or a scheme that was switched off does not take part. A reserved name, of a scheme or of a command,
belongs to one distribution. Where a name is pinned, no other distribution counts. Where two are left that claim one
name, neither does: the order in which they were installed or found never decides.
"""

from __future__ import annotations

import os

from urlschemes.claims import (
    COMMANDS,
    DEMOS,
    DISTRIBUTION,
    GROUP,
    HOOKS,
    NAME,
    SCHEMES,
    STATE,
    Claim,
    distribution_key,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

__all__ = [
    "DISABLE",
    "HOMES",
    "OWN_COMMANDS",
    "Installed",
    "Rules",
    "installed_list",
    "listed",
    "place",
    "settled",
    "switch",
]

DISABLE = "URLSCHEMES_DISABLE"
"""The variable that switches off what it names: distributions and schemes, with commas between them."""
_ALLOW = "URLSCHEMES_PLUGINS"

_PINNED = frozenset({SCHEMES, COMMANDS, DEMOS})
"""The groups in which a name is one distribution's."""
_NAMED = 3
"""Claims that are named where many are at odds."""

_OWN = "access attributes check config delete demo doctor explain extract fix parse replace schemes show update why"
OWN_COMMANDS = frozenset(_OWN.split())
"""The commands that no plugin can take the place of."""

HOMES = {
    "iana": "urlschemes-iana",
    "new": "urlschemes-testing",
    "review": "urlschemes-testing",
    "send": "urlschemes-mailto",
    "session": "urlschemes-telnet",
    "site": "urlschemes-site",
}
"""The commands that belong to one distribution each, which is what to install for them."""
_DEMONSTRATES = "urlschemes-testing"
"""Whose demonstration of a reserved scheme counts, where nobody who provides the scheme has one."""


class Rules:
    """What whoever made a registry decided. The names of distributions are in any spelling.

    `allowed` are the distributions that may take part, by who says so (empty: all). `disabled` are distributions and
    schemes that may not, likewise. `pins` are the distributions that were chosen, by the scheme's name in lower case.
    """

    __slots__ = ("allowed", "disabled", "pins")

    def __init__(
        self,
        allowed: Mapping[str, Collection[str]] | None = None,
        disabled: Mapping[str, Collection[str]] | None = None,
        pins: Mapping[str, str] | None = None,
    ) -> None:
        self.allowed = allowed or {}
        self.disabled = disabled or {}
        self.pins = pins or {}


class Installed:
    """Every claim with what became of it, and the one that counts for each scheme."""

    __slots__ = ("chosen", "claims")

    def __init__(self, claims: tuple[Claim, ...], chosen: dict[str, Claim]) -> None:
        self.claims = claims
        self.chosen = chosen


def settled(claims: Iterable[Claim], rules: Rules) -> Installed:
    """Which of the claims count, by the rules above and by those of the environment.

    Raises PluginError where one of the lists names what nobody installed, or a pin whoever does not claim the name.
    """
    found = tuple(claims)
    allowed, disabled = _allowed(rules, found), _disabled(rules, found)
    pins = _pinned(rules.pins, found)
    ruled = bool(allowed or disabled or pins)
    judged = [
        # Of a thousand claims nearly all are of the one scheme that their distribution is called after.
        claim
        if not ruled and claim[DISTRIBUTION] == f"urlschemes-{claim[NAME]}" and claim[GROUP] == SCHEMES
        else _judged(claim, allowed, disabled, pins)
        for claim in found
    ]
    # As many as like may implement a hook.
    wanted = [(claim[GROUP], claim[NAME]) for claim in judged if claim[STATE] == "active" and claim[GROUP] != HOOKS]
    if len({*wanted}) < len(wanted):
        _settle_conflicts(judged)
    chosen = {claim[NAME]: claim for claim in judged if claim[GROUP] == SCHEMES and claim[STATE] == "active"}
    return Installed(tuple(judged), chosen)


def _settle_conflicts(judged: list[Claim]) -> None:
    """Of those that want one name none counts; but some demonstrations come before others."""
    wanted: dict[tuple[str, str], list[int]] = {}
    for index, claim in enumerate(judged):
        if claim.state == "active" and claim.group != HOOKS:
            wanted.setdefault((claim.group, claim.name), []).append(index)
    contested = [each for each in wanted.items() if len(each[1]) > 1]
    for (group, name), indexes in sorted(contested, key=lambda each: each[0][0] == DEMOS):
        first = {index: judged[index] for index in indexes[: _NAMED + 1]}
        chosen = _demonstrator(judged, indexes, wanted.get((SCHEMES, name), ())) if group == DEMOS else None
        for index in indexes:
            if chosen is None:
                others = listed([claim for other, claim in first.items() if other != index], len(indexes) - 1)
                judged[index] = judged[index]._replace(state="conflict", reason=f"claimed as well by {others}")
            elif index != chosen[0]:
                judged[index] = judged[index]._replace(state="shadowed", reason=chosen[1])


def _demonstrator(judged: list[Claim], indexes: list[int], providing: Iterable[int]) -> tuple[int, str] | None:
    """Which of the demonstrations of one scheme counts, and why; None where none does.

    That of whoever provides the scheme; of a reserved one, where there is none such, that of the kit of the tests: no
    stranger's demonstration takes its place.
    """
    providers = [judged[index].provider for index in providing]
    own = [index for index in indexes if [judged[index].provider] == providers]
    if len(own) == 1:
        return own[0], f"{providers[0]}, which provides the scheme, demonstrates it itself"
    kit = [index for index in indexes if distribution_key(judged[index].distribution) == _DEMONSTRATES]
    if len(kit) == 1 and _owner(SCHEMES, judged[kit[0]].name) is not None:
        return kit[0], f"{judged[kit[0]].provider} demonstrates the schemes whose names are reserved"
    return None


def _owner(group: str, name: str) -> str | None:
    """The distribution that the name is reserved to; None where it is anybody's."""
    if group == COMMANDS:
        return HOMES.get(name)
    if group != SCHEMES:
        return None
    from urlschemes.ledger import known_names

    known = known_names().get(name)
    return known.distribution or None if known is not None else None


def _pinned(pins: Mapping[str, str], claims: tuple[Claim, ...]) -> dict[tuple[str, str], str]:
    """The pins by group and name: in each group in which the distribution claims the name.

    Raises PluginError for a pin that names whoever does not claim the name, or may not have it.
    """
    found: dict[tuple[str, str], str] = {}
    for name, pin in pins.items():
        from urlschemes.errors import PluginError

        wanting = [each for each in claims if each.name == name and each.state != "ignored" and each.group in _PINNED]
        same = [each for each in wanting if distribution_key(each.distribution) == distribution_key(pin)]
        if not same:
            others = sorted({each.distribution for each in wanting})
            raise PluginError(
                f"the pin of {name} names {pin}, which does not claim it",
                scheme=name,
                distribution=pin,
                hint=f"claimed by: {', '.join(others)}" if others else installed_list(claims),
            )
        owners = [_owner(each.group, name) for each in same]
        if all(owner is not None and owner != distribution_key(pin) for owner in owners):
            raise PluginError(
                f"the pin of {name} names {pin}, and the name is reserved to {owners[0]}",
                scheme=name,
                distribution=pin,
                hint="a reserved name has one provider: leave the pin out",
            )
        found.update({(each.group, name): pin for each in same})
    return found


def _allowed(rules: Rules, claims: tuple[Claim, ...]) -> dict[str, frozenset[str]]:
    """The distributions that may take part, by who says so. Raises PluginError for one that nobody installed."""
    lists = {source: frozenset(map(distribution_key, names)) for source, names in rules.allowed.items()}
    named = os.environ.get(_ALLOW, "").strip()
    if named:
        lists[_ALLOW] = frozenset() if named == "none" else frozenset(map(distribution_key, _names(named)))
        if named != "none" and not lists[_ALLOW]:
            from urlschemes.errors import PluginError

            raise PluginError(f"{_ALLOW} holds {named!r}, which names nothing", hint="`none` switches all plugins off")
    there = _distributions(claims) if lists else set()
    for source, names in lists.items():
        for name in sorted(names - there):
            from urlschemes.errors import PluginError

            raise PluginError(
                f"{source} names {name}, which is not installed as a plugin",
                distribution=name,
                hint=f"did you mean urlschemes-{name}?" if f"urlschemes-{name}" in there else installed_list(claims),
            )
    return lists


def _disabled(rules: Rules, claims: tuple[Claim, ...]) -> dict[str, str]:
    """Who switches it off, by distribution and by scheme. Raises PluginError for a name of neither."""
    lists = {**rules.disabled, DISABLE: _names(os.environ.get(DISABLE, ""))}
    if not any(lists.values()):
        return {}
    there = _distributions(claims)
    schemes = {claim.name for claim in claims if claim.group == SCHEMES and claim.state != "ignored"}
    found: dict[str, str] = {}
    for source, names in lists.items():
        for name in names:
            meant = {distribution_key(name)} & there | {name.lower()} & schemes
            if not meant:
                from urlschemes.errors import PluginError

                raise PluginError(
                    f"{source} names {name}, which is neither an installed plugin nor a scheme of one",
                    distribution=name,
                    hint=installed_list(claims),
                )
            found.update(dict.fromkeys(meant - found.keys(), f"{source} names {name}"))
    return found


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",") if name.strip()]


def _distributions(claims: Iterable[Claim]) -> set[str]:
    return {distribution_key(claim.distribution) for claim in claims if claim.state != "ignored"}


def _judged(
    claim: Claim,
    allowed: Mapping[str, frozenset[str]],
    disabled: Mapping[str, str],
    pins: Mapping[tuple[str, str], str],
) -> Claim:
    """The claim by itself, without regard to others: whether it may count. A malformed one can be switched off, too."""
    if claim.state == "ignored":
        return claim
    distribution = distribution_key(claim.distribution)
    for source, names in allowed.items():
        if distribution not in names:
            return claim._replace(state="disabled", reason=f"{source} leaves {claim.distribution} out")
    why = disabled.get(distribution) or (disabled.get(claim.name) if claim.group == SCHEMES else None)
    if why:
        return claim._replace(state="disabled", reason=why)
    if claim.state != "active":
        return claim
    if claim.group == COMMANDS and claim.name in OWN_COMMANDS:
        return claim._replace(state="reserved", reason="urlschemes has a command of that name itself")
    if claim.group != SCHEMES or distribution != distribution_key(f"urlschemes-{claim.name}"):
        owner = _owner(claim.group, claim.name)
        if owner is not None and owner != distribution:
            return claim._replace(state="reserved", reason=f"the name is reserved to {owner}")
    pin = pins.get((claim.group, claim.name))
    if pin is not None and distribution_key(pin) != distribution:
        return claim._replace(state="shadowed", reason=f"the name is pinned to {pin}")
    return claim


def switch(claim: Claim) -> str:
    """The name that switches the claim off: that of the scheme, or of the distribution where that is another's."""
    return claim.name if claim.group == SCHEMES and claim.state in {"active", "broken"} else claim.distribution


def place(claim: Claim) -> str:
    """The claim's distribution and where it lies."""
    return f"{claim.provider} in {claim.origin}"


def listed(claims: list[Claim], count: int | None = None) -> str:
    """The places of the first of the claims, and how many more there are of `count` (None: of these)."""
    named = claims[:_NAMED]
    more = (len(claims) if count is None else count) - len(named)
    return "; ".join([*map(place, named), *([f"{more} more"] if more else [])])


def installed_list(claims: Iterable[Claim]) -> str:
    """The distributions whose claims count, for a hint."""
    names = sorted({claim.distribution for claim in claims if claim.state == "active"})
    return f"installed: {', '.join(names) or 'none'}"
