"""One access under way: every rule, and no I/O.

A dialogue runs an access algorithm (wire.py) and holds what is true whoever does the I/O: the deadline, the policy,
the caps, the trace, what has been opened and delivered, which fault of the system is which error. Its methods are
generators of primitive steps (steps.py), which a backend performs: the blocking one in drive.py, or one for an event
loop.

    algorithm  --requests-->  Dialogue  --steps-->  backend  --system calls-->

A step's OSError becomes an error of errors.py, which is thrown into the algorithm at the request that failed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar, cast

from urlschemes import steps, wire
from urlschemes.display import one_line
from urlschemes.errors import (
    AccessError,
    AuthRequired,
    ConnectError,
    DeadlineExceeded,
    InputRequired,
    LimitExceeded,
    PluginContractError,
    PluginError,
    PolicyDenied,
    ProtocolError,
    RedirectRefused,
    RemoteError,
    ResolveError,
    TLSError,
    Truncated,
    UnknownScheme,
    UnsafeURL,
    UnsupportedOperation,
    URLError,
)
from urlschemes.policy import is_dotted_quad
from urlschemes.resource import Attributes, Credentials, Entry, Session

if TYPE_CHECKING:
    import ssl

    from urlschemes.policy import Limits, Policy
    from urlschemes.registration import Registration
    from urlschemes.resource import Answers, FileFacts, Form
    from urlschemes.url import URL
    from urlschemes.wire import Algorithm, Peer

__all__ = ["Dialogue", "TraceEvent"]

T = TypeVar("T")

BULK = 256 * 1024
"""Octets received at once, at most, whatever an algorithm asks for."""
DATAGRAM = 65_535
"""Octets in the largest datagram (RFC 768: a 16-bit length)."""

_Happening: TypeAlias = Literal["resolve", "connect", "tls", "send", "receive", "close", "file", "follow", "open"]


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """Something that happened in an access. `peer` is the label of the connection or file it happened on.

    `octets` are what was sent or received, with passwords as `***`; `text` says the rest in words, safe to print.
    """

    kind: _Happening
    peer: str = ""
    text: str = ""
    octets: bytes = b""


class _Deadline:
    """One total deadline over the time that we work: `seconds`, and one more for every `rate` octets received."""

    __slots__ = ("_rate", "_resumed", "_seconds", "_spent", "received")

    def __init__(self, seconds: float, rate: float) -> None:
        self._seconds = seconds
        self._rate = rate
        self._spent = 0.0
        self._resumed: float | None = None
        self.received = 0

    def resume(self) -> None:
        self._resumed = monotonic()

    def pause(self) -> None:
        """What follows, until `resume`, is the caller's own time."""
        if self._resumed is not None:
            self._spent += monotonic() - self._resumed
            self._resumed = None

    def left(self) -> float:
        running = 0.0 if self._resumed is None else monotonic() - self._resumed
        return self._seconds + self.received / self._rate - self._spent - running


class _End:
    """What the dialogue knows of one peer. `awaiting`: nothing came yet since the last octet was sent."""

    __slots__ = ("address", "awaiting", "channel", "host", "received", "transport")

    def __init__(
        self,
        channel: steps.Channel,
        transport: Literal["tcp", "udp", "file"],
        address: tuple[str, int] | None,
        host: str,
    ) -> None:
        self.channel = channel
        self.transport = transport
        self.address = address
        self.host = host
        self.received = 0
        self.awaiting = True


@dataclass(slots=True)
class _Ended:
    value: Any


# After these the two sides still agree where they are: a session goes on.
_SETTLED = (RemoteError, AuthRequired, InputRequired, UnsafeURL, UnsupportedOperation, PolicyDenied)

_SCHEME = re.compile(r"([A-Za-z0-9+.-]+):")


