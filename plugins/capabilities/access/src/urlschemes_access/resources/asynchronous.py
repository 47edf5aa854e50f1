"""AsyncDocument, AsyncListing and AsyncSession: resources for event loops."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, cast

from urlschemes.errors import PluginContractError
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.backends.backend import Backend
from urlschemes_access.backends.connection_pool import ConnectionPool
from urlschemes_access.backends.event_loop import TURN, LoopBackend
from urlschemes_access.dialogue import Dialogue
from urlschemes_access.errors import AccessError
from urlschemes_access.protocol.requests import Open
from urlschemes_access.resources.downloads import Download, Part
from urlschemes_access.resources.resource import AnyDocument, AnyResource
from urlschemes_access.resources.synchronous import Session, session_of

__all__ = ["AsyncDocument", "AsyncListing", "AsyncSession", "run"]

P = ParamSpec("P")
S = TypeVar("S", bound=Session)
T = TypeVar("T")


class _AsyncResource(AnyResource):
    async def aclose(self) -> None:
        """Close every connection and file of this operation. Closing twice does nothing."""
        self._close_now()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, _kind: type[BaseException] | None, *_: object) -> None:
        await self.aclose()


class AsyncDocument(_AsyncResource, AnyDocument):
    """A stream of octets: use `async for`, or await `read`, `read_text` or `save`; all as in Document."""

    _PATIENCE = TURN

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Return the iterator over the octets, in pieces as they arrive. Their total size is not limited."""
        return self

    async def __anext__(self) -> bytes:
        octets = await self._next()
        if not octets:
            raise StopAsyncIteration
        return octets

    async def read(self, most: int = -1) -> bytes:
        """Like `Document.read`."""
        return await self._read(most)

    async def read_text(self, encoding: str | None = None) -> str:
        """Like `Document.read_text`."""
        return await self._read_text(encoding)

    async def save(self, path: str | os.PathLike[str]) -> int:
        """Like `Document.save`; a thread writes the file. If cancelled, it leaves an existing file as it was."""
        return await self._save(path)

    async def save_part(self, part: Part) -> Download:
        """Like `Document.save_part`; threads write the file."""
        return await self._save_part(part)


class AsyncListing(_AsyncResource):
    """Entries: use `async for` as they arrive. Raises LimitExceeded beyond `Limits.entries`."""

    _KIND = "listing"

    def __aiter__(self) -> AsyncIterator[Entry]:
        return self

    async def __anext__(self) -> Entry:
        entry = await self._pull()
        if not isinstance(entry, Entry):
            raise StopAsyncIteration
        return entry


class _Calls:
    """The coroutine that a method of an AsyncSession hands to `run_algorithm`.

    It is not kept in the session itself: a reference cycle would keep a dropped session open.
    """

    def __init__(self, scheme: str) -> None:
        self.calling = False
        self.collected: Coroutine[Any, Any, Any] | None = None
        self._scheme = scheme

    def collect(self, coroutine: Coroutine[Any, Any, Any]) -> Coroutine[Any, Any, Any]:
        if self.calling and self.collected is None:
            self.collected = coroutine
            return coroutine
        coroutine.close()
        if self.calling:
            raise PluginContractError(
                "a method of a session may run only one algorithm on an event loop, this one runs two",
                scheme=self._scheme,
                wants="one call of run_algorithm in a method of a Session, as its last action",
                has="another call of run_algorithm",
            )
        raise AccessError(
            "this session belongs to an event loop",
            scheme=self._scheme,
            hint="use `await session.call(method, ...)` and `await session.aclose()`",
        )


class AsyncSession(_AsyncResource, Generic[S]):
    """An interactive resource. `call` runs the methods of its type, a subclass of Session.

        async with await AsyncClient().open_session(url) as session:
            octets = await session.call(TelnetSession.read, within=1.0)

    A method of a Session hands an algorithm to `run_algorithm`, which blocks. Here `run_algorithm` returns at once what
    `call` then awaits. So one type serves both kinds of programs, and arguments and results keep their types.
    """

    _KIND = "session"

    def __init__(self, dialogue: Dialogue, opened: Open) -> None:
        super().__init__(dialogue)
        self._calls = _Calls(dialogue.url.scheme)
        self._session = session_of(dialogue, opened, self._calls.collect)

    async def call(self, method: Callable[Concatenate[S, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a method of the session's type, as in `await session.call(TelnetSession.write, b"help")`.

        Any callable will do that takes the session and calls one of its methods last. Raises the errors of the method;
        PluginContractError if it calls `run_algorithm` more than once.
        """
        self._check()
        calls = self._calls
        calls.calling = True
        try:
            returned = method(cast("S", self._session), *args, **kwargs)
        except BaseException:
            if calls.collected is not None:
                calls.collected.close()
            raise
        finally:
            collected, calls.collected, calls.calling = calls.collected, None, False
        if collected is None:
            return returned
        result = await collected
        return cast("T", result) if returned is collected else returned

    async def aclose(self) -> None:
        """End the dialogue, then close every connection. Closing twice does nothing."""
        if not self._closed:
            self._closed = True
            await self._dialogue.finish()

    async def __aexit__(self, _kind: type[BaseException] | None, *_: object) -> None:
        if _kind is None:
            await self.aclose()
        else:
            self._close_now()


async def run(
    dialogue: Dialogue, backend: Backend | None = None, pool: ConnectionPool | None = None
) -> AsyncDocument | AsyncListing | AsyncSession[Any] | Attributes:
    """Like `urlschemes_access.resources.synchronous.run`, on the running event loop, by default with a LoopBackend."""
    opened = await dialogue.open(backend or LoopBackend(), pool)
    if opened.kind == "document":
        return AsyncDocument(dialogue)
    if opened.kind == "listing":
        return AsyncListing(dialogue)
    if opened.kind == "session":
        return AsyncSession(dialogue, opened)
    return dialogue.attributes
