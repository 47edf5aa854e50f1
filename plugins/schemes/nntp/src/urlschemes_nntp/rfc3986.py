"""The nntp scheme of today (RFC 5538 section 3), in the profile of RFC 3986.

    nntp://<user>:<password>@<host>:<port>/<group>/<article number>

The syntax is in `registration.rfc3986.toml`.
"""

from __future__ import annotations

from urlschemes import LoginURL, Registration, Scheme, number_part, text_part
from urlschemes_rfc3986 import FRAGMENT, profile

__all__ = ["NntpURI", "registration", "scheme"]

registration = Registration.of(__package__, profile)


class NntpURI(LoginURL, registration=registration):
    """A URL that designates an article by the number that one server gave it, or a whole group of that server."""

    port: int = number_part(default=None, doc="The port to connect to: the one in the URL, or 119.")
    group: str = text_part(doc="The name of the group, decoded.")
    article: int | None = number_part(
        default=None, doc="The number of the article within the group; None if the URL designates the group."
    )
    fragment: str | None = FRAGMENT


scheme = Scheme(registration, NntpURI, access="urlschemes_nntp.access")
