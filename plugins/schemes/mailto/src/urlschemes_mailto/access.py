"""Submission by SMTP (RFC 5321, RFC 6409), with STARTTLS (RFC 3207) and AUTH (RFC 4954).

    220 ready           EHLO, STARTTLS, EHLO            who is there, and what it can do
    235                 AUTH                            who submits, where it wants to know
    250                 MAIL FROM, RCPT TO              the envelope: one sender, one recipient
    354                 DATA, the message, a dot        only the 250 behind the dot says that it was taken
                        QUIT

Nothing is sent twice, and a refusal ends it. A connection lost between the dot and its reply leaves open whether the
message was taken, which is an error of its own: Indeterminate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import UnsupportedOperation
from urlschemes_access.errors import AccessError, AuthRequired, Indeterminate, PolicyDenied, RemoteError, TLSError
from urlschemes_access.protocol import Algorithm, Connect, Open
from urlschemes_access.protocol.replies import END, Control, dot_stuffed
from urlschemes_mailto.extensions import Extensions
from urlschemes_mailto.login import log_in
from urlschemes_mailto.mailbox import mailbox_of
from urlschemes_mailto.message import relay_at, submission_of
from urlschemes_mailto.replies import Reply
from urlschemes_mailto.submission import Delivery, RecipientOutcome

if TYPE_CHECKING:
    from urlschemes_mailto import MailtoURL
    from urlschemes_mailto.submission import Submission

__all__ = ["send"]

NOBODY = b"[127.0.0.1]"
"""Who says EHLO: the same for everybody. A name or an address would tell of this machine."""
SUBMISSIONS = 465
"""The port where TLS begins at once (RFC 8314 section 3.3)."""
ACCEPTANCE = 600.0
"""Seconds that the reply to the dot may take, if the deadline lets it (RFC 5321 section 4.5.3.2.6)."""

_NO_EHLO = (500, 501, 502, 504)


def send(
    url: MailtoURL,
    *,
    message: bytes = b"",
    relay: str = "",
    sender: str | None = None,
    confirm: bool = False,
    starttls: str = "if offered",
    allow_cleartext: bool = False,
) -> Algorithm[None]:
    """Submit `message`, header and body, to the address of `url` through `relay`, written `host` or `host:port`.

    `sender` is the address for failures; without it the header names it. `confirm` says that the envelope and the
    message have been shown to whoever answers for them. `starttls` is `"if offered"`, `"required"` or `"never"`. A
    login is asked for where the relay has logins, over TLS alone unless `allow_cleartext`.

    Raises UnsafeURL, UnsupportedOperation and PolicyDenied before it connects; RemoteError with the step that was
    refused, AuthRequired, TLSError, ProtocolError, LimitExceeded; Indeterminate where it was lost behind the dot.
    """
    submission = submission_of(message, relay=relay, sender=sender)
    if submission.recipient != mailbox_of(url):
        raise UnsupportedOperation(
            f"the URL names {mailbox_of(url)}, and the message is to {submission.recipient}", part="recipient"
        )
    if starttls not in ("if offered", "required", "never"):
        raise UnsupportedOperation("starttls is 'if offered', 'required' or 'never'", part="starttls")
    if confirm is not True:
        raise PolicyDenied(
            "a message is sent only when its envelope and all of it have been shown",
            rule="confirm",
            hint="show them, and pass confirm=True",
        )
    host, port = relay_at(submission.relay)
    control = Control((yield from Connect(host, port, label="relay")), code_on="every line", reply_type=Reply)
    try:
        extensions = yield from _greet(control, host, port, starttls)
        yield from log_in(control, host, port, extensions, allow_cleartext=allow_cleartext)
        delivery = yield from _transact(control, submission, extensions)
    except (RemoteError, AuthRequired) as refusal:
        if getattr(refusal, "status", None) != 421:  # with it the relay itself takes leave
            yield from control.quit()
        raise
    yield from Open("attributes", delivery)
    yield from control.quit()


# Who is there ---------------------------------------------------------------------------------------------------------


def _greet(control: Control, host: str, port: int, starttls: str) -> Algorithm[Extensions]:
    """What the relay can do, as it says it over TLS where that is to be."""
    if port == SUBMISSIONS:
        yield from control.protect(host)
    yield from control.banner(220)
    extensions = yield from _hello(control)
    if control.peer.secure or starttls == "never":
        return extensions
    if "STARTTLS" in extensions:
        yield from control.carry_out(b"STARTTLS")
        yield from control.protect(host)
        return (yield from _hello(control))
    if starttls == "required":
        raise TLSError(f"{host} does not offer TLS, which is required; nothing was sent")
    return extensions


def _hello(control: Control) -> Algorithm[Extensions]:
    """EHLO; HELO, and no extensions, where the relay is older than that."""
    reply = yield from control.command(b"EHLO " + NOBODY, what="EHLO")
    if reply.code in _NO_EHLO:
        yield from control.carry_out(b"HELO " + NOBODY, what="HELO")
        return Extensions()
    return Extensions.of(reply.checked("EHLO", 2))


# The envelope, and the message ----------------------------------------------------------------------------------------


def _transact(control: Control, submission: Submission, extensions: Extensions) -> Algorithm[Delivery]:
    """One mail transaction (RFC 5321 section 3.3)."""
    parameters = _parameters(submission.message, extensions)
    sender = f"MAIL FROM:<{submission.sender}>{parameters}".encode("ascii")
    yield from control.carry_out(sender, what="MAIL FROM")
    recipient = yield from control.carry_out(f"RCPT TO:<{submission.recipient}>".encode("ascii"), what="RCPT TO")
    yield from control.carry_out(b"DATA", 354)
    yield from control.send(dot_stuffed(submission.message), "the message")
    try:
        yield from control.send(END, "the message")
        reply = yield from control.reply("the message", within=ACCEPTANCE, phase="acceptance")
    except AccessError as error:
        raise Indeterminate(
            f"the message was sent, and whether {submission.relay} took it is not known: {error.message}",
            hint="it is not sent again by itself: it might arrive twice",
        ) from error
    if reply.kind in (4, 5):
        raise reply.refusal("the message")
    if reply.kind != 2:
        raise Indeterminate(f"the message was sent, and '{reply}' says neither that it was taken nor that it was not")
    return Delivery(
        size=len(submission.message),
        sender=submission.sender,
        relay=submission.relay,
        outcomes=(RecipientOutcome(submission.recipient, reply.code, reply.text),),
        fields={"RCPT TO": str(recipient), "the message": str(reply)},
    )


def _parameters(message: bytes, extensions: Extensions) -> str:
    """What MAIL FROM says of the message: its size (RFC 1870), and that it has octets of 8 bits (RFC 6152).

    Raises RemoteError where the relay has said that it does not take such a message.
    """
    if extensions.size is not None and len(message) > extensions.size:
        raise RemoteError(
            f"the relay takes messages of {extensions.size} octets at most, and this one has {len(message)}",
            step="EHLO",
        )
    parameters = f" SIZE={len(message)}" if "SIZE" in extensions else ""
    if message.isascii():
        return parameters
    if "8BITMIME" not in extensions:
        raise RemoteError(
            "the message has octets of 8 bits, which the relay does not take",
            step="EHLO",
            hint="what compose makes has none",
        )
    return f"{parameters} BODY=8BITMIME"
