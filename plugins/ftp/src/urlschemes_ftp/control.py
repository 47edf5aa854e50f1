"""The control connection: one command at a time, and its reply (RFC 959 sections 4.1 and 4.2)."""

from __future__ import annotations

import re

from urlschemes.display import one_line
from urlschemes.errors import AccessError, ConnectError, DeadlineExceeded, LimitExceeded, Truncated, UnsafeURL
from urlschemes.octets import text_of
from urlschemes.wire import Algorithm, Peer, Reader, Ready, Send, unexpected
from urlschemes_ftp.replies import Reply

__all__ = ["CONTROL_OCTET", "Control", "named"]

MOST_REPLY_LINES = 1000
MOST_REPLY_OCTETS = 64 * 1024
FAREWELL = 1.0
"""Seconds that the 221 may take. Nothing depends on it."""

CONTROL_OCTET = re.compile(rb"[\x00-\x1f\x7f]")
"""What no command can carry."""
_FIRST_LINE = re.compile(rb"([1-5][0-9][0-9])(?:([ -]).*)?", re.DOTALL)


class Control:
    """The control connection: one command at a time, and its reply."""

    __slots__ = ("_replies", "peer")

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._replies = Reader(peer)

    def reply(self, what: str, *, within: float | None = None, phase: str = "response") -> Algorithm[Reply]:
        """The next reply, to `what`. `within` bounds the wait for its first line."""
        waits = within is not None and b"\n" not in self._replies.pending
        if waits and (yield from self._replies.more(within=within, phase=phase)) is None:
            raise DeadlineExceeded(f"no reply to {what} came within {within:g} seconds", phase=phase)
        line = yield from self._line(what, phase)
        first = _FIRST_LINE.fullmatch(line)
        if first is None:
            raise unexpected(line, what, f"a reply to {what}")
        code, lines, octets = first[1], [line], len(line)
        if first[2] == b"-":
            while line != code and not line.startswith(code + b" "):
                line = yield from self._line(what, phase)
                lines.append(line)
                octets += len(line)
                if len(lines) > MOST_REPLY_LINES:
                    raise _too_much(what, "lines", MOST_REPLY_LINES)
                if octets > MOST_REPLY_OCTETS:
                    raise _too_much(what, "octets", MOST_REPLY_OCTETS)
        return Reply(int(code), tuple(lines))

    def _line(self, what: str, phase: str) -> Algorithm[bytes]:
        line = yield from self._replies.line(phase=phase)
        if line is None:
            closed = f"the server closed the connection where a reply to {what} was due"
            raise Truncated(closed) if self._replies.received else ConnectError(closed)
        return line

    def speaks(self) -> Algorithm[bool]:
        """Whether the server has said something by now, which nobody has asked for."""
        return bool(self._replies.pending) or (yield from Ready((self.peer,), within=0)) is not None

    def command(self, verb: bytes, argument: bytes | None = None, *, secret: bool = False) -> Algorithm[Reply]:
        """Send a command and read its reply. A `secret` argument is shown nowhere, whatever the server makes of it."""
        what = verb.decode()
        if self._replies.pending:
            raise unexpected(self._replies.pending, what, f"silence before {what}")
        octets = verb
        if argument is not None:
            if CONTROL_OCTET.search(argument):
                raise UnsafeURL(f"the argument of {what} holds a control character")
            argument = argument.replace(b"\xff", b"\xff\xff")  # the octet FF is a command on a Telnet connection
            octets += b" " + argument
        yield from Send(self.peer, octets + b"\r\n", secret=argument if secret else None)
        reply = yield from self.reply(what)
        return reply.without(argument) if secret and argument else reply

    def carry_out(self, verb: bytes, argument: bytes | None = None, *, hint: str | None = None) -> Algorithm[Reply]:
        """As `command`; raises RemoteError, with `hint`, unless the reply says that it was done."""
        reply = yield from self.command(verb, argument)
        if reply.kind in (4, 5):
            raise reply.refusal(named(verb, argument), hint=hint)
        if reply.kind != 2:
            raise reply.astray(named(verb, argument), "a reply 2xx")
        return reply

    def quit(self) -> Algorithm[None]:
        """Take leave. All that was asked for has come and been confirmed: what goes wrong now spoils nothing."""
        try:
            yield from Send(self.peer, b"QUIT\r\n")
            yield from self._replies.more(within=FAREWELL, phase="farewell")
        except AccessError:
            return


def _too_much(what: str, unit: str, most: int) -> LimitExceeded:
    return LimitExceeded(f"the reply to {what} has more than {most} {unit}", limit="reply", value=most)


def named(verb: bytes, argument: bytes | None) -> str:
    """A command as an error names it, safe to print."""
    if argument == b"":
        return f"{verb.decode()} with an empty argument"
    return verb.decode() if argument is None else f"{verb.decode()} {one_line(text_of(argument), 60)}"
