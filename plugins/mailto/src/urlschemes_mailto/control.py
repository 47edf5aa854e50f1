"""The connection to a relay: one command at a time, and its reply (RFC 5321 sections 2.4 and 4.2)."""

from __future__ import annotations

import re

from urlschemes.errors import AccessError, ConnectError, DeadlineExceeded, LimitExceeded, Truncated
from urlschemes.wire import Algorithm, Peer, Reader, Send, StartTLS, unexpected
from urlschemes_mailto.replies import Reply

__all__ = ["Control"]

MOST_REPLY_LINES = 1000
MOST_REPLY_OCTETS = 64 * 1024
FAREWELL = 1.0
"""Seconds that the 221 may take. Nothing depends on it."""

_LINE = re.compile(rb"([2-5][0-9][0-9])(?:([ -])(.*))?", re.DOTALL)


class Control:
    """The connection to a relay: one command at a time, and its reply."""

    __slots__ = ("_replies", "peer")

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._replies = Reader(peer)

    def reply(self, step: str, *, within: float | None = None, phase: str = "response") -> Algorithm[Reply]:
        """The next reply, to the `step`. `within` bounds the wait for its beginning, otherwise the policy does."""
        if within is not None and (yield from self._replies.more(within=within, phase=phase)) is None:
            raise DeadlineExceeded(f"no reply to {step} came within {within:g} seconds", phase=phase)
        code, lines, octets, goes_on = b"", [], 0, True
        while goes_on:
            line = yield from self._replies.line(phase=phase)
            if line is None:
                closed = f"the relay closed the connection where a reply to {step} was due"
                raise Truncated(closed) if self._replies.received else ConnectError(closed)
            found = _LINE.fullmatch(line)
            if found is None or (code and found[1] != code):
                raise unexpected(line, step, f"a reply to {step}")
            code, goes_on = found[1], found[2] == b"-"
            lines.append(found[3] or b"")
            octets += len(line)
            if len(lines) > MOST_REPLY_LINES:
                raise _too_much(step, "lines", MOST_REPLY_LINES)
            if octets > MOST_REPLY_OCTETS:
                raise _too_much(step, "octets", MOST_REPLY_OCTETS)
        return Reply(int(code), tuple(lines))

    def check_silence(self, step: str) -> None:
        """Nothing may have been said that was not asked for. Raises ProtocolError."""
        if self._replies.pending:
            raise unexpected(self._replies.pending, step, f"silence before {step}")

    def command(self, line: str, step: str, *, secret: bool = False) -> Algorithm[Reply]:
        """Send a line and read its reply. What is `secret` is shown nowhere, whatever the relay makes of it."""
        self.check_silence(step)
        octets = line.encode("ascii")
        yield from Send(self.peer, octets + b"\r\n", secret=octets if secret else None)
        reply = yield from self.reply(step)
        return reply.without(octets) if secret else reply

    def carry_out(self, line: str, step: str) -> Algorithm[Reply]:
        """As `command`; raises RemoteError or AuthRequired unless the reply says that it was done."""
        reply = yield from self.command(line, step)
        if reply.kind in (4, 5):
            raise reply.refusal(step)
        if reply.kind != 2:
            raise reply.astray(step, "a reply 2xx")
        return reply

    def protect(self, host: str) -> Algorithm[None]:
        """Go over to TLS with `host`: all that was said so far counts for nothing (RFC 3207 section 4.2)."""
        self.check_silence("TLS")
        yield from StartTLS(self.peer, host)
        self._replies = Reader(self.peer)

    def quit(self) -> Algorithm[None]:
        """Take leave. It ends a transaction that is open, and spoils none that is done."""
        try:
            yield from Send(self.peer, b"QUIT\r\n")
            yield from self._replies.more(within=FAREWELL, phase="farewell")
        except AccessError:
            return


def _too_much(step: str, unit: str, most: int) -> LimitExceeded:
    return LimitExceeded(f"the reply to {step} has more than {most} {unit}", limit="reply", value=most)