class Dialogue:
    """One access under way. `open` first; then `pull` until None, or `call` and `finish`; `close` at any time.

    `url` is the URL accessed, after redirects. `terminated` is None until the algorithm has ended well. `ended`, where
    somebody sets it, is called once, when all is closed, with the error that was the reason, if one was.
    """

    def __init__(
        self,
        algorithm: Algorithm[None],
        *,
        url: URL,
        registration: Registration,
        policy: Policy,
        deadline: float | None = None,
        credentials: Callable[[wire.Authenticate], Credentials | None] | None = None,
        ask: Callable[[Form], Answers] | None = None,
        trace: Callable[[TraceEvent], None] | None = None,
        follow: Callable[[URL, str], URL] | None = None,
        parse: Callable[[str], URL] | None = None,
        upload: bytes | Iterable[bytes] | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        if deadline is not None:
            policy = replace(policy, limits=replace(policy.limits, deadline=deadline))
        self.url = url
        self.limits: Limits = policy.limits
        self.terminated: bool | None = None
        self.attributes = Attributes()
        self.ended: Callable[[BaseException | None], None] | None = None
        self._algorithm = algorithm
        self._registration = registration
        self._policy = policy
        self._credentials = credentials
        self._ask = ask
        self._trace = trace
        self._follow = follow
        self._parse = parse
        self._upload = _pieces(upload)
        self._ssl_context = ssl_context
        self._own_ports = frozenset(() if registration.default_port is None else (registration.default_port,))
        self._ends: dict[Peer, _End] = {}
        self._addresses: dict[tuple[str, str], list[str]] = {}
        self._secrets: set[bytes] = set()
        self._kind = ""
        self._closed = False
        self._fault: BaseException | None = None
        self._unterminated = False
        self._hops = 0
        self._reached_public = False
        self._from_public = False
        self._entries = 0
        self._datagrams = 0
        self._datagram_octets = 0
        self._begin()
        made: object = algorithm
        if not isinstance(made, Generator):
            raise self._contract("an algorithm, made by a generator function", made)

    def _begin(self) -> None:
        """What is counted for an access, and for each call of a session anew."""
        self._clock = _Deadline(self.limits.deadline, self.limits.rate)
        self._connections = 0
        self._held = 0

    # What the caller does

    def open(self) -> steps.Steps[wire.Open]:
        """Check the URL, then run the algorithm until it says what the resource is.

        Nothing is resolved or opened, and the algorithm has not begun, when UnsafeURL or PolicyDenied says that it may
        not.
        """
        self._clock.resume()
        try:
            self._admit()
            said = yield from self._advance(self._algorithm)
            if not isinstance(said, wire.Open):
                raise self._contract("Open, before anything is delivered", said)
            self._check_open(said)
            self._kind = said.kind
            self.attributes = said.attributes or Attributes()
            self._tell("open", said.peer, said.kind)
            if said.kind == "attributes":
                after = yield from self._advance(self._algorithm)
                if not isinstance(after, _Ended):
                    raise self._contract("nothing after Open of attributes", after)
                self.terminated = True
                self.close()
            return said
        except BaseException as fault:
            self._give_up(fault)
            raise
        finally:
            self._clock.pause()

    def pull(self) -> steps.Steps[bytes | Entry | None]:
        """The next piece of a document or listing; None when the algorithm has ended, and so all has come."""
        if self._closed:
            return None
        self._clock.resume()
        try:
            while True:
                said = yield from self._advance(self._algorithm)
                if isinstance(said, _Ended):
                    self.terminated = not self._unterminated
                    self.close()
                    return None
                if not isinstance(said, wire.Deliver):
                    raise self._contract("Open only once", said)
                item: object = said.item
                if self._kind == "document" and isinstance(item, bytes):
                    self._held = 0
                    if item:
                        return item
                elif self._kind == "listing" and isinstance(item, Entry):
                    self._entries += 1
                    if self._entries > self.limits.entries:
                        raise self._exceeded("entries", self.limits.entries, "the listing has more entries than")
                    item.read_by(self._parse)
                    return item
                else:
                    wanted = "octets of a document" if self._kind == "document" else "entries of a listing"
                    raise self._contract(f"Deliver of {wanted}", item)
        except BaseException as fault:
            self._give_up(fault)
            raise
        finally:
            self._clock.pause()

    def call(self, algorithm: Algorithm[T]) -> steps.Steps[T]:
        """One call of a session, with its own deadline. After a refusal it stays open, after any other error not."""
        if self._closed:
            raise AccessError("the session is closed", scheme=self._registration.scheme)
        self._begin()
        self._clock.resume()
        try:
            said = yield from self._advance(algorithm)
            if not isinstance(said, _Ended):
                raise self._contract("no Open and no Deliver within a call of a session", said)
            return cast("T", said.value)
        except _SETTLED as refusal:
            self._sign(refusal)
            raise
        except BaseException as fault:
            self._give_up(fault, algorithm)
            raise
        finally:
            self._clock.pause()

    def finish(self) -> steps.Steps[None]:
        """The closing words of a session: what the algorithm does after Open. Then everything is closed."""
        if self._closed:
            return
        self._begin()
        self._clock.resume()
        try:
            said = yield from self._advance(self._algorithm)
            if not isinstance(said, _Ended):
                raise self._contract("no Open and no Deliver after Open of a session", said)
            self.terminated = True
            self.close()
        except BaseException as fault:
            self._give_up(fault)
            raise
        finally:
            self._clock.pause()

    def close(self) -> None:
        """Close every connection and file now, and let the algorithm's `finally` blocks run."""
        if self._closed:
            return
        self._closed = True
        try:
            self._drop(self._algorithm)
        finally:
            for peer in list(self._ends):
                self._close(peer)
            if self.ended is not None:
                self.ended(self._fault)

    def plugin_error(self, fault: Exception) -> PluginError:
        """The error to raise for `fault`, an exception of the plugin's own; it is the cause, if it holds no secret."""
        try:
            text = f"{type(fault).__name__}: {fault}"
        except Exception:  # noqa: BLE001  the text of a plugin's exception is the plugin's code
            text = type(fault).__name__
        clean = text
        for secret in self._secrets:
            clean = clean.replace(secret.decode("utf-8", "surrogateescape"), "***")
        scheme = self._registration.scheme
        error = PluginError(f"the algorithm of scheme {scheme!r} failed: {clean}", scheme=scheme)
        error.__cause__ = fault if clean == text else None
        return error

    def _give_up(self, fault: BaseException, algorithm: Algorithm[Any] | None = None) -> None:
        """Close everything because of `fault`, which is raised whatever happens here."""
        self._fault = fault
        self._sign(fault)
        if algorithm is not None:
            with suppress(URLError):
                self._drop(algorithm)
        with suppress(URLError):
            self.close()

    def _sign(self, fault: BaseException) -> None:
        if isinstance(fault, URLError) and fault.scheme is None:
            fault.scheme = self._registration.scheme

    # Running an algorithm

    def _admit(self) -> None:
        self._policy.check_scheme(self.url.scheme)
        self.url.check_line()
        if self._registration.local:
            if not self._policy.roots:
                raise PolicyDenied(
                    "local files are not read until a folder is allowed",
                    rule="roots",
                    hint="policy rule 'roots': to allow a folder: replace(policy, roots=(\"/the/folder\",))",
                )
        else:
            self._check_place(self.url)
        if self.url.raw.get("password"):
            self._secrets.add(self.url.line("password"))

    def _check_place(self, url: URL) -> None:
        # The parts as the core's own pattern finds them, not as the plugin's type tells them.
        host, port = url.raw.get("host"), url.raw.get("port")
        if isinstance(host, str):
            self._policy.check_host(host)
        if isinstance(port, str) and port.isdecimal():
            self._policy.check_port(int(port), self._own_ports)

    def _advance(self, algorithm: Algorithm[Any]) -> steps.Steps[wire.Open | wire.Deliver | _Ended]:
        """Run `algorithm`, carrying out its requests, until it opens, delivers or ends."""
        answer: Any = None
        error: URLError | None = None
        while True:
            try:
                request = algorithm.send(answer) if error is None else algorithm.throw(error)
            except StopIteration as end:
                return _Ended(end.value)
            except (URLError, MemoryError):
                raise
            except Exception as fault:  # noqa: BLE001  whatever a plugin's mistake may be
                raise self.plugin_error(fault)  # noqa: B904  it has its cause, or none
            answer = error = None
            if isinstance(request, wire.Deliver | wire.Open):
                return request
            by_steps = self._BY_STEPS.get(type(request))
            at_once = self._AT_ONCE.get(type(request))
            try:
                if by_steps is not None:
                    answer = yield from by_steps(self, request)
                elif at_once is not None:
                    answer = at_once(self, request)
                else:
                    raise self._contract("requests, by `yield from`", request)
            except PluginContractError:
                raise
            except URLError as refusal:
                error = refusal

    def _drop(self, algorithm: Algorithm[Any]) -> None:
        """End an algorithm early. Its `finally` blocks may ask for Close, and for nothing else."""
        try:
            request: object = algorithm.throw(GeneratorExit)
            while isinstance(request, wire.Close):
                self._close(request.peer)
                request = algorithm.send(None)
            algorithm.close()
        except (StopIteration, GeneratorExit, URLError):
            return
        except MemoryError:
            raise
        except Exception as fault:  # noqa: BLE001  as above
            raise self.plugin_error(fault)  # noqa: B904  as above
        raise self._contract("Close, and no other request, while an access is given up", "something else")

    # Faults

    def _contract(self, wants: str, has: object) -> PluginContractError:
        shown = "its end" if isinstance(has, _Ended) else has if isinstance(has, str) else type(has).__name__
        return PluginContractError(
            f"the algorithm of scheme {self._registration.scheme!r} owes {wants}, and gave {shown}",
            scheme=self._registration.scheme,
            wants=wants,
            has=shown,
        )

    def _exceeded(self, limit: str, value: int, what: str) -> LimitExceeded:
        return LimitExceeded(f"{what} {value}", limit=limit, value=value, hint=f"Limits.{limit} can be raised")

    def _late(self, phase: str, bound: float) -> DeadlineExceeded:
        if self._clock.left() <= 0:
            return DeadlineExceeded(f"the deadline passed while waiting for {phase}", phase=phase)
        return DeadlineExceeded(f"{bound:.3g} seconds passed while waiting for {phase}", phase=phase)

    def _broken(self, end: _End, fault: OSError) -> AccessError:
        if end.received:
            return Truncated(
                f"the connection to {end.host} broke after {end.received} octets: {_reason(fault)}",
                received=end.received,
            )
        return ConnectError(f"the connection to {end.host} broke before anything came: {_reason(fault)}")

    # Time

    def _left(self, phase: str) -> float:
        left = self._clock.left()
        if left <= 0:
            raise self._late(phase, 0)
        return left

    def _patience(self, within: float | None, phase: str, *, awaiting: bool) -> tuple[float, bool]:
        """How long to wait for an octet, and whether the algorithm wants to hear when that was in vain."""
        left = self._left(phase)
        if within is not None:
            return (max(within, 0.0), True) if within < left else (left, False)
        return min(left, self.limits.first_octet if awaiting else self.limits.idle), False

    # Requests

    def _on_connect(self, request: wire.Connect) -> steps.Steps[Peer]:
        host, port, transport = request.host, request.port, request.transport
        if not _are(str, host) or not _are(int, port) or transport not in ("tcp", "udp"):
            raise self._contract("Connect to a host and a port", repr(request))
        self._policy.check_host(host)
        self._policy.check_port(port, self._own_ports)
        self._count_connection()
        addresses = yield from self._resolve(host, port, transport)
        for address in addresses:
            self._policy.check_address(address, host=host, from_public=self._from_public)
        return (yield from self._dial(addresses, port, transport, host, request.label, "connect"))

    def _on_connect_back(self, request: wire.ConnectBack) -> steps.Steps[Peer]:
        end = self._end(request.peer)
        if end.address is None:
            raise self._contract("ConnectBack to a connection", "a file")
        if not _are(int, request.port) or not 1024 <= request.port < 65536:
            raise ProtocolError(
                f"{one_line(str(request.port), 20)} is no port for {request.label}", where=request.label
            )
        self._count_connection()
        address = end.address[0]
        return (yield from self._dial([address], request.port, "tcp", end.host, request.label, request.label))

    def _count_connection(self) -> None:
        self._connections += 1
        if self._connections > self.limits.connections:
            raise self._exceeded("connections", self.limits.connections, "the access wants more connections than")

    def _resolve(self, host: str, port: int, transport: Literal["tcp", "udp"]) -> steps.Steps[list[str]]:
        """The addresses of `host`: asked for once in an access, so that they cannot change between two uses."""
        if is_dotted_quad(host):
            return [host]
        known = self._addresses.get((host.lower(), transport))
        if known is not None:
            return known
        timeout = min(self._left("resolve"), self.limits.resolve)
        try:
            addresses: list[str] = yield steps.Resolve(host, port, transport, timeout)
        except TimeoutError:
            raise self._late("resolve", timeout) from None
        except OSError as fault:
            raise ResolveError(f"host {host!r} has no address: {_reason(fault)}", part="host") from fault
        if not addresses:
            raise ResolveError(f"host {host!r} has no address", part="host")
        self._tell("resolve", None, f"{host} is {', '.join(addresses)}")
        self._addresses[host.lower(), transport] = addresses
        return addresses

    def _dial(
        self, addresses: list[str], port: int, transport: Literal["tcp", "udp"], host: str, label: str, phase: str
    ) -> steps.Steps[Peer]:
        """Try one address after another; each gets its part of the time that is left for them all."""
        share = min(self._left(phase), self.limits.connect)
        until = self._clock.left() - share
        late = False
        refusal: OSError | None = None
        for index, address in enumerate(addresses):
            left = self._clock.left() - until
            if left <= 0:
                late = True
                break
            try:
                channel: steps.Channel = yield steps.Dial(address, port, transport, left / (len(addresses) - index))
            except TimeoutError:
                late = True
                continue
            except OSError as fault:
                refusal = refusal or fault
                continue
            try:
                self._check_reached(channel, address, port, host)
            except BaseException:
                channel.close()
                raise
            self._reached_public |= self._policy.is_public(address)
            peer = wire.Peer(label, (address, port))
            self._ends[peer] = _End(channel, transport, (address, port), host)
            self._tell("connect", peer, f"{host} ({address}) port {port}" if host != address else f"{host} port {port}")
            return peer
        if late:
            raise self._late(phase, share)
        why = f": {_reason(refusal)}" if refusal is not None else ""
        raise ConnectError(f"cannot connect to {host} port {port}{why}") from refusal

    def _check_reached(self, channel: steps.Channel, address: str, port: int, host: str) -> None:
        import ipaddress

        try:
            reached, at = channel.address()
        except OSError as fault:
            raise ConnectError(f"cannot connect to {host} port {port}: {_reason(fault)}") from fault
        if at != port or ipaddress.ip_address(reached.partition("%")[0]) != ipaddress.ip_address(
            address.partition("%")[0]
        ):
            raise PolicyDenied(
                f"the system connected to {reached} port {at}, where {address} port {port} was allowed", rule="networks"
            )

    def _on_start_tls(self, request: wire.StartTLS) -> steps.Steps[None]:
        end = self._end(request.peer)
        if end.transport != "tcp" or request.peer.secure or not _are(str, request.host):
            raise self._contract("StartTLS on a clear connection, for a host", repr(request))
        timeout = min(self._left("tls"), self.limits.connect)
        try:
            end.channel = yield steps.Secure(end.channel, self._ssl_context, request.host, timeout)
        except TimeoutError:
            raise self._late("tls", timeout) from None
        except (OSError, ValueError) as fault:  # ValueError: a host that cannot be sent as a server name
            why = getattr(fault, "verify_message", "") or getattr(fault, "reason", "") or _reason(fault)
            raise TLSError(f"TLS with {request.host} failed: {why}") from fault
        request.peer.secure = True
        self._tell("tls", request.peer, f"with {request.host}")

    def _on_send(self, request: wire.Send) -> steps.Steps[None]:
        end = self._end(request.peer)
        octets = request.octets
        if not _are(bytes, octets) or end.transport == "file":
            raise self._contract("Send of octets, on a connection", type(octets).__name__)
        if request.secret:
            self._secrets.add(request.secret)
        if self._trace is not None:
            shown = octets.replace(request.secret, b"***") if request.secret else octets
            self._tell("send", request.peer, octets=shown)
        rest = memoryview(octets)
        while rest:
            timeout = min(self._left("send"), self.limits.idle)
            try:
                count: int = yield steps.Write(end.channel, rest, timeout)
            except TimeoutError as fault:
                raise self._late_or_broken(end, fault, "send", timeout) from None
            except OSError as fault:
                raise self._broken(end, fault) from fault
            rest = rest[count:]
        end.awaiting = True

    def _on_receive(self, request: wire.Receive) -> steps.Steps[bytes | None]:
        end = self._end(request.peer)
        most = request.most
        if not _are(int, most) or most < 1:
            raise self._contract("Receive of at least one octet", repr(request))
        most = DATAGRAM if end.transport == "udp" else min(most, BULK)
        while True:
            timeout, wanted = self._patience(request.within, request.phase, awaiting=end.awaiting)
            try:
                octets: bytes = yield steps.Read(end.channel, most, timeout)
            except TimeoutError as fault:
                if wanted and fault.errno is None:
                    return None
                raise self._late_or_broken(end, fault, request.phase, timeout) from None
            except OSError as fault:
                raise self._broken(end, fault) from fault
            count = len(octets)
            end.received += count
            end.awaiting = False
            self._clock.received += count
            self._held += count
            if self._trace is not None:
                self._tell("receive", request.peer, octets=self._without_secrets(octets))
            if self._held > self.limits.content:
                raise self._exceeded("content", self.limits.content, "what came and was not delivered is over")
            if end.transport != "udp":
                return octets
            self._count_datagram(count)
            if octets:
                return octets
            # An empty datagram says nothing; for an algorithm b"" would be the end.

    def _count_datagram(self, count: int) -> None:
        self._datagrams += 1
        self._datagram_octets += count
        if self._datagrams > self.limits.datagrams:
            raise self._exceeded("datagrams", self.limits.datagrams, "more datagrams came than")
        if self._datagram_octets > self.limits.datagram_octets:
            raise self._exceeded("datagram_octets", self.limits.datagram_octets, "more octets came in datagrams than")

    def _late_or_broken(self, end: _End, fault: TimeoutError, phase: str, bound: float) -> AccessError:
        """A TimeoutError with an errno is the system's: it gave the connection up."""
        return self._late(phase, bound) if fault.errno is None else self._broken(end, fault)

    def _on_ready(self, request: wire.Ready) -> steps.Steps[Peer | None]:
        ends = [self._end(peer) for peer in request.peers]
        if not ends:
            raise self._contract("Ready of at least one peer", "none")
        for peer, end in zip(request.peers, ends, strict=True):
            if end.transport == "file":
                return peer
        timeout, wanted = self._patience(request.within, request.phase, awaiting=all(end.awaiting for end in ends))
        index: int | None = yield steps.Wait(tuple(end.channel for end in ends), timeout)
        if index is not None:
            return request.peers[index]
        if wanted:
            return None
        raise self._late(request.phase, timeout)

    def _on_close(self, request: wire.Close) -> None:
        self._close(request.peer)

    def _close(self, peer: Peer) -> None:
        end = self._ends.pop(peer, None)
        if end is not None:
            end.channel.close()
            self._tell("close", peer)

    def _end(self, peer: Peer) -> _End:
        try:
            return self._ends[peer]
        except (KeyError, TypeError):
            raise self._contract("a peer that this access opened and has not closed", "another") from None

    def _on_open_file(self, request: wire.OpenFile) -> steps.Steps[Peer]:
        path = self._path(request.path)
        channel: steps.Channel = yield from self._on_files(steps.OpenFile(path, self._policy.roots))
        peer = wire.Peer("file")
        self._ends[peer] = _End(channel, "file", None, "this machine")
        self._tell("file", peer, f"open {path}")
        return peer

    def _on_examine(self, request: wire.Examine) -> steps.Steps[FileFacts]:
        path = self._path(request.path)
        facts: FileFacts = yield from self._on_files(steps.Examine(path, self._policy.roots))
        self._tell("file", None, f"{path} is a {facts.kind} of {facts.size} octets")
        return facts

    def _on_list_folder(self, request: wire.ListFolder) -> steps.Steps[tuple[FileFacts, ...]]:
        path = self._path(request.path)
        most = self.limits.entries
        facts: list[FileFacts] = yield from self._on_files(steps.ListFolder(path, self._policy.roots, most))
        if len(facts) > most:
            raise self._exceeded("entries", most, "the folder has more entries than")
        self._tell("file", None, f"{path} holds {len(facts)} entries")
        return tuple(facts)

    def _path(self, path: str) -> str:
        if not _are(str, path):
            raise self._contract("the path of a file, as text", path)
        if "\0" in path:
            raise UnsafeURL("the path holds a NUL", part="path")
        return path

    def _on_files(self, step: steps.OpenFile | steps.Examine | steps.ListFolder) -> steps.Steps[Any]:
        import errno

        self._left("file")
        try:
            return (yield step)
        except (OSError, UnicodeError) as fault:  # UnicodeError: a name that the file system's encoding cannot hold
            text = _reason(fault)
            status = errno.errorcode.get(getattr(fault, "errno", None) or 0)
            raise RemoteError(f"{one_line(step.path, 160)}: {text}", status=status, text=text, part="path") from fault

    def _on_follow(self, request: wire.Follow) -> URL:
        location = request.location
        if not _are(str, location):
            raise self._contract("Follow of a location, as text", type(location).__name__)
        told = one_line(location, 120)

        def refused(why: str, reason: str) -> RedirectRefused:
            return RedirectRefused(f"the redirect to {told} is not followed: {why}", reason=reason, location=told)

        allowed = self._registration.redirects
        # The scheme is compared as text before anything reads the rest: a redirect must not be what loads a plugin.
        written = _SCHEME.match(location)
        scheme = written[1].lower() if written else self.url.scheme
        if scheme not in allowed:
            raise refused(
                f"{self._registration.scheme!r} is redirected to {' or '.join(allowed) or 'nothing'}", "scheme"
            )
        if self._hops >= self.limits.hops:
            raise refused(f"{self.limits.hops} were followed already", "hops")
        if self._follow is None:
            raise refused("nothing is followed in this access", "policy")
        try:
            target = self._follow(self.url, location)
            if target.scheme not in allowed:
                raise refused(f"it leads to scheme {target.scheme!r}", "scheme")
            target.check_line()
        except (RedirectRefused, PolicyDenied, PluginError):
            raise
        except UnknownScheme as fault:
            raise refused(f"scheme {scheme!r} is not installed", "scheme") from fault
        except URLError as fault:
            raise refused(str(fault), "invalid") from fault
        if target.registration is not None and target.registration.default_port is not None:
            self._own_ports |= {target.registration.default_port}
        self._policy.check_scheme(target.scheme)
        self._check_place(target)
        self._hops += 1
        self._from_public |= self._reached_public
        self.url = target
        self._tell("follow", None, f"to {target}")
        return target

    def _on_authenticate(self, request: wire.Authenticate) -> Credentials | None:
        if self._credentials is None:
            return None
        self._clock.pause()
        try:
            given: object = self._credentials(request)
        finally:
            self._clock.resume()
        if given is None:
            return None
        if not isinstance(given, Credentials):
            raise self._contract("Credentials or None, from the credentials callable", given)
        for part, text in (("user", given.user), ("password", given.password)):
            if any(char < " " or char == "\x7f" for char in text):
                raise UnsafeURL(f"the {part} given holds a control character", part=part)
        if given.password:
            self._secrets.add(given.password.encode("utf-8", "surrogateescape"))
        return given

    def _on_ask(self, request: wire.Ask) -> Answers:
        if self._ask is None:
            raise InputRequired(
                f"the other side asks {len(request.form.questions)} questions: {request.form.title}",
                hint="pass ask=, a callable that answers a Form",
            )
        self._clock.pause()
        try:
            given: object = self._ask(request.form)
        finally:
            self._clock.resume()
        if given is None:
            raise InputRequired("the questions were not answered")
        if (
            not isinstance(given, tuple)
            or len(given) != len(request.form.questions)
            or not all(isinstance(answer, str) for answer in given)
        ):
            raise self._contract("one answer for each question, from the ask callable", given)
        return given

    def _on_pull(self, _: wire.Pull) -> bytes:
        if self._upload is None:
            raise InputRequired("this operation sends content, and none was given", hint="pass upload=")
        self._clock.pause()
        try:
            return next((piece for piece in self._upload if piece), b"")
        finally:
            self._clock.resume()

    def _on_unterminated(self, _: wire.Unterminated) -> None:
        self._unterminated = True

    _AT_ONCE: ClassVar[dict[type[Any], Callable[[Dialogue, Any], Any]]] = {
        wire.Ask: _on_ask,
        wire.Authenticate: _on_authenticate,
        wire.Close: _on_close,
        wire.Follow: _on_follow,
        wire.Pull: _on_pull,
        wire.Unterminated: _on_unterminated,
    }
    _BY_STEPS: ClassVar[dict[type[Any], Callable[[Dialogue, Any], steps.Steps[Any]]]] = {
        wire.Connect: _on_connect,
        wire.ConnectBack: _on_connect_back,
        wire.Examine: _on_examine,
        wire.ListFolder: _on_list_folder,
        wire.OpenFile: _on_open_file,
        wire.Ready: _on_ready,
        wire.Receive: _on_receive,
        wire.Send: _on_send,
        wire.StartTLS: _on_start_tls,
    }

    def _check_open(self, said: wire.Open) -> None:
        attributes: object = said.attributes
        if said.kind not in ("document", "listing", "session", "attributes"):
            raise self._contract("Open of a document, listing, session or attributes", repr(said.kind))
        if attributes is not None and not isinstance(attributes, Attributes):
            raise self._contract("Attributes in Open", attributes)
        session: object = said.session
        if said.kind == "session" and not (isinstance(session, type) and issubclass(session, Session)):
            raise self._contract("a subclass of Session in Open of a session", repr(session))

    # The trace

    def _tell(
        self,
        kind: _Happening,
        peer: Peer | None,
        text: str = "",
        octets: bytes = b"",
    ) -> None:
        if self._trace is not None:
            self._clock.pause()
            try:
                self._trace(TraceEvent(kind, peer.label if peer is not None else "", one_line(text), octets))
            finally:
                self._clock.resume()

    def _without_secrets(self, octets: bytes) -> bytes:
        for secret in self._secrets:
            if len(secret) > 3:  # one that is shorter stands everywhere, and hiding it there would show it
                octets = octets.replace(secret, b"***")
        return octets


def _are(kind: type, *values: object) -> bool:
    """Whether a request holds what its types say: a stranger's algorithm was perhaps never type-checked."""
    return all(type(value) is kind for value in values)


def _reason(fault: BaseException) -> str:
    return getattr(fault, "strerror", None) or str(fault) or type(fault).__name__


def _pieces(upload: bytes | Iterable[bytes] | None) -> Iterator[bytes] | None:
    if upload is None:
        return None
    return iter((upload,)) if isinstance(upload, bytes) else iter(upload)
