"""Access algorithms: generators that yield requests. The requests, and the peers that algorithms talk to."""

# Annotations are evaluated here: they are the types that requests check.

from collections.abc import Callable, Generator, Sequence
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, dataclass_transform, get_args

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Attributes, Entry, FileFacts
    from urlschemes_access.credentials import Answers, Credentials, Form

__all__ = ["Transport"]

R = TypeVar("R")
T = TypeVar("T")

CHUNK = 508 * 1024
"""The most octets received at once."""

Transport: TypeAlias = Literal["tcp", "udp"]
"""The protocol of a connection: a stream of octets, or datagrams."""


@dataclass_transform(eq_default=False)
class Request(Generic[R]):
    """A request of an algorithm; `yield from` it to get the answer, with its type.

    The annotations of a subclass are its fields; its attributes are their defaults. A value of another type than its
    annotation is a TypeError, raised in the algorithm. A peer is checked when it is used: it must be open.
    """

    # Methods made by dataclass would be compiled, and CPython ends the process if an interrupt falls into that.
    _fields: ClassVar[dict[str, tuple[Any, ...]]]
    """The types, or the texts, that each field may have; none if it may have any."""
    _in_order: ClassVar[tuple[str, ...]]
    """The fields that may be given without their names."""
    _options: ClassVar[frozenset[str]]
    """The other fields."""
    _required: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        kinds = {**cls.__annotations__}
        order = list(kinds)
        cls._in_order = tuple(order[: order.index("_")] if kinds.pop("_", None) else order)
        cls._fields = {
            name: () if kind is Peer or isinstance(kind, str) else get_args(kind) or (kind,)
            for name, kind in kinds.items()
        }
        cls._options = frozenset(kinds) - {*cls._in_order}
        cls._required = tuple(name for name in kinds if name not in vars(cls))

    def __init__(self, *values: Any, **named: Any) -> None:
        if len(values) != len(self._required):
            self._check_names(len(values), named)
        for name, value in zip(self._in_order, values):  # noqa: B905  strict=False takes time
            if (allowed := self._fields[name]) and type(value) not in allowed:
                self._check(name, value)
            setattr(self, name, value)
        for name, value in named.items():
            if name not in self._options:
                self._check_names(len(values), named)
            if type(value) not in self._fields[name]:
                self._check(name, value)
            setattr(self, name, value)

    def _check_names(self, count: int, named: dict[str, Any]) -> None:
        """Raise TypeError unless the fields after the first `count` may be `named` like this."""
        names = {*self._in_order[count:], *self._options}
        if wrong := [f"unknown or second {name}" for name in named if name not in names]:
            raise TypeError(f"{type(self).__name__}: {wrong[0]}: expected {', '.join(self._fields)}")
        if count > len(self._in_order):
            raise TypeError(f"{type(self).__name__}: expected at most {len(self._in_order)} values without their names")
        if missing := [name for name in self._required if name in names and name not in named]:
            raise TypeError(f"{type(self).__name__}: {' and '.join(missing)} must be given")

    def _check(self, name: str, value: object) -> None:
        """Raise TypeError unless `value` is one of the texts allowed, or of a subclass of the types allowed."""
        allowed = self._fields[name]
        if not allowed:
            return
        if isinstance(allowed[0], str):
            if value not in allowed:
                raise TypeError(f"{type(self).__name__}: {name} must be {' or '.join(allowed)}, not {value!r}")
        elif not isinstance(value, allowed) or (isinstance(value, bool) and int in allowed):
            expected = " or ".join(kind.__name__ for kind in allowed)
            raise TypeError(f"{type(self).__name__}: {name} must be {expected}, not {type(value).__name__}")

    def __iter__(self) -> Generator["Request[Any]", Any, R]:
        answer: R = yield self
        return answer

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self._fields)})"


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

    def __init__(self, label: str, address: tuple[str, int] | None = None) -> None:
        self.label = label
        self.address = address
        self.secure = False
        self.keepable = False
        self.kept: Any = None
        self.login: Credentials | None = None

    @property
    def is_loopback(self) -> bool:
        """True if the address that was dialled is a loopback address: what is sent does not leave this machine."""
        if self.address is None:
            return False
        address = ip_address(self.address[0])
        return address.is_loopback and getattr(address, "ipv4_mapped", None) is None  # of which Pythons differ

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
    _: "KW_ONLY"
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
    _: "KW_ONLY"
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
        if not isinstance(secret, bytes | None):
            raise TypeError(f"Send: secret must be bytes, not {type(secret).__name__}")

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
    _: "KW_ONLY"
    within: int | float | None = None
    most: int = CHUNK
    enough: int | None = None
    phase: str = "response"


class Ready(Request["Peer | None"]):
    """Wait for the first of `peers` that has something to receive; None after `within` seconds."""

    peers: "Sequence[Peer]"
    _: "KW_ONLY"
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
    _: "KW_ONLY"
    to: Literal["read", "replace", "append"] = "read"
    start: int = 0


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
    _: "KW_ONLY"
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


class Pull(Request["tuple[bytes, ...]"]):
    """Return the next octets of the content that the caller wants to send, as Send takes them; `()` at its end.

    They are in pieces, none of them empty, which need not be copied into one.
    """


class Open(Request[None]):
    """Announce the resource, before its first octet or entry; the caller receives it now.

    `session` is the type of a session, a `urlschemes_access.Session`, and `peer` its connection.
    """

    kind: Literal["document", "listing", "session", "attributes"]
    attributes: "Attributes | None" = None
    _: "KW_ONLY"
    session: "type[Any] | None" = None
    peer: Peer | None = None


class Deliver(Request[None]):
    """Deliver the next octets of a document, or the next entry of a listing; the algorithm pauses here."""

    item: "bytes | Entry"

    def __init__(self, item: "bytes | Entry") -> None:  # quicker, for listings with many entries
        self.item = item


class Unterminated(Request[None]):
    """Report that the delivered content lacks the end mark of its protocol; `Document.terminated` becomes False.

    Only for what must not be an error because real servers do it, such as a Gopher text without its final dot.
    """
