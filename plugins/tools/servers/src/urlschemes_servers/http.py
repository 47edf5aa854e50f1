"""An HTTP server: the standard library's, with responses that a test chooses."""

from __future__ import annotations

import http
import re
import socketserver
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, TypeAlias

from urlschemes.errors import require_type
from urlschemes_testing.loopback import HOST, LIFETIME, PATIENCE, Address, Loopback

if TYPE_CHECKING:
    import os
    import socket
    import ssl
    from collections.abc import Callable, Iterable, Iterator
    from email.message import Message

__all__ = ["HttpAddress", "HttpRequest", "HttpResponse", "chunked", "echo", "http_server", "redirect"]


_RANGE = re.compile("bytes=([0-9]+)-([0-9]*)")


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request. `target` is the request target, octet for octet as in the request line."""

    method: str
    target: str
    headers: Message
    body: bytes


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response. A `body` of bytes is sent with its Content-Length, an iterable of pieces in chunks."""

    status: int = 200
    body: bytes | Iterable[bytes] = b""
    headers: Iterable[tuple[str, str]] = ()


Handler: TypeAlias = "HttpResponse | Callable[[HttpRequest], HttpResponse | None]"


def redirect(location: str, status: int = 302) -> HttpResponse:
    """Return a redirect to `location`, which is sent unchanged."""
    return HttpResponse(status, b"elsewhere\n", [("Location", location), ("Content-Type", "text/plain")])


def echo(request: HttpRequest) -> HttpResponse:
    """Return a response whose body is the request target, octet for octet."""
    return HttpResponse(200, request.target.encode("latin-1"), [("Content-Type", "text/plain")])


def chunked(*pieces: bytes) -> HttpResponse:
    """Return a response in chunks, without a Content-Length."""
    return HttpResponse(200, pieces, [("Content-Type", "application/octet-stream")])


class HttpAddress(Address):
    """The address of an HTTP server; `requests` are those that it received, in order.

    `connections` holds the client's port of each connection that was made.
    """

    requests: list[HttpRequest]
    connections: list[int]


