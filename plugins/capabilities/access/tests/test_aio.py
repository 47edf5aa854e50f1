"""Operations on an event loop: what they share with those that block, and what only a loop can do to them.

Which fault becomes which error is shown by test_drive.py, on both drivers.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import socket
import ssl
import sys
import threading
import time
import types
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest
from looped import Looped

from urlschemes import Registry, Scheme
from urlschemes.errors import PluginContractError, URLError
from urlschemes.scheme.registration import Registration
from urlschemes.url.value import InternetURL
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.backends import blocking as drive
from urlschemes_access.backends import event_loop
from urlschemes_access.backends.loop_sockets import LoopSocket
from urlschemes_access.backends.loop_threads import in_thread
from urlschemes_access.client import AsyncClient, Client
from urlschemes_access.credentials import Credentials, Form, Question
from urlschemes_access.dialogue import Dialogue
from urlschemes_access.errors import AccessError, DeadlineExceeded, InputRequired, PolicyDenied, RemoteError, Truncated
from urlschemes_access.policy import Limits, Policy
from urlschemes_access.protocol import (
    Algorithm,
    Ask,
    Authenticate,
    Close,
    Connect,
    ConnectBack,
    Deliver,
    Keep,
    ListFolder,
    Open,
    OpenFile,
    Pull,
    Reader,
    Ready,
    Receive,
    Send,
    StartTLS,
)
from urlschemes_access.resources.synchronous import Document, Session
from urlschemes_access.resources.asynchronous import AsyncDocument, AsyncListing, AsyncSession
from urlschemes_access.resources.asynchronous import run as opened

T = TypeVar("T")

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
operations = ["access", "find attributes", "replace", "update", "delete", "open session"]
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
QUICK = Limits(deadline=5, connect=1, first_octet=1, idle=1)
POLICY = Policy(networks=("127.0.0.0/8",), limits=QUICK)
PATIENT = replace(POLICY, limits=Limits())
CERTIFICATE = Path(__file__).parent / "tls" / "host.example.pem"  # self-signed, with its key, for tests only


class TalkURL(InternetURL, registration=TALK):
    pass


URL = TalkURL.parse("x-talk://127.0.0.1/")
Talk = Callable[[socket.socket], None]
Serve = Callable[[Talk], int]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server that lets `talk` have each connection; when the test ends, every client must have gone."""
    listeners: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def attend(connection: socket.socket, talk: Talk) -> None:
        connection.settimeout(10)
        with connection, suppress(OSError):
            talk(connection)

    def accept(listener: socket.socket, talk: Talk) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threads.append(threading.Thread(target=attend, args=(connection, talk)))
            threads[-1].start()

    def start(talk: Talk) -> int:
        listener = socket.create_server(("127.0.0.1", 0), backlog=200)
        listeners.append(listener)
        threads.append(threading.Thread(target=accept, args=(listener, talk)))
        threads[-1].start()
        return int(listener.getsockname()[1])

    yield start
    for listener in listeners:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """No test leaves a descriptor or a thread behind, nor a warning (which is an error in all tests)."""
    gc.collect()
    before, threads = descriptors(), threading.active_count()
    yield
    gc.collect()
    assert eventually(lambda: descriptors() <= before)
    assert eventually(lambda: threading.active_count() <= threads)


def descriptors() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def run(what: Awaitable[T]) -> T:
    """Run it on a loop of its own. Nothing may be logged by the loop, nor be left to it when `what` is over."""
    faults: list[dict[str, Any]] = []

    async def watched() -> T:
        asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
        try:
            return await what
        finally:
            assert asyncio.all_tasks() == {asyncio.current_task()}

    try:
        return asyncio.run(watched(), debug=True)
    finally:
        assert not faults


def eventually(what: Callable[[], bool]) -> bool:
    """Whether it comes true: a server, or a thread, hears of something a little later."""
    until = time.monotonic() + 5
    while not what() and time.monotonic() < until:
        time.sleep(0.01)
    return what()


def until_gone(connection: socket.socket) -> None:
    while connection.recv(65536):
        pass


