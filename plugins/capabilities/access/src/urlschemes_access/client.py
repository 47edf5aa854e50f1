"""Clients carry out operations on URLs (RFC 1738 section 2), blocking or on an event loop.

    client = Client(policy=Policy.interactive())
    with client.access("ftp://host.dom/notes.txt") as document:
        print(document.read_text())

    async with await AsyncClient().access("ftp://host.dom/notes.txt") as document:
        print(await document.read_text())

Both run the same algorithms by the same rules and raise the same errors. On an event loop, only the import of a plugin
blocks; files and the resolver use threads. A cancelled task has closed its connections and files when it ends.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Unpack, cast

from urlschemes_access.backends import blocking
from urlschemes_access.client_base import ClientBase
from urlschemes_access.operations import Operation, configuration_errors

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable, Callable

    from urlschemes.errors import URLError
    from urlschemes.registry.registry import Registry
    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Attributes
    from urlschemes_access.credentials import Answers, Asker, Authenticator, Credentials, Form
    from urlschemes_access.dialogue import Dialogue
    from urlschemes_access.policy import Policy
    from urlschemes_access.protocol.requests import Authenticate
    from urlschemes_access.resources.asynchronous import AsyncDocument, AsyncListing, AsyncSession
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
    """The arguments of every operation beside the URL and the content; each overrides the setting of the client."""

    policy: Policy | None
    """The policy: what may be reached, and the limits."""
    deadline: float | None
    """The most seconds that the operation may take."""
    credentials: Authenticator | None
    """Called for a user name and a password if the server requires a login."""
    ask: Asker | None
    """Called for the answers to a form if the server asks questions."""
    trace: Tracer | None
    """Called with each TraceEvent of the operation."""
    ssl_context: ssl.SSLContext | None
    """Used instead of the system's trusted certificates."""
    options: Mapping[str, Any]
    """Options of the scheme; its record describes them."""


class AsyncArguments(TypedDict, total=False):
    """Like Arguments; `credentials` and `ask` may be coroutine functions."""

    policy: Policy | None
    deadline: float | None
    credentials: Callable[[Authenticate], Credentials | Awaitable[Credentials | None] | None] | None
    ask: Callable[[Form], Answers | Awaitable[Answers]] | None
    trace: Tracer | None
    ssl_context: ssl.SSLContext | None
    options: Mapping[str, Any]


class _ClientWithOperations(ClientBase):
    """A client that can begin operations."""

    def begin(
        self,
        operation: str,
        url: URL | str,
        content: Any = None,
        /,
        *,
        options: Mapping[str, Any] | None = None,
        **arguments: Any,
    ) -> Dialogue:
        """Return the dialogue of an operation, for a backend of your own; nothing is resolved or opened yet.

        Arguments and errors are those of `operate`.
        """
        unknown = arguments.keys() - Arguments.__annotations__.keys()
        if unknown:
            raise TypeError(f"unknown argument {min(unknown)!r}: pass the options of a scheme as options={{...}}")
        client = self.with_settings(**arguments)
        return Operation(client, operation, options=options or {}, content=content).begin(url)

    def check_configuration(self) -> tuple[URLError, ...]:
        """Return an error for each setting that cannot be used with the installed schemes, which are imported."""
        return tuple(configuration_errors(self))


class Client(_ClientWithOperations):
    """A client whose operations block.

    Its arguments are defaults for those of every operation: `policy`, `deadline`, `credentials`, `ask`, `trace`,
    `ssl_context` (see `Arguments`). `registry` is by default the process's. `options` and `gateways` map the name of a
    scheme to its options and to the template of its gateway; they override those of `configuration`. No file and no
    environment variable is read; `Client.from_configuration` does that. Raises ConfigurationError.
    """

    def operate(
        self, operation: str, url: URL | str, content: Content | None = None, /, **arguments: Unpack[Arguments]
    ) -> Document | Listing | Session | Attributes:
        """Carry out an operation that the record of the URL's scheme names. `content` is what it sends, if anything.

        Raises UnsafeURL and PolicyDenied before anything is resolved or opened, AccessError if the access fails;
        UnsupportedOperation, UnknownScheme, PluginError; InvalidURL if `url` is a str that is not a URL. Exceptions of
        the caller's functions pass through.
        """
        return blocking.run(self.begin(operation, url, content, **arguments))

    def access(self, url: URL | str, **arguments: Unpack[Arguments]) -> Document | Listing | Session:
        """Open the resource as a Document, a Listing or a Session, for a `with` block. Errors: see `operate`."""
        return cast("Document | Listing | Session", self.operate("access", url, **arguments))

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


class AsyncClient(_ClientWithOperations):
    """A client for event loops of asyncio: every operation is awaited. Arguments and errors are those of Client."""

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

        return await asynchronous.run(self.begin(operation, url, content, **arguments))

    async def access(
        self, url: URL | str, **arguments: Unpack[AsyncArguments]
    ) -> AsyncDocument | AsyncListing | AsyncSession[Any]:
        """Like `Client.access`, for an `async with` block."""
        resource = await self.operate("access", url, **arguments)
        return cast("AsyncDocument | AsyncListing | AsyncSession[Any]", resource)

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


_default_client = Client()


def _client(registry: Registry | None) -> Client:
    return _default_client if registry is None else Client(registry=registry)


def operate(
    operation: str, url: URL | str, content: Content | None = None, /, **arguments: Unpack[FunctionArguments]
) -> Document | Listing | Session | Attributes:
    """Like `Client.operate`, with a client that has no settings."""
    client = _client(arguments.pop("registry", None))
    return client.operate(operation, url, content, **cast("Arguments", arguments))


def access(url: URL | str, **arguments: Unpack[FunctionArguments]) -> Document | Listing | Session:
    """Like `Client.access`, with a client that has no settings."""
    return cast("Document | Listing | Session", operate("access", url, **arguments))


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
