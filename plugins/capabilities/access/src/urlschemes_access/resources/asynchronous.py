"""Documents, listings and sessions on an event loop: like those that block, with `await`, `async for`, `async with`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, cast

from urlschemes.errors import PluginContractError
from urlschemes_access.attributes import Entry
from urlschemes_access.backends.event_loop import AsyncSource
from urlschemes_access.backends.loop_threads import beside
from urlschemes_access.errors import AccessError
from urlschemes_access.resources.common import AnyDocument, AnyResource
from urlschemes_access.resources.synchronous import Session

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Callable
    from types import TracebackType
    from typing import NoReturn, Self

    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Attributes
    from urlschemes_access.dialogue import Dialogue
    from urlschemes_access.policy import Limits
    from urlschemes_access.protocol.requests import Algorithm, Open, Peer
    from urlschemes_access.resources.common import Reading

__all__ = ["AsyncDocument", "AsyncListing", "AsyncSession", "run"]

P = ParamSpec("P")
S = TypeVar("S", bound=Session)
T = TypeVar("T")


class _AsyncResource(AnyResource):
    """What waits on an event loop."""

    def __init__(self, source: AsyncSource, attributes: Attributes) -> None:
        super().__init__(source, attributes)
        self._source = source

    async def aclose(self) -> None:
        """Close every connection and file of this access. Closing twice does nothing."""
        self._shut()

    async def _pull(self) -> bytes | Entry | None:
        self._check()
        try:
            return await self._source.pull()
        except asyncio.CancelledError:
            self._failure = AccessError(f"reading this {self._KIND} was cancelled", scheme=self.url.scheme)
            raise
        except BaseException as failure:
            self._failure = failure
            raise

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()


class AsyncDocument(_AsyncResource, AnyDocument):
    """A stream of octets: `async for` over it, or `await` its `read`, `read_text`, `save`; all as those of Document."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """The octets in pieces, as they come. There is no bound on them all: the caller decides how much to keep."""
        return self

    async def __anext__(self) -> bytes:
        octets = self._rest or self._came(await self._pull())
        self._rest = b""
        if not octets:
            raise StopAsyncIteration
        return octets

    async def read(self, most: int = -1) -> bytes:
        """At most `most` octets, or all that are left. Raises what `Document.read` raises."""
        return await self._carry_out(self._read(most))

    async def read_text(self, encoding: str | None = None) -> str:
        """All that is left, as text. Raises what `Document.read_text` raises."""
        return await self._carry_out(self._read_text(encoding))

    async def save(self, path: str | os.PathLike[str]) -> int:
        """Write all that is left to the file `path`, by a thread. Raises what `Document.save` raises.

        Cancelled, it leaves an older file as it was, and no other.
        """
        return await self._carry_out(self._save(path))

    async def _carry_out(self, reading: Reading[T]) -> T:
        try:
            asked = next(reading)
            while True:
                try:
                    if asked is None:
                        answer: Any = self._came(await self._pull())
                    else:
                        answer = await beside(asked.work, undo=asked.undo)
                except BaseException as fault:  # noqa: BLE001  the reading cleans up, and raises it again
                    asked = reading.throw(fault)
                else:
                    asked = reading.send(answer)
        except StopIteration as end:
            return cast("T", end.value)


class AsyncListing(_AsyncResource):
    """Entries, which `async for` gives as they come. There are at most `Limits.entries`; LimitExceeded beyond."""

    _KIND = "listing"

    def __aiter__(self) -> AsyncIterator[Entry]:
        return self

    async def __anext__(self) -> Entry:
        entry = await self._pull()
        if not isinstance(entry, Entry):
            raise StopAsyncIteration
        return entry


class AsyncSession(_AsyncResource, Generic[S]):
    """An interactive resource. What it can do are the methods of its type, a subclass of Session, run by `call`.

        async with await urlschemes_access.client.operate("open session", url) as session:
            octets = await session.call(TelnetSession.read, within=1.0)

    A method of a Session hands an algorithm to `run_algorithm`, which blocks. Here the same method is called on a
    session whose `run_algorithm` only takes the algorithm; then the event loop carries it out. So the types of plugins
    serve both, and the arguments and the result have the types that the method says.
    """

    _KIND = "session"

    def __init__(self, source: AsyncSource, attributes: Attributes, said: Open) -> None:
        super().__init__(source, attributes)
        self._taking = _Taking(source)
        self._session = source.dialogue.session(said, self._taking)

    async def call(self, method: Callable[Concatenate[S, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `method`, one of the session's type, returns: `await session.call(TelnetSession.write, b"help")`.

        Anything else that takes the session and calls one of its methods, last, will do: a lambda. Raises what the
        method raises; PluginContractError where it calls `run_algorithm` more than once.
        """
        self._check()
        returned, algorithm = self._taking.during(lambda: method(cast("S", self._session), *args, **kwargs))
        if algorithm is None:
            return returned
        result = await self._source.call(algorithm)
        return cast("T", result) if returned is algorithm else returned

    async def aclose(self) -> None:
        """Say the closing words, then close every connection. Closing twice does nothing."""
        if not self._closed:
            self._closed = True
            await self._source.finish()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            await self.aclose()
        else:
            self._shut()


class _Taking:
    """The source of a session that blocks nowhere: it takes the algorithm that a method wants to run."""

    def __init__(self, source: AsyncSource) -> None:
        self._source = source
        self._during = False
        self._taken: Algorithm[Any] | None = None

    @property
    def url(self) -> URL:
        return self._source.url

    @property
    def limits(self) -> Limits:
        return self._source.limits

    @property
    def terminated(self) -> bool | None:
        return self._source.terminated

    def during(self, method: Callable[[], T]) -> tuple[T, Algorithm[Any] | None]:
        """What a method returned, and the algorithm that it wants to run."""
        self._during = True
        try:
            return method(), self._taken
        finally:
            self._during, self._taken = False, None

    def call(self, algorithm: Algorithm[T]) -> T:
        if not self._during:
            algorithm.close()
            self._refuse()
        if self._taken is not None:
            algorithm.close()
            raise PluginContractError(
                "a method of a session runs one algorithm on an event loop, and this one wants to run another",
                scheme=self.url.scheme,
                wants="one call of run_algorithm in a method of a Session, as its last act",
                has="another call of run_algorithm",
            )
        self._taken = algorithm
        return cast("T", algorithm)

    def fileno(self, peer: Peer) -> int:
        return self._source.dialogue.fileno(peer)

    def pull(self) -> NoReturn:
        self._refuse()

    def finish(self) -> NoReturn:
        self._refuse()

    def close(self) -> None:
        self._source.close()

    def _refuse(self) -> NoReturn:
        raise AccessError(
            "this session belongs to an event loop",
            scheme=self.url.scheme,
            hint="await session.call(method, ...), and session.aclose()",
        )


async def run(dialogue: Dialogue) -> AsyncDocument | AsyncListing | AsyncSession[Any] | Attributes:
    """As `urlschemes_access.backends.blocking.run`, on the event loop that runs."""
    source = AsyncSource(dialogue)
    said = await source.open()
    if said.kind == "document":
        return AsyncDocument(source, dialogue.attributes)
    if said.kind == "listing":
        return AsyncListing(source, dialogue.attributes)
    if said.kind == "session":
        return AsyncSession(source, dialogue.attributes, said)
    return dialogue.attributes
