"""The requests of access algorithms: everything that an algorithm can ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from urlschemes_access.protocol.algorithm import Peer, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Attributes, Entry, FileFacts
    from urlschemes_access.credentials import Answers, Credentials, Form
    from urlschemes_access.resources.synchronous import Session

__all__ = [
    "CHUNK",
    "Ask",
    "Authenticate",
    "Authenticator",
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
    "Pull",
    "PullPieces",
    "Ready",
    "Receive",
    "Release",
    "Remove",
    "Send",
    "StartTLS",
    "Unterminated",
]

CHUNK = 508 * 1024
"""The most octets received at once."""


class Connect(Request[Peer]):
    """Connect to `host` and `port`. The name is resolved once; the policy checks every address before one is dialled.

    With `reuse`, the answer may be a connection that an earlier operation of the same client released with this key;
    its `kept` is not None then. The key says all that the state of the connection depends on, such as the user. The
    server may have closed it: an algorithm that gets a ConnectError closes it and connects again, if it may repeat the
    request.

    Raises ResolveError, PolicyDenied, ConnectError, DeadlineExceeded.
    """

    __slots__ = ("host", "label", "port", "reuse", "transport")

    def __init__(
        self,
        host: str,
        port: int,
        *,
        transport: Literal["tcp", "udp"] = "tcp",
        label: str = "connection",
        reuse: str | None = None,
    ) -> None:
        self.host = host
        self.port = port
        self.transport = transport
        self.label = label
        self.reuse = reuse

    def __repr__(self) -> str:  # the key may hold a password
        return f"Connect(host={self.host!r}, label={self.label!r}, port={self.port!r}, transport={self.transport!r})"


class ConnectBack(Request[Peer]):
    """Open a data connection: to the address of `peer`, on another port from 1024 up that the policy allows.

    With `sends`, the data connection carries content that ends when the connection closes. Close then marks the end of
    the content. If the algorithm ends without Close, the connection is reset, so that the server does not take a part
    for the whole.

    Raises ProtocolError for another number, PolicyDenied, ConnectError, DeadlineExceeded.
    """

    __slots__ = ("label", "peer", "port", "sends")

    def __init__(self, peer: Peer, port: int, *, label: str = "data", sends: bool = False) -> None:
        self.peer = peer
        self.port = port
        self.label = label
        self.sends = sends


class StartTLS(Request[None]):
    """Protect `peer` with TLS; the certificate must be valid for `host`. Raises TLSError."""

    __slots__ = ("host", "peer")

    def __init__(self, peer: Peer, host: str) -> None:
        self.peer = peer
        self.host = host


class Send(Request[None]):
    """Send all of `octets`, or write them to a file opened for writing; several `pieces` are sent as if they were one.

    `secret` is the part of `octets` that a trace must not show, such as a password. If sending fails, the error's
    `accepted` is the number of octets that the system had accepted.
    """

    __slots__ = ("peer", "pieces", "secret")

    def __init__(self, peer: Peer, octets: bytes | tuple[bytes, ...], *, secret: bytes | None = None) -> None:
        self.peer = peer
        self.pieces = octets if isinstance(octets, tuple) else (octets,)
        self.secret = secret

    @property
    def octets(self) -> bytes:
        """All the octets."""
        return self.pieces[0] if len(self.pieces) == 1 else b"".join(self.pieces)

    def __repr__(self) -> str:
        octets = self.octets.replace(self.secret, b"***") if self.secret else self.octets
        return f"Send(peer={self.peer!r}, octets={octets!r})"


class Receive(Request["bytes | None"]):
    """Receive at most `most` octets, as soon as there are any; `b""` at the end of the connection or file.

    Where content comes fast, the answer may wait a few milliseconds for `enough` octets, by default `most`.
    After `within` seconds without an octet the answer is None. Without `within`, DeadlineExceeded is raised, whose
    `phase` is the one given here. A connection that breaks raises ConnectError before its first octet, Truncated after
    it.
    """

    __slots__ = ("enough", "most", "peer", "phase", "within")

    def __init__(
        self,
        peer: Peer,
        *,
        within: float | None = None,
        most: int = CHUNK,
        enough: int | None = None,
        phase: str = "response",
    ) -> None:
        self.peer = peer
        self.within = within
        self.most = most
        self.enough = enough
        self.phase = phase


class Ready(Request["Peer | None"]):
    """Wait for the first of `peers` that has something to receive; None after `within` seconds."""

    __slots__ = ("peers", "phase", "within")

    def __init__(self, peers: Sequence[Peer], *, within: float | None = None, phase: str = "response") -> None:
        self.peers = tuple(peers)
        self.within = within
        self.phase = phase


class Close(Request[None]):
    """Close `peer`; closing it again does nothing. What was written to a file without Keep is discarded."""

    __slots__ = ("peer",)

    def __init__(self, peer: Peer) -> None:
        self.peer = peer


class Release(Request[None]):
    """Keep the connection `peer` open for a later operation, which gets it by Connect with the same key.

    Only a connection that is `keepable`, on which nothing is left to be read. `state` is what the later operation has
    to know of it, and not None. To this operation the peer is closed.
    """

    __slots__ = ("peer", "state")

    def __init__(self, peer: Peer, state: object = True) -> None:
        self.peer = peer
        self.state = state


class OpenFile(Request[Peer]):
    """Open a regular local file, if the policy allows its folder.

    Opened to `read`, it is read with Receive, from the octet `start` on. Opened to `replace` or to `append`, it is
    written with Send, and the change takes effect with Keep; without Keep the file stays as it was. Only a file to
    replace need not exist. Raises PolicyDenied, RemoteError with the system's reason.
    """

    __slots__ = ("path", "start", "to")

    def __init__(self, path: str, *, to: Literal["read", "replace", "append"] = "read", start: int = 0) -> None:
        self.path = path
        self.to = to
        self.start = start


class Keep(Request["FileFacts"]):
    """Make what was written to the file `peer` permanent and close it; the answer describes the file.

    Raises RemoteError with the system's reason; the file is then as it was.
    """

    __slots__ = ("peer",)

    def __init__(self, peer: Peer) -> None:
        self.peer = peer


class Remove(Request[None]):
    """Remove the regular file `path`, under the rules of OpenFile for writing. A link is removed, not its target."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path


