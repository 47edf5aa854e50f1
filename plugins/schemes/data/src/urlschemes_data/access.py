"""Access to data URLs (RFC 2397 section 2). The content is in the URL: nothing is connected to, no file is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_access.attributes import Attributes
from urlschemes_access.protocol import Algorithm, Deliver, Open

if TYPE_CHECKING:
    from urlschemes_data.rfc3986 import DataURL

__all__ = ["access"]


def access(url: DataURL) -> Algorithm[None]:
    """Deliver the content. Raises UnsafeURL for wrong base64, and for a media type that MIME cannot write."""
    media_type, content = url.media_type, url.octets
    yield from Open("document", Attributes(media_type=media_type, size=len(content)))
    yield from Deliver(content)
