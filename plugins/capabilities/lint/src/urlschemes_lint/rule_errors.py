"""The errors of a text by the rules of its scheme, found by a walk side by side with the automaton."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from urlschemes.grammar.octets import ESCAPE, encoded, octets_of
from urlschemes.url.fault_messages import FaultPlace, broken_literal, excluded_octet, reserved_character, unexpected
from urlschemes_lint.automaton_walk import Walk

if TYPE_CHECKING:
    from urlschemes.grammar.automaton import State
    from urlschemes.grammar.rule_tree import Characters
    from urlschemes_lint.all_errors import Reading
    from urlschemes_lint.findings import Finding

__all__ = ["RuleErrors"]


class _RuleError(NamedTuple):
    """An error by the rules of the scheme: its kind, its place in the corrected text, and the state of the automaton.

    `part` is the part that the walk is in after it; `literal` is the literal that was begun there.
    """

    kind: str
    start: int
    end: int
    part: str | None
    state: State
    literal: Characters | None


class RuleErrors:
    """The errors that a walk side by side with the automaton meets; adjacent errors of a kind are one."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.text = reading.text
        self.syntax = reading.syntax
        self.walk = Walk(self.syntax, self.text)
        self.taken: list[int] = []
        """The index in the text of each piece that the walk took."""
        self.errors: list[_RuleError] = []
        self.state = self.walk.state

    def corrected(self) -> str:
        """Report the errors; return the corrected text."""
        index = 0
        while index < len(self.text):
            index = self._read_piece(index)
        walk = self.walk
        if not walk.at_end:
            restart = self._encode_begun_literal()
            if restart is not None:
                self.taken += [each for each in range(restart + 1, len(self.text)) if walk.take(self.text[each])]
        self._note_state()
        if not walk.at_end:
            self._add("end", len(self.text), len(self.text))
        self._report()
        return self._corrected_text()

    def _read_piece(self, index: int) -> int:
        """Take the character or escape at `index`, corrected if need be; return the index after it."""
        walk, reading = self.walk, self.reading
        piece = self._piece(index)
        is_wrong = bool(reading.is_wrong[reading.positions[index]])
        if is_wrong:
            self._note_if_encodable(reading.positions[index])
        self._note_state()
        if walk.take(piece):
            self.taken.append(index)
        elif len(piece) == 3 and walk.take("%78"):
            self._add("octet", index, index + 3)
            self.taken.append(index)
        elif len(piece) == 1 and walk.take(f"%{ord(piece):02X}"):
            self._add("reserved", index, index + 1)
            self.taken.append(index)
        elif (restart := self._encode_begun_literal()) is not None:
            return restart + 1
        else:
            self._add("wrong" if is_wrong else "excess", index, index + len(piece))
            substitute = walk.instead(self._piece(index + len(piece)))
            if substitute is not None:
                walk.take(substitute)
                self.taken.append(index)
        return index + len(piece)

    def _piece(self, index: int) -> str:
        """Return the escape or the character at `index`; "" at the end."""
        return self.text[index : index + (3 if ESCAPE.match(self.text, index) else 1)]

    def _note_if_encodable(self, position: int) -> None:
        """Note if a wrong character of the text as given is allowed when it is encoded."""
        reading = self.reading
        try:
            reading.encodable[position] = self.walk.takes(encoded(octets_of(reading.given[position])))
        except UnicodeEncodeError:
            reading.encodable[position] = False

    def _encode_begun_literal(self) -> int | None:
        """Go back to a literal that was begun and does not continue, and take its first character encoded.

        Returns the index of that character; None if there is none, or if it cannot be encoded.
        """
        walk, taken = self.walk, self.taken
        literal = self.syntax.automaton.begun(walk.expected)
        if literal is None or not taken:
            return None
        undone = [(walk.back(), taken.pop()) for _ in range(literal.offset)]
        piece, index = undone[-1]
        self._note_state()
        if len(piece) == 1 and walk.take(f"%{ord(piece):02X}"):
            self._add("reserved", index, index + 1, literal)
            taken.append(index)
            return index
        for piece, index in reversed(undone):
            walk.take(piece)
            taken.append(index)
        self._note_state()
        return None

    def _corrected_text(self) -> str:
        """Return what the walk took, completed; the positions of the reading become those of its characters."""
        reading = self.reading
        positions: list[int] = []
        for piece, index in zip(self.walk.pieces, self.taken, strict=True):
            # The characters of an escape that is in the text have positions of their own.
            is_in_text = self.text.startswith(piece, index)
            positions += [reading.positions[index + offset if is_in_text else index] for offset in range(len(piece))]
        rest = "" if self.walk.at_end else self.walk.rest()
        reading.positions = [*positions, *[reading.end] * (len(rest) + 1)]
        return "".join(self.walk.pieces) + rest

    def _note_state(self) -> None:
        """Note the state of the automaton before a possible error."""
        self.state = self.walk.state

    def _add(self, kind: str, start: int, end: int, literal: Characters | None = None) -> None:
        """Add an error from `start` to `end`, after which the walk goes on; it may extend the one before."""
        if kind != "end" and self.reading.positions[start] in self.reading.reported:
            return
        error = _RuleError(kind, start, end, self.walk.part, self.state, literal)
        before = self.errors[-1] if self.errors else None
        if before is not None and before.end == start and _are_one(before, error):
            self.errors[-1] = before._replace(end=end)
        else:
            self.errors.append(error)

    def _report(self) -> None:
        """Add the findings; the first has the message of `parse` if that is about the same place."""
        reading = self.reading
        is_first = not any(reading.is_wrong)  # otherwise the message would quote an `x` instead of a wrong character
        for error in self.errors:
            if error.kind == "wrong":
                self._widen_wrong_run(error)
                continue
            if error.kind == "excess":
                reading.absorb(*self._span(error))
            if error.kind == "end" and any(each.span and each.span[1] == reading.end for each in reading.findings):
                continue  # the last error goes to the end
            if is_first:
                is_first = False
                first = reading.error_of(reading.text)
                end = max(error.end, error.start + 1)
                if first.position is not None and error.start <= first.position < end:
                    reading.report(first, error.start, error.end)
                    continue
            reading.findings.append(self._finding(error))

    def _span(self, error: _RuleError) -> tuple[int, int]:
        """Return the place of an error in the text as given."""
        positions = self.reading.positions
        start = positions[error.start]
        return start, positions[error.end - 1] + 1 if error.end > error.start else start

    def _widen_wrong_run(self, error: _RuleError) -> None:
        """Let the wrong characters at the beginning of `error` be all of it."""
        start, end = self._span(error)
        self.reading.absorb(start, end)
        self.reading.wrong_runs[start] = end

    def _finding(self, error: _RuleError) -> Finding:
        reading, syntax = self.reading, self.syntax
        start, end = self._span(error)
        place = FaultPlace(
            syntax,
            reading.given[start:end],
            start,
            error.state,
            rest=self.text[error.start :],
        )
        if error.kind == "octet":
            fault = excluded_octet(place)
        elif error.kind != "reserved":
            fault = unexpected(place)
        elif error.literal is not None:
            run = reading.given[start : start + error.literal.offset + 1]
            fault = broken_literal(place._replace(run=run), error.literal)
        else:
            escape = f"%{ord(self.text[error.start]):02X}"
            fault = reserved_character(place, error.state.taken(escape))
        return reading.new_finding("invalid-part", fault, start, end)


def _are_one(before: _RuleError, error: _RuleError) -> bool:
    """Return True if two adjacent errors are reported as one."""
    if error.kind == "end" or {before.kind, error.kind} <= {"excess", "wrong"}:
        return True
    is_alike = before.part == error.part and before.literal == error.literal
    return before.kind == error.kind == "reserved" and is_alike
