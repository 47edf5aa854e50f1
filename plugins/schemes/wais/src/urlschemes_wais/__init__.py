"""The wais scheme (RFC 1738 section 3.9): databases of Wide Area Information Servers, searches, and documents.

    wais://<host>:<port>/<database>
    wais://<host>:<port>/<database>?<search>
    wais://<host>:<port>/<database>/<wtype>/<wpath>

The syntax is in `registration.toml`, the algorithms are in `access.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import InternetURL, Registration, Scheme, number_part, text_part

if TYPE_CHECKING:
    from typing import Literal

__all__ = ["WaisURL", "registration", "scheme"]

registration = Registration.of(__name__)


class WaisURL(InternetURL, registration=registration):
    """A URL that designates a WAIS database, a search in it, or a document of it."""

    port: int = number_part(default=None, doc="The port to connect to: the one in the URL, or 210.")
    database: str = text_part(doc="The name of the database, decoded; it may be empty.")
    search: str | None = text_part(default=None, doc="The words to search for, decoded; None if this is not a search.")
    wtype: str | None = text_part(
        default=None, doc="The type of the document, decoded, such as `TEXT`; None if this is not a document."
    )
    wpath: str | None = text_part(
        default=None,
        doc="The document identifier, decoded, which only its server understands; None if this is not a document.",
    )

    @property
    def form(self) -> Literal["database", "search", "document"]:
        """The form of the URL."""
        if self.search is not None:
            return "search"
        return "database" if self.wtype is None else "document"


scheme = Scheme(registration, WaisURL, access="urlschemes_wais.access")
