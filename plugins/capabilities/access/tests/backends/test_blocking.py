"""The blocking backend: content that comes fast, and a system that has no more threads or file descriptors."""

from __future__ import annotations

import asyncio
import errno
import select
import socket
import ssl
import sys
import threading
import time
from dataclasses import replace

import pytest
from fake_servers import PATIENCE, Serve, until_gone
from talk_scheme import LOOPBACK, Clock, TalkURL, dialogue, fetch, run

from urlschemes_access.backends import blocking
from urlschemes_access.backends.blocking import BlockingBackend
from urlschemes_access.errors import ConnectError, DeadlineExceeded, ResolveError
from urlschemes_access.policy import Limits
from urlschemes_access.protocol import Algorithm, Connect, Open, Peer, Ready, Receive, Send, StartTLS
from urlschemes_access.resources import synchronous
from urlschemes_access.resources.synchronous import Session

pytestmark = pytest.mark.usefixtures("nothing_left_open")

FAST = b"x" * blocking.LARGE * 8

LONG = PATIENCE / 2
"""Seconds that no step of a test takes, even on a busy machine."""
PATIENT = replace(LOOPBACK, limits=Limits(first_octet=PATIENCE))


def fast_then_one_octet(connection: socket.socket) -> None:
    """Send much at once, and on request one more octet."""
    connection.sendall(FAST)
    connection.recv(1)
    connection.sendall(b"y")
    until_gone(connection)


def receive_fast(peer: Peer) -> Algorithm[None]:
    """Receive what comes fast, the end of it in a large piece, and ask for the octet."""
    for most in (len(FAST) - blocking.LARGE, blocking.LARGE):
        received = 0
        while received < most:
            received += len((yield from Receive(peer, most=most - received)) or b"")
    yield from Send(peer, b"?")


def test_a_single_octet_after_fast_content_is_received(serve: Serve) -> None:
    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from receive_fast(peer)
        assert (yield from Receive(peer)) == b"y"
        yield from Open("attributes")

    port = serve(fast_then_one_octet)
    run(algorithm(), port=port)


def test_a_single_octet_after_fast_content_is_reported(serve: Serve) -> None:
    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from receive_fast(peer)
        assert (yield from Ready((peer,))) is peer
        yield from Open("attributes")

    port = serve(fast_then_one_octet)
    run(algorithm(), port=port)


def test_a_program_that_waits_itself_notices_a_single_octet(serve: Serve) -> None:
    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Open("session", session=Session, peer=peer)

    port = serve(fast_then_one_octet)
    with run(algorithm(), port=port) as session:
        number = session.fileno()
        session.run_algorithm(receive_fast(session.peer))
        assert select.select([number], [], [], 5)[0] == [number]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems may report octets as they come")
def test_fast_content_is_received_in_large_pieces(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(FAST)
        connection.recv(1)
        for octet in (b"a", b"b"):
            connection.sendall(octet)
            time.sleep(0.02)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from receive_fast(peer)
        assert (yield from Receive(peer, most=2)) == b"ab"
        yield from Open("attributes")

    monkeypatch.setattr(blocking, "GATHERING", 10)
    port = serve(talk)
    run(algorithm(), port=port)


def test_fast_content_ends_without_a_wait(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocking, "GATHERING", LONG)
    port = serve(lambda connection: connection.sendall(FAST))
    with run(fetch(port), port=port, policy=PATIENT) as document:
        began = time.monotonic()
        assert document.read() == FAST
        assert time.monotonic() - began < LONG


def test_no_more_octets_are_awaited_than_are_enough(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(FAST)
        connection.recv(1)
        connection.sendall(b"answer")
        until_gone(connection)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from receive_fast(peer)
        began = time.monotonic()
        assert (yield from Receive(peer, enough=6)) == b"answer"
        assert time.monotonic() - began < LONG
        yield from Open("attributes")

    monkeypatch.setattr(blocking, "GATHERING", LONG)
    port = serve(talk)
    run(algorithm(), port=port, policy=PATIENT)


def test_reading_certificates_takes_from_the_time_of_the_handshake(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    def strict_context(_: object) -> ssl.SSLContext:
        clock.now += 1000
        return ssl.create_default_context()

    def algorithm() -> Algorithm[None]:
        yield from StartTLS((yield from Connect("127.0.0.1", port)), "host.example")

    clock = Clock()
    monkeypatch.setattr(blocking, "strict_context", strict_context)
    monkeypatch.setattr(blocking, "monotonic", clock)
    port = serve(until_gone)
    with pytest.raises(DeadlineExceeded):
        run(algorithm(), port=port, policy=replace(LOOPBACK, limits=Limits(connect=1000, first_octet=1000, idle=1000)))


class Suspending(BlockingBackend):
    async def poll(self, *_: object) -> None:
        await asyncio.sleep(0)


def test_a_backend_that_suspends_cannot_block(serve: Serve) -> None:
    port = serve(until_gone)
    ended: list[str] = []

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        try:
            yield from Ready((peer,))
        finally:
            ended.append("ended")

    made = dialogue(algorithm(), TalkURL.parse("x-talk://127.0.0.1/"))
    with pytest.raises(RuntimeError, match="this backend suspends") as fault:
        synchronous.run(made, Suspending())
    assert ended == ["ended"], fault  # its traceback keeps the coroutine, which would be closed when it is collected


def test_a_system_without_more_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def algorithm() -> Algorithm[None]:
        yield from Connect("localhost", 8000)

    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(ResolveError, match="can't start new thread"):
        run(algorithm())


def test_a_system_that_cannot_wait(monkeypatch: pytest.MonkeyPatch, serve: Serve) -> None:
    port = serve(until_gone)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Ready((peer,))

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr(select, "select" if sys.platform == "win32" else "poll", refuse)
    with pytest.raises(ConnectError, match="Cannot allocate memory"):
        run(algorithm(), port=port)
