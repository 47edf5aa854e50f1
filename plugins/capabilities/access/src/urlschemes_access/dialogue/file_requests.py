"""Requests on local files: only in folders that the policy allows, and within its limits."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Literal, cast

from urlschemes.errors import UnsafeURL
from urlschemes.redaction import one_line
from urlschemes_access.attributes import FileFacts
from urlschemes_access.backends.backend import Channel, FileRequest, OutputChannel
from urlschemes_access.dialogue.context import Context, DialoguePart
from urlschemes_access.dialogue.system_errors import system_refusal
from urlschemes_access.dialogue.transfers import OpenPeer, Transfers
from urlschemes_access.errors import PolicyDenied
from urlschemes_access.protocol import requests
from urlschemes_access.protocol.requests import Peer


class FileRequests(DialoguePart):
    """Carries out the requests of one operation on local files."""

    def __init__(self, context: Context, transfers: Transfers) -> None:
        super().__init__(context)
        self._policy = context.operation.settings.policy
        self._transfers = transfers

    async def open(self, request: requests.OpenFile) -> Peer:
        """Open a file to read, replace or append to.

        Raises UnsafeURL, PolicyDenied, RemoteError with the system's reason, DeadlineExceeded.
        """
        reads = request.to == "read"
        if request.start < 0 or (request.start and not reads):
            raise self._breach("OpenFile with the start of a file to read", repr(request))
        channel: Channel = await self._use(request, "roots" if reads else "writable")
        peer = Peer("file")
        kind: Literal["input file", "output file"] = "input file" if reads else "output file"
        self._transfers.add(peer, OpenPeer(channel, kind, host="this machine"))
        where = f" at {request.start}" if request.start else ""
        self._trace.emit("file", peer, f"open {request.path}{where if reads else f' to {request.to}'}")
        return peer

    async def keep(self, request: requests.Keep) -> FileFacts:
        """Put a written file in its place, close it, and return its facts.

        Raises RemoteError with the system's reason, DeadlineExceeded.
        """
        open_peer = self._transfers.find(request.peer)
        if open_peer.kind != "output file":
            raise self._breach("Keep of a file opened for writing", "another")
        timeout = self._deadline.time_for("file")
        facts: FileFacts = await self._perform(cast("OutputChannel", open_peer.channel).commit(timeout), "the file")
        self._trace.emit("file", request.peer, f"{facts.path} has {facts.size} octets now")
        self._transfers.close(requests.Close(request.peer))
        return facts

    async def remove(self, request: requests.Remove) -> None:
        """Remove a file. Raises the errors of `open`."""
        await self._use(request, "writable")
        self._trace.emit("file", None, f"removed {request.path}")

    async def examine(self, request: requests.Examine) -> FileFacts:
        """Return the facts of a file or folder. Raises the errors of `open`."""
        facts: FileFacts = await self._use(request, "roots")
        self._trace.emit("file", None, f"{request.path} is a {facts.kind} of {facts.size} octets")
        return facts

    async def list_folder(self, request: requests.ListFolder) -> tuple[FileFacts, ...]:
        """Return the facts of each entry of a folder. Raises LimitExceeded, and the errors of `open`."""
        facts: list[FileFacts] = await self._use(request, "roots")
        if len(facts) > self._policy.limits.entries:
            raise self._policy.limits.exceeded("entries", "the folder has more entries than")
        self._trace.emit("file", None, f"{request.path} has {len(facts)} entries")
        return tuple(facts)

    async def _use(self, request: FileRequest, rule: Literal["roots", "writable"]) -> Any:
        """Carry out a request in the folders that a rule of the policy allows."""
        path = request.path
        if "\0" in path:
            raise UnsafeURL("the path contains a NUL character", part="path")
        folders: tuple[str, ...] = getattr(self._policy, rule)
        if not folders:
            done = "read" if rule == "roots" else "written or removed"
            raise PolicyDenied(
                f"local files are not {done} unless the policy allows their folder",
                rule=rule,
                hint=f'policy rule {rule!r}: to allow a folder: dataclasses.replace(policy, {rule}=("/the/folder",))',
            )
        limits = self._policy.limits
        left = self._deadline.time_for("file")
        timeout = None if limits.deadline is None else left
        return await self._perform(self._context.backend.use_file(request, folders, limits.entries, timeout), path)

    async def _perform(self, work: Awaitable[Any], what: str) -> Any:
        """Wait for the backend; `what` names the file in errors."""
        try:
            return await work
        except TimeoutError as fault:
            if fault.errno is None:
                raise self._deadline.error("file", 0) from None
            raise system_refusal(fault, one_line(what, 160)) from fault
        except (OSError, UnicodeError) as fault:  # UnicodeError: a name that the file system cannot encode
            raise system_refusal(fault, one_line(what, 160)) from fault
