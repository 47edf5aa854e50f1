"""What a plugin could change for others in its process, at one moment, and how two moments differ.

Objects are compared by identity: nothing of a plugin is asked whether it is equal to something.
"""

from __future__ import annotations

import atexit
import builtins
import logging
import os
import signal
import sys
import threading
import warnings
from dataclasses import dataclass
from locale import LC_ALL, setlocale
from os import getcwd, umask
from signal import getsignal, valid_signals
from socket import getdefaulttimeout
from sys import getprofile, getrecursionlimit, gettrace
from threading import enumerate as all_threads
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

from urlschemes.redaction import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["OUTSIDE", "Deeds", "Snapshot"]

OUTSIDE = {
    "os.exec": "ran the program {}",
    "os.fork": "forked the process",
    "os.forkpty": "forked the process",
    "os.posix_spawn": "ran the program {}",
    "os.remove": "removed the file {}",
    "os.rename": "renamed {}",
    "os.system": "ran the command {}",
    "socket.bind": "bound a socket to {1}",
    "socket.connect": "connected a socket to {1}",
    "socket.getaddrinfo": "looked up the host {}",
    "socket.gethostbyaddr": "looked up the host {}",
    "socket.gethostbyname": "looked up the host {}",
    "socket.sendmsg": "sent a message to {1}",
    "socket.sendto": "sent a datagram to {1}",
    "subprocess.Popen": "ran the program {}",
}
"""Events of Python's auditing that something is done outside of the process, in words, with the event's arguments."""

# What a look needs is kept from before a plugin is loaded, which may put something else in its place.
_ROOT = logging.getLogger()
_count_at_exit = getattr(atexit, "_ncallbacks", int)

