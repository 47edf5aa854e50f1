"""An HTTP server: the standard library's, with responses that a test chooses."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
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
    from urlschemes_servers.http_handler import RequestHandler  # late: http.server

    requests: list[HttpRequest] = []
    connections: list[int] = []

    def respond(method: str, target: str, headers: Message, body: bytes) -> HttpResponse | None:
        """Note a request, and return the handler's response; None if the folder is to be served."""
        request = HttpRequest(method, target, headers, body)
        requests.append(request)
        chosen = handler.get(target.partition("?")[0]) if isinstance(handler, Mapping) else handler
        response = chosen if chosen is None or isinstance(chosen, HttpResponse) else chosen(request)
        if response is None and root is None:
            return HttpResponse(404, b"not found\n", [("Content-Type", "text/plain")])
        return response

    def serve(connection: socket.socket) -> None:
        connections.append(connection.getpeername()[1])
        RequestHandler(connection, respond, root, writable=writable)

    with Loopback(serve, host=host, lifetime=lifetime, patience=patience, tls=tls) as server:
        address = HttpAddress(*server.address)
        address.requests = requests
        address.connections = connections
        yield address
