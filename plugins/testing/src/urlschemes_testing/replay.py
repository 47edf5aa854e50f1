r"""A driver without sockets: an access algorithm is run against a dialogue that the test wrote down.

    dialogue = Dialogue(
        connect("host.dom", 70),
        client("about"),                       # a str is one line, CR LF is added; bytes are exactly those octets
        server(b"Hello.\r\n.\r\n"),
        server_closes(),
    )
    outcome = replay(access(url), dialogue)
    assert outcome.content == b"Hello.\r\n"

The dialogue is a script for the other side: it says its next words as soon as the client has done everything that
stands above them, on whichever connection. What the client does on different connections may come in any order; on one
it must do exactly what is written. A client that does anything else raises `Departure`, an AssertionError that tells
what was due and what came.

`split_everywhere` runs a dialogue cut at every octet of what the other side says; `fault_everywhere` runs it once for
every fault at every request. Both are meant for every good dialogue of every scheme.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from urlschemes.errors import (
    AccessError,
    ConnectError,
    DeadlineExceeded,
    InputRequired,
    LimitExceeded,
    PolicyDenied,
    ProtocolError,
    RedirectRefused,
    RemoteError,
    ResolveError,
    TLSError,
    Truncated,
    URLError,
)
from urlschemes.resource import Credentials, Entry, FileFacts
from urlschemes.wire import (
    Algorithm,
    Ask,
    Authenticate,
    Close,
    Connect,
    ConnectBack,
    Deliver,
    Examine,
    Follow,
    ListFolder,
    Open,
    OpenFile,
    Peer,
    Pull,
    Ready,
    Receive,
    Request,
    Send,
    StartTLS,
    Unterminated,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from urlschemes.resource import Attributes, Form
    from urlschemes.url import URL

__all__ = [
    "Departure",
    "Dialogue",
    "FaultRun",
    "Outcome",
    "Recording",
    "Step",
    "answers",
    "client",
    "client_closes",
    "connect",
    "connect_back",
    "credentials",
    "fault_everywhere",
    "file",
    "folder",
    "follow",
    "replay",
    "server",
    "server_closes",
    "server_resets",
    "silence",
    "split_everywhere",
    "start_tls",
    "upload",
]

ADDRESS = "192.0.2.1"
"""What every host of a dialogue resolves to: an address for documentation (RFC 5737); nothing is ever sent there."""
EPOCH = datetime(1994, 12, 1, tzinfo=UTC)
"""When the files of a dialogue were last changed, unless the dialogue says otherwise."""
EXPIRATIONS = 64
"""After so many waits in vain the total deadline has passed."""
REQUESTS = 1_000_000
"""An algorithm that asks for more than this does not end."""

Text: TypeAlias = str | bytes


class Departure(AssertionError):
    """The algorithm left the dialogue, or broke the contract between an algorithm and its driver."""


# The steps ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens in a dialogue; the functions of this room make them. `on` names a connection."""

    on: str


@dataclass(frozen=True, slots=True)
class _Connect(Step):
    host: str
    port: int
    transport: Literal["tcp", "udp"]
    error: URLError | None


@dataclass(frozen=True, slots=True)
class _ConnectBack(Step):
    port: int
    error: URLError | None


@dataclass(frozen=True, slots=True)
class _StartTLS(Step):
    host: str
    error: URLError | None


@dataclass(frozen=True, slots=True)
class _Client(Step):
    octets: bytes
    early: bool


@dataclass(frozen=True, slots=True)
class _ClientCloses(Step):
    pass


@dataclass(frozen=True, slots=True)
class _Server(Step):
    octets: bytes


@dataclass(frozen=True, slots=True)
class _Silence(Step):
    pass


@dataclass(frozen=True, slots=True)
class _ServerCloses(Step):
    pass


@dataclass(frozen=True, slots=True)
class _ServerResets(Step):
    pass


@dataclass(frozen=True, slots=True)
class _Follow(Step):
    location: str
    to: URL | URLError


@dataclass(frozen=True, slots=True)
class _Credentials(Step):
    given: Credentials | None


@dataclass(frozen=True, slots=True)
class _Answers(Step):
    given: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Upload(Step):
    octets: bytes


@dataclass(frozen=True, slots=True)
class _OnDisk(Step):
    facts: FileFacts
    octets: bytes
    error: URLError | None


_GATES = (_Connect, _ConnectBack, _StartTLS, _Client, _ClientCloses)
_OPENING = (_Connect, _ConnectBack)
_ANSWERS = (_Follow, _Credentials, _Answers, _Upload)
_ANSWERED_BY: dict[type[Any], type[Step]] = {
    Follow: _Follow,
    Authenticate: _Credentials,
    Ask: _Answers,
    Pull: _Upload,
}
_CALLERS = (*_ANSWERS, _OnDisk)


def _octets(pieces: tuple[Text, ...]) -> bytes:
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
    return _Connect(on, host, port, transport, error)


def connect_back(port: int, *, on: str = "data", error: URLError | None = None) -> Step:
    """The client connects to another port of the same address. Steps on this connection must name it: `on="data"`."""
    return _ConnectBack(on, port, error)


def start_tls(host: str, *, on: str = "", error: URLError | None = None) -> Step:
    """The client protects the connection by TLS; `error` as in `connect`."""
    return _StartTLS(on, host, error)


