"""The wais scheme of today (RFC 4156): that of RFC 1738 with a fragment, by `registration.rfc3986.toml`."""

from __future__ import annotations

from urlschemes import Registration, Scheme
from urlschemes_rfc3986 import FRAGMENT, profile
from urlschemes_wais import WaisURL

__all__ = ["WaisURI", "registration", "scheme"]

registration = Registration.of(__package__, profile)


class WaisURI(WaisURL, registration=registration):
    """A URL that designates a WAIS database, a search in it, or a document of it."""

    fragment: str | None = FRAGMENT


scheme = Scheme(registration, WaisURI, access="urlschemes_wais.access")