@contextmanager
def http_server(
    root: str | os.PathLike[str] | None = None,
    *,
    handler: Handler | Mapping[str, Handler] | None = None,
    writable: bool = False,
    tls: ssl.SSLContext | None = None,
    host: str = HOST,
    lifetime: float = LIFETIME,
    patience: float = PATIENCE,
) -> Iterator[HttpAddress]:
    """Serve HTTP/1.1 until the block is left, or for `lifetime` seconds; over TLS with `tls`.

    `handler` is a response, a function that returns one, or a mapping from paths (without the query) to these. If it
    returns None, or has no such path, the folder `root` is served, with index pages and listings; without a root, the
    response is 404. Files have ranges. PUT and DELETE change the folder if it is `writable`.
    """
    if not callable(handler):
        require_type("handler", handler, HttpResponse, Mapping, NoneType)
    requests: list[HttpRequest] = []
    connections: list[int] = []
    folder = None if root is None else Path(root)

    def serve(connection: socket.socket) -> None:
        connections.append(connection.getpeername()[1])
        _Handler(connection, site, handler, folder, requests, writable=writable)

    with Loopback(serve, host=host, lifetime=lifetime, patience=patience, tls=tls) as server:
        # The request handlers of the standard library need a server object, but do not use it; it opens no socket.
        site = socketserver.BaseServer(server.address, SimpleHTTPRequestHandler)
        address = HttpAddress(*server.address)
        address.requests = requests
        address.connections = connections
        yield address


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "urlschemes-servers"
    sys_version = ""

    def __init__(
        self,
        connection: socket.socket,
        site: socketserver.BaseServer,
        handler: Handler | Mapping[str, Handler] | None,
        folder: Path | None,
        requests: list[HttpRequest],
        *,
        writable: bool,
    ) -> None:
        self._writable = writable
        self._handler = handler
        self._folder = folder
        self._requests = requests
        super().__init__(connection, connection.getpeername(), site, directory=None if folder is None else str(folder))

    def do_GET(self) -> None:
        if self._responded():
            return
        part = self._part()
        if part is None:
            super().do_GET()
        else:
            self._send(part)

    def do_HEAD(self) -> None:
        if not self._responded():
            super().do_HEAD()

    def do_POST(self) -> None:
        if not self._responded():
            self.send_error(http.HTTPStatus.METHOD_NOT_ALLOWED)

    def do_PUT(self) -> None:
        if self._responded():
            return
        path = Path(self.translate_path(self.path))
        if not self._writable:
            self.send_error(http.HTTPStatus.METHOD_NOT_ALLOWED)
        elif path.is_dir() or not path.parent.is_dir():
            self.send_error(http.HTTPStatus.CONFLICT)
        else:
            status = http.HTTPStatus.NO_CONTENT if path.exists() else http.HTTPStatus.CREATED
            path.write_bytes(self._requests[-1].body)
            self._send(HttpResponse(status))

    def do_DELETE(self) -> None:
        if self._responded():
            return
        path = Path(self.translate_path(self.path))
        if not self._writable:
            self.send_error(http.HTTPStatus.METHOD_NOT_ALLOWED)
        elif not path.is_file():
            self.send_error(http.HTTPStatus.NOT_FOUND)
        else:
            path.unlink()
            self._send(HttpResponse(http.HTTPStatus.NO_CONTENT))

    def log_message(self, *_: object) -> None:
        """Log nothing: `requests` has all requests."""

    def _responded(self) -> bool:
        # Not self.path: the standard library removes leading slashes from it.
        target = self.requestline.split(" ")[1]
        body = self._body()
        request = HttpRequest(self.command, target, self.headers, body)
        self._requests.append(request)
        chosen = self._handler.get(target.partition("?")[0]) if isinstance(self._handler, Mapping) else self._handler
        response = chosen if chosen is None or isinstance(chosen, HttpResponse) else chosen(request)
        if response is None and self._folder is None:
            response = HttpResponse(404, b"not found\n", [("Content-Type", "text/plain")])
        if response is None:
            return False
        self._send(response)
        return True

    def _part(self) -> HttpResponse | None:
        """Return the response to a request for a range of a file; None if the whole file is to be sent."""
        asked = _RANGE.fullmatch(self.headers.get("Range", ""))
        path = Path(self.translate_path(self.path))
        if asked is None or not path.is_file():
            return None
        modified = self.date_time_string(int(path.stat().st_mtime))
        if self.headers.get("If-Range", modified) != modified:
            return None
        content = path.read_bytes()
        first = int(asked[1])
        part = content[first : int(asked[2]) + 1] if asked[2] else content[first:]
        if not part:
            return HttpResponse(416, headers=[("Content-Range", f"bytes */{len(content)}")])
        where = f"bytes {first}-{first + len(part) - 1}/{len(content)}"
        fields = [("Content-Type", self.guess_type(path)), ("Last-Modified", modified), ("Content-Range", where)]
        return HttpResponse(206, part, fields)

    def _body(self) -> bytes:
        """Return the body of the request. Raises ConnectionError if it ends early."""
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            length = self.headers.get("Content-Length", "0")
            return self._exactly(int(length)) if length.isdecimal() else b""
        body = bytearray()
        while count := int(self._line().split(b";")[0], 16):
            body += self._exactly(count + 2)[:-2]
        while self._line().strip():
            pass
        return bytes(body)

    def _line(self) -> bytes:
        line = self.rfile.readline(65537)
        if not line.endswith(b"\n"):
            raise ConnectionError("the client closed the connection within the body")
        return line

    def _exactly(self, count: int) -> bytes:
        octets = self.rfile.read(count)
        if len(octets) < count:
            raise ConnectionError("the client closed the connection within the body")
        return octets

    def _send(self, response: HttpResponse) -> None:
        self.send_response(response.status)
        for name, value in response.headers:
            self.send_header(name, value)
        empty = self.command == "HEAD" or response.status in (204, 304)
        if isinstance(response.body, bytes):
            if response.status not in (204, 304):
                self.send_header("Content-Length", str(len(response.body)))
            self.end_headers()
            if not empty:
                self.wfile.write(response.body)
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if empty:
            return
        for piece in response.body:
            if piece:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")
