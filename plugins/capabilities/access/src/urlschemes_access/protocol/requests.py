"""Access algorithms: generators that yield requests. The requests, and the peers that algorithms talk to."""

# Annotations are evaluated here: they are the types that requests check.

from collections.abc import Callable, Generator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, dataclass_transform, get_args

if TYPE_CHECKING:
    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Attributes, Entry, FileFacts
    from urlschemes_access.credentials import Answers, Credentials, Form

__all__ = [
    "CHUNK",
    "Algorithm",
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
    "Peer",
    "Pull",
    "PullPieces",
    "Ready",
    "Receive",
    "Release",
    "Remove",
    "Request",
    "Send",
    "StartTLS",
    "Transport",
    "Unterminated",
]

R = TypeVar("R")
T = TypeVar("T")

CHUNK = 508 * 1024
"""The most octets received at once."""

Transport: TypeAlias = Literal["tcp", "udp"]
"""The protocol of a connection: a stream of octets, or datagrams."""


@dataclass_transform(eq_default=False)
class Request(Generic[R]):
    """A request of an algorithm; `yield from` it to get the answer, with its type.

    Each request is a dataclass. A value of another type than its annotation is a TypeError, raised in the algorithm. A
    peer is checked when it is used: it must be open.
    """

    _kinds: ClassVar[tuple[tuple[str, tuple[type, ...]], ...]]
    """The names of fields, and the types that their values may have."""
    _choices: ClassVar[tuple[tuple[str, tuple[str, ...]], ...]]
    """The names of fields, and the texts that they may be."""

    def __init__(self, *values: Any, **named: Any) -> None:
        self._make()  # from now on, the class has an __init__ of its own
        type(self).__init__(self, *values, **named)

    @classmethod
    def _make(cls) -> None:
        """Make the class a dataclass. That compiles code, so it waits until the first request of the class is made."""
        fields = {name: kind for name, kind in cls.__annotations__.items() if kind not in (KW_ONLY, Peer)}
        checks = [(name, get_args(kind) or (kind,)) for name, kind in fields.items() if not isinstance(kind, str)]
        cls._kinds = tuple(check for check in checks if isinstance(check[1][0], type))
        cls._choices = tuple(check for check in checks if isinstance(check[1][0], str))
        dataclass(eq=False, repr=False)(cls)

    def __post_init__(self) -> None:
        for name, kinds in self._kinds:
            value = getattr(self, name)
            if not isinstance(value, kinds) or (isinstance(value, bool) and int in kinds):
                expected = " or ".join(kind.__name__ for kind in kinds)
                raise TypeError(f"{type(self).__name__}: {name} must be {expected}, not {type(value).__name__}")
        for name, choices in self._choices:
            if (value := getattr(self, name)) not in choices:
                raise TypeError(f"{type(self).__name__}: {name} must be {' or '.join(choices)}, not {value!r}")

    def __iter__(self) -> Generator["Request[Any]", Any, R]:
        answer: R = yield self
        return answer

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


Algorithm: TypeAlias = Generator[Request[Any], Any, T]
"""A protocol dialogue without I/O. The algorithm of an operation is an `Algorithm[None]`."""


class Peer:
    """A connection or an open file. Algorithms receive peers from the dialogue and pass them back in requests.

    `label` names the peer in traces. `address` is the address and port that were dialled, None for a file. `secure` is
    True once TLS protects the connection. `keepable` is True if Release may keep it for a later operation; then `kept`
    is the state with which an earlier operation released it, None if the connection is new. `login` holds credentials
    that the caller gave for this host and port in advance; an algorithm may send them without being asked, if they
    are protected as its protocol demands.
    """

    __slots__ = ("address", "keepable", "kept", "label", "login", "secure")

    def __init__(self, label: str, address: tuple[str, int] | None = None) -> None:
        self.label = label
        self.address = address
        self.secure = False
        self.keepable = False
        self.kept: Any = None
        self.login: Credentials | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.label}>"


class Connect(Request[Peer]):
    """Connect to `host` and `port`. The name is resolved once; the policy checks every address before one is dialled.

    With `reuse`, the answer may be a connection that an earlier operation of the same client released with this key;
    its `kept` is not None then. The key says all that the state of the connection depends on, such as the user. The
    server may have closed it: an algorithm that gets a ConnectError closes it and connects again, if it may repeat the
    request.

    Raises ResolveError, PolicyDenied, ConnectError, DeadlineExceeded.
    """

    host: str
    port: int
    _: KW_ONLY
    transport: Transport = "tcp"
    label: str = "connection"
    reuse: str | None = None

    def __repr__(self) -> str:  # the key may hold a password
        return f"Connect(host={self.host!r}, label={self.label!r}, port={self.port!r}, transport={self.transport!r})"


class ConnectBack(Request[Peer]):
    """Open a data connection: to the address of `peer`, on another port from 1024 up that the policy allows.

    With `sends`, the data connection carries content that ends when the connection closes. Close then marks the end of
    the content. If the algorithm ends without Close, the connection is reset, so that the server does not take a part
    for the whole.

    Raises ProtocolError for another number, PolicyDenied, ConnectError, DeadlineExceeded.
    """

    peer: Peer
    port: int
    _: KW_ONLY
    label: str = "data"
    sends: bool = False


