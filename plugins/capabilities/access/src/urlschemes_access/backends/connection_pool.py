"""The connections that a client keeps open between two operations."""

from __future__ import annotations

import os
import threading
import weakref
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes_access.backends.backend import Channel

__all__ = ["ConnectionPool", "Destination", "KeptConnection"]

MOST_PER_HOST = 2
"""Idle connections kept to one host and port."""
MOST_IN_ALL = 8
"""Idle connections kept in all."""
LONGEST_IDLE = 15.0
"""Seconds after which an idle connection is closed."""


@dataclass(frozen=True, slots=True)
class Destination:
    """The destination of a connection, and all that its state depends on.

    `key` is the algorithm's, and may hold a password. `settings` are the caller's, such as the TLS context and the
    credentials, or the function that gives them: only operations with equal settings share connections.
    """

    scheme: str
    host: str
    port: int
    key: str = field(repr=False)
    settings: tuple[object, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class KeptConnection:
    """An idle connection. `state` is what the algorithm knows of it, `address` the address and port it leads to."""

    destination: Destination
    channel: Channel
    address: tuple[str, int]
    secure: bool
    state: Any = field(repr=False)
    expires: float = field(default_factory=lambda: monotonic() + LONGEST_IDLE)


class ConnectionPool:
    """Idle connections, a few for each host. A daemon thread closes those that are not used for some time.

    A pool may be used by several threads. It is empty in a process that was forked, and after it was pickled.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[KeptConnection] = []  # the oldest first
        self._bounds = [(MOST_PER_HOST, MOST_IN_ALL)]
        self._timers: list[threading.Timer] = []  # at most one
        self._process = os.getpid()
        weakref.finalize(self, _close_all, self._idle, self._timers)

    def __reduce__(self) -> tuple[Any, ...]:
        return ConnectionPool, ()

    def __len__(self) -> int:
        return len(self._idle)

    def take(self, destination: Destination) -> KeptConnection | None:
        """Return a connection to `destination`, the one used last; it is no longer in the pool. None if there is none.

        The caller has to check that the server has not closed it.
        """
        with self._lock:
            if self._process != os.getpid():  # the connections belong to the process that was forked
                self._forget()
            self._close_expired()
            for kept in reversed(self._idle):
                if kept.destination == destination:
                    self._idle.remove(kept)
                    return kept
        return None

    def keep(self, kept: KeptConnection) -> None:
        """Add an idle connection; the oldest ones are closed if there are too many."""
        with self._lock:
            if self._process != os.getpid():
                self._forget()
            self._idle.append(kept)
            self._close_surplus()
            self._start_timer()

    @contextmanager
    def bounds(self, *, per_host: int, total: int) -> Iterator[None]:
        """Keep up to so many connections within the `with` block, if these bounds are higher."""
        bounds = per_host, total
        with self._lock:
            self._bounds.append(bounds)
        try:
            yield
        finally:
            with self._lock:
                self._bounds.remove(bounds)
                self._close_surplus()

    def close(self) -> None:
        """Close every idle connection now. The pool can be used again."""
        with self._lock:
            _close_all(self._idle, self._timers)

    def _close(self, kept: KeptConnection) -> None:
        self._idle.remove(kept)
        kept.channel.close()

    def _close_surplus(self) -> None:
        """Close the oldest connections beyond the bounds."""
        per_host, total = map(max, zip(*self._bounds, strict=True))
        of_place: Counter[tuple[str, int]] = Counter()
        for kept in reversed(self._idle.copy()):
            place = kept.destination.host, kept.destination.port
            of_place[place] += 1
            if of_place[place] > per_host or of_place.total() > total:
                of_place[place] -= 1
                self._close(kept)

    def _close_expired(self) -> None:
        now = monotonic()
        for kept in [each for each in self._idle if each.expires <= now]:
            self._close(kept)

    def _forget(self) -> None:
        self._process = os.getpid()
        self._timers.clear()  # threads are not forked
        _close_all(
            self._idle, self._timers
        )  # the descriptors of this process; the connections stay open in the other one

    def _start_timer(self) -> None:
        """Start a thread that wakes up when the first connection expires, unless there is one."""
        if not self._timers and self._idle:
            wait = max(self._idle[0].expires - monotonic(), 0.0) + 0.01
            timer = threading.Timer(wait, _close_expired, [weakref.ref(self)])
            timer.daemon = True
            timer.name = "urlschemes connections"
            with suppress(RuntimeError):  # the system has no more threads
                timer.start()
                self._timers.append(timer)

    def close_expired(self) -> None:
        """Close the connections that have been idle for too long; the thread calls this."""
        with self._lock:
            self._timers.clear()
            self._close_expired()
            self._start_timer()


def _close_expired(reference: weakref.ref[ConnectionPool]) -> None:
    pool = reference()  # weak: the thread does not keep a client alive
    if pool is not None:
        pool.close_expired()


def _close_all(idle: list[KeptConnection], timers: list[threading.Timer]) -> None:
    for timer in timers:
        timer.cancel()
    timers.clear()
    for kept in idle:
        kept.channel.close()
    idle.clear()
