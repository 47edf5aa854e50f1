"""The engine of hooks, and the hook of the core: `urlschemes_ledger`.

A distribution names a module for each hook that it implements by an entry point of the group `urlschemes`, which has
the hook's name without its prefix; a program adds its own by `registry.add_hooks`. An implementation is a function with
the name of the hook and the mark `hookimpl`:

    from urlschemes.registry.hooks import hookimpl

    @hookimpl
    def urlschemes_veto(url, operation):
        return "not on Sundays" if date.today().isoweekday() == 7 else None

pluggy has the marks, checks the arguments of implementations, and calls them. What it lacks is here: the module of an
implementation is imported when one of its hooks is first called, and one that fails, or answers with something of
another type, is an error that names its provider, who decides nothing else. They are called in the order of the
providers' names. Hooks are never called to parse a URL.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from threading import Lock
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import pluggy

from urlschemes.errors import PluginContractError, PluginError, URLError
from urlschemes.redaction import described
from urlschemes.registry.claims import HOOK_PREFIX
from urlschemes.registry.names import Ledger

__all__ = ["Answer", "HookSource", "Hooks", "hookimpl", "hookspec", "implementations", "log_failure"]

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

    `known` are the names of all hooks, `names` those that it announced (None: any). `load` imports the module and
    raises PluginError.
    """

    provider: str
    load: Callable[[], object]
    known: Collection[str]
    names: frozenset[str] | None = None
    removal_hint: str | None = None


class Answer(NamedTuple):
    """The answer of a provider's implementation: a `value`, or the `error` that names what it did wrong."""

    provider: str
    value: Any
    error: PluginError | None = None


class Hooks:
    """The hooks that one module specifies, and their implementations."""

    def __init__(self, specifications: ModuleType, sources: Callable[[], Iterable[HookSource]]) -> None:
        """Make the hooks of `specifications`. `sources` returns those of the registry at each call."""
        self._specifications = specifications
        self._sources = sources
        self._lock = Lock()
        self._isolated: dict[HookSource, object] = {}
        self._manager = self._managed({})

    def answers(self, name: str, kind: type, **arguments: Any) -> list[Answer]:
        """Call the hook `name`. Return the answers, of the type `kind`, and the errors, sorted by provider.

        None is no answer. An error ends the calls of a hook whose specification wants the first result only.
        """
        failed = []
        for source in self._sources():
            if source.names is None or name in source.names:
                try:
                    self._register(source)
                except PluginError as error:
                    failed.append(Answer(source.provider, None, error))
        hook = f"{HOOK_PREFIX}{name}"
        found = getattr(self._manager.hook, hook)(**arguments)
        answers = found if isinstance(found, list) else [found] * (found is not None)
        return sorted([*failed, *(_checked(each, hook, kind) for each in answers)], key=lambda each: each.provider)

    def call(self, name: str, kind: type, **arguments: Any) -> list[Answer]:
        """Return `answers` without errors. Raises the first PluginError."""
        answers = self.answers(name, kind, **arguments)
        for each in answers:
            if each.error is not None:
                raise each.error
        return answers

    def _register(self, source: HookSource) -> None:
        """Let pluggy call the implementations of `source`. Raises PluginError."""
        if source in self._isolated:
            return
        functions = implementations(source.load(), source)
        isolated = SimpleNamespace(**{name: _isolated(each, name, source) for name, each in functions.items()})
        with self._lock:
            plugins = {**self._isolated, source: isolated}
            try:
                self._manager = self._managed(plugins)
            except pluggy.PluginValidationError as error:
                definition = str(error).partition("hookimpl definition: ")[2].partition("\n")[0]
                problem = f"{definition} does not take the arguments of the hook"
                raise _wrong(source, problem, _expected(source)) from error
            self._isolated = plugins

    def _managed(self, plugins: Mapping[HookSource, object]) -> pluggy.PluginManager:
        """Return a manager of `plugins`. Raises PluginValidationError for wrong arguments."""
        manager = pluggy.PluginManager("urlschemes")
        manager.add_hookspecs(self._specifications)
        for source in sorted(plugins, key=lambda each: each.provider, reverse=True):  # the last one is called first
            manager.register(plugins[source])
        return manager


