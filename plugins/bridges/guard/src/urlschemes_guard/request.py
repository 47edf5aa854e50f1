"""The request in progress, and the details of its errors: shared by the modules for clients."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any, ClassVar, Self

from urlschemes.errors import UnsafeURL, URLError
from urlschemes.redaction import one_line
from urlschemes.registry.names import how_to_install
from urlschemes_access.errors import DeadlineExceeded, PolicyDenied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from urlschemes_access.guard import Visit

__all__ = ["CURRENT", "PIECE", "PORTS", "Progress", "Refusal", "check_url", "current", "hidden_from", "needs_extra"]

PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
"""The schemes of the clients, and their own ports."""
_OWN = frozenset(PORTS.values())
PIECE = 64 * 1024
"""Octets that are read, sent or decoded at once."""


class Refusal(Exception):
    """An error of a client, with the `error` of urlschemes, the `rule` of the policy that refuses, and a `hint`."""

    error: URLError
    rule: str | None
    hint: str | None

    @classmethod
    def of(cls, error: URLError, **details: Any) -> Self:
        """Return the client's error for `error`. `details` are those of the client's errors."""
        made = cls(str(error), **details)
        made.error, made.rule, made.hint = error, error.rule, error.hint
        return made


class Progress:
    """The request of a client that a visit is at, as a context: its time counts while the client works on it.

    There, an error of urlschemes becomes one of the client's: `refused`, or `late` if time is over. One of `timeouts`,
    the client's errors for a wait that was too long, becomes `late` if the time of the visit is over.
    `answered`: a response has begun. `reads_content`: the program reads its content.
    """

    __slots__ = ("_details", "_token", "answered", "expired", "reads_content", "scope", "visit")
    refused: ClassVar[type[Refusal]]
    late: ClassVar[type[Refusal]]
    timeouts: ClassVar[tuple[type[Exception], ...]] = ()

    def __init__(self, visit: Visit, **details: Any) -> None:
        self.visit = visit
        self.answered = self.reads_content = False
        self.scope: Any = None  # the cancel scope of a client on an event loop
        self.expired: type[Exception] | None = None  # the client's error for its end, if that is the client's own bound
        self._details = details
        self._token: Token[Progress | None] | None = None

    def __enter__(self) -> Self:
        self._token = CURRENT.set(self)
        self.visit.deadline.resume()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.visit.deadline.pause()
        if self._token is not None:
            CURRENT.reset(self._token)
        if error is not None:
            self._raise_as_own(error)

    def _raise_as_own(self, error: BaseException) -> None:
        refusal = error
        if isinstance(error, self.timeouts) and self.visit.deadline.left() <= 0:
            refusal = self.visit.deadline.error("the answer", 0)
        if isinstance(refusal, URLError):
            self.visit.failed(refusal)
            made = self.late if isinstance(refusal, DeadlineExceeded) else self.refused
            raise made.of(refusal, **self._details) from error

    def wait(self, phase: str, timeout: float | None) -> float:
        """Return how long one wait may last, by the policy and by the client's own `timeout`."""
        if phase == "content" and not self.answered:
            phase = "answer"
        return self.visit.wait(phase, timeout)

    def send(
        self,
        octets: Any,
        timeout: float | None,
        set_timeout: Callable[[float], object],
        send: Callable[[memoryview], int],
    ) -> None:
        """Send octets by the methods of a socket. Each call waits no longer than what is left, by `wait`."""
        deadline, rest = self.visit.deadline, memoryview(octets).cast("B")
        begun = False
        try:
            while rest:
                set_timeout(self.visit.wait("send", timeout))
                count = send(rest[:PIECE])
                deadline.add_sent(count)
                rest = rest[count:]
                if rest and not begun:
                    begun = True
                    deadline.begin_sending()
        finally:
            if begun:
                deadline.end_sending()


CURRENT: ContextVar[Progress | None] = ContextVar("urlschemes_guard_progress", default=None)
"""The request in progress in this thread or task."""


def current() -> Progress:
    """Return the request in progress, for which a connection is made: only a guard makes them."""
    progress = CURRENT.get()
    assert progress is not None, "a connection is made for a request"
    return progress


@contextmanager
def needs_extra(module: str) -> Iterator[None]:
    """Import the client of one of these modules. Raises ModuleNotFoundError, which says what to install, without it."""
    try:
        yield
    except ModuleNotFoundError as error:
        remedy = how_to_install("urlschemes-guard", module.rpartition(".")[2])
        raise ModuleNotFoundError(f"{module}: {error}; {remedy}", name=error.name) from error


def check_url(
    visit: Visit, scheme: str, host: str, port: int | None, *, target: str, text: object, user_information: bool = False
) -> None:
    """Check the URL of a request. Raises as `Visit.check_url`, and UnsafeURL for another scheme."""
    if not scheme:
        raise UnsafeURL("the URL has no scheme or no host", part="scheme", hint="write https://HOST/PATH")
    if scheme not in PORTS:
        raise UnsafeURL(f"the scheme is {one_line(scheme, 40)!r}: expected one of {', '.join(PORTS)}", part="scheme")
    port = PORTS[scheme] if port is None else port
    visit.check_url(scheme, host, port, own=_OWN, target=target, text=text, user_information=user_information)


def hidden_from(what: str, instead: str) -> PolicyDenied:
    """Return the error for a connection that the guard could not check, through `what`."""
    return PolicyDenied(f"a guard cannot check what is reached through {what}", rule="networks", hint=instead)
