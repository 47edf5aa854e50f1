"""What a server answers (RFC 9110, RFC 9112): status, header fields and body, as far as they can be trusted.

h11 reads the messages, but for a body that comes in no chunks. What it lets pass, and a client that must never take a
part for the whole cannot, is refused here. The body of a redirect or of an error is never read.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

import h11

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
from urlschemes_access.protocol import CHUNK, LINE, Algorithm, Deliver, Peer, Receive, sent_so_far, unexpected

if TYPE_CHECKING:
    from urlschemes_http import HttpURL

__all__ = ["FOLLOWED", "MEDIA_TYPE", "MOST_HEAD", "Answer", "Head", "Method"]

MOST_INTERIM = 8
"""Interim (1xx) answers before the real one."""
MOST_FIELDS = 100
"""Header fields in one answer."""
MOST_HEAD = 64 * 1024
"""Octets of status lines and header fields, those of interim answers included; also those of a trailer."""
MOST_TRAILERS = 32
"""Trailer fields after a chunked body."""
MOST_LENGTH = 2**63 - 1
"""The longest Content-Length that means anything; h11 takes any number of 20 digits."""

FOLLOWED = frozenset({301, 302, 303, 307, 308})
"""The status codes that say where else to ask (RFC 9110 section 15.4); 300 offers a choice, 305 is obsolete."""

Method: TypeAlias = Literal["GET", "HEAD", "PUT", "DELETE"]
Framing: TypeAlias = Literal["length", "chunked", "close"]

_LENGTH_FIELD = re.compile(rb"^content-length:((?:[^\n]|\n[ \t])*)", re.IGNORECASE | re.MULTILINE)
_END_OF_HEAD = re.compile(rb"\n\r?\n")
_LAST_LOCATION = re.compile(rb"\nlocation:[^\n]*\Z", re.IGNORECASE)
_CONTROL_IN_LOCATION = re.compile(rb"\nlocation:[^\n]*?[\x00-\x08\x0b-\x1f](?!\n)", re.IGNORECASE)
_CHUNK_SIZE = re.compile(rb"0*([0-9A-Fa-f]{1,15})(?![0-9A-Fa-f])")
MEDIA_TYPE = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+/[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*(?:;.*)?")


class Head:
    """What comes in answer to one request, up to the body: interim answers, then the final one.

    `octets` are those that the final answer's status line and header fields came as.
    """

    __slots__ = ("_host", "_http", "_interim", "_peer", "_raw", "_spent", "octets")

    def __init__(self, http: h11.Connection, peer: Peer, host: str) -> None:
        self._http = http
        self._peer = peer
        self._host = host
        self._raw = bytearray()  # what came since the last interim answer
        self._spent = 0  # octets of the interim answers
        self._interim = 0
        self.octets = b""

    def final(self, *, within: float | None = None) -> Algorithm[h11.Response]:
        """The final answer. Raises DeadlineExceeded where `within` seconds passed without an octet of it."""
        while not isinstance(event := (yield from self.next(within=within)), h11.Response):
            if event is None:
                raise DeadlineExceeded(f"no answer came within {within:g} seconds", phase="response")
        return event

    def next(self, *, within: float | None = None) -> Algorithm[h11.InformationalResponse | h11.Response | None]:
        """The next answer, interim or final; None where `within` seconds passed without an octet."""
        while True:
            # Another protocol's banner may be followed by silence: what can become no status line is refused at once.
            if not self._raw.startswith(b"HTTP/1."[: len(self._raw)]):
                raise unexpected(bytes(self._raw), "status line", "an HTTP/1 status line")
            try:
                event = _next_event(self._http, "header")
            except ProtocolError:
                # h11 refuses some controls in a field and passes others on; where a redirect points is refused in one
                # way.
                if _redirects(self._raw) and _CONTROL_IN_LOCATION.search(_END_OF_HEAD.split(self._raw, 1)[0]):
                    raise RedirectRefused(
                        "the redirect's Location holds a control character", reason="invalid"
                    ) from None
                raise
            if isinstance(event, h11.InformationalResponse | h11.Response):
                self._take(event)
                return event
            if self._spent + len(self._raw) > MOST_HEAD:
                raise _too_long(bytes(self._raw))
            octets = yield from Receive(self._peer, within=within, phase="response")
            if octets is None:
                return None
            if not octets:
                if not self._spent and not self._raw:
                    raise ConnectError(f"{self._host} closed the connection without an answer")
                raise Truncated("the answer ended within its header", received=0)
            self._raw += octets
            self._http.receive_data(octets)

    def _take(self, event: h11.InformationalResponse | h11.Response) -> None:
        """Count an answer. Raises LimitExceeded."""
        beyond = self._http.trailing_data[0]
        self.octets = bytes(self._raw[: len(self._raw) - len(beyond)])
        self._spent += len(self.octets)
        if self._spent > MOST_HEAD:
            raise _too_long(self.octets)
        if len(event.headers) > MOST_FIELDS:
            raise LimitExceeded(
                f"the answer has {len(event.headers)} header fields", limit="header fields", value=MOST_FIELDS
            )
        if isinstance(event, h11.InformationalResponse):
            self._interim += 1
            if self._interim > MOST_INTERIM:
                raise LimitExceeded(
                    f"more than {MOST_INTERIM} interim answers came", limit="interim answers", value=MOST_INTERIM
                )
            self._raw = bytearray(beyond)


class Answer:
    """The answer to one request: its status and header fields are read, its body is not."""

    def __init__(
        self, url: HttpURL, method: Method, peer: Peer, http: h11.Connection, response: h11.Response, head: bytes
    ) -> None:
        """Raise ProtocolError for what h11 lets pass: a length stated twice, or beside chunks; a status of no class."""
        self.url = url
        self.method = method
        self.peer = peer
        self._http = http
        self._headers = response.headers
        self.status = response.status_code
        self.reason = _safe(response.reason)
        coding = self.field("transfer-encoding")
        length = self.field("content-length")
        stated = _LENGTH_FIELD.findall(head)
        if len(stated) > 1 or any(b"," in value for value in stated):
            raise ProtocolError("the answer states its length more than once", where="Content-Length")
        if stated and coding:
            raise ProtocolError("the answer states its length, and is chunked too", where="Content-Length")
        if length is not None and int(length) > MOST_LENGTH:
            raise ProtocolError("the answer states an impossible length", where="Content-Length")
        if coding and response.http_version == b"1.0":
            raise ProtocolError("an HTTP/1.0 answer cannot be chunked", where="Transfer-Encoding")
        if self.status > 599:
            raise ProtocolError(f"there is no status {self.status}", where="status line")
        empty = self.status == 204
        self.size = 0 if empty else None if length is None else int(length)
        self.framing: Framing = "chunked" if coding and not empty else "close" if self.size is None else "length"

    def field(self, name: str) -> str | None:
        """The value of the header field `name` (in lower case), of several the list of them; None when absent."""
        wanted = name.encode("ascii")
        values = [_text(value) for found, value in self._headers if found == wanted]
        return ", ".join(values) if values else None

    def location(self) -> str:
        """Where a redirect points to. Raises ProtocolError unless it says so exactly once."""
        found = [value for name, value in self._headers if name == b"location"]
        if len(found) != 1 or not found[0]:
            number = {0: "no", 1: "an empty"}.get(len(found), "more than one")
            raise ProtocolError(f"the redirect ({self.status}) has {number} Location", where="Location")
        return _text(found[0])

    def __str__(self) -> str:
        return f"{self.url.host} answers {self.status} {self.reason}".rstrip()

    def judge(self, *, sent: int | None = None) -> None:
        """Raise what the status means, unless it means success, and the whole of it.

        `sent` is how many octets of content had been sent before, where there is any.
        """
        said = str(self)
        after = "" if sent is None else f"; {sent_so_far(sent)}"
        if self.status in {401, 407}:
            hint = "the login was refused" if self.status == 401 else "logins to proxies are not supported"
            raise AuthRequired(f"{said}{after}", hint=hint, sent=sent)
        if self.status in {206, 304}:
            raise ProtocolError(
                f"{said}, and neither a part nor a condition was asked for{after}", where="status line", sent=sent
            )
        if not 200 <= self.status < 300:
            later = self.field("retry-after")
            raise RemoteError(
                f"{said}{after}",
                status=self.status,
                text=self.reason,
                temporary=self.status in {408, 429} or self.status >= 500,
                hint=f"it says to try again after: {later}" if later else None,
                sent=sent,
            )

    def fields(self) -> dict[str, str]:
        """The status line and the header fields, safe to show.

        `:status` is the status with its words, and `:framing`, where there is a body, tells how its end is known (RFC
        9112 section 6.3): "length", "chunked", or "close", where a whole body cannot be told from one that was cut off.
        """
        fields = {":status": f"{self.status} {self.reason}".rstrip()}
        if self.method == "GET":
            fields[":framing"] = self.framing
        for name, value in self._headers:
            key, text = _safe(name), _safe(value)
            fields[key] = f"{fields[key]}, {text}" if key in fields else text
        return fields

    def attributes(self) -> Attributes:
        """What the status line and the header fields say of the resource, safe to show.

        The media type is that of the octets delivered, so that a coded body has none; `content-type` and
        `content-encoding` say both.
        """
        fields = self.fields()
        media_type = fields.get("content-type", "")
        coded = fields.get("content-encoding", "identity").lower() != "identity"
        return Attributes(
            media_type=media_type if MEDIA_TYPE.fullmatch(media_type) and not coded else None,
            size=self.size,
            modified=_moment(fields.get("last-modified")),
            fields=fields,
        )

    def content(self) -> Algorithm[None]:
        """Deliver the body. Raises Truncated where the connection ends before the body does."""
        return self._chunked() if self.framing == "chunked" else self._plain()

    def _plain(self) -> Algorithm[None]:
        """Deliver what comes, as it comes, up to the length stated or to the end of the connection.

        h11 has no part in it: it would copy every octet twice.
        """
        received = 0
        octets = self._http.trailing_data[0][: self.size]
        while True:
            if octets:
                received += len(octets)
                yield from Deliver(octets)
            if received == self.size:
                return
            octets = yield from self._receive(received, CHUNK if self.size is None else self.size - received)
            if not octets:
                if self.size is None:
                    return
                raise self._short(received)

    def _chunked(self) -> Algorithm[None]:
        """Deliver what h11 finds in the chunks, up to the last of them."""
        chunks = _Chunks()
        received = 0
        octets = self._http.trailing_data[0]
        while True:
            chunks.watch(octets)
            pieces: list[bytes] = []
            while isinstance(event := _next_event(self._http, "body"), h11.Data):
                pieces.append(event.data)
            if pieces:
                piece = b"".join(pieces)
                received += len(piece)
                yield from Deliver(piece)
            if isinstance(event, h11.EndOfMessage):
                _check_trailer(event)
                return
            if chunks.trailing > MOST_HEAD:
                raise LimitExceeded("the trailer does not end", limit="trailer octets", value=MOST_HEAD)
            octets = yield from self._receive(received, CHUNK)
            if not octets:
                raise self._short(received)
            self._http.receive_data(octets)

    def _receive(self, received: int, most: int) -> Algorithm[bytes]:
        try:
            return (yield from Receive(self.peer, most=most, phase="content")) or b""
        except Truncated:
            raise self._short(received) from None

    def _short(self, received: int) -> Truncated:
        whole = "" if self.size is None else f" of {self.size}"
        return Truncated(
            f"{received}{whole} octets came from {self.url.host}, then its connection ended",
            received=received,
            expected=self.size,
        )


class _Chunks:
    """Watches the chunk sizes pass: h11 takes any of 20 hexadecimal digits, and does not tell which it took.

    `trailing` counts the octets after the last chunk.
    """

    def __init__(self) -> None:
        self.trailing = 0
        self._left = 0
        self._line = b""
        self._last = False

    def watch(self, octets: bytes) -> None:
        """Raise ProtocolError for a size that is none, or of 2**60 and more; LimitExceeded for an endless extension."""
        at = 0
        while at < len(octets) and not self._last:
            if self._left:
                step = min(self._left, len(octets) - at)
                self._left -= step
                at += step
                continue
            end = octets.find(b"\n", at) + 1
            self._line += octets[at : end or None]
            if len(self._line) > LINE:
                raise LimitExceeded("the line of a chunk size is too long", limit="line", value=LINE)
            if not end:
                return
            at = end
            size = _CHUNK_SIZE.match(self._line)
            if size is None:
                raise unexpected(self._line, "body", "a chunk size below 2**60")
            self._line = b""
            self._left = int(size[1], 16) + len(b"\r\n")
            self._last = self._left == len(b"\r\n")
        self.trailing += len(octets) - at


def _next_event(http: h11.Connection, where: str) -> h11.Event | type[h11.NEED_DATA | h11.PAUSED]:
    try:
        return http.next_event()
    except h11.RemoteProtocolError as error:
        # Its text may quote all that was received: only the beginning is kept, and no reference to the rest.
        raise ProtocolError(one_line(str(error).replace("bytearray", ""), 200), where=where) from None


def _check_trailer(end: h11.EndOfMessage) -> None:
    if len(end.headers) > MOST_TRAILERS:
        raise LimitExceeded(f"{len(end.headers)} trailer fields came", limit="trailer fields", value=MOST_TRAILERS)
    if sum(len(name) + len(value) for name, value in end.headers) > MOST_HEAD:
        raise LimitExceeded("the trailer is too long", limit="trailer octets", value=MOST_HEAD)


def _too_long(head: bytes) -> LimitExceeded | RedirectRefused:
    """The error for a head that goes beyond MOST_HEAD; where a redirect's target does so, it is the redirect's."""
    if _redirects(head) and _LAST_LOCATION.search(head[: MOST_HEAD + 1]):
        return RedirectRefused(f"the redirect's Location is longer than any URL ({MOST_HEAD} octets)", reason="invalid")
    return LimitExceeded(f"the header is longer than {MOST_HEAD} octets", limit="header octets", value=MOST_HEAD)


def _redirects(head: bytes | bytearray) -> bool:
    """Whether the status of a head, that h11 has not read, is one of those followed."""
    status = head[len(b"HTTP/1.1 ") :][:3]
    return status.isdigit() and int(status) in FOLLOWED


def _text(octets: bytes) -> str:
    return octets.decode("utf-8", "surrogateescape")


def _safe(octets: bytes) -> str:
    return shown(redact(_text(octets)))


def _moment(text: str | None) -> datetime | None:
    """The moment that an HTTP date names (RFC 9110 section 5.6.7), None for anything else."""
    try:
        moment = parsedate_to_datetime(text) if text else None
    except (ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment
