"""The plugins of one registry: which of the installed ones count, and what each provides, loaded once.

Nothing is searched for, and no plugin is imported, before it is needed. No lock is held while one is imported. Whatever
a plugin does wrong becomes an error that names its distribution, and it is not tried again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from copy import copy
from functools import partial
from importlib import import_module
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from urlschemes.errors import PluginContractError, PluginError, PluginLoadError, PluginRecordError, RegistrationError
from urlschemes.grammar.profile import Profile
from urlschemes.record.record_table import text_of_file
from urlschemes.record.registration import Registration
from urlschemes.redaction import described
from urlschemes.registry.claims import (
    HOOKS,
    PROFILES,
    READERS,
    RECORDS,
    SCHEMES,
    Claim,
    Diagnosis,
    distribution_key,
    installed_list,
    removal_hint,
    subject,
)
from urlschemes.registry.discovery import discover, installed_claims
from urlschemes.registry.ledgers import ledger_claims, named_in
from urlschemes.registry.names import Ledger, how_to_install, reserved_names, suggestion
from urlschemes.registry.readers import CHOICE
from urlschemes.registry.selection import Rules, Selection, select
from urlschemes.rfc1738 import RFC1738
from urlschemes.scheme.scheme import Scheme, check_type
from urlschemes.storage.package_data import locate, read_file

if TYPE_CHECKING:
    from urlschemes.registry.hooks import HookSource

T = TypeVar("T")

SLOW_IMPORT = 1.0
"""Seconds after which the import of a plugin is logged as slow."""


class Plugins:
    """The plugins that `rules` let take part, with their records of the `profile`.

    `selected` holds the claims once they were searched for; `loaded` the schemes in use, by name; `broken` the claims
    that failed, with their errors.

    Raises PluginError for a profile that is not installed, TypeError for none.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._lock = Lock()
        self.selected: Selection | None = None
        self._hook_sources: tuple[HookSource, ...] | None = None
        self.loaded: dict[str, Scheme] = {}
        self.broken: dict[Claim, PluginError] = {}
        self.profile = RFC1738
        if isinstance(rules.profile, Profile):
            self.profile = rules.profile
        else:
            self.profile, self.selected = self.installed_profile(rules.profile), None

    def installed_profile(self, name: str) -> Profile:
        """Return the profile of that name, imported. Raises PluginError."""
        if name == RFC1738.name:
            return RFC1738
        claims = [each for each in self.selection().claims if each.group == PROFILES]
        active = {each.name: each for each in claims if each.state == "active"}
        if name in active:
            return self._once(active[name], load_object)  # type: ignore[return-value]  # the claim is for a profile
        own, known = [each for each in claims if each.name == name], reserved_names().profiles
        near = (
            how_to_install(known[name]) if name in known else suggestion(name.lower(), [RFC1738.name, *active, *known])
        )
        hint = near if near and not own else f"installed profiles: {', '.join([RFC1738.name, *active])}"
        raise PluginError(f"the profile {name} is {_states(own)}", hint=hint)

    def selection(self) -> Selection:
        """Return every claim, and which of them count; searched for once. Raises PluginError as `select` does."""
        if self.selected is None:
            selection = self._select(installed_claims(current_directory=self.rules.current_directory))
            with self._lock:
                if self.selected is None:
                    self.selected = selection
        return self.selected

    def _select(self, found: tuple[Claim, ...]) -> Selection:
        return select([*found, *ledger_claims(self.rules.records, found)], self.rules, self.profile)

    def require(self, names: Collection[str]) -> None:
        """Raise PluginError for a distribution that takes part in no profile."""
        claims = self.selection().claims
        for name in names:
            own = [claim for claim in claims if distribution_key(claim.distribution) == distribution_key(name)]
            # A scheme that is unused has a record of another profile.
            if not any(claim.state == "active" or (claim.group, claim.state) == (SCHEMES, "unused") for claim in own):
                problem = f"the required plugin {name} is {_states(own)}"
                raise PluginError(problem, distribution=name, hint=installed_list(claims))

    def scheme(self, claim: Claim) -> Scheme:
        """Return the scheme of an active claim, imported once. Raises as `load_scheme` does."""
        if claim.name not in self.loaded:
            loaded = self._once(claim, partial(load_scheme, profile=self.profile))
            with self._lock:
                self.loaded.setdefault(claim.name, loaded)
        return self.loaded[claim.name]

    def load(self, claim: Claim) -> object:
        """Return what an active claim names, with all that using it would import.

        Raises as `load_object` does, and PluginError for a claim that is not active.
        """
        if claim.state != "active" or claim not in self.selection().claims:
            reason = f"is {claim.state}: {claim.reason}" if claim.state != "active" else "is not one of this registry"
            raise PluginError(f"the claim of {claim.provider} for {claim.name} {reason}", distribution=claim.provider)
        claims, hooks = self.selection().claims, self.selection().hook_names
        return self._once(claim, partial(load_object, profile=self.profile, claims=claims, hooks=hooks))

    def hook_sources(self) -> tuple[HookSource, ...]:
        """Return the installed implementations of hooks; nothing is imported."""
        if self._hook_sources is None:
            claims = [each for each in self.selection().claims if each.group == HOOKS and each.state == "active"]
            first = {each.place: each for each in reversed(claims)}
            hooks = self.selection().hook_names
            sources = [
                _hook_source(each, claims, hooks, partial(self._once, each, import_claimed)) for each in first.values()
            ]
            with self._lock:
                if self._hook_sources is None:  # another thread may have been faster
                    self._hook_sources = tuple(sources)
        return self._hook_sources

    def ledgers(self) -> Iterator[Ledger]:
        """Iterate over what the folders of records say of names without a record; a file that is wrong is left out."""
        for ledger in self.selection().claims:
            with suppress(PluginError):  # `diagnose` names it
                if ledger.group == RECORDS and ledger.state == "active" and (found := named_in(ledger)):
                    yield found

    def present(self, claim: Claim) -> Claim:
        """Return the claim, in the state that its use gave it."""
        if claim.state != "active":
            return claim
        if claim.group == READERS:
            return claim._replace(state=CHOICE.state, reason=CHOICE.reason)
        error = self.broken.get(claim)
        return as_broken(claim, error) if error else claim

    def fault(self, claim: Claim, load: Callable[[Claim], object] | None = None) -> PluginError | None:
        """Return why an active claim cannot be used: it failed before, or its record is wrong, or `load` fails."""
        if claim.state != "active" or claim in self.broken:
            return self.broken.get(claim)
        try:
            if load is not None:
                load(claim)
            elif claim.group == SCHEMES:
                load_record(claim, self.profile)
            elif claim.group == RECORDS:
                named_in(claim)
        except PluginError as error:
            return error
        return None

    def diagnose(self, judged: Callable[[Claim], Claim], *, load: bool) -> Iterator[Diagnosis]:
        """Search again, without the cache, and examine every claim, as `judged` gives its state.

        Records are read; with `load`, plugins are imported too. What the plugins provide does not change.
        """
        selection = self._select(discover(current_directory=self.rules.current_directory))
        hooks = selection.hook_names
        loading = partial(load_object, profile=self.profile, claims=selection.claims, hooks=hooks) if load else None
        for claim in map(self.present, map(judged, selection.claims)):
            began = perf_counter()
            if error := self.fault(claim, loading):
                yield Diagnosis(as_broken(claim, error))
            else:
                yield Diagnosis(claim, perf_counter() - began if load and claim.state == "active" else None)

    def _once(self, claim: Claim, load: Callable[[Claim], T]) -> T:
        """Return what `load` returns. Raises the PluginError that it raises, now or the first time."""
        if (broken := self.broken.get(claim)) is not None:
            raise copy(broken)
        began = perf_counter()
        try:
            loaded = load(claim)
        except PluginError as error:
            with self._lock:
                self.broken[claim] = copy(error)  # without the traceback, which keeps alive the caller's variables
            raise
        seconds = perf_counter() - began
        with self._lock:
            self.broken.pop(claim, None)  # the plugin may have tried to use its own scheme while it was imported
        if seconds > SLOW_IMPORT:
            from logging import INFO, WARNING, getLogger  # it takes longer to import than a URL to parse

            level = INFO if claim.distribution.startswith("urlschemes-") else WARNING  # it is a fault of others only
            getLogger("urlschemes").log(level, "%s took %.1f s to import for %s", claim.provider, seconds, claim.name)
        return loaded


