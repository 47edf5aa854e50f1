"""Sending a file over a data connection (RFC 959 section 4.1.3).

After the reply 150 a part of the content may be in the file. The data connection is closed in good order only after all
of the content was sent. Only the reply 226 (or 250) says that the server has all of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes_access.errors import AuthRequired
from urlschemes_access.protocol import Algorithm, Close, Peer, Pull, upload
from urlschemes_access.protocol.replies import command_name
from urlschemes_access.protocol.upload import CONFIRMATION_TIMEOUT, REASON_TIMEOUT, decisive_answer

if TYPE_CHECKING:
    from urlschemes_access.errors import AccessError
    from urlschemes_access.protocol.replies import Reply
    from urlschemes_ftp.control import Control

__all__ = ["Upload", "change"]

_BARE_LINE_FEED = re.compile(rb"(?<!\r)\n")


def change(control: Control, command: bytes) -> Algorithm[Reply]:
    """Send a command that changes something. Raises Indeterminate if no valid reply comes."""
    what = command_name(command)
    control.check_nothing_pending(what)
    state = "it may or may not have been carried out"
    return (yield from decisive_answer(control.command(command), f"reply to {what}", state))


class Upload(upload.Upload):
    """The content of one STOR or APPE command."""

    __slots__ = ("_command", "_control")

    def __init__(self, control: Control, data: Peer, command: str) -> None:
        super().__init__(data)
        self._control = control
        self._command = command

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
            yield from self.send(tuple([lines.convert(piece) for piece in pieces]) if lines else pieces)
            pieces = yield from Pull()
        yield from self.check()

    def confirm(self) -> Algorithm[Reply]:
        """Close the data connection and return the reply 226 (or 250). Raises Indeterminate if no reply comes."""
        yield from Close(self.peer)
        answer = self._reply(CONFIRMATION_TIMEOUT)
        state = "the file may or may not be complete"
        reply = yield from decisive_answer(answer, "reply 226", state, sent=self.sent)
        return reply.checked(self._command, 226, 250, sent=self.sent)

    def early_error(self, within: float) -> Algorithm[AccessError | None]:
        """Return the error for a reply that comes before the server has received the whole content."""
        if not (within or (yield from self._control.has_unread())):
            return None
        reply = yield from self._reply(REASON_TIMEOUT)
        if reply.kind in (4, 5):
            return reply.refusal(self._command, sent=self.sent)
        return reply.unexpected(self._command, "no reply before all was sent", sent=self.sent)

    def _reply(self, within: float) -> Algorithm[Reply]:
        return self._control.reply(self._command, within=within, phase="confirmation")


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
