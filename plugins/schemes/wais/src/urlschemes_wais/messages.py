"""Messages, and the association in which one is sent and one comes back.

    length (10 digits)  "z"  "2"  server (10 octets)  compression  encoding  checksum      the header, 25 octets
    length of the APDU's header (2 octets), its type, its fields, elements                 the body: an APDU
    elements                                                                               and what WAIS puts behind it

A request is never sent before the last answer has come: servers discard what they did not wait for, or hang up.
"""

from __future__ import annotations

import re

from urlschemes.errors import UnsafeURL
from urlschemes_access.errors import ConnectError, LimitExceeded, RemoteError, Truncated
from urlschemes_access.protocol import Algorithm, Peer, Reader, Send, unexpected

__all__ = ["RECORD", "Association", "apdu", "message"]

RECORD = 100_000
"""Octets of the largest message that is offered, and of the largest request."""
MOST_MESSAGE = 128 * 1024
"""Octets of the largest answer that is taken in. What is offered counts the records alone for some servers."""

_LENGTH = 10
_HEADER = 25
_HEAD = re.compile(rb"[0-9]{10}z2.{10}  .", re.DOTALL)


def apdu(header: bytes, information: bytes) -> bytes:
    """An APDU of its header (type, fields, elements) and of the user information. Raises UnsafeURL beyond 65,535."""
    if len(header) > 0xFFFF:
        raise UnsafeURL(
            f"the request has a header of {len(header)} octets, and the protocol holds 65535", scheme="wais"
        )
    return len(header).to_bytes(2, "big") + header + information


def message(body: bytes) -> bytes:
    """The message of an APDU, neither compressed nor encoded. Raises UnsafeURL where servers take none so long."""
    if len(body) > RECORD:
        raise UnsafeURL(f"the request has {len(body)} octets, and servers take {RECORD}", scheme="wais")
    return b"%010dz2%-10b  0" % (len(body), b"wais") + body


class Association:
    """A connection to a server: one request, one answer, and so on."""

    __slots__ = ("_reader", "peer")

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._reader = Reader(peer)

    def ask(self, request: bytes, what: str) -> Algorithm[bytes]:
        """Send the message `request` and give the body of the answer; `what` names it in errors.

        Raises ProtocolError for what is no message of WAIS, and for octets that came before they were asked for;
        LimitExceeded for an answer beyond 128 KiB, RemoteError for one without a body, Truncated.
        """
        if self._reader.pending:
            raise unexpected(self._reader.pending, what, "silence before the next request")
        yield from Send(self.peer, request)
        length = yield from self._length(what)
        if length > MOST_MESSAGE:
            raise LimitExceeded(
                f"the answer announces {length} octets, and {MOST_MESSAGE} are the most",
                limit="message",
                value=MOST_MESSAGE,
            )
        if not length:
            raise RemoteError(
                "the answer is empty: the server could not fit it into a message", hint="ask for less at once"
            )
        return (yield from self._reader.exactly(length, phase="response"))

    def _length(self, what: str) -> Algorithm[int]:
        """Read the header of an answer: the octets of its body. What begins otherwise is not waited for."""
        reader = self._reader
        received = reader.received
        while True:
            head = reader.pending[:_HEADER]
            digits = head[:_LENGTH]
            if not digits.isdigit() and digits:
                wrong = next(place for place, octet in enumerate(digits) if not 0x30 <= octet <= 0x39)
                raise unexpected(digits[: wrong + 1], what, "a length of ten digits")
            if len(head) == _HEADER:
                break
            if not (yield from reader.more()):
                closed = f"the server closed the connection where {what} was due"
                if not reader.received:
                    raise ConnectError(closed)
                raise Truncated(closed, received=reader.received - received, expected=_HEADER)
        if not _HEAD.fullmatch(head):
            raise unexpected(head, what, "a message of WAIS")
        yield from reader.exactly(_HEADER)
        return int(digits)
