r"""The octets of a Telnet connection, without I/O (RFC 854, RFC 855): data and commands told apart, in both directions.

    IAC WILL|WONT|DO|DONT option        negotiation, answered by the Q method
    IAC SB option ... IAC SE            subnegotiation; no server has one for us
    IAC IAC                             the octet FF
    CR LF, CR NUL                       a new line, and a carriage return alone, where the NVT's rules hold

What is received becomes data and octets to answer, however it was cut. Data is kept octet by octet: only the NUL behind
a CR is no data. What the other side can make us say is bounded.
"""

from __future__ import annotations

import re

from urlschemes_access.errors import LimitExceeded
from urlschemes_telnet.options import BINARY, ECHO, NAWS, OURS, THEIRS, Side

__all__ = ["ANSWERS", "COMMANDS", "SUBNEGOTIATION", "Stream"]

SE, IP, SB, WILL, WONT, DO, DONT, IAC = 240, 244, 250, 251, 252, 253, 254, 255

ANSWERS = 64
"""Answers that are given to the other side between two things that the caller says."""
SUBNEGOTIATION = 1024
"""Octets in one subnegotiation."""
COMMANDS = 64 * 1024
"""Octets of commands without one of data between them, and without a word of the caller's."""
LARGEST = 65535
"""Columns or rows of the largest window (RFC 1073: 16 bits each); 0 is a number that nobody knows."""

_DATA = re.compile(rb"(?>(?:[^\xff]+|\xff\xff)+)")
_LONE_RETURN = re.compile(rb"\r(?!\n)")


