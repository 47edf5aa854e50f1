"""The algorithms of the profile, imported when one of them is first needed."""

from urlschemes.rfc1738.conversion import as_profile
from urlschemes_rfc3986.generic_uri import URI
from urlschemes_rfc3986.host_findings import host_findings
from urlschemes_rfc3986.host_messages import host_message
from urlschemes_rfc3986.normalization import normalized
from urlschemes_rfc3986.resolution import resolve

__all__ = ["as_profile", "host_findings", "host_message", "normalized", "resolve", "url_type"]

url_type = URI
