"""Release, and Connect with a key: what an algorithm may do with connections that are kept."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from talk_scheme import run

from urlschemes.errors import PluginContractError
from urlschemes_access import TraceEvent
from urlschemes_access.backends.connection_pool import ConnectionPool
from urlschemes_access.protocol import Algorithm, Close, Connect, Open, Peer, Receive, Release, Send
from urlschemes_testing.loopback import Loopback


@pytest.fixture
def pool() -> Iterator[ConnectionPool]:
    pool = ConnectionPool()
    yield pool
    pool.close()


@pytest.fixture
def port() -> Iterator[int]:
    """The port of a server that sends back what it receives."""

    def serve(connection: socket.socket) -> None:
        while octets := connection.recv(100):
            connection.sendall(octets)

    with Loopback(serve) as server:
        yield server.address.port


def exchange(port: int, seen: list[Any], *, release: bool = True) -> Algorithm[None]:
    peer = yield from Connect("127.0.0.1", port, reuse="key")
    seen.append(peer.kept)
    yield from Send(peer, b"x")
    assert (yield from Receive(peer)) == b"x"
    yield from Open("document")
    if release:
        yield from Release(peer, f"state {len(seen)}")


def test_a_released_connection_comes_back_with_its_state(pool: ConnectionPool, port: int) -> None:
    seen: list[Any] = []
    events: list[TraceEvent] = []
    for _ in range(3):
        with run(exchange(port, seen), port=port, pool=pool, trace=events.append) as document:
            document.read()
    assert seen == [None, "state 1", "state 2"]
    assert [event.kind for event in events if event.kind in ("connect", "keep", "close")] == ["connect", "keep"] * 3
    assert ["kept open" in event.text for event in events if event.kind == "connect"] == [False, True, True]


def test_a_connection_that_is_not_released_is_closed(pool: ConnectionPool, port: int) -> None:
    for release, leaves in ((False, False), (True, True)):
        with run(exchange(port, [], release=release), port=port, pool=pool) as document:
            if not leaves:
                document.read()
        assert len(pool) == 0


def release_of(make: Callable[[Peer], Algorithm[None]], port: int, reuse: Any) -> Algorithm[None]:
    peer = yield from Connect("127.0.0.1", port, reuse=reuse)
    yield from make(peer)
    yield from Open("document")


def twice(peer: Peer) -> Algorithm[None]:
    yield from Release(peer)
    yield from Release(peer)


def after_close(peer: Peer) -> Algorithm[None]:
    yield from Close(peer)
    yield from Release(peer)


def without_state(peer: Peer) -> Algorithm[None]:
    yield from Release(peer, None)


def and_used(peer: Peer) -> Algorithm[None]:
    yield from Release(peer)
    yield from Send(peer, b"x")


def once(peer: Peer) -> Algorithm[None]:
    yield from Release(peer)


@pytest.mark.parametrize(
    ("make", "reuse"), [(twice, ""), (after_close, ""), (without_state, ""), (and_used, ""), (once, None)]
)
def test_misuse_is_a_breach_of_contract(
    pool: ConnectionPool, port: int, make: Callable[[Peer], Algorithm[None]], reuse: Any
) -> None:
    with pytest.raises(PluginContractError):
        run(release_of(make, port, reuse), port=port, pool=pool)


def test_without_a_pool_nothing_is_keepable(port: int) -> None:
    with pytest.raises(PluginContractError):
        run(release_of(once, port, ""), port=port)


def test_threads_never_share_a_connection(pool: ConnectionPool, port: int) -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(30):
                run(exchange(port, []), port=port, pool=pool).read()
        except BaseException as failure:  # noqa: BLE001  it is reported by the test
            failures.append(failure)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not failures
