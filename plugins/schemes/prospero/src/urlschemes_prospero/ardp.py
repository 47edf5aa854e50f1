"""ARDP, the Asynchronous Reliable Delivery Protocol, which carries Prospero's messages over UDP.

From the protocol's document (version 5, appendix on ARDP). A message goes in packets of at most 1250 octets of text,
and each begins with a header, big-endian, which may be cut off behind any field:

    length | connection id | number | total | received through | wait | flags | option | fields of these two
      1            2           2        2            2             2      1       1

One message asks and one answers, under one connection id. A packet with the number 0 belongs to no message. The one who
sends waits for an acknowledgement after 16 packets; the one who asks sends again what nobody answered.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from urlschemes.errors import UnsafeURL
from urlschemes_access.errors import DeadlineExceeded, RemoteError
from urlschemes_access.protocol import Algorithm, Peer, Receive, Send

__all__ = ["RETRY", "Packet", "Redirected", "check_length", "exchange", "new_identifier"]

TEXT = 1250
"""Octets of text in one packet."""
WINDOW = 16
"""Packets that are sent without an acknowledgement."""
RETRY = 4.0
"""Seconds to wait for an answer before the request is sent again; doubled each time."""
RETRIES = 3
"""How often a request is sent again before anything came; and how often the time to wait is doubled."""
FRUITLESS = 16
"""How often it is sent again, without anything new, after some of the answer came."""
LONGEST_WAIT = 60.0
"""Seconds that a server may have us wait before it is asked again."""

HEADER = 9
LONGEST_HEADER = 31
"""A first octet beyond this is the text of an older protocol, for real servers and clients alike."""
_HEADERS = frozenset({3, 5, 7, 9, *range(11, LONGEST_HEADER + 1)})  # between these a field would be cut in two

_HAS_ADDRESS, _HAS_PRIORITY, _HAS_PROTOCOL, _HAS_WINDOW, _IS_CONTROL, _ACKNOWLEDGE = 0x01, 0x02, 0x04, 0x08, 0x40, 0x80
_REFUSED, _RESET_THROUGH, _REDIRECT, _REDIRECT_ALL = 1, 2, 4, 5


class Redirected(NamedTuple):
    """Where a server wants the request to be sent instead: a dotted quad and a port."""

    host: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Packet:
    """One packet. `number` counts from 1 (0: it belongs to no message); a `total` of 0 is not known yet.

    `through` is the number up to which its sender has received everything, `wait` the seconds for which the sender
    wants no repetition; both are None where the header ends before them.
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
    redirected: Redirected | None = None
    text: bytes = b""

    @classmethod
    def parse(cls, datagram: bytes) -> Packet | None:
        """The packet that a datagram holds; None where it is malformed."""
        length = datagram[0] if datagram else 0
        if length not in _HEADERS or length > len(datagram):
            return None
        header = datagram[:length]
        identifier, number, total, through, wait = (
            int.from_bytes(header[at : at + 2]) if at < length else None for at in range(1, 11, 2)
        )
        flags = header[11] if length > 11 else 0
        option = header[12] if length > 12 else 0
        redirected = None
        if option in {_REDIRECT, _REDIRECT_ALL}:
            redirected = _destination(header, flags)
            if redirected is None:
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
            redirected=redirected,
            text=datagram[length:],
        )

    def octets(self) -> bytes:
        """The packet as a client sends it: a header of nine octets, and the text."""
        fields = (self.identifier, self.number, self.total, self.through or 0)
        return bytes((HEADER,)) + b"".join(number.to_bytes(2) for number in fields) + self.text


def _destination(header: bytes, flags: int) -> Redirected | None:
    """The address of a redirect, which stands behind the fields of the flags; None where it is not all there."""
    at = 13
    if flags & _HAS_ADDRESS:
        at += 2 + (header[at + 1] if at + 1 < len(header) else LONGEST_HEADER)
    at += 2 * sum(bool(flags & flag) for flag in (_HAS_PRIORITY, _HAS_PROTOCOL, _HAS_WINDOW))
    where = header[at : at + 6]
    if len(where) < 6:
        return None
    return Redirected(".".join(map(str, where[:4])), int.from_bytes(where[4:]))


def new_identifier() -> int:
    """A connection id that nobody can guess: who cannot see the request cannot answer it."""
    return secrets.randbelow(0xFFFF) + 1


