r"""Decoding and encoding the octets of a Telnet connection (RFC 854, RFC 855), without I/O.

    IAC WILL|WONT|DO|DONT option        negotiation, answered by the Q method
    IAC SB option ... IAC SE            subnegotiation; of those of a server only TERMINAL-TYPE SEND has a meaning
    IAC IAC                             the octet FF
    CR LF, CR NUL                       a new line, and a lone carriage return, in the NVT

Decoding gives data and octets to answer, however the received octets are cut. Data is unchanged but for the NUL after a
CR. The number of answers, and of octets without data, is limited.
"""

from __future__ import annotations

import re

from urlschemes_access.errors import LimitExceeded
from urlschemes_telnet.option_negotiation import (
    BINARY,
    ECHO,
    LOCAL_OPTIONS,
    NAWS,
    REMOTE_OPTIONS,
    TERMINAL_TYPE,
    Side,
)

__all__ = ["MAX_ANSWERS", "MAX_COMMAND_OCTETS", "MAX_SUBNEGOTIATION", "TERMINAL_NAME", "TelnetCodec"]

SE, IP, SB, WILL, WONT, DO, DONT, IAC = 240, 244, 250, 251, 252, 253, 254, 255

MAX_ANSWERS = 64
"""Answers to the service between two calls of the user."""
MAX_SUBNEGOTIATION = 1024
"""Octets in one subnegotiation."""
MAX_COMMAND_OCTETS = 64 * 1024
"""Octets of commands without any data between them, and between two calls of the user."""
MAX_WINDOW = 65535
"""Columns or rows of a window (RFC 1073: 16 bits each)."""

TERMINAL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9+./_-]{0,39}")
"""The name of a terminal: at most 40 characters (RFC 1091), and none that another program could execute."""

_SEND = bytes((TERMINAL_TYPE, 1))
_IS = bytes((TERMINAL_TYPE, 0))
_DATA = re.compile(rb"(?>(?:[^\xff]+|\xff\xff)+)")
_LONE_RETURN = re.compile(rb"\r(?!\n)")


