"""The state of a process that a plugin could change for others, and the differences between two states.

Values are compared by identity, and plain ones by equality, so that no code of the plugin runs.
"""

from __future__ import annotations

import atexit
import builtins
import locale
import logging
import os
import signal
import socket
import sys
import threading
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import (
    BuiltinFunctionType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import TYPE_CHECKING, Any

from urlschemes import default_registry
from urlschemes.redaction import one_line
from urlschemes.registry.names import known_names

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Snapshot"]

_PLAIN = (str, int, float, bool, type(None))
_DEFINITIONS = (
    BuiltinFunctionType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    WrapperDescriptorType,
    classmethod,
    property,
    staticmethod,
    type,
)
_OWN_PREFIX = "urlschemes"
"""The names of the workspace's packages begin with it."""
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of the process: its `settings`, its `modules` by name, and the `definitions` in them by dotted name."""

    settings: dict[str, Any]
    modules: dict[str, ModuleType]
    definitions: dict[str, Any]

    @classmethod
    def take(cls) -> Snapshot:
        """Return the present state."""
        modules = dict(sys.modules)
        definitions: dict[str, Any] = {}
        for name, module in modules.items():
            if name.partition(".")[0] in sys.stdlib_module_names or name.startswith(_OWN_PREFIX):
                definitions.update(_definitions(name, module))
        return cls(dict(_settings()), modules, definitions)

    def differences(self, later: Snapshot) -> Iterator[str]:
        """Yield descriptions of the differences to a later state. New names in a module do not count."""
        for setting, old in self.settings.items():
            yield from _setting_difference(setting, old, later.settings.get(setting))
        for name, module in self.modules.items():
            if later.modules.get(name) is not module:
                yield f"sys.modules[{name!r}] is another module, or missing"
        for name, old in self.definitions.items():
            new = later._value_of(name)
            if new is _MISSING:
                yield f"{name} is missing"
            elif not _same(old, new):
                yield f"{name} is now {_shown(new)}"
        for name in later.definitions.keys() - self.definitions.keys():
            if name.rpartition(".")[0] in self.definitions:  # a class
                yield f"{name} is new: {_shown(later.definitions[name])}"

    def _value_of(self, name: str) -> Any:
        """Return the value of a definition, which may no longer be one."""
        owner, _, attribute = name.rpartition(".")
        if name not in self.definitions and owner in self.modules:
            return vars(self.modules[owner]).get(attribute, _MISSING)
        return self.definitions.get(name, _MISSING)


def _definitions(name: str, module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the functions and classes of a module, and their members; for our own modules, the constants too."""
    own = name.startswith(_OWN_PREFIX)
    for attribute, value in list(vars(module).items()):
        if attribute.startswith("__") and attribute.endswith("__"):
            continue
        kind = type(value)
        is_constant = own and not attribute.startswith("_") and not issubclass(kind, ModuleType)
        if issubclass(kind, _DEFINITIONS) or is_constant:
            yield f"{name}.{attribute}", value
        if issubclass(kind, type) and value.__module__ == name:
            for member_name, member in list(vars(value).items()):
                if issubclass(type(member), _DEFINITIONS):
                    yield f"{name}.{attribute}.{member_name}", member


def _settings() -> Iterator[tuple[str, Any]]:
    """Yield the settings that are global to the process, with their names."""
    yield "the default timeout of sockets", socket.getdefaulttimeout()
    yield "the locale", locale.setlocale(locale.LC_ALL)
    yield "the working directory", str(Path.cwd())
    yield "the umask", _umask()
    yield "the recursion limit", sys.getrecursionlimit()
    yield "the warning filters", list(warnings.filters)
    root_logger = logging.getLogger()
    yield "the level of the root logger", root_logger.level
    yield "the handlers of the root logger", list(root_logger.handlers)
    yield "the filters of the root logger", list(root_logger.filters)
    yield "the level of logging.disable", root_logger.manager.disable
    for name in ("path", "meta_path", "path_hooks"):
        yield f"sys.{name}", list(getattr(sys, name))
    for name in ("excepthook", "unraisablehook", "displayhook", "breakpointhook", "stdin", "stdout", "stderr"):
        yield f"sys.{name}", getattr(sys, name)
    yield "threading.excepthook", threading.excepthook
    yield "the trace function", sys.gettrace()
    yield "the profile function", sys.getprofile()
    for number in signal.valid_signals():
        yield f"the handler of {_signal_name(number)}", signal.getsignal(number)
    yield "the environment", dict(os.environ)
    yield "the threads", {f"the thread {thread.name!r}": thread for thread in threading.enumerate()}
    yield "the number of atexit functions", atexit._ncallbacks()  # noqa: SLF001  there is no public way to ask
    yield "the names of builtins", dict.fromkeys(vars(builtins))
    for name, schemes in default_registry.snapshot().items():
        yield f"{name} urlschemes.default_registry", schemes
    yield "the names that the core reserves", dict(known_names())


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _setting_difference(setting: str, old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, dict):
        changed = [f"{key} changed" for key in old.keys() & new.keys() if not _same(old[key], new[key])]
        added = [f"{key} added" for key in new.keys() - old.keys()]
        removed = [f"{key} removed" for key in old.keys() - new.keys()]
        if changed or added or removed:
            yield f"{setting}: {', '.join(sorted(changed) + sorted(added) + sorted(removed))}"
    elif isinstance(old, list):
        if len(old) != len(new) or not all(map(_same, old, new)):
            added = [_shown(each) for each in new if not any(_same(each, other) for other in old)]
            removed = [_shown(each) for each in old if not any(_same(each, other) for other in new)]
            parts = [
                f"{verb} {', '.join(values)}" for verb, values in (("added", added), ("removed", removed)) if values
            ]
            yield f"{setting}: {'; '.join(parts) or 'reordered'}"
    elif not _same(old, new):
        yield f"{setting} changed from {_shown(old)} to {_shown(new)}"


def _same(old: Any, new: Any) -> bool:
    if old is new or type(old) is not type(new):
        return old is new
    if type(old) is tuple:
        return len(old) == len(new) and all(map(_same, old, new))
    return type(old) in _PLAIN and bool(old == new)


def _shown(value: Any) -> str:
    """Return a description of a value, without running its code unless its type is one of Python's own."""
    if type(value) in _PLAIN:
        return one_line(repr(value), 80)
    if type(value) is tuple:
        return one_line(f"({', '.join(map(_shown, value))})", 120)
    if isinstance(value, FunctionType | type):
        return one_line(f"{value.__module__}.{value.__qualname__}", 100)
    return one_line(f"a {type(value).__module__}.{type(value).__qualname__}", 100)
