"""The drivers over real sockets and files: which fault becomes which error, when, and what is left open after it.

All of this holds of the blocking driver and of the event loop: every test runs on both.
"""

from __future__ import annotations

import errno
import gc
import os
import select
import signal
import socket
import ssl
import stat
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from looped import Looped
from talking import RECORD, TalkURL

from urlschemes.errors import PluginContractError, PluginError, UnknownScheme, UnsafeURL, URLError
from urlschemes.scheme.registration import Registration
from urlschemes.url.value import URL, LoginURL
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.backends import blocking
from urlschemes_access.client import Client
from urlschemes_access.backends.sockets import default_context
from urlschemes_access.credentials import Credentials, Form, Question
from urlschemes_access.dialogue import Dialogue
from urlschemes_access.dialogue.deadline import Deadline
from urlschemes_access.errors import (
    AccessError,
    ConnectError,
    DeadlineExceeded,
    InputRequired,
    LimitExceeded,
    PolicyDenied,
    ProtocolError,
    RedirectRefused,
    RemoteError,
    ResolveError,
    TLSError,
    Truncated,
)
from urlschemes_access.policy import Limits, Policy
from urlschemes_access.protocol import (
    Algorithm,
    Ask,
    Authenticate,
    Close,
    Connect,
    ConnectBack,
    Deliver,
    Examine,
    Follow,
    ListFolder,
    Open,
    OpenFile,
    Peer,
    Pull,
    Reader,
    Ready,
    Receive,
    Send,
    StartTLS,
    Unterminated,
)
from urlschemes_access.resources.synchronous import Document, Listing, Session
from urlschemes_access.trace_event import TraceEvent

LOCAL = Registration.from_text(
    RECORD.replace("[syntax]", "local = true\n[syntax]", 1).replace("x-talk", "x-place"), source="test"
)


class PlaceURL(LoginURL, registration=LOCAL):
    pass


class TalksURL(
    LoginURL,
    registration=Registration.from_text(RECORD.replace("x-talk", "x-talks").replace("= 7", "= 8"), source="test"),
):
    pass


QUICK = Limits(deadline=2, resolve=0.3, connect=0.3, first_octet=0.3, idle=0.3)
LOOPBACK = Policy(networks=("127.0.0.0/8", "::1/128"), limits=QUICK)

