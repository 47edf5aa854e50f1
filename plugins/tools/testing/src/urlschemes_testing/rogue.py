r"""Servers on 127.0.0.1 that misbehave, in a few lines for each fault.

    with rogue(says("220 ready"), hears(), resets()) as server:                 # reset after the first command
        ...f"ftp://{server}/"
    with rogue(hears(), says(b"HTTP/1.1 200 OK\r\n"), drips(b"X: y", every=0.01)): ...
    with rogue(hears_until(b"\r\n\r\n"), floods(b"X: y\r\n")): ...              # headers that never end

A server performs its acts on each connection, and then closes it. An act is a function of the `Visitor`, so a test can
write its own.
"""

from __future__ import annotations

import itertools
import socket
import struct
import sys
import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, TypeAlias

from urlschemes_testing.loopback import FAREWELL, HOST, LIFETIME, PATIENCE, Address, Loopback

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = [
    "Act",
    "RogueAddress",
    "Visitor",
    "after_data",
    "by_turns",
    "closes",
    "deaf",
    "drips",
    "ends_output",
    "floods",
    "hears",
    "hears_exactly",
    "hears_until",
    "loops",
    "offers_data",
    "refusing",
    "resets",
    "rogue",
    "says",
    "starts_tls",
    "stays_silent",
    "waits",
]

MOST_HEARD = 1024 * 1024
"""The most octets of one connection that are recorded."""
FLOOD = 64 * 1024
"""The octets that a flooding server sends at a time."""


class Visitor:
    """One connection to a rogue server, with its number from 0. `heard` is everything that it has sent.

    Methods that block end when the client closes, when it takes longer than the server's patience, and when the server
    closes.
    """

    def __init__(self, connection: socket.socket, number: int, closing: threading.Event) -> None:
        self.number = number
        self.heard = bytearray()
        self.accepted = self._connection = connection
        """The connection as it was accepted, without TLS."""
        self.closing = closing
        """Set when the server closes."""
        self.data_done = threading.Event()
        """Set when the acts of a data connection have ended."""
        self.opened = ExitStack()
        """The other sockets of this visit, which are closed at its end."""
        self._buffer = bytearray()

    def say(self, octets: bytes) -> None:
        """Send `octets`."""
        self._connection.sendall(octets)

    def hear(self) -> bytes:
        """Return the next octets, as soon as there are any; `b""` when the client has closed."""
        octets = self._connection.recv(65536)
        self.heard += octets[: MOST_HEARD - len(self.heard)]
        return octets

    def hear_until(self, end: bytes) -> bytes:
        """Return the octets up to and including `end`. Raises ConnectionError if the client closes before that."""
        while (found := self._buffer.find(end)) < 0:
            self._hear_more()
        return self._take(found + len(end))

    def hear_exactly(self, count: int) -> bytes:
        """Return the next `count` octets. Raises ConnectionError if the client closes before that."""
        while len(self._buffer) < count:
            self._hear_more()
        return self._take(count)

    def _hear_more(self) -> None:
        octets = self.hear()
        if not octets:
            raise ConnectionError("the client closed")
        self._buffer += octets

    def _take(self, count: int) -> bytes:
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    def wait(self, seconds: float) -> None:
        """Send nothing for `seconds`. Raises ConnectionError if the server closes meanwhile."""
        if self.closing.wait(seconds):
            raise ConnectionError("the server closes")

    def reset(self) -> None:
        """Reset the connection. The client may lose what it has not read."""
        self.accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self) -> None:
        """Close at once; this resets the connection if the client sent something that was not read."""
        self._connection.close()
        self.accepted.close()

    def start_tls(self, context: ssl.SSLContext) -> None:
        """Protect the connection from here on."""
        # A duplicate, because the TLS socket takes over the socket that it is given.
        self._connection = self.opened.enter_context(context.wrap_socket(self.accepted.dup(), server_side=True))


Act: TypeAlias = "Callable[[Visitor], object]"
"""A function that does something with one connection to a rogue server."""


class RogueAddress(Address):
    """The address of a rogue server; `visits` are its connections so far, in order."""

    visits: list[Visitor]

    @property
    def heard(self) -> list[bytes]:
        """The octets that each connection has sent so far."""
        return [bytes(visitor.heard) for visitor in self.visits]


@contextmanager
def rogue(*acts: Act, lifetime: float = LIFETIME, patience: float = PATIENCE) -> Iterator[RogueAddress]:
    """Listen until the end of the block, or for `lifetime` seconds; `acts` are performed on every connection.

    A client that keeps the server waiting for `patience` seconds is disconnected. An exception of an act is raised at
    the end of the block.
    """
    visits: list[Visitor] = []

    def serve(connection: socket.socket) -> None:
        visitor = Visitor(connection, len(visits), server.closing)
        visits.append(visitor)
        _attend(visitor, acts)

    with Loopback(serve, lifetime=lifetime, patience=patience) as server:
        address = RogueAddress(*server.address)
        address.visits = visits
        yield address


