"""Operations on what URLs locate (RFC 1738 section 2): access, find attributes, update, replace and delete.

from urlschemes_access import access

with access("ftp://host.dom/pub/readme.txt") as document:
    document.save("readme.txt")

client.py           Client and AsyncClient, and the functions that use a client without settings
operations.py       from a URL to a dialogue: vetoes, gateways, options
protocol/           what an algorithm may ask for: the vocabulary of plugins
dialogue/           every rule of an access; no I/O
backends/           I/O: blocking, on an event loop, files
resources/          what an operation returns: documents, listings, sessions
"""

from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.client import AsyncClient, Client, access, delete, find_attributes, operate, replace, update
from urlschemes_access.configuration import Configuration
from urlschemes_access.credentials import Credentials
from urlschemes_access.errors import AccessError, PolicyDenied
from urlschemes_access.policy import Limits, Policy
from urlschemes_access.resources.synchronous import Document, Listing, Session
from urlschemes_access.trace_event import TraceEvent

__all__ = [
    "AccessError",
    "AsyncClient",
    "Attributes",
    "Client",
    "Configuration",
    "Credentials",
    "Document",
    "Entry",
    "Limits",
    "Listing",
    "Policy",
    "PolicyDenied",
    "Session",
    "TraceEvent",
    "access",
    "delete",
    "find_attributes",
    "operate",
    "replace",
    "update",
]
