"""The response to an HTTP request: status, header fields, and what follows from them (RFC 9110, RFC 9112).

h11 parses the header. Some responses that h11 accepts are refused here, because it is unclear where their body ends.
The body of a redirect is never read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

import h11

from urlschemes.errors import Hint
from urlschemes.redaction import one_line, redact, shown
from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import (
    AuthRequired,
    ConnectError,
    DeadlineExceeded,
    LimitExceeded,
    ProtocolError,
    RedirectRefused,
    RemoteError,
    Truncated,
)
from urlschemes_access.protocol import Algorithm, Close, Peer, Receive, Release, sent_so_far, unexpected
from urlschemes_access.protocol.times import mail_time

if TYPE_CHECKING:
    from urlschemes_http import RequestURL
    from urlschemes_http.codings import ContentDecoder

__all__ = ["MAX_HEAD", "MEDIA_TYPE", "REDIRECTS", "Method", "Response", "ResponseReader", "next_event"]

MAX_INTERIM_RESPONSES = 8
"""Interim (1xx) responses before the final one."""
MAX_FIELDS = 100
"""Header fields of one response."""
MAX_HEAD = 64 * 1024
"""Octets of status lines and header fields, interim responses included; also octets of a trailer."""
MAX_LENGTH = 2**63 - 1
"""The largest Content-Length; h11 accepts any number of 20 digits."""

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""Status codes that are followed (RFC 9110 section 15.4); 300 offers a choice, and 305 is obsolete."""

Method: TypeAlias = Literal["GET", "HEAD", "PUT", "DELETE"]
Framing: TypeAlias = Literal["length", "chunked", "close"]

