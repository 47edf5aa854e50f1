"""The interface of a backend: what a dialogue needs of it, after every rule has been applied.

Methods raise the system's OSError, and a TimeoutError without errno after `timeout` seconds. The only rule left to a
backend is the folders of `use_file`, because a file's place can only be checked once it is open.

`blocking.BlockingBackend` is a backend, so is `event_loop.LoopBackend`, and so is a replay in tests.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    import ssl

    from urlschemes_access.attributes import FileFacts
    from urlschemes_access.backends.tls import TLSFiles
    from urlschemes_access.backends.worker_threads import Work
    from urlschemes_access.protocol.requests import Examine, ListFolder, OpenFile, Remove, Transport

__all__ = ["Channel", "FileRequest", "drive"]

T = TypeVar("T")

FileRequest: TypeAlias = "OpenFile | Examine | ListFolder | Remove"


class Channel(Protocol):
    """A backend's connection or open file."""

    async def receive(self, most: int, timeout: float, enough: int) -> bytes:
        """Return at most `most` octets, or one datagram; `b""` at the end.

        Returns as soon as there are octets. After a large piece, a backend may wait a few milliseconds for `enough`.
        """

    async def send(self, pieces: list[memoryview], timeout: float) -> int:
        """Send some of the octets of `pieces`, or one whole datagram; return their number."""

    def peer_address(self) -> tuple[str, int]:
        """Return the address and port that the system is connected to. Raises OSError."""

    def fileno(self) -> int:
        """Return the file descriptor, for select. Raises OSError if there is none."""

    def close(self) -> None:
        """Close now, without waiting; closing twice does nothing. Discards what was written and not committed."""

    def abort(self) -> None:
        """Close so that the server notices an abnormal end; over TCP, by a reset."""


class OutputChannel(Channel, Protocol):
    """A backend's file opened for writing."""

    async def commit(self, timeout: float) -> FileFacts:
        """Make what was written permanent, close the channel, and return the facts of the file."""


class Backend(Protocol):
    """Carries out what a dialogue asks for, one thing at a time. The methods of one that blocks never suspend."""

    async def resolve(self, host: str, port: int, transport: Transport, timeout: float) -> list[str]:
        """Return the addresses of `host` in the order to try them.

        A resolver that hangs must not delay anything else, nor the end of the program.
        """

    async def dial(self, address: str, port: int, transport: Transport, timeout: float) -> Channel:
        """Connect to an address. Over UDP the channel receives from this address only, but from any port."""

    async def handshake(
        self, channel: Channel, context: ssl.SSLContext | TLSFiles | None, host: str, timeout: float
    ) -> Channel:
        """Carry out the TLS handshake as a client of `host`; return the channel that replaces `channel`.

        Without `context`: TLS 1.2 or later, verified with the certificates of the system. Raises ssl.SSLError.
        """

    async def poll(self, channels: Sequence[Channel], timeout: float) -> int | None:
        """Wait for the first of `channels` that can be read and return its index; None after `timeout`."""

    async def use_file(
        self, request: FileRequest, folders: tuple[str, ...], most_entries: int, timeout: float | None
    ) -> Any:
        """Carry out a request on local files within `folders`, those that the policy allows. Raises PolicyDenied.

        The result is that of the request, but a `Channel` for OpenFile. At most `most_entries` and one more are listed.
        Without `timeout` a blocking backend may use files directly; with it, every use of the file has to end in time.
        """

    async def in_thread(self, action: Callable[[], T], timeout: float | None, work: Work) -> T:
        """Carry out an action of the caller's on a local file, after the earlier ones of `work`.

        Without `timeout` a blocking backend carries it out directly.
        """

    async def call(self, function: Callable[[], object]) -> object:
        """Call a function of the caller's; on an event loop, await the result if it can be awaited."""

    async def take_turn(self) -> None:
        """Let other tasks run if this one has run for long; the dialogue calls this before each step."""


def drive(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine of a dialogue on a backend that blocks. Raises RuntimeError if it suspends."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    coroutine.close()
    raise RuntimeError("this backend suspends: await its dialogues on an event loop")
