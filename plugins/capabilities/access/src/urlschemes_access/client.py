"""Clients carry out operations on URLs (RFC 1738 section 2), blocking or on an event loop.

    client = Client(policy=Policy.interactive())
    with client.access("ftp://host.dom/notes.txt") as resource:
        if isinstance(resource, Document):
            text = resource.read_text()

    async with await AsyncClient().access("ftp://host.dom/notes.txt") as resource:
        if isinstance(resource, AsyncDocument):
            text = await resource.read_text()

Both run the same algorithms by the same rules and raise the same errors. On an event loop, only the import of a plugin
blocks; files and the resolver use threads. A cancelled task has closed its connections and files when it ends.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Unpack, cast

from urlschemes_access.backends.worker_threads import Work
from urlschemes_access.operations import DialogueClient
from urlschemes_access.resources import synchronous
from urlschemes_access.resources.downloads import Download, Part
from urlschemes_access.resources.synchronous import document_of

if TYPE_CHECKING:
    import os
    import ssl
    from collections.abc import AsyncGenerator, Awaitable, Callable
    from types import TracebackType
    from typing import Self

    from urlschemes.registry.registry import Registry
    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Attributes
    from urlschemes_access.credentials import Answers, Asker, Credentials, Form
    from urlschemes_access.policy import Policy
    from urlschemes_access.protocol.ranges import Range
    from urlschemes_access.protocol.requests import Authenticate, Authenticator
    from urlschemes_access.resources.asynchronous import AsyncDocument, AsyncListing, AsyncSession
    from urlschemes_access.resources.many import Result
    from urlschemes_access.resources.synchronous import Document, Listing, Session
    from urlschemes_access.trace_event import Tracer

__all__ = [
    "Arguments",
    "AsyncClient",
    "AsyncContent",
    "Client",
    "Content",
    "access",
    "delete",
    "download",
    "find_attributes",
    "operate",
    "replace",
    "update",
]

Content: TypeAlias = bytes | Iterable[bytes]
"""The content that an operation sends, whole or in pieces."""
AsyncContent: TypeAlias = Content | AsyncIterable[bytes]
"""As Content; the pieces may come from an asynchronous iterable."""


class Arguments(TypedDict, total=False):
    """The arguments of every operation besides the URL and the content; each overrides the setting of the client.

    None is the value of a client that was made without the setting: `credentials=None` switches credentials off.
    """

    policy: Policy | None
    """The policy; None: the client's. Its deadline, if it has one, overrides the client's."""
    deadline: float | None
    """The most seconds that the operation may take; it overrides the deadline of the policy."""
    credentials: Credentials | Authenticator | None
    """A function, called if a server requires a login; or, for one operation, credentials for the scheme, host and port
    of its URL."""
    ask: Asker | None
    """Called for the answers to a form if the server asks questions."""
    trace: Tracer | None
    """Called with each TraceEvent of the operation."""
    ssl_context: ssl.SSLContext | None
    """Used instead of the system's trusted certificates, and instead of the files that follow."""
    cacert: str | os.PathLike[str] | None
    """A file in PEM form with the certificates to trust, instead of the system's."""
    cert: str | os.PathLike[str] | None
    """A file in PEM form with the client's certificate."""
    key: str | os.PathLike[str] | None
    """A file in PEM form with the private key of `cert`, unless that file holds it."""
    options: Mapping[str, Any]
    """Options of the scheme; its record describes them."""


class AsyncArguments(TypedDict, total=False):
    """Like Arguments; `credentials` and `ask` may be coroutine functions."""

    policy: Policy | None
    deadline: float | None
    credentials: Credentials | Callable[[Authenticate], Credentials | Awaitable[Credentials | None] | None] | None
    ask: Callable[[Form], Answers | Awaitable[Answers | None] | None] | None
    trace: Tracer | None
    ssl_context: ssl.SSLContext | None
    cacert: str | os.PathLike[str] | None
    cert: str | os.PathLike[str] | None
    key: str | os.PathLike[str] | None
    options: Mapping[str, Any]


