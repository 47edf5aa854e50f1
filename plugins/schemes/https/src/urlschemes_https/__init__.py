"""The https scheme: HTTP over TLS (RFC 2818), with the syntax that RFC 1738 section 3.3 gives http.

It is not one of the schemes of RFC 1738. It has a record of its own; its type and its algorithms are those of http.
"""

from __future__ import annotations

from typing import ClassVar

from urlschemes import Registration, Scheme
from urlschemes_http import HttpURL

__all__ = ["HttpsURL", "registration", "scheme"]

registration = Registration.of(__name__)


class HttpsURL(HttpURL, registration=registration):
    """A URL that designates an Internet resource accessible by HTTP over TLS."""

    tls: ClassVar[bool] = True


scheme = Scheme(registration, HttpsURL, access="urlschemes_http.access")
