"""Every fault of a text that is no URL: what `check` says beyond the first error.

First the characters and escapes that are wrong by themselves; then user, host and port; then the rest, side by side
with the automaton. At each fault the reading goes on as if the text were right there, so that the faults behind it,
and what section 6 warns of, are found as well. No character belongs to two faults, and the fault that `parse` raises
an error for is told in the words of that error. Each step goes through the text once, or a fixed number of times.
"""

import re
from typing import TYPE_CHECKING, NamedTuple

from urlschemes import errors
from urlschemes.grammar.octets import ESCAPE, encoded, octets_of
from urlschemes.grammar.regex_compat import compiled
from urlschemes.url.fault_kind import AUTHORITY, NOT_IN_ANY_URL
from urlschemes.url.fault_messages import (
    FaultMessage,
    FaultPlace,
    OriginalText,
    bad_escape,
    broken_literal,
    escapes,
    excluded_octet,
    fragment,
    reserved_character,
    unexpected,
    unsafe_character,
)
from urlschemes.url.fault_place import ENDS_HOST, ReplacedText, host_end, impossible_login
from urlschemes_lint.advice import advice
from urlschemes_lint.automaton_walk import Walk
from urlschemes_lint.findings import error_finding, new_finding
from urlschemes_lint.part_places import part_at, places
from urlschemes_lint.warning_checks import warnings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlschemes.errors import InvalidURL
    from urlschemes.grammar.rule_tree import Characters
    from urlschemes.url.value import URL
    from urlschemes_lint.findings import Finding

__all__ = ["all_errors"]

# Adjacent characters that no URL may hold: of US-ASCII, others; or adjacent percent signs that begin no escape.
_WRONG = compiled(rf"(?:(?=[ -~]){NOT_IN_ANY_URL.pattern})++|[^ -~]++|(?:%(?![0-9A-Fa-f]{{2}}))++")
# What is in brackets where the host stands, and what cannot stand in one at all.
_BRACKETED = compiled(r"[^:]*+://(?:[^/]*@)?+(\[[^\]/?#]*+\]?+)")
_NOT_IN_HOST = compiled(r"(?:%[0-9A-Fa-f]{2})++|[^A-Za-z0-9.\-%]++|%")

_AUTHORITY_FAULTS = 16
"""How often user, host and port are looked at again; what is wrong there then is one fault."""


def all_errors(text: str, kind: "type[URL]", error: "InvalidURL") -> "Iterable[Finding]":
    """The findings for `text`, which `kind` refused with `error`."""
    reading = _Reading(text, kind, error)
    reading.read()
    return reading.findings


