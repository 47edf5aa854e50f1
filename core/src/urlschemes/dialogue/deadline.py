"""One total deadline over the time that we work."""

from __future__ import annotations

from time import monotonic

from urlschemes.errors import DeadlineExceeded

__all__ = ["Deadline"]


class Deadline:
    """`seconds` of work, and one more for every `rate` octets that were counted as `received`."""

    __slots__ = ("_rate", "_resumed", "_seconds", "_spent", "received")

    def __init__(self, seconds: float, rate: float) -> None:
        self._seconds = seconds
        self._rate = rate
        self.restart()

    def restart(self) -> None:
        """All the time again, not yet running: for the next call of a session."""
        self._spent = 0.0
        self._resumed: float | None = None
        self.received = 0

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
        return self._seconds + self.received / self._rate - self._spent - running

    def time_for(self, phase: str) -> float:
        """Seconds left for what comes now. Raises DeadlineExceeded where there are none."""
        left = self.left()
        if left <= 0:
            raise self.late(phase, 0)
        return left

    def late(self, phase: str, bound: float) -> DeadlineExceeded:
        """The error of a wait that was in vain for `bound` seconds, or until the deadline."""
        if self.left() <= 0:
            return DeadlineExceeded(f"the deadline passed while waiting for {phase}", phase=phase)
        return DeadlineExceeded(f"{bound:.3g} seconds passed while waiting for {phase}", phase=phase)
