"""How an access reads and writes files of this machine: where the policy has folders for it, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from urlschemes.errors import UnsafeURL
from urlschemes.redaction import one_line
from urlschemes_access.backends import primitives
from urlschemes_access.dialogue.system_errors import are, breach, exceeded, system_refusal
from urlschemes_access.dialogue.transfers import End
from urlschemes_access.errors import PolicyDenied
from urlschemes_access.protocol import requests

if TYPE_CHECKING:
    from urlschemes_access.attributes import FileFacts
    from urlschemes_access.dialogue.deadline import Deadline
    from urlschemes_access.dialogue.trace import Trace
    from urlschemes_access.dialogue.transfers import Peers
    from urlschemes_access.policy import Policy
    from urlschemes_access.protocol.requests import Peer

__all__ = ["Files"]


_MODES = ("read", "replace", "append")


class Files:
    """The files of one access: those that the policy allows, and of a folder at most so many as it says."""

    __slots__ = ("_clock", "_peers", "_policy", "_scheme", "_trace")

    def __init__(self, scheme: str, policy: Policy, clock: Deadline, trace: Trace, peers: Peers) -> None:
        self._scheme = scheme
        self._policy = policy
        self._clock = clock
        self._trace = trace
        self._peers = peers

    def open(self, request: requests.OpenFile) -> primitives.Steps[Peer]:
        """Raises UnsafeURL, PolicyDenied, RemoteError with the system's reason, DeadlineExceeded."""
        if request.to not in _MODES:
            raise breach(self._scheme, f"OpenFile to {', '.join(_MODES)}", repr(request.to))
        reads = request.to == "read"
        path = self._path(request.path)
        folders = self._folders("roots" if reads else "writable")
        channel: primitives.Channel = yield from self._perform(primitives.OpenFile(path, folders, request.to), path)
        peer = requests.Peer("file")
        self._peers.add(peer, End(channel, "file" if reads else "output", None, "this machine"))
        self._trace.tell("file", peer, f"open {path}" if reads else f"open {path} to {request.to}")
        return peer

    def keep(self, request: requests.Keep) -> primitives.Steps[FileFacts]:
        """Raises RemoteError with the system's reason, DeadlineExceeded."""
        end = self._peers.end(request.peer)
        if end.transport != "output":
            raise breach(self._scheme, "Keep of a file opened to be written", "another")
        facts: FileFacts = yield from self._perform(primitives.Keep(end.channel), "the file")
        self._trace.tell("file", request.peer, f"{facts.path} has {facts.size} octets now")
        self._peers.close(request.peer)
        return facts

    def remove(self, request: requests.Remove) -> primitives.Steps[None]:
        """Raises what `open` raises."""
        path = self._path(request.path)
        yield from self._perform(primitives.Remove(path, self._folders("writable")), path)
        self._trace.tell("file", None, f"{path} is removed")

    def examine(self, request: requests.Examine) -> primitives.Steps[FileFacts]:
        """Raises what `open` raises."""
        path = self._path(request.path)
        facts: FileFacts = yield from self._perform(primitives.Examine(path, self._folders("roots")), path)
        self._trace.tell("file", None, f"{path} is a {facts.kind} of {facts.size} octets")
        return facts

    def list_folder(self, request: requests.ListFolder) -> primitives.Steps[tuple[FileFacts, ...]]:
        """Raises LimitExceeded, and what `open` raises."""
        path = self._path(request.path)
        most = self._policy.limits.entries
        step = primitives.ListFolder(path, self._folders("roots"), most)
        facts: list[FileFacts] = yield from self._perform(step, path)
        if len(facts) > most:
            raise exceeded("entries", most, "the folder has more entries than")
        self._trace.tell("file", None, f"{path} holds {len(facts)} entries")
        return tuple(facts)

    def _path(self, path: str) -> str:
        if not are(str, path):
            raise breach(self._scheme, "the path of a file, as text", path)
        if "\0" in path:
            raise UnsafeURL("the path holds a NUL", part="path")
        return path

    def _folders(self, rule: Literal["roots", "writable"]) -> tuple[str, ...]:
        """The folders that the rule of the policy names."""
        folders: tuple[str, ...] = getattr(self._policy, rule)
        if not folders:
            done = "read" if rule == "roots" else "written or removed"
            raise PolicyDenied(
                f"local files are not {done} until a folder is allowed",
                rule=rule,
                hint=f'policy rule {rule!r}: to allow a folder: replace(policy, {rule}=("/the/folder",))',
            )
        return folders

    def _perform(self, step: primitives.Step, what: str) -> primitives.Steps[Any]:
        """The answer to a step. `what` names the file in the error of a fault of the system's."""
        self._clock.time_for("file")
        try:
            return (yield step)
        except (OSError, UnicodeError) as fault:  # UnicodeError: a name that the file system's encoding cannot hold
            raise system_refusal(fault, one_line(what, 160)) from fault
