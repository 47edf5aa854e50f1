"""The news scheme (RFC 1738 section 3.6): news groups and articles, on whatever server has them.

    news:<newsgroup-name>
    news:<message-id>

The syntax is in `registration.toml`, the algorithms are in `access.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import URL, Registration, Scheme, text_part

if TYPE_CHECKING:
    from typing import Literal

__all__ = ["NewsURL", "registration", "scheme"]

registration = Registration.of(__name__)


class NewsURL(URL, registration=registration):
    """A URL that designates all news groups, one group, or an article by its message identifier."""

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


scheme = Scheme(registration, NewsURL, access="urlschemes_news.access")
