"""One total deadline over the time that we work."""

from __future__ import annotations

from time import monotonic

from urlschemes_access.errors import DeadlineExceeded

__all__ = ["Deadline"]


LONGEST = 1e9
"""Seconds beyond which more make no difference, and floating point would lose the seconds between two moments."""
LONGEST_WAIT = 1e6
"""Seconds of one wait: the system's calls take no more than 2**31 milliseconds."""


class Deadline:
    """`seconds` of work, and one more for every `rate` octets that were counted as `moved`, received or sent."""

    __slots__ = ("_rate", "_resumed", "_seconds", "_spent", "moved")

    def __init__(self, seconds: float, rate: float) -> None:
        self._seconds = min(seconds, LONGEST)
        self._rate = rate
        self.restart()

    def restart(self) -> None:
        """All the time again, not yet running: for the next call of a session."""
        self._spent = 0.0
        self._resumed: float | None = None
        self.moved = 0

    def resume(self) -> None:
        """What follows, until `pause`, is our own time."""
        self._resumed = monotonic()

    def pause(self) -> None:
        """What follows, until `resume`, is the caller's own time."""
        if self._resumed is not None:
            self._spent += monotonic() - self._resumed
            self._resumed = None

    def left(self) -> float:
        """Seconds, below 0 once it has passed."""
        running = 0.0 if self._resumed is None else monotonic() - self._resumed
        return self._seconds + min(self.moved / self._rate, LONGEST) - self._spent - running

    def time_for(self, phase: str) -> float:
        """Seconds left for what comes now, as far as one wait may go. Raises DeadlineExceeded where there are none."""
        left = self.left()
        if left <= 0:
            raise self.late(phase, 0)
        return min(left, LONGEST_WAIT)

    def late(self, phase: str, bound: float) -> DeadlineExceeded:
        """The error of a wait that was in vain for `bound` seconds, or until the deadline."""
        if self.left() <= 0:
            return DeadlineExceeded(f"the deadline passed while waiting for {phase}", phase=phase)
        return DeadlineExceeded(f"{bound:.3g} seconds passed while waiting for {phase}", phase=phase)
