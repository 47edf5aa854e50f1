"""The news scheme of today (RFC 5538 section 4), in the profile of RFC 3986.

    news:<group>
    news:<message-id>
    news://<user>:<password>@<host>:<port>/<group or message-id>

The syntax is in `registration.rfc3986.toml`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import URL, Registration, Scheme, number_part, text_part
from urlschemes_rfc3986 import FRAGMENT, profile

if TYPE_CHECKING:
    from typing import Literal, Self

__all__ = ["NewsURI", "registration", "scheme"]

registration = Registration.of(__package__, profile)


class NewsURI(URL, registration=registration):
    """A URL that designates groups, one group, or an article by its message identifier; it may name the server."""

    user: str | None = text_part(default=None, doc="The user name, decoded; None if absent, which differs from empty.")
    password: str | None = text_part(
        default=None, doc="The password, decoded; None if absent, which differs from empty."
    )
    host: str | None = text_part(
        default=None, lower=True, doc="The host of the server, in lower case; None if the URL names no server."
    )
    port: int = number_part(default=None, doc="The port of the server: the one in the URL, or 119.")
    group: str | None = text_part(
        default=None,
        when_needed="",
        doc="The name of the group, decoded, or a pattern; `*` or nothing is all groups. None for an article.",
    )
    message_id: str | None = text_part(
        default=None,
        doc="The message identifier, decoded, without its angle brackets. None if the URL designates groups.",
    )
    fragment: str | None = FRAGMENT

    @property
    def form(self) -> Literal["groups", "group", "article"]:
        """The form of the URL: groups (all, or those of a pattern), one group, or an article."""
        if self.group is None:
            return "article"
        return "groups" if not self.group or "*" in self.group or "?" in self.group else "group"

    def beside(self, *, group: str | None = None, message_id: str | None = None) -> Self:
        """Return the URL of other groups or another article, on the same server. Raise InvalidURL."""
        return type(self)(
            user=self.user,
            password=self.password,
            host=self.host,
            port=self.port,
            group=group,
            message_id=message_id,
        )

    def on_server(self, host: str, port: int) -> str:
        """Return the nntp URL of the group on one server."""
        from urlschemes_nntp.rfc3986 import NntpURI  # only a listing needs it

        return str(NntpURI(user=self.user, password=self.password, host=host, port=port, group=self.group or ""))


scheme = Scheme(registration, NewsURI, access="urlschemes_news.access")
