"""The engine of hooks, and the hook of the core: `urlschemes_ledger`.

A distribution names a module for each hook that it implements by an entry point of the group `urlschemes`, which has
the hook's name without its prefix; a program adds its own by `registry.add_hooks`. An implementation is a function with
the name of the hook and the mark `hookimpl`:

    from urlschemes.registry.hooks import hookimpl

    @hookimpl
    def urlschemes_veto(url, operation):
        return "not on Sundays" if date.today().isoweekday() == 7 else None

Each implementation is called by itself, in the order of the providers' names, so that every failure has one cause. A
module is imported when one of its hooks is called for the first time; hooks are never called to parse a URL.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import pluggy

from urlschemes.errors import PluginContractError, PluginError, URLError
from urlschemes.redaction import described
from urlschemes.registry.claims import HOOK_NAMES, HOOK_PREFIX
from urlschemes.registry.known_names import Ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType

__all__ = ["HookCaller", "HookSource", "Hooks", "hookimpl", "hookspec", "log_failure", "urlschemes_ledger"]

T = TypeVar("T")

hookspec = pluggy.HookspecMarker("urlschemes")
"""The mark of a hook's specification."""
hookimpl = pluggy.HookimplMarker("urlschemes")
"""The mark of a hook's implementation."""
_MARKS = pluggy.PluginManager("urlschemes")
"""It reads marks, and nothing is registered with it."""


@hookspec
def urlschemes_ledger() -> Ledger | None:
    """Return a ledger: a register of scheme names, which are then known without being installed.

    Returns: the whole ledger, at most 20,000 names, each once; None for none.
    Called: once in the life of a registry, when it first explains why a name is unknown, or lists the known names.
    Several: all count; if several know a name, the fields of the first take precedence.
    Failure: it is logged, and counts as None.
    """


@dataclass(frozen=True, eq=False)
class HookSource:
    """A provider of hook implementations.

    `names` are the hooks that it announced (None: any); `load` imports the module and raises PluginError.
    """

    provider: str
    load: Callable[[], object]
    names: frozenset[str] | None = None
    removal_hint: str | None = None


@dataclass(frozen=True)
class HookCaller:
    """One implementation of one hook."""

    hook: str
    source: HookSource
    function: Callable[..., object]
    argument_names: tuple[str, ...]

    @property
    def provider(self) -> str:
        """The name of the provider."""
        return self.source.provider

    def __call__(self, kind: type[T], **arguments: Any) -> T | None:
        """Call the implementation, which must return a `kind` or None.

        Raises PluginError if it fails, PluginContractError if it returns something else.
        """
        try:
            answer = self.function(**{name: arguments[name] for name in self.argument_names})
        except MemoryError:
            raise
        except Exception as error:
            message = error.message if isinstance(error, URLError) else described(error)
            raise PluginError(
                f"the hook {self.hook} of {self.provider} failed: {message}",
                distribution=self.provider,
                hint=error.hint if isinstance(error, URLError) else None,
            ) from error
        if answer is not None and not isinstance(answer, kind):
            has = f"an instance of {type(answer).__qualname__}"
            raise PluginContractError(
                f"the hook {self.hook} of {self.provider} returned {has}",
                distribution=self.provider,
                wants=f"{kind.__name__} or None",
                has=has,
            )
        return answer