class Client(DialogueClient):
    """A client whose operations block.

    Its arguments are defaults for those of every operation: `policy`, `deadline`, `credentials`, `ask`, `trace`,
    `ssl_context`, `cacert`, `cert`, `key` (see `Arguments`). `registry` is by default the process's. `options` and
    `gateways` map the name of a scheme to its options and to the template of its gateway; they override those of
    `configuration`. No configuration file and no environment variable is read; `Client.from_configuration` does that.
    Raises ConfigurationError.

    After an operation of http, https, nntp, news or ftp, the client keeps the connection for the next operation on the
    same server: at most 2 for each host and 8 in all, for 15 seconds. `close`, or leaving a `with` block, closes them
    at once. With `keep_connections=False` none is kept. A client may be used by several threads.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections that are kept; those of open resources stay open. The client can be used again."""
        self._close_connections()

    def operate(
        self, operation: str, url: URL | str, content: Content | None = None, /, **arguments: Unpack[Arguments]
    ) -> Document | Listing | Session | Attributes:
        """Carry out an operation that the record of the URL's scheme names. `content` is what it sends, if anything.

        Raises UnsafeURL and PolicyDenied before anything is resolved or opened, AccessError if the access fails;
        UnsupportedOperation, UnknownScheme, PluginError; InvalidURL if `url` is a str that is not a URL. Exceptions of
        the caller's functions pass through.
        """
        return synchronous.run(self._begin(self._pool, operation, url, content, **arguments))

    def access(
        self,
        url: URL | str,
        *,
        range: Range | None = None,  # noqa: A002  the name of the option
        **arguments: Unpack[Arguments],
    ) -> Document | Listing | Session:
        """Open the resource as a Document, a Listing or a Session, for a `with` block.

        With `range`, only a part of a document is delivered; `attributes.start` says where it begins. Raises
        UnsupportedOperation if the scheme, the server or the resource has no ranges, and the errors of `operate`.
        """
        opened = self.operate("access", url, **_with_range(arguments, range))
        return cast("Document | Listing | Session", opened)

    def download(
        self,
        url: URL | str,
        path: str | os.PathLike[str],
        *,
        resume: bool = False,
        **arguments: Unpack[Arguments],
    ) -> Download:
        """Save the document at `url` as the file `path`, which gets its name when it is complete.

        With `resume`, the octets received are kept in `NAME.part` after an error or an interrupt, and the next such
        download continues there if the resource has not changed since; else it starts over, and the result says why.
        `NAME.part.json` describes the part. A file `path` of another program is continued, too, if it is newer than the
        resource. Raises UnsupportedOperation if the scheme has no ranges, or `url` is not that of a document;
        AccessError if the file cannot be written; and the errors of `access`.
        """
        if not resume:
            with self.access(url, **arguments) as resource:
                return Download(Path(path), document_of(resource).save(path))
        deadline = self.deadline_of(**_without_options(arguments))
        began = monotonic()
        with Part(path, url, timeout=deadline) as part:
            if part.needs_attributes:
                part.compare(self.find_attributes(url, **_without_options(arguments)))
            if deadline is not None:
                arguments["deadline"] = max(began + deadline - monotonic(), 0.001)
            with self.access(url, range=part.range, **arguments) as resource:
                return document_of(resource).save_part(part)

    def find_attributes(self, url: URL | str, **arguments: Unpack[Arguments]) -> Attributes:
        """Return the attributes of the resource, without its content. Errors: see `operate`."""
        return cast("Attributes", self.operate("find attributes", url, **arguments))

    def replace(self, url: URL | str, content: Content, /, **arguments: Unpack[Arguments]) -> Attributes:
        """Create the resource or replace its content, and return its attributes as the server reports them.

        Raises Indeterminate if it may or may not have been done; for other errors, see `operate`.
        """
        return cast("Attributes", self.operate("replace", url, content, **arguments))

    def update(self, url: URL | str, content: Content, /, **arguments: Unpack[Arguments]) -> Attributes:
        """Add `content` to the resource. Returns and raises as `replace`."""
        return cast("Attributes", self.operate("update", url, content, **arguments))

    def delete(self, url: URL | str, **arguments: Unpack[Arguments]) -> Attributes:
        """Delete the resource. Returns and raises as `replace`."""
        return cast("Attributes", self.operate("delete", url, **arguments))


