"""The files, sockets, programs and threads that code opens, as Python's audit events report them.

An audit hook cannot be removed: use this in a process that ends soon.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from urlschemes.redaction import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from types import FrameType

__all__ = ["opened_by", "recording", "side_effect"]

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


Describe: TypeAlias = "Callable[[str, tuple[Any, ...]], str | None]"
"""The type of a function that describes an audit event with its arguments; None if the event does not count."""


@contextmanager
def recording(describe: Describe, descriptions: list[str]) -> Iterator[None]:
    """Add what `describe` says of the audit events within the block to `descriptions`."""
    active = True

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if active and (description := describe(event, arguments)) is not None:
            descriptions.append(one_line(description, 200))

    sys.addaudithook(hook)
    try:
        yield
    finally:
        active = False


def side_effect(event: str, arguments: tuple[Any, ...]) -> str | None:
    """Describe an event with an effect outside of the process."""
    if any(isinstance(each, str) and _BYTECODE.search(each) for each in arguments):
        return None  # Python writes these files and folders itself when it imports
    if event in _SIDE_EFFECTS:
        return _SIDE_EFFECTS[event].format(*map(repr, arguments))
    if event == "open" and _is_written(*arguments):
        return f"opened the file {arguments[0]} for writing"
    return None


def _is_written(path: object, _mode: object, flags: object) -> bool:
    writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
    return bool(writes) and isinstance(path, str) and path != os.devnull


def opened_by(packages: Collection[str], server: str) -> Describe:
    """Return what describes the resources that this thread opens; an event that is not the plugin's, as "".

    An event belongs to the innermost function of the backend or of the plugin on the call stack. The plugin's functions
    are those of its `packages`, except for the module `server` ("" for none), whose server is not part of the access.
    """
    thread = threading.get_ident()

    def describe(event: str, arguments: tuple[Any, ...]) -> str | None:
        if event not in _RESOURCE_EVENTS or thread != threading.get_ident():
            return None
        frame: FrameType | None = sys._getframe()  # noqa: SLF001  an audit hook is not told who called
        while frame is not None:
            module = str(frame.f_globals.get("__name__", ""))
            package = module.partition(".")[0]
            if module in _IMPORT_MACHINERY or package in _BACKEND_PACKAGES or module == server:
                return ""
            if package in packages:
                plain = [each for each in arguments if isinstance(each, str | int)]
                argument = f" {plain[0]!r}" if plain else ""
                return f"{event}{argument} by {module}.{frame.f_code.co_qualname}, line {frame.f_lineno}"
            frame = frame.f_back
        return ""

    return describe