def client(*pieces: Text, on: str = "", early: bool = False) -> Step:
    """The client sends exactly this: a str is one line (CR LF is added), bytes are those octets.

    It must have received all that the other side said above on this connection, unless `early`.
    """
    return _Client(on, _octets(pieces), early)


def client_closes(*, on: str = "") -> Step:
    """The client closes, and what stands below happens only then (the end of an upload). Elsewhere it need not."""
    return _ClientCloses(on)


def server(*pieces: Text, on: str = "") -> Step:
    """The other side says this, in one piece; over UDP, in one datagram. A str is one line, bytes are those octets."""
    return _Server(on, _octets(pieces))


def silence(*, on: str = "") -> Step:
    """One wait of the client passes in vain, then the dialogue goes on.

    Where the dialogue has nothing to say because it waits for the client, every wait is in vain; that needs no step.
    """
    return _Silence(on)


def server_closes(*, on: str = "") -> Step:
    """The other side closes in order: the client reads the end of the stream."""
    return _ServerCloses(on)


def server_resets(*, on: str = "") -> Step:
    """The other side breaks the connection off."""
    return _ServerResets(on)


def follow(location: str, to: URL | URLError) -> Step:
    """The client asks to follow this `location` of a redirect; the answer is a URL, or an error to raise."""
    return _Follow("", location, to)


def credentials(user: str | None, password: str = "") -> Step:
    """What the caller answers when the client asks for a login; None, and no such step, mean that nobody knows one."""
    return _Credentials("", None if user is None else Credentials(user, password))


def answers(*given: str) -> Step:
    """What the caller answers to a form. Without such a step asking raises InputRequired."""
    return _Answers("", given)


def upload(*pieces: Text) -> Step:
    """The next octets of the caller's upload."""
    return _Upload("", _octets(pieces))


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
    return _OnDisk("", FileFacts(path, kind, len(content) if size is None else size, modified), content, error)


def folder(path: str, *, modified: datetime = EPOCH, error: URLError | None = None) -> Step:
    """A folder `path` of this machine; it holds the files and folders of the dialogue whose path says so."""
    return _OnDisk("", FileFacts(path, "directory", 0, modified), b"", error)


class Dialogue:
    """What happens between a client and the other side, in order. Given dialogues are taken in: `Dialogue(LOGIN, ...)`.

    Raises ValueError for a step on a connection that is not there.
    """

    __slots__ = ("steps",)
    steps: tuple[Step, ...]

    def __init__(self, *steps: Step | Dialogue) -> None:
        current = ""
        latest: dict[str, str] = {}  # the name as written -> the name made unique
        seen: Counter[str] = Counter()
        resolved: list[Step] = []
        for step in _flat(steps):
            if isinstance(step, _OPENING):
                name = step.on or "connection"
                seen[name] += 1
                unique = name if seen[name] == 1 else f"{name} {seen[name]}"
                latest[name] = latest[unique] = unique
                if isinstance(step, _Connect):
                    current = unique
                resolved.append(replace(step, on=unique))
            elif not isinstance(step, _CALLERS):
                name = step.on or current
                if name not in latest:
                    raise ValueError(f"no connection {name or 'at all'!r} is open above {step}")
                resolved.append(replace(step, on=latest[name]))
            else:
                resolved.append(step)
        self.steps = tuple(resolved)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __eq__(self, other: object) -> bool:
        return self.steps == other.steps if isinstance(other, Dialogue) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.steps)

    def then(self, *steps: Step | Dialogue) -> Dialogue:
        """A longer dialogue: this one, and then `steps`."""
        return Dialogue(self, *steps)

    def __str__(self) -> str:
        return "\n".join(f"{number:3} {_describe(step)}" for number, step in enumerate(self.steps))

    def source(self) -> str:
        """The dialogue as Python source, to be pasted into a test."""
        return "Dialogue(\n" + "".join(f"    {_source(step)},\n" for step in self.steps) + ")"


def _flat(steps: tuple[Step | Dialogue, ...]) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, Dialogue):
            yield from step
        else:
            yield step


def _describe(step: Step) -> str:
    match step:
        case _Connect(host=host, port=port):
            return f"{step.on}: the client connects to {host}, port {port}"
        case _ConnectBack(port=port):
            return f"{step.on}: the client connects back to port {port}"
        case _StartTLS(host=host):
            return f"{step.on}: the client starts TLS with {host}"
        case _Client(octets=octets):
            return f"{step.on}: the client sends {octets!r}"
        case _ClientCloses():
            return f"{step.on}: the client closes"
        case _Server(octets=octets):
            return f"{step.on}: the server says {octets!r}"
        case _Silence():
            return f"{step.on}: silence"
        case _ServerCloses():
            return f"{step.on}: the server closes"
        case _ServerResets():
            return f"{step.on}: the server resets"
        case _Follow(location=location, to=to):
            return f"the caller follows {location!r} to {to}"
        case _Credentials(given=given):
            return f"the caller logs in as {given.user!r}" if given else "the caller knows no login"
        case _Answers(given=texts):
            return f"the caller answers {texts!r}"
        case _Upload(octets=octets):
            return f"the caller uploads {octets!r}"
        case _OnDisk(facts=facts):
            return f"the machine has the {facts.kind} {facts.path!r}"
        case _:
            return repr(step)


