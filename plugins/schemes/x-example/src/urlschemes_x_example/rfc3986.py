"""The x-example scheme in the profile of RFC 3986.

The syntax is in `registration.rfc3986.toml`; the algorithm is that of the other record.
"""

from __future__ import annotations

from urlschemes import Registration, Scheme
from urlschemes_rfc3986 import FRAGMENT, profile

from urlschemes_x_example import ExampleURL

__all__ = ["ExampleURI", "registration", "scheme"]

registration = Registration.of(__package__, profile)


class ExampleURI(ExampleURL, registration=registration):
    """A URL that designates a document, or a part of one."""

    fragment: str | None = FRAGMENT


scheme = Scheme(registration, ExampleURI, access="urlschemes_x_example.access")
