"""Many accesses at once: their bounds, their results, and what is left when they end early."""

from __future__ import annotations

import asyncio
import gc
import socket
import sys
import threading
import time
import types
from collections import Counter
from collections.abc import Iterator
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

import pytest
from fake_servers import PATIENCE, eventually
from talk_scheme import TALK, TalkURL

from urlschemes import Registry, Scheme
from urlschemes_access import AsyncClient, Policy
from urlschemes_access.errors import AccessError, RemoteError
from urlschemes_access.protocol import Algorithm, Close, Connect, Deliver, Open, Receive, Release, Send
from urlschemes_access.resources.many import Result
from urlschemes_testing.loopback import Loopback


def access(url: TalkURL) -> Algorithm[None]:
    """Send a word, and deliver the answer."""
    peer = yield from Connect(url.host, url.port or 0, reuse="")
    yield from Send(peer, url.line("what"))
    answer = (yield from Receive(peer)) or b""
    if answer == b"no":
        raise RemoteError("the server says no", status=500)
    yield from Open("document")
    yield from Deliver(answer)
    yield from (Release(peer) if peer.keepable else Close(peer))


class Server(Loopback):
    """Answers each word with itself after a moment, `hang` never. `most` is the highest number of words at a time.

    The first answers wait until there have been `together` words at a time.
    """

    def __init__(self) -> None:
        self.connections = 0
        self.together = 1
        self.now: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self._counting = threading.Condition()
        super().__init__(self.answer)

    def answer(self, connection: socket.socket) -> None:
        self.connections += 1
        while word := connection.recv(100):
            host = word.decode()[0]
            self._count(host, 1)
            time.sleep(0.02)
            if word == b"hang":
                connection.recv(1)
            self._count(host, -1)
            connection.sendall(word)

    def _count(self, host: str, change: int) -> None:
        with self._counting:
            for key in (host, "all"):
                self.now[key] += change
                self.most[key] = max(self.most[key], self.now[key])
            self._counting.notify_all()
            self._counting.wait_for(lambda: self.most["all"] >= self.together, PATIENCE)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> AsyncClient:
    module = types.ModuleType("talk_for_many")
    vars(module).update(access=access)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    registry = Registry(plugins=())
    registry.register(Scheme(TALK, TalkURL, access=module.__name__))
    return AsyncClient(registry=registry, policy=Policy.interactive())


def open_sockets() -> int:
    gc.collect()
    count = 0
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the one that lists the folder
            count += str(descriptor.readlink()).startswith("socket:")
    return count


def test_every_url_gives_one_result(server: Server, client: AsyncClient) -> None:
    urls = [f"x-talk://{server.address}/a{number}" for number in range(50)]
    urls[7], urls[20], urls[21] = "x-talk://127.0.0.1:1/denied", f"x-talk://{server.address}/no", "x-nothing:a"

    async def run() -> dict[int, Any]:
        results = {}
        async for result in client.access_many(iter(urls)):
            assert result.url == urls[result.index]
            assert (result.error is None) != (result.document is None)
            document: Any = result.document
            results[result.index] = result.error.code if result.error else await document.read()
        return results

    results = asyncio.run(run())
    assert sorted(results) == list(range(50))
    assert (results.pop(7), results.pop(20), results.pop(21)) == ("policy-denied", "remote-error", "unknown-scheme")
    assert results == {index: f"a{index}".encode() for index in results}
    assert server.most["all"] <= 4


@pytest.mark.parametrize(("per_host", "total", "most"), [(1, 20, 2), (2, 20, 4), (4, 3, 3)])
def test_accesses_are_bounded_for_each_host_and_in_all(
    server: Server, client: AsyncClient, per_host: int, total: int, most: int
) -> None:
    server.together = most
    urls = [f"x-talk://127.0.0.1:{server.address.port}/a{number}" for number in range(15)]
    urls += [f"x-talk://localhost:{server.address.port}/b{number}" for number in range(15)]

    async def read(result: Any) -> bytes:
        content: bytes = await result.document.read()
        return content

    async def run() -> list[Result]:
        return [each async for each in client.access_many(urls, per_host=per_host, total=total, use=read)]

    results = asyncio.run(run())
    assert sorted(each.value for each in results) == sorted(url.rpartition("/")[2].encode() for url in urls)
    assert (server.most["all"], max(server.most["a"], server.most["b"])) <= (most, per_host)
    assert server.most["all"] == most
    assert server.connections <= 2 * min(per_host, total)


def test_a_document_is_open_until_the_next_result(server: Server, client: AsyncClient) -> None:
    async def run() -> None:
        last = None
        async for result in client.access_many(f"x-talk://{server.address}/a{n}" for n in range(4)):
            assert result.document is not None
            assert not result.document.closed
            assert last is None or last.closed
            last = result.document
        assert last is not None
        assert last.closed

    asyncio.run(run())


def test_urls_are_read_as_they_are_needed(server: Server, client: AsyncClient) -> None:
    taken = 0

    def urls() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield f"x-talk://{server.address}/a{taken}"

    async def run() -> None:
        async with aclosing(client.access_many(urls())) as results:
            async for result in results:
                if result.index >= 9:
                    break

    asyncio.run(run())
    assert 10 <= taken < 1100


@pytest.mark.skipif(sys.platform != "linux", reason="counts the descriptors in /proc")
@pytest.mark.parametrize("how", ["cancelled", "cancelled in use", "left", "failed"])
def test_nothing_stays_open_when_it_ends_early(server: Server, client: AsyncClient, how: str) -> None:
    words = ["hang"] * 3 if how == "cancelled" else ["a", "b", "c", "hang"]
    urls = [f"x-talk://{server.address}/{word}" for word in words]

    async def use(result: Result) -> None:
        if how == "failed":
            raise ZeroDivisionError
        await asyncio.sleep(100)

    async def iterate() -> None:
        given = use if how in ("cancelled in use", "failed") else None
        async with aclosing(client.access_many(urls, use=given)) as results:
            async for _ in results:
                await asyncio.sleep(0.2)  # the others are open by then
                return

    async def run() -> None:
        before = open_sockets()
        task = asyncio.create_task(iterate())
        if how.startswith("cancelled"):
            assert await asyncio.to_thread(eventually, lambda: open_sockets() > before)
            task.cancel()
        (end,) = await asyncio.gather(task, return_exceptions=True)
        assert {"c": asyncio.CancelledError, "l": type(None), "f": ZeroDivisionError}[how[0]] is type(end)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        # The server's side of a connection closes a moment later.
        assert await asyncio.to_thread(eventually, lambda: open_sockets() <= before)

    asyncio.run(run())


def test_mistakes_end_the_iteration(server: Server, client: AsyncClient) -> None:
    async def first(**arguments: Any) -> None:
        await anext(client.access_many(**arguments))

    url = f"x-talk://{server.address}/a"
    for mistake, arguments in (
        (TypeError, {"urls": url}),
        (ValueError, {"urls": [url], "total": 0}),
        (TypeError, {"urls": [url], "options": {"none": 1}}),
    ):
        with pytest.raises(mistake):
            asyncio.run(first(**arguments))


def test_an_error_in_use_is_the_error_of_its_url(server: Server, client: AsyncClient) -> None:
    async def use(result: Result) -> None:
        raise AccessError("not what it should be")

    async def run() -> None:
        results = [each async for each in client.access_many([f"x-talk://{server.address}/a"], use=use)]
        assert [str(each.error) for each in results] == ["not what it should be"]

    asyncio.run(run())