def flood(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"x" * 65536)


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AsyncClient]:
    """Registers x-talk with algorithms, by the names of its operations; gives the operations of that registry."""

    def make(**algorithms: Callable[..., Algorithm[None]]) -> AsyncClient:
        module = types.ModuleType("x_talk_algorithms")
        vars(module).update(algorithms)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        registry = Registry(plugins=())
        registry.register(Scheme(TALK, TalkURL, access=module.__name__))
        return AsyncClient(registry=registry)

    return make


async def begun(
    algorithm: Algorithm[None], *, policy: Policy = POLICY, deadline: float | None = None, **settings: Any
) -> Any:
    """Return the resource that `algorithm` opens, without a registry."""
    if deadline is not None:
        policy = replace(policy, limits=replace(policy.limits, deadline=deadline))
    return await opened(Dialogue(algorithm, url=URL, registration=TALK, policy=policy, **settings))


def fetch(port: int, greeting: bytes = b"") -> Algorithm[None]:
    peer = yield from Connect("127.0.0.1", port)
    if greeting:
        yield from Send(peer, greeting)
    yield from Open("document", Attributes(media_type="text/plain", size=3))
    while octets := (yield from Receive(peer, phase="content")):
        yield from Deliver(octets)


# What comes back


def test_the_operations_of_a_registry(serve: Serve, offer: Callable[..., AsyncClient]) -> None:
    def algorithm(url: TalkURL, *, shout: bool = False) -> Algorithm[None]:
        return fetch(url.port, b"HELLO" if shout else b"hello")

    def find_attributes(url: TalkURL) -> Algorithm[None]:
        yield from Close((yield from Connect(url.host, url.port)))
        yield from Open("attributes", Attributes(size=3))

    def send(url: TalkURL) -> Algorithm[None]:
        peer = yield from Connect(url.host, url.port)
        while octets := (yield from Pull()):
            yield from Send(peer, octets)
        yield from Open("attributes", Attributes(name=str((yield from Receive(peer)))))

    def remove(url: TalkURL) -> Algorithm[None]:
        yield from Send((yield from Connect(url.host, url.port)), b"DELE")
        yield from Open("attributes")

    port = serve(lambda connection: connection.sendall(b"you said " + connection.recv(100)))
    talk = offer(access=algorithm, find_attributes=find_attributes, replace=send, update=send, delete=remove)
    url = f"x-talk://127.0.0.1:{port}/"

    async def main() -> None:
        async with await talk.access(url, policy=POLICY) as document:
            assert isinstance(document, AsyncDocument)
            assert (document.media_type, document.size, str(document.url)) == ("text/plain", 3, url)
            assert await document.read() == b"you said hello"
            assert document.terminated is True
        async with await talk.access(TalkURL.parse(url), policy=POLICY, options={"shout": True}) as document:
            assert [octets async for octets in cast("AsyncDocument", document)] == [b"you said HELLO"]
        assert document.closed
        assert await talk.find_attributes(url, policy=POLICY) == Attributes(size=3)
        assert await talk.replace(url, b"new", policy=POLICY) == Attributes(name="b'you said new'")
        assert await talk.update(url, [b"", b"more"], policy=POLICY) == Attributes(name="b'you said more'")
        assert await talk.delete(url, policy=POLICY) == Attributes()
        with pytest.raises(PolicyDenied, match="public Internet"):
            await talk.access(url)
        with pytest.raises(PolicyDenied):
            await talk.operate("access", url)

    run(main())


def test_the_default_registry_has_the_same_operations() -> None:
    async def main() -> None:
        for operation in (AsyncClient().access, AsyncClient().find_attributes, AsyncClient().delete):
            with pytest.raises(URLError, match="no-such"):
                await operation("x-no-such://host.example/")
        for writing in (AsyncClient().replace, AsyncClient().update):
            with pytest.raises(URLError, match="no-such"):
                await writing("x-no-such://host.example/", b"")
        with pytest.raises(URLError, match="no-such"):
            await AsyncClient().operate("access", "x-no-such://host.example/")

    run(main())


def test_the_arguments_are_those_of_the_operations_that_block() -> None:
    there, here = inspect.signature(Client.operate).parameters, inspect.signature(AsyncClient.operate).parameters
    assert [(each.name, each.kind, each.default) for each in here.values()] == [
        (each.name, each.kind, each.default) for each in there.values()
    ]


