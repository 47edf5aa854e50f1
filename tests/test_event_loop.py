"""Every scheme gives the same results on an event loop as without one, and leaves nothing open when it is cancelled."""

from __future__ import annotations

import asyncio
import errno
import gc
import re
import threading
import time
from contextlib import contextmanager
from functools import partialmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from stepping import Steps

import urlschemes_access
from urlschemes import default_registry as registry
from urlschemes.errors import URLError
from urlschemes_access import AsyncClient, AsyncDocument, AsyncListing, AsyncSession
from urlschemes_access.backends.blocking import BlockingBackend
from urlschemes_access.backends.event_loop import LoopBackend
from urlschemes_access.backends.loop_sockets import LoopSocket, LoopTLS
from urlschemes_access.backends.sockets import Socket
from urlschemes_access.resources import asynchronous, synchronous
from urlschemes_testing.demonstration import GROUP

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from urlschemes_access.trace_event import TraceEvent
    from urlschemes_testing.demonstration import Demonstration

OPERATED = {"access", "open session", "send"}
OFFERED = {record.scheme for record in registry.registrations() if OPERATED & set(record.operations)}
SHOWN = {claim.name: claim for claim in registry.claims() if claim.group == GROUP and claim.name in registry}
CHANGING = re.compile(r"(?<=queued as )[0-9]+|[0-9:]{8} GMT")  # what a server counts, and what its clock says
RANDOM = {"ftp": "the port of a data connection", "mailto": "the time", "prospero": "the numbers of connections"}


@contextmanager
def demonstration(name: str, folder: Path) -> Iterator[Demonstration]:
    demonstrate: Any = registry.load(SHOWN[name])
    with demonstrate(folder) as shown:
        yield shown


def blocking(shown: Demonstration, trace: Callable[[TraceEvent], None] | None = None) -> Any:
    found = urlschemes_access.operate(shown.operation, shown.url, **shown.settings, trace=trace, registry=registry)
    if isinstance(found, urlschemes_access.Attributes):
        return found
    with found:
        if isinstance(found, urlschemes_access.Document):
            return found.attributes, found.read()
        if isinstance(found, urlschemes_access.Listing):
            return found.attributes, list(found)
        return found.attributes, shown.talk(found) if shown.talk else b""


async def looped(shown: Demonstration, trace: Callable[[TraceEvent], None] | None = None) -> Any:
    client = AsyncClient(keep_connections=False)
    found = await client.operate(shown.operation, shown.url, **shown.settings, trace=trace)
    if isinstance(found, urlschemes_access.Attributes):
        return found
    async with found:
        if isinstance(found, AsyncDocument):
            return found.attributes, await found.read()
        if isinstance(found, AsyncListing):
            return found.attributes, [entry async for entry in found]
        return found.attributes, await conversation(found, shown.talk) if shown.talk else b""


async def conversation(session: AsyncSession[Any], talk: Callable[[Any], bytes]) -> bytes:
    """Return the result of `talk`, which calls the methods of a blocking session, for this one; it runs in a thread."""
    loop = asyncio.get_running_loop()

    class Blocking:
        def __getattr__(self, name: str) -> Any:
            def call(*arguments: Any, **more: Any) -> Any:
                what = session.call(lambda each: getattr(each, name)(*arguments, **more))
                return asyncio.run_coroutine_threadsafe(what, loop).result(60)

            return call

    return await asyncio.to_thread(talk, Blocking())


def is_over(what: Callable[[], bool]) -> bool:
    until = time.monotonic() + 60
    while not (result := what()) and time.monotonic() < until:
        time.sleep(0.01)
    return result


def test_every_scheme_that_can_be_accessed_is_shown_here() -> None:
    assert set(SHOWN) >= OFFERED


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_both_backends_give_the_same(name: str, tmp_path: Path) -> None:
    here: list[TraceEvent] = []
    there: list[TraceEvent] = []
    with demonstration(name, tmp_path) as shown:
        found = [repr(blocking(shown, there.append)), repr(asyncio.run(looped(shown, here.append)))]
    assert CHANGING.sub("", found[0]) == CHANGING.sub("", found[1])
    said = [[(event.peer, event.octets) for event in events if event.kind == "send"] for events in (there, here)]
    assert len(said[0]) == len(said[1])
    assert said[0] == said[1] or name in RANDOM
    assert [event.kind for event in there if event.kind != "receive"] == [
        event.kind for event in here if event.kind != "receive"
    ]


