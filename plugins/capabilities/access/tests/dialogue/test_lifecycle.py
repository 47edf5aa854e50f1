"""The life of an operation: what the caller gets, when it ends, and what is closed."""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import pytest
from fake_servers import PATIENCE, Serve, echo, eventually, flood, in_two_pieces, until_gone
from talk_scheme import IMPATIENT, LOOPBACK, Clock, Shell, TalkURL, fetch, run, shell

from urlschemes.errors import PluginContractError, PluginError, URLError
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.errors import AccessError, DeadlineExceeded, LimitExceeded, PolicyDenied, RemoteError, Truncated
from urlschemes_access.policy import Limits
from urlschemes_access.protocol import Algorithm, Close, Connect, Deliver, Open, Peer, Receive, Send, Unterminated
from urlschemes_access.resources.synchronous import Document, Listing, Session
from urlschemes_access.trace_event import TraceEvent

pytestmark = pytest.mark.usefixtures("backend")


@pytest.fixture
def no_garbage_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def test_a_document_is_read_to_its_end(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"you said " + connection.recv(100))

    port = serve(talk)
    with run(fetch(port, greeting=b"hello"), port=port) as document:
        assert isinstance(document, Document)
        assert document.media_type == "text/plain"
        assert str(document.url) == f"x-talk://127.0.0.1:{port}/"
        assert document.read() == b"you said hello"
        assert document.terminated is True


def test_a_document_without_its_end_mark_is_not_terminated(serve: Serve) -> None:
    port = serve(lambda connection: connection.sendall(b"text"))

    def algorithm() -> Algorithm[None]:
        yield from fetch(port)
        yield from Unterminated()

    document = run(algorithm(), port=port)
    assert document.read() == b"text"
    assert document.terminated is False


def test_the_entries_of_a_listing_are_parsed_by_the_given_function() -> None:
    def algorithm() -> Algorithm[None]:
        yield from Open("listing")
        yield from Deliver(Entry(name="a", url="x-talk://host.example/a"))
        yield from Deliver(Entry(name="b"))

    listing = run(algorithm(), parse=TalkURL.parse)
    assert isinstance(listing, Listing)
    first, second = listing
    assert type(first.parse()) is TalkURL
    assert second.name == "b"


def test_attributes_are_returned_after_the_algorithm_has_ended(serve: Serve) -> None:
    words: list[bytes] = []
    port = serve(lambda connection: words.append(connection.recv(10)))

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Open("attributes", Attributes(size=3))
        yield from Send(peer, b"bye")
        yield from Receive(peer)

    assert run(algorithm(), port=port) == Attributes(size=3)
    assert words == [b"bye"]


def test_an_error_after_the_last_octet_fails_the_document(serve: Serve) -> None:
    """Everything arrived except the closing words: that is not a success."""
    port = serve(lambda connection: connection.sendall(b"all"))

    def algorithm() -> Algorithm[None]:
        yield from fetch(port)
        raise Truncated("the closing reply is missing", received=3)

    document = run(algorithm(), port=port)
    assert next(document) == b"all"
    with pytest.raises(Truncated) as cut:
        next(document)
    assert cut.value.scheme == "x-talk"
    with pytest.raises(Truncated):
        document.read()
    assert document.terminated is None


def test_closing_early_runs_the_finally_blocks_and_closes_the_peers(serve: Serve) -> None:
    port = serve(flood)
    ended = []

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Open("document")
        try:
            while True:
                yield from Deliver((yield from Receive(peer)) or b"")
        finally:
            yield from Close(peer)
            yield from Close(peer)
            ended.append(True)

    with run(algorithm(), port=port) as document:
        assert next(document)
    assert ended == [True]
    document.close()
    with pytest.raises(AccessError, match="closed"):
        next(document)


@pytest.mark.parametrize(
    ("algorithm", "use"), [(fetch, next), (shell, lambda session: session.say(b"hello"))], ids=["document", "session"]
)
def test_a_resource_that_is_dropped_closes_its_connections(
    serve: Serve, no_garbage_collector: None, algorithm: Callable[[int], Algorithm[None]], use: Callable[[Any], object]
) -> None:
    gone = threading.Event()

    def talk(connection: socket.socket) -> None:
        try:
            flood(connection)
        finally:
            gone.set()

    port = serve(talk)
    resource = run(algorithm(port), port=port)
    assert use(resource)
    del resource
    assert gone.wait(PATIENCE)


def test_a_finally_block_may_request_only_close(serve: Serve) -> None:
    port = serve(flood)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Open("document")
        try:
            yield from Deliver(b"x")
        finally:
            yield from Send(peer, b"wait, I am not done")

    document = run(algorithm(), port=port)
    assert next(document) == b"x"
    with pytest.raises(PluginContractError, match="Close and no other request"):
        document.close()


