"""How an access connects: names resolved once, every address checked, one dialled and looked at again; and TLS."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Literal

from urlschemes.redaction import one_line
from urlschemes_access.backends import primitives
from urlschemes_access.dialogue.system_errors import are, breach, exceeded, reason
from urlschemes_access.dialogue.transfers import End
from urlschemes_access.errors import ConnectError, PolicyDenied, ProtocolError, ResolveError, TLSError
from urlschemes_access.policy import is_dotted_quad
from urlschemes_access.protocol import requests

if TYPE_CHECKING:
    import ssl

    from urlschemes_access.dialogue.deadline import Deadline
    from urlschemes_access.dialogue.destinations import Reach
    from urlschemes_access.dialogue.trace import Trace
    from urlschemes_access.dialogue.transfers import Peers
    from urlschemes_access.policy import Limits
    from urlschemes_access.protocol.requests import Peer

__all__ = ["Connecting"]


class Connecting:
    """Makes the connections of one access. `made` counts them."""

    __slots__ = ("_addresses", "_clock", "_limits", "_peers", "_reach", "_scheme", "_ssl_context", "_trace", "made")

    def __init__(
        self,
        scheme: str,
        limits: Limits,
        clock: Deadline,
        trace: Trace,
        *,
        reach: Reach,
        peers: Peers,
        ssl_context: ssl.SSLContext | None,
    ) -> None:
        self._scheme = scheme
        self._limits = limits
        self._clock = clock
        self._trace = trace
        self._reach = reach
        self._peers = peers
        self._ssl_context = ssl_context
        self._addresses: dict[tuple[str, str], list[str]] = {}
        self.made = 0

    def connect(self, request: requests.Connect) -> primitives.Steps[Peer]:
        """Raises UnsafeURL, PolicyDenied, LimitExceeded, ResolveError, ConnectError, DeadlineExceeded."""
        host, port, transport = request.host, request.port, request.transport
        if not are(str, host) or not are(int, port) or transport not in ("tcp", "udp"):
            raise breach(self._scheme, "Connect to a host and a port", repr(request))
        self._reach.check_destination(host, port)
        self._count()
        addresses = yield from self._resolve(host, port, transport)
        for address in addresses:
            self._reach.check_address(address, host)
        return (yield from self._dial(addresses, port, transport, host, request.label, "connect"))

    def connect_back(self, request: requests.ConnectBack) -> primitives.Steps[Peer]:
        """Raises ProtocolError for a port below 1024, and what `connect` raises."""
        end = self._peers.end(request.peer)
        if end.address is None:
            raise breach(self._scheme, "ConnectBack to a connection", "a file")
        if not are(int, request.port) or not 1024 <= request.port < 65536:
            raise ProtocolError(
                f"{one_line(str(request.port), 20)} is no port for {request.label}", where=request.label
            )
        self._count()
        address = end.address[0]
        made = yield from self._dial([address], request.port, "tcp", end.host, request.label, request.label)
        self._peers.end(made).sends = request.sends
        return made

    def start_tls(self, request: requests.StartTLS) -> primitives.Steps[None]:
        """Raises TLSError, DeadlineExceeded."""
        end = self._peers.end(request.peer)
        if end.transport != "tcp" or request.peer.secure or not are(str, request.host):
            raise breach(self._scheme, "StartTLS on a clear connection, for a host", repr(request))
        timeout = min(self._clock.time_for("tls"), self._limits.connect)
        try:
            end.channel = yield primitives.Secure(end.channel, self._ssl_context, request.host, timeout)
        except TimeoutError:
            raise self._clock.late("tls", timeout) from None
        except (OSError, ValueError) as fault:  # ValueError: a host that cannot be sent as a server name
            why = getattr(fault, "verify_message", "") or getattr(fault, "reason", "") or reason(fault)
            raise TLSError(f"TLS with {request.host} failed: {why}") from fault
        request.peer.secure = True
        self._trace.tell("tls", request.peer, f"with {request.host}")

    def _count(self) -> None:
        self.made += 1
        if self.made > self._limits.connections:
            raise exceeded("connections", self._limits.connections, "the access wants more connections than")

    def _resolve(self, host: str, port: int, transport: Literal["tcp", "udp"]) -> primitives.Steps[list[str]]:
        """The addresses of `host`: asked for once in an access, so that they cannot change between two uses."""
        if is_dotted_quad(host):
            return [host]
        known = self._addresses.get((host.lower(), transport))
        if known is not None:
            return known
        timeout = min(self._clock.time_for("resolve"), self._limits.resolve)
        try:
            addresses: list[str] = yield primitives.Resolve(host, port, transport, timeout)
        except TimeoutError:
            raise self._clock.late("resolve", timeout) from None
        except OSError as fault:
            raise ResolveError(f"host {host!r} has no address: {reason(fault)}", part="host") from fault
        if not addresses:
            raise ResolveError(f"host {host!r} has no address", part="host")
        self._trace.tell("resolve", None, f"{host} is {', '.join(addresses)}")
        self._addresses[host.lower(), transport] = addresses
        return addresses

    def _dial(
        self, addresses: list[str], port: int, transport: Literal["tcp", "udp"], host: str, label: str, phase: str
    ) -> primitives.Steps[Peer]:
        """Try one address after another; each gets its part of the time that is left for them all."""
        share = min(self._clock.time_for(phase), self._limits.connect)
        until = self._clock.left() - share
        late = False
        refusal: OSError | None = None
        for index, address in enumerate(addresses):
            left = self._clock.left() - until
            if left <= 0:
                late = True
                break
            try:
                channel: primitives.Channel = yield primitives.Dial(
                    address, port, transport, left / (len(addresses) - index)
                )
            except TimeoutError:
                late = True
                continue
            except OSError as fault:
                refusal = refusal or fault
                continue
            try:
                _check_reached(channel, address, port, host)
            except BaseException:
                channel.close()
                raise
            self._reach.reached(address)
            peer = requests.Peer(label, (address, port))
            self._peers.add(peer, End(channel, transport, (address, port), host))
            where = f"{host} ({address}) port {port}" if host != address else f"{host} port {port}"
            self._trace.tell("connect", peer, where)
            return peer
        if late:
            raise self._clock.late(phase, share)
        why = f": {reason(refusal)}" if refusal is not None else ""
        raise ConnectError(f"cannot connect to {host} port {port}{why}") from refusal


def _check_reached(channel: primitives.Channel, address: str, port: int, host: str) -> None:
    try:
        reached, at = channel.address()
    except OSError as fault:
        raise ConnectError(f"cannot connect to {host} port {port}: {reason(fault)}") from fault
    if at != port or ipaddress.ip_address(reached.partition("%")[0]) != ipaddress.ip_address(address.partition("%")[0]):
        raise PolicyDenied(
            f"the system connected to {reached} port {at}, where {address} port {port} was allowed", rule="networks"
        )
