"""The steps of a dialogue, and the functions that make them: what a test writes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from urlschemes_access.attributes import FileFacts
from urlschemes_access.credentials import Credentials

if TYPE_CHECKING:
    from urlschemes.errors import URLError
    from urlschemes.url.value import URL

__all__ = [
    "Step",
    "Text",
    "answers",
    "client",
    "client_closes",
    "connect",
    "connect_back",
    "credentials",
    "file",
    "folder",
    "follow",
    "octets_of",
    "removed",
    "server",
    "server_closes",
    "server_resets",
    "silence",
    "start_tls",
    "upload",
    "written",
]

EPOCH = datetime(1994, 12, 1, tzinfo=UTC)
"""When the files of a dialogue were last changed, unless the dialogue says otherwise."""

Text: TypeAlias = str | bytes
"""A str is one line, CR LF is added; bytes are exactly those octets."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens in a dialogue; the functions below make them. `on` names a connection."""

    on: str


@dataclass(frozen=True, slots=True)
class Connect(Step):
    host: str
    port: int
    transport: Literal["tcp", "udp"]
    error: URLError | None


@dataclass(frozen=True, slots=True)
class ConnectBack(Step):
    port: int
    error: URLError | None


@dataclass(frozen=True, slots=True)
class StartTLS(Step):
    host: str
    error: URLError | None


@dataclass(frozen=True, slots=True)
class Client(Step):
    octets: bytes
    early: bool


@dataclass(frozen=True, slots=True)
class ClientCloses(Step):
    pass


@dataclass(frozen=True, slots=True)
class Server(Step):
    octets: bytes


@dataclass(frozen=True, slots=True)
class Silence(Step):
    pass


@dataclass(frozen=True, slots=True)
class ServerCloses(Step):
    pass


@dataclass(frozen=True, slots=True)
class ServerResets(Step):
    pass


@dataclass(frozen=True, slots=True)
class Follow(Step):
    location: str
    to: URL | URLError


@dataclass(frozen=True, slots=True)
class Login(Step):
    given: Credentials | None


@dataclass(frozen=True, slots=True)
class Answers(Step):
    given: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Upload(Step):
    octets: bytes


@dataclass(frozen=True, slots=True)
class OnDisk(Step):
    facts: FileFacts
    octets: bytes
    error: URLError | None


@dataclass(frozen=True, slots=True)
class Written(Step):
    path: str
    octets: bytes
    to: Literal["replace", "append"]
    error: URLError | None


@dataclass(frozen=True, slots=True)
class Removed(Step):
    path: str
    error: URLError | None


CHANGES = (Written, Removed)
GATES = (Connect, ConnectBack, StartTLS, Client, ClientCloses, *CHANGES)
OPENING = (Connect, ConnectBack)
ANSWERS = (Follow, Login, Answers, Upload)
CALLERS = (*ANSWERS, OnDisk, *CHANGES)


def octets_of(pieces: tuple[Text, ...]) -> bytes:
    """The octets of what a step is written with. Raises ValueError where there are none."""
    octets = b"".join(piece if isinstance(piece, bytes) else piece.encode() + b"\r\n" for piece in pieces)
    if not octets:
        raise ValueError("a step needs octets; an empty line is written ''")
    return octets


def connect(
    host: str, port: int, *, on: str = "", transport: Literal["tcp", "udp"] = "tcp", error: URLError | None = None
) -> Step:
    """The client connects to `host` and `port`; with `error`, that is raised instead.

    The steps below belong to this connection unless they name another.
    """
    return Connect(on, host, port, transport, error)


def connect_back(port: int, *, on: str = "data", error: URLError | None = None) -> Step:
    """The client connects to another port of the same address. Steps on this connection must name it: `on="data"`."""
    return ConnectBack(on, port, error)


def start_tls(host: str, *, on: str = "", error: URLError | None = None) -> Step:
    """The client protects the connection by TLS; `error` as in `connect`."""
    return StartTLS(on, host, error)


def client(*pieces: Text, on: str = "", early: bool = False) -> Step:
    """The client sends exactly this: a str is one line (CR LF is added), bytes are those octets.

    It must have received all that the other side said above on this connection, unless `early`.
    """
    return Client(on, octets_of(pieces), early)


def client_closes(*, on: str = "") -> Step:
    """The client closes, and what stands below happens only then (the end of an upload). Elsewhere it need not.

    Before it has sent all that stands above, it may only break the connection off: the other side would take what came
    for the whole.
    """
    return ClientCloses(on)


def server(*pieces: Text, on: str = "") -> Step:
    """The other side says this, in one piece; over UDP, in one datagram. A str is one line, bytes are those octets."""
    return Server(on, octets_of(pieces))


def silence(*, on: str = "") -> Step:
    """One wait of the client passes in vain, then the dialogue goes on.

    Where the dialogue has nothing to say because it waits for the client, every wait is in vain; that needs no step.
    """
    return Silence(on)


def server_closes(*, on: str = "") -> Step:
    """The other side closes in order: the client reads the end of the stream."""
    return ServerCloses(on)


def server_resets(*, on: str = "") -> Step:
    """The other side breaks the connection off."""
    return ServerResets(on)


def follow(location: str, to: URL | URLError) -> Step:
    """The client asks to follow this `location` of a redirect; the answer is a URL, or an error to raise."""
    return Follow("", location, to)


def credentials(user: str | None, password: str = "") -> Step:
    """What the caller answers when the client asks for a login; None, and no such step, mean that nobody knows one."""
    return Login("", None if user is None else Credentials(user, password))


def answers(*given: str) -> Step:
    """What the caller answers to a form. Without such a step asking raises InputRequired."""
    return Answers("", given)


def upload(*pieces: Text) -> Step:
    """The next octets of the caller's upload."""
    return Upload("", octets_of(pieces))


def file(
    path: str,
    content: bytes = b"",
    *,
    kind: Literal["file", "other"] = "file",
    size: int | None = None,
    modified: datetime = EPOCH,
    error: URLError | None = None,
) -> Step:
    """A file of this machine; `size` where it is not that of `content`. `error` is raised when it is asked for."""
    return OnDisk("", FileFacts(path, kind, len(content) if size is None else size, modified), content, error)


def folder(path: str, *, modified: datetime = EPOCH, error: URLError | None = None) -> Step:
    """A folder `path` of this machine; it holds the files and folders of the dialogue whose path says so."""
    return OnDisk("", FileFacts(path, "directory", 0, modified), b"", error)


def written(
    path: str, content: bytes = b"", *, to: Literal["replace", "append"] = "replace", error: URLError | None = None
) -> Step:
    """The client writes exactly this to a file of this machine, and keeps it; `error` is raised when it is opened.

    What is to be appended to must be there: a `file` of the dialogue.
    """
    return Written("", path, content, to, error)


def removed(path: str, *, error: URLError | None = None) -> Step:
    """The client removes a file of this machine, which must be a `file` of the dialogue; `error` as in `connect`."""
    return Removed("", path, error)
