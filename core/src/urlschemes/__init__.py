"""The system of RFC 1738: a registry of URL schemes, each a registration, a syntax and an access algorithm.

    urlschemes.parse("ftp://myname@host.dom/%2Fetc/motd;type=a").directories

    parse, parse_generic, is_valid   by the schemes of `default_registry`; a Registry of your own has them as methods
    URL, InternetURL, LoginURL       the types of URLs, which each scheme has subclasses of; `help(urlschemes.URL)`
    URLError and its subclasses      InvalidURL, UnknownScheme, UnsafeURL, PluginError, RegistrationError
    Registration, Scheme, Listed     for authors of schemes, with the fields below

This distribution parses, checks and builds URLs, and finds the plugins that provide schemes. What else can be done with
URLs is in distributions of its own: `urlschemes_access`, `urlschemes_lint`, `urlschemes_text`.
"""

import urlschemes.registry.readers  # noqa: F401  first: the types of URLs build on the reader that it finds
from urlschemes.errors import InvalidURL as InvalidURL
from urlschemes.errors import PluginError as PluginError
from urlschemes.errors import RegistrationError as RegistrationError
from urlschemes.errors import UnknownScheme as UnknownScheme
from urlschemes.errors import UnsafeURL as UnsafeURL
from urlschemes.errors import URLError as URLError
from urlschemes.grammar.part import Encoded as Encoded
from urlschemes.record.registration import Registration as Registration
from urlschemes.registry.registry import Registry as Registry
from urlschemes.registry.registry import default_registry
from urlschemes.scheme.scheme import Scheme as Scheme
from urlschemes.url.fields import Listed as Listed
from urlschemes.url.fields import decimal_part, list_part, number_part, pairs_part, text_part
from urlschemes.url.value import URL as URL
from urlschemes.url.value import InternetURL as InternetURL
from urlschemes.url.value import LoginURL as LoginURL
from urlschemes.version import __version__

# Without the classes, which `help(urlschemes)` would show in two thousand lines.
__all__ = [
    "__version__",
    "decimal_part",
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
