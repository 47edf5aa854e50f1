"""The handler of HTTP requests: the standard library's, which serves a folder, with responses that a test chooses."""

from __future__ import annotations

import re
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    import socket
    from collections.abc import Callable, Iterable
    from email.message import Message

__all__ = ["RequestHandler"]

_RANGE = re.compile("bytes=([0-9]+)-([0-9]*)")


class RequestHandler(SimpleHTTPRequestHandler):
    """Answers all requests of one connection: as `respond` says, or from `folder` if that returns None."""

    protocol_version = "HTTP/1.1"
    server_version = "urlschemes-servers"
    sys_version = ""

    def __init__(
        self,
        connection: socket.socket,
        respond: Callable[[str, str, Message, bytes], Any],
        folder: str | os.PathLike[str] | None,
        *,
        writable: bool,
    ) -> None:
        self._respond = respond
        self._writable = writable
        server: Any = None  # the standard library's handler keeps it, and does not use it
        super().__init__(connection, connection.getpeername(), server, directory=folder)

    def parse_request(self) -> bool:
        """Read a request. Return False if it was answered."""
        if not super().parse_request():
            return False
        # Not self.path: the standard library removes leading slashes from it.
        target = self.requestline.split(" ")[1]
        self._received = self._body()
        response = self._respond(self.command, target, self.headers, self._received)
        if response is not None:
            self._send(response.status, response.body, response.headers)
        return response is None

    def do_GET(self) -> None:
        """Serve the folder."""
        part = self._part()
        if part is None:
            super().do_GET()
        else:
            self._send(*part)

    def do_POST(self) -> None:
        """Refuse the request."""
        self.send_error(HTTPStatus.METHOD_NOT_ALLOWED)

    def do_PUT(self) -> None:
        """Write a file of the folder."""
        path = Path(self.translate_path(self.path))
        if not self._writable:
            self.send_error(HTTPStatus.METHOD_NOT_ALLOWED)
        elif path.is_dir() or not path.parent.is_dir():
            self.send_error(HTTPStatus.CONFLICT)
        else:
            status = HTTPStatus.NO_CONTENT if path.exists() else HTTPStatus.CREATED
            path.write_bytes(self._received)
            self._send(status)

    def do_DELETE(self) -> None:
        """Remove a file of the folder."""
        path = Path(self.translate_path(self.path))
        if not self._writable:
            self.send_error(HTTPStatus.METHOD_NOT_ALLOWED)
        elif not path.is_file():
            self.send_error(HTTPStatus.NOT_FOUND)
        else:
            path.unlink()
            self._send(HTTPStatus.NO_CONTENT)

    def log_message(self, *_: object) -> None:
        """Log nothing: `requests` has all requests."""

    def _part(self) -> tuple[int, bytes, list[tuple[str, str]]] | None:
        """Return status, body and header for a request of a range of a file; None if the whole file is to be sent."""
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
            return 416, b"", [("Content-Range", f"bytes */{len(content)}")]
        where = f"bytes {first}-{first + len(part) - 1}/{len(content)}"
        fields = [("Content-Type", self.guess_type(path)), ("Last-Modified", modified), ("Content-Range", where)]
        return 206, part, fields

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
            raise ConnectionError("the client closed the connection before the end of the body")
        return line

    def _exactly(self, count: int) -> bytes:
        octets = self.rfile.read(count)
        if len(octets) < count:
            raise ConnectionError("the client closed the connection before the end of the body")
        return octets

    def _send(self, status: int, body: bytes | Iterable[bytes] = b"", headers: Iterable[tuple[str, str]] = ()) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        has_content = status not in (204, 304)
        if not isinstance(body, bytes):
            self.send_header("Transfer-Encoding", "chunked")
        elif has_content:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD" or not has_content:
            return
        if isinstance(body, bytes):
            self.wfile.write(body)
            return
        for piece in filter(None, body):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")