def _states(claims: Iterable[Claim]) -> str:
    """Return the states of claims that do not count, with the reasons; "not installed" if there are none."""
    return " and ".join(sorted({f"{claim.state}: {claim.reason}" for claim in claims})) or "not installed"


def load_record(claim: Claim, profile: Profile = RFC1738) -> Registration:
    """Return the record of `profile` that the claim refers to, read from its file; nothing is imported.

    Raises PluginLoadError if there is no such package, PluginRecordError for an invalid record, PluginContractError if
    it cannot be read, or is of another scheme or version.
    """
    try:
        text, source = record_text(claim, profile)
        record = Registration.from_text(text, source=source, profile=profile)
        if claim.in_ledger and not claim.distribution:  # its author asks about it before its URLs are read
            record.syntax.compile()
    except (OSError, UnicodeDecodeError) as error:
        wants = f"{profile.record}, in UTF-8, in {claim.module}" if claim.module else "a file in UTF-8"
        raise _broken(claim, f"its record cannot be read: {described(error)}", wants, "none") from error
    except Exception as error:  # a wrong record, no such package, or another package's finder failed
        raise _blamed(claim, error) from error
    if record.scheme != claim.name:
        wants = f"scheme = {claim.name!r}"
        rename = f": name the file {record.scheme}.toml" if claim.in_ledger else ""
        raise _broken(claim, f"{source} is the record of {record.scheme!r}{rename}", wants, record.scheme)
    if claim.in_ledger and record.operations:  # they are offered where there is code
        fields = {name: getattr(record, name) for name in record.__slots__}
        record = Registration(**{**fields, "operations": ()})
    return record


