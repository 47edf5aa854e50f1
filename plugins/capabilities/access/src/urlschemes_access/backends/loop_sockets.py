"""Connections, as an event loop waits for them: a socket never blocks, and TLS is done in memory beside it.

A socket is watched until something can be done, and only then read or written: what is cancelled, or given up when its
time is up, has taken nothing that would be lost. The loop must offer `add_reader` and `add_writer`, as asyncio's
selector loops and uvloop do.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

from urlschemes_access.backends.sockets import Datagrams, Socket, is_from
from urlschemes_access.errors import AccessError
from urlschemes_access.protocol.requests import CHUNK

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["LoopDatagrams", "LoopSocket", "Secured", "first_ready"]

T = TypeVar("T")

RECORDS = 64 * 1024
"""Octets encrypted at once, at most: four records of TLS."""


class _Watch:
    """Some sockets, watched by the loop that runs now until one is ready, time is up, or one is closed."""

    __slots__ = ("_loop", "_sockets", "_timer", "_writing", "ready")

    def __init__(self, sockets: Sequence[Any], until: float, *, writing: bool) -> None:
        self._loop = asyncio.get_running_loop()
        self._sockets = sockets
        self._writing = writing
        self.ready: asyncio.Future[int | None] = self._loop.create_future()
        watch = self._loop.add_writer if writing else self._loop.add_reader
        try:
            for index, socket in enumerate(sockets):
                watch(socket, self.settle, index)
        except NotImplementedError:
            raise AccessError(
                f"{type(self._loop).__name__} cannot watch sockets",
                hint="run the program on asyncio.SelectorEventLoop",
            ) from None
        self._timer = self._loop.call_at(until, self.settle, None)

    def settle(self, index: int | None) -> None:
        if not self.ready.done():
            self.ready.set_result(index)

    def end(self) -> None:
        self._timer.cancel()
        ignore = self._loop.remove_writer if self._writing else self._loop.remove_reader
        for socket in self._sockets:
            if socket.fileno() >= 0:
                ignore(socket)


class LoopSocket(Socket):
    """A socket that never blocks. Times are those of the loop's clock."""

    watch: _Watch | None = None

    def __init__(self, socket: Any) -> None:
        socket.setblocking(False)
        super().__init__(socket)

    def close(self) -> None:
        """Close it; whoever waits for it hears that nothing comes."""
        if self.watch is not None:
            self.watch.end()
            self.watch.settle(None)
        super().close()

    async def connect(self, place: tuple[str, int], until: float) -> None:
        """Raises OSError; TimeoutError, without an errno, when time is up, as all of these do."""
        import socket

        try:
            self.socket.connect(place)
        except (BlockingIOError, InterruptedError):
            await self._until(until, writing=True)
            code = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if code:
                raise OSError(code, os.strerror(code)) from None

    async def receive(self, most: int, until: float) -> bytes:
        """At most `most` octets as soon as there are any; empty at the end."""
        while True:
            try:
                return cast("bytes", self.socket.recv(most))
            except (BlockingIOError, InterruptedError):
                await self._until(until)

    async def send(self, octets: memoryview, until: float) -> int:
        """Send some of `octets`: how many."""
        while True:
            try:
                return cast("int", self.socket.send(octets))
            except (BlockingIOError, InterruptedError):
                await self._until(until, writing=True)

    @property
    def watched(self) -> LoopSocket:
        """The socket to wait for."""
        return self

    def is_ahead(self) -> bool:
        """Whether something was received already that the system does not know of any more."""
        return False

    async def _until(self, until: float, *, writing: bool = False) -> None:
        if await first_ready([self], until, writing=writing) is None:
            raise TimeoutError


class LoopDatagrams(LoopSocket, Datagrams):
    """A socket for datagrams."""

    def __init__(self, place: tuple[str, int]) -> None:
        Datagrams.__init__(self, place)
        self.socket.setblocking(False)

    async def receive(self, most: int, until: float) -> bytes:
        """The next datagram from the address. Others do not lengthen the wait."""
        loop = asyncio.get_running_loop()
        while True:
            with suppress(BlockingIOError, InterruptedError):
                octets, source = self.socket.recvfrom(most)
                if is_from(source, self.place[0]):
                    return cast("bytes", octets)
                if loop.time() >= until:
                    raise TimeoutError
            await self._until(until)

    async def send(self, octets: memoryview, until: float) -> int:
        """Send one datagram, whole."""
        while True:
            try:
                return cast("int", self.socket.sendto(octets, self.place))
            except (BlockingIOError, InterruptedError):
                await self._until(until, writing=True)


class Secured:
    """A connection under TLS, as a channel: the same socket, and what turns its octets into others."""

    __slots__ = ("_incoming", "_outgoing", "_plain", "_tls")

    def __init__(self, plain: LoopSocket, context: ssl.SSLContext, host: str) -> None:
        self._plain = plain
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)

    @property
    def watched(self) -> LoopSocket:
        """The socket to wait for."""
        return self._plain

    def address(self) -> tuple[str, int]:
        """As that of the socket."""
        return self._plain.address()

    def fileno(self) -> int:
        """As that of the socket."""
        return self._plain.fileno()

    def close(self) -> None:
        """Close the socket, without TLS's closing word."""
        self._plain.close()

    def abort(self) -> None:
        """Close the socket with a reset."""
        self._plain.abort()

    async def handshake(self, until: float) -> None:
        """Raises ssl.SSLError, OSError."""
        await self._exchange(self._tls.do_handshake, until)

    async def receive(self, most: int, until: float) -> bytes:
        """As that of the socket. Raises ssl.SSLError where the connection ends without TLS's own end: it was cut."""
        return await self._exchange(lambda: self._tls.read(most), until)

    async def send(self, octets: memoryview, until: float) -> int:
        """As that of the socket."""
        return await self._exchange(lambda: self._tls.write(octets[:RECORDS]), until)

    def is_ahead(self) -> bool:
        """Whether something was received already that the system does not know of any more."""
        return self._tls.pending() > 0 or self._incoming.pending > 0

    async def _exchange(self, what: Callable[[], T], until: float) -> T:
        """Do something, sending and receiving what TLS needs for it."""
        loop = asyncio.get_running_loop()
        received = False
        while True:
            try:
                answer = what()
            except ssl.SSLWantReadError:
                await self._flush(until)
                if received:  # and it was nothing but TLS's own affairs, of which there may be any number
                    await asyncio.sleep(0)
                    if loop.time() >= until:
                        raise TimeoutError from None
                received = True
                octets = await self._plain.receive(CHUNK, until)
                if octets:
                    self._incoming.write(octets)
                else:
                    self._incoming.write_eof()
            except ssl.SSLError:
                with suppress(OSError):  # TLS's word of what is wrong, if the system takes it now
                    self._plain.socket.send(self._outgoing.read())
                raise
            else:
                await self._flush(until)
                return answer

    async def _flush(self, until: float) -> None:
        while octets := self._outgoing.read(CHUNK):
            rest = memoryview(octets)
            while rest:
                rest = rest[await self._plain.send(rest, until) :]


async def first_ready(channels: Sequence[LoopSocket], until: float, *, writing: bool = False) -> int | None:
    """The index of the first channel that can be read, or written; None when time is up or one was closed."""
    watch = _Watch([channel.socket for channel in channels], until, writing=writing)
    for channel in channels:
        channel.watch = watch
    try:
        return await watch.ready
    finally:
        watch.end()
        for channel in channels:
            channel.watch = None
