"""Clients carry out operations on URLs (RFC 1738 section 2), blocking or on an event loop.

    client = Client(policy=Policy.interactive())
    with client.open_document("ftp://host.dom/notes.txt") as document:
        text = document.read_text()

    async with await AsyncClient().open_document("ftp://host.dom/notes.txt") as document:
        text = await document.read_text()

Both run the same algorithms by the same rules and raise the same errors. On an event loop, only the import of a plugin
blocks; files and the resolver use threads. A cancelled task has closed its connections and files when it ends.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import monotonic
from types import NoneType
from typing import TYPE_CHECKING, Any, Self, TypeAlias, Unpack, cast

from urlschemes.errors import URLError, require_type
from urlschemes.registry.registry import Registry, registry_or_default
from urlschemes.url.value import URL
from urlschemes_access.attributes import Attributes
from urlschemes_access.backends.backend import drive
from urlschemes_access.backends.blocking import BlockingBackend
from urlschemes_access.backends.connection_pool import ConnectionPool
from urlschemes_access.backends.worker_threads import Work
from urlschemes_access.config_file import ConfigFile
from urlschemes_access.configuration import Configuration, Setting
from urlschemes_access.credentials import Credentials
from urlschemes_access.dialogue import Dialogue
from urlschemes_access.operations import Preparation, configuration_errors
from urlschemes_access.policy import Policy
from urlschemes_access.protocol.ranges import Range
from urlschemes_access.protocol.requests import Authenticate
from urlschemes_access.resources import synchronous
from urlschemes_access.resources.downloads import Download, Part
from urlschemes_access.resources.resource import AnyDocument, expected
from urlschemes_access.resources.synchronous import Document, Listing, Session
from urlschemes_access.settings import Arguments, AsyncArguments, Settings, SharedArguments, check_function

if TYPE_CHECKING:
    from urlschemes_access.backends.event_loop import LoopBackend
    from urlschemes_access.hooks import AccessHooks
    from urlschemes_access.resources.asynchronous import AsyncDocument, AsyncListing, AsyncSession
    from urlschemes_access.resources.many import Result

__all__ = [
    "Arguments",
    "AsyncArguments",
    "AsyncClient",
    "AsyncContent",
    "Client",
    "ClientBase",
    "Content",
    "access",
    "delete",
    "download",
    "find_attributes",
    "open_document",
    "open_listing",
    "open_session",
    "operate",
    "replace",
    "update",
]

Content: TypeAlias = bytes | Iterable[bytes]
"""The content that an operation sends, whole or in pieces."""
AsyncContent: TypeAlias = Content | AsyncIterable[bytes]
"""As Content; the pieces may come from an asynchronous iterable."""

_ASKED_FOR = frozenset({"credentials"})
"""The hooks that are called only if the caller wants it."""


class ClientBase:
    """The settings of a client's operations, and the connections that it keeps."""

    def __init__(
        self,
        *,
        configuration: Configuration | None = None,
        credentials: Any = None,
        ask: Any = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        gateways: Mapping[str, str] | None = None,
        keep_connections: bool = True,
        **settings: Unpack[SharedArguments],
    ) -> None:
        self.registry = registry_or_default(settings.pop("registry", None))
        require_type("configuration", configuration, Configuration, NoneType)
        self.configuration = (configuration or Configuration()).extended(options=options, gateways=gateways)
        check_function("credentials", credentials)
        if settings.get("policy") is None:
            settings["policy"] = self.configuration.policy()
        self.settings = Settings(self.configuration.tls_files() or None, credentials=credentials, ask=ask, **settings)
        self._hooks: AccessHooks | None = None
        self._pool = ConnectionPool() if keep_connections else None

    @classmethod
    def from_configuration(cls, file: ConfigFile | None = None, *, trust_env: bool = False, **arguments: Any) -> Self:
        """Make a client from a configuration file, by default the user's own.

        With `trust_env`, environment variables may set gateways and options. `arguments` are those of the class. Raises
        ConfigurationError.
        """
        configuration = Configuration.of(ConfigFile.load() if file is None else file, trust_env=trust_env)
        return cls(configuration=configuration, **arguments)

    @property
    def policy(self) -> Policy:
        """The policy of operations that are given none, with the deadline of the client."""
        return self.settings.policy

    def begin(
        self,
        operation: str,
        url: URL | str,
        content: Any = None,
        /,
        *,
        options: Mapping[str, Any] | None = None,
        registry: Registry | None = None,
        **arguments: Any,
    ) -> Dialogue:
        """Return the dialogue of an operation; nothing is resolved or opened yet. Arguments are those of `operate`.

        `resources.synchronous.run(dialogue, backend)` opens its resource with a backend of your own, an object with the
        methods of `backends.backend.Backend`; `await resources.asynchronous.run(dialogue, backend)` with one that
        suspends. Errors are those of `operate`.
        """
        registry = self.registry if registry is None else registry_or_default(registry)
        settings = self.settings.overridden(arguments) if arguments else self.settings
        return Preparation(
            operation, content, options or {}, settings, self.configuration, registry, self.hooks_in_use(registry)
        ).dialogue(url)

    def credentials_from_hooks(self, request: Authenticate) -> Credentials | None:
        """Return the credentials that an installed plugin knows; to be passed as `credentials`. Raises PluginError."""
        return self._hooks_of(self.registry).credentials(request)

    def hooks_in_use(self, registry: Registry) -> AccessHooks | None:
        """Return the hooks, if a plugin or the program implements one that is called in every operation."""
        sources = registry.hook_sources("urlschemes_access.hooks")
        if not any(source.names is None or source.names - _ASKED_FOR for source in sources):
            return None
        return self._hooks_of(registry)

    def _hooks_of(self, registry: Registry) -> AccessHooks:
        from urlschemes_access.hooks import AccessHooks  # imports pluggy, which is heavy

        if registry is not self.registry:
            return AccessHooks(registry)
        self._hooks = self._hooks or AccessHooks(registry)
        return self._hooks

    def describe_gateway(self, scheme: str) -> str | None:
        """Return the gateway of a scheme and its source; None if there is none. No plugin is imported."""
        setting = self.configuration.gateway(scheme)
        if setting is not None:
            return f"{setting.shown}, from {setting.source}"
        providers = [
            source.provider
            for source in self.registry.hook_sources()
            if source.names is not None and "gateway" in source.names
        ]
        return f"{' and '.join(sorted(providers))} may name one, by the hook urlschemes_gateway" if providers else None

    def check_configuration(self, settings: Iterable[Setting] | None = None) -> tuple[URLError, ...]:
        """Return an error for each setting that cannot be used with the installed schemes, which are imported.

        `settings` are by default all settings of the configuration.
        """
        checked = self.configuration.settings if settings is None else settings
        hooks = self.hooks_in_use(self.registry)
        return tuple(configuration_errors(checked, self.configuration, self.registry, hooks))

    def _close_connections(self) -> None:
        if self._pool is not None:
            self._pool.close()

    async def _download(
        self,
        operate: Callable[..., Any],
        backend: BlockingBackend | LoopBackend,
        url: URL | str,
        path: str | os.PathLike[str],
        *,
        resume: bool,
        arguments: Any,
    ) -> Download:
        """Save a document, for both clients, by means of their method `operate`."""

        async def operated(operation: str, **arguments: Any) -> Any:
            return await backend.call(partial(operate, operation, url, **arguments))

        if not resume:
            with _document(await operated("access", **arguments)) as document:
                return Download(Path(path), cast("int", await backend.call(partial(document.save, path))))
        others = {name: value for name, value in arguments.items() if name != "options"}
        settings = {name: value for name, value in others.items() if name != "registry"}
        deadline = self.settings.overridden(settings).policy.limits.deadline
        began = monotonic()
        part = Part(path, url, timeout=deadline)
        await backend.in_thread(part.__enter__, None, Work(), lambda _: part.close())
        try:
            if part.needs_attributes:
                part.compare(await operated("find attributes", **others))
            if deadline is not None:
                arguments["deadline"] = max(began + deadline - monotonic(), 0.001)
            arguments = _with_range(arguments, part.range)
            with _document(await operated("access", **arguments)) as document:
                return cast("Download", await backend.call(partial(document.save_part, part)))
        finally:
            part.close()


