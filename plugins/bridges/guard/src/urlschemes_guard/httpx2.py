"""A policy for httpx: a client, and transports for a client of the program's own.

    with Client(policy=Policy.untrusted()) as client: ...
    with httpx.Client(transport=PolicyTransport(Policy.untrusted())) as client: ...

A transport is httpcore's pool with a network backend that resolves, checks, dials and counts. All else is httpx's own.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import httpcore2 as httpcore
import httpx2 as httpx

from urlschemes_access.backends.backend import drive
from urlschemes_access.backends.blocking import BlockingBackend
from urlschemes_access.backends.sockets import addresses_of
from urlschemes_access.guard import Guard, Visit
from urlschemes_guard.decoding import Decoding, accepted
from urlschemes_guard.request import CURRENT, InProgress, Progress, Refusal, check_url

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Iterable, Iterator
    from types import TracebackType

    from urlschemes import Registry
    from urlschemes_access import Policy

__all__ = ["AsyncClient", "AsyncPolicyTransport", "Client", "PolicyTransport", "RequestRefused", "RequestTimeout"]

_VISIT = "urlschemes_visit"
"""The extension of a request that holds its visit: httpx gives the request of a redirect those of the one before."""
_PIECE = 64 * 1024
_OF_TRANSPORTS = ("verify", "cert", "trust_env", "http1", "http2", "limits")


class RequestRefused(Refusal, httpx.TransportError):
    """The policy refuses a request, or one of its limits is exceeded. `error` is the error of urlschemes."""


class RequestTimeout(RequestRefused, httpx.TimeoutException):
    """One of the policy's limits of time has passed."""


class PolicyTransport(httpx.BaseTransport):
    """A transport that obeys `policy`. The other arguments are those of `httpx.HTTPTransport`."""

    def __init__(self, policy: Policy | None = None, *, registry: Registry | None = None, **options: Any) -> None:
        _check_options(options, "proxy", "uds")
        self._guard = Guard(policy, registry)
        self._pool = httpcore.ConnectionPool(network_backend=_Backend(), **_pool_options(**options))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return the answer to it. Raises RequestRefused, and what httpx raises."""
        with _InProgress(_visit_of(self._guard, request), request) as progress:
            response = self._pool.handle_request(_checked(progress, request))
            return _answer(response, Content, progress, request)

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class AsyncPolicyTransport(httpx.AsyncBaseTransport):
    """The same for `httpx.AsyncClient`, on asyncio and trio."""

    def __init__(self, policy: Policy | None = None, *, registry: Registry | None = None, **options: Any) -> None:
        _check_options(options, "proxy", "uds")
        self._guard = Guard(policy, registry)
        self._pool = httpcore.AsyncConnectionPool(network_backend=_AsyncBackend(), **_pool_options(**options))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return the answer to it. Raises RequestRefused, and what httpx raises."""
        with _InProgress(_visit_of(self._guard, request), request) as progress:
            sent = _checked(progress, request)
            with _within(progress, "answer"):
                response = await self._pool.handle_async_request(sent)
            shared = response.extensions.get("http_version") == b"HTTP/2"
            return _answer(response, partial(AsyncContent, shared=shared), progress, request)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._pool.aclose()


class Client(httpx.Client):
    """A client whose every request obeys `policy`. The other arguments are those of `httpx.Client`.

    It has no proxies and reads none from the environment: no guard can check what is reached through one.
    """

    def __init__(self, *, policy: Policy | None = None, registry: Registry | None = None, **options: Any) -> None:
        transport = PolicyTransport(policy, registry=registry, **_taken(options))
        super().__init__(transport=transport, **options)


class AsyncClient(httpx.AsyncClient):
    """The same for asyncio and trio."""

    def __init__(self, *, policy: Policy | None = None, registry: Registry | None = None, **options: Any) -> None:
        transport = AsyncPolicyTransport(policy, registry=registry, **_taken(options))
        super().__init__(transport=transport, **options)


class Content(httpx.SyncByteStream):
    """The content of an answer, counted and decoded."""

    def __init__(self, stream: Any, visit: Visit, request: httpx.Request, decoding: Decoding | None) -> None:
        self._stream, self._visit, self._request, self._decoding = stream, visit, request, decoding

    def __iter__(self) -> Iterator[bytes]:
        octets = iter(self._stream)
        while True:
            with _InProgress(self._visit, self._request, answered=True):
                piece = next(octets, None)
                if piece is None:
                    return
                self._visit.add_received(len(piece))
                if self._decoding is None:
                    self._visit.add_content(len(piece))
            if self._decoding is None:
                yield piece
            else:
                yield from _counted(piece, self._visit, self._request, self._decoding)

    def close(self) -> None:
        self._stream.close()


