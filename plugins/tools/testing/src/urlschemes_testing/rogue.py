r"""Servers that misbehave: on 127.0.0.1, real sockets, a few lines for each fault.

    with rogue(says("220 ready"), hears(), resets()) as server:                 # broken off after the first command
        ...f"ftp://{server}/"
    with rogue(hears(), says(b"HTTP/1.1 200 OK\r\n"), drips(b"X: y", every=0.01)): ...
    with rogue(hears_until(b"\r\n\r\n"), floods(b"X: y\r\n")): ...              # headers that never end

Each connection goes through the acts from the first to the last, and is then closed in good order. An act is a function
of the `Visitor`, so a test can write its own.
"""

from __future__ import annotations

import itertools
import socket
import struct
import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, TypeAlias

from urlschemes_testing.loopback import FAREWELL, HOST, LIFETIME, PATIENCE, Address, Loopback

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator, Sequence

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
"""Octets kept of what one connection sent."""
FLOOD = 64 * 1024
"""Octets sent at a time where a server floods."""


class Visitor:
    """One connection to a rogue server, counted from 0. `heard` is all that it sent so far.

    Whatever blocks ends when the client is gone, when it took longer than the server's patience, and when the server
    closes.
    """

    def __init__(self, connection: socket.socket, number: int, closing: threading.Event) -> None:
        self.number = number
        self.heard = bytearray()
        self._accepted = connection
        self._connection = connection
        self._closing = closing
        self._buffer = bytearray()
        self._data: list[Loopback] = []
        self._data_done = threading.Event()

    def say(self, octets: bytes) -> None:
        """Send `octets`."""
        self._connection.sendall(octets)

    def hear(self) -> bytes:
        """The next octets, as they come; `b""` when the client has closed."""
        octets = self._connection.recv(65536)
        self.heard += octets[: MOST_HEARD - len(self.heard)]
        return octets

    def hear_until(self, end: bytes) -> bytes:
        """What comes up to `end`, and that too. Raises ConnectionError when the client closes before."""
        while (found := self._buffer.find(end)) < 0:
            octets = self.hear()
            if not octets:
                raise ConnectionError("the client closed")
            self._buffer += octets
        taken = bytes(self._buffer[: found + len(end)])
        del self._buffer[: len(taken)]
        return taken

    def hear_exactly(self, count: int) -> bytes:
        """The next `count` octets. Raises ConnectionError when the client closes before."""
        while len(self._buffer) < count:
            octets = self.hear()
            if not octets:
                raise ConnectionError("the client closed")
            self._buffer += octets
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    def wait(self, seconds: float) -> None:
        """Say nothing for `seconds`. Raises ConnectionError when the server closes meanwhile."""
        if self._closing.wait(seconds):
            raise ConnectionError("the server closes")

    def reset(self) -> None:
        """Break the connection off: the client gets RST, and may lose what it has not read yet."""
        self._accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def end_output(self) -> None:
        """Close one half: the client reads the end, and may go on sending. Under TLS this is a cut."""
        self._accepted.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Close at once: in good order if all was heard that the client sent."""
        self._connection.close()
        self._accepted.close()

    def start_tls(self, context: ssl.SSLContext) -> None:
        """Protect the connection from here on."""
        # A duplicate, because TLS takes its socket away from whoever accepted it, and would break it off.
        secured = context.wrap_socket(self._accepted.dup(), server_side=True, do_handshake_on_connect=False)
        self._connection = secured
        secured.settimeout(self._accepted.gettimeout())
        secured.do_handshake()

    def offer_data(self, *acts: Act) -> Address:
        """Listen on a second port, where a data connection goes through `acts`; gives its address."""

        def serve(connection: socket.socket) -> None:
            try:
                _attend(Visitor(connection, 0, self._closing), acts)
            finally:
                self._data_done.set()

        server = Loopback(serve, patience=self._accepted.gettimeout() or PATIENCE)
        self._data.append(server)
        return server.address

    def await_data(self) -> None:
        """Wait until a data connection has gone through its acts; at most as long as closing takes."""
        self._data_done.wait(FAREWELL)

    def leave(self) -> None:
        """End what this visit opened beside its connection."""
        for server in self._data:
            server.close()
        if self._connection is not self._accepted:
            self._connection.close()


Act: TypeAlias = "Callable[[Visitor], None]"
"""Something that a rogue server does with one connection."""


class RogueAddress(Address):
    """Where a rogue server listens; `visits` are its connections so far, in order."""

    visits: list[Visitor]

    @property
    def heard(self) -> list[bytes]:
        """What each connection sent so far."""
        return [bytes(visitor.heard) for visitor in self.visits]


@contextmanager
def rogue(*acts: Act, lifetime: float = LIFETIME, patience: float = PATIENCE) -> Iterator[RogueAddress]:
    """Listen until the block is left, or for `lifetime` seconds; every connection goes through `acts`.

    A client that keeps the server waiting for `patience` seconds is sent away. A mistake in an act of the test's own is
    raised when the block is left.
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


