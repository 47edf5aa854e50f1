"""Performs the steps of a dialogue, blocking. Nowhere else does an access open a socket or a file.

`run` is what an operation on a URL comes down to. What the network and file modules of the standard library cost to
import is paid when the first step needs them.
"""

# A path is text as the URL gave it, and stays so: pathlib would tidy it before it is checked.
# ruff: noqa: PTH115, PTH116, PTH117, PTH118

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from urlschemes import steps
from urlschemes.display import one_line
from urlschemes.errors import PolicyDenied, URLError
from urlschemes.resource import Document, FileFacts, Listing, Session

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

# --- Files ------------------------------------------------------------------------------------------------------------

_SYSTEM_FOLDERS = ("/proc", "/sys", "/dev")


class _File:
    """An open file, as a channel."""

    __slots__ = ("descriptor",)

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def address(self) -> tuple[str, int]:
        raise OSError("a file has no address")

    def fileno(self) -> int:
        return self.descriptor

    def close(self) -> None:
        if self.descriptor >= 0:
            descriptor, self.descriptor = self.descriptor, -1
            os.close(descriptor)


def _within(real: str, root: str) -> bool:
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


def _admitted(path: str, roots: tuple[str, ...]) -> str:
    """`path` without links, if it lies under a root. Raises PolicyDenied, whether or not anything is there."""
    if not os.path.isabs(path) or path.startswith(("//", "\\\\")):
        raise PolicyDenied(f"'{one_line(path, 160)}' is no path on this machine", rule="roots", part="path")
    real = os.path.realpath(path)
    _check_real(real, path, roots)
    return real


def _check_real(real: str, path: str, roots: tuple[str, ...]) -> None:
    if any(_within(real, folder) for folder in _SYSTEM_FOLDERS):
        raise PolicyDenied(f"'{one_line(path, 160)}' is the system's own", rule="roots", part="path")
    if not any(_within(real, os.path.realpath(root)) for root in roots):
        raise PolicyDenied(
            f"'{one_line(path, 120)}' is under none of the folders allowed",
            rule="roots",
            part="path",
            hint="policy rule 'roots': add its folder to roots",
        )


def _open_checked(path: str, roots: tuple[str, ...], flags: int) -> int:
    """A descriptor of what `path` names, if what was opened lies under a root: a link may have changed meanwhile."""
    real = _admitted(path, roots)
    for flag in ("O_NONBLOCK", "O_NOCTTY", "O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, flag, 0)
    descriptor = os.open(real, os.O_RDONLY | flags)
    try:
        _check_real(_path_of(descriptor, real), path, roots)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _path_of(descriptor: int, real: str) -> str:
    """Where the open file lies. Linux says it; elsewhere the path is looked up anew and must name the same file."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        again = os.path.realpath(real)
        if not os.path.samestat(os.stat(again), os.fstat(descriptor)):
            raise OSError("the file changed its place while it was opened") from None
        return again


def perform_on_files(step: steps.OpenFile | steps.Examine | steps.ListFolder) -> Any:
    """Perform a step on files: a few system calls, which block for a moment (an event loop gives them to a thread)."""
    if isinstance(step, steps.OpenFile):
        return _open_file(step.path, step.roots)
    if isinstance(step, steps.Examine):
        return _facts(step.path, os.stat(_admitted(step.path, step.roots)))
    return _list_folder(step.path, step.roots, step.most)


def _open_file(path: str, roots: tuple[str, ...]) -> _File:
    # Looked at before it is opened: opening a FIFO or a device has effects already.
    _check_regular(os.stat(_admitted(path, roots)).st_mode, path)
    descriptor = _open_checked(path, roots, 0)
    try:
        _check_regular(os.fstat(descriptor).st_mode, path)
        if hasattr(os, "set_blocking"):
            os.set_blocking(descriptor, True)
    except BaseException:
        os.close(descriptor)
        raise
    return _File(descriptor)


def _check_regular(mode: int, path: str) -> None:
    import errno

    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise PolicyDenied(f"'{one_line(path, 160)}' is no regular file", rule="roots", part="path")


def _list_folder(path: str, roots: tuple[str, ...], most: int) -> list[FileFacts]:
    """At most one more than `most` entries, sorted by name."""
    if os.scandir not in os.supports_fd:
        return _scan(_admitted(path, roots), path, roots, most)
    descriptor = _open_checked(path, roots, getattr(os, "O_DIRECTORY", 0))
    try:
        return _scan(descriptor, path, roots, most)
    finally:
        os.close(descriptor)


def _scan(folder: int | str, path: str, roots: tuple[str, ...], most: int) -> list[FileFacts]:
    found: list[FileFacts] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            where = os.path.join(path, entry.name)
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:  # it went away after its name was read
                continue
            if entry.is_symlink():
                # One that leads nowhere, or out of the roots, is shown as the link that it is.
                with suppress(OSError, PolicyDenied):
                    status = os.stat(_admitted(where, roots))
            found.append(_facts(where, status))
            if len(found) > most:
                break
    return sorted(found, key=lambda facts: facts.path)


def _facts(path: str, status: Any) -> FileFacts:
    from datetime import UTC, datetime

    kind: Literal["file", "directory", "other"] = "other"
    if stat.S_ISREG(status.st_mode):
        kind = "file"
    elif stat.S_ISDIR(status.st_mode):
        kind = "directory"
    try:
        modified = datetime.fromtimestamp(status.st_mtime, UTC)
    except (OverflowError, ValueError, OSError):
        modified = datetime.fromtimestamp(0, UTC)  # a time beyond the calendar's
    return FileFacts(path, kind, status.st_size, modified)


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
    channel = cast("_Socket", step.channel)
    socket = channel.patient(step.timeout)
    sent: int = (
        socket.sendto(step.octets, channel.place) if isinstance(channel, _Datagrams) else socket.send(step.octets)
    )
    return sent


def _perform_read(step: steps.Read) -> bytes:
    channel = step.channel
    if isinstance(channel, _File):
        return os.read(channel.descriptor, step.most)
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


_PERFORM: dict[type[Any], Callable[[Any], Any]] = {
    steps.Dial: _perform_dial,
    steps.Examine: perform_on_files,
    steps.ListFolder: perform_on_files,
    steps.OpenFile: perform_on_files,
    steps.Read: _perform_read,
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
