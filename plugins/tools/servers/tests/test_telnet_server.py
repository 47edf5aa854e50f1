"""The Telnet server, tested octet by octet over a bare socket."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from urlschemes_servers import TelnetAddress, telnet_server

TIMEOUT = 10
SB, SE, WILL, WONT, DO, DONT = b"\xff\xfa", b"\xff\xf0", b"\xff\xfb", b"\xff\xfc", b"\xff\xfd", b"\xff\xfe"
PROPOSED = WILL + b"\x01" + WILL + b"\x03" + DO + b"\x1f" + DO + b"\x18"


class Client:
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        connection.settimeout(TIMEOUT)

    def expect(self, octets: bytes) -> None:
        received = b""
        while len(received) < len(octets) and (more := self._connection.recv(len(octets) - len(received))):
            received += more
        assert received == octets

    def send(self, octets: bytes, response: bytes) -> None:
        self._connection.sendall(octets)
        self.expect(response)

    def expect_end(self) -> None:
        assert self._connection.recv(1) == b""


@contextmanager
def client(server: TelnetAddress) -> Iterator[Client]:
    with socket.create_connection(server, TIMEOUT) as connection:
        yield Client(connection)


@pytest.fixture
def server() -> Iterator[TelnetAddress]:
    with telnet_server({"joe": "pass\u00e9", "": "x"}) as address:
        yield address


def test_a_login_with_echo(server: TelnetAddress) -> None:
    with client(server) as peer:
        peer.expect(PROPOSED + b"Welcome.\r\nlogin: ")
        peer.send(DO + b"\x01" + b"jx\x7foe\r\n", b"jx\b \boe\r\nPassword: ")
        peer.send("pass\u00e9\r\0".encode(), b"\r\nWelcome, joe.\r\n> ")
        peer.send(b"hi \xff\xff\n", b"hi \xff\xff\r\nYou said: hi \xff\xff\r\n> ")
        peer.send(b"who\r\n", b"who\r\njoe\r\n> ")
        peer.send(b"quit\r\n", b"quit\r\nGoodbye.\r\n")
        peer.expect_end()
    assert server.visits[0].user == "joe"


def test_the_third_wrong_password_ends_the_connection(server: TelnetAddress) -> None:
    with client(server) as peer:
        peer.expect(PROPOSED + b"Welcome.\r\nlogin: ")
        for user, password in (b"joe", b"wrong"), (b"nobody", b""), (b"", b"y"):
            peer.send(user + b"\r\n", b"Password: ")
            peer.send(password + b"\r\n", b"Login incorrect\r\n")
            if user:
                peer.expect(b"login: ")
        peer.expect_end()
    assert server.visits[0].user is None


def test_options_that_the_client_sends_and_refuses() -> None:
    with telnet_server() as server, client(server) as peer:
        peer.expect(PROPOSED + b"Welcome.\r\n> ")
        peer.send(DONT + b"\x01" + DO + b"\x03" + WONT + b"\x1f" + WILL + b"\x18", SB + b"\x18\x01" + SE)
        peer.send(SB + b"\x18\x00xterm" + SE + b"size\r\n", b"unknown\r\n> ")
        peer.send(SB + b"\x1f\x00\xff\xff\x00\x18" + SE + b"size\r\n", b"255 columns, 24 rows\r\n> ")
        peer.send(b"half\xff\xf4", b"^C\r\n> ")
        peer.send(b"half\x03", b"^C\r\n> ")
        peer.send(b"\x04", b"Goodbye.\r\n")
        peer.expect_end()
        visit = server.visits[0]
        assert (visit.size, visit.terminal, visit.interrupts) == ((255, 24), "xterm", 2)
        assert visit.refused == {("WILL", 1), ("DO", 31)}


def test_without_negotiation_only_binary_is_agreed_to() -> None:
    with telnet_server(negotiates=False, greeting="") as server, client(server) as peer:
        peer.expect(b"> ")
        peer.send(
            WILL + b"\x05" + DO + b"\x01" + WONT + b"\x07" + b"a\r\n", b"\xff\xfe\x05\xff\xfc\x01You said: a\r\n> "
        )
        peer.send(WILL + b"\0" + DO + b"\0" + WILL + b"\0" + b"a\rb\r", DO + b"\0" + WILL + b"\0")
        peer.expect(b"You said: a\r\n> You said: b\r\n> ")
        peer.send(WONT + b"\0" + DONT + b"\0" + b"c\r\0", DONT + b"\0" + WONT + b"\0" + b"You said: c\r\n> ")


def test_a_line_that_is_too_long_ends_the_connection() -> None:
    with telnet_server(negotiates=False) as server, client(server) as peer:
        peer.expect(b"Welcome.\r\n> ")
        peer.send(b"x" * 8192, b"")
        peer.expect_end()
