"""Document, Listing and Session: resources that block while they are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, NamedTuple, Self, TypeVar

from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.backends.backend import Backend, drive
from urlschemes_access.backends.blocking import BlockingBackend
from urlschemes_access.backends.connection_pool import ConnectionPool
from urlschemes_access.dialogue import Dialogue
from urlschemes_access.errors import AccessError
from urlschemes_access.protocol.requests import Algorithm, Open, Peer
from urlschemes_access.resources.downloads import Download, Part
from urlschemes_access.resources.resource import AnyDocument, AnyResource

__all__ = ["Document", "Listing", "Session", "Source", "run", "session_of"]

T = TypeVar("T")


class Source(NamedTuple):
    """The dialogue of a session, and the function that runs its coroutines."""

    dialogue: Dialogue
    run: Callable[[Coroutine[Any, Any, Any]], Any]


class _BlockingResource(AnyResource):
    def close(self) -> None:
        """Close every connection and file of this operation. Closing twice does nothing."""
        self._close_now()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: type[BaseException] | None, *_: object) -> None:
        self.close()


class Document(_BlockingResource, AnyDocument):
    """A stream of octets: iterate over it, or `read`, `read_text` or `save` it."""

    def __iter__(self) -> Iterator[bytes]:
        """Return the iterator over the octets, in pieces as they arrive. Their total size is not limited."""
        return self

    def __next__(self) -> bytes:
        octets = drive(self._next())
        if not octets:
            raise StopIteration
        return octets

    def read(self, most: int = -1) -> bytes:
        """Return `most` octets, fewer only at the end, `b""` if nothing is left; without `most`, all that is left.

        Raises LimitExceeded if everything is more than `Limits.content`; Truncated, whose `partial` holds the octets
        received.
        """
        return drive(self._read(most))

    def read_text(self, encoding: str | None = None) -> str:
        """Return all that is left as text; line ends stay as they are.

        Without `encoding`, the `charset` of the media type is used, else UTF-8 if the octets are UTF-8, else ISO
        8859-1; octets that cannot be decoded become U+FFFD. With `encoding` they raise ProtocolError, and an unknown
        encoding raises LookupError. Also raises the errors of `read`.
        """
        return drive(self._read_text(encoding))

    def save(self, path: str | os.PathLike[str]) -> int:
        """Write all that is left to the file `path` and return the number of octets.

        The octets go to a new file in the same folder, which is renamed when all have arrived: a failure leaves an
        existing file as it was. No name that a server sends is used. Raises AccessError if the file cannot be written
        or nothing is left, and the errors of iteration.
        """
        return drive(self._save(path))

    def save_part(self, part: Part) -> Download:
        """Write the octets to `part`, whose range was accessed; a failure leaves what was written. See `Part`."""
        return drive(self._save_part(part))


class Listing(_BlockingResource):
    """Entries: iterate over them as they arrive. Raises LimitExceeded beyond `Limits.entries`."""

    _KIND = "listing"

    def __iter__(self) -> Iterator[Entry]:
        return self

    def __next__(self) -> Entry:
        entry = drive(self._pull())
        if not isinstance(entry, Entry):
            raise StopIteration
        return entry


class Session(_BlockingResource):
    """An interactive resource. A plugin derives a class whose methods run small algorithms on the connection.

        class Shell(Session):
            def say(self, line: bytes) -> bytes:
                return self.run_algorithm(self._saying(line))

            def _saying(self, line: bytes) -> Algorithm[bytes]:
                yield from Send(self.peer, line)
                return (yield from Receive(self.peer)) or b""

    Each call has a deadline of its own. `close` lets the algorithm that opened the session end the dialogue, for
    example with QUIT; leaving a `with` block by an exception does not.

    A method calls `run_algorithm` at most once, as its last action, and returns the result unchanged: so it can be used
    on an event loop too (`AsyncSession.call`), where the result is still to be awaited.
    """

    _KIND = "session"

    def __init__(self, source: Source, attributes: Attributes, peer: Peer | None) -> None:  # noqa: ARG002  for plugins
        super().__init__(source.dialogue)
        self._run = source.run
        self._peer = peer

    @property
    def peer(self) -> Peer:
        """The connection, for the requests of this session's algorithms."""
        if self._peer is None:
            raise AccessError("this session was opened without a connection", scheme=self.url.scheme)
        return self._peer

    def fileno(self) -> int:
        """Return the file descriptor of the connection, for `select`: to wait for the server and a user at once.

        Only for waiting: octets read from it are lost to the session. Raises AccessError once the session is closed.
        """
        return self._dialogue.fileno(self.peer)

    def run_algorithm(self, algorithm: Algorithm[T]) -> T:
        """Run an algorithm on the connection and return its result; for the methods of subclasses."""
        if self._closed:
            raise AccessError("this session is closed", scheme=self.url.scheme)
        result: T = self._run(self._dialogue.call(algorithm))
        return result

    def close(self) -> None:
        """End the dialogue, then close every connection. Closing twice does nothing."""
        if not self._closed:
            self._closed = True
            self._run(self._dialogue.finish())

    def __exit__(self, _kind: type[BaseException] | None, *_: object) -> None:
        if _kind is None:
            self.close()
        else:
            self._close_now()


def run(
    dialogue: Dialogue, backend: Backend | None = None, pool: ConnectionPool | None = None
) -> Document | Listing | Session | Attributes:
    """Open the resource of a dialogue, by default with a BlockingBackend, and return it. `pool` keeps its connections.

    Raises UnsafeURL and PolicyDenied before anything is resolved or opened, AccessError afterwards, PluginError if the
    algorithm is at fault. Exceptions of the caller's functions pass through. Raises RuntimeError if the backend
    suspends.
    """
    opened = drive(dialogue.open(backend or BlockingBackend(), pool))
    if opened.kind == "document":
        return Document(dialogue)
    if opened.kind == "listing":
        return Listing(dialogue)
    if opened.kind == "session":
        return session_of(dialogue, opened, drive)
    return dialogue.attributes


def session_of(dialogue: Dialogue, opened: Open, run: Callable[[Coroutine[Any, Any, Any]], Any]) -> Session:
    """Return the session that the algorithm opened, an object of its type; `run` runs its coroutines."""

    def make() -> Session:
        kind: object = opened.session
        if not (isinstance(kind, type) and issubclass(kind, Session)):
            raise dialogue.breach("a subclass of Session in Open of a session", repr(kind))
        return kind(Source(dialogue, run), dialogue.attributes, opened.peer)

    return dialogue.make(make)
