"""The http scheme (RFC 1738 section 3.3).

    http://<host>:<port>/<path>?<searchpart>

The syntax is in `registration.toml`, what its parts mean in `request_url.py`, the algorithms are in `access.py`.
"""

from __future__ import annotations

from typing import ClassVar

from urlschemes import Registration, Scheme, text_part
from urlschemes_http.request_url import RequestURL

__all__ = ["HttpURL", "RequestURL", "registration", "scheme"]

registration = Registration.of(__name__)


class HttpURL(RequestURL, registration=registration):
    """A URL that designates an Internet resource accessible by HTTP.

    `path` and `search` are as written: in a `path`, `/` divides segments, and `%2F` is a slash within one.
    """

    _root: ClassVar[str] = ""
    _query: ClassVar[str] = "search"

    path: str | None = text_part(
        default=None,
        when_needed="",
        doc="The text after the first `/`, as written; None without a `/`.",
    )
    search: str | None = text_part(default=None, doc="The query, as written; None without a `?`.")

    @property
    def query(self) -> str | None:
        """The `search`, by the name that it has in RFC 3986."""
        return self.search

    @property
    def target(self) -> str:
        """The request target: path and query as written, `/` without a path."""
        path, search = self.path or "", self.search
        return f"/{path}" if search is None else f"/{path}?{search}"


scheme = Scheme(registration, HttpURL, access="urlschemes_http.access")
