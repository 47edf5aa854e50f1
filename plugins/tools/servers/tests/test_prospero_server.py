"""The Prospero server, tested octet by octet: requests, windows, repetitions, and faults on purpose."""

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


class Client:
    """A client that sends only what a test says."""

    def __init__(self, server: Address) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(60)
        self._server = server

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, octets: bytes) -> None:
        self.socket.sendto(octets, self._server)

    def receive(self, count: int = 1) -> list[bytes]:
        return [self.socket.recv(65536) for _ in range(count)]


def exchange(server: Address, *commands: bytes) -> bytes:
    with Client(server) as client:
        client.send(bytes.fromhex("09 1234 0001 0001 0000") + b"\n".join((b"VERSION 5", *commands)))
        (packet,) = client.receive()
    assert packet[:3] == bytes.fromhex("03 1234")
    return packet[3:]


def test_objects_and_directories_are_described() -> None:
    with prospero_server(TREE, warning="down tomorrow") as server:
        host = b"127.0.0.1(%d)" % server.port
        warning = b"WARNING MESSAGE 'down tomorrow'\n"
        assert exchange(server, b"DIRECTORY ASCII /dir", b"LIST ATTRIBUTES COMPONENTS") == warning + (
            b"LINK L FILE 'a b' INTERNET-D " + host + b" ASCII '/dir/a b' 0\n"
            b"ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE '0 bytes'\n"
            b"LINK L EXTERNAL out INTERNET-D t.dom ASCII '' 0\n"
            b"ATTRIBUTE CACHED FIELD ACCESS-METHOD TELNET INTERNET-D t.dom ASCII ''\n"
        )
        assert exchange(server, b"GET-OBJECT-INFO CONTENTS ASCII '/notes' 0") == warning + (
            b"ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA 'it''s here'\n"
        )
        assert b"DATA 'it was'" in exchange(server, b"GET-OBJECT-INFO CONTENTS ASCII notes 1")
        assert b"LOCAL '' '' '' ''" in exchange(server, b"GET-OBJECT-INFO #ALL ASCII notes 0")


@pytest.mark.parametrize(
    ("commands", "response"),
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
def test_a_request_that_fails(commands: tuple[bytes, ...], response: bytes) -> None:
    with prospero_server(TREE) as server:
        assert exchange(server, *commands) == response


REQUEST = bytes.fromhex("09 1234 0001 0001 0000") + b"VERSION 5\nGET-OBJECT-INFO CONTENTS ASCII long 0\n"


def test_sixteen_packets_are_sent_before_an_acknowledgement() -> None:
    with prospero_server(TREE) as server, Client(server) as client:
        client.send(REQUEST)
        first = client.receive(16)
        assert [packet[: packet[0]].hex() for packet in first[:2]] == ["07123400010000", "07123400020000"]
        assert first[15][:12].hex() == "0c1234001000000001000080"
        client.send(bytes.fromhex("09 1234 0000 0000 0010"))
        second = client.receive(16)
        assert second[0][:9].hex() == "091234001100210001"
        assert second[15][11] == 0x80
        client.send(bytes.fromhex("09 1234 0000 0000 0020"))
        (last,) = client.receive()
        assert last[:9].hex() == "091234002100210001"


def test_packets_are_repeated_only_on_request() -> None:
    with prospero_server(TREE, swapped=True) as server, Client(server) as client:
        client.send(REQUEST)
        assert {packet[1:3] for packet in client.receive(16)} == {b"\x12\x34"}
        time.sleep(PAUSE)
        client.send(REQUEST[:7] + b"\x00\x0e" + REQUEST[9:])  # all but two were received
        assert [packet[1:5].hex() for packet in client.receive(14)][-1] == "3412001e"


def test_the_seed_determines_the_faults() -> None:
    def packets(seed: int) -> list[bytes]:
        with prospero_server(TREE, loss=0.3, duplicates=0.3, reorder=1, seed=seed) as server, Client(server) as client:
            client.socket.settimeout(1)
            client.send(REQUEST)
            received = []
            try:
                while True:
                    received.append(client.socket.recv(65536)[3:5])
            except TimeoutError:
                return received

    assert packets(7) == packets(7)
    assert packets(7) != packets(8)


def test_an_invalid_packet_is_ignored() -> None:
    with prospero_server(TREE) as server, Client(server) as client:
        for octets in (b"", b"x", b"\x40text", b"\x09\x12", bytes.fromhex("09 1234 0000 0000 0010")):
            client.send(octets)
        client.send(REQUEST)
        assert client.receive()[0][1:3] == b"\x12\x34"
