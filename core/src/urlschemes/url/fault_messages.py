"""What is said of a fault: what is wrong at a place of a text, in words, and what to do about it.

Where the place is, others find out: `explanation` for the first fault of a text, `faults` for every one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import category, normalize

from urlschemes.grammar.derivation import END, due, listed, octet_named, part_of, rule_of, shortest
from urlschemes.grammar.octets import encoded, octets_of
from urlschemes.url.fault_kind import NOT_IN_ANY_URL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlschemes.grammar.rule_tree import Characters
    from urlschemes.grammar.syntax import Syntax

__all__ = [
    "LABELS",
    "Given",
    "Place",
    "Told",
    "bad_escape",
    "broken_literal",
    "escapes",
    "fixable",
    "fragment",
    "octet",
    "reserved",
    "share",
    "unexpected",
    "unsafe",
    "unseen",
]

LABELS = (
    "labels hold letters, digits and hyphens, begin and end with a letter or digit, and the last begins with a letter"
)

_CHARACTERS = {"'": '"\'"', " ": "a blank", "\t": "a tab", "\n": "a line feed", "\r": "a carriage return"}
_QUOTED = 12
"""Characters of a text that a message quotes."""
_U_ESCAPE = re.compile(r"%u([0-9A-Fa-f]{4})")
_UNSEEN = frozenset({"Cf", "Cc", "Zs", "Zl", "Zp"})


class Told:
    """What is said of a fault: the `message`, the `part` and the `rule` at fault, what was `expected`, and a `hint`."""

    __slots__ = ("_hint", "expected", "message", "part", "rule")

    def __init__(
        self,
        message: str = "",
        *,
        part: str | None,
        rule: str | None,
        expected: tuple[str, ...] = (),
        hint: str | None = None,
    ) -> None:
        self.message = message
        self.part = part
        self.rule = rule
        self.expected = expected
        self._hint = hint

    def hint(self, syntax: Syntax) -> str | None:
        """What to do: where the fault itself does not say it, what the part is."""
        part = syntax.parts.get(self.part or "")
        return self._hint or (part.says if part else None)

    def advise(self, hint: str) -> None:
        """Let `hint` say what to do."""
        self._hint = hint


class Given:
    """The text as it was given, for one that is read in its place: what messages count and quote.

    Character n of the text that is read stands at `at[n]`; without `at`, the two are one.
    """

    __slots__ = ("_at", "text")

    def __init__(self, text: str, at: Sequence[int] | None = None) -> None:
        self.text = text
        self._at = at

    def place(self, index: int) -> int:
        """Where the character `index` stands."""
        return index if self._at is None else self._at[min(index, len(self._at) - 1)]

    def run(self, start: int, end: int) -> str:
        """What was given for the characters from `start` to `end`."""
        return self.text[self.place(start) : self.place(end - 1) + 1] if start < end else ""


class Place:
    """Where a fault lies: at `position`, where `run` stands, nothing at the end of the URL.

    Of the automaton, one of the positions `expected` could have come there; the character before stands at one of
    `reached`. `behind` is the text from there on, as it is read.
    """

    __slots__ = ("behind", "expected", "position", "reached", "run", "syntax")

    def __init__(
        self, syntax: Syntax, run: str, position: int, *, behind: str = "", expected: int = 0, reached: int = 0
    ) -> None:
        self.syntax = syntax
        self.run = run
        self.position = position
        self.behind = behind
        self.expected = expected
        self.reached = reached

    def came(self, part: str | None = None) -> str:
        """What stands there; what belongs to a password is not shown."""
        if not self.run:
            return f"the URL ends at position {self.position}"
        if part == "password":
            return f"what stands at position {self.position}"
        if len(self.run) == 1:
            return f"{_shown(self.run)} at position {self.position}"
        quoted = ascii(self.run[:_QUOTED]) + ("..." if len(self.run) > _QUOTED else "")
        return f"{quoted} from position {self.position} on"

    def first(self) -> Place:
        """The place of the first character alone."""
        return Place(
            self.syntax,
            self.run[:1],
            self.position,
            behind=self.behind,
            expected=self.expected,
            reached=self.reached,
        )


def _shown(character: str) -> str:
    return _CHARACTERS.get(character) or (f"'{character}'" if "!" <= character <= "~" else ascii(character))


def share(syntax: Syntax, name: str, behind: str) -> str:
    """Of a list that the part `name` shares with another, the one that a text lies in which `behind` goes on from."""
    part = syntax.parts[name]
    sharing = [each.name for each in syntax.parts.values() if each.mark == part.mark and each is not part]
    span = part.share(behind, 0, len(behind))
    return name if not sharing or (span is not None and span[0] == 0) else sharing[0]


# What a URL is written with (section 2.2)


def bad_escape(place: Place, part: str | None) -> Told:
    """Percent signs that begin no escape."""
    hint = "a percent sign that is data is written %25"
    if part in place.syntax.parts and not place.syntax.parts[part or ""].escapes:
        hint = f"the {part} has no escapes"
    foreign = _U_ESCAPE.match(place.behind)
    if foreign is not None:
        hint = "an escape is one octet; a character is written as the octets of its UTF-8"
        character = chr(int(foreign[1], 16))
        if not "\ud800" <= character <= "\udfff" and part != "password":
            hint += f": {encoded(character.encode())}"
    are = "is" if len(place.run) == 1 else "are"
    return Told(
        f"{place.came()} {are} not followed by two hexadecimal digits",
        part=part,
        rule="escape",
        expected=("two hexadecimal digits",),
        hint=hint,
    )


def fragment(place: Place, part: str | None, written: str | None) -> Told:
    """A `#`. `written` is it, encoded, where it can stand so, "" where it cannot, and None where nobody knows."""
    hint = "`fix` gives URL and fragment apart" + (f"; as data it is written {written}" if written else "")
    if part in {"user", "password"}:
        hint = "within a user name or password it is written %23"
    return Told(
        f"{place.came()} begins a fragment, which is no part of the URL",
        part=part,
        rule="xchar",
        expected=("a character that a URL may hold",),
        hint=hint,
    )


def unsafe(place: Place, part: str | None, written: str | None, *, repaired: bool) -> Told:
    """Characters that no URL may hold. `written` as for `fragment`; `repaired` tells whether `fix` encodes them."""
    run, came = place.run, place.came(part)
    are = "are" if len(run) > 1 and part != "password" else "is"
    if not run.isascii() or not run.isprintable():
        message = f"{came} {are} no graphic US-ASCII character{'s' if are == 'are' else ''}"
    elif run[0] == "[" and part == "host":
        message = f"{came} cannot stand in a host"
    elif written == "":
        message = f"{came} {are} unsafe, and cannot stand there in any form"
    else:
        message = f"{came} {are} unsafe and must be encoded always"
    return Told(
        message,
        part=part,
        rule="xchar",
        expected=("a character that a URL may hold",),
        hint=_unsafe_hint(place, part, written, repaired=repaired),
    )


def _unsafe_hint(place: Place, part: str | None, written: str | None, *, repaired: bool) -> str | None:
    run, it = place.run, "each" if len(place.run) > 1 else "it"
    if not run.isascii():
        return _foreign_hint(run, part, written, repaired=repaired)
    if part == "password" and written != "":
        return f"within a password {it} is encoded" + (": `fix` does it" if repaired else "")
    if not run.strip("\t\r\n") and written:
        return f"leave {it} out where the URL was only wrapped; as data {it} is written {written}"
    if repaired and written and part != "user":
        return f"write {written}, or let `fix` do it"
    if part in place.syntax.parts and place.syntax.parts[part or ""].says:
        return None  # what the part is says more
    if part == "host":
        return LABELS
    if written is None:
        return f"as data {it} is written {escapes(run)}"
    return f"write {written}" if written else _no_form(part)


def escapes(run: str) -> str:
    """`run` encoded; of a long one, its first characters."""
    few = run[:_QUOTED]
    try:
        return encoded(octets_of(few)) + ("..." if few != run else "")
    except UnicodeEncodeError:
        return "in UTF-8"


def _no_form(part: str | None) -> str:
    return f"the {part} can hold no such character in any form" if part else "leave out what stands there"


def _foreign_hint(run: str, part: str | None, written: str | None, *, repaired: bool) -> str:
    plain = normalize("NFKC", run)
    if part in {"scheme", "port", None} and plain.isascii() and plain.isprintable() and plain.strip():
        return f"write `{plain[:_QUOTED]}` of US-ASCII"
    it, its = ("each", "their") if len(run) > 1 else ("it", "its")
    if all(map(unseen, run)):
        data = f", or write {written} where {it} is data" if written and part != "password" else ""
        return f"{it} cannot be seen: leave {it} out{data}"
    if part == "host":
        return "write the name in its US-ASCII form, with labels that begin with xn--"
    if written == "":
        return _no_form(part)
    if part == "password":
        return f"within a password {its} octets in UTF-8 are encoded"
    if written is None:
        return f"as data {it} is written {escapes(run)}"
    return f"write {its} octets in UTF-8, {written}" + (", or let `fix` do it" if repaired else "")


def unseen(character: str) -> bool:
    """Whether `character`, which is none of US-ASCII, cannot be seen: a blank, or what only directs the writing."""
    return character > "\x7f" and category(character) in _UNSEEN


def fixable(text: str, syntax: Syntax) -> bool:
    """Whether `text` is a URL once the characters that no URL may hold are encoded, and a fragment is split off.

    Not with what cannot be seen: nobody knows whether that is data.
    """
    if not text.isascii() and any(map(unseen, text)):
        return False
    return syntax.fullmatch(NOT_IN_ANY_URL.sub(_any_escape, text.partition("#")[0])) is not None


def _any_escape(found: re.Match[str]) -> str:
    return f"%{ord(found[0]):02X}" if found[0].isascii() else "%80"  # any octet that is none of US-ASCII


# What a scheme's own rules say


def reserved(place: Place, positions: int, options: tuple[str, ...] = ()) -> Told:
    """Characters that can stand there only if they are encoded: then the last of an escape stands at `positions`.

    `options` are literals that the first of them could begin.
    """
    syntax = place.syntax
    part = share(syntax, part_of(syntax, positions) or "", place.behind)
    escapes = tuple(dict.fromkeys(f"%{octet:02X}" for octet in octets_of(place.run[:_QUOTED])))
    hint = f"within the {part} it is reserved: write {listed(escapes)}"
    if options:
        hint = f"write {listed(escapes)} where it belongs to the {part}; else it begins {listed(options)}"
    if part == "password":
        hint = "within a password it is encoded"
    return Told(
        f"{place.came(part)} cannot stand in the {part} as it is",
        part=part,
        rule=rule_of(syntax, positions),
        expected=(*options, *(f'"{escape}"' for escape in escapes)),
        hint=hint,
    )


def broken_literal(place: Place, literal: Characters) -> Told:
    """The beginning of `literal`, which does not go on as the literal does."""
    syntax, option = place.syntax, f'"{literal.literal}"'
    escape = f"%{ord(place.run[0]):02X}"
    positions = syntax.automaton.taken(place.expected, escape)
    part = part_of(syntax, positions)
    if literal.offset == 1 and part is not None:
        return reserved(place.first(), positions, (option,))
    hint = None
    if part is not None:
        hint = f"write {escape} where {place.run[0]!a} belongs to the {share(syntax, part, place.behind)}"
    return Told(
        f"{place.came()} where {option} is due",
        part=None,
        rule=next((name for name in reversed(literal.path) if name in syntax.grammar.rules), None),
        expected=(option,),
        hint=hint,
    )


def octet(place: Place) -> Told:
    """An escape of an octet that cannot stand there."""
    syntax, octet = place.syntax, int(place.run[1:3], 16)
    percent = syntax.automaton.taken(place.expected, "%")
    lacking = [
        marked
        for marked in syntax.automaton.marked
        if marked.inside & percent
        and all(octet not in part.escapes for part in syntax.parts.values() if part.mark == marked.mark)
    ]
    name = part_of(syntax, lacking[-1].inside if lacking else place.reached) or part_of(syntax, percent)
    if name is not None:
        name = share(syntax, name, place.behind)
    part = syntax.parts.get(name or "")
    excluded = part is not None and octet in part.exclude
    there = " there" if part is not None and octet in part.escapes else ""
    said = "" if name == "password" else f" {octet:02X}{octet_named(octet)}"
    return Told(
        f"the {name or 'URL'} cannot hold the octet{said}{there}, encoded at position {place.position}",
        part=name,
        rule=part.rule if part and excluded else rule_of(syntax, place.reached or percent),
        expected=("another octet",),
        hint="the registration of the scheme excludes it: leave it out" if excluded else None,
    )


def unexpected(place: Place) -> Told:
    """What stands there and cannot, in no form; or the end of the URL, which cannot be there yet."""
    syntax, reached, ends = place.syntax, place.reached, not place.run
    automaton = syntax.automaton
    expected = shortest(automaton, place.expected) if ends else place.expected
    words = due(syntax, expected)
    if not ends and automaton.tree.last & reached:
        words = (*words, END)
    part = part_of(syntax, expected, reached)
    if part is not None and part != part_of(syntax, reached):  # it begins here
        rule: str | None = syntax.parts[part].decoded or syntax.parts[part].rule
    elif part is not None:
        rule = rule_of(syntax, expected)
    else:
        part = part_of(syntax, reached)
        rule = rule_of(syntax, reached if (part and not ends) or not expected else expected)
    message = f"{place.came(part)} where {listed(words)} is due"
    hint = None
    known = syntax.parts.get(part or "")
    if words == (END,):
        message = f"{place.came(part)}, where nothing can follow"
        hint = f"leave out what stands behind the {part}" if part else "leave out what begins there"
    elif known is not None and known.number and not (ends and _literal(words)):
        hint = f"the {part} is a decimal number"
    elif known is not None and not known.escapes and place.run[:1] == "%":
        hint = f"the {part} has no escapes"
    elif ends:
        hint = _missing(syntax, expected, words)
    if known is not None and known.says:
        hint = None  # what the part is says more
    return Told(message, part=part, rule=rule or syntax.rule, expected=words, hint=hint)


def _missing(syntax: Syntax, expected: int, words: tuple[str, ...]) -> str:
    """What to write where the URL ends too early: what is due, and the part behind it, if one begins there."""
    automaton = syntax.automaton
    if not _literal(words):
        begins = _beginning(syntax, expected)
        return f"the {begins} is missing" if begins else f"write {listed(words)} at the end"
    after, seen = automaton.following(expected), 0
    while automaton.begun(after) is not None and after & ~seen:  # the rest of a literal
        seen |= after
        after = automaton.following(after)
    begins = _beginning(syntax, after)
    return f"write {listed(words)}{f', and the {begins} behind it' if begins else ' at the end'}"


def _literal(words: tuple[str, ...]) -> bool:
    """Whether nothing but certain characters is due."""
    return all(word.startswith('"') for word in words)


def _beginning(syntax: Syntax, positions: int) -> str | None:
    """The first part that may begin at one of `positions`, by its outermost name; None without one."""
    mark = next((marked.mark for marked in syntax.automaton.marked if marked.first & positions), None)
    return next(
        (name for name, part in syntax.parts.items() if part.mark == mark and part.take != "all but the last"), None
    )
