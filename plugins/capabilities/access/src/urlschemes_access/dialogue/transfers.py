"""Transfers over the open connections and files of an operation: Send, Receive, Ready, Close."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from urlschemes_access.backends.backend import Channel
from urlschemes_access.backends.connection_pool import Destination
from urlschemes_access.dialogue.context import Context, DialoguePart
from urlschemes_access.dialogue.system_errors import is_tls_fault, reason, system_refusal, tls_error
from urlschemes_access.errors import AccessError, ConnectError, Truncated
from urlschemes_access.protocol import requests
from urlschemes_access.protocol.requests import CHUNK, Peer

TRACED_AT_ONCE = 256 * 1024
"""Octets sent that one event shows."""
DATAGRAM = 65_535
"""The most octets in a datagram (RFC 768: a 16-bit length)."""

Kind: TypeAlias = Literal["tcp", "udp", "input file", "output file"]


class OpenPeer:
    """An open connection or file, as the dialogue sees it.

    `awaiting` is True until the first octet arrives after the last one sent. `sends` is True for a data connection that
    carries content which ends when the connection closes. `destination` is set if the connection may be kept.
    """

    def __init__(self, channel: Channel, kind: Kind, *, address: tuple[str, int] | None = None, host: str = "") -> None:
        self.channel = channel
        self.kind = kind
        self.address = address
        self.host = host
        self.received = 0
        self.awaiting = True
        self.sends = False
        self.destination: Destination | None = None

    @property
    def is_file(self) -> bool:
        return self.kind in ("input file", "output file")

    def error(self, fault: OSError) -> AccessError:
        if self.is_file:
            return system_refusal(fault, "the file")
        if is_tls_fault(fault):
            return tls_error(self.host, fault, received=self.received)
        if self.received:
            return Truncated(
                f"the connection to {self.host} broke after {self.received} octets: {reason(fault)}",
                received=self.received,
            )
        return ConnectError(f"the connection to {self.host} broke before the first octet: {reason(fault)}")


class Transfers(DialoguePart):
    """The open peers of an operation.

    `received` counts the octets received, `undelivered` those since the last delivery.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._open_peers: dict[Peer, OpenPeer] = {}
        self._datagrams = 0
        self.undelivered = 0
        self.received = 0

    def add(self, peer: Peer, open_peer: OpenPeer) -> None:
        self._open_peers[peer] = open_peer

    def find(self, peer: Peer) -> OpenPeer:
        """Return the state of an open peer. Raises PluginContractError if it is not open in this operation."""
        try:
            return self._open_peers[peer]
        except (KeyError, TypeError):
            raise self._breach("an open peer of this operation", "another") from None

    def remove(self, peer: Peer) -> None:
        del self._open_peers[peer]

    def close(self, request: requests.Close) -> None:
        """Close a peer; closing it again does nothing."""
        open_peer = self._open_peers.pop(request.peer, None)
        if open_peer is not None:
            open_peer.channel.close()
            self._trace.emit("close", request.peer)

    def close_all(self) -> None:
        """Close everything. A connection whose end would mark the end of content is aborted."""
        open_peers, self._open_peers = self._open_peers, {}
        for open_peer in open_peers.values():  # all, before a tracer that raises hears of the first
            if open_peer.sends:
                open_peer.channel.abort()
            else:
                open_peer.channel.close()
        for peer in open_peers:
            self._trace.emit("close", peer)

    async def send(self, request: requests.Send) -> None:
        """Send octets to a connection, or write them to a file.

        Raises Truncated or ConnectError if the connection breaks, DeadlineExceeded.
        """
        open_peer = self.find(request.peer)
        if open_peer.kind == "input file":
            raise self._breach("Send to a connection or to a file opened for writing", open_peer.kind)
        if request.secret:
            self._trace.add_secret(request.secret)
        if self._trace.wanted and request.secret:
            self._trace.emit("send", request.peer, octets=request.octets.replace(request.secret, b"***"))
        sent = 0
        self._deadline.begin_sending()
        try:
            for pieces in self._traced(request) if self._trace.wanted and not request.secret else [request.pieces]:
                rest = [memoryview(piece) for piece in pieces if piece]
                while rest:
                    timeout = self._deadline.time_for("send")
                    try:
                        count: int = await open_peer.channel.send(rest, timeout)
                    except TimeoutError as fault:
                        raise self._timeout_error(open_peer, fault, "send", timeout) from None
                    except OSError as fault:
                        raise open_peer.error(fault) from fault
                    self._deadline.add_sent(count)
                    sent += count
                    while rest and count >= len(rest[0]):
                        count -= len(rest.pop(0))
                    if count:
                        rest[0] = rest[0][count:]
        except AccessError as error:
            error.accepted = sent
            raise
        finally:
            self._deadline.end_sending()
        open_peer.awaiting = True

    def _traced(self, request: requests.Send) -> Iterator[tuple[bytes]]:
        """Yield the octets piece by piece, each after the tracer was told of it: it can show the progress."""
        octets = request.octets
        for start in range(0, len(octets), TRACED_AT_ONCE):
            piece = octets[start : start + TRACED_AT_ONCE]
            self._trace.emit("send", request.peer, octets=piece)
            yield (piece,)

    async def receive(self, request: requests.Receive) -> bytes | None:
        """Return the next octets; `b""` at the end, None if none arrive in the time that the request allows.

        Raises Truncated or ConnectError if the connection breaks, DeadlineExceeded, LimitExceeded.
        """
        open_peer = self.find(request.peer)
        if open_peer.kind == "output file":
            raise self._breach("Receive from a connection, or from a file opened for reading", "another")
        if request.most < 1:
            raise self._breach("Receive of at least one octet", repr(request))
        most = DATAGRAM if open_peer.kind == "udp" else min(request.most, CHUNK)
        enough = most if request.enough is None else min(request.enough, most)
        while True:
            timeout, returns_none = self._timeout(request.within, request.phase, awaiting=open_peer.awaiting)
            try:
                octets: bytes = await open_peer.channel.receive(most, timeout, enough)
            except TimeoutError as fault:
                if returns_none and fault.errno is None:
                    return None
                raise self._timeout_error(open_peer, fault, request.phase, timeout) from None
            except OSError as fault:
                raise open_peer.error(fault) from fault
            self._count(request.peer, open_peer, octets)
            if octets or open_peer.kind != "udp":
                return octets
            # An empty datagram is dropped: to an algorithm, b"" would be the end.

    async def ready(self, request: requests.Ready) -> Peer | None:
        """Return the first peer that has octets to receive; None if none has in the time that the request allows.

        Raises DeadlineExceeded; Truncated or ConnectError if the system cannot wait.
        """
        open_peers = [self.find(peer) for peer in request.peers]
        if not open_peers:
            raise self._breach("Ready of at least one peer", "none")
        for peer, open_peer in zip(request.peers, open_peers, strict=True):
            if open_peer.is_file:
                return peer
        awaiting = all(open_peer.awaiting for open_peer in open_peers)
        timeout, returns_none = self._timeout(request.within, request.phase, awaiting=awaiting)
        try:
            index: int | None = await self._context.backend.poll([each.channel for each in open_peers], timeout)
        except OSError as fault:
            raise open_peers[0].error(fault) from fault
        if index is not None:
            return request.peers[index]
        if returns_none:
            return None
        raise self._deadline.error(request.phase, timeout)

    def _timeout(self, within: float | None, phase: str, *, awaiting: bool) -> tuple[float, bool]:
        """Return the seconds to wait, and True if the answer is None after that."""
        if within is not None:
            left = self._deadline.time_for(phase, idle=False)
            return (max(within, 0.0), True) if within < left else (left, False)
        left = self._deadline.time_for(phase)
        return (min(left, self._limits.first_octet) if awaiting else left), False

    def _count(self, peer: Peer, open_peer: OpenPeer, octets: bytes) -> None:
        count = len(octets)
        open_peer.received += count
        open_peer.awaiting = False
        self.undelivered += count
        self.received += count
        if self._trace.wanted:
            self._trace.emit("receive", peer, octets=self._trace.hide_in_octets(octets))
        if self.undelivered > self._limits.content:
            raise self._limits.exceeded("content", "the octets received but not delivered are more than")
        if open_peer.kind == "udp":
            self._datagrams += 1
            if self._datagrams > self._limits.datagrams:
                raise self._limits.exceeded("datagrams", "the server sent more datagrams than")

    def _timeout_error(self, open_peer: OpenPeer, fault: TimeoutError, phase: str, bound: float) -> AccessError:
        """Return the error for a timeout: with an errno, the system gave the connection up."""
        return self._deadline.error(phase, bound) if fault.errno is None else open_peer.error(fault)
