r"""What an access algorithm may ask for, and the readers built on it.

An access algorithm is one generator that reads like the dialogue of its protocol. It never holds a socket: it asks, by
`yield from`, and whoever drives it answers (`urlschemes.drive`, or a replay in a test):

    def access(url: FtpURL) -> Algorithm[None]:
        control = yield from Connect(url.host, url.port)
        replies = Reader(control)
        banner = yield from replies.line()
        yield from Send(control, b"QUIT\r\n")

Always `yield from`, never a bare `yield`: only so does a type checker know what comes back.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from urlschemes.display import one_line, redact
from urlschemes.errors import LimitExceeded, ProtocolError, Truncated, UnsafeURL
from urlschemes.request import Algorithm, Peer, Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlschemes.attributes import Attributes, Entry, FileFacts
    from urlschemes.questions import Answers, Credentials, Form
    from urlschemes.resource import Session
    from urlschemes.url import URL

__all__ = [
    "CHUNK",
    "LINE",
    "TEXT_LINE",
    "Algorithm",
    "Ask",
    "Authenticate",
    "Close",
    "Connect",
    "ConnectBack",
    "Deliver",
    "Examine",
    "Follow",
    "Keep",
    "ListFolder",
    "Open",
    "OpenFile",
    "Peer",
    "Pull",
    "Reader",
    "Ready",
    "Receive",
    "Remove",
    "Request",
    "Send",
    "StartTLS",
    "Unterminated",
    "partly",
    "place_of",
    "unexpected",
]

LINE = 8 * 1024
"""Octets in one protocol line, unless a reader is told otherwise."""
TEXT_LINE = 64 * 1024
"""Octets in one line of a text."""
CHUNK = 96 * 1024
"""Octets received at once, at most. More are slower: from 128 KiB on glibc maps new memory for many a piece."""

_PLACE = re.compile(r"([A-Za-z0-9._-]{1,253})(?::([0-9]{1,5}))?")


class Connect(Request[Peer]):
    """Connect to `host` and `port`: the name is resolved once, every address is checked by the policy, one is dialled.

    Raises ResolveError, PolicyDenied, ConnectError, DeadlineExceeded.
    """

    __slots__ = ("host", "label", "port", "transport")

    def __init__(
        self, host: str, port: int, *, transport: Literal["tcp", "udp"] = "tcp", label: str = "connection"
    ) -> None:
        self.host = host
        self.port = port
        self.transport = transport
        self.label = label


class ConnectBack(Request[Peer]):
    """Connect to the address that `peer` is connected to, on another port from 1024 up: a data connection.

    With `sends`, content is sent over it that ends where the connection ends. Close then says that this was all; what
    ends without having asked for Close is broken off, so that the other side does not take a part for the whole.
    """

    __slots__ = ("label", "peer", "port", "sends")

    def __init__(self, peer: Peer, port: int, *, label: str = "data", sends: bool = False) -> None:
        self.peer = peer
        self.port = port
        self.label = label
        self.sends = sends


class StartTLS(Request[None]):
    """Protect `peer` by TLS; the certificate must be that of `host`. Raises TLSError."""

    __slots__ = ("host", "peer")

    def __init__(self, peer: Peer, host: str) -> None:
        self.peer = peer
        self.host = host


class Send(Request[None]):
    """Send all of `octets`, or write them to a file that is open for that.

    `secret` is the part of them that a trace must not show (a password). An error's `sent` says how many octets of them
    the system had taken.
    """

    __slots__ = ("octets", "peer", "secret")

    def __init__(self, peer: Peer, octets: bytes, *, secret: bytes | None = None) -> None:
        self.peer = peer
        self.octets = octets
        self.secret = secret

    def __repr__(self) -> str:
        octets = self.octets.replace(self.secret, b"***") if self.secret else self.octets
        return f"Send(peer={self.peer!r}, octets={octets!r})"


class Receive(Request["bytes | None"]):
    """At most `most` octets, as soon as there are any; `b""` when the other side has closed (a file: at its end).

    `within` seconds without an octet give None; without `within` they give DeadlineExceeded, whose phase is `phase`.
    A connection that breaks raises ConnectError before its first octet, Truncated after it.
    """

    __slots__ = ("most", "peer", "phase", "within")

    def __init__(self, peer: Peer, *, within: float | None = None, most: int = CHUNK, phase: str = "response") -> None:
        self.peer = peer
        self.within = within
        self.most = most
        self.phase = phase


class Ready(Request["Peer | None"]):
    """The first of `peers` with something to receive; None when `within` seconds passed without."""

    __slots__ = ("peers", "phase", "within")

    def __init__(self, peers: Sequence[Peer], *, within: float | None = None, phase: str = "response") -> None:
        self.peers = tuple(peers)
        self.within = within
        self.phase = phase


class Close(Request[None]):
    """Close `peer`; closing twice does nothing. What was written to a file, and not kept, is thrown away."""

    __slots__ = ("peer",)

    def __init__(self, peer: Peer) -> None:
        self.peer = peer


class OpenFile(Request[Peer]):
    """Open the regular file `path` of this machine, if it lies in a folder that the policy names for this.

    `to` read it, Receive takes from it. To `replace` or to `append` to it, Send writes, and Keep makes that count:
    until then the file is as it was, or gets its old length back. Only what is replaced need not be there yet. Raises
    PolicyDenied, RemoteError (with the system's reason).
    """

    __slots__ = ("path", "to")

    def __init__(self, path: str, *, to: Literal["read", "replace", "append"] = "read") -> None:
        self.path = path
        self.to = to


class Keep(Request["FileFacts"]):
    """Let what was written to the file `peer` stay, and close it: what the file system then says of it.

    Raises RemoteError (with the system's reason); the file is then as it was.
    """

    __slots__ = ("peer",)

    def __init__(self, peer: Peer) -> None:
        self.peer = peer


class Remove(Request[None]):
    """Take away the regular file `path`, under the same rules as OpenFile for writing. Of a link only the link goes."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path


class Examine(Request["FileFacts"]):
    """What the file system says of `path`, under the same rules as OpenFile for reading."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path


class ListFolder(Request["tuple[FileFacts, ...]"]):
    """What the folder `path` holds, sorted by name, under the same rules as OpenFile for reading."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path


class Follow(Request["URL"]):
    """The URL that a redirect's `location` points to, resolved against the URL now accessed, if the policy follows it.

    Raises RedirectRefused.
    """

    __slots__ = ("location",)

    def __init__(self, location: str) -> None:
        self.location = location


class Authenticate(Request["Credentials | None"]):
    """A user name and password for `host` and `port`, from whom the caller appointed; None where nobody knows any.

    `user` is the name that is known already, `realm` what the other side calls the place. `scheme` is the scheme that
    the login is for (that of the URL accessed, where an algorithm does not say it), `protected` whether the connection
    that will carry it is protected by TLS.
    """

    __slots__ = ("host", "port", "protected", "realm", "scheme", "user")

    def __init__(
        self,
        host: str,
        port: int,
        *,
        user: str | None = None,
        realm: str = "",
        scheme: str = "",
        protected: bool = False,
    ) -> None:
        self.host = host
        self.port = port
        self.user = user
        self.realm = realm
        self.scheme = scheme
        self.protected = protected


class Ask(Request["Answers"]):
    """The user's answers to the questions of `form`. Raises InputRequired where the caller gave no way to ask."""

    __slots__ = ("form",)

    def __init__(self, form: Form) -> None:
        self.form = form


class Pull(Request[bytes]):
    """The next octets of the content that the caller wants sent; `b""` at its end."""

    __slots__ = ()


class Open(Request[None]):
    """Say what the resource is, before its first octet or entry: the caller gets it now.

    `kind` is `"document"`, `"listing"`, `"session"` or `"attributes"`; of a session, `session` is its type.
    """

    __slots__ = ("attributes", "kind", "peer", "session")

    def __init__(
        self,
        kind: Literal["document", "listing", "session", "attributes"],
        attributes: Attributes | None = None,
        *,
        session: type[Session] | None = None,
        peer: Peer | None = None,
    ) -> None:
        self.kind = kind
        self.attributes = attributes
        self.session = session
        self.peer = peer


class Deliver(Request[None]):
    """Hand the caller the next octets of a document, or the next entry of a listing; the algorithm pauses here."""

    __slots__ = ("item",)

    def __init__(self, item: bytes | Entry) -> None:
        self.item = item


class Unterminated(Request[None]):
    """Say that the content, already delivered, lacks the end that its protocol demands.

    `Document.terminated` becomes False.
    Only for what must not be an error because real servers do so (a gopher text without its final dot).
    """

    __slots__ = ()


class Reader:
    """Bounded reading from one peer: lines, counted blocks, texts that end with a dot, all until it closes.

    Holds back what was received beyond what was asked for. `received` counts the octets that came.
    """

    __slots__ = ("_buffer", "_ended", "peer", "received")

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.received = 0
        self._buffer = bytearray()
        self._ended = False

    @property
    def pending(self) -> bytes:
        """What was received and not yet asked for. Before a command is sent this must be empty."""
        return bytes(self._buffer)

    def more(self, *, within: float | None = None, phase: str = "response") -> Algorithm[bool | None]:
        """Receive once. False at the end of the stream, None when `within` expired."""
        if self._ended:
            return False
        octets = yield from Receive(self.peer, within=within, phase=phase)
        if octets is None:
            return None
        if not octets:
            self._ended = True
            return False
        self.received += len(octets)
        self._buffer += octets
        return True

    def line(self, *, most: int = LINE, phase: str = "response") -> Algorithm[bytes | None]:
        """One line without its CR LF (or bare LF); None at the end of the stream.

        Raises LimitExceeded beyond `most` octets, Truncated where the stream ends within a line.
        """
        start = 0
        while (end := self._buffer.find(b"\n", start)) < 0:
            if len(self._buffer) > most:
                raise _too_long(most)
            start = len(self._buffer)
            if not (yield from self.more(phase=phase)):
                if not self._buffer:
                    return None
                raise Truncated("the stream ended within a line", received=self.received)
        if end > most:
            raise _too_long(most)
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line.removesuffix(b"\r")

    def exactly(self, count: int, *, phase: str = "content") -> Algorithm[bytes]:
        """The next `count` octets, for a count that is small. Raises Truncated where there are fewer."""
        while len(self._buffer) < count:
            if not (yield from self.more(phase=phase)):
                raise Truncated(
                    f"{len(self._buffer)} of {count} octets came", received=len(self._buffer), expected=count
                )
        octets = bytes(self._buffer[:count])
        del self._buffer[:count]
        return octets

    def some(self, most: int = CHUNK, *, phase: str = "content") -> Algorithm[bytes]:
        """At least one octet and at most `most`; `b""` at the end of the stream. What large content is read with."""
        if self._buffer:
            octets = bytes(self._buffer[:most])
            del self._buffer[:most]
            return octets
        if self._ended:
            return b""
        came = (yield from Receive(self.peer, most=most, phase=phase)) or b""
        self._ended = not came
        self.received += len(came)
        return came


def _too_long(most: int) -> LimitExceeded:
    return LimitExceeded(f"a line is longer than {most} octets", limit="line", value=most)


def place_of(text: str, port: int, *, option: str) -> tuple[str, int]:
    """Host and port of a server that is the value `text` of an `option`: `host`, which means `port`, or `host:port`.

    Whether it may be connected to, Connect asks the policy. Raises UnsafeURL where it is not written so.
    """
    found = _PLACE.fullmatch(text)
    if found is None:
        raise UnsafeURL(
            f"the {option} '{one_line(text, 100)}' is not written as host or host:port",
            part=option,
            hint="as in server.example:1119",
        )
    return found[1], int(found[2] or port)


def unexpected(octets: bytes, where: str, wanted: str) -> ProtocolError:
    """A ProtocolError that shows, safely, what came where something else was due."""
    came = one_line(redact(octets[:LINE].decode("utf-8", "surrogateescape"))[:60])
    return ProtocolError(f"{wanted} was due, but '{came}' came", where=where)


def partly(sent: int) -> str:
    """What an error says of content that was cut after `sent` octets of it."""
    if not sent:
        return "nothing of the content had been sent"
    return f"{sent} octet{'s' * (sent > 1)} had been sent, and a part of them may be there"
