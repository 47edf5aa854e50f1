"""A socket on 127.0.0.1 with a life that is bounded, for connections or for datagrams: what the servers stand on."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

__all__ = ["FAREWELL", "HOST", "LIFETIME", "PATIENCE", "Address", "Datagrams", "Loopback"]

HOST = "127.0.0.1"
"""The only address that anything here listens on."""
LIFETIME = 300.0
"""Seconds after which a server closes, whatever became of the test that started it."""
PATIENCE = 30.0
"""Seconds that a server waits for one client's next octets."""
FAREWELL = 5.0
"""Seconds that closing waits for the threads of open connections."""
PARTING = 1.0
"""Seconds that a client may take to close after the server did."""


class Address(NamedTuple):
    """Where a server listens. `str(address)` is `host:port`, ready for a URL."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class _Server:
    """A thread that listens until it is woken, or its life is over. Leaving the block raises what went wrong in it."""

    def __init__(self, listener: socket.socket, listen: Callable[[], None], lifetime: float) -> None:
        self._ends = time.monotonic() + lifetime
        self._errors: list[Exception] = []
        self._listener = listener
        self._wake, self._woken = socket.socketpair()
        self.address = Address(*listener.getsockname())
        self._thread = threading.Thread(target=listen, name=f"listening on {self.address}", daemon=True)
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
        """Stop listening and wait for the thread; again: nothing."""
        with contextlib.suppress(OSError):
            self._wake.send(b".")
        self._thread.join(FAREWELL)
        self._wake.close()


class Loopback(_Server):
    """Listens on 127.0.0.1, on a free port, and gives each connection to `serve` in a daemon thread of its own.

    A context manager; leaving it closes every connection and waits for the threads. A connection that breaks, or a
    client that is too slow, ends its `serve` and nothing else; any other error that `serve` raises is raised on
    leaving. With `tls`, each connection is protected before `serve` gets it.
    """

    def __init__(
        self,
        serve: Callable[[socket.socket], None],
        *,
        lifetime: float = LIFETIME,
        patience: float = PATIENCE,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._serve = serve
        self._tls = tls
        self._patience = patience
        self._lock = threading.Lock()
        self._open: dict[socket.socket, threading.Thread] = {}
        self._closing = threading.Event()
        super().__init__(socket.create_server((HOST, 0)), self._accept, lifetime)

    @property
    def closing(self) -> threading.Event:
        """Set once the server closes: what a `serve` that waits should wait on."""
        return self._closing

    def close(self) -> None:
        """Stop listening, break every connection off, wait for the threads; again: nothing."""
        self._closing.set()
        super().close()
        with self._lock:
            threads = list(self._open.values())
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(FAREWELL)

    def _accept(self) -> None:
        with self._listener, self._woken, selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while not self._closing.is_set():
                left = self._ends - time.monotonic()
                if left <= 0 or not selector.select(left):
                    self._closing.set()
                elif not self._closing.is_set():
                    self._admit()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _admit(self) -> None:
        connection, _ = self._listener.accept()
        connection.settimeout(self._patience)
        thread = threading.Thread(target=self._attend, args=(connection,), daemon=True)
        with self._lock:
            self._open[connection] = thread
        thread.start()

    def _protected(self, connection: socket.socket, tls: ssl.SSLContext) -> ssl.SSLSocket:
        with self._lock:
            thread = self._open.pop(connection)
            secured = tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
            self._open[secured] = thread
        secured.settimeout(self._patience)
        return secured

    def _attend(self, connection: socket.socket) -> None:
        try:
            if self._tls is None:
                self._serve(connection)
                _part(connection)
            else:
                connection = self._protected(connection, self._tls)
                connection.do_handshake()
                self._serve(connection)
                connection.settimeout(PARTING)
                with contextlib.suppress(ValueError):  # TLS is gone: the connection was broken off meanwhile
                    connection.unwrap()
        except OSError:
            pass  # the client went away, broke off, or took too long: that is its right
        except Exception as error:  # noqa: BLE001  kept for whoever started the server
            self._errors.append(error)
        finally:
            with self._lock:
                del self._open[connection]
            connection.close()


def _part(connection: socket.socket) -> None:
    """End in good order: closing with octets unread would break off, and the client lose what is under way."""
    connection.shutdown(socket.SHUT_WR)
    connection.settimeout(PARTING)
    while connection.recv(65536):
        pass


class Datagrams(_Server):
    """Listens on 127.0.0.1, on a free port, and gives each datagram and its sender to `hear`, in one daemon thread.

    A context manager; leaving it waits for the thread. An error that `hear` raises ends the server, and is raised on
    leaving.
    """

    def __init__(self, hear: Callable[[bytes, Address], None], *, lifetime: float = LIFETIME) -> None:
        self._hear = hear
        listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        listener.bind((HOST, 0))
        super().__init__(listener, self._listen, lifetime)

    def send(self, octets: bytes, to: Address) -> None:
        """Send a datagram. One that the system does not take, or nobody waits for, is lost as any other may be."""
        with contextlib.suppress(OSError):
            self._listener.sendto(octets, to)

    def _listen(self) -> None:
        with self._listener, self._woken, selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while (left := self._ends - time.monotonic()) > 0:
                ready = [key.fileobj for key, _ in selector.select(left)]
                if self._woken in ready:
                    return
                if ready and not self._heard_one():
                    return

    def _heard_one(self) -> bool:
        try:
            octets, (host, port) = self._listener.recvfrom(65536)
        except OSError:
            return True  # some systems say here that an earlier datagram reached nobody
        try:
            self._hear(octets, Address(host, port))
        except Exception as error:  # noqa: BLE001  kept for whoever started the server
            self._errors.append(error)
            return False
        return True