class Stream:
    """Both directions of one connection. A window of `columns` and `rows`, if not 0, may be told to the other side.

    `ours` and `theirs` are the options of each side.
    """

    __slots__ = ("_answered", "_asked", "_command", "_commands", "_returned", "_sub", "_window", "ours", "theirs")

    def __init__(self, columns: int = 0, rows: int = 0) -> None:
        self.ours = Side(OURS)
        self.theirs = Side(THEIRS)
        self._window = b""
        self._asked = False  # the other side has asked for the window's size
        self._answered = 0
        self._commands = 0
        self._command = 0  # IAC, or the verb whose option comes next; 0 outside of commands
        self._sub: int | None = None  # octets of a subnegotiation so far; none of them is for us
        self._returned = False  # the last octet of data was a CR
        self.resize(columns, rows)

    @property
    def unfinished(self) -> bool:
        """Whether what was received ends within a command."""
        return bool(self._command) or self._sub is not None

    @property
    def echoes(self) -> bool:
        """Whether the other side shows what it gets."""
        return self.theirs.has(ECHO)

    # What is received

    def receive(self, octets: bytes) -> tuple[bytes, bytes]:
        """The data in `octets`, and what is to be sent back. Raises LimitExceeded for what asks too much."""
        data, answers = bytearray(), bytearray()
        position = 0
        while position < len(octets):
            if not self._command:
                if self._sub is None:
                    piece = _data_at(octets, position)
                    if piece:
                        data += self._text(piece)
                        self._commands = 0
                else:
                    end = octets.find(IAC, position)
                    piece = octets[position : end if end >= 0 else len(octets)]
                    self._skip(len(piece))
                position += len(piece)
                if position == len(octets):
                    break
            self._obey(octets[position], data, answers)
            position += 1
        return bytes(data), bytes(answers)

    def _text(self, octets: bytes) -> bytes:
        """What octets of data stand for: each FF is one of two, and the NUL of each CR NUL is none."""
        if self.theirs.has(BINARY):
            self._returned = False
        else:
            start = 1 if self._returned and octets[0] == 0 else 0
            self._returned = octets[-1] == 0x0D
            octets = octets[start:].replace(b"\r\0", b"\r")
        return octets.replace(b"\xff\xff", b"\xff")

    def _skip(self, count: int) -> None:
        """So many more octets of a subnegotiation."""
        self._count(count)
        self._sub = (self._sub or 0) + count
        if self._sub > SUBNEGOTIATION:
            raise _too_much(f"a subnegotiation is longer than {SUBNEGOTIATION} octets", SUBNEGOTIATION)

    def _count(self, count: int) -> None:
        """So many more octets of commands."""
        self._commands += count
        if self._commands > COMMANDS:
            raise _too_much(f"the other side sends commands without end: over {COMMANDS} octets of them", COMMANDS)

    def _obey(self, octet: int, data: bytearray, answers: bytearray) -> None:
        """One octet of a command."""
        self._count(1)
        command, self._command = self._command, 0
        if not command:  # the IAC itself
            self._command = IAC
        elif command != IAC:
            self._negotiate(command, octet, answers)
        elif octet == IAC:
            if self._sub is None:
                data.append(IAC)
                self._returned, self._commands = False, 0
            else:
                self._skip(1)
        else:
            # A subnegotiation ends with IAC SE; with any other command it was cut short, and that command holds.
            self._sub = 0 if octet == SB else None
            if WILL <= octet <= DONT:
                self._command = octet

    def _negotiate(self, verb: int, code: int, answers: bytearray) -> None:
        theirs = verb in {WILL, WONT}
        if verb == DO and code == NAWS:
            self._asked = True
        told = self.ours.has(NAWS)
        said = (self.theirs if theirs else self.ours)[code].hear(on=verb in {WILL, DO})
        if said is not None:
            self._answered += 1
            if self._answered > ANSWERS:
                raise _too_much(f"the other side negotiates without end: over {ANSWERS} answers were due", ANSWERS)
            answers += self._say(code, on=said, theirs=theirs)
        if self.ours.has(NAWS) and not told:
            answers += self._told()

    # What is sent

    @property
    def line_end(self) -> bytes:
        """What ends a line: CR LF; where we send BINARY, the CR that the key of a terminal sends."""
        return b"\r" if self.ours.has(BINARY) else b"\r\n"

    def send(self, octets: bytes) -> bytes:
        """`octets` as they are sent: FF doubled, and, unless we send BINARY, CR NUL for a CR without its LF."""
        self._spoken()
        if not self.ours.has(BINARY):
            octets = _LONE_RETURN.sub(b"\r\0", octets)
        return octets.replace(b"\xff", b"\xff\xff")

    def interrupt(self) -> bytes:
        """The command Interrupt Process."""
        self._spoken()
        return bytes((IAC, IP))

    def resize(self, columns: int, rows: int) -> bytes:
        """The window has changed: what is to be sent. Nothing, where the other side never asked for the size."""
        columns, rows = (min(max(number, 0), LARGEST) for number in (columns, rows))
        self._spoken()
        self._window = columns.to_bytes(2) + rows.to_bytes(2)
        option = self.ours[NAWS]
        option.agreed = bool(columns or rows)
        if self.ours.has(NAWS):
            return self._told()
        if self._asked and option.agreed and option.want(on=True):  # it asked before there was anything to tell
            return self._say(NAWS, on=True, theirs=False)
        return b""

    def binary(self, *, on: bool) -> bytes:
        """Ask for BINARY in both directions, or for its end: what is to be sent."""
        self._answered = 0
        said = ((side, side[BINARY].want(on=on)) for side in (self.ours, self.theirs))
        return b"".join(
            self._say(BINARY, on=each, theirs=side is self.theirs) for side, each in said if each is not None
        )

    def _spoken(self) -> None:
        """The caller has said something: what the other side may do, it may do anew."""
        self._answered = self._commands = 0

    def _told(self) -> bytes:
        """The size of the window, in a subnegotiation."""
        return bytes((IAC, SB, NAWS)) + self._window.replace(b"\xff", b"\xff\xff") + bytes((IAC, SE))

    @staticmethod
    def _say(code: int, *, on: bool, theirs: bool) -> bytes:
        return bytes((IAC, (DO if on else DONT) if theirs else (WILL if on else WONT), code))


def _data_at(octets: bytes, position: int) -> bytes:
    """The octets from `position` on, up to a command or to an FF that is the last of them."""
    found = _DATA.match(octets, position)
    return b"" if found is None else found[0]


def _too_much(message: str, value: int) -> LimitExceeded:
    return LimitExceeded(message, limit="negotiation", value=value)
