"""Every fault of a text that is no URL: what `check` says beyond the first error.

First the characters and escapes that are wrong by themselves; then user, host and port; then the rest, side by side
with the automaton. At each fault the reading goes on as if the text were right there, so that the faults behind it,
and what section 6 warns of, are found as well. Each step goes through the text once, or a fixed number of times.
"""

import re

from urlschemes import errors
from urlschemes.derivation import END, due, listed, part_of, rule_of, shortest
from urlschemes.findings import Finding, of_error, warnings
from urlschemes.octets import octets_of
from urlschemes.refusal import AUTHORITY, NOT_IN_ANY_URL, refused
from urlschemes.walk import Walk, encoded, part_at, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlschemes.errors import InvalidURL
    from urlschemes.url import URL

__all__ = ["every_fault"]

# Adjacent characters that no URL may hold: of US-ASCII, others; or adjacent percent signs that begin no escape.
_WRONG = re.compile(rf"(?:(?=[ -~]){NOT_IN_ANY_URL.pattern})++|[^ -~]++|(?:%(?![0-9A-Fa-f]{{2}}))++")
_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_ENDS_HOST = re.compile("[?;&=]")

_AUTHORITY_FAULTS = 8
"""How often user, host and port are looked at again; each of them is put right at the first or second look."""

_QUOTED = 12
"""Characters of a text that a message quotes."""


def every_fault(text: str, kind: "type[URL]", error: "InvalidURL") -> "Iterable[Finding]":
    """The findings for `text`, which `kind` refused with `error`."""
    reading = _Reading(text, kind, error)
    reading.read()
    return reading.findings


