"""A small Telnet server, written from RFC 854 to 858, 1073 and 1091: a login, and a shell that says back what it hears.

    with telnet_server({"guest": "welcome"}) as address:
        ...f"telnet://guest:welcome@{address}/"
        address.visits[0].size                          # (80, 24), if the client told it

The shell knows `size`, `who` and `quit`; any other line it says back. Where it negotiates, it offers to echo and to
leave out GA, and asks for the size of the window and the name of the terminal.
"""

from __future__ import annotations

import struct
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

from urlschemes_testing.loopback import LIFETIME, PATIENCE, Address, Loopback

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator, Mapping

__all__ = ["TelnetAddress", "Visit", "telnet_server"]

SE, NOP, IP, SB, WILL, WONT, DO, DONT, IAC = 240, 241, 244, 250, 251, 252, 253, 254, 255
BINARY, ECHO, SUPPRESS_GO_AHEAD, TERMINAL_TYPE, NAWS = 0, 1, 3, 24, 31
TERMINAL_TYPE_SEND = 1

OFFERED = (ECHO, SUPPRESS_GO_AHEAD)
ASKED = (NAWS, TERMINAL_TYPE)
INTERRUPT, END_OF_INPUT = 3, 4
TRIES = 3
LINE = 8 * 1024
"""Octets in one line, or in one subnegotiation."""
NOBODY: Mapping[str, str] = MappingProxyType({})


