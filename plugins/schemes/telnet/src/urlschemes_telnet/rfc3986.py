"""The telnet scheme of today (RFC 4248): that of RFC 1738 with a fragment, by `registration.rfc3986.toml`."""

from __future__ import annotations

from urlschemes import Registration, Scheme
from urlschemes_rfc3986 import FRAGMENT, profile
from urlschemes_telnet import TelnetURL

__all__ = ["TelnetURI", "registration", "scheme"]

registration = Registration.of(__package__, profile)


class TelnetURI(TelnetURL, registration=registration):
    """A URL that designates an interactive service; user name and password are only suggestions for the login."""

    fragment: str | None = FRAGMENT


scheme = Scheme(registration, TelnetURI, access="urlschemes_telnet.access")