def _source(step: Step) -> str:
    def call(name: str, *arguments: object, on: str = "", **more: object) -> str:
        shown = [repr(argument) for argument in arguments]
        shown += [f"{key}={value!r}" for key, value in (("on", on), *more.items()) if value]
        return f"{name}({', '.join(shown)})"

    def octets(of: bytes) -> Text:
        line = of[:-2]
        return line.decode() if of.endswith(b"\r\n") and line.isascii() and b"\n" not in line else of

    match step:
        case _Connect(on, host, port, transport, error):
            return call("connect", host, port, on=on, transport=transport if transport == "udp" else "", error=error)
        case _ConnectBack(on, port, error):
            return call("connect_back", port, on=on, error=error)
        case _StartTLS(on, host, error):
            return call("start_tls", host, on=on, error=error)
        case _Client(on, sent, early):
            return call("client", octets(sent), on=on, early=early)
        case _Server(on, said):
            return call("server", octets(said), on=on)
        case _ClientCloses(on):
            return call("client_closes", on=on)
        case _Silence(on):
            return call("silence", on=on)
        case _ServerCloses(on):
            return call("server_closes", on=on)
        case _ServerResets(on):
            return call("server_resets", on=on)
        case _Follow(_, location, to):
            return call("follow", location, to)
        case _Credentials(_, given):
            return call("credentials", given.user, given.password) if given else call("credentials", None)
        case _Answers(_, texts):
            return call("answers", *texts)
        case _Upload(_, pulled):
            return call("upload", pulled)
        case _OnDisk(_, facts, content, error):
            if facts.kind == "directory":
                return call("folder", facts.path, modified=facts.modified, error=error)
            return call("file", facts.path, content, size=facts.size, modified=facts.modified, error=error)
        case _:
            raise TypeError(step)


