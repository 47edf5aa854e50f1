"""HTTP servers on loopback addresses, and names that no resolver is asked for."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from typing import Any

Answer = Callable[[BaseHTTPRequestHandler], None]
"""What a server does with one request."""


class Server(ThreadingHTTPServer):
    """A server that answers by path, and notes what it heard. `port` is its port; it ends with the test."""

    daemon_threads = True
    server_bind = TCPServer.server_bind  # that of HTTPServer asks the name server for the name of the address

    def __init__(self, answers: dict[str, Answer], at: str, context: ssl.SSLContext | None) -> None:
        self.address_family = socket.AF_INET6 if ":" in at else socket.AF_INET
        super().__init__((at, 0), _Handler)
        self.port = self.server_address[1]
        self.answers = answers
        self.heard: list[tuple[str, str, Any, bytes]] = []
        self.connections = 0
        self.context = context
        self.talking: set[socket.socket] = set()

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        connection.settimeout(30)
        self.connections += 1
        return connection, address

    def finish_request(self, request: Any, client_address: Any) -> None:
        if self.context is not None:
            try:
                request = self.context.wrap_socket(request, server_side=True)
            except OSError:
                request.close()
                return
        self.talking.add(request)
        with request, suppress(OSError):
            super().finish_request(request, client_address)
        self.talking.discard(request)

    def stop(self) -> None:
        """Listen no longer, and cut each connection."""
        self.shutdown()
        self.server_close()
        for each in [*self.talking]:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def handle_error(self, *_: Any) -> None:
        pass


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def answer(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        path = self.path.partition("?")[0]
        act = self.server.answers.get(path) or self.server.answers.get("*", ok)
        body = b"" if path == "/slow-upload" else self.rfile.read(size)
        if self.headers.get("Transfer-Encoding") == "chunked":
            while count := int(self.rfile.readline(), 16):
                body += self.rfile.read(count)
                self.rfile.readline()
            self.rfile.readline()
        self.server.heard.append((self.command, self.path, self.headers, body))
        act(self)

    do_GET = do_POST = do_HEAD = answer  # noqa: N815  the names that the server calls

    def log_message(self, *_: Any) -> None:
        pass


def respond(status: int = 200, body: bytes = b"ok", **fields: str) -> Answer:
    """Return what sends a whole answer."""

    def act(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in fields.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(body)

    return act


ok = respond()

Start = Callable[..., Server]
"""Starts a server with answers by path, at a loopback address."""


class Network:
    """The names that resolve, each to the addresses of one look-up after another; what was looked up and dialled."""

    def __init__(self) -> None:
        self.names: dict[str, list[list[str]]] = {}
        self.slow: dict[str, float] = {}  # the seconds that a look-up of a name takes
        self.asked: list[str] = []
        self.dials: list[tuple[str, int]] = []

    @property
    def dialled(self) -> list[str]:
        """The addresses that were dialled, without the ports."""
        return [address for address, _ in self.dials]

    def look_up(self, host: Any, port: Any, *_: Any, **options: Any) -> list[Any]:
        name = host.decode() if isinstance(host, bytes) else str(host)
        kind = options.get("type") or socket.SOCK_STREAM
        literal = _literal(name)
        if literal is None:
            self.asked.append(name)
            time.sleep(self.slow.get(name, 0))
            answers = self.names.get(name.removesuffix("."))
            if not answers:
                raise socket.gaierror(socket.EAI_NONAME, "not a name of this test")
            found = answers.pop(0) if len(answers) > 1 else answers[0]
        else:
            found = [literal]
        return [
            (socket.AF_INET6, kind, 6, "", (each, int(port or 0), 0, 0))
            if ":" in each
            else (socket.AF_INET, kind, 6, "", (each, int(port or 0)))
            for each in found
        ]


def _literal(name: str) -> str | None:
    """Return the address that a resolver reads in a text without asking a server, as 127.0.0.1 in `0x7f.1`."""
    with suppress(OSError):
        socket.inet_pton(socket.AF_INET6, name.partition("%")[0])
        return name
    with suppress(OSError, UnicodeError):
        return socket.inet_ntoa(socket.inet_aton(name))
    return None


@contextmanager
def loopback_only(names: Network) -> Iterator[None]:
    """Answer for the resolver, note what is dialled, and let nothing leave this machine."""
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def dial(self: socket.socket, address: Any) -> None:
        if self.family in {socket.AF_INET, socket.AF_INET6}:
            names.dials.append(address[:2])
            if not (address[0].startswith("127.") or address[0] == "::1"):
                raise ConnectionRefusedError("no test leaves this machine")
        connect(self, address)

    socket.getaddrinfo, socket.socket.connect = names.look_up, dial  # type: ignore[assignment,method-assign]
    try:
        yield
    finally:
        socket.getaddrinfo, socket.socket.connect = look_up, connect  # type: ignore[method-assign]


def contexts(authority: Any, *alpn: str) -> tuple[ssl.SSLContext, ssl.SSLContext, Path]:
    """Return a server's context for host.test, a client's, and the file of the authority."""
    made, file = authority
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.issue_cert("host.test", "127.0.0.1").configure_cert(server)
    if alpn:
        server.set_alpn_protocols([*alpn])
    return server, ssl.create_default_context(cafile=file), file
