"""Data connections: how one is opened, and what goes over it until the server confirms that it was all.

Always opened from here to the server, to the very address that the control connection has.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes_access.errors import AccessError, ConnectError, DeadlineExceeded, Indeterminate, Truncated
from urlschemes_access.protocol import Algorithm, Close, ConnectBack, Peer, Receive, Send, partly

if TYPE_CHECKING:
    from urlschemes_access.protocol.replies import Reply
    from urlschemes_ftp.control import Control

__all__ = ["Transfer", "Upload", "passive"]

CONFIRMATION = 15.0
"""Seconds that the 226 may keep waiting after the last octet."""
STORED = 60.0
"""Seconds that it may take when we sent: what the system has taken from us may still be on its way."""
LISTEN = 1024 * 1024
"""Octets that are sent at most without listening whether the server says something."""
REASON = 2.0
"""Seconds to wait for what the server says of a data connection that broke."""

_PASV = re.compile(rb"(?<![0-9])[0-9]{1,3}(?:,[0-9]{1,3}){3},([0-9]{1,3}),([0-9]{1,3})(?![0-9])")
_EPSV = re.compile(rb"\(([!-/:-~])(?:(?!\1)[!-~])*\1(?:(?!\1)[!-~])*\1([0-9]{1,5})\1\)")


class Transfer:
    """What one command sends over its own data connection.

    `size` is what was announced, None where nothing was; `received` counts octets.
    """

    __slots__ = ("_control", "_data", "_what", "received", "size")

    def __init__(self, control: Control, data: Peer, what: str, size: int | None) -> None:
        self._control = control
        self._data = data
        self._what = what
        self.received = 0
        self.size = size

    def octets(self) -> Algorithm[bytes]:
        """The next octets; `b""` once the server has closed the data connection. Raises Truncated where it breaks."""
        try:
            octets = (yield from Receive(self._data, phase="data")) or b""
        except (ConnectError, Truncated) as error:
            raise self._cut("the data connection broke") from error
        self.received += len(octets)
        return octets

    def confirmed(self) -> Algorithm[None]:
        """Wait for the 226 (or 250), which may have come already. Raises Truncated where neither comes."""
        yield from Close(self._data)
        try:
            reply = yield from self._control.reply(self._what, within=CONFIRMATION, phase="confirmation")
        except (ConnectError, DeadlineExceeded, Truncated) as error:
            raise self._cut("the data ended, and no 226 confirmed it") from error
        if reply.code not in (226, 250):
            raise self._cut(f"the data ended, but instead of 226 came '{reply}'")
        if self.size is not None and self.received != self.size:
            raise self._cut("the size that was announced is another")

    def _cut(self, why: str) -> Truncated:
        of = "" if self.size is None else f" of {self.size}"
        return Truncated(f"{why}; {self.received}{of} octets came", received=self.received, expected=self.size)


class Upload:
    """What one command takes over its own data connection; `what` names it. `sent` counts the octets sent."""

    __slots__ = ("_control", "_data", "_heard", "_what", "sent")

    def __init__(self, control: Control, data: Peer, what: str) -> None:
        self._control = control
        self._data = data
        self._what = what
        self._heard = 0  # octets that had been sent when the server was last listened to
        self.sent = 0

    def send(self, octets: bytes) -> Algorithm[None]:
        """Send `octets`. Raises RemoteError with what the server says, Truncated where it says nothing."""
        if self.sent < LISTEN or self.sent - self._heard >= LISTEN:
            yield from self.check_silence()
        try:
            yield from Send(self._data, octets)
        except (ConnectError, DeadlineExceeded, Truncated) as error:
            self.sent += error.sent or 0
            raise (yield from self._broken(error)) from error
        self.sent += len(octets)

    def check_silence(self) -> Algorithm[None]:
        """Raise what it means that the server speaks before all was sent, if it does."""
        self._heard = self.sent
        if (yield from self._control.speaks()):
            try:
                reply = yield from self._reply(within=REASON)
            except (ConnectError, DeadlineExceeded, Truncated) as error:
                raise Truncated(f"the control connection broke; {partly(self.sent)}", sent=self.sent) from error
            if reply.kind in (4, 5):
                raise reply.refusal(self._what, sent=self.sent)
            raise reply.astray(self._what, "silence until all was sent", sent=self.sent)

    def confirmed(self) -> Algorithm[Reply]:
        """End the data, and wait for the 226 (or 250). Raises Indeterminate where no reply comes."""
        yield from Close(self._data)
        try:
            reply = yield from self._reply(within=STORED)
        except AccessError as error:  # silence, an end, or what is no reply
            raise Indeterminate(
                f"all {self.sent} octets were sent, and no 226 confirmed it: whether they are there cannot be known",
                sent=self.sent,
            ) from error
        return reply.checked(self._what, 226, 250, sent=self.sent)

    def _reply(self, *, within: float) -> Algorithm[Reply]:
        try:
            return (yield from self._control.reply(self._what, within=within, phase="confirmation"))
        except AccessError as error:
            error.sent = self.sent
            raise

    def _broken(self, error: AccessError) -> Algorithm[AccessError]:
        """Why the data connection broke, in the server's words where it has any."""
        try:
            reply = yield from self._reply(within=REASON)
            if reply.kind in (4, 5):
                return reply.refusal(self._what, sent=self.sent)
        except AccessError:
            pass
        if isinstance(error, DeadlineExceeded):
            return DeadlineExceeded(f"{error.message}; {partly(self.sent)}", phase=error.phase, sent=self.sent)
        return Truncated(f"the data connection broke; {partly(self.sent)}", sent=self.sent)


def passive(control: Control, *, sends: bool = False) -> Algorithm[Peer]:
    """A data connection, over which we send or receive: EPSV, and PASV where the server does not know EPSV.

    Of either reply only the port counts. An address in it would let a server send its client anywhere.
    """
    reply = yield from control.command(b"EPSV")
    if reply.kind == 5:
        reply = yield from control.carry_out(b"PASV", 227)
        found = _PASV.search(reply.words)
        high, low = (int(found[1]), int(found[2])) if found else (0, 0)
        port = high * 256 + low if high < 256 and low < 256 else 0
        return (yield from _connect_back(control, reply, "PASV", port, sends=sends))
    found = _EPSV.search(reply.checked("EPSV", 229).words)
    return (yield from _connect_back(control, reply, "EPSV", int(found[2]) if found else 0, sends=sends))


def _connect_back(control: Control, reply: Reply, verb: str, port: int, *, sends: bool) -> Algorithm[Peer]:
    if not 1024 <= port <= 65535:
        raise reply.astray(verb, "a port from 1024 to 65535")
    return (yield from ConnectBack(control.peer, port, label="data", sends=sends))
