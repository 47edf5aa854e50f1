"""ReplayBackend: performs the primitives of a dialogue from a script, without sockets and without waiting."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any, NoReturn, cast

from urlschemes_access.attributes import FileFacts
from urlschemes_access.backends.primitives import (
    Act,
    Call,
    Commit,
    Dial,
    Handshake,
    Poll,
    Read,
    Resolve,
    UseFile,
    Write,
)
from urlschemes_access.errors import PolicyDenied
from urlschemes_access.protocol import Connect, Examine, ListFolder, OpenFile, Remove
from urlschemes_testing.replay import steps
from urlschemes_testing.replay.descriptions import describe
from urlschemes_testing.replay.outcome import Departure
from urlschemes_testing.replay.progress import Progress, ReplayChannel

if TYPE_CHECKING:
    from collections.abc import Collection

    from urlschemes_access.backends.primitives import Channel, Primitive
    from urlschemes_access.protocol import Request
    from urlschemes_testing.replay.script import Script

__all__ = ["ReplayBackend"]

ADDRESS = "192.0.2.1"
"""The address of every host, one for documentation (RFC 5737). Nothing is ever sent to it."""


class ReplayBackend:
    """A backend that performs primitives from a script.

    `chunk`, `cut` (a step and an octet in it) and `joined` split and join what the server sends. `first` is the
    connection that is reported first when several can be read. `clock` is the time, which passes only by waiting.

    `request` is the request that the algorithm has made last. `also` are the octets that it may send although no step
    says so. `departures` are the ways in which it departed from the script while it was closed.
    """

    def __init__(
        self,
        script: Script,
        *,
        chunk: int | None = None,
        cut: tuple[int, int] | None = None,
        joined: bool = False,
        first: str | None = None,
    ) -> None:
        self.script = script
        self.progress = Progress(script, chunk=chunk, cut=cut)
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

    def perform(self, primitive: Primitive) -> Any:
        """Perform one primitive. Raises Departure if the script has no such step."""
        match primitive:
            case Read(channel, most, timeout):
                return self._read(_replayed(channel), most, timeout)
            case Write(channel, pieces, timeout):
                return self._write(_replayed(channel), b"".join(pieces), timeout)
            case Poll(channels, timeout):
                return self._poll([_replayed(channel) for channel in channels], timeout)
            case Resolve():
                return [ADDRESS]
            case Dial():
                return self._dial(primitive)
            case Handshake(channel, _, host):
                return self._handshake(_replayed(channel), host)
            case UseFile(request):
                return self._use_file(request)
            case Commit(channel):
                return self._commit(_replayed(channel))
            case Act(action):
                return action()
            case Call(function):
                return function()

    def departure(self, channel: ReplayChannel | None = None) -> Departure:
        """Return the error for the current request, which the script does not have."""
        if channel is None:
            expected = "the script has no such step left"
        else:
            number = self.progress.next(channel)
            step = None if number is None else self.progress.steps[number]
            expected = "no step is left there" if step is None else f"expected: {describe(step)}"
        return Departure(f"the algorithm requests {self.request!r}; {expected}\n{self.script}")

    # Connections

    def _dial(self, primitive: Dial) -> Channel:
        request = self.request
        for number, step in enumerate(self.progress.steps):
            if self.progress.done[number]:
                continue
            if isinstance(request, Connect):
                wanted = request.host, primitive.port, primitive.transport
                if isinstance(step, steps.ClientConnects) and (step.host, step.port, step.transport) == wanted:
                    return self._connected(number, step, primitive)
            elif isinstance(step, steps.ClientConnectsBack) and step.port == primitive.port:
                return self._connected(number, step, primitive)
        raise self.departure()

    def _connected(
        self, number: int, step: steps.ClientConnects | steps.ClientConnectsBack, primitive: Dial
    ) -> ReplayChannel:
        self.progress.finish(number)
        if step.error:
            raise step.error
        below = [each for each, other in enumerate(self.progress.steps) if other.on == step.on and each > number]
        channel = ReplayChannel(
            step.on,
            below,
            place=(primitive.address, primitive.port),
            datagrams=primitive.transport == "udp",
            is_data_connection=isinstance(step, steps.ClientConnectsBack),
            when_closed=self._closed,
        )
        self.channels.append(channel)
        return channel

    def _handshake(self, channel: ReplayChannel, host: str) -> ReplayChannel:
        number = self.progress.next(channel)
        step = None if number is None else self.progress.steps[number]
        if number is None or not isinstance(step, steps.ClientStartsTLS) or step.host != host:
            raise self.departure(channel)
        self.progress.finish(number)
        if step.error:
            raise step.error
        return channel

    def _closed(self, channel: ReplayChannel) -> None:
        if channel.broken in ("", "timeout") and self.progress.would_truncate(channel):
            self.departures.append(
                f"{channel.label!r} is closed, not reset, before everything was sent on it: the server takes a part "
                "for the whole, unless `ConnectBack(..., sends=True)` lets it be reset"
            )
        number = self.progress.next(channel)
        closes = number is not None and isinstance(self.progress.steps[number], steps.ClientCloses)
        if number is not None and closes and not self.algorithm_ended:
            self.progress.finish(number)

    def _write(self, channel: ReplayChannel, octets: bytes, timeout: float) -> int:
        if channel.output_step is not None:
            return self._write_file(channel, octets)
        if channel.broken:
            if not any(text.endswith(octets) for text in (*self._sent_by_steps(channel), *self.also)):
                raise self.departure(channel)
            self._fail(channel, timeout)
        channel.sent += octets
        rest = octets
        while rest:
            number = self.progress.next_to_send(channel)
            step = None if number is None else self.progress.steps[number]
            expected = b""
            if number is not None and isinstance(step, steps.ClientSends):
                expected = step.octets[self.progress.octets_done[number] :]
            count = min(len(expected), len(rest))
            if number is None or not count or rest[:count] != expected[:count]:
                if rest not in self.also:
                    raise self.departure(channel)
                channel.broken = "timeout"  # the server does not answer what no step has
                break
            self.progress.octets_done[number] += count
            rest = rest[count:]
            if count == len(expected):
                self.progress.finish(number)
        return len(octets)

    def _sent_by_steps(self, channel: ReplayChannel) -> list[bytes]:
        clients = (step for step in self.progress.steps if isinstance(step, steps.ClientSends))
        return [step.octets for step in clients if step.on == channel.label]

    def _read(self, channel: ReplayChannel, most: int, timeout: float) -> bytes:
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
        if channel.input_step is not None:
            return self.progress.piece(channel.input_step, channel.content, most)
        octets = b""
        while len(octets) < most and (number := self.progress.next_of_server(channel)) is not None:
            step = self.progress.steps[number]
            if isinstance(step, steps.ServerSends):
                if channel.datagrams:
                    self.progress.octets_done[number] = len(step.octets)
                    return step.octets[:most]
                octets += self.progress.piece(number, step.octets, most - len(octets))
                if not self.joined:
                    break
            elif octets:
                break
            elif isinstance(step, steps.Silence):
                self.progress.octets_done[number] = 1
                return None
            elif isinstance(step, steps.ServerCloses):
                return b""
            else:
                channel.broken = "reset"
                self._fail(channel, 0)
        return octets or None

    def _poll(self, channels: list[ReplayChannel], timeout: float) -> int | None:
        ready: list[tuple[bool, int, int]] = []
        silent: list[int] = []
        for index, channel in enumerate(channels):
            is_later = channel.label != self.first
            number = self.progress.next_of_server(channel)
            if channel.broken in ("end", "reset") or channel.octets_left:
                ready.append((is_later, -1, index))
            elif not channel.broken and number is not None:
                if isinstance(self.progress.steps[number], steps.Silence):
                    silent.append(number)
                else:
                    ready.append((is_later, number, index))
        if ready:
            return min(ready)[2]
        for number in silent:
            self.progress.octets_done[number] = 1
        self._now += timeout
        return None

    def _fail(self, channel: ReplayChannel, timeout: float) -> NoReturn:
        """Raise the system's error for a broken connection."""
        if channel.broken == "timeout":
            self._wait(timeout)
        raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))

    def _wait(self, timeout: float) -> NoReturn:
        self._now += timeout
        raise TimeoutError

    # Files

    def _use_file(self, request: OpenFile | Examine | ListFolder | Remove) -> Any:
        match request:
            case OpenFile(to="read"):
                return self._open_input(request.path, request.start)
            case OpenFile():
                return self._open_output(request)
            case Examine():
                return self._find_file(request.path)[1].facts
            case ListFolder():
                step = self._find_file(request.path)[1]
                if step.facts.kind != "directory":
                    raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
                return self.progress.files_in(request.path)
            case Remove():
                return self._remove(request.path)

    def _find_file(self, path: str) -> tuple[int, steps.LocalFile]:
        for number, step in enumerate(self.progress.steps):
            if isinstance(step, steps.LocalFile) and step.facts.path == path:
                if step.error:
                    raise step.error
                return number, step
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    def _open_input(self, path: str, start: int) -> ReplayChannel:
        number, step = self._find_file(path)
        if step.facts.kind == "directory":
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if step.facts.kind != "file":
            raise PolicyDenied(f"{path} is not a regular file", rule="roots")
        channel = self._new_file(path)
        channel.input_step, channel.content = number, step.octets[start:]
        return channel

    def _open_output(self, request: OpenFile) -> ReplayChannel:
        for number, step in enumerate(self.progress.steps):
            if not isinstance(step, steps.ClientWrites) or self.progress.done[number]:
                continue
            if (step.path, step.to) != (request.path, request.to):
                continue
            if step.error:
                self.progress.finish(number)
                raise step.error
            channel = self._new_file(request.path)
            channel.output_step = number
            if step.to == "append":
                channel.size_before = self._find_file(step.path)[1].facts.size
            return channel
        raise self.departure()

    def _new_file(self, path: str) -> ReplayChannel:
        channel = ReplayChannel(path, [], when_closed=self._closed)
        self.channels.append(channel)
        return channel

    def _write_file(self, channel: ReplayChannel, octets: bytes) -> int:
        channel.sent += octets
        step = self._written(channel)
        if not step.octets.startswith(channel.sent):
            raise Departure(f"the algorithm requests {self.request!r}; expected: {describe(step)}\n{self.script}")
        return len(octets)

    def _commit(self, channel: ReplayChannel) -> FileFacts:
        step = self._written(channel)
        if step.octets != channel.sent:
            raise Departure(f"the algorithm keeps {bytes(channel.sent)!r}; expected: {describe(step)}\n{self.script}")
        self.progress.finish(cast("int", channel.output_step))
        self.files[step.path] = step.octets
        return FileFacts(step.path, "file", channel.size_before + len(step.octets), steps.EPOCH)

    def _written(self, channel: ReplayChannel) -> steps.ClientWrites:
        return cast("steps.ClientWrites", self.progress.steps[cast("int", channel.output_step)])

    def _remove(self, path: str) -> None:
        for number, step in enumerate(self.progress.steps):
            if isinstance(step, steps.ClientRemoves) and step.path == path and not self.progress.done[number]:
                self.progress.finish(number)
                if step.error:
                    raise step.error
                self._find_file(path)
                self.files[path] = None
                return
        raise self.departure()


def _replayed(channel: Channel) -> ReplayChannel:
    return cast("ReplayChannel", channel)
