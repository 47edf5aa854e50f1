"""Requests on local files: only in folders that the policy allows, and within its limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from urlschemes.errors import UnsafeURL
from urlschemes.redaction import one_line
from urlschemes_access.backends import primitives
from urlschemes_access.dialogue.contract import breach, has_type
from urlschemes_access.dialogue.system_errors import system_refusal
from urlschemes_access.dialogue.transfers import OpenPeer
from urlschemes_access.errors import PolicyDenied
from urlschemes_access.protocol import requests
from urlschemes_access.protocol.algorithm import Peer

if TYPE_CHECKING:
    from urlschemes_access.attributes import FileFacts
    from urlschemes_access.dialogue.deadline import Deadline
    from urlschemes_access.dialogue.trace import Trace
    from urlschemes_access.dialogue.transfers import Transfers
    from urlschemes_access.policy import Policy

__all__ = ["FileRequests"]

_MODES = ("read", "replace", "append")


class FileRequests:
    """Carries out the requests of one operation on local files."""

    __slots__ = ("_deadline", "_policy", "_scheme", "_trace", "_transfers")

    def __init__(self, scheme: str, policy: Policy, deadline: Deadline, trace: Trace, transfers: Transfers) -> None:
        self._scheme = scheme
        self._policy = policy
        self._deadline = deadline
        self._trace = trace
        self._transfers = transfers

    def open(self, request: requests.OpenFile) -> primitives.Primitives[Peer]:
        """Open a file to read, replace or append to.

        Raises UnsafeURL, PolicyDenied, RemoteError with the system's reason, DeadlineExceeded.
        """
        if request.to not in _MODES:
            raise breach(self._scheme, f"OpenFile to {', '.join(_MODES)}", repr(request.to))
        reads = request.to == "read"
        if not has_type(int, request.start) or request.start < 0 or (request.start and not reads):
            raise breach(self._scheme, "OpenFile to read from an octet of the file", repr(request))
        channel: primitives.Channel = yield from self._use(request, "roots" if reads else "writable")
        peer = Peer("file")
        kind: Literal["input file", "output file"] = "input file" if reads else "output file"
        self._transfers.add(peer, OpenPeer(channel, kind, host="this machine"))
        self._trace.emit(
            "file",
            peer,
            f"open {request.path}{f' at {request.start}' if request.start else ''}"
            if reads
            else f"open {request.path} to {request.to}",
        )
        return peer

    def keep(self, request: requests.Keep) -> primitives.Primitives[FileFacts]:
        """Put a written file in its place, close it, and return its facts.

        Raises RemoteError with the system's reason, DeadlineExceeded.
        """
        open_peer = self._transfers.find(request.peer)
        if open_peer.kind != "output file":
            raise breach(self._scheme, "Keep of a file opened for writing", "another")
        timeout = self._deadline.time_for("file")
        facts: FileFacts = yield from self._perform(primitives.Commit(open_peer.channel, timeout), "the file")
        self._trace.emit("file", request.peer, f"{facts.path} has {facts.size} octets now")
        self._transfers.close(requests.Close(request.peer))
        return facts

    def remove(self, request: requests.Remove) -> primitives.Primitives[None]:
        """Remove a file. Raises the errors of `open`."""
        yield from self._use(request, "writable")
        self._trace.emit("file", None, f"removed {request.path}")

    def examine(self, request: requests.Examine) -> primitives.Primitives[FileFacts]:
        """Return the facts of a file or folder. Raises the errors of `open`."""
        facts: FileFacts = yield from self._use(request, "roots")
        self._trace.emit("file", None, f"{request.path} is a {facts.kind} of {facts.size} octets")
        return facts

    def list_folder(self, request: requests.ListFolder) -> primitives.Primitives[tuple[FileFacts, ...]]:
        """Return the facts of each entry of a folder. Raises LimitExceeded, and the errors of `open`."""
        facts: list[FileFacts] = yield from self._use(request, "roots")
        if len(facts) > self._policy.limits.entries:
            raise self._policy.limits.exceeded("entries", "the folder has more entries than")
        self._trace.emit("file", None, f"{request.path} has {len(facts)} entries")
        return tuple(facts)

    def _use(
        self,
        request: requests.OpenFile | requests.Examine | requests.ListFolder | requests.Remove,
        rule: Literal["roots", "writable"],
    ) -> primitives.Primitives[Any]:
        """Carry out a request in the folders that a rule of the policy allows."""
        path = request.path
        if not has_type(str, path):
            raise breach(self._scheme, "the path of a file as str", path)
        if "\0" in path:
            raise UnsafeURL("the path contains a NUL character", part="path")
        folders: tuple[str, ...] = getattr(self._policy, rule)
        if not folders:
            done = "read" if rule == "roots" else "written or removed"
            raise PolicyDenied(
                f"local files are not {done} unless the policy allows their folder",
                rule=rule,
                hint=f'policy rule {rule!r}: to allow a folder: replace(policy, {rule}=("/the/folder",))',
            )
        limits = self._policy.limits
        left = self._deadline.time_for("file")
        timeout = None if limits.deadline is None else left
        return (yield from self._perform(primitives.UseFile(request, folders, limits.entries, timeout), path))

    def _perform(self, primitive: primitives.Primitive, what: str) -> primitives.Primitives[Any]:
        """Perform a primitive; `what` names the file in errors."""
        try:
            return (yield primitive)
        except TimeoutError as fault:
            if fault.errno is None:
                raise self._deadline.error("file", 0) from None
            raise system_refusal(fault, one_line(what, 160)) from fault
        except (OSError, UnicodeError) as fault:  # UnicodeError: a name that the file system cannot encode
            raise system_refusal(fault, one_line(what, 160)) from fault