def test_a_listing_gives_entries_as_they_come() -> None:
    def algorithm() -> Algorithm[None]:
        yield from Open("listing")
        yield from Deliver(Entry(name="a"))
        yield from Deliver(Entry(name="b"))

    async def main() -> None:
        async with await begun(algorithm()) as listing:
            assert isinstance(listing, AsyncListing)
            assert [entry.name async for entry in listing] == ["a", "b"]
            assert [entry async for entry in listing] == []

    run(main())


def test_a_document_is_read_saved_and_decoded_as_one_that_blocks(tmp_path: Path) -> None:
    def algorithm(*pieces: bytes) -> Algorithm[None]:
        yield from Open("document", Attributes(media_type="text/plain;charset=latin-1"))
        for octets in pieces:
            yield from Deliver(octets)

    async def main() -> None:
        document = await begun(algorithm(b"one", b"two", b"three"))
        assert [await document.read(2), await document.read(5), await anext(document)] == [b"on", b"etwot", b"hree"]
        assert await document.read() == b""
        with pytest.raises(AccessError, match="nothing is left"):
            await document.save(tmp_path / "none")
        assert await (await begun(algorithm(b"gr\xfcn"))).read_text() == "grün"
        assert await (await begun(algorithm("grün".encode()))).read_text("utf-8") == "grün"
        assert await (await begun(algorithm(b"one" * 50_000, b"two"))).save(tmp_path / "a") == 150_003
        with pytest.raises(AccessError, match="cannot write"):
            await (await begun(algorithm(b"one"))).save(tmp_path / "no" / "folder")

    run(main())
    assert (tmp_path / "a").read_bytes() == b"one" * 50_000 + b"two"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_what_failed_once_fails_again(serve: Serve, tmp_path: Path) -> None:
    port = serve(lambda connection: connection.sendall(b"half"))

    def algorithm() -> Algorithm[None]:
        yield from fetch(port)
        raise Truncated("it was not the whole")

    async def main() -> None:
        (tmp_path / "old").write_bytes(b"old")
        async with await begun(algorithm()) as document:
            with pytest.raises(Truncated):
                await document.save(tmp_path / "old")
            with pytest.raises(Truncated) as cut:
                await document.read()
            assert cut.value.partial == b""
        with pytest.raises(Truncated):
            await anext(document)

    run(main())
    assert (tmp_path / "old").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_a_file_is_read_listed_and_written_by_threads(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"octets")
    policy = replace(POLICY, roots=(str(tmp_path),), writable=(str(tmp_path),))

    def read() -> Algorithm[None]:
        peer = yield from OpenFile(str(tmp_path / "a"))
        yield from Open("document")
        while octets := (yield from Receive(peer, most=4)):
            yield from Deliver(octets)

    def folder() -> Algorithm[None]:
        facts = yield from ListFolder(str(tmp_path))
        yield from Open("attributes", Attributes(name=" ".join(Path(fact.path).name for fact in facts)))

    def write() -> Algorithm[None]:
        peer = yield from OpenFile(str(tmp_path / "b"), to="replace")
        while octets := (yield from Pull()):
            yield from Send(peer, octets)
        yield from Open("attributes", Attributes(size=(yield from Keep(peer)).size))

    async def main() -> None:
        assert await (await begun(read(), policy=policy)).read() == b"octets"
        assert await begun(write(), policy=policy, content=[b"new", b"er"]) == Attributes(size=5)
        assert await begun(folder(), policy=policy) == Attributes(name="a b")

    run(main())
    assert (tmp_path / "b").read_bytes() == b"newer"


# Two connections, of which the first may speak while the second still does


class TwoConnections:
    """Sends `content` over a data connection; `early` says "done" before that, instead of after it."""

    def __init__(self, content: bytes = b"x" * 300_000, *, early: bool = False, end: bytes = b"done\r\n") -> None:
        self.content, self.early, self.end = content, early, end

    def talk(self, connection: socket.socket) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(1)
            connection.recv(5)
            connection.sendall(b"%d\r\n" % listener.getsockname()[1])
            data, _ = listener.accept()
        with data:
            data.settimeout(5)
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


