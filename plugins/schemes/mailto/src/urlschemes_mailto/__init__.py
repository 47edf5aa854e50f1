r"""The mailto scheme (RFC 1738 section 3.5): `mailto:<rfc822-addr-spec>`.

A URL designates an address. `compose` makes a message to it, and `send` submits one by SMTP:

    message = compose("mailto:joe@host.dom", subject="Locators", body="As you say.", sender="ann@host.dom")
    send(message, relay="relay.host.dom", confirm=lambda submission: input(f"{submission}\nSend it? ") == "yes")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import Scheme
from urlschemes_mailto.url_types import MailtoURL, MailURL, registration

if TYPE_CHECKING:
    from urlschemes_mailto.client import send
    from urlschemes_mailto.envelope import Delivery, RecipientOutcome, Submission
    from urlschemes_mailto.header_fields import unused_fields
    from urlschemes_mailto.message import compose

__all__ = [
    "Delivery",
    "MailURL",
    "MailtoURL",
    "RecipientOutcome",
    "Submission",
    "compose",
    "registration",
    "scheme",
    "send",
    "unused_fields",
]

scheme = Scheme(registration, MailtoURL, access="urlschemes_mailto.access")


def __getattr__(name: str) -> object:
    # Late: parsing a URL does not need them.
    match name:
        case "Delivery" | "RecipientOutcome" | "Submission":
            from urlschemes_mailto import envelope

            value: object = getattr(envelope, name)
        case "compose":
            from urlschemes_mailto.message import compose as value
        case "send":
            from urlschemes_mailto.client import send as value
        case "unused_fields":
            from urlschemes_mailto.header_fields import unused_fields as value
        case _:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value
