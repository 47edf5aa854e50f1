"""What a backend must be able to do: the primitive steps that a dialogue asks for.

A step that fails raises the system's own OSError, TimeoutError among them: without an errno where it is the step's own
time that was up. The file steps may also raise PolicyDenied. No step is given a rule to apply, but in which folders
files may be read, or written.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    import ssl

__all__ = [
    "Channel",
    "Consult",
    "Dial",
    "Examine",
    "Keep",
    "ListFolder",
    "OpenFile",
    "Read",
    "Remove",
    "Resolve",
    "Secure",
    "Step",
    "Steps",
    "Wait",
    "Write",
]

T = TypeVar("T")


class Channel(Protocol):
    """A backend's end of a connection, or an open file."""

    def address(self) -> tuple[str, int]:
        """The address and port that it is connected to, by the system's account. Raises OSError."""

    def fileno(self) -> int:
        """The system's number of it, to wait for. Raises OSError where it has none."""

    def close(self) -> None:
        """Close now, without waiting; closing twice does nothing. What was written and not kept is thrown away."""

    def abort(self) -> None:
        """As `close`, but let the other side know that it is no end in good order (over TCP: a reset)."""


@dataclass(slots=True)
class Resolve:
    """The addresses of `host`, as text, in the order in which to try them: `list[str]`.

    A resolver that hangs must block nothing else, nor the end of the program.
    """

    host: str
    port: int
    transport: Literal["tcp", "udp"]
    timeout: float


@dataclass(slots=True)
class Dial:
    """Connect to the address: a `Channel`. Of UDP only what this address sends is received, from any of its ports."""

    address: str
    port: int
    transport: Literal["tcp", "udp"]
    timeout: float


@dataclass(slots=True)
class Secure:
    """Do the TLS handshake as a client of `host`: the `Channel` to use from now on; the old one is used up.

    Without `context`: TLS 1.2 or later, verified against the system's certificates. Raises ssl.SSLError.
    """

    channel: Channel
    context: ssl.SSLContext | None
    host: str
    timeout: float


@dataclass(slots=True)
class Write:
    """Send some of `octets`, at least one: how many, an `int`. A datagram goes whole."""

    channel: Channel
    octets: memoryview
    timeout: float


@dataclass(slots=True)
class Read:
    """At most `most` octets as soon as there are any: `bytes`, empty at the end. Or one datagram."""

    channel: Channel
    most: int
    timeout: float


@dataclass(slots=True)
class Wait:
    """The index of the first channel with something to read: `int`, or None when time is up."""

    channels: tuple[Channel, ...]
    timeout: float


@dataclass(slots=True)
class OpenFile:
    """Open the regular file `path`, if it lies under one of `folders`: a `Channel`.

    To `replace` it, what is written goes to a new file beside it; to `append`, to its end.
    """

    path: str
    folders: tuple[str, ...]
    to: Literal["read", "replace", "append"]


@dataclass(slots=True)
class Examine:
    """What the file system says of `path`, if it lies under one of `folders`: `FileFacts`."""

    path: str
    folders: tuple[str, ...]


@dataclass(slots=True)
class ListFolder:
    """What the folder `path` holds, if it lies under one of `folders`: `list[FileFacts]`, at most one over `most`."""

    path: str
    folders: tuple[str, ...]
    most: int


@dataclass(slots=True)
class Keep:
    """Let what was written to a file stay, in its place: `FileFacts` of what is there now. The channel is used up."""

    channel: Channel


@dataclass(slots=True)
class Remove:
    """Take away the regular file `path`, if it lies under one of `folders`: None."""

    path: str
    folders: tuple[str, ...]


@dataclass(slots=True)
class Consult:
    """Call `question`, something of the caller's: what it returns, or on an event loop what awaiting that gives."""

    question: Callable[[], object]


Step: TypeAlias = (
    Consult | Resolve | Dial | Secure | Write | Read | Wait | OpenFile | Examine | ListFolder | Keep | Remove
)
Steps: TypeAlias = Generator[Step, Any, T]
"""Something to do, as a generator of steps; T is what comes out of it."""
