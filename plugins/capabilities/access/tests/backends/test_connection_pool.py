"""Connections that a client keeps open: how many, for how long, and for whom."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from typing import Any, cast

import pytest
from fake_servers import PATIENCE, eventually

from urlschemes_access.backends import connection_pool
from urlschemes_access.backends.connection_pool import ConnectionPool, Destination, KeptConnection

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


def test_the_oldest_connections_are_closed_beyond_two_for_a_host_and_eight_in_all(pool: ConnectionPool) -> None:
    of_host = [kept() for _ in range(4)]
    for each in of_host:
        pool.keep(each)
    assert list(map(is_open, of_host)) == [False, False, True, True]
    others = [kept(f"host{number}.dom") for number in range(7)]
    for each in others:
        pool.keep(each)
    assert list(map(is_open, [*of_host, *others])) == [False, False, False, *[True] * 8]
    pool.close()
    assert not any(map(is_open, others))
    assert len(pool) == 0


def test_higher_bounds_hold_for_a_block(pool: ConnectionPool) -> None:
    connections = [kept() for _ in range(6)]
    with pool.bounds(per_host=5, total=20), pool.bounds(per_host=1, total=1):
        for each in connections:
            pool.keep(each)
        assert list(map(is_open, connections)) == [False, *[True] * 5]
    assert list(map(is_open, connections)) == [*[False] * 4, True, True]


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


def test_idle_connections_are_closed_after_some_time(pool: ConnectionPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_pool, "LONGEST_IDLE", 0.1)
    first = kept()
    pool.keep(first)
    time.sleep(0.05)
    second = kept()
    pool.keep(second)
    assert eventually(lambda: not is_open(first) and not is_open(second))
    third = kept()  # the thread has ended: another one begins
    pool.keep(third)
    assert eventually(lambda: not is_open(third))


def test_an_expired_connection_is_not_taken(pool: ConnectionPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_pool, "LONGEST_IDLE", 0.0)
    old = kept()
    pool.keep(old)
    assert pool.take(old.destination) is None
    assert not is_open(old)


def test_connections_are_closed_with_a_pool_that_is_dropped() -> None:
    pool, connection, before = ConnectionPool(), kept(), set(threading.enumerate())
    pool.keep(connection)
    (thread,) = set(threading.enumerate()) - before
    del pool
    gc.collect()
    assert not is_open(connection)
    thread.join(PATIENCE)
    assert not thread.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning" if sys.version_info >= (3, 12) else "default")
def test_a_forked_process_uses_none_of_the_connections(pool: ConnectionPool) -> None:
    connection = kept()
    pool.keep(connection)
    child = os.fork()
    if not child:
        os._exit(0 if pool.take(connection.destination) is None else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert pool.take(connection.destination) is connection
