r"""Commands answered by three-digit replies, as in FTP, NNTP and SMTP.

    control = Control((yield from Connect(url.host, url.port)), code_on="every line")
    yield from control.banner(220)
    yield from control.carry_out(b"HELP")               # 2xx, or an error
    yield from control.carry_out(b"DATA", 354)          # 354, or an error
    yield from control.send_text(text, "the text", 250, hint="it may have been stored")
    yield from control.quit()

The form of replies is that of RFC 959 section 4.2. Later protocols adopted it, but differ in how several lines make one
reply. A protocol with rules of its own derives its types from these.
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
    Indeterminate,
    LimitExceeded,
    ProtocolError,
    RemoteError,
    Truncated,
)
from urlschemes_access.protocol.reader import Reader, sent_so_far, unexpected
from urlschemes_access.protocol.requests import Algorithm, Peer, Send, StartTLS

__all__ = ["CONTROL_OCTET", "END", "CodeOn", "Control", "Reply", "command_name", "dot_stuffed"]

CodeOn: TypeAlias = Literal["only line", "every line", "first and last"]
"""The lines of a reply that carry its code.

"only line": a reply has one line (RFC 3977 section 3.2). "every line": all lines carry it, followed by a hyphen in all
but the last (RFC 5321 section 4.2.1). "first and last": the first with a hyphen, and the last; the lines between are
free text (RFC 959 section 4.2)."""

MOST_LINES = 1000
MOST_OCTETS = 64 * 1024
FAREWELL = 1.0
"""Seconds to wait for the reply to QUIT. Nothing depends on it."""

CONTROL_OCTET = re.compile(rb"[\x00-\x1f\x7f]")
"""An octet that no command can carry."""
END = b".\r\n"
"""The line that ends a text of any length."""

_LINE = re.compile(rb"([1-5][0-9][0-9])(?:([ -])(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply: its code, and its lines without the code."""

    code: int
    lines: tuple[bytes, ...]

    @property
    def kind(self) -> int:
        """The first digit: 1 preliminary, 2 done, 3 continue, 4 refused temporarily, 5 refused."""
        return self.code // 100

    @property
    def words(self) -> bytes:
        """The text of all lines, as received."""
        return b" ".join(self.lines).strip()

    @property
    def text(self) -> str:
        """The text of all lines, safe to print."""
        return one_line(text_of(self.words))

    @property
    def temporary(self) -> bool:
        """True if trying again later may help."""
        return self.kind == 4

    @property
    def meaning(self) -> str | None:
        """The meaning of a refusal with this code, if the protocol defines one."""
        return None

    def __str__(self) -> str:
        return one_line(f"{self.code} {text_of(self.words)}".rstrip(), 200)

    def without(self, secret: bytes) -> Self:
        """Return the reply with `secret` hidden: servers repeat commands that they do not know."""
        return replace(self, lines=tuple(_hidden(line, secret) for line in self.lines))

    def checked(self, what: str, *codes: int, hint: str | None = None, sent: int | None = None) -> Self:
        """Return this reply if its code is one of `codes`; a single digit stands for all codes that begin with it.

        Otherwise raises the error of `refusal` for a code from 400 to 599, that of `unexpected` for any other.
        """
        if self.code in codes or self.kind in codes:
            return self
        if self.kind in (4, 5):
            raise self.refusal(what, hint=hint, sent=sent)
        expected = " or ".join(f"{code}xx" if code < 10 else str(code) for code in codes)
        raise self.unexpected(what, f"a reply {expected}", sent=sent)

    def refusal(self, what: str, *, hint: str | None = None, sent: int | None = None) -> RemoteError | AuthRequired:
        """Return the error for a refusal of `what`, after `sent` octets of content."""
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

    def unexpected(self, what: str, expected: str, *, sent: int | None = None) -> ProtocolError:
        """Return the error for a reply that may not follow `what`, after `sent` octets of content."""
        return ProtocolError(
            f"expected {expected} in answer to {what}, got '{self}'{_after(sent)}", where=what, sent=sent
        )


