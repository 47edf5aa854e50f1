"""The time that an operation may take: its deadline, and the bounds on waiting for content."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import monotonic

from urlschemes.errors import Hint, Remedy
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

    __slots__ = (
        "_clock",
        "_delivered",
        "_idle",
        "_limits",
        "_origin",
        "_rate",
        "_sending",
        "_sent",
        "_spent",
        "_wall",
    )

    def __init__(self, limits: Limits, clock: Callable[[], float] = monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self.restart()

    def restart(self) -> None:
        """Begin again, paused: for the next call of a session."""
        limits = self._limits
        self._spent = 0.0  # working time at the last pause
        self._origin: float | None = None  # the time on the clock at which the working time would have been 0
        # Times at which the bounds pass: two are those of the lowest rate.
        self._idle = limits.idle
        self._wall = inf if limits.deadline is None else limits.deadline
        self._rate = self._sending = inf
        self._delivered: _Window | None = None
        self._sent: _Window | None = None

    def resume(self) -> None:
        self._origin = self._clock() - self._spent

    def pause(self) -> None:
        """Stop counting while the caller has control."""
        self._spent = self._now()
        self._origin = None

    def add_delivered(self, octets: int) -> None:
        """Count octets of content that are delivered. Raises DeadlineExceeded if a bound has passed before."""
        now = self._now()
        if now >= self._first_end():
            raise self.error("content", 0)
        window = self._delivered
        if window is None:
            window = self._delivered = _Window(now)
        self._rate = window.add(octets, now, self._limits)
        self._idle = now + self._limits.idle

    def begin_sending(self) -> None:
        """Begin to send what takes more than one call: its rate counts until `end_sending`."""
        self._sent = _Window(self._now())
        self.add_sent(0)

    def add_sent(self, octets: int) -> None:
        now = self._now()
        self._idle = now + self._limits.idle
        if self._sent is not None:
            self._sending = self._sent.add(octets, now, self._limits)

    def end_sending(self) -> None:
        """Stop measuring the sending rate."""
        self._sent, self._sending = None, inf

    def time_for_files(self) -> float | None:
        """Return the seconds left to the caller's files, negative once the deadline has passed; None without one."""
        return None if self._wall == inf else min(self._wall - self._now(), LONGEST_WAIT)

    def add_file_time(self, seconds: float) -> None:
        """Count the time that the caller's files took: against the deadline, for the server cannot help it."""
        self._wall -= seconds

    def left(self) -> float:
        """Return the seconds left until the first bound; negative once it has passed."""
        return self._first_end() - self._now()

    def time_for(self, phase: str, *, idle: bool = True) -> float:
        """Return the seconds left, at most the longest wait. Raises DeadlineExceeded if there are none.

        Without `idle`, the time without content does not count: the algorithm bounds its wait itself.
        """
        end = min(self._wall, self._rate, self._sending)
        if idle and self._idle < end:
            end = self._idle
        left = end - self._now()
        if left <= 0:
            raise self.error(phase, 0)
        return min(LONGEST_WAIT, left)

    def error(self, phase: str, bound: float) -> DeadlineExceeded:
        """Return the error for the bound that has passed; if none has, for a wait that lasted `bound` seconds."""
        ends = (self._wall, "deadline"), (self._idle, "idle"), (min(self._rate, self._sending), "lowest_rate")
        end, name = min(ends)
        limits = self._limits
        if end > self._now():
            return DeadlineExceeded(f"{_seconds(bound)} passed while waiting for {phase}", phase=phase)
        if name == "deadline":
            what = "the deadline passed"
        elif name == "idle":
            what = f"{_seconds(limits.idle)} passed without content"
        else:
            rate = f"{limits.lowest_rate:g} octets per second"
            what = f"{_seconds(limits.rate_window)} passed with less than {rate}"
        hint = Hint(Remedy("changes it", f"Limits.{name}"))
        return DeadlineExceeded(f"{what} while waiting for {phase}", phase=phase, hint=hint)

    def _first_end(self) -> float:
        """Return the time at which the first bound passes."""
        return min(self._idle, self._wall, self._rate, self._sending)

    def _now(self) -> float:
        return self._spent if self._origin is None else self._clock() - self._origin


class _Window:
    """A window of time, from `began`, in which octets are counted."""

    __slots__ = ("began", "octets")

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


def _seconds(number: float) -> str:
    return f"{number:.3g} second{'' if number == 1 else 's'}"
