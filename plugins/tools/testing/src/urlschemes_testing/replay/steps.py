"""The steps of a script, and the functions with which a test makes them."""

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
"""The modification time of the files of a script, by default."""

Text: TypeAlias = str | bytes
"""A str is one line, to which CR LF is added; bytes are sent as they are."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a script; the functions below make them. `on` names a connection."""

    on: str


@dataclass(frozen=True, slots=True)
class ClientConnects(Step):
    host: str
    port: int
    transport: Literal["tcp", "udp"]
    error: URLError | None


@dataclass(frozen=True, slots=True)
class ClientConnectsBack(Step):
    port: int
    error: URLError | None


@dataclass(frozen=True, slots=True)
class ClientStartsTLS(Step):
    host: str
    error: URLError | None


@dataclass(frozen=True, slots=True)
class ClientSends(Step):
    octets: bytes
    early: bool


@dataclass(frozen=True, slots=True)
class ClientCloses(Step):
    pass


@dataclass(frozen=True, slots=True)
class ServerSends(Step):
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
class CallerFollows(Step):
    location: str
    to: URL | URLError


@dataclass(frozen=True, slots=True)
class CallerLogsIn(Step):
    given: Credentials | None


@dataclass(frozen=True, slots=True)
class CallerAnswers(Step):
    given: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CallerUploads(Step):
    octets: bytes


@dataclass(frozen=True, slots=True)
class LocalFile(Step):
    facts: FileFacts
    octets: bytes
    error: URLError | None


@dataclass(frozen=True, slots=True)
class ClientWrites(Step):
    path: str
    octets: bytes
    to: Literal["replace", "append"]
    error: URLError | None


@dataclass(frozen=True, slots=True)
class ClientRemoves(Step):
    path: str
    error: URLError | None


OPENING = (ClientConnects, ClientConnectsBack)
"""The steps that open a connection."""
CLIENT_STEPS = (
    ClientConnects,
    ClientConnectsBack,
    ClientStartsTLS,
    ClientSends,
    ClientCloses,
    ClientWrites,
    ClientRemoves,
)
"""The steps that the client takes: the server's steps below wait for them."""
ANSWERS = (CallerFollows, CallerLogsIn, CallerAnswers, CallerUploads)
"""The steps by which the caller answers."""
WITHOUT_CONNECTION = (*ANSWERS, LocalFile, ClientWrites, ClientRemoves)
"""The steps that belong to no connection."""


def octets_of(pieces: tuple[Text, ...]) -> bytes:
    """Return the octets of the texts of a step. Raises ValueError if there are none."""
    octets = b"".join(piece if isinstance(piece, bytes) else piece.encode() + b"\r\n" for piece in pieces)
    if not octets:
        raise ValueError("a step needs octets; write an empty line as ''")
    return octets


def connect(
    host: str, port: int, *, on: str = "", transport: Literal["tcp", "udp"] = "tcp", error: URLError | None = None
) -> Step:
    """Make a step: the client connects to `host` and `port`, which raises `error` if it is given.

    The steps below belong to this connection unless they name another one.
    """
    return ClientConnects(on, host, port, transport, error)


def connect_back(port: int, *, on: str = "data", error: URLError | None = None) -> Step:
    """Make a step: the client opens a data connection. Steps on it must name it: `on="data"`."""
    return ClientConnectsBack(on, port, error)


def start_tls(host: str, *, on: str = "", error: URLError | None = None) -> Step:
    """Make a step: the client starts TLS; `error` as in `connect`."""
    return ClientStartsTLS(on, host, error)


def client(*pieces: Text, on: str = "", early: bool = False) -> Step:
    """Make a step: the client sends exactly these octets.

    It must have received everything that the server sent above on this connection, unless `early`.
    """
    return ClientSends(on, octets_of(pieces), early)


def client_closes(*, on: str = "") -> Step:
    """Make a step: the client closes the connection, which ends an upload; the steps below wait for it.

    Before it has sent everything above, the client may only reset the connection: the server would take a part for the
    whole. Elsewhere the client may close when it likes, and no step is needed.
    """
    return ClientCloses(on)


def server(*pieces: Text, on: str = "") -> Step:
    """Make a step: the server sends these octets in one piece; over UDP, in one datagram."""
    return ServerSends(on, octets_of(pieces))


def silence(*, on: str = "") -> Step:
    """Make a step: one wait of the client is in vain, then the script continues.

    While the server waits for the client, every wait is in vain without this step.
    """
    return Silence(on)


def server_closes(*, on: str = "") -> Step:
    """Make a step: the server closes the connection; the client reads the end of the stream."""
    return ServerCloses(on)


def server_resets(*, on: str = "") -> Step:
    """Make a step: the server resets the connection."""
    return ServerResets(on)


def follow(location: str, to: URL | URLError) -> Step:
    """Make a step: the client follows a redirect to `location`, which means a URL or raises an error."""
    return CallerFollows("", location, to)


def credentials(user: str | None, password: str = "") -> Step:
    """Make a step: the caller answers Authenticate. None means no login, and so does the lack of this step."""
    return CallerLogsIn("", None if user is None else Credentials(user, password))


def answers(*given: str) -> Step:
    """Make a step: the caller answers a form. Without this step Ask raises InputRequired."""
    return CallerAnswers("", given)


def upload(*pieces: Text) -> Step:
    """Make a step: the next octets of the caller's content."""
    return CallerUploads("", octets_of(pieces))


def file(
    path: str,
    content: bytes = b"",
    *,
    kind: Literal["file", "other"] = "file",
    size: int | None = None,
    modified: datetime = EPOCH,
    error: URLError | None = None,
) -> Step:
    """Make a step: a local file; `size` if it is not that of `content`. Using it raises `error` if it is given."""
    return LocalFile("", FileFacts(path, kind, len(content) if size is None else size, modified), content, error)


def folder(path: str, *, modified: datetime = EPOCH, error: URLError | None = None) -> Step:
    """Make a step: a local folder. It contains the files and folders of the script whose paths begin with its own."""
    return LocalFile("", FileFacts(path, "directory", 0, modified), b"", error)


def written(
    path: str, content: bytes = b"", *, to: Literal["replace", "append"] = "replace", error: URLError | None = None
) -> Step:
    """Make a step: the client writes exactly `content` to a local file and keeps it; opening it raises `error`.

    A file to append to must be a `file` of the script.
    """
    return ClientWrites("", path, content, to, error)


def removed(path: str, *, error: URLError | None = None) -> Step:
    """Make a step: the client removes a local file, a `file` of the script; `error` as in `connect`."""
    return ClientRemoves("", path, error)
