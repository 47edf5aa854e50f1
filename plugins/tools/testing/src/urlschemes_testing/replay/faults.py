"""A dialogue in which something goes wrong, at every request in every way: nothing may be made of it but an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from urlschemes.errors import URLError
from urlschemes_access.errors import (
    ConnectError,
    DeadlineExceeded,
    InputRequired,
    LimitExceeded,
    PolicyDenied,
    RedirectRefused,
    RemoteError,
    ResolveError,
    TLSError,
)
from urlschemes_access.protocol import (
    Algorithm,
    Ask,
    Authenticate,
    Connect,
    ConnectBack,
    Deliver,
    Examine,
    Follow,
    Keep,
    ListFolder,
    Open,
    OpenFile,
    Pull,
    Ready,
    Receive,
    Remove,
    Request,
    Send,
    StartTLS,
)
from urlschemes_testing.replay import steps
from urlschemes_testing.replay.player import Cancelled, Player
from urlschemes_testing.replay.splitting import assert_same

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from urlschemes_testing.replay.outcome import Outcome
    from urlschemes_testing.replay.script import Dialogue

__all__ = ["FaultRun", "fault_everywhere"]


@dataclass(frozen=True, slots=True)
class FaultRun:
    """One run of `fault_everywhere`: `fault` happened at request `number` (from 0), which was `request`."""

    number: int
    request: str
    fault: str
    outcome: Outcome


_FAULTS: dict[str, Callable[[], URLError]] = {
    "unresolved": lambda: ResolveError("the name has no address"),
    "refused": lambda: ConnectError("connection refused"),
    "forbidden": lambda: PolicyDenied("the policy forbids it", rule="replay"),
    "untrusted": lambda: TLSError("the certificate is not the host's"),
    "unreadable": lambda: RemoteError("it cannot be read", text="Input/output error"),
    "disk full": lambda: RemoteError("nothing more can be written", status="ENOSPC", text="No space left on device"),
    "redirect refused": lambda: RedirectRefused("the policy does not follow", reason="scheme"),
    "nobody answers": lambda: InputRequired("nobody answers the form"),
    "over the limit": lambda: LimitExceeded("the content is too large", limit="content", value=0),
}


class _Survey(Player):
    """The good run: notes which faults are possible at each request."""

    def __init__(self, dialogue: Dialogue) -> None:
        super().__init__(dialogue)
        self.requests: list[tuple[Request[Any], tuple[str, ...]]] = []

    def answer(self, request: Request[Any]) -> Any:
        self.requests.append((request, self._possible_faults(request)))
        return super().answer(request)

    def _possible_faults(self, request: Request[Any]) -> tuple[str, ...]:
        match request:
            case Connect():
                return "unresolved", "refused", "timeout", "forbidden", "cancelled"
            case ConnectBack():
                return "refused", "timeout", "forbidden", "cancelled"
            case StartTLS():
                return "untrusted", "timeout", "cancelled"
            case Send(peer=peer):
                if peer in self.lines and self.lines[peer].output is not None:
                    return "disk full", "cancelled"
                return "reset", "timeout", "cancelled"
            case Keep():
                return "disk full", "cancelled"
            case Receive(peer=peer):
                line = self.lines.get(peer)
                if line is None or line.closed:
                    return ()
                if line.datagrams:
                    return "reset", "timeout", "cancelled"
                if self.course.at_end(line):
                    return ("cancelled",) if line.file is not None else ("reset", "timeout", "cancelled")
                short: tuple[str, ...] = ("end", "one octet", "one octet, then end")
                if line.file is not None:
                    return (*short, "unreadable", "cancelled")
                if line.back:
                    short = ("end, unnoticed", *short)
                return (*short, "reset", "timeout", "one octet, then reset", "one octet, then timeout", "cancelled")
            case Ready():
                return "timeout", "cancelled"
            case OpenFile() | Examine() | ListFolder() | Remove():
                return "unreadable", "forbidden", "cancelled"
            case Follow():
                return "redirect refused", "cancelled"
            case Authenticate():
                return "nobody knows", "cancelled"
            case Ask():
                return "nobody answers", "cancelled"
            case Deliver():
                return "over the limit", "cancelled"
            case Open() | Pull():
                return ("cancelled",)
            case _:
                return ()


class _FaultyPlayer(Player):
    """A run in which one fault happens, at request `number`; afterwards the client may say what is in `also`."""

    def __init__(self, dialogue: Dialogue, number: int, fault: str, also: Collection[bytes]) -> None:
        super().__init__(dialogue)
        self._faulty_number = number
        self._fault = fault
        self._allowed = also

    def answer(self, request: Request[Any]) -> Any:
        if self.number != self._faulty_number:
            return super().answer(request)
        self.faulty = True
        self.also = self._allowed
        return self._inject(request, self._fault)

    def _inject(self, request: Request[Any], fault: str) -> Any:
        if fault == "cancelled":
            raise Cancelled
        if fault == "nobody knows":
            return None
        if make_error := _FAULTS.get(fault):
            error = make_error()
            raise error
        if isinstance(request, Ready):
            for peer in request.peers:
                self.lines[peer].broken = "timeout"
        elif isinstance(request, Send):
            self.line(request.peer).broken = "reset" if fault == "reset" else "timeout"
        elif isinstance(request, Receive):
            if fault == "one octet":
                return super().answer(Receive(request.peer, within=request.within, most=1))
            line = self.line(request.peer)
            lost = self.course.speaks(line)
            line.left = 1 if fault.startswith("one octet") else 0
            line.broken = "reset" if fault.endswith("reset") else "timeout" if fault.endswith("timeout") else "end"
            if lost is not None and fault != "end, unnoticed":
                self.course.lost = lost
        else:
            raise DeadlineExceeded("no connection in time", phase="tls" if isinstance(request, StartTLS) else "connect")
        return super().answer(request)


def fault_everywhere(
    make_algorithm: Callable[[], Algorithm[None]],
    dialogue: Dialogue,
    *,
    also: Collection[steps.Text] = (),
    ends_by_closing: bool = False,
) -> tuple[FaultRun, ...]:
    """Run the dialogue once for every fault that is possible at every request, and check what comes of each.

    Asserted of each run:

    - only errors of `urlschemes.errors` come out, and the algorithm ends;
    - nothing is sent that the good dialogue would not have sent, but what `also` allows after a fault (`"QUIT"`);
    - nothing but the good content is delivered, and what was cut never counts as complete: the access ends with an
      error, or the algorithm said `Unterminated`. Where the protocol marks the end of the content by closing alone
      (`ends_by_closing`), an early end in good order cannot be told from the true one, and is let pass;
    - of what is written to files, all is kept or nothing; and of the caller's content (`upload`), what could not be
      sent, or was cut by an end in good order, never counts as done;
    - no peer is used after it was closed, and when the caller leaves nothing is asked for but closing.

    When the octets on one connection are cut, the other side no longer says what stands below them, on any connection;
    in the fault "end, unnoticed" of a data connection it does. Gives all runs, for what else a test has to say of them.
    """
    allowed = [steps.octets_of((words,)) for words in also]
    uploads = any(isinstance(step, steps.Upload) for step in dialogue)
    first = _Survey(dialogue)
    good = first.run(make_algorithm())
    runs: list[FaultRun] = []
    for number, (request, faults) in enumerate(first.requests):
        for fault in faults:
            if fault == "end, unnoticed" and ends_by_closing:
                continue
            where = f"{fault!r} at request {number}, {request!r}"
            driver = _FaultyPlayer(dialogue, number, fault, allowed)
            try:
                outcome = driver.run(make_algorithm())
                # Data that ended early must still be missed by the control connection, whatever marks its end.
                early = (
                    ends_by_closing
                    and fault.endswith("end")
                    and not (isinstance(request, Receive) and first.lines[request.peer].back)
                )
                _assert_honest(good, outcome, fault, may_end_early=early)
                if uploads and isinstance(request, Send) and request.octets not in allowed and fault != "cancelled":
                    _assert_failed(outcome)
            except AssertionError as error:
                raise AssertionError(f"{where}: {error}") from error
            except Exception as error:
                raise AssertionError(f"{where}: {type(error).__name__} came out, no URLError") from error
            runs.append(FaultRun(number, repr(request), fault, outcome))
    return tuple(runs)


def _assert_honest(good: Outcome, outcome: Outcome, fault: str, *, may_end_early: bool) -> None:
    if fault == "one octet":
        assert_same(good, outcome, "one octet came first")
        return
    if any(good.files.get(path, b"") != content for path, content in outcome.files.items()):
        raise AssertionError(f"a part was kept as the whole: {dict(outcome.files)!r}")
    if not good.content.startswith(outcome.content) or good.entries[: len(outcome.entries)] != outcome.entries:
        raise AssertionError(f"content was delivered that is not there: {outcome.delivered!r}")
    if fault == "cancelled" or outcome.error is not None:
        return
    if good.error is not None:
        raise AssertionError(f"the access ended well, and without the fault it fails with {good.error!r}")
    whole = (outcome.kind, outcome.content, outcome.entries) == (good.kind, good.content, good.entries)
    if good.kind == "attributes":
        whole = (outcome.attributes, outcome.files) == (good.attributes, good.files)
    if not whole and outcome.complete and not may_end_early:
        say = "raise Truncated, or pass ends_by_closing=True where the protocol cannot tell"
        raise AssertionError(f"cut content counts as complete ({say}): {outcome!r}")


def _assert_failed(outcome: Outcome) -> None:
    if outcome.error is None:
        raise AssertionError(f"what was to be sent was lost, and the operation ended well: {outcome!r}")
