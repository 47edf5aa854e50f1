"""The primitives of backends: what a dialogue asks its backend to carry out, after every rule has been applied.

A backend carries out one primitive at a time and returns the result that the primitive's docstring names. It raises the
system's OSError if a primitive fails, and a TimeoutError without errno when the primitive's own `timeout` has passed.
The only rule left to a backend is the folders of UseFile, because a file's place can only be checked once it is open;
it raises PolicyDenied.

`blocking.perform` is a backend, so is `event_loop.perform`, and so is a replay in tests.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    import ssl

    from urlschemes_access.backends.tls_files import TLSFiles
    from urlschemes_access.backends.worker_threads import FileWork
    from urlschemes_access.protocol.requests import Examine, ListFolder, OpenFile, Remove

__all__ = [
    "Act",
    "Call",
    "Channel",
    "Commit",
    "Dial",
    "Handshake",
    "Poll",
    "Primitive",
    "Primitives",
    "Read",
    "Resolve",
    "UseFile",
    "Write",
]

T = TypeVar("T")


class Channel(Protocol):
    """A backend's connection or open file."""

    def peer_address(self) -> tuple[str, int]:
        """Return the address and port that the system is connected to. Raises OSError."""

    def fileno(self) -> int:
        """Return the file descriptor, for select. Raises OSError if there is none."""

    def close(self) -> None:
        """Close now, without waiting; closing twice does nothing. Discards what was written without Commit."""

    def abort(self) -> None:
        """Close so that the server notices an abnormal end; over TCP, by a reset."""


@dataclass(slots=True)
class Read:
    """Read at most `most` octets, or one datagram. Result: `bytes`, empty at the end.

    The first octets are not waited with; after a large piece, a backend may wait a few milliseconds for `enough`.
    """

    channel: Channel
    most: int
    timeout: float
    enough: int


@dataclass(slots=True)
class Write:
    """Write some of the octets of `pieces`, or one whole datagram. Result: the number of octets written."""

    channel: Channel
    pieces: list[memoryview]
    timeout: float


@dataclass(slots=True)
class Poll:
    """Wait until one of `channels` can be read. Result: the index of the first one, or None after `timeout`."""

    channels: tuple[Channel, ...]
    timeout: float


@dataclass(slots=True)
class Resolve:
    """Resolve `host`. Result: `list[str]`, its addresses in the order to try them.

    A resolver that hangs must not delay anything else, nor the end of the program.
    """

    host: str
    port: int
    transport: Literal["tcp", "udp"]
    timeout: float


@dataclass(slots=True)
class Dial:
    """Connect to an address. Result: a `Channel`. Over UDP it receives from this address only, but from any port."""

    address: str
    port: int
    transport: Literal["tcp", "udp"]
    timeout: float


@dataclass(slots=True)
class Handshake:
    """Carry out the TLS handshake as a client of `host`. Result: the `Channel` that replaces the given one.

    Without `context`: TLS 1.2 or later, verified with the certificates of the system. Raises ssl.SSLError.
    """

    channel: Channel
    context: ssl.SSLContext | TLSFiles | None
    host: str
    timeout: float


@dataclass(slots=True)
class UseFile:
    """Carry out a request on local files within `folders`, those that the policy allows.

    Result: that of the request, but a `Channel` for OpenFile. ListFolder lists at most `most_entries` and one more.
    Without `timeout` a blocking backend may use files directly; with it, every use of the file has to end in time.
    """

    request: OpenFile | Examine | ListFolder | Remove
    folders: tuple[str, ...]
    most_entries: int
    timeout: float | None


@dataclass(slots=True)
class Commit:
    """Make what was written to a file permanent. Result: `FileFacts` of the file. The channel is used up."""

    channel: Channel
    timeout: float


@dataclass(slots=True)
class Act:
    """Carry out an action of the caller's on a local file, after the earlier ones of `work`. Result: what it returns.

    Without `timeout` a blocking backend carries it out directly.
    """

    action: Callable[[], Any]
    work: FileWork
    timeout: float | None


@dataclass(slots=True)
class Call:
    """Call a function of the caller's. Result: what it returns; on an event loop, what awaiting that gives."""

    function: Callable[[], object]


Primitive: TypeAlias = Read | Write | Poll | Resolve | Dial | Handshake | UseFile | Commit | Act | Call
Primitives: TypeAlias = Generator[Primitive, Any, T]
"""A generator that yields primitives and returns a T; the results of the primitives are sent to it."""
