"""Access to servers of this machine, for tests: a document or a listing, and all that is in one."""

from __future__ import annotations

from typing import Any

import urlschemes_access
from urlschemes_access import Client, Document, Entry, Listing, Policy

__all__ = ["HERE", "content_of", "entries_of", "open_document", "open_listing"]

HERE = Policy.interactive()


def open_document(url: Any, client: Client | None = None, **arguments: Any) -> Document:
    """Open a document: by default with the policy of a URL that somebody typed, or else by `client`."""
    if client is not None:
        return client.open_document(url, **arguments)
    return urlschemes_access.open_document(url, **{"policy": HERE, **arguments})


def open_listing(url: Any, **arguments: Any) -> Listing:
    """Open a listing."""
    return urlschemes_access.open_listing(url, **{"policy": HERE, **arguments})


def content_of(url: Any, client: Client | None = None, **arguments: Any) -> bytes:
    """Return the content of a document."""
    with open_document(url, client, **arguments) as found:
        return found.read()


def entries_of(url: Any, **arguments: Any) -> list[Entry]:
    """Return the entries of a listing."""
    with open_listing(url, **arguments) as found:
        return list(found)
