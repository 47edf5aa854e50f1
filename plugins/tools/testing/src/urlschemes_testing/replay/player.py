"""The driver without sockets: answers the requests of an algorithm from the script of a dialogue."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from urlschemes.errors import URLError
from urlschemes_access.attributes import Entry, FileFacts
from urlschemes_access.errors import DeadlineExceeded, InputRequired, PolicyDenied, ProtocolError, RemoteError
from urlschemes_access.protocol import (
    Algorithm,
    Ask,
    Authenticate,
    Close,
    Connect,
    ConnectBack,
    Deliver,
    Examine,
    Follow,
    Keep,
    ListFolder,
    Open,
    OpenFile,
    Peer,
    Pull,
    Ready,
    Receive,
    Remove,
    Request,
    Send,
    StartTLS,
    Unterminated,
)
from urlschemes_testing.replay import steps
from urlschemes_testing.replay.descriptions import describe
from urlschemes_testing.replay.outcome import Departure, Outcome
from urlschemes_testing.replay.progress import Course, Line

if TYPE_CHECKING:
    from collections.abc import Collection

    from urlschemes_access.attributes import Attributes
    from urlschemes_access.credentials import Form
    from urlschemes_testing.replay.script import Dialogue

__all__ = ["Cancelled", "Player", "replay"]

ADDRESS = "192.0.2.1"
"""What every host of a dialogue resolves to: an address for documentation (RFC 5737); nothing is ever sent there."""
EXPIRATIONS = 64
"""After so many waits in vain the total deadline has passed."""
REQUESTS = 1_000_000
"""An algorithm that asks for more than this does not end."""

_ANSWERED_BY: dict[type[Any], type[steps.Step]] = {
    Follow: steps.Follow,
    Authenticate: steps.Login,
    Ask: steps.Answers,
    Pull: steps.Upload,
}


class Cancelled(Exception):
    """The caller goes away."""


class Player:
    """One run of an algorithm against a dialogue.

    `chunk`, `cut` (a step and an octet in it) and `joined` say in what pieces the other side's words arrive, `first`
    which connection is heard first; after `take` pieces or entries the caller leaves.
    """

    def __init__(
        self,
        dialogue: Dialogue,
        *,
        chunk: int | None = None,
        cut: tuple[int, int] | None = None,
        joined: bool = False,
        first: str | None = None,
        take: int | None = None,
    ) -> None:
        self.dialogue = dialogue
        self.course = Course(dialogue, chunk=chunk, cut=cut)
        self.joined = joined
        self.first = first
        self.take = take
        self.lines: dict[Peer, Line] = {}
        self.number = -1  # of the request that is being answered
        self.expired = 0
        self.faulty = False  # a fault was put in: not all steps need be done
        self.also: Collection[bytes] = ()  # what may be said although no step says so
        self.kind: str | None = None
        self.attributes: Attributes | None = None
        self.session: type[Any] | None = None
        self.delivered: list[bytes | Entry] = []
        self.terminated = True
        self.files: dict[str, bytes | None] = {}
        self.forms: list[Form] = []

    # Running ----------------------------------------------------------------------------------------------------------

    def run(self, algorithm: Algorithm[None]) -> Outcome:
        """Run the algorithm to its end. Raises Departure."""
        error: URLError | None = None
        try:
            self._drive(algorithm)
        except Cancelled:
            self._leave(algorithm)
        except URLError as raised:
            error = raised
        except Departure:
            algorithm.close()
            raise
        else:
            if self.kind is None:
                raise Departure(f"the algorithm ended without having opened anything\n{self.dialogue}")
        for line in self.lines.values():
            if not line.sends:
                self._check_cut(line)
        if self.take is None and not self.faulty:
            self._check_all_done(error)
        return Outcome(
            kind=self.kind,
            attributes=self.attributes,
            session=self.session,
            delivered=tuple(self.delivered),
            terminated=self.terminated,
            error=error,
            sent=MappingProxyType(
                {line.label: bytes(line.sent) for line in self.lines.values() if line.file is line.output is None}
            ),
            files=MappingProxyType(self.files),
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
            self.number += 1
            if self.number >= REQUESTS:
                raise Departure("the algorithm does not end")
            try:
                answer = self.answer(request)
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

    def _check_all_done(self, error: URLError | None) -> None:
        owed = self.course.owed()
        if owed is not None:
            how = f"with {error!r}" if error else "well"
            raise Departure(
                f"the access ended {how}, and this never came: {describe(owed)}\n{self.dialogue}"
            ) from error

    def line(self, peer: Peer) -> Line:
        """The connection or file of a peer. Raises Departure where there is none, or none any more."""
        line = self.lines.get(peer)
        if line is None:
            raise Departure(f"{peer!r} is no peer of this access")
        if line.closed:
            raise Departure(f"{peer!r} is used after it was closed")
        return line

    def _open(
        self, number: int, step: steps.Connect | steps.ConnectBack, *, datagrams: bool = False, sends: bool = False
    ) -> Peer:
        self.course.reach(number)
        if step.error:
            raise step.error
        peer = Peer(step.on, (ADDRESS, step.port))
        below = [index for index, other in enumerate(self.course.steps) if other.on == step.on and index > number]
        back = isinstance(step, steps.ConnectBack)
        self.lines[peer] = Line(step.on, peer, below, datagrams=datagrams, back=back, sends=sends)
        return peer

    # The requests -----------------------------------------------------------------------------------------------------

    def answer(self, request: Request[Any]) -> Any:
        """What the request is answered with."""
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
            case OpenFile(to="replace" | "append"):
                return self._open_output(request)
            case OpenFile() | Examine() | ListFolder():
                return self._on_disk(request)
            case Keep():
                return self._keep(request)
            case Remove():
                return self._remove(request)
            case Follow() | Authenticate() | Ask() | Pull():
                return self._ask_caller(request)
            case Unterminated():
                self.terminated = False
                return None
            case _:
                raise Departure(f"the replay knows no {request!r}")

    def _connect(self, request: Connect) -> Peer:
        wanted = request.host, request.port, request.transport
        for number, step in enumerate(self.course.steps):
            if self.course.done[number] or not isinstance(step, steps.Connect):
                continue
            if (step.host, step.port, step.transport) == wanted:
                return self._open(number, step, datagrams=step.transport == "udp")
        raise self._departure(request)

    def _connect_back(self, request: ConnectBack) -> Peer:
        self.line(request.peer)
        if not 1024 <= request.port < 65536:
            raise ProtocolError(f"{request.port} is no port for {request.label}", where=request.label)
        for number, step in enumerate(self.course.steps):
            if isinstance(step, steps.ConnectBack) and step.port == request.port and not self.course.done[number]:
                return self._open(number, step, sends=request.sends)
        raise self._departure(request)

    def _start_tls(self, request: StartTLS) -> None:
        line = self.line(request.peer)
        number = self.course.next(line)
        step = None if number is None else self.course.steps[number]
        if number is None or not isinstance(step, steps.StartTLS) or step.host != request.host:
            raise self._departure(request, line)
        self.course.reach(number)
        if step.error:
            raise step.error
        request.peer.secure = True

    def _close(self, request: Close) -> None:
        line = self.lines.get(request.peer)
        if line is None:
            raise Departure(f"{request.peer!r} is no peer of this access")
        if line.closed:
            return
        self._check_cut(line)
        line.closed = True
        number = self.course.next(line)
        if number is not None and isinstance(self.course.steps[number], steps.ClientCloses):
            self.course.reach(number)

    def _check_cut(self, line: Line) -> None:
        if not line.closed and line.broken in ("", "timeout") and self.course.would_cut(line):
            raise Departure(
                f"{line.label!r} ends in good order before all was sent on it: the other side takes what came for "
                f"the whole, unless `ConnectBack(..., sends=True)` has it broken off\n{self.dialogue}"
            )

    def _send(self, request: Send) -> None:
        line = self.line(request.peer)
        if line.file is not None:
            raise Departure(f"{line.label!r} was opened to be read")
        line.sent += request.octets
        if line.output is not None:
            to_write = self.course.steps[line.output]
            if not isinstance(to_write, steps.Written) or not to_write.octets.startswith(line.sent):
                raise Departure(f"the algorithm asks for {request!r}; due was: {describe(to_write)}\n{self.dialogue}")
            return None
        if line.broken:
            known = [
                step.octets for step in self.course.steps if isinstance(step, steps.Client) and step.on == line.label
            ]
            if request.octets not in known and request.octets not in self.also:
                raise self._departure(request, line)
            raise line.fault("send")
        rest = request.octets
        while rest:
            number = self.course.expected(line)
            step = None if number is None else self.course.steps[number]
            if number is None or not isinstance(step, steps.Client):
                return self._beyond(request, line, rest)
            due = step.octets[self.course.progress[number] :]
            count = min(len(due), len(rest))
            if rest[:count] != due[:count]:
                return self._beyond(request, line, rest)
            self.course.progress[number] += count
            rest = rest[count:]
            if self.course.progress[number] == len(step.octets):
                self.course.reach(number)
        return None

    def _beyond(self, request: Send, line: Line, rest: bytes) -> None:
        # After a fault some words are allowed anywhere (a goodbye); the other side no longer answers.
        if rest not in self.also:
            raise self._departure(request, line)
        line.broken = "timeout"

    def _receive(self, request: Receive) -> bytes | None:
        line = self.line(request.peer)
        if line.output is not None:
            raise Departure(f"{line.label!r} was opened to be written")
        if line.broken and not line.left:
            if line.broken == "end":
                return b""
            if line.broken == "timeout":
                self._in_vain(request, line)
                return None
            raise line.fault(request.phase)
        most = request.most if line.left is None else min(request.most, line.left)
        octets = self._take(line, most)
        if octets is None:
            self._in_vain(request, line)
            return None
        line.received += len(octets)
        if line.left is not None:
            line.left -= len(octets)
        return octets

    def _take(self, line: Line, most: int) -> bytes | None:
        if line.file is not None:
            return self.course.piece(line.file, line.content, most)
        octets = b""
        while len(octets) < most and (number := self.course.speaks(line)) is not None:
            step = self.course.steps[number]
            if isinstance(step, steps.Server):
                if line.datagrams:
                    self.course.progress[number] = len(step.octets)
                    return step.octets[:most]
                octets += self.course.piece(number, step.octets, most - len(octets))
                if not self.joined:
                    break
            elif octets:
                break
            elif isinstance(step, steps.Silence):
                self.course.progress[number] = 1
                return None
            elif isinstance(step, steps.ServerCloses):
                return b""
            else:
                line.broken = "reset"
                raise line.fault("response")
        return octets or None

    def _in_vain(self, request: Receive | Ready, line: Line | None = None) -> None:
        self.expired += 1
        if request.within is None or self.expired > EXPIRATIONS:
            message = f"nothing more came on {line.label!r}" if line else "nothing more came"
            if self.course.barrier < len(self.course.steps):
                message += f"; the dialogue waits: {describe(self.course.steps[self.course.barrier])}"
            raise DeadlineExceeded(message, phase=request.phase)

    def _ready(self, request: Ready) -> Peer | None:
        ready: list[tuple[bool, int, Peer]] = []
        quiet: list[int] = []
        for peer in request.peers:
            line = self.line(peer)
            if line.broken in ("end", "reset") or line.file is not None or line.left:
                ready.append((line.label != self.first, -1, peer))
            elif not line.broken and (number := self.course.speaks(line)) is not None:
                if isinstance(self.course.steps[number], steps.Silence):
                    quiet.append(number)
                else:
                    ready.append((line.label != self.first, number, peer))
        if ready:
            return min(ready, key=lambda item: item[:2])[2]
        for number in quiet:
            self.course.progress[number] = 1
        self._in_vain(request)
        return None

    def _opened(self, request: Open) -> None:
        if self.kind is not None:
            raise Departure(f"opened twice: {request!r}")
        self.kind, self.attributes, self.session = request.kind, request.attributes, request.session
        if self.take == 0:
            raise Cancelled

    def _deliver(self, request: Deliver) -> None:
        due = {"document": bytes, "listing": Entry}.get(self.kind or "")
        if due is None or not isinstance(request.item, due):
            raise Departure(f"{request!r} does not belong to an open {self.kind}")
        self.delivered.append(request.item)
        if self.take is not None and len(self.delivered) >= self.take:
            raise Cancelled

    def _on_disk(self, request: OpenFile | Examine | ListFolder) -> Any:
        for number, step in enumerate(self.course.steps):
            if not isinstance(step, steps.OnDisk) or step.facts.path != request.path:
                continue
            if step.error:
                raise step.error
            if isinstance(request, Examine):
                return step.facts
            if isinstance(request, ListFolder):
                if step.facts.kind != "directory":
                    raise RemoteError(f"{request.path} is no folder", text="Not a directory")
                return self.course.inside(request.path)
            if step.facts.kind != "file":
                raise PolicyDenied(f"{request.path} is no regular file", rule="regular files")
            peer = Peer(request.path)
            line = self.lines[peer] = Line(request.path, peer, [])
            line.file, line.content = number, step.octets
            return peer
        raise RemoteError(f"{request.path} does not exist", text="No such file or directory")

    def _open_output(self, request: OpenFile) -> Peer:
        for number, step in enumerate(self.course.steps):
            if not isinstance(step, steps.Written) or self.course.done[number]:
                continue
            if (step.path, step.to) != (request.path, request.to):
                continue
            if step.error:
                self.course.reach(number)
                raise step.error
            peer = Peer(request.path)
            line = self.lines[peer] = Line(request.path, peer, [])
            line.output = number
            if step.to == "append":
                line.before = self._on_disk(Examine(step.path)).size
            return peer
        raise self._departure(request)

    def _keep(self, request: Keep) -> FileFacts:
        line = self.line(request.peer)
        step = None if line.output is None else self.course.steps[line.output]
        if line.output is None or not isinstance(step, steps.Written) or step.octets != line.sent:
            due = f"due was: {describe(step)}" if step else "it was not opened to be written"
            raise Departure(f"the algorithm asks for {request!r}; {due}\n{self.dialogue}")
        self.course.reach(line.output)
        self.files[step.path] = step.octets
        line.closed = True
        return FileFacts(step.path, "file", line.before + len(step.octets), steps.EPOCH)

    def _remove(self, request: Remove) -> None:
        for number, step in enumerate(self.course.steps):
            if isinstance(step, steps.Removed) and step.path == request.path and not self.course.done[number]:
                self.course.reach(number)
                if step.error:
                    raise step.error
                self._on_disk(Examine(step.path))
                self.files[step.path] = None
                return
        raise self._departure(request)

    def _ask_caller(self, request: Follow | Authenticate | Ask | Pull) -> Any:
        kind = _ANSWERED_BY[type(request)]
        if isinstance(request, Ask):
            self.forms.append(request.form)
        for number, step in enumerate(self.course.steps):
            if type(step) is not kind or not isinstance(step, steps.ANSWERS) or self.course.progress[number]:
                continue
            if isinstance(request, Follow) and isinstance(step, steps.Follow) and step.location != request.location:
                continue
            self.course.progress[number] = 1
            if isinstance(step, steps.Follow):
                if isinstance(step.to, URLError):
                    raise step.to
                return step.to
            return step.octets if isinstance(step, steps.Upload) else step.given
        if isinstance(request, Follow):
            raise self._departure(request)
        if isinstance(request, Ask):
            raise InputRequired("nobody answers the form")
        return b"" if isinstance(request, Pull) else None

    def _departure(self, request: Request[Any], line: Line | None = None) -> Departure:
        if line is None:
            due = "the dialogue has no such step left"
        else:
            number = self.course.next(line)
            due = "nothing more is due there" if number is None else f"due was: {describe(self.course.steps[number])}"
        return Departure(f"the algorithm asks for {request!r}; {due}\n{self.dialogue}")


def replay(
    algorithm: Algorithm[None], dialogue: Dialogue, *, chunk: int | None = None, take: int | None = None
) -> Outcome:
    """Run `algorithm` to its end against `dialogue`.

    `chunk` is the most octets that arrive at once (1: octet by octet). With `take`, the caller leaves after that many
    pieces or entries (0: as soon as the resource is open). An error of the access is part of the Outcome. Raises
    Departure where the algorithm left the dialogue, or ended before it did all that stands there; what the algorithm
    raises beside URLErrors comes out as it is.
    """
    return Player(dialogue, chunk=chunk, take=take).run(algorithm)
