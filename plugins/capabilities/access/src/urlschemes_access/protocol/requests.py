"""What an access algorithm may ask for."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Attributes, Entry, FileFacts
    from urlschemes_access.credentials import Answers, Credentials, Form
    from urlschemes_access.resources.synchronous import Session

__all__ = [
    "CHUNK",
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
    "Ready",
    "Receive",
    "Remove",
    "Request",
    "Send",
    "StartTLS",
    "Unterminated",
]

R = TypeVar("R")
T = TypeVar("T")

CHUNK = 96 * 1024
"""Octets received at once, at most. More are slower: from 128 KiB on glibc maps new memory for many a piece."""


class Request(Generic[R]):
    """Something an algorithm asks its driver for; `yield from` gives the answer its type."""

    __slots__ = ()

    def __iter__(self) -> Generator[Request[Any], Any, R]:
        answer: R = yield self
        return answer

    def __repr__(self) -> str:
        names: tuple[str, ...] = self.__slots__
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({fields})"


Algorithm: TypeAlias = Generator[Request[Any], Any, T]
"""A dialogue without I/O. An operation is an `Algorithm[None]`."""


class Peer:
    """The other end of a connection, or an open file: a token that the driver hands out and the algorithm hands back.

    `label` names it in a trace. `address` is what was dialled (None for a file), `secure` whether TLS protects it.
    """

    __slots__ = ("address", "label", "secure")

    def __init__(self, label: str, address: tuple[str, int] | None = None) -> None:
        self.label = label
        self.address = address
        self.secure = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.label}>"


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
