"""AsyncDocument, AsyncListing and AsyncSession: resources for event loops."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Concatenate, Generic, NoReturn, ParamSpec, TypeVar, cast

from urlschemes.errors import PluginContractError
from urlschemes_access.attributes import Entry
from urlschemes_access.backends.event_loop import AsyncSource, wait_for
from urlschemes_access.backends.worker_threads import FileWork, begin
from urlschemes_access.errors import AccessError, DeadlineExceeded
from urlschemes_access.resources.document_content import AnyDocument
from urlschemes_access.resources.resource import AnyResource, no_document
from urlschemes_access.resources.synchronous import Session

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Callable
    from types import TracebackType
    from typing import Self

    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Attributes
    from urlschemes_access.dialogue import Dialogue
    from urlschemes_access.policy import Limits
    from urlschemes_access.protocol.algorithm import Algorithm, Peer
    from urlschemes_access.protocol.requests import Open
    from urlschemes_access.resources.document_content import ContentReader, FileAction
    from urlschemes_access.resources.downloads import Download, Part

__all__ = ["AsyncDocument", "AsyncListing", "AsyncSession", "document_of", "in_thread", "run"]

P = ParamSpec("P")
S = TypeVar("S", bound=Session)
T = TypeVar("T")


class _AsyncResource(AnyResource):
    def __init__(self, source: AsyncSource, attributes: Attributes) -> None:
        super().__init__(source, attributes)
        self._source = source

    async def aclose(self) -> None:
        """Close every connection and file of this operation. Closing twice does nothing."""
        self._close_now()

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
    """A stream of octets: use `async for`, or await `read`, `read_text` or `save`; all as in Document."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Return the iterator over the octets, in pieces as they arrive. Their total size is not limited."""
        return self

    async def __anext__(self) -> bytes:
        octets = self._rest or self._octets_of(await self._pull())
        self._rest = b""
        if not octets:
            raise StopAsyncIteration
        return octets

    async def read(self, most: int = -1) -> bytes:
        """Like `Document.read`."""
        return await self._carry_out(self._read(most))

    async def read_text(self, encoding: str | None = None) -> str:
        """Like `Document.read_text`."""
        return await self._carry_out(self._read_text(encoding))

    async def save(self, path: str | os.PathLike[str]) -> int:
        """Like `Document.save`; a thread writes the file. If cancelled, it leaves an existing file as it was."""
        return await self._carry_out(self._save(path))

    async def save_part(self, part: Part) -> Download:
        """Like `Document.save_part`; threads write the file."""
        return await self._carry_out(self._save_part(part), part.work)

    async def _carry_out(self, reader: ContentReader[T], work: FileWork | None = None) -> T:
        work = work or FileWork()
        try:
            wanted = next(reader)
            while True:
                try:
                    if wanted is None:
                        answer: Any = self._octets_of(await self._pull())
                    else:
                        answer = await self._act(wanted, work)
                except BaseException as failure:  # noqa: BLE001  the reader cleans up and raises it again
                    wanted = reader.throw(failure)
                else:
                    wanted = reader.send(answer)
        except StopIteration as end:
            return cast("T", end.value)

    async def _act(self, wanted: FileAction, work: FileWork) -> object:
        try:
            return await self._source.act(wanted.action, work, cleans_up=wanted.cleans_up)
        except DeadlineExceeded as failure:
            self._failure = failure
            raise


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