def _attend(visitor: Visitor, acts: tuple[Act, ...]) -> None:
    try:
        for act in acts:
            act(visitor)
    finally:
        visitor.leave()


@contextmanager
def refusing() -> Iterator[Address]:
    """A port that nobody listens on, and nobody else can take meanwhile: connecting is refused."""
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        yield Address(*taken.getsockname())


@contextmanager
def deaf() -> Iterator[Address]:
    """A port where connecting never succeeds and is never refused: its queue is full and nobody accepts.

    Raises RuntimeError where the system does not let a queue be full.
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
    """Say this, in one piece. A str is one line, CR LF is added; bytes are those octets."""
    octets = b"".join(piece if isinstance(piece, bytes) else piece.encode() + b"\r\n" for piece in pieces)
    return lambda visitor: visitor.say(octets)


def hears(lines: int = 1) -> Act:
    """Wait for so many lines of the client's."""

    def act(visitor: Visitor) -> None:
        for _ in range(lines):
            visitor.hear_until(b"\n")

    return act


def hears_until(end: bytes) -> Act:
    r"""Wait for all up to `end`: `hears_until(b"\r\n\r\n")` is an HTTP request without a body."""

    def act(visitor: Visitor) -> None:
        visitor.hear_until(end)

    return act


def hears_exactly(count: int) -> Act:
    """Wait for `count` octets."""

    def act(visitor: Visitor) -> None:
        visitor.hear_exactly(count)

    return act


def stays_silent() -> Act:
    """Say nothing until the client closes; whatever it sends is heard."""

    def act(visitor: Visitor) -> None:
        while visitor.hear():
            pass

    return act


def waits(seconds: float) -> Act:
    """Say nothing for `seconds`."""
    return lambda visitor: visitor.wait(seconds)


def drips(octets: bytes, *, every: float = 0.02) -> Act:
    """Say `octets` one at a time, one `every` so many seconds."""

    def act(visitor: Visitor) -> None:
        for octet in octets:
            visitor.say(bytes((octet,)))
            visitor.wait(every)

    return act


def loops(*acts: Act) -> Act:
    """Do `acts` again and again, until the client is gone."""

    def act(visitor: Visitor) -> None:
        for each in itertools.cycle(acts):
            each(visitor)

    return act


def floods(octets: bytes = bytes(FLOOD), *, most: int | None = None) -> Act:
    """Say `octets` again and again as fast as they are taken, until the client is gone or `most` octets are said."""
    several = octets * max(1, FLOOD // len(octets))

    def act(visitor: Visitor) -> None:
        left = most
        while left is None or left > 0:
            piece = several if left is None else several[:left]
            visitor.say(piece)
            left = None if left is None else left - len(piece)

    return act


def resets() -> Act:
    """Break the connection off."""
    return Visitor.reset


def ends_output() -> Act:
    """Close one half of the connection: what follows can only be hearing."""
    return Visitor.end_output


def closes() -> Act:
    """Close the connection at once; at the end of all acts it is closed in good order by itself."""
    return Visitor.close


def starts_tls(context: ssl.SSLContext) -> Act:
    """Protect the connection from here on."""
    return lambda visitor: visitor.start_tls(context)


def offers_data(reply: str, *acts: Act) -> Act:
    """Open a second port, and say where it is: one line, `reply`, with `{port}`, or `{high}` and `{low}`, filled in.

    What connects there goes through `acts`: `offers_data("229 go (|||{port}|)", says(b"content"))`.
    """

    def act(visitor: Visitor) -> None:
        port = visitor.offer_data(*acts).port
        visitor.say(reply.format(port=port, high=port // 256, low=port % 256).encode() + b"\r\n")

    return act


def after_data() -> Act:
    """Wait until the data connection is through with its acts."""
    return Visitor.await_data


def by_turns(*turns: Sequence[Act]) -> Act:
    """Each connection goes through acts of its own: the first of `turns`, the second; all later ones the last."""

    def act(visitor: Visitor) -> None:
        for each in turns[min(visitor.number, len(turns) - 1)]:
            each(visitor)

    return act
