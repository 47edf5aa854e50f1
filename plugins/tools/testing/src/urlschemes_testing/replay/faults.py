"""fault_everywhere: replays a script once for every fault at every request; only typed errors may come of it."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from urlschemes_access.errors import LimitExceeded, PolicyDenied, RedirectRefused
from urlschemes_access.protocol import Ask, Authenticate, Deliver, Follow, Open, Send
from urlschemes_testing.replay import steps
from urlschemes_testing.replay.backend import ReplayBackend, system_error
from urlschemes_testing.replay.replaying import Cancelled, Replay
from urlschemes_testing.replay.splitting import assert_same

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from urlschemes_access.protocol import Algorithm, Request
    from urlschemes_testing.replay.outcome import Outcome
    from urlschemes_testing.replay.progress import ReplayChannel
    from urlschemes_testing.replay.script import Script

__all__ = ["FaultRun", "fault_everywhere"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FaultRun:
    """One replay of `fault_everywhere`: `fault` happened at request `number` (from 0), which was `request`."""

    number: int
    request: str
    fault: str
    outcome: Outcome


_ERRORS: dict[str, Callable[[], BaseException]] = {
    "cancelled": Cancelled,
    "timeout": TimeoutError,
    "unresolved": lambda: OSError("Name or service not known"),
    "refused": lambda: system_error(errno.ECONNREFUSED),
    "untrusted": lambda: OSError("certificate verify failed"),
    "unreadable": lambda: system_error(errno.EIO),
    "disk full": lambda: system_error(errno.ENOSPC),
    "forbidden": lambda: PolicyDenied("the policy forbids it", rule="replay"),
    "over the limit": lambda: LimitExceeded("the content is too large", limit="content", value=0),
    "redirect refused": lambda: RedirectRefused("the policy does not follow", reason="scheme"),
}


def _raise(error: Callable[[], BaseException], *_: object) -> None:
    raise error()


def _raising(*names: str) -> dict[str, Callable[..., Any]]:
    """Return the faults that raise an error in place of the operation."""
    return {name: partial(_raise, _ERRORS[name]) for name in names}


class _FaultyBackend(ReplayBackend):
    """A backend in which `fault` happens, at the next operation in which it is possible.

    During the good replay, `possible` has the names of the faults that are possible at each request.
    """

    def __init__(self, script: Script) -> None:
        super().__init__(script)
        self.fault = ""
        self.possible: list[dict[str, None]] = []
        self.uploads = any(isinstance(step, steps.CallerUploads) for step in script)

    def perform(self, operation: Callable[..., T], *arguments: Any) -> T:
        faults = self._faults(operation, *arguments) if self.possible or self.fault else {}
        if self.possible:
            self.possible[-1] |= dict.fromkeys(faults)
        if self.fault in faults:
            fault, self.fault = self.fault, ""
            return cast("T", faults[fault](*arguments))
        return operation(*arguments)

    def _faults(self, operation: Callable[..., Any], first: Any = None, *rest: Any) -> dict[str, Callable[..., Any]]:
        """Return the functions that carry out an operation with a fault, by the name of the fault."""
        match operation:
            case self._resolve:
                return _raising("unresolved")
            case self._dial:
                return _raising("refused", "timeout", "forbidden", "cancelled")
            case self._handshake:
                return _raising("untrusted", "timeout", "cancelled")
            case self.write if not first.is_file:
                return self._faults_of_writing(first, len(rest[0]))
            case self.write | self.commit:
                return _raising("disk full", "cancelled")
            case self.read:
                return self._faults_of_reading(first)
            case self._poll:
                return {"timeout": self._wait_in_vain, **_raising("cancelled")}
            case self._use_file:
                return _raising("unreadable", "forbidden", "cancelled")
            case _:
                pass  # a function of the caller's
        match self.request:
            case Authenticate() | Ask() as request:
                nothing = "no answers" if isinstance(request, Ask) else "no credentials"
                return {nothing: _give_nothing, **_raising("cancelled")}
            case Follow():
                return _raising("redirect refused", "cancelled")
            case _:
                return _raising("cancelled")

    def _faults_of_writing(self, channel: ReplayChannel, size: int) -> dict[str, Callable[..., Any]]:
        """Return the faults before and after the system has accepted some of the octets that are sent."""
        write = self._write_part
        faults = {how: partial(write, count=0, how=how) for how in ("reset", "timeout")} | _raising("cancelled")
        if channel.datagrams:
            return faults
        has_reply = self.uploads and self.progress.reply_to(channel) is not None
        for count in sorted({1, size - 1} - {0, size}):
            part = f"{count} of {size} octets, then"
            faults |= {f"{part} {how}": partial(write, count=count, how=how) for how in ("reset", "timeout")}
            if has_reply:
                faults[f"{part} a reply"] = partial(write, count=count, how="", replies=True)
                faults[f"{part} a reply and reset"] = partial(write, count=count, how="reset", replies=True)
        if has_reply:
            faults[f"{size} of {size} octets, then a reply"] = partial(write, count=size, how="", replies=True)
        return faults

    def _faults_of_reading(self, channel: ReplayChannel) -> dict[str, Callable[..., Any]]:
        read = self._read_part
        breaks = {how: partial(read, count=0, how=how) for how in ("reset", "timeout")}
        if channel.datagrams or self.progress.is_at_end(channel):
            return (breaks if not channel.is_file else {}) | _raising("cancelled")
        ends: dict[str, Callable[..., Any]] = {
            "end": partial(read, count=0, how="end"),
            "one octet": self._read_one,
            "one octet, then end": partial(read, count=1, how="end"),
            **_raising("over the limit"),
        }
        if channel.is_file:
            return ends | _raising("unreadable", "cancelled")
        unnoticed = (
            {"end, unnoticed": partial(read, count=0, how="end", is_noticed=False)}
            if channel.is_data_connection
            else {}
        )
        after_one = {f"one octet, then {how}": partial(read, count=1, how=how) for how in ("reset", "timeout")}
        return unnoticed | ends | breaks | after_one | _raising("cancelled")

    # Operations with a fault

    def _write_part(
        self,
        channel: ReplayChannel,
        octets: bytes,
        timeout: float,
        *,
        count: int,
        how: Literal["", "reset", "timeout"],
        replies: bool = False,
    ) -> int:
        """Accept the first octets; then the server replies, or the connection breaks, or both."""
        reply = self.progress.reply_to(channel) if replies else None
        accepted = self.write(channel, octets[:count], timeout)
        self.progress.early = reply
        if how:
            channel.broken = how
            if reply is not None and reply.step.on == channel.label:
                channel.octets_left = len(reply.step.octets)
        return accepted

    def _read_one(self, channel: ReplayChannel, _: int, timeout: float) -> bytes:
        return self.read(channel, 1, timeout)

    def _read_part(
        self,
        channel: ReplayChannel,
        most: int,
        timeout: float,
        *,
        count: int,
        how: Literal["end", "reset", "timeout"],
        is_noticed: bool = True,
    ) -> bytes:
        """Read as many octets as are left before the connection breaks. The server takes no step below what is lost."""
        lost = self.progress.next_of_server(channel)
        channel.octets_left, channel.broken = count, how
        if lost is not None and is_noticed:
            self.progress.last_sent = lost.number
        return self.read(channel, most, timeout)

    def _wait_in_vain(self, channels: Sequence[ReplayChannel], timeout: float) -> int | None:
        for channel in channels:
            channel.broken = "timeout"
        return self._poll(channels, timeout)


def _give_nothing(*_: object) -> None:
    """The caller gives no credentials, or no answers."""


class _FaultyReplay(Replay):
    """A replay in which `fault` happens at request `faulty`; afterwards the client may send what is in `also`.

    Without a fault, it is the good replay, which collects the requests.
    """

    backend: _FaultyBackend

    def __init__(self, script: Script, fault: str = "", faulty: int = -1, also: Collection[bytes] = ()) -> None:
        super().__init__(_FaultyBackend(script))
        self.requests: list[Request[Any]] = []
        self._fault = fault
        self._faulty = faulty
        self._also = also

    def on_request(self, request: Request[Any]) -> None:
        is_given = isinstance(request, Open | Deliver)
        if not self._fault:
            self.requests.append(request)
            self.backend.possible.append({"cancelled": None} if is_given else {})
            return
        self.backend.fault = ""
        if self.number != self._faulty:
            return
        self.may_stop_early = True
        self.backend.also = self._also
        if is_given:  # the caller gets the resource, or the piece, and leaves
            self.take = len(self._delivered) + isinstance(request, Deliver)
        else:
            self.backend.fault = self._fault


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
    survey = _FaultyReplay(script)
    good = survey.run(make_algorithm())
    runs: list[FaultRun] = []
    for number, (request, faults) in enumerate(zip(survey.requests, survey.backend.possible, strict=True)):
        for name in faults:
            if name == "end, unnoticed" and ends_by_closing:
                continue
            try:
                outcome = _FaultyReplay(script, name, number, allowed).run(make_algorithm())
                # The control connection must notice data that ended early, whatever marks the end of content.
                early = ends_by_closing and name.endswith("end") and "end, unnoticed" not in faults
                _assert_honest(good, outcome, name, may_end_early=early)
                is_lost = isinstance(request, Send) and request.octets not in allowed and not name.endswith("reply")
                if survey.backend.uploads and is_lost and name != "cancelled":
                    _assert_failed(outcome)
            except Exception as error:
                what = (
                    error
                    if isinstance(error, AssertionError)
                    else f"{type(error).__name__} was raised, which is not a URLError"
                )
                raise AssertionError(f"{name!r} at request {number}, {request!r}: {what}") from error
            runs.append(FaultRun(number, repr(request), name, outcome))
    return tuple(runs)


def _assert_honest(good: Outcome, outcome: Outcome, fault: str, *, may_end_early: bool) -> None:
    if fault == "one octet":
        assert_same(good, outcome, "one octet arrives first")
        return
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
