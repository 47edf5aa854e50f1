"""Dialogues with servers whose octets are spoilt: each ends, in a result or a typed error, and leaves nothing open."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from unittest.mock import patch

import urlschemes_access
from urlschemes import URLError, default_registry
from urlschemes.errors import PluginError
from urlschemes_access.backends.backend import Channel
from urlschemes_access.resources import synchronous
from urlschemes_testing.demonstration import GROUP

if TYPE_CHECKING:
    from urlschemes_access.trace_event import TraceEvent
    from urlschemes_testing.demonstration import Demonstration

T = TypeVar("T")
MOST = 100_000
"""Operations of a dialogue: one that needs more does not end."""
PIECES = (
    "\r\n",
    "\n",
    "\r",
    ".\r\n",
    "\0",
    " ",
    "9" * 30,
    "-1",
    "\x1b[31m",
    "\xff\xfb\x01",
    "\xff",
    "0\r\n\r\n",
    "a" * 9000,
)
NOT_RANDOM = patch("secrets.randbelow", lambda most: most // 2)
"""A server repeats the numbers of connections, so that they must be those of the recording."""

Turns = list[list[str]]
"""What a server sends on a connection: the pieces after the client's first words, after its second ..., in Latin-1."""


class Recorded(NamedTuple):
    """An access that went well: how to carry it out, and what the server sent on each connection, in their order."""

    shown: Demonstration
    connections: list[Turns]


@cache
def recorded() -> dict[str, Recorded]:
    """Carry out the demonstration of each scheme that has a server."""
    found = {}
    for claim in default_registry.claims():
        if claim.group == GROUP and claim.name in default_registry:
            demonstrate: Any = default_registry.load(claim)
            events: list[TraceEvent] = []
            with TemporaryDirectory() as folder, demonstrate(Path(folder)) as shown, NOT_RANDOM:
                carry_out(shown, trace=events.append)
            found[claim.name] = Recorded(shown, _connections(events))
    return {name: each for name, each in found.items() if each.connections}


def _connections(events: list[TraceEvent]) -> list[Turns]:
    turns: dict[str, Turns] = {}
    for event in events:
        if event.kind == "connect":
            turns[event.peer] = [[]]
        elif event.kind == "send" and turns.get(event.peer, [[]])[-1:] != [[]]:
            turns[event.peer].append([])
        elif event.kind == "receive" and event.peer in turns and event.octets:
            turns[event.peer][-1].append(event.octets.decode("latin-1"))
    return [*turns.values()]


def carry_out(shown: Demonstration, trace: Callable[[TraceEvent], None] | None = None) -> object:
    """Carry out the operation of a demonstration, and use what it gives."""
    found = urlschemes_access.operate(shown.operation, shown.url, **shown.settings, trace=trace)
    if isinstance(found, urlschemes_access.Attributes):
        return found
    with found:
        if isinstance(found, urlschemes_access.Document):
            return found.read()
        if isinstance(found, urlschemes_access.Listing):
            return list(found)
        return shown.talk(found) if shown.talk else None


class SpoiltChannel:
    """A connection to a server that sends each turn when the client has said something after the turn before."""

    def __init__(self, backend: SpoiltBackend, address: tuple[str, int], turns: Turns, *, datagrams: bool) -> None:
        self._backend = backend
        self._address = address
        self._turns = [[piece.encode("latin-1") for piece in turn] for turn in turns]
        self._datagrams = datagrams
        self.closed = False

    @property
    def can_be_read(self) -> bool:
        """Whether octets or the end have arrived."""
        return any(self._turns[:1]) or (len(self._turns) <= 1 and not self._datagrams)

    async def receive(self, most: int, timeout: float, enough: int) -> bytes:
        """Return the next piece, or `b""` after the last."""
        self._backend.count()
        if not self.can_be_read:
            raise TimeoutError
        if not any(self._turns[:1]):
            return b""
        piece = self._turns[0].pop(0)
        if not self._datagrams and piece[most:]:
            self._turns[0].insert(0, piece[most:])
        return piece[:most]

    async def send(self, pieces: list[memoryview], timeout: float) -> int:
        """Take the octets, and let the server send its next turn."""
        self._backend.count()
        if len(self._turns) > 1 and not self._turns[0]:
            del self._turns[0]
        return sum(map(len, pieces))

    def peer_address(self) -> tuple[str, int]:
        """Return the address that was dialled."""
        return self._address

    def fileno(self) -> int:
        """Raise OSError: there is no file."""
        raise OSError(errno.EBADF, "no file")

    def close(self) -> None:
        """Close the connection."""
        self.closed = True

    abort = close


