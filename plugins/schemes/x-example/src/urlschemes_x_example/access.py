"""Access to a document: the client sends one line, the server responds with one line and the document.

    name TAB edition CR LF          nothing after the TAB for the newest edition
    OK length CR LF document        the document has `length` octets
    ERR reason CR LF                there is no document

The algorithm is a generator: it opens no socket itself, but yields requests to the backend that runs it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import text_of
from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import ConnectError, RemoteError, Truncated
from urlschemes_access.protocol import (
    Algorithm,
    Close,
    Connect,
    Deliver,
    Open,
    Reader,
    Send,
    unexpected,
)

if TYPE_CHECKING:
    from urlschemes_x_example import ExampleURL

__all__ = ["access"]

_OK = re.compile(rb"OK ([0-9]{1,15})")


def access(url: ExampleURL) -> Algorithm[None]:
    """Deliver the document. Raises UnsafeURL, ConnectError, RemoteError, ProtocolError, Truncated."""
    command = url.line("name") + b"\t" + url.line("edition") + b"\r\n"
    peer = yield from Connect(url.host, url.port)
    yield from Send(peer, command)
    reader = Reader(peer)
    reply = yield from reader.line()
    if reply is None:
        raise ConnectError("the server closed the connection without a reply")
    if reply.startswith(b"ERR "):
        reason = text_of(reply.removeprefix(b"ERR "))
        raise RemoteError(f"the server refused: {reason}", text=reason)
    match = _OK.fullmatch(reply)
    if match is None:
        raise unexpected(reply, "the request", "OK and a length, or ERR and a reason")
    length = remaining = int(match[1])
    attributes = Attributes(media_type="text/plain; charset=utf-8", size=length)
    yield from Open("document", attributes)
    while remaining:
        octets = yield from reader.some(remaining)
        if not octets:
            received = length - remaining
            message = f"received {received} of {length} octets"
            raise Truncated(message, received=received, expected=length)
        remaining -= len(octets)
        yield from Deliver(octets)
    yield from Close(peer)
