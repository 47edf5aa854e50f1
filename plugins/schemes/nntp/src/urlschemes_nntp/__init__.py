"""The nntp scheme (RFC 1738 section 3.7): articles of a news group on one NNTP server.

    nntp://<host>:<port>/<newsgroup-name>/<article-number>

The syntax is in `registration.toml`, the algorithms are in `access.py`.
"""

from __future__ import annotations

from typing import ClassVar

from urlschemes import InternetURL, Registration, Scheme, number_part, text_part

__all__ = ["NntpURL", "registration", "scheme"]

registration = Registration.of(__name__)


class NntpURL(InternetURL, registration=registration):
    """A URL that designates an article by the number that one server gave it, or a whole group of that server."""

    password: ClassVar[str | None] = None
    """The URL has no login."""
    port: int = number_part(default=None, doc="The port to connect to: the one in the URL, or 119.")
    group: str = text_part(doc="The name of the group, which has no escapes.")
    article: int | None = number_part(
        default=None, doc="The number of the article within the group; None if the URL designates the group."
    )


scheme = Scheme(registration, NntpURL, access="urlschemes_nntp.access")
