"""The blocking backend: `run` carries out a dialogue and returns its resource."""

from __future__ import annotations

import select
import sys
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

from urlschemes_access.backends.local_files import File, OutputFile, ThreadedFile, close_file, use_file
from urlschemes_access.backends.primitives import (
    Act,
    Call,
    Commit,
    Dial,
    Handshake,
    Poll,
    Read,
    Resolve,
    UseFile,
    Write,
)
from urlschemes_access.backends.sockets import (
    PIECE,
    DatagramSocket,
    Socket,
    addresses_of,
    is_from,
    new_stream_socket,
    one_of,
    send_pieces,
    strict_context,
)
from urlschemes_access.backends.worker_threads import begin, result_of
from urlschemes_access.resources.synchronous import Document, Listing, Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Attributes, Entry
    from urlschemes_access.backends.primitives import Channel, Primitive, Primitives
    from urlschemes_access.backends.worker_threads import FileWork
    from urlschemes_access.dialogue import Dialogue
    from urlschemes_access.protocol.algorithm import Algorithm, Peer

__all__ = ["carry_out", "perform", "run"]

T = TypeVar("T")

SLACK = 0.01
"""Seconds that a timeout may be longer than it was meant to be."""
LARGE = 32 * 1024
"""Octets after which more are expected at once."""
GATHERING = 0.002
"""Seconds that a read waits for all the octets wanted, if the one before it gave a large piece."""


def run(dialogue: Dialogue) -> Document | Listing | Session | Attributes:
    """Carry out `dialogue` until it has opened its resource, and return the resource.

    Raises UnsafeURL and PolicyDenied before anything is resolved or opened, AccessError afterwards, PluginError if the
    algorithm is at fault. Exceptions of the caller's functions pass through.
    """
    opened = carry_out(dialogue.open(), perform)
    source = _BlockingSource(dialogue)
    if opened.kind == "document":
        return Document(source, dialogue.attributes)
    if opened.kind == "listing":
        return Listing(source, dialogue.attributes)
    if opened.kind == "session":
        return dialogue.session(opened, source)
    return dialogue.attributes


def carry_out(primitives: Primitives[T], perform: Callable[[Primitive], Any]) -> T:
    """Perform primitives one after another in this thread, and return the result."""
    try:
        primitive = next(primitives)
        while True:
            try:
                result = perform(primitive)
            except Exception as failure:  # noqa: BLE001  the dialogue decides what it means
                primitive = primitives.throw(failure)
            else:
                primitive = primitives.send(result)
    except StopIteration as end:
        return cast("T", end.value)
    finally:
        primitives.close()


def perform(primitive: Primitive) -> Any:
    """Perform one primitive."""
    match primitive:
        case Read(_BlockingSocket() as channel, most, timeout, enough):
            return channel.receive(most, timeout, enough)
        case Call(function):
            return function()
        case Write(_BlockingSocket() as channel, pieces, timeout):
            return channel.send(pieces, timeout)
        case Read(ThreadedFile() as channel, most, timeout):
            return result_of(channel.begin(partial(channel.file.read, most)), timeout)
        case Read(channel, most):
            return cast("File", channel).read(most)
        case Write(ThreadedFile(file=OutputFile() as file) as channel, pieces, timeout):
            return result_of(channel.begin(partial(file.write, pieces[0])), timeout)
        case Write(channel, pieces):
            return cast("OutputFile", channel).write(pieces[0])
        case Poll():
            return _poll(primitive)
        case Resolve(timeout=timeout):
            return result_of(begin(partial(addresses_of, primitive), "urlschemes resolver"), timeout)
        case Dial():
            return _dial(primitive)
        case Handshake():
            return _handshake(primitive)
        case UseFile(timeout=None):
            return use_file(primitive)
        case UseFile(timeout=timeout):
            used = result_of(begin(partial(use_file, primitive), "urlschemes file"), timeout, undo=close_file)
            return ThreadedFile(used) if isinstance(used, File) else used
        case Commit(ThreadedFile(file=OutputFile() as file) as channel, timeout):
            return result_of(channel.begin(file.commit), timeout)
        case Act(action, work, timeout):
            return work.carry_out(action, timeout)
        case Commit(channel):
            return cast("OutputFile", channel).commit()


class _BlockingSocket(Socket):
    """A channel over a socket whose calls wait."""

    __slots__ = ()

    def receive(self, most: int, timeout: float, _enough: int) -> bytes:
        octets: bytes = self.with_timeout(timeout).recv(min(most, PIECE))
        return octets

    def send(self, pieces: list[memoryview], timeout: float) -> int:
        count: int = self.with_timeout(timeout).send(one_of(pieces))
        return count

    def with_timeout(self, timeout: float) -> Any:
        """Return the socket with its timeout set, at most SLACK longer: to set it is a system call."""
        timeout = min(max(timeout, 0.001), 86_400.0)
        if not timeout <= (self.socket.gettimeout() or 0.0) <= timeout + SLACK:
            self.socket.settimeout(timeout)
        return self.socket

    def notice_all(self) -> None:
        """Let the system report any octet that has arrived."""


