"""BlockingBackend: the backend of a Client."""

from __future__ import annotations

import select
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

from urlschemes_access.backends.backend import Channel
from urlschemes_access.backends.sockets import (
    PIECE,
    DatagramSocket,
    Socket,
    is_from,
    new_stream_socket,
    one_of,
    send_pieces,
)
from urlschemes_access.backends.system import SystemBackend
from urlschemes_access.backends.tls import TLSFiles, strict_context
from urlschemes_access.backends.worker_threads import Work, undo_later
from urlschemes_access.protocol.requests import Transport

if TYPE_CHECKING:
    import ssl

__all__ = ["BlockingBackend"]

T = TypeVar("T")

SLACK = 0.01
"""Seconds that a timeout may be longer than it was meant to be."""
LARGE = 32 * 1024
"""Octets after which more are expected at once."""
GATHERING = 0.002
"""Seconds that a read waits for all the octets wanted, if the one before it gave a large piece."""


class BlockingBackend(SystemBackend):
    """A backend whose calls block this thread: its coroutines never suspend."""

    async def take_turn(self) -> None:
        """Do nothing: the thread is the caller's own."""

    async def in_thread(
        self, action: Callable[[], T], timeout: float | None, work: Work, undo: Callable[[T], object] | None = None
    ) -> T:
        if timeout is None:
            return action()
        future = work.begin(action)
        try:
            return future.result(timeout)
        except BaseException:
            if undo is not None:
                undo_later(future, undo)
            raise

    async def call(self, function: Callable[[], object]) -> object:
        return function()

    async def dial(self, address: str, port: int, transport: Transport, timeout: float) -> Channel:
        if transport == "udp":
            return _BlockingDatagramSocket((address, port))
        made = new_stream_socket(address)
        try:
            made.settimeout(timeout)
            made.connect((address, port))
        except BaseException:
            made.close()
            raise
        return _BlockingStream(made)

    async def handshake(
        self, channel: Channel, context: ssl.SSLContext | TLSFiles | None, host: str, timeout: float
    ) -> Channel:
        import ssl  # heavy

        plain = cast("_BlockingSocket", channel)
        until = monotonic() + timeout
        plain.notice_all()
        used = strict_context(context)  # it reads files, the first time
        # This refuses a host that no certificate can name; wrap_socket would refuse it and leave the socket open.
        used.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname=host)
        secured = used.wrap_socket(
            plain.with_timeout(until - monotonic()),
            server_hostname=host,
            suppress_ragged_eofs=False,  # a connection that ends without TLS's closing alert is truncated
            do_handshake_on_connect=False,  # an interrupt during it would leave the socket open
        )
        try:
            secured.do_handshake()
        except BaseException:
            secured.close()
            raise
        return _BlockingSocket(secured)

    async def poll(self, channels: Sequence[Channel], timeout: float) -> int | None:
        sockets = []
        for index, channel in enumerate(channels):
            polled = cast("_BlockingSocket", channel)
            if getattr(polled.socket, "pending", int)():  # octets already decrypted, of which the system does not know
                return index
            polled.notice_all()
            sockets.append(polled.socket)
        if sys.platform == "win32":
            readable = select.select(sockets, [], [], timeout)[0]
            ready = {each.fileno() for each in readable}
        else:  # select refuses high file descriptors there
            poller = select.poll()
            for each in sockets:
                poller.register(each, select.POLLIN)
            ready = {number for number, _ in poller.poll(timeout * 1000)}
        return next((index for index, each in enumerate(sockets) if each.fileno() in ready), None)


class _BlockingSocket(Socket):
    """A channel over a socket whose calls wait."""

    async def receive(self, most: int, timeout: float, _enough: int) -> bytes:
        octets: bytes = self.with_timeout(timeout).recv(min(most, PIECE))
        return octets

    async def send(self, pieces: list[memoryview], timeout: float) -> int:
        count: int = self.with_timeout(timeout).send(one_of(pieces))
        return count

    def with_timeout(self, timeout: float) -> Any:
        """Return the socket with its timeout set, at most SLACK longer: to set it is a system call."""
        timeout = min(max(timeout, 0.001), 86_400.0)
        if not timeout <= (self.socket.gettimeout() or 0.0) <= timeout + SLACK:
            self.socket.settimeout(timeout)
        return self.socket

    def notice_all(self) -> None:
        """Let the system report any octet that has arrived."""


class _BlockingStream(_BlockingSocket):
    """A channel over a TCP connection without TLS.

    Content that comes fast is received in few large pieces: it takes less time in all. The system is asked to wait for
    that many octets (SO_RCVLOWAT); one that cannot do so gives what it has.
    """

    def __init__(self, socket: Any) -> None:
        super().__init__(socket)
        self._gathers = False
        self._least = 1
        self._may_gather = True

    async def receive(self, most: int, timeout: float, enough: int) -> bytes:
        if self._gathers and timeout > GATHERING:
            if self._least != enough:
                self._report_from(enough)
            if self.socket.gettimeout() != GATHERING:
                self.socket.settimeout(GATHERING)
            try:
                return cast("bytes", self.socket.recv(max(min(most, PIECE), enough)))
            except TimeoutError as fault:
                if fault.errno is not None:
                    raise
            timeout -= GATHERING
        self.notice_all()
        octets = await super().receive(most, timeout, enough)
        self._gathers = self._may_gather and len(octets) >= LARGE
        return octets

    async def send(self, pieces: list[memoryview], timeout: float) -> int:
        return send_pieces(self.with_timeout(timeout), pieces)

    def notice_all(self) -> None:
        if self._least != 1:
            self._report_from(1)

    def fileno(self) -> int:
        self._may_gather = self._gathers = False  # the caller waits for any octet
        self.notice_all()
        return super().fileno()

    def _report_from(self, octets: int) -> None:
        """Let the system report octets once there are so many, or the connection has ended."""
        import socket  # heavy

        self._least = octets
        with suppress(OSError):
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, octets)


class _BlockingDatagramSocket(DatagramSocket, _BlockingSocket):
    async def receive(self, most: int, timeout: float, _enough: int) -> bytes:
        """Return the next datagram from the address. Datagrams from elsewhere do not lengthen the wait."""
        until = monotonic() + timeout
        while True:
            octets, source = self.with_timeout(until - monotonic()).recvfrom(most)
            if is_from(source, self.place[0]):
                return cast("bytes", octets)
            if monotonic() >= until:
                raise TimeoutError

    async def send(self, pieces: list[memoryview], timeout: float) -> int:
        count: int = self.with_timeout(timeout).sendto(b"".join(pieces), self.place)
        return count
