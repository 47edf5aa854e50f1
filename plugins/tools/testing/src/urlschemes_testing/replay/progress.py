"""Progress: which steps of a script are done, and which is next on each connection."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Literal

from urlschemes_testing.replay import steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_access.attributes import FileFacts
    from urlschemes_testing.replay.script import Script
    from urlschemes_testing.replay.steps import Step

__all__ = ["Progress", "ReplayChannel"]


class ReplayChannel:
    """A replayed connection or file.

    `numbers` are those of its steps, `position` is an index into them. `broken` is the fault of a broken connection,
    `octets_left` the number of octets that still arrive before it breaks. `input_step` is the number of the step whose
    file is read, `output_step` of the one whose file is written.
    """

    def __init__(
        self,
        label: str,
        numbers: list[int],
        *,
        place: tuple[str, int] | None = None,
        datagrams: bool = False,
        is_data_connection: bool = False,
        when_closed: Callable[[ReplayChannel], None],
    ) -> None:
        self.label = label
        self.numbers = numbers
        self.place = place
        self.datagrams = datagrams
        self.is_data_connection = is_data_connection
        self.position = 0
        self.sent = bytearray()
        self.closed = False
        self.broken: Literal["", "end", "reset", "timeout"] = ""
        self.octets_left: int | None = None
        self.input_step: int | None = None
        self.output_step: int | None = None
        self.content = b""
        self.size_before = 0
        self._when_closed = when_closed

    @property
    def is_file(self) -> bool:
        """True for a file."""
        return self.place is None

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
            self._when_closed(self)
            self.closed = True

    def abort(self) -> None:
        """Close the connection with a reset."""
        self.closed = True


class Progress:
    """The progress of a script. `chunk` and `cut` split what the server sends into pieces.

    The server takes its next step as soon as the client has done everything above it, on whichever connection.
    """

    def __init__(self, script: Script, *, chunk: int | None = None, cut: tuple[int, int] | None = None) -> None:
        self.steps = script.steps
        self.chunk = chunk
        self.cut = cut
        self.done = [not isinstance(step, steps.CLIENT_STEPS) for step in self.steps]
        self.octets_done = [0] * len(self.steps)
        self.first_open = 0
        """The first step that the client has not done."""
        self.last_sent = len(self.steps)
        """The server takes no step below this one."""
        self.early: int | None = None
        """A message that the server sends now, although the client has not done everything above it."""
        self._advance()

    def finish(self, number: int) -> None:
        """Note that the client has done a step."""
        self.done[number] = True
        self._advance()

    def next(self, channel: ReplayChannel) -> int | None:
        """Return the number of the next step of a channel; None after the last one."""
        while channel.position < len(channel.numbers):
            number = channel.numbers[channel.position]
            if not self._is_over(number):
                return number
            channel.position += 1
        return None

    def next_of_server(self, channel: ReplayChannel) -> int | None:
        """Return the number of the step that a read meets now; None if the server waits for the client."""
        if self.early is not None and self.steps[self.early].on == channel.label and not self._is_over(self.early):
            return self.early
        number = self.next(channel)
        if number is None or number > min(self.first_open, self.last_sent):
            return None
        return None if isinstance(self.steps[number], steps.CLIENT_STEPS) else number

    def piece(self, number: int, octets: bytes, most: int) -> bytes:
        """Return the next octets of a step, at most `most` and split as wanted."""
        start = self.octets_done[number]
        end = min(len(octets), start + most)
        if self.chunk:
            end = min(end, start + self.chunk)
        if self.cut and self.cut[0] == number and start < self.cut[1]:
            end = min(end, self.cut[1])
        self.octets_done[number] = end
        return octets[start:end]

    def next_to_send(self, channel: ReplayChannel) -> int | None:
        """Return the number of the step by which the client may send now; None if it may not."""
        self.next(channel)
        unread = False
        for number in channel.numbers[channel.position :]:
            step = self.steps[number]
            if isinstance(step, steps.ClientSends):
                if not self.done[number]:
                    return number if step.early or not unread else None
            elif isinstance(step, steps.ServerSends):
                unread = unread or self.octets_done[number] < len(step.octets)
            else:
                return None
        return None

    def reply_to(self, channel: ReplayChannel) -> int | None:
        """Return the number of the server's next message, on whichever connection, after what the client sends now."""
        sent = self.next_to_send(channel)
        later = range(len(self.steps) if sent is None else sent, len(self.steps))
        return next((number for number in later if isinstance(self.steps[number], steps.ServerSends)), None)

    def is_at_end(self, channel: ReplayChannel) -> bool:
        """Return True if a read of this channel would find its end, or wait."""
        if channel.input_step is not None:
            return self.octets_done[channel.input_step] >= len(channel.content)
        number = self.next_of_server(channel)
        return number is None or isinstance(self.steps[number], steps.ServerCloses)

    def would_truncate(self, channel: ReplayChannel) -> bool:
        """Return True if closing the channel now would look like the end of what the client has to send."""
        number = self.next(channel)
        ends = any(
            isinstance(self.steps[each], steps.ClientCloses) and not self.done[each]
            for each in channel.numbers[channel.position :]
        )
        return ends and not (number is not None and isinstance(self.steps[number], steps.ClientCloses))

    def missing(self) -> Step | None:
        """Return the first step that the client or the caller has not done."""
        for number, step in enumerate(self.steps):
            if not (self.octets_done[number] if isinstance(step, steps.ANSWERS) else self.done[number]):
                return step
        return None

    def files_in(self, path: str) -> list[FileFacts]:
        """Return the files and folders in a folder, sorted by name."""
        facts = [step.facts for step in self.steps if isinstance(step, steps.LocalFile)]
        parent = path.rstrip("/") or "/"
        inside = [each for each in facts if posixpath.dirname(each.path.rstrip("/")) == parent and each.path != path]
        return sorted(inside, key=lambda each: each.path)

    def _advance(self) -> None:
        while self.first_open < len(self.steps) and self.done[self.first_open]:
            self.first_open += 1

    def _is_over(self, number: int) -> bool:
        step = self.steps[number]
        if isinstance(step, steps.ServerSends):
            return self.octets_done[number] >= len(step.octets)
        if isinstance(step, steps.Silence):
            return bool(self.octets_done[number])
        if isinstance(step, (steps.ServerCloses, steps.ServerResets)):
            return False
        return self.done[number]
