"""The gopher scheme of today (RFC 4266): that of RFC 1738 with a fragment, by `registration.rfc3986.toml`."""

from __future__ import annotations

from urlschemes import Registration, Scheme
from urlschemes_gopher import GopherURL
from urlschemes_rfc3986 import FRAGMENT, profile

__all__ = ["GopherURI", "registration", "scheme"]

registration = Registration.of(__package__, profile)


class GopherURI(GopherURL, registration=registration):
    """A URL that designates a Gopher item: a menu, a text, a search, something binary, or its Gopher+ attributes.

    The part `gtype` is what RFC 4266 calls the gophertype.
    """

    fragment: str | None = FRAGMENT


scheme = Scheme(registration, GopherURI, access="urlschemes_gopher.access")
