"""fault_everywhere: replays a script once for every fault at every request; only typed errors may come of it."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from urlschemes_access.backends.primitives import Call, Commit, Dial, Handshake, Poll, Read, Resolve, UseFile, Write
from urlschemes_access.errors import LimitExceeded, PolicyDenied, RedirectRefused
from urlschemes_access.protocol import Ask, Authenticate, Deliver, Follow, Open, Pull, PullPieces, Send
from urlschemes_testing.replay import steps
from urlschemes_testing.replay.backend import ReplayBackend
from urlschemes_testing.replay.progress import ReplayChannel
from urlschemes_testing.replay.replaying import Cancelled, Replay
from urlschemes_testing.replay.splitting import assert_same

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from urlschemes.url.value import URL
    from urlschemes_access.backends.primitives import Primitive
    from urlschemes_access.credentials import Credentials, Form
    from urlschemes_access.protocol import Algorithm, Request
    from urlschemes_testing.replay.outcome import Outcome
    from urlschemes_testing.replay.script import Script

__all__ = ["FaultRun", "fault_everywhere"]


@dataclass(frozen=True, slots=True)
class FaultRun:
    """One replay of `fault_everywhere`: `fault` happened at request `number` (from 0), which was `request`."""

    number: int
    request: str
    fault: str
    outcome: Outcome


_ERRORS: dict[str, Callable[[], Exception]] = {
    "unresolved": lambda: OSError("Name or service not known"),
    "refused": lambda: ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED)),
    "untrusted": lambda: OSError("certificate verify failed"),
    "unreadable": lambda: OSError(errno.EIO, os.strerror(errno.EIO)),
    "disk full": lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    "forbidden": lambda: PolicyDenied("the policy forbids it", rule="replay"),
    "over the limit": lambda: LimitExceeded("the content is too large", limit="content", value=0),
    "redirect refused": lambda: RedirectRefused("the policy does not follow", reason="scheme"),
}
"""The faults that raise an error instead of performing a primitive."""


class _SurveyBackend(ReplayBackend):
    """The backend of the good replay: it lists the faults that are possible at each request."""

    def __init__(self, script: Script) -> None:
        super().__init__(script)
        self.uploads = any(isinstance(step, steps.CallerUploads) for step in script)
        self.possible: list[tuple[str, ...]] = []
        self.data_reads: set[int] = set()
        """The numbers of the requests that read from a data connection."""

    def perform(self, primitive: Primitive) -> Any:
        if isinstance(primitive, Read) and isinstance(primitive.channel, ReplayChannel):
            self.data_reads |= {len(self.possible) - 1} if primitive.channel.is_data_connection else set()
        already = self.possible[-1]
        self.possible[-1] += tuple(fault for fault in self._possible_faults(primitive) if fault not in already)
        return super().perform(primitive)

    def _possible_faults(self, primitive: Primitive) -> tuple[str, ...]:
        match primitive:
            case Resolve():
                return ("unresolved",)
            case Dial():
                return "refused", "timeout", "forbidden", "cancelled"
            case Handshake():
                return "untrusted", "timeout", "cancelled"
            case Write(ReplayChannel(is_file=True)) | Commit():
                return "disk full", "cancelled"
            case Write(ReplayChannel() as channel, pieces):
                within = self._faults_within(channel, sum(map(len, pieces)))
                return "reset", "timeout", "cancelled", *within
            case Read(ReplayChannel() as channel):
                return self._possible_faults_of_reading(channel)
            case Poll():
                return "timeout", "cancelled"
            case UseFile():
                return "unreadable", "forbidden", "cancelled"
            case _:
                return ()

    def _faults_within(self, channel: ReplayChannel, size: int) -> tuple[str, ...]:
        """Return the faults after the system has accepted some of the octets that are sent."""
        if channel.datagrams:
            return ()
        has_reply = self.uploads and self.progress.reply_to(channel) is not None
        replies = ("a reply", "a reply and reset") if has_reply else ()
        parts = [
            f"{count} of {size} octets, then {how}"
            for count in sorted({1, size - 1} - {0, size})
            for how in ("reset", "timeout", *replies)
        ]
        return (*parts, *(f"{size} of {size} octets, then {how}" for how in replies[:1]))

    def _possible_faults_of_reading(self, channel: ReplayChannel) -> tuple[str, ...]:
        if channel.datagrams:
            return "reset", "timeout", "cancelled"
        if self.progress.is_at_end(channel):
            return ("cancelled",) if channel.is_file else ("reset", "timeout", "cancelled")
        short: tuple[str, ...] = ("end", "one octet", "one octet, then end", "over the limit")
        if channel.is_file:
            return (*short, "unreadable", "cancelled")
        if channel.is_data_connection:
            short = ("end, unnoticed", *short)
        return (*short, "reset", "timeout", "one octet, then reset", "one octet, then timeout", "cancelled")


class _Survey(Replay):
    """The good replay."""

    def __init__(self, script: Script) -> None:
        self.survey = _SurveyBackend(script)
        super().__init__(self.survey)
        self.requests: list[Request[Any]] = []

    def on_request(self, request: Request[Any]) -> None:
        self.requests.append(request)
        match request:
            case Follow():
                self.survey.possible.append(("redirect refused", "cancelled"))
            case Authenticate():
                self.survey.possible.append(("no credentials", "cancelled"))
            case Ask():
                self.survey.possible.append(("no answers", "cancelled"))
            case Deliver() | Open() | Pull() | PullPieces():
                self.survey.possible.append(("cancelled",))
            case _:
                self.survey.possible.append(())


class _FaultyBackend(ReplayBackend):
    """A backend in which one fault happens, once it is `armed`."""

    armed = False

    def __init__(self, script: Script, fault: str) -> None:
        super().__init__(script)
        self.fault = fault

    def perform(self, primitive: Primitive) -> Any:
        if self.armed and (isinstance(primitive, Resolve) == (self.fault == "unresolved")):
            self.armed = False
            return self._perform_with_fault(primitive)
        return super().perform(primitive)

    def _perform_with_fault(self, primitive: Primitive) -> Any:
        fault = self.fault
        if fault == "cancelled":
            raise Cancelled
        if fault in _ERRORS:
            error = _ERRORS[fault]()
            raise error
        match primitive:
            case Call():  # the caller's functions apply the fault
                pass
            case Poll(channels):
                for channel in channels:
                    self._break(channel, "timeout")
            case Write(ReplayChannel() as channel, pieces, timeout) if "," in fault:
                return self._write_part(channel, b"".join(pieces), timeout)
            case Write(channel):
                self._break(channel, fault)
            case Read(channel) if fault == "one octet":
                primitive.most = 1
            case Read(ReplayChannel() as channel):
                lost = self.progress.next_of_server(channel)
                channel.octets_left = 1 if fault.startswith("one octet") else 0
                self._break(channel, fault.removeprefix("one octet, then ").partition(",")[0])
                if lost is not None and fault != "end, unnoticed":
                    self.progress.last_sent = lost
            case _:
                raise TimeoutError
        return super().perform(primitive)

    def _write_part(self, channel: ReplayChannel, octets: bytes, timeout: float) -> int:
        """Accept the first octets; then the server replies, or the connection breaks, or both."""
        part, _, how = self.fault.partition(", then ")
        reply = self.progress.reply_to(channel) if "reply" in how else None
        accepted = self._write(channel, octets[: int(part.partition(" ")[0])], timeout)
        self.progress.early = reply
        if not how.endswith("reply"):
            self._break(channel, how.rpartition(" ")[2])
            step = None if reply is None else self.script.steps[reply]
            if isinstance(step, steps.ServerSends) and step.on == channel.label:
                channel.octets_left = len(step.octets)
        return accepted

    def _break(self, channel: object, how: str) -> None:
        assert isinstance(channel, ReplayChannel)
        channel.broken = "reset" if how == "reset" else "end" if how == "end" else "timeout"


class _FaultyReplay(Replay):
    """A replay in which one fault happens, at request `faulty`; afterwards the client may send what is in `also`."""

    def __init__(self, script: Script, faulty: int, fault: str, also: Collection[bytes]) -> None:
        super().__init__(_FaultyBackend(script, fault))
        self._faulty = faulty
        self._fault = fault
        self._also = also

    def on_request(self, request: Request[Any]) -> None:
        assert isinstance(self.backend, _FaultyBackend)
        self.backend.armed = self.number == self._faulty
        if self.backend.armed:
            self.may_stop_early = True
            self.backend.also = self._also
            if isinstance(request, Open | Deliver):  # the caller gets the resource, or the piece, and leaves
                self.take = len(self._delivered) + isinstance(request, Deliver)

    def _give_credentials(self, request: Authenticate) -> Credentials | None:
        return None if self._is_faulty() else super()._give_credentials(request)

    def _give_answers(self, form: Form) -> tuple[str, ...] | None:
        return None if self._is_faulty() else super()._give_answers(form)

    def _redirect_target(self, base: URL, location: str) -> URL:
        if self._is_faulty():
            if self._fault == "cancelled":
                raise Cancelled
            error = _ERRORS[self._fault]()
            raise error
        return super()._redirect_target(base, location)

    def _is_faulty(self) -> bool:
        return self.number == self._faulty


def fault_everywhere(
    make_algorithm: Callable[[], Algorithm[None]],
    script: Script,
    *,
    also: Collection[steps.Text] = (),
    ends_by_closing: bool = False,
) -> tuple[FaultRun, ...]:
    """Replay the script once for every fault that is possible at every request, and return all replays.

    Asserts of each replay:

    - only errors of `urlschemes.errors` are raised, and the algorithm ends;
    - nothing is sent that the good script does not send, except what `also` allows after a fault (`"QUIT"`);
    - only the good content is delivered, and truncated content never counts as complete: the access fails, or the
      algorithm reports `Unterminated`. If the protocol marks the end of content only by closing (`ends_by_closing`), an
      early end cannot be detected and is accepted;
    - a file is kept completely or not at all; an upload of which a part could not be sent never succeeds;
    - no peer is used after it was closed, and after the caller has left only Close is requested.

    A fault of sending may come after some octets; `Outcome.sent` has what was accepted. Where the caller uploads, the
    server's next message may come early, too.

    When octets on one connection are lost, the server takes no step below them, on any connection; in the fault "end,
    unnoticed" of a data connection it does.
    """
    allowed = [steps.octets_of((words,)) for words in also]
    good_replay = _Survey(script)
    good = good_replay.run(make_algorithm())
    survey = good_replay.survey
    runs: list[FaultRun] = []
    for number, request in enumerate(good_replay.requests):
        for fault in survey.possible[number]:
            if fault == "end, unnoticed" and ends_by_closing:
                continue
            where = f"{fault!r} at request {number}, {request!r}"
            try:
                outcome = _FaultyReplay(script, number, fault, allowed).run(make_algorithm())
                # The control connection must notice data that ended early, whatever marks the end of content.
                early = ends_by_closing and fault.endswith("end") and number not in survey.data_reads
                _assert_honest(good, outcome, fault, may_end_early=early)
                is_lost = isinstance(request, Send) and request.octets not in allowed and not fault.endswith("reply")
                if survey.uploads and is_lost and fault != "cancelled":
                    _assert_failed(outcome)
            except AssertionError as error:
                raise AssertionError(f"{where}: {error}") from error
            except Exception as error:
                raise AssertionError(f"{where}: {type(error).__name__} was raised, which is not a URLError") from error
            runs.append(FaultRun(number, repr(request), fault, outcome))
    return tuple(runs)


def _assert_honest(good: Outcome, outcome: Outcome, fault: str, *, may_end_early: bool) -> None:
    if fault == "one octet":
        assert_same(good, outcome, "one octet arrives first")
        return
    if any(good.files.get(path, b"") != content for path, content in outcome.files.items()):
        raise AssertionError(f"a part was kept as the whole file: {dict(outcome.files)!r}")
    if not good.content.startswith(outcome.content) or good.entries[: len(outcome.entries)] != outcome.entries:
        raise AssertionError(f"delivered content that the script does not have: {outcome.delivered!r}")
    if fault == "cancelled" or outcome.error is not None:
        return
    if good.error is not None:
        raise AssertionError(f"the access succeeded, but fails without the fault: {good.error!r}")
    whole = (outcome.kind, outcome.content, outcome.entries) == (good.kind, good.content, good.entries)
    if good.kind == "attributes":
        whole = (outcome.attributes, outcome.files) == (good.attributes, good.files)
    if not whole and outcome.complete and not may_end_early:
        hint = "raise Truncated, or pass ends_by_closing=True if the protocol cannot detect it"
        raise AssertionError(f"truncated content counts as complete ({hint}): {outcome!r}")


def _assert_failed(outcome: Outcome) -> None:
    if outcome.error is None:
        raise AssertionError(f"a part of the upload was lost, but the operation succeeded: {outcome!r}")
