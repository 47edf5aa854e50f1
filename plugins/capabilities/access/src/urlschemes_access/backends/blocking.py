"""Performs the steps of a dialogue, blocking. `run` is what an operation on a URL comes down to.

With `sockets`, `files` and the event loop's `aio` the only place where an access opens a socket or a file.
"""

from __future__ import annotations

import queue
import selectors
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

from urlschemes_access.backends import primitives
from urlschemes_access.backends.local_files import File, perform_on_files
from urlschemes_access.backends.sockets import Datagrams, Socket, addresses, is_from, stream_socket, strict
from urlschemes_access.resources.synchronous import Document, Listing, Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Attributes, Entry
    from urlschemes_access.dialogue import Dialogue
    from urlschemes_access.protocol import requests
    from urlschemes_access.protocol.requests import Algorithm

__all__ = ["run"]

T = TypeVar("T")


class _Patient(Socket):
    """A socket whose every call waits."""

    __slots__ = ()

    def within(self, timeout: float) -> Any:
        """The socket, waiting at most `timeout` seconds in each call."""
        timeout = min(max(timeout, 0.001), 86_400.0)
        if self.socket.gettimeout() != timeout:
            self.socket.settimeout(timeout)
        return self.socket


class _PatientDatagrams(Datagrams, _Patient):
    __slots__ = ()

    def receive(self, most: int, timeout: float) -> bytes:
        """The next datagram from the address. Raises TimeoutError; others do not lengthen the wait."""
        until = monotonic() + timeout
        while True:
            octets, source = self.within(until - monotonic()).recvfrom(most)
            if is_from(source, self.place[0]):
                return cast("bytes", octets)
            if monotonic() >= until:
                raise TimeoutError


def _perform_resolve(step: primitives.Resolve) -> list[str]:
    import threading

    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(addresses(step))
        except Exception as fault:  # noqa: BLE001  it is raised again where the answer is waited for
            answers.put(fault)

    # A thread of its own, that nobody waits for at exit: nothing can interrupt a resolver that hangs.
    try:
        threading.Thread(target=ask, name="urlschemes resolver", daemon=True).start()
    except RuntimeError as fault:
        raise OSError(str(fault)) from fault  # the system has no more threads
    try:
        answer: list[str] | Exception = answers.get(timeout=step.timeout)
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _perform_dial(step: primitives.Dial) -> primitives.Channel:
    if step.transport == "udp":
        return _PatientDatagrams((step.address, step.port))
    made = stream_socket(step.address)
    try:
        made.settimeout(step.timeout)
        made.connect((step.address, step.port))
    except BaseException:
        made.close()
        raise
    return _Patient(made)


def _perform_secure(step: primitives.Secure) -> primitives.Channel:
    channel = cast("_Patient", step.channel)
    import ssl

    context = strict(step.context)
    # A host that no certificate can name is refused here: later it would be with the socket left to nobody.
    context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname=step.host)
    secured = context.wrap_socket(
        channel.within(step.timeout),
        server_hostname=step.host,
        suppress_ragged_eofs=False,  # a connection that ends without TLS's own end was cut
        do_handshake_on_connect=False,  # an interrupt during it would leave the socket to nobody
    )
    try:
        secured.do_handshake()
    except BaseException:
        secured.close()
        raise
    return _Patient(secured)


def _perform_write(step: primitives.Write) -> int:
    if isinstance(step.channel, File):
        return cast("int", perform_on_files(step))
    channel = cast("_Patient", step.channel)
    socket = channel.within(step.timeout)
    sent: int = (
        socket.sendto(step.octets, channel.place)
        if isinstance(channel, _PatientDatagrams)
        else socket.send(step.octets)
    )
    return sent


def _perform_read(step: primitives.Read) -> bytes:
    channel = step.channel
    if isinstance(channel, File):
        return cast("bytes", perform_on_files(step))
    if isinstance(channel, _PatientDatagrams):
        return channel.receive(step.most, step.timeout)
    octets: bytes = cast("_Patient", channel).within(step.timeout).recv(step.most)
    return octets


def _perform_wait(step: primitives.Wait) -> int | None:
    with selectors.DefaultSelector() as selector:
        for index, channel in enumerate(step.channels):
            socket = cast("_Patient", channel).socket
            if getattr(socket, "pending", int)():  # decrypted already: the system knows nothing of it
                return index
            selector.register(socket, selectors.EVENT_READ, index)
        ready = selector.select(step.timeout)
    return min((key.data for key, _ in ready), default=None)


def _perform_consult(step: primitives.Consult) -> object:
    return step.question()


_PERFORM: dict[type[Any], Callable[[Any], Any]] = {
    primitives.Consult: _perform_consult,
    primitives.Dial: _perform_dial,
    primitives.Examine: perform_on_files,
    primitives.Keep: perform_on_files,
    primitives.ListFolder: perform_on_files,
    primitives.OpenFile: perform_on_files,
    primitives.Read: _perform_read,
    primitives.Remove: perform_on_files,
    primitives.Resolve: _perform_resolve,
    primitives.Secure: _perform_secure,
    primitives.Wait: _perform_wait,
    primitives.Write: _perform_write,
}


def _perform(what: primitives.Steps[T]) -> T:
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

    def fileno(self, peer: requests.Peer) -> int:
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


def _resource(opened: requests.Open, dialogue: Dialogue) -> Document | Listing | Session:
    source = _Blocking(dialogue)
    if opened.kind == "document":
        return Document(source, dialogue.attributes)
    if opened.kind == "listing":
        return Listing(source, dialogue.attributes)
    return dialogue.session(opened, source)
