"""The body of a response (RFC 9112 sections 6 and 7): delivered as it comes, or read if it explains an error."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

from urlschemes.redaction import HIDDEN, one_line
from urlschemes_access.attributes import charset_of
from urlschemes_access.errors import AccessError, ProtocolError, Truncated
from urlschemes_access.protocol import CHUNK, Algorithm, Deliver, Receive
from urlschemes_http.chunks import ChunkDecoder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes_http.codings import ContentDecoder
    from urlschemes_http.response import Response

__all__ = ["deliver_body", "read_explanation"]

MAX_EXPLANATION = 2048
"""Octets of a body that are read for its explanation."""
EXPLANATION_TIMEOUT = 1.0
"""Seconds that reading it may take."""
MAX_LINES = 3

_MARKED_UP = frozenset({"text/html", "text/xml", "application/xml", "application/xhtml+xml"})
_PLAIN = frozenset({"text/plain", "application/json", "application/problem+json"})
_MARKUP = re.compile(
    r"<(?:(head|script|style)\b.*?(?:</\1\s*>|\Z)|!--.*?(?:-->|\Z)|[^>]*(?:>|\Z))", re.DOTALL | re.IGNORECASE
)


def deliver_body(response: Response, decoder: ContentDecoder | None = None) -> Algorithm[None]:
    """Deliver the body, decoded by `decoder`. Raises Truncated if the connection ends before the body does."""
    body = _Body(response)
    while octets := (yield from body.read()):
        for piece in (octets,) if decoder is None else decoder.pieces(octets):
            yield from Deliver(piece)
    if decoder is not None:
        decoder.check_end()


def read_explanation(response: Response) -> Algorithm[str]:
    """Return the first lines of a text in the body of an error, safe to print; empty if there are none.

    That of a refused login is not read: the login is the explanation.
    """
    media_type = response.field("content-type") or ""
    essence = media_type.partition(";")[0].strip().lower()
    if response.status < 400 or response.status in {401, 407} or response.method == "HEAD":
        return ""
    if response.field("content-encoding") or essence not in _PLAIN | _MARKED_UP:
        return ""
    body, start, until = _Body(response), b"", monotonic() + EXPLANATION_TIMEOUT
    try:
        while len(start) < MAX_EXPLANATION and (octets := (yield from body.read(within=max(until - monotonic(), 0)))):
            start += octets
    except AccessError:
        pass  # what was received may still explain the error
    for each in _spellings(response.secret or b""):  # before it is cut: a part could not be recognised
        start = start.replace(each, HIDDEN.encode())
    text = start[:MAX_EXPLANATION].decode(charset_of(media_type) or "utf-8", "replace")
    if essence in _MARKED_UP:
        from html import unescape  # late: only for errors

        text = unescape(_MARKUP.sub("\n", text))
    lines = dict.fromkeys(filter(None, (" ".join(line.split()) for line in text.splitlines())))
    lines.pop(f"{response.status} {response.reason}", None)
    return one_line(" / ".join([*lines][:MAX_LINES]), 200)


def _spellings(secret: bytes) -> Iterator[bytes]:
    """Yield how a body may spell what was sent to log in: as it was sent, and the password alone, also in JSON."""
    if secret:
        yield secret
    with suppress(ValueError):  # a token is not base64
        password = b64decode(secret, validate=True).partition(b":")[2]
        if password:
            yield password
            yield json.dumps(password.decode("utf-8", "replace"))[1:-1].encode()


class _Body:
    """A body without its framing, read piece by piece.

    Without h11, which would copy each octet of a body that is not in chunks twice.
    """

    __slots__ = ("_chunks", "_has_excess", "_pending", "_received", "_response")

    def __init__(self, response: Response) -> None:
        received = response.http.trailing_data[0]  # together with the head
        self._response = response
        self._chunks = ChunkDecoder() if response.framing == "chunked" else None
        self._pending = received if self._chunks else received[: response.size]
        self._has_excess = len(self._pending) < len(received)
        self._received = 0

    def read(self, *, within: float | None = None) -> Algorithm[bytes]:
        """Return the next octets; `b""` at the end, and after `within` seconds without any."""
        response, chunks = self._response, self._chunks
        while not (chunks.finished if chunks else self._received == response.size):
            octets, self._pending = self._pending, b""
            octets = octets or (yield from self._receive(within))
            if not octets:
                return b""
            if chunks:
                octets = chunks.decode(octets)
            self._received += len(octets)
            if response.size is not None and self._received > response.size:
                raise ProtocolError(f"the chunks hold more than the {response.size} octets announced", where="content")
            if octets:
                return octets
        if response.size not in (None, self._received):
            raise self._truncated()
        response.ended = not chunks.rest if chunks else response.framing == "length" and not self._has_excess
        return b""

    def _receive(self, within: float | None) -> Algorithm[bytes]:
        """Return octets; `b""` after `within` seconds, and where the connection ends the body. Raises Truncated."""
        size = None if self._chunks else self._response.size
        most = CHUNK if size is None else size - self._received
        try:
            octets = yield from Receive(self._response.peer, within=within, most=most, phase="content")
        except Truncated:
            raise self._truncated() from None
        if octets == b"" and (self._chunks or size is not None):
            raise self._truncated()
        return octets or b""

    def _truncated(self) -> Truncated:
        received, expected = self._received, self._response.size
        of_size = "" if expected is None else f" of {expected}"
        return Truncated(
            f"the connection to {self._response.url.host} ended: received {received}{of_size} octets",
            received=received,
            expected=expected,
        )
