"""Sending and receiving: timeouts, broken connections, limits, datagrams."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import replace
from typing import cast

import pytest
from fake_servers import PATIENCE, Serve, datagrams, drip, eventually, flood, reset, until_gone
from talk_scheme import IMPATIENT, LOOPBACK, Clock, fetch, run

from urlschemes_access.errors import ConnectError, DeadlineExceeded, LimitExceeded, Truncated
from urlschemes_access.policy import Limits
from urlschemes_access.protocol import Algorithm, Connect, Deliver, Open, Reader, Ready, Receive, Send

pytestmark = pytest.mark.usefixtures("backend")


def test_a_server_that_sends_nothing(serve: Serve) -> None:
    port = serve(until_gone)
    document = run(fetch(port), port=port, policy=IMPATIENT)
    with pytest.raises(DeadlineExceeded, match=r"0.3 seconds passed without content while waiting for content") as late:
        document.read()
    assert late.value.phase == "content"


def test_a_server_that_stops_sending(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"half")
        until_gone(connection)

    port = serve(talk)
    document = run(fetch(port), port=port, policy=replace(LOOPBACK, limits=Limits(idle=1)))
    assert next(document) == b"half"
    with pytest.raises(DeadlineExceeded, match="1 second passed"):
        next(document)


def test_single_octets_do_not_extend_the_deadline(serve: Serve) -> None:
    port = serve(drip)
    document = run(fetch(port), port=port, deadline=0.4)
    with pytest.raises(DeadlineExceeded, match=r"the deadline passed"):
        document.read()


def test_single_octets_of_a_line_do_not_extend_the_deadline(serve: Serve) -> None:
    port = serve(drip)

    def algorithm() -> Algorithm[None]:
        reader = Reader((yield from Connect("127.0.0.1", port)))
        yield from reader.line(phase="banner")

    with pytest.raises(DeadlineExceeded) as late:
        run(algorithm(), port=port, deadline=0.3)
    assert late.value.phase == "banner"


def test_pauses_of_the_caller_do_not_count(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        for _ in range(4):
            connection.sendall(b"x")
            time.sleep(0.05)

    port = serve(talk)
    clock, pieces = Clock(), []
    for octets in run(fetch(port), port=port, deadline=1000, clock=clock):
        pieces.append(octets)
        clock.now += 1001
    assert b"".join(pieces) == b"xxxx"


def test_limits_longer_than_the_system_can_wait(serve: Serve) -> None:
    port = serve(lambda connection: connection.sendall(b"text"))
    limits = Limits(deadline=2e18, rate_window=2e18, resolve=2e18, connect=2e18, first_octet=2e18, idle=2e18)

    def algorithm(host: str) -> Algorithm[None]:
        peer = yield from Connect(host, port)
        yield from Ready([peer])
        assert (yield from Receive(peer, within=2e18)) == b"text"
        yield from Open("document")

    for host in ("127.0.0.1", "localhost"):
        run(algorithm(host), port=port, policy=replace(LOOPBACK, limits=limits)).close()


def test_no_more_octets_are_received_than_are_asked_for(serve: Serve) -> None:
    port = serve(lambda connection: connection.sendall(b"octets"))

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Open("document")
        while octets := (yield from Receive(peer, most=4)):
            yield from Deliver(octets)

    pieces = [*run(algorithm(), port=port)]
    assert b"".join(pieces) == b"octets"
    assert max(map(len, pieces)) <= 4


def test_a_bounded_wait_returns_none(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        assert connection.recv(1) == b"?"
        connection.sendall(b"!")
        until_gone(connection)

    port = serve(talk)
    seen: list[object] = []

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        seen.append((yield from Receive(peer, within=0.05)))
        seen.append((yield from Receive(peer, within=0)))
        seen.append((yield from Ready([peer], within=0.05)))
        yield from Send(peer, b"?")
        seen.append((yield from Ready([peer], within=5)) is peer)
        seen.append((yield from Receive(peer, within=5)))
        try:
            yield from Ready([peer], phase="more")
        except DeadlineExceeded as late:
            seen.append(late.phase)
        yield from Receive(peer, within=1000, phase="the end")

    limits = Limits(deadline=2.4, first_octet=0.9, idle=0.9)
    with pytest.raises(DeadlineExceeded) as late:
        run(algorithm(), port=port, policy=replace(LOOPBACK, limits=limits))
    assert late.value.phase == "the end"
    assert seen == [None, None, None, True, b"!", "more"]


def test_an_algorithm_may_replace_a_timeout_by_another_error(serve: Serve) -> None:
    port = serve(until_gone)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        try:
            yield from Receive(peer)
        except DeadlineExceeded as late:
            raise Truncated("no closing reply") from late

    with pytest.raises(Truncated, match="no closing reply"):
        run(algorithm(), port=port, policy=IMPATIENT)


def test_sending_to_a_server_that_does_not_read(serve: Serve) -> None:
    stop = threading.Event()
    port = serve(lambda _: cast("None", stop.wait(PATIENCE)))

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        while True:
            yield from Send(peer, b"x" * 4_000_000)

    with pytest.raises(DeadlineExceeded) as late:
        run(algorithm(), port=port, policy=IMPATIENT)
    stop.set()
    assert late.value.phase == "send"


def test_much_is_sent_to_a_server_that_never_answers(serve: Serve) -> None:
    heard: list[int] = []

    def talk(connection: socket.socket) -> None:
        time.sleep(0.2)  # the client has filled the buffers of the system, and waits
        while octets := connection.recv(65536):
            heard.append(len(octets))

    port = serve(talk)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Send(peer, b"x" * 16_000_000)
        yield from Open("attributes")

    run(algorithm(), port=port, deadline=20)
    assert eventually(lambda: sum(heard) == 16_000_000)


def test_a_reset_before_the_first_octet(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(1)
        reset(connection)

    port = serve(talk)
    with pytest.raises(ConnectError, match="broke before the first octet: Connection reset") as fault:
        run(fetch(port, greeting=b"?"), port=port).read()
    assert isinstance(fault.value.__cause__, ConnectionResetError)


def test_a_reset_after_the_first_octet(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"half")
        connection.recv(1)
        reset(connection)

    port = serve(talk)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Open("document")
        yield from Deliver((yield from Receive(peer)) or b"")
        yield from Send(peer, b"?")
        yield from Receive(peer)

    document = run(algorithm(), port=port)
    with pytest.raises(Truncated, match="broke after 4 octets") as cut:
        document.read()
    assert (cut.value.received, cut.value.partial) == (4, b"half")


def test_a_half_closed_connection_is_at_its_end(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"half")
        connection.shutdown(socket.SHUT_WR)
        until_gone(connection)

    port = serve(talk)
    assert run(fetch(port), port=port).read() == b"half"


def test_the_content_read_at_once_is_limited(serve: Serve) -> None:
    port = serve(flood)
    document = run(fetch(port), port=port, policy=replace(LOOPBACK, limits=Limits(content=1_000_000)))
    with pytest.raises(LimitExceeded) as refusal:
        document.read()
    assert (refusal.value.limit, refusal.value.value) == ("content", 1_000_000)


def test_octets_that_are_not_delivered_are_limited(serve: Serve) -> None:
    port = serve(flood)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        while True:
            yield from Receive(peer)

    with pytest.raises(LimitExceeded) as refusal:
        run(algorithm(), port=port, policy=replace(LOOPBACK, limits=Limits(content=1_000_000)))
    assert refusal.value.limit == "content"


def test_a_long_transfer_takes_little_memory(serve: Serve) -> None:
    total = 16 * 1024 * 1024

    def talk(connection: socket.socket) -> None:
        block = b"x" * 1024 * 1024
        for _ in range(total // len(block)):
            connection.sendall(block)

    import tracemalloc

    port = serve(talk)
    tracemalloc.start()
    received = sum(map(len, run(fetch(port), port=port, policy=replace(LOOPBACK, limits=Limits(content=1_000_000)))))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert received == total
    assert peak < 4 * 1024 * 1024


def test_an_urgent_octet_keeps_its_place(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"one\xff")
        connection.send(b"\xf2", socket.MSG_OOB)
        connection.sendall(b"two")

    port = serve(talk)

    def listen() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Open("document")
        while octets := (yield from Receive(peer)):
            yield from Deliver(octets)

    with run(listen(), port=port) as document:
        assert document.read() == b"one\xff\xf2two"


def ask_by_datagram(port: int, *, within: float = PATIENCE) -> Algorithm[None]:
    """Deliver the datagrams before the last one, "end"; it must come `within` that many seconds."""
    peer = yield from Connect("127.0.0.1", port, transport="udp")
    yield from Send(peer, b"?")
    yield from Open("document")
    while (octets := (yield from Receive(peer, most=2, within=within))) and octets != b"end":
        yield from Deliver(octets)


def test_datagrams_are_received_whole_and_only_from_the_address_asked() -> None:
    def talk(server: socket.socket) -> None:
        _, client = server.recvfrom(10)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            stranger.bind(("127.0.0.2", 0))
            stranger.sendto(b"evil", client)
        server.sendto(b"", client)
        server.sendto(b"first", client)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other_port:
            other_port.bind(("127.0.0.1", 0))
            other_port.sendto(b"second", client)
        server.sendto(b"x" * 9000, client)
        server.sendto(b"end", client)

    with datagrams(talk) as port:
        assert list(run(ask_by_datagram(port), port=port)) == [b"first", b"second", b"x" * 9000]


def test_datagrams_from_elsewhere_do_not_extend_a_wait() -> None:
    over = threading.Event()

    def talk(server: socket.socket) -> None:
        _, client = server.recvfrom(10)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            stranger.bind(("127.0.0.2", 0))
            for _ in range(4000):
                if over.wait(0.005):
                    return
                stranger.sendto(b"evil", client)
        talked_to_the_end.set()

    talked_to_the_end = threading.Event()
    with datagrams(talk) as port:
        assert list(run(ask_by_datagram(port, within=0.3), port=port)) == []
        over.set()
    assert not talked_to_the_end.is_set()


def test_a_closed_port_for_datagrams() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(ConnectError, match="refused"):
        run(ask_by_datagram(port), port=port).read()


@pytest.mark.parametrize("octets", [b"x", b""])
def test_datagrams_are_limited(octets: bytes) -> None:
    def talk(server: socket.socket) -> None:
        _, client = server.recvfrom(10)
        for _ in range(10):
            server.sendto(octets, client)

    limits = Limits(datagrams=5)
    with datagrams(talk) as port, pytest.raises(LimitExceeded) as refusal:
        run(ask_by_datagram(port), port=port, policy=replace(LOOPBACK, limits=limits)).read()
    assert (refusal.value.limit, refusal.value.value) == ("datagrams", 5)
    assert refusal.value.hint == "Limits(datagrams=...) changes it"
