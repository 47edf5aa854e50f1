"""Sockets as channels, and the resolver: what the blocking and the event-loop backend share.

The network modules of the standard library are imported when they are first needed.
"""

from __future__ import annotations

import ipaddress
import struct
import sys
from contextlib import suppress
from typing import Any

from urlschemes_access.protocol.requests import Transport

__all__ = ["addresses_of"]

PIECE = 124 * 1024
"""Octets that a socket is asked for unless so many are sure to come: glibc maps new memory for each 128 KiB."""
SHORT = 4096
"""Octets of a piece that is sent together with the next: to send it takes as much time as a long one."""


class Socket:
    """A channel over a socket."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket

    def peer_address(self) -> tuple[str, int]:
        host, port = self.socket.getpeername()[:2]
        return host, port

    def fileno(self) -> int:
        number: int = self.socket.fileno()
        return number

    def close(self) -> None:
        self.socket.close()

    def abort(self) -> None:
        import socket  # heavy

        with suppress(OSError):  # the connection is already broken
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()


class DatagramSocket(Socket):
    """A channel for datagrams to one place and from its address. The socket is not connected: the port may differ."""

    def __init__(self, place: tuple[str, int]) -> None:
        super().__init__(_new_datagram_socket(place[0]))
        self.place = place

    def peer_address(self) -> tuple[str, int]:
        return self.place


def new_stream_socket(address: str) -> Any:
    """Return a socket for a connection to `address`, not yet connected."""
    import socket  # heavy

    made = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    try:
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)  # else an urgent octet is lost from the stream
    except BaseException:
        made.close()
        raise
    return made


def _new_datagram_socket(address: str) -> Any:
    """Return a socket for datagrams, not connected: an answer may come from another port.

    On Linux, its calls nevertheless report that no server listens, as they would on a connected socket.
    """
    import socket  # heavy

    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_DGRAM)
    if sys.platform == "linux":
        # IP_RECVERR and IPV6_RECVERR, which the socket module does not define before Python 3.14.
        level, option = (socket.IPPROTO_IPV6, 25) if family == socket.AF_INET6 else (socket.IPPROTO_IP, 11)
        with suppress(OSError):
            made.setsockopt(level, option, 1)
    return made


def send_pieces(socket: Any, pieces: list[memoryview]) -> int:
    """Send some of the octets of `pieces`, without copying them where the system can do so; return their number."""
    together = len(pieces) > 1 and hasattr(socket, "sendmsg")
    count: int = socket.sendmsg(pieces) if together else socket.send(one_of(pieces))
    return count


def one_of(pieces: list[memoryview]) -> memoryview | bytes:
    """Return the first piece, with those that follow if it is short."""
    short = 0
    while short < len(pieces) - 1 and len(pieces[short]) < SHORT:
        short += 1
    return b"".join(pieces[: short + 1]) if short else pieces[0]


def is_from(source: tuple[Any, ...], address: str) -> bool:
    """Return True if a datagram with the sender `source`, as `recvfrom` gives it, comes from `address`."""
    return ipaddress.ip_address(source[0].partition("%")[0]) == ipaddress.ip_address(address.partition("%")[0])


def addresses_of(host: str, port: int, transport: Transport) -> list[str]:
    """Return the addresses that the system's resolver gives. It cannot be interrupted: call it in a daemon thread."""
    import socket  # heavy

    kind = socket.SOCK_DGRAM if transport == "udp" else socket.SOCK_STREAM
    answer = socket.getaddrinfo(host.encode("ascii"), port, type=kind)
    families = (socket.AF_INET, socket.AF_INET6)
    return list(dict.fromkeys(str(sockaddr[0]) for family, _, _, _, sockaddr in answer if family in families))
