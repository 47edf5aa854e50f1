"""The body of a response, delivered as it comes (RFC 9112 sections 6 and 7)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import h11

from urlschemes_access.errors import LimitExceeded, Truncated
from urlschemes_access.protocol import CHUNK, LINE, Algorithm, Deliver, Receive, unexpected
from urlschemes_http.response import MAX_HEAD, next_event

if TYPE_CHECKING:
    from urlschemes_http.response import Response

__all__ = ["deliver_body"]

MAX_TRAILER_FIELDS = 32
"""Fields after a chunked body."""

_CHUNK_SIZE = re.compile(rb"0*([0-9A-Fa-f]{1,15})(?![0-9A-Fa-f])")


def deliver_body(response: Response) -> Algorithm[None]:
    """Deliver the body. Raises Truncated if the connection ends before the body does."""
    return _deliver_chunks(response) if response.framing == "chunked" else _deliver_octets(response)


def _deliver_octets(response: Response) -> Algorithm[None]:
    """Deliver a body that ends after its Content-Length, or with the connection.

    Without h11, which would copy each octet twice.
    """
    received = 0
    octets = response.http.trailing_data[0][: response.size]
    while True:
        if octets:
            received += len(octets)
            yield from Deliver(octets)
        if received == response.size:
            return
        most = CHUNK if response.size is None else response.size - received
        octets = yield from _receive(response, received, most)
        if not octets:
            if response.size is None:
                return
            raise _truncated(response, received)


def _deliver_chunks(response: Response) -> Algorithm[None]:
    """Deliver the content of the chunks."""
    sizes = _ChunkSizes()
    received = 0
    octets = response.http.trailing_data[0]
    while True:
        sizes.check(octets)
        pieces: list[bytes] = []
        while isinstance(event := next_event(response.http, "body"), h11.Data):
            pieces.append(event.data)
        if pieces:
            piece = b"".join(pieces)
            received += len(piece)
            yield from Deliver(piece)
        if isinstance(event, h11.EndOfMessage):
            _check_trailer(event)
            return
        if sizes.trailer_octets > MAX_HEAD:
            raise _trailer_too_long()
        octets = yield from _receive(response, received, CHUNK)
        if not octets:
            raise _truncated(response, received)
        response.http.receive_data(octets)


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


class _ChunkSizes:
    """Checks chunk sizes, since h11 accepts any of 20 hexadecimal digits and does not say which it read.

    `trailer_octets` counts the octets after the last chunk.
    """

    def __init__(self) -> None:
        self.trailer_octets = 0
        self._left = 0  # octets of the current chunk
        self._line = b""
        self._last = False

    def check(self, octets: bytes) -> None:
        """Raise ProtocolError for an invalid size or one from 2**60, LimitExceeded for a line without end."""
        at = 0
        while at < len(octets) and not self._last:
            if self._left:
                step = min(self._left, len(octets) - at)
                self._left -= step
                at += step
                continue
            end = octets.find(b"\n", at) + 1
            self._line += octets[at : end or None]
            if len(self._line) > LINE:
                raise LimitExceeded(f"a chunk-size line is longer than {LINE} octets", limit="line", value=LINE)
            if not end:
                return
            at = end
            size = _CHUNK_SIZE.match(self._line)
            if size is None:
                raise unexpected(self._line, "body", "a chunk size below 2**60")
            self._line = b""
            self._left = int(size[1], 16) + len(b"\r\n")
            self._last = self._left == len(b"\r\n")
        self.trailer_octets += len(octets) - at


def _check_trailer(end: h11.EndOfMessage) -> None:
    if len(end.headers) > MAX_TRAILER_FIELDS:
        raise LimitExceeded(
            f"the response has {len(end.headers)} trailer fields: at most {MAX_TRAILER_FIELDS} are accepted",
            limit="trailer fields",
            value=MAX_TRAILER_FIELDS,
        )
    if sum(len(name) + len(value) for name, value in end.headers) > MAX_HEAD:
        raise _trailer_too_long()


def _trailer_too_long() -> LimitExceeded:
    return LimitExceeded(f"the trailer is longer than {MAX_HEAD} octets", limit="trailer octets", value=MAX_HEAD)
