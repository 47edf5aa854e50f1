"""A policy for httpx: a client, and transports for a client of the program's own.

    with Client(policy=Policy.untrusted()) as client: ...
    with httpx.Client(transport=PolicyTransport(Policy.untrusted())) as client: ...

A transport is httpcore's pool with a network backend that resolves, checks, dials and counts. All else is httpx's own.
"""

from __future__ import annotations

import os
import socket
import ssl
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from urlschemes.errors import UnsafeURL
from urlschemes_access.backends.backend import drive
from urlschemes_access.backends.blocking import BlockingBackend
from urlschemes_access.backends.sockets import addresses_of
from urlschemes_access.guard import Guard, Visit
from urlschemes_guard.decoding import Decoding, accepted, accepts
from urlschemes_guard.request import CURRENT, PIECE, Progress, Refusal, check_url, current, needs_extra

with needs_extra(__name__):
    import anyio
    import anyio.abc
    import anyio.to_thread
    import httpcore2 as httpcore
    import httpx2 as httpx
    import idna
    from anyio.streams.tls import TLSAttribute, TLSStream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator

    from urlschemes import Registry
    from urlschemes_access import Policy

__all__ = ["AsyncClient", "AsyncPolicyTransport", "Client", "PolicyTransport", "RequestRefused", "RequestTimeout"]

_VISIT = "urlschemes_visit"
"""The extension of a request that holds its visit: httpx gives the request of a redirect those of the one before."""
_BACKEND = BlockingBackend()
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
        """Send a request and return its response. Raises RequestRefused, and what httpx raises."""
        with _progress_of(self._guard, request) as progress:
            return _answer(self._pool.handle_request(_checked(progress, request)), Content, progress, request)

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class AsyncPolicyTransport(httpx.AsyncBaseTransport):
    """The same for `httpx.AsyncClient`, on asyncio and trio."""

    def __init__(self, policy: Policy | None = None, *, registry: Registry | None = None, **options: Any) -> None:
        _check_options(options, "proxy", "uds")
        self._guard = Guard(policy, registry)
        self._shared = bool(options.get("http2"))
        backend = _AsyncBackend(shared=self._shared)
        self._pool = httpcore.AsyncConnectionPool(network_backend=backend, **_pool_options(**options))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return its response. Raises RequestRefused, and what httpx raises."""
        with _progress_of(self._guard, request) as progress:
            sent = _checked(progress, request)
            response = await _within(progress, self._pool.handle_async_request, sent)
            return _answer(response, partial(AsyncContent, shared=self._shared), progress, request)

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

    def build_request(self, *arguments: Any, **options: Any) -> httpx.Request:
        """Return a request. Raises RequestRefused, and what httpx raises."""
        with _hosts_decoded():
            return super().build_request(*arguments, **options)

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Send a request and its redirects. Raises RequestRefused, and what httpx raises."""
        with _hosts_decoded(request=request):
            return super().send(request, **options)