def asks_twice(port: int) -> Algorithm[None]:
    peer = yield from Connect("127.0.0.1", port)
    yield from Open("document")
    octets = b""
    for _ in range(2):
        yield from Send(peer, b"?")
        octets += (yield from Receive(peer)) or b""
    yield from Deliver(octets)


def test_a_document_closed_by_a_tracer_fails(serve: Serve) -> None:
    port = serve(in_two_pieces)

    def trace(event: TraceEvent) -> None:
        if event.kind == "receive":
            document.close()

    document = run(asks_twice(port), port=port, trace=trace)
    with pytest.raises(AccessError, match="closed while it was running") as fault:
        document.read()
    assert fault.value.scheme == "x-talk"
    assert document.terminated is None


def test_an_operation_closed_while_it_connects_leaves_nothing_open(serve: Serve) -> None:
    port = serve(in_two_pieces)

    def algorithm() -> Algorithm[None]:
        yield from Open("document")
        yield from Deliver(b"x")
        yield from Connect("localhost", port)

    document: Any = run(
        algorithm(), port=port, trace=lambda event: document.close() if event.kind == "resolve" else None
    )
    assert next(document) == b"x"
    with pytest.raises(AccessError, match="closed while it was running"):
        document.read()


@pytest.mark.parametrize("by_thread", [True, False])
def test_a_document_cannot_be_read_twice_at_once(serve: Serve, by_thread: bool) -> None:
    port = serve(in_two_pieces)
    faults: list[BaseException] = []

    def read() -> None:
        try:
            document.read()
        except URLError as fault:
            faults.append(fault)

    def trace(event: TraceEvent) -> None:
        if event.kind == "receive" and event.octets == b"one":
            if by_thread:
                thread = threading.Thread(target=read)
                thread.start()
                thread.join()
            else:
                read()

    document = run(asks_twice(port), port=port, trace=trace)
    with pytest.raises(AccessError, match="the operation is busy") as fault:
        document.read()
    assert faults == [fault.value]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_passes_through_and_closes_everything(serve: Serve) -> None:
    port = serve(until_gone)
    ended = []

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        try:
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
            yield from Receive(peer)
        finally:
            ended.append(True)

    with pytest.raises(KeyboardInterrupt) as interrupt:  # held, so that nothing is closed by being forgotten
        run(algorithm(), port=port)
    assert ended == [True]
    assert interrupt.value.__traceback__ is not None


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_is_not_replaced_by_an_error_of_the_algorithm(serve: Serve) -> None:
    port = serve(until_gone)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        try:
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
            yield from Receive(peer)
        finally:
            raise KeyError

    with pytest.raises(KeyboardInterrupt):
        run(algorithm(), port=port)


def test_a_session_is_called_and_then_ended(serve: Serve) -> None:
    heard: list[bytes] = []
    port = serve(echo(heard))
    clock = Clock()
    with run(shell(port), port=port, deadline=1000, clock=clock) as session:
        for _ in range(4):
            assert session.say(b"hello") == b"hello"
            clock.now += 1001
        with pytest.raises(RemoteError):
            session.say(b"no")
        assert session.say(b"still there") == b"still there"
    assert eventually(lambda: heard[-1:] == [b"bye"])
    assert heard == [b"hello"] * 4 + [b"no", b"still there", b"bye"]
    with pytest.raises(AccessError, match="closed"):
        session.say(b"more")


def test_select_can_wait_for_a_session(serve: Serve) -> None:
    port = serve(lambda connection: connection.sendall(connection.recv(1) and b"welcome"))
    with run(shell(port), port=port) as session:
        assert select.select([session], [session], [], 0) == ([], [session], [])
        assert session.say(b"x") == b"welcome"
        assert select.select([session], [], [], 5)[0] == [session]  # its end
    with pytest.raises(AccessError, match="closed"):
        session.fileno()


def test_a_call_that_times_out_ends_the_session(serve: Serve) -> None:
    port = serve(echo([]))
    session = run(shell(port), port=port, policy=IMPATIENT)
    with pytest.raises(DeadlineExceeded):
        session.say(b"silence")
    with pytest.raises(AccessError, match="closed"):
        session.say(b"more")
    session.close()


def test_a_session_whose_constructor_fails(serve: Serve) -> None:
    class Broken(Session):
        def __init__(self, *_: object) -> None:
            raise KeyError("no session")

    port = serve(until_gone)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Open("session", session=Broken, peer=peer)

    with pytest.raises(PluginError, match="no session"):
        run(algorithm(), port=port)


