"""Bounded reading from one connection, and helpers for messages about what was read or sent."""

from __future__ import annotations

import re

from urlschemes.errors import UnsafeURL, require_type
from urlschemes.redaction import one_line, redact
from urlschemes_access.errors import LimitExceeded, ProtocolError, Truncated
from urlschemes_access.protocol.requests import CHUNK, Algorithm, Peer, Receive

LINE = 8 * 1024
"""The most octets in one protocol line, by default."""
TEXT_LINE = 64 * 1024
"""The most octets in one line of a text."""

# An option is no URL, and the same in every profile; `read_host` judges the host.
_SERVER = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::([0-9]{1,5}))?")


class Reader:
    """A bounded reader of one peer: lines, counted blocks, or everything until it closes.

    The reader buffers octets received beyond those asked for. `received` is the number of octets received in all.
    """

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.received = 0
        self._buffer: bytes | bytearray = b""
        self._position = 0
        self._ended = False

    @property
    def pending(self) -> bytes:
        """The octets received but not yet read. This must be empty before a command is sent."""
        return bytes(self._buffer[self._position :])

    def peek(self, most: int) -> bytes:
        """Return at most `most` of the octets received but not yet read; they stay unread."""
        return bytes(self._buffer[self._position : self._position + most])

    def more(
        self, *, within: float | None = None, enough: int | None = None, phase: str = "response"
    ) -> Algorithm[bool | None]:
        """Receive once. Return False at the end of the stream, None if `within` seconds passed.

        Where octets come fast, it may wait a few milliseconds for `enough` of them.
        """
        if self._ended:
            return False
        octets = yield from Receive(self.peer, within=within, enough=enough, phase=phase)
        if octets is None:
            return None
        if not octets:
            self._ended = True
            return False
        self.received += len(octets)
        if self._position == len(self._buffer):
            self._buffer = octets
        else:  # a bytearray can grow without copying what it holds
            if self._position or not isinstance(self._buffer, bytearray):
                self._buffer = bytearray(memoryview(self._buffer)[self._position :])
            self._buffer += octets
        self._position = 0
        return True

    def line(self, *, most: int = LINE, phase: str = "response") -> Algorithm[bytes | None]:
        """Return one line without its CR LF or bare LF; None at the end of the stream.

        Raises LimitExceeded if the line is longer than `most` octets, Truncated if the stream ends within a line.
        """
        searched = 0
        while (end := self._buffer.find(b"\n", self._position + searched)) < 0:
            searched = len(self._buffer) - self._position
            if searched > most:
                raise _too_long(most)
            if not (yield from self.more(phase=phase)):
                if not searched:
                    return None
                raise Truncated("the stream ended within a line", received=self.received)
        length = end - self._position
        if length > most:
            raise _too_long(most)
        line = self._take(length)
        self._position += 1
        return line.removesuffix(b"\r")

    def exactly(self, count: int, *, phase: str = "content") -> Algorithm[bytes]:
        """Return the next `count` octets, for a small count. Raises Truncated if the stream ends before that."""
        while (received := len(self._buffer) - self._position) < count:
            if not (yield from self.more(enough=count - received, phase=phase)):
                raise Truncated(f"received {received} of {count} octets", received=received, expected=count)
        return self._take(count)

    def some(self, most: int = CHUNK, *, phase: str = "content") -> Algorithm[bytes]:
        """Return at least one octet and at most `most`; `b""` at the end of the stream. Made for large content."""
        if self._position < len(self._buffer):
            return self._take(most)
        if self._ended:
            return b""
        received = (yield from Receive(self.peer, most=most, phase=phase)) or b""
        self._ended = not received
        self.received += len(received)
        return received

    def _take(self, most: int) -> bytes:
        start = self._position
        self._position = min(start + most, len(self._buffer))
        return bytes(self._buffer[start : self._position])


def _too_long(most: int) -> LimitExceeded:
    return LimitExceeded(f"a line is longer than {most} octets", limit="line", value=most)


def server_address(text: str, port: int, *, option: str) -> tuple[str, int]:
    """Return host and port of the server that an option names, written as `host` or `host:port`; `port` is the default.

    Connect checks later that the policy allows it. Raises UnsafeURL if `text` is not written so.
    """
    require_type(option, text, str)
    match = _SERVER.fullmatch(text)
    if match is None:
        raise UnsafeURL(
            f"invalid {option} '{one_line(text, 100)}': expected host or host:port",
            part=option,
            hint="for example server.example:1119, or [2001:db8::1]:1119",
        )
    return match[1], int(match[2] or port)


def unexpected(octets: bytes, where: str, expected: str) -> ProtocolError:
    """Return the ProtocolError for `octets` received in place of what was `expected`; they are shown safely."""
    shown = one_line(redact(octets[:LINE].decode("utf-8", "surrogateescape"))[:60])
    return ProtocolError(f"expected {expected}, got '{shown}'", where=where)


def sent_so_far(sent: int) -> str:
    """Return the clause of an error message that says how much of the content had been sent."""
    if not sent:
        return "none of the content had been sent"
    return f"{sent} octet{'s' * (sent > 1)} had been sent and may be stored in part"