class AsyncContent(httpx.AsyncByteStream):
    """The same on an event loop. `shared`: another task may read what is for this one."""

    def __init__(
        self, stream: Any, visit: Visit, request: httpx.Request, decoding: Decoding | None, *, shared: bool
    ) -> None:
        self._stream, self._visit, self._request, self._decoding = stream, visit, request, decoding
        self._shared = shared

    async def __aiter__(self) -> AsyncIterator[bytes]:
        octets = aiter(self._stream)
        while True:
            with _InProgress(self._visit, self._request, answered=True) as progress:
                if self._shared:
                    with _within(progress, "content"):
                        piece = await anext(octets, None)
                else:
                    piece = await anext(octets, None)
                if piece is None:
                    return
                self._visit.add_received(len(piece))
                if self._decoding is None:
                    self._visit.add_content(len(piece))
            if self._decoding is None:
                yield piece
            else:
                for each in _counted(piece, self._visit, self._request, self._decoding):
                    yield each

    async def aclose(self) -> None:
        await self._stream.aclose()


def _pool_options(
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
    limits = limits or httpx.Limits(max_connections=100, max_keepalive_connections=20)
    return {
        "ssl_context": httpx.create_ssl_context(verify=verify, cert=cert, trust_env=trust_env),
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


def _visit_of(guard: Guard, request: httpx.Request) -> Visit:
    """Return the visit of a request: that of the request which was redirected to it, if there is one."""
    visit = request.extensions.get(_VISIT)
    if not isinstance(visit, Visit):
        visit = request.extensions[_VISIT] = guard.visit()
    return visit


def _checked(progress: Progress, request: httpx.Request) -> httpcore.Request:
    """Return a request of httpcore, once its URL is checked."""
    url, visit = request.url, progress.visit
    check_url(
        visit,
        url.scheme,
        url.raw_host.decode("ascii"),
        url.port,
        target=url.raw_path.decode("ascii"),
        text=url,
        user_information=bool(url.userinfo),
    )
    wanted = request.headers.get("accept-encoding")
    if wanted is not None and accepted(wanted) != wanted:
        request.headers["accept-encoding"] = accepted(wanted)
    bounds = dict(request.extensions.get("timeout") or {})
    bounds["pool"] = visit.wait("a connection", bounds.get("pool"))
    target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    extensions = {**request.extensions, "timeout": bounds}
    return httpcore.Request(
        request.method, target, headers=request.headers.raw, content=request.stream, extensions=extensions
    )


def _answer(response: httpcore.Response, kind: Any, progress: Progress, request: httpx.Request) -> httpx.Response:
    """Return an answer of httpx. What is decoded here no longer counts as encoded there."""
    headers: Any = response.headers
    decoding = None
    if any(name.lower() == b"content-encoding" for name, _ in headers):
        headers = httpx.Headers(headers)
        if request.method != "HEAD" and response.status not in {204, 304}:
            decoding = Decoding(headers.pop("content-encoding"))
            headers.pop("content-length", None)
    progress.visit.opened()
    stream = kind(response.stream, progress.visit, request, decoding)
    return httpx.Response(response.status, headers=headers, stream=stream, extensions=response.extensions)


def _counted(piece: bytes, visit: Visit, request: httpx.Request, decoding: Decoding) -> Iterator[bytes]:
    """Decode a piece of content, and count what comes of it."""
    pieces = decoding.pieces(piece)
    while True:
        with _InProgress(visit, request, answered=True):
            decoded = next(pieces, None)
            if decoded is None:
                return
            visit.add_content(len(decoded))
        yield decoded


class _InProgress(InProgress):
    """A part of a visit: errors of urlschemes and httpcore are raised as those of httpx."""

    __slots__ = ()
    refused, late, timeouts = RequestRefused, RequestTimeout, (httpcore.TimeoutException,)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, traceback)
        for each in type(error).__mro__:
            same = getattr(httpx, each.__name__, None) if each.__module__.startswith(httpcore.__name__) else None
            if same is not None:
                raise same(str(error), **self._details) from error


@contextmanager
def _within(progress: Progress, phase: str) -> Iterator[None]:
    """Cancel what takes longer than the visit may: also a wait for what another task reads."""
    left = progress.visit.wait(phase if progress.answered else "the answer")
    with anyio.move_on_after(left) as progress.scope:
        yield
    if progress.scope.cancelled_caught:
        raise progress.visit.deadline.error(phase, left)


class _Backend(httpcore.NetworkBackend):
    def __init__(self) -> None:
        self._dialler = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        visit = _current().visit
        fault: Exception = httpcore.ConnectTimeout(f"cannot connect to {host}")
        for address, seconds in visit.attempts(drive(visit.addresses(BlockingBackend(), host, port)), timeout):
            try:
                stream = self._dialler.connect_tcp(address, port, seconds, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                fault = error
                continue
            try:
                visit.check_peer(stream.get_extra_info("server_addr")[:2], address, port, host)
            except BaseException:
                stream.close()
                raise
            return _Stream(stream, address)
        visit.wait("connect")
        raise fault


class _AsyncBackend(httpcore.AsyncNetworkBackend):
    def __init__(self) -> None:
        self._dialler = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        visit = _current().visit
        fault: Exception = httpcore.ConnectTimeout(f"cannot connect to {host}")
        for address, seconds in visit.attempts(await visit.addresses(_Resolver(), host, port), timeout):
            try:
                stream = await self._dialler.connect_tcp(address, port, seconds, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                fault = error
                continue
            reached = _AsyncStream(stream, address)
            try:
                visit.check_peer(stream.get_extra_info("server_addr")[:2], address, port, host)
            except BaseException:
                await reached.aclose()
                raise
            return reached
        visit.wait("connect")
        raise fault

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)


class _Resolver:
    """The system's resolver in a thread that nothing waits for any longer once the time is over."""

    async def resolve(self, host: str, port: int, transport: Any, timeout: float) -> list[str]:
        look_up = partial(addresses_of, host, port, transport)
        with anyio.fail_after(timeout):
            return await anyio.to_thread.run_sync(look_up, abandon_on_cancel=True, limiter=anyio.CapacityLimiter(1))


def _current() -> Progress:
    progress = CURRENT.get()
    assert progress is not None, "a pool is used by its transport alone"
    return progress


class _Stream(httpcore.NetworkStream):
    """A connection that waits no longer than the request in progress may, and is checked for it."""

    def __init__(self, stream: httpcore.NetworkStream, address: str) -> None:
        self._stream, self._address = stream, address

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        progress = CURRENT.get()
        if progress is None:  # closing
            return self._stream.read(max_bytes, timeout)
        most = progress.wait("content", timeout)
        try:
            octets = self._stream.read(max_bytes, most)
        except httpcore.ReadTimeout:
            if timeout is None or most < timeout:
                raise progress.visit.deadline.error("the answer", most) from None
            raise
        progress.answered = True
        return octets

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        progress = CURRENT.get()
        if progress is None or not buffer:  # closing, or the end of what was sent
            self._stream.write(buffer, timeout)
            return
        visit, rest = progress.visit, memoryview(buffer)
        visit.check_kept(self._address)
        # Each call waits for no more than what is left: the loop of httpcore would begin anew with each octet sent.
        connection = self._stream.get_extra_info("socket")
        visit.deadline.begin_sending()
        try:
            while rest:
                connection.settimeout(progress.wait("send", timeout))
                count = connection.send(rest[:_PIECE])
                rest = rest[count:]
                visit.deadline.add_sent(count)
        except TimeoutError as error:
            visit.wait("send")
            raise httpcore.WriteTimeout(str(error)) from error
        except OSError as error:
            raise httpcore.WriteError(str(error)) from error
        finally:
            visit.deadline.end_sending()

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, _current().wait("tls", timeout))
        return _Stream(stream, self._address)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _AsyncStream(httpcore.AsyncNetworkStream):
    """The same on an event loop, where a scope ends what takes too long; what is sent moves its end."""

    def __init__(self, stream: httpcore.AsyncNetworkStream, address: str) -> None:
        self._stream, self._address = stream, address

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        progress = CURRENT.get()
        if progress is None:  # closing
            return await self._stream.read(max_bytes, timeout)
        if progress.scope is None:
            most = progress.wait("content", timeout)
            try:
                return await self._stream.read(max_bytes, most)
            except httpcore.ReadTimeout:
                if timeout is None or most < timeout:
                    raise progress.visit.deadline.error("the answer", most) from None
                raise
        octets = await self._stream.read(max_bytes, timeout)
        if not progress.answered:
            progress.answered = True
            _move_end(progress)
        return octets

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        progress = CURRENT.get()
        if progress is None or not buffer:  # closing, or the end of what was sent
            await self._stream.write(buffer, timeout)
            return
        visit = progress.visit
        visit.check_kept(self._address)
        visit.deadline.begin_sending()
        try:
            for start in range(0, len(buffer), _PIECE):
                piece = buffer[start : start + _PIECE]
                await self._stream.write(piece, timeout)
                visit.deadline.add_sent(len(piece))
                _move_end(progress)
        finally:
            visit.deadline.end_sending()

    async def aclose(self) -> None:
        with anyio.CancelScope(shield=True):  # it takes no time, and half of it leaves a socket open
            await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        try:
            stream = await self._stream.start_tls(ssl_context, server_hostname, _current().wait("tls", timeout))
        except BaseException:  # httpcore leaves the connection open when the handshake is cancelled
            await self.aclose()
            raise
        return _AsyncStream(stream, self._address)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _move_end(progress: Progress) -> None:
    """Let the request in progress end when its time is over, as counted from now."""
    if progress.scope is not None:
        progress.scope.deadline = anyio.current_time() + progress.wait("content", None)
