"""What cuts across schemes: hooks that a distribution implements with pluggy.

A distribution names a module for each hook that it implements by an entry point of the group `urlschemes`, which bears
the name of the hook without its prefix; a program adds its own by `registry.add_hooks`. An implementation bears the
name of its hook and the mark `hookimpl`:

    from urlschemes.hooks import hookimpl

    @hookimpl
    def urlschemes_veto(url, operation):
        return "not on a Sunday" if date.today().isoweekday() == 7 else None

Hooks are called when something is accessed, or when somebody wants to know of a name that nobody provides; never to
parse a URL. Each distribution is asked by itself, in the order of their names: none can be first, and none hides
another's answer from the registry. docs/hooks.md draws which hook is called when.

An implementation that has nothing to do must return None at once, and must be light to import: it is imported when its
hook is called for the first time. One that cannot be imported, or does not keep to the specification, fails what its
hook decides about, and nothing else: a veto or a gateway every access, credentials those accesses that ask for them;
a ledger or an observer is logged and left out.
"""

from __future__ import annotations

import re
import sys
import threading
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import pluggy

from urlschemes.characters import REGISTRABLE
from urlschemes.claims import HOOK_PREFIX
from urlschemes.display import described, one_line
from urlschemes.errors import PluginContractError, PluginError, PolicyDenied, URLError
from urlschemes.ledger import KnownName, Ledger
from urlschemes.questions import Credentials
from urlschemes.resource import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from urlschemes.url import URL
    from urlschemes.wire import Authenticate

__all__ = [
    "Hooks",
    "KnownName",
    "Ledger",
    "Observation",
    "Outcome",
    "check",
    "hookimpl",
    "urlschemes_credentials",
    "urlschemes_gateway",
    "urlschemes_ledger",
    "urlschemes_observe",
    "urlschemes_veto",
]

T = TypeVar("T")

_hookspec = pluggy.HookspecMarker("urlschemes")
hookimpl = pluggy.HookimplMarker("urlschemes")
"""The mark of an implementation of a hook."""

_MOST_NAMES = 20_000
"""Names that a ledger may hold: some fifty times as many as IANA has registered in thirty years."""
_DATE = re.compile(r"(?:\d{4}(?:-\d\d){0,2})?", re.ASCII)
_DISTRIBUTION = re.compile(r"[\w.-]*", re.ASCII)


class Observation(NamedTuple):
    """What an observer is told of one access: how it began, and how it ended.

    `url` is the URL's text, safe to print, without its password. `outcome` is `"opened"` when the resource is there to
    be read, and later, once, one of the others: `"completed"` when all of it came, `"abandoned"` when the program
    closed it before, `"failed"` when an error ended it. An access that cannot be opened is `"failed"` at once, and one
    that gives attributes, as all that writes does, only `"opened"`. `error` is the error of one that failed. `seconds`
    is the time since the access began.
    """

    operation: str
    scheme: str
    url: str
    outcome: Outcome
    error: URLError | None
    seconds: float


@_hookspec
def urlschemes_ledger() -> Ledger | None:
    """Give a register of schemes' names, which are then known without being installed.

    Returns: the whole register, or None for none: at most 20,000 names, each once, in lower case, as a scheme may be
    called.
    Called: once in the life of a registry, when somebody reads why nobody provides a name that the core's own ledger
    does not know, or asks for all that is known.
    Several: all count. Where several know something of one name, the first of them does.
    Failure: it is logged, and counts as None.
    """


@_hookspec
def urlschemes_gateway(url: URL, operation: str, trust_env: bool) -> str | None:
    """Name the URL through which another URL is to be reached (section 4).

    `url`: the URL that is to be accessed; a generic one where nobody provides its scheme.
    `operation`: `"access"` or `"find attributes"`.
    `trust_env`: whether the environment may lead somewhere: the registry's configuration was loaded with
    `trust_env=True`. Where it is False, no variable may decide what is returned.
    Returns: the text of the URL to access in its place, of another scheme, or None to leave it alone.
    Called: before each access of a scheme for which no gateway is configured, before anything is imported for it; and
    for what was returned, and the target of each redirect, which must need no gateway. What is returned goes through
    the policy and the vetoes like any other URL.
    Several: the first answer wins.
    Failure: it fails the access.
    """


