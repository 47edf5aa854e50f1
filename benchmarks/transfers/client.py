"""One transfer in a process of its own: `python -m transfers.client WHO PROTOCOL PORT NAME`. Prints one line of JSON.

Before the measured transfer comes a small one, for which everything is imported and made that is made once.
"""

from __future__ import annotations

import ftplib
import http.client
import io
import json
import smtplib
import socket
import sys
import time
from dataclasses import replace
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from typing import TYPE_CHECKING

import urlschemes_access
import urlschemes_access.client
from common.measurement import peak
from urlschemes.errors import URLError
from urlschemes_access import Document, Policy
from urlschemes_mailto import compose, send

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HOST = "127.0.0.1"
PIECE = 256 * 1024
SENT = bytes(range(256)) * 256
"""64 KiB, of which an upload is made."""
DATABASE = "benchmark"
"""The WAIS database of the documents, which are named by their size."""
WAIS_PART = 94_900
"""Octets of a document that are requested at once, as ours does."""
LINE = "One line of a letter, as people write them, of 64 octets each.\n"
KIB = LINE * 15 + "." + LINE[1:]
"""Lines of 1024 octets, each ended by CR LF; one begins with a dot."""
SENDER, RECIPIENT, SUBJECT = "ann@home.dom", "joe@host.dom", "The lines that were asked for"
SMALL = "65536"
POLICY = replace(Policy.untrusted(), networks=(f"{HOST}/32",))


def main(who: str, protocol: str, port: str, name: str) -> None:
    """Transfer, and print."""
    transfer = CLIENTS[who]
    transfer(protocol, int(port), SMALL)
    before, said = peak(), ""
    wall, cpu = time.perf_counter(), time.process_time()
    octets, said = transfer(protocol, int(port), name)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps({"octets": octets, "wall": wall, "cpu": cpu, "peak": peak(), "before": before, "said": said}))


def pieces(name: str) -> Iterator[bytes]:
    """Return the content of an upload of `name` octets."""
    return (SENT for _ in range(int(name) // len(SENT)))


def letter(name: str) -> str:
    """Return the body of a message: `name` octets in lines."""
    return KIB * (int(name) // 1024)


def url(protocol: str, port: int, name: str) -> str:
    """Return the URL of what is transferred."""
    scheme = protocol.partition(" ")[0]
    paths = {"gopher": f"9{name}", "wais": f"{DATABASE}/TEXT/{name}%2F2%3D{DATABASE}%3B3%3D0%20{name}%20{name}%3B"}
    return f"{scheme}://{HOST}:{port}/{paths.get(scheme, name)}"


def ours(protocol: str, port: int, name: str) -> tuple[int, str]:
    """Read a document piece by piece, as a program would."""
    if protocol == "mailto upload":
        message = compose(f"mailto:{RECIPIENT}", subject=SUBJECT, body=letter(name), sender=SENDER)
        send(message, relay=f"{HOST}:{port}", confirm=True, policy=POLICY)
        return int(name), ""
    if protocol.endswith("upload"):
        urlschemes_access.replace(url(protocol, port, name), pieces(name), policy=POLICY)
        return int(name), ""
    octets = 0
    try:
        with urlschemes_access.access(url(protocol, port, name), policy=POLICY) as document:
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

    if protocol == "mailto upload":
        message = compose(f"mailto:{RECIPIENT}", subject=SUBJECT, body=letter(name), sender=SENDER)
        given = {"message": message.as_bytes(policy=SMTP), "relay": f"{HOST}:{port}", "confirm": True}
        await AsyncClient().operate("send", f"mailto:{RECIPIENT}", options=given, policy=POLICY)
        return int(name), ""
    if protocol.endswith("upload"):
        await AsyncClient().replace(url(protocol, port, name), pieces(name), policy=POLICY)
        return int(name), ""
    octets = 0
    try:
        async with await AsyncClient().access(url(protocol, port, name), policy=POLICY) as document:
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
    elif protocol == "mailto upload":
        message = EmailMessage()
        message["To"], message["From"], message["Subject"] = RECIPIENT, SENDER, SUBJECT
        message["Date"], message["Message-ID"] = formatdate(), make_msgid(domain="home.dom")
        message.set_content(letter(name))
        with smtplib.SMTP(HOST, port, local_hostname=f"[{HOST}]") as relay:
            relay.send_message(message)
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
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if protocol == "wais":
            octets = _bare_wais(connection, name)
        elif protocol == "mailto upload":
            octets = _bare_mail(connection, name)
        elif protocol == "http upload":
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


def _bare_mail(connection: socket.socket, name: str) -> int:
    """Submit a message."""
    with connection.makefile("rb") as lines:
        lines.readline()
        for command in (f"HELO [{HOST}]", f"MAIL FROM:<{SENDER}>", f"RCPT TO:<{RECIPIENT}>", "DATA"):
            connection.sendall(f"{command}\r\n".encode())
            lines.readline()
        header = f"To: {RECIPIENT}\nFrom: {SENDER}\nSubject: {SUBJECT}\nDate: {formatdate()}\n\n"
        text = (header + letter(name)).encode().replace(b"\n", b"\r\n").replace(b"\r\n.", b"\r\n..")
        connection.sendall(text)
        connection.sendall(b".\r\n")
        return int(name) if lines.readline().startswith(b"250") else 0


def _bare_wais(connection: socket.socket, name: str) -> int:
    """Request a document part by part, as large as fit into a message."""
    information = _element(2, DATABASE) + _element(3, f"0 {name} {name}")
    fixed = b"\x16\0\0\x0a\0\0\x10\0\0\x0f\x01" + _element(18, DATABASE) + _element(20, "1")
    fixed = len(fixed).to_bytes(2, "big") + fixed
    terms = _element(44, "un re ig ig ig ig") + _element(45, information)
    terms += _element(44, "wt re ig ig ig ig") + _element(45, "TEXT") + _element(46, "a")

    def exchange(body: bytes) -> bytes:
        connection.sendall(b"%010dz2wais        0" % len(body) + body)
        header = connection.recv(25, socket.MSG_WAITALL)
        return connection.recv(int(header[:10]), socket.MSG_WAITALL)

    exchange(b"\0\x0d\x14\x03\x01\x80\x04\x01\x80\x06\x03\x01\x86\xa0")
    octets, size = 0, int(name)
    while octets < size:
        end = min(octets + WAIS_PART, size)
        bounds = _element(44, "wb ro ig ig ig ig") + _element(45, f"{octets}") + _element(46, "a")
        bounds += _element(44, "wb rl ig ig ig ig") + _element(45, f"{end}") + _element(46, "a")
        response = exchange(fixed + _element(21, terms + bounds))
        octets += len(memoryview(response)[octets - end :])
    return octets


def _element(tag: int, value: bytes | str) -> bytes:
    """Return an element of a WAIS message, with at most 16,383 octets."""
    octets = value.encode() if isinstance(value, str) else value
    length = len(octets)
    return bytes([tag, 0x80 | length >> 7, length & 0x7F] if length > 0x7F else [tag, length]) + octets


CLIENTS: dict[str, Callable[[str, int, str], tuple[int, str]]] = {
    "urlschemes": ours,
    "event loop": looped,
    "standard": standard,
    "bare": bare,
}

if __name__ == "__main__":
    main(*sys.argv[1:])