# What came of it ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of an access.

    `kind` and `attributes` are what was opened (None where nothing was), `delivered` the pieces of content or the
    entries, `terminated` is False where the algorithm said that the content lacks its end, `error` is what ended the
    access (None where it ended well), `sent` the octets by connection, `forms` the questions asked, `unclosed` the
    connections that the algorithm left for the driver to close.
    """

    kind: str | None = None
    attributes: Attributes | None = None
    session: type[Any] | None = None
    delivered: tuple[bytes | Entry, ...] = ()
    terminated: bool = True
    error: URLError | None = None
    sent: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    forms: tuple[Form, ...] = ()
    unclosed: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether something was opened and its end was reached, without an error."""
        return self.kind is not None and self.error is None and self.terminated

    @property
    def content(self) -> bytes:
        """The octets delivered, in one piece."""
        return b"".join(item for item in self.delivered if isinstance(item, bytes))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries delivered."""
        return tuple(item for item in self.delivered if isinstance(item, Entry))

    @property
    def essence(self) -> tuple[object, ...]:
        """What must not depend on how the octets were cut: two outcomes with equal essence are the same."""
        error = (type(self.error), str(self.error)) if self.error else None
        opened = self.kind, self.attributes, self.session
        return *opened, self.content, self.entries, self.terminated, error, dict(self.sent), self.forms


@dataclass(frozen=True, slots=True)
class FaultRun:
    """One run of `fault_everywhere`: `fault` happened at request `number` (from 0), which was `request`."""

    number: int
    request: str
    fault: str
    outcome: Outcome


# The driver -----------------------------------------------------------------------------------------------------------


class _Line:
    """One connection, or one open file, of a running dialogue."""

    def __init__(
        self, label: str, peer: Peer, steps: list[int], *, datagrams: bool = False, back: bool = False
    ) -> None:
        self.back = back
        self.label = label
        self.peer = peer
        self.steps = steps
        self.datagrams = datagrams
        self.position = 0
        self.received = 0
        self.sent = bytearray()
        self.closed = False
        self.broken: Literal["", "end", "reset", "timeout"] = ""
        self.left: int | None = None  # octets that still come before it breaks
        self.file: int | None = None
        self.content = b""


class _Cancelled(Exception):
    """The caller goes away."""


_FAULTS: dict[str, Callable[[], URLError]] = {
    "unresolved": lambda: ResolveError("the name has no address"),
    "refused": lambda: ConnectError("connection refused"),
    "forbidden": lambda: PolicyDenied("the policy forbids it", rule="replay"),
    "untrusted": lambda: TLSError("the certificate is not the host's"),
    "unreadable": lambda: RemoteError("it cannot be read", text="Input/output error"),
    "redirect refused": lambda: RedirectRefused("the policy does not follow", reason="scheme"),
    "nobody answers": lambda: InputRequired("nobody answers the form"),
    "over the limit": lambda: LimitExceeded("the content is too large", limit="content", value=0),
}


class _Replay:
    def __init__(
        self,
        dialogue: Dialogue,
        *,
        chunk: int | None = None,
        cut: tuple[int, int] | None = None,
        joined: bool = False,
        first: str | None = None,
        take: int | None = None,
        fault: tuple[int, str] | None = None,
        also: Collection[bytes] = (),
    ) -> None:
        self.dialogue = dialogue
        self.steps = dialogue.steps
        self.chunk = chunk
        self.cut = cut
        self.joined = joined
        self.first = first
        self.take = take
        self.fault = fault
        self.also = also
        self.done = [not isinstance(step, _GATES) for step in self.steps]
        self.progress = [0] * len(self.steps)
        self.barrier = 0
        self.lost = len(self.steps)  # the other side never comes to say what stands below this step
        self.lines: dict[Peer, _Line] = {}
        self.expired = 0
        self.faulty = False
        self.requests: list[tuple[Request[Any], tuple[str, ...]]] = []
        self.kind: str | None = None
        self.attributes: Attributes | None = None
        self.session: type[Any] | None = None
        self.delivered: list[bytes | Entry] = []
        self.terminated = True
        self.forms: list[Form] = []
        self._pass(None)

    # Running ----------------------------------------------------------------------------------------------------------

    def run(self, algorithm: Algorithm[None]) -> Outcome:
        error: URLError | None = None
        try:
            self._drive(algorithm)
        except _Cancelled:
            self._leave(algorithm)
        except URLError as raised:
            error = raised
        except Departure:
            algorithm.close()
            raise
        else:
            if self.kind is None:
                raise Departure(f"the algorithm ended without having opened anything\n{self.dialogue}")
        if self.take is None and not self.faulty:
            self._all_done(error)
        return Outcome(
            kind=self.kind,
            attributes=self.attributes,
            session=self.session,
            delivered=tuple(self.delivered),
            terminated=self.terminated,
            error=error,
            sent=MappingProxyType({line.label: bytes(line.sent) for line in self.lines.values() if line.file is None}),
            forms=tuple(self.forms),
            unclosed=tuple(line.label for line in self.lines.values() if not line.closed),
        )

    def _drive(self, algorithm: Algorithm[None]) -> None:
        answer: Any = None
        error: URLError | None = None
        while True:
            try:
                request = algorithm.throw(error) if error else algorithm.send(answer)
            except StopIteration:
                return
            answer, error = None, None
            if not isinstance(request, Request):
                raise Departure(f"a bare `yield` of {request!r}: it must be `yield from` a request")
            number = len(self.requests)
            if number >= REQUESTS:
                raise Departure("the algorithm does not end")
            self.requests.append((request, self._possible_faults(request)))
            try:
                if self.fault and self.fault[0] == number:
                    self.faulty = True
                    answer = self._inject(request, self.fault[1])
                else:
                    answer = self._answer(request)
            except URLError as raised:
                error = raised

    def _leave(self, algorithm: Algorithm[None]) -> None:
        # The caller goes away, as `with` blocks, Ctrl-C and cancelled tasks do: only closing is left.
        try:
            request = algorithm.throw(GeneratorExit())
            while True:
                if not isinstance(request, Close):
                    raise Departure(f"after the caller had left, the algorithm asked for {request!r}")
                self._close(request)
                request = algorithm.send(None)
        except (StopIteration, GeneratorExit):
            return

    def _all_done(self, error: URLError | None) -> None:
        for number, step in enumerate(self.steps):
            if not (self.progress[number] if isinstance(step, _ANSWERS) else self.done[number]):
                how = f"with {error!r}" if error else "well"
                raise Departure(
                    f"the access ended {how}, and this never came: {_describe(step)}\n{self.dialogue}"
                ) from error

    # The script -------------------------------------------------------------------------------------------------------

    def _pass(self, number: int | None) -> None:
        if number is not None:
            self.done[number] = True
        while self.barrier < len(self.steps) and self.done[self.barrier]:
            self.barrier += 1

    def _next(self, line: _Line) -> int | None:
        while line.position < len(line.steps):
            number = line.steps[line.position]
            step = self.steps[number]
            if isinstance(step, _Server):
                over = self.progress[number] >= len(step.octets)
            elif isinstance(step, _Silence):
                over = bool(self.progress[number])
            elif isinstance(step, (_ServerCloses, _ServerResets)):
                over = False
            else:
                over = self.done[number]
            if not over:
                return number
            line.position += 1
        return None

    def _speaks(self, line: _Line) -> int | None:
        """The step that a read of this line would meet now; None where the other side waits for the client."""
        number = self._next(line)
        if number is None or number > min(self.barrier, self.lost) or isinstance(self.steps[number], _GATES):
            return None
        return number

    def _piece(self, number: int, octets: bytes, most: int) -> bytes:
        start = self.progress[number]
        end = min(len(octets), start + most)
        if self.chunk:
            end = min(end, start + self.chunk)
        if self.cut and self.cut[0] == number and start < self.cut[1]:
            end = min(end, self.cut[1])
        self.progress[number] = end
        return octets[start:end]

    def _line(self, peer: Peer) -> _Line:
        line = self.lines.get(peer)
        if line is None:
            raise Departure(f"{peer!r} is no peer of this access")
        if line.closed:
            raise Departure(f"{peer!r} is used after it was closed")
        return line

    def _open(self, number: int, step: _Connect | _ConnectBack, *, datagrams: bool = False) -> Peer:
        self._pass(number)
        if step.error:
            raise step.error
        peer = Peer(step.on, (ADDRESS, step.port))
        steps = [index for index, other in enumerate(self.steps) if other.on == step.on and index > number]
        self.lines[peer] = _Line(step.on, peer, steps, datagrams=datagrams, back=isinstance(step, _ConnectBack))
        return peer

    # The requests -----------------------------------------------------------------------------------------------------

    def _answer(self, request: Request[Any]) -> Any:
        match request:
            case Receive():
                return self._receive(request)
            case Send():
                return self._send(request)
            case Ready():
                return self._ready(request)
            case Connect():
                return self._connect(request)
            case ConnectBack():
                return self._connect_back(request)
            case StartTLS():
                return self._start_tls(request)
            case Close():
                return self._close(request)
            case Open():
                return self._opened(request)
            case Deliver():
                return self._deliver(request)
            case OpenFile() | Examine() | ListFolder():
                return self._on_disk(request)
            case Follow() | Authenticate() | Ask() | Pull():
                return self._ask_caller(request)
            case Unterminated():
                self.terminated = False
                return None
            case _:
                raise Departure(f"the replay knows no {request!r}")

    def _connect(self, request: Connect) -> Peer:
        wanted = request.host, request.port, request.transport
        for number, step in enumerate(self.steps):
            if self.done[number] or not isinstance(step, _Connect):
                continue
            if (step.host, step.port, step.transport) == wanted:
                return self._open(number, step, datagrams=step.transport == "udp")
        raise self._departure(request)

    def _connect_back(self, request: ConnectBack) -> Peer:
        self._line(request.peer)
        if not 1024 <= request.port < 65536:
            raise ProtocolError(f"{request.port} is no port for {request.label}", where=request.label)
        for number, step in enumerate(self.steps):
            if isinstance(step, _ConnectBack) and step.port == request.port and not self.done[number]:
                return self._open(number, step)
        raise self._departure(request)

    def _start_tls(self, request: StartTLS) -> None:
        line = self._line(request.peer)
        number = self._next(line)
        step = None if number is None else self.steps[number]
        if number is None or not isinstance(step, _StartTLS) or step.host != request.host:
            raise self._departure(request, line)
        self._pass(number)
        if step.error:
            raise step.error
        request.peer.secure = True

    def _close(self, request: Close) -> None:
        line = self.lines.get(request.peer)
        if line is None:
            raise Departure(f"{request.peer!r} is no peer of this access")
        if line.closed:
            return
        line.closed = True
        number = self._next(line)
        if number is not None and isinstance(self.steps[number], _ClientCloses):
            self._pass(number)

    def _send(self, request: Send) -> None:
        line = self._line(request.peer)
        if line.file is not None:
            raise Departure("an algorithm cannot write to a file")
        line.sent += request.octets
        if line.broken:
            known = [step.octets for step in self.steps if isinstance(step, _Client) and step.on == line.label]
            if request.octets not in known and request.octets not in self.also:
                raise self._departure(request, line)
            raise self._break(line, "send")
        rest = request.octets
        while rest:
            number = self._expected(line)
            step = None if number is None else self.steps[number]
            if number is None or not isinstance(step, _Client):
                return self._beyond(request, line, rest)
            due = step.octets[self.progress[number] :]
            count = min(len(due), len(rest))
            if rest[:count] != due[:count]:
                return self._beyond(request, line, rest)
            self.progress[number] += count
            rest = rest[count:]
            if self.progress[number] == len(step.octets):
                self._pass(number)
        return None

    def _expected(self, line: _Line) -> int | None:
        self._next(line)
        unread = False
        for number in line.steps[line.position :]:
            step = self.steps[number]
            if isinstance(step, _Client):
                if not self.done[number]:
                    return number if step.early or not unread else None
            elif isinstance(step, _Server):
                unread = unread or self.progress[number] < len(step.octets)
            else:
                return None
        return None

    def _beyond(self, request: Send, line: _Line, rest: bytes) -> None:
        # After a fault some words are allowed anywhere (a goodbye); the other side no longer answers.
        if not self.faulty or rest not in self.also:
            raise self._departure(request, line)
        line.broken = "timeout"

    def _receive(self, request: Receive) -> bytes | None:
        line = self._line(request.peer)
        if line.broken and not line.left:
            if line.broken == "end":
                return b""
            if line.broken == "timeout":
                self._in_vain(request, line)
                return None
            raise self._break(line, request.phase)
        most = request.most if line.left is None else min(request.most, line.left)
        octets = self._take(line, most)
        if octets is None:
            self._in_vain(request, line)
            return None
        line.received += len(octets)
        if line.left is not None:
            line.left -= len(octets)
        return octets

    def _take(self, line: _Line, most: int) -> bytes | None:
        if line.file is not None:
            return self._piece(line.file, line.content, most)
        octets = b""
        while len(octets) < most and (number := self._speaks(line)) is not None:
            step = self.steps[number]
            if isinstance(step, _Server):
                if line.datagrams:
                    self.progress[number] = len(step.octets)
                    return step.octets[:most]
                octets += self._piece(number, step.octets, most - len(octets))
                if not self.joined:
                    break
            elif octets:
                break
            elif isinstance(step, _Silence):
                self.progress[number] = 1
                return None
            elif isinstance(step, _ServerCloses):
                return b""
            else:
                line.broken = "reset"
                raise self._break(line, "response")
        return octets or None

    def _in_vain(self, request: Receive | Ready, line: _Line | None = None) -> None:
        self.expired += 1
        if request.within is None or self.expired > EXPIRATIONS:
            message = f"nothing more came on {line.label!r}" if line else "nothing more came"
            if self.barrier < len(self.steps):
                message += f"; the dialogue waits: {_describe(self.steps[self.barrier])}"
            raise DeadlineExceeded(message, phase=request.phase)

    def _break(self, line: _Line, phase: str) -> AccessError:
        if line.broken == "timeout":
            return DeadlineExceeded(f"{line.label} is silent", phase=phase)
        if line.received:
            return Truncated(f"{line.label} broke off", received=line.received)
        return ConnectError(f"{line.label} broke off before its first octet")

    def _ready(self, request: Ready) -> Peer | None:
        ready: list[tuple[bool, int, Peer]] = []
        quiet: list[int] = []
        for peer in request.peers:
            line = self._line(peer)
            if line.broken in ("end", "reset") or line.file is not None or line.left:
                ready.append((line.label != self.first, -1, peer))
            elif not line.broken and (number := self._speaks(line)) is not None:
                if isinstance(self.steps[number], _Silence):
                    quiet.append(number)
                else:
                    ready.append((line.label != self.first, number, peer))
        if ready:
            return min(ready, key=lambda item: item[:2])[2]
        for number in quiet:
            self.progress[number] = 1
        self._in_vain(request)
        return None

    def _opened(self, request: Open) -> None:
        if self.kind is not None:
            raise Departure(f"opened twice: {request!r}")
        self.kind, self.attributes, self.session = request.kind, request.attributes, request.session
        if self.take == 0:
            raise _Cancelled

    def _deliver(self, request: Deliver) -> None:
        due = {"document": bytes, "listing": Entry}.get(self.kind or "")
        if due is None or not isinstance(request.item, due):
            raise Departure(f"{request!r} does not belong to an open {self.kind}")
        self.delivered.append(request.item)
        if self.take is not None and len(self.delivered) >= self.take:
            raise _Cancelled

    def _on_disk(self, request: OpenFile | Examine | ListFolder) -> Any:
        for number, step in enumerate(self.steps):
            if not isinstance(step, _OnDisk) or step.facts.path != request.path:
                continue
            if step.error:
                raise step.error
            if isinstance(request, Examine):
                return step.facts
            if isinstance(request, ListFolder):
                if step.facts.kind != "directory":
                    raise RemoteError(f"{request.path} is no folder", text="Not a directory")
                return self._inside(request.path)
            if step.facts.kind != "file":
                raise PolicyDenied(f"{request.path} is no regular file", rule="regular files")
            peer = Peer(request.path)
            line = self.lines[peer] = _Line(request.path, peer, [])
            line.file, line.content = number, step.octets
            return peer
        raise RemoteError(f"{request.path} does not exist", text="No such file or directory")

    def _inside(self, path: str) -> tuple[FileFacts, ...]:
        facts = [step.facts for step in self.steps if isinstance(step, _OnDisk)]
        parent = path.rstrip("/") or "/"
        held = [fact for fact in facts if posixpath.dirname(fact.path.rstrip("/")) == parent and fact.path != path]
        return tuple(sorted(held, key=lambda fact: fact.path))

    def _ask_caller(self, request: Follow | Authenticate | Ask | Pull) -> Any:
        kind = _ANSWERED_BY[type(request)]
        if isinstance(request, Ask):
            self.forms.append(request.form)
        for number, step in enumerate(self.steps):
            if type(step) is not kind or not isinstance(step, _ANSWERS) or self.progress[number]:
                continue
            if isinstance(request, Follow) and isinstance(step, _Follow) and step.location != request.location:
                continue
            self.progress[number] = 1
            if isinstance(step, _Follow):
                if isinstance(step.to, URLError):
                    raise step.to
                return step.to
            return step.octets if isinstance(step, _Upload) else step.given
        if isinstance(request, Follow):
            raise self._departure(request)
        if isinstance(request, Ask):
            raise InputRequired("nobody answers the form")
        return b"" if isinstance(request, Pull) else None

    def _departure(self, request: Request[Any], line: _Line | None = None) -> Departure:
        if line is None:
            due = "the dialogue has no such step left"
        else:
            number = self._next(line)
            due = "nothing more is due there" if number is None else f"due was: {_describe(self.steps[number])}"
        return Departure(f"the algorithm asks for {request!r}; {due}\n{self.dialogue}")

    # Faults -----------------------------------------------------------------------------------------------------------

    def _possible_faults(self, request: Request[Any]) -> tuple[str, ...]:
        match request:
            case Connect():
                return "unresolved", "refused", "timeout", "forbidden", "cancelled"
            case ConnectBack():
                return "refused", "timeout", "forbidden", "cancelled"
            case StartTLS():
                return "untrusted", "timeout", "cancelled"
            case Send():
                return "reset", "timeout", "cancelled"
            case Receive(peer=peer):
                line = self.lines.get(peer)
                if line is None or line.closed:
                    return ()
                if line.datagrams:
                    return "reset", "timeout", "cancelled"
                if self._at_end(line):
                    return ("cancelled",) if line.file is not None else ("reset", "timeout", "cancelled")
                short: tuple[str, ...] = ("end", "one octet", "one octet, then end")
                if line.file is not None:
                    return (*short, "unreadable", "cancelled")
                if line.back:
                    short = ("end, unnoticed", *short)
                return (*short, "reset", "timeout", "one octet, then reset", "one octet, then timeout", "cancelled")
            case Ready():
                return "timeout", "cancelled"
            case OpenFile() | Examine() | ListFolder():
                return "unreadable", "forbidden", "cancelled"
            case Follow():
                return "redirect refused", "cancelled"
            case Authenticate():
                return "nobody knows", "cancelled"
            case Ask():
                return "nobody answers", "cancelled"
            case Deliver():
                return "over the limit", "cancelled"
            case Open() | Pull():
                return ("cancelled",)
            case _:
                return ()

    def _at_end(self, line: _Line) -> bool:
        if line.file is not None:
            return self.progress[line.file] >= len(line.content)
        number = self._speaks(line)
        return number is None or isinstance(self.steps[number], _ServerCloses)

    def _inject(self, request: Request[Any], fault: str) -> Any:
        if fault == "cancelled":
            raise _Cancelled
        if fault == "nobody knows":
            return None
        if make_error := _FAULTS.get(fault):
            error = make_error()
            raise error
        if isinstance(request, Ready):
            for peer in request.peers:
                self.lines[peer].broken = "timeout"
        elif isinstance(request, Send):
            self._line(request.peer).broken = "reset" if fault == "reset" else "timeout"
        elif isinstance(request, Receive):
            if fault == "one octet":
                return self._receive(Receive(request.peer, within=request.within, most=1))
            line = self._line(request.peer)
            lost = self._speaks(line)
            line.left = 1 if fault.startswith("one octet") else 0
            line.broken = "reset" if fault.endswith("reset") else "timeout" if fault.endswith("timeout") else "end"
            if lost is not None and fault != "end, unnoticed":
                self.lost = lost
        else:
            raise DeadlineExceeded("no connection in time", phase="tls" if isinstance(request, StartTLS) else "connect")
        return self._answer(request)


# What tests call ------------------------------------------------------------------------------------------------------


def replay(
    algorithm: Algorithm[None], dialogue: Dialogue, *, chunk: int | None = None, take: int | None = None
) -> Outcome:
    """Run `algorithm` to its end against `dialogue`.

    `chunk` is the most octets that arrive at once (1: octet by octet). With `take`, the caller leaves after that many
    pieces or entries (0: as soon as the resource is open). An error of the access is part of the Outcome. Raises
    Departure where the algorithm left the dialogue, or ended before it did all that stands there; what the algorithm
    raises beside URLErrors comes out as it is.
    """
    return _Replay(dialogue, chunk=chunk, take=take).run(algorithm)


def split_everywhere(make_algorithm: Callable[[], Algorithm[None]], dialogue: Dialogue) -> Outcome:
    """Run the dialogue with its server's words cut in every way, and assert that the Outcome is always the same.

    The ways: each message as written; octet by octet; messages that can arrive together, together; each message cut in
    two at each octet; and where there are several connections, each of them always the first to be heard. Datagrams are
    not cut.
    """
    good = _Replay(dialogue).run(make_algorithm())
    connections = {step.on: step for step in dialogue if isinstance(step, _OPENING)}
    orders: list[str | None] = [None, *(connections if len(connections) > 1 else ())]
    for first in orders:
        _assert_same(good, _Replay(dialogue, first=first).run(make_algorithm()), f"{first} first")
        _assert_same(good, _Replay(dialogue, chunk=1, first=first).run(make_algorithm()), "octet by octet")
        _assert_same(good, _Replay(dialogue, joined=True, first=first).run(make_algorithm()), "joined")
    for number, step in enumerate(dialogue):
        if not isinstance(step, (_Server, _OnDisk)):
            continue
        opening = connections.get(step.on)
        if isinstance(opening, _Connect) and opening.transport == "udp":
            continue
        for offset in range(1, len(step.octets)):
            outcome = _Replay(dialogue, cut=(number, offset)).run(make_algorithm())
            _assert_same(good, outcome, f"step {number} cut at octet {offset}: {_describe(step)}")
    return good


def _assert_same(good: Outcome, other: Outcome, how: str) -> None:
    if good.essence != other.essence:
        raise AssertionError(f"another outcome, {how}:\n  {other.essence!r}\ninstead of\n  {good.essence!r}")


def fault_everywhere(
    make_algorithm: Callable[[], Algorithm[None]],
    dialogue: Dialogue,
    *,
    also: Collection[Text] = (),
    ends_by_closing: bool = False,
) -> tuple[FaultRun, ...]:
    """Run the dialogue once for every fault that is possible at every request, and check what comes of each.

    Asserted of each run:

    - only errors of `urlschemes.errors` come out, and the algorithm ends;
    - nothing is sent that the good dialogue would not have sent, but what `also` allows after a fault (`"QUIT"`);
    - nothing but the good content is delivered, and what was cut never counts as complete: the access ends with an
      error, or the algorithm said `Unterminated`. Where the protocol marks the end of the content by closing alone
      (`ends_by_closing`), an early end in good order cannot be told from the true one, and is let pass;
    - no peer is used after it was closed, and when the caller leaves nothing is asked for but closing.

    When the octets on one connection are cut, the other side no longer says what stands below them, on any connection;
    in the fault "end, unnoticed" of a data connection it does. Gives all runs, for what else a test has to say of them.
    """
    allowed = [_octets((words,)) for words in also]
    first = _Replay(dialogue)
    good = first.run(make_algorithm())
    runs: list[FaultRun] = []
    for number, (request, faults) in enumerate(first.requests):
        for fault in faults:
            if fault == "end, unnoticed" and ends_by_closing:
                continue
            where = f"{fault!r} at request {number}, {request!r}"
            driver = _Replay(dialogue, fault=(number, fault), also=allowed)
            try:
                outcome = driver.run(make_algorithm())
                # Data that ended early must still be missed by the control connection, whatever marks its end.
                early = (
                    ends_by_closing
                    and fault.endswith("end")
                    and not (isinstance(request, Receive) and first.lines[request.peer].back)
                )
                _assert_honest(good, outcome, fault, may_end_early=early)
            except AssertionError as error:
                raise AssertionError(f"{where}: {error}") from error
            except Exception as error:
                raise AssertionError(f"{where}: {type(error).__name__} came out, no URLError") from error
            runs.append(FaultRun(number, repr(request), fault, outcome))
    return tuple(runs)


def _assert_honest(good: Outcome, outcome: Outcome, fault: str, *, may_end_early: bool) -> None:
    if fault == "one octet":
        _assert_same(good, outcome, "one octet came first")
        return
    if not good.content.startswith(outcome.content) or good.entries[: len(outcome.entries)] != outcome.entries:
        raise AssertionError(f"content was delivered that is not there: {outcome.delivered!r}")
    if fault == "cancelled" or outcome.error is not None:
        return
    if good.error is not None:
        raise AssertionError(f"the access ended well, and without the fault it fails with {good.error!r}")
    whole = (outcome.kind, outcome.content, outcome.entries) == (good.kind, good.content, good.entries)
    if not whole and outcome.complete and not may_end_early:
        raise AssertionError(f"cut content counts as complete: {outcome!r}")


# Recording ------------------------------------------------------------------------------------------------------------


class Recording:
    """Writes the dialogue of a real access down, whatever drives it.

        recording = Recording()
        drive(recording.of(access(url)))      # any driver, real sockets
        print(recording.dialogue.source())

    Passwords are in it: it is for logins made for a test.
    """

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._names: dict[Peer, str] = {}

    @property
    def dialogue(self) -> Dialogue:
        """What was recorded so far."""
        return Dialogue(*self._steps)

    def of(self, algorithm: Algorithm[None]) -> Algorithm[None]:
        """The same algorithm, recorded while it runs."""
        answer: Any = None
        error: BaseException | None = None
        while True:
            try:
                request = algorithm.throw(error) if error else algorithm.send(answer)
            except StopIteration:
                return
            answer, error = None, None
            try:
                answer = yield request
            except BaseException as raised:  # noqa: BLE001  whatever the driver throws belongs to the algorithm
                error = raised
            self._note(request, answer, error if isinstance(error, URLError) else None)

    def _note(self, request: Request[Any], answer: Any, error: URLError | None) -> None:
        match request:
            case Connect(host=host, port=port, transport=transport):
                name = self._name(answer, "connection" if transport == "tcp" else "datagrams")
                self._steps.append(connect(host, port, on=name, transport=transport, error=error))
            case ConnectBack(port=port):
                self._steps.append(connect_back(port, on=self._name(answer, "data"), error=error))
            case StartTLS(peer=peer, host=host):
                self._steps.append(start_tls(host, on=self._names[peer], error=error))
            case Send(peer=peer, octets=octets) if error is None:
                self._steps.append(client(octets, on=self._names[peer]))
            case Receive(peer=peer):
                self._received(peer, answer, error)
            case Close(peer=peer) if self._names.get(peer, "").startswith("data") and self._sent_last(peer):
                self._steps.append(client_closes(on=self._names[peer]))
            case Follow(location=location):
                self._steps.append(follow(location, error or answer))
            case Authenticate() if error is None:
                self._steps.append(_Credentials("", answer))
            case Ask() if error is None:
                self._steps.append(answers(*answer))
            case Pull() if answer:
                self._steps.append(upload(answer))
            case OpenFile(path=path) if error is None:
                self._names[answer] = path
            case Examine() if isinstance(answer, FileFacts):
                self._steps.append(_OnDisk("", answer, b"", None))
            case ListFolder() if error is None:
                self._steps += [_OnDisk("", facts, b"", None) for facts in answer]
            case OpenFile(path=path) | Examine(path=path) | ListFolder(path=path):
                self._steps.append(file(path, error=error))
            case _:
                pass

    def _name(self, peer: object, name: str) -> str:
        count = sum(1 for known in self._names.values() if known.partition(" ")[0] == name)
        unique = name if not count else f"{name} {count + 1}"
        if isinstance(peer, Peer):
            self._names[peer] = unique
        return unique

    def _sent_last(self, peer: Peer) -> bool:
        on = self._names[peer]
        last = next((step for step in reversed(self._steps) if step.on == on), None)
        return isinstance(last, _Client)

    def _received(self, peer: Peer, octets: bytes | None, error: URLError | None) -> None:
        on = self._names[peer]
        if peer.address is None:
            self._read(on, octets or b"")
        elif isinstance(error, (ConnectError, Truncated)):
            self._steps.append(server_resets(on=on))
        elif octets is None:
            self._steps.append(silence(on=on))
        elif octets:
            self._steps.append(server(octets, on=on))
        elif not any(isinstance(step, _ServerCloses) and step.on == on for step in self._steps):
            self._steps.append(server_closes(on=on))

    def _read(self, path: str, octets: bytes) -> None:
        for number, step in enumerate(self._steps):
            if isinstance(step, _OnDisk) and step.facts.path == path:
                self._steps[number] = replace(step, octets=step.octets + octets)
                return
        self._steps.append(file(path, octets))