@_hookspec
def urlschemes_veto(url: URL, operation: str) -> str | None:
    """Forbid an operation.

    `url`: the URL that is to be operated on.
    `operation`: the name, `"access"`, `"delete"`, or one of the scheme's own.
    Returns: the reason why it must not be, in words, or None to let it pass.
    Called: before each operation, for the URL itself and for the one that a gateway puts in its place; and for the
    target of each redirect. Nothing has been resolved or opened for that URL then.
    Several: every veto counts.
    Failure: it fails the access.
    """


@_hookspec
def urlschemes_credentials(request: Authenticate) -> Credentials | None:
    """Give a user name and password for one host and port.

    `request`: the host, the port, the user name as far as it is known, what the other side calls the place, the scheme,
    and whether the connection is protected by TLS.
    Returns: the credentials, or None where none are known.
    Called: when the other side wants a login, in accesses whose caller passed
    `credentials=registry.credentials_from_hooks`; again for another host or port, after a redirect too.
    Several: the first answer wins.
    Failure: it fails the access.
    """


@_hookspec
def urlschemes_observe(observation: Observation) -> None:
    """Take note of an access.

    `observation`: what was accessed, and how it went.
    Returns: nothing.
    Called: after each access was opened, or failed before it was; and once more when what was opened has ended: read to
    its end, closed before it, or failed.
    Several: every observer is told.
    Failure: it is logged, once for the same words, and changes nothing.
    """


_NAMES = sorted(name for name in __all__ if name.startswith(HOOK_PREFIX))
_WANTED = f"hooks of urlschemes.hooks, with their arguments: {', '.join(_NAMES)}"


def check(implementation: object, name: str, announced: Collection[str] | None = None) -> None:
    """Look whether a module or object implements hooks as they are specified here, and just those `announced`.

    `name` is what it is called in the error. Raises PluginContractError for a hook that does not exist or takes other
    arguments.
    """
    manager = _manager(implementation, name)
    if announced is None:
        return
    for hook in _NAMES:
        implemented = bool(getattr(manager.hook, hook).get_hookimpls())
        if implemented and hook not in announced:
            entry = hook.removeprefix(HOOK_PREFIX)
            raise _wrong(name, f"{hook} would never be called", f"an entry point {entry} of the group urlschemes")
        if hook in announced and not implemented:
            raise _wrong(name, f"nothing in it implements {hook}", f"a function {hook} with the mark `hookimpl`")


def _manager(implementation: object, name: str) -> pluggy.PluginManager:
    manager = pluggy.PluginManager("urlschemes")
    manager.add_hookspecs(sys.modules[__name__])
    try:
        manager.register(implementation, name)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        said = " ".join(str(error).partition(" in plugin ")[0].split())
        raise _wrong(name, one_line(said, 300), _WANTED) from error
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # pluggy reads every attribute of it
        raise _wrong(name, described(error), _WANTED) from error
    return manager


class _Source:
    """Who implements hooks; what implements them is loaded when it is first needed."""

    __slots__ = ("_load", "_manager", "who")

    def __init__(self, who: str, load: Callable[[], object]) -> None:
        self.who = who
        self._load = load
        self._manager: pluggy.PluginManager | None = None

    def calling(self, hook: str) -> Callable[..., list[Any]] | None:
        """What calls the hook of this one alone; None where it does not implement it. Raises PluginError."""
        if self._manager is None:
            self._manager = _manager(self._load(), self.who)
        caller: pluggy.HookCaller = getattr(self._manager.hook, hook)
        return caller if caller.get_hookimpls() else None