@pytest.mark.parametrize("early", [False, True])
def test_one_algorithm_for_both_drivers(serve: Serve, early: bool) -> None:
    port = serve(TwoConnections(early=early).talk)
    blocking = drive.run(Dialogue(by_two_connections(port), url=URL, registration=TALK, policy=POLICY))

    async def main() -> bytes:
        return cast("bytes", await (await begun(by_two_connections(port))).read())

    assert cast("Document", blocking).read() == run(main()) == b"x" * 300_000


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
    drips(connection)


def resets(octets: bytes) -> Talk:
    def talk(connection: socket.socket) -> None:
        connection.sendall(octets)
        connection.recv(1)  # of several: what is unread when it closes makes it break off

    return talk


def drips(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"x")
        time.sleep(0.02)


def secured(port: int, host: str = "host.example") -> Algorithm[None]:
    peer = yield from Connect("127.0.0.1", port)
    yield from StartTLS(peer, host)
    yield from Send(peer, b"hello")
    yield from Open("document")
    while octets := (yield from Receive(peer)):
        yield from Deliver(octets)


def under_tls(talk: Talk) -> Talk:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)

    def protected(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as server:
            talk(server)

    return protected


def line(port: int) -> Algorithm[None]:
    reader = Reader((yield from Connect("127.0.0.1", port)))
    yield from reader.line(phase="banner")


def ask(port: int) -> Algorithm[None]:
    return fetch(port, b"ask")


@pytest.mark.parametrize(
    ("talk", "algorithm"),
    [
        (until_gone, fetch),
        (resets(b""), ask),
        (resets(b"half"), ask),
        (says(b"half a line"), line),
        (says(b"x" * 10_000), line),
        (drips, line),
        (drips, fetch),
        (flood, fetch),
        (TwoConnections(end=b"sorry\r\n").talk, by_two_connections),
        (TwoConnections(end=b"").talk, by_two_connections),
        (TwoConnections(end=b"sor").talk, by_two_connections),
        (until_gone, secured),
        (answers(b"220 this is not TLS\r\n"), secured),
        (answers(b""), secured),
        (half_a_record, secured),
        (resets(b""), secured),
        (under_tls(until_gone), lambda port: secured(port, "other.example")),
        (under_tls(until_gone), lambda port: secured(port, ".host.example")),
        (under_tls(until_gone), secured),
        (under_tls(lambda connection: connection.sendall(connection.recv(100))), secured),
        (under_tls(resets(b"half")), secured),
    ],
)
def test_every_fault_is_the_same_error_on_both_drivers(
    serve: Serve, talk: Talk, algorithm: Callable[[int], Algorithm[None]]
) -> None:
    """Its class, its words, what it knows, and what it came from."""
    port = serve(talk)
    limits = Limits(deadline=1, first_octet=0.4, idle=0.4, connect=0.4, content=3_000_000)
    policy, trust = replace(POLICY, limits=limits), ssl.create_default_context(cafile=CERTIFICATE)
    told: list[tuple[Any, ...]] = []
    looped = Looped()
    for start in (drive.run, looped.run):
        with pytest.raises(AccessError) as fault:
            start(Dialogue(algorithm(port), url=URL, registration=TALK, policy=policy, ssl_context=trust)).read()
        known = {name: value for name, value in vars(fault.value).items() if name != "received"}
        cause = fault.value.__cause__
        told.append((type(fault.value), str(fault.value).replace("65536", ""), known, type(cause), str(cause)))
    looped.close()
    assert told[0] == told[1]


# Whoever is asked may take time


def test_what_is_asked_of_the_caller_may_be_awaited(serve: Serve) -> None:
    form = Form("Who are you?", (Question("Ask", "Name"),))
    port = serve(lambda connection: connection.sendall(connection.recv(100)))

    def algorithm() -> Algorithm[None]:
        login = yield from Authenticate("127.0.0.1", port)
        (name,) = yield from Ask(form)
        peer = yield from Connect("127.0.0.1", port)
        yield from Send(peer, f"{login.user if login else None} {name}".encode())
        yield from Open("document")
        yield from Deliver((yield from Receive(peer)) or b"")

    async def credentials(asked: Authenticate) -> Credentials:
        assert asked.port == port
        await asyncio.sleep(0.4)  # a person types: the deadline waits
        return Credentials("me", "secret")

    async def answers(asked: Form) -> tuple[str, ...]:
        await asyncio.sleep(0.4)
        return (asked.questions[0].prompt,)

    async def nobody(_: object) -> None:
        return None

    async def main() -> None:
        terms: dict[str, Any] = {"credentials": credentials, "ask": answers, "deadline": 0.5}
        async with await begun(algorithm(), **terms) as document:
            assert await document.read() == b"me Name"
        terms = {"credentials": lambda _: None, "ask": lambda _: ("plainly",)}
        async with await begun(algorithm(), **terms) as document:
            assert await document.read() == b"None plainly"
        with pytest.raises(InputRequired):
            await begun(algorithm(), ask=nobody)
        with pytest.raises(TypeError, match="1 answers, one for each question, not 2"):
            await begun(algorithm(), credentials=nobody, ask=lambda _: ("one", "two"))

    run(main())


def test_content_may_come_asynchronously(serve: Serve) -> None:
    got: list[bytes] = []

    def talk(connection: socket.socket) -> None:
        octets = b""
        while more := connection.recv(65536):
            octets += more
        got.append(octets)

    port = serve(talk)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        while octets := (yield from Pull()):
            yield from Send(peer, octets)
        yield from Open("attributes")

    async def content() -> AsyncIterator[bytes]:
        for octets in (b"one", b"", b"x" * 1_000_000):
            await asyncio.sleep(0.3)
            yield octets

    async def words() -> AsyncIterator[Any]:
        yield "text"

    async def main() -> None:
        await begun(algorithm(), content=content(), deadline=0.5)
        await begun(algorithm(), content=bytearray(b"at once"))
        with pytest.raises(TypeError, match="content must be bytes or an iterable of bytes, got a piece of str"):
            await begun(algorithm(), content=words())

    run(main())
    assert eventually(lambda: sorted(got) == [b"", b"at once", b"one" + b"x" * 1_000_000])


def test_the_callers_own_pauses_do_not_count(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        for _ in range(4):
            connection.sendall(b"x")
            time.sleep(0.05)

    port = serve(talk)

    async def main() -> None:
        pieces = []
        async for octets in await begun(fetch(port), deadline=0.5):
            pieces.append(octets)
            await asyncio.sleep(0.3)
        assert b"".join(pieces) == b"xxxx"

    run(main())


# Sessions


class Shell(Session):
    def __init__(self, *made: Any) -> None:
        super().__init__(*made)
        self.said = 0

    def say(self, octets: bytes, *, within: float | None = None) -> bytes:
        self.said += 1
        return self.run_algorithm(self._saying(octets, within))

    def tell(self, octets: bytes) -> None:
        self.run_algorithm(self._saying(octets, None))

    def say_twice(self) -> bytes:
        return self.say(b"one") + self.say(b"two")

    def _saying(self, octets: bytes, within: float | None) -> Algorithm[bytes]:
        yield from Send(self.peer, octets)
        return (yield from Receive(self.peer, within=within)) or b""


def shell(port: int) -> Algorithm[None]:
    peer = yield from Connect("127.0.0.1", port)
    yield from Open("session", session=Shell, peer=peer)
    yield from Send(peer, b"bye")


def echo(heard: list[bytes]) -> Talk:
    def talk(connection: socket.socket) -> None:
        while octets := connection.recv(100):
            heard.append(octets)
            if octets != b"silence":
                connection.sendall(octets)

    return talk


def test_the_methods_of_a_session_are_called_on_the_loop(serve: Serve, offer: Callable[..., AsyncClient]) -> None:
    heard: list[bytes] = []
    port = serve(echo(heard))
    talk = offer(open_session=lambda url: shell(url.port))

    async def main() -> None:
        url = f"x-talk://127.0.0.1:{port}/"
        async with await talk.operate("open session", url, policy=POLICY, deadline=0.5) as session:  # type: ignore[union-attr]
            assert isinstance(session, AsyncSession)
            for _ in range(3):
                assert await session.call(Shell.say, b"hello") == b"hello"
                await asyncio.sleep(0.25)
            assert await session.call(Shell.say, b"silence", within=0.05) == b""
            assert await session.call(Shell.tell, b"listen") is None
            assert await session.call(lambda each: each.said) == 4
            assert await session.call(lambda each: each.say(b"lambda")) == b"lambda"
        with pytest.raises(AccessError, match="this session is closed"):
            await session.call(Shell.say, b"more")
        await session.aclose()

    run(main())
    assert eventually(lambda: heard == [b"hello"] * 3 + [b"silence", b"listen", b"lambda", b"bye"])


def test_a_method_runs_one_algorithm(serve: Serve) -> None:
    heard: list[bytes] = []
    port = serve(echo(heard))
    kept: list[Shell] = []

    async def main() -> None:
        async with await begun(shell(port)) as session:
            with pytest.raises(PluginContractError, match="may run only one algorithm"):
                await session.call(Shell.say_twice)
            await session.call(kept.append)
            with pytest.raises(AccessError, match="belongs to an event loop") as fault:
                kept[0].say(b"directly")
            assert fault.value.hint is not None
            assert await session.call(Shell.say, b"still there") == b"still there"
            with pytest.raises(AccessError, match="belongs to an event loop"):
                kept[0].close()

    run(main())
    kept.clear()
    assert eventually(lambda: heard == [b"still there", b"bye"])


def test_a_session_left_by_an_exception_says_nothing_more(serve: Serve) -> None:
    heard: list[bytes] = []
    port = serve(echo(heard))

    async def main() -> None:
        session = await begun(shell(port))
        with suppress(KeyError):
            async with session:
                await session.call(Shell.say, b"hello")
                raise KeyError
        assert session.closed

    run(main())
    assert heard == [b"hello"]


# Several tasks


def test_many_at_once(serve: Serve) -> None:
    port = serve(lambda connection: connection.sendall(b"you said " + connection.recv(100)))

    async def one(number: int) -> bytes:
        async with await begun(fetch(port, b"%d" % number)) as document:
            return cast("bytes", await document.read())

    async def main() -> list[bytes]:
        return await asyncio.gather(*map(one, range(100)))

    assert run(main()) == [b"you said %d" % number for number in range(100)]


def test_an_access_that_never_waits_lets_the_others_have_their_turn(serve: Serve) -> None:
    def endless() -> Algorithm[None]:
        yield from Open("listing")
        while True:
            yield from Deliver(Entry(name="again"))

    port = serve(flood)

    async def consume(resource: Any) -> None:
        async for _ in resource:
            pass

    async def main() -> None:
        policy = replace(POLICY, limits=Limits(entries=10**9))
        for algorithm in (endless(), fetch(port)):
            async with await begun(algorithm, policy=policy) as resource:
                task = asyncio.create_task(consume(resource))
                for _ in range(20):
                    await asyncio.sleep(0)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task

    run(main())


def test_a_document_is_not_read_by_two_tasks_at_once(serve: Serve) -> None:
    port = serve(until_gone)

    async def main() -> None:
        document = await begun(fetch(port), policy=PATIENT)
        reading = asyncio.create_task(document.read())
        await asyncio.sleep(0.05)
        with pytest.raises(AccessError, match="busy"):
            await document.read()
        await document.aclose()
        with pytest.raises(AccessError, match=r"busy|closed while it was running"):
            await reading

    run(main())


@pytest.mark.parametrize("secure", [False, True])
@pytest.mark.parametrize("way", ["one", "several"])
def test_closed_while_another_task_waits_for_it(serve: Serve, secure: bool, way: str) -> None:
    """The task hears of it at once; otherwise this would last for as long as the test may."""

    def waiting(connection: socket.socket) -> None:
        connection.sendall(b"x")
        until_gone(connection)

    port = serve(under_tls(waiting) if secure else waiting)

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

    long = replace(POLICY, limits=Limits(deadline=1000, first_octet=1000, idle=1000))

    async def main() -> None:
        document = await begun(waits(), policy=long, ssl_context=ssl.create_default_context(cafile=CERTIFICATE))
        reading = asyncio.create_task(document.read())
        await asyncio.sleep(0.05)
        await document.aclose()
        with pytest.raises(AccessError, match="closed while it was running"):
            await reading

    run(main())


def test_a_resource_dropped_unread_closes_itself(serve: Serve) -> None:
    gone = threading.Event()

    def talk(connection: socket.socket) -> None:
        try:
            flood(connection)
        finally:
            gone.set()

    port = serve(talk)

    async def main() -> None:
        document = await begun(fetch(port))
        await anext(document)
        del document
        assert await asyncio.to_thread(gone.wait, 5)

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


# Cancelled


def every_dialogue(serve: Serve, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[Any, ...]]:
    """Good dialogues, by what they show: how to begin, what comes, and what else they are told."""
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(socket.AF_INET, 1, 6, "", ("127.0.0.1", 0))])
    (folder / "a").write_bytes(b"octets")
    writing = replace(PATIENT, roots=(str(folder),), writable=(str(folder),))

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
        while octets := (yield from Pull()):
            yield from Send(peer, octets)
        yield from Keep(peer)
        yield from Open("document")

    async def content() -> AsyncIterator[bytes]:
        yield b"octets"

    def datagrams() -> Algorithm[None]:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
            server.bind(("127.0.0.1", 0))
            server.settimeout(5)
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

    tls = serve(under_tls(answer))
    trust = ssl.create_default_context(cafile=CERTIFICATE)
    return {
        "one connection": (lambda: fetch(hello, b"hello"), b"hello", {}),
        "a name": (lambda: by_name(hello), b"hello", {}),
        "two connections": (lambda: by_two_connections(two), b"x" * 3_000, {}),
        "TLS": (lambda: secured(tls), b"hello", {"ssl_context": trust}),
        "a file": (file, b"octets", {"policy": writing}),
        "a file written": (written, b"", {"policy": writing, "content": content}),
        "datagrams": (datagrams, b"octets", {}),
    }


