"""The http scheme of today (RFC 9110 section 4.2.1), in the profile of RFC 3986.

    http://<host>:<port><path>?<query>#<fragment>

The syntax is in `registration.rfc3986.toml`.
"""

from __future__ import annotations

from typing import ClassVar

from urlschemes import Registration, Scheme, text_part
from urlschemes_http import RequestURL
from urlschemes_rfc3986 import FRAGMENT, profile

__all__ = ["HttpURI", "registration", "scheme"]

registration = Registration.of(__package__, profile)


class HttpURI(RequestURL, registration=registration):
    """A URL that designates a resource accessible by HTTP.

    `path`, `query` and `fragment` are as written: in a `path`, `/` divides segments, and `%2F` is a slash within one.
    """

    _root: ClassVar[str] = "/"
    _query: ClassVar[str] = "query"

    path: str = text_part(default="", doc="The path with its first `/`, as written.")
    query: str | None = text_part(default=None, doc="The text after the `?`, as written; None without a `?`.")
    fragment: str | None = FRAGMENT

    @property
    def target(self) -> str:
        """The request target: path and query as written, `/` without a path."""
        path, query = self.path or "/", self.query
        return path if query is None else f"{path}?{query}"


scheme = Scheme(registration, HttpURI, access="urlschemes_http.access")
