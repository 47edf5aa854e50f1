"""The registry of schemes (section 4): who provides a name, why, and the scheme itself, loaded when it is first needed.

A name has at most one provider. A claim counts when nobody else makes it, when the name is not reserved to somebody
else, and when the user did not switch it off; the order of `sys.path` or of installation never decides. A plugin that
fails breaks its own scheme and nothing else.

Everything here may be called from several threads; no lock is held while a plugin is imported. An import runs in this
process: it can do whatever the program can, and it cannot be stopped. One that takes longer than a second is logged.
"""

from __future__ import annotations

import re
import threading
from contextlib import contextmanager
from copy import copy
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from urlschemes.beside import locate, read_beside
from urlschemes.choice import Installed, installed_list, place, settled
from urlschemes.discovery import HOOKS, SCHEMES, Claim, described, discover, distribution_key
from urlschemes.display import one_line
from urlschemes.errors import (
    InvalidURL,
    PluginConflict,
    PluginContractError,
    PluginError,
    PluginLoadError,
    RedirectRefused,
    UnknownScheme,
    URLError,
)
from urlschemes.explanation import fault_of, is_scheme_name, refusal, refused
from urlschemes.ledger import KnownName, known_names
from urlschemes.loading import imported, provided, record
from urlschemes.registration import FILE, Registration
from urlschemes.scheme import Scheme
from urlschemes.url import LIMIT, URL, new

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from urlschemes.drive import TraceEvent
    from urlschemes.findings import Finding
    from urlschemes.hooks import Hooks
    from urlschemes.policy import Policy
    from urlschemes.repair import Fixed
    from urlschemes.resource import Answers, Attributes, Credentials, Document, Form, Listing, Session
    from urlschemes.wire import Algorithm, Authenticate

__all__ = ["Diagnosis", "Registry", "Why"]

SLOW_IMPORT = 1.0
"""Seconds after which the import of a plugin is worth a warning."""
NOBODYS = KnownName("")

T = TypeVar("T")
U = TypeVar("U", bound=URL)

# What `fix` would encode, and what in a redirect is a trick rather than a slip: controls, blanks and backslashes.
_NEVER_FOLLOWED = re.compile(r"[\x00-\x20\x7f\\]")


class Why(NamedTuple):
    """Who provides a name, by which rule, who else wants it, and how to choose otherwise. Prints as several lines."""

    name: str
    provider: str | None
    rule: str
    claims: tuple[Claim, ...]
    advice: str

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.provider or 'nobody provides it'}", f"  because {self.rule}"]
        lines += [f"  claim: {claim}" for claim in self.claims]
        return "\n".join(one_line(line, 1000) for line in [*lines, f"  to choose otherwise: {self.advice}"])


class Diagnosis(NamedTuple):
    """One claim, looked at closely.

    `file` is what would be imported for it, or the record where there is no code ("" where it cannot be found),
    `sha256` that file's hash, `seconds` how long the import took (None where nothing was imported).
    """

    claim: Claim
    file: str = ""
    sha256: str = ""
    seconds: float | None = None


