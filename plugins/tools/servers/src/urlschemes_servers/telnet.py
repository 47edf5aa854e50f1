"""A small Telnet server, written from RFC 854 to 858, 1073 and 1091: a login, and a shell that echoes lines.

    with telnet_server({"guest": "welcome"}) as address:
        ...f"telnet://guest:welcome@{address}/"
        address.visits[0].size                          # (80, 24), if the client sent it

The shell knows `size`, `who` and `quit`, and repeats any other line. If it negotiates, it offers ECHO and SUPPRESS GO
AHEAD, and requests the size of the window and the name of the terminal.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

from urlschemes.errors import require_type
from urlschemes_testing.loopback import HOST, LIFETIME, PATIENCE, Address, Loopback

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

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
NO_USERS: Mapping[str, str] = MappingProxyType({})


class Visit:
    """One connection, and what the client sent about itself.

    `user` is the user who logged in, `size` the columns and rows of the window, `terminal` its name; each is None
    until the client sends it. `refused` are the options that the client refused, as `("DO", 24)`. `interrupts` counts
    IP and Ctrl-C.
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
        self._written = b""  # buffered until the server waits for input
        self._received = b""
        self._position = 0
        self._echoes = False
        self._binary = [False, False]  # of the client, of the server
        self._after_return = False

    def serve(self, greeting: bytes) -> None:
        """Serve until the client quits. Raises ConnectionError if it closes the connection."""
        self._dialogue(greeting)
        self._flush()

    def _dialogue(self, greeting: bytes) -> None:
        if self._negotiates:
            self._send_octets(*(octet for code in OFFERED for octet in (IAC, WILL, code)))
            self._send_octets(*(octet for code in ASKED for octet in (IAC, DO, code)))
        self._write(greeting)
        if self._users and not self._log_in():
            return
        while True:
            line = self._line(b"> ")
            match line:
                case None | b"quit":
                    self._write(b"Goodbye.\r\n")
                    return
                case b"size":
                    self._write(b"%d columns, %d rows\r\n" % self.size if self.size else b"unknown\r\n")
                case b"who":
                    self._write((self.user or "nobody").encode("utf-8", "surrogateescape") + b"\r\n")
                case _:
                    self._write(b"You said: " + line + b"\r\n")

    def _log_in(self) -> bool:
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
        """Return a line of input; None at the end of the input (Ctrl-D)."""
        self._write(prompt)
        line = bytearray()
        while len(line) < LINE:
            octet = self._data_octet()
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
        raise ConnectionError("the line is too long")

    # The octets of the connection

    def _data_octet(self) -> int:
        """Return the next octet of data, without commands, and without the LF or NUL after a CR."""
        while True:
            octet = self._next_octet()
            if octet == IAC:
                octet = self._next_octet()
                if octet != IAC:
                    if octet == IP:
                        return INTERRUPT
                    self._handle_command(octet)
                    continue
            after, self._after_return = self._after_return, octet == 0x0D and not self._binary[0]
            if not (after and octet in b"\n\0"):
                return octet

    def _next_octet(self) -> int:
        if self._position == len(self._received):
            self._flush()
            self._received, self._position = self._connection.recv(4096), 0
            if not self._received:
                raise ConnectionError("the client closed the connection")
        self._position += 1
        return self._received[self._position - 1]

    def _handle_command(self, command: int) -> None:
        if command == SB:
            self._subnegotiation()
        elif command in {WILL, WONT, DO, DONT}:
            self._handle_option(self._next_octet(), on=command in {WILL, DO}, ours=command in {DO, DONT})

    def _handle_option(self, code: int, *, on: bool, ours: bool) -> None:
        yes, no, proposed = (WILL, WONT, OFFERED) if ours else (DO, DONT, ASKED)
        if code in proposed and self._negotiates:
            if not on:
                self.refused.add(("WILL" if ours else "DO", code))
            elif code == TERMINAL_TYPE:
                self._send_octets(IAC, SB, TERMINAL_TYPE, TERMINAL_TYPE_SEND, IAC, SE)
            if code == ECHO:
                self._echoes = on
        elif code == BINARY:
            if on != self._binary[ours]:
                self._binary[ours] = on
                self._send_octets(IAC, yes if on else no, BINARY)
        elif on:
            self._send_octets(IAC, no, code)

    def _subnegotiation(self) -> None:
        received = bytearray()
        while len(received) < LINE:
            octet = self._next_octet()
            if octet == IAC and self._next_octet() == SE:
                break
            received.append(octet)
        if received[:1] == bytes((NAWS,)) and len(received) == 5:
            self.size = struct.unpack(">HH", received[1:])
        elif received[:2] == bytes((TERMINAL_TYPE, 0)):
            self.terminal = received[2:].decode("ascii", "replace")

    def _write(self, octets: bytes) -> None:
        self._written += octets.replace(b"\xff", b"\xff\xff")

    def _flush(self) -> None:
        written, self._written = self._written, b""
        self._connection.sendall(written)

    def _echo(self, octets: bytes) -> None:
        if self._echoes:
            self._write(octets)

    def _send_octets(self, *octets: int) -> None:
        self._written += bytes(octets)


class TelnetAddress(Address):
    """The address of a Telnet server; `visits` are its connections, in order."""

    visits: list[Visit]


@contextmanager
def telnet_server(
    users: Mapping[str, str] = NO_USERS,
    *,
    greeting: str = "Welcome.\r\n",
    negotiates: bool = True,
    host: str = HOST,
    lifetime: float = LIFETIME,
    patience: float = PATIENCE,
) -> Iterator[TelnetAddress]:
    """Serve until the block is left, or for `lifetime` seconds.

    With `users` (passwords by name), a client must log in. With `negotiates=False`, the server sends plain text, as
    services on other ports than 23 do: it proposes no option, and agrees to BINARY only.
    """
    require_type("users", users, Mapping)
    require_type("greeting", greeting, str)
    visits: list[Visit] = []

    def serve(connection: socket.socket) -> None:
        visit = Visit(connection, users, negotiates=negotiates)
        visits.append(visit)
        visit.serve(greeting.encode())

    with Loopback(serve, host=host, lifetime=lifetime, patience=patience) as server:
        address = TelnetAddress(*server.address)
        address.visits = visits
        yield address
