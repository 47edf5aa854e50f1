"""Bounded reading from a connection, and the errors of what it reads."""

from __future__ import annotations

import re

from urlschemes.errors import UnsafeURL
from urlschemes.redaction import one_line, redact
from urlschemes_access.errors import LimitExceeded, ProtocolError, Truncated
from urlschemes_access.protocol.requests import CHUNK, Algorithm, Peer, Receive

__all__ = ["LINE", "TEXT_LINE", "Reader", "partly", "place_of", "unexpected"]

LINE = 8 * 1024
"""Octets in one protocol line, unless a reader is told otherwise."""
TEXT_LINE = 64 * 1024
"""Octets in one line of a text."""

_PLACE = re.compile(r"([A-Za-z0-9._-]{1,253})(?::([0-9]{1,5}))?")


class Reader:
    """Bounded reading from one peer: lines, counted blocks, texts that end with a dot, all until it closes.

    Holds back what was received beyond what was asked for. `received` counts the octets that came.
    """

    __slots__ = ("_buffer", "_ended", "peer", "received")

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.received = 0
        self._buffer = bytearray()
        self._ended = False

    @property
    def pending(self) -> bytes:
        """What was received and not yet asked for. Before a command is sent this must be empty."""
        return bytes(self._buffer)

    def more(self, *, within: float | None = None, phase: str = "response") -> Algorithm[bool | None]:
        """Receive once. False at the end of the stream, None when `within` expired."""
        if self._ended:
            return False
        octets = yield from Receive(self.peer, within=within, phase=phase)
        if octets is None:
            return None
        if not octets:
            self._ended = True
            return False
        self.received += len(octets)
        self._buffer += octets
        return True

    def line(self, *, most: int = LINE, phase: str = "response") -> Algorithm[bytes | None]:
        """One line without its CR LF (or bare LF); None at the end of the stream.

        Raises LimitExceeded beyond `most` octets, Truncated where the stream ends within a line.
        """
        start = 0
        while (end := self._buffer.find(b"\n", start)) < 0:
            if len(self._buffer) > most:
                raise _too_long(most)
            start = len(self._buffer)
            if not (yield from self.more(phase=phase)):
                if not self._buffer:
                    return None
                raise Truncated("the stream ended within a line", received=self.received)
        if end > most:
            raise _too_long(most)
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line.removesuffix(b"\r")

    def exactly(self, count: int, *, phase: str = "content") -> Algorithm[bytes]:
        """The next `count` octets, for a count that is small. Raises Truncated where there are fewer."""
        while len(self._buffer) < count:
            if not (yield from self.more(phase=phase)):
                raise Truncated(
                    f"{len(self._buffer)} of {count} octets came", received=len(self._buffer), expected=count
                )
        octets = bytes(self._buffer[:count])
        del self._buffer[:count]
        return octets

    def some(self, most: int = CHUNK, *, phase: str = "content") -> Algorithm[bytes]:
        """At least one octet and at most `most`; `b""` at the end of the stream. What large content is read with."""
        if self._buffer:
            octets = bytes(self._buffer[:most])
            del self._buffer[:most]
            return octets
        if self._ended:
            return b""
        came = (yield from Receive(self.peer, most=most, phase=phase)) or b""
        self._ended = not came
        self.received += len(came)
        return came


def _too_long(most: int) -> LimitExceeded:
    return LimitExceeded(f"a line is longer than {most} octets", limit="line", value=most)


def place_of(text: str, port: int, *, option: str) -> tuple[str, int]:
    """Host and port of a server that is the value `text` of an `option`: `host`, which means `port`, or `host:port`.

    Whether it may be connected to, Connect asks the policy. Raises UnsafeURL where it is not written so.
    """
    found = _PLACE.fullmatch(text)
    if found is None:
        raise UnsafeURL(
            f"the {option} '{one_line(text, 100)}' is not written as host or host:port",
            part=option,
            hint="as in server.example:1119",
        )
    return found[1], int(found[2] or port)


def unexpected(octets: bytes, where: str, wanted: str) -> ProtocolError:
    """A ProtocolError that shows, safely, what came where something else was due."""
    came = one_line(redact(octets[:LINE].decode("utf-8", "surrogateescape"))[:60])
    return ProtocolError(f"{wanted} was due, but '{came}' came", where=where)


def partly(sent: int) -> str:
    """What an error says of content that was cut after `sent` octets of it."""
    if not sent:
        return "nothing of the content had been sent"
    return f"{sent} octet{'s' * (sent > 1)} had been sent, and a part of them may be there"