class Hooks:
    """The hooks that one module specifies, and their implementations."""

    def __init__(self, specifications: ModuleType, sources: Callable[[], Iterable[HookSource]]) -> None:
        """Make the hooks of `specifications`. `sources` returns those of the registry at each call."""
        self._manager = pluggy.PluginManager("urlschemes")
        self._manager.add_hookspecs(specifications)
        self._sources = sources
        self._lock = Lock()
        self._registered: dict[HookSource, object] = {}
        self._reported: set[HookSource] = set()

    def implementations(self, name: str) -> Iterator[HookCaller]:
        """Iterate over the implementations of the hook `name`, sorted by provider. Raises PluginError."""
        for source in self._sources_of(name):
            yield from self._callers(source, name)

    def loadable(self, name: str) -> Iterator[HookCaller]:
        """Iterate as `implementations` does, but log sources that cannot be loaded, once each, and leave them out."""
        for source in self._sources_of(name):
            try:
                yield from self._callers(source, name)
            except PluginError as error:
                if source not in self._reported:
                    self._reported.add(source)
                    log_failure(error)

    def _sources_of(self, name: str) -> list[HookSource]:
        sources = (each for each in self._sources() if each.names is None or name in each.names)
        return sorted(sources, key=lambda source: source.provider)

    def _callers(self, source: HookSource, name: str) -> Iterator[HookCaller]:
        module = self._loaded(source)
        hook = f"{HOOK_PREFIX}{name}"
        for each in getattr(self._manager.hook, hook).get_hookimpls():
            if each.plugin == module:
                yield HookCaller(hook, source, each.function, tuple(each.argnames))

    def _loaded(self, source: HookSource) -> object:
        module = self._registered.get(source)
        if module is None:
            module = source.load()
            check_implementation(module, source)
            with self._lock:
                self._register(module, source)
                self._registered[source] = module
        return module

    def _register(self, module: object, source: HookSource) -> None:
        """Let pluggy check the arguments of the implementations. Raises PluginContractError."""
        if self._manager.is_registered(module):
            return
        try:
            self._manager.register(module, f"{source.provider} {id(source)}")
        except pluggy.PluginValidationError as error:
            if self._manager.is_registered(module):  # as some versions of pluggy leave it
                self._manager.unregister(module)
            definition = str(error).partition("hookimpl definition: ")[2].partition("\n")[0]
            raise _wrong(source, f"{definition} does not take the arguments of the hook", _expected()) from error


def check_implementation(module: object, source: HookSource) -> None:
    """Raise PluginContractError unless `module` implements exactly the hooks that its source announced."""
    implemented = _implemented(module, source)
    for hook in sorted(implemented - {f"{HOOK_PREFIX}{name}" for name in HOOK_NAMES}):
        raise _wrong(source, f"there is no hook {hook}", _expected())
    announced = {f"{HOOK_PREFIX}{name}" for name in source.names or ()}
    for hook in sorted(implemented - announced) if source.names is not None else ():
        entry = hook.removeprefix(HOOK_PREFIX)
        raise _wrong(source, f"{hook} would never be called", f"an entry point {entry} in the group urlschemes")
    if not implemented and not announced:
        raise _wrong(source, "no function has the mark `hookimpl`", _expected())
    for hook in sorted(announced - implemented):
        raise _wrong(source, f"it does not implement {hook}", f"a function {hook} with the mark `hookimpl`")


def _implemented(module: object, source: HookSource) -> set[str]:
    """Return the names of the functions that are marked as implementations. Raises PluginContractError."""
    try:
        options = {name: _MARKS.parse_hookimpl_opts(module, name) for name in dir(module)}
    except Exception as error:  # a module may compute its attributes
        raise _wrong(source, described(error), "a module whose attributes can be read") from error
    for name, each in options.items():
        if each is not None and (each["hookwrapper"] or each["wrapper"]):
            raise _wrong(source, f"{name} is a wrapper", "plain functions: each implementation is called by itself")
    return {name for name, each in options.items() if each is not None}


def ledgers(hooks: Hooks) -> Iterator[Ledger]:
    """Iterate over the ledgers that plugins provide; one that fails is logged and left out."""
    for caller in hooks.loadable("ledger"):
        try:
            ledger = caller(Ledger)
            problem = ledger.problem() if ledger is not None else None
            if problem:
                raise _wrong(caller.source, f"its ledger {problem}", "a ledger of scheme names")
            if ledger is not None:
                yield ledger
        except PluginError as error:
            log_failure(error)


def log_failure(error: PluginError) -> None:
    """Log the failure of a hook that must not fail anything else."""
    from logging import getLogger  # only a fault needs it

    getLogger("urlschemes").warning("%s", error)


def _expected() -> str:
    return f"the hooks {', '.join(HOOK_PREFIX + name for name in HOOK_NAMES)}, with their arguments"


def _wrong(source: HookSource, has: str, wants: str) -> PluginContractError:
    return PluginContractError(
        f"the hooks of {source.provider} are wrong: {has}",
        distribution=source.provider,
        wants=wants,
        has=has,
        hint=source.removal_hint,
    )
