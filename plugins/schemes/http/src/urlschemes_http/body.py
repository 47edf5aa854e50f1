"""The body of a response, delivered as it comes (RFC 9112 sections 6 and 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_access.errors import ProtocolError, Truncated
from urlschemes_access.protocol import CHUNK, Algorithm, Deliver, Receive
from urlschemes_http.chunks import ChunkDecoder

if TYPE_CHECKING:
    from urlschemes_http.codings import ContentDecoder
    from urlschemes_http.response import Response

__all__ = ["deliver_body"]


def deliver_body(response: Response, decoder: ContentDecoder | None = None) -> Algorithm[None]:
    """Deliver the body, decoded by `decoder`. Raises Truncated if the connection ends before the body does."""
    yield from (_deliver_chunks if response.framing == "chunked" else _deliver_octets)(response, decoder)
    if decoder is not None:
        decoder.check_end()


def _deliver(octets: bytes, decoder: ContentDecoder | None) -> Algorithm[None]:
    for piece in (octets,) if decoder is None else decoder.pieces(octets):
        yield from Deliver(piece)


def _deliver_octets(response: Response, decoder: ContentDecoder | None) -> Algorithm[None]:
    """Deliver a body that ends after its Content-Length, or with the connection.

    Without h11, which would copy each octet twice.
    """
    received = 0
    beyond_head = response.http.trailing_data[0]
    octets = beyond_head[: response.size]
    while True:
        if octets:
            received += len(octets)
            yield from _deliver(octets, decoder)
        if received == response.size:
            response.ended = response.framing == "length" and len(beyond_head) <= received
            return
        most = CHUNK if response.size is None else response.size - received
        octets = yield from _receive(response, received, most)
        if not octets:
            if response.size is None:
                return
            raise _truncated(response, received)


def _deliver_chunks(response: Response, decoder: ContentDecoder | None) -> Algorithm[None]:
    """Deliver the content of the chunks."""
    chunks = ChunkDecoder()
    received = 0
    octets = response.http.trailing_data[0]
    while True:
        if piece := chunks.decode(octets):
            received += len(piece)
            if response.size is not None and received > response.size:
                raise ProtocolError(f"the chunks hold more than the {response.size} octets announced", where="content")
            yield from _deliver(piece, decoder)
        if chunks.finished:
            if response.size not in (None, received):
                raise _truncated(response, received)
            response.ended = not chunks.rest
            return
        octets = yield from _receive(response, received, CHUNK)
        if not octets:
            raise _truncated(response, received)


def _receive(response: Response, received: int, most: int) -> Algorithm[bytes]:
    try:
        return (yield from Receive(response.peer, most=most, phase="content")) or b""
    except Truncated:
        raise _truncated(response, received) from None


def _truncated(response: Response, received: int) -> Truncated:
    of_size = "" if response.size is None else f" of {response.size}"
    return Truncated(
        f"the connection to {response.url.host} ended: received {received}{of_size} octets",
        received=received,
        expected=response.size,
    )
