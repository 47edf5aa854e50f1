"""Who opens what while a demonstration is accessed: the interpreter itself is asked, by an audit hook."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from urlschemes.redaction import one_line
from urlschemes_conformance.import_probe.snapshot import OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from types import FrameType

__all__ = ["Watch"]

EVENTS = frozenset(
    {*OUTSIDE, "_thread.start_new_thread", "ctypes.dlopen", "open", "os.listdir", "os.scandir", "socket.__new__"}
)
"""What is the driver's to do: more than `OUTSIDE`, since an algorithm needs none of it."""
_IMPORTING = frozenset({"importlib._bootstrap", "importlib._bootstrap_external", "_frozen_importlib", "zipimport"})


class Watch:
    """What is opened while it is armed, in the thread that armed it.

    Whose deed it is, the innermost function of the core or of the plugin says: the driver is the core's, and all that
    it calls lies deeper. The plugin's functions are those of its `packages`, but for the module `server` ("" for none):
    the demonstration, whose server runs in other threads. `deeds` are the plugin's, in words, `seen` is how many there
    were in all. For a process that ends soon: an audit hook stays.
    """

    def __init__(self, packages: Collection[str], server: str) -> None:
        self.deeds: list[str] = []
        self.seen = 0
        self._packages = packages
        self._server = server
        self._thread = 0
        sys.addaudithook(self._hear)

    @contextmanager
    def armed(self) -> Iterator[None]:
        """Watch this thread within the block."""
        self._thread = threading.get_ident()
        try:
            yield
        finally:
            self._thread = 0

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in EVENTS or self._thread != threading.get_ident():
            return
        self.seen += 1
        by = self._by(sys._getframe(1))  # noqa: SLF001  there is no other way to ask
        if by:
            self.deeds.append(one_line(f"{event}{_shown(arguments)} by {by}", 200))

    def _by(self, frame: FrameType | None) -> str:
        """The function of the plugin that does it; "" where it is the core's deed, the server's, or an import's."""
        while frame is not None:
            module = str(frame.f_globals.get("__name__", ""))
            package = module.partition(".")[0]
            if module in _IMPORTING or package == "urlschemes" or module == self._server:
                return ""
            if package in self._packages:
                return f"{module}.{frame.f_code.co_qualname}, line {frame.f_lineno}"
            frame = frame.f_back
        return ""


def _shown(arguments: tuple[Any, ...]) -> str:
    """What of the arguments of an event is a text or a number."""
    plain = [each for each in arguments if isinstance(each, str | int)]
    return f" {plain[0]!r}" if plain else ""