class Seen(Steps):
    """The operations of one access on an event loop, and every socket that it makes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: Callable[[str], Awaitable[None]] | None = None) -> None:
        super().__init__(at or self.cancel, omitted="take_turn")
        self.task: asyncio.Task[Any]
        self.sockets: list[Socket] = []
        make = Socket.__init__

        def remember(made: Socket, of: Any) -> None:
            self.sockets.append(made)
            make(made, of)

        monkeypatch.setattr(Socket, "__init__", remember)
        monkeypatch.setattr(asynchronous, "LoopBackend", lambda: self.of(LoopBackend()))
        monkeypatch.setattr(synchronous, "BlockingBackend", lambda: self.of(BlockingBackend()))

    async def cancel(self, _: str) -> None:
        self.task.cancel()
        await asyncio.sleep(0)

    async def outcome(self, shown: Demonstration) -> BaseException | str:
        """Return the result or the exception; in either case every socket must be closed."""
        self.task = task = asyncio.create_task(looped(shown))
        await asyncio.wait([task])
        assert all(each.fileno() == -1 for each in self.sockets)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        if task.cancelled():
            return asyncio.CancelledError()
        return task.exception() or CHANGING.sub("", repr(task.result()))


@pytest.mark.fault(50)
@pytest.mark.parametrize("name", sorted(SHOWN))
def test_cancelled_at_any_step_nothing_is_left(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No socket is open when the task is over, no thread is left, and nothing warns (which fails any test)."""
    seen = Seen(monkeypatch)
    with demonstration(name, tmp_path) as shown:
        threads = threading.active_count()
        asyncio.run(seen.outcome(shown))
        count = seen.count
        assert count > 1
        for number in range(1, count + 1):
            seen.last = number
            outcome = asyncio.run(seen.outcome(shown))
            assert isinstance(outcome, asyncio.CancelledError) or seen.count < number  # it may need fewer steps
        gc.collect()
        assert is_over(lambda: threading.active_count() <= threads)


@pytest.mark.fault(50)
@pytest.mark.parametrize("name", sorted(SHOWN))
def test_interrupted_at_any_step_nothing_is_left(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No socket is open when KeyboardInterrupt is raised, and nothing was awaited after it."""

    async def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    seen = Seen(monkeypatch, interrupt)
    with demonstration(name, tmp_path) as shown:
        blocking(shown)
        count = seen.count
        for number in range(1, count + 1):
            seen.last = number
            try:
                blocking(shown)
            except KeyboardInterrupt:
                assert seen.count == number
            else:
                assert seen.count < number
            assert all(each.fileno() == -1 for each in seen.sockets)
            gc.collect()


@pytest.mark.fault(51)
@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"), id="reset"),
        pytest.param(TimeoutError(), id="late", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("name", sorted(SHOWN))
def test_a_fault_at_any_step_is_a_typed_error(
    name: str, fault: OSError, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault that is not an error, as in the last words of a dialogue, does not change the result."""

    async def fail(operation: str) -> None:
        if seen.count == seen.last and operation != "call":
            raise type(fault)(*fault.args)

    seen = Seen(monkeypatch, fail)
    with demonstration(name, tmp_path) as shown:
        good = asyncio.run(seen.outcome(shown))
        count = seen.count
        errors = 0
        for number in range(1, count + 1):
            seen.last = number
            outcome = asyncio.run(seen.outcome(shown))
            assert isinstance(outcome, URLError) or outcome == good
            errors += isinstance(outcome, URLError)
        assert errors


@pytest.mark.fault(52)
@pytest.mark.parametrize("name", sorted(SHOWN))
def test_octet_by_octet_it_is_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Seen(monkeypatch)
    with demonstration(name, tmp_path) as shown:
        good = asyncio.run(seen.outcome(shown))
        assert isinstance(good, str)
        for kind in (LoopSocket, LoopTLS):
            monkeypatch.setattr(kind, "receive", partialmethod(receive_one, kind.receive))
        assert asyncio.run(seen.outcome(shown)) == good


async def receive_one(channel: Any, receive: Callable[..., Awaitable[bytes]], _: int, *rest: Any) -> bytes:
    return await receive(channel, 1, *rest)
