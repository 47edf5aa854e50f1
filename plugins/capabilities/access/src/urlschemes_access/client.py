"""Clients: what carries out operations on URLs (RFC 1738 section 2), blocking or on an event loop.

    client = Client(policy=Policy.interactive())
    with client.access("ftp://host.dom/notes.txt") as document:
        print(document.read_text())

    async with await AsyncClient().access("ftp://host.dom/notes.txt") as document:
        print(await document.read_text())

Both run the same algorithms by the same rules and raise the same errors. On an event loop, nothing blocks but the import of
a plugin; files and the resolver use threads. A cancelled task has closed its connections and files when it ends.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypedDict, Unpack, cast

from urlschemes import default_registry
from urlschemes.storage.config_file import ConfigFile
from urlschemes_access.backends import blocking
from urlschemes_access.configuration import Configuration
from urlschemes_access.credentials import Asker, Authenticator
from urlschemes_access.hooks import AccessHooks
from urlschemes_access.operation_arguments import Content, Terms
from urlschemes_access.operations import Operations
from urlschemes_access.policy import Policy
from urlschemes_access.trace_event import Tracer

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable, Callable

    from urlschemes.errors import URLError
    from urlschemes.registry.registry import Registry
    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Attributes
    from urlschemes_access.credentials import Answers, Credentials, Form
    from urlschemes_access.dialogue import Dialogue
    from urlschemes_access.protocol.requests import Authenticate
    from urlschemes_access.resources.asynchronous import AsyncDocument, AsyncListing, AsyncSession
    from urlschemes_access.resources.synchronous import Document, Listing, Session

__all__ = [
    "AsyncClient",
    "AsyncContent",
    "Client",
    "access",
    "delete",
    "find_attributes",
    "operate",
    "replace",
    "update",
]

AsyncContent: TypeAlias = Content | AsyncIterable[bytes]
"""What an operation sends: octets, whole or in pieces."""


class Arguments(TypedDict, total=False):
    """What every operation of a client takes beside the URL and the content; each replaces the client's own."""

    policy: Policy | None
    """What is allowed."""
    deadline: float | None
    """Seconds that the operation may take in all."""
    credentials: Authenticator | None
    """Called for a user name and a password if the server wants them."""
    ask: Asker | None
    """Called for the answers to a form if the server asks questions."""
    trace: Tracer | None
    """Called with each TraceEvent: what goes over the wire."""
    ssl_context: ssl.SSLContext | None
    """Used in place of the system's trust."""
    options: Mapping[str, Any]
    """Options of the scheme: its record describes them."""


class AsyncArguments(TypedDict, total=False):
    """As Arguments; `credentials` and `ask` may be coroutine functions."""

    policy: Policy | None
    deadline: float | None
    credentials: Callable[[Authenticate], Credentials | Awaitable[Credentials | None] | None] | None
    ask: Callable[[Form], Answers | Awaitable[Answers]] | None
    trace: Tracer | None
    ssl_context: ssl.SSLContext | None
    options: Mapping[str, Any]


