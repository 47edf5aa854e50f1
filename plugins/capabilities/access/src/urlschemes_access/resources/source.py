"""The interface between a resource and its running operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Entry
    from urlschemes_access.backends.worker_threads import FileWork
    from urlschemes_access.policy import Limits
    from urlschemes_access.protocol.algorithm import Algorithm, Peer

__all__ = ["Outcome", "RunningOperation", "Source"]

T = TypeVar("T")

Outcome: TypeAlias = Literal["opened", "completed", "abandoned", "failed"]
"""The outcome of an operation so far, as observers get it."""


class RunningOperation(Protocol):
    """The operation that a resource comes from."""

    @property
    def url(self) -> URL:
        """The current URL, after redirects."""

    @property
    def limits(self) -> Limits:
        """The limits of the policy."""

    @property
    def terminated(self) -> bool | None:
        """None until the end; then False if the content lacks the end mark of its protocol."""

    def close(self) -> None:
        """Close everything now; closing twice does nothing."""


class Source(RunningOperation, Protocol):
    """A running operation that blocks: that of the blocking backend, or a test's own."""

    def pull(self) -> bytes | Entry | None:
        """Return the next piece or entry, None at the end. Raises any URLError."""

    def call(self, algorithm: Algorithm[T]) -> T:
        """Carry out one call of a session, with a deadline of its own."""

    def act(self, action: Callable[[], T], work: FileWork, *, cleans_up: bool) -> T:
        """Carry out an action on a local file. Raises DeadlineExceeded at the deadline; the action continues then."""

    def fileno(self, peer: Peer) -> int:
        """Return the file descriptor of a session's connection. Raises AccessError once it is closed."""

    def finish(self) -> None:
        """End a session: the algorithm says goodbye, and everything is closed."""