_LENGTH_FIELD = re.compile(rb"^content-length:((?:[^\n]|\n[ \t])*)", re.IGNORECASE | re.MULTILINE)
_END_OF_HEAD = re.compile(rb"\n\r?\n")
_LAST_LOCATION = re.compile(rb"\nlocation:[^\n]*\Z", re.IGNORECASE)
_CONTROL_IN_LOCATION = re.compile(rb"\nlocation:[^\n]*?[\x00-\x08\x0b-\x1f](?!\n)", re.IGNORECASE)
MEDIA_TYPE = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+/[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*(?:;.*)?")


class ResponseReader:
    """Reads the responses to one request, up to the body: interim responses, then the final one.

    `head` holds the octets of the final response's status line and header fields.
    """

    __slots__ = ("_host", "_http", "_interim", "_peer", "_received", "_spent", "head")

    def __init__(self, http: h11.Connection, peer: Peer, host: str) -> None:
        self._http = http
        self._peer = peer
        self._host = host
        self._received = bytearray()  # since the last interim response
        self._spent = 0  # octets of the interim responses
        self._interim = 0
        self.head = b""

    def final(self, *, timeout: float | None = None) -> Algorithm[h11.Response]:
        """Return the final response. Raises DeadlineExceeded after `timeout` seconds without an octet of it."""
        while not isinstance(event := (yield from self.next(timeout=timeout)), h11.Response):
            if event is None:
                raise DeadlineExceeded(f"no response within {timeout:g} seconds", phase="response")
        return event

    def next(self, *, timeout: float | None = None) -> Algorithm[h11.InformationalResponse | h11.Response | None]:
        """Return the next response, interim or final; None after `timeout` seconds without an octet."""
        while True:
            # Another protocol's banner may be followed by silence: what cannot become a status line is refused at once.
            if not self._received.startswith(b"HTTP/1."[: len(self._received)]):
                raise unexpected(bytes(self._received), "status line", "an HTTP/1 status line")
            try:
                event = next_event(self._http, "header")
            except ProtocolError:
                # h11 refuses only some control characters; in a Location, all give the same error.
                if _is_redirect(self._received) and _CONTROL_IN_LOCATION.search(_head_of(self._received)):
                    raise RedirectRefused(
                        "the Location of the redirect contains a control character", reason="invalid"
                    ) from None
                raise
            if isinstance(event, h11.InformationalResponse | h11.Response):
                self._count(event)
                return event
            if self._spent + len(self._received) > MAX_HEAD:
                raise _too_long(bytes(self._received))
            octets = yield from Receive(self._peer, within=timeout, phase="response")
            if octets is None:
                return None
            if not octets:
                if not self._spent and not self._received:
                    raise ConnectError(f"{self._host} closed the connection without a response")
                raise Truncated("the response ended within its header", received=0)
            self._received += octets
            self._http.receive_data(octets)

    def _count(self, event: h11.InformationalResponse | h11.Response) -> None:
        """Count a response. Raises LimitExceeded."""
        beyond = self._http.trailing_data[0]
        self.head = bytes(self._received[: len(self._received) - len(beyond)])
        self._spent += len(self.head)
        if self._spent > MAX_HEAD:
            raise _too_long(self.head)
        if len(event.headers) > MAX_FIELDS:
            raise LimitExceeded(
                f"the response has {len(event.headers)} header fields: at most {MAX_FIELDS} are accepted",
                limit="header fields",
                value=MAX_FIELDS,
            )
        if isinstance(event, h11.InformationalResponse):
            self._interim += 1
            if self._interim > MAX_INTERIM_RESPONSES:
                raise LimitExceeded(
                    f"more than {MAX_INTERIM_RESPONSES} interim responses",
                    limit="interim responses",
                    value=MAX_INTERIM_RESPONSES,
                )
            self._received = bytearray(beyond)


class Response:
    """The response to one request. Its status and header fields were read, its body was not.

    `framing` says how the end of the body is found (RFC 9112 section 6.3), `size` is its length if that is known.
    `ended` is set once the body was read, unless octets followed it. `explanation` is what the body of an error says.
    """

    def __init__(
        self, url: RequestURL, method: Method, peer: Peer, http: h11.Connection, event: h11.Response, head: bytes
    ) -> None:
        """Raise ProtocolError for an unclear length, or an invalid status code, which h11 accepts."""
        self.url = url
        self.method = method
        self.peer = peer
        self.http = http
        self._headers = event.headers
        self.status = event.status_code
        self.reason = _printable(event.reason)
        coding = self.field("transfer-encoding")
        length = self.field("content-length")
        _check_framing(head, length, coding, event.http_version)
        if self.status > 599:
            raise ProtocolError(f"invalid status code {self.status}: expected 100 to 599", where="status line")
        empty = self.status == 204
        self.size = 0 if empty else None if length is None else int(length)
        self.framing: Framing = "chunked" if coding and not empty else "close" if self.size is None else "length"
        self.explanation = ""
        self.secret: bytes | None = None  # of the login in the request
        self.may_log_in = False
        self.ended = (empty or method == "HEAD") and not http.trailing_data[0]
        options = {option.strip().lower() for option in (self.field("connection") or "").split(",")}
        self._is_persistent = event.http_version == b"1.1" and "close" not in options

    @property
    def had_login(self) -> bool:
        """True if the request had a login."""
        return self.secret is not None

    def end(self) -> Algorithm[None]:
        """End the use of the connection: keep it for a later request if it can serve one (RFC 9112 section 9.3)."""
        if self.ended and self._is_persistent and self.peer.keepable:
            yield from Release(self.peer)
        else:
            yield from Close(self.peer)

    def field(self, name: str) -> str | None:
        """Return the value of a header field, whose name is in lower case; several as one list; None if absent."""
        key = name.encode("ascii")
        values = [_text(value) for each, value in self._headers if each == key]
        return ", ".join(values) if values else None

    def location(self) -> str:
        """Return the Location of a redirect. Raises ProtocolError unless there is exactly one."""
        values = [value for key, value in self._headers if key == b"location"]
        if len(values) != 1 or not values[0]:
            number = {0: "none", 1: "an empty one"}.get(len(values), "several")
            raise ProtocolError(f"expected a Location in the redirect ({self.status}), got {number}", where="Location")
        return _text(values[0])

    def __str__(self) -> str:
        return f"{self.url.host} responded with {self.status} {self.reason}".rstrip()

    def check_success(self, *, sent: int | None = None) -> None:
        """Raise the error of this status, unless it means success and the whole content.

        `sent` counts the octets of content that were sent before; None if there is no content to send.
        """
        after = "" if sent is None else f"; {sent_so_far(sent)}"
        if self.status in {401, 407}:
            hint = "the login was refused" if self.status == 401 else "logins to proxies are not supported"
            raise AuthRequired(f"{self}{after}", hint=hint, sent=sent)
        if self.status in {206, 304}:
            raise ProtocolError(
                f"{self}, but the request has neither a range nor a condition{after}", where="status line", sent=sent
            )
        if not 200 <= self.status < 300:
            retry = self.field("retry-after")
            said = f"the server says: {self.explanation}" if self.explanation else None
            raise RemoteError(
                f"{self}{after}",
                status=self.status,
                text=self.reason,
                temporary=self.status in {408, 429} or self.status >= 500,
                hint=Hint(said, retry and f"the server says to retry after: {retry}") or None,
                sent=sent,
            )

    def fields(self) -> dict[str, str]:
        """Return the header fields, safe to print, with `:status` (code and reason) and, after GET, `:framing`."""
        fields = {":status": f"{self.status} {self.reason}".rstrip()}
        if self.method == "GET":
            fields[":framing"] = self.framing
        for key, value in self._headers:
            name, text = _printable(key), _printable(value)
            fields[name] = f"{fields[name]}, {text}" if name in fields else text
        return fields

    def decoder(self) -> ContentDecoder | None:
        """Return a decoder for the content; None if it has no content coding. Raises ProtocolError for another one."""
        from urlschemes_http.codings import ContentDecoder  # late: only for compressed content

        coding = (self.field("content-encoding") or "").strip().lower()
        return ContentDecoder(one_line(coding, 60)) if coding not in ("", "identity") else None

    def attributes(self, *, decoded: bool = False) -> Attributes:
        """Return what the header says of the resource, safe to print.

        The media type is that of the octets delivered: a body with a content coding has none, unless it is `decoded`.
        Then it has no size, and the field `:decoded` names the coding.
        """
        fields = self.fields()
        if decoded:
            fields[":decoded"] = fields["content-encoding"]
        media_type = fields.get("content-type", "")
        coded = fields.get("content-encoding", "identity").lower() != "identity"
        return Attributes(
            media_type=media_type if MEDIA_TYPE.fullmatch(media_type) and (decoded or not coded) else None,
            size=None if decoded else self.size,
            modified=mail_time(fields.get("last-modified", "")),
            fields=fields,
        )


def next_event(http: h11.Connection, where: str) -> h11.Event | type[h11.NEED_DATA | h11.PAUSED]:
    """Return what h11 finds next. Raises ProtocolError."""
    try:
        return http.next_event()
    except h11.RemoteProtocolError as error:
        # The text may quote all that was received: only its beginning is kept, and no reference to the rest.
        raise ProtocolError(one_line(str(error).replace("bytearray", ""), 200), where=where) from None


def _check_framing(head: bytes, length: str | None, coding: str | None, version: bytes) -> None:
    """Raise ProtocolError if it is unclear where the body ends."""
    lengths = _LENGTH_FIELD.findall(head)
    if len(lengths) > 1 or any(b"," in value for value in lengths):
        raise ProtocolError("the response has more than one Content-Length", where="Content-Length")
    if lengths and coding:
        raise ProtocolError("the response has both a Content-Length and a Transfer-Encoding", where="Content-Length")
    if length is not None and int(length) > MAX_LENGTH:
        raise ProtocolError(f"invalid Content-Length {length}: expected at most {MAX_LENGTH}", where="Content-Length")
    if coding and version == b"1.0":
        raise ProtocolError("an HTTP/1.0 response must not have a Transfer-Encoding", where="Transfer-Encoding")


def _too_long(head: bytes) -> LimitExceeded | RedirectRefused:
    """Return the error for a head longer than MAX_HEAD; a redirect with a long Location has its own."""
    if _is_redirect(head) and _LAST_LOCATION.search(head[: MAX_HEAD + 1]):
        return RedirectRefused(f"the Location of the redirect is longer than {MAX_HEAD} octets", reason="invalid")
    return LimitExceeded(
        f"the header of the response is longer than {MAX_HEAD} octets", limit="header octets", value=MAX_HEAD
    )


def _head_of(octets: bytearray) -> bytes:
    return bytes(_END_OF_HEAD.split(octets, 1)[0])


def _is_redirect(head: bytes | bytearray) -> bool:
    """Return True if the status of a head that h11 has not parsed is one of REDIRECTS."""
    status = head[len(b"HTTP/1.1 ") :][:3]
    return status.isdigit() and int(status) in REDIRECTS


def _text(octets: bytes) -> str:
    return octets.decode("utf-8", "surrogateescape")


def _printable(octets: bytes) -> str:
    return shown(redact(_text(octets)))
