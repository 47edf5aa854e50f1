"""The Telnet server of the kit, asked octet by octet over a bare socket."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from urlschemes_servers import TelnetAddress, telnet_server

PATIENCE = 10
SB, SE, WILL, WONT, DO, DONT = b"\xff\xfa", b"\xff\xf0", b"\xff\xfb", b"\xff\xfc", b"\xff\xfd", b"\xff\xfe"
PROPOSED = WILL + b"\x01" + WILL + b"\x03" + DO + b"\x1f" + DO + b"\x18"


class Client:
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        connection.settimeout(PATIENCE)

    def hears(self, octets: bytes) -> None:
        heard = b""
        while len(heard) < len(octets) and (more := self._connection.recv(len(octets) - len(heard))):
            heard += more
        assert heard == octets

    def says(self, octets: bytes, answer: bytes) -> None:
        self._connection.sendall(octets)
        self.hears(answer)

    def hears_the_end(self) -> None:
        assert self._connection.recv(1) == b""


@contextmanager
def client(server: TelnetAddress) -> Iterator[Client]:
    with socket.create_connection(server, PATIENCE) as connection:
        yield Client(connection)


@pytest.fixture
def server() -> Iterator[TelnetAddress]:
    with telnet_server({"joe": "pass\u00e9", "": "x"}) as address:
        yield address


def test_a_login_with_echo_and_the_way_out(server: TelnetAddress) -> None:
    with client(server) as asks:
        asks.hears(PROPOSED + b"Welcome.\r\nlogin: ")
        asks.says(DO + b"\x01" + b"jx\x7foe\r\n", b"jx\b \boe\r\nPassword: ")
        asks.says("pass\u00e9\r\0".encode(), b"\r\nWelcome, joe.\r\n> ")
        asks.says(b"hi \xff\xff\n", b"hi \xff\xff\r\nYou said: hi \xff\xff\r\n> ")
        asks.says(b"who\r\n", b"who\r\njoe\r\n> ")
        asks.says(b"quit\r\n", b"quit\r\nGoodbye.\r\n")
        asks.hears_the_end()
    assert server.visits[0].user == "joe"


def test_three_tries_and_no_more(server: TelnetAddress) -> None:
    with client(server) as asks:
        asks.hears(PROPOSED + b"Welcome.\r\nlogin: ")
        for user, password in (b"joe", b"wrong"), (b"nobody", b""), (b"", b"y"):
            asks.says(user + b"\r\n", b"Password: ")
            asks.says(password + b"\r\n", b"Login incorrect\r\n")
            if user:
                asks.hears(b"login: ")
        asks.hears_the_end()
    assert server.visits[0].user is None


def test_what_the_client_tells_and_refuses() -> None:
    with telnet_server() as server, client(server) as asks:
        asks.hears(PROPOSED + b"Welcome.\r\n> ")
        asks.says(DONT + b"\x01" + DO + b"\x03" + WONT + b"\x1f" + WILL + b"\x18", SB + b"\x18\x01" + SE)
        asks.says(SB + b"\x18\x00xterm" + SE + b"size\r\n", b"You did not say.\r\n> ")
        asks.says(SB + b"\x1f\x00\xff\xff\x00\x18" + SE + b"size\r\n", b"255 columns, 24 rows\r\n> ")
        asks.says(b"half\xff\xf4", b"^C\r\n> ")
        asks.says(b"half\x03", b"^C\r\n> ")
        asks.says(b"\x04", b"Goodbye.\r\n")
        asks.hears_the_end()
        visit = server.visits[0]
        assert (visit.size, visit.terminal, visit.interrupts) == ((255, 24), "xterm", 2)
        assert visit.refused == {("WILL", 1), ("DO", 31)}


def test_binary_and_nothing_else_is_agreed_to() -> None:
    with telnet_server(negotiates=False, greeting="") as server, client(server) as asks:
        asks.hears(b"> ")
        asks.says(
            WILL + b"\x05" + DO + b"\x01" + WONT + b"\x07" + b"a\r\n", b"\xff\xfe\x05\xff\xfc\x01You said: a\r\n> "
        )
        asks.says(WILL + b"\0" + DO + b"\0" + WILL + b"\0" + b"a\rb\r", DO + b"\0" + WILL + b"\0")
        asks.hears(b"You said: a\r\n> You said: b\r\n> ")
        asks.says(WONT + b"\0" + DONT + b"\0" + b"c\r\0", DONT + b"\0" + WONT + b"\0" + b"You said: c\r\n> ")


def test_a_line_without_an_end_is_the_end() -> None:
    with telnet_server(negotiates=False) as server, client(server) as asks:
        asks.hears(b"Welcome.\r\n> ")
        asks.says(b"x" * 8192, b"")
        asks.hears_the_end()