Serve = Callable[[Callable[[socket.socket], None]], int]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server on the loopback address that lets `talk` have each connection; returns its port."""
    listeners: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def start(talk: Callable[[socket.socket], None]) -> int:
        listener = socket.create_server(("127.0.0.1", 0))
        listener.settimeout(10)
        listeners.append(listener)

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                connection.settimeout(5)
                with connection, suppress(OSError):  # the client goes away, as many tests want it to
                    talk(connection)

        thread = threading.Thread(target=accept)
        thread.start()
        threads.append(thread)
        return int(listener.getsockname()[1])

    yield start
    for listener in listeners:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


@pytest.fixture(autouse=True, params=["blocking", "event loop"])
def driver(request: pytest.FixtureRequest, nothing_left_open: None) -> Iterator[str]:
    """The driver that the tests run on."""
    if request.param == "blocking":
        yield request.param
        return
    looped = Looped()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocking, "run", looped.run)
        yield request.param
    looped.close()


@pytest.fixture
def nothing_left_open() -> Iterator[None]:
    """No test leaves a descriptor behind."""
    gc.collect()
    before = descriptors()
    yield
    deadline = time.monotonic() + 5
    while (after := descriptors()) > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert after <= before


def descriptors() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def until_gone(connection: socket.socket) -> None:
    while connection.recv(65536):
        pass


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def run(
    algorithm: Algorithm[None],
    *,
    port: int = 7,
    policy: Policy = LOOPBACK,
    url: URL | None = None,
    deadline: float | None = None,
    **settings: Any,
) -> Any:
    """Return the resource that an algorithm opens for a URL."""
    url = url or TalkURL.parse(f"x-talk://127.0.0.1:{port}/")
    if deadline is not None:
        policy = replace(policy, limits=replace(policy.limits, deadline=deadline))
    registration = cast("Registration", url.registration)
    return blocking.run(Dialogue(algorithm, url=url, registration=registration, policy=policy, **settings))


def fetch(port: int, *, host: str = "127.0.0.1", greeting: bytes = b"") -> Algorithm[None]:
    """What comes until the other side closes."""
    peer = yield from Connect(host, port)
    if greeting:
        yield from Send(peer, greeting)
    yield from Open("document", Attributes(media_type="text/plain"))
    while octets := (yield from Receive(peer, phase="content")):
        yield from Deliver(octets)


# The good case


def test_a_document_comes_whole_and_closes_its_connection(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"you said " + connection.recv(100))

    port = serve(talk)
    with run(fetch(port, greeting=b"hello"), port=port) as document:
        assert isinstance(document, Document)
        assert document.media_type == "text/plain"
        assert str(document.url) == f"x-talk://127.0.0.1:{port}/"
        assert document.read() == b"you said hello"
        assert document.terminated is True


def test_a_document_without_its_end_mark_says_so(serve: Serve) -> None:
    port = serve(lambda connection: connection.sendall(b"text"))

    def algorithm() -> Algorithm[None]:
        yield from fetch(port)
        yield from Unterminated()

    document = run(algorithm(), port=port)
    assert document.read() == b"text"
    assert document.terminated is False


def test_a_listing_gives_entries_that_its_registry_reads() -> None:
    def algorithm() -> Algorithm[None]:
        yield from Open("listing")
        yield from Deliver(Entry(name="a", url="x-talk://host.example/a"))
        yield from Deliver(Entry(name="b"))

    listing = run(algorithm(), parse=TalkURL.parse)
    assert isinstance(listing, Listing)
    first, second = listing
    assert type(first.parse()) is TalkURL
    assert second.name == "b"


def test_attributes_come_back_when_the_algorithm_has_ended(serve: Serve) -> None:
    words: list[bytes] = []
    port = serve(lambda connection: words.append(connection.recv(10)))

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Open("attributes", Attributes(size=3))
        yield from Send(peer, b"bye")
        yield from Receive(peer)

    assert run(algorithm(), port=port) == Attributes(size=3)
    assert words == [b"bye"]


def test_the_end_of_the_dialogue_is_part_of_the_resource(serve: Serve) -> None:
    """All octets came, the closing words did not: that is no success."""
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


def test_content_is_sent_from_the_callers_pieces(serve: Serve) -> None:
    got = bytearray()

    def talk(connection: socket.socket) -> None:
        while octets := connection.recv(65536):
            got.extend(octets)
            if got.endswith(b"."):
                connection.sendall(b"ok")
                return

    port = serve(talk)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        while octets := (yield from Pull()):
            yield from Send(peer, octets)
        yield from Send(peer, b".")
        yield from Receive(peer)
        yield from Open("attributes")

    run(algorithm(), port=port, content=[b"one", b"", b"x" * 3_000_000])
    assert bytes(got) == b"one" + b"x" * 3_000_000 + b"."
    with pytest.raises(InputRequired, match="none was given"):
        run(algorithm(), port=port)


# Before anything is opened


@pytest.mark.parametrize(
    ("text", "error", "rule"),
    [
        ("x-talk://127.0.0.1:22/", PolicyDenied, "ports"),
        ("x-talk://127.0.0.1:6667/", PolicyDenied, "ports"),
        ("x-talk://127.0.0.1:0/", UnsafeURL, None),
        ("x-talk://127.0.0.1:65536/", UnsafeURL, None),
        ("x-talk://0177.0.0.1/", UnsafeURL, None),
        ("x-talk://256.0.0.1/", UnsafeURL, None),
        (f"x-talk://{'a' * 64}.example/", UnsafeURL, None),
        ("x-talk://host.example/a%0d%0aDELE%20b", UnsafeURL, None),
        ("x-talk://user:p%00w@host.example/", UnsafeURL, None),
    ],
)
def test_an_unsafe_url_is_refused_before_the_algorithm_begins(
    text: str, error: type[URLError], rule: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = []

    def algorithm() -> Algorithm[None]:
        begun.append(True)
        yield from Open("document")

    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: begun.append(True))
    with pytest.raises(error) as refusal:
        run(algorithm(), url=TalkURL.parse(text))
    assert refusal.value.rule == rule
    assert not begun


def test_a_denied_scheme_is_refused_before_the_algorithm_begins() -> None:
    with pytest.raises(PolicyDenied) as refusal:
        run(fetch(7), policy=replace(LOOPBACK, denied_schemes=frozenset({"x-talk"})))
    assert refusal.value.rule == "denied_schemes"


def test_loopback_is_refused_by_default(serve: Serve) -> None:
    port = serve(until_gone)
    with pytest.raises(PolicyDenied, match=r"127\.0\.0\.1 is not on the public Internet") as refusal:
        run(fetch(port), port=port, policy=Policy.untrusted())
    assert refusal.value.rule == "networks"


# Names and addresses


def answer(*addresses: str) -> Callable[..., list[Any]]:
    return lambda *_, **__: [
        (socket.AF_INET6 if ":" in a else socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, 0)) for a in addresses
    ]


@pytest.mark.fault(4)
def test_one_bad_address_refuses_the_whole_answer(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    port = serve(lambda connection: connection.sendall(b"x"))
    monkeypatch.setattr(socket, "getaddrinfo", answer("127.0.0.1", "169.254.169.254"))
    with pytest.raises(PolicyDenied, match=r"169\.254\.169\.254"):
        run(fetch(port, host="two.example"), port=port)


@pytest.mark.fault(1)
def test_a_name_is_resolved_once_and_every_address_tried(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    port = serve(lambda connection: connection.sendall(b"x"))
    asked = []

    def resolver(host: bytes, *_: object, **__: object) -> list[Any]:
        asked.append(host)
        return answer("127.0.0.2", "127.0.0.1", "127.0.0.1")()

    def algorithm() -> Algorithm[None]:
        first = yield from Connect("Twice.example", port)
        second = yield from Connect("twice.example", port)
        assert first.address == second.address == ("127.0.0.1", port)
        yield from Open("document")

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    assert run(algorithm(), port=port).read() == b""
    assert asked == [b"Twice.example"]


def test_a_dotted_quad_is_not_resolved(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    port = serve(lambda connection: connection.sendall(b"x"))
    monkeypatch.setattr(socket, "getaddrinfo", None)
    assert run(fetch(port), port=port).read() == b"x"


def test_a_name_without_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolver(*_: object, **__: object) -> list[Any]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    with pytest.raises(ResolveError, match=r"'none.example' has no address: Name or service not known") as fault:
        run(fetch(7, host="none.example"))
    assert fault.value.part == "host"
    monkeypatch.setattr(socket, "getaddrinfo", answer())
    with pytest.raises(ResolveError, match="has no address"):
        run(fetch(7, host="none.example"))


@pytest.mark.fault(3)
def test_a_resolver_that_hangs_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    hung = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: hung.wait(10) and [])
    with pytest.raises(DeadlineExceeded) as late:
        run(fetch(7, host="slow.example"))
    assert late.value.phase == "resolve"
    stuck = [thread for thread in threading.enumerate() if thread.name == "urlschemes resolver"]
    assert stuck
    assert all(thread.daemon for thread in stuck)
    hung.set()
    for thread in stuck:
        thread.join(10)


@pytest.mark.fault(5)
def test_where_the_system_really_connected_is_looked_at(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    port = serve(until_gone)
    monkeypatch.setattr(socket.socket, "getpeername", lambda _: ("127.0.0.9", port))
    with pytest.raises(PolicyDenied, match=r"connected to 127\.0\.0\.9"):
        run(fetch(port), port=port)


def test_a_host_that_an_algorithm_invents_is_checked_too() -> None:
    with pytest.raises(UnsafeURL):
        run(fetch(8000, host="0x7f.1"))
    with pytest.raises(PolicyDenied):
        run(fetch(25))


# Connecting


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def test_refused() -> None:
    port = closed_port()
    with pytest.raises(ConnectError, match=f"cannot connect to 127.0.0.1 port {port}: Connection refused"):
        run(fetch(port), port=port)


@contextmanager
def nobody_accepts(host: str, port: int = 0) -> Iterator[int]:
    """A full backlog: the system drops what comes, as a firewall does."""
    with socket.socket() as listener, socket.socket() as one, socket.socket() as two:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(0)
        for filler in (one, two):
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


def test_a_connection_that_nobody_accepts() -> None:
    with nobody_accepts("127.0.0.1") as port, pytest.raises(DeadlineExceeded) as late:
        run(fetch(port), port=port)
    assert late.value.phase == "connect"


@pytest.mark.fault(2)
@pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is this machine's only on Linux")
def test_an_address_that_hangs_leaves_time_for_the_next(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    port = serve(lambda connection: connection.sendall(b"here"))
    monkeypatch.setattr(socket, "getaddrinfo", answer("127.0.0.2", "127.0.0.1"))
    with nobody_accepts("127.0.0.2", port):
        assert run(fetch(port, host="two.example"), port=port).read() == b"here"


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


def test_connections_are_counted(serve: Serve) -> None:
    port = serve(lambda _: None)

    def algorithm() -> Algorithm[None]:
        while True:
            yield from Close((yield from Connect("127.0.0.1", port)))

    with pytest.raises(LimitExceeded) as refusal:
        run(algorithm(), port=port)
    assert (refusal.value.limit, refusal.value.value) == ("connections", 16)


# Time


def test_silence_after_accepting(serve: Serve) -> None:
    port = serve(until_gone)
    document = run(fetch(port), port=port)
    with pytest.raises(DeadlineExceeded, match=r"0.3 seconds passed while waiting for content") as late:
        document.read()
    assert late.value.phase == "content"


def test_silence_in_the_middle(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"half")
        until_gone(connection)

    port = serve(talk)
    document = run(fetch(port), port=port, policy=replace(LOOPBACK, limits=replace(QUICK, first_octet=5)))
    assert next(document) == b"half"
    with pytest.raises(DeadlineExceeded, match=r"0\.3 seconds passed"):
        next(document)


def drip(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"x")
        time.sleep(0.02)


def test_a_drip_gains_no_time(serve: Serve) -> None:
    port = serve(drip)
    document = run(fetch(port), port=port, deadline=0.4)
    with pytest.raises(DeadlineExceeded, match="the deadline passed"):
        document.read()


def test_a_drip_within_one_line_gains_no_time(serve: Serve) -> None:
    port = serve(drip)

    def algorithm() -> Algorithm[None]:
        reader = Reader((yield from Connect("127.0.0.1", port)))
        yield from reader.line(phase="banner")

    with pytest.raises(DeadlineExceeded) as late:
        run(algorithm(), port=port, deadline=0.3)
    assert late.value.phase == "banner"


def test_the_callers_own_pauses_do_not_count(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        for _ in range(4):
            connection.sendall(b"x")
            time.sleep(0.05)

    port = serve(talk)
    pieces = []
    for octets in run(fetch(port), port=port, deadline=0.5):
        pieces.append(octets)
        time.sleep(0.3)
    assert b"".join(pieces) == b"xxxx"


def test_deadline_arithmetic() -> None:
    now = 100.0
    deadline = Deadline(60, 16 * 1024, lambda: now)
    assert deadline.left() == 60
    deadline.resume()
    now += 10
    assert deadline.left() == 50
    deadline.pause()
    now += 1000
    assert deadline.left() == 50
    deadline.pause()
    deadline.moved += 16 * 1024 * 7
    assert deadline.left() == 57
    deadline.resume()
    now += 57
    assert deadline.left() == 0


def test_times_beyond_what_the_system_can_wait(serve: Serve) -> None:
    port = serve(lambda connection: connection.sendall(b"text"))
    limits = Limits(deadline=2e18, rate=1e-300, resolve=2e18, connect=2e18, first_octet=2e18, idle=2e18)

    def algorithm(host: str) -> Algorithm[None]:
        peer = yield from Connect(host, port)
        yield from Ready([peer])
        assert (yield from Receive(peer, within=2e18)) == b"text"
        yield from Open("document")

    for host in ("127.0.0.1", "localhost"):
        run(algorithm(host), port=port, policy=replace(LOOPBACK, limits=limits)).close()


def test_a_wait_of_the_algorithms_own(serve: Serve) -> None:
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

    with pytest.raises(DeadlineExceeded) as late:
        run(algorithm(), port=port, deadline=0.8)
    assert late.value.phase == "the end"
    assert seen == [None, None, None, True, b"!", "more"]


def test_an_algorithm_may_turn_a_late_reply_into_another_error(serve: Serve) -> None:
    port = serve(until_gone)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        try:
            yield from Receive(peer)
        except DeadlineExceeded as late:
            raise Truncated("no closing reply") from late

    with pytest.raises(Truncated, match="no closing reply"):
        run(algorithm(), port=port)


def test_sending_to_somebody_who_does_not_read(serve: Serve) -> None:
    stop = threading.Event()
    port = serve(lambda _: cast("None", stop.wait(5)))

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        while True:
            yield from Send(peer, b"x" * 4_000_000)

    with pytest.raises(DeadlineExceeded) as late:
        run(algorithm(), port=port)
    stop.set()
    assert late.value.phase == "send"


# Breaking off


def test_reset_before_the_first_octet(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(1)
        reset(connection)

    port = serve(talk)
    with pytest.raises(ConnectError, match="broke before the first octet: Connection reset") as fault:
        run(fetch(port, greeting=b"?"), port=port).read()
    assert isinstance(fault.value.__cause__, ConnectionResetError)


def test_reset_after_the_first_octet(serve: Serve) -> None:
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


def test_a_half_closed_connection_ends(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"half")
        connection.shutdown(socket.SHUT_WR)
        until_gone(connection)

    port = serve(talk)
    assert run(fetch(port), port=port).read() == b"half"


# How much


def flood(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"x" * 65536)


def test_an_endless_stream_is_not_read_whole(serve: Serve) -> None:
    port = serve(flood)
    document = run(fetch(port), port=port, policy=replace(LOOPBACK, limits=replace(QUICK, content=1_000_000)))
    with pytest.raises(LimitExceeded) as refusal:
        document.read()
    assert (refusal.value.limit, refusal.value.value) == ("content", 1_000_000)


def test_an_endless_stream_that_is_never_delivered(serve: Serve) -> None:
    port = serve(flood)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        while True:
            yield from Receive(peer)

    with pytest.raises(LimitExceeded) as refusal:
        run(algorithm(), port=port, policy=replace(LOOPBACK, limits=replace(QUICK, content=1_000_000)))
    assert refusal.value.limit == "content"


def test_an_endless_listing(serve: Serve) -> None:
    def algorithm() -> Algorithm[None]:
        yield from Open("listing")
        while True:
            yield from Deliver(Entry(name="again"))

    listing = run(algorithm(), policy=replace(LOOPBACK, limits=replace(QUICK, entries=10)))
    with pytest.raises(LimitExceeded) as refusal:
        list(listing)
    assert (refusal.value.limit, refusal.value.value) == ("entries", 10)


def test_a_long_transfer_takes_little_memory(serve: Serve) -> None:
    total = 64 * 1024 * 1024

    def talk(connection: socket.socket) -> None:
        block = b"x" * 1024 * 1024
        for _ in range(total // len(block)):
            connection.sendall(block)

    import tracemalloc

    port = serve(talk)
    tracemalloc.start()
    received = sum(
        map(len, run(fetch(port), port=port, policy=replace(LOOPBACK, limits=replace(QUICK, content=1_000_000))))
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert received == total
    assert peak < 8 * 1024 * 1024


# Ending early


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


def test_a_document_that_is_dropped_closes_its_connections(serve: Serve) -> None:
    gone = threading.Event()

    def talk(connection: socket.socket) -> None:
        try:
            flood(connection)
        finally:
            gone.set()

    port = serve(talk)
    document = run(fetch(port), port=port)
    next(document)
    del document
    assert gone.wait(5)


def test_a_finally_block_may_ask_for_nothing_but_close(serve: Serve) -> None:
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


def in_two_pieces(connection: socket.socket) -> None:
    connection.recv(1)
    connection.sendall(b"one")
    connection.recv(1)
    connection.sendall(b"two")


def asks_twice(port: int) -> Algorithm[None]:
    peer = yield from Connect("127.0.0.1", port)
    yield from Open("document")
    octets = b""
    for _ in range(2):
        yield from Send(peer, b"?")
        octets += (yield from Receive(peer)) or b""
    yield from Deliver(octets)


def test_a_document_that_is_closed_by_what_it_calls_is_not_whole(serve: Serve) -> None:
    port = serve(in_two_pieces)

    def trace(event: TraceEvent) -> None:
        if event.kind == "receive":
            document.close()

    document = run(asks_twice(port), port=port, trace=trace)
    with pytest.raises(AccessError, match="closed while it was running") as fault:
        document.read()
    assert fault.value.scheme == "x-talk"
    assert document.terminated is None


def test_an_access_closed_while_it_connects_leaves_nothing_open(serve: Serve) -> None:
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
def test_a_document_is_not_read_while_it_is_read(serve: Serve, by_thread: bool) -> None:
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
    with pytest.raises(AccessError, match="the operation is busy") as fault:  # nobody knows who got what
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
        run(algorithm(), port=port, policy=replace(LOOPBACK, limits=Limits()))
    assert ended == [True]
    assert interrupt.value.__traceback__ is not None


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_is_not_lost_in_a_plugins_own_mistake(serve: Serve) -> None:
    port = serve(until_gone)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        try:
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
            yield from Receive(peer)
        finally:
            raise KeyError

    with pytest.raises(KeyboardInterrupt):
        run(algorithm(), port=port, policy=replace(LOOPBACK, limits=Limits()))


def test_memory_errors_are_not_hidden() -> None:
    def algorithm() -> Algorithm[None]:
        yield from ()
        raise MemoryError

    with pytest.raises(MemoryError):
        run(algorithm())


# The algorithm's own mistakes


def test_a_foreign_exception_is_the_plugins_error() -> None:
    def algorithm() -> Algorithm[None]:
        yield from Open("document")
        raise KeyError("\x1b[2J\nx")

    with pytest.raises(PluginError, match=r"the algorithm of scheme 'x-talk' failed: KeyError") as fault:
        run(algorithm()).read()
    assert isinstance(fault.value.__cause__, KeyError)
    assert "\n" not in str(fault.value)
    assert "\x1b" not in str(fault.value)


def test_a_foreign_exception_that_knows_the_password_is_not_passed_on() -> None:
    def algorithm() -> Algorithm[None]:
        yield from ()
        raise ValueError("cannot log in with hunter22")

    with pytest.raises(PluginError, match=r"cannot log in with \*\*\*") as fault:
        run(algorithm(), url=TalkURL.parse("x-talk://me:hunter22@127.0.0.1/"))
    assert fault.value.__cause__ is None


def test_no_error_repeats_the_password_that_the_other_side_repeats() -> None:
    def algorithm() -> Algorithm[None]:
        yield from Open("document")
        try:
            raise Truncated("cut after hunt\xe8r22")
        except Truncated as error:
            raise RemoteError("PASS hunt\xe8r22?", text="PASS hunt\\xe8r22?", hint="not hunt\xe8r22") from error

    document = run(algorithm(), url=TalkURL.parse("x-talk://me:hunt%C3%A8r22@127.0.0.1/"))
    with pytest.raises(RemoteError) as fault:
        document.read()
    assert str(fault.value) == "PASS ***?; not ***"
    assert (fault.value.text, fault.value.args) == ("PASS ***?", ("PASS ***?",))
    assert str(fault.value.__cause__) == "cut after ***"




def opens_twice() -> Algorithm[None]:
    yield from Open("document")
    yield from Open("document")


def delivers_first() -> Algorithm[None]:
    yield from Deliver(b"x")


def never_opens() -> Algorithm[None]:
    yield from ()


def yields_a_number() -> Algorithm[None]:
    yield cast("Any", 7)


def delivers_text() -> Algorithm[None]:
    yield from Open("document")
    yield from Deliver(cast("Any", "text"))


def delivers_octets_in_a_listing() -> Algorithm[None]:
    yield from Open("listing")
    yield from Deliver(b"x")


def delivers_attributes() -> Algorithm[None]:
    yield from Open("attributes")
    yield from Deliver(b"x")


def opens_something_else() -> Algorithm[None]:
    yield from Open(cast("Any", "window"))


def opens_a_session_of_no_type() -> Algorithm[None]:
    yield from Open("session", session=cast("Any", dict))


def opens_with_a_dict() -> Algorithm[None]:
    yield from Open("document", cast("Any", {"size": 1}))


def uses_a_strangers_peer() -> Algorithm[None]:
    yield from Receive(Peer("mine"))


def connects_to_a_number() -> Algorithm[None]:
    yield from Connect(cast("Any", 7), 7)


def connects_to_a_port_in_words() -> Algorithm[None]:
    yield from Connect("127.0.0.1", cast("Any", "echo"))


def waits_for_nobody() -> Algorithm[None]:
    yield from Ready([])


def follows_a_number() -> Algorithm[None]:
    yield from Follow(cast("Any", 7))


def opens_a_path_of_octets() -> Algorithm[None]:
    yield from OpenFile(cast("Any", b"/etc/motd"))


def is_no_generator() -> Any:
    return iter(())


@pytest.mark.parametrize(
    "algorithm",
    [
        opens_twice,
        delivers_first,
        never_opens,
        yields_a_number,
        delivers_text,
        delivers_octets_in_a_listing,
        delivers_attributes,
        opens_something_else,
        opens_a_session_of_no_type,
        opens_with_a_dict,
        uses_a_strangers_peer,
        connects_to_a_number,
        connects_to_a_port_in_words,
        waits_for_nobody,
        follows_a_number,
        opens_a_path_of_octets,
        is_no_generator,
    ],
)
def test_a_broken_contract_says_what_was_owed(algorithm: Callable[[], Any]) -> None:
    with pytest.raises(PluginContractError, match="the algorithm of scheme 'x-talk' broke its contract: expected") as fault:
        list(run(algorithm()))
    assert fault.value.wants
    assert fault.value.has


def test_a_peer_that_was_closed_is_a_strangers(serve: Serve) -> None:
    port = serve(until_gone)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Close(peer)
        yield from Send(peer, b"x")

    with pytest.raises(PluginContractError):
        run(algorithm(), port=port)


def test_sending_text_is_no_way_to_send(serve: Serve) -> None:
    port = serve(until_gone)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Send(peer, cast("Any", "text"))

    with pytest.raises(PluginContractError, match="got str"):
        run(algorithm(), port=port)


# Datagrams


@contextmanager
def datagrams(talk: Callable[[socket.socket], None]) -> Iterator[int]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(5)
        thread = threading.Thread(target=talk, args=(server,))
        thread.start()
        yield server.getsockname()[1]
        thread.join(10)
        assert not thread.is_alive()


def ask_by_datagram(port: int) -> Algorithm[None]:
    peer = yield from Connect("127.0.0.1", port, transport="udp")
    yield from Send(peer, b"?")
    yield from Open("document")
    while octets := (yield from Receive(peer, most=2, within=0.3)):
        yield from Deliver(octets)


def test_datagrams_come_whole_and_only_from_whom_was_asked() -> None:
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

    with datagrams(talk) as port:
        assert list(run(ask_by_datagram(port), port=port)) == [b"first", b"second", b"x" * 9000]


def test_a_strangers_datagrams_do_not_lengthen_a_wait() -> None:
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
        assert list(run(ask_by_datagram(port), port=port)) == []
        over.set()
    assert not talked_to_the_end.is_set()


def test_nobody_listens_for_datagrams() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(ConnectError, match="refused"):
        run(ask_by_datagram(port), port=port).read()


@pytest.mark.parametrize(
    ("limit", "value", "octets"), [("datagrams", 5, b"x"), ("datagrams", 5, b""), ("datagram_octets", 20, b"x" * 7)]
)
def test_a_flood_of_datagrams(limit: str, value: int, octets: bytes) -> None:
    def talk(server: socket.socket) -> None:
        _, client = server.recvfrom(10)
        for _ in range(10):
            server.sendto(octets, client)

    limits = replace(QUICK, **{limit: value})
    with datagrams(talk) as port, pytest.raises(LimitExceeded) as refusal:
        run(ask_by_datagram(port), port=port, policy=replace(LOOPBACK, limits=limits)).read()
    assert (refusal.value.limit, refusal.value.value) == (limit, value)


# TLS


CERTIFICATE = Path(__file__).parent / "tls" / "host.example.pem"  # self-signed, with its key, for tests only


def tls(talk: Callable[[ssl.SSLSocket], None]) -> Callable[[socket.socket], None]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)

    def secured(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as server:
            talk(server)

    return secured


def trusting() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=CERTIFICATE)


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


def test_a_secured_connection(serve: Serve) -> None:
    def talk(server: ssl.SSLSocket) -> None:
        answers_in_two_records(server)
        server.unwrap()

    port = serve(tls(talk))
    events: list[TraceEvent] = []
    document = run(secured(port, "host.example"), port=port, ssl_context=trusting(), trace=events.append)
    assert document.read() == b"you said hello"
    assert [event.kind for event in events][:3] == ["connect", "tls", "send"]


def test_what_was_decrypted_already_is_ready(serve: Serve) -> None:
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


def test_a_secured_connection_that_is_cut_is_no_end(serve: Serve) -> None:
    """Without TLS's own closing word, whoever sits on the line may have cut it."""
    port = serve(tls(answers_in_two_records))
    with pytest.raises(Truncated) as cut:
        run(secured(port, "host.example"), port=port, ssl_context=trusting()).read()
    assert cut.value.partial == b"you said hello"


