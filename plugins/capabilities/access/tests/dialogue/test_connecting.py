"""Connections: resolving, dialling, data connections and TLS."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from fake_servers import PATIENCE, Serve, full_backlog, reset, resolver_of, tls, trusting, until_gone
from talk_scheme import IMPATIENT, LOOPBACK, fetch, run

from urlschemes_access.errors import (
    ConnectError,
    DeadlineExceeded,
    LimitExceeded,
    PolicyDenied,
    ProtocolError,
    ResolveError,
    TLSError,
    Truncated,
)
from urlschemes_access.policy import Limits
from urlschemes_access.protocol import (
    Algorithm,
    Close,
    Connect,
    ConnectBack,
    Deliver,
    Open,
    Ready,
    Receive,
    Send,
    StartTLS,
)
from urlschemes_access.trace_event import TraceEvent

pytestmark = pytest.mark.usefixtures("backend")


@pytest.mark.fault(1)
def test_a_name_is_resolved_once_and_every_address_tried(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    port = serve(lambda connection: connection.sendall(b"x"))
    asked = []

    def resolver(host: bytes, *_: object, **__: object) -> list[Any]:
        asked.append(host)
        return resolver_of("127.0.0.2", "127.0.0.1", "127.0.0.1")()

    def algorithm() -> Algorithm[None]:
        first = yield from Connect("Twice.example", port)
        second = yield from Connect("twice.example", port)
        assert first.address == second.address == ("127.0.0.1", port)
        yield from Open("document")

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    assert run(algorithm(), port=port).read() == b""
    assert asked == [b"twice.example"]


@pytest.mark.parametrize(
    ("host", "at"), [("127.0.0.1", "127.0.0.1"), ("[::1]", "::1"), ("[0:0::0:1]", "::1"), ("[::ffff:127.0.0.1]", "::")]
)
def test_an_address_is_not_resolved(host: str, at: str, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    port = serve(lambda connection: connection.sendall(b"x"), at=at)
    monkeypatch.setattr(socket, "getaddrinfo", None)
    assert run(fetch(port, host=host), port=port).read() == b"x"


def test_a_data_connection_goes_to_the_ipv6_address_of_its_peer(serve: Serve) -> None:
    control, data = serve(until_gone, at="::1"), serve(lambda connection: connection.sendall(b"data"), at="::1")

    def algorithm() -> Algorithm[None]:
        other = yield from ConnectBack((yield from Connect("[::1]", control)), data)
        assert other.address == ("::1", data)
        yield from Open("document")
        yield from Deliver((yield from Receive(other)) or b"")

    assert run(algorithm(), port=control).read() == b"data"


def test_a_host_without_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolver(*_: object, **__: object) -> list[Any]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    with pytest.raises(ResolveError, match=r"'none.example' has no address: Name or service not known") as fault:
        run(fetch(7, host="none.example"))
    assert fault.value.part == "host"
    monkeypatch.setattr(socket, "getaddrinfo", resolver_of())
    with pytest.raises(ResolveError, match="has no address"):
        run(fetch(7, host="none.example"))


@pytest.mark.fault(3)
def test_a_hanging_resolver_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    hung = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: hung.wait(PATIENCE) and [])
    with pytest.raises(DeadlineExceeded) as late:
        run(fetch(7, host="slow.example"), policy=IMPATIENT)
    assert late.value.phase == "resolve"
    stuck = [thread for thread in threading.enumerate() if thread.name == "urlschemes resolver"]
    assert stuck
    assert all(thread.daemon for thread in stuck)
    hung.set()
    for thread in stuck:
        thread.join(PATIENCE)


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def test_a_refused_connection() -> None:
    port = closed_port()
    with pytest.raises(ConnectError, match=f"cannot connect to 127.0.0.1 port {port}: Connection refused"):
        run(fetch(port), port=port)


def test_a_connection_that_is_never_accepted() -> None:
    with full_backlog("127.0.0.1") as port, pytest.raises(DeadlineExceeded) as late:
        run(fetch(port), port=port, policy=IMPATIENT)
    assert late.value.phase == "connect"


@pytest.mark.fault(2)
@pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is this machine's only on Linux")
def test_an_address_that_hangs_leaves_time_for_the_next(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    port = serve(lambda connection: connection.sendall(b"here"))
    monkeypatch.setattr(socket, "getaddrinfo", resolver_of("127.0.0.2", "127.0.0.1"))
    policy = replace(LOOPBACK, limits=Limits(connect=0.6))
    with full_backlog("127.0.0.2", port):
        assert run(fetch(port, host="two.example"), port=port, policy=policy).read() == b"here"


@pytest.mark.fault(5)
def test_data_connections_go_to_the_address_of_their_peer(serve: Serve) -> None:
    data = serve(lambda connection: connection.sendall(b"data"))
    control = serve(until_gone)

    def algorithm(to: int) -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", control)
        other = yield from ConnectBack(peer, to)
        assert other.address == ("127.0.0.1", to)
        yield from Open("document")
        yield from Deliver((yield from Receive(other)) or b"")

    assert run(algorithm(data), port=control).read() == b"data"
    for port in (0, 21, 1023, 65536, -1):
        with pytest.raises(ProtocolError) as fault:
            run(algorithm(port), port=control)
        assert fault.value.where == "data"


@pytest.mark.fault(27)
def test_a_data_connection_needs_a_port_that_the_policy_allows(serve: Serve) -> None:
    dialled = threading.Event()
    control, data = serve(until_gone), serve(lambda _: dialled.set())

    def algorithm(to: int) -> Algorithm[None]:
        yield from ConnectBack((yield from Connect("127.0.0.1", control)), to)

    for port, rule, policy in (
        (6000, "ports", LOOPBACK),
        (6379, "ports", LOOPBACK),
        (data, "only_ports", replace(LOOPBACK, only_ports=frozenset({control}))),
    ):
        with pytest.raises(PolicyDenied, match=f"^data connection: port {port} ") as refusal:
            run(algorithm(port), port=control, policy=policy)
        assert refusal.value.rule == rule
    assert not dialled.is_set()


def test_the_number_of_connections_is_limited(serve: Serve) -> None:
    port = serve(lambda _: None)

    def algorithm() -> Algorithm[None]:
        while True:
            yield from Close((yield from Connect("127.0.0.1", port)))

    with pytest.raises(LimitExceeded) as refusal:
        run(algorithm(), port=port)
    assert (refusal.value.limit, refusal.value.value) == ("connections", 16)


def answers_in_two_records(server: ssl.SSLSocket) -> None:
    server.sendall(b"you said ")
    server.sendall(server.recv(100))


def secured(port: int, host: str) -> Algorithm[None]:
    peer = yield from Connect("127.0.0.1", port)
    yield from StartTLS(peer, host)
    assert peer.secure
    yield from Send(peer, b"hello")
    yield from Open("document")
    while octets := (yield from Receive(peer)):
        yield from Deliver(octets)


def test_a_connection_with_tls(serve: Serve) -> None:
    def talk(server: ssl.SSLSocket) -> None:
        answers_in_two_records(server)
        server.unwrap()

    port = serve(tls(talk))
    events: list[TraceEvent] = []
    document = run(secured(port, "host.example"), port=port, ssl_context=trusting(), trace=events.append)
    assert document.read() == b"you said hello"
    assert [event.kind for event in events][:3] == ["connect", "tls", "send"]


def test_octets_already_decrypted_are_ready(serve: Serve) -> None:
    def talk(server: ssl.SSLSocket) -> None:
        server.sendall(b"ab")
        until_gone(server)

    port = serve(tls(talk))

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from StartTLS(peer, "host.example")
        yield from Open("document")
        while (yield from Ready([peer], within=0.1)):
            yield from Deliver((yield from Receive(peer, most=1)) or b"")

    assert list(run(algorithm(), port=port, ssl_context=trusting())) == [b"a", b"b"]


def test_a_connection_closed_without_tls_alert_is_truncated(serve: Serve) -> None:
    """Without the closing alert of TLS, anyone on the network may have truncated the content."""
    port = serve(tls(answers_in_two_records))
    with pytest.raises(Truncated) as cut:
        run(secured(port, "host.example"), port=port, ssl_context=trusting()).read()
    assert cut.value.partial == b"you said hello"


@pytest.mark.parametrize(
    ("host", "trust", "why"),
    [("other.example", trusting, "Hostname mismatch"), ("host.example", lambda: None, "self.signed certificate")],
)
def test_an_invalid_certificate_is_refused(
    serve: Serve, host: str, trust: Callable[[], ssl.SSLContext | None], why: str
) -> None:
    heard: list[bytes] = []
    port = serve(tls(lambda server: heard.append(server.recv(100))))
    with pytest.raises(TLSError, match=why):
        run(secured(port, host), port=port, ssl_context=trust())
    assert not any(heard)


def test_a_server_without_tls(serve: Serve) -> None:
    port = serve(lambda connection: connection.sendall(b"220 this is not TLS\r\n"))
    with pytest.raises(TLSError, match=r"TLS with host.example failed"):
        run(secured(port, "host.example"), port=port)


def test_a_hanging_handshake_times_out(serve: Serve) -> None:
    port = serve(until_gone)
    with pytest.raises(DeadlineExceeded) as late:
        run(secured(port, "host.example"), port=port, policy=IMPATIENT)
    assert late.value.phase == "tls"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_during_the_handshake_closes_the_socket(serve: Serve, backend: str) -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(10)
        os.kill(os.getpid(), signal.SIGINT)
        until_gone(connection)

    port = serve(talk)
    with pytest.raises(KeyboardInterrupt) as interrupt:  # held, and with it all that its frames hold
        run(secured(port, "host.example"), port=port)
    frames = [frame for frame, _ in traceback.walk_tb(interrupt.value.__traceback__)]
    sockets = [each for frame in frames for each in frame.f_locals.values() if isinstance(each, ssl.SSLSocket)]
    assert sockets or backend == "event loop"
    assert not [each for each in sockets if each.fileno() != -1]


def test_a_connection_reset_during_the_handshake(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(10)
        reset(connection)

    port = serve(talk)
    with pytest.raises(TLSError):
        run(secured(port, "host.example"), port=port)
