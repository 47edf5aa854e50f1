r"""Commands, and the replies of three digits that answer them: one idea of many protocols.

    control = Control((yield from Connect(url.host, url.port)), code_on="every line")
    yield from control.banner(220)
    yield from control.carry_out(b"HELP")               # 2xx, or an error says what came instead
    yield from control.carry_out(b"DATA", 354)          # 354, or an error
    yield from control.send(stuffed(text) + END, "the text")
    (yield from control.reply("the text")).checked("the text", 2)
    yield from control.quit()

The form is that of RFC 959 section 4.2, which later protocols took over; they differ in how several lines make one
reply. What else is special in a protocol belongs into types of its own, derived from these.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal, Self, TypeAlias

from urlschemes.errors import UnsafeURL
from urlschemes.grammar.octets import text_of
from urlschemes.redaction import one_line
from urlschemes_access.errors import (
    AccessError,
    AuthRequired,
    ConnectError,
    DeadlineExceeded,
    LimitExceeded,
    ProtocolError,
    RemoteError,
    Truncated,
)
from urlschemes_access.protocol.reader import Reader, partly, unexpected
from urlschemes_access.protocol.requests import Algorithm, Peer, Send, StartTLS

__all__ = ["CONTROL_OCTET", "END", "CodeOn", "Control", "Reply", "named", "stuffed"]

CodeOn: TypeAlias = Literal["only line", "every line", "first and last"]
"""Which lines of a reply bear its code: the only one that there is (RFC 3977 section 3.2); every one, all but the last
with a hyphen behind it (RFC 5321 section 4.2.1); the first, with a hyphen, and the last, and what stands between them
is free (RFC 959 section 4.2)."""

MOST_LINES = 1000
MOST_OCTETS = 64 * 1024
FAREWELL = 1.0
"""Seconds that the answer to QUIT may take. Nothing depends on it."""

CONTROL_OCTET = re.compile(rb"[\x00-\x1f\x7f]")
"""What no command can carry."""
END = b".\r\n"
"""The line that closes a text of any length."""

_LINE = re.compile(rb"([1-5][0-9][0-9])(?:([ -])(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply: its code, and its lines, without the code where they bear it."""

    code: int
    lines: tuple[bytes, ...]

    @property
    def kind(self) -> int:
        """The first digit: 1 preliminary, 2 done, 3 go on, 4 refused for now, 5 refused."""
        return self.code // 100

    @property
    def words(self) -> bytes:
        """The text, of all lines together, as it came."""
        return b" ".join(self.lines).strip()

    @property
    def text(self) -> str:
        """The words, safe to show."""
        return one_line(text_of(self.words))

    @property
    def temporary(self) -> bool:
        """Whether trying later may help."""
        return self.kind == 4

    @property
    def meaning(self) -> str | None:
        """What a refusal with this code means, in words, where the protocol settles that."""
        return None

    def __str__(self) -> str:
        return one_line(f"{self.code} {text_of(self.words)}".rstrip(), 200)

    def without(self, secret: bytes) -> Self:
        """The same reply where it quotes `secret` hidden: servers repeat a command that they do not know."""
        return replace(self, lines=tuple(_hidden(line, secret) for line in self.lines))

    def checked(self, what: str, *codes: int, hint: str | None = None, sent: int | None = None) -> Self:
        """The reply itself, where its code is one of those that may follow `what`; one digit means all of that kind.

        Raises what `refusal` gives where it is another of 400 to 599, else what `astray` gives.
        """
        if self.code in codes or self.kind in codes:
            return self
        if self.kind in (4, 5):
            raise self.refusal(what, hint=hint, sent=sent)
        wanted = " or ".join(f"{code}xx" if code < 10 else str(code) for code in codes)
        raise self.astray(what, f"a reply {wanted}", sent=sent)

    def refusal(self, what: str, *, hint: str | None = None, sent: int | None = None) -> RemoteError | AuthRequired:
        """The error that this reply means, `what` having been refused; after so many octets of it had been `sent`."""
        refused = f"{self.meaning} ({what})" if self.meaning else f"the server refused {what}"
        return RemoteError(
            f"{refused}: {self}{_after(sent)}",
            status=self.code,
            text=self.text,
            temporary=self.temporary,
            step=what,
            hint=hint,
            sent=sent,
        )

    def astray(self, what: str, wanted: str, *, sent: int | None = None) -> ProtocolError:
        """The error of a reply that may not follow `what`; `sent` as above."""
        return ProtocolError(
            f"{wanted} was due in answer to {what}, but '{self}' came{_after(sent)}", where=what, sent=sent
        )


