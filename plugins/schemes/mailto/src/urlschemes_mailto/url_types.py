"""The types of mailto URLs: what those of all profiles offer, and that of RFC 1738."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from urlschemes import URL, Registration, text_part
from urlschemes.errors import UnsupportedOperation

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

__all__ = ["MailURL", "MailtoURL", "registration"]

registration = Registration.of(__package__)


class MailURL(URL):
    """A URL that designates the mailboxes of persons or services; there is no data object behind it.

    Each profile has a type of its own: this is what all of them offer.
    """

    @property
    @abstractmethod
    def to(self) -> tuple[str, ...]:
        """The addresses, decoded."""

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """The header fields: each name with its value, both decoded; none where the profile has no such thing."""
        return ()

    @classmethod
    @abstractmethod
    def for_recipients(cls, recipients: Iterable[str]) -> Self:
        """Return the URL of these addresses. Raise UnsupportedOperation for more than the profile allows."""

    def values(self, name: str) -> tuple[str, ...]:
        """Return the values of the header fields of this name, in any letter case."""
        return tuple(value for each, value in self.headers if each.lower() == name.lower())


class MailtoURL(MailURL, registration=registration):
    """A URL that designates one mail address.

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

    @property
    def to(self) -> tuple[str, ...]:
        """The address, as a tuple."""
        return (self.address,)

    @classmethod
    def for_recipients(cls, recipients: Iterable[str]) -> Self:
        """Return the URL of the one recipient. Raise UnsupportedOperation for others, and for several."""
        addresses = tuple(recipients)
        if len(addresses) != 1:
            raise UnsupportedOperation(
                f"expected exactly one recipient, but the message has {len(addresses)}",
                part="recipient",
                section="RFC 1738 section 3.5",
                hint="send it to each recipient separately, or use the profile rfc3986",
            )
        if not addresses[0].isascii():
            raise UnsupportedOperation(
                "the recipient is not US-ASCII",
                part="recipient",
                section="RFC 1738 section 3.5",
                hint="use the profile rfc3986, and a relay that offers SMTPUTF8",
            )
        return cls(address=addresses[0])
