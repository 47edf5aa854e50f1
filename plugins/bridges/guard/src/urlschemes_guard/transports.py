"""The code of the modules for httpx and httpx2, whose names are alike: each derives its classes from these.

A transport is httpcore's pool with a network backend that resolves, checks, dials and counts. All else is httpx's own.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import idna

from urlschemes.errors import UnsafeURL
from urlschemes_access.guard import Guard, Visit
from urlschemes_guard.connections import AsyncBackend, Backend, within
from urlschemes_guard.decoding import Decoding, accepted, accepts
from urlschemes_guard.request import Progress, Refusal, check_url

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Iterator

    import httpx

    from urlschemes import Registry
    from urlschemes_access import Policy

__all__ = [
    "AsyncContent",
    "AsyncGuardedClient",
    "AsyncTransport",
    "ClientProgress",
    "Content",
    "GuardedClient",
    "Transport",
]

_VISIT = "urlschemes_visit"
"""The extension of a request that holds its visit: httpx gives the request of a redirect those of the one before."""
_OF_TRANSPORTS = ("verify", "cert", "trust_env", "http1", "http2", "limits")
_Request = TypeVar("_Request")
_Response = TypeVar("_Response")


class ClientProgress(Progress):
    """A request in progress: errors of urlschemes and httpcore are raised as those of httpx.

    The class of a module names its library, its httpcore, and its classes for the content of a response.
    """

    __slots__ = ()
    library: Any
    core: Any
    content: type[Content]
    async_content: type[AsyncContent]

    def _raise_as_own(self, error: BaseException) -> None:
        super()._raise_as_own(error)
        for each in type(error).__mro__:
            of_httpcore = each.__module__.startswith(self.core.__name__)
            same = getattr(self.library, each.__name__, None) if of_httpcore else None
            if same is not None:
                raise same(str(error), **self._details) from error


class Transport(Generic[_Request, _Response]):
    """A transport of httpx that obeys a policy."""

    _progress: ClassVar[type[ClientProgress]]

    def __init__(self, policy: Policy | None = None, *, registry: Registry | None = None, **options: Any) -> None:
        _check_options(options, "proxy", "uds")
        self._guard = Guard(policy, registry)
        core = self._progress.core
        self._pool = core.ConnectionPool(
            network_backend=Backend(core), **_pool_options(self._progress.library, **options)
        )

    def handle_request(self, request: _Request) -> _Response:
        """Send a request and return its response. Raises RequestRefused, and what httpx raises."""
        with _progress_of(self._progress, self._guard, request) as progress:
            answer = self._pool.handle_request(_checked(progress, request))
            response: _Response = _answer(answer, progress.content, progress, request)
            return response

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class AsyncTransport(Generic[_Request, _Response]):
    """The same on asyncio and trio."""

    _progress: ClassVar[type[ClientProgress]]

    def __init__(self, policy: Policy | None = None, *, registry: Registry | None = None, **options: Any) -> None:
        _check_options(options, "proxy", "uds")
        self._guard = Guard(policy, registry)
        self._shared = bool(options.get("http2"))
        core = self._progress.core
        backend = AsyncBackend(core, shared=self._shared)
        self._pool = core.AsyncConnectionPool(
            network_backend=backend, **_pool_options(self._progress.library, **options)
        )

    async def handle_async_request(self, request: _Request) -> _Response:
        """Send a request and return its response. Raises RequestRefused, and what httpx raises."""
        with _progress_of(self._progress, self._guard, request) as progress:
            answer = await within(progress, self._pool.handle_async_request, _checked(progress, request))
            content = partial(progress.async_content, shared=self._shared)
            response: _Response = _answer(answer, content, progress, request)
            return response

    async def aclose(self) -> None:
        """Close all connections."""
        await self._pool.aclose()


class _Guarded(Generic[_Request]):
    _transport_class: ClassVar[type[Transport[Any, Any] | AsyncTransport[Any, Any]]]
    _refused: ClassVar[type[Refusal]]

    def __init__(self, *, policy: Policy | None = None, registry: Registry | None = None, **options: Any) -> None:
        transport = self._transport_class(policy, registry=registry, **_taken(options))
        client: Any = super()
        client.__init__(transport=transport, **options)

    def build_request(self, *arguments: Any, **options: Any) -> _Request:
        """Return a request. Raises RequestRefused, and what httpx raises."""
        client: Any = super()
        with self._hosts_decoded():
            request: _Request = client.build_request(*arguments, **options)
            return request

    @contextmanager
    def _hosts_decoded(self, **details: Any) -> Iterator[None]:
        """Raise RequestRefused for a host that httpx cannot decode, before any transport sees it."""
        try:
            yield
        except idna.IDNAError as error:
            refusal = UnsafeURL(f"the host is no domain name: {error}", part="host")
            raise self._refused.of(refusal, **details) from error


class GuardedClient(_Guarded[_Request], Generic[_Request, _Response]):
    """A client of httpx whose every request obeys a policy."""

    def send(self, request: _Request, **options: Any) -> _Response:
        """Send a request and its redirects. Raises RequestRefused, and what httpx raises."""
        client: Any = super()
        with self._hosts_decoded(request=request):
            response: _Response = client.send(request, **options)
            return response


class AsyncGuardedClient(_Guarded[_Request], Generic[_Request, _Response]):
    """The same on asyncio and trio."""

    async def send(self, request: _Request, **options: Any) -> _Response:
        """Send a request and its redirects. Raises RequestRefused, and what httpx raises."""
        client: Any = super()
        with self._hosts_decoded(request=request):
            response: _Response = await client.send(request, **options)
            return response


class Content:
    """The content of a response, counted and decoded."""

    def __init__(self, stream: Any, progress: Progress, decoding: Decoding | None) -> None:
        self._stream, self._progress, self._decoding = stream, progress, decoding

    def __iter__(self) -> Iterator[bytes]:
        octets, progress, visit = iter(self._stream), self._progress, self._progress.visit
        while True:
            with progress:
                piece = next(octets, None)
                if piece is None:
                    return
                visit.add_received(len(piece))
                if self._decoding is None:
                    visit.add_content(len(piece))
            if self._decoding is None:
                yield piece
            else:
                yield from _decoded(piece, progress, self._decoding)

    def close(self) -> None:
        """Close the response."""
        self._stream.close()


class AsyncContent:
    """The same on an event loop. `shared`: another task may read what is for this one."""

    def __init__(self, stream: Any, progress: Progress, decoding: Decoding | None, *, shared: bool) -> None:
        self._stream, self._progress, self._decoding, self._shared = stream, progress, decoding, shared

    async def __aiter__(self) -> AsyncIterator[bytes]:
        octets, progress, visit = aiter(self._stream), self._progress, self._progress.visit
        while True:
            with progress:
                piece = await (within(progress, anext, octets, None) if self._shared else anext(octets, None))
                if piece is None:
                    return
                visit.add_received(len(piece))
                if self._decoding is None:
                    visit.add_content(len(piece))
            if self._decoding is None:
                yield piece
            else:
                for each in _decoded(piece, progress, self._decoding):
                    yield each

    async def aclose(self) -> None:
        """Close the response."""
        await self._stream.aclose()


def _pool_options(
    library: Any,
    *,
    verify: ssl.SSLContext | str | bool = True,
    cert: Any = None,
    trust_env: bool = True,
    http1: bool = True,
    http2: bool = False,
    limits: httpx.Limits | None = None,
    local_address: str | None = None,
    retries: int = 0,
    socket_options: Any = None,
) -> dict[str, Any]:
    """Return the arguments of a transport as those of httpcore's pool."""
    limits = limits or library.Limits(max_connections=100, max_keepalive_connections=20)
    return {
        "ssl_context": library.create_ssl_context(verify=verify, cert=cert, trust_env=trust_env),
        "max_connections": limits.max_connections,
        "max_keepalive_connections": limits.max_keepalive_connections,
        "keepalive_expiry": limits.keepalive_expiry,
        "http1": http1,
        "http2": http2,
        "local_address": local_address,
        "retries": retries,
        "socket_options": socket_options,
    }