class Hooks:
    """The implementations that one registry knows.

    `installed` are those of distributions, by hook: who provides it, and what loads it and raises PluginError.
    """

    def __init__(self, installed: Iterable[tuple[str, str, Callable[[], object]]] = ()) -> None:
        # One manager for each, so that each can be asked, and blamed, by itself.
        self._installed = [(hook, _Source(who, load)) for hook, who, load in installed]
        self._added: dict[str, _Source] = {}
        self._lock = threading.Lock()
        self._ledgers: dict[_Source, Ledger | None] = {}
        self._left_out: set[_Source] = set()
        self._said: dict[_Source, str] = {}

    def add(self, implementation: object, name: str) -> None:
        """Add a module or object with implementations.

        Raises PluginContractError for a hook that does not exist or takes other arguments, or a name that is taken.
        """
        check(implementation, name)
        with self._lock:
            if name in self._added or any(name == source.who for _, source in self._installed):
                raise _wrong(name, "the name is taken", "a name that nobody else uses")
            self._added = {**self._added, name: _Source(name, lambda: implementation)}

    def ledgers(self) -> tuple[Ledger, ...]:
        """The registers that are given, each asked for once; one that cannot be had is logged and left out."""
        found = []
        for source, ask in self._each("urlschemes_ledger", logged=True):
            if source not in self._ledgers:
                try:
                    given = self._asked(source.who, "urlschemes_ledger", Ledger, ask)
                except PluginError as error:
                    _report(error)
                    given = None
                self._ledgers.setdefault(source, given)
            found.append(self._ledgers[source])
        return tuple(ledger for ledger in found if ledger is not None)

    def gateway(self, url: URL, operation: str, trust_env: bool) -> tuple[str, str] | None:
        """The text of the URL through which `url` is to be reached, and who says so. Raises PluginError."""
        arguments = {"url": url, "operation": operation, "trust_env": trust_env}
        for source, ask in self._each("urlschemes_gateway"):
            answer = self._asked(source.who, "urlschemes_gateway", str, ask, **arguments)
            if answer is not None:
                return answer, source.who
        return None

    def implementers(self, hook: str) -> tuple[str, ...]:
        """Who implements `hook`, sorted by name; nothing is imported to find out."""
        added = [source.who for source in self._added.values() if source.calling(hook)]
        return tuple(sorted([*added, *(source.who for name, source in self._installed if name == hook)]))

    def check_vetoes(self, url: URL, operation: str) -> None:
        """Raise PolicyDenied where somebody forbids the access, PluginError where somebody fails to say."""
        for source, ask in self._each("urlschemes_veto"):
            who = source.who
            reason = self._asked(who, "urlschemes_veto", str, ask, url=url, operation=operation)
            if reason is not None:
                raise PolicyDenied(
                    f"{who} forbids the access: {reason}",
                    scheme=url.scheme,
                    rule="veto",
                    hint=f"the hook urlschemes_veto of {who} decides",
                )

    def credentials(self, request: Authenticate) -> Credentials | None:
        """The first credentials that somebody knows. Raises PluginError."""
        for source, ask in self._each("urlschemes_credentials"):
            answer = self._asked(source.who, "urlschemes_credentials", Credentials, ask, request=request)
            if answer is not None:
                return answer
        return None

    def observe(self, operation: str, url: URL, outcome: Outcome, error: URLError | None, seconds: float) -> None:
        """Tell every observer what became of an access."""
        observation = Observation(operation, url.scheme, one_line(str(url), 2000), outcome, error, seconds)
        for source, tell in self._each("urlschemes_observe", logged=True):
            try:
                self._asked(source.who, "urlschemes_observe", type(None), tell, observation=observation)
            except PluginError as fault:
                said = str(fault)
                if self._said.get(source) != said:  # a full disk is the same for every access
                    self._said[source] = said
                    _report(fault)
            else:
                self._said.pop(source, None)

    def _each(self, hook: str, *, logged: bool = False) -> Iterator[tuple[_Source, Callable[..., list[Any]]]]:
        """Who implements `hook`, sorted by name, each with a way to call that one alone.

        Raises PluginError for one that cannot be loaded; `logged`: that is logged, once, and it is left out.
        """
        installed = [source for name, source in self._installed if name == hook]
        for source in sorted([*self._added.values(), *installed], key=lambda source: source.who):
            try:
                caller = source.calling(hook)
            except PluginError as error:
                if not logged:
                    raise
                if source not in self._left_out:
                    self._left_out.add(source)
                    _report(error)
                continue
            if caller is not None:
                yield source, caller

    def _asked(self, who: str, hook: str, kind: type[T], ask: Callable[..., list[Any]], **arguments: Any) -> T | None:
        """A copy of the one answer that asking gives, if it is of the right type.

        Raises PluginError, PluginContractError.
        """
        try:
            answers: object = ask(**arguments)  # pluggy leaves out None
            # A wrapper may put anything in the place of the list; and isinstance would ask the answer what it is.
            given = answers if type(answers) is list else [answers]
            wrong = next((type(answer) for answer in given if not issubclass(type(answer), kind)), None)
            if wrong is None:
                return _copied(given[0]) if given else None
            has = f"a {wrong.__name__}"
        except _UnusableError as error:
            has = str(error)
        except (KeyboardInterrupt, MemoryError):
            raise
        except BaseException as error:
            raise _failed(who, hook, error) from error
        raise PluginContractError(
            f"the hook {hook} of {who} gave {has}",
            distribution=who,
            wants=f"{kind.__name__} or None",
            has=has.removeprefix("a "),
        )


