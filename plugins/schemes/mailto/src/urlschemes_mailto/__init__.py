r"""The mailto scheme (RFC 1738 section 3.5): `mailto:<rfc822-addr-spec>`.

A URL designates an address. `compose` makes a message to it, and `send` submits one by SMTP:

    message = compose("mailto:joe@host.dom", subject="Locators", body="As you say.", sender="ann@host.dom")
    send(message, relay="relay.host.dom", confirm=lambda submission: input(f"{submission}\nSend it? ") == "yes")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import URL, Registration, Scheme, text_part

if TYPE_CHECKING:
    from urlschemes_mailto.client import send
    from urlschemes_mailto.envelope import Delivery, RecipientOutcome, Submission
    from urlschemes_mailto.message import compose

__all__ = ["Delivery", "MailtoURL", "RecipientOutcome", "Submission", "compose", "registration", "scheme", "send"]

# Imported when first used: parsing a URL does not need them.
_MODULES = {
    "Delivery": "envelope",
    "RecipientOutcome": "envelope",
    "Submission": "envelope",
    "compose": "message",
    "send": "client",
}

registration = Registration.of(__name__)


class MailtoURL(URL, registration=registration):
    """A URL that designates the mail address of a person or a service; there is no data object behind it.

    The address is an addr-spec of RFC 822. Nothing is reserved in it: an escape means what its character means. The
    constructor takes the address whole, or its local part and its domain. Quotation marks are not added: `"Joe Public"`
    needs its own.
    """

    address: str = text_part(default=None, doc="The address, decoded: `local_part@domain`.")
    local_part: str = text_part(
        default=None, doc="The text before the `@`, decoded, with its quotation marks (RFC 822 section 6.2.4)."
    )
    domain: str = text_part(
        default=None, doc="The text after the `@`, decoded, in its own letter case: a name, or a literal in brackets."
    )


scheme = Scheme(registration, MailtoURL, access="urlschemes_mailto.access")


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
