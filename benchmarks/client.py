"""One transfer in a process of its own: `client.py WHO PROTOCOL PORT NAME`. Prints what it took as one line of JSON.

Before the measured transfer comes a small one, for which everything is imported and made that is made once.
"""

from __future__ import annotations

import ftplib
import http.client
import io
import json
import resource
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import urlschemes_access
import urlschemes_access.client
from urlschemes.errors import URLError
from urlschemes_access import Document, Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HOST = "127.0.0.1"
PIECE = 256 * 1024
SENT = bytes(range(256)) * 256
"""64 KiB, of which an upload is made."""
SMALL = "65536"


def main(who: str, protocol: str, port: str, name: str) -> None:
    """Transfer, and print."""
    transfer = CLIENTS[who]
    transfer(protocol, int(port), SMALL)
    before, said = peak(), ""
    wall, cpu = time.perf_counter(), time.process_time()
    octets, said = transfer(protocol, int(port), name)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps({"octets": octets, "wall": wall, "cpu": cpu, "peak": peak(), "before": before, "said": said}))


def peak() -> int:
    """The most memory that this process ever held, in bytes."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024
    except (OSError, IndexError):  # elsewhere than on Linux, where this counts what stood before exec as well
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def pieces(name: str) -> Iterator[bytes]:
    """Return the content of an upload of `name` octets."""
    return (SENT for _ in range(int(name) // len(SENT)))


def ours(protocol: str, port: int, name: str) -> tuple[int, str]:
    """Read a document piece by piece, as a program would."""
    if protocol.endswith("upload"):
        policy = replace(Policy.untrusted(), networks=(f"{HOST}/32",))
        urlschemes_access.replace(
            f"{protocol.split(maxsplit=1)[0]}://{HOST}:{port}/{name}", pieces(name), policy=policy
        )
        return int(name), ""
    path = f"9{name}" if protocol == "gopher" else name
    policy = replace(Policy.untrusted(), networks=(f"{HOST}/32",))
    octets = 0
    try:
        with urlschemes_access.access(f"{protocol}://{HOST}:{port}/{path}", policy=policy) as document:
            if isinstance(document, Document):
                for piece in document:
                    octets += len(piece)
    except URLError as error:
        return octets, f"{type(error).__name__}: {error}"
    return octets, ""


def looped(protocol: str, port: int, name: str) -> tuple[int, str]:
    """The same on an event loop."""
    import asyncio

    return asyncio.run(_looped(protocol, port, name))


async def _looped(protocol: str, port: int, name: str) -> tuple[int, str]:
    from urlschemes_access import AsyncClient, AsyncDocument

    policy = replace(Policy.untrusted(), networks=(f"{HOST}/32",))
    if protocol.endswith("upload"):
        scheme = protocol.split(maxsplit=1)[0]
        await AsyncClient().replace(f"{scheme}://{HOST}:{port}/{name}", pieces(name), policy=policy)
        return int(name), ""
    path = f"9{name}" if protocol == "gopher" else name
    octets = 0
    try:
        async with await AsyncClient().access(f"{protocol}://{HOST}:{port}/{path}", policy=policy) as document:
            if isinstance(document, AsyncDocument):
                async for piece in document:
                    octets += len(piece)
    except URLError as error:
        return octets, f"{type(error).__name__}: {error}"
    return octets, ""


class _Raw(io.RawIOBase):
    """The content of an upload, as the file that ftplib reads."""

    def __init__(self, name: str) -> None:
        self._left = int(name)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # what io.BufferedReader passes
        count = min(len(buffer), len(SENT), self._left)
        buffer[:count] = SENT[:count]
        self._left -= count
        return count


def standard(protocol: str, port: int, name: str) -> tuple[int, str]:
    """The standard library's client, in pieces of 64 KiB."""
    octets = 0
    if protocol == "ftp":

        def count(piece: bytes) -> None:
            nonlocal octets
            octets += len(piece)

        with ftplib.FTP() as session:  # noqa: S321  what is compared
            session.connect(HOST, port)
            session.login()
            session.retrbinary(f"RETR {name}", count, blocksize=64 * 1024)
    elif protocol == "ftp upload":
        with ftplib.FTP() as session:  # noqa: S321  as above
            session.connect(HOST, port)
            session.login()
            session.storbinary(f"STOR {name}", io.BufferedReader(_Raw(name), 64 * 1024), blocksize=64 * 1024)
            octets = int(name)
    elif protocol == "http upload":
        connection = http.client.HTTPConnection(HOST, port)
        connection.request("PUT", f"/{name}", pieces(name))
        octets = int(name) if connection.getresponse().status in {201, 204} else 0
        connection.close()
    else:
        connection = http.client.HTTPConnection(HOST, port)
        connection.request("GET", f"/{name}")
        response = connection.getresponse()
        while piece := response.read(64 * 1024):
            octets += len(piece)
        connection.close()
    return octets, ""


def bare(protocol: str, port: int, name: str) -> tuple[int, str]:
    """A socket, nothing checked: as fast as Python receives."""
    octets = 0
    with socket.create_connection((HOST, port)) as connection:
        if protocol == "http upload":
            connection.sendall(f"PUT /{name} HTTP/1.1\r\nHost: {HOST}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
            for piece in pieces(name):
                connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
            connection.sendall(b"0\r\n\r\n")
            octets = int(name) if connection.recv(PIECE).startswith((b"HTTP/1.1 201", b"HTTP/1.1 204")) else 0
        elif protocol.startswith("ftp"):
            with connection.makefile("rb") as lines:
                lines.readline()
                for command in ("USER anonymous", "PASS x", "TYPE I"):
                    connection.sendall(f"{command}\r\n".encode())
                    lines.readline()
                connection.sendall(b"EPSV\r\n")
                data_port = int(lines.readline().split(b"|")[3])
                stores = protocol.endswith("upload")
                connection.sendall(f"{'STOR' if stores else 'RETR'} {name}\r\n".encode())
                with socket.create_connection((HOST, data_port)) as data:
                    if stores:
                        for piece in pieces(name):
                            data.sendall(piece)
                        octets = int(name)
                    else:
                        while piece := data.recv(PIECE):
                            octets += len(piece)
                for _ in range(1 + stores):
                    lines.readline()
        else:
            request = (
                f"GET /{name} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n"
                if protocol == "http"
                else f"{name}\r\n"
            )
            connection.sendall(request.encode())
            while piece := connection.recv(PIECE):
                octets += len(piece)
    return octets, ""


CLIENTS: dict[str, Callable[[str, int, str], tuple[int, str]]] = {
    "urlschemes": ours,
    "event loop": looped,
    "standard": standard,
    "bare": bare,
}

if __name__ == "__main__":
    main(*sys.argv[1:])