class Examine(Request["FileFacts"]):
    """Return kind, size and modification time of `path`, under the same rules as OpenFile for reading."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path


class ListFolder(Request["tuple[FileFacts, ...]"]):
    """List the folder `path`, sorted by name, under the same rules as OpenFile for reading."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path


class Follow(Request["URL"]):
    """Follow a redirect: return the URL that `location` means relative to the current URL, if the policy allows it.

    Raises RedirectRefused.
    """

    __slots__ = ("location",)

    def __init__(self, location: str) -> None:
        self.location = location


class Authenticate(Request["Credentials | None"]):
    """Ask the caller for a user name and password for `host` and `port`; None if there are none.

    `user` is the user name if it is already known, `realm` the server's name for the protected area. `scheme` is the
    scheme that the login is for, by default that of the URL accessed. `protected` is True if TLS protects the
    connection that will carry the login, `tokens` if it may be a token.
    """

    __slots__ = ("host", "port", "protected", "realm", "scheme", "tokens", "user")

    def __init__(
        self,
        host: str,
        port: int,
        *,
        user: str | None = None,
        realm: str = "",
        scheme: str = "",
        protected: bool = False,
        tokens: bool = False,
    ) -> None:
        self.host = host
        self.port = port
        self.user = user
        self.realm = realm
        self.scheme = scheme
        self.protected = protected
        self.tokens = tokens


Authenticator: TypeAlias = "Callable[[Authenticate], Credentials | None]"
"""A function of the caller that returns a user name and a password, or None if it knows none."""


class Ask(Request["Answers"]):
    """Ask the caller to answer the questions of `form`. Raises InputRequired if the caller passed no way to ask."""

    __slots__ = ("form",)

    def __init__(self, form: Form) -> None:
        self.form = form


class Pull(Request[bytes]):
    """Return the next octets of the content that the caller wants to send; `b""` at its end."""

    __slots__ = ()


class PullPieces(Request["tuple[bytes, ...]"]):
    """Return the next octets like Pull, but as a tuple of pieces; `()` at the end of the content.

    Large content is faster this way: the pieces are not copied into one.
    """

    __slots__ = ()


class Open(Request[None]):
    """Announce the resource, before its first octet or entry; the caller receives it now.

    `session` is the type of a session, `peer` its connection.
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
    """Deliver the next octets of a document, or the next entry of a listing; the algorithm pauses here."""

    __slots__ = ("item",)

    def __init__(self, item: bytes | Entry) -> None:
        self.item = item


class Unterminated(Request[None]):
    """Report that the delivered content lacks the end mark of its protocol; `Document.terminated` becomes False.

    Only for what must not be an error because real servers do it, such as a Gopher text without its final dot.
    """

    __slots__ = ()