class _Reading:
    """The text as it is read: what stands for the URL, made right step by step, and what was found.

    `right` is that text, and `at[n]` where its character n stands in the text as given. `runs` are the places of the
    characters that are wrong by themselves, for each of which an `x` stands in `right`.
    """

    def __init__(self, text: str, kind: "type[URL]", error: "InvalidURL") -> None:
        self.given = text
        self.kind = kind
        self.syntax = kind.syntax
        self.error = error
        self.findings: list[Finding] = []
        self.without: set[str] = set()  # parts of which no more can be said
        self.encodable: dict[int, bool] = {}  # whether what is wrong by itself there could stand there encoded
        self.told: set[int] = set()  # where a fault begins that was told already
        self.parts: dict[int, str] = {}  # the parts of characters that `right` has no more
        self.end = text.find("#") if "#" in text else len(text)
        self.runs = dict(found.span() for found in _WRONG.finditer(text, 0, self.end))
        bracketed = _BRACKETED.match(text, 0, self.end) if "host" in self.syntax.parts else None
        if bracketed is not None:
            start, end = bracketed.span(1)
            self.runs = {begin: stop for begin, stop in self.runs.items() if not start <= begin < end} | {start: end}
        pieces, before = [], 0
        for start, end in sorted(self.runs.items()):
            pieces += [text[before:start], "x" * (end - start)]
            before = end
        self.right = "".join([*pieces, text[before : self.end]])
        self.at = list(range(self.end + 1))
        self.blank = bytearray(len(text) + 1)
        for start, end in self.runs.items():
            self.blank[start:end] = b"\x01" * (end - start)

    def read(self) -> None:
        found: list[tuple[int, int, str]] = []
        self.note_authority()
        readable = self.authority()
        if readable:
            whole = self.walk()
            match = self.syntax.fullmatch(whole)
            if match is not None:
                found = places(self.syntax, match)
                self.findings += warnings(self.kind, match, self.at, frozenset(self.without))
        by_place = {place: index for index, place in reversed(list(enumerate(self.at)))}

        def part(place: int) -> str | None:
            index = by_place.get(place)
            return self.parts.get(place) or (None if index is None else part_at(found, index))

        self.findings += [self.wrong(start, end, part(start)) for start, end in self.runs.items()]
        if self.end < len(self.given):
            self.findings.append(self.fragment(part(self.end - 1)))
        self.tell_as_parse_does()

    def tell_as_parse_does(self) -> None:
        """Let the finding for the fault that `parse` tells say what its error says."""
        error, place = self.error, self.error.position
        if place is None:
            self.findings.append(error_finding(error, len(self.given)))
            return
        hint = advice(error, self.syntax)
        around = [
            (each.code != error.code, each.span[1] == place, each.span[1] - each.span[0], index)
            for index, each in enumerate(self.findings)
            if each.severity == "error" and each.span is not None and each.span[0] <= place <= each.span[1]
        ]
        if not around:
            # A fault that no automaton sees, such as a number of too many digits.
            self.findings.append(error_finding(error, len(self.given), position=place, hint=hint))
            return
        index = min(around)[-1]
        start, end = self.findings[index].span or (place, place)
        self.findings[index] = error_finding(error, len(self.given), position=start, end=end, hint=hint)

    # Section 2.2

    def wrong(self, start: int, end: int, part: str | None) -> "Finding":
        """The finding for the characters from `start` to `end`, each of which is wrong by itself."""
        place = FaultPlace(self.syntax, self.given[start:end], start, rest=self.given[start : self.end])
        if place.run[0] == "%":
            return self.worded("bad-escape", bad_escape(place, part), start, end)
        message = unsafe_character(place, part, self.written(start, end))
        return self.worded("invalid-character", message, start, end)

    def written(self, start: int, end: int) -> str | None:
        """What stands there encoded, "" where that cannot be, None where nobody knows."""
        if start not in self.encodable:
            return None
        return escapes(self.given[start:end]) if self.encodable[start] else ""

    def fragment(self, part: str | None) -> "Finding":
        place = FaultPlace(self.syntax, "#", self.end)
        return self.worded("fragment-present", fragment(place, part, None), self.end, self.end + 1)

    def worded(self, code: str, told: FaultMessage, start: int, end: int) -> "Finding":
        """The finding that says what is `told` of the text as given from `start` to `end`."""
        return new_finding(
            code,
            told.message,
            span=(start, end),
            part=told.part,
            section=self.syntax.section_of(told.rule or self.syntax.rule),
            hint=told.best_hint(self.syntax),
            expected=told.expected,
            rule=told.rule or self.syntax.rule,
        )

    # Section 3.1

    def note_authority(self) -> None:
        """Note which characters that are wrong by themselves stand in a host or a port, which have no escapes."""
        found = AUTHORITY.match(self.right) if "host" in self.syntax.parts else None
        if found is None or not found["slashes"]:
            return
        ends = host_end(found, found.end())
        for part, group in (("host", "host"), ("port", "colon")):
            start, end = found.span(group)
            for run in self.runs:
                if start <= run < end and (ends is None or run < ends):
                    self.parts[run] = part if part in self.syntax.parts else "host"
                    self.encodable[run] = False
                    self.without.add(part)

    def authority(self) -> bool:
        """Find what is wrong in the scheme, the user, the host and the port. Whether the rest can be read then."""
        text = self.right
        for looks in range(_AUTHORITY_FAULTS + 1):
            if self.syntax.fullmatch(text):
                return True
            error = self.refused(text)
            if type(error) is errors.InvalidPart:
                return True
            found = AUTHORITY.match(self.right)
            if found is None or isinstance(error, errors.InvalidScheme | errors.MissingAuthority):
                self.report(error)
                return False
            if looks == _AUTHORITY_FAULTS:
                self.report(error, error.position, found.end("host"))
                self.put(*found.span("host"), "x" * len(found["host"]))
                self.put(*found.span("colon"), "")
            elif isinstance(error, errors.InvalidUserinfo):
                self.report(error)
                self.mend_login(error, *found.span("user"))
            elif isinstance(error, errors.InvalidPort):
                self.mend_port(error, found)
            else:
                self.mend_host(error, found)
            # What stands behind the authority was looked at, and does not count for what is wrong in it.
            end = AUTHORITY.match(self.right).end()  # type: ignore[union-attr]  # it matched before
            text = self.right[: end + 1]
        return True

    def refused(self, text: str) -> "InvalidURL":
        """The error for `text`, the beginning of what is read now; its message is about the text as given."""
        return ReplacedText(self.syntax, None, OriginalText(self.given, [*self.at])).refused(text)

    def mend_login(self, error: "InvalidURL", start: int, end: int) -> None:
        if isinstance(error, errors.UserinfoNotAllowed):
            self.put(start, end + 1, "")
            return
        user, colon, password = self.right[start:end].partition(":")
        for name, text, at in (("user", user, start), ("password", password, end - len(password))):
            if colon or name == "user":
                self.without.add(name)
                self.put(at, at + len(text), re.sub("[:@]", "x", text))

    def mend_port(self, error: "InvalidURL", found: "re.Match[str]") -> None:
        """Leave out colon and port, and read on behind it."""
        self.without.add("port")
        start, end = found.span("colon")
        place = error.position or start
        behind = ENDS_HOST.search(self.right, start, end)
        after = end if behind is None or not self.goes_on(found, behind[0]) else behind.start()
        if behind is None or after < end:
            self.report(error, place, place + 1)
            self.put(after, after, "/" if after < end else "")
        else:
            self.report(error, place, end)
            self.absorb(self.at[place], self.at[end - 1] + 1)
        self.put(start, after, "")

    def mend_host(self, error: "InvalidURL", found: "re.Match[str]") -> None:
        """Let a host stand where none does: one fault of it is made right."""
        self.without.add("host")
        start, end = found.span("host")
        place = end if error.position is None else error.position
        character = self.right[place:end][:1]
        if place == end and found["colon"] is not None and "port" not in self.syntax.parts:
            self.report(error, place, place + 1)
            self.put(*found.span("colon"), "")
        elif start == end:
            self.report(error, start, start + 1)
            self.put(start, end, "x")
        elif ENDS_HOST.match(character) and place > start:
            if self.goes_on(found, character):
                self.report(error, place, place + 1)
                self.put(place, place, "/")
            else:
                self.report(error, place, found.end())
                self.absorb(self.at[place], self.at[found.end() - 1] + 1)
                self.put(place, found.end(), "")
        else:
            first, last = self.fault_of_host(start, end, place)
            if not any(self.blank[self.at[index]] for index in range(first, last)):
                self.report(error, first, last)
            # Without a dot at its end it is a host; an `x` there would make another label of it.
            self.put(first, last, "" if self.right[first:last] == "." and last == end else "x" * (last - first))

    def fault_of_host(self, start: int, end: int, place: int) -> tuple[int, int]:
        """Where the fault lies that shows at `place` in the host from `start` to `end`: what an `x` stands for then."""
        text = self.right
        foreign = _NOT_IN_HOST.match(text, place, end)
        if foreign is not None:
            return foreign.span()
        if text[place:end].startswith("-"):
            return place, place + 1
        if place > start and (text[place - 1] == "-" or (text[place - 1] == "." and place == end)):
            return place - 1, place  # the end of a label, or of the host
        if text[place:end].startswith("."):
            return place, place + 1
        host = text[start:end]
        if host.replace(".", "").isdigit():
            return start, end
        start += host.rfind(".") + 1
        return start, next((i for i in range(start + 1, end) if self.at[i] in self.told or self.blank[self.at[i]]), end)

    def absorb(self, start: int, end: int) -> None:
        """Let what is wrong by itself from `start` to `end` of the text as given be no fault of its own."""
        for place in range(start, end):
            self.runs.pop(place, None)

    def goes_on(self, found: "re.Match[str]", character: str) -> bool:
        """Whether `character` can stand behind the `/` that follows the host."""
        text = f"{self.right[: found.start('host')]}x/{character}"
        return self.syntax.automaton.reach(text, impossible_login(text, self.syntax))[0] == len(text)

    def put(self, start: int, end: int, text: str) -> None:
        """Let `text` stand from `start` to `end`, as long as what stood there, or nothing, or something for nothing."""
        self.right = self.right[:start] + text + self.right[end:]
        self.at[start:end] = self.at[start:end] if len(text) == end - start else [self.at[start]] * len(text)

    def report(self, error: "InvalidURL", start: int | None = None, end: int | None = None) -> None:
        """The finding for an error of the text as it is now, if it is one of the text as given.

        It is about what stands from `start` to `end` now: without them, about one character.
        """
        position = error.position
        if position is None:
            self.findings.append(error_finding(error, len(self.given)))
            return
        start = position if start is None else start
        at, last = self.at[min(start, len(self.right))], len(self.right)
        if not self.blank[at]:
            after = at + 1 if end is None else self.at[end - 1] + 1 if start < end <= last else self.at[min(end, last)]
            self.findings.append(error_finding(error, self.end, position=at, end=after))
            self.told.add(at)

    # The rules of the scheme

    def walk(self) -> str:
        """Find what is wrong with the rest; what a reader takes the text for, which is a URL if that can be."""
        text = self.right
        walk = Walk(self.syntax, text)
        faults = _Faults(self, walk)
        places: list[int] = []  # where each piece that was taken stands in `text`
        index = 0
        while index < len(text):
            piece = self.piece(index)
            wrong = bool(self.blank[self.at[index]])
            if wrong:
                self.try_encoded(walk, self.at[index])
            faults.stand()
            if walk.take(piece):
                places.append(index)
            elif len(piece) == 3 and walk.take("%78"):
                faults.add("octet", index, index + 3)
                places.append(index)
            elif len(piece) == 1 and walk.take(f"%{ord(piece):02X}"):
                faults.add("reserved", index, index + 1)
                places.append(index)
            elif (begun := self.begun(walk, places, faults)) is not None:
                index, piece = begun, text[begun]
            else:
                faults.add("wrong" if wrong else "behind", index, index + len(piece))
                instead = walk.instead(self.piece(index + len(piece)))
                if instead is not None:
                    walk.take(instead)
                    places.append(index)
            index += len(piece)
        if not walk.at_end:
            begun = self.begun(walk, places, faults)
            if begun is not None:
                places += [index for index in range(begun + 1, len(text)) if walk.take(text[index])]
        faults.stand()
        if not walk.at_end:
            faults.add("end", len(text), len(text))
        faults.report()
        at: list[int] = []
        for piece, place in zip(walk.pieces, places, strict=True):
            # Of an escape that stands in the text, each character is its own.
            at += [self.at[place + offset if text.startswith(piece, place) else place] for offset in range(len(piece))]
        rest = "" if walk.at_end else walk.rest()
        self.at = [*at, *[self.end] * (len(rest) + 1)]
        return "".join(walk.pieces) + rest

    def piece(self, index: int) -> str:
        """The escape or the character at `index`; nothing at the end."""
        return self.right[index : index + (3 if ESCAPE.match(self.right, index) else 1)]

    def try_encoded(self, walk: Walk, at: int) -> None:
        """Note whether a character that is wrong by itself could stand if it were encoded."""
        try:
            self.encodable[at] = walk.takes(encoded(octets_of(self.given[at])))
        except UnicodeEncodeError:
            self.encodable[at] = False

    def begun(self, walk: Walk, places: list[int], faults: "_Faults") -> int | None:
        """Go back to where a literal was begun that does not go on, and take its first character encoded; its index."""
        literal = self.syntax.automaton.begun(walk.expected)
        if literal is None or not places:
            return None
        back = [(walk.back(), places.pop()) for _ in range(literal.offset)]
        piece, place = back[-1]
        faults.stand()
        if len(piece) == 1 and walk.take(f"%{ord(piece):02X}"):
            faults.add("reserved", place, place + 1, literal)
            places.append(place)
            return place
        for piece, place in reversed(back):
            walk.take(piece)
            places.append(place)
        faults.stand()
        return None


