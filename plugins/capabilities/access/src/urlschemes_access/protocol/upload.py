"""Sending the caller's content to a server that may answer before it has all of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeVar

from urlschemes_access.errors import AccessError, ConnectError, DeadlineExceeded, Indeterminate, TLSError, Truncated
from urlschemes_access.protocol.reader import sent_so_far
from urlschemes_access.protocol.requests import Algorithm, Peer, Send

__all__ = ["CONFIRMATION_TIMEOUT", "REASON_TIMEOUT", "Upload", "decisive_answer"]

CONFIRMATION_TIMEOUT = 60.0
"""Seconds to wait for the response after the last octet was sent: it may still be on its way to the server."""
REASON_TIMEOUT = 2.0
"""Seconds to wait for a response that says why the connection broke."""
CHECK_INTERVAL = 1024 * 1024
"""Octets to send, at most, before checking whether the server has answered."""

T = TypeVar("T")


class Upload(ABC):
    """The content of one operation, sent over `peer`. `sent` counts the octets of content sent.

    A scheme derives a type of its own, which knows how the server answers.
    """

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.sent = 0
        self._checked_at = 0  # the value of `sent` at the last check for a response

    @abstractmethod
    def early_error(self, within: float) -> Algorithm[AccessError | None]:
        """Return the error for a response that comes before everything is sent; None if none comes in time."""

    def send(self, pieces: tuple[bytes, ...], *, before: bytes = b"", after: bytes = b"") -> Algorithm[None]:
        """Send some of the content; `before` and `after` it, octets that do not belong to it.

        Raises the error of a response that comes early. Without one, raises DeadlineExceeded, TLSError or Truncated.
        """
        if self.sent < CHECK_INTERVAL or self.sent - self._checked_at >= CHECK_INTERVAL:
            yield from self.check()
        octets = sum(map(len, pieces))
        try:
            yield from Send(self.peer, (before, *pieces, after))
        except (ConnectError, DeadlineExceeded, TLSError, Truncated) as error:
            self.sent += min(max(error.accepted - len(before), 0), octets)
            raise (yield from self._reason(error)) from error
        self.sent += octets

    def check(self) -> Algorithm[None]:
        """Raise the error of a response that came before everything was sent."""
        self._checked_at = self.sent
        try:
            answer = yield from self.early_error(0)
        except (ConnectError, DeadlineExceeded, Truncated) as error:
            raise self._interrupted(error) from error
        except AccessError as error:
            error.sent = self.sent
            raise
        if answer is not None:
            raise answer

    def _reason(self, error: AccessError) -> Algorithm[AccessError]:
        """Return the error for a connection that broke: that of a response, if one comes."""
        try:
            answer = yield from self.early_error(REASON_TIMEOUT)
        except AccessError:
            answer = None
        return answer or self._interrupted(error)

    def _interrupted(self, error: AccessError) -> AccessError:
        message = f"the upload was interrupted: {error.message}; {sent_so_far(self.sent)}"
        if isinstance(error, DeadlineExceeded):
            return DeadlineExceeded(message, phase=error.phase, sent=self.sent)
        return (TLSError if isinstance(error, TLSError) else Truncated)(message, hint=error.hint, sent=self.sent)


def decisive_answer(answer: Algorithm[T], what: str, state: str, *, sent: int | None = None) -> Algorithm[T]:
    """Return the only response that says that an operation was carried out. Raises Indeterminate if none comes.

    `what` names the response in the error, and `state` says what is unknown without it. `sent` counts the octets of
    content, all of which were sent.
    """
    try:
        return (yield from answer)
    except AccessError as error:
        valid = "" if isinstance(error, ConnectError | DeadlineExceeded | Truncated) else "valid "
        after = "" if sent is None else f"sent all {sent} octets, but "
        raise Indeterminate(f"{after}received no {valid}{what}: {state}", sent=sent) from error
