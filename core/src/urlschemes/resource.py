"""What an operation gives back: documents, listings, sessions, attributes (RFC 1738 section 2).

    with urlschemes.access(url) as document:
        for octets in document: ...            # as they come; or document.read(), .read_text(), .save(path)

A resource that was read to its end, or has failed, has closed its connections; leaving the `with` block closes them
too.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar, cast

from urlschemes.display import one_line, redact
from urlschemes.errors import AccessError, ProtocolError
from urlschemes.reading import AnyDocument, AnyResource, Running

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime
    from types import TracebackType
    from typing import Self

    from urlschemes.reading import Reading
    from urlschemes.request import Algorithm, Peer
    from urlschemes.url import URL

__all__ = [
    "Answers",
    "Attributes",
    "Credentials",
    "Document",
    "Entry",
    "FileFacts",
    "Form",
    "Gateway",
    "Listing",
    "Outcome",
    "Question",
    "Session",
    "Source",
]

T = TypeVar("T")


def _printed(value: Attributes | Entry) -> str:
    """As a dataclass prints, but without the passwords of the URLs in it: the other side may write one anywhere."""
    shown = [f"{each.name}={redact(repr(getattr(value, each.name)))}" for each in fields(value) if each.repr]
    return f"{type(value).__name__}({', '.join(shown)})"


@dataclass(frozen=True, slots=True)
class Gateway:
    """How a URL was reached through another (section 4).

    `asked` is the URL that was asked for, `url` the one it was reached through, `source` who said so: a file, a
    variable, a hook.
    """

    asked: URL
    url: URL
    source: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Attributes:
    """What is known of a resource apart from its content; None is unknown.

    `size` counts octets. `modified` bears a time zone. `name` is what the other side calls the resource; it is never
    used as a local file name. `fields` holds what the protocol says in its own words (HTTP header fields, Gopher+
    attribute blocks). `gateway` is the gateway that the resource was reached through, which no plugin sets.
    """

    media_type: str | None = None
    size: int | None = None
    modified: datetime | None = None
    name: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    gateway: Gateway | None = field(default=None, repr=False)

    __repr__ = _printed

    def reached_through(self, gateway: Gateway) -> Attributes:
        """The same, with the gateway. For whoever hands out the resource; a plugin may have derived its own type."""
        same = copy(self)
        object.__setattr__(same, "gateway", gateway)
        return same


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Entry:
    """One entry of a listing. `url` is the text of its URL: it may name a scheme that is not installed, or be None.

    `kind` is a word of the protocol's (`"file"`, `"directory"`, `"search"`, `"text"`). `problem` says why an entry
    that the other side sent cannot be followed.
    """

    name: str
    url: str | None = None
    kind: str = ""
    size: int | None = None
    modified: datetime | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    problem: str | None = None
    _reader: Callable[[str], URL] | None = field(default=None, init=False, repr=False, compare=False)

    __repr__ = _printed

    def parse(self) -> URL:
        """The URL of this entry, read by the registry that the listing came from.

        An entry that came from no listing, or out of a pickle, gives a generic URL, which `urlschemes.parse` reads
        further. Raises InvalidURL, UnknownScheme; ProtocolError where the entry has no URL.
        """
        if self.url is None:
            raise ProtocolError(self.problem or f"'{one_line(self.name, 80)}' has no URL", where="listing")
        if self._reader is not None:
            return self._reader(self.url)
        from urlschemes.url import URL

        return URL.parse(self.url)

    def read_by(self, reader: Callable[[str], URL] | None) -> None:
        """Let `parse` use `reader`. For whoever hands out the listing; a pickle does not keep it."""
        object.__setattr__(self, "_reader", reader)

    def __reduce__(self) -> tuple[Any, ...]:
        return _entry, ({f.name: getattr(self, f.name) for f in fields(self) if f.init},)


def _entry(values: dict[str, Any]) -> Entry:
    return Entry(**values)


@dataclass(frozen=True, slots=True)
class Credentials:
    """A user name and a password for one host and port."""

    user: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What the file system says: `kind` is `"file"`, `"directory"` or `"other"`; `size` counts octets."""

    path: str
    kind: Literal["file", "directory", "other"]
    size: int
    modified: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a form. `kind` is the protocol's word (`"Ask"`, `"Choose"`), `choices` what may be answered.

    The answer to a `hidden` one is a secret, which nobody may see while it is typed.
    """

    kind: str
    prompt: str
    default: str = ""
    choices: tuple[str, ...] = ()
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """Questions that the other side wants answered before it gives the resource."""

    title: str
    questions: tuple[Question, ...]


Answers: TypeAlias = tuple[str, ...]
"""One answer for each question of a form, in its order."""


Outcome: TypeAlias = Literal["opened", "completed", "abandoned", "failed"]
"""What became of an access, so far."""


class Source(Running, Protocol):
    """Where a resource gets its pieces: an access that is under way (`urlschemes.drive`), or a replayed one."""

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
                return self._run(self._saying(line))

            def _saying(self, line: bytes) -> Algorithm[bytes]:
                yield from Send(self.peer, line)
                return (yield from Receive(self.peer)) or b""

    Each call has a deadline of its own. `close`, outside of an exception, lets the algorithm that opened the session
    say its closing words.

    A method calls `_run` at most once, last, and does nothing with what that returns but return it: so it can be called
    on an event loop as well (`urlschemes.aio`).
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

    def _run(self, algorithm: Algorithm[T]) -> T:
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
