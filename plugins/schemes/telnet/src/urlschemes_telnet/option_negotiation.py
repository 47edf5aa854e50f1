"""Option negotiation by the Q method (RFC 1143), without I/O.

Each side of a connection enables an option independently. WILL and WONT speak of the sender's own side, DO and DONT of
the receiver's. Both sides have the same four states and one queue bit, so an `Option` receives and sends only "on" and
"off".
"""

from __future__ import annotations

from enum import Enum

__all__ = [
    "BINARY",
    "ECHO",
    "LOCAL_OPTIONS",
    "NAWS",
    "REMOTE_OPTIONS",
    "SUPPRESS_GO_AHEAD",
    "TERMINAL_TYPE",
    "Option",
    "Side",
    "State",
]

BINARY = 0
"""8-bit octets without the line ends of the NVT (RFC 856)."""
ECHO = 1
"""The side echoes what it receives (RFC 857)."""
SUPPRESS_GO_AHEAD = 3
"""No GA after each turn (RFC 858)."""
TERMINAL_TYPE = 24
"""The name of the terminal (RFC 1091)."""
NAWS = 31
"""Negotiate About Window Size (RFC 1073)."""

LOCAL_OPTIONS = frozenset({BINARY, SUPPRESS_GO_AHEAD})
"""Options that this side enables on request; NAWS and TERMINAL-TYPE too if the caller passes size and name.

All others would disclose something."""
REMOTE_OPTIONS = frozenset({BINARY, ECHO, SUPPRESS_GO_AHEAD})
"""Options that the service may enable."""


class State(Enum):
    """The state of an option on one side. The option is enabled only in the state YES."""

    NO = "no"
    YES = "yes"
    WANTNO = "want no"
    """This side sent "off" and waits for the answer."""
    WANTYES = "want yes"
    """This side sent "on" and waits for the answer."""


class Option:
    """An option on one side. `allowed` tells whether it may be enabled if the service proposes it.

    `opposite` is the queue bit: in WANTNO and WANTYES it is True if the opposite is to be requested after the answer.
    Both methods return what to send: True (WILL or DO), False (WONT or DONT), or None (nothing).
    """

    __slots__ = ("allowed", "opposite", "state")

    def __init__(self, *, allowed: bool = False) -> None:
        self.allowed = allowed
        self.state = State.NO
        self.opposite = False

    def receive(self, *, on: bool) -> bool | None:
        """React to WILL or DO (`on`), or to WONT or DONT (RFC 1143 section 7)."""
        if self.state is State.NO:
            if on and self.allowed:
                self.state = State.YES
            return self.allowed if on else None
        if self.state is State.YES:
            if on:
                return None
            self.state = State.NO
            return False
        wanted, queued = self.state is State.WANTYES, self.opposite
        self.opposite = False
        if not queued:
            # The answer to the request. DONT answered by WILL is a protocol error, and changes nothing.
            self.state = State.YES if wanted and on else State.NO
            return None
        if wanted == on:  # the request was granted, but meanwhile the opposite is wanted
            self.state = State.WANTNO if wanted else State.WANTYES
            return not wanted
        # The request was refused, which is now wanted; or DONT was answered by WILL, likewise.
        self.state = State.NO if wanted else State.YES
        return None

    def request(self, *, on: bool) -> bool | None:
        """Request the option, or its end, unless it is so already or has been requested."""
        if self.state is (State.NO if on else State.YES):
            self.state = State.WANTYES if on else State.WANTNO
            return on
        if self.state in {State.WANTYES, State.WANTNO}:
            self.opposite = (self.state is State.WANTYES) != on
        return None


class Side:
    """The options of one side of a connection; `allowed` are those that may be enabled."""

    __slots__ = ("_allowed", "_options")

    def __init__(self, allowed: frozenset[int]) -> None:
        self._allowed = allowed
        self._options: dict[int, Option] = {}

    def __getitem__(self, code: int) -> Option:
        if code not in self._options:
            self._options[code] = Option(allowed=code in self._allowed)
        return self._options[code]

    def has(self, code: int) -> bool:
        """Return True if the option is enabled."""
        return code in self._options and self._options[code].state is State.YES