class AsyncClient(httpx.AsyncClient):
    """The same for asyncio and trio."""

    def __init__(self, *, policy: Policy | None = None, registry: Registry | None = None, **options: Any) -> None:
        transport = AsyncPolicyTransport(policy, registry=registry, **_taken(options))
        super().__init__(transport=transport, **options)

    def build_request(self, *arguments: Any, **options: Any) -> httpx.Request:
        """Return a request. Raises RequestRefused, and what httpx raises."""
        with _hosts_decoded():
            return super().build_request(*arguments, **options)

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Send a request and its redirects. Raises RequestRefused, and what httpx raises."""
        with _hosts_decoded(request=request):
            return await super().send(request, **options)


class Content(httpx.SyncByteStream):
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
        self._stream.close()


class AsyncContent(httpx.AsyncByteStream):
    """The same on an event loop. `shared`: another task may read what is for this one."""

    def __init__(self, stream: Any, progress: Progress, decoding: Decoding | None, *, shared: bool) -> None:
        self._stream, self._progress, self._decoding, self._shared = stream, progress, decoding, shared

    async def __aiter__(self) -> AsyncIterator[bytes]:
        octets, progress, visit = aiter(self._stream), self._progress, self._progress.visit
        while True:
            with progress:
                piece = await (_within(progress, anext, octets, None) if self._shared else anext(octets, None))
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


@contextmanager
def _hosts_decoded(**details: Any) -> Iterator[None]:
    """Raise RequestRefused for a host that httpx cannot decode, before any transport sees it."""
    try:
        yield
    except idna.IDNAError as error:
        raise RequestRefused.of(UnsafeURL(f"the host is no domain name: {error}", part="host"), **details) from error


def _progress_of(guard: Guard, request: httpx.Request) -> _Progress:
    """Return a request in progress: in the visit of the one that was redirected to it, if there is one."""
    visit = request.extensions.get(_VISIT)
    if not isinstance(visit, Visit):
        visit = request.extensions[_VISIT] = guard.visit()
    return _Progress(visit, request=request)


def _checked(progress: Progress, request: httpx.Request) -> httpcore.Request:
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
    return httpcore.Request(
        request.method,
        httpcore.URL(scheme=url.raw_scheme, host=host, port=port, target=target),
        headers=fields,
        content=request.stream,
        extensions={**request.extensions, "timeout": bounds},
    )


def _answer(response: httpcore.Response, kind: Any, progress: Progress, request: httpx.Request) -> httpx.Response:
    """Return a response of httpx, which takes the decoded content as unencoded."""
    headers: Any = response.headers
    decoding = None
    for name, _ in headers:
        if name.lower() == b"content-encoding":
            headers = httpx.Headers(headers)
            if request.method != "HEAD" and response.status not in {204, 304}:
                decoding = Decoding(headers.pop("content-encoding"))
                headers.pop("content-length", None)
            break
    progress.answered = True
    progress.visit.opened()
    stream = kind(response.stream, progress, decoding)
    return httpx.Response(response.status, headers=headers, stream=stream, extensions=response.extensions)


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


class _Progress(Progress):
    """A request in progress: errors of urlschemes and httpcore are raised as those of httpx."""

    __slots__ = ()
    refused, late, timeouts = RequestRefused, RequestTimeout, (httpcore.TimeoutException,)

    def _raise_as_own(self, error: BaseException) -> None:
        super()._raise_as_own(error)
        for each in type(error).__mro__:
            same = getattr(httpx, each.__name__, None) if each.__module__.startswith(httpcore.__name__) else None
            if same is not None:
                raise same(str(error), **self._details) from error


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
        visit = current().visit
        fault: Exception = httpcore.ConnectTimeout(f"cannot connect to {host}")
        for address, seconds in visit.attempts(drive(visit.addresses(_BACKEND, host, port)), timeout):
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
    def __init__(self, *, shared: bool) -> None:
        self._shared = shared

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        visit = current().visit
        fault: Exception = httpcore.ConnectTimeout(f"cannot connect to {host}")
        for address, seconds in visit.attempts(await visit.addresses(_Resolver(), host, port), timeout):
            try:
                with anyio.fail_after(seconds):
                    connection, stream = await _dial(address, port, local_address, socket_options or ())
            except TimeoutError as error:
                fault = httpcore.ConnectTimeout(str(error))
                continue
            except OSError as error:
                fault = httpcore.ConnectError(str(error))
                continue
            reached = _AsyncStream(stream, connection, address, shared=self._shared)
            try:
                visit.check_peer(connection.getpeername()[:2], address, port, host)
            except BaseException:
                await reached.aclose()
                raise
            return reached
        visit.wait("connect")
        raise fault

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)


async def _dial(
    address: str, port: int, local_address: str | None, options: Iterable[Any]
) -> tuple[socket.socket, anyio.abc.SocketStream]:
    """Connect to an address: anyio would start a task for it, as if it were a name."""
    connection = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    try:
        connection.setblocking(False)
        for option in ((socket.IPPROTO_TCP, socket.TCP_NODELAY, 1), *options):
            connection.setsockopt(*option)
        if local_address:
            connection.bind((local_address, 0))
        try:
            connection.connect((address, port))
        except BlockingIOError:
            await anyio.wait_writable(connection)
            if fault := connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                raise OSError(fault, os.strerror(fault)) from None
        return connection, await anyio.abc.SocketStream.from_socket(connection)
    except BaseException:
        connection.close()
        raise


class _Resolver:
    """The system's resolver in a thread that nothing waits for any longer once the time is over."""

    async def resolve(self, host: str, port: int, transport: Any, timeout: float) -> list[str]:
        look_up = partial(addresses_of, host, port, transport)
        with anyio.fail_after(timeout):
            return await anyio.to_thread.run_sync(look_up, abandon_on_cancel=True, limiter=anyio.CapacityLimiter(1))