_PLAIN = (str, int, float, bool, type(None))
_CODE = (
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
_FIRST = "urlschemes"
"""What the names of the core's packages, and of those of the reserved names, begin with."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`settings` of the process by what they are called, `modules` by name, and the `names` within them."""

    settings: dict[str, Any]
    modules: dict[str, ModuleType]
    names: dict[str, Any]

    @classmethod
    def take(cls) -> Snapshot:
        """The process as it is now."""
        modules = dict(sys.modules)
        names: dict[str, Any] = {}
        for name, module in modules.items():
            if name.partition(".")[0] in sys.stdlib_module_names or name.startswith(_FIRST):
                names.update(_names_of(name, module))
        return cls(dict(_settings()), modules, names)

    def differences(self, later: Snapshot) -> Iterator[str]:
        """What is different in `later`, in words. That a module has more names than before does not count."""
        for what, old in self.settings.items():
            yield from _difference(what, old, later.settings.get(what))
        for name, module in self.modules.items():
            if later.modules.get(name) is not module:
                yield f"another module, or none, in the place of {name} in sys.modules"
        for name, old in self.names.items():
            # A module that was replaced has been told of.
            new = later.names.get(name, _GONE)
            owner, _, attribute = name.rpartition(".")
            if attribute in _WITHIN and later.names.get(owner) is not self.names[owner]:
                continue  # another function, of which is told
            if new is _GONE and owner in later.modules:
                new = vars(later.modules[owner]).get(attribute, _GONE)
            if new is not old and not _same(old, new):
                yield f"{name} {'is gone' if new is _GONE else f'is now {_shown(new)}'}"
        for name in later.names.keys() - self.names.keys():
            owner = name.rpartition(".")[0]
            if owner in self.names:  # a class
                yield f"{name} is new: {_shown(later.names[name])}"


_GONE = object()
_WITHIN = ("__code__", "__defaults__", "__kwdefaults__")
"""What a function does, and with what: it can be replaced while the function stays."""


def _names_of(name: str, module: ModuleType) -> Iterator[tuple[str, Any]]:
    """What is defined in a module: its functions and classes and what these define; of ours, the constants too."""
    ours = name.startswith(_FIRST)
    for attribute, value in list(vars(module).items()):
        if _is_special(attribute):
            continue
        kind = type(value)
        if issubclass(kind, _CODE) or (ours and not attribute.startswith("_") and not issubclass(kind, ModuleType)):
            yield f"{name}.{attribute}", value
            if ours:
                yield from _within(f"{name}.{attribute}", value)
        if issubclass(kind, type) and value.__module__ == name and vars(value).get("__module__") == name:
            for inner, member in list(vars(value).items()):
                if issubclass(type(member), _CODE):
                    yield f"{name}.{attribute}.{inner}", member
                    if ours:
                        yield from _within(f"{name}.{attribute}.{inner}", member)


def _within(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """What a function consists of; of a property, the one that reads it."""
    kind = type(value)
    function = value.fget if kind is property else value.__func__ if kind in {classmethod, staticmethod} else value
    if type(function) is FunctionType:
        for attribute in _WITHIN:
            part = getattr(function, attribute)
            yield f"{name}.{attribute}", tuple(part.items()) if type(part) is dict else part


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _settings() -> Iterator[tuple[str, Any]]:
    yield "the default timeout of sockets", getdefaulttimeout()
    yield "the locale", setlocale(LC_ALL)
    yield "the working directory", getcwd()  # noqa: PTH109  text, to be compared
    yield "the mask of file modes", _umask()
    yield "the recursion limit", getrecursionlimit()
    yield "the filters of warnings", list(warnings.filters)
    yield "the level of the root logger", _ROOT.level
    yield "the handlers of the root logger", list(_ROOT.handlers)
    yield "the filters of the root logger", list(_ROOT.filters)
    yield "the level that logging.disable sets", _ROOT.manager.disable
    for name in ("path", "meta_path", "path_hooks"):
        yield f"sys.{name}", list(getattr(sys, name))
    for name in ("excepthook", "unraisablehook", "displayhook", "breakpointhook", "stdin", "stdout", "stderr"):
        yield f"sys.{name}", getattr(sys, name)
    yield "threading.excepthook", threading.excepthook
    yield "the trace function", gettrace()
    yield "the profile function", getprofile()
    for number in valid_signals():
        yield f"the handler of {_signal_name(number)}", getsignal(number)
    yield "the environment", dict(os.environ)
    yield "the threads", {f"the thread {thread.name!r}": thread for thread in all_threads()}
    yield "the functions to be called at exit", _count_at_exit()
    yield "the names of builtins", dict.fromkeys(vars(builtins))
    yield from _registry()


def _registry() -> Iterator[tuple[str, Any]]:
    """What the program registered, which a plugin must leave to it."""
    from urlschemes import default_registry as registry
    from urlschemes.registry.known_names import known_names

    for what, names in registry.snapshot().items():
        yield f"{what} urlschemes.default_registry", names
    yield "the names that the core reserves", dict(known_names())


def _umask() -> int:
    mask = umask(0o077)
    umask(mask)
    return mask


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _difference(what: str, old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, dict):
        changed = [f"{key} changed" for key in old.keys() & new.keys() if not _same(old[key], new[key])]
        added = [f"{key} added" for key in new.keys() - old.keys()]
        gone = [f"{key} gone" for key in old.keys() - new.keys()]
        if changed or added or gone:
            yield f"{what}: {', '.join(sorted(changed) + sorted(added) + sorted(gone))}"
    elif isinstance(old, list):
        if len(old) != len(new) or not all(map(_same, old, new)):
            added = [_shown(each) for each in new if not any(_same(each, other) for other in old)]
            gone = [_shown(each) for each in old if not any(_same(each, other) for other in new)]
            parts = [f"{word} {', '.join(found)}" for word, found in (("added", added), ("gone", gone)) if found]
            yield f"{what}: {'; '.join(parts) or 'in another order'}"
    elif not _same(old, new):
        yield f"{what}: {_shown(old)} became {_shown(new)}"


def _same(old: Any, new: Any) -> bool:
    if old is new or type(old) is not type(new):
        return old is new
    if type(old) is tuple:
        return len(old) == len(new) and all(map(_same, old, new))
    return type(old) in _PLAIN and bool(old == new)


def _shown(value: Any) -> str:
    """A value in words, without asking it what it is unless its type is one of Python's own."""
    if type(value) in _PLAIN:
        return one_line(repr(value), 80)
    if type(value) is tuple:
        return one_line(f"({', '.join(map(_shown, value))})", 120)
    if isinstance(value, FunctionType | type):
        return one_line(f"{value.__module__}.{value.__qualname__}", 100)
    return one_line(f"a {type(value).__module__}.{type(value).__qualname__}", 100)


class Deeds:
    """What is done outside of the process, from now until `stop`, as Python's auditing tells it: `told`, in words."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self._stopped = False
        sys.addaudithook(self._hear)

    def stop(self) -> None:
        """Hear nothing more: a hook cannot be removed."""
        self._stopped = True

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._stopped or (event not in OUTSIDE and event != "open"):
            return
        if any(isinstance(each, str) and "__pycache__" in each for each in arguments):
            return  # what Python itself writes when it imports
        if event == "open":
            path, _, flags = arguments
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
            if not writes or not isinstance(path, str) or path == os.devnull:
                return
            said = f"opened the file {path} to write"
        else:
            said = OUTSIDE[event].format(*(_shown(each) for each in arguments))
        if said not in self.told:
            self.told.append(one_line(said, 200))