def _taken(options: dict[str, Any]) -> dict[str, Any]:
    """Take the arguments of a transport from those of a client."""
    _check_options(options, "proxy", "mounts", "transport")
    return {name: options.pop(name) for name in _OF_TRANSPORTS if name in options}


def _check_options(options: dict[str, Any], *denied: str) -> None:
    """Raise TypeError for an argument that leads around the policy."""
    for name in denied:
        if options.pop(name, None) is not None:
            raise TypeError(f"{name}= leads around the policy: leave it out, or use another client for it")


def _progress_of(kind: type[ClientProgress], guard: Guard, request: Any) -> ClientProgress:
    """Return a request in progress: in the visit of the one that was redirected to it, if there is one."""
    visit = request.extensions.get(_VISIT)
    if not isinstance(visit, Visit):
        visit = request.extensions[_VISIT] = guard.visit()
    return kind(visit, request=request)


def _checked(progress: ClientProgress, request: Any) -> Any:
    """Return a request of httpcore, once its URL is checked."""
    url, visit = request.url, progress.visit
    host, port, target = url.raw_host, url.port, url.raw_path
    check_url(
        visit,
        url.scheme,
        host.decode("ascii"),
        port,
        target=target.decode("ascii"),
        text=url,
        user_information=bool(url.userinfo),
    )
    fields = request.headers.raw
    for name, value in fields:
        if name.lower() == b"accept-encoding" and not accepts(value.decode("latin-1")):
            request.headers["accept-encoding"] = accepted(request.headers["accept-encoding"])
            fields = request.headers.raw
            break
    bounds = request.extensions.get("timeout") or {}
    bounds = {**bounds, "pool": visit.wait("a connection", bounds.get("pool"))}
    core = progress.core
    return core.Request(
        request.method,
        core.URL(scheme=url.raw_scheme, host=host, port=port, target=target),
        headers=fields,
        content=request.stream,
        extensions={**request.extensions, "timeout": bounds},
    )


def _answer(response: Any, kind: Any, progress: ClientProgress, request: Any) -> Any:
    """Return a response of httpx, which takes the decoded content as unencoded."""
    headers: Any = response.headers
    decoding = None
    for name, _ in headers:
        if name.lower() == b"content-encoding":
            headers = progress.library.Headers(headers)
            if request.method != "HEAD" and response.status not in {204, 304}:
                decoding = Decoding(headers.pop("content-encoding"))
                headers.pop("content-length", None)
            break
    progress.answered = True
    progress.visit.opened()
    stream = kind(response.stream, progress, decoding)
    return progress.library.Response(response.status, headers=headers, stream=stream, extensions=response.extensions)


def _decoded(piece: bytes, progress: Progress, decoding: Decoding) -> Iterator[bytes]:
    """Decode a piece of content, and count its octets."""
    pieces = decoding.pieces(piece)
    while True:
        with progress:
            decoded = next(pieces, None)
            if decoded is None:
                return
            progress.visit.add_content(len(decoded))
        yield decoded
