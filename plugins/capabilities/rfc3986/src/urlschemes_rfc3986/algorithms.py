"""The algorithms of the profile, imported when one of them is first needed."""

from urlschemes_rfc3986.domain_names import name_in_ascii
from urlschemes_rfc3986.generic_uri import URI, of_unknown
from urlschemes_rfc3986.host_messages import host_message, illegal_host_hint
from urlschemes_rfc3986.normalization import normalized
from urlschemes_rfc3986.resolution import resolve
from urlschemes_rfc3986.uri_warnings import warnings

__all__ = [
    "delimiting", "host_message", "illegal_host_hint", "name_in_ascii", "normalized", "of_unknown", "resolve",
    "url_type", "warnings",
]  # fmt: skip

delimiting = "RFC 3986 Appendix C"
url_type = URI
