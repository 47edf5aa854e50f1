"""The system of RFC 1738: URL schemes, each a registration, a syntax and an access algorithm.

    import urlschemes

    url = urlschemes.parse("ftp://myname@host.dom/%2Fetc/motd;type=a")
    url.directories, url.name

Importing this package imports nothing else: every name comes from its room when it is first used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from urlschemes import aio, text
    from urlschemes.attributes import Attributes, Entry
    from urlschemes.configuration import Configuration
    from urlschemes.default import (
        access,
        check,
        delete,
        explain,
        find_attributes,
        fix,
        is_valid,
        operate,
        parse,
        parse_generic,
        replace,
        update,
    )
    from urlschemes.errors import (
        AccessError,
        InvalidURL,
        PluginError,
        PolicyDenied,
        RegistrationError,
        UnknownScheme,
        UnsafeURL,
        URLError,
    )
    from urlschemes.policy import Limits, Policy
    from urlschemes.questions import Credentials
    from urlschemes.registration import Registration
    from urlschemes.registry import Registry
    from urlschemes.resource import Document, Listing, Session
    from urlschemes.scheme import Scheme
    from urlschemes.url import UNCHANGED, URL, Encoded, InternetURL, LoginURL, Unchanged
    from urlschemes.version import __version__ as __version__

_ROOMS = {
    "attributes": "Attributes Entry",
    "configuration": "Configuration",
    "default": "access check delete explain find_attributes fix is_valid operate parse parse_generic replace update",
    "errors": "AccessError InvalidURL PluginError PolicyDenied RegistrationError URLError UnknownScheme UnsafeURL",
    "policy": "Limits Policy",
    "questions": "Credentials",
    "registration": "Registration",
    "registry": "Registry",
    "resource": "Document Listing Session",
    "scheme": "Scheme",
    "url": "UNCHANGED Encoded InternetURL LoginURL URL Unchanged",
    "version": "__version__",
}
_MODULES = frozenset({"aio", "text"})
_HOME = {name: room for room, names in _ROOMS.items() for name in names.split()}

__all__ = [
    "UNCHANGED",
    "URL",
    "AccessError",
    "Attributes",
    "Configuration",
    "Credentials",
    "Document",
    "Encoded",
    "Entry",
    "InternetURL",
    "InvalidURL",
    "Limits",
    "Listing",
    "LoginURL",
    "PluginError",
    "Policy",
    "PolicyDenied",
    "Registration",
    "RegistrationError",
    "Registry",
    "Scheme",
    "Session",
    "URLError",
    "Unchanged",
    "UnknownScheme",
    "UnsafeURL",
    "access",
    "aio",
    "check",
    "delete",
    "explain",
    "find_attributes",
    "fix",
    "is_valid",
    "operate",
    "parse",
    "parse_generic",
    "replace",
    "text",
    "update",
]


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None and name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    room = f"{__name__}.{home or name}"
    __import__(room)  # as `importlib.import_module`, which would have to be imported itself
    from sys import modules

    if home is None:
        return modules[room]
    value = getattr(modules[room], name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