class SpoiltBackend:
    """A backend whose connections are those of a case, without sockets and without waiting."""

    def __init__(self, connections: list[Turns]) -> None:
        self._left = list(connections)
        self.channels: list[SpoiltChannel] = []
        self.operations = 0

    def count(self) -> None:
        """Count an operation; raise OSError if there are too many."""
        self.operations += 1
        if self.operations > MOST:
            raise OSError(errno.EIO, "it does not end")

    async def resolve(self, host: str, *_: object) -> list[str]:
        """Return the loopback address for every name."""
        self.count()
        return [host if host[:1].isdigit() or ":" in host else "127.0.0.1"]

    async def dial(self, address: str, port: int, transport: str, _: float) -> SpoiltChannel:
        """Open the next connection of the case; without one, refuse."""
        self.count()
        if not self._left:
            raise OSError(errno.ECONNREFUSED, "refused")
        self.channels.append(SpoiltChannel(self, (address, port), self._left.pop(0), datagrams=transport == "udp"))
        return self.channels[-1]

    async def handshake(self, channel: T, *_: object) -> T:
        """Return the channel: what was recorded is what TLS carried."""
        return channel

    async def poll(self, channels: Sequence[Channel], timeout: float) -> int | None:
        """Return the first that can be read."""
        self.count()
        return next((index for index, each in enumerate(channels) if getattr(each, "can_be_read", False)), None)

    async def use_file(self, *_: object) -> Any:
        """Refuse."""
        raise OSError(errno.EACCES, "no files")

    async def in_thread(self, action: Callable[[], T], *_: object) -> T:
        """Carry out the action."""
        return action()

    async def call(self, function: Callable[[], object]) -> object:
        """Call the function."""
        return function()

    async def take_turn(self) -> None:
        """Do nothing."""


def make(random: Random) -> list[Any]:
    """Return the name of a scheme, and its connections with up to four changes."""
    everything = recorded()
    scheme = random.choice([*everything])
    connections = [[[*turn] for turn in turns] for turns in everything[scheme].connections]
    for _ in range(random.choice((1, 1, 1, 2, 3, 4))):
        turns = random.choice(connections)
        turn = random.choice(turns)
        at = random.randint(0, len(turn))
        if at == len(turn):
            other = random.choice(
                random.choice(random.choice(everything[random.choice([*everything])].connections)) or [""]
            )
            turn.append(random.choice((other, random.choice(PIECES))))
        elif random.random() < 0.1:
            turn[at : at + 1] = random.choice(([], [turn[at]] * random.choice((2, 50))))
        elif random.random() < 0.05:
            del turn[at:], turns[turns.index(turn) + 1 :]
        else:
            turn[at] = _spoilt(random, turn[at])
    return [scheme, connections]


def _spoilt(random: Random, piece: str) -> str:
    at = random.randint(0, len(piece))
    octet = chr(random.choice((0, 10, 13, 32, 46, 48, 255, random.randrange(256))))
    new = random.choice(
        (octet, octet, "", random.choice(PIECES), piece[:at], piece[at : at + 40] * random.choice((2, 200)))
    )
    return piece[:at] + new + piece[at + random.choice((0, 1, 1, 4, 60)) :]


def judge(case: list[Any]) -> str:
    """Carry out the access. PluginError is the algorithm's fault."""
    scheme, connections = case
    backend = SpoiltBackend(connections)
    with NOT_RANDOM, patch.object(synchronous, "BlockingBackend", lambda: backend):
        try:
            carry_out(recorded()[scheme].shown)
            outcome = "a result"
        except PluginError as error:
            raise AssertionError(f"{scheme}: {error}") from error
        except URLError as error:
            outcome = type(error).__name__
    assert backend.operations <= MOST, f"{scheme}: it does not end"
    assert all(channel.closed for channel in backend.channels), f"{scheme}: a connection is left open"
    return outcome
