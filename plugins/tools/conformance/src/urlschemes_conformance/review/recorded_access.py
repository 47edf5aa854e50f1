"""Accesses the demonstration of a scheme over real sockets, and records the dialogue."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import wraps
from pkgutil import resolve_name
from time import perf_counter
from typing import TYPE_CHECKING, Any

from urlschemes.errors import PluginContractError
from urlschemes.scheme.scheme import Scheme
from urlschemes_access import operate
from urlschemes_access.attributes import Attributes
from urlschemes_access.resources import Document, Listing
from urlschemes_conformance.review.fixed_randomness import with_fixed_randomness
from urlschemes_testing.demonstration import started
from urlschemes_testing.replay import Recording, Script, fault_everywhere, replay, split_everywhere, steps
from urlschemes_testing.replay.observing import observed

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from urlschemes.registry.claims import Claim
    from urlschemes.registry.registry import Registry
    from urlschemes_access.protocol import Algorithm
    from urlschemes_access.resources import Session
    from urlschemes_testing.demonstration import Demonstration
    from urlschemes_testing.replay import Outcome

__all__ = ["RecordedAccess", "record_access"]

DEADLINE = 30.0
"""Seconds that the access may take."""
MAX_PIECES = 30
"""Lines of the server that become messages of their own when faults are injected."""
RUNS = 3
"""Runs of an algorithm that seems to be slow between two requests."""
SLOW_STEP = 0.1
"""Seconds between two requests from which on an algorithm seems to be slow."""


@dataclass(frozen=True, slots=True)
class RecordedAccess:
    """An access of the demonstration that succeeded.

    `script` is what client and server sent, `start` starts the algorithm again, `longest_step` is the most seconds
    that it computed between two requests. `kind` is the kind of the result, `content` the octets of a document,
    `result` a description.
    """

    url: str
    operation: str
    script: Script
    start: Callable[[], Algorithm[None]]
    longest_step: float
    kind: str
    content: bytes | None
    result: str

    @property
    def server_octets(self) -> int:
        """The number of octets that the server sends, or that files have."""
        return sum(len(step.octets) for step in self.script if isinstance(step, steps.ServerSends | steps.LocalFile))

    @property
    def closed(self) -> set[str]:
        """The connections that the server closes."""
        return {step.on for step in self.script if isinstance(step, steps.ServerCloses)}

    @property
    def secured(self) -> set[str]:
        """The connections with TLS."""
        return {step.on for step in self.script if isinstance(step, steps.ClientStartsTLS)}

    def replayed(self) -> Outcome:
        """Run the algorithm again, without sockets. Raises AssertionError if it departs from the script."""
        return replay(self.start(), self.script)

    def retimed(self) -> float:
        """Return the most seconds that the algorithm computes between two requests, in the fastest of several runs."""
        longest = [self.longest_step]
        while min(longest) > SLOW_STEP and len(longest) < RUNS:
            times: list[float] = []
            with suppress(AssertionError, Exception):  # the check replayed reports it
                replay(_timed(self.start(), times), self.script)
            longest.append(max(times, default=0.0))
        return min(longest)

    def split(self) -> None:
        """Run the algorithm with the server's octets split everywhere. Raises what it raises, and AssertionError."""
        split_everywhere(self.start, self.script)

    def unhandled_fault(self, *, ends_by_closing: bool) -> AssertionError | None:
        """Return the first fault that the algorithm does not handle correctly."""
        try:
            also = _last_commands(self.script)
            fault_everywhere(self.start, _in_lines(self.script), also=also, ends_by_closing=ends_by_closing)
        except AssertionError as error:
            return error
        return None


