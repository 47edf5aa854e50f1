"""The algorithms of the profile, imported when one of them is first needed."""

from urlschemes.rfc1738.conversion import as_profile
from urlschemes.rfc1738.fault_messages import fragment_message, host_message
from urlschemes.rfc1738.normalization import normalized
from urlschemes.rfc1738.resolution import resolve
from urlschemes.url.value import URL

__all__ = ["as_profile", "fragment_message", "host_message", "normalized", "resolve", "url_type"]

url_type = URL