@pytest.mark.parametrize(
    ("host", "trust", "why"),
    [("other.example", trusting, "Hostname mismatch"), ("host.example", lambda: None, "self.signed certificate")],
)
def test_a_certificate_of_another_or_of_nobody(
    serve: Serve, host: str, trust: Callable[[], ssl.SSLContext | None], why: str
) -> None:
    heard: list[bytes] = []
    port = serve(tls(lambda server: heard.append(server.recv(100))))
    with pytest.raises(TLSError, match=why):
        run(secured(port, host), port=port, ssl_context=trust())
    assert not any(heard)


def test_plain_words_where_tls_was_due(serve: Serve) -> None:
    port = serve(lambda connection: connection.sendall(b"220 this is not TLS\r\n"))
    with pytest.raises(TLSError, match=r"TLS with host.example failed"):
        run(secured(port, "host.example"), port=port)


def test_a_handshake_that_hangs(serve: Serve) -> None:
    port = serve(until_gone)
    with pytest.raises(DeadlineExceeded) as late:
        run(secured(port, "host.example"), port=port)
    assert late.value.phase == "tls"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_within_the_handshake_closes_the_socket(serve: Serve, driver: str) -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(10)
        os.kill(os.getpid(), signal.SIGINT)
        until_gone(connection)

    port = serve(talk)
    with pytest.raises(KeyboardInterrupt) as interrupt:  # held, and with it all that its frames hold
        run(secured(port, "host.example"), port=port, policy=replace(LOOPBACK, limits=Limits()))
    frames = [frame for frame, _ in traceback.walk_tb(interrupt.value.__traceback__)]
    sockets = [each for frame in frames for each in frame.f_locals.values() if isinstance(each, ssl.SSLSocket)]
    assert sockets or driver == "event loop"
    assert not [each for each in sockets if each.fileno() != -1]


