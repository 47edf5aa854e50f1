"""The control connection, which follows the Telnet protocol (RFC 959 section 2.3)."""

from __future__ import annotations

from urlschemes_access.protocol import Algorithm, Peer, Ready, replies
from urlschemes_access.protocol.replies import Reply, command_name

__all__ = ["Control"]


class Control(replies.Control):
    """The control connection: it sends one command at a time and reads the reply."""

    __slots__ = ()

    def __init__(self, peer: Peer) -> None:
        super().__init__(peer, code_on="first and last")

    def command(self, line: bytes, *, what: str = "", secret: bytes | None = None) -> Algorithm[Reply]:
        """Send a command and return its reply; the octet FF is doubled, as it begins a Telnet command."""
        if b"\xff" in line or (secret and b"\xff" in secret):
            what = what or command_name(line)
            line, secret = _doubled(line), secret and _doubled(secret)
        return super().command(line, what=what, secret=secret)

    def has_unread(self) -> Algorithm[bool]:
        """Return True if the server has sent something that was not read yet."""
        return bool(self.pending) or (yield from Ready((self.peer,), within=0)) is not None


def _doubled(octets: bytes) -> bytes:
    return octets.replace(b"\xff", b"\xff\xff")
