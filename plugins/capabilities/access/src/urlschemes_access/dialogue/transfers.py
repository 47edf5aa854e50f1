"""What an access has open, connections and files, and what goes over them: Send, Receive, Ready, Close."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from urlschemes_access.backends import primitives
from urlschemes_access.dialogue.system_errors import are, breach, exceeded, reason, system_refusal
from urlschemes_access.errors import AccessError, ConnectError, Truncated
from urlschemes_access.protocol.requests import CHUNK

if TYPE_CHECKING:
    from urlschemes_access.dialogue.deadline import Deadline
    from urlschemes_access.dialogue.trace import Trace
    from urlschemes_access.policy import Limits
    from urlschemes_access.protocol import requests
    from urlschemes_access.protocol.requests import Peer

__all__ = ["End", "Peers"]

DATAGRAM = 65_535
"""Octets in the largest datagram (RFC 768: a 16-bit length)."""


Transport: TypeAlias = Literal["tcp", "udp", "file", "output"]
"""What a peer is: a connection, a file that is read, a file that is written."""
_FILES = ("file", "output")


class End:
    """What the dialogue knows of one peer. `awaiting`: nothing came yet since the last octet was sent.

    `sends`: content is sent there that ends where the connection ends.
    """

    __slots__ = ("address", "awaiting", "channel", "host", "received", "sends", "transport")

    def __init__(
        self,
        channel: primitives.Channel,
        transport: Transport,
        address: tuple[str, int] | None,
        host: str,
    ) -> None:
        self.channel = channel
        self.transport = transport
        self.address = address
        self.host = host
        self.received = 0
        self.awaiting = True
        self.sends = False

    def broken(self, fault: OSError) -> AccessError:
        """The error of a connection that broke: Truncated once octets have come. Of a file, what the system says."""
        if self.transport in _FILES:
            return system_refusal(fault, "the file")
        if self.received:
            return Truncated(
                f"the connection to {self.host} broke after {self.received} octets: {reason(fault)}",
                received=self.received,
            )
        return ConnectError(f"the connection to {self.host} broke before anything came: {reason(fault)}")


class Peers:
    """The peers that an access has open. `held` counts the octets that came since something was delivered."""

    __slots__ = ("_clock", "_datagram_octets", "_datagrams", "_ends", "_limits", "_scheme", "_trace", "held")

    def __init__(self, scheme: str, limits: Limits, clock: Deadline, trace: Trace) -> None:
        self._scheme = scheme
        self._limits = limits
        self._clock = clock
        self._trace = trace
        self._ends: dict[Peer, End] = {}
        self._datagrams = 0
        self._datagram_octets = 0
        self.held = 0

    def add(self, peer: Peer, end: End) -> None:
        """`peer` was opened."""
        self._ends[peer] = end

    def end(self, peer: Peer) -> End:
        """What is known of an open peer. Raises PluginContractError where it is none."""
        try:
            return self._ends[peer]
        except (KeyError, TypeError):
            raise breach(self._scheme, "a peer that this access opened and has not closed", "another") from None

    def close(self, peer: Peer) -> None:
        """Close a peer; closing twice does nothing."""
        end = self._ends.pop(peer, None)
        if end is not None:
            end.channel.close()
            self._trace.tell("close", peer)

    def close_all(self) -> None:
        """Break off what closing would end well, and close all else that is open."""
        ends, self._ends = self._ends, {}
        for end in ends.values():  # all of them, before a listener that raises is told of the first
            if end.sends:
                end.channel.abort()
            else:
                end.channel.close()
        for peer in ends:
            self._trace.tell("close", peer)

    def send(self, request: requests.Send) -> primitives.Steps[None]:
        """Raises Truncated or ConnectError where the connection breaks, DeadlineExceeded."""
        end = self.end(request.peer)
        octets = request.octets
        if not are(bytes, octets) or end.transport == "file":
            raise breach(
                self._scheme, "Send of octets, on a connection or to a file opened for that", type(octets).__name__
            )
        if request.secret:
            self._trace.hide(request.secret)
        if self._trace.wanted:
            shown = octets.replace(request.secret, b"***") if request.secret else octets
            self._trace.tell("send", request.peer, octets=shown)
        rest = memoryview(octets)
        try:
            while rest:
                timeout = min(self._clock.time_for("send"), self._limits.idle)
                try:
                    count: int = yield primitives.Write(end.channel, rest, timeout)
                except TimeoutError as fault:
                    raise self._late_or_broken(end, fault, "send", timeout) from None
                except OSError as fault:
                    raise end.broken(fault) from fault
                self._clock.moved += count
                rest = rest[count:]
        except AccessError as error:
            error.sent = len(octets) - len(rest)
            raise
        end.awaiting = True

    def receive(self, request: requests.Receive) -> primitives.Steps[bytes | None]:
        """Raises Truncated or ConnectError where the connection breaks, DeadlineExceeded, LimitExceeded."""
        end = self.end(request.peer)
        most = request.most
        if end.transport == "output":
            raise breach(self._scheme, "Receive from a connection, or from a file opened to be read", "another")
        if type(most) is not int or most < 1:
            raise breach(self._scheme, "Receive of at least one octet", repr(request))
        most = DATAGRAM if end.transport == "udp" else min(most, CHUNK)
        while True:
            timeout, wanted = self._patience(request.within, request.phase, awaiting=end.awaiting)
            try:
                octets: bytes = yield primitives.Read(end.channel, most, timeout)
            except TimeoutError as fault:
                if wanted and fault.errno is None:
                    return None
                raise self._late_or_broken(end, fault, request.phase, timeout) from None
            except OSError as fault:
                raise end.broken(fault) from fault
            count = len(octets)
            end.received += count
            end.awaiting = False
            self._clock.moved += count
            self.held += count
            if self._trace.wanted:
                self._trace.tell("receive", request.peer, octets=self._trace.without_secrets(octets))
            if self.held > self._limits.content:
                raise exceeded("content", self._limits.content, "what came and was not delivered is over")
            if end.transport != "udp":
                return octets
            self._count_datagram(count)
            if octets:
                return octets
            # An empty datagram says nothing; for an algorithm b"" would be the end.

    def ready(self, request: requests.Ready) -> primitives.Steps[Peer | None]:
        """Raises DeadlineExceeded; Truncated or ConnectError where the system cannot wait."""
        ends = [self.end(peer) for peer in request.peers]
        if not ends:
            raise breach(self._scheme, "Ready of at least one peer", "none")
        for peer, end in zip(request.peers, ends, strict=True):
            if end.transport in _FILES:
                return peer
        timeout, wanted = self._patience(request.within, request.phase, awaiting=all(end.awaiting for end in ends))
        try:
            index: int | None = yield primitives.Wait(tuple(end.channel for end in ends), timeout)
        except OSError as fault:  # waiting needs a descriptor of its own
            raise ends[0].broken(fault) from fault
        if index is not None:
            return request.peers[index]
        if wanted:
            return None
        raise self._clock.late(request.phase, timeout)

    def _patience(self, within: float | None, phase: str, *, awaiting: bool) -> tuple[float, bool]:
        """How long to wait for an octet, and whether the algorithm wants to hear when that was in vain."""
        left = self._clock.time_for(phase)
        if within is not None:
            return (max(within, 0.0), True) if within < left else (left, False)
        return min(left, self._limits.first_octet if awaiting else self._limits.idle), False

    def _count_datagram(self, count: int) -> None:
        self._datagrams += 1
        self._datagram_octets += count
        if self._datagrams > self._limits.datagrams:
            raise exceeded("datagrams", self._limits.datagrams, "more datagrams came than")
        if self._datagram_octets > self._limits.datagram_octets:
            raise exceeded("datagram_octets", self._limits.datagram_octets, "more octets came in datagrams than")

    def _late_or_broken(self, end: End, fault: TimeoutError, phase: str, bound: float) -> AccessError:
        """A TimeoutError with an errno is the system's: it gave the connection up."""
        return self._clock.late(phase, bound) if fault.errno is None else end.broken(fault)
