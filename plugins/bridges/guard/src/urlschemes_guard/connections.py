"""Network backends for httpcore that resolve, check, dial and count: those of httpx, and of httpx2."""

from __future__ import annotations

import os
import socket
import ssl
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.abc
import anyio.to_thread
from anyio.streams.tls import TLSAttribute, TLSStream

from urlschemes_access.backends.backend import drive
from urlschemes_access.backends.blocking import BlockingBackend
from urlschemes_access.backends.sockets import addresses_of
from urlschemes_guard.request import CURRENT, PIECE, Progress, current

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

__all__ = ["AsyncBackend", "Backend", "within"]

_BACKEND = BlockingBackend()


class Backend:
    """A network backend for `core`, the module httpcore or httpcore2."""

    def __init__(self, core: Any) -> None:
        self._core, self._dialler = core, core.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> _Stream:
        """Return a connection to the first address of `host` that answers, once the policy allows it."""
        visit = current().visit
        fault: Exception = self._core.ConnectTimeout(f"cannot connect to {host}")
        for address, seconds in visit.attempts(drive(visit.addresses(_BACKEND, host, port)), timeout):
            try:
                stream = self._dialler.connect_tcp(address, port, seconds, local_address, socket_options)
            except (self._core.ConnectError, self._core.ConnectTimeout) as error:
                fault = error
                continue
            try:
                visit.check_peer(stream.get_extra_info("server_addr")[:2], address, port, host)
            except BaseException:
                stream.close()
                raise
            return _Stream(self._core, stream, address)
        visit.wait("connect")
        raise fault

    def sleep(self, seconds: float) -> None:
        """Wait before httpcore tries again."""
        time.sleep(seconds)


class AsyncBackend:
    """The same on an event loop. `shared`: many requests may share a connection."""

    def __init__(self, core: Any, *, shared: bool) -> None:
        self._core, self._shared = core, shared

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> _AsyncStream:
        """Return a connection to the first address of `host` that answers, once the policy allows it."""
        visit = current().visit
        fault: Exception = self._core.ConnectTimeout(f"cannot connect to {host}")
        for address, seconds in visit.attempts(await visit.addresses(_Resolver(), host, port), timeout):
            try:
                with anyio.fail_after(seconds):
                    connection, stream = await _dial(address, port, local_address, socket_options or ())
            except TimeoutError as error:
                fault = self._core.ConnectTimeout(str(error))
                continue
            except OSError as error:
                fault = self._core.ConnectError(str(error))
                continue
            reached = _AsyncStream(self._core, stream, connection, address, shared=self._shared)
            try:
                visit.check_peer(connection.getpeername()[:2], address, port, host)
            except BaseException:
                await reached.aclose()
                raise
            return reached
        visit.wait("connect")
        raise fault

    async def sleep(self, seconds: float) -> None:
        """Wait before httpcore tries again."""
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


class _Stream:
    """A connection that waits no longer than the request in progress may, and is checked for it."""

    def __init__(self, core: Any, stream: Any, address: str) -> None:
        self._core, self._stream, self._address = core, stream, address
        self._socket: socket.socket = stream.get_extra_info("socket")

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        progress = CURRENT.get()
        if progress is None:  # the program reads an upgraded connection
            octets: bytes = self._stream.read(max_bytes, timeout)
            return octets
        most = progress.wait("content", timeout)
        try:
            self._socket.settimeout(most)
            octets = self._socket.recv(max_bytes)
        except TimeoutError as error:
            if timeout is None or most < timeout:
                raise progress.visit.deadline.error("the answer", most) from None
            raise self._core.ReadTimeout(str(error)) from error
        except OSError as error:
            raise self._core.ReadError(str(error)) from error
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
            raise self._core.WriteTimeout(str(error)) from error
        except OSError as error:
            raise self._core.WriteError(str(error)) from error

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> _Stream:
        stream = self._stream.start_tls(ssl_context, server_hostname, current().wait("tls", timeout))
        return _Stream(self._core, stream, self._address)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _AsyncStream:
    """The same on an event loop, where one scope ends each wait of a request. `shared`: with other requests."""

    def __init__(
        self, core: Any, stream: anyio.abc.ByteStream, connection: socket.socket, address: str, *, shared: bool
    ) -> None:
        self._core, self._stream, self._socket, self._address = core, stream, connection, address
        self._shared = shared

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        progress = CURRENT.get()
        if progress is not None:
            if progress.scope is None:
                octets: bytes = await within(progress, self.read, max_bytes, timeout)
                return octets
            _move_end(progress, "content", timeout, self._core.ReadTimeout)
        try:
            if progress is None:  # the program reads an upgraded connection
                with anyio.fail_after(timeout):
                    return await self._stream.receive(max_bytes)
            octets = await self._stream.receive(max_bytes)
        except TimeoutError as error:
            raise self._core.ReadTimeout(str(error)) from error
        except anyio.EndOfStream:
            octets = b""
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise self._core.ReadError(str(error)) from error
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
                    _move_end(progress, "send", timeout, self._core.WriteTimeout)
                    await self._stream.send(piece)
                    deadline.add_sent(len(piece))
            finally:
                deadline.end_sending()
            if self._shared:
                _move_end(progress, "content")
        except TimeoutError as error:
            raise self._core.WriteTimeout(str(error)) from error
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise self._core.WriteError(str(error)) from error

    async def aclose(self) -> None:
        with anyio.CancelScope(shield=True):  # it takes no time, and half of it leaves a socket open
            await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> _AsyncStream:
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
                raise self._core.ConnectTimeout(str(error)) from error
            if isinstance(error, (ssl.SSLError, anyio.BrokenResourceError, anyio.EndOfStream)):
                raise self._core.ConnectError(str(error)) from error
            raise
        return _AsyncStream(self._core, stream, self._socket, self._address, shared=self._shared)

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


async def within(progress: Progress, call: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
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
