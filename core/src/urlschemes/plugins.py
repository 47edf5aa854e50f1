"""The plugins of one registry: which are installed and count, and what came of using each.

Nothing is looked for before it is needed. A plugin that failed once is not tried again. No lock is held while one is
imported.
"""

from __future__ import annotations

from _thread import allocate_lock  # what `threading.Lock` is, without the import of `threading`
from time import perf_counter

from urlschemes.cached_claims import installed_claims
from urlschemes.choice import Installed, Rules, installed_list, settled
from urlschemes.claims import HOOKS, Claim, distribution_key, hook_of
from urlschemes.loading import implementation, provided, used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import TypeVar

    from urlschemes.errors import PluginError
    from urlschemes.hooks import Hooks
    from urlschemes.ledger import Ledger
    from urlschemes.scheme import Scheme

    T = TypeVar("T")

__all__ = ["SLOW_IMPORT", "Plugins"]

SLOW_IMPORT = 1.0
"""Seconds after which the import of a plugin is worth a warning."""


class Plugins:
    """What is installed, as far as it may take part.

    `rules` say which may; with `current_directory` those count too that are found only through the current directory.
    `loaded` are the schemes of the claims that were used, by name. `broken` says which claims failed and how, `seconds`
    how long the imports of the others took.
    """

    def __init__(self, rules: Rules, *, current_directory: bool = False) -> None:
        self.rules = rules
        self._current_directory = current_directory
        self._lock = allocate_lock()
        self._installed: Installed | None = None
        self._listed: Installed | None = None  # as `_installed`, and enough for a list
        self._hooks: Hooks | None = None
        self.loaded: dict[str, Scheme] = {}
        self.broken: dict[Claim, PluginError] = {}
        self.seconds: dict[Claim, float] = {}

    def installed(self) -> Installed:
        """Every claim, and those that count; looked for once. Raises PluginError for a list that names nobody."""
        installed = self._installed
        if installed is None:
            installed = settled(installed_claims(current_directory=self._current_directory), self.rules)
            with self._lock:
                installed = self._installed = self._installed or installed
        return installed

    def names(self) -> Collection[str]:
        """The names of the schemes that count, for a list of them. Raises as `installed` does."""
        installed = self._installed or self._listed
        if installed is None:
            claims = installed_claims(current_directory=self._current_directory, edited=False)
            installed = self._listed = settled(claims, self.rules)
        return installed.chosen.keys()

    def look_again(self) -> Installed:
        """As `installed`, and looked for anew: what an earlier process found plays no part. Raises as it does."""
        from urlschemes.discovery import discover

        installed = settled(discover(current_directory=self._current_directory), self.rules)
        with self._lock:
            self._installed = installed
        return installed

    def require(self, names: Collection[str]) -> None:
        """Raise PluginError for a distribution that does not take part."""
        claims = self.installed().claims
        there = {distribution_key(claim.distribution): claim for claim in reversed(claims) if claim.state == "active"}
        for name in names:
            if distribution_key(name) not in there:
                states = {
                    f"{c.state}: {c.reason}"
                    for c in claims
                    if distribution_key(c.distribution) == distribution_key(name)
                }
                from urlschemes.errors import PluginError

                raise PluginError(
                    f"the required plugin {name} is {' and '.join(sorted(states)) or 'not installed'}",
                    distribution=name,
                    hint=installed_list(there.values()),
                )

    def scheme(self, claim: Claim) -> Scheme:
        """The scheme of a claim that counts, imported once. Raises PluginLoadError, PluginContractError."""
        loaded = self.loaded.get(claim.name)
        if loaded is None:
            loaded = self.tried(claim, provided)
            with self._lock:
                loaded = self.loaded.setdefault(claim.name, loaded)
        return loaded

    def load(self, claim: Claim) -> object:
        """What an active claim names, with all that it is used for. Raises as `scheme`, and PluginError."""
        if claim.state != "active" or claim not in self.installed().claims:
            from urlschemes.errors import PluginError

            said = f"is {claim.state}: {claim.reason}" if claim.state != "active" else "is not of this registry"
            raise PluginError(f"what {claim.provider} claims as {claim.name} {said}", distribution=claim.provider)
        return self.tried(claim, lambda each: used(each, self.installed().claims))

    def tried(self, claim: Claim, provide: Callable[[Claim], T]) -> T:
        """What `provide` makes of the claim. Raises the PluginError that it raises, now or the first time."""
        broken = self.broken.get(claim)
        if broken is not None:
            from copy import copy

            raise copy(broken) from broken.__cause__
        began = perf_counter()
        try:
            provided = provide(claim)
        except Exception as error:
            from urlschemes.errors import PluginError

            if isinstance(error, PluginError):
                with self._lock:
                    self.broken[claim] = error
            raise
        seconds = perf_counter() - began
        with self._lock:
            self.seconds.setdefault(claim, seconds)
        if seconds > SLOW_IMPORT:
            from logging import getLogger

            getLogger("urlschemes").warning("%s took %.1f s to import for %s", claim.provider, seconds, claim.name)
        return provided

    def hooks(self, *names: str) -> Hooks | None:
        """The hooks, where somebody has one of those `names`; pluggy is imported only then."""
        if self._hooks is None and not any(claim.name in names for claim in self._hook_claims()):
            return None
        return self.hooks_to_extend()

    def hooks_to_extend(self) -> Hooks:
        """The hooks, made now where there are none. What implements them is imported when it is first called."""
        hooks = self._hooks
        if hooks is None:
            from functools import partial

            from urlschemes.hooks import Hooks

            claims = self._hook_claims()
            hooks = Hooks((hook_of(claim.name), claim.provider, partial(self._try_hook, claim)) for claim in claims)
            with self._lock:
                hooks = self._hooks = self._hooks or hooks
        return hooks

    def _try_hook(self, claim: Claim) -> object:
        """What implements a hook, imported and checked. Raises PluginLoadError, PluginContractError."""
        return self.tried(claim, lambda claim: implementation(claim, self.installed().claims))

    def _hook_claims(self) -> list[Claim]:
        return [claim for claim in self.installed().claims if claim.group == HOOKS and claim.state == "active"]

    def ledgers(self) -> tuple[Ledger, ...]:
        """The core's own ledger, and those that hooks give, each of which is asked for it once."""
        from urlschemes.ledger import own_ledger

        hooks = self.hooks("ledger")
        return (own_ledger(), *(hooks.ledgers() if hooks else ()))
