"""Resources: what an operation returns (RFC 1738 section 2).

    with access(url) as document:
        for octets in document: ...            # as they arrive; or document.read(), .read_text(), .save(path)

A resource closes its connections when it has been read to its end, when it has failed, and at the end of a `with`
block.

synchronous.py         Document, Listing, Session
asynchronous.py        AsyncDocument, AsyncListing, AsyncSession
downloads.py           documents saved to files, and continued
many.py                many accesses at once
resource.py            the base of all resources; reading, decoding and saving documents

In: pieces and entries from a running operation. Out: octets, text, files, entries. Resources do not know protocols.
"""

from urlschemes_access.resources.synchronous import Document, Listing, Session, Source

__all__ = ["Document", "Listing", "Session", "Source"]
