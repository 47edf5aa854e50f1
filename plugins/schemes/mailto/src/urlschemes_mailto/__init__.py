r"""The mailto scheme (RFC 1738 section 3.5): `mailto:<rfc822-addr-spec>`.

A URL designates an address. `compose` makes a message to it, and `send` submits one by SMTP:

    message = compose("mailto:joe@host.dom", subject="Locators", body="As you say.", sender="ann@host.dom")
    send(message, relay="relay.host.dom", confirm=lambda submission: input(f"{submission}\nSend it? ") == "yes")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import UNCHANGED, URL, Encoded, Registration, Scheme, Unchanged

if TYPE_CHECKING:
    from typing import Self

    from urlschemes_mailto.message import compose
    from urlschemes_mailto.sending import send
    from urlschemes_mailto.submission import Delivery, RecipientOutcome, Submission

__all__ = ["Delivery", "MailtoURL", "RecipientOutcome", "Submission", "compose", "registration", "scheme", "send"]

# Imported when they are first used: a URL is parsed without them.
_ROOMS = {
    "Delivery": "submission",
    "RecipientOutcome": "submission",
    "Submission": "submission",
    "compose": "message",
    "send": "sending",
}

registration = Registration.of(__name__)


class MailtoURL(URL, registration=registration):
    """A URL that designates the mail address of a person or a service; there is no data object behind it.

    The address is an addr-spec of RFC 822, and nothing is reserved in it: an escape means what its character means.
    """

    __slots__ = ()

    @property
    def address(self) -> str:
        """The address, decoded: `local_part@domain`."""
        return self._text("address") or ""

    @property
    def local_part(self) -> str:
        """What stands before the `@`, decoded, with its quotation marks where it has any (RFC 822 section 6.2.4)."""
        return self._text("local_part") or ""

    @property
    def domain(self) -> str:
        """What stands behind the `@`, decoded, in the letter case of the URL: a name, or a literal in brackets."""
        return self._text("domain") or ""

    @classmethod
    def build(
        cls,
        *,
        address: str | Encoded | None = None,
        local_part: str | Encoded | None = None,
        domain: str | Encoded | None = None,
    ) -> Self:
        """The URL of an address, given whole or as its local part and its domain; each is encoded as it must be.

        Raises InvalidURL where it is no addr-spec. Quotation marks are not added: `"Joe Public"` needs its own.
        """
        return cls._build(address=address, local_part=local_part, domain=domain)

    def replace(
        self,
        *,
        address: str | Encoded | Unchanged = UNCHANGED,
        local_part: str | Encoded | Unchanged = UNCHANGED,
        domain: str | Encoded | Unchanged = UNCHANGED,
    ) -> Self:
        """The same URL but for these parts; the text of the others does not change. Raises InvalidURL."""
        return self._replace(address=address, local_part=local_part, domain=domain)


scheme = Scheme(registration, MailtoURL, access="urlschemes_mailto.access")


def __getattr__(name: str) -> object:
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)
    globals()[name] = value
    return value
