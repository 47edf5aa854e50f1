"""The prospero scheme of today (RFC 4157), in the profile of RFC 3986.

    prospero://<host>:<port>/<hsoname>;<field>=<value>#<fragment>

The syntax is in `registration.rfc3986.toml`.
"""

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