class Client(ClientBase):
    """A client whose operations block.

    Its arguments are defaults for those of every operation, which `Arguments` describes. But `options` and `gateways`
    map the name of a scheme to its options and to the template of its gateway; they override those of `configuration`.
    No configuration file and no environment variable is read; `Client.from_configuration` does that. Raises
    ConfigurationError.

    After an operation of http, https, nntp, news or ftp, the client keeps the connection for the next operation on the
    same server: at most 4 for each host and 20 in all, for 15 seconds. `close`, or leaving a `with` block, closes them
    at once. With `keep_connections=False` none is kept. A client may be used by several threads.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
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
        return synchronous.run(self.begin(operation, url, content, **arguments), pool=self._pool)

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

    def open_document(
        self,
        url: URL | str,
        *,
        range: Range | None = None,  # noqa: A002  the name of the option
        **arguments: Unpack[Arguments],
    ) -> Document:
        """Open a document as `access` does. Raises UnsupportedOperation for a listing or a session, and closes it."""
        return expected(self.access(url, range=range, **arguments), Document)

    def open_listing(self, url: URL | str, **arguments: Unpack[Arguments]) -> Listing:
        """Open a listing as `access` does. Raises UnsupportedOperation for a document or a session, and closes it."""
        return expected(self.access(url, **arguments), Listing)

    def open_session(self, url: URL | str, **arguments: Unpack[Arguments]) -> Session:
        """Open an interactive session, for a `with` block. Errors: see `operate`."""
        return cast("Session", self.operate("open session", url, **arguments))

    def download(
        self, url: URL | str, path: str | os.PathLike[str], *, resume: bool = False, **arguments: Unpack[Arguments]
    ) -> Download:
        """Save the document at `url` as the file `path`, which gets its name when it is complete.

        With `resume`, the octets received are kept in `NAME.part` after an error or an interrupt, and the next such
        download continues there if the resource has not changed since; else it starts over, and the result says why.
        `NAME.part.json` describes the part. A file `path` of another program is continued, too, if it is newer than the
        resource. Raises UnsupportedOperation if the scheme has no ranges, or `url` is not that of a document;
        AccessError if the file cannot be written; and the errors of `access`.
        """
        return drive(self._download(self.operate, BlockingBackend(), url, path, resume=resume, arguments=arguments))

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


class AsyncClient(ClientBase):
    """A client for event loops of asyncio: every operation is awaited.

    Arguments and errors are those of Client. Connections are kept as by a Client; `aclose`, or leaving an `async with`
    block, closes them at once.
    """

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
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

        return await asynchronous.run(self.begin(operation, url, content, **arguments), pool=self._pool)

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

    async def open_document(
        self,
        url: URL | str,
        *,
        range: Range | None = None,  # noqa: A002  the name of the option
        **arguments: Unpack[AsyncArguments],
    ) -> AsyncDocument:
        """Like `Client.open_document`, for an `async with` block."""
        from urlschemes_access.resources.asynchronous import AsyncDocument  # imports asyncio, which is heavy

        return expected(await self.access(url, range=range, **arguments), AsyncDocument)

    async def open_listing(self, url: URL | str, **arguments: Unpack[AsyncArguments]) -> AsyncListing:
        """Like `Client.open_listing`, for an `async with` block."""
        from urlschemes_access.resources.asynchronous import AsyncListing  # imports asyncio, which is heavy

        return expected(await self.access(url, **arguments), AsyncListing)

    async def open_session(self, url: URL | str, **arguments: Unpack[AsyncArguments]) -> AsyncSession[Any]:
        """Like `Client.open_session`, for an `async with` block."""
        return cast("AsyncSession[Any]", await self.operate("open session", url, **arguments))

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

        check_function("credentials", arguments.get("credentials"))  # a login is for one server
        access = partial(self.access, **arguments)
        accesses = Accesses(self.registry, self.configuration, access, urls, per_host, total, use)
        try:
            while (result := await accesses.next()) is not None:
                yield result
        finally:
            await accesses.close()

    async def download(
        self, url: URL | str, path: str | os.PathLike[str], *, resume: bool = False, **arguments: Unpack[AsyncArguments]
    ) -> Download:
        """Like `Client.download`; threads use the files."""
        from urlschemes_access.backends.event_loop import LoopBackend  # imports asyncio, which is heavy

        return await self._download(self.operate, LoopBackend(), url, path, resume=resume, arguments=arguments)

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


def _with_range(arguments: Any, range: Range | None) -> Any:  # noqa: A002  the name of the option
    """Return the arguments of an access with the option `range`, if one is given."""
    if range is None:
        return arguments
    return {**arguments, "options": {**(arguments.get("options") or {}), "range": range}}


@contextmanager
def _document(resource: Any) -> Iterator[Any]:
    """Return what closes a document at the end. Raises UnsupportedOperation for another resource, and closes it."""
    try:
        yield expected(resource, AnyDocument)
    finally:
        resource._close_now()  # noqa: SLF001  which both kinds of documents have


# The methods of a client that has no settings.
_client = Client(keep_connections=False)
operate = _client.operate
access = _client.access
open_document = _client.open_document
open_listing = _client.open_listing
open_session = _client.open_session
download = _client.download
find_attributes = _client.find_attributes
replace = _client.replace
update = _client.update
delete = _client.delete
