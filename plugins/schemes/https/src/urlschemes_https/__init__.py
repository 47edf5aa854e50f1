"""The https scheme: HTTP over TLS (RFC 2818), with the syntax that RFC 1738 section 3.3 gives http.

It is not one of the schemes of RFC 1738. It has a record of its own; type and algorithm are those of `urlschemes_http`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import Registration, Scheme
from urlschemes_http import HttpURL

if TYPE_CHECKING:
    from typing import ClassVar
__all__ = ["HttpsURL", "registration", "scheme"]

registration = Registration.of(__name__)


class HttpsURL(HttpURL, registration=registration):
    """`https://<host>:<port>/<path>?<searchpart>`."""

    __slots__ = ()

    tls: ClassVar[bool] = True


scheme = Scheme(registration, HttpsURL, access="urlschemes_http.access")