DIALOGUES = ["one connection", "a name", "two connections", "TLS", "a file", "a file written", "datagrams"]


@pytest.mark.parametrize("moment", ["before", "within"])
@pytest.mark.parametrize("what", DIALOGUES)
def test_cancelled_at_any_step_it_closes_everything_at_once(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, moment: str
) -> None:
    """B50: at every step of a good dialogue, no socket is open any more when CancelledError comes out.

    Nor is a file, as `nothing_left` shows, once the thread that was busy with it is through.
    """
    algorithm, expected, more = every_dialogue(serve, tmp_path, monkeypatch)[what]
    made: list[LoopSocket] = []
    make = LoopSocket.__init__

    def remember(self: LoopSocket, made_of: Any) -> None:
        made.append(self)
        make(self, made_of)

    monkeypatch.setattr(LoopSocket, "__init__", remember)
    perform = event_loop.perform
    count = 0
    last = 0

    async def performed(step: Any) -> Any:
        nonlocal count
        count += 1
        task = asyncio.current_task()
        assert task is not None
        if count == last and moment == "before":
            task.cancel()
            await asyncio.sleep(0)
        elif count == last:
            asyncio.get_running_loop().call_soon(task.cancel)
        return await perform(step)

    monkeypatch.setattr(event_loop, "perform", performed)

    async def whole() -> bytes:
        nonlocal count
        count = 0
        terms = {**more, "content": more["content"]()} if "content" in more else more
        async with await begun(algorithm(), **{"policy": PATIENT, **terms}) as document:
            return cast("bytes", await document.read())

    async def cancelled() -> bool:
        task = asyncio.create_task(whole())
        await asyncio.wait([task])
        assert all(each.fileno() == -1 for each in made)
        if task.cancelled():
            return True
        assert task.result() == expected
        return False

    assert run(whole()) == expected
    steps = count
    assert steps >= 3
    for number in range(1, steps + 1):
        last = number
        stopped = run(cancelled())
        assert stopped or moment == "within"  # where a step need not wait, it may all be over before
    assert eventually(lambda: [path.name for path in tmp_path.iterdir()] == ["a"])


