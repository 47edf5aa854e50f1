"""The same dialogues and algorithms on an event loop: only what performs the steps is another."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest

from urlschemes import steps
from urlschemes.dialogue import Dialogue
from urlschemes.drive import run
from urlschemes.files import perform_on_files
from urlschemes.errors import ConnectError, DeadlineExceeded, RemoteError
from urlschemes.policy import Limits, Policy
from urlschemes.registration import Registration
from urlschemes.resource import Attributes, Entry
from urlschemes.terms import Terms
from urlschemes.url import InternetURL
from urlschemes.wire import (
    Algorithm,
    Close,
    Connect,
    ConnectBack,
    Deliver,
    Open,
    OpenFile,
    Reader,
    Ready,
    Receive,
    Send,
)

T = TypeVar("T")

# The backend: every step, on asyncio.


class LoopSocket:
    def __init__(self, made: socket.socket) -> None:
        self.socket = made

    def address(self) -> tuple[str, int]:
        host, port = self.socket.getpeername()[:2]
        return host, port

    def fileno(self) -> int:
        return self.socket.fileno()

    def close(self) -> None:
        self.socket.close()


async def perform(step: steps.Step) -> Any:
    loop = asyncio.get_running_loop()
    match step:
        case steps.Resolve():
            answer: asyncio.Future[list[Any]] = loop.create_future()

            def ask() -> None:
                found = socket.getaddrinfo(step.host, step.port, type=socket.SOCK_STREAM)
                loop.call_soon_threadsafe(answer.set_result, [each[4][0] for each in found])

            threading.Thread(target=ask, daemon=True).start()
            return await asyncio.wait_for(answer, step.timeout)
        case steps.Dial():
            kind = socket.SOCK_DGRAM if step.transport == "udp" else socket.SOCK_STREAM
            made = socket.socket(socket.AF_INET6 if ":" in step.address else socket.AF_INET, kind)
            try:
                made.setblocking(False)
                await asyncio.wait_for(loop.sock_connect(made, (step.address, step.port)), step.timeout)
            except BaseException:
                made.close()
                raise
            return LoopSocket(made)
        case steps.Write():
            sending = loop.sock_sendall(sock(step.channel), step.octets)
            await asyncio.wait_for(sending, step.timeout)
            return len(step.octets)
        case steps.Read(channel=LoopSocket()):
            return await asyncio.wait_for(loop.sock_recv(sock(step.channel), step.most), step.timeout)
        case steps.Read():
            return await asyncio.to_thread(os.read, cast("Any", step.channel).descriptor, step.most)
        case steps.Wait():
            with suppress(TimeoutError):
                return await asyncio.wait_for(first_ready([sock(channel) for channel in step.channels]), step.timeout)
            return None
        case steps.OpenFile() | steps.Examine() | steps.ListFolder():
            return await asyncio.to_thread(perform_on_files, step)
        case steps.Secure():
            raise NotImplementedError  # nothing here asks for TLS


async def first_ready(sockets: list[socket.socket]) -> int:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[int] = loop.create_future()

    def is_ready(index: int) -> None:
        if not ready.done():
            ready.set_result(index)

    for index, each in enumerate(sockets):
        loop.add_reader(each, is_ready, index)
    try:
        return await ready
    finally:
        for each in sockets:
            loop.remove_reader(each)


def sock(channel: steps.Channel) -> socket.socket:
    return cast("LoopSocket", channel).socket


async def perform_all(what: steps.Steps[T]) -> T:
    try:
        step = next(what)
        while True:
            try:
                answer = await perform(step)
            except Exception as fault:  # noqa: BLE001  the dialogue decides what it means
                step = what.throw(fault)
            else:
                step = what.send(answer)
    except StopIteration as end:
        return cast("T", end.value)
    finally:
        what.close()


async def pieces(dialogue: Dialogue) -> AsyncIterator[bytes | Entry]:
    await perform_all(dialogue.open())
    try:
        while (piece := await perform_all(dialogue.pull())) is not None:
            yield piece
    finally:
        dialogue.close()


# An algorithm that knows nothing of all this: a control connection, a data connection, and an answer that may come
# early.

TALK = Registration.from_text(
    """
