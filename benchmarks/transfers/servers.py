"""A process that serves, and takes, as many octets as it is asked for, on 127.0.0.1.

`python -m transfers.servers SIZE ...` prints its ports, by protocol, as one line of JSON, and ends when its standard
input does. What it serves is named by a number: that many octets; by WAIS only the sizes of the command line.
`<number>-unconfirmed`, by FTP, is as many octets and then silence where the 226 is due.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from transfers.client import DATABASE
from urlschemes_servers.wais import wais_server

if TYPE_CHECKING:
    from collections.abc import Callable

HOST = "127.0.0.1"
PATIENCE, LIFETIME = 120.0, 3600.0
BLOCK = bytes(range(256)) * 4096


def main(*sizes: str) -> None:
    """Serve until standard input ends."""
    ports = {serve.__name__: _listen(serve) for serve in (ftp, http, gopher, mailto)}
    documents = {DATABASE: {size: bytes(int(size)) for size in sizes}}
    with wais_server(documents, lifetime=LIFETIME, patience=PATIENCE) as address:
        ports["wais"] = address.port
        print(json.dumps(ports), flush=True)
        sys.stdin.read()


def _listen(serve: Callable[[socket.socket], None]) -> int:
    listener = socket.create_server((HOST, 0))

    def attend(connection: socket.socket) -> None:
        with connection:
            connection.settimeout(PATIENCE)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # replies must not wait for each other
            with suppress(OSError):  # the client went away
                serve(connection)

    def accept() -> None:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=attend, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    port: int = listener.getsockname()[1]
    return port


def _send(connection: socket.socket, octets: int) -> None:
    block = memoryview(BLOCK)
    while octets > 0:
        connection.sendall(block[:octets])
        octets -= len(block)


def _end(connection: socket.socket) -> None:
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(4096):
        pass


def _take(connection: socket.socket, *, until: int = 0, end: bytes = b"", last: bytes = b"") -> int:
    """Count octets until the connection ends, or so many have come, or they end with `end`."""
    octets = len(last)
    buffer = bytearray(1024 * 1024)
    while (not until or octets < until) and (not end or last[-len(end) :] != end):
        count = connection.recv_into(buffer)
        if not count:
            break
        octets += count
        last = last[-8:] + buffer[max(0, count - 8) : count]
    return octets


def http(connection: socket.socket) -> None:
    """One request, one answer: with a Content-Length to GET, after the last chunk to PUT."""
    request = b""
    while b"\r\n\r\n" not in request:
        piece = connection.recv(4096)
        if not piece:
            return
        request += piece
    if request.startswith(b"PUT"):
        if b"Expect: 100-continue" in request:
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        head, _, begun = request.partition(b"\r\n\r\n")
        length = head.partition(b"Content-Length: ")[2].split(b"\r\n")[0]
        if length:
            _take(connection, until=int(length), last=begun)
        else:
            _take(connection, end=b"\r\n0\r\n\r\n", last=begun)
        connection.sendall(b"HTTP/1.1 201 Created\r\nConnection: close\r\n\r\n")
        return
    octets = int(request.split()[1].strip(b"/"))
    connection.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
        b"Content-Length: %d\r\nConnection: close\r\n\r\n" % octets
    )
    _send(connection, octets)
    _end(connection)


def gopher(connection: socket.socket) -> None:
    """A selector, and what it names until the connection closes."""
    with connection.makefile("rb") as lines:
        octets = int(lines.readline(1000).split(b"\t")[0])
    _send(connection, octets)
    _end(connection)


def mailto(connection: socket.socket) -> None:
    """A message by SMTP, whose octets are counted and dropped."""
    connection.sendall(b"220 ready\r\n")
    while line := connection.recv(4096):
        match line[:4].upper():
            case b"DATA":
                connection.sendall(b"354 send it\r\n")
                _take(connection, end=b"\r\n.\r\n")
                connection.sendall(b"250 taken\r\n")
            case b"QUIT":
                connection.sendall(b"221 bye\r\n")
                return
            case _:
                connection.sendall(b"250 as you like\r\n")


def ftp(connection: socket.socket) -> None:
    """The few commands that a transfer takes."""

    def answer(line: str) -> None:
        connection.sendall(line.encode() + b"\r\n")

    passive: socket.socket | None = None
    answer("220 ready")
    with connection.makefile("rb") as lines:
        while line := lines.readline(1000):
            command, _, argument = line.decode().strip().partition(" ")
            match command.upper():
                case "USER":
                    answer("331 any password")
                case "PASS":
                    answer("230 welcome")
                case "TYPE":
                    answer("200 as you like")
                case "SIZE":
                    answer(f"213 {argument.partition('-')[0]}")
                case "EPSV":
                    passive = socket.create_server((HOST, 0))
                    answer(f"229 here (|||{passive.getsockname()[1]}|)")
                case "PASV":
                    passive = socket.create_server((HOST, 0))
                    high, low = divmod(passive.getsockname()[1], 256)
                    answer(f"227 here ({HOST.replace('.', ',')},{high},{low})")
                case "RETR" if passive is not None:
                    octets, _, rest = argument.partition("-")
                    answer("150 coming")
                    data, _ = passive.accept()
                    with passive, data:
                        _send(data, int(octets))
                    passive = None
                    if not rest:
                        answer("226 done")
                case "STOR" if passive is not None:
                    answer("150 send it")
                    data, _ = passive.accept()
                    with passive, data:
                        complete = _take(data) == int(argument)
                    passive = None
                    answer("226 done" if complete else "451 that was not all")
                case "QUIT":
                    answer("221 bye")
                    return
                case _:
                    answer("500 no")


if __name__ == "__main__":
    main(*sys.argv[1:])