def record_text(claim: Claim, profile: Profile) -> tuple[str, str]:
    """Return the text of the record, and the path of its file: in the claim's package, else in a ledger."""
    if claim.module:
        try:
            return read_file(claim.module, profile.record)
        except FileNotFoundError:
            if not claim.profiles:
                raise
    return text_of_file(claim.records[0], owned=not claim.distribution), claim.records[0]


def load_scheme(claim: Claim, profile: Profile = RFC1738) -> Scheme:
    """Return the scheme that the claim names, imported if it has code for `profile`.

    Raises PluginLoadError, PluginRecordError, PluginContractError.
    """
    record = load_record(claim, profile)  # no code is executed that was written for another version of the core
    claim = code_for(claim, profile)
    found = _checked_scheme(claim, import_claimed(claim), profile) if claim.attribute else None
    try:
        scheme = found or Scheme(record)
        check_type(scheme.url_type, scheme.name)
        scheme.url_type.syntax.compile()  # now, so that its faults are the plugin's
    except (PluginContractError, RegistrationError) as error:
        raise _blamed(claim, error) from error
    except Exception as error:
        problem = f"its URL type cannot be used: {described(error)}"
        raise _broken(claim, problem, "a subclass of urlschemes.URL", described(error)) from error
    return scheme


def code_for(claim: Claim, profile: Profile) -> Claim:
    """Return the claim with the module that has the code for `profile`; without an attribute if there is none."""
    if not claim.attribute:
        return claim
    module = ".".join(filter(None, (claim.module, profile.module)))
    try:
        locate(module)
    except ModuleNotFoundError:
        return claim._replace(attribute="")
    return claim._replace(module=module)


