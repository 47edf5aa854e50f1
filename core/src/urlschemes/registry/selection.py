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
    RECORDS,
    SCHEMES,
    SPECIFICATIONS,
    Claim,
    distribution_key,
    installed_list,
    locations,
)
from urlschemes.registry.names import known_names, reserved_names, suggestion
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
    found only through the current directory count too. `records` are the paths of folders that are ledgers.
    """

    allowed: Mapping[str, Collection[str]] = {}
    disabled: Mapping[str, Collection[str]] = {}
    pins: Mapping[str, str] = {}
    profile: Profile | str = RFC1738
    reserved: Mapping[str, Mapping[str, str]] = {}
    current_directory: bool = False
    records: tuple[str, ...] = ()


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
    profiles = {RFC1738.name, *owners[PROFILES], *(claim.name for claim in found if claim.group == PROFILES)}
    in_ledgers = {claim.name: claim for claim in reversed(found) if claim.in_ledger and claim.distribution}
    judged = [_judged(with_record(claim, in_ledgers), allowed, disabled, pins, owners) for claim in found]
    judged = [_usable(claim, profile, dict(hooks), profiles) if claim.state == "active" else claim for claim in judged]
    _settle(judged)
    chosen = {claim.name: claim for claim in judged if claim.group == SCHEMES and claim.state == "active"}
    return Selection(tuple(judged), chosen, hooks)


def _owners(claims: tuple[Claim, ...], rules: Rules) -> Owners:
    """Return the groups that are used, each with the distributions that names in it are reserved for."""
    active = [claim for claim in claims if claim.group == GROUPS and claim.state == "active"]
    used: Owners = {f"{HOOKS}.{claim.name}": {} for claim in active}
    schemes = {known.name: known.distribution for known in known_names().values() if known.distribution}
    own: Owners = {SCHEMES: schemes, PROFILES: reserved_names().profiles, HOOKS: {}, READERS: {}, RECORDS: {}}
    return {**used, **rules.reserved, **own}


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
        # Whoever names a profile, or a folder of records, has chosen it.
        if distribution and distribution not in names and claim.group != PROFILES:
            reason = f"{source} does not list {claim.distribution}" if names else f"{source} switches all plugins off"
            return claim._replace(state="disabled", reason=reason)
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


def with_record(claim: Claim, in_ledgers: Mapping[str, Claim]) -> Claim:
    """Return the claim, with the record of an installed ledger if it is for a scheme, and its package has none."""
    if claim.group != SCHEMES or claim.records or not claim.module or claim.name not in in_ledgers:
        return claim
    return claim._replace(records=in_ledgers[claim.name].records, profiles=in_ledgers[claim.name].profiles)


def _usable(claim: Claim, profile: Profile, hooks: Collection[str], profiles: Collection[str]) -> Claim:
    """Return an active claim, in another state if it has records, and none of `profile`, or is for none of `hooks`.

    Without any record it is broken. A record of none of the known `profiles` is malformed.
    """
    names = sorted(map(os.path.basename, claim.records))
    if claim.group == HOOKS and claim.name not in hooks:
        reason = one_line(f"there is no hook {claim.name[:100]!r}; the hooks are: {', '.join(sorted(hooks))}")
        return claim._replace(state="malformed", reason=reason)
    is_of_profile = profile.name in claim.profiles if claim.profiles else claim.in_ledger or profile.record in names
    if claim.group != SCHEMES or not names or is_of_profile:
        return claim
    if claim.profiles and not {*profiles} & {*claim.profiles}:
        found, known = ", ".join(claim.profiles), ", ".join(sorted(profiles))
        reason = f"{names[0]}: its profile is {found}: expected one of {known}"
        return claim._replace(state="malformed", reason=reason)
    reason = f"it has no record of the profile {profile.name}, only {', '.join(claim.profiles or names)}"
    return claim._replace(state="unused", reason=reason)


def _settle(judged: list[Claim]) -> None:
    """Let one claim count for each name, or none: those of plugins are in conflict.

    Records of ledgers give way to a plugin that claims the name, and to those of folders that come first.
    """
    wanted: dict[tuple[str, str], list[int]] = {}
    for index, claim in enumerate(judged):
        if claim.state in {"active", "malformed"} and claim.group != HOOKS:  # a hook may have many providers
            wanted.setdefault((claim.group, claim.name), []).append(index)
    for indexes in wanted.values():
        claims = {index: judged[index] for index in indexes}
        plugins = [index for index, claim in claims.items() if not claim.in_ledger]
        in_folders = [index for index, claim in claims.items() if not claim.distribution]
        rivals = plugins or in_folders[:1] or indexes
        first = claims[rivals[0]]
        for index, claim in claims.items():
            others = [claims[each] for each in rivals if each != index and claims[each].state == "active"]
            if claim.state == "active" and index not in rivals:
                provides = "has a record of it" if first.in_ledger else "claims the name"
                judged[index] = claim._replace(state="shadowed", reason=f"{first.provider} {provides}")
            elif claim.state == "active" and others:
                judged[index] = claim._replace(state="conflict", reason=f"also claimed by {locations(others)}")


def _pins(pins: Mapping[str, str], claims: tuple[Claim, ...], owners: Owners) -> dict[tuple[str, str], str]:
    """Return the pins by group and name, for each group in which the distribution claims the name.

    Raises PluginError for a pin to a distribution that does not claim the name, or may not have it.
    """
    found: dict[tuple[str, str], str] = {}
    for name, pin in pins.items():
        wanting = [each for each in claims if each.name == name and each.state != "ignored" and each.group != HOOKS]
        key = distribution_key(pin)
        same = [each for each in wanting if distribution_key(each.distribution) == key]
        reserved = [owners.get(each.group, {}).get(name, key) for each in same]
        if key in reserved:
            found.update({(each.group, name): pin for each in same})
            continue
        if same:
            problem = f"but the name is reserved for {reserved[0]}"
            hint = "remove the pin: a reserved name has one provider"
        else:
            others = ", ".join(sorted({f"{each.distribution} ({each.kind})" for each in wanting if each.distribution}))
            hint = f"claimed by: {others}" if others else installed_list(claims)
            problem = "which does not claim the name"
        raise PluginError(f"{name} is pinned to {pin}, {problem}", scheme=name, distribution=pin, hint=hint)
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
            raise _unknown(f"{source} names {name}, which is not an installed plugin", name, installed, claims)
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
                problem = f"{source} names {name}, which is neither an installed plugin nor a scheme of one"
                raise _unknown(problem, name, distributions | schemes, claims)
            found.update(dict.fromkeys(meant - found.keys(), f"{source} names {name}"))
    return found


def _unknown(problem: str, name: str, names: set[str], claims: Iterable[Claim]) -> PluginError:
    """Return the error for a name that is none of `names`."""
    prefix = "urlschemes-"
    own = {each.removeprefix(prefix) for each in names if each.startswith(prefix)}
    near = None if name.startswith(prefix) else suggestion(name, names)
    near = near or suggestion(name.removeprefix(prefix), own, prefix)
    return PluginError(problem, distribution=name, hint=near or installed_list(claims))


def _names(value: str) -> list[str]:
    return [name.strip() for name in value.split(",") if name.strip()]


def _distributions(claims: Iterable[Claim]) -> set[str]:
    return {distribution_key(claim.distribution) for claim in claims if claim.state != "ignored"} - {""}
