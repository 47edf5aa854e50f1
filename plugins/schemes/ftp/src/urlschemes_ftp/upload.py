"""Sending a file over a data connection (RFC 959 section 4.1.3).

After the reply 150 a part of the content may be in the file. The data connection is closed in good order only after all
of the content was sent. Only the reply 226 (or 250) says that the server has all of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes_access.errors import AccessError, AuthRequired, ConnectError, DeadlineExceeded, Indeterminate, Truncated
from urlschemes_access.protocol import Algorithm, Close, Peer, PullPieces, Send, sent_so_far
from urlschemes_access.protocol.replies import command_name

if TYPE_CHECKING:
    from urlschemes_access.protocol.replies import Reply
    from urlschemes_ftp.control import Control

__all__ = ["Upload", "change"]

CONFIRMATION_TIMEOUT = 60.0
"""Seconds to wait for 226 after the last octet was sent: it may still be on its way to the server."""
REASON_TIMEOUT = 2.0
"""Seconds to wait for a reply that says why the data connection broke."""
CHECK_INTERVAL = 1024 * 1024
"""Octets to send, at most, before checking whether the server has sent a reply."""

_BARE_LINE_FEED = re.compile(rb"(?<!\r)\n")


def change(control: Control, command: bytes) -> Algorithm[Reply]:
    """Send a command that changes something. Raises Indeterminate if no valid reply comes."""
    control.check_nothing_pending(command_name(command))
    try:
        return (yield from control.command(command))
    except AccessError as error:
        silent = isinstance(error, ConnectError | DeadlineExceeded | Truncated)
        problem = "no reply" if silent else "no valid reply"
        raise Indeterminate(f"{problem} to {command_name(command)}: it may or may not have been carried out") from error


class Upload:
    """The content of one STOR or APPE command. `sent` counts the octets sent."""

    __slots__ = ("_checked_at", "_command", "_control", "_data", "sent")

    def __init__(self, control: Control, data: Peer, command: str) -> None:
        self._control = control
        self._data = data
        self._command = command
        self._checked_at = 0  # the value of `sent` at the last check for a reply
        self.sent = 0

    @classmethod
    def begin(cls, control: Control, data: Peer, command: bytes) -> Algorithm[Upload]:
        """Send the command, and wait for 150 (or 125)."""
        reply = yield from change(control, command)
        if reply.code in (530, 532):  # this login may not store files
            raise AuthRequired(f"the server refused {command_name(command)}: {reply}")
        reply.checked(command_name(command), 1)
        return cls(control, data, command_name(command))

    def send_all(self, first: tuple[bytes, ...], *, as_text: bool) -> Algorithm[None]:
        """Send `first` and all further octets of the caller's content, `as_text` with line ends CR LF."""
        lines = _NetworkLines() if as_text else None
        pieces = first
        while pieces:
            yield from self._send(tuple([lines.convert(piece) for piece in pieces]) if lines else pieces)
            pieces = yield from PullPieces()
        yield from self._check_no_reply()

    def confirm(self) -> Algorithm[Reply]:
        """Close the data connection and return the reply 226 (or 250). Raises Indeterminate if no reply comes."""
        yield from Close(self._data)
        try:
            reply = yield from self._reply(timeout=CONFIRMATION_TIMEOUT)
        except AccessError as error:
            raise Indeterminate(
                f"sent all {self.sent} octets, but received no reply 226: the file may or may not be complete",
                sent=self.sent,
            ) from error
        return reply.checked(self._command, 226, 250, sent=self.sent)

    def _send(self, pieces: tuple[bytes, ...]) -> Algorithm[None]:
        if self.sent < CHECK_INTERVAL or self.sent - self._checked_at >= CHECK_INTERVAL:
            yield from self._check_no_reply()
        try:
            yield from Send(self._data, pieces)
        except (ConnectError, DeadlineExceeded, Truncated) as error:
            self.sent += error.accepted
            raise (yield from self._failure(error)) from error
        self.sent += sum(map(len, pieces))

    def _check_no_reply(self) -> Algorithm[None]:
        """Raise an error if the server has replied before it received the whole content."""
        self._checked_at = self.sent
        if not (yield from self._control.has_unread()):
            return
        try:
            reply = yield from self._reply(timeout=REASON_TIMEOUT)
        except (ConnectError, DeadlineExceeded, Truncated) as error:
            raise Truncated(f"the control connection broke; {sent_so_far(self.sent)}", sent=self.sent) from error
        if reply.kind in (4, 5):
            raise reply.refusal(self._command, sent=self.sent)
        raise reply.unexpected(self._command, "no reply before all was sent", sent=self.sent)

    def _reply(self, *, timeout: float) -> Algorithm[Reply]:
        try:
            return (yield from self._control.reply(self._command, within=timeout, phase="confirmation"))
        except AccessError as error:
            error.sent = self.sent
            raise

    def _failure(self, error: AccessError) -> Algorithm[AccessError]:
        """Return the error for a broken data connection: the server's refusal, if it sends one."""
        try:
            reply = yield from self._reply(timeout=REASON_TIMEOUT)
            if reply.kind in (4, 5):
                return reply.refusal(self._command, sent=self.sent)
        except AccessError:
            pass
        if isinstance(error, DeadlineExceeded):
            return DeadlineExceeded(f"{error.message}; {sent_so_far(self.sent)}", phase=error.phase, sent=self.sent)
        return Truncated(f"the data connection broke; {sent_so_far(self.sent)}", sent=self.sent)


class _NetworkLines:
    """Converts line feeds to CR LF, as TYPE A wants it (RFC 959 section 3.1.1.1); existing CR LF stay."""

    __slots__ = ("_after_return",)

    def __init__(self) -> None:
        self._after_return = False

    def convert(self, octets: bytes) -> bytes:
        """Return the next octets, which must not be empty, with converted line ends."""
        start = int(self._after_return and octets.startswith(b"\n"))
        self._after_return = octets.endswith(b"\r")
        return octets[:start] + _BARE_LINE_FEED.sub(b"\r\n", octets[start:])