def test_cancelling_runs_the_finally_blocks_and_is_not_lost_in_a_plugins_mistake(serve: Serve) -> None:
    port = serve(until_gone)
    ended: list[str] = []

    def mistaken() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        try:
            yield from Receive(peer)
        finally:
            ended.append("mistaken")
            raise KeyError

    def talkative() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        try:
            yield from Receive(peer)
        finally:
            ended.append("talkative")
            yield from Send(peer, b"wait, I am not done")

    async def main() -> None:
        for algorithm in (by_two_connections(port, ended), mistaken(), talkative()):
            task = asyncio.create_task(begun(algorithm, policy=PATIENT))
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    run(main())
    assert ended == ["ended", "mistaken", "talkative"]


def test_what_was_cancelled_is_not_taken_for_the_whole(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"half")
        until_gone(connection)

    port = serve(talk)

    async def main() -> None:
        document = await begun(fetch(port), policy=PATIENT)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await document.read()
        for _ in range(2):
            with pytest.raises(AccessError, match="reading this document was cancelled"):
                await document.read()
        assert document.terminated is None

    run(main())


def test_a_call_of_a_session_that_is_cancelled_ends_the_session(serve: Serve) -> None:
    port = serve(echo([]))

    async def main() -> None:
        session = await begun(shell(port), policy=PATIENT)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await session.call(Shell.say, b"silence")
        with pytest.raises(AccessError, match="closed"):
            await session.call(Shell.say, b"more")
        await session.aclose()

    run(main())


