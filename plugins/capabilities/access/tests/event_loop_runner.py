"""Runs a dialogue on an event loop, behind a face that blocks: the tests of one driver are those of the other too."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, Self

from urlschemes_access.dialogue import Dialogue
from urlschemes_access.resources.asynchronous import AsyncDocument, AsyncListing, AsyncSession, run
from urlschemes_access.resources.synchronous import Document, Listing, Session


class EventLoopRunner:
    """An event loop, and others where that one runs already. `faults` are what they would have logged."""

    def __init__(self) -> None:
        self.faults: list[dict[str, Any]] = []
        self._runners: list[asyncio.Runner] = []
        self._new()

    def run(self, dialogue: Dialogue) -> Any:
        """As `drive.run`."""
        idle = (runner for runner in self._runners if not runner.get_loop().is_running())
        runner = next(idle, None) or self._new()
        return runner.run(_begun(dialogue, runner))

    def close(self) -> None:
        """Close the loops; no task may be left on them."""
        for runner in self._runners:
            assert not asyncio.all_tasks(runner.get_loop())
            runner.close()
        assert not self.faults

    def _new(self) -> asyncio.Runner:
        runner = asyncio.Runner()
        runner.get_loop().set_exception_handler(lambda _, fault: self.faults.append(fault))
        self._runners.append(runner)
        return runner


async def _begun(dialogue: Dialogue, runner: asyncio.Runner) -> Any:
    resource = await run(dialogue)
    if isinstance(resource, AsyncDocument):
        return Facade(resource, Document, runner)
    if isinstance(resource, AsyncListing):
        return Facade(resource, Listing, runner)
    if isinstance(resource, AsyncSession):
        return Facade(resource, type(resource._session), runner)
    return resource


class Facade:
    """An AsyncDocument, AsyncListing or AsyncSession that says it is `of` the type that blocks, and blocks."""

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
        try:  # called by what the loop runs: it cannot wait
            what.send(None)
        except StopIteration as end:
            return end.value
        what.close()
        raise AssertionError("this would have to wait")

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
