"""The control connection, which follows the Telnet protocol (RFC 959 section 2.3)."""

from __future__ import annotations

from urlschemes_access.protocol import Algorithm, Peer, Ready, replies
from urlschemes_access.protocol.replies import Reply, command_name

__all__ = ["UNKNOWN_COMMAND", "Control"]

UNKNOWN_COMMAND = frozenset({500, 501, 502, 504})
"""Codes of replies to commands that a server does not know or has not implemented (RFC 959 section 4.2.1)."""


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

    def features(self) -> Algorithm[frozenset[bytes]]:
        """Return the extensions that the server lists in its reply to FEAT; none if it does not know the command."""
        reply = yield from self.command(b"FEAT")
        if reply.kind == 5:
            return frozenset()
        lines = reply.checked("FEAT", 2).lines[1:-1]
        return frozenset(line.split()[0].upper() for line in lines if line.strip())

    def has_unread(self) -> Algorithm[bool]:
        """Return True if the server has sent something that was not read yet."""
        return bool(self.pending) or (yield from Ready((self.peer,), within=0)) is not None


def _doubled(octets: bytes) -> bytes:
    return octets.replace(b"\xff", b"\xff\xff")
