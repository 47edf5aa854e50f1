"""Where a dialogue stands: which steps are done, and what the other side says next on each line."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Literal

from urlschemes_access.errors import ConnectError, DeadlineExceeded, Truncated
from urlschemes_testing.replay import steps

if TYPE_CHECKING:
    from urlschemes_access.attributes import FileFacts
    from urlschemes_access.errors import AccessError
    from urlschemes_access.protocol import Peer
    from urlschemes_testing.replay.script import Dialogue
    from urlschemes_testing.replay.steps import Step

__all__ = ["Course", "Line"]


class Line:
    """One connection, or one open file, of a running dialogue."""

    def __init__(
        self,
        label: str,
        peer: Peer,
        below: list[int],
        *,
        datagrams: bool = False,
        back: bool = False,
        sends: bool = False,
    ) -> None:
        self.back = back
        self.sends = sends
        self.label = label
        self.peer = peer
        self.steps = below
        self.datagrams = datagrams
        self.position = 0
        self.received = 0
        self.sent = bytearray()
        self.closed = False
        self.broken: Literal["", "end", "reset", "timeout"] = ""
        self.left: int | None = None  # octets that still come before it breaks
        self.file: int | None = None
        self.output: int | None = None
        self.before = 0  # octets of the file that is appended to
        self.content = b""

    def fault(self, phase: str) -> AccessError:
        """The error of using a line that is broken."""
        if self.broken == "timeout":
            return DeadlineExceeded(f"{self.label} is silent", phase=phase)
        if self.received:
            return Truncated(f"{self.label} broke off", received=self.received)
        return ConnectError(f"{self.label} broke off before its first octet")


class Course:
    """How far a dialogue has come. `chunk` and `cut` say in what pieces the other side's words arrive."""

    def __init__(self, dialogue: Dialogue, *, chunk: int | None = None, cut: tuple[int, int] | None = None) -> None:
        self.steps = dialogue.steps
        self.chunk = chunk
        self.cut = cut
        self.done = [not isinstance(step, steps.GATES) for step in self.steps]
        self.progress = [0] * len(self.steps)
        self.barrier = 0  # the first step that the client still owes: nobody comes further
        self.lost = len(self.steps)  # the other side never comes to say what stands below this step
        self._advance()

    def reach(self, number: int) -> None:
        """The client has done the step."""
        self.done[number] = True
        self._advance()

    def _advance(self) -> None:
        while self.barrier < len(self.steps) and self.done[self.barrier]:
            self.barrier += 1

    def next(self, line: Line) -> int | None:
        """The step that is due on this line."""
        while line.position < len(line.steps):
            number = line.steps[line.position]
            step = self.steps[number]
            if isinstance(step, steps.Server):
                over = self.progress[number] >= len(step.octets)
            elif isinstance(step, steps.Silence):
                over = bool(self.progress[number])
            elif isinstance(step, (steps.ServerCloses, steps.ServerResets)):
                over = False
            else:
                over = self.done[number]
            if not over:
                return number
            line.position += 1
        return None

    def speaks(self, line: Line) -> int | None:
        """The step that a read of this line would meet now; None where the other side waits for the client."""
        number = self.next(line)
        if number is None or number > min(self.barrier, self.lost) or isinstance(self.steps[number], steps.GATES):
            return None
        return number

    def piece(self, number: int, octets: bytes, most: int) -> bytes:
        """The next of the octets of a step."""
        start = self.progress[number]
        end = min(len(octets), start + most)
        if self.chunk:
            end = min(end, start + self.chunk)
        if self.cut and self.cut[0] == number and start < self.cut[1]:
            end = min(end, self.cut[1])
        self.progress[number] = end
        return octets[start:end]

    def expected(self, line: Line) -> int | None:
        """The step by which the client may send on this line now; None where it may not."""
        self.next(line)
        unread = False
        for number in line.steps[line.position :]:
            step = self.steps[number]
            if isinstance(step, steps.Client):
                if not self.done[number]:
                    return number if step.early or not unread else None
            elif isinstance(step, steps.Server):
                unread = unread or self.progress[number] < len(step.octets)
            else:
                return None
        return None

    def at_end(self, line: Line) -> bool:
        """Whether a read of this line would find its end, or wait."""
        if line.file is not None:
            return self.progress[line.file] >= len(line.content)
        number = self.speaks(line)
        return number is None or isinstance(self.steps[number], steps.ServerCloses)

    def would_cut(self, line: Line) -> bool:
        """Whether closing this line in good order would pass for the end of what the client has to send on it."""
        number = self.next(line)
        ends = any(
            isinstance(self.steps[each], steps.ClientCloses) and not self.done[each]
            for each in line.steps[line.position :]
        )
        return ends and not (number is not None and isinstance(self.steps[number], steps.ClientCloses))

    def owed(self) -> Step | None:
        """The first step that the client, or the caller, still owes."""
        for number, step in enumerate(self.steps):
            if not (self.progress[number] if isinstance(step, steps.ANSWERS) else self.done[number]):
                return step
        return None

    def inside(self, path: str) -> tuple[FileFacts, ...]:
        """What the folder holds, by name."""
        facts = [step.facts for step in self.steps if isinstance(step, steps.OnDisk)]
        parent = path.rstrip("/") or "/"
        held = [fact for fact in facts if posixpath.dirname(fact.path.rstrip("/")) == parent and fact.path != path]
        return tuple(sorted(held, key=lambda fact: fact.path))
