"""The terminal that a person types at: its modes, its size, its signals. On POSIX systems alone.

In character mode each key is sent as it is pressed, and the service shows it. In line mode the terminal shows and edits
a line, which is sent when it is finished: for services that do not echo.
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
"""Where termios keeps what: modes of input, of output, of the terminal itself; and its special characters."""
NO_KEY = b"\0"
"""In place of a special character: none."""

_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_NOTICED = (signal.SIGWINCH, signal.SIGINT)


class Terminal:
    """The terminal `descriptor`, within a `with` block; however that is left, the terminal is as it was before.

    `woken` is readable when a signal came, which `signals` tells: SIGWINCH or SIGINT. SIGTERM, SIGHUP and SIGQUIT end
    the block, with SystemExit. With `raw`, in character mode, not even a line feed is turned into a new line.
    """

    def __init__(self, descriptor: int, *, raw: bool = False) -> None:
        self._descriptor = descriptor
        self._raw = raw
        self._mode = ""
        self._handlers: dict[int, Any] = {}
        self._waker = -1

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(self._descriptor)
        atexit.register(self._restore)  # a signal may come within `__exit__`, and end it
        self.woken, self._waking = os.pipe()
        os.set_blocking(self._waking, False)
        os.set_blocking(self.woken, False)
        self._waker = signal.set_wakeup_fd(self._waking, warn_on_full_buffer=False)
        for number in (*_NOTICED, *_ENDING):
            self._handlers[number] = signal.signal(number, _end if number in _ENDING else _notice)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._restore()
        atexit.unregister(self._restore)
        signal.set_wakeup_fd(self._waker)
        for number, handler in self._handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        os.close(self.woken)
        os.close(self._waking)

    def _restore(self) -> None:
        with suppress(termios.error):  # it is gone
            termios.tcsetattr(self._descriptor, termios.TCSANOW, self._before)

    def signals(self) -> frozenset[int]:
        """The signals that came since this was asked."""
        with suppress(BlockingIOError):
            return frozenset(os.read(self.woken, 4096))
        return frozenset()

    def size(self) -> tuple[int, int]:
        """Columns and rows; 0 where the terminal does not know."""
        try:
            size = os.get_terminal_size(self._descriptor)
        except OSError:
            return 0, 0
        return size.columns, size.lines

    def character_mode(self) -> None:
        """Every key as it is pressed, Ctrl-C too; nothing is shown."""
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
        """Lines, shown and edited here; the key `escape` ends one at once, and Ctrl-C is a signal."""
        modes = self._modes()
        modes[INPUT] |= termios.ICRNL
        modes[LOCAL] |= termios.ICANON | termios.ECHO | termios.ISIG
        modes[CHARACTERS][termios.VEOL] = escape or NO_KEY
        modes[CHARACTERS][termios.VEOF] = NO_KEY  # Ctrl-D is a character for the service
        self._enter("line", modes)

    def _modes(self) -> list[Any]:
        """Those of before, to be altered; a line feed begins a new line."""
        modes: list[Any] = [list(each) if isinstance(each, list) else each for each in self._before]
        modes[OUTPUT] |= termios.OPOST | termios.ONLCR
        return modes

    def _enter(self, mode: str, modes: list[Any]) -> None:
        if self._mode != mode:
            self._mode = mode
            termios.tcsetattr(self._descriptor, termios.TCSANOW, modes)


def _notice(_: int, __: FrameType | None) -> None:
    """The signal is told through the pipe."""


def _end(number: int, _: FrameType | None) -> None:
    for each in _ENDING:
        signal.signal(each, signal.SIG_IGN)  # what is under way now is the end
    raise SystemExit(128 + number)
