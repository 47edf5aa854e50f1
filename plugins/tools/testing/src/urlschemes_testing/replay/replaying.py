"""replay: runs an algorithm under the rules of a real dialogue, with a ReplayBackend."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from urlschemes import URL, Registration, Scheme
from urlschemes.errors import PluginContractError, PluginError, URLError, require_type
from urlschemes.grammar.octets import SCHEME_NAME_FORM
from urlschemes_access.backends.backend import drive
from urlschemes_access.dialogue import Dialogue, Operation
from urlschemes_access.policy import Policy
from urlschemes_access.protocol import Authenticate, Close, Open, Unterminated
from urlschemes_access.settings import Settings
from urlschemes_testing.replay import steps
from urlschemes_testing.replay.backend import ReplayBackend
from urlschemes_testing.replay.observing import observed
from urlschemes_testing.replay.outcome import Departure, Outcome
from urlschemes_testing.replay.script import Script

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes_access.attributes import Entry
    from urlschemes_access.credentials import Credentials, Form
    from urlschemes_access.protocol import Algorithm, Request

__all__ = ["Cancelled", "Replay", "replay"]

A = TypeVar("A", bound=steps.CallerStep)

REQUESTS = 1_000_000
"""The most requests of an algorithm: one that makes more does not end."""

RECORD = """
api = 1
scheme = "x-replay"
status = "experimental"
title = "Replayed dialogues"
reference = "none"
contact = "none"
change_controller = "none"
operations = ["access"]
redirects = [{redirects}]
encoding_considerations = "none"
interoperability_considerations = "none"
security_considerations = "none"
[syntax]
rule = "replayurl"
bnf = 'replayurl = "x-replay:" *uchar'
"""


class Cancelled(BaseException):
    """The caller has left: an interrupt, or a cancelled task."""


class _AnyDestination(Policy):
    """A policy that allows every port and address."""

    def check_port(self, port: int, own: frozenset[int] = frozenset(), *, lines: bool = True) -> None:
        """Raise UnsafeURL for a number that is not a port."""
        super().check_port(port, own | {port}, lines=lines)

    def check_address(self, address: str, *, host: str = "", redirected: bool = False) -> None:
        """Allow the address."""


ANY_DESTINATION = _AnyDestination(roots=("/",), writable=("/",))


class Replay:
    """One run of an algorithm against a script. After `take` pieces or entries the caller leaves.

    `may_stop_early` is set by a fault: then not all steps need be done.
    """

    def __init__(self, backend: ReplayBackend, *, policy: Policy = ANY_DESTINATION, take: int | None = None) -> None:
        self.backend = backend
        self.policy = policy
        self.take = take
        self.number = -1
        self.may_stop_early = False
        self._progress = backend.progress
        self._opened: Open | None = None
        self._delivered: list[bytes | Entry] = []
        self._terminated = True
        self._caller_left = False
        self._forms: list[Form] = []
        self._unclosed: tuple[str, ...] = ()

    def run(self, algorithm: Algorithm[None]) -> Outcome:
        """Run the algorithm to its end. Raises Departure, and what the algorithm raises besides URLErrors."""
        error: URLError | None = None
        dialogue = self._dialogue(algorithm)
        try:
            self._carry_out(dialogue)
        except Cancelled:
            pass
        except PluginContractError as broken:
            raise Departure(f"{broken}\n{self.backend.script}") from broken
        except PluginError as failure:
            cause = failure.__cause__ or failure.__context__
            if cause is not None and not isinstance(cause, URLError):
                raise cause  # noqa: B904  the algorithm's own exception, or a Departure
            error = failure
        except URLError as raised:
            error = raised
        self._check(error)
        return self._outcome(error)

    def on_request(self, request: Request[Any]) -> None:
        """Take note of a request of the algorithm, before it is carried out."""

    # Running

    def _dialogue(self, algorithm: Algorithm[None]) -> Dialogue:
        url = _url(_redirects(self.backend.script))
        assert url.registration is not None
        return Dialogue(
            observed(algorithm, before=self._note, after=self._note_result, at_end=self._note_end),
            Operation(
                url,
                Settings(policy=self.policy, credentials=self._give_credentials, ask=self._give_answers),
                content=self._content(),
                redirect=self._redirect_target,
                clock=self.backend.clock,
            ),
        )

    def _carry_out(self, dialogue: Dialogue) -> None:
        opened = drive(dialogue.open(self.backend))
        if self.take == 0:
            self._leave()
        elif opened.kind == "session":
            drive(dialogue.finish())
        while not self._caller_left and (item := drive(dialogue.pull())) is not None:
            self._delivered.append(item)
            if self.take is not None and len(self._delivered) >= self.take:
                self._leave()
        dialogue.close()

    def _leave(self) -> None:
        self._caller_left = True

    def _note(self, request: Request[Any]) -> None:
        self.number += 1
        if self.number >= REQUESTS:
            raise Departure("the algorithm does not end")
        if self._caller_left and not isinstance(request, Close):
            self.backend.departures.append(f"after the caller had left, the algorithm requested {request!r}")
        self.backend.request = request
        if isinstance(request, Open):
            self._opened = request
        elif isinstance(request, Unterminated):
            self._terminated = False
        self.on_request(request)

    def _note_result(self, _request: Request[Any], _answer: object, error: BaseException | None) -> None:
        self._caller_left = self._caller_left or isinstance(error, GeneratorExit)

    def _note_end(self) -> None:
        self.backend.algorithm_ended = True
        self._unclosed = tuple(each.label for each in self.backend.channels if not each.closed)

    # The caller's part

    def _give_credentials(self, _: Authenticate) -> Credentials | None:
        step = self._next_answer(steps.CallerLogsIn)
        return step.given if step else None

    def _give_answers(self, form: Form) -> tuple[str, ...] | None:
        self._forms.append(form)
        step = self._next_answer(steps.CallerAnswers)
        return step.given if step else None

    def _content(self) -> Iterator[bytes]:
        while step := self._next_answer(steps.CallerUploads):
            yield step.octets

    def _redirect_target(self, _: URL, location: str) -> URL:
        return self.backend.perform(self._follow, location)

    def _follow(self, location: str) -> URL:
        step = self._next_answer(steps.CallerFollows, location=location)
        if step is None:
            raise self.backend.departure()
        if isinstance(step.to, URLError):
            raise step.to
        return step.to

    def _next_answer(self, kind: type[A], **values: object) -> A | None:
        stage = self._progress.first(kind, **values)
        if stage is None:
            return None
        stage.done = True
        return stage.step

    # The result

    def _check(self, error: URLError | None) -> None:
        """Raise Departure unless the algorithm did what the script has."""
        if self.backend.departures:
            raise Departure(f"{self.backend.departures[0]}\n{self.backend.script}") from error
        missing = self._progress.missing()
        if missing is None or self.take is not None or self.may_stop_early:
            return
        how = f"failed with {error!r}" if error else "ended"
        raise Departure(f"the access {how}, but a step is missing: {missing}\n{self.backend.script}") from error

    def _outcome(self, error: URLError | None) -> Outcome:
        opened = self._opened
        return Outcome(
            kind=opened.kind if opened else None,
            attributes=opened.attributes if opened else None,
            session=opened.session if opened else None,
            delivered=tuple(self._delivered),
            terminated=self._terminated,
            error=error,
            sent=MappingProxyType({each.label: bytes(each.sent) for each in self.backend.channels if not each.is_file}),
            files=MappingProxyType(self.backend.files),
            forms=tuple(self._forms),
            unclosed=self._unclosed,
        )


def replay(
    algorithm: Algorithm[None],
    script: Script,
    *,
    chunk: int | None = None,
    take: int | None = None,
    policy: Policy = ANY_DESTINATION,
) -> Outcome:
    """Run `algorithm` to its end against `script`, under the rules of a real access.

    At most `chunk` octets arrive at once. With `take`, the caller leaves after that many pieces or entries; 0 means as
    soon as the resource is open. By default, `policy` allows every destination and file. Time passes only by waiting in
    vain, and costs no real time.

    An error of the access is part of the Outcome. Raises Departure if the algorithm does anything that the script
    does not have, or ends before it has done all of it. Exceptions of the algorithm that are not URLErrors pass
    through.
    """
    require_type("script", script, Script)
    return Replay(ReplayBackend(script, chunk=chunk), policy=policy, take=take).run(algorithm)


def _redirects(script: Script) -> tuple[str, ...]:
    """Return the schemes that the redirects of the script lead to."""
    schemes = {"x-replay"}
    for step in script:
        if isinstance(step, steps.CallerFollows):
            name, colon, _ = step.location.lower().partition(":")
            schemes.update({name} if colon and SCHEME_NAME_FORM.fullmatch(name) else ())
            schemes.update({step.to.scheme} if isinstance(step.to, URL) else ())
    return tuple(sorted(schemes))


@cache
def _url(redirects: tuple[str, ...]) -> URL:
    """Return the URL of a scheme that may be redirected to the schemes `redirects`."""
    names = ", ".join(f'"{name}"' for name in redirects)
    registration = Registration.from_text(RECORD.format(redirects=names), source="replay")
    return Scheme(registration).url_type.parse("x-replay:")
