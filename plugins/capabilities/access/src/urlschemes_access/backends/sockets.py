"""The sockets of this machine, as channels: made, named, closed. Who waits for them, and how, is a backend's affair.

What the network modules of the standard library cost to import is paid when the first step needs them.
"""

from __future__ import annotations

import ipaddress
import struct
import sys
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ssl

    from urlschemes_access.backends import primitives

__all__ = [
    "Datagrams",
    "Socket",
    "addresses",
    "datagram_socket",
    "default_context",
    "is_from",
    "stream_socket",
    "strict",
]


class Socket:
    """A socket, as a channel."""

    __slots__ = ("socket",)

    def __init__(self, socket: Any) -> None:
        self.socket = socket

    def address(self) -> tuple[str, int]:
        """The address and port that it is connected to, by the system's account. Raises OSError."""
        host, port = self.socket.getpeername()[:2]
        return host, port

    def fileno(self) -> int:
        """The system's number of it."""
        number: int = self.socket.fileno()
        return number

    def close(self) -> None:
        """Close it; closing twice does nothing."""
        self.socket.close()

    def abort(self) -> None:
        """Close it with a reset."""
        import socket

        with suppress(OSError):  # it is broken already
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()


class Datagrams(Socket):
    """A socket for datagrams to one place, and from its address. It is not connected, so that the port may differ."""

    __slots__ = ("place",)

    def __init__(self, place: tuple[str, int]) -> None:
        super().__init__(datagram_socket(place[0]))
        self.place = place

    def address(self) -> tuple[str, int]:
        """Where the datagrams go."""
        return self.place


def stream_socket(address: str) -> Any:
    """A socket for a connection to `address`, not yet connected."""
    import socket

    made = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    try:
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)  # else an urgent octet is lost from the stream
    except BaseException:
        made.close()
        raise
    return made


def datagram_socket(address: str) -> Any:
    """A socket for datagrams to `address`, not connected: the answer to one may come from another port of its.

    Where the system can do it, a call on the socket says that nobody listens there, as it would on a connected one.
    """
    import socket

    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_DGRAM)
    if sys.platform == "linux":
        # IP_RECVERR and IPV6_RECVERR, which the socket module does not name before Python 3.14.
        level, option = (socket.IPPROTO_IPV6, 25) if family == socket.AF_INET6 else (socket.IPPROTO_IP, 11)
        with suppress(OSError):
            made.setsockopt(level, option, 1)
    return made


def is_from(source: tuple[Any, ...], address: str) -> bool:
    """Whether a datagram, whose sender `recvfrom` gave as `source`, comes from `address`."""
    return ipaddress.ip_address(source[0].partition("%")[0]) == ipaddress.ip_address(address.partition("%")[0])


def addresses(step: primitives.Resolve) -> list[str]:
    """What the system's resolver says. Nothing can interrupt one that hangs: to be called in a thread of its own."""
    import socket

    kind = socket.SOCK_DGRAM if step.transport == "udp" else socket.SOCK_STREAM
    answer = socket.getaddrinfo(step.host.encode("ascii"), step.port, type=kind)
    families = (socket.AF_INET, socket.AF_INET6)
    return list(dict.fromkeys(str(sockaddr[0]) for family, _, _, _, sockaddr in answer if family in families))


def strict(context: ssl.SSLContext | None) -> ssl.SSLContext:
    """`context`, or `default_context()`, by which a connection that was cut does not look as if it had ended.

    Until Python 3.11.3 it did, with OpenSSL 3, by an option that every context came with; nobody who gave one set it.
    """
    import ssl

    used = default_context() if context is None else context
    if sys.version_info < (3, 11, 4):
        used.options &= ~ssl.OP_IGNORE_UNEXPECTED_EOF
    return used


@cache
def default_context() -> ssl.SSLContext:
    """TLS 1.2 or later, against the system's certificates. Made once.

    Not `ssl.create_default_context`: that writes the session keys to a file where an environment variable says so.
    """
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_default_certs()
    return context