def _attend(visitor: Visitor, acts: Iterable[Act]) -> None:
    with visitor.opened:
        _perform(visitor, acts)


def _perform(visitor: Visitor, acts: Iterable[Act]) -> None:
    for act in acts:
        act(visitor)


@contextmanager
def refusing() -> Iterator[Address]:
    """Reserve a port on which no server listens: connections are refused."""
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        yield Address(*taken.getsockname())


@contextmanager
def deaf() -> Iterator[Address]:
    """Reserve a port whose queue is full: connecting neither succeeds nor is refused.

    Raises RuntimeError if the system accepts every connection.
    """
    with socket.socket() as listener, ExitStack() as queued:
        listener.bind((HOST, 0))
        listener.listen(0)
        for _ in range(64):
            waiting = queued.enter_context(socket.socket())
            waiting.settimeout(0.05)
            try:
                waiting.connect(listener.getsockname())
            except TimeoutError:
                break
        else:
            raise RuntimeError("this system accepts every connection for a server that does not")
        yield Address(*listener.getsockname())


# Acts -----------------------------------------------------------------------------------------------------------------


def says(*pieces: str | bytes) -> Act:
    """Send all of this in one piece. A str is one line, to which CR LF is added; bytes are sent as they are."""
    octets = b"".join(piece if isinstance(piece, bytes) else piece.encode() + b"\r\n" for piece in pieces)
    return lambda visitor: visitor.say(octets)


def hears(lines: int = 1) -> Act:
    """Wait for so many lines of the client."""
    return lambda visitor: [visitor.hear_until(b"\n") for _ in range(lines)]


def hears_until(end: bytes) -> Act:
    r"""Wait for `end`: `hears_until(b"\r\n\r\n")` reads an HTTP request without a body."""
    return lambda visitor: visitor.hear_until(end)


def hears_exactly(count: int) -> Act:
    """Wait for `count` octets."""
    return lambda visitor: visitor.hear_exactly(count)


def stays_silent() -> Act:
    """Read until the client closes, and send nothing."""

    def act(visitor: Visitor) -> None:
        while visitor.hear():
            pass

    return act


def waits(seconds: float) -> Act:
    """Send nothing for `seconds`."""
    return lambda visitor: visitor.wait(seconds)


def drips(octets: bytes, *, every: float = 0.02) -> Act:
    """Send `octets` one at a time, one `every` so many seconds."""

    def act(visitor: Visitor) -> None:
        for octet in octets:
            visitor.say(bytes((octet,)))
            visitor.wait(every)

    return act


def loops(*acts: Act) -> Act:
    """Repeat `acts` until the client closes."""
    return lambda visitor: _perform(visitor, itertools.cycle(acts))


def floods(octets: bytes = bytes(FLOOD), *, most: int | None = None) -> Act:
    """Send `octets` again and again, as fast as possible, until the client closes or `most` octets were sent."""
    several = octets * max(1, FLOOD // len(octets))

    def act(visitor: Visitor) -> None:
        left = sys.maxsize if most is None else most
        while left > 0:
            visitor.say(several[:left])
            left -= len(several)

    return act


def resets() -> Act:
    """Reset the connection."""
    return Visitor.reset


def ends_output() -> Act:
    """Close one half of the connection: the client reads the end, and may continue to send."""
    return lambda visitor: visitor.accepted.shutdown(socket.SHUT_WR)


def closes() -> Act:
    """Close the connection at once. Without this it is closed in an orderly way after the last act."""
    return Visitor.close


def starts_tls(context: ssl.SSLContext) -> Act:
    """Protect the connection from here on."""
    return lambda visitor: visitor.start_tls(context)


def offers_data(reply: str, *acts: Act) -> Act:
    """Open a second port and announce it by the line `reply`, with `{port}`, or `{high}` and `{low}`, filled in.

    `acts` are performed on its connections: `offers_data("229 go (|||{port}|)", says(b"content"))`.
    """

    def act(visitor: Visitor) -> None:
        def serve(connection: socket.socket) -> None:
            try:
                _attend(Visitor(connection, 0, visitor.closing), acts)
            finally:
                visitor.data_done.set()

        second = Loopback(serve, patience=visitor.accepted.gettimeout() or PATIENCE)
        port = visitor.opened.enter_context(second).address.port
        visitor.say(reply.format(port=port, high=port // 256, low=port % 256).encode() + b"\r\n")

    return act


def after_data() -> Act:
    """Wait until the acts of the data connection have ended, at most as long as closing takes."""
    return lambda visitor: visitor.data_done.wait(FAREWELL)


def by_turns(*turns: Sequence[Act]) -> Act:
    """Perform other acts on each connection: the first of `turns` on the first; all later connections get the last."""
    return lambda visitor: _perform(visitor, turns[min(visitor.number, len(turns) - 1)])
