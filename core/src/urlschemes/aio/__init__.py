"""Operations for programs on an event loop of asyncio: the same algorithms, rules and errors as those that block.

    async with await urlschemes.aio.access("ftp://host.dom/notes.txt") as document:
        print(await document.read_text())

Nothing blocks the loop but for the moments in which a plugin is imported; files and the resolver get threads of their
own. A task that is cancelled, at whatever point, has closed its connections and files when it ends. Of asyncio's loops
those will do that watch sockets: all but Windows's ProactorEventLoop.

The rooms, from the top:

    resource.py     AsyncDocument, AsyncListing, AsyncSession; `run`, which opens them
    backend.py      the steps of a dialogue, performed
    channels.py     connections, clear and under TLS; datagrams
    threads.py      what blocks, in a thread beside the loop
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from urlschemes import default
from urlschemes.aio.resource import AsyncDocument, AsyncListing, AsyncSession, run
from urlschemes.signatures import like, like_with_content
from urlschemes.terms import Content, Terms

if TYPE_CHECKING:
    import ssl

    from urlschemes.attributes import Attributes
    from urlschemes.policy import Policy
    from urlschemes.questions import Answers, Credentials, Form
    from urlschemes.registry import Registry
    from urlschemes.terms import Asker, Authenticator, Tracer
    from urlschemes.url import URL
    from urlschemes.wire import Authenticate

__all__ = [
    "AsyncAsker",
    "AsyncAuthenticator",
    "AsyncContent",
    "AsyncDocument",
    "AsyncListing",
    "AsyncOperations",
    "AsyncSession",
    "access",
    "delete",
    "find_attributes",
    "operate",
    "replace",
    "update",
]

AsyncContent: TypeAlias = Content | AsyncIterable[bytes]
"""What an operation sends: octets, whole or in pieces."""
AsyncAuthenticator: TypeAlias = "Callable[[Authenticate], Credentials | Awaitable[Credentials | None] | None]"
"""Who is asked for a user name and a password: a function, or a coroutine function, which may take its time."""
AsyncAsker: TypeAlias = "Callable[[Form], Answers | Awaitable[Answers]]"
"""Who answers the questions of a form, likewise."""


class AsyncOperations:
    """The operations of one registry, on the event loop that runs where they are awaited."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def operate(
        self,
        operation: str,
        url: URL | str,
        content: AsyncContent | None = None,
        /,
        *,
        policy: Policy | None = None,
        deadline: float | None = None,
        credentials: AsyncAuthenticator | None = None,
        ask: AsyncAsker | None = None,
        trace: Tracer | None = None,
        ssl_context: ssl.SSLContext | None = None,
        **options: Any,
    ) -> AsyncDocument | AsyncListing | AsyncSession[Any] | Attributes:
        """As `Registry.operate`. `credentials` and `ask` may be coroutine functions, `content` may come asynchronously.

        Whatever they are, a function that blocks blocks the loop: `trace`, an iterable of octets.
        """
        registry = self._registry
        terms = Terms(
            policy=policy or registry.configuration.policy(),
            deadline=deadline,
            credentials=cast("Authenticator | None", credentials),
            ask=cast("Asker | None", ask),
            trace=trace,
            ssl_context=ssl_context,
            content=cast("Content | None", content),
        )
        return await run(registry.begin(operation, url, terms, options))

    @like(operate)
    async def access(self, url: URL | str, **terms: Any) -> AsyncDocument | AsyncListing | AsyncSession[Any]:
        """As `Registry.access`: an AsyncDocument, an AsyncListing or an AsyncSession, for an `async with` block."""
        resource = await self.operate("access", url, **terms)
        return cast("AsyncDocument | AsyncListing | AsyncSession[Any]", resource)

    @like(operate)
    async def find_attributes(self, url: URL | str, **terms: Any) -> Attributes:
        """As `Registry.find_attributes`."""
        return cast("Attributes", await self.operate("find attributes", url, **terms))

    @like_with_content(operate)
    async def replace(self, url: URL | str, content: AsyncContent, /, **terms: Any) -> Attributes:
        """As `Registry.replace`."""
        return cast("Attributes", await self.operate("replace", url, content, **terms))

    @like_with_content(operate)
    async def update(self, url: URL | str, content: AsyncContent, /, **terms: Any) -> Attributes:
        """As `Registry.update`."""
        return cast("Attributes", await self.operate("update", url, content, **terms))

    @like(operate)
    async def delete(self, url: URL | str, **terms: Any) -> Attributes:
        """As `Registry.delete`."""
        return cast("Attributes", await self.operate("delete", url, **terms))


_default = AsyncOperations(default.registry)
access = _default.access
find_attributes = _default.find_attributes
replace = _default.replace
update = _default.update
delete = _default.delete
operate = _default.operate
