"""Servers on 127.0.0.1 or ::1, for connections or datagrams, that are bounded in time."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.errors import require_type

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

__all__ = ["FAREWELL", "HOST", "LIFETIME", "PATIENCE", "Address", "Datagrams", "Loopback", "bound", "listening"]

HOST = "127.0.0.1"
"""The address that everything here listens on, unless it is given `::1`."""
LIFETIME = 300.0
"""Seconds after which a server closes, even if the test that started it does not."""
PATIENCE = 30.0
"""Seconds that a server waits for the next octets of a client."""
FAREWELL = 5.0
"""Seconds that closing waits for the threads of open connections."""
PARTING = 1.0
"""Seconds that a client may take to close after the server did."""


class Address(NamedTuple):
    """The address of a server. `str(address)` is `host:port`, as in a URL: an IPv6 address has brackets there only."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def bound(host: str) -> socket.socket:
    """Return a socket for datagrams, bound to a free port of `host`."""
    made = socket.socket(_family(host), socket.SOCK_DGRAM)
    made.bind((host, 0))
    return made


def listening(host: str) -> socket.socket:
    """Return a socket that listens on a free port of `host`."""
    return socket.create_server((host, 0), family=_family(host))


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


class _Server:
    """A thread that calls `take` whenever something arrives, until it is woken, its lifetime ends, or `take` fails.

    The end of the block raises the first error.
    """

    def __init__(self, listener: socket.socket, take: Callable[[], None], lifetime: float) -> None:
        self._ends = time.monotonic() + lifetime
        self._errors: list[Exception] = []
        self._listener = listener
        self._take = take
        self._wake, self._woken = socket.socketpair()
        self.address = Address(*listener.getsockname()[:2])
        self._thread = threading.Thread(target=self._listen, name=f"listening on {self.address}", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
        if kind is None and self._errors:
            raise self._errors[0]

    def close(self) -> None:
        """Stop listening and wait for the thread; closing twice does nothing."""
        with contextlib.suppress(OSError):
            self._wake.send(b".")
        self._thread.join(FAREWELL)
        self._wake.close()

    def _listen(self) -> None:
        with self._listener, self._woken, selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            try:
                while (left := self._ends - time.monotonic()) > 0:
                    ready = [key.fileobj for key, _ in selector.select(left)]
                    if self._woken in ready:
                        return
                    if ready:
                        self._take()
            except Exception as error:  # noqa: BLE001  raised at the end of the block
                self._errors.append(error)


class Loopback(_Server):
    """A server on a free port of `host` that calls `serve` with each connection, in a daemon thread of its own.

    A context manager; its end closes every connection and waits for the threads. An OSError of `serve`, because the
    connection broke or the client was too slow, ends that connection; any other exception is raised at the end of the
    block. With `tls`, each connection is protected before `serve` is called.
    """

    def __init__(
        self,
        serve: Callable[[socket.socket], None],
        *,
        host: str = HOST,
        lifetime: float = LIFETIME,
        patience: float = PATIENCE,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        if tls is not None:
            from ssl import SSLContext  # most servers have no TLS

            require_type("tls", tls, SSLContext)
        self._serve = serve
        self._tls = tls
        self._patience = patience
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self.closing = threading.Event()
        """Set when the server closes: a `serve` that waits should wait for it."""
        super().__init__(listening(host), self._admit, lifetime)

    def close(self) -> None:
        """Stop listening, shut down every connection and wait for the threads; closing twice does nothing."""
        super().close()
        for thread in self._threads:
            thread.join(FAREWELL)

    def _listen(self) -> None:
        super()._listen()
        self.closing.set()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _admit(self) -> None:
        connection, _ = self._listener.accept()
        connection.settimeout(self._patience)
        with self._lock:
            self._open.add(connection)
        thread = threading.Thread(target=self._attend, args=(connection,), daemon=True)
        self._threads = [*filter(threading.Thread.is_alive, self._threads), thread]
        thread.start()

    def _attend(self, connection: socket.socket) -> None:
        try:
            if self._tls is None:
                self._serve(connection)
                _part(connection)
            else:
                with self._tls.wrap_socket(connection.dup(), server_side=True) as secured:
                    self._serve(secured)
                    secured.settimeout(PARTING)
                    with contextlib.suppress(ValueError):  # the connection was reset meanwhile
                        secured.unwrap()
        except OSError:
            pass  # the client closed, reset, or took too long
        except Exception as error:  # noqa: BLE001  raised at the end of the block
            self._errors.append(error)
        finally:
            with self._lock:
                self._open.remove(connection)
            connection.close()


def _part(connection: socket.socket) -> None:
    """Close in an orderly way: closing with unread octets would reset the connection."""
    connection.shutdown(socket.SHUT_WR)
    connection.settimeout(PARTING)
    while connection.recv(65536):
        pass


class Datagrams(_Server):
    """A server on a free port of `host` that calls `hear` with each datagram and its sender, in a daemon thread.

    A context manager; its end waits for the thread. An exception of `hear` ends the server, and is raised at the end of
    the block.
    """

    def __init__(self, hear: Callable[[bytes, Address], None], *, host: str = HOST, lifetime: float = LIFETIME) -> None:
        self._hear = hear
        super().__init__(bound(host), self._receive, lifetime)

    def send(self, octets: bytes, to: Address) -> None:
        """Send a datagram. One that the system does not accept is lost, as any datagram may be."""
        with contextlib.suppress(OSError):
            self._listener.sendto(octets, to)

    def _receive(self) -> None:
        try:
            octets, sender = self._listener.recvfrom(65536)
        except OSError:
            return  # some systems report here that an earlier datagram was refused
        self._hear(octets, Address(*sender[:2]))
