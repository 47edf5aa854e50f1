"""The backend for event loops: several tasks, cancellation, and the same errors as the blocking backend."""

from __future__ import annotations

import asyncio
import gc
import select
import socket
import ssl
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from event_loop_helpers import URL, begun, run
from event_loop_runner import EventLoopRunner
from fake_servers import PATIENCE, Serve, Talk, drip, eventually, flood, tls, trusting, until_gone
from stepping import Steps
from talk_scheme import LOOPBACK, Clock, dialogue, fetch

from urlschemes_access.attributes import Attributes
from urlschemes_access.backends import event_loop
from urlschemes_access.backends.blocking import BlockingBackend
from urlschemes_access.backends.event_loop import LoopBackend
from urlschemes_access.backends.loop_sockets import LoopSocket
from urlschemes_access.backends.sockets import Socket
from urlschemes_access.credentials import Credentials, Form, Question
from urlschemes_access.dialogue import Dialogue
from urlschemes_access.errors import AccessError, InputRequired, RemoteError
from urlschemes_access.policy import Limits
from urlschemes_access.protocol import (
    Algorithm,
    Ask,
    Authenticate,
    Close,
    Connect,
    ConnectBack,
    Deliver,
    Follow,
    Keep,
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
from urlschemes_access.resources import synchronous
from urlschemes_access.resources.asynchronous import run as opened
from urlschemes_access.resources.synchronous import Document
from urlschemes_testing.replay.observing import observed

pytestmark = pytest.mark.usefixtures("nothing_left_open", "no_thread_left")


class TwoConnections:
    """A server that sends `content` over a data connection, and `end` after it, or before it if `early`."""

    def __init__(self, content: bytes = b"x" * 300_000, *, early: bool = False, end: bytes = b"done\r\n") -> None:
        self.content, self.early, self.end = content, early, end

    def talk(self, connection: socket.socket) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            connection.recv(5)
            connection.sendall(b"%d\r\n" % listener.getsockname()[1])
            if listener not in select.select([listener, connection], [], [])[0]:
                return  # the client is gone
            data, _ = listener.accept()
        with data:
            data.settimeout(PATIENCE)
            if self.early:
                connection.sendall(self.end)
            data.sendall(self.content)
        if not self.early:
            connection.sendall(self.end)
        until_gone(connection)


def by_two_connections(port: int, ended: list[str] | None = None) -> Algorithm[None]:
    control = yield from Connect("127.0.0.1", port, label="control")
    replies = Reader(control)
    try:
        yield from Send(control, b"GET\r\n")
        to = int((yield from replies.line(phase="port")) or b"")
        data = yield from ConnectBack(control, to)
        yield from Open("document", Attributes(media_type="text/plain"))
        done = None
        while True:
            if done is None and (yield from Ready([data, control])) is control:
                done = yield from replies.line()
                continue
            octets = yield from Receive(data, phase="data")
            if not octets:
                break
            yield from Deliver(octets)
        yield from Close(data)
        if (done or (yield from replies.line(phase="end"))) != b"done":
            raise RemoteError("it was not done")
    finally:
        if ended is not None:
            ended.append("ended")
        yield from Close(control)


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("early", [False, True])
def test_two_connections_that_may_be_heard_in_either_order(serve: Serve, early: bool) -> None:
    port = serve(TwoConnections(early=early).talk)
    made = dialogue(by_two_connections(port), URL)
    assert cast("Document", synchronous.run(made)).read() == b"x" * 300_000


def says(octets: bytes) -> Talk:
    return lambda connection: connection.sendall(octets)


def answers(octets: bytes) -> Talk:
    def talk(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(octets)

    return talk


def half_a_record(connection: socket.socket) -> None:
    connection.recv(65536)
    connection.sendall(b"\x16\x03\x03\x40\x00")
    drip(connection)


def resets(octets: bytes) -> Talk:
    def talk(connection: socket.socket) -> None:
        connection.sendall(octets)
        connection.recv(1)  # one of several octets: closing with unread octets resets the connection

    return talk


def secured(port: int, host: str = "host.example") -> Algorithm[None]:
    peer = yield from Connect("127.0.0.1", port)
    yield from StartTLS(peer, host)
    yield from Send(peer, b"hello")
    yield from Open("document")
    while octets := (yield from Receive(peer)):
        yield from Deliver(octets)


def line(port: int) -> Algorithm[None]:
    reader = Reader((yield from Connect("127.0.0.1", port)))
    yield from reader.line(phase="banner")


@pytest.mark.parametrize(
    ("talk", "algorithm"),
    [
        (says(b"half a line"), line),
        (says(b"x" * 10_000), line),
        (TwoConnections(end=b"sorry\r\n").talk, by_two_connections),
        (TwoConnections(end=b"").talk, by_two_connections),
        (TwoConnections(end=b"sor").talk, by_two_connections),
        (answers(b""), secured),
        (half_a_record, secured),
        (tls(until_gone), secured),
        (tls(resets(b"half")), secured),
    ],
)
def test_a_fault_is_the_same_error_on_both_backends(
    serve: Serve, talk: Talk, algorithm: Callable[[int], Algorithm[None]]
) -> None:
    """The same class, message, details and cause. The tests of the dialogue cover other faults, on both backends."""
    port = serve(talk)
    limits = Limits(deadline=1, content=3_000_000)
    policy, trust = replace(LOOPBACK, limits=limits), trusting()
    errors: list[tuple[Any, ...]] = []
    runner = EventLoopRunner()
    for run_dialogue in (synchronous.run, runner.run):
        made = dialogue(algorithm(port), URL, policy=policy, ssl_context=trust)
        with pytest.raises(AccessError) as fault:
            run_dialogue(made).read()  # type: ignore[union-attr]
        details = {name: value for name, value in vars(fault.value).items() if name != "received"}
        cause = fault.value.__cause__
        errors.append((type(fault.value), str(fault.value).replace("65536", ""), details, type(cause), str(cause)))
    runner.close()
    assert errors[0] == errors[1]


def test_the_callers_functions_may_be_coroutine_functions(serve: Serve) -> None:
    form = Form("Who are you?", (Question("Ask", "Name"),))
    port = serve(lambda connection: connection.sendall(connection.recv(100)))

    def algorithm() -> Algorithm[None]:
        login = yield from Authenticate("127.0.0.1", port)
        (name,) = yield from Ask(form)
        peer = yield from Connect("127.0.0.1", port)
        yield from Send(peer, f"{login.user if login else None} {name}".encode())
        yield from Open("document")
        yield from Deliver((yield from Receive(peer)) or b"")

    clock = Clock()

    async def credentials(asked: Authenticate) -> Credentials:
        assert asked.port == port
        clock.now += 1001  # the deadline waits while a user types
        return Credentials("me", "secret")

    async def answers(asked: Form) -> tuple[str, ...]:
        clock.now += 1001
        return (asked.questions[0].prompt,)

    async def none(_: object) -> None:
        return None

    async def main() -> None:
        arguments: dict[str, Any] = {"credentials": credentials, "ask": answers, "deadline": 1000, "clock": clock}
        async with await begun(algorithm(), **arguments) as document:
            assert await document.read() == b"me Name"
        arguments = {"credentials": lambda _: None, "ask": lambda _: ("plainly",)}
        async with await begun(algorithm(), **arguments) as document:
            assert await document.read() == b"None plainly"
        with pytest.raises(InputRequired):
            await begun(algorithm(), ask=none)
        with pytest.raises(TypeError, match="one answer for each question: expected 1, got 2"):
            await begun(algorithm(), credentials=none, ask=lambda _: ("one", "two"))

    run(main())


def test_content_may_be_an_asynchronous_iterable(serve: Serve) -> None:
    got: list[bytes] = []

    def talk(connection: socket.socket) -> None:
        octets = b""
        while more := connection.recv(65536):
            octets += more
        got.append(octets)

    port = serve(talk)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        while pieces := (yield from Pull()):
            yield from Send(peer, pieces)
        yield from Open("attributes")

    clock = Clock()

    async def content() -> AsyncIterator[bytes]:
        for octets in (b"one", b"", b"x" * 1_000_000):
            clock.now += 1001
            yield octets

    async def words() -> AsyncIterator[Any]:
        yield "text"

    async def main() -> None:
        await begun(algorithm(), content=content(), deadline=1000, clock=clock)
        await begun(algorithm(), content=bytearray(b"at once"))
        with pytest.raises(TypeError, match="content must be bytes or an iterable of bytes, got a piece of str"):
            await begun(algorithm(), content=words())

    run(main())
    assert eventually(lambda: sorted(got) == [b"", b"at once", b"one" + b"x" * 1_000_000])


def test_many_operations_at_once(serve: Serve) -> None:
    port = serve(lambda connection: connection.sendall(b"you said " + connection.recv(100)))

    async def one(number: int) -> bytes:
        async with await begun(fetch(port, greeting=b"%d" % number), policy=LOOPBACK) as document:
            return cast("bytes", await document.read())

    async def main() -> list[bytes]:
        return await asyncio.gather(*map(one, range(100)))

    assert run(main()) == [b"you said %d" % number for number in range(100)]


def strangers_before(server: socket.socket) -> Algorithm[None]:
    """Receive a datagram before which others come, from an address that was not asked."""
    peer = yield from Connect("127.0.0.1", server.getsockname()[1], transport="udp")
    yield from Send(peer, b"?")
    _, client = server.recvfrom(10)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.bind(("127.0.0.2", 0))
        for _ in range(10):
            stranger.sendto(b"me, too", client)
    server.sendto(b"!", client)
    assert (yield from Receive(peer)) == b"!"


UNWAITING: dict[str, Callable[[Peer, Peer], Generator[Any, Any, object]]] = {
    "Ask": lambda *_: (yield from Ask(Form("Who?", (Question("Ask", "Name"),)))),
    "Authenticate": lambda *_: (yield from Authenticate("127.0.0.1", 7)),
    "Close": lambda *_: (yield from Close(Peer("closed"))),
    "Connect": lambda *_: (yield from Connect("127.0.0.1", 7, transport="udp")),
    "Deliver": lambda *_: (yield from Deliver(b"x")),
    "Follow": lambda *_: (yield from Follow("x-talk://127.0.0.1/")),
    "Pull": lambda *_: (yield from Pull()),
    "Ready": lambda flooding, _: (yield from Ready([flooding])),
    "Receive": lambda flooding, _: (yield from Receive(flooding)),
    "Send": lambda _, draining: (yield from Send(draining, b"x")),
    "Send much": lambda _, draining: (yield from Send(draining, b"x" * 10_000_000)),
    "Unterminated": lambda *_: (yield from Unterminated()),
}


@pytest.mark.parametrize("kind", [*UNWAITING, "Receive among strangers"])
def test_an_operation_that_never_waits_lets_other_tasks_run(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Other tasks run between two requests, functions of the caller or system calls. Here each turn ends at once."""
    turns = 0
    seen: list[int] = []  # the turns at which there were steps
    flooding, draining = serve(flood), serve(until_gone)
    attempt = LoopSocket.attempt

    async def attempted(self: LoopSocket, operation: Callable[[], Any], *rest: Any, **more: Any) -> Any:
        return await attempt(self, lambda: (seen.append(turns), operation())[1], *rest, **more)

    def content() -> Iterator[bytes]:
        while True:
            for octets in (b"", b"", b"", b"x"):
                seen.append(turns)
                yield octets

    def algorithm(server: socket.socket) -> Algorithm[None]:
        peers = (yield from Connect("127.0.0.1", flooding)), (yield from Connect("127.0.0.1", draining))
        yield from Open("document")
        for _ in range(10):
            seen.append(turns)
            yield from UNWAITING[kind](*peers) if kind in UNWAITING else strangers_before(server)

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def main() -> None:
        counting = asyncio.create_task(count())
        settings: dict[str, Any] = {
            "policy": replace(LOOPBACK, limits=Limits(hops=10, connections=20)),
            "credentials": lambda _: (seen.append(turns), Credentials("me", "secret"))[1],
            "ask": lambda _: (seen.append(turns), ("me",))[1],
            "content": content(),
            "redirect": lambda url, _: url,
        }
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
            server.bind(("127.0.0.1", 0))
            async with await begun(algorithm(server), **settings) as document:
                async for _ in document:
                    pass
        counting.cancel()
        await asyncio.wait([counting])

    monkeypatch.setattr(event_loop, "TURN", -1)
    monkeypatch.setattr(LoopSocket, "attempt", attempted)
    run(main())
    assert len(seen) >= 10
    longest = max(Counter(seen).values())
    assert longest == 1


@pytest.mark.parametrize("secure", [False, True])
@pytest.mark.parametrize("way", ["one", "several"])
def test_closing_ends_the_wait_of_another_task(serve: Serve, secure: bool, way: str) -> None:
    """The task is woken at once; otherwise the test would last 1000 seconds."""

    def waiting(connection: socket.socket) -> None:
        connection.sendall(b"x")
        until_gone(connection)

    port = serve(tls(waiting) if secure else waiting)

    def waits() -> Algorithm[None]:
        one = yield from Connect("127.0.0.1", port)
        other = yield from Connect("127.0.0.1", port)
        for peer in (one, other):
            if secure:
                yield from StartTLS(peer, "host.example")
            yield from Receive(peer)
        yield from Open("document")
        if way == "one":
            yield from Receive(one)
        yield from Ready([other, one])

    long = replace(LOOPBACK, limits=Limits(deadline=1000, first_octet=1000, idle=1000))

    async def main() -> None:
        document = await begun(waits(), policy=long, ssl_context=trusting())
        reading = asyncio.create_task(document.read())
        await asyncio.sleep(0.05)
        await document.aclose()
        with pytest.raises(AccessError, match="closed while it was running"):
            await reading

    run(main())


def test_a_loop_that_cannot_watch_sockets(serve: Serve) -> None:
    class Proactor(asyncio.SelectorEventLoop):
        def add_reader(self, *_: Any) -> Any:
            raise NotImplementedError

        def add_writer(self, *_: Any) -> Any:
            raise NotImplementedError

    port = serve(until_gone)

    async def main() -> None:
        with pytest.raises(AccessError, match="Proactor cannot watch sockets") as fault:
            await (await begun(fetch(port))).read()
        assert "SelectorEventLoop" in str(fault.value.hint)

    with asyncio.Runner(loop_factory=Proactor) as runner:
        runner.run(main())


def every_dialogue(serve: Serve, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[Any, ...]]:
    """Return good operations by name: how to make the algorithm, the content, and settings."""
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(socket.AF_INET, 1, 6, "", ("127.0.0.1", 0))])
    (folder / "a").write_bytes(b"octets")
    writing = replace(LOOPBACK, roots=(str(folder),), writable=(str(folder),))

    def by_name(port: int) -> Algorithm[None]:
        peer = yield from Connect("named.example", port)
        yield from Send(peer, b"hello")
        yield from Open("document")
        while octets := (yield from Receive(peer)):
            yield from Deliver(octets)

    def file() -> Algorithm[None]:
        peer = yield from OpenFile(str(folder / "a"))
        yield from Open("document")
        while octets := (yield from Receive(peer, most=2)):
            yield from Deliver(octets)

    def written() -> Algorithm[None]:
        peer = yield from OpenFile(str(folder / "a"), to="replace")
        while pieces := (yield from Pull()):
            yield from Send(peer, pieces)
        yield from Keep(peer)
        yield from Open("document")

    def datagrams() -> Algorithm[None]:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
            server.bind(("127.0.0.1", 0))
            server.settimeout(PATIENCE)
            peer = yield from Connect("127.0.0.1", server.getsockname()[1], transport="udp")
            yield from Send(peer, b"?")
            _, client = server.recvfrom(10)
            server.sendto(b"octets", client)
            yield from Open("document")
            yield from Deliver((yield from Receive(peer)) or b"")

    hello = serve(lambda connection: connection.sendall(connection.recv(100)))
    two = serve(TwoConnections(b"x" * 3_000).talk)

    def answer(server: socket.socket) -> None:
        server.sendall(server.recv(100))
        cast("ssl.SSLSocket", server).unwrap()

    secured_server = serve(tls(answer))
    trust = trusting()
    return {
        "one connection": (lambda: fetch(hello, greeting=b"hello"), b"hello", {}),
        "a name": (lambda: by_name(hello), b"hello", {}),
        "two connections": (lambda: by_two_connections(two), b"x" * 3_000, {}),
        "TLS": (lambda: secured(secured_server), b"hello", {"ssl_context": trust}),
        "a file": (file, b"octets", {"policy": writing}),
        "a file written": (written, b"", {"policy": writing, "content": (b"octets",)}),
        "datagrams": (datagrams, b"octets", {}),
    }


DIALOGUES = ["one connection", "a name", "two connections", "TLS", "a file", "a file written", "datagrams"]


class Broken:
    """Runs an operation on a backend, and breaks it off before await number `steps.last`, and each one after it."""

    def __init__(self, on: str, make: Callable[[], Dialogue], target: Path) -> None:
        self.on, self.make, self.target = on, make, target
        self.steps = Steps(self.interrupt if on == "blocking" else self.cancel)

    async def interrupt(self, _: str) -> None:
        raise KeyboardInterrupt

    async def cancel(self, _: str) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    async def on_loop(self) -> int:
        async with await opened(self.make(), self.steps.of(LoopBackend())) as document:
            return cast("int", await document.save(self.target))

    def outcome(self) -> int | BaseException:
        """Return the octets that were saved, or what broke off the operation."""
        try:
            if self.on == "event loop":
                return run(self.on_loop())
            with cast("Document", synchronous.run(self.make(), self.steps.of(BlockingBackend()))) as document:
                return document.save(self.target)
        except (KeyboardInterrupt, asyncio.CancelledError) as end:
            return end


@pytest.mark.parametrize("on", ["blocking", "event loop"])
@pytest.mark.parametrize("what", DIALOGUES)
def test_an_operation_that_is_broken_off_closes_everything(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, on: str
) -> None:
    """No socket is open when KeyboardInterrupt or CancelledError is raised, whatever was to be awaited.

    Nothing is awaited after that, and the algorithm is only closed. Nor is a file open, as `nothing_left_open` shows,
    once its thread has ended.
    """
    algorithm, expected, more = every_dialogue(serve, tmp_path, monkeypatch)[what]
    made: list[Socket] = []
    make = Socket.__init__

    def remember(self: Socket, made_of: Any) -> None:
        made.append(self)
        make(self, made_of)

    monkeypatch.setattr(Socket, "__init__", remember)

    seen: set[type[BaseException]] = set()

    def noted(_request: object, _answer: object, error: BaseException | None) -> None:
        seen.update([type(error)] if error else [])

    def watched() -> Dialogue:
        return dialogue(observed(algorithm(), after=noted), URL, **more)

    broken = Broken(on, watched, tmp_path / "saved")
    assert broken.outcome() == len(expected)
    assert (tmp_path / "saved").read_bytes() == expected
    (tmp_path / "saved").unlink()
    steps = broken.steps.count
    assert steps >= 9
    for number in range(1, steps + 1):
        broken.steps.last = number
        assert isinstance(broken.outcome(), KeyboardInterrupt | asyncio.CancelledError)
        assert broken.steps.count == number
        assert all(each.fileno() == -1 for each in made)
        gc.collect()  # a coroutine that is not awaited is an error then
        assert eventually(lambda: [path.name for path in tmp_path.iterdir()] == ["a"])
    assert seen == {GeneratorExit}


@pytest.mark.parametrize("what", DIALOGUES)
def test_a_task_cancelled_while_it_waits_closes_everything(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    algorithm, expected, more = every_dialogue(serve, tmp_path, monkeypatch)[what]

    async def cancel_soon(_: str) -> None:
        task = asyncio.current_task()
        assert task is not None
        if steps.count == steps.last:
            asyncio.get_running_loop().call_soon(task.cancel)

    steps = Steps(cancel_soon)

    async def whole() -> bytes:
        async with await opened(dialogue(algorithm(), URL, **more), steps.of(LoopBackend())) as document:
            return cast("bytes", await document.read())

    async def cancelled() -> None:
        task = asyncio.create_task(whole())
        await asyncio.wait([task])
        assert task.cancelled() or task.result() == expected  # an operation that need not wait may end before

    run(cancelled())
    for number in range(1, steps.count + 1):
        steps.last = number
        run(cancelled())
    assert eventually(lambda: [path.name for path in tmp_path.iterdir()] == ["a"])


def test_cancelling_runs_finally_blocks_and_is_not_replaced_by_an_error_of_the_algorithm(serve: Serve) -> None:
    heard = threading.Event()

    def hear(connection: socket.socket) -> None:
        connection.recv(1)
        heard.set()
        until_gone(connection)

    port = serve(hear)
    ended: list[str] = []

    def mistaken() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        try:
            yield from Send(peer, b"?")
            yield from Receive(peer)
        finally:
            ended.append("mistaken")
            raise KeyError

    def talkative() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        try:
            yield from Send(peer, b"?")
            yield from Receive(peer)
        finally:
            ended.append("talkative")
            yield from Send(peer, b"wait, I am not done")

    async def main() -> None:
        for algorithm in (by_two_connections(port, ended), mistaken(), talkative()):
            heard.clear()
            task = asyncio.create_task(begun(algorithm))
            assert await asyncio.to_thread(heard.wait, PATIENCE)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    run(main())
    assert ended == ["ended", "mistaken", "talkative"]
