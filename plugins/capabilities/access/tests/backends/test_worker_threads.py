"""Threads that do what would block an event loop."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from event_loop_helpers import begun, run
from fake_servers import PATIENCE, eventually
from talk_scheme import LOOPBACK

from urlschemes_access.attributes import Attributes
from urlschemes_access.backends.event_loop import LoopBackend
from urlschemes_access.backends.worker_threads import Work
from urlschemes_access.errors import AccessError, DeadlineExceeded
from urlschemes_access.policy import Limits
from urlschemes_access.protocol import (
    Algorithm,
    Connect,
    Deliver,
    Keep,
    ListFolder,
    Open,
    OpenFile,
    Pull,
    Receive,
    Send,
)

pytestmark = pytest.mark.usefixtures("nothing_left_open", "no_thread_left")


def test_a_file_is_read_listed_and_written_by_threads(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"octets")
    policy = replace(LOOPBACK, roots=(str(tmp_path),), writable=(str(tmp_path),))

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
        while pieces := (yield from Pull()):
            yield from Send(peer, pieces)
        yield from Open("attributes", Attributes(size=(yield from Keep(peer)).size))

    async def main() -> None:
        assert await (await begun(read(), policy=policy)).read() == b"octets"
        assert await begun(write(), policy=policy, content=[b"new", b"er"]) == Attributes(size=5)
        assert await begun(folder(), policy=policy) == Attributes(name="a b")

    run(main())
    assert (tmp_path / "b").read_bytes() == b"newer"


@contextmanager
def slow_resolver(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A resolver that hangs until the block is left."""
    let_go = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: let_go.wait(PATIENCE) and [])
    try:
        yield
    finally:
        let_go.set()


def named() -> Algorithm[None]:
    yield from Connect("slow.example", 7)


def test_a_hanging_resolver_delays_neither_the_loop_nor_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        task = asyncio.create_task(begun(named()))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(DeadlineExceeded) as late:
            await begun(named(), policy=replace(LOOPBACK, limits=Limits(resolve=0.05)))
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


def test_a_file_is_not_closed_while_a_thread_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number might be another file's by then: the octets of a stranger."""
    (tmp_path / "a").write_bytes(b"octets")
    policy = replace(LOOPBACK, roots=(str(tmp_path),))
    reading, let_go = threading.Event(), threading.Event()
    numbers: list[int] = []
    read = os.read

    def slowly(descriptor: int, most: int) -> bytes:
        numbers.append(descriptor)
        reading.set()
        let_go.wait(PATIENCE)
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
            await asyncio.to_thread(reading.wait, PATIENCE)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert is_open(numbers[0])
        let_go.set()

    run(main())
    assert eventually(lambda: not is_open(numbers[0]))


def test_a_result_that_is_no_longer_awaited_is_undone() -> None:
    undone: list[str] = []
    let_go = threading.Event()

    def work() -> str:
        let_go.wait(PATIENCE)
        return "late"

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await LoopBackend().in_thread(work, 0.01, Work(), undone.append)
        done = Work()
        task = asyncio.create_task(LoopBackend().in_thread(lambda: "done before", None, done, undone.append))
        await asyncio.sleep(0)
        done.begin(str).result()  # the thread is through, and the loop has not heard of it
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert undone == ["done before"]
        with pytest.raises(ZeroDivisionError):
            await LoopBackend().in_thread(lambda: 1 // 0, None, Work(), undone.append)
        task = asyncio.create_task(LoopBackend().in_thread(work, None, Work(), undone.append))
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
