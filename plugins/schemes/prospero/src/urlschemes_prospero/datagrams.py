"""ARDP, the Asynchronous Reliable Delivery Protocol, which carries Prospero's messages over UDP.

From its specification (version 5, appendix on ARDP). A message is sent in packets of at most 1250 octets of text. Each
begins with a header, big-endian, which may end after any field:

    length | connection id | number | total | received through | wait | flags | option | fields of these two
      1            2           2        2            2             2      1       1

A request and its response have the same connection id. A packet with the number 0 belongs to no message. The sender of
a message waits for an acknowledgement after 16 packets; the client repeats a request that is not answered.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from urlschemes.errors import UnsafeURL
from urlschemes_access.errors import DeadlineExceeded, RemoteError
from urlschemes_access.protocol import Algorithm, Peer, Receive, Send

__all__ = ["RETRY", "Packet", "Redirect", "check_length", "exchange", "new_identifier"]

MAX_TEXT = 1250
"""Octets of text in one packet."""
WINDOW = 16
"""Packets that are sent without an acknowledgement."""
RETRY = 4.0
"""Seconds to wait for a response before the request is repeated; doubled each time."""
RETRIES = 3
"""Repetitions before anything arrived, and times that the waiting time is doubled."""
FRUITLESS_RETRIES = 16
"""Repetitions without anything new, after a part of the response arrived."""
MAX_WAIT = 60.0
"""Seconds that a server may ask the client to wait."""

HEADER = 9
MAX_HEADER = 31
"""Octets in a header; real servers and clients take a larger first octet for the text of an older protocol."""
_HEADERS = frozenset({3, 5, 7, 9, *range(11, MAX_HEADER + 1)})  # other lengths end within a field

_HAS_ADDRESS, _HAS_PRIORITY, _HAS_PROTOCOL, _HAS_WINDOW, _IS_CONTROL, _ACKNOWLEDGE = 0x01, 0x02, 0x04, 0x08, 0x40, 0x80
_REFUSED, _RESET_THROUGH, _REDIRECT, _REDIRECT_ALL = 1, 2, 4, 5


class Redirect(NamedTuple):
    """The server that the request is to be sent to instead: an IPv4 address and a port."""

    host: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Packet:
    """One packet. `number` counts from 1 (0: part of no message); a `total` of 0 is not known yet.

    `through` is the number up to which the sender has received all packets, `wait` the seconds for which it wants no
    repetition; both are None if the header ends before them.
    """

    identifier: int
    number: int = 1
    total: int = 0
    through: int | None = None
    wait: int | None = None
    control: bool = False
    acknowledge: bool = False
    refused: bool = False
    reset: bool = False
    redirect: Redirect | None = None
    text: bytes = b""

    @classmethod
    def parse(cls, datagram: bytes) -> Packet | None:
        """Return the packet in a datagram; None if it is malformed."""
        length = datagram[0] if datagram else 0
        if length not in _HEADERS or length > len(datagram):
            return None
        header = datagram[:length]
        identifier, number, total, through, wait = (
            int.from_bytes(header[at : at + 2]) if at < length else None for at in range(1, 11, 2)
        )
        flags = header[11] if length > 11 else 0
        option = header[12] if length > 12 else 0
        redirect = None
        if option in {_REDIRECT, _REDIRECT_ALL}:
            redirect = _parse_redirect(header, flags)
            if redirect is None:
                return None
        return cls(
            identifier=identifier or 0,
            number=1 if number is None else number,
            total=total or (1 if number is None else 0),
            through=through,
            wait=wait,
            control=bool(flags & _IS_CONTROL),
            acknowledge=bool(flags & _ACKNOWLEDGE),
            refused=option == _REFUSED,
            reset=option == _RESET_THROUGH,
            redirect=redirect,
            text=datagram[length:],
        )

    def octets(self) -> bytes:
        """Return the packet as a client sends it: a header of nine octets, and the text."""
        fields = (self.identifier, self.number, self.total, self.through or 0)
        return bytes((HEADER,)) + b"".join(number.to_bytes(2) for number in fields) + self.text


def _parse_redirect(header: bytes, flags: int) -> Redirect | None:
    """Return the address of a redirect, which follows the fields of the flags; None if it is incomplete."""
    at = 13
    if flags & _HAS_ADDRESS:
        at += 2 + (header[at + 1] if at + 1 < len(header) else MAX_HEADER)
    at += 2 * sum(bool(flags & flag) for flag in (_HAS_PRIORITY, _HAS_PROTOCOL, _HAS_WINDOW))
    address = header[at : at + 6]
    if len(address) < 6:
        return None
    return Redirect(".".join(map(str, address[:4])), int.from_bytes(address[4:]))


def new_identifier() -> int:
    """Return a random connection id: only a server that sees the request can answer it."""
    return secrets.randbelow(0xFFFF) + 1


def check_length(message: bytes) -> None:
    """Raise UnsafeURL if a request is larger than one window."""
    if len(message) > WINDOW * MAX_TEXT:
        raise UnsafeURL(
            f"the request has {len(message)} octets: expected at most {WINDOW * MAX_TEXT} octets",
            part="hsoname",
            hint="use a shorter name",
        )


@dataclass(slots=True)
class _Response:
    """The packets of a response received so far.

    `acknowledged` is the number of packets of the request that the server has. `owed` is the number of the last packet
    whose acknowledgement the server wants and has not got.
    """

    requested: int
    total: int = 0
    through: int = 0
    highest: int = 0
    wait: float = 0
    acknowledged: int = 0
    owed: int = 0
    texts: dict[int, bytes] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        return self.through == self.total > 0

    @property
    def has_gap(self) -> bool:
        """True if a packet is missing before one that arrived."""
        return self.highest > self.through

    @property
    def text(self) -> bytes:
        return b"".join(self.texts[number] for number in range(1, self.total + 1))

    def fits(self, packet: Packet) -> bool:
        """Return True if number and total of the packet agree with those received."""
        total = packet.total or self.total
        return packet.total in {0, self.total or packet.total} and (not total or packet.number <= total >= self.highest)

    def add(self, packet: Packet) -> bool:
        """Add a packet, and return True if it is new. Of several copies the first counts."""
        if packet.through is not None:
            known = 0 if packet.reset else self.acknowledged
            self.acknowledged = min(max(known, packet.through), self.requested)
        if packet.wait is not None:
            self.wait = min(packet.wait, MAX_WAIT)
        if not packet.number:
            return bool(packet.wait)
        self.total = packet.total or self.total
        if packet.number in self.texts:
            return False
        if packet.wait is None:
            self.wait = 0  # the response has begun: what is missing now was lost
        self.texts[packet.number] = b"" if packet.control else packet.text
        self.highest = max(self.highest, packet.number)
        while self.through + 1 in self.texts:
            self.through += 1
        return True


def exchange(peer: Peer, message: bytes, *, retry: float = RETRY) -> Algorithm[bytes | Redirect]:
    """Send a message and return the response, or the server that the message is to be sent to instead.

    Malformed packets and those of another connection id are dropped; the octets of the id may be swapped, as real
    servers swap them in repetitions. Raise RemoteError if the server refuses; DeadlineExceeded if nothing arrived for
    `retry` seconds, doubled with each of three repetitions. After a part of the response arrived there are more
    repetitions, and they are sent after a quarter of the time if a packet before the last one is missing.
    """
    identifier = new_identifier()
    identifiers = {identifier, identifier >> 8 | (identifier & 0xFF) << 8}
    packets = _split_message(identifier, message)
    response = _Response(len(packets))
    silent = fruitless = 0  # repetitions since anything arrived, and since anything new did
    for packet in packets:
        yield from Send(peer, packet.octets())
    while not response.complete:
        timeout = response.wait or retry * 2 ** min(silent, RETRIES) / (4 if response.has_gap else 1)
        try:
            datagram = yield from Receive(peer, within=timeout)
        except DeadlineExceeded as late:
            raise _incomplete(response) from late
        if datagram is None:
            if fruitless == (FRUITLESS_RETRIES if response.texts else RETRIES):
                raise _incomplete(response)
            silent += 1
            fruitless += 1
            yield from _repeat(peer, identifier, packets, response)
            continue
        received = Packet.parse(datagram)
        if received is None or received.identifier not in identifiers or not response.fits(received):
            continue
        if received.refused:
            raise RemoteError("the server refused the connection", status="refused", temporary=True)
        if received.redirect:
            return received.redirect
        silent = 0
        if response.add(received):
            fruitless = 0
        yield from _acknowledge(peer, identifier, received, response)
    return response.text


def _split_message(identifier: int, message: bytes) -> list[Packet]:
    texts = [message[at : at + MAX_TEXT] for at in range(0, len(message), MAX_TEXT)]
    return [
        Packet(identifier=identifier, number=number, total=len(texts), text=text)
        for number, text in enumerate(texts, 1)
    ]


def _repeat(peer: Peer, identifier: int, packets: list[Packet], response: _Response) -> Algorithm[None]:
    """Send the packets of the request again that the server lacks; if it has all, only the acknowledgement."""
    for packet in packets[response.acknowledged :]:
        yield from Send(peer, replace(packet, through=response.through).octets())
    if response.acknowledged == len(packets):
        yield from Send(peer, _acknowledgement(identifier, response.through))


def _acknowledge(peer: Peer, identifier: int, received: Packet, response: _Response) -> Algorithm[None]:
    """Send the acknowledgement that a packet wants; and again once all packets before that one have arrived."""
    if received.acknowledge and received.number:
        response.owed = max(response.owed, received.number)
        yield from Send(peer, _acknowledgement(identifier, response.through))
    elif response.owed and response.through >= response.owed:
        yield from Send(peer, _acknowledgement(identifier, response.through))
    if response.through >= response.owed:
        response.owed = 0


def _acknowledgement(identifier: int, through: int) -> bytes:
    return Packet(identifier=identifier, number=0, through=through).octets()


def _incomplete(response: _Response) -> DeadlineExceeded:
    if not response.texts:
        return DeadlineExceeded("no response arrived in time", phase="response")
    total = f"{response.total} packets" if response.total else "an unknown number of packets"
    return DeadlineExceeded(f"only {len(response.texts)} of {total} arrived in time", phase="content")
