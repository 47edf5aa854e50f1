"""The files, sockets, programs and threads that code opens, as Python's audit events report them.

An audit hook cannot be removed: use this in a process that ends soon.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from urlschemes.redaction import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from types import FrameType

__all__ = ["PluginEvents", "SideEffects"]

_SIDE_EFFECTS = {
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
"""Events with an effect outside of the process, and their descriptions, formatted with the event's arguments."""

_RESOURCE_EVENTS = frozenset(
    {*_SIDE_EFFECTS, "_thread.start_new_thread", "ctypes.dlopen", "open", "os.listdir", "os.scandir", "socket.__new__"}
)
"""Events that an access algorithm never causes: it requests everything from the backend."""

_BYTECODE = re.compile(r"__pycache__|\.pyc(\.\d+)?$")
_IMPORT_MACHINERY = frozenset(
    {"importlib._bootstrap", "importlib._bootstrap_external", "_frozen_importlib", "zipimport"}
)
_BACKEND_PACKAGES = frozenset({"urlschemes", "urlschemes_access"})


class SideEffects:
    """Records side effects outside of the process, in all threads, from now until `stop`: `descriptions`, each once."""

    def __init__(self) -> None:
        self.descriptions: list[str] = []
        self._stopped = False
        sys.addaudithook(self._hook)

    def stop(self) -> None:
        """Record nothing more."""
        self._stopped = True

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._stopped or (event not in _SIDE_EFFECTS and event != "open"):
            return
        if any(isinstance(each, str) and _BYTECODE.search(each) for each in arguments):
            return  # Python writes these files and folders itself when it imports
        if event != "open":
            description = _SIDE_EFFECTS[event].format(*map(repr, arguments))
        elif _is_written(*arguments):
            description = f"opened the file {arguments[0]} for writing"
        else:
            return
        line = one_line(description, 200)
        if line not in self.descriptions:
            self.descriptions.append(line)


def _is_written(path: object, _mode: object, flags: object) -> bool:
    writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
    return bool(writes) and isinstance(path, str) and path != os.devnull


class PluginEvents:
    """Records the resources that functions of a plugin open themselves, within `recording()`, in that thread.

    An event belongs to the innermost function of the backend or of the plugin on the call stack. The plugin's functions
    are those of its `packages`, except for the module `server` ("" for none), whose server is not part of the access.
    `descriptions` are the plugin's events; `count` is the number of all events.
    """

    def __init__(self, packages: Collection[str], server: str) -> None:
        self.descriptions: list[str] = []
        self.count = 0
        self._packages = packages
        self._server = server
        self._thread = 0
        sys.addaudithook(self._hook)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record the events of this thread within the block."""
        self._thread = threading.get_ident()
        try:
            yield
        finally:
            self._thread = 0

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in _RESOURCE_EVENTS or self._thread != threading.get_ident():
            return
        self.count += 1
        caller = self._plugin_function(sys._getframe(1))  # noqa: SLF001  an audit hook is not told who called
        if caller:
            plain = [each for each in arguments if isinstance(each, str | int)]
            argument = f" {plain[0]!r}" if plain else ""
            self.descriptions.append(one_line(f"{event}{argument} by {caller}", 200))

    def _plugin_function(self, frame: FrameType | None) -> str:
        """Return the function of the plugin that caused the event; "" if the backend, the server or an import did."""
        while frame is not None:
            module = str(frame.f_globals.get("__name__", ""))
            package = module.partition(".")[0]
            if module in _IMPORT_MACHINERY or package in _BACKEND_PACKAGES or module == self._server:
                return ""
            if package in self._packages:
                return f"{module}.{frame.f_code.co_qualname}, line {frame.f_lineno}"
            frame = frame.f_back
        return ""
