"""The time that an operation may take: its deadline, and the bounds on waiting for content."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from urlschemes_access.errors import DeadlineExceeded
from urlschemes_access.policy import Limits

LONGEST_WAIT = 1e6
"""The longest wait in seconds: system calls take at most 2**31 milliseconds."""


class Deadline:
    """The time left to one operation, or to one call of a session.

    Three of its `limits` hold. `deadline`, if there is one, is a wall: nothing moves it. `idle` passes if no content is
    delivered and nothing is sent. `lowest_rate` must be reached in every `rate_window`: by the content delivered, from
    the first octet on, and by whatever is sent, until it is sent. A faster window does not make up for a slower one.

    Only working time counts, between `resume` and `pause`. `clock` returns the time in seconds.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self.restart()

    def restart(self) -> None:
        """Begin again, paused: for the next call of a session."""
        self._spent = 0.0  # working time at the last pause
        self._origin: float | None = None  # the time on the clock at which the working time would have been 0
        # Times at which the bounds pass, each by its name. "delivered" and "sent" are those of the lowest rate.
        self._ends = {"idle": self._limits.idle}
        if self._limits.deadline is not None:
            self._ends["deadline"] = self._limits.deadline
        self._first = min(self._ends.values())
        self._delivered: _Window | None = None
        self._sent = _Window(0.0)

    def resume(self) -> None:
        self._origin = self._clock() - self._spent

    def pause(self) -> None:
        """Stop counting: the caller takes its time."""
        self._spent = self._now()
        self._origin = None

    def add_delivered(self, octets: int) -> None:
        """Count octets of content that are delivered. Raises DeadlineExceeded if a bound has passed before."""
        now = self._now()
        if now >= self._first:
            raise self.error("content", 0)
        window = self._delivered
        if window is None:
            window = self._delivered = _Window(now)
        self._set_end("delivered", window.add(octets, now, self._limits), now)

    def begin_sending(self) -> None:
        """Begin to send something: its rate counts until `end_sending`."""
        now = self._now()
        self._sent = _Window(now)
        self._set_end("sent", self._sent.add(0, now, self._limits), now)

    def add_sent(self, octets: int) -> None:
        now = self._now()
        self._set_end("sent", self._sent.add(octets, now, self._limits), now)

    def end_sending(self) -> None:
        """Stop counting: all is sent."""
        del self._ends["sent"]
        self._first = min(self._ends.values())

    def time_for_files(self) -> float | None:
        """Return the seconds left to the caller's files, negative once the deadline has passed; None without one."""
        return min(self._ends["deadline"] - self._now(), LONGEST_WAIT) if "deadline" in self._ends else None

    def add_file_time(self, seconds: float) -> None:
        """Count the time that the caller's files took: against the deadline, for the server cannot help it."""
        if "deadline" in self._ends:
            self._ends["deadline"] -= seconds

    def left(self, *, idle: bool = True) -> float:
        """Return the seconds left until the first bound; negative once it has passed.

        Without `idle`, the time without content does not count: the algorithm bounds its wait itself.
        """
        if idle:
            return self._first - self._now()
        return min((end for name, end in self._ends.items() if name != "idle"), default=LONGEST_WAIT) - self._now()

    def time_for(self, phase: str, *, idle: bool = True) -> float:
        """Return the seconds left, at most the longest wait. Raises DeadlineExceeded if there are none."""
        left = self._first - self._now() if idle else self.left(idle=False)
        if left <= 0:
            raise self.error(phase, 0)
        return min(left, LONGEST_WAIT)

    def error(self, phase: str, bound: float) -> DeadlineExceeded:
        """Return the error for the bound that has passed; if none has, for a wait that lasted `bound` seconds."""
        end, name = min((end, name) for name, end in self._ends.items())
        limits = self._limits
        if end > self._now():
            return DeadlineExceeded(f"{bound:.3g} seconds passed while waiting for {phase}", phase=phase)
        if name == "deadline":
            what = f"the deadline of {limits.deadline:.3g} seconds passed"
        elif name == "idle":
            what = f"{limits.idle:.3g} seconds passed without content"
        else:
            name = "lowest_rate"
            rate = f"{limits.lowest_rate:g} octets per second"
            what = f"{limits.rate_window:.3g} seconds passed with less than {rate}"
        hint = f"Limits.{name} can be changed"
        return DeadlineExceeded(f"{what} while waiting for {phase}", phase=phase, hint=hint)

    def _set_end(self, rate: str, end: float, now: float) -> None:
        """Set when a rate becomes too low; the idle time begins again."""
        self._ends[rate] = end
        self._ends["idle"] = now + self._limits.idle
        self._first = min(self._ends.values())

    def _now(self) -> float:
        return self._spent if self._origin is None else self._clock() - self._origin


class _Window:
    """A window of time, from `began`, in which octets are counted."""

    def __init__(self, began: float) -> None:
        self.began = began
        self.octets = 0

    def add(self, octets: int, now: float, limits: Limits) -> float:
        """Count octets, and return when the rate is too low unless more come.

        A window that was fast enough is followed by the next.
        """
        needed = limits.lowest_rate * limits.rate_window
        if now - self.began >= limits.rate_window and self.octets >= needed:
            self.began, self.octets = now, 0
        self.octets += octets
        return self.began + limits.rate_window * (2 if self.octets >= needed else 1)