class Visit:
    """One connection: what the client told of itself, and what it refused.

    `user` is who logged in, `size` the columns and rows of the window, `terminal` its name, each None until it is told.
    `refused` are the options that the client did not agree to, as `("DO", 24)`. `interrupts` counts IP and Ctrl-C.
    """

    def __init__(self, connection: socket.socket, users: Mapping[str, str], *, negotiates: bool) -> None:
        self.user: str | None = None
        self.size: tuple[int, int] | None = None
        self.terminal: str | None = None
        self.refused: set[tuple[str, int]] = set()
        self.interrupts = 0
        self._connection = connection
        self._users = users
        self._negotiates = negotiates
        self._written = b""  # until something has to be waited for
        self._received = b""
        self._position = 0
        self._echoes = False
        self._binary = [False, False]  # what the client sends, what we send
        self._returned = False

    def serve(self, greeting: bytes) -> None:
        """Greet, log in, and talk until the client has enough. Raises ConnectionError when it goes away."""
        self._talk(greeting)
        self._flush()

    def _talk(self, greeting: bytes) -> None:
        if self._negotiates:
            self._say(*(octet for code in OFFERED for octet in (IAC, WILL, code)))
            self._say(*(octet for code in ASKED for octet in (IAC, DO, code)))
        self._write(greeting)
        if self._users and not self._logs_in():
            return
        while True:
            line = self._line(b"> ")
            match line:
                case None | b"quit":
                    self._write(b"Goodbye.\r\n")
                    return
                case b"size":
                    self._write(b"%d columns, %d rows\r\n" % self.size if self.size else b"You did not say.\r\n")
                case b"who":
                    self._write((self.user or "nobody").encode("utf-8", "surrogateescape") + b"\r\n")
                case _:
                    self._write(b"You said: " + line + b"\r\n")

    def _logs_in(self) -> bool:
        for _ in range(TRIES):
            user = self._line(b"login: ")
            password = self._line(b"Password: ", hidden=True)
            if user is None or password is None:
                return False
            name = user.decode("utf-8", "surrogateescape")
            if self._users.get(name, "").encode("utf-8", "surrogateescape") == password and name in self._users:
                self.user = name
                self._write(b"Welcome, " + user + b".\r\n")
                return True
            self._write(b"Login incorrect\r\n")
        return False

    def _line(self, prompt: bytes, *, hidden: bool = False) -> bytes | None:
        """A line that the client types; None at the end of its input (Ctrl-D)."""
        self._write(prompt)
        line = bytearray()
        while len(line) < LINE:
            octet = self._octet()
            if octet in b"\r\n":
                self._echo(b"\r\n")
                return bytes(line)
            if octet == END_OF_INPUT and not line:
                return None
            if octet == INTERRUPT:
                self.interrupts += 1
                self._write(b"^C\r\n" + prompt)
                line.clear()
            elif octet in b"\b\x7f":
                if line and not hidden:
                    self._echo(b"\b \b")
                del line[-1:]
            else:
                line.append(octet)
                if not hidden:
                    self._echo(bytes((octet,)))
        raise ConnectionError("a line without an end")

    # The octets of the connection

    def _octet(self) -> int:
        """The next octet of data: without commands, and a CR without the LF or NUL behind it."""
        while True:
            octet = self._next()
            if octet == IAC:
                octet = self._next()
                if octet != IAC:
                    if octet == IP:
                        return INTERRUPT
                    self._obey(octet)
                    continue
            after, self._returned = self._returned, octet == 0x0D and not self._binary[0]
            if not (after and octet in b"\n\0"):
                return octet

    def _next(self) -> int:
        if self._position == len(self._received):
            self._flush()
            self._received, self._position = self._connection.recv(4096), 0
            if not self._received:
                raise ConnectionError("the client closed")
        self._position += 1
        return self._received[self._position - 1]

    def _obey(self, command: int) -> None:
        if command == SB:
            self._subnegotiation()
        elif command in {WILL, WONT}:
            self._hear_of_theirs(self._next(), on=command == WILL)
        elif command in {DO, DONT}:
            self._hear_of_ours(self._next(), on=command == DO)

    def _hear_of_theirs(self, code: int, *, on: bool) -> None:
        if code in ASKED and self._negotiates:
            if not on:
                self.refused.add(("DO", code))
            elif code == TERMINAL_TYPE:
                self._say(IAC, SB, TERMINAL_TYPE, TERMINAL_TYPE_SEND, IAC, SE)
        elif code == BINARY:
            if on != self._binary[0]:
                self._binary[0] = on
                self._say(IAC, DO if on else DONT, BINARY)
        elif on:
            self._say(IAC, DONT, code)

    def _hear_of_ours(self, code: int, *, on: bool) -> None:
        if code in OFFERED and self._negotiates:
            if not on:
                self.refused.add(("WILL", code))
            if code == ECHO:
                self._echoes = on
        elif code == BINARY:
            if on != self._binary[1]:
                self._binary[1] = on
                self._say(IAC, WILL if on else WONT, BINARY)
        elif on:
            self._say(IAC, WONT, code)

    def _subnegotiation(self) -> None:
        said = bytearray()
        while len(said) < LINE:
            octet = self._next()
            if octet == IAC and self._next() == SE:
                break
            said.append(octet)
        if said[:1] == bytes((NAWS,)) and len(said) == 5:
            self.size = struct.unpack(">HH", said[1:])
        elif said[:2] == bytes((TERMINAL_TYPE, 0)):
            self.terminal = said[2:].decode("ascii", "replace")

    def _write(self, octets: bytes) -> None:
        self._written += octets.replace(b"\xff", b"\xff\xff")

    def _flush(self) -> None:
        written, self._written = self._written, b""
        self._connection.sendall(written)

    def _echo(self, octets: bytes) -> None:
        if self._echoes:
            self._write(octets)

    def _say(self, *octets: int) -> None:
        self._written += bytes(octets)


class TelnetAddress(Address):
    """Where a Telnet server listens; `visits` are its connections so far, in order."""

    visits: list[Visit]


@contextmanager
def telnet_server(
    users: Mapping[str, str] = NOBODY,
    *,
    greeting: str = "Welcome.\r\n",
    negotiates: bool = True,
    lifetime: float = LIFETIME,
    patience: float = PATIENCE,
) -> Iterator[TelnetAddress]:
    """Serve until the block is left. `users` are who may log in, with their passwords; without any, nobody has to.

    `negotiates=False` is a service that speaks bare text, as those on other ports than 23 do: it proposes no option,
    and agrees to BINARY alone.
    """
    visits: list[Visit] = []

    def serve(connection: socket.socket) -> None:
        visit = Visit(connection, users, negotiates=negotiates)
        visits.append(visit)
        visit.serve(greeting.encode())

    with Loopback(serve, lifetime=lifetime, patience=patience) as server:
        address = TelnetAddress(*server.address)
        address.visits = visits
        yield address
