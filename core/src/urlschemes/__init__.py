"""The system of RFC 1738: a registry of URL schemes, each a registration, a syntax and an access algorithm.

    import urlschemes

    url = urlschemes.parse("ftp://myname@host.dom/%2Fetc/motd;type=a")
    url.directories, url.name

This distribution parses, checks and builds URLs, and finds the plugins that provide schemes. What else can be done with
URLs is in distributions of its own: `urlschemes_access`, `urlschemes_lint`, `urlschemes_text`.
"""

import urlschemes.registry.readers  # noqa: F401  first: the types of URLs build on the reader that it finds
from urlschemes.errors import InvalidURL, PluginError, RegistrationError, UnknownScheme, UnsafeURL, URLError
from urlschemes.grammar.part import Encoded
from urlschemes.record.registration import Registration
from urlschemes.registry.registry import Registry, default_registry
from urlschemes.scheme.scheme import Scheme
from urlschemes.url.fields import list_part, number_part, pairs_part, text_part
from urlschemes.url.value import URL, InternetURL, LoginURL
from urlschemes.version import __version__

__all__ = [
    "URL",
    "Encoded",
    "InternetURL",
    "InvalidURL",
    "LoginURL",
    "PluginError",
    "Registration",
    "RegistrationError",
    "Registry",
    "Scheme",
    "URLError",
    "UnknownScheme",
    "UnsafeURL",
    "__version__",
    "default_registry",
    "is_valid",
    "list_part",
    "number_part",
    "pairs_part",
    "parse",
    "parse_generic",
    "text_part",
]

parse = default_registry.parse
parse_generic = default_registry.parse_generic
is_valid = default_registry.is_valid
