"""The user's terminal: its modes, size and signals. Only for POSIX systems.

In character mode each key is sent when it is pressed, and the service echoes it. In line mode the terminal echoes and
edits a line, which is sent when it is complete: for services that do not echo.
"""

from __future__ import annotations

import atexit
import os
import signal
import termios
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Any, Self

__all__ = ["Terminal"]

INPUT, OUTPUT, LOCAL, CHARACTERS = 0, 1, 3, 6
"""Indexes into the attributes of termios: input modes, output modes, local modes, special characters."""
NO_KEY = b"\0"
"""The value that disables a special character."""

_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_QUEUED = (signal.SIGWINCH, signal.SIGINT)


class Terminal:
    """The terminal `descriptor`, a context manager that restores its modes on exit.

    `wakeup` is a descriptor that is readable after SIGWINCH or SIGINT; `signals` returns them. SIGTERM, SIGHUP and
    SIGQUIT raise SystemExit. With `raw`, line feeds in the output are not converted in character mode.
    """

    def __init__(self, descriptor: int, *, raw: bool = False) -> None:
        self._descriptor = descriptor
        self._raw = raw
        self._mode = ""
        self._handlers: dict[int, Any] = {}
        self._previous_wakeup = -1

    def __enter__(self) -> Self:
        self._original = termios.tcgetattr(self._descriptor)
        atexit.register(self._restore)  # a signal may interrupt `__exit__`
        self.wakeup, self._wakeup_input = os.pipe()
        os.set_blocking(self._wakeup_input, False)
        os.set_blocking(self.wakeup, False)
        self._previous_wakeup = signal.set_wakeup_fd(self._wakeup_input, warn_on_full_buffer=False)
        for number in (*_QUEUED, *_ENDING):
            self._handlers[number] = signal.signal(number, _exit if number in _ENDING else _ignore)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._restore()
        atexit.unregister(self._restore)
        signal.set_wakeup_fd(self._previous_wakeup)
        for number, handler in self._handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        os.close(self.wakeup)
        os.close(self._wakeup_input)

    def _restore(self) -> None:
        with suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(self._descriptor, termios.TCSANOW, self._original)

    def signals(self) -> frozenset[int]:
        """Return the signals received since the last call."""
        with suppress(BlockingIOError):
            return frozenset(os.read(self.wakeup, 4096))
        return frozenset()

    def size(self) -> tuple[int, int]:
        """Return columns and rows; 0 if unknown."""
        try:
            size = os.get_terminal_size(self._descriptor)
        except OSError:
            return 0, 0
        return size.columns, size.lines

    def character_mode(self) -> None:
        """Pass on each key as it is pressed, Ctrl-C too, without echo."""
        modes = self._modes()
        modes[INPUT] &= ~(
            termios.BRKINT | termios.ICRNL | termios.INLCR | termios.IGNCR | termios.ISTRIP | termios.IXON
        )
        modes[LOCAL] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
        if self._raw:
            modes[OUTPUT] &= ~termios.OPOST
        modes[CHARACTERS][termios.VMIN], modes[CHARACTERS][termios.VTIME] = 1, 0
        self._enter("character", modes)

    def line_mode(self, escape: bytes) -> None:
        """Echo and edit lines here. The key `escape` completes a line at once, and Ctrl-C is a signal."""
        modes = self._modes()
        modes[INPUT] |= termios.ICRNL
        modes[LOCAL] |= termios.ICANON | termios.ECHO | termios.ISIG
        modes[CHARACTERS][termios.VEOL] = escape or NO_KEY
        modes[CHARACTERS][termios.VEOF] = NO_KEY  # Ctrl-D is sent to the service
        self._enter("line", modes)

    def _modes(self) -> list[Any]:
        """Return a copy of the original modes, with line feeds converted in the output."""
        modes: list[Any] = [list(each) if isinstance(each, list) else each for each in self._original]
        modes[OUTPUT] |= termios.OPOST | termios.ONLCR
        return modes

    def _enter(self, mode: str, modes: list[Any]) -> None:
        if self._mode != mode:
            self._mode = mode
            termios.tcsetattr(self._descriptor, termios.TCSANOW, modes)


def _ignore(_: int, __: FrameType | None) -> None:
    """Do nothing: the signal is read from the wakeup descriptor."""


def _exit(number: int, _: FrameType | None) -> None:
    for each in _ENDING:
        signal.signal(each, signal.SIG_IGN)  # the exit has begun
    raise SystemExit(128 + number)
