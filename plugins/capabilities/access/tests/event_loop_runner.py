"""EventLoopRunner: runs dialogues on an event loop behind blocking calls, so that tests apply to both backends."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, Self

from urlschemes_access.backends.connection_pool import ConnectionPool
from urlschemes_access.dialogue import Dialogue
from urlschemes_access.resources.asynchronous import AsyncDocument, AsyncListing, AsyncSession, run
from urlschemes_access.resources.synchronous import Document, Listing, Session


class EventLoopRunner:
    """Event loops: one, and others for operations that begin while it runs. `faults` are the errors that they log."""

    def __init__(self) -> None:
        self.faults: list[dict[str, Any]] = []
        self._runners: list[asyncio.Runner] = []
        self._new()

    def run(self, dialogue: Dialogue, pool: ConnectionPool | None = None) -> Any:
        """Return a blocking resource, as `synchronous.run` does."""
        idle = (runner for runner in self._runners if not runner.get_loop().is_running())
        runner = next(idle, None) or self._new()
        return runner.run(_begun(dialogue, runner, pool))

    def close(self) -> None:
        """Close the loops, on which no task may be left."""
        for runner in self._runners:
            assert not asyncio.all_tasks(runner.get_loop())
            runner.close()
        assert not self.faults

    def _new(self) -> asyncio.Runner:
        runner = asyncio.Runner()
        runner.get_loop().set_exception_handler(lambda _, fault: self.faults.append(fault))
        self._runners.append(runner)
        return runner


async def _begun(dialogue: Dialogue, runner: asyncio.Runner, pool: ConnectionPool | None) -> Any:
    resource = await run(dialogue, pool=pool)
    if isinstance(resource, AsyncDocument):
        return Facade(resource, Document, runner)
    if isinstance(resource, AsyncListing):
        return Facade(resource, Listing, runner)
    if isinstance(resource, AsyncSession):
        return Facade(resource, type(resource._session), runner)
    return resource


class Facade:
    """A blocking facade of an asynchronous resource; `isinstance` takes it for the blocking type `of`."""

    def __init__(self, resource: Any, of: type[Any], runner: asyncio.Runner) -> None:
        self._resource = resource
        self._of = of
        self._runner = runner

    @property
    def __class__(self) -> Any:
        return self._of

    def _run(self, what: Any) -> Any:
        loop = self._runner.get_loop()
        if not loop.is_running():
            return self._runner.run(what)
        try:  # called by code that the loop runs, so it cannot wait
            what.send(None)
        except StopIteration as end:
            return end.value
        what.close()
        raise AssertionError("this call would have to wait")

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        async def following() -> Any:
            return await anext(self._resource, None)

        piece = self._run(following())
        if piece is None:
            raise StopIteration
        return piece

    def close(self) -> None:
        self._run(self._resource.aclose())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *how: object) -> None:
        self._run(self._resource.__aexit__(*how))

    def __getattr__(self, name: str) -> Any:
        if issubclass(self._of, Session) and not hasattr(type(self._resource), name):

            def call(*arguments: Any, **more: Any) -> Any:
                return self._run(self._resource.call(lambda session: getattr(session, name)(*arguments, **more)))

            return call if callable(getattr(self._resource._session, name)) else getattr(self._resource._session, name)
        value = getattr(self._resource, name)
        if inspect.iscoroutinefunction(value):
            return lambda *arguments: self._run(value(*arguments))
        return value
