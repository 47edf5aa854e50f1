"""The gopher scheme (RFC 1738 section 3.4): items of Gopher (RFC 1436) and Gopher+.

    gopher://<host>:<port>/<gtype><selector>%09<search>%09<gopher+_string>

The syntax is in `registration.toml`, the algorithms are in `access.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import InternetURL, Registration, Scheme, number_part, text_part

if TYPE_CHECKING:
    from typing import Self

__all__ = ["GopherURL", "registration", "scheme"]

registration = Registration.of(__name__)


class GopherURL(InternetURL, registration=registration):
    """A URL that designates a Gopher item: a menu, a text, a search, something binary, or its Gopher+ attributes.

    A selector, a search or a Gopher+ string without a gtype gets the gtype `1`, a menu.
    """

    port: int = number_part(default=None, doc="The port to connect to: the one in the URL, or 70.")
    gtype: str | None = text_part(
        default=None, when_needed="1", doc="The type of the item: one octet, decoded. None if the path is empty."
    )
    selector: str = text_part(default="", doc="The selector to send to the server, decoded; empty for its top menu.")
    search: str | None = text_part(
        default=None, when_needed="", doc="The words to search for, decoded; None if absent."
    )
    gopher_plus: str | None = text_part(
        default=None,
        doc="The Gopher+ string, decoded: `+`, `+view lang`, `!`, `$`, `?`, or a filled form; None if absent.",
    )

    @property
    def effective_gtype(self) -> str:
        """The type that the URL means: `1`, a menu, if the path is empty."""
        return "1" if self.gtype is None else self.gtype

    def normalized(self, level: str | None = None) -> Self:
        """Return the URL as `URL.normalized` does; an empty path becomes the menu that it means."""
        url = super().normalized(level)
        return url.replace(gtype=url.effective_gtype) if url.gtype is None and level in {None, "scheme"} else url


scheme = Scheme(registration, GopherURL, access="urlschemes_gopher.access")