class _Stream(httpcore.NetworkStream):
    """A connection that waits no longer than the request in progress may, and is checked for it."""

    def __init__(self, stream: httpcore.NetworkStream, address: str) -> None:
        self._stream, self._address = stream, address
        self._socket: socket.socket = stream.get_extra_info("socket")

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        progress = CURRENT.get()
        if progress is None:  # the program reads an upgraded connection
            return self._stream.read(max_bytes, timeout)
        most = progress.wait("content", timeout)
        try:
            self._socket.settimeout(most)
            octets = self._socket.recv(max_bytes)
        except TimeoutError as error:
            if timeout is None or most < timeout:
                raise progress.visit.deadline.error("the answer", most) from None
            raise httpcore.ReadTimeout(str(error)) from error
        except OSError as error:
            raise httpcore.ReadError(str(error)) from error
        progress.answered = True
        return octets

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if not buffer:  # the end of what was sent
            return
        progress = CURRENT.get()
        if progress is None:  # the program writes to an upgraded connection
            self._stream.write(buffer, timeout)
            return
        progress.visit.check_kept(self._address)
        try:  # the loop of httpcore would begin to wait anew with each octet sent
            progress.send(buffer, timeout, self._socket.settimeout, self._socket.send)
        except TimeoutError as error:
            progress.visit.wait("send")
            raise httpcore.WriteTimeout(str(error)) from error
        except OSError as error:
            raise httpcore.WriteError(str(error)) from error

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, current().wait("tls", timeout))
        return _Stream(stream, self._address)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _AsyncStream(httpcore.AsyncNetworkStream):
    """The same on an event loop, where one scope ends each wait of a request. `shared`: with other requests."""

    def __init__(self, stream: anyio.abc.ByteStream, connection: socket.socket, address: str, *, shared: bool) -> None:
        self._stream, self._socket, self._address, self._shared = stream, connection, address, shared

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        progress = CURRENT.get()
        if progress is not None:
            if progress.scope is None:
                octets: bytes = await _within(progress, self.read, max_bytes, timeout)
                return octets
            _move_end(progress, "content", timeout, httpcore.ReadTimeout)
        try:
            if progress is None:  # the program reads an upgraded connection
                with anyio.fail_after(timeout):
                    return await self._stream.receive(max_bytes)
            octets = await self._stream.receive(max_bytes)
        except TimeoutError as error:
            raise httpcore.ReadTimeout(str(error)) from error
        except anyio.EndOfStream:
            octets = b""
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise httpcore.ReadError(str(error)) from error
        if progress is not None:
            progress.answered = True
            if self._shared:
                _move_end(progress, "content")
        return octets

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if not buffer:  # the end of what was sent
            return
        progress = CURRENT.get()
        try:
            if progress is None:  # the program writes to an upgraded connection
                with anyio.fail_after(timeout):
                    await self._stream.send(buffer)
                return
            deadline = progress.visit.deadline
            progress.visit.check_kept(self._address)
            deadline.begin_sending()
            try:
                for start in range(0, len(buffer), PIECE):
                    piece = buffer[start : start + PIECE]
                    _move_end(progress, "send", timeout, httpcore.WriteTimeout)
                    await self._stream.send(piece)
                    deadline.add_sent(len(piece))
            finally:
                deadline.end_sending()
            if self._shared:
                _move_end(progress, "content")
        except TimeoutError as error:
            raise httpcore.WriteTimeout(str(error)) from error
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise httpcore.WriteError(str(error)) from error

    async def aclose(self) -> None:
        with anyio.CancelScope(shield=True):  # it takes no time, and half of it leaves a socket open
            await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        try:
            with anyio.fail_after(current().wait("tls", timeout)):
                stream = await TLSStream.wrap(
                    self._stream,
                    server_side=False,
                    hostname=server_hostname,
                    ssl_context=ssl_context,
                    standard_compatible=False,
                )
        except BaseException as error:
            await self.aclose()
            if isinstance(error, TimeoutError):
                raise httpcore.ConnectTimeout(str(error)) from error
            if isinstance(error, (ssl.SSLError, anyio.BrokenResourceError, anyio.EndOfStream)):
                raise httpcore.ConnectError(str(error)) from error
            raise
        return _AsyncStream(stream, self._socket, self._address, shared=self._shared)

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":
            return self._is_readable()
        if info == "ssl_object":
            return self._stream.extra(TLSAttribute.ssl_object, None)  # noqa: S610  not that of Django
        return {
            "socket": lambda: self._socket,
            "client_addr": self._socket.getsockname,
            "server_addr": self._socket.getpeername,
        }.get(info, lambda: None)()

    def _is_readable(self) -> bool:
        """Return True if something has arrived on an idle connection, which is its end."""
        try:
            self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True


async def _within(progress: Progress, call: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
    """Return the result of a call that waits no longer than the visit may: also for what another task reads."""
    phase = "content" if progress.answered else "the answer"
    most, progress.expired = progress.visit.wait(phase), None
    try:
        with anyio.CancelScope(deadline=anyio.current_time() + most) as progress.scope:
            return await call(*arguments)
    finally:
        progress.scope = None
    raise _expired(progress, phase, most)


def _expired(progress: Progress, phase: str, most: float) -> Exception:
    """Return the error for a wait that lasted `most` seconds: the client's own, if that was its bound."""
    return progress.visit.deadline.error(phase, most) if progress.expired is None else progress.expired()


def _move_end(
    progress: Progress, phase: str, timeout: float | None = None, expired: type[Exception] | None = None
) -> None:
    """Let the scope of a request end when one wait has lasted as long as it may, as counted from now."""
    most = progress.wait(phase, timeout)
    progress.expired = expired if most == timeout else None
    progress.scope.deadline = anyio.current_time() + most