class Registry:
    """Schemes by name: those that are installed, and those that the program registers itself.

    Making one costs nothing: what is installed is looked for when it is first needed, and a plugin is imported when
    its scheme is. `plugins` are the distributions that may take part (None: all that are installed; the environment
    variable `URLSCHEMES_PLUGINS`, a list with commas or `none`, restricts them further). `require` are distributions
    without which the registry is not made. `pins` choose between distributions that claim one name: `{"x-foo":
    "foo-schemes"}`. With `current_directory`, distributions that are found only through the current directory count
    too.

    Raises PluginError when it is made for what `require` misses, and when it is first used for a distribution that
    `plugins` or `URLSCHEMES_PLUGINS` names and nobody installed.
    """

    def __init__(
        self,
        plugins: Collection[str] | None = None,
        *,
        require: Collection[str] = (),
        pins: Mapping[str, str] | None = None,
        current_directory: bool = False,
    ) -> None:
        if isinstance(plugins, str) or isinstance(require, str):
            raise TypeError("plugins and require are collections of names, not one string")
        self._plugins = None if plugins is None else frozenset(map(distribution_key, plugins))
        self._pins = {_folded(name): distribution_key(pin) for name, pin in (pins or {}).items()}
        self._current_directory = current_directory
        self._lock = threading.Lock()
        self._installed: Installed | None = None
        # What parsing looks into: the pattern and the type of each scheme in use, by its name in lower case.
        self._readers: dict[str, tuple[Callable[[str], re.Match[str] | None], type[URL]]] = {}
        self._loaded: dict[str, Scheme] = {}
        self._broken: dict[Claim, PluginError] = {}
        self._seconds: dict[Claim, float] = {}
        self._hooks: Hooks | None = None
        self._registered: dict[str, Scheme] = {}
        self._overrides: dict[str, tuple[Scheme, ...]] = {}
        self._hidden: frozenset[str] = frozenset()
        if require:
            self._require(require)

    # Who provides what

    def __getitem__(self, name: str) -> Scheme:
        """The scheme of that name, in any letter case; its plugin is imported now, if it was not before.

        Raises UnknownScheme, PluginConflict, PluginLoadError, PluginContractError.
        """
        name = _folded(name)
        return self._current(name) or self._load(self._claim(name))

    def __contains__(self, name: object) -> bool:
        """Whether somebody provides the name; nothing is imported to find out."""
        if not isinstance(name, str):
            return False
        name = _folded(name)
        return self._current(name) is not None or (name not in self._hidden and name in self._find().chosen)

    def __iter__(self) -> Iterator[str]:
        """The names that somebody provides, sorted; nothing is imported."""
        names = {*self._find().chosen} - self._hidden | {*self._registered} | {*self._overrides}
        return iter(sorted(names))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def registration(self, name: str) -> Registration:
        """The record of one scheme, read from its file; nothing is imported. Raises as `registry[name]` does."""
        name = _folded(name)
        scheme = self._current(name)
        return scheme.registration if scheme else record(self._claim(name))

    def registrations(self) -> tuple[Registration, ...]:
        """The records of all schemes, sorted by name; nothing is imported. Those that cannot be read are left out."""
        records = []
        for name in self:
            try:
                records.append(self.registration(name))
            except (PluginError, UnknownScheme):  # `diagnose` says which; or it was unregistered meanwhile
                continue
        return tuple(records)

    def why(self, name: str) -> Why:
        """Who provides `name`, by which rule, and how to choose otherwise. Knows an answer for every name."""
        name = _folded(name)
        claims = self._claims_of(name)
        active = next((claim for claim in claims if claim.state == "active"), None)
        if name in self._overrides:
            return Why(
                name, "this program", "override(scheme) put it there for a while", claims, "leave its `with` block"
            )
        if name in self._registered:
            return Why(name, "this program", "register(scheme) was called", claims, f"unregister({name!r})")
        if active is None:
            error = self._absent(name)
            return Why(name, None, error.message, claims, error.hint or "install a distribution that provides it")
        if name in self._pins:
            return Why(name, active.provider, "the name is pinned to it", claims, "pin another: Registry(pins={...})")
        advice = f"override(scheme), or leave {active.distribution} out of URLSCHEMES_PLUGINS"
        rule = "no other distribution claims the name"
        if any(claim.state == "reserved" for claim in claims):
            rule = "the name is reserved to it"
        elif len(claims) > 1:
            rule = "the claims of other distributions do not count"
        return Why(name, active.provider, rule, claims, advice)

    def claims(self) -> tuple[Claim, ...]:
        """Every claim that was found and what became of it as far as is known; nothing is imported."""
        return tuple(map(self._as_known, self._find().claims))

    def _claims_of(self, name: str) -> tuple[Claim, ...]:
        claims = self._find().claims
        return tuple(self._as_known(claim) for claim in claims if claim.name == name and claim.group == SCHEMES)

    def _as_known(self, claim: Claim) -> Claim:
        if claim.state != "active":
            return claim
        if claim.group == SCHEMES and (claim.name in self._overrides or claim.name in self._registered):
            return claim._replace(state="disabled", reason="the program registered a scheme of that name itself")
        if claim.group == SCHEMES and claim.name in self._hidden:
            return claim._replace(state="disabled", reason=f"unregister({claim.name!r}) was called")
        broken = self._broken.get(claim)
        return claim._replace(state="broken", reason=broken.message) if broken else claim

    def load(self, claim: Claim) -> object:
        """The object that an active claim names, imported now. Raises PluginLoadError, PluginContractError."""
        return self._tried(claim, imported)

    def diagnose(self, *, load: bool = False) -> tuple[Diagnosis, ...]:
        """Every claim, looked at closely, and the schemes that the program registered itself.

        The records are read; with `load` the plugins are imported as well.
        """
        for claim in self.claims():
            if claim.state == "active":
                self._examine(claim, load=load)
        found = [self._diagnosis(claim) for claim in self.claims()]
        for name in sorted({*self._registered, *self._overrides}):
            scheme = self._current(name)
            if scheme is not None:
                kind = scheme.url_type
                own = Claim(name, "(this program)", "", "", kind.__module__, kind.__qualname__)
                found.append(Diagnosis(own._replace(reason=self.why(name).rule)))
        return tuple(found)

    def _examine(self, claim: Claim, *, load: bool) -> None:
        try:
            if claim.group == SCHEMES and not load:
                record(claim)
            elif claim.group == SCHEMES:
                self._load(claim)
            elif load:
                imported(claim)
        except PluginError as error:
            with self._lock:
                self._broken.setdefault(claim, error)

    def _diagnosis(self, claim: Claim) -> Diagnosis:
        from hashlib import sha256

        try:
            if claim.attribute or claim.group != SCHEMES:
                spec = locate(claim.module)
                file, read = spec.origin or "", getattr(spec.loader, "get_data", None)
                octets = read(file) if read else b""
            else:
                text, file = read_beside(claim.module, FILE)
                octets = text.encode()
        except Exception:  # noqa: BLE001  there may be nothing, or a finder of anybody's making
            return Diagnosis(claim)
        return Diagnosis(claim, file, sha256(octets).hexdigest(), self._seconds.get(claim))

    # What the program registers itself

    def register(self, scheme: Scheme | Registration, *, replace: bool = False) -> None:
        """Provide a scheme from within the program; a Registration alone makes one for parsing.

        Raises PluginConflict where somebody provides the name already, unless `replace` says that it is meant.
        """
        added = _usable(scheme)
        name = added.name
        provider = None if replace or name not in self else self.why(name).provider
        with self._lock:
            if provider or (name in self._registered and not replace):
                raise PluginConflict(
                    f"{provider or 'this program'} provides the scheme {name} already",
                    scheme=name,
                    claimants=(provider or "this program", "this program"),
                    hint="register(scheme, replace=True) or override(scheme) puts another in its place",
                )
            self._registered[name] = added
            self._refresh(name)

    def unregister(self, name: str) -> None:
        """Undo `register`; an installed scheme is switched off in this registry. Raises UnknownScheme."""
        name = _folded(name)
        if name not in self:
            raise self._absent(name)
        with self._lock:
            if self._registered.pop(name, None) is None:
                self._hidden |= {name}
            self._refresh(name)

    @contextmanager
    def override(self, scheme: Scheme | Registration) -> Iterator[Scheme]:
        """Within its `with` block, `scheme` is the scheme of its name, whoever else provides it; for all threads."""
        added = _usable(scheme)
        name = added.name
        with self._lock:
            self._overrides[name] = (*self._overrides.get(name, ()), added)
            self._refresh(name)
        try:
            yield added
        finally:
            with self._lock:
                left = [*self._overrides[name]]
                left.reverse()
                left.remove(added)  # the latest of its kind: blocks of several threads need not be nested
                left.reverse()
                self._overrides[name] = tuple(left)
                if not left:
                    del self._overrides[name]
                self._refresh(name)

    def _current(self, name: str) -> Scheme | None:
        """The scheme in use, if there is one without importing anything."""
        overrides = self._overrides.get(name)
        if overrides:
            return overrides[-1]
        registered = self._registered.get(name)
        if registered is not None or name in self._hidden:
            return registered
        return self._loaded.get(name)

    def _refresh(self, name: str) -> None:
        """Let parsing see what is in use now. The lock is held."""
        scheme = self._current(name)
        # A type that parses in its own way is asked to.
        if scheme is None or scheme.url_type.parse.__func__ is not URL.parse.__func__:  # type: ignore[attr-defined]
            self._readers.pop(name, None)
        else:
            self._readers[name] = (scheme.url_type.syntax.fullmatch, scheme.url_type)

    # What is installed

    def _find(self) -> Installed:
        installed = self._installed
        if installed is None:
            installed = settled(discover(current_directory=self._current_directory), self._plugins, self._pins)
            with self._lock:
                installed = self._installed = self._installed or installed
        return installed

    def _require(self, required: Collection[str]) -> None:
        claims = self._find().claims
        there = {distribution_key(claim.distribution): claim for claim in reversed(claims) if claim.state == "active"}
        for name in required:
            if distribution_key(name) not in there:
                states = {
                    f"{c.state}: {c.reason}"
                    for c in claims
                    if distribution_key(c.distribution) == distribution_key(name)
                }
                raise PluginError(
                    f"the required plugin {name} is {' and '.join(sorted(states)) or 'not installed'}",
                    distribution=name,
                    hint=installed_list(there.values()),
                )

    def _claim(self, name: str) -> Claim:
        """The claim that counts for `name`. Raises UnknownScheme, PluginConflict."""
        claim = self._find().chosen.get(name)
        if claim is None or name in self._hidden:
            raise self._absent(name)
        return claim

    def _absent(self, name: str) -> UnknownScheme | PluginConflict:
        """Why nobody provides `name`, and what is known of it."""
        claims = self._claims_of(name)
        conflict = [claim for claim in claims if claim.state == "conflict"]
        if conflict:
            return PluginConflict(
                f"several distributions claim the scheme {name}, so none is used: {'; '.join(map(place, conflict))}",
                scheme=name,
                claimants=tuple(claim.provider for claim in conflict),
                distribution=conflict[0].provider,
                hint=f"choose one: Registry(pins={{{name!r}: {conflict[0].distribution!r}}}), or uninstall the other",
            )
        known = self._known(name)
        install = f"pip install {known.distribution}" if known and known.distribution else None
        disabled = [claim for claim in claims if claim.state == "disabled"]
        if disabled:
            said = "; ".join(f"{claim.provider} ({claim.reason})" for claim in disabled)
            return UnknownScheme(f"the scheme {name} is installed but disabled: {said}", scheme=name)
        if claims:
            said = "; ".join(f"{claim.provider} is {claim.state}: {claim.reason}" for claim in claims)
            return UnknownScheme(f"nobody provides the scheme {name}: {said}", scheme=name, hint=install)
        if known is None:
            return UnknownScheme(f"no scheme is registered as {name!r}", scheme=name)
        about = (
            f"{known.means}, {known.reference}" if known.means and known.reference else known.means or known.reference
        )
        if install:
            return UnknownScheme(f"the scheme {name} ({about}) is not installed", scheme=name, hint=install)
        return UnknownScheme(
            f"the name {name} is reserved ({about}), and nobody provides it here; since then: {known.since}",
            scheme=name,
        )

    def _known(self, name: str) -> KnownName | None:
        known = known_names().get(name)
        if known is not None:
            return known
        try:
            hooks = self._hooked()
        except PluginError:  # the ledgers add words to an error; `diagnose` and every access say what is broken
            return None
        return hooks.known_name(name) if hooks else None

    def _load(self, claim: Claim) -> Scheme:
        """The scheme of an installed claim, its plugin imported. Raises PluginLoadError, PluginContractError."""
        name = claim.name
        loaded = self._loaded.get(name)
        if loaded is not None:
            return loaded
        loaded = self._tried(claim, provided)
        with self._lock:
            loaded = self._loaded.setdefault(name, loaded)
            self._refresh(name)
        return loaded

    def _tried(self, claim: Claim, provide: Callable[[Claim], T]) -> T:
        """What `provide` makes of the claim; once it has failed, it is not tried again. No lock is held meanwhile."""
        broken = self._broken.get(claim)
        if broken is not None:
            raise copy(broken) from broken.__cause__
        began = perf_counter()
        try:
            provided = provide(claim)
        except PluginError as error:
            with self._lock:
                self._broken[claim] = error
            raise
        seconds = perf_counter() - began
        with self._lock:
            self._seconds.setdefault(claim, seconds)
        if seconds > SLOW_IMPORT:
            from logging import getLogger

            getLogger("urlschemes").warning("%s took %.1f s to import for %s", claim.provider, seconds, claim.name)
        return provided

    def _hooked(self) -> Hooks | None:
        """The hooks, where there are any: pluggy is imported only then. Raises PluginLoadError, PluginContractError."""
        hooks = self._hooks
        if hooks is None:
            claims = [claim for claim in self._find().claims if claim.group == HOOKS and claim.state == "active"]
            if not claims:
                return None
            hooks = self._made_hooks(claims)
        return hooks

    def _made_hooks(self, claims: Iterable[Claim]) -> Hooks:
        from urlschemes.hooks import Hooks

        hooks = Hooks()
        for claim in claims:
            hooks.add(self._tried(claim, imported), f"{claim.provider} ({claim.name})")
        with self._lock:
            hooks = self._hooks = self._hooks or hooks
        return hooks

    # URLs

    @overload
    def parse(self, text: str, *, limit: int = ...) -> URL: ...
    @overload
    def parse(self, text: str, type: type[U], *, limit: int = ...) -> U: ...
    # By name only, as above, `limit` would cost a twentieth of the whole: CPython's quick calls know positions alone.
    def parse(self, text: str, type: type[URL] = URL, limit: int = LIMIT) -> URL:  # noqa: A002  what it is
        """The URL that `text` is: an object of its scheme's type, which must be `type` or derived from it.

        `limit` bounds the number of characters. Raises InvalidURL, UnknownScheme (which says what is known of the
        name and what to install), PluginError where the plugin of the scheme is at fault.
        """
        try:
            match, kind = self._readers[text.partition(":")[0]]
            found = match(text) if len(text) <= limit else None
        except (KeyError, AttributeError, TypeError):
            return self._parse_slowly(text, type, limit)
        if found is None:
            raise refused(text, kind.syntax, kind) if len(text) <= limit else refusal(text, kind.syntax, kind, limit)
        if type is not URL and not issubclass(kind, type):
            return self._parse_slowly(text, type, limit)
        url = new(kind)
        url._match = found
        return url

    def _parse_slowly(self, text: str, wanted: type[URL], limit: int) -> URL:
        """What is not read at once: a name in capitals, a scheme not yet loaded, or a text that is no URL."""
        if not _is_text(text) or len(text) > limit:
            return URL.parse(text, limit=limit)
        name = text.partition(":")[0]
        if name not in self:
            if name == text or not is_scheme_name(name):
                URL.parse(text, limit=limit)  # there is no scheme's name to look up: says what is wrong
            raise self._absent(_folded(name))
        kind = self[name].url_type
        if not issubclass(kind, wanted):
            message = f"this is a {kind.__name__}, and a {wanted.__name__} is wanted"
            raise fault_of("scheme", text, message, scheme=_folded(name), section="RFC 1738 section 2.1")
        return kind.parse(text, limit=limit)

    def parse_generic(self, text: str, *, limit: int = LIMIT) -> URL:
        """The URL `<scheme>:<scheme-specific-part>`, whatever the scheme (section 2.1). Raises InvalidURL."""
        return URL.parse(text, limit=limit)

    def is_valid(self, text: str, *, limit: int = LIMIT) -> bool:
        """Whether `text` is a URL of a scheme that somebody provides. Raises PluginError."""
        try:
            self.parse(text, limit=limit)
        except (InvalidURL, UnknownScheme):
            return False
        return True

    def fix(self, text: str, *, limit: int = LIMIT) -> Fixed:
        """The nearest valid URL to `text`, with the list of what was changed; no scheme or host is ever guessed.

        Raises NotRepairable where no repair has one right answer, UnknownScheme, PluginError, and InvalidURL for a
        text beyond `limit`.
        """
        from urlschemes.repair import fix

        return fix(text, lambda name: self[name].url_type, limit)

    def check(self, text: str, *, limit: int = LIMIT) -> tuple[Finding, ...]:
        """What is wrong with `text` as a URL, and what is legal but unwise (section 6), in the order of the text.

        Raises UnknownScheme, PluginError.
        """
        from urlschemes.findings import check

        return check(text, lambda each: self.parse(each, limit=limit))

    def explain(self, text: str, *, limit: int = LIMIT) -> str:
        """`text` with its parts named underneath, or why it is no URL, with a caret; several lines, safe to print.

        Raises UnknownScheme, PluginError.
        """
        from urlschemes.drawing import explain

        return explain(text, lambda each: self.parse(each, limit=limit))

    # Operations (section 2)

    def access(
        self,
        url: URL | str,
        *,
        policy: Policy | None = None,
        deadline: float | None = None,
        credentials: Callable[[Authenticate], Credentials | None] | None = None,
        ask: Callable[[Form], Answers] | None = None,
        trace: Callable[[TraceEvent], None] | None = None,
        ssl_context: ssl.SSLContext | None = None,
        **options: Any,
    ) -> Document | Listing | Session:
        """Access the resource that `url` locates: a Document, a Listing or a Session, to be used in a `with` block.

        `policy` says what is allowed (the public Internet), `deadline` how many seconds it may take in all (the
        policy's). `credentials` is asked for a login, `ask` for the answers to a form, both only when the other side
        wants them; `trace` is told what goes over the wire. `ssl_context` takes the place of the system's trust.
        `options` are the scheme's own.

        Raises UnsafeURL and PolicyDenied before anything is resolved or opened, AccessError for what goes wrong then,
        UnsupportedOperation, UnknownScheme, PluginError; InvalidURL where `url` is a text that is none.
        """
        from urlschemes.policy import Policy
        from urlschemes.resource import Attributes

        if policy is None:
            policy = Policy.untrusted()
        resource = self._operate("access", url, policy, deadline, credentials, ask, trace, ssl_context, options)
        if isinstance(resource, Attributes):
            raise self._owes("access", resource)
        return resource

    def find_attributes(
        self,
        url: URL | str,
        *,
        policy: Policy | None = None,
        deadline: float | None = None,
        credentials: Callable[[Authenticate], Credentials | None] | None = None,
        ask: Callable[[Form], Answers] | None = None,
        trace: Callable[[TraceEvent], None] | None = None,
        ssl_context: ssl.SSLContext | None = None,
        **options: Any,
    ) -> Attributes:
        """What is known of the resource that `url` locates, without its content. Arguments and errors as `access`."""
        from urlschemes.policy import Policy
        from urlschemes.resource import Attributes

        operation = "find attributes"
        if policy is None:
            policy = Policy.untrusted()
        attributes = self._operate(operation, url, policy, deadline, credentials, ask, trace, ssl_context, options)
        if not isinstance(attributes, Attributes):
            attributes.close()
            raise self._owes(operation, attributes)
        return attributes

    def _operate(
        self,
        operation: str,
        given: URL | str,
        policy: Policy,
        deadline: float | None,
        credentials: Callable[[Authenticate], Credentials | None] | None,
        ask: Callable[[Form], Answers] | None,
        trace: Callable[[TraceEvent], None] | None,
        ssl_context: ssl.SSLContext | None,
        options: dict[str, Any],
    ) -> Document | Listing | Session | Attributes:
        hooks = self._hooked()
        url = given if isinstance(given, URL) else self._to_access(given, hooks)
        began = perf_counter()
        try:
            if hooks:
                url = self._hooked_url(url, operation, policy, hooks)
            resource = self._run(operation, url, policy, deadline, credentials, ask, trace, ssl_context, options)
        except URLError as error:
            if hooks:
                hooks.observe(operation, url, error, perf_counter() - began)
            raise
        if hooks:
            hooks.observe(operation, url, None, perf_counter() - began)
        return resource

    def _to_access(self, text: str, hooks: Hooks | None) -> URL:
        """The URL to access. A gateway may know a way to one whose scheme nobody provides."""
        try:
            return self.parse(text)
        except UnknownScheme:
            if hooks is None:
                raise
            return URL.parse(text)

    def _hooked_url(self, url: URL, operation: str, policy: Policy, hooks: Hooks) -> URL:
        """The URL to access, after the vetoes and the gateways."""
        hooks.check_vetoes(url, operation)
        through = hooks.gateway(url, operation)
        if through is None:
            return url
        policy.check_scheme(url.scheme)
        url = self.parse(through)
        hooks.check_vetoes(url, operation)
        return url

    def _run(
        self,
        operation: str,
        url: URL,
        policy: Policy,
        deadline: float | None,
        credentials: Callable[[Authenticate], Credentials | None] | None,
        ask: Callable[[Form], Answers] | None,
        trace: Callable[[TraceEvent], None] | None,
        ssl_context: ssl.SSLContext | None,
        options: dict[str, Any],
    ) -> Document | Listing | Session | Attributes:
        from urlschemes.drive import run

        scheme = self[url.scheme]
        if not isinstance(url, scheme.url_type):  # read as a generic URL, or by the type of another registry
            url = scheme.url_type.parse(str(url), limit=max(LIMIT, len(str(url))))
        return run(
            self._algorithm(scheme, operation)(url, **options),
            url=url,
            registration=scheme.registration,
            policy=policy,
            deadline=deadline,
            credentials=credentials,
            ask=ask,
            trace=trace,
            follow=lambda base, location: self._follow(base, location, operation),
            parse=self._parse_found,
            ssl_context=ssl_context,
        )

    def _algorithm(self, scheme: Scheme, operation: str) -> Callable[..., Algorithm[None]]:
        try:
            return scheme.algorithm(operation)
        except (URLError, KeyboardInterrupt, MemoryError):
            raise
        except BaseException as error:  # as when the plugin itself is imported
            claim = self._find().chosen.get(scheme.name)
            provider = claim.provider if claim and self._loaded.get(scheme.name) is scheme else "this program"
            raise PluginLoadError(
                f"the algorithm of the scheme {scheme.name}, of {provider}, cannot be imported: {described(error)}",
                scheme=scheme.name,
                distribution=provider,
            ) from error

    def _owes(self, operation: str, has: object) -> PluginContractError:
        kind = type(has).__name__
        return PluginContractError(
            f"the algorithm of the operation {operation!r} gave a resource of the wrong kind: {kind}",
            wants="Attributes" if operation == "find attributes" else "a Document, a Listing or a Session",
            has=kind,
        )

    def _follow(self, base: URL, location: str, operation: str) -> URL:
        """The URL that a redirect leads to. Only the schemes that the record names can be reached, and so loaded.

        What real servers write is repaired, but for what can only be a trick. Raises InvalidURL, NotRepairable,
        UnknownScheme, RedirectRefused, PolicyDenied.
        """
        from urlschemes.repair import fix

        allowed = base.registration.redirects if base.registration else ()
        text = base.resolve(location)

        def type_of(scheme: str) -> type[URL]:
            if _folded(scheme) not in allowed:
                raise RedirectRefused(
                    f"a redirect from {base.scheme} leads to {scheme}",
                    reason="scheme",
                    location=one_line(location, 120),
                )
            return self[scheme].url_type

        if _NEVER_FOLLOWED.search(text):
            target = type_of(text.partition(":")[0]).parse(text)
        else:
            target = fix(text, type_of, LIMIT).url
        hooks = self._hooked()
        if hooks:
            hooks.check_vetoes(target, operation)
        return target

    def _parse_found(self, text: str) -> URL:
        """The URL of a text that nobody typed: of a menu, of a listing. It never loads a plugin of a third party.

        The URL of a scheme that would need one is a generic URL.
        """
        name = _folded(text.partition(":")[0])
        claim = None if self._current(name) else self._find().chosen.get(name)
        if claim is None or known_names().get(name, NOBODYS).distribution:
            return self.parse(text)
        return URL.parse(text)

    # Hooks

    def add_hooks(self, implementation: object, name: str = "this program") -> None:
        """Let the functions of a module or object that are marked with `urlschemes.hooks.hookimpl` take part.

        `name` stands for them in errors. Raises PluginContractError for a hook that does not exist or takes other
        arguments, or a name that is taken.
        """
        hooks = self._hooked() or self._made_hooks(())
        hooks.add(implementation, name)

    def credentials_from_hooks(self, request: Authenticate) -> Credentials | None:
        """What to pass as `credentials` to let installed plugins give user names and passwords. Raises PluginError."""
        hooks = self._hooked()
        return hooks.credentials(request) if hooks else None


def _folded(name: str) -> str:
    """A scheme's name in lower case, as section 2.1 says. Of other alphabets no letter becomes one of ours."""
    return name.lower() if name.isascii() else name


def _usable(scheme: Scheme | Registration) -> Scheme:
    """The scheme with its pattern compiled. Raises GrammarError."""
    made = Scheme(scheme) if isinstance(scheme, Registration) else scheme
    made.url_type.syntax.fullmatch  # noqa: B018  compiles it
    return made


def _is_text(text: object) -> bool:
    return isinstance(text, str)
