"""Connections: names are resolved once, every address is checked, one is dialled and checked again; and TLS."""

from __future__ import annotations

from urlschemes.errors import ConfigurationError
from urlschemes.redaction import one_line
from urlschemes_access.backends.backend import Channel
from urlschemes_access.backends.connection_pool import Destination, KeptConnection
from urlschemes_access.dialogue.caller_requests import CallerRequests
from urlschemes_access.dialogue.context import Context, DialoguePart
from urlschemes_access.dialogue.destinations import Destinations
from urlschemes_access.dialogue.system_errors import reason, tls_error
from urlschemes_access.dialogue.transfers import OpenPeer, Transfers
from urlschemes_access.errors import ConnectError, PolicyDenied, ProtocolError
from urlschemes_access.guard.route import attempts, resolve
from urlschemes_access.protocol import requests
from urlschemes_access.protocol.hosts import read_host
from urlschemes_access.protocol.requests import Peer, Transport


class Connecting(DialoguePart):
    """Makes the connections of one operation.

    Some are taken from the pool and released to it, if there is one.
    """

    def __init__(
        self, context: Context, destinations: Destinations, transfers: Transfers, caller: CallerRequests
    ) -> None:
        super().__init__(context)
        self._destinations = destinations
        self._transfers = transfers
        self._caller = caller
        self._settings = context.operation.settings
        self._addresses: dict[tuple[str, str], list[str]] = {}

    async def connect(self, request: requests.Connect) -> Peer:
        """Connect to an allowed address of a host, or reuse a connection from the pool.

        Raises UnsafeURL, PolicyDenied, LimitExceeded, ResolveError, ConnectError, DeadlineExceeded.
        """
        host, port, transport = request.host, request.port, request.transport
        self._destinations.check_host_and_port(host, port)
        self._destinations.add_connection()
        login = self._caller.known_login(host, port)
        destination = self._destination(request)
        if destination is not None and (peer := (await self._reused(destination, request))) is not None:
            peer.login = login
            return peer
        addresses = await self._resolve(host, port, transport)
        addresses = self._destinations.allowed_addresses(addresses, host)
        peer = await self._dial(addresses, port, transport, host, request.label, "connect")
        peer.login = login
        if destination is not None:
            peer.keepable = True
            self._transfers.find(peer).destination = destination
        return peer

    async def release(self, request: requests.Release) -> None:
        peer = request.peer
        open_peer = self._transfers.find(peer)
        if open_peer.destination is None or self._context.pool is None or peer.address is None or request.state is None:
            raise self._breach("Release of a connection that is keepable, with a state", repr(request))
        self._transfers.remove(peer)
        self._context.pool.keep(
            KeptConnection(open_peer.destination, open_peer.channel, peer.address, peer.secure, request.state)
        )
        self._trace.emit("keep", peer)

    async def connect_back(self, request: requests.ConnectBack) -> Peer:
        """Open a data connection to the address of a control connection.

        Raises ProtocolError for a port below 1024, PolicyDenied, and the errors of `connect`.
        """
        control = self._transfers.find(request.peer)
        if control.address is None:
            raise self._breach("ConnectBack to a connection", "a file")
        if not 1024 <= request.port < 65536:
            port = one_line(str(request.port), 20)
            raise ProtocolError(
                f"invalid port {port} for {request.label}: expected a number from 1024 to 65535", where=request.label
            )
        try:
            self._destinations.check_port(request.port)
        except PolicyDenied as denied:
            message = f"{request.label} connection: {denied.message}"
            raise PolicyDenied(message, rule=denied.rule, hint=denied.hint) from None
        self._destinations.add_connection()
        address = control.address[0]
        peer = await self._dial([address], request.port, "tcp", control.host, request.label, request.label)
        self._transfers.find(peer).sends = request.sends
        return peer

    async def start_tls(self, request: requests.StartTLS) -> None:
        """Start TLS on a connection.

        Raises UnsafeURL, TLSError, DeadlineExceeded; ConfigurationError for files of certificates that cannot be used.
        """
        open_peer = self._transfers.find(request.peer)
        if open_peer.kind != "tcp" or request.peer.secure:
            raise self._breach("StartTLS on a connection without TLS", repr(request))
        name = read_host(request.host).name
        timeout = min(self._deadline.time_for("tls"), self._limits.connect)
        try:
            open_peer.channel = await self._context.backend.handshake(
                open_peer.channel, self._settings.tls, name, timeout
            )
        except TimeoutError:
            raise self._deadline.error("tls", timeout) from None
        except ConfigurationError:
            raise
        except (OSError, ValueError) as fault:  # ValueError: a context that refuses the name
            raise tls_error(request.host, fault) from fault
        request.peer.secure = True
        self._trace.emit("tls", request.peer, f"with {request.host}")

    def _destination(self, request: requests.Connect) -> Destination | None:
        """Return the destination of a connection that may be kept; None for any other."""
        if self._context.pool is None or request.reuse is None or request.transport != "tcp":
            return None
        settings = (self._settings.tls, self._settings.credentials)  # the state of a connection depends on them
        return Destination(self._scheme, read_host(request.host).name, request.port, request.reuse, settings)

    async def _reused(self, destination: Destination, request: requests.Connect) -> Peer | None:
        """Return a connection of the pool; None if there is none.

        One that the server has closed is dropped, one on which it sent something unasked, and one to an address that
        the policy of this operation denies.
        """
        pool = self._context.pool
        while pool is not None and (kept := pool.take(destination)) is not None:
            try:
                self._destinations.allowed_addresses([kept.address[0]], request.host)
                readable: int | None = await self._context.backend.poll((kept.channel,), 0.0)
            except (OSError, PolicyDenied):
                readable = 0
            except BaseException:
                kept.channel.close()
                raise
            if readable is None:
                peer = self._connected(kept.channel, *kept.address, "tcp", request.host, request.label, kept=True)
                peer.keepable, peer.kept, peer.secure = True, kept.state, kept.secure
                self._transfers.find(peer).destination = destination
                return peer
            kept.channel.close()
        return None

    async def _resolve(self, host: str, port: int, transport: Transport) -> list[str]:
        """Return the addresses of `host`. It is resolved once, so that its addresses cannot change between two uses."""
        name, literal = read_host(host)
        if literal is not None:
            return [name]
        known = self._addresses.get((name, transport))
        if known is not None:
            return known
        backend, deadline = self._context.backend, self._deadline
        addresses = await resolve(backend, deadline, name, port, transport, self._limits.resolve)
        self._trace.emit("resolve", None, f"{host} is {', '.join(addresses)}")
        self._addresses[name, transport] = addresses
        return addresses

    async def _dial(
        self, addresses: list[str], port: int, transport: Transport, host: str, label: str, phase: str
    ) -> Peer:
        """Try one address after another; each gets an equal share of the time left for those that remain."""
        share = min(self._deadline.time_for(phase), self._limits.connect)
        faults: list[OSError] = []
        for address, seconds in attempts(addresses, self._deadline, share):
            try:
                channel: Channel = await self._context.backend.dial(address, port, transport, seconds)
            except OSError as fault:
                faults.append(fault)
                continue
            return self._connected(channel, address, port, transport, host, label)
        if len(faults) < len(addresses) or any(isinstance(fault, TimeoutError) for fault in faults):
            raise self._deadline.error(phase, share)
        raise ConnectError(f"cannot connect to {host} port {port}: {reason(faults[0])}") from faults[0]

    def _connected(
        self,
        channel: Channel,
        address: str,
        port: int,
        transport: Transport,
        host: str,
        label: str,
        *,
        kept: bool = False,
    ) -> Peer:
        try:
            self._destinations.check_peer(channel.peer_address(), address, port, host)
        except OSError as fault:
            channel.close()
            raise ConnectError(f"cannot connect to {host} port {port}: {reason(fault)}") from fault
        except BaseException:
            channel.close()
            raise
        peer = Peer(label, (address, port))
        self._transfers.add(peer, OpenPeer(channel, transport, address=(address, port), host=host))
        where = f"{host} ({address}) port {port}" if host.strip("[]") != address else f"{host} port {port}"
        self._trace.emit("connect", peer, f"{where}, kept open by an earlier operation" if kept else where)
        return peer