def test_a_call_may_not_deliver(serve: Serve) -> None:
    port = serve(echo([]))
    with run(shell(port), port=port) as session, pytest.raises(PluginContractError):
        session.deliver()


def pieces(*delivered: bytes, unterminated: bool = False, fault: BaseException | None = None) -> Algorithm[None]:
    yield from Open("document")
    for octets in delivered:
        yield from Deliver(octets)
    if fault is not None:
        raise fault
    if unterminated:
        yield from Unterminated()


def test_an_observer_is_called_once_with_the_outcome() -> None:
    outcomes: list[tuple[str, URLError | None]] = []

    def begin(algorithm: Algorithm[None]) -> Document:
        return cast("Document", run(algorithm, observe=lambda *outcome: outcomes.append(outcome)))

    for algorithm in (pieces(b"a", b"b"), pieces(b"a", unterminated=True)):
        with begin(algorithm) as document:
            next(document)
            assert outcomes == [("opened", None)]
            document.read()
        assert outcomes == [("opened", None), ("completed", None)]
        outcomes.clear()

    with begin(pieces(b"a", b"b")) as document:
        next(document)
    document.close()
    assert outcomes == [("opened", None), ("abandoned", None)]
    outcomes.clear()

    short = Truncated("it broke", received=1)
    with begin(pieces(b"a", fault=short)) as document, pytest.raises(Truncated):
        document.read()
    assert outcomes == [("opened", None), ("failed", short)]
    outcomes.clear()

    for fault in (short, PolicyDenied("no", rule="networks")):
        with pytest.raises(type(fault)):
            begin(failing(fault))
        assert outcomes == [("failed", fault)]
        outcomes.clear()
    run(attributes(), observe=lambda *outcome: outcomes.append(outcome))
    assert outcomes == [("opened", None)]


def failing(fault: BaseException) -> Algorithm[None]:
    yield from Close(Peer("none"))
    raise fault


def attributes() -> Algorithm[None]:
    yield from Open("attributes")


def test_an_observer_is_called_with_the_outcome_of_a_session(serve: Serve) -> None:
    outcomes: list[tuple[str, URLError | None]] = []
    port = serve(echo([]))
    with run(shell(port), port=port, observe=lambda *outcome: outcomes.append(outcome)) as session:
        with pytest.raises(RemoteError) as refused:
            session.say(b"no")
        assert refused.value.scheme == "x-talk"
        assert outcomes == [("opened", None)]
    assert outcomes == [("opened", None), ("completed", None)]
    outcomes.clear()

    session = run(shell(port), port=port, policy=IMPATIENT, observe=lambda *outcome: outcomes.append(outcome))
    with pytest.raises(DeadlineExceeded) as caught:
        session.say(b"silence")
    session.close()
    assert outcomes == [("opened", None), ("failed", caught.value)]


def test_an_error_while_a_session_ends_is_completed_and_reported(serve: Serve) -> None:
    outcomes: list[tuple[str, URLError | None]] = []
    port = serve(echo([]))
    impolite = Truncated("no goodbye", received=0)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Open("session", session=Shell, peer=peer)
        raise impolite

    with pytest.raises(Truncated), run(algorithm(), port=port, observe=lambda *outcome: outcomes.append(outcome)):
        pass
    assert impolite.scheme == "x-talk"
    assert outcomes == [("opened", None), ("failed", impolite)]


@pytest.mark.plugin_fault(22)
def test_a_listing_is_limited(serve: Serve) -> None:
    def algorithm() -> Algorithm[None]:
        yield from Open("listing")
        while True:
            yield from Deliver(Entry(name="again"))

    listing = run(algorithm(), policy=replace(LOOPBACK, limits=Limits(entries=10)))
    with pytest.raises(LimitExceeded) as refusal:
        list(listing)
    assert (refusal.value.limit, refusal.value.value) == ("entries", 10)


def test_a_tracer_that_raises_does_not_keep_connections_open(serve: Serve) -> None:
    ended: list[bool] = []

    def talk(connection: socket.socket) -> None:
        until_gone(connection)
        ended.append(True)

    port = serve(talk)

    def algorithm() -> Algorithm[None]:
        yield from Connect("127.0.0.1", port)
        yield from Connect("127.0.0.1", port)
        yield from Open("document")
        yield from Deliver(b"x")

    def trace(event: TraceEvent) -> None:
        if event.kind == "close":
            raise OSError("the log is full")

    document = run(algorithm(), port=port, trace=trace)
    with pytest.raises(OSError, match="the log is full"):
        document.close()
    assert eventually(lambda: len(ended) == 2)