def load_object(
    claim: Claim, profile: Profile = RFC1738, claims: Iterable[Claim] = (), hooks: Iterable[str] = ()
) -> object:
    """Return what the claim names, with everything that using it would import, checked as far as possible.

    A scheme is that of `profile`, and must have a function for each of its operations; a module of hooks must have
    those of the names `hooks` that `claims` announce. Raises as `load_scheme` does.
    """
    if claim.group == SCHEMES:
        scheme = load_scheme(claim, profile)
        for operation in scheme.registration.operations if scheme.access else ():
            try:
                scheme.algorithm(operation)
            except MemoryError:
                raise
            except (Exception, SystemExit) as error:
                raise _blamed(claim, error, "its algorithm: ") from error
        return scheme
    if claim.group == RECORDS:
        return named_in(claim)
    found = import_claimed(claim)
    if claim.group == HOOKS:
        from urlschemes.registry.hooks import implementations  # pluggy

        implementations(found, _hook_source(claim, claims, hooks, partial(import_claimed, claim)))
    elif claim.group == PROFILES and not (isinstance(found, Profile) and found.name == claim.name):
        raise _broken(claim, f"it provides {found!r}", f"the Profile {claim.name}", repr(found))
    return found


def import_claimed(claim: Claim) -> object:
    """Import and return the object that the claim names. Raises as `load_scheme` does."""
    try:
        found: object = import_module(claim.module)
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        raise _blamed(claim, error) from error
    for name in claim.attribute.split(".") if claim.attribute else ():
        try:
            found = getattr(found, name)
        except (Exception, SystemExit) as error:
            wants = f"{claim.module}:{claim.attribute}"
            raise _broken(claim, f"there is no {wants}", wants, described(error)) from error
    return found


def _checked_scheme(claim: Claim, found: object, profile: Profile) -> Scheme:
    """Return the object if it is the scheme that the claim promises. Raises PluginContractError."""
    if not isinstance(found, Scheme):
        kind = found if isinstance(found, type) else type(found)
        has = f"{'the class' if kind is found else 'an instance of'} {kind.__qualname__}"
        raise _broken(claim, f"{claim.module}:{claim.attribute} is {has}", "a urlschemes.Scheme", has)
    has, wants = f"the scheme {found.name}", f"the scheme {claim.name}"
    if has == wants:
        has, wants = (f"a scheme of {each.name}" for each in (found.registration.profile, profile))
    if has != wants:
        raise _broken(claim, f"it provides {has}", wants, has)
    return found


def _blamed(claim: Claim, error: BaseException, what: str = "") -> PluginError:
    """Return the error for an `error` that the plugin caused: it names the distribution, and how to do without it."""
    if isinstance(error, PluginContractError):
        return _broken(claim, error.message, error.wants, error.has, error.hint)
    if isinstance(error, RegistrationError):
        details = {name: getattr(error, name) for name in ("source", "field", "line", "rule")}
        return PluginRecordError(error.message, **details, **_of_claim(claim, error.hint))
    return PluginLoadError(f"{subject(claim)}cannot be imported: {what}{described(error)}", **_of_claim(claim))


def _broken(claim: Claim, message: str, wants: str, has: str, hint: str | None = None) -> PluginContractError:
    plugin, record = f"{subject(claim)}breaks the plugin contract", f"the record of {claim.name} is wrong"
    message = f"{record if claim.in_ledger else plugin}: {message}"
    return PluginContractError(message, wants=wants, has=has, **_of_claim(claim, hint))


def _of_claim(claim: Claim, hint: str | None = None) -> dict[str, Any]:
    """Return details of an error about the claim; its hint says how to correct it, if known, and to do without it."""
    details = {"distribution": claim.provider, "hint": removal_hint(claim, hint)}
    return {"scheme": claim.name if claim.group == SCHEMES else None, **details}


def _hook_source(claim: Claim, claims: Iterable[Claim], hooks: Iterable[str], load: Callable[[], object]) -> HookSource:
    """Return the source of all hooks that the claims for this claim's module announce."""
    from urlschemes.registry.hooks import HookSource  # pluggy takes longer to import than all else

    names = frozenset(each.name for each in claims if each.group == HOOKS and each.place == claim.place)
    return HookSource(claim.provider, load, {*hooks, *names}, names, removal_hint(claim))


def as_broken(claim: Claim, error: PluginError) -> Claim:
    """Return the claim in the state `broken`. The reason does not name the distribution, as the claim does."""
    return claim._replace(state="broken", reason=error.message.removeprefix(subject(claim)))