class _Reading:
    """The text as it is read: what stands for the URL, made right step by step, and what was found.

    `right` is that text, and `at[n]` where its character n stands in the text as given.
    """

    def __init__(self, text: str, kind: "type[URL]", error: "InvalidURL") -> None:
        self.given = text
        self.kind = kind
        self.syntax = kind.syntax
        self.error = error
        self.findings: list[Finding] = []
        self.without: set[str] = set()  # parts of which no more can be said
        self.readable = False  # whether the rest can be read by the rules of the scheme
        self.in_no_form: set[int] = set()  # where stands what could not stand there encoded either
        self.end = text.find("#") if "#" in text else len(text)
        self.runs = [found.span() for found in _WRONG.finditer(text, 0, self.end)]
        pieces, before = [], 0
        for start, end in self.runs:
            pieces += [text[before:start], "x" * (end - start)]
            before = end
        self.right = "".join([*pieces, text[before : self.end]])
        self.at = list(range(self.end + 1))
        self.blank = bytearray(len(text) + 1)
        for start, end in self.runs:
            self.blank[start:end] = b"\x01" * (end - start)

    def read(self) -> None:
        found: list[tuple[int, int, str]] = []
        self.readable = self.authority()
        if self.readable:
            whole = self.walk()
            match = self.syntax.fullmatch(whole)
            if match is not None:
                found = places(self.syntax, match)
                self.findings += warnings(self.kind, match, self.at, frozenset(self.without))
        by_place = {place: index for index, place in reversed(list(enumerate(self.at)))}
        for start, end in self.runs:
            index = by_place.get(start)
            self.findings.append(self.wrong(start, end, None if index is None else part_at(found, index)))
        if self.end < len(self.given):
            index = by_place.get(self.end - 1)
            self.fragment(None if index is None else part_at(found, index))
        if not any(finding.severity == "error" and finding.code != "unknown-scheme" for finding in self.findings):
            # A fault that no automaton sees, such as a number of too many digits.
            self.findings.append(of_error(self.error, str(self.error.message), len(self.given), self.error.position))

    # Section 2.2

    def wrong(self, start: int, end: int, part: str | None) -> Finding:
        """The finding for the characters from `start` to `end`, each of which is wrong by itself."""
        code = "bad-escape" if self.given[start] == "%" else "invalid-character"
        same = self.error.position == start and self.error.code == code and self.error.part == (part or self.error.part)
        if same and end - start == 1 and part != "password" and (part or not self.readable):
            return of_error(self.error, str(self.error.message), len(self.given), start)
        text, several = self.given[start:end], end - start > 1
        quoted = ascii(text[:_QUOTED]) + ("..." if len(text) > _QUOTED else "")
        where = (
            f"{end - start} characters from position {start} on" if several else f"the character at position {start}"
        )
        if part != "password":
            where = f"{where}, {quoted}," if several else f"{quoted} at position {start}"
        are = "are" if several else "is"
        expected, rule = ("a character that a URL may hold",), "xchar"
        if code == "bad-escape":
            said = f"{where} {are} not followed by two hexadecimal digits"
            expected, rule = ("two hexadecimal digits",), "escape"
        elif text.isascii() and text.isprintable():
            said = f"{where} {are} unsafe and must be encoded always"
        else:
            said = f"{where} {are} no graphic US-ASCII character{'s' if several else ''}"
        return Finding(
            code,
            said,
            span=(start, end),
            part=part,
            expected=expected,
            rule=rule,
            hint=self.wrong_hint(start, text, part),
        )

    def wrong_hint(self, start: int, text: str, part: str | None) -> str | None:
        if part == "host" and not text.isascii():
            return "write the name in its US-ASCII form, with labels that begin with xn--"
        if text[0] == "%":
            return "a percent sign that is data is written %25"
        if part is None:
            return None
        if start in self.in_no_form:
            return f"the {part} can hold no such character there in any form"
        if part == "password" or len(text) > 1:
            return "each is encoded, as UTF-8; `fix` does it"
        return f"write {encoded(octets_of(text))}, or let `fix` do it"

    def fragment(self, part: str | None) -> None:
        if self.error.code == "fragment-present":
            found = of_error(self.error, str(self.error.message), len(self.given), self.end)
            found.part = found.part or part
            self.findings.append(found)
            return
        self.findings.append(
            Finding(
                "fragment-present",
                f"'#' at position {self.end} begins a fragment, which is no part of the URL",
                span=(self.end, self.end + 1),
                part=part,
                expected=("a character that a URL may hold",),
                rule="xchar",
                hint="`fix` gives URL and fragment apart",
            )
        )

    # Section 3.1

    def authority(self) -> bool:
        """Find what is wrong in the scheme, the user, the host and the port. Whether the rest can be read then."""
        for _ in range(_AUTHORITY_FAULTS):
            if self.syntax.fullmatch(self.right):
                return True
            error = refused(self.right, self.syntax, self.kind)
            if type(error) is errors.InvalidPart:
                return True
            self.report(error)
            found = AUTHORITY.match(self.right)
            if found is None or isinstance(error, errors.InvalidScheme | errors.MissingAuthority):
                return False
            if isinstance(error, errors.InvalidUserinfo):
                self.mend_login(error, *found.span("user"))
            elif isinstance(error, errors.InvalidPort):
                self.without.add("port")
                end = _ENDS_HOST.search(self.right, *found.span("colon"))
                if end is not None:
                    self.put(end.start(), end.start(), "/")
                self.put(found.start("colon"), end.start() if end else found.end("colon"), "")
            elif isinstance(error, errors.InvalidHost):
                self.mend_host(found)
        return False

    def mend_login(self, error: "InvalidURL", start: int, end: int) -> None:
        if isinstance(error, errors.UserinfoNotAllowed):
            self.put(start, end + 1, "")
            return
        user, colon, password = self.right[start:end].partition(":")
        for name, text, at in (("user", user, start), ("password", password, end - len(password))):
            if colon or name == "user":
                self.without.add(name)
                self.put(at, at + len(text), re.sub("[:@]", "x", text))

    def mend_host(self, found: "re.Match[str]") -> None:
        self.without.add("host")
        start, end = found.span("host")
        behind = _ENDS_HOST.search(self.right, start, end)
        if behind is not None:
            self.put(behind.start(), behind.start(), "/")
            end = behind.start()
        elif found["colon"] is not None and "port" not in self.syntax.parts:
            self.put(*found.span("colon"), "")
        self.put(start, end, "x" * max(1, end - start))

    def put(self, start: int, end: int, text: str) -> None:
        """Let `text` stand from `start` to `end`, as long as what stood there, or nothing, or something for nothing."""
        self.right = self.right[:start] + text + self.right[end:]
        self.at[start:end] = self.at[start:end] if len(text) == end - start else [self.at[start]] * len(text)

    def report(self, error: "InvalidURL", end: int | None = None) -> None:
        """The finding for an error of the text as it is now, if it is one of the text as given."""
        position, message = error.position, str(error.message)
        if position is None:
            self.findings.append(of_error(error, message, len(self.given), None))
            return
        at = self.at[min(position, len(self.right))]
        if not self.blank[at]:
            message = re.sub(rf"\bposition {position}\b", f"position {at}", message, count=1)
            self.findings.append(of_error(error, message, len(self.given), at, end))

    # The rules of the scheme

    def walk(self) -> str:
        """Find what is wrong with the rest; what a reader takes the text for, which is a URL if that can be."""
        text = self.right
        walk = Walk(self.syntax, text)
        faults = _Faults(self, walk)
        places: list[int] = []  # where each piece that was taken stands in `text`
        index = 0
        while index < len(text):
            piece = text[index : index + 3] if _ESCAPE.match(text, index) else text[index]
            if self.blank[self.at[index]]:
                self.try_encoded(walk, self.at[index])
            if walk.take(piece):
                places.append(index)
            elif len(piece) == 3 and walk.take("%78"):
                faults.add("octet", index, index + 3)
                places.append(index)
            elif len(piece) == 1 and walk.take(f"%{ord(piece):02X}"):
                faults.add("reserved", index, index + 1)
                places.append(index)
            elif (begun := self.begun(walk, places)) is not None:
                index, piece = begun, text[begun]
                faults.add("reserved", index, index + 1)
            else:
                faults.add("behind", index, index + len(piece))
            index += len(piece)
        if not walk.at_end:
            begun = self.begun(walk, places)
            if begun is not None:
                faults.add("reserved", begun, begun + 1)
                places += [index for index in range(begun + 1, len(text)) if walk.take(text[index])]
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

    def try_encoded(self, walk: Walk, at: int) -> None:
        """Note where a character that is wrong by itself could not stand if it were encoded."""
        try:
            right = walk.takes(encoded(octets_of(self.given[at])))
        except UnicodeEncodeError:
            right = False
        if not right:
            self.in_no_form.add(at)

    def begun(self, walk: Walk, places: list[int]) -> int | None:
        """Go back to where a literal was begun that does not go on, and take its first character encoded; its index."""
        count, _ = walk.begun
        if not count or not places:
            return None
        back = [(walk.back(), places.pop()) for _ in range(count)]
        piece, place = back[-1]
        if len(piece) == 1 and walk.take(f"%{ord(piece):02X}"):
            places.append(place)
            return place
        for piece, place in reversed(back):
            walk.take(piece)
            places.append(place)
        return None


