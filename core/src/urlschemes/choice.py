"""Which claims count.

A distribution or a scheme that was switched off does not take part. A reserved name belongs to one distribution. Where
a name is pinned, no other distribution counts. Where two are left that claim one name, neither does: the order in which
they were installed or found never decides.
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

__all__ = ["DISABLE", "OWN_COMMANDS", "Installed", "Rules", "installed_list", "listed", "place", "settled", "switch"]

DISABLE = "URLSCHEMES_DISABLE"
"""The variable that switches off what it names: distributions and schemes, with commas between them."""
_ALLOW = "URLSCHEMES_PLUGINS"

_NAMED = 3
"""Claims that are named where many are at odds."""

_OWN = "access attributes check config delete demo doctor explain extract fix parse replace schemes show update why"
OWN_COMMANDS = frozenset(_OWN.split())
"""The commands that no plugin can take the place of."""


class Rules:
    """What whoever made a registry decided. The names of distributions are in any spelling.

    `allowed` are the distributions that may take part (None: all). `disabled` are distributions and schemes that may
    not, by who says so. `pins` are the distributions that were chosen, by the scheme's name in lower case.
    """

    __slots__ = ("allowed", "disabled", "pins")

    def __init__(
        self,
        allowed: Collection[str] | None = None,
        disabled: Mapping[str, Collection[str]] | None = None,
        pins: Mapping[str, str] | None = None,
    ) -> None:
        self.allowed = allowed
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
    _check_pins(rules.pins, found)
    ruled = bool(allowed or disabled or rules.pins)
    judged = [
        # Of a thousand claims nearly all are of the one name that their distribution is called after.
        claim
        if claim[STATE] != "active" or not (ruled or claim[DISTRIBUTION] != f"urlschemes-{claim[NAME]}")
        else _judged(claim, allowed, disabled, rules.pins)
        for claim in found
    ]
    wanted: dict[tuple[str, str], list[int]] = {}
    for index, claim in enumerate(judged):
        if claim[STATE] == "active" and claim[GROUP] != HOOKS:  # as many as like may implement a hook
            wanted.setdefault((claim[GROUP], claim[NAME]), []).append(index)
    _settle_conflicts(judged, wanted)
    chosen = {claim[NAME]: claim for claim in judged if claim[GROUP] == SCHEMES and claim[STATE] == "active"}
    return Installed(tuple(judged), chosen)


def _settle_conflicts(judged: list[Claim], wanted: dict[tuple[str, str], list[int]]) -> None:
    """Of those that want one name none counts; but whoever provides a scheme demonstrates it."""
    contested = [each for each in wanted.items() if len(each[1]) > 1]
    for (group, name), indexes in sorted(contested, key=lambda each: each[0][0] == DEMOS):
        providers = [judged[index].provider for index in wanted.get((SCHEMES, name), ())] if group == DEMOS else []
        own = [index for index in indexes if [judged[index].provider] == providers]
        first = {index: judged[index] for index in indexes[: _NAMED + 1]}
        for index in indexes:
            if len(own) != 1:
                others = listed([claim for other, claim in first.items() if other != index], len(indexes) - 1)
                judged[index] = judged[index]._replace(state="conflict", reason=f"claimed as well by {others}")
            elif index != own[0]:
                reason = f"{providers[0]}, which provides the scheme, demonstrates it itself"
                judged[index] = judged[index]._replace(state="shadowed", reason=reason)


def _check_pins(pins: Mapping[str, str], claims: tuple[Claim, ...]) -> None:
    for name, pin in pins.items():
        wish = (SCHEMES, name, distribution_key(pin))
        wishes = (
            (each.group, each.name, distribution_key(each.distribution)) for each in claims if each.state != "ignored"
        )
        if wish not in wishes:
            from urlschemes.errors import PluginError

            raise PluginError(
                f"the pin of {name} names {pin}, which does not claim it",
                scheme=name,
                distribution=pin,
                hint=installed_list(claims),
            )


def _allowed(rules: Rules, claims: tuple[Claim, ...]) -> dict[str, frozenset[str]]:
    """The distributions that may take part, by who says so. Raises PluginError for one that nobody installed."""
    lists = {} if rules.allowed is None else {"Registry(plugins=...)": frozenset(map(distribution_key, rules.allowed))}
    named = os.environ.get(_ALLOW, "").strip()
    if named:
        lists[_ALLOW] = frozenset() if named == "none" else frozenset(map(distribution_key, _names(named)))
    there = _distributions(claims) if lists else set()
    for source, names in lists.items():
        for name in sorted(names - there):
            from urlschemes.errors import PluginError

            raise PluginError(
                f"{source} names {name}, which is not installed as a plugin",
                distribution=name,
                hint=installed_list(claims),
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
    claim: Claim, allowed: Mapping[str, frozenset[str]], disabled: Mapping[str, str], pins: Mapping[str, str]
) -> Claim:
    """The active claim by itself, without regard to others: whether it may count."""
    distribution = distribution_key(claim.distribution)
    for source, names in allowed.items():
        if distribution not in names:
            return claim._replace(state="disabled", reason=f"{source} leaves {claim.distribution} out")
    why = disabled.get(distribution) or (disabled.get(claim.name) if claim.group == SCHEMES else None)
    if why:
        return claim._replace(state="disabled", reason=why)
    if claim.group == COMMANDS and claim.name in OWN_COMMANDS:
        return claim._replace(state="reserved", reason="urlschemes has a command of that name itself")
    if claim.group != SCHEMES:
        return claim
    if distribution != distribution_key(f"urlschemes-{claim.name}"):  # whose name it is, it is for them to say
        from urlschemes.ledger import known_names

        known = known_names().get(claim.name)
        if known is not None and known.distribution:
            return claim._replace(state="reserved", reason=f"the name is reserved to {known.distribution}")
    pin = pins.get(claim.name)
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
