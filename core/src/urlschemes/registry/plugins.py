"""The plugins of one registry: which are installed and count, and the result of using each.

Nothing is searched for, and no plugin is imported, before it is needed. A plugin that failed once is not tried again.
No lock is held while one is imported.
"""

from __future__ import annotations

from functools import partial
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from urlschemes.errors import PluginContractError, PluginError
from urlschemes.grammar.profile import RFC1738, Profile
from urlschemes.registry.claim_selection import Rules, Selection, installed_list, select
from urlschemes.registry.claims import HOOKS, PROFILES, Claim, distribution_key
from urlschemes.registry.discovery import discover, installed_claims
from urlschemes.registry.known_names import reserved_names
from urlschemes.registry.loading import import_claimed, load_object, load_scheme, removal_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from urlschemes.registry.hooks import HookSource
    from urlschemes.scheme.scheme import Scheme

    T = TypeVar("T")

__all__ = ["SLOW_IMPORT", "Plugins", "load_any"]

SLOW_IMPORT = 1.0
"""Seconds after which the import of a plugin is logged as slow."""


class Plugins:
    """The plugins that `rules` let take part, with their records of the `profile`.

    `loaded` holds the schemes in use, by name; `broken` the claims that failed, with their errors; `seconds` how long
    the imports of the others took. Raises PluginError for a profile that is not installed, TypeError for none.
    """

    def __init__(self, rules: Rules, *, current_directory: bool = False) -> None:
        self.rules = rules
        self.current_directory = current_directory
        self._lock = Lock()
        self._selection: Selection | None = None
        self._hook_sources: tuple[HookSource, ...] | None = None
        self.loaded: dict[str, Scheme] = {}
        self.broken: dict[Claim, PluginError] = {}
        self.seconds: dict[Claim, float] = {}
        self.profile = RFC1738
        if isinstance(rules.profile, Profile):
            self.profile = rules.profile
        elif not isinstance(rules.profile, str) or not rules.profile:  # type: ignore[redundant-expr]  # untyped callers
            raise TypeError(f"profile must be a Profile or the name of one, not {rules.profile!r}")
        elif rules.profile != RFC1738.name:
            self.profile, self._selection = self._installed_profile(rules.profile), None

    def _installed_profile(self, name: str) -> Profile:
        """Return the profile of that name, imported. Raises PluginError."""
        claims = [each for each in self.selection().claims if each.group == PROFILES]
        active = {each.name: each for each in claims if each.state == "active"}
        claim = active.get(name)
        if claim is None:
            from difflib import get_close_matches  # only a mistake needs it

            own, known = [each for each in claims if each.name == name], reserved_names().profiles
            near = get_close_matches(name.lower(), [RFC1738.name, *active, *known], 1, 0.7)
            hint = f"installed profiles: {', '.join([RFC1738.name, *active])}"
            if not own and (name in known or near):
                hint = f"pip install {known[name]}" if name in known else f"did you mean {near[0]}?"
            raise PluginError(f"the profile {name} is {_states(own)}", hint=hint)
        found = self._once(claim, import_claimed)
        if not isinstance(found, Profile) or found.name != name:
            message = f"{claim.provider} provides {found!r} as the profile {name}"
            wants, has = f"the Profile {name}", repr(found)
            raise PluginContractError(message, distribution=claim.distribution, wants=wants, has=has)
        return found

    def selection(self) -> Selection:
        """Return every claim, and which of them count; searched for once. Raises PluginError as `select` does."""
        if self._selection is None:
            selection = select(installed_claims(current_directory=self.current_directory), self.rules, self.profile)
            with self._lock:
                if self._selection is None:
                    self._selection = selection
        return self._selection

    def search_again(self) -> Selection:
        """Return what `selection` would if it were called for the first time now, without the cache."""
        return select(discover(current_directory=self.current_directory), self.rules, self.profile)

    def require(self, names: Collection[str]) -> None:
        """Raise PluginError for a distribution that does not take part."""
        claims = self.selection().claims
        active = {distribution_key(claim.distribution) for claim in claims if claim.state == "active"}
        for name in names:
            if distribution_key(name) not in active:
                own = [claim for claim in claims if distribution_key(claim.distribution) == distribution_key(name)]
                problem = f"the required plugin {name} is {_states(own)}"
                raise PluginError(problem, distribution=name, hint=installed_list(claims))

    def scheme(self, claim: Claim) -> Scheme:
        """Return the scheme of an active claim, imported once. Raises PluginLoadError, PluginContractError."""
        loaded = self.loaded.get(claim.name)
        if loaded is None:
            loaded = self._once(claim, lambda each: load_scheme(each, self.profile))
            with self._lock:
                loaded = self.loaded.setdefault(claim.name, loaded)
        return loaded

    def load(self, claim: Claim) -> object:
        """Return what an active claim names, with all that using it would import.

        Raises PluginLoadError, PluginContractError; PluginError for a claim that is not active.
        """
        if claim.state != "active" or claim not in self.selection().claims:
            reason = f"is {claim.state}: {claim.reason}" if claim.state != "active" else "is not one of this registry"
            raise PluginError(f"the claim of {claim.provider} for {claim.name} {reason}", distribution=claim.provider)
        return self._once(claim, lambda each: load_any(each, self.selection().claims, self.profile))

    def hook_sources(self) -> tuple[HookSource, ...]:
        """Return the installed implementations of hooks; nothing is imported."""
        if self._hook_sources is None:
            claims = [each for each in self.selection().claims if each.group == HOOKS and each.state == "active"]
            first = {(each.distribution, each.module, each.attribute): each for each in reversed(claims)}
            sources = tuple(
                _hook_source(each, claims, partial(self._once, each, import_claimed)) for each in first.values()
            )
            with self._lock:
                if self._hook_sources is None:  # another thread may have been faster
                    self._hook_sources = sources
        return self._hook_sources

    def _once(self, claim: Claim, load: Callable[[Claim], T]) -> T:
        """Return what `load` returns. Raises the PluginError that it raises, now or the first time."""
        broken = self.broken.get(claim)
        if broken is not None:
            raise _copy(broken)
        began = perf_counter()
        try:
            loaded = load(claim)
        except PluginError as error:
            with self._lock:
                self.broken[claim] = _copy(error)
            raise
        seconds = perf_counter() - began
        with self._lock:
            self.seconds.setdefault(claim, seconds)
            self.broken.pop(claim, None)  # the plugin may have tried to use its own scheme while it was imported
        if seconds > SLOW_IMPORT:
            from logging import getLogger  # it takes longer to import than a URL to parse

            getLogger("urlschemes").warning("%s took %.1f s to import for %s", claim.provider, seconds, claim.name)
        return loaded


