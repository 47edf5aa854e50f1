"""The algorithms of the profile, imported when one of them is first needed."""

from urlschemes.rfc1738.host_messages import NO_IPV6, fragment_message, host_message
from urlschemes.rfc1738.normalization import normalized
from urlschemes.rfc1738.resolution import resolve
from urlschemes.url.value import URL

__all__ = [
    "address_hint",
    "delimiting",
    "foreign_host_hint",
    "fragment_message",
    "host_message",
    "normalized",
    "resolve",
    "url_type",
    "warnings",
]

address_hint = NO_IPV6
delimiting = "RFC 1738 Appendix"
foreign_host_hint = "write the name in its US-ASCII form, with labels that begin with xn--"
url_type = URL


def warnings(*_: object) -> tuple[()]:
    """Return what is legal in a URL but unwise by the rules of this profile only."""
    return ()