class AsyncClient(DialogueClient):
    """A client for event loops of asyncio: every operation is awaited.

    Arguments and errors are those of Client. Connections are kept as by a Client; `aclose`, or leaving an `async with`
    block, closes them at once.
    """

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Like `Client.close`."""
        self._close_connections()

    async def operate(
        self,
        operation: str,
        url: URL | str,
        content: AsyncContent | None = None,
        /,
        **arguments: Unpack[AsyncArguments],
    ) -> AsyncDocument | AsyncListing | AsyncSession[Any] | Attributes:
        """Like `Client.operate`. `content` may be an asynchronous iterable.

        `trace` and an ordinary iterable are called on the loop and must not block.
        """
        from urlschemes_access.resources import asynchronous  # imports asyncio, which is heavy

        return await asynchronous.run(self._begin(self._pool, operation, url, content, **arguments))

    async def access(
        self,
        url: URL | str,
        *,
        range: Range | None = None,  # noqa: A002  the name of the option
        **arguments: Unpack[AsyncArguments],
    ) -> AsyncDocument | AsyncListing | AsyncSession[Any]:
        """Like `Client.access`, for an `async with` block."""
        resource = await self.operate("access", url, **_with_range(arguments, range))
        return cast("AsyncDocument | AsyncListing | AsyncSession[Any]", resource)

    async def access_many(
        self,
        urls: Iterable[URL | str],
        *,
        per_host: int = 4,
        total: int = 20,
        use: Callable[[Result], Awaitable[Any]] | None = None,
        **arguments: Unpack[AsyncArguments],
    ) -> AsyncGenerator[Result, None]:
        """Access many URLs at once, and yield a Result for each of them as they come, errors included.

            async for result in client.access_many(urls):
                if result.error is None:
                    print(result.url, len(await result.document.read()))

        At most `per_host` resources of one host and `total` in all are open or being opened. The resource of a result
        stays open until the next result is taken, or the iteration ends; close it earlier if you like. What it delivers
        is read in turn, then. To read several at the same time, pass `use`, a coroutine function that is called with
        each result as soon as its resource is open: the resource is closed when `use` returns, the result that is
        yielded has its `value`, and a URLError that it raises is the result's error. Other exceptions end the
        iteration.

        URLs are read as they are needed. If the task is cancelled or the iteration ends early, everything is closed:
        at once while a result is awaited or within `contextlib.aclosing`, else as soon as the iterator is collected.
        """
        from urlschemes_access.resources.many import Accesses  # imports asyncio, which is heavy

        self.check_function("credentials", arguments.get("credentials"))  # a login is for one server
        access = partial(self.access, **arguments)
        accesses = Accesses(self, access, urls, per_host=per_host, total=total, use=use)
        try:
            while (result := await accesses.next()) is not None:
                yield result
        finally:
            await accesses.close()

    async def download(
        self,
        url: URL | str,
        path: str | os.PathLike[str],
        *,
        resume: bool = False,
        **arguments: Unpack[AsyncArguments],
    ) -> Download:
        """Like `Client.download`; threads use the files."""
        from urlschemes_access.backends.event_loop import LoopBackend  # imports asyncio, which is heavy
        from urlschemes_access.resources.asynchronous import document_of

        if not resume:
            async with await self.access(url, **arguments) as resource:
                return Download(Path(path), await document_of(resource).save(path))
        deadline = self.deadline_of(**_without_options(arguments))
        began = monotonic()
        part = Part(path, url, timeout=deadline)
        await LoopBackend().in_thread(part.__enter__, None, Work(), lambda _: part.close())
        try:
            if part.needs_attributes:
                part.compare(await self.find_attributes(url, **_without_options(arguments)))
            if deadline is not None:
                arguments["deadline"] = max(began + deadline - monotonic(), 0.001)
            async with await self.access(url, range=part.range, **arguments) as resource:
                return await document_of(resource).save_part(part)
        finally:
            part.close()

    async def find_attributes(self, url: URL | str, **arguments: Unpack[AsyncArguments]) -> Attributes:
        """Like `Client.find_attributes`."""
        return cast("Attributes", await self.operate("find attributes", url, **arguments))

    async def replace(
        self, url: URL | str, content: AsyncContent, /, **arguments: Unpack[AsyncArguments]
    ) -> Attributes:
        """Like `Client.replace`."""
        return cast("Attributes", await self.operate("replace", url, content, **arguments))

    async def update(self, url: URL | str, content: AsyncContent, /, **arguments: Unpack[AsyncArguments]) -> Attributes:
        """Like `Client.update`."""
        return cast("Attributes", await self.operate("update", url, content, **arguments))

    async def delete(self, url: URL | str, **arguments: Unpack[AsyncArguments]) -> Attributes:
        """Like `Client.delete`."""
        return cast("Attributes", await self.operate("delete", url, **arguments))


class FunctionArguments(Arguments, total=False):
    """Like Arguments; `registry` is by default the process's."""

    registry: Registry | None


