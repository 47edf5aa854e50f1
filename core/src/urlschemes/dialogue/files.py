"""How an access reads files of this machine: OpenFile, Examine, ListFolder, under the roots of the policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from urlschemes import steps, wire
from urlschemes.dialogue.faults import are, breach, exceeded, reason
from urlschemes.dialogue.peers import End
from urlschemes.display import one_line
from urlschemes.errors import PolicyDenied, RemoteError, UnsafeURL

if TYPE_CHECKING:
    from urlschemes.dialogue.deadline import Deadline
    from urlschemes.dialogue.peers import Peers
    from urlschemes.dialogue.trace import Trace
    from urlschemes.resource import FileFacts
    from urlschemes.wire import Peer

__all__ = ["Files"]


class Files:
    """The files of one access: those under `roots`, and of a folder at most so many `entries`."""

    __slots__ = ("_clock", "_entries", "_peers", "_roots", "_scheme", "_trace")

    def __init__(
        self, scheme: str, roots: tuple[str, ...], entries: int, clock: Deadline, trace: Trace, peers: Peers
    ) -> None:
        self._scheme = scheme
        self._roots = roots
        self._entries = entries
        self._clock = clock
        self._trace = trace
        self._peers = peers

    def open(self, request: wire.OpenFile) -> steps.Steps[Peer]:
        """Raises UnsafeURL, PolicyDenied, RemoteError with the system's reason, DeadlineExceeded."""
        path = self._path(request.path)
        channel: steps.Channel = yield from self._perform(steps.OpenFile(path, self._roots))
        peer = wire.Peer("file")
        self._peers.add(peer, End(channel, "file", None, "this machine"))
        self._trace.tell("file", peer, f"open {path}")
        return peer

    def examine(self, request: wire.Examine) -> steps.Steps[FileFacts]:
        """Raises what `open` raises."""
        path = self._path(request.path)
        facts: FileFacts = yield from self._perform(steps.Examine(path, self._roots))
        self._trace.tell("file", None, f"{path} is a {facts.kind} of {facts.size} octets")
        return facts

    def list_folder(self, request: wire.ListFolder) -> steps.Steps[tuple[FileFacts, ...]]:
        """Raises LimitExceeded, and what `open` raises."""
        path = self._path(request.path)
        most = self._entries
        facts: list[FileFacts] = yield from self._perform(steps.ListFolder(path, self._roots, most))
        if len(facts) > most:
            raise exceeded("entries", most, "the folder has more entries than")
        self._trace.tell("file", None, f"{path} holds {len(facts)} entries")
        return tuple(facts)

    def _path(self, path: str) -> str:
        if not are(str, path):
            raise breach(self._scheme, "the path of a file, as text", path)
        if "\0" in path:
            raise UnsafeURL("the path holds a NUL", part="path")
        if not self._roots:
            raise PolicyDenied(
                "local files are not read until a folder is allowed",
                rule="roots",
                hint="policy rule 'roots': to allow a folder: replace(policy, roots=(\"/the/folder\",))",
            )
        return path

    def _perform(self, step: steps.OpenFile | steps.Examine | steps.ListFolder) -> steps.Steps[Any]:
        import errno

        self._clock.time_for("file")
        try:
            return (yield step)
        except (OSError, UnicodeError) as fault:  # UnicodeError: a name that the file system's encoding cannot hold
            text = reason(fault)
            status = errno.errorcode.get(getattr(fault, "errno", None) or 0)
            raise RemoteError(f"{one_line(step.path, 160)}: {text}", status=status, text=text, part="path") from fault
