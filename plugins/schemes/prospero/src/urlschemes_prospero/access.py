"""Access by the Prospero protocol, version 5, over ARDP (RFC 1738 section 3.11).

    GET-OBJECT-INFO #ALL        the attributes of the object, and its access methods
    GET-OBJECT-INFO CONTENTS    the object, if Prospero itself sends it: a document
    DIRECTORY, LIST             its links, if it has no access method: a listing

If an object has moved, the request is sent to its new location, under the policy for redirects.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from urlschemes.errors import InvalidURL, UnsafeURL, UnsupportedOperation
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes.redaction import one_line
from urlschemes_access.errors import ProtocolError, RedirectRefused, RemoteError, Truncated
from urlschemes_access.protocol import Algorithm, Close, Connect, Deliver, Follow, Open, Peer
from urlschemes_prospero import ProsperoURL
from urlschemes_prospero.access_methods import CONTENTS, method_entry, object_url
from urlschemes_prospero.datagrams import RETRY, Redirect, check_length, exchange
from urlschemes_prospero.listing import attributes_of, link_entry
from urlschemes_prospero.request import list_request, object_info_request
from urlschemes_prospero.response import Forwarded, Response, parse_response

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from urlschemes_access.attributes import Attributes
    from urlschemes_prospero.response import Attribute

__all__ = ["access", "find_attributes"]

MAX_RETRY = 3600
"""Seconds that the option `retry` must be below."""

_VERSION = re.compile(r"[0-9]{1,9}")
_NO_OBJECT = frozenset({"NOT-FOUND", "NOT-A-DIRECTORY"})


def access(
    url: ProsperoURL, *, want: Literal["", "contents", "methods", "links"] = "", retry: float = RETRY
) -> Algorithm[None]:
    """Deliver the contents of the object, or its access methods, or the links of a directory.

    `want` selects one of these; by default the server's response decides. `retry` is the time in seconds after which an
    unanswered request is repeated. A field of the URL that is also an attribute of the object must have the same value.
    Raise UnsafeURL before connecting; RemoteError, AuthRequired, RedirectRefused, Truncated.
    """
    if want not in ("", "contents", "methods", "links"):
        raise UnsupportedOperation(f"invalid want '{one_line(want, 40)}': expected contents, methods or links")
    server = _ObjectServer(url, retry)
    response, refusal = Response(), None
    if want in ("", "methods"):
        try:
            response = yield from server.ask(_all_attributes)
        except RemoteError as error:
            # A directory that the server generates, such as the results of a query, has no attributes.
            if want or error.status != "NOT-FOUND":
                raise
            refusal = error
    _check_fields(server.url, response.attributes)
    methods = response.values("ACCESS-METHOD")
    if want == "contents" or (not want and any(value[:1] == (CONTENTS,) for value in methods)):
        yield from _deliver_contents(server, response)
    elif want == "methods" or methods:
        yield from Open("listing", replace(_attributes(response, server.url), size=None))
        for value in methods:
            yield from Deliver(method_entry(value, server.url))
    else:
        yield from _deliver_links(server, response, refusal)
    yield from server.close()


def find_attributes(url: ProsperoURL, *, retry: float = RETRY) -> Algorithm[None]:
    """Return all attributes of the object in `fields`; access methods as URLs. Raise the errors of `access`."""
    server = _ObjectServer(url, retry)
    response = yield from server.ask(_all_attributes)
    _check_fields(server.url, response.attributes)
    yield from Open("attributes", _attributes(response, server.url))
    yield from server.close()


class _ObjectServer:
    """The server that has the object now; `url` is the object's URL there.

    Raise UnsafeURL for a URL that no request can carry.
    """

    def __init__(self, url: ProsperoURL, retry: float) -> None:
        if not 0 < retry < MAX_RETRY:
            raise UnsupportedOperation(f"invalid retry {retry}: expected more than 0 and less than {MAX_RETRY} seconds")
        _name_and_version(url)
        self.url = url
        self._retry = retry
        self._peer: Peer | None = None

    def ask(self, request: Callable[[bytes, int], bytes]) -> Algorithm[Response]:
        """Send a request about the object, wherever it is. Raise RemoteError, AuthRequired, RedirectRefused."""
        while True:
            message = request(*_name_and_version(self.url))
            check_length(message)
            if self._peer is None:
                self._peer = yield from Connect(self.url.host, self.url.port, transport="udp", label="datagrams")
            received = yield from exchange(self._peer, message, retry=self._retry)
            moved: Forwarded | Redirect | None
            if isinstance(received, Redirect):
                moved = received
            else:
                response = parse_response(received)
                moved = response.forwarded
                if moved is None:
                    return response
            followed = yield from Follow(str(_new_url(self.url, moved)))
            if not isinstance(followed, ProsperoURL):
                raise _not_followed("it is not a prospero URL", str(followed))
            yield from self.close()
            self.url = followed

    def close(self) -> Algorithm[None]:
        """Close the connection; the next request opens another one."""
        if self._peer is not None:
            yield from Close(self._peer)
            self._peer = None


def _new_url(url: ProsperoURL, moved: Forwarded | Redirect) -> ProsperoURL:
    """Return the URL of the object at its new location. Raise RedirectRefused if it has none."""
    fields = url.fields
    try:
        if isinstance(moved, Redirect):
            new = type(url)(host=moved.host, port=moved.port, hsoname=url.hsoname)
        else:
            new = object_url(type(url), *moved)
            fields = (*(field for field in fields if field[0].upper() != "OBJECT-VERSION"), *new.fields)
        new = new.replace(fields=fields)
        _name_and_version(new)
    except (InvalidURL, UnsafeURL) as error:
        raise _not_followed(str(error), " ".join(map(str, moved))) from error
    return new


def _not_followed(reason: str, location: str) -> RedirectRefused:
    return RedirectRefused(
        f"the new location of the object is not followed: {reason}", reason="invalid", location=location
    )


def _check_fields(url: ProsperoURL, attributes: Iterable[Attribute]) -> None:
    """Raise RemoteError if the object has an attribute to which a field of the URL gives another value."""
    known: dict[str, set[str]] = {}
    for attribute in attributes:
        known.setdefault(attribute.name, set()).add(text_of(b" ".join(attribute.values)))
    for name, expected in url.fields:
        values = known.get({"OBJECT-VERSION": "VERSION-NUMBER"}.get(name.upper(), name.upper()))
        if values and expected not in values:
            raise RemoteError(
                f"the object has another {one_line(name, 40)} than the URL names", text="; ".join(sorted(values))
            )


def _all_attributes(name: bytes, version: int) -> bytes:
    return object_info_request(b"#ALL", name, version)


def _contents(name: bytes, version: int) -> bytes:
    return object_info_request(b"CONTENTS", name, version)


def _name_and_version(url: ProsperoURL) -> tuple[bytes, int]:
    """Return what identifies the object in a request; version 0 is the current one.

    Raise UnsafeURL for a control octet, and for a version that is not a number or contradicts another.
    """
    url.check_line()
    versions = {value for name, value in url.fields if name.upper() == "OBJECT-VERSION"} or {"0"}
    version = versions.pop()
    if versions or not _VERSION.fullmatch(version):
        raise UnsafeURL(
            f"invalid OBJECT-VERSION '{one_line(version, 40)}': expected one number of at most nine digits",
            scheme="prospero",
            part="fields",
        )
    return octets_of(url.hsoname), int(version)


def _attributes(response: Response, url: ProsperoURL) -> Attributes:
    attributes = attributes_of(response.attributes, url)
    if response.warnings:
        attributes = replace(attributes, fields={**attributes.fields, "WARNING": "\n".join(response.warnings)})
    return attributes


def _deliver_contents(server: _ObjectServer, known: Response) -> Algorithm[None]:
    """Deliver the contents; `known` are the attributes of the object, if they were requested before."""
    response = yield from server.ask(_contents)
    _check_fields(server.url, response.attributes)
    values = [value for value in response.values("CONTENTS") if value[:1] in {(b"DATA",), (b"TAGGED",)}]
    if not values:
        raise ProtocolError("the server sent no contents of the object", where="contents")
    form, *tokens = values[0]
    # The first token of a tagged text is its tag; an empty file has no token.
    octets = b" ".join(tokens[1:] if form == b"TAGGED" else tokens)
    if not known.attributes:
        known.attributes = [attribute for attribute in response.attributes if attribute.name != "CONTENTS"]
    known.warnings += response.warnings
    attributes = _attributes(known, server.url)
    if attributes.size is not None and len(octets) < attributes.size:
        # Servers that hold texts as C strings lose what follows a NUL.
        raise Truncated(
            f"received {len(octets)} of {attributes.size} octets",
            received=len(octets),
            expected=attributes.size,
            partial=octets,
        )
    yield from Open("document", replace(attributes, size=len(octets)))
    if octets:
        yield from Deliver(octets)


def _deliver_links(server: _ObjectServer, known: Response, refusal: RemoteError | None) -> Algorithm[None]:
    """Deliver the links of the directory. If it is none, raise the `refusal` of an earlier request instead."""
    try:
        response = yield from server.ask(list_request)
    except RemoteError as error:
        if refusal is not None and error.status in _NO_OBJECT:
            raise refusal from None
        raise
    known.warnings += response.warnings
    yield from Open("listing", replace(_attributes(known, server.url), size=None))
    for link in response.links:
        yield from Deliver(link_entry(link, server.url))
