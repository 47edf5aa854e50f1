"""Access: one line asks, one line answers, and the document follows.

    name TAB edition CR LF          nothing behind the TAB: the newest edition
    OK length CR LF document        so many octets
    ERR reason CR LF                there is none, and why

This is a generator that asks for what it needs, by `yield from`, and holds no socket itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import text_of

from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import ConnectError, RemoteError, Truncated
from urlschemes_access.protocol import Algorithm, Close, Connect, Deliver, Open, Reader, Send, unexpected

if TYPE_CHECKING:
    from urlschemes_x_example import ExampleURL

__all__ = ["access"]

_OK = re.compile(rb"OK ([0-9]{1,15})")


def access(url: ExampleURL) -> Algorithm[None]:
    """Deliver the document. Raises UnsafeURL before it connects; RemoteError, ProtocolError, Truncated."""
    question = url.line("name") + b"\t" + url.line("edition") + b"\r\n"
    peer = yield from Connect(url.host, url.port)
    yield from Send(peer, question)
    reader = Reader(peer)
    answer = yield from reader.line()
    if answer is None:
        raise ConnectError("the server closed the connection and did not answer")
    if answer.startswith(b"ERR "):
        reason = text_of(answer.removeprefix(b"ERR "))
        raise RemoteError(f"the server refused: {reason}", text=reason)
    length = _OK.fullmatch(answer)
    if length is None:
        raise unexpected(answer, "the request", "OK and a length, or ERR and a reason")
    announced = left = int(length[1])
    attributes = Attributes(media_type="text/plain; charset=utf-8", size=announced)
    yield from Open("document", attributes)
    while left:
        octets = yield from reader.some(left)
        if not octets:
            came = announced - left
            message = f"{came} of {announced} octets came"
            raise Truncated(message, received=came, expected=announced)
        left -= len(octets)
        yield from Deliver(octets)
    yield from Close(peer)
