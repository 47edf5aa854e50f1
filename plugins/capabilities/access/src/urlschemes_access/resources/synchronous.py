"""What an operation gives back: documents, listings, sessions (RFC 1738 section 2).

    with urlschemes_access.access(url) as document:
        for octets in document: ...            # as they come; or document.read(), .read_text(), .save(path)

A resource that was read to its end, or has failed, has closed its connections; leaving the `with` block closes them
too. Attributes, entries and forms are rooms of their own; plugins find their names here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar, cast

from urlschemes_access.attributes import Entry
from urlschemes_access.errors import AccessError
from urlschemes_access.resources.common import AnyDocument, AnyResource, Running

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

    from urlschemes_access.attributes import Attributes
    from urlschemes_access.protocol.requests import Algorithm, Peer
    from urlschemes_access.resources.common import Reading

__all__ = [
    "Document",
    "Listing",
    "Outcome",
    "Session",
    "Source",
]

T = TypeVar("T")

Outcome: TypeAlias = Literal["opened", "completed", "abandoned", "failed"]
"""What became of an access, so far."""


class Source(Running, Protocol):
    """Where a resource gets its pieces: an access that is under way (`urlschemes_access.backends.blocking`), or a replayed one."""

    def pull(self) -> bytes | Entry | None:
        """The next piece, None at the end. Raises any URLError."""

    def call(self, algorithm: Algorithm[T]) -> T:
        """Carry out one small dialogue on the connections of a session, within a deadline of its own."""

    def fileno(self, peer: Peer) -> int:
        """The system's number of a connection of a session. Raises AccessError once it is closed."""

    def finish(self) -> None:
        """Let the algorithm say its closing words, then close."""


class _Resource(AnyResource):
    """What waits by blocking."""

    def __init__(self, source: Source, attributes: Attributes) -> None:
        super().__init__(source, attributes)
        self._source = source

    def close(self) -> None:
        """Close every connection and file of this access. Closing twice does nothing."""
        self._shut()

    def _pull(self) -> bytes | Entry | None:
        self._check()
        try:
            return self._source.pull()
        except BaseException as failure:
            self._failure = failure
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class Document(_Resource, AnyDocument):
    """A stream of octets: iterate over it, or `read`, `read_text`, `save` it."""

    def __iter__(self) -> Iterator[bytes]:
        """The octets in pieces, as they come. There is no bound on them all: the caller decides how much to keep."""
        return self

    def __next__(self) -> bytes:
        octets = self._rest or self._came(self._pull())
        self._rest = b""
        if not octets:
            raise StopIteration
        return octets

    def read(self, most: int = -1) -> bytes:
        """At most `most` octets, fewer only at the end (`b""`: nothing is left); without `most`, all that are left.

        Raises LimitExceeded where all is more than `Limits.content`; Truncated, whose `partial` then holds what came.
        """
        return self._carry_out(self._read(most))

    def read_text(self, encoding: str | None = None) -> str:
        """All that is left, as text; line ends stay as they are.

        Without `encoding`: what the media type's `charset` says, otherwise UTF-8 where the octets are that, otherwise
        ISO 8859-1; an octet that does not fit becomes U+FFFD. With `encoding` nothing is replaced: ProtocolError where
        the octets are not that, LookupError where Python knows no such encoding. Else raises what `read` raises.
        """
        return self._carry_out(self._read_text(encoding))

    def save(self, path: str | os.PathLike[str]) -> int:
        """Write all that is left to the file `path`, and say how many octets that were.

        The octets go to a new file beside it, which takes the name only when all have come: a failure leaves an older
        file as it was. Nothing the other side says becomes a file name. Raises AccessError where the file cannot be
        written or nothing is left, and what iterating raises.
        """
        return self._carry_out(self._save(path))

    def _carry_out(self, reading: Reading[T]) -> T:
        try:
            asked = next(reading)
            while True:
                try:
                    answer = self._came(self._pull()) if asked is None else asked.work()
                except BaseException as fault:  # noqa: BLE001  the reading cleans up, and raises it again
                    asked = reading.throw(fault)
                else:
                    asked = reading.send(answer)
        except StopIteration as end:
            return cast("T", end.value)


class Listing(_Resource):
    """Entries, which iterating gives as they come. There are at most `Limits.entries`; LimitExceeded beyond."""

    _KIND = "listing"

    def __iter__(self) -> Iterator[Entry]:
        return self

    def __next__(self) -> Entry:
        entry = self._pull()
        if not isinstance(entry, Entry):
            raise StopIteration
        return entry


class Session(_Resource):
    """An interactive resource: a plugin makes a subclass, whose methods run small algorithms on the connection.

        class Shell(Session):
            def say(self, line: bytes) -> bytes:
                return self.run_algorithm(self._saying(line))

            def _saying(self, line: bytes) -> Algorithm[bytes]:
                yield from Send(self.peer, line)
                return (yield from Receive(self.peer)) or b""

    Each call has a deadline of its own. `close`, outside of an exception, lets the algorithm that opened the session
    say its closing words.

    A method calls `run_algorithm` at most once, last, and does nothing with what that returns but return it: so it can
    be called on an event loop as well (`urlschemes_access.client`).
    """

    _KIND = "session"

    def __init__(self, source: Source, attributes: Attributes, peer: Peer | None) -> None:
        super().__init__(source, attributes)
        self._peer = peer

    @property
    def peer(self) -> Peer:
        """The other end, for the requests of this session's algorithms."""
        if self._peer is None:
            raise AccessError("this session was opened without a connection", scheme=self.url.scheme)
        return self._peer

    def fileno(self) -> int:
        """The system's number of the connection, for `select`: to wait for the other side and for a person at once.

        For waiting alone: what is read there or written is lost to the session. Raises AccessError once it is closed.
        """
        return self._source.fileno(self.peer)

    def run_algorithm(self, algorithm: Algorithm[T]) -> T:
        """Run an algorithm on the connection and return its result; for the methods of subclasses."""
        if self._closed:
            raise AccessError("this session is closed", scheme=self.url.scheme)
        return self._source.call(algorithm)

    def close(self) -> None:
        """Say the closing words, then close every connection. Closing twice does nothing."""
        if not self._closed:
            self._closed = True
            self._source.finish()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        else:
            self._shut()
