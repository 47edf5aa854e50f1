"""The registry of schemes (section 4): who provides a name, and the scheme itself, loaded when it is first needed.

A name has at most one provider. A claim counts when nobody else makes it, when the name is not reserved to somebody
else, and when the user did not switch it off; the order of `sys.path` or of installation never decides. A plugin that
fails breaks its own scheme and nothing else.

Everything here may be called from several threads; no lock is held while a plugin is imported. An import runs in this
process: it can do whatever the program can, and it cannot be stopped. One that takes longer than a second is logged.
"""

from __future__ import annotations

import sys
from _thread import allocate_lock  # what `threading.Lock` is, without the import of `threading`

from urlschemes.choice import Rules
from urlschemes.loading import record
from urlschemes.own import OwnSchemes
from urlschemes.plugins import Plugins
from urlschemes.registration import Registration
from urlschemes.scheme import Scheme, folded
from urlschemes.signatures import like, like_with_content
from urlschemes.url import LIMIT, URL, new

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    import ssl
    from collections.abc import Callable, Collection, Iterator, Mapping
    from contextlib import AbstractContextManager
    from typing import Any, TypeVar, overload

    from urlschemes.attributes import Attributes
    from urlschemes.claims import Claim
    from urlschemes.configuration import Configuration
    from urlschemes.diagnosis import Diagnosis, Why
    from urlschemes.dialogue import Dialogue
    from urlschemes.errors import URLError
    from urlschemes.findings import Finding
    from urlschemes.inspection import Inspection
    from urlschemes.ledger import KnownName, Ledger
    from urlschemes.operations import Operations
    from urlschemes.policy import Policy
    from urlschemes.questions import Credentials
    from urlschemes.repair import Fixed
    from urlschemes.resource import Document, Listing, Session
    from urlschemes.syntax import Syntax, Telling
    from urlschemes.terms import Asker, Authenticator, Content, Terms, Tracer
    from urlschemes.wire import Authenticate

    U = TypeVar("U", bound=URL)

__all__ = ["Registry"]


