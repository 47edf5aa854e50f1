"""Operations on resources (RFC 1738 section 2): access, find attributes, update, replace and delete.

    from urlschemes_access import download

    download("ftp://host.dom/pub/readme.txt", "readme.txt")

In: a URL and the caller's settings. Out: a Document, a Listing, a Session or Attributes, or a typed error.

client.py             Client and AsyncClient, and functions that use a client without settings
client_base.py        the settings of a client
operations.py         from a URL to a dialogue: vetoes, gateways, options, the algorithm of the scheme
protocol/             the vocabulary of algorithms: requests, readers and ranges, for scheme plugins
guard/                the policy's decisions on hosts, ports, addresses, time: for accesses and other clients
dialogue/             every rule of an access; no I/O
backends/             I/O: blocking, on an event loop, local files
resources/            the results of operations: documents, listings, sessions; downloads that continue
policy.py             Policy and Limits: what may be reached, and how much
credentials.py        logins and forms, and the functions that answer them
attributes.py         Attributes, entries of listings
configuration.py      the configuration file and environment variables
scheme_options.py     the options of schemes
gateways.py           URLs that are reached through a URL of another scheme
hooks.py              the hooks of other plugins: veto, gateway, credentials, observe
trace_event.py        TraceEvent
errors.py             AccessError and its subclasses, PolicyDenied

The core does not know this package; this package does not know any scheme.
"""

from typing import TYPE_CHECKING

from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.backends.new_file import NewFile
from urlschemes_access.client import (
    AsyncClient,
    Client,
    access,
    delete,
    download,
    find_attributes,
    operate,
    replace,
    update,
)
from urlschemes_access.configuration import Configuration
from urlschemes_access.credentials import Credentials
from urlschemes_access.errors import AccessError, PolicyDenied
from urlschemes_access.policy import Limits, Policy
from urlschemes_access.protocol.ranges import Range
from urlschemes_access.resources.downloads import Download, Part
from urlschemes_access.resources.synchronous import Document, Listing, Session
from urlschemes_access.trace_event import TraceEvent

if TYPE_CHECKING:
    from urlschemes_access.resources.asynchronous import AsyncDocument, AsyncListing, AsyncSession
    from urlschemes_access.resources.many import Result

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
    "operate",
    "replace",
    "update",
]


def __getattr__(name: str) -> object:
    if name in {"AsyncDocument", "AsyncListing", "AsyncSession"}:
        from urlschemes_access.resources import asynchronous  # imports asyncio, which is heavy

        return getattr(asynchronous, name)
    if name == "Result":
        from urlschemes_access.resources.many import Result  # imports asyncio, too

        return Result
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