class _BlockingStream(_BlockingSocket):
    """A channel over a TCP connection without TLS.

    Content that comes fast is received in few large pieces: it takes less time in all. The system is asked to wait for
    that many octets (SO_RCVLOWAT); one that cannot do so gives what it has.
    """

    __slots__ = ("_gathers", "_least", "_may_gather")

    def __init__(self, socket: Any) -> None:
        super().__init__(socket)
        self._gathers = False
        self._least = 1
        self._may_gather = True

    def receive(self, most: int, timeout: float, enough: int) -> bytes:
        if self._gathers and timeout > GATHERING:
            if self._least != enough:
                self._report_from(enough)
            if self.socket.gettimeout() != GATHERING:
                self.socket.settimeout(GATHERING)
            try:
                return cast("bytes", self.socket.recv(max(min(most, PIECE), enough)))
            except TimeoutError as fault:
                if fault.errno is not None:
                    raise
            timeout -= GATHERING
        self.notice_all()
        octets = super().receive(most, timeout, enough)
        self._gathers = self._may_gather and len(octets) >= LARGE
        return octets

    def send(self, pieces: list[memoryview], timeout: float) -> int:
        return send_pieces(self.with_timeout(timeout), pieces)

    def notice_all(self) -> None:
        if self._least != 1:
            self._report_from(1)

    def fileno(self) -> int:
        self._may_gather = self._gathers = False  # the caller waits for any octet
        self.notice_all()
        return super().fileno()

    def _report_from(self, octets: int) -> None:
        """Let the system report octets once there are so many, or the connection has ended."""
        import socket  # heavy

        self._least = octets
        with suppress(OSError):
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, octets)


class _BlockingDatagramSocket(DatagramSocket, _BlockingSocket):
    """A channel for datagrams whose calls wait."""

    __slots__ = ()

    def receive(self, most: int, timeout: float, _enough: int) -> bytes:
        """Return the next datagram from the address. Datagrams from elsewhere do not lengthen the wait."""
        until = monotonic() + timeout
        while True:
            octets, source = self.with_timeout(until - monotonic()).recvfrom(most)
            if is_from(source, self.place[0]):
                return cast("bytes", octets)
            if monotonic() >= until:
                raise TimeoutError

    def send(self, pieces: list[memoryview], timeout: float) -> int:
        count: int = self.with_timeout(timeout).sendto(b"".join(pieces), self.place)
        return count


def _dial(primitive: Dial) -> Channel:
    place = primitive.address, primitive.port
    if primitive.transport == "udp":
        return _BlockingDatagramSocket(place)
    made = new_stream_socket(primitive.address)
    try:
        made.settimeout(primitive.timeout)
        made.connect(place)
    except BaseException:
        made.close()
        raise
    return _BlockingStream(made)


def _handshake(primitive: Handshake) -> Channel:
    import ssl  # heavy

    channel = cast("_BlockingSocket", primitive.channel)
    until = monotonic() + primitive.timeout
    channel.notice_all()
    context = strict_context(primitive.context)  # it reads files, the first time
    # This refuses a host that no certificate can name; wrap_socket would refuse it and leave the socket open.
    context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname=primitive.host)
    secured = context.wrap_socket(
        channel.with_timeout(until - monotonic()),
        server_hostname=primitive.host,
        suppress_ragged_eofs=False,  # a connection that ends without TLS's closing alert is truncated
        do_handshake_on_connect=False,  # an interrupt during it would leave the socket open
    )
    try:
        secured.do_handshake()
    except BaseException:
        secured.close()
        raise
    return _BlockingSocket(secured)


def _poll(primitive: Poll) -> int | None:
    sockets = []
    for index, channel in enumerate(primitive.channels):
        polled = cast("_BlockingSocket", channel)
        if getattr(polled.socket, "pending", int)():  # octets already decrypted, of which the system does not know
            return index
        polled.notice_all()
        sockets.append(polled.socket)
    if sys.platform == "win32":
        readable = select.select(sockets, [], [], primitive.timeout)[0]
        ready = {each.fileno() for each in readable}
    else:  # select refuses high file descriptors there
        poller = select.poll()
        for each in sockets:
            poller.register(each, select.POLLIN)
        ready = {number for number, _ in poller.poll(primitive.timeout * 1000)}
    return next((index for index, each in enumerate(sockets) if each.fileno() in ready), None)


class _BlockingSource:
    """A dialogue as the source of a resource; each method blocks until the dialogue pauses."""

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue
        self.limits = dialogue.limits

    @property
    def url(self) -> URL:
        return self._dialogue.url

    @property
    def terminated(self) -> bool | None:
        return self._dialogue.terminated

    def pull(self) -> bytes | Entry | None:
        return carry_out(self._dialogue.pull(), perform)

    def call(self, algorithm: Algorithm[T]) -> T:
        return carry_out(self._dialogue.call(algorithm), perform)

    def act(self, action: Callable[[], T], work: FileWork, *, cleans_up: bool) -> T:
        return carry_out(self._dialogue.act(action, work, cleans_up=cleans_up), perform)

    def fileno(self, peer: Peer) -> int:
        return self._dialogue.fileno(peer)

    def finish(self) -> None:
        carry_out(self._dialogue.finish(), perform)

    def close(self) -> None:
        self._dialogue.close()
