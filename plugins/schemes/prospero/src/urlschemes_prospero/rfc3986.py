"""The prospero scheme of today (RFC 4157): that of RFC 1738 with a fragment, by `registration.rfc3986.toml`."""

from __future__ import annotations

from urlschemes import Registration, Scheme
from urlschemes_prospero import ProsperoURL
from urlschemes_rfc3986 import FRAGMENT, profile

__all__ = ["ProsperoURI", "registration", "scheme"]

registration = Registration.of(__package__, profile)


class ProsperoURI(ProsperoURL, registration=registration):
    """A URL that designates an object of the Prospero Directory Service by its name on one server."""

    fragment: str | None = FRAGMENT


scheme = Scheme(registration, ProsperoURI, access="urlschemes_prospero.access")
