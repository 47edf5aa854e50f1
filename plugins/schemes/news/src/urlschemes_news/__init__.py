"""The news scheme (RFC 1738 section 3.6): news groups and articles, on whatever server has them.

    news:<newsgroup-name>
    news:<message-id>

The syntax is in `registration.toml`, the algorithms are in `access.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from urlschemes import URL, Registration, Scheme, text_part
from urlschemes.errors import InvalidURL

if TYPE_CHECKING:
    from typing import Literal, Self

__all__ = ["NewsURL", "registration", "scheme"]

registration = Registration.of(__name__)


class NewsURL(URL, registration=registration):
    """A URL that designates all news groups, one group, or an article by its message identifier."""

    user: ClassVar[str | None] = None
    """The URL names no server, and has no login."""
    password: ClassVar[str | None] = None
    host: ClassVar[str | None] = None
    port: ClassVar[int] = 119
    group: str | None = text_part(
        default=None, doc='The name of the group; `"*"` is all groups. None if the URL designates an article.'
    )
    message_id: str | None = text_part(
        default=None,
        doc="The message identifier, decoded, without its angle brackets. None if the URL designates a group.",
    )

    @property
    def form(self) -> Literal["groups", "group", "article"]:
        """The form of the URL: all groups (`*`), a group, or an article."""
        if self.group is None:
            return "article"
        return "groups" if self.group == "*" else "group"

    def beside(self, *, group: str | None = None, message_id: str | None = None) -> Self:
        """Return the URL of another group or article. Raise InvalidURL."""
        return type(self)(group=group, message_id=message_id)

    def on_server(self, host: str, port: int) -> str | None:
        """Return the nntp URL of the group on one server; None if no URL of this profile can name the server."""
        from urlschemes_nntp import NntpURL  # only a listing needs it

        try:
            return str(NntpURL(host=host, port=port, group=self.group or ""))
        except InvalidURL:  # a host name with an underscore can be connected to, but not written in a URL
            return None


scheme = Scheme(registration, NewsURL, access="urlschemes_news.access")