class _UnusableError(Exception):
    """An answer is of the right type, and still none; the text says what it is."""


def _copied(answer: Any) -> Any:
    """The answer in our own types, whatever class derived from them it is of. Raises whatever reading it does."""
    plain = str.__str__
    if isinstance(answer, str):
        return plain(answer)
    if isinstance(answer, Credentials):
        return Credentials(plain(answer.user), plain(answer.password))
    if isinstance(answer, Ledger):
        fields: Iterator[Any] = islice(answer, len(Ledger._fields))
        title, source, date, names = fields
        if not issubclass(type(names), tuple) or not _DATE.fullmatch(plain(date)):
            raise _UnusableError("a ledger without a tuple of names, or with a date that is none")
        return Ledger(_short(title), _short(source), plain(date), _copied_names(names))
    return answer


def _copied_names(names: tuple[KnownName, ...]) -> tuple[KnownName, ...]:
    copies: dict[str, KnownName] = {}
    for known in islice(names, _MOST_NAMES + 1):
        if not issubclass(type(known), KnownName):
            raise _UnusableError("a ledger of what are no names")
        copy = KnownName(*map(_short, islice(known, len(KnownName._fields))))
        if REGISTRABLE.fullmatch(copy.name) is None or not _DISTRIBUTION.fullmatch(copy.distribution):
            raise _UnusableError(f"a ledger with the name {copy.name!r}, or a distribution for it, that can be none")
        if copies.setdefault(copy.name, copy) is not copy:
            raise _UnusableError(f"a ledger that holds {copy.name} twice")
    if len(copies) > _MOST_NAMES:
        raise _UnusableError(f"a ledger of more than {_MOST_NAMES} names")
    return tuple(copies.values())


def _short(text: Any) -> str:
    return one_line(str.__str__(text), 200)


def _failed(who: str, hook: str, error: BaseException) -> PluginError:
    """What a hook raised, as the fault of whoever implements it: one of our own errors speaks for itself."""
    said, hint = described(error), None
    if type(error).__module__ == URLError.__module__ and isinstance(error, URLError):
        said, hint = error.message, error.hint
    return PluginError(f"the hook {hook} of {who} failed: {said}", distribution=who, hint=hint)


def _wrong(name: str, has: str, wants: str) -> PluginContractError:
    return PluginContractError(f"the hooks of {name} are wrong: {has}", distribution=name, wants=wants, has=has)


def _report(error: PluginError) -> None:
    from logging import getLogger

    getLogger("urlschemes").warning("%s", error)
