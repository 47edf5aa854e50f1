"""Every scheme that can be accessed gives the same on an event loop, and leaves nothing behind when it is cancelled."""

from __future__ import annotations

import asyncio
import gc
import re
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

import urlschemes
from urlschemes import aio
from urlschemes.aio import AsyncDocument, AsyncListing, AsyncSession, backend
from urlschemes.aio.channels import LoopSocket
from urlschemes.default import registry
from urlschemes.discovery import DEMOS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from urlschemes.cli.demonstration import Demonstration
    from urlschemes.terms import TraceEvent

OPERATED = {"access", "open session", "send"}
OFFERED = {record.scheme for record in registry.registrations() if OPERATED & set(record.operations)}
SHOWN = {claim.name: claim for claim in registry.claims() if claim.group == DEMOS and claim.state == "active"}
COUNTED = re.compile(r"(?<=queued as )[0-9]+")  # what a server counts
RANDOM = {"ftp": "the port of a data connection", "mailto": "the time", "prospero": "the numbers of connections"}


@contextmanager
def demonstration(name: str, folder: Path) -> Iterator[Demonstration]:
    demonstrate: Any = registry.load(SHOWN[name])
    with demonstrate(folder) as shown:
        yield shown


def terms_of(shown: Demonstration, trace: Callable[[TraceEvent], None] | None = None) -> dict[str, Any]:
    policy = urlschemes.Policy(public=False, networks=("127.0.0.0/8",), roots=shown.roots)
    return {"policy": policy, "ssl_context": shown.ssl_context, "trace": trace, **shown.options}


def blocking(shown: Demonstration, trace: Callable[[TraceEvent], None] | None = None) -> Any:
    found = registry.operate(shown.operation, shown.url, **terms_of(shown, trace))
    if isinstance(found, urlschemes.Attributes):
        return found
    with found:
        if isinstance(found, urlschemes.Document):
            return found.attributes, found.read()
        if isinstance(found, urlschemes.Listing):
            return found.attributes, list(found)
        return found.attributes, shown.talk(found) if shown.talk else b""


async def looped(shown: Demonstration, trace: Callable[[TraceEvent], None] | None = None) -> Any:
    found = await aio.operate(shown.operation, shown.url, **terms_of(shown, trace))
    if isinstance(found, urlschemes.Attributes):
        return found
    async with found:
        if isinstance(found, AsyncDocument):
            return found.attributes, await found.read()
        if isinstance(found, AsyncListing):
            return found.attributes, [entry async for entry in found]
        return found.attributes, await conversation(found, shown.talk) if shown.talk else b""


async def conversation(session: AsyncSession[Any], talk: Callable[[Any], bytes]) -> bytes:
    """What `talk`, which calls the methods of a session that blocks, makes of this one; it does so in a thread."""
    loop = asyncio.get_running_loop()

    class Blocking:
        def __getattr__(self, name: str) -> Any:
            def call(*arguments: Any, **more: Any) -> Any:
                what = session.call(lambda each: getattr(each, name)(*arguments, **more))
                return asyncio.run_coroutine_threadsafe(what, loop).result(30)

            return call

    return await asyncio.to_thread(talk, Blocking())


def is_over(what: Callable[[], bool]) -> bool:
    until = time.monotonic() + 10
    while not what() and time.monotonic() < until:
        time.sleep(0.01)
    return what()


def test_every_scheme_that_can_be_accessed_is_shown_here() -> None:
    assert set(SHOWN) >= OFFERED


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_both_drivers_give_the_same(name: str, tmp_path: Path) -> None:
    here: list[TraceEvent] = []
    there: list[TraceEvent] = []
    with demonstration(name, tmp_path) as shown:
        found = [repr(blocking(shown, there.append)), repr(asyncio.run(looped(shown, here.append)))]
    assert COUNTED.sub("", found[0]) == COUNTED.sub("", found[1])
    said = [[(event.peer, event.octets) for event in events if event.kind == "send"] for events in (there, here)]
    assert len(said[0]) == len(said[1])
    assert said[0] == said[1] or name in RANDOM
    assert [event.kind for event in there if event.kind != "receive"] == [
        event.kind for event in here if event.kind != "receive"
    ]


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_cancelled_at_any_step_nothing_is_left(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B50: no socket is open when the task is over, no thread is left, and nothing warns (which fails any test)."""
    perform = backend.perform
    made: list[LoopSocket] = []
    make = LoopSocket.__init__
    count = last = 0

    def remember(self: LoopSocket, made_of: Any) -> None:
        made.append(self)
        make(self, made_of)

    async def performed(step: Any) -> Any:
        nonlocal count
        count += 1
        if count == last:
            cast("asyncio.Task[Any]", task).cancel()
            await asyncio.sleep(0)
        return await perform(step)

    task: asyncio.Task[Any] | None = None

    async def cancelled() -> None:
        nonlocal task, count
        count = 0
        task = asyncio.create_task(looped(shown))
        await asyncio.wait([task])
        assert task.cancelled() or count < last  # what comes in one piece needs fewer steps
        assert all(each.fileno() == -1 for each in made)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    monkeypatch.setattr(backend, "perform", performed)
    monkeypatch.setattr(LoopSocket, "__init__", remember)
    with demonstration(name, tmp_path) as shown:
        threads = threading.active_count()
        asyncio.run(looped(shown))
        steps = count
        assert steps > 1
        for number in range(1, steps + 1):
            last = number
            asyncio.run(cancelled())
        gc.collect()
        assert is_over(lambda: threading.active_count() <= threads)