class TelnetCodec:
    """Both directions of one connection.

    A window of `columns` and `rows`, if not 0, and the name of the `terminal`, if not empty, are sent to a service that
    asks for them; the window also to one that asks for the name. `local` and `remote` are the options of the two sides.
    """

    __slots__ = (
        "_answers",
        "_asked",
        "_command",
        "_command_octets",
        "_returned",
        "_sub",
        "_terminal",
        "_window",
        "local",
        "remote",
    )

    def __init__(self, columns: int = 0, rows: int = 0, terminal: str = "") -> None:
        self.local = Side(LOCAL_OPTIONS)
        self.local[TERMINAL_TYPE].allowed = bool(terminal)
        self._terminal = terminal.encode("ascii")
        self.remote = Side(REMOTE_OPTIONS)
        self._window = b""
        self._asked = False  # the service has asked for the window size, or for the terminal
        self._answers = 0
        self._command_octets = 0
        self._command = 0  # IAC, or the verb whose option comes next; 0 outside of commands
        self._sub: bytearray | None = None  # the current subnegotiation so far
        self._returned = False  # the last octet of data was a CR
        self.resize(columns, rows)

    @property
    def unfinished(self) -> bool:
        """True if the received octets end within a command."""
        return bool(self._command) or self._sub is not None

    @property
    def echoes(self) -> bool:
        """True if the service echoes what it receives."""
        return self.remote.has(ECHO)

    # Decoding

    def decode(self, octets: bytes) -> tuple[bytes, bytes]:
        """Return the data in `octets`, and the octets to answer. Raise LimitExceeded for endless negotiation."""
        data, answers = bytearray(), bytearray()
        position = 0
        while position < len(octets):
            if not self._command:
                if self._sub is None:
                    piece = _data_at(octets, position)
                    if piece:
                        data += self._decode_data(piece)
                        self._command_octets = 0
                else:
                    end = octets.find(IAC, position)
                    piece = octets[position : end if end >= 0 else len(octets)]
                    self._add_to_subnegotiation(piece)
                position += len(piece)
                if position == len(octets):
                    break
            self._decode_command(octets[position], data, answers)
            position += 1
        return bytes(data), bytes(answers)

    def _decode_data(self, octets: bytes) -> bytes:
        """Return data without the second FF of each pair and, in the NVT, without the NUL after a CR."""
        if self.remote.has(BINARY):
            self._returned = False
        else:
            start = 1 if self._returned and octets[0] == 0 else 0
            self._returned = octets[-1] == 0x0D
            octets = octets[start:].replace(b"\r\0", b"\r")
        return octets.replace(b"\xff\xff", b"\xff")

    def _add_to_subnegotiation(self, octets: bytes) -> None:
        self._count_command_octets(len(octets))
        self._sub = (self._sub or bytearray()) + octets
        if len(self._sub) > MAX_SUBNEGOTIATION:
            raise _exceeded(
                f"the service sent a subnegotiation longer than {MAX_SUBNEGOTIATION} octets", MAX_SUBNEGOTIATION
            )

    def _count_command_octets(self, count: int) -> None:
        self._command_octets += count
        if self._command_octets > MAX_COMMAND_OCTETS:
            raise _exceeded(
                f"the service sent more than {MAX_COMMAND_OCTETS} octets of commands without data", MAX_COMMAND_OCTETS
            )

    def _decode_command(self, octet: int, data: bytearray, answers: bytearray) -> None:
        """Decode one octet of a command."""
        self._count_command_octets(1)
        command, self._command = self._command, 0
        if not command:  # the IAC itself
            self._command = IAC
        elif command != IAC:
            self._negotiate(command, octet, answers)
        elif octet == IAC:
            if self._sub is None:
                data.append(IAC)
                self._returned, self._command_octets = False, 0
            else:
                self._add_to_subnegotiation(b"\xff")
        else:
            # A subnegotiation ends with IAC SE; any other command ends it too, and is executed.
            if octet == SE and bytes(self._sub or b"") == _SEND and self.local.has(TERMINAL_TYPE):
                self._count_answer()
                answers += _encode_subnegotiation(_IS + self._terminal)
            self._sub = bytearray() if octet == SB else None
            if WILL <= octet <= DONT:
                self._command = octet

    def _negotiate(self, verb: int, code: int, answers: bytearray) -> None:
        """React to WILL, WONT, DO or DONT for the option `code`."""
        remote = verb in {WILL, WONT}
        if verb == DO and code in {NAWS, TERMINAL_TYPE}:
            self._asked = True
        had_window = self.local.has(NAWS)
        answer = (self.remote if remote else self.local)[code].receive(on=verb in {WILL, DO})
        if answer is not None:
            self._count_answer()
            answers += _encode_option(code, on=answer, remote=remote)
            if answer and code == TERMINAL_TYPE:  # programs that need the name need the size too
                answers += self._offer_window()
        if self.local.has(NAWS) and not had_window:
            answers += self._encode_window()

    def _count_answer(self) -> None:
        self._answers += 1
        if self._answers > MAX_ANSWERS:
            raise _exceeded(f"the service negotiates endlessly: more than {MAX_ANSWERS} answers", MAX_ANSWERS)

    # Encoding

    @property
    def line_end(self) -> bytes:
        """The end of a line to send: CR LF, or CR, as a terminal's key sends it, if this side sends BINARY."""
        return b"\r" if self.local.has(BINARY) else b"\r\n"

    def encode(self, octets: bytes) -> bytes:
        """Return `octets` with FF doubled and, unless this side sends BINARY, NUL after each CR without LF."""
        self._reset_limits()
        if not self.local.has(BINARY):
            octets = _LONE_RETURN.sub(b"\r\0", octets)
        return octets.replace(b"\xff", b"\xff\xff")

    def interrupt(self) -> bytes:
        """Return the command Interrupt Process."""
        self._reset_limits()
        return bytes((IAC, IP))

    def resize(self, columns: int, rows: int) -> bytes:
        """Set the window size, and return what to send: nothing if the service never asked for it."""
        columns, rows = (min(max(number, 0), MAX_WINDOW) for number in (columns, rows))
        self._reset_limits()
        self._window = columns.to_bytes(2) + rows.to_bytes(2)
        option = self.local[NAWS]
        option.allowed = bool(columns or rows)
        if self.local.has(NAWS):
            return self._encode_window()
        return self._offer_window() if self._asked else b""  # it asked before the size was known

    def _offer_window(self) -> bytes:
        option = self.local[NAWS]
        return _encode_option(NAWS, on=True, remote=False) if option.allowed and option.request(on=True) else b""

    def binary(self, *, on: bool) -> bytes:
        """Request BINARY in both directions, or its end, and return what to send."""
        self._reset_limits()
        requests = ((side, side[BINARY].request(on=on)) for side in (self.local, self.remote))
        return b"".join(
            _encode_option(BINARY, on=request, remote=side is self.remote)
            for side, request in requests
            if request is not None
        )

    def _reset_limits(self) -> None:
        """Count anew what the service may send: the user has sent something."""
        self._answers = self._command_octets = 0

    def _encode_window(self) -> bytes:
        return _encode_subnegotiation(bytes((NAWS,)) + self._window)


def _encode_option(code: int, *, on: bool, remote: bool) -> bytes:
    return bytes((IAC, (DO if on else DONT) if remote else (WILL if on else WONT), code))


def _encode_subnegotiation(octets: bytes) -> bytes:
    return bytes((IAC, SB)) + octets.replace(b"\xff", b"\xff\xff") + bytes((IAC, SE))


def _data_at(octets: bytes, position: int) -> bytes:
    """Return the octets from `position` to the next command, or to an FF that is the last octet."""
    match = _DATA.match(octets, position)
    return b"" if match is None else match[0]


def _exceeded(message: str, value: int) -> LimitExceeded:
    return LimitExceeded(message, limit="negotiation", value=value)