class _AnyClient:
    """What both clients have in common."""

    def __init__(
        self,
        *,
        registry: Registry | None = None,
        configuration: Configuration | None = None,
        policy: Policy | None = None,
        deadline: float | None = None,
        credentials: Any = None,
        ask: Any = None,
        trace: Tracer | None = None,
        ssl_context: ssl.SSLContext | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        gateways: Mapping[str, str] | None = None,
    ) -> None:
        self.registry = default_registry if registry is None else registry
        self.configuration = (configuration or Configuration()).extended(options=options, gateways=gateways)
        self.policy = policy or self.configuration.policy()
        self.deadline = deadline
        self.credentials = credentials
        self.ask = ask
        self.trace = trace
        self.ssl_context = ssl_context
        self._hooks: AccessHooks | None = None
        self._operations = Operations(self.registry, self.configuration, self._hooks_in_use)

    @classmethod
    def from_configuration(cls, file: ConfigFile | None = None, *, trust_env: bool = False, **arguments: Any) -> Self:
        """Make a client as a configuration file says; by default the user's own.

        With `trust_env`, environment variables may name gateways and options. `arguments` are those of the class. Raises
        ConfigurationError.
        """
        configuration = Configuration.of(ConfigFile.load() if file is None else file, trust_env=trust_env)
        return cls(configuration=configuration, **arguments)

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
        """Return the dialogue of an operation, for a backend of one's own; nothing is resolved or opened yet.

        Arguments and errors are those of `operate`.
        """
        unknown = arguments.keys() - Arguments.__annotations__.keys()
        if unknown:
            raise TypeError(
                f"an operation takes no argument {min(unknown)!r}: options of the scheme go into options={{...}}"
            )
        terms = Terms(
            policy=arguments.get("policy") or self.policy,
            deadline=arguments.get("deadline", self.deadline),
            credentials=arguments.get("credentials") or self.credentials,
            ask=arguments.get("ask") or self.ask,
            trace=arguments.get("trace") or self.trace,
            ssl_context=arguments.get("ssl_context") or self.ssl_context,
            content=content,
        )
        return self._operations.begin(operation, url, terms, options or {})

    def credentials_from_hooks(self, request: Authenticate) -> Credentials | None:
        """Return what installed plugins know: to be passed as `credentials`. Raises PluginError."""
        return AccessHooks(self.registry).credentials(request)

    def describe_gateway(self, scheme: str) -> str | None:
        """Return the gateway of a scheme and its source, in words; None if there is none. Nothing is imported."""
        setting = self.configuration.gateway(scheme)
        if setting is not None:
            return f"{setting.shown}, from {setting.source}"
        providers = [
            source.provider
            for source in self.registry.hook_sources()
            if source.names is not None and "gateway" in source.names
        ]
        return f"{' and '.join(sorted(providers))} may name one, by the hook urlschemes_gateway" if providers else None

    def check_configuration(self) -> tuple[URLError, ...]:
        """Return what of the configuration cannot be used with the installed schemes, which are imported."""
        return tuple(self._operations.faults())

    def _hooks_in_use(self) -> AccessHooks | None:
        """Return the hooks, if some plugin or the program implements one that takes part in every access."""
        taking_part = {"veto", "gateway", "observe"}
        if not any(source.names is None or source.names & taking_part for source in self.registry.hook_sources()):
            return None
        self._hooks = self._hooks or AccessHooks(self.registry)
        return self._hooks


class Client(_AnyClient):
    """A client: it carries out operations, and blocks while it does.

    Its arguments are defaults for those of every operation: `policy`, `deadline`, `credentials`, `ask`, `trace`,
    `ssl_context` (see `Arguments`). `registry` is the process's unless another is given. `options` holds options of
    schemes, `gateways` templates of gateways, each by the scheme's name; what they do not say, `configuration` may. No
    file and no environment variable is read: `Client.from_configuration` does that. Raises ConfigurationError.
    """

    def operate(
        self, operation: str, url: URL | str, content: Content | None = None, /, **arguments: Unpack[Arguments]
    ) -> Document | Listing | Session | Attributes:
        """Carry out an operation on what `url` locates: one that the record of its scheme names.

        `content` is what the operation sends, if it sends any: octets, or an iterable of octets.

        Raises UnsafeURL and PolicyDenied before anything is resolved or opened, AccessError for what goes wrong then,
        UnsupportedOperation, UnknownScheme, PluginError; InvalidURL if `url` is a text that is not a URL. An exception of
        a function of the caller's passes through.
        """
        return blocking.run(self.begin(operation, url, content, **arguments))

    def access(self, url: URL | str, **arguments: Unpack[Arguments]) -> Document | Listing | Session:
        """Access what `url` locates: a Document, a Listing or a Session, for a `with` block. Errors: see `operate`."""
        return cast("Document | Listing | Session", self.operate("access", url, **arguments))

    def find_attributes(self, url: URL | str, **arguments: Unpack[Arguments]) -> Attributes:
        """Return what is known of what `url` locates, without its content. Errors: see `operate`."""
        return cast("Attributes", self.operate("find attributes", url, **arguments))

    def replace(self, url: URL | str, content: Content, /, **arguments: Unpack[Arguments]) -> Attributes:
        """Put `content` in the place of what `url` locates, or where nothing is yet.

        Returns what the server says of it. Raises Indeterminate if it cannot be known whether it was done; for other
        errors, see `operate`.
        """
        return cast("Attributes", self.operate("replace", url, content, **arguments))

    def update(self, url: URL | str, content: Content, /, **arguments: Unpack[Arguments]) -> Attributes:
        """Add `content` to what `url` locates. Returns and raises as `replace`."""
        return cast("Attributes", self.operate("update", url, content, **arguments))

    def delete(self, url: URL | str, **arguments: Unpack[Arguments]) -> Attributes:
        """Delete what `url` locates. Returns and raises as `replace`."""
        return cast("Attributes", self.operate("delete", url, **arguments))


