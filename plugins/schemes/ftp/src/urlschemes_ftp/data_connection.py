"""Data connections: opening one, and receiving over it until the server confirms that this was all.

The client always connects to the server, at the address of the control connection. It never listens: active mode (PORT)
is not offered.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes_access.errors import ConnectError, DeadlineExceeded, PolicyDenied, Truncated
from urlschemes_access.protocol import CHUNK, Algorithm, Close, ConnectBack, Peer, Receive

if TYPE_CHECKING:
    from urlschemes_ftp.control import Control

__all__ = ["Download", "open_data_connection"]

CONFIRMATION_TIMEOUT = 15.0
"""Seconds to wait for 226 after the last octet was received."""

_PASSIVE_ONLY = (
    "active mode (PORT) is not offered: the client would accept a connection that anyone could make, "
    "and firewalls block it"
)
_PORT_RULES = frozenset({"ports", "only_ports"})
"""The rules of a policy that can deny a port."""
_PASV_REPLY = re.compile(rb"(?<![0-9])(?<![0-9],)[0-9]{1,3}(?:,[0-9]{1,3}){3},([0-9]{1,3}),([0-9]{1,3})(?!,?[0-9])")
_EPSV_REPLY = re.compile(rb"\(([!-/:-~])(?:(?!\1)[!-~])*\1(?:(?!\1)[!-~])*\1([0-9]{1,5})\1\)")


def open_data_connection(control: Control, *, sends: bool = False) -> Algorithm[Peer]:
    """Open a data connection by EPSV (RFC 2428), or by PASV if the server does not know EPSV.

    Only the port of the reply is used: an address in it would let a server make the client connect to any machine. If
    the policy denies the port, the server is asked for another one, once. Raises PolicyDenied.
    """
    port = yield from _passive_port(control)
    try:
        return (yield from ConnectBack(control.peer, port, label="data", sends=sends))
    except PolicyDenied as denied:
        if denied.rule not in _PORT_RULES:
            raise
    port = yield from _passive_port(control)  # most servers choose it at random
    return (yield from ConnectBack(control.peer, port, label="data", sends=sends))


def _passive_port(control: Control) -> Algorithm[int]:
    """Return the port that the server opened. Raises ProtocolError for a port below 1024, RemoteError."""
    reply = yield from control.command(b"EPSV")
    if reply.kind == 5:
        command, reply = "PASV", (yield from control.carry_out(b"PASV", 227, hint=_PASSIVE_ONLY))
        port = _pasv_port(reply.words)
    else:
        command, port = "EPSV", _epsv_port(reply.checked("EPSV", 229, hint=_PASSIVE_ONLY).words)
    if not 1024 <= port <= 65535:
        raise reply.unexpected(command, "a port from 1024 to 65535")
    return port


def _epsv_port(words: bytes) -> int:
    """Return the port of `(|||port|)`, 0 if there is none."""
    match = _EPSV_REPLY.search(words)
    return int(match[2]) if match else 0


def _pasv_port(words: bytes) -> int:
    """Return the port of `(h1,h2,h3,h4,p1,p2)`, 0 if there is none."""
    match = _PASV_REPLY.search(words)
    high, low = (int(match[1]), int(match[2])) if match else (0, 0)
    return high * 256 + low if high < 256 and low < 256 else 0


class Download:
    """A transfer from the server after `command`. `size` is the size that the server announced, if it did.

    After `most` octets, the transfer is ended by closing the data connection.
    """

    __slots__ = ("_command", "_control", "_data", "_most", "_received", "_size")

    def __init__(
        self, control: Control, data: Peer, command: str, size: int | None = None, *, most: int | None = None
    ) -> None:
        self._control = control
        self._data = data
        self._command = command
        self._most = most
        self._received = 0
        self._size = size

    def receive(self) -> Algorithm[bytes]:
        """Return the next octets; `b""` at the end. Raises Truncated."""
        most = CHUNK if self._most is None else min(self._most - self._received, CHUNK)
        if not most:
            return b""
        try:
            octets = (yield from Receive(self._data, most=most, phase="data")) or b""
        except (ConnectError, Truncated) as error:
            raise self._truncated("the data connection broke") from error
        self._received += len(octets)
        return octets

    def confirm(self) -> Algorithm[None]:
        """Close the data connection and wait for 226 or 250. Raises Truncated if the server sends neither."""
        yield from Close(self._data)  # some servers wait for this
        if self._received == self._most:
            # The reply, which may be an error because the server could not send the rest, is not awaited.
            self._control.login_directory = None
            return
        try:
            reply = yield from self._control.reply(self._command, within=CONFIRMATION_TIMEOUT, phase="confirmation")
        except (ConnectError, DeadlineExceeded, Truncated) as error:
            raise self._truncated("the data ended without a reply 226") from error
        if reply.code not in (226, 250):
            raise self._truncated(f"expected a reply 226 after the data, got '{reply}'")
        if self._size is not None and self._received != self._size:
            raise self._truncated("the size of the data is not the one that SIZE announced")

    def _truncated(self, problem: str) -> Truncated:
        of_size = "" if self._size is None else f" of {self._size}"
        return Truncated(
            f"{problem}: received {self._received}{of_size} octets", received=self._received, expected=self._size
        )
