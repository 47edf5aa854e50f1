"""Performs the steps of a dialogue, blocking. Nowhere else does an access open a socket, and a file only in `files`.

`run` is what an operation on a URL comes down to. What the network and file modules of the standard library cost to
import is paid when the first step needs them.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

from urlschemes import steps
from urlschemes.errors import URLError
from urlschemes.files import File, perform_on_files
from urlschemes.resource import Document, Listing, Session

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from urlschemes import wire
    from urlschemes.dialogue import Dialogue
    from urlschemes.resource import Attributes, Entry
    from urlschemes.url import URL
    from urlschemes.wire import Algorithm

__all__ = ["default_context", "perform_on_files", "run"]

T = TypeVar("T")

# --- Sockets ----------------------------------------------------------------------------------------------------------


@cache
def default_context() -> ssl.SSLContext:
    """TLS 1.2 or later, against the system's certificates. Made once.

    Not `ssl.create_default_context`: that writes the session keys to a file where an environment variable says so.
    """
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_default_certs()
    return context


class _Socket:
    """A socket, as a channel."""

    __slots__ = ("socket",)

    def __init__(self, socket: Any) -> None:
        self.socket = socket

    def address(self) -> tuple[str, int]:
        host, port = self.socket.getpeername()[:2]
        return host, port

    def fileno(self) -> int:
        number: int = self.socket.fileno()
        return number

    def close(self) -> None:
        self.socket.close()

    def abort(self) -> None:
        import socket
        import struct

        with suppress(OSError):  # it is broken already
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def patient(self, timeout: float) -> Any:
        """The socket, waiting at most `timeout` seconds in each call."""
        timeout = min(max(timeout, 0.001), 86_400.0)
        if self.socket.gettimeout() != timeout:
            self.socket.settimeout(timeout)
        return self.socket


class _Datagrams(_Socket):
    """A socket for datagrams to one place, and from its address. It is not connected, so that the port may differ."""

    __slots__ = ("place",)

    def __init__(self, socket: Any, place: tuple[str, int]) -> None:
        super().__init__(socket)
        self.place = place

    def address(self) -> tuple[str, int]:
        return self.place

    def receive(self, most: int, timeout: float) -> bytes:
        """The next datagram from the address. Raises TimeoutError; others do not lengthen the wait."""
        until = monotonic() + timeout
        while True:
            octets, source = self.patient(until - monotonic()).recvfrom(most)
            if is_from(source, self.place[0]):
                return cast("bytes", octets)
            if monotonic() >= until:
                raise TimeoutError


def datagram_socket(address: str) -> Any:
    """A socket for datagrams to `address`, not connected: the answer to one may come from another port of its.

    Where the system can do it, a call on the socket says that nobody listens there, as it would on a connected one.
    """
    import socket

    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_DGRAM)
    if sys.platform == "linux":
        # IP_RECVERR and IPV6_RECVERR, which the socket module does not name before Python 3.14.
        level, option = (socket.IPPROTO_IPV6, 25) if family == socket.AF_INET6 else (socket.IPPROTO_IP, 11)
        with suppress(OSError):
            made.setsockopt(level, option, 1)
    return made


def is_from(source: tuple[Any, ...], address: str) -> bool:
    """Whether a datagram, whose sender `recvfrom` gave as `source`, comes from `address`."""
    import ipaddress

    return ipaddress.ip_address(source[0].partition("%")[0]) == ipaddress.ip_address(address.partition("%")[0])


def _perform_resolve(step: steps.Resolve) -> list[str]:
    import queue
    import socket
    import threading

    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
    kind = socket.SOCK_DGRAM if step.transport == "udp" else socket.SOCK_STREAM

    def ask() -> None:
        try:
            answers.put(socket.getaddrinfo(step.host.encode("ascii"), step.port, type=kind))
        except Exception as fault:  # noqa: BLE001  it is raised again where the answer is waited for
            answers.put(fault)

    # A thread of its own, that nobody waits for at exit: nothing can interrupt a resolver that hangs.
    threading.Thread(target=ask, name="urlschemes resolver", daemon=True).start()
    try:
        answer = answers.get(timeout=step.timeout)
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(answer, Exception):
        raise answer
    families = (socket.AF_INET, socket.AF_INET6)
    return list(dict.fromkeys(sockaddr[0] for family, _, _, _, sockaddr in answer if family in families))


def _perform_dial(step: steps.Dial) -> steps.Channel:
    import socket

    if step.transport == "udp":
        return _Datagrams(datagram_socket(step.address), (step.address, step.port))
    made = socket.socket(socket.AF_INET6 if ":" in step.address else socket.AF_INET)
    try:
        made.settimeout(step.timeout)
        made.connect((step.address, step.port))
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)  # else an urgent octet is lost from the stream
    except BaseException:
        made.close()
        raise
    return _Socket(made)


def _perform_secure(step: steps.Secure) -> steps.Channel:
    channel = cast("_Socket", step.channel)
    context = step.context or default_context()
    secured = context.wrap_socket(
        channel.patient(step.timeout),
        server_hostname=step.host,
        suppress_ragged_eofs=False,  # a connection that ends without TLS's own end was cut
        do_handshake_on_connect=False,  # an interrupt during it would leave the socket to nobody
    )
    try:
        secured.do_handshake()
    except BaseException:
        secured.close()
        raise
    return _Socket(secured)


def _perform_write(step: steps.Write) -> int:
    if isinstance(step.channel, File):
        return cast("int", perform_on_files(step))
    channel = cast("_Socket", step.channel)
    socket = channel.patient(step.timeout)
    sent: int = (
        socket.sendto(step.octets, channel.place) if isinstance(channel, _Datagrams) else socket.send(step.octets)
    )
    return sent


def _perform_read(step: steps.Read) -> bytes:
    channel = step.channel
    if isinstance(channel, File):
        return cast("bytes", perform_on_files(step))
    if isinstance(channel, _Datagrams):
        return channel.receive(step.most, step.timeout)
    octets: bytes = cast("_Socket", channel).patient(step.timeout).recv(step.most)
    return octets


def _perform_wait(step: steps.Wait) -> int | None:
    import selectors

    with selectors.DefaultSelector() as selector:
        for index, channel in enumerate(step.channels):
            socket = cast("_Socket", channel).socket
            if getattr(socket, "pending", int)():  # decrypted already: the system knows nothing of it
                return index
            selector.register(socket, selectors.EVENT_READ, index)
        ready = selector.select(step.timeout)
    return min((key.data for key, _ in ready), default=None)


def _perform_consult(step: steps.Consult) -> object:
    return step.question()


_PERFORM: dict[type[Any], Callable[[Any], Any]] = {
    steps.Consult: _perform_consult,
    steps.Dial: _perform_dial,
    steps.Examine: perform_on_files,
    steps.Keep: perform_on_files,
    steps.ListFolder: perform_on_files,
    steps.OpenFile: perform_on_files,
    steps.Read: _perform_read,
    steps.Remove: perform_on_files,
    steps.Resolve: _perform_resolve,
    steps.Secure: _perform_secure,
    steps.Wait: _perform_wait,
    steps.Write: _perform_write,
}


def _perform(what: steps.Steps[T]) -> T:
    """Do the steps one after another, in this thread."""
    try:
        step = next(what)
        while True:
            try:
                answer = _PERFORM[type(step)](step)
            except Exception as fault:  # noqa: BLE001  the dialogue decides what it means
                step = what.throw(fault)
            else:
                step = what.send(answer)
    except StopIteration as end:
        return cast("T", end.value)
    finally:
        what.close()


class _Blocking:
    """A dialogue as the source of a resource: each call blocks until the dialogue pauses."""

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
        return _perform(self._dialogue.pull())

    def call(self, algorithm: Algorithm[T]) -> T:
        return _perform(self._dialogue.call(algorithm))

    def fileno(self, peer: wire.Peer) -> int:
        return self._dialogue.fileno(peer)

    def finish(self) -> None:
        _perform(self._dialogue.finish())

    def close(self) -> None:
        self._dialogue.close()


def run(dialogue: Dialogue) -> Document | Listing | Session | Attributes:
    """Drive `dialogue` with blocking I/O until it says what the resource is.

    Raises UnsafeURL and PolicyDenied before anything is resolved or opened, AccessError afterwards, PluginError where
    the algorithm is at fault. What a callable of the caller's raises comes out as it is.
    """
    opened = _perform(dialogue.open())
    return dialogue.attributes if opened.kind == "attributes" else _resource(opened, dialogue)


def _resource(opened: wire.Open, dialogue: Dialogue) -> Document | Listing | Session:
    source = _Blocking(dialogue)
    if opened.kind == "document":
        return Document(source, dialogue.attributes)
    if opened.kind == "listing":
        return Listing(source, dialogue.attributes)
    try:
        return (opened.session or Session)(source, dialogue.attributes, opened.peer)
    except BaseException as fault:
        source.close()
        if isinstance(fault, Exception) and not isinstance(fault, URLError | MemoryError):
            raise dialogue.plugin_error(fault)  # noqa: B904  which has decided on its cause
        raise