class Control:
    """The control connection: one command at a time, and its reply.

    `code_on` says which lines of a reply bear its code. A reply has at most 1000 lines and 64 KiB. `reader` is what is
    received with, for what comes behind a reply and is none.
    """

    __slots__ = ("_code_on", "_reply_type", "peer", "reader")

    def __init__(self, peer: Peer, *, code_on: CodeOn, reply_type: type[Reply] = Reply) -> None:
        self.peer = peer
        self.reader = Reader(peer)
        self._code_on = code_on
        self._reply_type = reply_type

    @property
    def unasked(self) -> bytes:
        """What was received, and nobody has asked for it."""
        return self.reader.pending

    def check_silence(self, what: str) -> None:
        """Raise ProtocolError where something was said that nobody has asked for, before `what` is sent."""
        if unasked := self.unasked:
            raise unexpected(unasked, what, f"silence before {what}")

    def line(self, due: str, *, phase: str = "response") -> Algorithm[bytes]:
        """The next line, of what is `due`. Raises Truncated or ConnectError where the connection was closed."""
        line = yield from self.reader.line(phase=phase)
        if line is None:
            closed = f"the server closed the connection where {due} was due"
            raise Truncated(closed) if self.reader.received else ConnectError(closed)
        return line

    def reply(
        self, what: str, *, within: float | None = None, phase: str = "response", secret: bytes = b""
    ) -> Algorithm[Reply]:
        """The next reply, to `what`. `within` bounds the wait for its first line. A `secret` in it is hidden.

        Raises ProtocolError for what is no reply, LimitExceeded, and what `line` raises.
        """
        waits = within is not None and b"\n" not in self.reader.pending
        if waits and (yield from self.reader.more(within=within, phase=phase)) is None:
            raise DeadlineExceeded(f"no reply to {what} came within {within:g} seconds", phase=phase)
        due = f"a reply to {what}"
        line = yield from self.line(due, phase=phase)
        first = _LINE.fullmatch(line)
        goes_on = first is not None and first[2] == b"-"
        if first is None or (goes_on and self._code_on == "only line"):
            raise unexpected(_hidden(line, secret), what, due)
        code, lines, octets = first[1], [first[3] or b""], len(line)
        while goes_on:
            line = yield from self.line(due, phase=phase)
            bears = line.startswith(code) and line[3:4] in (b"", b" ", b"-")
            if not bears and self._code_on == "every line":
                raise unexpected(_hidden(line, secret), what, due)
            goes_on = not bears or line[3:4] == b"-"
            lines.append(line[4:] if bears else line)
            octets += len(line)
            if len(lines) > MOST_LINES:
                raise _too_much(what, "lines", MOST_LINES)
            if octets > MOST_OCTETS:
                raise _too_much(what, "octets", MOST_OCTETS)
        reply = self._reply_type(int(code), tuple(lines))
        return reply.without(secret) if secret else reply

    def banner(self, *codes: int) -> Algorithm[Reply]:
        """What the server says first, where that has one of the `codes`. Raises as `Reply.checked`."""
        what = "the connection"
        return (yield from self.reply(what, phase="banner")).checked(what, *codes)

    def command(self, line: bytes, *, what: str = "", secret: bytes | None = None) -> Algorithm[Reply]:
        """Send a command, and read its reply. `what` is its name in errors, where that is not `line` itself.

        A `secret` is sent right behind `line`, and shown nowhere, whatever the server makes of it. Raises UnsafeURL for
        a control character, and ProtocolError where the server has said something before.
        """
        what = what or named(line if secret is None else line.rstrip(b" "))
        self.check_silence(what)
        octets = line + (secret or b"")
        if CONTROL_OCTET.search(octets):
            raise UnsafeURL(f"the argument of {what} holds a control character")
        yield from Send(self.peer, octets + b"\r\n", secret=secret or None)
        return (yield from self.reply(what, secret=secret or b""))

    def carry_out(self, line: bytes, *codes: int, what: str = "", hint: str | None = None) -> Algorithm[Reply]:
        """As `command`; raises as `Reply.checked` where the reply has none of the `codes`, without any: is not 2xx."""
        what = what or named(line)
        return (yield from self.command(line, what=what)).checked(what, *(codes or (2,)), hint=hint)

    def send(self, octets: bytes, what: str) -> Algorithm[None]:
        """Send `what` the server asked for by a reply 3xx, or the next part of it."""
        self.check_silence(what)
        yield from Send(self.peer, octets)

    def protect(self, host: str) -> Algorithm[None]:
        """Go over to TLS with `host`: what was received before counts for nothing, and there may not be any of it."""
        self.check_silence("TLS")
        yield from StartTLS(self.peer, host)
        self.reader = Reader(self.peer)

    def quit(self) -> Algorithm[None]:
        """Take leave. All that was asked for has come and been confirmed: what goes wrong now spoils nothing."""
        try:
            yield from Send(self.peer, b"QUIT\r\n")
            yield from self.reader.more(within=FAREWELL, phase="farewell")
        except AccessError:
            return


def named(line: bytes) -> str:
    """A command as an error names it, safe to show."""
    verb, blank, argument = text_of(line).partition(" ")
    if blank:
        argument = f" {one_line(argument, 60)}" if argument else " with an empty argument"
    return one_line(verb, 60) + argument


def stuffed(lines: bytes) -> bytes:
    """`lines`, each ended by CR LF, as they are sent where a single dot ends them: a dot that begins one is doubled."""
    return (b"\r\n" + lines).replace(b"\r\n.", b"\r\n..")[2:]


def _hidden(octets: bytes, secret: bytes) -> bytes:
    return octets.replace(secret, b"***") if secret else octets


def _after(sent: int | None) -> str:
    return "" if sent is None else f"; {partly(sent)}"


def _too_much(what: str, unit: str, most: int) -> LimitExceeded:
    return LimitExceeded(f"the reply to {what} has more than {most} {unit}", limit="reply", value=most)
