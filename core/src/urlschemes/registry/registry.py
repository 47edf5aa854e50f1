"""The registry of schemes (RFC 1738 section 4): who provides a name, and the scheme itself, loaded when it is needed.

A name has at most one provider, which `selection` chooses. A plugin that fails breaks its own scheme and nothing else.

Everything here may be called from several threads; no lock is held while a plugin is imported. An import runs in this
process and cannot be interrupted; one that takes longer than a second is logged.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from threading import Lock
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from urlschemes.errors import (
    InvalidURL,
    PluginConflict,
    PluginContractError,
    PluginError,
    UnknownScheme,
    invalid_url,
    members,
    require_type,
)
from urlschemes.grammar.profile import Profile
from urlschemes.record.registration import Registration
from urlschemes.registry.claims import OWN_SPECIFICATIONS, SCHEMES, Claim, Diagnosis
from urlschemes.registry.names import KnownName, Ledger, Names, Why, core_ledger, known_names, merged
from urlschemes.registry.overrides import Overrides
from urlschemes.registry.plugins import Plugins, as_broken, load_record
from urlschemes.registry.selection import Rules
from urlschemes.rfc1738 import RFC1738
from urlschemes.scheme.scheme import Scheme, check_type, lower_case, read_as
from urlschemes.url import pattern_reader
from urlschemes.url.algorithms import algorithms_of
from urlschemes.url.value import LIMIT, URL

if TYPE_CHECKING:
    from urlschemes.registry.hooks import HookSource

FolderPath: TypeAlias = str | os.PathLike[str]

T = TypeVar("T")
U = TypeVar("U", bound=URL)


class Registry:
    """Schemes by name: those that are installed, and those that the program registers itself.

    It reads as a Mapping, but is equal to itself only, and `items` and `values` leave out what cannot be loaded.

    Making one costs nothing: installed schemes are searched for when they are first needed, and a plugin is imported
    when its scheme is. `plugins` are the distributions that may take part (None: all that are installed; the variable
    `URLSCHEMES_PLUGINS` restricts them further). `disable` lists distributions and schemes that may not, as does the
    variable `URLSCHEMES_DISABLE`. `require` lists distributions without which the registry is not made. `pins` chooses
    between distributions that claim one name: `{"x-foo": "foo-schemes"}`. With `current_directory`, distributions that
    are found only through the current directory count too. `profile` is the generation of URLs, or its name: schemes
    are those that have a record of it. `records` are folders that are ledgers, the first one first: each file
    `NAME.toml` is the record of a scheme that no plugin claims.

    Raises PluginError when it is made if a required distribution or the profile is missing, and when it is first used
    if `plugins`, `disable` or one of the variables names a distribution that is not installed, or if a folder of
    `records` cannot be read or can be written by other users.
    """

    def __init__(
        self,
        plugins: Collection[str] | None = None,
        *,
        require: Collection[str] = (),
        disable: Collection[str] = (),
        pins: Mapping[str, str] | None = None,
        current_directory: bool = False,
        profile: Profile | str = RFC1738,
        records: FolderPath | Collection[FolderPath] = (),
    ) -> None:
        allowed = {} if plugins is None else {"Registry(plugins=...)": members("plugins", plugins, str)}
        disabled = {"Registry(disable=...)": members("disable", disable, str)}
        require_type("pins", pins, Mapping, NoneType)
        require_type("profile", profile, Profile, str)
        folded_pins = {lower_case(name): pin for name, pin in (pins or {}).items()}
        members("pins", folded_pins.values(), str)
        require_type("records", records, str, os.PathLike, Collection)
        folders = (records,) if isinstance(records, str | os.PathLike) else records
        for folder in folders:
            require_type("a folder of records", folder, str, os.PathLike)
        paths = tuple(os.path.abspath(os.fsdecode(folder)) for folder in folders)
        rules = Rules(allowed, disabled, folded_pins, profile, current_directory=current_directory, records=paths)
        self._start(rules, require)

    def _start(self, rules: Rules, require: Collection[str]) -> None:
        self._plugins = Plugins(rules)
        self._overrides = Overrides()
        self._known = Names(self.ledgers, self._names)
        self._record = cache(lambda claim: load_record(claim, self.profile))
        self._lock = Lock()
        self._in_profiles: dict[Profile, Registry] = {}
        self._added_hooks: tuple[HookSource, ...] = ()
        self._of_hooks: tuple[tuple[HookSource, ...], tuple[Ledger, ...]] = (), ()
        self.reader = pattern_reader.READER(self, self._parse_slowly)
        """The reader of the schemes in use."""
        self._parse = self.reader.parse
        if required := members("require", require, str):
            self._plugins.require(required)

    @classmethod
    def from_rules(cls, rules: Rules, require: Collection[str] = ()) -> Registry:
        """Make a registry of rules that name the sources of their lists, for a program with options of its own."""
        registry = cls.__new__(cls)
        registry._start(rules, require)
        return registry

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the registry by its arguments; schemes are those that are installed where the pickle is loaded.

        Raises TypeError if the program added schemes or hooks to it, or took schemes out.
        """
        if any(self.snapshot().values()) or self._added_hooks:
            raise TypeError(
                "this registry cannot be pickled: the program added schemes or hooks to it, or took schemes out; "
                "put them into a distribution, or use Registry(disable=...)"
            )
        if self is registry_or_default(None, self.profile):
            return registry_or_default, (None, self.profile)  # a reader is pickled as it
        return type(self).from_rules, (self._plugins.rules._replace(profile=self.profile),)

    @property
    def profile(self) -> Profile:
        """The profile of its URLs."""
        return self._plugins.profile

    def in_profile(self, profile: Profile | str) -> Registry:
        """Return the registry of the same plugins in a profile, made once, without what the program added to this one.

        In its own profile, it is this registry itself. Raises PluginError for a profile that is not installed.
        """
        require_type("profile", profile, Profile, str)
        if profile in {self.profile, self.profile.name}:
            return self
        found = profile if isinstance(profile, Profile) else self._plugins.installed_profile(profile)
        if found not in self._in_profiles:
            made = self.from_rules(self._plugins.rules._replace(profile=found))
            self._in_profiles.setdefault(found, made)
        return self._in_profiles[found]

    # Who provides what

    def __getitem__(self, name: str) -> Scheme:
        """Return the scheme of that name, in any letter case; its plugin is imported now if it was not before.

        Raises UnknownScheme, PluginConflict, PluginLoadError, PluginRecordError, PluginContractError.
        """
        name = lower_case(name)
        scheme = self._current(name)
        if scheme is None:
            scheme = self._plugins.scheme(self._claim(name))
            self._refresh(name)
        return scheme

    def __contains__(self, name: object) -> bool:
        """Return True if a plugin or the program provides the name; nothing is imported."""
        return isinstance(name, str) and bool(self._current(name := lower_case(name)) or self._chosen(name))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of all schemes, sorted; nothing is imported."""
        return iter(sorted(self._names()))

    def __len__(self) -> int:
        return len(self._names())

    def __repr__(self) -> str:
        if self._plugins.selected is None:
            return f"<Registry {self.profile.name}>"
        names = ", ".join(self.keys()[:2]) or "no schemes"
        return f"<Registry {self.profile.name}: {names}{f', … ({len(self)})' if len(self) > 2 else ''}>"

    def keys(self) -> tuple[str, ...]:
        """Return the names of all schemes, sorted; nothing is imported."""
        return tuple(self)

    def items(self) -> tuple[tuple[str, Scheme], ...]:
        """Return the schemes that can be loaded, each after its name; their plugins are imported."""
        return tuple(self._usable_ones(self.__getitem__))

    def values(self) -> tuple[Scheme, ...]:
        """Return the schemes that can be loaded, sorted by name; their plugins are imported."""
        return tuple(scheme for _, scheme in self.items())

    def get(self, name: str, default: T | None = None) -> Scheme | T | None:
        """Return `registry[name]`, or `default` for a name that nothing provides. Raises PluginError."""
        try:
            return self[name]
        except UnknownScheme:
            return default

    def registration(self, name: str) -> Registration:
        """Return the record of one scheme, read once; nothing is imported. Raises as `registry[name]` does."""
        name = lower_case(name)
        scheme = self._current(name)
        return scheme.registration if scheme else self._record(self._claim(name))

    def registrations(self) -> tuple[Registration, ...]:
        """Return the records of all schemes, sorted by name; nothing is imported.

        Records that cannot be read are left out; `diagnose` names them.
        """
        return tuple(record for _, record in self._usable_ones(self.registration))

    def _usable_ones(self, get: Callable[[str], T]) -> Iterator[tuple[str, T]]:
        for name in self:
            with suppress(PluginError, UnknownScheme):  # UnknownScheme: another thread unregistered it
                yield name, get(name)

    def provider(self, name: str) -> str | None:
        """Return the provider of the scheme: a distribution with its version, "this program", or None."""
        name = lower_case(name)
        if self._overrides.change(name) in {"registered", "overridden"}:
            return "this program"
        claim = self._chosen(name)
        return claim.provider if claim else None

    def would_import_third_party(self, name: str) -> bool:
        """Return True if using the scheme would import a plugin that is not one of the reserved distributions."""
        name = lower_case(name)
        claim = self._chosen(name)
        if self._current(name) is not None or claim is None or claim.in_ledger:
            return False
        known = known_names().get(name)
        return known is None or not known.distribution

    def _chosen(self, name: str) -> Claim | None:
        """Return the claim that counts for `name`, unless the program took the scheme out."""
        taken_out = self._overrides.change(name) == "unregistered"
        return None if taken_out else self._plugins.selection().chosen.get(name)

    def _claim(self, name: str) -> Claim:
        """Return the claim that counts for `name`. Raises UnknownScheme, PluginConflict."""
        claim = self._chosen(name)
        if claim is None:
            raise self._no_provider(name)
        return claim

    # What is known, and what is wrong

    def ledgers(self) -> tuple[Ledger, ...]:
        """Return the registers of names that are known, installed or not: the core's own, plugins', and folders'."""
        sources, known = self.hook_sources(OWN_SPECIFICATIONS), self._of_hooks
        if known[0] != sources:  # they are asked once, and again if hooks were added meanwhile
            from urlschemes.registry import hooks  # pluggy, which nothing else here needs

            known = self._of_hooks = sources, tuple(hooks.ledgers(hooks.Hooks(hooks, lambda: sources)))
        return (core_ledger(), *known[1], *self._plugins.ledgers())

    def known_names(self) -> Mapping[str, KnownName]:
        """Return the entries of all ledgers, by name, sorted; the core's own takes precedence."""
        return merged(self.ledgers())

    def why(self, name: str) -> Why:
        """Return who provides `name`, by which rule, and how to choose otherwise; for any name. Nothing is imported."""
        name = lower_case(name)
        claims = self._claims_of(name)
        own = self._overrides.why(name, claims)
        if own is not None:
            return own
        faults = {claim: self._plugins.fault(claim) for claim in claims}
        checked = tuple(as_broken(claim, error) if error else claim for claim, error in faults.items())
        why = self._known.why(name, checked, pinned=name in self._plugins.rules.pins)
        error = next(filter(None, faults.values()), None)
        return why._replace(hint=error.hint) if error and why.provider is None else why

    def claims(self) -> tuple[Claim, ...]:
        """Return every claim that was found, in its present state; nothing is imported."""
        return tuple(self._plugins.present(self._overrides.judged(each)) for each in self._plugins.selection().claims)

    def load(self, claim: Claim) -> object:
        """Return the object that an active claim names, imported now with all that it uses, and checked.

        Raises PluginLoadError, PluginRecordError, PluginContractError; PluginError for a claim that is not active.
        """
        require_type("claim", claim, Claim)
        return self._plugins.load(claim)

    def diagnose(self, *, load: bool = False) -> tuple[Diagnosis, ...]:
        """Search again, without the cache, and examine every claim, and the schemes that the program registered itself.

        Records are read; with `load`, plugins are imported too. The registry itself does not change.
        """
        return (*self._plugins.diagnose(self._overrides.judged, load=load), *self._overrides.diagnose())

    def snapshot(self) -> Mapping[str, Mapping[str, object]]:
        """Return the schemes that the program registered, overrode and removed, by a description of each change."""
        return self._overrides.snapshot()

    def _names(self) -> Collection[str]:
        """Return the names of all schemes that are installed or registered; nothing is imported."""
        return self._overrides.names(self._plugins.selection().chosen)

    def _claims_of(self, name: str) -> tuple[Claim, ...]:
        """Return the claims for the scheme `name`, in the states that the program gives them."""
        claims = (each for each in self._plugins.selection().claims if (each.group, each.name) == (SCHEMES, name))
        return tuple(map(self._overrides.judged, claims))

    def _no_provider(self, name: str) -> UnknownScheme | PluginConflict:
        """Return the error for a name, in lower case, that nothing provides."""
        return self._known.no_provider(name, tuple(map(self._plugins.present, self._claims_of(name))))

    # What the program registers itself

    def register(self, scheme: Scheme | Registration, *, replace: bool = False) -> None:
        """Provide a scheme from within the program; a Registration alone makes one for parsing.

        Raises PluginConflict if the name has a provider already, unless `replace` is true.
        """
        added = self._usable(scheme)
        name = added.name
        provider = None if replace or name not in self else self.provider(name)
        if provider or not self._overrides.register(added, replace=replace):
            provider = provider or "this program"
            problem, claimants = f"{provider} already provides the scheme {name}", (provider, "this program")
            hint = "use register(scheme, replace=True) or override(scheme) to put another in its place"
            raise PluginConflict(problem, scheme=name, claimants=claimants, hint=hint)
        self._refresh(name)

    def unregister(self, name: str) -> None:
        """Undo `register`; an installed scheme is switched off in this registry until the name is registered again.

        Raises UnknownScheme.
        """
        name = lower_case(name)
        if name not in self:
            raise self._no_provider(name)
        if not self._overrides.unregister(name, installed=name in self._plugins.selection().chosen):
            message = f"the scheme {name} cannot be unregistered: it is known from override(scheme) only"
            raise UnknownScheme(message, scheme=name, hint="leave its `with` block")
        self._refresh(name)

    @contextmanager
    def override(self, scheme: Scheme | Registration) -> Iterator[Scheme]:
        """Use `scheme` in the `with` block, in all threads, instead of any other scheme of the same name."""
        added = self._usable(scheme)
        self._overrides.push_override(added)
        try:
            self._refresh(added.name)
            yield added
        finally:
            self._overrides.pop_override(added)
            self._refresh(added.name)

    def _usable(self, scheme: Scheme | Registration) -> Scheme:
        """Return the scheme with its pattern compiled. Raises GrammarError, PluginContractError."""
        require_type("scheme", scheme, Scheme, Registration)
        made = Scheme(scheme) if isinstance(scheme, Registration) else scheme
        has = made.registration.profile
        if has is not self.profile:
            message = f"the scheme {made.name} is of the profile {has.name}, the registry of {self.profile.name}"
            raise PluginContractError(message, scheme=made.name, wants=self.profile.name, has=has.name)
        check_type(made.url_type, made.name)
        made.url_type.syntax.compile()
        return made

    def _current(self, name: str) -> Scheme | None:
        """Return the scheme in use, if there is one without importing anything."""
        return self._overrides.current(name, self._plugins.loaded)

    def _refresh(self, name: str) -> None:
        """Let parsing see which scheme is in use now."""
        with self._lock:
            scheme = self._current(name)
            # A type with a `parse` of its own is asked to parse.
            if scheme is not None and scheme.url_type.parse.__func__ is URL.parse.__func__:  # type: ignore[attr-defined]
                self.reader.set(name, scheme.url_type)
            else:
                self.reader.remove(name)

    # URLs

    # The function of the reader, in a slot: it costs no more than a method, and a subclass may have a method instead.
    __slots__ = {
        "__dict__": "",
        "__weakref__": "",
        "_parse": """Return the URL that `text` is: an object of its scheme's type, which must be `type` or a subclass.

        A URL of this profile is parsed from its text, and returned if it is of that type already. `limit` bounds the
        number of characters. Raises InvalidURL, UnknownScheme (which says what is known of the name and what to
        install), PluginError if the plugin of the scheme is at fault.
        """,
    }

    if TYPE_CHECKING:

        @overload
        def parse(self, text: str | URL, *, limit: int = ...) -> URL: ...
        @overload
        def parse(self, text: str | URL, type: type[U], *, limit: int = ...) -> U: ...
        def parse(self, text: str | URL, type: type[URL] | None = None, *, limit: int = LIMIT) -> URL:  # noqa: A002  its name
            """Return the URL that `text` is: see `_parse`."""

    def _parse_slowly(self, text: str | URL, wanted: type[URL] | None = None, limit: int = LIMIT) -> URL:
        """Parse a URL, a long text, one whose scheme is in capitals or not loaded yet, or one that is not `wanted`."""
        require_type("limit", limit, int, float)
        if isinstance(text, URL) and text.syntax.profile is self.profile:
            found: URL = self._parse(str(text), wanted, limit)
            return text if type(found) is type(text) else found
        if isinstance(text, str):
            text = str.__str__(text)  # the characters that a subclass of str holds, whatever its methods say
        if not isinstance(text, str) or len(text) > limit:
            return self.parse_generic(text, limit=limit)  # type: ignore[arg-type]  # raises InvalidURL
        name = text.partition(":")[0]
        if name not in self:
            if name == text or not self.profile.is_scheme_name(name):
                self.parse_generic(text, limit=limit)  # there is no scheme name to look up: raises InvalidURL
            raise self._no_provider(lower_case(name))
        kind = self[name].url_type
        try:
            url = read_as(kind, text, limit)
        except InvalidURL as error:
            error.given += (wanted,) if wanted not in (None, URL) else ()
            raise
        if wanted is not None and not issubclass(kind, wanted):
            message = f"expected {wanted.__name__}, got {kind.__name__}"
            hint = f"`{wanted.__name__}.parse(text)` gives it" if issubclass(wanted, kind) else None
            details = {"scheme": lower_case(name), "section": self.profile.section("scheme"), "hint": hint}
            raise invalid_url(text, message, part="scheme", span=(0, len(name)), **details)
        return url

    def parse_generic(self, text: str, *, limit: int = LIMIT) -> URL:
        """Return the URL by the generic syntax of the profile, whatever its scheme. Raises InvalidURL."""
        url: URL = algorithms_of(self.profile).url_type.parse(text, limit=limit)
        return url

    def is_valid(self, text: str | URL, *, limit: int = LIMIT) -> bool:
        """Return True if `text` is a URL of a scheme of this registry. Raises PluginError."""
        try:
            self.parse(text, limit=limit)
        except (InvalidURL, UnknownScheme):
            return False
        return True

    def convert(self, url: URL) -> URL:
        """Return the URL of the same text in this registry, whatever profile `url` is of. A generic URL stays generic.

        Raises what parsing raises, and InvalidURL if a `?` divides parts in one profile and is data in the other.
        """
        require_type("url", url, URL)
        is_generic = url.registration is None
        text, document = str(url), self.profile.document
        try:
            unknown = algorithms_of(self.profile).of_unknown
            found = unknown(text) if is_generic else self.parse(text, limit=max(LIMIT, len(text)))
        except InvalidURL as error:
            error.given += (type(url),)
            if error.code == "fragment-present":
                error.hint = f"{document} has no fragments: convert url.replace(fragment=None)"
            raise
        before, after = (None if is_generic else _part_with_query_mark(each) for each in (url, found))
        if (before is None) == (after is None):
            return found
        place = text.index("?")
        problem = f"in {document}, " + (f"it is part of the {after}" if after else "it divides the URL")
        message, part = f"invalid character '?' at position {place}: {problem}", before or after
        hint, span = "leave it out, and what follows" if after else "write %3F", (place, place + 1)
        raise invalid_url(text, message, code="invalid-part", part=part, span=span, scheme=url.scheme, hint=hint)

    # Hooks

    def add_hooks(self, implementation: object, name: str = "this program") -> None:
        """Add the functions of a module or object that are marked with `urlschemes.registry.hooks.hookimpl`.

        `name` stands for them in errors. Raises PluginContractError for a hook that does not exist or takes other
        arguments, and without any hook; ValueError for a name that is taken.
        """
        from urlschemes.registry.hooks import HookSource, implementations  # pluggy

        require_type("name", name, str)
        if isinstance(implementation, type):
            kind = implementation.__name__
            raise TypeError(f"{kind} is a class: add an object of it, {kind}()")
        source = HookSource(name, lambda: implementation, self._plugins.selection().hook_names)
        implementations(implementation, source)
        installed = self._plugins.hook_sources()
        with self._lock:
            if any(each.provider == name for each in (*self._added_hooks, *installed)):
                raise ValueError(f"the name {name!r} is taken: choose another for these hooks")
            self._added_hooks = (*self._added_hooks, source)

    def hook_sources(self, specification: str | None = None) -> tuple[HookSource, ...]:
        """Return the providers of hook implementations, for `urlschemes.registry.hooks.Hooks`; nothing is imported.

        With the name of a module, only those of the hooks that it specifies.
        """
        sources = (*self._added_hooks, *self._plugins.hook_sources())
        if specification is None or not sources:
            return sources
        names = {name for name, module in self._plugins.selection().hooks if module == specification}
        return tuple(each for each in sources if each.names is None or each.names & names)


def _part_with_query_mark(url: URL) -> str | None:
    """Return the name of the part that holds the first `?` as data."""
    spans = {name: url.span(name) or (0, 0) for name in url.syntax.parts}
    return next((name for name, (start, end) in spans.items() if start <= str(url).find("?") < end), None)


Mapping.register(Registry)
if not TYPE_CHECKING:
    Registry.parse = Registry._parse

default_registry = Registry()
"""The registry of the functions that are not given another. It looks for plugins when it is first needed."""


def registry_or_default(registry: Registry | None, profile: Profile | str | None = None) -> Registry:
    """Return the argument `registry` of a function, by default that of the process, in the profile `profile`.

    Raises TypeError for a wrong type or for both arguments, PluginError for a profile that is not installed.
    """
    if registry is None:
        return default_registry if profile is None else default_registry.in_profile(profile)
    if profile is not None:
        raise TypeError("registry and profile cannot be combined: pass registry.in_profile(profile)")
    if isinstance(registry, Registry):
        return registry
    raise TypeError(f'registry must be a Registry, such as Registry(profile="rfc1738"), not {type(registry).__name__}')
