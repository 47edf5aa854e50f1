"""The function `send`: submit a message from Python after the user has confirmed it."""

from __future__ import annotations

from time import monotonic
from types import NoneType
from typing import TYPE_CHECKING, Literal, cast

import urlschemes_access
from urlschemes import Registry, default_registry
from urlschemes.errors import UnsupportedOperation, require_type
from urlschemes_access.errors import DeadlineExceeded, PolicyDenied
from urlschemes_mailto.message import message_octets, submission_of
from urlschemes_mailto.url_types import MailURL

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from email.message import EmailMessage

    from urlschemes import URL
    from urlschemes_access import Policy
    from urlschemes_access.credentials import Credentials
    from urlschemes_access.protocol import Authenticator
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
    login: bool = True,
    allow_cleartext: bool = False,
    policy: Policy | None = None,
    deadline: float | None = None,
    credentials: Credentials | Authenticator | None = None,
    trace: Tracer | None = None,
    ssl_context: ssl.SSLContext | None = None,
    registry: Registry | None = None,
) -> Delivery:
    """Submit the message to its recipients through `relay`, written `host` or `host:port` (default port: 587).

    A message has one recipient by RFC 1738, and several with a `registry` of another profile, such as
    `Registry(profile="rfc3986")`; they are in To and Cc. If the relay refuses some of them, the message is sent to the
    others, and the `refused` of the Delivery names them.

    `confirm` gets the Submission, envelope and octets, and returns True to send it; `confirm=True` means that the user
    has confirmed it already. `sender` is the address for delivery failures, and the From of a message without one.
    `starttls` is `"if offered"`, `"required"` or `"never"`. `credentials` are a login, or a function that is asked for
    one. It is sent over TLS, and without TLS only if `allow_cleartext` is true; with `login=False` the message is sent
    without a login. The other arguments are those of `urlschemes_access.operate`; composing the message counts for the
    deadline.

    Raise UnsafeURL, UnsupportedOperation and PolicyDenied before the relay is resolved; PolicyDenied for a login that
    would be sent without TLS; RemoteError with the refused step; AuthRequired, TLSError and other AccessErrors.
    Indeterminate means that the relay may have accepted the message. Nothing is ever sent again automatically.
    """
    began = monotonic()
    require_type("registry", registry, Registry, NoneType)
    submission = submission_of(message_octets(message, sender), relay=relay, sender=sender)
    url = _url_of(submission, default_registry if registry is None else registry)
    deadline = _remaining(deadline, began)
    if callable(confirm) and confirm(submission) is not True:
        raise PolicyDenied("the message was not confirmed; nothing was sent", scheme="mailto", rule="confirm")
    delivery = urlschemes_access.operate(
        "send",
        url,
        options={
            "message": submission.message,
            "relay": submission.relay,
            "sender": submission.sender,
            "confirm": confirm is True or callable(confirm),
            "starttls": starttls,
            "login": login,
            "allow_cleartext": allow_cleartext,
        },
        policy=policy,
        deadline=deadline,
        credentials=credentials,
        trace=trace,
        ssl_context=ssl_context,
        registry=registry,
    )
    return cast("Delivery", delivery)


def _url_of(submission: Submission, registry: Registry) -> URL:
    """Return the URL that names the recipients. Raise UnsupportedOperation for more than the profile allows."""
    kind = registry["mailto"].url_type
    if not issubclass(kind, MailURL):
        raise UnsupportedOperation(f"the registry has another type of mailto URLs: {kind.__name__}", scheme="mailto")
    return kind.for_recipients(submission.recipients).normalized()


def _remaining(deadline: float | None, began: float) -> float | None:
    """Return the seconds that are left of `deadline` after composing since `began`. Raise DeadlineExceeded if none."""
    if deadline is None or deadline <= 0:
        return deadline
    left = deadline - (monotonic() - began)
    if left <= 0:
        raise DeadlineExceeded(
            f"composing the message took longer than {deadline:g} seconds; nothing was sent", phase="compose"
        )
    return left