def _isolated(function: Callable[..., object], hook: str, source: HookSource) -> Callable[..., Answer | None]:
    """Return the implementation as pluggy calls it: its failure becomes an Answer, and its mark has no options."""

    @hookimpl
    @wraps(function)
    def call(*arguments: object, **defaulted: object) -> Answer | None:
        try:
            value = function(*arguments, **defaulted)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001  a plugin may raise anything
            message, hint = (error.message, error.hint) if isinstance(error, URLError) else (described(error), None)
            message = f"the hook {hook} of {source.provider} failed: {message}"
            failure = PluginError(message, distribution=source.provider, hint=hint)
            failure.__cause__ = error
            return Answer(source.provider, None, failure)
        return None if value is None else Answer(source.provider, value)

    return call


def _checked(answer: Answer, hook: str, kind: type) -> Answer:
    """Return the answer; as an error if its value is not a `kind`."""
    if answer.error is not None or isinstance(answer.value, kind):
        return answer
    has = f"an instance of {type(answer.value).__qualname__}"
    message, wants = f"the hook {hook} of {answer.provider} returned {has}", f"{kind.__name__} or None"
    return answer._replace(error=PluginContractError(message, distribution=answer.provider, wants=wants, has=has))


def implementations(module: object, source: HookSource) -> dict[str, Callable[..., object]]:
    """Return the functions of `module` with the mark `hookimpl`, by name.

    Raises PluginContractError unless they implement exactly the hooks that the source announced.
    """
    found = _marked(module, source)
    for hook in sorted(found.keys() - {f"{HOOK_PREFIX}{name}" for name in source.known}):
        raise _wrong(source, f"there is no hook {hook}", _expected(source))
    announced = {f"{HOOK_PREFIX}{name}" for name in source.names or ()}
    for hook in sorted(found.keys() - announced) if source.names is not None else ():
        entry = hook.removeprefix(HOOK_PREFIX)
        raise _wrong(source, f"{hook} would never be called", f"an entry point {entry} in the group urlschemes")
    if not found and not announced:
        raise _wrong(source, "no function has the mark `hookimpl`", _expected(source))
    for hook in sorted(announced - found.keys()):
        raise _wrong(source, f"it does not implement {hook}", f"a function {hook} with the mark `hookimpl`")
    return found


def _marked(module: object, source: HookSource) -> dict[str, Callable[..., object]]:
    """Return the functions that are marked as implementations. Raises PluginContractError."""
    try:
        options = {name: _MARKS.parse_hookimpl_opts(module, name) for name in dir(module)}
    except Exception as error:  # a module may compute its attributes
        raise _wrong(source, described(error), "a module whose attributes can be read") from error
    for name, each in options.items():
        if each is not None and (each["hookwrapper"] or each["wrapper"]):
            raise _wrong(source, f"{name} is a wrapper", "plain functions: each implementation is called by itself")
    return {name: getattr(module, name) for name, each in options.items() if each is not None}


def ledgers(hooks: Hooks) -> Iterator[Ledger]:
    """Iterate over the ledgers that plugins provide; one that fails is logged and left out."""
    for provider, ledger, failure in hooks.answers("ledger", Ledger):
        error, problem = failure, ledger.problem() if failure is None else None
        if problem is not None:
            wrong = f"the hooks of {provider} are wrong: its ledger {problem}"
            error = PluginContractError(wrong, distribution=provider, wants="a ledger of scheme names", has=problem)
        if error is not None:
            log_failure(error)
        else:
            yield ledger


def log_failure(error: PluginError) -> None:
    """Log the failure of a hook that must not fail anything else."""
    from logging import getLogger  # only a fault needs it

    getLogger("urlschemes").warning("%s", error)


def _expected(source: HookSource) -> str:
    return f"the hooks {', '.join(HOOK_PREFIX + name for name in sorted(source.known))}, with their arguments"


def _wrong(source: HookSource, has: str, wants: str) -> PluginContractError:
    message = f"the hooks of {source.provider} are wrong: {has}"
    return PluginContractError(message, distribution=source.provider, wants=wants, has=has, hint=source.removal_hint)
