"""Sockets on an event loop; TLS is done in memory.

A socket is read or written only once the loop reports that it is ready: when a task is cancelled or its time is up,
nothing that was received is lost. The loop must have `add_reader` and `add_writer`, as asyncio's selector loops and
uvloop have.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

from urlschemes_access.backends.sockets import PIECE, DatagramSocket, Socket, is_from, one_of, send_pieces
from urlschemes_access.errors import AccessError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["LoopDatagramSocket", "LoopSocket", "LoopTLS", "wait_until_ready"]

T = TypeVar("T")

RECORDS = 64 * 1024
"""The most octets encrypted at once: four TLS records."""


class LoopSocket(Socket):
    """A channel over a non-blocking socket. Times are those of the loop's clock."""

    stop_waiting: Callable[[], None] | None = None
    """Set while a task waits for this socket."""

    def __init__(self, socket: Any) -> None:
        socket.setblocking(False)
        super().__init__(socket)

    def close(self) -> None:
        """Close the socket; a task that waits for it is woken up."""
        if self.stop_waiting is not None:
            self.stop_waiting()
        super().close()

    async def connect(self, place: tuple[str, int], until: float) -> None:
        """Connect. Raises OSError; TimeoutError without an errno at `until`, as all methods do."""
        try:
            self.socket.connect(place)
        except (BlockingIOError, InterruptedError):
            await self._ready(until, writing=True)
            code = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if code:
                raise OSError(code, os.strerror(code)) from None

    async def receive(self, most: int, until: float) -> bytes:
        """Return at most `most` octets, as soon as there are any; `b""` at the end."""
        while True:
            try:
                return cast("bytes", self.socket.recv(min(most, PIECE)))
            except (BlockingIOError, InterruptedError):
                await self._ready(until)

    async def send(self, pieces: list[memoryview], until: float) -> int:
        """Send some of the octets of `pieces`; return their number."""
        while True:
            try:
                return send_pieces(self.socket, pieces)
            except (BlockingIOError, InterruptedError):
                await self._ready(until, writing=True)

    @property
    def watched(self) -> LoopSocket:
        """The socket that the loop watches."""
        return self

    def has_buffered(self) -> bool:
        """Return True if octets were received from the system but not yet read."""
        return False

    async def _ready(self, until: float, *, writing: bool = False) -> None:
        if await wait_until_ready([self], until, writing=writing) is None:
            raise TimeoutError


class LoopDatagramSocket(LoopSocket, DatagramSocket):
    """A channel for datagrams."""

    def __init__(self, place: tuple[str, int]) -> None:
        DatagramSocket.__init__(self, place)
        self.socket.setblocking(False)

    async def receive(self, most: int, until: float) -> bytes:
        """Return the next datagram from the address. Datagrams from elsewhere do not lengthen the wait."""
        loop = asyncio.get_running_loop()
        while True:
            with suppress(BlockingIOError, InterruptedError):
                octets, source = self.socket.recvfrom(most)
                if is_from(source, self.place[0]):
                    return cast("bytes", octets)
                if loop.time() >= until:
                    raise TimeoutError
            await self._ready(until)

    async def send(self, pieces: list[memoryview], until: float) -> int:
        """Send one datagram."""
        octets = b"".join(pieces)
        while True:
            try:
                return cast("int", self.socket.sendto(octets, self.place))
            except (BlockingIOError, InterruptedError):
                await self._ready(until, writing=True)


class LoopTLS:
    """A channel over TLS: a socket, and buffers in memory between it and the TLS engine."""

    __slots__ = ("_incoming", "_outgoing", "_plain", "_tls")

    def __init__(self, plain: LoopSocket, context: ssl.SSLContext, host: str) -> None:
        self._plain = plain
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)

    @property
    def watched(self) -> LoopSocket:
        """The socket that the loop watches."""
        return self._plain

    def peer_address(self) -> tuple[str, int]:
        """Return the address and port that the system is connected to. Raises OSError."""
        return self._plain.peer_address()

    def fileno(self) -> int:
        """Return the file descriptor of the socket."""
        return self._plain.fileno()

    def close(self) -> None:
        """Close the socket, without TLS's closing alert."""
        self._plain.close()

    def abort(self) -> None:
        """Close the socket with a reset."""
        self._plain.abort()

    async def handshake(self, until: float) -> None:
        """Carry out the handshake. Raises ssl.SSLError, OSError."""
        await self._exchange(self._tls.do_handshake, until)

    async def receive(self, most: int, until: float) -> bytes:
        """Like `LoopSocket.receive`. Raises ssl.SSLError if the connection ends without TLS's closing alert."""
        return await self._exchange(lambda: self._tls.read(min(most, PIECE)), until)

    async def send(self, pieces: list[memoryview], until: float) -> int:
        """Like `LoopSocket.send`."""
        octets = one_of(pieces)[:RECORDS]
        return await self._exchange(lambda: self._tls.write(octets), until)

    def has_buffered(self) -> bool:
        """Return True if octets were received from the system but not yet read."""
        return self._tls.pending() > 0 or self._incoming.pending > 0

    async def _exchange(self, operation: Callable[[], T], until: float) -> T:
        """Carry out an operation of the TLS engine, and receive and send the records that it needs."""
        loop = asyncio.get_running_loop()
        received = False
        while True:
            try:
                result = operation()
            except ssl.SSLWantReadError:
                await self._flush(until)
                if received:  # records without content, of which a server can send any number
                    await asyncio.sleep(0)
                    if loop.time() >= until:
                        raise TimeoutError from None
                received = True
                octets = await self._plain.receive(PIECE, until)
                if octets:
                    self._incoming.write(octets)
                else:
                    self._incoming.write_eof()
            except ssl.SSLError:
                with suppress(OSError):  # send TLS's alert, if the system accepts it now
                    self._plain.socket.send(self._outgoing.read())
                raise
            else:
                await self._flush(until)
                return result

    async def _flush(self, until: float) -> None:
        while octets := self._outgoing.read(PIECE):
            rest = memoryview(octets)
            while rest:
                rest = rest[await self._plain.send([rest], until) :]


async def wait_until_ready(channels: Sequence[LoopSocket], until: float, *, writing: bool = False) -> int | None:
    """Wait for the first channel that can be read or written and return its index.

    Returns None at `until`, or when one of the channels is closed.
    """
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[int | None] = loop.create_future()
    watch, unwatch = (loop.add_writer, loop.remove_writer) if writing else (loop.add_reader, loop.remove_reader)

    def settle(index: int | None) -> None:
        if not ready.done():
            ready.set_result(index)

    def stop() -> None:
        timer.cancel()
        for channel in channels:
            channel.stop_waiting = None
            if channel.fileno() >= 0:
                unwatch(channel.socket)
        settle(None)

    timer = loop.call_at(until, settle, None)
    try:
        for index, channel in enumerate(channels):
            channel.stop_waiting = stop
            watch(channel.socket, settle, index)
        return await ready
    except NotImplementedError:
        raise AccessError(
            f"{type(loop).__name__} cannot watch sockets", hint="run the program on asyncio.SelectorEventLoop"
        ) from None
    finally:
        stop()
