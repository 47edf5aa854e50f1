"""Connections that a client keeps open: how many, for how long, and for whom."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any, cast

import pytest

from urlschemes_access.backends import connection_pool
from urlschemes_access.backends.connection_pool import LONGEST_IDLE, ConnectionPool, Destination, KeptConnection

KEY = object()


class FakeChannel:
    """A channel that can only be closed."""

    closed = False

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def pool() -> ConnectionPool:
    return ConnectionPool()


def kept(host: str = "a.dom", *, port: int = 80, key: str = "", settings: tuple[object, ...] = ()) -> KeptConnection:
    destination = Destination("x-talk", host, port, key, settings)
    return KeptConnection(destination, cast("Any", FakeChannel()), ("192.0.2.1", port), False, True)


def is_open(connection: KeptConnection) -> bool:
    return not cast("FakeChannel", connection.channel).closed


def test_the_connection_used_last_is_taken_first(pool: ConnectionPool) -> None:
    first, second = kept(), kept()
    pool.keep(first)
    pool.keep(second)
    assert [pool.take(first.destination) for _ in range(3)] == [second, first, None]
    assert is_open(first)


def test_the_oldest_connections_are_closed_beyond_four_for_a_host_and_twenty_in_all(pool: ConnectionPool) -> None:
    of_host = [kept() for _ in range(6)]
    for each in of_host:
        pool.keep(each)
    assert list(map(is_open, of_host)) == [False, False, True, True, True, True]
    others = [kept(f"host{number}.dom") for number in range(18)]
    for each in others:
        pool.keep(each)
    assert list(map(is_open, [*of_host, *others])) == [*[False] * 4, *[True] * 20]
    pool.close()
    assert not any(map(is_open, others))
    assert len(pool) == 0


@pytest.mark.parametrize(
    "other",
    [
        Destination("x-talks", "a.dom", 80, "joe", (KEY,)),
        Destination("x-talk", "b.dom", 80, "joe", (KEY,)),
        Destination("x-talk", "a.dom", 81, "joe", (KEY,)),
        Destination("x-talk", "a.dom", 80, "jim", (KEY,)),
        Destination("x-talk", "a.dom", 80, "joe", (object(),)),
        Destination("x-talk", "a.dom", 80, "joe", (None,)),
        Destination("x-talk", "a.dom", 80, "joe", ()),
    ],
)
def test_a_connection_serves_only_the_same_destination(pool: ConnectionPool, other: Destination) -> None:
    pool.keep(kept(key="joe", settings=(KEY,)))
    assert pool.take(other) is None
    assert pool.take(Destination("x-talk", "a.dom", 80, "joe", (KEY,))) is not None


def test_the_key_is_not_shown() -> None:
    assert "s3cret" not in repr(kept(key="s3cret"))


def test_an_expired_connection_is_closed_when_the_pool_is_used(
    pool: ConnectionPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(connection_pool, "monotonic", lambda: now)
    first, second = kept(), kept("b.dom")
    pool.keep(first)
    now += LONGEST_IDLE
    pool.keep(second)
    assert (is_open(first), is_open(second)) == (False, True)
    now += LONGEST_IDLE
    assert pool.take(second.destination) is None
    assert not is_open(second)


def test_connections_are_closed_with_a_pool_that_is_dropped() -> None:
    pool, connection = ConnectionPool(), kept()
    pool.keep(connection)
    del pool
    gc.collect()
    assert not is_open(connection)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning" if sys.version_info >= (3, 12) else "default")
def test_a_forked_process_uses_only_connections_of_its_own(pool: ConnectionPool) -> None:
    connection, later = kept(), kept()
    pool.keep(connection)
    child = os.fork()
    if not child:
        before = pool.take(connection.destination)
        pool.keep(later)
        os._exit(0 if before is None and pool.take(later.destination) is later else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert pool.take(connection.destination) is connection
