"""The function `send`: submit a message from Python after the user has confirmed it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

import urlschemes_access
from urlschemes_access.errors import PolicyDenied
from urlschemes_mailto import MailtoURL
from urlschemes_mailto.message import message_octets, submission_of

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from email.message import EmailMessage

    from urlschemes_access import Policy
    from urlschemes_access.credentials import Authenticator
    from urlschemes_access.trace_event import Tracer
    from urlschemes_mailto.envelope import Delivery, Submission

__all__ = ["send"]


def send(
    message: EmailMessage,
    *,
    relay: str,
    confirm: Callable[[Submission], bool] | Literal[True] | None = None,
    sender: str | None = None,
    starttls: Literal["if offered", "required", "never"] = "if offered",
    allow_cleartext: bool = False,
    policy: Policy | None = None,
    deadline: float | None = None,
    credentials: Authenticator | None = None,
    trace: Tracer | None = None,
    ssl_context: ssl.SSLContext | None = None,
) -> Delivery:
    """Submit the message to its one recipient through `relay`, written `host` or `host:port` (default port: 587).

    `confirm` gets the Submission, envelope and octets, and returns True to send it; `confirm=True` means that the user
    has confirmed it already. `sender` is the address for delivery failures, and the From of a message without one.
    `starttls` is `"if offered"`, `"required"` or `"never"`. `credentials` is asked for a login if the relay has logins;
    it is sent over TLS, and without TLS only if `allow_cleartext` is true. The other arguments are those of
    `urlschemes_access.operate`.

    Raise UnsafeURL, UnsupportedOperation and PolicyDenied before the relay is resolved; RemoteError with the refused
    step; AuthRequired, TLSError and other AccessErrors. Indeterminate means that the relay may have accepted the
    message. Nothing is ever sent again automatically.
    """
    octets = message_octets(message, sender)
    submission = submission_of(octets, relay=relay, sender=sender)
    if callable(confirm) and confirm(submission) is not True:
        raise PolicyDenied("the message was not confirmed; nothing was sent", scheme="mailto", rule="confirm")
    delivery = urlschemes_access.operate(
        "send",
        MailtoURL(address=submission.recipient).normalized(),
        options={
            "message": submission.message,
            "relay": submission.relay,
            "sender": submission.sender,
            "confirm": confirm is True or callable(confirm),
            "starttls": starttls,
            "allow_cleartext": allow_cleartext,
        },
        policy=policy,
        deadline=deadline,
        credentials=credentials,
        trace=trace,
        ssl_context=ssl_context,
    )
    return cast("Delivery", delivery)