def check_length(message: bytes) -> None:
    """Raises UnsafeURL for a request that would not go in one window."""
    if len(message) > WINDOW * TEXT:
        raise UnsafeURL(
            f"the request would have {len(message)} octets, and {WINDOW * TEXT} can be sent",
            part="hsoname",
            hint="the name is too long",
        )


@dataclass(slots=True)
class _Answer:
    """What has come of an answer. `acknowledged` counts the packets of the request that the server says it has.

    `owed` is the last packet whose acknowledgement the server wants and has not got.
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
    def gap(self) -> bool:
        """Whether a packet came and one before it did not."""
        return self.highest > self.through

    @property
    def text(self) -> bytes:
        return b"".join(self.texts[number] for number in range(1, self.total + 1))

    def fits(self, packet: Packet) -> bool:
        """Whether the packet can belong to the answer, by its number and what it says of the total."""
        total = packet.total or self.total
        return packet.total in {0, self.total or packet.total} and (not total or packet.number <= total >= self.highest)

    def take(self, packet: Packet) -> bool:
        """Take a packet in; whether anything is new. Of two copies the first counts."""
        if packet.through is not None:
            known = 0 if packet.reset else self.acknowledged
            self.acknowledged = min(max(known, packet.through), self.requested)
        if packet.wait is not None:
            self.wait = min(packet.wait, LONGEST_WAIT)
        if not packet.number:
            return bool(packet.wait)
        self.total = packet.total or self.total
        if packet.number in self.texts:
            return False
        if packet.wait is None:
            self.wait = 0  # the answer has begun: what is missing now was lost
        self.texts[packet.number] = b"" if packet.control else packet.text
        self.highest = max(self.highest, packet.number)
        while self.through + 1 in self.texts:
            self.through += 1
        return True


def exchange(peer: Peer, message: bytes, *, retry: float = RETRY) -> Algorithm[bytes | Redirected]:
    """Send the message and give the answer to it, or where the server wants it to be sent.

    What is malformed or of another connection id is dropped; of the bytes of the id either may come first, since
    real servers swap them in what they send again. Raises RemoteError where the server refuses, DeadlineExceeded where
    nothing came for `retry` seconds, doubled with each of three repetitions. Where some of the answer came, there are
    more of these; and a quarter of the time is enough where a packet is missing before one that came.
    """
    identifier = new_identifier()
    ours = {identifier, identifier >> 8 | (identifier & 0xFF) << 8}
    texts = [message[at : at + TEXT] for at in range(0, len(message), TEXT)]
    packets = [
        Packet(identifier=identifier, number=number, total=len(texts), text=text)
        for number, text in enumerate(texts, 1)
    ]
    answer = _Answer(len(packets))
    silent = fruitless = 0  # repetitions since anything came, and since anything new did
    for packet in packets:
        yield from Send(peer, packet.octets())
    while not answer.complete:
        patience = answer.wait or retry * 2 ** min(silent, RETRIES) / (4 if answer.gap else 1)
        try:
            datagram = yield from Receive(peer, within=patience)
        except DeadlineExceeded as late:
            raise _silent(answer) from late
        if datagram is None:
            if fruitless == (FRUITLESS if answer.texts else RETRIES):
                raise _silent(answer)
            silent += 1
            fruitless += 1
            for packet in packets[answer.acknowledged :]:
                yield from Send(peer, replace(packet, through=answer.through).octets())
            if answer.acknowledged == len(packets):
                yield from Send(peer, _acknowledgement(identifier, answer.through))
            continue
        came = Packet.parse(datagram)
        if came is None or came.identifier not in ours or not answer.fits(came):
            continue
        if came.refused:
            raise RemoteError("the server refuses to be asked", status="refused", temporary=True)
        if came.redirected:
            return came.redirected
        silent = 0
        if answer.take(came):
            fruitless = 0
        if came.acknowledge and came.number:
            answer.owed = max(answer.owed, came.number)
            yield from Send(peer, _acknowledgement(identifier, answer.through))
        elif answer.owed and answer.through >= answer.owed:
            yield from Send(peer, _acknowledgement(identifier, answer.through))
        if answer.through >= answer.owed:
            answer.owed = 0
    return answer.text


def _acknowledgement(identifier: int, through: int) -> bytes:
    return Packet(identifier=identifier, number=0, through=through).octets()


def _silent(answer: _Answer) -> DeadlineExceeded:
    if not answer.texts:
        return DeadlineExceeded("nothing came of an answer in time", phase="response")
    of = f"{answer.total} packets" if answer.total else "the packets"
    return DeadlineExceeded(f"{len(answer.texts)} of {of} came in time, and then no more", phase="content")
