"""The steps of a script. A test writes each as a call, and `repr` gives that call: messages show what the test says."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias, dataclass_transform

from urlschemes_access.attributes import FileFacts
from urlschemes_access.credentials import Credentials

if TYPE_CHECKING:
    from urlschemes.errors import URLError
    from urlschemes.url.value import URL
    from urlschemes_access.protocol.requests import Transport

__all__ = [
    "Step",
    "Text",
    "answers",
    "client",
    "client_closes",
    "connect",
    "connect_back",
    "credentials",
    "exchange",
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


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
@dataclass(frozen=True, repr=False)
class Step:
    """One step of a script: a dataclass. `call` is the name of the function that makes it."""

    call: ClassVar[str]

    def __init_subclass__(cls, call: str = "") -> None:
        cls.call = call
        dataclass(frozen=True, repr=False)(cls)

    def arguments(self) -> tuple[object, ...]:
        """Return the positional arguments of the call."""
        values = ((getattr(self, each.name), each.default) for each in fields(self) if not each.kw_only)
        return tuple(value for value, default in values if value != default)

    def __repr__(self) -> str:
        options = ((each.name, getattr(self, each.name), each.default) for each in fields(self) if each.kw_only)
        shown = [f"{name}={value!r}" for name, value, default in options if value != default]
        return f"{self.call}({', '.join([*map(repr, self.arguments()), *shown])})"


class ClientStep(Step):
    """A step that the client takes: the server's steps below wait for it."""


class CallerStep(Step):
    """An answer of the caller."""


class OnConnection(Step):
    """A step on the connection `on`: by default, on the one that `connect` opened last."""

    on: str = field(default="", kw_only=True)


class MayFail(Step):
    """A step that raises `error`, if it is given."""

    error: URLError | None = field(default=None, kw_only=True)


class Sends(Step):
    """A step that sends octets."""

    octets: bytes

    def arguments(self) -> tuple[Text, ...]:
        """Return the octets as lines, if they are lines."""
        are_lines = self.octets.isascii() and self.octets.endswith(b"\r\n")
        return tuple(self.octets[:-2].decode().split("\r\n")) if are_lines else (self.octets,)


class Opening(MayFail, OnConnection, ClientStep):
    """A step that opens a connection."""


class ClientConnects(Opening, call="connect"):
    """The client connects. The steps below belong to this connection unless they name another one."""

    host: str
    port: int
    transport: Transport = field(default="tcp", kw_only=True)


class ClientConnectsBack(Opening, call="connect_back"):
    """The client opens a data connection. Steps on it must name it: `on="data"`."""

    port: int
    on: str = field(default="data", kw_only=True)


class ClientStartsTLS(MayFail, OnConnection, ClientStep, call="start_tls"):
    """The client starts TLS."""

    host: str


class ClientSends(Sends, OnConnection, ClientStep, call="client"):
    """The client sends octets, unless `early` once it has received what the server sends above."""

    early: bool = field(default=False, kw_only=True)


class ClientCloses(OnConnection, ClientStep, call="client_closes"):
    """The client closes the connection, which ends an upload; the steps below wait for it.

    Before it has sent everything above, the client may only reset the connection: the server would take a part for the
    whole. Elsewhere the client may close when it likes, and no step is needed.
    """


class ServerSends(Sends, OnConnection, call="server"):
    """The server sends octets."""


class Silence(OnConnection, call="silence"):
    """The next wait of the client times out, then the script continues.

    While the server waits for the client, every wait times out without this step.
    """


class ServerCloses(OnConnection, call="server_closes"):
    """The server closes the connection; the client reads the end of the stream."""


class ServerResets(OnConnection, call="server_resets"):
    """The server resets the connection."""


class CallerFollows(CallerStep, call="follow"):
    """The client follows a redirect to `location`, which means a URL or raises an error."""

    location: str
    to: URL | URLError


class CallerLogsIn(CallerStep, call="credentials"):
    """The caller answers Authenticate. None means no login, and so does the lack of this step."""

    user: str | None
    password: str = ""
    token: str = field(default="", kw_only=True)

    @property
    def given(self) -> Credentials | None:
        """The answer."""
        return None if self.user is None else Credentials(self.user, self.password, token=self.token)


class CallerAnswers(CallerStep, call="answers"):
    """The caller answers a form."""

    given: tuple[str, ...]

    def arguments(self) -> tuple[str, ...]:
        """Return the answers."""
        return self.given


class CallerUploads(Sends, CallerStep, call="upload"):
    """The caller's content continues."""


class LocalFile(MayFail, call="file"):
    """A local file; `size` if it is not that of `content`. Using it raises `error` if it is given."""

    path: str
    content: bytes = b""
    kind: Literal["file", "directory", "other"] = field(default="file", kw_only=True)
    size: int | None = field(default=None, kw_only=True)
    modified: datetime = field(default=EPOCH, kw_only=True)

    @property
    def octets(self) -> bytes:
        """The content, which arrives in pieces as the octets of a server do."""
        return self.content

    @property
    def facts(self) -> FileFacts:
        """The facts of the file."""
        return FileFacts(self.path, self.kind, len(self.content) if self.size is None else self.size, self.modified)


class LocalFolder(LocalFile, call="folder"):
    """A local folder. It contains the files and folders of the script whose paths begin with its own."""

    kind: Literal["file", "directory", "other"] = field(default="directory", kw_only=True)


class ClientWrites(MayFail, ClientStep, call="written"):
    """The client writes exactly `content` to a local file and keeps it. Opening the file raises `error` if it is given.

    A file to append to must be a `file` of the script.
    """

    path: str
    content: bytes = b""
    to: Literal["replace", "append"] = field(default="replace", kw_only=True)


class ClientRemoves(MayFail, ClientStep, call="removed"):
    """The client removes a local file, a `file` of the script."""

    path: str


connect, connect_back, start_tls, client_closes = ClientConnects, ClientConnectsBack, ClientStartsTLS, ClientCloses
silence, server_closes, server_resets = Silence, ServerCloses, ServerResets
follow, credentials = CallerFollows, CallerLogsIn
file, folder, written, removed = LocalFile, LocalFolder, ClientWrites, ClientRemoves


def client(*pieces: Text, on: str = "", early: bool = False) -> ClientSends:
    """Make a step: the client sends exactly these octets.

    It must have received everything that the server sent above on this connection, unless `early`.
    """
    return ClientSends(octets_of(pieces), on=on, early=early)


def server(*pieces: Text, on: str = "") -> ServerSends:
    """Make a step: the server sends these octets in one piece; over UDP, in one datagram."""
    return ServerSends(octets_of(pieces), on=on)


def exchange(*lines: Text) -> tuple[Step, ...]:
    """Make the steps of commands and their replies, which alternate: `exchange("QUIT", "221 Bye")`."""
    return tuple(server(line) if number % 2 else client(line) for number, line in enumerate(lines))


def answers(*given: str) -> CallerAnswers:
    """Make a step: the caller answers a form. Without this step Ask raises InputRequired."""
    return CallerAnswers(given)


def upload(*pieces: Text) -> CallerUploads:
    """Make a step: the next octets of the caller's content."""
    return CallerUploads(octets_of(pieces))


def octets_of(pieces: tuple[Text, ...]) -> bytes:
    """Return the octets of the texts of a step. Raises ValueError if there are none."""
    octets = b"".join(piece if isinstance(piece, bytes) else piece.encode() + b"\r\n" for piece in pieces)
    if not octets:
        raise ValueError("a step needs octets; write an empty line as ''")
    return octets
