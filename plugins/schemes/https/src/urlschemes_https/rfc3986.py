"""The https scheme of today (RFC 9110 section 4.2.2), in the profile of RFC 3986."""

from __future__ import annotations

from typing import ClassVar

from urlschemes import Registration, Scheme
from urlschemes_http.rfc3986 import HttpURI
from urlschemes_rfc3986 import profile

__all__ = ["HttpsURI", "registration", "scheme"]

registration = Registration.of(__package__, profile)


class HttpsURI(HttpURI, registration=registration):
    """A URL that designates a resource accessible by HTTP over TLS."""

    tls: ClassVar[bool] = True


scheme = Scheme(registration, HttpsURI, access="urlschemes_http.access")
