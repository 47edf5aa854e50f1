"""What an operation returns: documents, listings and sessions (RFC 1738 section 2).

    with access(url) as document:
        for octets in document: ...            # as they arrive; or document.read(), .read_text(), .save(path)

A resource that was read to its end, or has failed, has closed its connections; leaving the `with` block closes them too.
"""

from urlschemes_access.resources.synchronous import Document, Listing, Outcome, Session, Source

__all__ = ["Document", "Listing", "Outcome", "Session", "Source"]