class AsyncClient(_AnyClient):
    """As Client, for programs on an event loop of asyncio: every operation is awaited."""

    async def operate(
        self,
        operation: str,
        url: URL | str,
        content: AsyncContent | None = None,
        /,
        **arguments: Unpack[AsyncArguments],
    ) -> AsyncDocument | AsyncListing | AsyncSession[Any] | Attributes:
        """As `Client.operate`. `content` may be an asynchronous iterable.

        A function that blocks blocks the loop: `trace`, or an iterable of octets.
        """
        from urlschemes_access.resources import asynchronous  # asyncio takes longer to import than all else

        return await asynchronous.run(self.begin(operation, url, content, **arguments))

    async def access(
        self, url: URL | str, **arguments: Unpack[AsyncArguments]
    ) -> AsyncDocument | AsyncListing | AsyncSession[Any]:
        """As `Client.access`: an AsyncDocument, an AsyncListing or an AsyncSession, for an `async with` block."""
        resource = await self.operate("access", url, **arguments)
        return cast("AsyncDocument | AsyncListing | AsyncSession[Any]", resource)

    async def find_attributes(self, url: URL | str, **arguments: Unpack[AsyncArguments]) -> Attributes:
        """As `Client.find_attributes`."""
        return cast("Attributes", await self.operate("find attributes", url, **arguments))

    async def replace(
        self, url: URL | str, content: AsyncContent, /, **arguments: Unpack[AsyncArguments]
    ) -> Attributes:
        """As `Client.replace`."""
        return cast("Attributes", await self.operate("replace", url, content, **arguments))

    async def update(self, url: URL | str, content: AsyncContent, /, **arguments: Unpack[AsyncArguments]) -> Attributes:
        """As `Client.update`."""
        return cast("Attributes", await self.operate("update", url, content, **arguments))

    async def delete(self, url: URL | str, **arguments: Unpack[AsyncArguments]) -> Attributes:
        """As `Client.delete`."""
        return cast("Attributes", await self.operate("delete", url, **arguments))


class FunctionArguments(Arguments, total=False):
    """As Arguments; `registry` takes the place of the process's own."""

    registry: Registry | None


_default_client = Client()


def _client(registry: Registry | None) -> Client:
    return _default_client if registry is None else Client(registry=registry)


def operate(
    operation: str, url: URL | str, content: Content | None = None, /, **arguments: Unpack[FunctionArguments]
) -> Document | Listing | Session | Attributes:
    """As `Client.operate`, with a client that has no settings of its own."""
    client = _client(arguments.pop("registry", None))
    return client.operate(operation, url, content, **cast("Arguments", arguments))


def access(url: URL | str, **arguments: Unpack[FunctionArguments]) -> Document | Listing | Session:
    """As `Client.access`, with a client that has no settings of its own."""
    return cast("Document | Listing | Session", operate("access", url, **arguments))


def find_attributes(url: URL | str, **arguments: Unpack[FunctionArguments]) -> Attributes:
    """As `Client.find_attributes`, with a client that has no settings of its own."""
    return cast("Attributes", operate("find attributes", url, **arguments))


def replace(url: URL | str, content: Content, /, **arguments: Unpack[FunctionArguments]) -> Attributes:
    """As `Client.replace`, with a client that has no settings of its own."""
    return cast("Attributes", operate("replace", url, content, **arguments))


def update(url: URL | str, content: Content, /, **arguments: Unpack[FunctionArguments]) -> Attributes:
    """As `Client.update`, with a client that has no settings of its own."""
    return cast("Attributes", operate("update", url, content, **arguments))


def delete(url: URL | str, **arguments: Unpack[FunctionArguments]) -> Attributes:
    """As `Client.delete`, with a client that has no settings of its own."""
    return cast("Attributes", operate("delete", url, **arguments))
