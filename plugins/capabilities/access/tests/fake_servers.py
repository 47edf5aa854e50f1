"""Behaviour of test servers on a loopback address, and their certificates."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

Talk = Callable[[socket.socket], None]
"""The behaviour of a server on one connection."""


class Serve(Protocol):
    """Starts a server, and returns its port."""

    def __call__(self, talk: Talk, *, at: str = ...) -> int: ...


PATIENCE = 60
"""Seconds within which a server or a thread does what it is about to do, even on a busy machine."""


def eventually(what: Callable[[], bool]) -> bool:
    """Wait until `what` returns True, and return the last result: servers and threads need a moment."""
    until = time.monotonic() + PATIENCE
    while not (result := what()) and time.monotonic() < until:
        time.sleep(0.01)
    return result


def until_gone(connection: socket.socket) -> None:
    """Read until the client closes."""
    while connection.recv(65536):
        pass


def reset(connection: socket.socket) -> None:
    """Close with a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def drip(connection: socket.socket) -> None:
    """Send one octet after another, without end."""
    while True:
        connection.sendall(b"x")
        time.sleep(0.02)


def flood(connection: socket.socket) -> None:
    """Send without end."""
    while True:
        connection.sendall(b"x" * 65536)


def echo(heard: list[bytes]) -> Talk:
    """Send back everything but "silence", and add it to `heard`."""

    def talk(connection: socket.socket) -> None:
        while octets := connection.recv(100):
            heard.append(octets)
            if octets != b"silence":
                connection.sendall(octets)

    return talk


def in_two_pieces(connection: socket.socket) -> None:
    connection.recv(1)
    connection.sendall(b"one")
    connection.recv(1)
    connection.sendall(b"two")


def resolver_of(*addresses: str) -> Callable[..., list[Any]]:
    """Return a function in place of `socket.getaddrinfo` that gives these addresses."""
    return lambda *_, **__: [
        (socket.AF_INET6 if ":" in a else socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, 0)) for a in addresses
    ]


@contextmanager
def full_backlog(host: str, port: int = 0) -> Iterator[int]:
    """Listen with a full backlog: the system drops what arrives, as a firewall does."""
    with socket.socket() as listener, socket.socket() as one, socket.socket() as two:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(0)
        for filler in (one, two):
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


CERTIFICATE = Path(__file__).parent / "tls" / "host.example.pem"  # self-signed, with its key, for tests only


def tls(talk: Callable[[ssl.SSLSocket], None]) -> Talk:
    """Return `talk` behind a TLS handshake."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)

    def secured(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as server:
            talk(server)

    return secured


def trusting() -> ssl.SSLContext:
    """Return a context that trusts the certificate of these servers."""
    return ssl.create_default_context(cafile=CERTIFICATE)


@contextmanager
def datagrams(talk: Talk) -> Iterator[int]:
    """Run `talk` with a socket for datagrams, and give its port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(PATIENCE)
        thread = threading.Thread(target=talk, args=(server,))
        thread.start()
        yield server.getsockname()[1]
        thread.join(PATIENCE)
        assert not thread.is_alive()


def descriptors() -> int:
    """Return the number of open file descriptors; 0 if the system does not tell it."""
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0
