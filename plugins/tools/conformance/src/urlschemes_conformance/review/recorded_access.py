"""Accesses the demonstration of a scheme over real sockets, and records the dialogue."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import dataclass
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
from urlschemes_testing.replay import Recording, replay
from urlschemes_testing.replay.observing import observed

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from urlschemes.registry.claims import Claim
    from urlschemes.registry.registry import Registry
    from urlschemes_access.protocol import Algorithm
    from urlschemes_access.resources import Session
    from urlschemes_testing.demonstration import Demonstration
    from urlschemes_testing.replay import Script

__all__ = ["RecordedAccess", "longest_step", "record_access"]

DEADLINE = 30.0
"""Seconds that the access may take."""
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


def longest_step(access: RecordedAccess) -> float:
    """Return the most seconds that the algorithm computes between two requests, in the fastest of several runs."""
    longest = [access.longest_step]
    while min(longest) > SLOW_STEP and len(longest) < RUNS:
        times: list[float] = []
        with suppress(AssertionError, Exception):  # the check replayed reports it
            replay(_timed(access.start(), times), access.script)
        longest.append(max(times, default=0.0))
    return min(longest)