class _Faults:
    """The faults that a walk came upon, adjacent ones of a kind together."""

    def __init__(self, reading: _Reading, walk: Walk) -> None:
        self.reading = reading
        self.walk = walk
        self.found: list[tuple[str, int, int, str | None, int, bool]] = []

    def add(self, kind: str, start: int, end: int) -> None:
        """A fault of this kind in the text from `start` to `end`. The walk stands behind it, as far as it went on."""
        if kind != "end" and all(self.reading.blank[self.reading.at[index]] for index in range(start, end)):
            return  # it was said to be wrong by itself
        part = self.walk.part
        if self.found:
            before, first, last, in_part, expected, ended = self.found[-1]
            if last == start and (kind == "end" or (before, in_part) == (kind, part) != ("octet", part)):
                self.found[-1] = before, first, end, in_part, expected, ended
                return
        self.found.append((kind, start, end, part, self.walk.expected, self.walk.at_end))

    def report(self) -> None:
        """The findings. The first is what the error of `parse` says."""
        reading = self.reading
        first = True
        for kind, start, end, part, expected, ended in self.found:
            if first:
                first = False
                if end - start <= 1 or kind == "octet":
                    error = refused(reading.right, reading.syntax, reading.kind)
                    if error.position is not None and start <= error.position < max(end, start + 1):
                        reading.report(error, self.place(end, start))
                        continue
            reading.findings.append(self.finding(kind, start, end, part, expected, ended=ended))

    def place(self, index: int, start: int) -> int:
        """Where a fault ends in the text as given."""
        return self.reading.at[index - 1] + 1 if index > start else self.reading.at[index]

    def finding(self, kind: str, start: int, end: int, part: str | None, expected: int, *, ended: bool) -> Finding:
        reading, syntax = self.reading, self.reading.syntax
        text, at = reading.right[start:end], reading.at[start]
        quoted = ascii(text[:_QUOTED]) + ("..." if len(text) > _QUOTED else "")
        came = f"{quoted} at position {at}"
        if part == "password":
            came = f"the character at position {at}"
        rule = syntax.parts[part].rule if part else None
        words: tuple[str, ...]
        hint = None
        if kind == "reserved":
            words = tuple(dict.fromkeys(f'"%{ord(character):02X}"' for character in text[:_QUOTED]))
            said = f"{came} cannot stand in the {part} as it is"
            if part != "password":
                hint = f"within the {part} it is reserved: write {listed(tuple(word[1:-1] for word in words))}"
        elif kind == "octet":
            words = ("another octet",)
            said = f"the {part} cannot hold the octet {text[1:3].upper()}, encoded at position {at}"
            hint = "the registration of the scheme excludes it: leave it out"
        else:
            if kind == "end":
                expected, came = shortest(syntax.automaton, expected), f"the URL ends at position {at}"
            words = due(syntax, expected)
            rule = rule_of(syntax, expected) or rule or syntax.rule
            part = part_of(syntax, expected) or part
            if ended:
                words = (*words, END)
            said = f"{came}, where nothing can follow" if words == (END,) else f"{came} where {listed(words)} is due"
            if words == (END,):
                hint = "leave it out"
        return Finding(
            "invalid-part",
            said,
            span=(at, self.place(end, start)),
            part=part,
            section=syntax.section_of(rule or syntax.rule),
            hint=hint,
            expected=words,
            rule=rule,
        )