class AsyncSession(_AsyncResource, Generic[S]):
    """An interactive resource. `call` runs the methods of its type, a subclass of Session.

        async with await AsyncClient().operate("open session", url) as session:
            octets = await session.call(TelnetSession.read, within=1.0)

    A method of a Session hands an algorithm to `run_algorithm`, which blocks. Here the method is called on a session
    whose `run_algorithm` only collects the algorithm, and the event loop carries it out. So one type serves both kinds
    of programs, and arguments and results keep their types.
    """

    _KIND = "session"

    def __init__(self, source: AsyncSource, attributes: Attributes, opened: Open) -> None:
        super().__init__(source, attributes)
        self._collector = _AlgorithmCollector(source)
        self._session = source.dialogue.session(opened, self._collector)

    async def call(self, method: Callable[Concatenate[S, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a method of the session's type, as in `await session.call(TelnetSession.write, b"help")`.

        Any callable will do that takes the session and calls one of its methods last. Raises the errors of the method;
        PluginContractError if it calls `run_algorithm` more than once.
        """
        self._check()
        returned, algorithm = self._collector.collect(lambda: method(cast("S", self._session), *args, **kwargs))
        if algorithm is None:
            return returned
        result = await self._source.call(algorithm)
        return cast("T", result) if returned is algorithm else returned

    async def aclose(self) -> None:
        """End the dialogue, then close every connection. Closing twice does nothing."""
        if not self._closed:
            self._closed = True
            await self._source.finish()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            await self.aclose()
        else:
            self._close_now()


class _AlgorithmCollector:
    """The source of a session on an event loop: it collects the algorithm that a method wants to run."""

    def __init__(self, source: AsyncSource) -> None:
        self._source = source
        self._collecting = False
        self._algorithm: Algorithm[Any] | None = None

    @property
    def url(self) -> URL:
        return self._source.url

    @property
    def limits(self) -> Limits:
        return self._source.limits

    @property
    def terminated(self) -> bool | None:
        return self._source.terminated

    def collect(self, method: Callable[[], T]) -> tuple[T, Algorithm[Any] | None]:
        """Return the result of a method, and the algorithm that it wants to run."""
        self._collecting = True
        try:
            return method(), self._algorithm
        finally:
            self._collecting, self._algorithm = False, None

    def call(self, algorithm: Algorithm[T]) -> T:
        if not self._collecting:
            algorithm.close()
            self._refuse()
        if self._algorithm is not None:
            algorithm.close()
            raise PluginContractError(
                "a method of a session may run only one algorithm on an event loop, this one runs two",
                scheme=self.url.scheme,
                wants="one call of run_algorithm in a method of a Session, as its last action",
                has="another call of run_algorithm",
            )
        self._algorithm = algorithm
        return cast("T", algorithm)

    def fileno(self, peer: Peer) -> int:
        return self._source.dialogue.fileno(peer)

    def pull(self) -> NoReturn:
        self._refuse()

    def act(self, *_: object, **__: object) -> NoReturn:
        self._refuse()

    def finish(self) -> NoReturn:
        self._refuse()

    def close(self) -> None:
        self._source.close()

    def _refuse(self) -> NoReturn:
        raise AccessError(
            "this session belongs to an event loop",
            scheme=self.url.scheme,
            hint="use `await session.call(method, ...)` and `await session.aclose()`",
        )


async def run(dialogue: Dialogue) -> AsyncDocument | AsyncListing | AsyncSession[Any] | Attributes:
    """Like `urlschemes_access.backends.blocking.run`, on the running event loop."""
    source = AsyncSource(dialogue)
    opened = await source.open()
    if opened.kind == "document":
        return AsyncDocument(source, dialogue.attributes)
    if opened.kind == "listing":
        return AsyncListing(source, dialogue.attributes)
    if opened.kind == "session":
        return AsyncSession(source, dialogue.attributes, opened)
    return dialogue.attributes


def document_of(resource: AsyncDocument | AsyncListing | AsyncSession[Any]) -> AsyncDocument:
    """Return `resource`. Raises UnsupportedOperation if it is not a document."""
    if isinstance(resource, AsyncDocument):
        return resource
    raise no_document(resource)


async def in_thread(action: Callable[[], T], *, undo: Callable[[T], object] | None = None) -> T:
    """Carry out an action on a local file in a thread; `undo` gets a result that is no longer wanted."""
    return await wait_for(begin(action, "urlschemes file"), None, undo=undo)
