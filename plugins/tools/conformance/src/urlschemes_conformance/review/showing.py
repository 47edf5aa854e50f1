"""The demonstration of a scheme, accessed by the core's driver over real sockets, and written down."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

from urlschemes.errors import PluginContractError, PluginError, URLError
from urlschemes.redaction import described
from urlschemes.scheme.scheme import Scheme
from urlschemes_access import operate
from urlschemes_access.policy import Policy
from urlschemes_access.resources import Document, Listing, Session
from urlschemes_cli.demonstration import Demonstration
from urlschemes_conformance.review.chance import repeatable
from urlschemes_testing.replay import Recording, replay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from urlschemes.registry.registry import Registry
    from urlschemes_access.attributes import Attributes, Entry
    from urlschemes_access.protocol import Algorithm
    from urlschemes_testing.replay import Dialogue

__all__ = ["Shown", "quickest", "show"]

LOOPBACK = ("127.0.0.0/8", "::1/128")
DEADLINE = 30.0
"""Seconds that the access may take in all."""
RUNS = 3
"""Runs of an algorithm that seems to work for long between two requests."""
WORTH_A_LOOK = 0.1
"""Seconds from which on it seems so."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A demonstration that was accessed.

    `dialogue` is what was said, `make` makes the algorithm anew, and `longest` is how many seconds at most it worked
    between two requests. `kind` says what was opened, `content` are the octets of a document, `entries` the URLs of a
    listing's entries.
    """

    url: str
    operation: str
    dialogue: Dialogue
    make: Callable[[], Algorithm[None]]
    longest: float
    kind: str
    content: bytes | None
    entries: int | None

    @property
    def said(self) -> str:
        """What was shown, in words."""
        if self.content is not None:
            return f"{self.operation} gave a document of {len(self.content)} octets"
        if self.entries is not None:
            return f"{self.operation} gave a listing of {self.entries} entries"
        return f"{self.operation} gave {'a session' if self.kind == 'session' else self.kind}"


class _Watched(Scheme):
    """A scheme whose next algorithm is recorded, and timed."""

    __slots__ = ("calls", "recording", "scheme", "times")

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme
        self.registration, self.url_type = scheme.registration, scheme.url_type
        self.recording = Recording()
        self.times: list[float] = []
        self.calls: list[Callable[[], Algorithm[None]]] = []

    def algorithm(self, operation: str) -> Callable[..., Algorithm[None]]:
        function = self.scheme.algorithm(operation)

        @wraps(function)
        def watched(*arguments: Any, **options: Any) -> Algorithm[None]:
            self.calls.append(repeatable(lambda: function(*arguments, **options)))
            made: object = self.calls[-1]()
            if not hasattr(made, "send"):
                return made  # type: ignore[return-value]  # the driver says what it thinks of it
            return self.recording.of(_timed(made, self.times))  # type: ignore[arg-type]  # a generator, or near enough

        return watched


def _timed(algorithm: Algorithm[None], times: list[float]) -> Algorithm[None]:
    """The same algorithm; how many seconds it works from one request to the next goes to `times`."""
    answer: Any = None
    error: BaseException | None = None
    while True:
        begun = perf_counter()
        try:
            request = algorithm.throw(error) if error else algorithm.send(answer)
        except StopIteration:
            return
        finally:
            times.append(perf_counter() - begun)
        answer, error = None, None
        try:
            answer = yield request
        except BaseException as raised:  # noqa: BLE001  whatever the driver throws belongs to the algorithm
            error = raised


def show(
    scheme: Scheme,
    demonstration: tuple[str, str],
    registry: Registry,
    watching: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Shown:
    """Access the demonstration of the scheme, which is a module and an attribute of it, `watching` while that lasts.

    Raises the URLError that the access does, and PluginError for a demonstration that fails.
    """
    watched = _Watched(scheme)
    with TemporaryDirectory(prefix="urlschemes-review-demo-") as folder, _begun(demonstration, Path(folder)) as demo:
        url = registry.parse(demo.url)
        if url.scheme != scheme.name:
            raise PluginContractError(
                f"the demonstration is of the scheme {url.scheme}",
                wants=f"a URL of {scheme.name}",
                has=demo.url,
            )
        policy = Policy(public=False, networks=LOOPBACK, roots=demo.roots)
        with registry.override(watched), watching():
            found = operate(
                demo.operation,
                demo.url,
                registry=registry,
                policy=policy,
                deadline=DEADLINE,
                ssl_context=demo.ssl_context,
                options=demo.options,
            )
            kind, content, entries = _read(found, demo)
    return Shown(
        demo.url,
        demo.operation,
        watched.recording.dialogue,
        watched.calls[0],
        max(watched.times, default=0.0),
        kind,
        content,
        entries,
    )


@contextmanager
def _begun(demonstration: tuple[str, str], folder: Path) -> Iterator[Demonstration]:
    """The demonstration, under way. What goes wrong in it is a PluginError."""
    module, attribute = demonstration
    try:
        demonstrate: Any = import_module(module)
        for name in attribute.split(".") if attribute else ():
            demonstrate = getattr(demonstrate, name)
        with demonstrate(folder) as shown:
            if not isinstance(shown, Demonstration):
                kind = type(shown).__qualname__
                raise PluginContractError(f"the demonstration gave a {kind}", wants="a Demonstration", has=kind)
            yield shown
    except (URLError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise PluginError(
            f"the demonstration {module}:{attribute} failed: {described(error)}", hint="mend the demonstration"
        ) from error


def _read(
    found: Document | Listing | Session | Attributes, demo: Demonstration
) -> tuple[str, bytes | None, int | None]:
    """All of what came: what it is, its octets, and how many entries it has."""
    if isinstance(found, Document):
        with found:
            return "document", found.read(), None
    if isinstance(found, Listing):
        with found:
            entries: list[Entry] = list(found)
            return "listing", None, len(entries)
    if isinstance(found, Session):
        with found:
            if demo.talk is not None:
                demo.talk(found)
            return "session", None, None
    return "attributes", None, None


def quickest(shown: Shown) -> float:
    """Seconds that the algorithm works at most between two requests, in the quickest of several runs."""
    longest = [shown.longest]
    while min(longest) > WORTH_A_LOOK and len(longest) < RUNS:
        times: list[float] = []
        with suppress(AssertionError, Exception):  # the check replayed says what
            replay(_timed(shown.make(), times), shown.dialogue)
        longest.append(max(times, default=0.0))
    return min(longest)