def _with_range(arguments: Any, range: Range | None) -> Any:  # noqa: A002  the name of the option
    """Return the arguments of an access with the option `range`, if one is given."""
    if range is None:
        return arguments
    return {**arguments, "options": {**(arguments.get("options") or {}), "range": range}}


def _without_options(arguments: Any) -> Any:
    """Return the arguments of an access for another operation, which may not have its options."""
    return {name: value for name, value in arguments.items() if name != "options"}


_default_client = Client(keep_connections=False)


def _client(registry: Registry | None) -> Client:
    return _default_client if registry is None else Client(registry=registry, keep_connections=False)


def operate(
    operation: str, url: URL | str, content: Content | None = None, /, **arguments: Unpack[FunctionArguments]
) -> Document | Listing | Session | Attributes:
    """Like `Client.operate`, with a client that has no settings."""
    client = _client(arguments.pop("registry", None))
    return client.operate(operation, url, content, **cast("Arguments", arguments))


def access(
    url: URL | str,
    *,
    range: Range | None = None,  # noqa: A002  the name of the option
    **arguments: Unpack[FunctionArguments],
) -> Document | Listing | Session:
    """Like `Client.access`, with a client that has no settings."""
    client = _client(arguments.pop("registry", None))
    return client.access(url, range=range, **cast("Arguments", arguments))


def download(
    url: URL | str,
    path: str | os.PathLike[str],
    *,
    resume: bool = False,
    **arguments: Unpack[FunctionArguments],
) -> Download:
    """Like `Client.download`, with a client that has no settings."""
    client = _client(arguments.pop("registry", None))
    return client.download(url, path, resume=resume, **cast("Arguments", arguments))


def find_attributes(url: URL | str, **arguments: Unpack[FunctionArguments]) -> Attributes:
    """Like `Client.find_attributes`, with a client that has no settings."""
    return cast("Attributes", operate("find attributes", url, **arguments))


def replace(url: URL | str, content: Content, /, **arguments: Unpack[FunctionArguments]) -> Attributes:
    """Like `Client.replace`, with a client that has no settings."""
    return cast("Attributes", operate("replace", url, content, **arguments))


def update(url: URL | str, content: Content, /, **arguments: Unpack[FunctionArguments]) -> Attributes:
    """Like `Client.update`, with a client that has no settings."""
    return cast("Attributes", operate("update", url, content, **arguments))


def delete(url: URL | str, **arguments: Unpack[FunctionArguments]) -> Attributes:
    """Like `Client.delete`, with a client that has no settings."""
    return cast("Attributes", operate("delete", url, **arguments))