class _Fault(NamedTuple):
    """A fault that a walk came upon: of which kind, where in the text, and where the automaton stood before it.

    `part` is the part that the walk was in behind it; a `literal` was begun there.
    """

    kind: str
    start: int
    end: int
    part: "str | None"
    expected: int
    reached: int
    literal: "Characters | None"


class _Faults:
    """The faults that a walk came upon, adjacent ones of a kind together."""

    def __init__(self, reading: _Reading, walk: Walk) -> None:
        self.reading = reading
        self.walk = walk
        self.found: list[_Fault] = []
        self.expected = self.reached = 0

    def stand(self) -> None:
        """Note where the automaton stands, before what may be a fault is passed."""
        self.expected, self.reached = self.walk.expected, self.walk.reached

    def add(self, kind: str, start: int, end: int, literal: "Characters | None" = None) -> None:
        """A fault of this kind in the text from `start` to `end`. The walk stands behind it, as far as it went on.

        What cannot stand there at all, by itself or by the rules, is one fault with what is so next to it.
        """
        if kind != "end" and self.reading.at[start] in self.reading.told:
            return
        fault = _Fault(kind, start, end, self.walk.part, self.expected, self.reached, literal)
        before = self.found[-1] if self.found else None
        if before is not None and before.end == start and self.are_one(before, fault):
            self.found[-1] = before._replace(end=end)
        else:
            self.found.append(fault)

    def are_one(self, before: _Fault, fault: _Fault) -> bool:
        if fault.kind == "end":
            return True
        if {before.kind, fault.kind} <= {"behind", "wrong"}:
            return True
        alike = before.part == fault.part and before.literal == fault.literal
        return before.kind == fault.kind == "reserved" and alike

    def report(self) -> None:
        """The findings. The first is what the error of `parse` says, where that is about the rules of the scheme."""
        reading = self.reading
        first = not any(reading.blank)  # else its words would quote what stands for what was given
        for fault in self.found:
            if fault.kind == "wrong":
                self.widen(fault)
                continue
            if fault.kind == "behind":
                reading.absorb(*self.span(fault))
            if fault.kind == "end" and any(each.span and each.span[1] == reading.end for each in reading.findings):
                continue  # what is wrong goes to the end
            if first:
                first = False
                error = reading.refused(reading.right)
                if error.position is not None and fault.start <= error.position < max(fault.end, fault.start + 1):
                    reading.report(error, fault.start, fault.end)
                    continue
            reading.findings.append(self.finding(fault))

    def span(self, fault: _Fault) -> tuple[int, int]:
        """Where a fault stands in the text as given."""
        at = self.reading.at
        return at[fault.start], at[fault.end - 1] + 1 if fault.end > fault.start else at[fault.start]

    def widen(self, fault: _Fault) -> None:
        """Let the characters that are wrong by themselves, and begin `fault`, be all of it."""
        start, end = self.span(fault)
        self.reading.absorb(start, end)
        self.reading.runs[start] = end

    def finding(self, fault: _Fault) -> "Finding":
        reading, syntax = self.reading, self.reading.syntax
        start, end = self.span(fault)
        place = FaultPlace(
            syntax,
            reading.given[start:end],
            start,
            rest=reading.right[fault.start :],
            expected=fault.expected,
            reached=fault.reached,
        )
        if fault.kind == "octet":
            told = excluded_octet(place)
        elif fault.kind != "reserved":
            told = unexpected(place)
        elif fault.literal is not None:
            place.run = reading.given[start : start + fault.literal.offset + 1]
            told = broken_literal(place, fault.literal)
        else:
            escape = f"%{ord(reading.right[fault.start]):02X}"
            told = reserved_character(place, syntax.automaton.taken(fault.expected, escape))
        return reading.worded("invalid-part", told, start, end)
