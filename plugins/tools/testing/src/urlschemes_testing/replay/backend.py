"""ReplayBackend: a backend of dialogues that follows a script, without sockets and without waiting."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from urlschemes_access.attributes import FileFacts
from urlschemes_access.errors import PolicyDenied
from urlschemes_access.protocol import Connect, Examine, ListFolder, OpenFile, Remove
from urlschemes_testing.replay import steps
from urlschemes_testing.replay.outcome import Departure
from urlschemes_testing.replay.progress import Progress, ReplayChannel, Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from urlschemes_access.backends.backend import Channel, FileRequest
    from urlschemes_access.protocol import Request
    from urlschemes_access.protocol.requests import Transport
    from urlschemes_testing.replay.script import Script

__all__ = ["ReplayBackend", "system_error"]

F = TypeVar("F", bound=steps.MayFail)
T = TypeVar("T")

ADDRESS = "192.0.2.1"
"""The address of every host, one for documentation (RFC 5737). Nothing is ever sent to it."""


class ReplayBackend:
    """A backend that follows a script.

    `chunk`, `cuts` (places in order, by the number of a step) and `joined` split and join what the server sends.
    `first` is the connection that is reported first when several can be read. `clock` is the time, which passes only
    by waiting.

    `request` is the request that the algorithm has made last. `also` are the octets that it may send although no step
    says so. `departures` are the ways in which it departed from the script while it was closed.
    """

    def __init__(
        self,
        script: Script,
        *,
        chunk: int | None = None,
        cuts: Mapping[int, Sequence[int]] | None = None,
        joined: bool = False,
        first: str | None = None,
    ) -> None:
        self.script = script
        self.progress = Progress(script, chunk=chunk, cuts=cuts)
        self.joined = joined
        self.first = first
        self.channels: list[ReplayChannel] = []
        self.request: Request[Any] | None = None
        self.algorithm_ended = False
        self.also: Collection[bytes] = ()
        self.files: dict[str, bytes | None] = {}
        self.departures: list[str] = []
        self._now = 0.0

    def clock(self) -> float:
        """Return the time in seconds."""
        return self._now

    def perform(self, operation: Callable[..., T], *arguments: Any) -> T:
        """Carry out an operation of this backend. Raises Departure if the script has no such step."""
        return operation(*arguments)

    # The backend of the dialogue

    async def resolve(self, *_: object) -> list[str]:
        """Return the address of every host."""
        return self.perform(self._resolve)

    async def dial(self, address: str, port: int, transport: Transport, _: float) -> Channel:
        """Do the step by which the client connects."""
        return self.perform(self._dial, address, port, transport)

    async def handshake(self, channel: Channel, _: object, host: str, __: float) -> Channel:
        """Do the step by which the client starts TLS."""
        return self.perform(self._handshake, channel, host)

    async def poll(self, channels: Sequence[Channel], timeout: float) -> int | None:
        """Return the index of the first channel on which the server has the next step."""
        return self.perform(self._poll, channels, timeout)

    async def use_file(self, request: FileRequest, *_: object) -> Any:
        """Carry out a request on the files of the script."""
        return self.perform(self._use_file, request)

    async def in_thread(self, action: Callable[[], T], *_: object) -> T:
        """Carry out an action on a file of the caller's."""
        return action()

    async def call(self, function: Callable[[], object]) -> object:
        """Call a function of the caller's, which answers from the script."""
        return self.perform(self._call, function)

    async def take_turn(self) -> None:
        """Do nothing: there are no other tasks."""

    def departure(self, channel: ReplayChannel | None = None) -> Departure:
        """Return the error for the current request, which the script does not have."""
        if channel is None:
            return self._departure("the script has no such step left")
        stage = self.progress.next(channel)
        return self._departure("no step is left there" if stage is None else f"expected: {stage.step}")

    def _departure(self, why: str) -> Departure:
        return Departure(f"the algorithm requests {self.request!r}; {why}\n{self.script}")

    # Connections

    def _resolve(self) -> list[str]:
        return [ADDRESS]

    def _dial(self, address: str, port: int, transport: Transport) -> Channel:
        request = self.request
        stage: Stage[steps.ClientConnects] | Stage[steps.ClientConnectsBack]
        if isinstance(request, Connect):
            stage = self._expected(steps.ClientConnects, host=request.host, port=port, transport=transport)
        else:
            stage = self._expected(steps.ClientConnectsBack, port=port)
        self._do(stage)
        return self._opened(
            ReplayChannel(
                stage.step.on,
                self,
                (address, port),
                datagrams=transport == "udp",
                is_data_connection=isinstance(stage.step, steps.ClientConnectsBack),
                stages=self.progress.on(stage.step.on),
            )
        )

    def _opened(self, channel: ReplayChannel) -> ReplayChannel:
        self.channels.append(channel)
        return channel

    def _handshake(self, channel: ReplayChannel, host: str) -> ReplayChannel:
        stage = self.progress.next(channel)
        if stage is None or not isinstance(stage.step, steps.ClientStartsTLS) or stage.step.host != host:
            raise self.departure(channel)
        self._do(stage)
        return channel

    def _expected(self, kind: type[F], **values: object) -> Stage[F]:
        """Return the first step of a kind with these values that is not done. Raises Departure if there is none."""
        stage = self.progress.first(kind, **values)
        if stage is None:
            raise self.departure()
        return stage

    def _do(self, stage: Stage[Any]) -> None:
        """Note that the client has done a step. Raises the error of the step."""
        stage.done = True
        if stage.step.error:
            raise stage.step.error

    def closed(self, channel: ReplayChannel) -> None:
        """Do the step by which the client closes a connection in an orderly way."""
        if channel.broken in ("", "timeout") and self.progress.would_truncate(channel):
            self.departures.append(
                f"{channel.label!r} is closed, not reset, before everything was sent on it: the server takes a part "
                "for the whole, unless `ConnectBack(..., sends=True)` lets it be reset"
            )
        stage = self.progress.next(channel)
        if stage is not None and isinstance(stage.step, steps.ClientCloses):
            stage.done = not self.algorithm_ended

    def write(self, channel: ReplayChannel, octets: bytes, timeout: float) -> int:
        """Do the steps by which the client sends octets."""
        if channel.output is not None:
            return self._write_file(channel, channel.output.step, octets)
        if channel.broken:
            sent = [
                each.step.octets for each in self.progress.on(channel.label) if isinstance(each.step, steps.ClientSends)
            ]
            if not any(text.endswith(octets) for text in (*sent, *self.also)):
                raise self.departure(channel)
            self._fail(channel, timeout)
        channel.sent += octets
        rest = octets
        while rest:
            stage = self.progress.next_to_send(channel)
            expected = stage.step.octets[stage.count : stage.count + len(rest)] if stage else b""
            if stage is None or not rest.startswith(expected):
                if rest not in self.also:
                    raise self.departure(channel)
                channel.broken = "timeout"  # the server does not answer what no step has
                break
            stage.count += len(expected)
            stage.done = stage.count == len(stage.step.octets)
            rest = rest[len(expected) :]
        return len(octets)

    def read(self, channel: ReplayChannel, most: int, timeout: float) -> bytes:
        """Return octets that the server sends."""
        if channel.broken and not channel.octets_left:
            if channel.broken == "end":
                return b""
            self._fail(channel, timeout)
        if channel.octets_left is not None:
            most = min(most, channel.octets_left)
        octets = self._receive(channel, most)
        if octets is None:
            self._wait(timeout)
        if channel.octets_left is not None:
            channel.octets_left -= len(octets)
        return octets

    def _receive(self, channel: ReplayChannel, most: int) -> bytes | None:
        """Return the next octets, `b""` at the end, None if nothing arrives."""
        if channel.input is not None:
            return self.progress.piece(channel.input, most)
        octets = b""
        while len(octets) < most and (stage := self.progress.next_of_server(channel)) is not None:
            match stage.step:
                case steps.ServerSends(octets=datagram) if channel.datagrams:
                    stage.done = True
                    return datagram[:most]
                case steps.ServerSends():
                    octets += self.progress.piece(stage, most - len(octets))
                    if not self.joined:
                        break
                case _ if octets:
                    break
                case steps.Silence():
                    stage.done = True
                    return None
                case steps.ServerCloses():
                    return b""
                case _:
                    channel.broken = "reset"
                    self._fail(channel, 0)
        return octets or None

    def _poll(self, channels: Sequence[ReplayChannel], timeout: float) -> int | None:
        ready: list[tuple[bool, int, int]] = []
        silent: list[Stage[Any]] = []
        for index, channel in enumerate(channels):
            is_later = channel.label != self.first
            stage = self.progress.next_of_server(channel)
            if channel.broken in ("end", "reset") or channel.octets_left:
                ready.append((is_later, -1, index))
            elif not channel.broken and stage is not None:
                if isinstance(stage.step, steps.Silence):
                    silent.append(stage)
                else:
                    ready.append((is_later, stage.number, index))
        if ready:
            return min(ready)[2]
        for stage in silent:
            stage.done = True
        self._now += timeout
        return None

    def _fail(self, channel: ReplayChannel, timeout: float) -> NoReturn:
        """Raise the system's error for a broken connection."""
        if channel.broken == "timeout":
            self._wait(timeout)
        raise system_error(errno.ECONNRESET)

    def _wait(self, timeout: float) -> NoReturn:
        self._now += timeout
        raise TimeoutError

    def _call(self, function: Callable[[], object]) -> object:
        return function()

    # Files

    def _use_file(self, request: FileRequest) -> Any:
        match request:
            case OpenFile(to="read"):
                return self._open_input(request.path, request.start)
            case OpenFile():
                return self._open_output(request)
            case Examine():
                return self._file(request.path).step.facts
            case ListFolder():
                if self._file(request.path).step.kind != "directory":
                    raise system_error(errno.ENOTDIR)
                return self.progress.files_in(request.path)
            case Remove():
                self._do(self._expected(steps.ClientRemoves, path=request.path))
                self._file(request.path)
                self.files[request.path] = None
                return None

    def _file(self, path: str) -> Stage[steps.LocalFile]:
        stage = self.progress.first(steps.LocalFile, path=path)
        if stage is None:
            raise system_error(errno.ENOENT)
        if stage.step.error:
            raise stage.step.error
        return stage

    def _open_input(self, path: str, start: int) -> ReplayChannel:
        stage = self._file(path)
        if stage.step.kind == "directory":
            raise system_error(errno.EISDIR)
        if stage.step.kind != "file":
            raise PolicyDenied(f"{path} is not a regular file", rule="roots")
        content = replace(stage.step, content=stage.step.content[start:])
        return self._opened(ReplayChannel(path, self, input=Stage(stage.number, content)))

    def _open_output(self, request: OpenFile) -> ReplayChannel:
        stage = self._expected(steps.ClientWrites, path=request.path, to=request.to)
        if stage.step.error:
            self._do(stage)
        size = self._file(request.path).step.facts.size if request.to == "append" else 0
        return self._opened(ReplayChannel(request.path, self, output=stage, size_before=size))

    def _write_file(self, channel: ReplayChannel, step: steps.ClientWrites, octets: bytes) -> int:
        channel.sent += octets
        if not step.content.startswith(channel.sent):
            raise self._departure(f"expected: {step}")
        return len(octets)

    def commit(self, channel: ReplayChannel) -> FileFacts:
        """Do the step by which the client keeps a file."""
        assert channel.output is not None
        step = channel.output.step
        if step.content != channel.sent:
            raise Departure(f"the algorithm keeps {bytes(channel.sent)!r}; expected: {step}\n{self.script}")
        channel.output.done = True
        self.files[step.path] = step.content
        return FileFacts(step.path, "file", channel.size_before + len(step.content), steps.EPOCH)


def system_error(number: int) -> OSError:
    """Return the system's error with this `errno`."""
    return OSError(number, os.strerror(number))