def test_a_connection_that_ends_within_the_handshake(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(10)
        reset(connection)

    port = serve(talk)
    with pytest.raises(TLSError):
        run(secured(port, "host.example"), port=port)


def test_the_default_trust_is_strict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    default_context.cache_clear()
    context = default_context()
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.check_hostname
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
    assert not context.keylog_filename
    assert default_context() is context
    default_context.cache_clear()


# Redirects


def led_to(location: str, url: str = "x-talk://first.example/", *, hops: int = 1, **more: Any) -> Document:
    def algorithm() -> Algorithm[None]:
        for _ in range(hops):
            yield from Follow(location)
        yield from Open("document")

    def follow(_: URL, text: str) -> URL:
        if text.startswith("x-talks:"):
            return TalksURL.parse(text)
        return TalkURL.parse(text if text.startswith("x-talk:") else f"x-talk://first.example{text}")

    return cast("Document", run(algorithm(), url=TalkURL.parse(url), redirect=more.pop("redirect", follow), **more))


@pytest.mark.parametrize(
    ("location", "to"),
    [
        ("x-talk://second.example/", "x-talk://second.example/"),
        ("/other", "x-talk://first.example/other"),
        ("x-talks://second.example:8/", "x-talks://second.example:8/"),
    ],
)
def test_redirects_within_the_records_schemes_are_followed(location: str, to: str) -> None:
    document = led_to(location)
    assert str(document.url) == to
    document.close()


@pytest.mark.fault(21)
@pytest.mark.parametrize("location", ["x-other://h/", "FTP://h/", "file:///etc/passwd", "mailto:a@b", "javascript:1"])
def test_other_schemes_are_refused_by_name_before_anything_reads_them(location: str) -> None:
    read: list[str] = []

    def follow(_: URL, text: str) -> URL:
        read.append(text)
        raise UnknownScheme(text)

    with pytest.raises(RedirectRefused) as refusal:
        led_to(location, redirect=follow)
    assert refusal.value.reason == "scheme"
    assert refusal.value.location == location
    assert not read


@pytest.mark.parametrize(
    "location", ["x-talk://bad host/", "x-talk://h/a\r\nb", "x-talk://h/%0d%0a", "x-talk:nonsense"]
)
def test_a_location_that_is_no_safe_url_is_refused(location: str) -> None:
    with pytest.raises(RedirectRefused) as refusal:
        led_to(location)
    assert refusal.value.reason == "invalid"
    assert "\n" not in refusal.value.location


def test_a_resolver_cannot_lead_elsewhere_than_the_text_said() -> None:
    with pytest.raises(RedirectRefused) as refusal:
        led_to("x-talk://h/", redirect=lambda *_: PlaceURL.parse("x-place://h/"))
    assert refusal.value.reason == "scheme"


def test_an_allowed_scheme_that_is_not_installed() -> None:
    def follow(_: URL, text: str) -> URL:
        raise UnknownScheme(text)

    with pytest.raises(RedirectRefused, match="'x-talks' is not installed") as refusal:
        led_to("x-talks://h/", redirect=follow)
    assert refusal.value.reason == "scheme"


@pytest.mark.parametrize("error", [PolicyDenied, PluginError])
def test_a_veto_on_a_redirect_stays_what_it_is(error: type[URLError]) -> None:
    def follow(*_: object) -> URL:
        raise error("not on a Sunday")

    with pytest.raises(error, match="not on a Sunday"):
        led_to("/other", redirect=follow)


def test_hops_are_counted() -> None:
    led_to("/again", hops=5).close()
    with pytest.raises(RedirectRefused, match="5 redirects were followed already") as refusal:
        led_to("/again", hops=6)
    assert refusal.value.reason == "hops"


@pytest.mark.parametrize("location", ["x-talk://h:22/", "x-talk://0177.0.0.1/"])
def test_a_redirect_meets_the_policy(location: str) -> None:
    with pytest.raises((PolicyDenied, UnsafeURL)):
        led_to(location)


def test_a_redirect_leads_to_no_other_private_address(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    port = serve(until_gone)
    dialled = []

    def dial(self: socket.socket, address: tuple[str, int]) -> None:
        dialled.append(address[0])
        if address[0] != "127.0.0.1":
            raise ConnectionRefusedError  # no test leaves this machine
        connect(self, address)

    connect = socket.socket.connect
    monkeypatch.setattr(socket.socket, "connect", dial)

    def algorithm(then: str) -> Algorithm[None]:
        yield from Connect("127.0.0.1", port)
        url = yield from Follow("/again")
        assert str(url) == "x-talk://first.example/again"
        yield from Connect(then, port)
        yield from Open("attributes")

    def led(then: str) -> object:
        return run(
            algorithm(then),
            policy=replace(Policy.interactive(), limits=QUICK),
            url=TalkURL.parse("x-talk://first.example/"),
            redirect=lambda *_: TalkURL.parse("x-talk://first.example/again"),
        )

    assert led("127.0.0.1")
    with pytest.raises(PolicyDenied, match="a redirect led there"):
        led("10.0.0.1")
    assert set(dialled) == {"127.0.0.1"}


# What the caller is asked


def test_credentials_come_from_the_caller_and_stay_out_of_the_trace(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"you said " + connection.recv(100))

    port = serve(talk)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        known = yield from Authenticate("127.0.0.1", port, user="me")
        assert known is not None
        secret = known.password.encode()
        yield from Send(peer, b"PASS " + secret + b"\r\n", secret=secret)
        yield from Open("document")
        yield from Deliver((yield from Receive(peer)) or b"")

    def credentials(request: Authenticate) -> Credentials:
        assert (request.host, request.port, request.user) == ("127.0.0.1", port, "me")
        time.sleep(0.5)  # a person types; the deadline waits
        return Credentials("me", "hunter22")

    events: list[TraceEvent] = []
    document = run(algorithm(), port=port, deadline=0.4, credentials=credentials, trace=events.append)
    assert document.read() == b"you said PASS hunter22\r\n"
    assert [(event.kind, event.octets) for event in events] == [
        ("connect", b""),
        ("send", b"PASS ***\r\n"),
        ("open", b""),
        ("receive", b"you said PASS ***\r\n"),
        ("close", b""),
    ]
    assert {event.peer for event in events} == {"connection", ""}
    assert events[0].text == f"127.0.0.1 port {port}"


def test_nobody_knows_any_credentials() -> None:
    def algorithm() -> Algorithm[None]:
        assert (yield from Authenticate("host.example", 7)) is None
        yield from Open("document")

    run(algorithm()).close()
    run(algorithm(), credentials=lambda _: None).close()


def test_credentials_never_break_a_line() -> None:
    def algorithm() -> Algorithm[None]:
        yield from Authenticate("host.example", 7)

    with pytest.raises(UnsafeURL) as refusal:
        run(algorithm(), credentials=lambda _: Credentials("me\r\nDELE x", "p"))
    assert refusal.value.part == "user"
    with pytest.raises(UnsafeURL, match="surrogate"):
        run(algorithm(), credentials=lambda _: Credentials("me", "p\ud800"))
    for given in (("me", "p"), Credentials("me", cast("str", None))):
        with pytest.raises(TypeError, match="must (return Credentials or None|be a str), not"):
            run(algorithm(), credentials=lambda _, given=given: given)


def test_questions_are_answered_by_the_caller() -> None:
    form = Form("Who are you?", (Question("Ask", "Name"), Question("Ask", "Town")))
    given: list[object] = []

    def algorithm() -> Algorithm[None]:
        given.append((yield from Ask(form)))
        yield from Open("document")

    with pytest.raises(InputRequired, match="asks 2 questions: Who are you"):
        run(algorithm())
    with pytest.raises(InputRequired, match="not answered"):
        run(algorithm(), ask=lambda _: None)
    with pytest.raises(TypeError, match="ask must return 2 answers, one for each question, not 1"):
        run(algorithm(), ask=lambda _: ("one",))
    run(algorithm(), ask=lambda form: tuple(question.prompt for question in form.questions)).close()
    assert given == [("Name", "Town")]


def test_what_a_callable_of_the_callers_raises_comes_out_as_it_is() -> None:
    def algorithm() -> Algorithm[None]:
        yield from Authenticate("host.example", 7)

    def credentials(_: Authenticate) -> Credentials:
        raise LookupError("the caller's own")

    with pytest.raises(LookupError, match="the caller's own"):
        run(algorithm(), credentials=credentials)


# Sessions


class Shell(Session):
    def say(self, line: bytes) -> bytes:
        return self.run_algorithm(self._saying(line))

    def _saying(self, line: bytes) -> Algorithm[bytes]:
        yield from Send(self.peer, line)
        heard = (yield from Receive(self.peer)) or b""
        if heard.startswith(b"no"):
            raise RemoteError("it said no", text="no")
        return heard

    def deliver(self) -> None:
        def algorithm() -> Algorithm[None]:
            yield from Deliver(b"x")

        self.run_algorithm(algorithm())


def shell(port: int) -> Algorithm[None]:
    peer = yield from Connect("127.0.0.1", port)
    yield from Open("session", session=Shell, peer=peer)
    yield from Send(peer, b"bye")


def echo(heard: list[bytes]) -> Callable[[socket.socket], None]:
    def talk(connection: socket.socket) -> None:
        while octets := connection.recv(100):
            heard.append(octets)
            if octets != b"silence":
                connection.sendall(octets)

    return talk


def test_a_session_is_called_and_says_goodbye(serve: Serve) -> None:
    heard: list[bytes] = []
    port = serve(echo(heard))
    with run(shell(port), port=port, deadline=0.4) as session:
        for _ in range(4):
            assert session.say(b"hello") == b"hello"
            time.sleep(0.15)
        with pytest.raises(RemoteError):
            session.say(b"no")
        assert session.say(b"still there") == b"still there"
    deadline = time.monotonic() + 5
    while heard[-1:] != [b"bye"] and time.monotonic() < deadline:
        time.sleep(0.01)
    assert heard == [b"hello"] * 4 + [b"no", b"still there", b"bye"]
    with pytest.raises(AccessError, match="closed"):
        session.say(b"more")


def test_a_session_can_be_waited_for_like_a_file(serve: Serve) -> None:
    port = serve(lambda connection: connection.sendall(connection.recv(1) and b"welcome"))
    with run(shell(port), port=port) as session:
        assert select.select([session], [session], [], 0) == ([], [session], [])
        assert session.say(b"x") == b"welcome"
        assert select.select([session], [], [], 5)[0] == [session]  # its end
    with pytest.raises(AccessError, match="closed"):
        session.fileno()


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


def test_a_session_ends_with_the_call_that_lost_the_other_side(serve: Serve) -> None:
    port = serve(echo([]))
    session = run(shell(port), port=port)
    with pytest.raises(DeadlineExceeded):
        session.say(b"silence")
    with pytest.raises(AccessError, match="closed"):
        session.say(b"more")
    session.close()


def test_a_session_that_cannot_be_made(serve: Serve) -> None:
    class Broken(Session):
        def __init__(self, *_: object) -> None:
            raise KeyError("no session")

    port = serve(until_gone)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Open("session", session=Broken, peer=peer)

    with pytest.raises(PluginError, match="no session"):
        run(algorithm(), port=port)


def test_a_call_delivers_nothing(serve: Serve) -> None:
    port = serve(echo([]))
    with run(shell(port), port=port) as session, pytest.raises(PluginContractError):
        session.deliver()


# How it ended


def pieces(*delivered: bytes, unterminated: bool = False, fault: BaseException | None = None) -> Algorithm[None]:
    yield from Open("document")
    for octets in delivered:
        yield from Deliver(octets)
    if fault is not None:
        raise fault
    if unterminated:
        yield from Unterminated()


def test_whoever_asks_is_told_once_how_it_ended() -> None:
    told: list[tuple[str, URLError | None]] = []

    def begin(algorithm: Algorithm[None]) -> Document:
        return cast("Document", run(algorithm, observe=lambda *how: told.append(how)))

    for algorithm in (pieces(b"a", b"b"), pieces(b"a", unterminated=True)):
        with begin(algorithm) as document:
            next(document)
            assert told == [("opened", None)]
            document.read()
        assert told == [("opened", None), ("completed", None)]
        told.clear()

    with begin(pieces(b"a", b"b")) as document:
        next(document)
    document.close()
    assert told == [("opened", None), ("abandoned", None)]
    told.clear()

    short = Truncated("it broke", received=1)
    with begin(pieces(b"a", fault=short)) as document, pytest.raises(Truncated):
        document.read()
    assert told == [("opened", None), ("failed", short)]
    told.clear()

    for fault in (short, PolicyDenied("no", rule="networks")):
        with pytest.raises(type(fault)):
            begin(failing(fault))
        assert told == [("failed", fault)]
        told.clear()
    run(attributes(), observe=lambda *how: told.append(how))
    assert told == [("opened", None)]


def failing(fault: BaseException) -> Algorithm[None]:
    yield from Close(Peer("nobody"))
    raise fault


def attributes() -> Algorithm[None]:
    yield from Open("attributes")


def test_whoever_asks_is_told_how_a_session_ended(serve: Serve) -> None:
    told: list[tuple[str, URLError | None]] = []
    port = serve(echo([]))
    with run(shell(port), port=port, observe=lambda *how: told.append(how)) as session:
        with pytest.raises(RemoteError) as refused:
            session.say(b"no")
        assert refused.value.scheme == "x-talk"
        assert told == [("opened", None)]
    assert told == [("opened", None), ("completed", None)]
    told.clear()

    session = run(shell(port), port=port, deadline=0.2, observe=lambda *how: told.append(how))
    with pytest.raises(DeadlineExceeded) as caught:
        session.say(b"silence")
    session.close()
    assert told == [("opened", None), ("failed", caught.value)]


def test_what_goes_wrong_in_the_closing_words_is_signed_and_told(serve: Serve) -> None:
    told: list[tuple[str, URLError | None]] = []
    port = serve(echo([]))
    impolite = Truncated("no goodbye", received=0)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Open("session", session=Shell, peer=peer)
        raise impolite

    with pytest.raises(Truncated), run(algorithm(), port=port, observe=lambda *how: told.append(how)):
        pass
    assert impolite.scheme == "x-talk"
    assert told == [("opened", None), ("failed", impolite)]


# Files


def place(*requests: Any, roots: tuple[Path, ...]) -> list[Any]:
    """What the requests are answered with."""
    answers: list[Any] = []

    def algorithm() -> Algorithm[None]:
        for request in requests:
            answers.append((yield from request))
            if isinstance(answers[-1], Peer):
                answers[-1] = yield from Receive(answers[-1])
        yield from Open("attributes")

    policy = replace(LOOPBACK, roots=tuple(map(str, roots)))
    run(algorithm(), url=PlaceURL.parse("x-place://host.example/"), policy=policy)
    return answers


def test_files_are_off_until_a_root_is_given(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    with pytest.raises(PolicyDenied, match="unless the policy allows their folder") as refusal:
        place(OpenFile(str(tmp_path / "a")), roots=())
    assert refusal.value.rule == "roots"
    with pytest.raises(PolicyDenied):
        run(cast("Any", OpenFile(str(tmp_path / "a")).__iter__()))


def test_files_under_a_root_are_read(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a b").write_bytes(b"octets")
    (tmp_path / "folder" / "link").symlink_to("a b")
    (tmp_path / "folder" / "out").symlink_to("/etc/passwd")
    (tmp_path / "folder" / "nowhere").symlink_to("missing")
    os.mkfifo(tmp_path / "folder" / "pipe")
    path = str(tmp_path / "folder" / "a b")
    octets, facts, entries = place(
        OpenFile(path), Examine(path), ListFolder(str(tmp_path / "folder")), roots=(tmp_path / "folder",)
    )
    assert octets == b"octets"
    assert (facts.path, facts.kind, facts.size) == (path, "file", 6)
    assert facts.modified.tzinfo is not None
    assert abs(facts.modified.timestamp() - Path(path).stat().st_mtime) < 1
    assert [(Path(entry.path).name, entry.kind) for entry in entries] == [
        ("a b", "file"),
        ("link", "file"),
        ("nowhere", "other"),
        ("out", "other"),
        ("pipe", "other"),
    ]
    assert place(OpenFile(str(tmp_path / "folder" / "link")), roots=(tmp_path,)) == [b"octets"]


def test_a_large_file_streams(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * 1_000_000)

    def algorithm() -> Algorithm[None]:
        peer = yield from OpenFile(str(tmp_path / "large"))
        assert (yield from Ready([peer])) is peer
        yield from Open("document", Attributes(size=1_000_000))
        while octets := (yield from Receive(peer)):
            yield from Deliver(octets)

    policy = replace(LOOPBACK, roots=(str(tmp_path),))
    document = run(algorithm(), url=PlaceURL.parse("x-place://host.example/"), policy=policy)
    assert sum(map(len, document)) == document.size


@pytest.mark.parametrize("request_type", [OpenFile, Examine, ListFolder])
@pytest.mark.parametrize(
    "path",
    [
        "{root}/../secret",
        "{root}/out",
        "{root}/out/passwd",
        "{root}2/file",
        "/etc/passwd",
        "/etc",
        "/",
        "/missing",
        "relative",
        "",
        "//host.example/share",
        "\\\\host.example\\share",
    ],
)
def test_nothing_outside_of_the_roots_is_told_apart(
    tmp_path: Path, path: str, request_type: Callable[[str], Any]
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "root2").mkdir()
    (tmp_path / "root2" / "file").write_text("secret")
    (root / "out").symlink_to("/etc")
    with pytest.raises(PolicyDenied) as refusal:
        place(request_type(path.format(root=root)), roots=(root,))
    assert refusal.value.rule == "roots"


@pytest.mark.parametrize(
    "path", ["/proc/self/environ", "/proc/self/mem", "/dev/zero", "/dev/stdin", "/sys/kernel", "/proc"]
)
@pytest.mark.parametrize("request_type", [OpenFile, Examine, ListFolder])
def test_the_systems_own_folders_are_closed_even_under_the_root(path: str, request_type: Callable[[str], Any]) -> None:
    with pytest.raises(PolicyDenied):
        place(request_type(path), roots=(Path("/"),))


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.open(tmp_path, os.O_RDONLY)
        listener.bind(f"/proc/self/fd/{here}/s" if sys.platform == "linux" else str(tmp_path / "s"))
        os.close(here)
        for name in ("pipe", "s"):
            with pytest.raises(PolicyDenied, match="not a regular file"):
                place(OpenFile(str(tmp_path / name)), roots=(tmp_path,))
            assert place(Examine(str(tmp_path / name)), roots=(tmp_path,))[0].kind == "other"


def test_a_device_outside_of_dev(tmp_path: Path) -> None:
    device = tmp_path / "zero"
    try:
        os.mknod(device, stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root makes devices")
    with pytest.raises(PolicyDenied, match="not a regular file"):
        place(OpenFile(str(device)), roots=(tmp_path,))


@pytest.mark.parametrize(
    ("make", "status"),
    [
        (lambda path: None, "ENOENT"),
        (lambda path: path.mkdir(), "EISDIR"),
        (lambda path: path.symlink_to(path), "ELOOP"),
    ],
)
def test_the_systems_reason_is_given(tmp_path: Path, make: Callable[[Path], None], status: str) -> None:
    make(tmp_path / "it")
    with pytest.raises(RemoteError) as refusal:
        place(OpenFile(str(tmp_path / "it")), roots=(tmp_path,))
    assert refusal.value.status == status
    assert refusal.value.text == os.strerror(getattr(errno, status))


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    with pytest.raises(RemoteError) as refusal:
        place(ListFolder(str(tmp_path / "a")), roots=(tmp_path,))
    assert refusal.value.status == "ENOTDIR"


def test_a_nul_in_a_path(tmp_path: Path) -> None:
    with pytest.raises(UnsafeURL):
        place(OpenFile(f"{tmp_path}/a\0b"), roots=(tmp_path,))


def test_a_name_that_is_no_utf8(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    (tmp_path / name).write_bytes(b"x")
    (entries,) = place(ListFolder(str(tmp_path)), roots=(tmp_path,))
    assert [Path(entry.path).name for entry in entries] == [name]
    assert place(OpenFile(str(tmp_path / name)), roots=(tmp_path,)) == [b"x"]


def test_an_entry_that_goes_away_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("gone", "there"):
        (tmp_path / name).touch()
    scandir = os.scandir

    @contextmanager
    def late(folder: Any) -> Iterator[list[os.DirEntry[str]]]:
        with scandir(folder) as entries:
            found = list(entries)
            (tmp_path / "gone").unlink()
            yield found

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", late)
        patch.setattr(os, "supports_fd", {*os.supports_fd, late})
        (entries,) = place(ListFolder(str(tmp_path)), roots=(tmp_path,))
    assert [Path(entry.path).name for entry in entries] == ["there"]


def test_a_folder_with_too_many_entries(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / str(number)).touch()

    def algorithm() -> Algorithm[None]:
        yield from ListFolder(str(tmp_path))

    policy = replace(LOOPBACK, roots=(str(tmp_path),), limits=replace(QUICK, entries=4))
    with pytest.raises(LimitExceeded) as refusal:
        run(algorithm(), url=PlaceURL.parse("x-place://host.example/"), policy=policy)
    assert refusal.value.limit == "entries"


def test_a_link_that_changes_while_it_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path was good when it was looked at, and is another when it is opened."""
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (root / "folder" / "a").write_text("harmless")
    (tmp_path / "a").write_text("secret")
    real_open = os.open

    def swapped(path: str, flags: int) -> int:
        (root / "folder" / "a").unlink()
        (root / "folder").rmdir()
        (root / "folder").symlink_to(tmp_path)
        return real_open(path, flags)

    monkeypatch.setattr(os, "open", swapped)
    with pytest.raises(PolicyDenied, match="in none of the allowed folders"):
        place(OpenFile(str(root / "folder" / "a")), roots=(root,))


# What it costs to have it


def test_nothing_for_the_network_is_imported_before_it_is_used(child: Callable[..., Any]) -> None:
    code = """
        import urlschemes_access.client
        print(json.dumps(sorted({"socket", "ssl", "asyncio"} & set(sys.modules))))
        """
    assert child(code) == []


# Errors as errors.py promises


def test_no_error_shows_a_password_or_breaks_its_line(serve: Serve) -> None:
    port = serve(until_gone)
    url = TalkURL.parse(f"x-talk://me:hunter22@127.0.0.1:{port}/")
    with pytest.raises(DeadlineExceeded) as late:
        run(fetch(port), url=url).read()
    text = str(late.value)
    assert "hunter22" not in text
    assert text.isprintable()
    assert text.isascii()
    assert len(text) <= 300


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("policy", "interactive", "policy must be a Policy, such as .*, not str"),
        ("credentials", Credentials("joe", "secret"), "credentials must be a function, not Credentials"),
        ("ask", ("yes",), "ask must be a function, not tuple"),
        ("trace", [], "trace must be a function, not list"),
    ],
)
def test_terms_of_another_type_are_named_before_anything_happens(name: str, given: object, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        Client(**cast("Any", {name: given}))


def test_a_password_that_the_other_side_repeats_is_not_among_the_attributes() -> None:
    url = TalkURL.parse("x-talk://joe:hunter2@127.0.0.1:7/")

    def algorithm() -> Algorithm[None]:
        yield from Open("attributes", Attributes(name="a", fields={"reply": "226 stored hunter2", "other": "226 ok"}))

    assert run(algorithm(), url=url).fields == {"reply": "226 stored ***", "other": "226 ok"}