class StartTLS(Request[None]):
    """Protect `peer` with TLS; the certificate must be valid for `host`. Raises TLSError."""

    peer: Peer
    host: str


class Send(Request[None]):
    """Send all of `octets`, or write them to a file opened for writing; several `pieces` are sent as if they were one.

    `secret` is the part of `octets` that a trace must not show, such as a password. If sending fails, the error's
    `accepted` is the number of octets that the system had accepted.
    """

    def __init__(self, peer: Peer, octets: bytes | tuple[bytes, ...], *, secret: bytes | None = None) -> None:
        self.peer = peer
        self.pieces = octets if isinstance(octets, tuple) else (octets,)
        self.secret = secret
        for piece in self.pieces:
            if not isinstance(piece, bytes):
                raise TypeError(f"Send: octets must be bytes, not {type(piece).__name__}")

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

    peer: Peer
    _: KW_ONLY
    within: int | float | None = None
    most: int = CHUNK
    enough: int | None = None
    phase: str = "response"


class Ready(Request["Peer | None"]):
    """Wait for the first of `peers` that has something to receive; None after `within` seconds."""

    peers: "Sequence[Peer]"
    _: KW_ONLY
    within: int | float | None = None
    phase: str = "response"


class Close(Request[None]):
    """Close `peer`; closing it again does nothing. What was written to a file without Keep is discarded."""

    peer: Peer


class Release(Request[None]):
    """Keep the connection `peer` open for a later operation, which gets it by Connect with the same key.

    Only a connection that is `keepable`, on which nothing is left to be read. `state` is what the later operation has
    to know of it, and not None. To this operation the peer is closed.
    """

    peer: Peer
    state: object = True


class OpenFile(Request[Peer]):
    """Open a regular local file, if the policy allows its folder.

    Opened to `read`, it is read with Receive, from the octet `start` on. Opened to `replace` or to `append`, it is
    written with Send, and the change takes effect with Keep; without Keep the file stays as it was. Only a file to
    replace need not exist. Raises PolicyDenied, RemoteError with the system's reason.
    """

    path: str
    _: KW_ONLY
    to: Literal["read", "replace", "append"] = "read"
    start: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.start < 0 or (self.start and self.to != "read"):
            raise ValueError(f"OpenFile: start must be an octet of a file to read, not {self.start}")


class Keep(Request["FileFacts"]):
    """Make what was written to the file `peer` permanent and close it; the answer describes the file.

    Raises RemoteError with the system's reason; the file is then as it was.
    """

    peer: Peer


class Remove(Request[None]):
    """Remove the regular file `path`, under the rules of OpenFile for writing. A link is removed, not its target."""

    path: str


class Examine(Request["FileFacts"]):
    """Return kind, size and modification time of `path`, under the same rules as OpenFile for reading."""

    path: str


class ListFolder(Request["tuple[FileFacts, ...]"]):
    """List the folder `path`, sorted by name, under the same rules as OpenFile for reading."""

    path: str


class Follow(Request["URL"]):
    """Follow a redirect: return the URL that `location` means relative to the current URL, if the policy allows it.

    Raises RedirectRefused.
    """

    location: str


class Authenticate(Request["Credentials | None"]):
    """Ask the caller for a user name and password for `host` and `port`; None if there are none.

    `user` is the user name if it is already known, `realm` the server's name for the protected area. `scheme` is the
    scheme that the login is for, by default that of the URL accessed. `protected` is True if TLS protects the
    connection that will carry the login, `tokens` if it may be a token.
    """

    host: str
    port: int
    _: KW_ONLY
    user: str | None = None
    realm: str = ""
    scheme: str = ""
    protected: bool = False
    tokens: bool = False


Authenticator: TypeAlias = "Callable[[Authenticate], Credentials | None]"
"""A function of the caller that returns a user name and a password, or None if it knows none."""


class Ask(Request["Answers"]):
    """Ask the caller to answer the questions of `form`. Raises InputRequired if the caller passed no way to ask."""

    form: "Form"


class Pull(Request[bytes]):
    """Return the next octets of the content that the caller wants to send; `b""` at its end."""


class PullPieces(Request["tuple[bytes, ...]"]):
    """Return the next octets like Pull, but as a tuple of pieces; `()` at the end of the content.

    Large content is faster this way: the pieces are not copied into one.
    """


class Open(Request[None]):
    """Announce the resource, before its first octet or entry; the caller receives it now.

    `session` is the type of a session, a `urlschemes_access.Session`, and `peer` its connection.
    """

    kind: Literal["document", "listing", "session", "attributes"]
    attributes: "Attributes | None" = None
    _: KW_ONLY
    session: "type[Any] | None" = None
    peer: Peer | None = None


class Deliver(Request[None]):
    """Deliver the next octets of a document, or the next entry of a listing; the algorithm pauses here."""

    item: "bytes | Entry"


class Unterminated(Request[None]):
    """Report that the delivered content lacks the end mark of its protocol; `Document.terminated` becomes False.

    Only for what must not be an error because real servers do it, such as a Gopher text without its final dot.
    """
