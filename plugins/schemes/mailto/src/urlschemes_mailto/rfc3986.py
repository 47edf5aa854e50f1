"""The mailto scheme of today (RFC 6068), in the profile of RFC 3986.

    mailto:<address>,<address>?<name>=<value>&<name>=<value>

The syntax is in `registration.rfc3986.toml`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import Listed, Registration, Scheme, list_part, pairs_part
from urlschemes_mailto.url_types import MailURL
from urlschemes_rfc3986 import FRAGMENT, profile

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

__all__ = ["MailtoURI", "registration", "scheme"]

registration = Registration.of(__package__, profile)


class MailtoURI(MailURL, registration=registration):
    """A URL that designates mail addresses, with header fields for a message to them.

    An address is an addr-spec of RFC 5322. Quotation marks are not added: `"Joe Public"` needs its own. `values` finds
    header fields by their names, whose letter case has no meaning.
    """

    to: Listed[str] = list_part(default=(), doc="The addresses before the `?`, decoded.")
    headers: Listed[tuple[str, str]] = pairs_part(
        default=(), doc="The header fields: each name, as it is written, with its value, both decoded."
    )
    fragment: str | None = FRAGMENT

    @classmethod
    def for_recipients(cls, recipients: Iterable[str]) -> Self:
        """Return the URL of these addresses."""
        return cls(to=tuple(each.replace(" ", "\\ ") for each in recipients))  # blanks are quoted pairs alone (rule 3)

    @property
    def subject(self) -> str | None:
        """The value of the first header field `subject`; None without one."""
        return next(iter(self.values("subject")), None)

    @property
    def body(self) -> str | None:
        """The text of the message: the value of the first header field `body`; None without one."""
        return next(iter(self.values("body")), None)

    @property
    def cc(self) -> tuple[str, ...]:
        """The values of the header fields `cc`: each holds addresses as a message has them, with commas between."""
        return self.values("cc")


scheme = Scheme(registration, MailtoURI, access="urlschemes_mailto.access")
