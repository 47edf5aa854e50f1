"""The connections that a client keeps open between two operations."""

from __future__ import annotations

import os
import threading
import weakref
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from urlschemes_access.backends.backend import Channel

MOST_PER_HOST = 4
"""Idle connections kept to one host and port."""
MOST_IN_ALL = 20
"""Idle connections kept in all."""
LONGEST_IDLE = 15.0
"""Seconds after which an idle connection is not used again."""


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

    @property
    def server(self) -> tuple[str, int]:
        return self.host, self.port


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
    """Idle connections, a few for each host. Those that are too old are closed when the pool is used next.

    A pool may be used by several threads. It is empty in a process that was forked, and after it was pickled.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[KeptConnection] = []  # the oldest first
        self._process = os.getpid()
        weakref.finalize(self, _close_all, self._idle)

    def __reduce__(self) -> tuple[Any, ...]:
        return ConnectionPool, ()

    def __len__(self) -> int:
        return len(self._idle)

    def take(self, destination: Destination) -> KeptConnection | None:
        """Return a connection to `destination`, the one used last; it is no longer in the pool. None if there is none.

        The caller has to check that the server has not closed it.
        """
        with self._lock:
            self._close_old()
            for kept in reversed(self._idle):
                if kept.destination == destination:
                    self._idle.remove(kept)
                    return kept
        return None

    def keep(self, kept: KeptConnection) -> None:
        """Add an idle connection; the oldest ones are closed if there are too many."""
        with self._lock:
            self._close_old()
            self._idle.append(kept)
            of_server = [each for each in self._idle if each.destination.server == kept.destination.server]
            for surplus in of_server[:-MOST_PER_HOST] or self._idle[:-MOST_IN_ALL]:
                self._close(surplus)

    def close(self) -> None:
        """Close every idle connection now. The pool can be used again."""
        with self._lock:
            _close_all(self._idle)

    def _close_old(self) -> None:
        """Close the connections that expired, and those of the process that was forked: they stay open there."""
        if self._process != os.getpid():
            self._process = os.getpid()
            _close_all(self._idle)
        now = monotonic()
        while self._idle and self._idle[0].expires <= now:
            self._close(self._idle[0])

    def _close(self, kept: KeptConnection) -> None:
        self._idle.remove(kept)
        kept.channel.close()


def _close_all(idle: list[KeptConnection]) -> None:
    for kept in idle:
        kept.channel.close()
    idle.clear()
