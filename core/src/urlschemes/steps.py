"""What a backend must be able to do: the primitive steps that a dialogue asks for.

A step that fails raises the system's own OSError, TimeoutError among them: without an errno where it is the step's own
time that was up. The file steps may also raise PolicyDenied. No step is given a rule to apply, but which folders may
be read.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    import ssl

__all__ = [
    "Channel",
    "Dial",
    "Examine",
    "ListFolder",
    "OpenFile",
    "Read",
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
        """Close now, without waiting; closing twice does nothing."""


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
    """Open the regular file `path` for reading, if it lies under one of `roots`: a `Channel`."""

    path: str
    roots: tuple[str, ...]


@dataclass(slots=True)
class Examine:
    """What the file system says of `path`, if it lies under one of `roots`: `FileFacts`."""

    path: str
    roots: tuple[str, ...]


@dataclass(slots=True)
class ListFolder:
    """What the folder `path` holds, if it lies under one of `roots`: `list[FileFacts]`, at most one over `most`."""

    path: str
    roots: tuple[str, ...]
    most: int


Step: TypeAlias = Resolve | Dial | Secure | Write | Read | Wait | OpenFile | Examine | ListFolder
Steps: TypeAlias = Generator[Step, Any, T]
"""Something to do, as a generator of steps; T is what comes out of it."""
