"""Messages, and the connection on which each request is answered by one response.

    length (10 digits)  "z"  "2"  server (10 octets)  compression  encoding  checksum      the header, 25 octets
    length of the APDU's header (2 octets), its type, its fields, elements                 the body: an APDU
    elements                                                                               the user information of WAIS

A request is never sent before the previous response has arrived: servers discard it, or close the connection.
"""

from __future__ import annotations

import re

from urlschemes.errors import UnsafeURL
from urlschemes_access.errors import ConnectError, LimitExceeded, RemoteError, Truncated
from urlschemes_access.protocol import Algorithm, Peer, Reader, Send, unexpected

__all__ = ["MAX_MESSAGE", "Connection", "EmptyResponse", "build_apdu", "build_message"]

MAX_MESSAGE = 100_000
"""Octets in the largest message that Init offers, and in the largest request."""
MAX_RESPONSE = 128 * 1024
"""Octets in the largest response accepted: for some servers, the size that Init offers counts only the records."""

_LENGTH = 10
_HEADER = 25
_HEADER_PATTERN = re.compile(rb"[0-9]{10}z2.{10}  .", re.DOTALL)


def build_apdu(header: bytes, information: bytes) -> bytes:
    """Return the APDU with this header (type, fields, elements) and user information. Raise UnsafeURL if too long."""
    if len(header) > 0xFFFF:
        raise UnsafeURL(f"the header of the request has {len(header)} octets: expected at most 65535", scheme="wais")
    return len(header).to_bytes(2, "big") + header + information


def build_message(body: bytes) -> bytes:
    """Return the message with this APDU, neither compressed nor encoded. Raise UnsafeURL if too long for servers."""
    if len(body) > MAX_MESSAGE:
        raise UnsafeURL(f"the request has {len(body)} octets: expected at most {MAX_MESSAGE}", scheme="wais")
    return b"%010dz2%-10b  0" % (len(body), b"wais") + body


class EmptyResponse(RemoteError):
    """The response did not fit into a message of the server."""


class Connection:
    """A connection to a WAIS server."""

    __slots__ = ("_reader", "peer")

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._reader = Reader(peer)

    def exchange(self, request: bytes, response: str, *, enough: int = 0) -> Algorithm[bytes]:
        """Send the message `request` and return the body of the response, which errors call `response`.

        Where the server is fast, the body is awaited until it has `enough` octets.
        Raise ProtocolError if the response is not a WAIS message, or if octets arrived before the request was sent;
        LimitExceeded if it is larger than 128 KiB; EmptyResponse; Truncated.
        """
        if self._reader.pending:
            raise unexpected(self._reader.pending, response, "nothing before the next request")
        yield from Send(self.peer, request)
        length = yield from self._read_length(response, enough)
        if length > MAX_RESPONSE:
            raise LimitExceeded(
                f"{response} announces {length} octets: expected at most {MAX_RESPONSE}",
                limit="message",
                value=MAX_RESPONSE,
            )
        if not length:
            raise EmptyResponse(
                f"{response} is empty: the server could not fit it into a message", hint="request less at once"
            )
        return (yield from self._reader.exactly(length, phase="response"))

    def _read_length(self, response: str, enough: int) -> Algorithm[int]:
        """Read the header of a response and return the length of its body. Fail at the first invalid octet."""
        reader = self._reader
        received = reader.received
        while True:
            header = reader.peek(_HEADER)
            digits = header[:_LENGTH]
            if digits and not digits.isdigit():
                invalid = next(index for index, octet in enumerate(digits) if not 0x30 <= octet <= 0x39)
                raise unexpected(digits[: invalid + 1], response, "a length of ten digits")
            if len(header) == _HEADER:
                break
            if not (yield from reader.more(enough=_HEADER + enough - len(header))):
                closed = f"the server closed the connection before {response}"
                if not reader.received:
                    raise ConnectError(closed)
                raise Truncated(closed, received=reader.received - received, expected=_HEADER)
        if not _HEADER_PATTERN.fullmatch(header):
            raise unexpected(header, response, "a message of WAIS")
        yield from reader.exactly(_HEADER)
        return int(digits)