class Control:
    """A control connection: one command at a time, and its reply.

    `code_on` names the lines of a reply that carry its code. A reply has at most 1000 lines and 64 KiB. `reader` reads
    what follows a reply but is not a reply.
    """

    def __init__(self, peer: Peer, *, code_on: CodeOn, reply_type: type[Reply] = Reply) -> None:
        self.peer = peer
        self.reader = Reader(peer)
        self._code_on = code_on
        self._reply_type = reply_type

    @property
    def pending(self) -> bytes:
        """The octets received but not yet read."""
        return self.reader.pending

    def check_nothing_pending(self, what: str) -> None:
        """Raise ProtocolError if the server sent something unasked before `what` is sent."""
        if pending := self.pending:
            raise unexpected(pending, what, f"nothing before {what}")

    def line(self, expected: str, *, phase: str = "response") -> Algorithm[bytes]:
        """Return the next line, of what is `expected`. Raises Truncated or ConnectError if the server closed."""
        line = yield from self.reader.line(phase=phase)
        if line is None:
            closed = f"the server closed the connection instead of sending {expected}"
            raise Truncated(closed) if self.reader.received else ConnectError(closed)
        return line

    def reply(
        self, what: str, *, within: float | None = None, phase: str = "response", secret: bytes = b""
    ) -> Algorithm[Reply]:
        """Return the next reply, to `what`. `within` bounds the wait for its first line. A `secret` in it is hidden.

        Raises ProtocolError if the line is not a reply, LimitExceeded, and the errors of `line`.
        """
        waits = within is not None and b"\n" not in self.reader.pending
        if waits and (yield from self.reader.more(within=within, phase=phase)) is None:
            raise DeadlineExceeded(f"no reply to {what} within {within:g} seconds", phase=phase)
        expected = f"a reply to {what}"
        line = yield from self.line(expected, phase=phase)
        first = _LINE.fullmatch(line)
        continues = first is not None and first[2] == b"-"
        if first is None or (continues and self._code_on == "only line"):
            raise unexpected(_hidden(line, secret), what, expected)
        code, lines, octets = first[1], [first[3] or b""], len(line)
        while continues:
            line = yield from self.line(expected, phase=phase)
            has_code = line.startswith(code) and line[3:4] in (b"", b" ", b"-")
            if not has_code and self._code_on == "every line":
                raise unexpected(_hidden(line, secret), what, expected)
            continues = not has_code or line[3:4] == b"-"
            lines.append(line[4:] if has_code else line)
            octets += len(line)
            if len(lines) > MOST_LINES:
                raise _too_much(what, "lines", MOST_LINES)
            if octets > MOST_OCTETS:
                raise _too_much(what, "octets", MOST_OCTETS)
        reply = self._reply_type(int(code), tuple(lines))
        return reply.without(secret) if secret else reply

    def banner(self, *codes: int) -> Algorithm[Reply]:
        """Return the server's first reply if it has one of `codes`. Raises as `Reply.checked`."""
        what = "the connection"
        return (yield from self.reply(what, phase="banner")).checked(what, *codes)

    def command(self, line: bytes, *, what: str = "", secret: bytes | None = None) -> Algorithm[Reply]:
        """Send a command and return its reply. `what` names the command in errors; the default is `line` itself.

        A `secret` is sent right after `line` and never shown, even if the server repeats it. Raises UnsafeURL for a
        control character, ProtocolError if the server sent something unasked before.
        """
        what = what or command_name(line if secret is None else line.rstrip(b" "))
        self.check_nothing_pending(what)
        octets = line + (secret or b"")
        if CONTROL_OCTET.search(octets):
            raise UnsafeURL(f"the argument of {what} contains a control character")
        yield from Send(self.peer, octets + b"\r\n", secret=secret or None)
        return (yield from self.reply(what, secret=secret or b""))

    def carry_out(self, line: bytes, *codes: int, what: str = "", hint: str | None = None) -> Algorithm[Reply]:
        """Like `command`, for a reply with one of `codes` (default: 2xx). Raises as `Reply.checked`."""
        what = what or command_name(line)
        return (yield from self.command(line, what=what)).checked(what, *(codes or (2,)), hint=hint)

    def send(self, octets: bytes, what: str) -> Algorithm[None]:
        """Send the content that the server asked for by a reply 3xx, or a part of it; `what` names it in errors."""
        self.check_nothing_pending(what)
        yield from Send(self.peer, octets)

    def send_text(
        self, lines: bytes, what: str, *codes: int, hint: str, within: float | None = None
    ) -> Algorithm[Reply]:
        """Send a text, ended by a line with a single dot, and return the reply if it has one of `codes`.

        The server asked for the text by a reply 3xx. Each of the `lines` ends with CR LF. The dot is sent separately:
        if anything fails before it, the server discards the text. `within` bounds the wait for the reply. Raises the
        error of a refusal; Indeterminate, with `hint`, if the dot was sent and no reply with one of `codes` comes.
        """
        yield from self.send(dot_stuffed(lines), what)
        dot_sent = False
        try:
            yield from self.send(END, what)
            dot_sent = True
            reply = yield from self.reply(what, within=within, phase="confirmation")
            if reply.kind not in (4, 5):
                return reply.checked(what, *codes)
        except AccessError as error:
            if not dot_sent and not error.accepted:
                raise
            problem = f"{what} was sent, and it is not known whether the server accepted it: {error.message}"
            raise Indeterminate(problem, hint=hint) from error
        raise reply.refusal(what)

    def protect(self, host: str) -> Algorithm[None]:
        """Switch to TLS with `host`. Raises ProtocolError if the server sent something before TLS."""
        self.check_nothing_pending("TLS")
        yield from StartTLS(self.peer, host)
        self.reader = Reader(self.peer)

    def quit(self) -> Algorithm[None]:
        """Send QUIT and wait for its reply. The operation is complete, so errors are ignored."""
        try:
            yield from Send(self.peer, b"QUIT\r\n")
            yield from self.reader.more(within=FAREWELL, phase="farewell")
        except AccessError:
            return


def command_name(line: bytes) -> str:
    """Return a command as errors name it, safe to print."""
    verb, blank, argument = text_of(line).partition(" ")
    if blank:
        argument = f" {one_line(argument, 60)}" if argument else " with an empty argument"
    return one_line(verb, 60) + argument


def dot_stuffed(lines: bytes) -> bytes:
    """Return `lines`, each ended by CR LF, with a dot at the beginning of a line doubled.

    So they can be sent where a line with a single dot ends the text.
    """
    return (b"\r\n" + lines).replace(b"\r\n.", b"\r\n..")[2:]


def _hidden(octets: bytes, secret: bytes) -> bytes:
    return octets.replace(secret, b"***") if secret else octets


def _after(sent: int | None) -> str:
    return "" if sent is None else f"; {sent_so_far(sent)}"


def _too_much(what: str, unit: str, most: int) -> LimitExceeded:
    return LimitExceeded(f"the reply to {what} has more than {most} {unit}", limit="reply", value=most)
