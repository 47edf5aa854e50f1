"""Responses of urllib: a file with a header, made from a document or a listing."""

from __future__ import annotations

import io
from datetime import UTC
from email.message import Message
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.response import addinfourl

import urlschemes
from urlschemes_access import Document, Listing

if TYPE_CHECKING:
    from urlschemes_access import Entry, Session

__all__ = ["response_of"]

TABLE = "text/tab-separated-values; charset=utf-8"
COLUMNS = ("kind", "name", "url", "size")
"""The columns of the table that stands for a listing."""


def response_of(resource: Document | Listing | Session, url: str) -> addinfourl:
    """Return the response. Raises URLError for a session, and for a listing that cannot be read."""
    header = Message()
    attributes = resource.attributes
    if isinstance(resource, Document):
        header["Content-Type"] = attributes.media_type or "application/octet-stream"
        if attributes.size is not None:
            header["Content-Length"] = str(attributes.size)
        content: io.BufferedReader | io.BytesIO = io.BufferedReader(_DocumentFile(resource))
    elif isinstance(resource, Listing):
        header["Content-Type"] = TABLE
        content = io.BytesIO(_table(resource))
    else:
        resource.close()
        raise URLError("the URL designates an interactive session, which urllib cannot open")
    if attributes.modified is not None:
        header["Last-Modified"] = format_datetime(attributes.modified.astimezone(UTC), usegmt=True)
    response = addinfourl(content, header, url, 200)  # urllib looks at the code and the message of HTTP responses
    vars(response)["msg"] = "OK"
    return response


class _DocumentFile(io.RawIOBase):
    """A document as a file, which reads what is asked for."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        octets = self._read(len(buffer))
        buffer[: len(octets)] = octets
        return len(octets)

    def readall(self) -> bytes:
        return self._read(-1)  # which is limited: the iteration of RawIOBase is not

    def _read(self, most: int) -> bytes:
        try:
            return self._document.read(most)
        except urlschemes.URLError as error:
            raise URLError(error) from error

    def close(self) -> None:
        self._document.close()
        super().close()


def _table(listing: Listing) -> bytes:
    lines = ["\t".join(COLUMNS)]
    try:
        with listing:
            lines += ["\t".join(_row(entry)) for entry in listing]
    except urlschemes.URLError as error:
        raise URLError(error) from error
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _row(entry: Entry) -> list[str]:
    values = (entry.kind, entry.name, entry.url or "", "" if entry.size is None else str(entry.size))
    return [" ".join(value.split()) for value in values]
