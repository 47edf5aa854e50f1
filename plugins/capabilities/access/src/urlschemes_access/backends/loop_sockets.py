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
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias, TypeVar, cast

from urlschemes_access.backends.sockets import PIECE, DatagramSocket, Socket, is_from, one_of, send_pieces
from urlschemes_access.errors import AccessError

T = TypeVar("T")
TakeTurn: TypeAlias = "Callable[[], Awaitable[None]]"

RECORDS = 64 * 1024
"""The most octets encrypted at once: four TLS records."""


class LoopSocket(Socket):
    """A channel over a non-blocking socket. `take_turn` is called before each system call."""

    stop_waiting: Callable[[], None] | None = None
    """Set while a task waits for this socket."""

    def __init__(self, socket: Any, take_turn: TakeTurn) -> None:
        super().__init__(socket)
        socket.setblocking(False)
        self._take_turn = take_turn

    def close(self) -> None:
        """Close the socket; a task that waits for it is woken up."""
        if self.stop_waiting is not None:
            self.stop_waiting()
        super().close()

    async def connect(self, place: tuple[str, int], timeout: float) -> None:
        """Connect. Raises OSError; TimeoutError without an errno after `timeout`, as all methods do."""
        try:
            self.socket.connect(place)
        except (BlockingIOError, InterruptedError):
            await self._ready(_until(timeout), writing=True)
            code = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if code:
                raise OSError(code, os.strerror(code)) from None

    async def receive(self, most: int, timeout: float, _enough: int) -> bytes:
        return await self.attempt(lambda: self.socket.recv(min(most, PIECE)), _until(timeout))

    async def send(self, pieces: list[memoryview], timeout: float) -> int:
        return await self.attempt(lambda: send_pieces(self.socket, pieces), _until(timeout), writing=True)

    @property
    def watched(self) -> LoopSocket:
        """The socket that the loop watches."""
        return self

    def has_buffered(self) -> bool:
        """Return True if octets were received from the system but not yet read."""
        return False

    async def attempt(self, operation: Callable[[], T], until: float, *, writing: bool = False) -> T:
        """Carry out a system call as soon as the socket is ready. Raises TimeoutError at `until` (loop time)."""
        while True:
            await self._take_turn()
            try:
                return operation()
            except (BlockingIOError, InterruptedError):
                await self._ready(until, writing=writing)

    async def _ready(self, until: float, *, writing: bool) -> None:
        if await wait_until_ready([self], until, writing=writing) is None:
            raise TimeoutError


class LoopDatagramSocket(LoopSocket, DatagramSocket):
    """A channel for datagrams."""

    def __init__(self, place: tuple[str, int], take_turn: TakeTurn) -> None:
        DatagramSocket.__init__(self, place)
        self.socket.setblocking(False)
        self._take_turn = take_turn

    async def receive(self, most: int, timeout: float, _enough: int) -> bytes:
        """Return the next datagram from the address. Datagrams from elsewhere do not lengthen the wait."""
        until = _until(timeout)
        while True:
            octets, source = await self.attempt(lambda: self.socket.recvfrom(most), until)
            if is_from(source, self.place[0]):
                return cast("bytes", octets)
            if _until(0) >= until:
                raise TimeoutError

    async def send(self, pieces: list[memoryview], timeout: float) -> int:
        octets = b"".join(pieces)
        return await self.attempt(lambda: self.socket.sendto(octets, self.place), _until(timeout), writing=True)


class LoopTLS:
    """A channel over TLS: a socket, and buffers in memory between it and the TLS engine."""

    def __init__(self, plain: LoopSocket, context: ssl.SSLContext, host: str) -> None:
        self._plain = plain
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)

    @property
    def watched(self) -> LoopSocket:
        return self._plain

    def peer_address(self) -> tuple[str, int]:
        return self._plain.peer_address()

    def fileno(self) -> int:
        return self._plain.fileno()

    def close(self) -> None:
        """Close the socket, without TLS's closing alert."""
        self._plain.close()

    def abort(self) -> None:
        self._plain.abort()

    async def handshake(self, timeout: float) -> None:
        """Carry out the handshake. Raises ssl.SSLError, OSError."""
        await self._exchange(self._tls.do_handshake, timeout)

    async def receive(self, most: int, timeout: float, _enough: int) -> bytes:
        # ssl.SSLError is raised if the connection ends without TLS's closing alert.
        return await self._exchange(lambda: self._tls.read(min(most, PIECE)), timeout)

    async def send(self, pieces: list[memoryview], timeout: float) -> int:
        octets = one_of(pieces)[:RECORDS]
        return await self._exchange(lambda: self._tls.write(octets), timeout)

    def has_buffered(self) -> bool:
        return self._tls.pending() > 0 or self._incoming.pending > 0

    async def _exchange(self, operation: Callable[[], T], timeout: float) -> T:
        """Carry out an operation of the TLS engine, and receive and send the records that it needs."""
        until = _until(timeout)
        received = False
        while True:
            try:
                result = operation()
            except ssl.SSLWantReadError:
                await self._flush(until)
                if received and _until(0) >= until:  # a server can send any number of records without content
                    raise TimeoutError from None
                received = True
                octets = await self._plain.attempt(lambda: self._plain.socket.recv(PIECE), until)
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
                sent = await self._plain.attempt(partial(self._plain.socket.send, rest), until, writing=True)
                rest = rest[sent:]


def _until(timeout: float) -> float:
    """Return the time, on the clock of the running loop, in `timeout` seconds."""
    return asyncio.get_running_loop().time() + timeout


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
