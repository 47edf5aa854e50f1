"""Progress: which steps of a script are done, and which is next on each connection."""

from __future__ import annotations

import posixpath
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from urlschemes_testing.replay import steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from urlschemes_access.attributes import FileFacts
    from urlschemes_testing.replay.script import Script

__all__ = ["Progress", "ReplayChannel", "Stage"]

S = TypeVar("S", bound=steps.Step)


@dataclass(eq=False, slots=True)
class Stage(Generic[S]):
    """A step in one replay. `number` is its place in the script; `count` of its octets were sent or received."""

    number: int
    step: S
    done: bool = False
    count: int = 0


@dataclass(eq=False, slots=True)
class ReplayChannel:
    """A replayed connection or file of the ReplayBackend `backend`.

    `stages` are the steps on a connection that are not done, `place` is its address and port. `broken` is the fault of
    a broken connection, `octets_left` the number of octets that still arrive before it breaks. `input` is the file that
    is read, `output` the file that is written, which had `size_before` octets.
    """

    label: str
    backend: Any
    place: tuple[str, int] | None = None
    datagrams: bool = False
    is_data_connection: bool = False
    stages: deque[Stage[Any]] = field(default_factory=deque)
    sent: bytearray = field(default_factory=bytearray)
    closed: bool = False
    broken: Literal["", "end", "reset", "timeout"] = ""
    octets_left: int | None = None
    input: Stage[steps.LocalFile] | None = None
    output: Stage[steps.ClientWrites] | None = None
    size_before: int = 0

    @property
    def is_file(self) -> bool:
        """True for a file."""
        return self.place is None

    async def receive(self, most: int, timeout: float, _: int) -> bytes:
        """Return the next octets."""
        octets: bytes = self.backend.perform(self.backend.read, self, most, timeout)
        return octets

    async def send(self, pieces: list[memoryview], timeout: float) -> int:
        """Send octets, or write them to the file."""
        count: int = self.backend.perform(self.backend.write, self, b"".join(pieces), timeout)
        return count

    async def commit(self, _: float) -> FileFacts:
        """Keep what was written to the file."""
        facts: FileFacts = self.backend.perform(self.backend.commit, self)
        return facts

    def peer_address(self) -> tuple[str, int]:
        """Return the address and port of a connection."""
        if self.place is None:
            raise OSError("a file has no address")
        return self.place

    def fileno(self) -> int:
        """Raise OSError: there is no file descriptor."""
        raise OSError("a replayed connection has no file descriptor")

    def close(self) -> None:
        """Close the connection in an orderly way."""
        if not self.closed:
            self.backend.closed(self)
            self.closed = True

    def abort(self) -> None:
        """Close the connection with a reset."""
        self.closed = True


class Progress:
    """The progress of a script. `chunk` and `cuts` split what the server sends into pieces.

    The server takes its next step as soon as the client has done everything above it, on whichever connection.
    """

    def __init__(
        self, script: Script, *, chunk: int | None = None, cuts: Mapping[int, Sequence[int]] | None = None
    ) -> None:
        self.stages: list[Stage[Any]] = [Stage(number, step) for number, step in enumerate(script)]
        self.chunk = chunk
        self.cuts = cuts or {}
        self.last_sent = len(self.stages)
        """The server takes no step below this one."""
        self.early: Stage[Any] | None = None
        """A message that the server sends now, although the client has not done everything above it."""
        self._of_client = deque(each for each in self.stages if isinstance(each.step, steps.ClientStep))

    def first(self, kind: type[S], **values: object) -> Stage[S] | None:
        """Return the first step of a kind with these values that is not done."""
        wanted = values.items()
        for each in self.stages:
            step = each.step
            if isinstance(step, kind) and not each.done and all(getattr(step, name) == of for name, of in wanted):
                return each
        return None

    def on(self, label: str) -> deque[Stage[Any]]:
        """Return the steps on a connection."""
        return deque(
            each for each in self.stages if isinstance(each.step, steps.OnConnection) and each.step.on == label
        )

    def next(self, channel: ReplayChannel) -> Stage[Any] | None:
        """Return the next step of a channel; None after the last one."""
        return _first_open(channel.stages)

    def next_of_server(self, channel: ReplayChannel) -> Stage[Any] | None:
        """Return the step that a read meets now; None if the server waits for the client."""
        if self.early is not None and self.early.step.on == channel.label and not self.early.done:
            return self.early
        found = self.next(channel)
        if found is None or isinstance(found.step, steps.ClientStep):
            return None
        awaited = _first_open(self._of_client)
        return found if found.number <= self.last_sent and (awaited is None or found.number < awaited.number) else None

    def piece(self, stage: Stage[Any], most: int) -> bytes:
        """Return the next octets of a step, at most `most` and split as wanted."""
        start = stage.count
        octets: bytes = stage.step.octets
        end = min(len(octets), start + most)
        if self.chunk:
            end = min(end, start + self.chunk)
        end = min(end, next((cut for cut in self.cuts.get(stage.number, ()) if cut > start), end))
        stage.count, stage.done = end, end == len(octets)
        return octets[start:end]

    def next_to_send(self, channel: ReplayChannel) -> Stage[Any] | None:
        """Return the step by which the client may send now; None if it may not."""
        unread = False
        for each in channel.stages:
            if each.done:
                continue
            if isinstance(each.step, steps.ClientSends):
                return each if each.step.early or not unread else None
            if not isinstance(each.step, steps.ServerSends):
                return None
            unread = True
        return None

    def reply_to(self, channel: ReplayChannel) -> Stage[Any] | None:
        """Return the server's next message, on whichever connection, after what the client sends now."""
        sent = self.next_to_send(channel)
        later = self.stages[sent.number :] if sent else ()
        return next((each for each in later if isinstance(each.step, steps.ServerSends)), None)

    def is_at_end(self, channel: ReplayChannel) -> bool:
        """Return True if a read of this channel would find its end, or wait."""
        if channel.input is not None:
            return channel.input.count >= len(channel.input.step.octets)
        found = self.next_of_server(channel)
        return found is None or isinstance(found.step, steps.ServerCloses)

    def would_truncate(self, channel: ReplayChannel) -> bool:
        """Return True if closing the channel now would look like the end of what the client has to send."""
        found = self.next(channel)
        ends = any(isinstance(each.step, steps.ClientCloses) and not each.done for each in channel.stages)
        return ends and not (found is not None and isinstance(found.step, steps.ClientCloses))

    def missing(self) -> steps.Step | None:
        """Return the first step that the client or the caller has not done."""
        return next(
            (
                each.step
                for each in self.stages
                if not each.done and isinstance(each.step, steps.ClientStep | steps.CallerStep)
            ),
            None,
        )

    def files_in(self, path: str) -> list[FileFacts]:
        """Return the files and folders in a folder, sorted by name."""
        facts = [each.step.facts for each in self.stages if isinstance(each.step, steps.LocalFile)]
        parent = path.rstrip("/") or "/"
        inside = [each for each in facts if posixpath.dirname(each.path.rstrip("/")) == parent and each.path != path]
        return sorted(inside, key=lambda each: each.path)


def _first_open(stages: deque[Stage[Any]]) -> Stage[Any] | None:
    """Return the first stage that is not done, and forget those before it."""
    while stages and stages[0].done:
        stages.popleft()
    return stages[0] if stages else None