def _in_lines(script: Script) -> Script:
    """Return the script with each line of the server as a message, so that faults happen between lines too."""
    datagrams = {step.on for step in script if isinstance(step, steps.ClientConnects) and step.transport == "udp"}
    divided: list[steps.Step] = []
    count = 0
    for step in script:
        if not isinstance(step, steps.ServerSends) or step.on in datagrams:
            divided.append(step)
            continue
        lines = step.octets.splitlines(keepends=True)
        pieces = [*lines[:MAX_PIECES], b"".join(lines[MAX_PIECES:])] if count < MAX_PIECES else [step.octets]
        count += len(pieces)
        pieces[-1:] = [pieces[-1][:-1], pieces[-1][-1:]]
        divided += [replace(step, octets=piece) for piece in pieces if piece]
    return Script(*divided)


def _last_commands(script: Script) -> list[bytes]:
    """Return the last message of the client on each connection with several: it may send that after a fault."""
    sent: dict[str, list[bytes]] = {}
    for step in script:
        if isinstance(step, steps.ClientSends):
            sent.setdefault(step.on, []).append(step.octets)
    return [messages[-1] for messages in sent.values() if len(messages) > 1]


class _RecordingScheme(Scheme):
    """A scheme that records and times the next run of its algorithm."""

    __slots__ = ("recording", "scheme", "starts", "step_times")

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme
        self.registration, self.url_type = scheme.registration, scheme.url_type
        self.recording = Recording()
        self.step_times: list[float] = []
        self.starts: list[Callable[[], Algorithm[None]]] = []

    def algorithm(self, operation: str) -> Callable[..., Algorithm[None]]:
        function = self.scheme.algorithm(operation)

        @wraps(function)
        def recorded(*arguments: Any, **options: Any) -> Algorithm[None]:
            self.starts.append(with_fixed_randomness(lambda: function(*arguments, **options)))
            algorithm: object = self.starts[-1]()
            if not hasattr(algorithm, "send"):
                return algorithm  # type: ignore[return-value]  # the dialogue reports that it is not a generator
            return self.recording.of(_timed(algorithm, self.step_times))  # type: ignore[arg-type]  # checked above

        return recorded


def _timed(algorithm: Algorithm[None], step_times: list[float]) -> Algorithm[None]:
    """Return the algorithm; the seconds that it computes from one request to the next are added to `step_times`."""
    began = perf_counter()

    def note_start(*_: object) -> None:
        nonlocal began
        began = perf_counter()

    def note_end(*_: object) -> None:
        step_times.append(perf_counter() - began)

    yield from observed(algorithm, before=note_end, after=note_start, at_end=note_end)


def record_access(
    scheme: Scheme,
    demonstration: Claim,
    registry: Registry,
    around: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> RecordedAccess:
    """Access the demonstration within the block of `around()`, and record it.

    Raises the URLError of the access, PluginError if the demonstration fails.
    """
    recording = _RecordingScheme(scheme)
    what = ":".join(filter(None, (demonstration.module, demonstration.attribute)))
    with started(lambda: resolve_name(what), what, scheme=scheme.name) as demo:
        url = registry.parse(demo.url)
        if url.scheme != scheme.name:
            message = f"the demonstration is of the scheme {url.scheme}"
            raise PluginContractError(message, wants=f"a URL of {scheme.name}", has=demo.url)
        with registry.override(recording), around():
            resource = operate(
                demo.operation,
                demo.url,
                registry=registry,
                deadline=DEADLINE,
                **demo.settings,
            )
            kind, content, what = _read_all(resource, demo)
    return RecordedAccess(
        demo.url,
        demo.operation,
        recording.recording.script,
        recording.starts[0],
        max(recording.step_times, default=0.0),
        kind,
        content,
        f"{demo.operation} returned {what}",
    )


def _read_all(
    resource: Document | Listing | Session | Attributes, demo: Demonstration
) -> tuple[str, bytes | None, str]:
    """Read all of the resource. Return its kind, the octets of a document, and a description."""
    if isinstance(resource, Attributes):
        return "attributes", None, "attributes"
    with resource:
        if isinstance(resource, Document):
            content = resource.read()
            return "document", content, f"a document of {len(content)} octets"
        if isinstance(resource, Listing):
            return "listing", None, f"a listing of {len(list(resource))} entries"
        if demo.talk is not None:
            demo.talk(resource)
        return "session", None, "a session"
