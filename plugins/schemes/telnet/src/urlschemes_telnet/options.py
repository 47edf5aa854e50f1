"""Option negotiation by the Q method (RFC 1143), without I/O: what each side does, wants, and may be asked for.

An option is enabled on one side of a connection apart from the other. The other side says WILL and WONT of what it does
itself, DO and DONT of what we do. Both are the same four states and one queue bit, so that a side of an option hears
"on" and "off", and gives back what to say, if anything.
"""

from __future__ import annotations

from enum import Enum

__all__ = [
    "BINARY",
    "ECHO",
    "NAWS",
    "OURS",
    "SUPPRESS_GO_AHEAD",
    "THEIRS",
    "Option",
    "Side",
    "State",
]

BINARY = 0
"""Octets of eight bits, without the NVT's line ends (RFC 856)."""
ECHO = 1
"""What is typed comes back (RFC 857)."""
SUPPRESS_GO_AHEAD = 3
"""No GA after each turn (RFC 858)."""
NAWS = 31
"""Negotiate About Window Size (RFC 1073)."""

OURS = frozenset({BINARY, SUPPRESS_GO_AHEAD})
"""What we do when asked; NAWS joins it where a size is known. Nothing else does: nothing is told of the user."""
THEIRS = frozenset({BINARY, ECHO, SUPPRESS_GO_AHEAD})
"""What the other side may do."""


class State(Enum):
    """How a side stands to an option; it is enabled where this is YES, and nowhere else."""

    NO = "no"
    YES = "yes"
    WANTNO = "want no"
    """We said that it ends, and wait for the answer."""
    WANTYES = "want yes"
    """We said that it begins, and wait for the answer."""


class Option:
    """An option on one side. `agreed` says whether it may be enabled when the other side proposes it.

    `opposite` is the queue bit: in WANTNO and WANTYES, whether the opposite is to be asked for after the answer. Both
    methods give what is to be said: True (WILL or DO), False (WONT or DONT), None (nothing).
    """

    __slots__ = ("agreed", "opposite", "state")

    def __init__(self, *, agreed: bool = False) -> None:
        self.agreed = agreed
        self.state = State.NO
        self.opposite = False

    def hear(self, *, on: bool) -> bool | None:
        """The other side said WILL or DO (`on`), or WONT or DONT."""
        if self.state is State.NO:
            if on and self.agreed:
                self.state = State.YES
            return self.agreed if on else None
        if self.state is State.YES:
            if on:
                return None
            self.state = State.NO
            return False
        wanted, queued = self.state is State.WANTYES, self.opposite
        self.opposite = False
        if not queued:
            # The answer to what we wanted; that a DONT is answered by WILL is an error, and changes nothing of it.
            self.state = State.YES if wanted and on else State.NO
            return None
        if wanted == on:  # answered as asked for, and meanwhile we want the opposite
            self.state = State.WANTNO if wanted else State.WANTYES
            return not wanted
        # Refused, which is what is wanted by now; or DONT answered by WILL, likewise.
        self.state = State.NO if wanted else State.YES
        return None

    def want(self, *, on: bool) -> bool | None:
        """We want the option enabled, or not. What is so already, or under way, is not said again."""
        if self.state is (State.NO if on else State.YES):
            self.state = State.WANTYES if on else State.WANTNO
            return on
        if self.state in {State.WANTYES, State.WANTNO}:
            self.opposite = (self.state is State.WANTYES) != on
        return None


class Side:
    """The options of one side of a connection, made as they are spoken of; `agreed` are those that it may have."""

    __slots__ = ("_agreed", "_options")

    def __init__(self, agreed: frozenset[int]) -> None:
        self._agreed = agreed
        self._options: dict[int, Option] = {}

    def __getitem__(self, code: int) -> Option:
        if code not in self._options:
            self._options[code] = Option(agreed=code in self._agreed)
        return self._options[code]

    def has(self, code: int) -> bool:
        """Whether the option is enabled."""
        return code in self._options and self._options[code].state is State.YES