def _states(claims: Iterable[Claim]) -> str:
    """Return the states of claims that do not count, with the reasons; "not installed" if there are none."""
    return " and ".join(sorted({f"{claim.state}: {claim.reason}" for claim in claims})) or "not installed"


def _copy(error: PluginError) -> PluginError:
    """Return an equal error without cause and traceback, which would keep alive the variables of the first caller."""
    from copy import copy  # only a fault needs it

    return copy(error)


def load_any(claim: Claim, claims: Iterable[Claim], profile: Profile = RFC1738) -> object:
    """Return what the claim names, checked as far as possible; of `claims`, those for hooks of its module count.

    A scheme is that of `profile`. Raises PluginLoadError, PluginContractError.
    """
    if claim.group != HOOKS:
        return load_object(claim, profile)
    from urlschemes.registry.hooks import check_implementation

    found = import_claimed(claim)
    check_implementation(found, _hook_source(claim, claims, partial(import_claimed, claim)))
    return found


def _hook_source(claim: Claim, claims: Iterable[Claim], load: Callable[[], object]) -> HookSource:
    """Return the source of all hooks that the claims for this claim's module announce."""
    from urlschemes.registry.hooks import HookSource  # pluggy takes longer to import than all else

    place = claim.distribution, claim.module, claim.attribute
    same = [
        each for each in claims if each.group == HOOKS and (each.distribution, each.module, each.attribute) == place
    ]
    return HookSource(claim.provider, load, frozenset(each.name for each in same), removal_hint(claim))