api = 1
scheme = "x-talk"
status = "experimental"
title = "A protocol for tests"
reference = "none"
contact = "nobody"
change_controller = "nobody"
default_port = 7
operations = ["access"]
encoding_considerations = "none"
interoperability_considerations = "none"
security_considerations = "none"
[syntax]
rule = "talkurl"
bnf = '''
talkurl = "x-talk://" hostport "/"
'''
[syntax.parts]
host = { at = "host" }
port = { at = "port", number = true }
"""
)
POLICY = Policy(networks=("127.0.0.0/8",), limits=Limits(deadline=2, connect=0.3, first_octet=0.3, idle=0.3))


class TalkURL(InternetURL, registration=TALK):
    pass


def access(url: TalkURL) -> Algorithm[None]:
    control = yield from Connect(url.host, url.port or 0, label="control")
    replies = Reader(control)
    yield from Send(control, b"GET\r\n")
    port = int((yield from replies.line(phase="port")) or b"")
    data = yield from ConnectBack(control, port)
    yield from Open("document", Attributes(media_type="text/plain"))
    ended = None
    while True:
        if ended is None and (yield from Ready([data, control])) is control:
            ended = yield from replies.line()
            continue
        octets = yield from Receive(data, phase="data")
        if not octets:
            break
        yield from Deliver(octets)
    yield from Close(data)
    if (ended or (yield from replies.line(phase="end"))) != b"done":
        raise RemoteError("it was not done")


class Server:
    """Sends `content` in pieces over a data connection; `early` says "done" before them."""

    def __init__(self, content: bytes = b"x" * 300_000, *, early: bool = False, end: bytes = b"done\r\n") -> None:
        self.content, self.early, self.end = content, early, end
        self.control = socket.create_server(("127.0.0.1", 0))
        self.data = socket.create_server(("127.0.0.1", 0))
        for listener in (self.control, self.data):
            listener.settimeout(5)
        self.client_left = threading.Event()
        self.thread = threading.Thread(target=self.talk)

    def talk(self) -> None:
        connection, _ = self.control.accept()
        with connection:
            connection.settimeout(5)
            connection.recv(5)
            connection.sendall(b"%d\r\n" % self.data.getsockname()[1])
            data, _ = self.data.accept()
            with data:
                if self.early:
                    connection.sendall(self.end)
                data.sendall(self.content)
            if not self.early:
                connection.sendall(self.end)
            with suppress(OSError):
                connection.recv(1)
        self.client_left.set()

    def __enter__(self) -> TalkURL:
        self.thread.start()
        return TalkURL.parse(f"x-talk://127.0.0.1:{self.control.getsockname()[1]}/")

    def __exit__(self, *_: object) -> None:
        self.thread.join(10)
        self.control.close()
        self.data.close()
        assert self.client_left.is_set()


def dialogue(
    url: TalkURL, algorithm: Callable[[TalkURL], Algorithm[None]] = access, policy: Policy = POLICY
) -> Dialogue:
    return Dialogue(algorithm(url), url=url, registration=TALK, terms=Terms(policy=policy))


async def gathered(of: Dialogue) -> bytes:
    return b"".join([piece async for piece in pieces(of) if isinstance(piece, bytes)])


@pytest.mark.parametrize("early", [False, True])
def test_an_unchanged_algorithm_on_both_drivers(early: bool) -> None:
    with Server(early=early) as url:
        here = run(dialogue(url))
        blocking = b"".join(cast("Any", here))
    with Server(early=early) as url:
        looped = asyncio.run(gathered(dialogue(url)))
    assert blocking == looped == b"x" * 300_000


def test_errors_are_the_same_on_the_loop() -> None:
    with Server(end=b"sorry\r\n") as url, pytest.raises(RemoteError, match="it was not done"):
        asyncio.run(gathered(dialogue(url)))
    with Server(end=b"") as url, pytest.raises(DeadlineExceeded) as late:
        asyncio.run(gathered(dialogue(url)))
    assert late.value.phase == "end"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = TalkURL.parse(f"x-talk://127.0.0.1:{taken.getsockname()[1]}/")
    with pytest.raises(ConnectError, match="cannot connect"):
        asyncio.run(gathered(dialogue(url)))


def test_many_at_once_in_one_thread() -> None:
    servers = [Server(content=b"%d" % number) for number in range(8)]
    urls = [server.__enter__() for server in servers]

    async def together() -> list[bytes]:
        return await asyncio.gather(*(gathered(dialogue(url)) for url in urls))

    try:
        assert asyncio.run(together()) == [b"%d" % number for number in range(8)]
    finally:
        for server in servers:
            server.__exit__()


def test_cancelling_closes_the_connections_at_once() -> None:
    """The server sees the client go: its own wait ends, and the `with` block asserts that it did."""
    limits = Limits()
    with Server(end=b"") as url:

        async def cancelled() -> None:
            task = asyncio.create_task(gathered(dialogue(url, policy=replace(POLICY, limits=limits))))
            await asyncio.sleep(0.2)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(cancelled())


def test_names_are_resolved_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(socket.AF_INET, 1, 6, "", ("127.0.0.1", 0))])
    with Server(content=b"found") as url:
        named = TalkURL.parse(f"x-talk://server.example:{url.port}/")
        assert asyncio.run(gathered(dialogue(named))) == b"found"


def test_files_are_read_by_a_thread(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"octets")

    def algorithm(_: TalkURL) -> Algorithm[None]:
        peer = yield from OpenFile(str(tmp_path / "a"))
        yield from Open("document")
        while octets := (yield from Receive(peer, most=4)):
            yield from Deliver(octets)

    policy = replace(POLICY, roots=(str(tmp_path),))
    url = TalkURL.parse("x-talk://127.0.0.1/")
    assert asyncio.run(gathered(dialogue(url, algorithm, policy))) == b"octets"