def test_a_save_that_is_cancelled_leaves_the_old_file(serve: Serve, tmp_path: Path) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"half")
        until_gone(connection)

    port = serve(talk)
    target = tmp_path / "saved"
    target.write_text("old")

    async def main() -> None:
        document = await begun(fetch(port), policy=PATIENT)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await document.save(target)

    run(main())
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]


# Threads


@contextmanager
def slow_resolver(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A resolver that hangs until the block is left."""
    let_go = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: let_go.wait(10) and [])
    try:
        yield
    finally:
        let_go.set()


def named() -> Algorithm[None]:
    yield from Connect("slow.example", 7)


def test_a_resolver_that_hangs_holds_up_neither_the_loop_nor_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        task = asyncio.create_task(begun(named(), policy=PATIENT))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(DeadlineExceeded) as late:
            await begun(named(), policy=replace(POLICY, limits=Limits(resolve=0.05)))
        assert late.value.phase == "resolve"

    with slow_resolver(monkeypatch):
        run(main())  # which returns while both still hang
        stuck = [thread for thread in threading.enumerate() if thread.name == "urlschemes resolver"]
        assert len(stuck) == 2
        assert all(thread.daemon for thread in stuck)


def is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def test_a_file_is_not_closed_under_the_thread_that_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number might be another file's by then: the octets of a stranger."""
    (tmp_path / "a").write_bytes(b"octets")
    policy = replace(PATIENT, roots=(str(tmp_path),))
    reading, let_go = threading.Event(), threading.Event()
    numbers: list[int] = []
    read = os.read

    def slowly(descriptor: int, most: int) -> bytes:
        numbers.append(descriptor)
        reading.set()
        let_go.wait(10)
        return read(descriptor, most)

    def algorithm() -> Algorithm[None]:
        peer = yield from OpenFile(str(tmp_path / "a"))
        yield from Open("document")
        yield from Deliver((yield from Receive(peer)) or b"")

    async def main() -> None:
        document = await begun(algorithm(), policy=policy)
        with monkeypatch.context() as patch:
            patch.setattr(os, "read", slowly)
            task = asyncio.create_task(document.read())
            await asyncio.to_thread(reading.wait, 5)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert is_open(numbers[0])
        let_go.set()

    run(main())
    assert eventually(lambda: not is_open(numbers[0]))


def test_what_comes_too_late_is_undone() -> None:
    undone: list[str] = []
    let_go = threading.Event()

    def work() -> str:
        let_go.wait(5)
        return "late"

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await in_thread(work, undo=undone.append, timeout=0.01)
        task = asyncio.create_task(in_thread(lambda: "done before", undo=undone.append))
        await asyncio.sleep(0)
        time.sleep(0.2)  # noqa: ASYNC251  the thread is through, and the loop has not heard of it
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert undone == ["done before"]
        with pytest.raises(ZeroDivisionError):
            await in_thread(lambda: 1 // 0, undo=undone.append)
        task = asyncio.create_task(in_thread(work, undo=undone.append))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())
    let_go.set()
    assert eventually(lambda: undone == ["done before", "late", "late"])


def test_a_system_without_more_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def main() -> None:
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", refuse)
            with pytest.raises(AccessError, match="can't start new thread"):
                await begun(named())

    run(main())