class Registry:
    """Schemes by name: those that are installed, and those that the program registers itself.

    Making one costs nothing: what is installed is looked for when it is first needed, and a plugin is imported when
    its scheme is. `plugins` are the distributions that may take part (None: all that are installed; the environment
    variable `URLSCHEMES_PLUGINS`, a list with commas or `none`, restricts them further). `disable` are distributions
    and schemes that may not, as are those that the variable `URLSCHEMES_DISABLE` names. `require` are distributions
    without which the registry is not made. `pins` choose between distributions that claim one name: `{"x-foo":
    "foo-schemes"}`. With `current_directory`, distributions that are found only through the current directory count
    too. `configuration` (none is loaded by itself) says what these arguments leave open, gives the policy to operations
    whose caller gives none, and the gateways and options of schemes.

    Raises PluginError when it is made for what `require` misses, and when it is first used for a distribution that
    `plugins`, `disable` or one of the variables names and nobody installed.
    """

    # What errors call the arguments `plugins` and `disable`: whoever types options knows nothing of arguments.
    _ARGUMENTS = ("Registry(plugins=...)", "Registry(disable=...)")

    def __init__(
        self,
        plugins: Collection[str] | None = None,
        *,
        require: Collection[str] = (),
        disable: Collection[str] = (),
        pins: Mapping[str, str] | None = None,
        current_directory: bool = False,
        configuration: Configuration | None = None,
    ) -> None:
        if any(isinstance(names, str) for names in (plugins, require, disable)):
            raise TypeError("plugins, require and disable are collections of names, not one string")
        folded_pins = {folded(name): pin for name, pin in (pins or {}).items()}
        allowed: Mapping[str, Collection[str]] = {} if plugins is None else {self._ARGUMENTS[0]: tuple(plugins)}
        disabled = {self._ARGUMENTS[1]: tuple(disable)}
        self._configuration = configuration
        if configuration is not None:
            allowed = configuration.allowed if plugins is None else allowed
            folded_pins = {**configuration.pins, **folded_pins}
            disabled |= configuration.disabled
        rules = Rules(allowed, disabled, folded_pins)
        self._plugins = Plugins(rules, current_directory=current_directory)
        self._own = OwnSchemes()
        self._lock = allocate_lock()
        # What parsing looks into: the pattern and the type of each scheme in use, by its name in lower case.
        self._readers: dict[str, tuple[Callable[[str], re.Match[str] | None], type[URL]]] = {}
        if require:
            self._plugins.require(require)

    @property
    def configuration(self) -> Configuration:
        """What is configured: nothing, unless the registry was made with it."""
        if self._configuration is None:
            from urlschemes.configuration import Configuration

            self._configuration = Configuration()
        return self._configuration

    # Who provides what

    def __getitem__(self, name: str) -> Scheme:
        """The scheme of that name, in any letter case; its plugin is imported now, if it was not before.

        Raises UnknownScheme, PluginConflict, PluginLoadError, PluginContractError.
        """
        name = folded(name)
        scheme = self._current(name)
        if scheme is None:
            scheme = self._plugins.scheme(self._claim(name))
            self._refresh(name)
        return scheme

    def __contains__(self, name: object) -> bool:
        """Whether somebody provides the name; nothing is imported to find out."""
        if not isinstance(name, str):
            return False
        name = folded(name)
        return self._current(name) is not None or (
            not self._own.hides(name) and name in self._plugins.installed().chosen
        )

    def __iter__(self) -> Iterator[str]:
        """The names that somebody provides, sorted; nothing is imported."""
        return iter(sorted(self._names()))

    def __len__(self) -> int:
        return len(self._names())

    def _names(self) -> Collection[str]:
        return self._own.names(self._plugins.names())

    def registration(self, name: str) -> Registration:
        """The record of one scheme, read from its file; nothing is imported. Raises as `registry[name]` does."""
        name = folded(name)
        scheme = self._current(name)
        return scheme.registration if scheme else record(self._claim(name))

    def registrations(self) -> tuple[Registration, ...]:
        """The records of all schemes, sorted by name; nothing is imported. Those that cannot be read are left out."""
        from urlschemes.errors import PluginError, UnknownScheme

        records = []
        for name in self:
            try:
                records.append(self.registration(name))
            except (PluginError, UnknownScheme):  # `diagnose` says which; or it was unregistered meanwhile
                continue
        return tuple(records)

    def _claim(self, name: str) -> Claim:
        """The claim that counts for `name`. Raises UnknownScheme, PluginConflict."""
        claim = self._plugins.installed().chosen.get(name)
        if claim is None or self._own.hides(name):
            raise self._inspection.absent(name)
        return claim

    # What is known

    def ledgers(self) -> tuple[Ledger, ...]:
        """The registers of names that are known, installed or not: the core's own, and those of installed plugins."""
        return self._plugins.ledgers()

    def known_names(self) -> Mapping[str, KnownName]:
        """All that those registers know, by name, sorted. What the core's own says counts before the others."""
        from urlschemes.ledger import merged

        return merged(self.ledgers())

    # Why, and what is wrong

    def why(self, name: str) -> Why:
        """Who provides `name`, by which rule, and how to choose otherwise; and through which gateway it is reached.

        Knows an answer for every name. Nothing is imported.
        """
        return self._inspection.why(folded(name))

    def claims(self) -> tuple[Claim, ...]:
        """Every claim that was found and what became of it as far as is known; nothing is imported."""
        return self._inspection.claims()

    def load(self, claim: Claim) -> object:
        """The object that an active claim names, imported now with all that it is used for, and checked.

        Raises PluginLoadError, PluginContractError; PluginError for a claim that is not active.
        """
        return self._plugins.load(claim)

    def diagnose(self, *, load: bool = False, verify: bool = False) -> tuple[Diagnosis, ...]:
        """Every claim, looked at closely, and the schemes that the program registered itself.

        The records are read; with `load` the plugins are imported as well. With `verify` each is loaded in a process of
        its own, within ten seconds, and what it changed there for others is said; this process loads none of them. What
        is found changes nothing of what the registry does.
        """
        return self._inspection.diagnose(load=load, verify=verify)

    def check_configuration(self) -> tuple[URLError, ...]:
        """What of the configuration cannot be used with the schemes that are there; what it speaks of is imported."""
        return tuple(self._operations().faults())

    @property
    def _inspection(self) -> Inspection:
        from urlschemes.inspection import Inspection

        return Inspection(self._plugins, self._own, self._configuration)

    # What the program registers itself

    def register(self, scheme: Scheme | Registration, *, replace: bool = False) -> None:
        """Provide a scheme from within the program; a Registration alone makes one for parsing.

        Raises PluginConflict where somebody provides the name already, unless `replace` says that it is meant.
        """
        added = _usable(scheme)
        name = added.name
        provider = None if replace or name not in self else self.why(name).provider
        if provider or not self._own.put(added, replace=replace):
            from urlschemes.errors import PluginConflict

            raise PluginConflict(
                f"{provider or 'this program'} provides the scheme {name} already",
                scheme=name,
                claimants=(provider or "this program", "this program"),
                hint="register(scheme, replace=True) or override(scheme) puts another in its place",
            )
        self._refresh(name)

    def unregister(self, name: str) -> None:
        """Undo `register`; an installed scheme is switched off in this registry, until the name is registered again.

        Raises UnknownScheme.
        """
        name = folded(name)
        if name not in self:
            raise self._inspection.absent(name)
        if not self._own.take_out(name, installed=name in self._plugins.installed().chosen):
            from urlschemes.errors import UnknownScheme

            message = (
                f"the scheme {name} is neither registered nor installed: override(scheme) put it there for a while"
            )
            raise UnknownScheme(message, scheme=name, hint="leave its `with` block")
        self._refresh(name)

    def override(self, scheme: Scheme | Registration) -> AbstractContextManager[Scheme]:
        """Within its `with` block, `scheme` is the scheme of its name, whoever else provides it; for all threads."""
        from contextlib import contextmanager

        return contextmanager(self._overridden)(scheme)

    def _overridden(self, scheme: Scheme | Registration) -> Iterator[Scheme]:
        added = _usable(scheme)
        self._own.lay_over(added)
        try:
            self._refresh(added.name)
            yield added
        finally:
            self._own.lift(added)
            self._refresh(added.name)

    def _current(self, name: str) -> Scheme | None:
        """The scheme in use, if there is one without importing anything."""
        return self._own.current(name, self._plugins.loaded)

    def _refresh(self, name: str) -> None:
        """Let parsing see what is in use now."""
        with self._lock:
            scheme = self._current(name)
            if scheme is not None and _is_read_at_once(scheme.url_type):
                self._readers[name] = (scheme.url_type.syntax.fullmatch, scheme.url_type)
            else:
                self._readers.pop(name, None)

    # URLs

    if TYPE_CHECKING:

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
            reader = self._readers[text.partition(":")[0]]
        except (KeyError, AttributeError, TypeError):
            reader = None  # and on outside of the handler: what is raised there has no other error behind it
        if reader is None:
            return self._parse_slowly(text, type, limit)
        match, kind = reader
        if len(text) > limit:
            return self._parse_slowly(text, type, limit)  # which says so
        found = match(text)
        if found is None:  # as `refused`; to call it would cost a twentieth of the whole
            syntax = kind.syntax
            tells, errors = syntax.telling or _telling(syntax)
            raise errors[tells(text).lastindex](text, kind)  # type: ignore[union-attr, index]  # it matches every text
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
            from urlschemes.refusal import is_scheme_name

            if name == text or not is_scheme_name(name):
                URL.parse(text, limit=limit)  # there is no scheme's name to look up: says what is wrong
            raise self._inspection.absent(folded(name))
        kind = self[name].url_type
        if not issubclass(kind, wanted):
            from urlschemes.refusal import fault_of

            message = f"this is a {kind.__name__}, and a {wanted.__name__} is wanted"
            raise fault_of("scheme", text, message, scheme=folded(name), section="RFC 1738 section 2.1")
        from urlschemes.contract import read_as

        if not kind.syntax.is_compiled:
            return read_as(kind, text, limit)  # the first URL of its scheme
        name = folded(name)
        if name not in self._readers and _is_read_at_once(kind):
            self._refresh(name)
        return read_as(kind, text, limit)

    def parse_generic(self, text: str, *, limit: int = LIMIT) -> URL:
        """The URL `<scheme>:<scheme-specific-part>`, whatever the scheme (section 2.1). Raises InvalidURL."""
        return URL.parse(text, limit=limit)

    def is_valid(self, text: str, *, limit: int = LIMIT) -> bool:
        """Whether `text` is a URL of a scheme that somebody provides. Raises PluginError."""
        try:
            self.parse(text, limit=limit)
        except (ValueError, LookupError) as error:
            from urlschemes.errors import InvalidURL, UnknownScheme

            if not isinstance(error, InvalidURL | UnknownScheme):
                raise
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

        That nobody provides the scheme is a finding too. Raises PluginError.
        """
        from urlschemes.checking import check

        return check(text, lambda name: self[name].url_type, limit)

    def explain(self, text: str, *, limit: int = LIMIT) -> str:
        """`text` with its parts named underneath; or why it is no URL, with a caret, and what `fix` makes of it.

        Several lines, safe to print. Raises UnknownScheme, PluginError.
        """
        from urlschemes.drawing import explain, plain

        def parse(each: str) -> URL:
            return self.parse(each, limit=limit)

        def fix(each: str) -> Fixed:
            return self.fix(each, limit=limit)

        return plain(explain(text, parse, fix))

    # Operations (section 2)

    def operate(
        self,
        operation: str,
        url: URL | str,
        content: Content | None = None,
        /,
        *,
        policy: Policy | None = None,
        deadline: float | None = None,
        credentials: Authenticator | None = None,
        ask: Asker | None = None,
        trace: Tracer | None = None,
        ssl_context: ssl.SSLContext | None = None,
        **options: Any,
    ) -> Document | Listing | Session | Attributes:
        """Carry out an operation on what `url` locates: one that the record of its scheme names.

        `content` is what the operation sends, if it sends any: octets, or an iterable of octets. `policy` says what is
        allowed (the public Internet, or what the registry's configuration says), `deadline` how many seconds it may
        take in all (the policy's). `credentials` is asked for a login, `ask` for the answers to a form, both only when
        the other side wants them; `trace` is told what goes over the wire. `ssl_context` takes the place of the
        system's trust. `options` are the scheme's own.

        Raises UnsafeURL and PolicyDenied before anything is resolved or opened, AccessError for what goes wrong then,
        UnsupportedOperation, UnknownScheme, PluginError; InvalidURL where `url` is a text that is none.
        """
        from urlschemes.drive import run
        from urlschemes.terms import Terms

        terms = Terms(
            policy=policy or self.configuration.policy(),
            deadline=deadline,
            credentials=credentials,
            ask=ask,
            trace=trace,
            ssl_context=ssl_context,
            content=content,
        )
        return run(self.begin(operation, url, terms, options))

    def begin(self, operation: str, url: URL | str, terms: Terms, options: Mapping[str, Any]) -> Dialogue:
        """An operation as `operate` carries it out, ready for a driver of one's own: nothing is resolved or opened yet.

        `terms` hold what every operation can be told, `options` are the scheme's own. `urlschemes.drive` and
        `urlschemes.aio` are such drivers. Raises what `operate` raises before it connects.
        """
        return self._operations().begin(operation, url, terms, options)

    @like(operate)
    def access(self, url: URL | str, **terms: Any) -> Document | Listing | Session:
        """Access the resource that `url` locates: a Document, a Listing or a Session, to be used in a `with` block.

        `terms` are `policy`, `deadline`, `credentials`, `ask`, `trace`, `ssl_context` and the options of the scheme, as
        `operate` takes them; it says what they mean, and which errors there are.
        """
        return self.operate("access", url, **terms)  # type: ignore[return-value]  # as the operation gives it

    @like(operate)
    def find_attributes(self, url: URL | str, **terms: Any) -> Attributes:
        """What is known of the resource that `url` locates, without its content. Terms and errors as with `access`."""
        return self.operate("find attributes", url, **terms)  # type: ignore[return-value]  # as the operation gives it

    @like_with_content(operate)
    def replace(self, url: URL | str, content: Content, /, **terms: Any) -> Attributes:
        """Put `content` in the place of what `url` locates, or where nothing is yet. Terms and errors as with `access`.

        `content` is octets, or an iterable of octets. What the other side says of it comes back. Raises Indeterminate
        where it cannot be known whether it was done.
        """
        return self.operate("replace", url, content, **terms)  # type: ignore[return-value]  # as the operation gives it

    @like_with_content(operate)
    def update(self, url: URL | str, content: Content, /, **terms: Any) -> Attributes:
        """Add `content` to what `url` locates. Comes back and raises as `replace`."""
        return self.operate("update", url, content, **terms)  # type: ignore[return-value]  # as the operation gives it

    @like(operate)
    def delete(self, url: URL | str, **terms: Any) -> Attributes:
        """Delete what `url` locates. Comes back and raises as `replace`."""
        return self.operate("delete", url, **terms)  # type: ignore[return-value]  # as the operation gives it

    def _operations(self) -> Operations:
        from urlschemes.operations import Lookup, Operations

        return Operations(Lookup(self, self._plugins, self._own, self.configuration))

    # Hooks

    def add_hooks(self, implementation: object, name: str = "this program") -> None:
        """Let the functions of a module or object that are marked with `urlschemes.hooks.hookimpl` take part.

        `name` stands for them in errors. Raises PluginContractError for a hook that does not exist or takes other
        arguments, or a name that is taken.
        """
        self._plugins.hooks_to_extend().add(implementation, name)

    def credentials_from_hooks(self, request: Authenticate) -> Credentials | None:
        """What to pass as `credentials` to let installed plugins give user names and passwords. Raises PluginError."""
        hooks = self._plugins.hooks("credentials")
        return hooks.credentials(request) if hooks else None


def _usable(scheme: Scheme | Registration) -> Scheme:
    """The scheme with its pattern compiled. Raises GrammarError."""
    from urlschemes.contract import check_type

    made = Scheme(scheme) if isinstance(scheme, Registration) else scheme
    check_type(made.url_type, made.name)
    made.url_type.syntax.fullmatch  # noqa: B018  compiles it
    return made


def _is_read_at_once(kind: type[URL]) -> bool:
    """Whether matching its pattern is all that parsing is.

    A type that parses in its own way is asked to, and in the development mode each URL is looked at.
    """
    return (
        kind.syntax.is_compiled and not sys.flags.dev_mode and kind.parse.__func__ is URL.parse.__func__  # type: ignore[attr-defined]
    )


def _is_text(text: object) -> bool:
    return isinstance(text, str)


def _telling(syntax: Syntax) -> Telling:
    from urlschemes.refusal import telling

    return telling(syntax)
