"""The prospero scheme (RFC 1738 section 3.11): objects of the Prospero Directory Service.

    prospero://<host>:<port>/<hsoname>;<field>=<value>

The syntax is in `registration.toml`, the algorithms are in `access.py`.
"""

from __future__ import annotations

from urlschemes import InternetURL, Listed, Registration, Scheme, number_part, pairs_part, text_part

__all__ = ["ProsperoURL", "registration", "scheme"]

registration = Registration.of(__name__)


class ProsperoURL(InternetURL, registration=registration):
    """A URL that designates an object of the Prospero Directory Service by its name on one server.

    A slash at the beginning of `hsoname` belongs to the name; another one ends the host.
    """

    port: int = number_part(default=None, doc="The port to connect to: the one in the URL, or 1525.")
    hsoname: str = text_part(default="", doc="The host-specific object name, decoded; only its server understands it.")
    fields: Listed[tuple[str, str]] = pairs_part(
        default=(), doc="The names and values of the fields, decoded, in their order; names may be repeated."
    )


scheme = Scheme(registration, ProsperoURL, access="urlschemes_prospero.access")
