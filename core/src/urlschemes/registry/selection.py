"""Decide which claims count.

A distribution or scheme that the user switched off does not take part, nor does a claim in a group that no plugin uses.
A reserved name belongs to one distribution. If a name is pinned, only the pinned distribution counts. If two
distributions still claim one name, neither counts: the order of installation, or of `sys.path`, never decides.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from urlschemes.errors import PluginError
from urlschemes.grammar.profile import Profile
from urlschemes.redaction import one_line
from urlschemes.registry.claims import (
    DISABLE,
    GROUPS,
    HOOKS,
    OWN_HOOKS,
    PROFILES,
    READERS,
    SCHEMES,
    SPECIFICATIONS,
    Claim,
    distribution_key,
    installed_list,
    locations,
)
from urlschemes.registry.names import known_names, reserved_names
from urlschemes.rfc1738 import RFC1738

Owners: TypeAlias = Mapping[str, Mapping[str, str]]

ALLOW = "URLSCHEMES_PLUGINS"
"""The variable that restricts which distributions take part: their names, separated by commas, or `none`."""


class Rules(NamedTuple):
    """The choices of the user, in any spelling of the distributions' names.

    `allowed` lists, by source, the distributions that may take part (empty: all). `disabled` lists, by source,
    distributions and schemes that may not. `pins` maps names to the chosen distributions. `profile` is the profile of
    the URLs, or its name. `reserved` is the program's own: the groups of entry points that it uses besides those of the
    core, each with the names in it that belong to one distribution. With `current_directory`, distributions that are
    found only through the current directory count too.
    """

    allowed: Mapping[str, Collection[str]] = {}
    disabled: Mapping[str, Collection[str]] = {}
    pins: Mapping[str, str] = {}
    profile: Profile | str = RFC1738
    reserved: Mapping[str, Mapping[str, str]] = {}
    current_directory: bool = False


class Selection(NamedTuple):
    """Every claim in its state, and the one that counts for each scheme.

    `hooks` are the names of hooks, each with a module that specifies it.
    """

    claims: tuple[Claim, ...]
    chosen: Mapping[str, Claim]
    hooks: frozenset[tuple[str, str]]

    @property
    def hook_names(self) -> frozenset[str]:
        """The names of all hooks."""
        return frozenset(name for name, _ in self.hooks)


def select(claims: Iterable[Claim], rules: Rules, profile: Profile = RFC1738) -> Selection:
    """Return which of the claims count by `rules` and by the environment variables; schemes need a record of `profile`.

    Raises PluginError if a list names a distribution that is not installed, or a pin one that does not claim the name.
    """
    claims = tuple(claims)
    found = tuple(claim for claim in claims if claim.group not in {GROUPS, SPECIFICATIONS})
    owners = _owners(claims, rules)
    specified = (claim for claim in claims if claim.group == SPECIFICATIONS and claim.state == "active")
    hooks = frozenset([*OWN_HOOKS, *((claim.name, claim.module) for claim in specified)])
    allowed, disabled, pins = _allowed(rules, found), _disabled(rules, found), _pins(rules.pins, found, owners)
    judged = [_recorded(_judged(claim, allowed, disabled, pins, owners), profile) for claim in found]
    judged = [_specified(claim, dict(hooks)) for claim in judged]
    _settle_conflicts(judged)
    chosen = {claim.name: claim for claim in judged if claim.group == SCHEMES and claim.state == "active"}
    return Selection(tuple(judged), chosen, hooks)


def _owners(claims: tuple[Claim, ...], rules: Rules) -> Owners:
    """Return the groups that are used, each with the distributions that names in it are reserved for."""
    active = [claim for claim in claims if claim.group == GROUPS and claim.state == "active"]
    used: Owners = {f"{HOOKS}.{claim.name}": {} for claim in active}
    schemes = {known.name: known.distribution for known in known_names().values() if known.distribution}
    return {**used, **rules.reserved, HOOKS: {}, SCHEMES: schemes, PROFILES: reserved_names().profiles, READERS: {}}


def _judged(
    claim: Claim,
    allowed: Mapping[str, frozenset[str]],
    disabled: Mapping[str, str],
    pins: Mapping[tuple[str, str], str],
    owners: Owners,
) -> Claim:
    """Return the claim in the state that it has by itself. A malformed one can be switched off, too."""
    if claim.state == "ignored":
        return claim
    distribution = distribution_key(claim.distribution)
    for source, names in allowed.items():
        if distribution not in names and claim.group != PROFILES:  # whoever names a profile has chosen it
            return claim._replace(state="disabled", reason=f"{source} does not list {claim.distribution}")
    why = disabled.get(distribution) or (disabled.get(claim.name) if claim.group == SCHEMES else None)
    if why:
        return claim._replace(state="disabled", reason=why)
    if claim.state != "active":
        return claim
    if claim.group not in owners:
        return claim._replace(state="unused", reason=f"no installed distribution uses the group {claim.group}")
    owner = owners[claim.group].get(claim.name, distribution)
    if owner != distribution:
        return claim._replace(state="reserved", reason=f"the name is reserved for {owner}")
    pin = pins.get((claim.group, claim.name))
    if pin is not None and distribution_key(pin) != distribution:
        return claim._replace(state="shadowed", reason=f"the name is pinned to {pin}")
    return claim


def _recorded(claim: Claim, profile: Profile) -> Claim:
    """Return the claim, in the state `unused` if it has records, and none of `profile`; without any it is broken."""
    names = sorted(map(os.path.basename, claim.records))
    if claim.state != "active" or not names or profile.record in names:
        return claim
    reason = f"it has no record of the profile {profile.name}, only {', '.join(names)}"
    return claim._replace(state="unused", reason=reason)


def _specified(claim: Claim, hooks: Collection[str]) -> Claim:
    """Return the claim; its state is `malformed` if no distribution specifies its hook."""
    if claim.group != HOOKS or claim.state != "active" or claim.name in hooks:
        return claim
    reason = one_line(f"there is no hook {claim.name[:100]!r}; the hooks are: {', '.join(sorted(hooks))}")
    return claim._replace(state="malformed", reason=reason)


def _settle_conflicts(judged: list[Claim]) -> None:
    """Put claims for one name into the state `conflict`."""
    wanted: dict[tuple[str, str], list[int]] = {}
    for index, claim in enumerate(judged):
        if claim.state == "active" and claim.group != HOOKS:  # any number of plugins may implement a hook
            wanted.setdefault((claim.group, claim.name), []).append(index)
    for indexes in wanted.values():
        claims = [judged[index] for index in indexes]
        for index, claim in zip(indexes, claims, strict=True):
            others = [other for other in claims if other is not claim]
            if others:
                judged[index] = claim._replace(state="conflict", reason=f"also claimed by {locations(others)}")


def _pins(pins: Mapping[str, str], claims: tuple[Claim, ...], owners: Owners) -> dict[tuple[str, str], str]:
    """Return the pins by group and name, for each group in which the distribution claims the name.

    Raises PluginError for a pin to a distribution that does not claim the name, or may not have it.
    """
    found: dict[tuple[str, str], str] = {}
    for name, pin in pins.items():
        wanting = [each for each in claims if each.name == name and each.state != "ignored" and each.group != HOOKS]
        same = [each for each in wanting if distribution_key(each.distribution) == distribution_key(pin)]
        if not same:
            others = sorted({each.distribution for each in wanting})
            raise PluginError(
                f"the pin of {name} names {pin}, which does not claim it",
                scheme=name,
                distribution=pin,
                hint=f"claimed by: {', '.join(others)}" if others else installed_list(claims),
            )
        key = distribution_key(pin)
        reserved = [owners.get(each.group, {}).get(name, key) for each in same]
        if key not in reserved:
            raise PluginError(
                f"the pin of {name} names {pin}, but the name is reserved for {reserved[0]}",
                scheme=name,
                distribution=pin,
                hint="remove the pin: a reserved name has one provider",
            )
        found.update({(each.group, name): pin for each in same})
    return found


def _allowed(rules: Rules, claims: tuple[Claim, ...]) -> dict[str, frozenset[str]]:
    """Return the distributions that may take part, by source. Raises PluginError for one that is not installed."""
    lists = {source: frozenset(map(distribution_key, names)) for source, names in rules.allowed.items()}
    value = os.environ.get(ALLOW, "").strip()
    if value:
        none = value.lower() == "none"
        lists[ALLOW] = frozenset() if none else frozenset(map(distribution_key, _names(value)))
        if not none and not lists[ALLOW]:
            raise PluginError(f"{ALLOW} is {value!r}, which names no distribution", hint="`none` switches all off")
    installed = _distributions(claims) if lists else set()
    for source, names in lists.items():
        for name in sorted(names - installed):
            near = f"urlschemes-{name}"
            raise PluginError(
                f"{source} names {name}, which is not an installed plugin",
                distribution=name,
                hint=f"did you mean {near}?" if near in installed else installed_list(claims),
            )
    return lists


def _disabled(rules: Rules, claims: tuple[Claim, ...]) -> dict[str, str]:
    """Return what is switched off, with the reason. Raises PluginError for the name of no distribution or scheme."""
    lists = {**rules.disabled, DISABLE: _names(os.environ.get(DISABLE, ""))}
    distributions = _distributions(claims)
    schemes = {claim.name for claim in claims if claim.group == SCHEMES and claim.state != "ignored"}
    found: dict[str, str] = {}
    for source, names in lists.items():
        for name in names:
            meant = {distribution_key(name)} & distributions | {name.lower()} & schemes
            if not meant:
                raise PluginError(
                    f"{source} names {name}, which is neither an installed plugin nor a scheme of one",
                    distribution=name,
                    hint=installed_list(claims),
                )
            found.update(dict.fromkeys(meant - found.keys(), f"{source} names {name}"))
    return found


def _names(value: str) -> list[str]:
    return [name.strip() for name in value.split(",") if name.strip()]


def _distributions(claims: Iterable[Claim]) -> set[str]:
    return {distribution_key(claim.distribution) for claim in claims if claim.state != "ignored"}
