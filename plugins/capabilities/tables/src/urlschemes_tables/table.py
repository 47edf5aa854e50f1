"""Tables: the automaton of a syntax as octets, which a program in any language can run in one pass over a text.

A table says of a text what the pattern says: if it is a URL, and where its parts begin and end. All numbers are
little-endian:

    8 octets          "URLTAB", the version 2, 0
    7 x u32           states, classes, edges, ops, final ops, tags, registers
    128 octets        the class of each US-ASCII character; 0: in no URL
    u16 ...           for each state and each class the next state, or `states` + the number of an edge; 0: none
    2 octets          if needed, so that the length is a multiple of 4
    4 x u16 ...       for each edge: next state, first op, number of ops, 0
    4 x u16 ...       for each state: 1 if the text may end here, first final op, number of final ops, 0
    2 x u8 ...        for each op: the register that is set, and the one it is set from (255: the current position)
    2 x u8 ...        for each final op: the tag that is set, and the register it is set from (255: the end of the text,
                      254: absent)

State 1 is the start, and 0 is dead; all others can reach the end of a URL. The ops of an edge are executed in order,
before the position moves past the character. Tags 2n and 2n + 1 are the beginning and the end of the part that
`marks[n]` marks; a tag without a final op has the value of the register with its number.
"""

from __future__ import annotations

import struct
from binascii import a2b_base64, b2a_base64
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

MAGIC = b"URLTAB\x02\x00"
HEADER = struct.Struct("<8s7I128s")
POSITION = 255
"""The source of an op or of a final op that is not a register, but the current position."""
ABSENT = 254
"""The source of a final op for a part that is absent."""


class _Decoded(NamedTuple):
    """The content of a blob. An edge is a state and its ops; `finals` has None for a state where no URL ends."""

    states: int
    classes: int
    tags: int
    registers: int
    class_of: bytes
    transitions: tuple[int, ...]
    edges: list[tuple[int, list[tuple[int, int]]]]
    finals: list[list[tuple[int, int]] | None]


class Table:
    """A table: its `blob`, and the names of the parts that its tags delimit."""

    def __init__(self, blob: bytes, marks: tuple[str, ...]) -> None:
        self.blob = blob
        self.marks = marks

    @classmethod
    def restored(cls, stored: Mapping[str, Any]) -> Table | None:
        """Return the table that `stored` returned, or None if that is empty."""
        return cls(a2b_base64(stored["blob"]), tuple(stored["marks"])) if stored else None

    def stored(self) -> dict[str, Any]:
        """Return the table as plain data, for `restored`."""
        return {"blob": b2a_base64(self.blob, newline=False).decode(), "marks": [*self.marks]}

    @cached_property
    def content(self) -> _Decoded:
        """The blob, decoded. Raises ValueError if it is malformed."""
        try:
            return _decoded(self.blob)
        except struct.error as error:
            raise ValueError(f"malformed table: {error}") from None

    def spans(self, text: str) -> dict[str, tuple[int, int]] | None:
        """Return where the parts of `text` stand, by mark; absent ones are left out. None if it is not a URL."""
        content = self.content
        registers = [0] * content.registers
        state = 1
        for index, character in enumerate(text):
            state = self._next(state, character)
            if state == 0:
                return None
            if state >= content.states:
                state, ops = content.edges[state - content.states]
                for target, source in ops:
                    registers[target] = index if source == POSITION else registers[source]
        final = content.finals[state]
        if final is None:
            return None
        tags: list[int | None] = [*registers[: content.tags]]
        for tag, source in final:
            tags[tag] = len(text) if source == POSITION else None if source == ABSENT else registers[source]
        found = {}
        for number, mark in enumerate(self.marks):
            start, end = tags[2 * number], tags[2 * number + 1]
            if start is not None and end is not None:
                found[mark] = start, end
        return found

    def viable(self, text: str) -> int:
        """Return the length of the longest prefix of `text` that some URL begins with."""
        content = self.content
        state = 1
        for index, character in enumerate(text):
            state = self._next(state, character)
            if state == 0:
                return index
            if state >= content.states:
                state = content.edges[state - content.states][0]
        return len(text)

    def _next(self, state: int, character: str) -> int:
        content = self.content
        number = content.class_of[ord(character)] if character.isascii() else 0
        return content.transitions[state * content.classes + number]


def _decoded(blob: bytes) -> _Decoded:
    magic, states, classes, edges, ops, final_ops, tags, registers, class_of = HEADER.unpack_from(blob)
    if magic != MAGIC:
        raise ValueError(f"malformed table: it begins with {magic!r}, not with {MAGIC!r}")
    at = HEADER.size
    transitions = struct.unpack_from(f"<{states * classes}H", blob, at)
    at += (2 * states * classes + 3) // 4 * 4
    edge_rows = [*struct.iter_unpack("<4H", blob[at : at + 8 * edges])]
    at += 8 * edges
    final_rows = [*struct.iter_unpack("<4H", blob[at : at + 8 * states])]
    at += 8 * states
    op_rows = [*struct.iter_unpack("2B", blob[at : at + 2 * ops])]
    at += 2 * ops
    final_op_rows = [*struct.iter_unpack("2B", blob[at : at + 2 * final_ops])]
    if len(blob) != at + 2 * final_ops:
        raise ValueError(f"malformed table: it has {len(blob)} octets, not {at + 2 * final_ops}")
    return _Decoded(
        states,
        classes,
        tags,
        registers,
        class_of,
        transitions,
        [(to, op_rows[first : first + count]) for to, first, count, _ in edge_rows],
        [final_op_rows[first : first + count] if accepts else None for accepts, first, count, _ in final_rows],
    )
