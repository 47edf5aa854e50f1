"""Submission by SMTP (RFC 5321, RFC 6409), with STARTTLS (RFC 3207) and AUTH (RFC 4954).

    220 ready           EHLO, STARTTLS, EHLO            the extensions of the relay
    235                 AUTH                            the login, if the caller has one and the relay has logins
    250                 MAIL FROM, RCPT TO              the envelope: one sender, and each recipient
    354                 DATA, the message, a dot        only the 250 after the dot means that the relay accepted it
                        QUIT

Nothing is sent twice. The first refusal ends the dialogue, unless the relay accepts another recipient. A message
without its dot is discarded by the relay, so until then every failure is an ordinary one. If the connection is lost
between the dot and its reply, it is unknown whether the relay accepted the message: Indeterminate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import UnsupportedOperation
from urlschemes.redaction import one_line
from urlschemes_access.errors import AuthRequired, PolicyDenied, RemoteError
from urlschemes_access.protocol import Algorithm, Connect, Open, replies
from urlschemes_access.protocol.replies import Control
from urlschemes_mailto.connection import Reply, greet, log_in
from urlschemes_mailto.envelope import Delivery, RecipientOutcome
from urlschemes_mailto.header_fields import recipients_of
from urlschemes_mailto.message import relay_address, submission_of

if TYPE_CHECKING:
    from urlschemes_mailto.connection import Extensions
    from urlschemes_mailto.envelope import Submission
    from urlschemes_mailto.url_types import MailURL

__all__ = ["send"]

ACCEPTANCE_TIMEOUT = 600.0
"""Seconds to wait for the reply to the final dot, within the deadline (RFC 5321 section 4.5.3.2.6)."""


def send(
    url: MailURL,
    *,
    message: bytes = b"",
    relay: str = "",
    sender: str | None = None,
    confirm: bool = False,
    starttls: str = "if offered",
    login: bool = True,
    allow_cleartext: bool = False,
) -> Algorithm[None]:
    """Submit `message`, header and body, to the recipients of `url` through `relay`, written `host` or `host:port`.

    `sender` is the address for delivery failures; by default that of the header. `confirm` must be True: the user has
    seen the envelope and the message. `starttls` is `"if offered"`, `"required"` or `"never"`. If the caller has
    credentials, they are sent over TLS if the relay has logins, and without TLS only if `allow_cleartext` is true. They
    are not asked for, and the message is sent without a login, if `login` is false.

    Raise UnsafeURL, UnsupportedOperation and PolicyDenied before connecting; PolicyDenied for credentials that would be
    sent without TLS; RemoteError with the refused step, AuthRequired, TLSError, ProtocolError, LimitExceeded;
    Indeterminate if the connection is lost after the dot.
    """
    submission = submission_of(message, relay=relay, sender=sender)
    _check(url, submission, confirm=confirm, starttls=starttls)
    host, port = relay_address(submission.relay)
    control = Control((yield from Connect(host, port, label="relay")), code_on="every line", reply_type=Reply)
    try:
        extensions = yield from greet(control, host, port, starttls)
        if login:
            yield from log_in(control, host, port, extensions, allow_cleartext=allow_cleartext)
        delivery = yield from _transact(control, submission, extensions)
    except (RemoteError, AuthRequired, PolicyDenied) as refusal:
        if getattr(refusal, "status", None) != 421:  # with 421 the relay itself closes the connection
            yield from control.quit()
        raise
    yield from Open("attributes", delivery)
    yield from control.quit()


def _check(url: MailURL, submission: Submission, *, confirm: bool, starttls: str) -> None:
    expected = [address for addresses in recipients_of(url) for address in addresses]
    if set(submission.recipients) != set(expected):
        given, wanted = (one_line(", ".join(each), 100) for each in (submission.recipients, expected))
        raise UnsupportedOperation(
            f"the message is to {given}: expected {wanted or 'nobody'}, as the URL names", part="recipient"
        )
    if starttls not in ("if offered", "required", "never"):
        raise UnsupportedOperation(
            f"invalid starttls '{one_line(str(starttls), 40)}': expected 'if offered', 'required' or 'never'",
            part="starttls",
        )
    if confirm is not True:
        raise PolicyDenied(
            "the message has not been confirmed",
            rule="confirm",
            hint="show the envelope and the whole message to the user, then pass confirm=True",
        )


def _transact(control: Control, submission: Submission, extensions: Extensions) -> Algorithm[Delivery]:
    """Carry out one mail transaction (RFC 5321 section 3.3)."""
    parameters = _mail_parameters(submission, extensions)
    sender = f"MAIL FROM:<{submission.sender}>{parameters}".encode()
    yield from control.carry_out(sender, what="MAIL FROM")
    answers: dict[str, replies.Reply] = {}
    for recipient in submission.recipients:
        answers[recipient] = yield from _name_recipient(control, recipient)
    if not any(answer.kind == 2 for answer in answers.values()):
        raise answers[submission.recipients[0]].refusal("RCPT TO")
    yield from control.carry_out(b"DATA", 354)
    hint = "it is not sent again automatically: it could arrive twice"
    text = submission.message
    reply = yield from control.send_text(text, "the message", 2, hint=hint, within=ACCEPTANCE_TIMEOUT)
    last = ((recipient, reply if answer.kind == 2 else answer) for recipient, answer in answers.items())
    return Delivery(
        size=len(submission.message),
        sender=submission.sender,
        relay=submission.relay,
        outcomes=tuple(RecipientOutcome(recipient, each.code, each.text) for recipient, each in last),
        fields={"RCPT TO": "; ".join(str(answer) for answer in answers.values()), "the message": str(reply)},
    )


def _name_recipient(control: Control, recipient: str) -> Algorithm[replies.Reply]:
    """Return the reply that accepts or refuses this recipient. Raise the error of one that refuses them all."""
    reply = yield from control.command(f"RCPT TO:<{recipient}>".encode(), what="RCPT TO")
    if reply.code in (421, 503, 530) or reply.kind not in (2, 4, 5):
        reply.checked("RCPT TO", 2)
    return reply


def _mail_parameters(submission: Submission, extensions: Extensions) -> str:
    """Return the parameters of MAIL FROM: the size (RFC 1870), 8-bit octets (RFC 6152), and UTF-8 (RFC 6531).

    Raise RemoteError if the relay does not offer to accept such a message.
    """
    message = submission.message
    if extensions.max_size is not None and len(message) > extensions.max_size:
        raise RemoteError(
            f"the message has {len(message)} octets: the relay accepts at most {extensions.max_size} octets",
            step="EHLO",
        )
    parameters = f" SIZE={len(message)}" if "SIZE" in extensions else ""
    if submission.is_international:
        if "SMTPUTF8" not in extensions:
            raise RemoteError(
                "an address or the header of the message is not US-ASCII, and the relay does not offer SMTPUTF8",
                step="EHLO",
                hint="use an address in US-ASCII, or a relay that offers SMTPUTF8",
            )
        parameters += " SMTPUTF8"
    if message.isascii():
        return parameters
    if "8BITMIME" not in extensions:
        raise RemoteError(
            "the message contains 8-bit octets, and the relay does not offer 8BITMIME",
            step="EHLO",
            hint="messages made by compose contain none",
        )
    return f"{parameters} BODY=8BITMIME"
