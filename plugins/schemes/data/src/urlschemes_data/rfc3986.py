"""The data scheme (RFC 2397), in the profile of RFC 3986."""

from __future__ import annotations

from urlschemes import Registration, Scheme
from urlschemes_rfc3986 import profile

__all__ = ["registration", "scheme"]

registration = Registration.of("urlschemes_iana.records", profile, scheme="data")
scheme = Scheme(registration, access="urlschemes_data.access")
