"""Operations on resources (RFC 1738 section 2): access, find attributes, update, replace and delete.

    from urlschemes_access import download

    download("ftp://host.dom/pub/readme.txt", "readme.txt")

In: a URL and the caller's settings. Out: a Document, a Listing, a Session or Attributes, or a typed error.

    client.py             Client and AsyncClient; the methods of a client without settings as functions
    settings.py           the arguments of clients and operations, what they mean together; the options of schemes
    operations.py         from a URL to a dialogue: vetoes, gateways, options, the algorithm of the scheme
    protocol/             the vocabulary of algorithms: requests, readers and ranges, for scheme plugins
    guard/                the policy's decisions on hosts, ports, addresses, time: for accesses and other clients
    dialogue/             every rule of an access; no I/O
    backends/             I/O: blocking, on an event loop, local files
    resources/            the results of operations: documents, listings, sessions; downloads that continue
    policy.py             Policy and Limits: what may be reached, and how much
    credentials.py        logins and forms, and the functions that answer them
    attributes.py         Attributes, entries of listings
    config_file.py        the configuration file, and its table for the registry
    configuration.py      the tables of the file for clients, and environment variables
    gateways.py           URLs that are reached through a URL of another scheme
    hooks.py              the hooks of other plugins: veto, gateway, credentials, observe
    trace_event.py        TraceEvent
    errors.py             AccessError and its subclasses, PolicyDenied

The core does not know this package; this package does not know any scheme.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from urlschemes_access.attributes import Attributes, Entry
    from urlschemes_access.backends.new_file import NewFile
    from urlschemes_access.client import (
        AsyncClient,
        Client,
        access,
        delete,
        download,
        find_attributes,
        open_document,
        open_listing,
        open_session,
        operate,
        replace,
        update,
    )
    from urlschemes_access.configuration import Configuration
    from urlschemes_access.credentials import Credentials
    from urlschemes_access.errors import AccessError, PolicyDenied
    from urlschemes_access.policy import Limits, Policy
    from urlschemes_access.protocol.ranges import Range
    from urlschemes_access.resources.asynchronous import AsyncDocument, AsyncListing, AsyncSession
    from urlschemes_access.resources.downloads import Download, Part
    from urlschemes_access.resources.many import Result
    from urlschemes_access.resources.synchronous import Document, Listing, Session
    from urlschemes_access.trace_event import TraceEvent

__all__ = [
    "AccessError",
    "AsyncClient",
    "AsyncDocument",
    "AsyncListing",
    "AsyncSession",
    "Attributes",
    "Client",
    "Configuration",
    "Credentials",
    "Document",
    "Download",
    "Entry",
    "Limits",
    "Listing",
    "NewFile",
    "Part",
    "Policy",
    "PolicyDenied",
    "Range",
    "Result",
    "Session",
    "TraceEvent",
    "access",
    "delete",
    "download",
    "find_attributes",
    "open_document",
    "open_listing",
    "open_session",
    "operate",
    "replace",
    "update",
]

_MODULES = (
    "attributes",
    "backends.new_file",
    "client",
    "configuration",
    "credentials",
    "errors",
    "policy",
    "protocol.ranges",
    "trace_event",
    "resources.downloads",
    "resources.synchronous",
    "resources.asynchronous",
    "resources.many",
)
"""The modules that define these names; those that import an event loop come last."""


def __getattr__(name: str) -> object:
    # A command that only parses URLs imports the configuration file, and nothing that accesses.
    if name in __all__:
        import_module("urlschemes")  # first: two threads that import packages and modules crosswise would deadlock
        for module in _MODULES:
            defining = import_module(f"{__name__}.{module}")
            if name in defining.__all__:
                return globals().setdefault(name, getattr(defining, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
