"""Access by the Prospero protocol, version 5, over ARDP, as RFC 1738 section 3.11 says.

    GET-OBJECT-INFO #ALL        what is known of the object, and how it can be had
    GET-OBJECT-INFO CONTENTS    the object, where Prospero itself gives it: a document
    DIRECTORY, LIST             its links, where it tells no way to have it: a listing

An object that has moved is looked for where its server says, under the policy that holds for redirects.
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
from urlschemes_prospero.ardp import RETRY, Redirected, check_length, exchange
from urlschemes_prospero.links import attributes_of, entry_of
from urlschemes_prospero.methods import CONTENTS, method_of, object_url
from urlschemes_prospero.protocol import Forwarded, Reply, listing, object_info, read

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_access.attributes import Attributes

__all__ = ["access", "find_attributes"]

_VERSION = re.compile(r"[0-9]{1,9}")
_NO_OBJECT = frozenset({"NOT-FOUND", "NOT-A-DIRECTORY"})


def access(
    url: ProsperoURL, *, want: Literal["", "contents", "methods", "links"] = "", retry: float = RETRY
) -> Algorithm[None]:
    """Deliver what `url` designates: the object's contents, or else its access methods, or the links of a directory.

    `want` says which of these, where not the server's answers shall decide; `retry` is the time in seconds after which
    a request is sent again. A field of the URL that is an attribute of the object too must have the same value.
    Raises UnsafeURL before it connects; RemoteError, AuthRequired, RedirectRefused, Truncated.
    """
    if want not in ("", "contents", "methods", "links"):
        raise UnsupportedOperation(
            f"'{one_line(want, 40)}' is nothing that a Prospero server gives",
            hint="want is contents, methods or links, or is left out",
        )
    server = _Server(url, retry)
    known, refusal = Reply(), None
    if want in ("", "methods"):
        try:
            known = yield from server.ask(_all_attributes)
        except RemoteError as error:
            # A directory that a server makes up, of the answers to a query, is no object of which it knows anything.
            if want or error.status != "NOT-FOUND":
                raise
            refusal = error
    server.identify(known)
    methods = known.values("ACCESS-METHOD")
    if want == "contents" or (not want and any(value[:1] == (CONTENTS,) for value in methods)):
        yield from _deliver_contents(server, known)
    elif want == "methods" or methods:
        yield from Open("listing", replace(_facts(known, server.url), size=None))
        for value in methods:
            yield from Deliver(method_of(value, server.url))
    else:
        yield from _deliver_links(server, known, refusal)
    yield from server.close()


def find_attributes(url: ProsperoURL, *, retry: float = RETRY) -> Algorithm[None]:
    """All attributes that the server tells of the object, in its words in `fields`; access methods as their URLs.

    Raises what `access` raises.
    """
    server = _Server(url, retry)
    known = yield from server.ask(_all_attributes)
    server.identify(known)
    yield from Open("attributes", _facts(known, server.url))
    yield from server.close()


class _Server:
    """Who has the object now: `url` says where. Raises UnsafeURL for a URL that no request can carry."""

    def __init__(self, url: ProsperoURL, retry: float) -> None:
        if not 0 < retry < 3600:
            raise UnsupportedOperation("retry is a number of seconds, above 0 and below an hour")
        _name_and_version(url)
        self.url = url
        self._retry = retry
        self._peer: Peer | None = None

    def ask(self, request: Callable[[bytes, int], bytes]) -> Algorithm[Reply]:
        """Ask about the object, wherever it is. Raises RemoteError, AuthRequired, RedirectRefused."""
        while True:
            message = request(*_name_and_version(self.url))
            check_length(message)
            if self._peer is None:
                self._peer = yield from Connect(self.url.host, self.url.port, transport="udp", label="datagrams")
            answer = yield from exchange(self._peer, message, retry=self._retry)
            moved: Forwarded | Redirected | None
            if isinstance(answer, Redirected):
                moved = answer
            else:
                reply = read(answer)
                moved = reply.forwarded
                if moved is None:
                    return reply
            followed = yield from Follow(str(self._elsewhere(moved)))
            if not isinstance(followed, ProsperoURL):
                raise _not_followed("it leads to another kind of resource", str(followed))
            yield from self.close()
            self.url = followed

    def identify(self, known: Reply) -> None:
        """Raises RemoteError where the object has an attribute that a field of the URL gives another value."""
        has: dict[str, set[str]] = {}
        for attribute in known.attributes:
            has.setdefault(attribute.name, set()).add(text_of(b" ".join(attribute.values)))
        for name, wanted in self.url.fields:
            values = has.get({"OBJECT-VERSION": "VERSION-NUMBER"}.get(name.upper(), name.upper()))
            if values and wanted not in values:
                raise RemoteError(
                    f"the object has not the {one_line(name, 40)} that the URL names", text="; ".join(sorted(values))
                )

    def close(self) -> Algorithm[None]:
        """Nothing more is asked there."""
        if self._peer is not None:
            yield from Close(self._peer)
            self._peer = None

    def _elsewhere(self, moved: Forwarded | Redirected) -> ProsperoURL:
        """The object at its new place. Raises RedirectRefused where that is none."""
        fields = self.url.fields
        try:
            if isinstance(moved, Redirected):
                place = ProsperoURL(host=moved.host, port=moved.port, hsoname=self.url.hsoname)
            else:
                place = object_url(*moved)
                fields = (*(field for field in fields if field[0].upper() != "OBJECT-VERSION"), *place.fields)
            place = place.replace(fields=fields)
            _name_and_version(place)
        except (InvalidURL, UnsafeURL) as fault:
            raise _not_followed(str(fault), " ".join(map(str, moved))) from fault
        return place


def _not_followed(why: str, where: str) -> RedirectRefused:
    return RedirectRefused(
        f"what the server says of the object's new place is not followed: {why}",
        reason="invalid",
        location=one_line(where, 120),
    )


def _all_attributes(name: bytes, version: int) -> bytes:
    return object_info(b"#ALL", name, version)


def _contents(name: bytes, version: int) -> bytes:
    return object_info(b"CONTENTS", name, version)


def _name_and_version(url: ProsperoURL) -> tuple[bytes, int]:
    """What identifies the object in a request; without a version, 0 asks for the current one.

    Raises UnsafeURL for a control octet, and for a version that is no number or contradicts another.
    """
    url.check_line()
    versions = {value for name, value in url.fields if name.upper() == "OBJECT-VERSION"} or {"0"}
    version = versions.pop()
    if versions or not _VERSION.fullmatch(version):
        raise UnsafeURL(
            "OBJECT-VERSION is one number, of at most nine digits",
            scheme="prospero",
            part="fields",
            section="RFC 1738 section 3.11",
        )
    return octets_of(url.hsoname), int(version)


def _facts(reply: Reply, url: ProsperoURL) -> Attributes:
    known = attributes_of(reply.attributes, url)
    if reply.warnings:
        known = replace(known, fields={**known.fields, "WARNING": "\n".join(reply.warnings)})
    return known


def _deliver_contents(server: _Server, known: Reply) -> Algorithm[None]:
    reply = yield from server.ask(_contents)
    server.identify(reply)
    found = [value for value in reply.values("CONTENTS") if value[:1] in {(b"DATA",), (b"TAGGED",)}]
    if not found:
        raise ProtocolError("the server gives no contents of the object", where="contents")
    form, *tokens = found[0]
    # A tagged text has its tag before it; no token at all is an empty file.
    octets = b" ".join(tokens[1:] if form == b"TAGGED" else tokens)
    if not known.attributes:
        known.attributes = [attribute for attribute in reply.attributes if attribute.name != "CONTENTS"]
    known.warnings += reply.warnings
    attributes = _facts(known, server.url)
    if attributes.size is not None and len(octets) < attributes.size:
        # Servers that hold texts as C strings lose what follows a NUL.
        raise Truncated(
            f"{len(octets)} of {attributes.size} octets came",
            received=len(octets),
            expected=attributes.size,
            partial=octets,
        )
    yield from Open("document", replace(attributes, size=len(octets)))
    if octets:
        yield from Deliver(octets)


def _deliver_links(server: _Server, known: Reply, refusal: RemoteError | None) -> Algorithm[None]:
    """The links of the directory. Where it is none, that an earlier request was refused comes out instead."""
    try:
        reply = yield from server.ask(listing)
    except RemoteError as error:
        if refusal is not None and error.status in _NO_OBJECT:
            raise refusal from None
        raise
    known.warnings += reply.warnings
    yield from Open("listing", replace(_facts(known, server.url), size=None))
    for link in reply.links:
        yield from Deliver(entry_of(link, server.url))
