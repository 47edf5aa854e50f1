"""The total deadline of an operation."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from urlschemes_access.errors import DeadlineExceeded

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Deadline"]

LONGEST = 1e9
"""Seconds beyond which a deadline makes no difference, and floating-point numbers would lose precision."""
LONGEST_WAIT = 1e6
"""The longest wait in seconds: system calls take at most 2**31 milliseconds."""


class Deadline:
    """A deadline of `seconds` of working time; it grows by one second for every `rate` octets counted in `moved`.

    `clock` returns the time in seconds. Time counts between `resume` and `pause`.
    """

    __slots__ = ("_clock", "_rate", "_resumed", "_seconds", "_spent", "moved")

    def __init__(self, seconds: float, rate: float, clock: Callable[[], float] = monotonic) -> None:
        self._seconds = min(seconds, LONGEST)
        self._rate = rate
        self._clock = clock
        self.restart()

    def restart(self) -> None:
        """Reset the deadline, paused: for the next call of a session."""
        self._spent = 0.0
        self._resumed: float | None = None
        self.moved = 0

    def resume(self) -> None:
        """Start to count time."""
        self._resumed = self._clock()

    def pause(self) -> None:
        """Stop counting: the caller takes its time."""
        if self._resumed is not None:
            self._spent += self._clock() - self._resumed
            self._resumed = None

    def left(self) -> float:
        """Return the seconds left; negative once the deadline has passed."""
        running = 0.0 if self._resumed is None else self._clock() - self._resumed
        return self._seconds + min(self.moved / self._rate, LONGEST) - self._spent - running

    def time_for(self, phase: str) -> float:
        """Return the seconds left, at most the longest wait. Raises DeadlineExceeded if there are none."""
        left = self.left()
        if left <= 0:
            raise self.error(phase, 0)
        return min(left, LONGEST_WAIT)

    def error(self, phase: str, bound: float) -> DeadlineExceeded:
        """Return the error for a wait that lasted `bound` seconds, or until the deadline."""
        if self.left() <= 0:
            return DeadlineExceeded(f"the deadline passed while waiting for {phase}", phase=phase)
        return DeadlineExceeded(f"{bound:.3g} seconds passed while waiting for {phase}", phase=phase)
