"""The deadline of a command, `--deadline`: it covers everything that the command waits for.

The library ends an access at its deadline. A command also writes: to a pipe that nobody may read, to a disk that may
hang. So the alarm of the system ends a command that is not done a moment after its deadline.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from urlschemes_access.errors import DeadlineExceeded

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["deadline", "prompting"]

GRACE = 0.4
"""Seconds after the deadline, in which the library reports what it was waiting for."""


class _TimeUp(BaseException):
    """Raised wherever the command is when its time is up, as KeyboardInterrupt is for Ctrl-C."""


@contextmanager
def deadline(seconds: float | None) -> Iterator[None]:
    """Raise DeadlineExceeded if the `with` block takes longer than `seconds`; prompts do not count."""
    if seconds is None or not _has_alarm():
        yield
        return

    def stop(*_: object) -> None:
        raise _TimeUp

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE)
    try:
        yield
    except _TimeUp:
        raise DeadlineExceeded(f"the deadline of {seconds:.3g} seconds passed", phase="output") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def prompting() -> Iterator[None]:
    """Stop the clock within the `with` block: a person is asked."""
    if not _has_alarm():
        yield
        return
    left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left)


def _has_alarm() -> bool:
    """Return True if the system has alarms, and raises them in this thread."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
