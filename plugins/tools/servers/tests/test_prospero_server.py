"""The embedded Prospero server, asked octet by octet: its windows, its repetitions, and what it does on purpose."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING, Self

import pytest

from urlschemes_servers.prospero import PAUSE, directory, external, failing, file, forwarded, prospero_server

if TYPE_CHECKING:
    from urlschemes_testing.loopback import Address

TREE = directory(
    {
        "notes": file(b"it's here", versions={1: b"it was"}, methods=[("LOCAL", "", "", "", "")]),
        "long": file(b"x" * 40_000),
        "dir": directory({"a b": file(b""), "out": external(("TELNET", "INTERNET-D", "t.dom", "ASCII", ""))}),
        "moved": forwarded("other.dom", 1526, "/b c"),
        "secret": failing("NOT-AUTHORIZED"),
    }
)


class Asker:
    """A client that does nothing by itself."""

    def __init__(self, server: Address) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(5)
        self._server = server

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, octets: bytes) -> None:
        self.socket.sendto(octets, self._server)

    def receive(self, count: int = 1) -> list[bytes]:
        return [self.socket.recv(65536) for _ in range(count)]


def ask(server: Address, *commands: bytes) -> bytes:
    with Asker(server) as asker:
        asker.send(bytes.fromhex("09 1234 0001 0001 0000") + b"\n".join((b"VERSION 5", *commands)))
        (answer,) = asker.receive()
    assert answer[:3] == bytes.fromhex("03 1234")
    return answer[3:]


def test_what_is_said_of_objects_and_directories() -> None:
    with prospero_server(TREE, warning="down tomorrow") as server:
        host = b"127.0.0.1(%d)" % server.port
        warning = b"WARNING MESSAGE 'down tomorrow'\n"
        assert ask(server, b"DIRECTORY ASCII /dir", b"LIST ATTRIBUTES COMPONENTS") == warning + (
            b"LINK L FILE 'a b' INTERNET-D " + host + b" ASCII '/dir/a b' 0\n"
            b"ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE '0 bytes'\n"
            b"LINK L EXTERNAL out INTERNET-D t.dom ASCII '' 0\n"
            b"ATTRIBUTE CACHED FIELD ACCESS-METHOD TELNET INTERNET-D t.dom ASCII ''\n"
        )
        assert ask(server, b"GET-OBJECT-INFO CONTENTS ASCII '/notes' 0") == warning + (
            b"ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA 'it''s here'\n"
        )
        assert b"DATA 'it was'" in ask(server, b"GET-OBJECT-INFO CONTENTS ASCII notes 1")
        assert b"LOCAL '' '' '' ''" in ask(server, b"GET-OBJECT-INFO #ALL ASCII notes 0")


@pytest.mark.parametrize(
    ("commands", "said"),
    [
        ((b"GET-OBJECT-INFO #ALL ASCII /nowhere 0",), b"FAILURE NOT-FOUND\n"),
        ((b"GET-OBJECT-INFO #ALL ASCII /notes 2",), b"FAILURE NOT-FOUND\n"),
        ((b"GET-OBJECT-INFO #ALL ASCII /secret 0",), b"FAILURE NOT-AUTHORIZED\n"),
        ((b"GET-OBJECT-INFO #ALL ASCII /moved 0",), b"FORWARDED INTERNET-D other.dom(1526) ASCII '/b c' 0\n"),
        ((b"GET-OBJECT-INFO BEAUTY ASCII /notes 0",), b"NONE-FOUND\n"),
        ((b"DIRECTORY ASCII /notes", b"LIST '' COMPONENTS"), b"FAILURE NOT-A-DIRECTORY\n"),
        ((b"DIRECTORY ASCII /nowhere", b"LIST '' COMPONENTS"), b"FAILURE NOT-FOUND\n"),
        ((b"BOGUS",), b"ERROR Unknown message: BOGUS\n"),
        ((b"VERSION 9",), b"VERSION-NOT-SUPPORTED TRY 5\n"),
    ],
)
def test_what_it_refuses(commands: tuple[bytes, ...], said: bytes) -> None:
    with prospero_server(TREE) as server:
        assert ask(server, *commands) == said


REQUEST = bytes.fromhex("09 1234 0001 0001 0000") + b"VERSION 5\nGET-OBJECT-INFO CONTENTS ASCII long 0\n"


def test_it_sends_sixteen_packets_and_waits_for_the_acknowledgement() -> None:
    with prospero_server(TREE) as server, Asker(server) as asker:
        asker.send(REQUEST)
        first = asker.receive(16)
        assert [packet[: packet[0]].hex() for packet in first[:2]] == ["07123400010000", "07123400020000"]
        assert first[15][:12].hex() == "0c1234001000000001000080"
        asker.send(bytes.fromhex("09 1234 0000 0000 0010"))
        second = asker.receive(16)
        assert second[0][:9].hex() == "091234001100210001"
        assert second[15][11] == 0x80
        asker.send(bytes.fromhex("09 1234 0000 0000 0020"))
        (last,) = asker.receive()
        assert last[:9].hex() == "091234002100210001"


def test_it_sends_again_only_when_it_is_asked_again() -> None:
    with prospero_server(TREE, swapped=True) as server, Asker(server) as asker:
        asker.send(REQUEST)
        assert {packet[1:3] for packet in asker.receive(16)} == {b"\x12\x34"}
        time.sleep(PAUSE)
        asker.send(REQUEST[:7] + b"\x00\x0e" + REQUEST[9:])  # all but two were received
        assert [packet[1:5].hex() for packet in asker.receive(14)][-1] == "3412001e"


def test_the_same_seed_is_the_same_fate() -> None:
    def fate(seed: int) -> list[bytes]:
        with prospero_server(TREE, loss=0.3, duplicates=0.3, reorder=1, seed=seed) as server, Asker(server) as asker:
            asker.socket.settimeout(0.3)
            asker.send(REQUEST)
            came = []
            try:
                while True:
                    came.append(asker.socket.recv(65536)[3:5])
            except TimeoutError:
                return came

    assert fate(7) == fate(7)
    assert fate(7) != fate(8)


def test_what_is_no_packet_is_not_answered() -> None:
    with prospero_server(TREE) as server, Asker(server) as asker:
        for octets in (b"", b"x", b"\x40text", b"\x09\x12", bytes.fromhex("09 1234 0000 0000 0010")):
            asker.send(octets)
        asker.send(REQUEST)
        assert asker.receive()[0][1:3] == b"\x12\x34"
