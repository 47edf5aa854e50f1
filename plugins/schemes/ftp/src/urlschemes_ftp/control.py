"""The control connection, which follows the Telnet protocol (RFC 959 section 2.3)."""

from __future__ import annotations

import re

from urlschemes_access.protocol import Algorithm, Peer, Ready, Release, replies
from urlschemes_access.protocol.replies import CONTROL_OCTET, Reply, command_name

__all__ = ["UNKNOWN_COMMAND", "Control"]

UNKNOWN_COMMAND = frozenset({500, 501, 502, 504})
"""Codes of replies to commands that a server does not know or has not implemented (RFC 959 section 4.2.1)."""

_DIRECTORY = re.compile(rb'"((?:[^"]|"")+)"')


class Control(replies.Control):
    """The control connection: it sends one command at a time and reads the reply.

    `login_directory` is the working directory after the login. It is known only on a connection that may be kept open.
    """

    __slots__ = ("login_directory",)

    def __init__(self, peer: Peer) -> None:
        super().__init__(peer, code_on="first and last")
        self.login_directory: bytes | None = None

    def end(self) -> Algorithm[None]:
        """End the use of the connection: keep it for a later operation if that may be, else send QUIT."""
        if self.peer.keepable and self.login_directory is not None and not (yield from self.has_unread()):
            yield from Release(self.peer, self.login_directory)
        else:
            yield from self.quit()

    def find_login_directory(self) -> Algorithm[None]:
        """Ask for the working directory, to which a later operation has to return (RFC 959 appendix II)."""
        reply = yield from self.command(b"PWD")
        match = _DIRECTORY.match(reply.words)
        if reply.code == 257 and match and not CONTROL_OCTET.search(match[1]):
            self.login_directory = match[1].replace(b'""', b'"')

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
