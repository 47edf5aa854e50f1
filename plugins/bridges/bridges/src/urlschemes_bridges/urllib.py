"""A handler of urllib.request that opens the URLs of chosen schemes under a policy.

    opener = urllib.request.build_opener(URLHandler("gopher", "ftp", policy=Policy.untrusted()))
    with opener.open("gopher://host.dom/0/notes.txt") as response:
        ...

A response is a file with a header: the octets of a document, or the table of a listing.
"""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC
from email.message import Message
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.request import BaseHandler, Request
from urllib.response import addinfourl

import urlschemes
from urlschemes.errors import UnknownScheme
from urlschemes_bridges.extras import needs_extra

with needs_extra("urllib"):
    from urlschemes_access import Client, Document, Listing, Policy

if TYPE_CHECKING:
    from urlschemes_access import Entry, Session

__all__ = ["URLHandler"]

TABLE = "text/tab-separated-values; charset=utf-8"
COLUMNS = ("kind", "name", "url", "size")
"""The columns of the table that stands for a listing."""


class URLHandler(BaseHandler):
    """Opens URLs of `schemes`, by default those that urllib cannot open itself.

    Redirects and everything else obey the `policy`; the default allows the public Internet. `settings` are those of
    Client, such as `credentials` and `options`. Only reading is possible: a request with a method other than GET, with
    content or with header fields raises URLError, as does everything that urlschemes refuses. Raises UnknownScheme for
    a scheme that is not installed.
    """

    handler_order = 100  # before urllib's own handlers, for ftp, http, https and file

    def __init__(self, *schemes: str, policy: Policy | None = None, **settings: Any) -> None:
        self._client = Client(policy=policy, **settings)
        for scheme in schemes:
            if scheme not in self._client.registry:  # urllib would open what was misspelt, without the policy
                raise UnknownScheme(f"no installed plugin provides scheme {scheme!r}", scheme=scheme)
        for name in map(str.lower, schemes or ["unknown"]):  # `unknown_open` is called where urllib has no other
            setattr(self, f"{name}_open", self._open)

    def _open(self, request: Request) -> addinfourl:
        if request.get_method() != "GET" or request.data is not None or request.headers:
            raise URLError(f"{request.type} URLs are opened by urlschemes: only GET, without content and header fields")
        try:
            resource = self._client.access(request.full_url, policy=self._policy(request))
        except urlschemes.URLError as error:
            raise URLError(error) from error
        return _response(resource, request.full_url)

    def _policy(self, request: Request) -> Policy:
        """Return the policy with the timeout of the request, which bounds each wait as that of a socket does."""
        policy = self._client.policy
        timeout = getattr(request, "timeout", None)  # an object that stands for none, unless the caller named one
        if not isinstance(timeout, int | float):
            return policy
        return replace(policy, limits=replace(policy.limits, connect=timeout, first_octet=timeout, idle=timeout))


def _response(resource: Document | Listing | Session, url: str) -> addinfourl:
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
