"""Messages of invalid URLs: what is wrong at a place, what was expected there, and one hint.

`fault_place` finds the place of the first fault of a text; a linter may describe further places.
"""

from __future__ import annotations

from string import ascii_letters
from string import digits as ascii_digits
from typing import NamedTuple

from urlschemes.grammar.automaton import State
from urlschemes.grammar.derivation import END, expected_words, listed, octet_name, part_of, rule_of
from urlschemes.grammar.octets import HEX, encoded, octets_of
from urlschemes.grammar.profile import Authority
from urlschemes.grammar.regex_compat import compiled
from urlschemes.grammar.rule_tree import Characters
from urlschemes.grammar.syntax import Syntax
from urlschemes.redaction import shown

_QUOTED = 12
"""The characters of a text that a message quotes."""

_SECRET = frozenset({"password", "port"})
"""The parts whose characters no message quotes."""

_RESERVED_HINT = "a reserved character that is data must be encoded"
HINTS = {
    "scheme": "begin with the name of the scheme and a colon",
    "bare host": "a host alone is not a URL: write the name of the scheme, a colon and `//` before it",
    "port": "the port is a decimal number",
    "zone": "leave out the zone of the address: it has a meaning on one machine only",
}
"""The hints that all profiles share."""
BARE_HOST = compiled(r"[0-9A-Za-z][0-9A-Za-z+-]*+\.[0-9A-Za-z+.-]*+(?!;?//)")


def usual_hint(syntax: Syntax, part: str | None) -> str | None:
    """Return the hint about the scheme, host or port, if it is of the usual rule; None otherwise."""
    known = syntax.parts.get(part or "")
    if part == "host":
        return syntax.profile.host_hint if known is not None and known.rule in syntax.host_rules else None
    return HINTS.get(part or "") if part == "scheme" or (known is not None and known.kind == "number") else None


class FaultMessage(NamedTuple):
    """The `message` about a fault, the `part` and the `rule` at fault, the `expected` texts, and a `hint`."""

    message: str
    part: str | None
    rule: str | None
    expected: tuple[str, ...] = ()
    hint: str | None = None

    def best_hint(self, syntax: Syntax) -> str | None:
        """Return the hint; without one, the record's description of the part."""
        part = syntax.parts.get(self.part or "")
        return self.hint or (part.says if part else None)


class FaultPlace(NamedTuple):
    """The place of a fault: `position` and the characters `run` there, none at the end of the URL.

    `state` is that of the automaton before them, and `rest` the parsed text from there on.
    """

    syntax: Syntax
    run: str
    position: int
    state: State
    rest: str = ""

    def subject(self, part: str | None = None, *, begins: bool = False) -> str:
        """Return the beginning of a message: "invalid character 'x' in the port at position 9".

        `begins` says that the part begins there. The characters of a password are not quoted, nor those of a port: they
        may be a password without its `@`.
        """
        name = _named(self.syntax, part) if part else None
        at = f"at position {self.position}"
        if not self.run:
            return f"missing {name} {at}" if begins and name else f"unexpected end of the URL {at}"
        quoted = "" if part in _SECRET else f" {quoted_text(self.run)}"
        if begins and name:
            return f"invalid {name}{quoted} {at}"
        plural = "s" if len(self.run) > 1 and quoted else ""
        return f"invalid character{plural}{quoted}{f' in the {name}' if name else ''} {at}"


def _named(syntax: Syntax, part: str) -> str:
    """Return the name of a part as messages write it."""
    return "user name" if part == "user" else syntax.parts[part].called if part in syntax.parts else part


def quoted_text(text: str) -> str:
    """Return the beginning of `text` in quotes, what cannot be seen escaped; a backslash is not doubled."""
    return repr(shown(text[:_QUOTED])).replace("\\\\", "\\") + ("..." if len(text) > _QUOTED else "")


def choices(words: tuple[str, ...]) -> str:
    """Return the texts that were expected, as the end of a message."""
    literals = [word[1:-1] for word in words if len(word) > 2 and word[0] == word[-1] == '"']
    if len(literals) == len(words) > 2:
        return f"expected one of {', '.join(literals)}"
    return f"expected {listed(words)}"


def sharing_part(syntax: Syntax, name: str, rest: str) -> str:
    """Return the part that the next character is in, if the part `name` shares its list with another one.

    `rest` is the text from there on.
    """
    part = syntax.parts[name]
    sharing = [each.name for each in syntax.parts.values() if each.mark == part.mark and each is not part]
    span = part.share(rest, 0, len(rest))
    return name if not sharing or (span is not None and span[0] == 0) else sharing[0]


def is_like_ipv6(text: str) -> bool:
    """Return True if `text` looks like an IPv6 address without brackets."""
    return text.count(":") > 1 and not text.strip(f"{HEX}:.") and "." not in text.partition(":")[0]


def missing_host_hint(syntax: Syntax, text: str, authority: Authority, expected: str) -> str:
    """Return the hint about the missing host of `authority` in `text`."""
    is_right = text.startswith("/", authority.start) and syntax.fullmatch(text.replace("///", "//", 1))
    return f"write {expected} after `//`{', or leave out the third `/`' if is_right else ''}"


def escapes(run: str) -> str:
    """Return `run` encoded; of a long one, the first characters."""
    few = run[:_QUOTED]
    try:
        return encoded(octets_of(few)) + ("..." if few != run else "")
    except UnicodeEncodeError:
        return "in UTF-8"


# Characters that no URL holds


def bad_escape(place: FaultPlace, part: str | None) -> FaultMessage:
    """Return the message for percent signs that begin no escape."""
    known = place.syntax.parts.get(part or "")
    message = f"invalid escape at position {place.position}: expected two hexadecimal digits after '%'"
    hint = None if known and known.says else "leave it out"
    hint = "a percent sign is written %25" if place.state.taken("%25") else hint
    hint = f"the {known.called} has no escapes" if known and not known.escapes else hint
    return FaultMessage(message, part, place.syntax.profile.rule_names["escape"], ("two hexadecimal digits",), hint)


def unsafe_character(place: FaultPlace, part: str | None, written: str) -> FaultMessage:
    """Return the message for characters that no URL may hold, or for a `#` where URLs have no fragments.

    `written` are their escapes, "" if these cannot stand there.
    """
    run, subject = place.run, place.subject(part)
    if place.rest[:1] == "#":
        subject, problem = place.subject(), "a fragment is not part of a URL"
    elif not run.isascii() or not run.isprintable():
        problem = "expected graphic US-ASCII characters"
    elif part == "scheme" or (part in {"host", "port"} and not place.syntax.parts[part].escapes):
        problem = f"expected {alphabet(place.syntax, part)}"
    elif part == "host" and usual_hint(place.syntax, part):
        problem = "neither a name nor an address may contain it"
    elif not written:
        problem = "not allowed there, even encoded"
    else:
        problem = "unsafe characters must be encoded"
    rule, hint = place.syntax.profile.rule_names["character"], _unsafe_hint(place, part, written)
    return FaultMessage(f"{subject}: {problem}", part, rule, (f'"{written}"',) if written else (), hint)


def alphabet(syntax: Syntax, part: str) -> str:
    """Return the characters of a part without escapes in words: 'letters, digits, "+" and "."'."""
    if part == "scheme" or part not in syntax.parts:
        held = "".join(sorted(syntax.profile.scheme_characters))
    else:
        held = "".join(map(chr, sorted(syntax.parts[part].bare)))
    letters, digits = (frozenset(held) >= frozenset(each) for each in (ascii_letters, ascii_digits))
    words = ["letters"] * letters + ["digits"] * digits
    rest = [each for each in held if not (letters and each.isalpha()) and not (digits and each.isdigit())]
    words += ["hyphens", "dots"] if rest == ["-", "."] else [f'"{each}"' for each in rest]
    return listed(tuple(words), "and")


def _unsafe_hint(place: FaultPlace, part: str | None, written: str) -> str | None:
    known = place.syntax.parts.get(part or "")
    if place.rest[:1] == "#" and part != "scheme":
        if part in {"user", "password"}:
            return "write %23 in a user name or password"
        return "leave out the fragment" + (f"; a `#` that is data is written {written}" if written else "")
    if (hint := usual_hint(place.syntax, part)) is not None:
        return hint
    is_data = not written or part_of(place.syntax, place.state.taken(written)) is not None
    if place.run.isascii() and not place.run.isprintable() and is_data:
        return "leave it out"
    if part == "password" and written:
        return "encode it"
    is_plain = not written or (place.run.isascii() and written == escapes(place.run))
    if known is not None and known.says and is_plain:
        return None  # the description of the part says more
    return f"write {written}" if written else "leave it out"


# The rules of a scheme


def reserved_character(place: FaultPlace, positions: int, options: tuple[str, ...] = ()) -> FaultMessage:
    """Return the message for characters that must be encoded where they stand.

    The last character of their escape stands at `positions`. `options` are literals that the first of them could begin.
    """
    syntax = place.syntax
    part = sharing_part(syntax, part_of(syntax, positions) or "", place.rest)
    written = tuple(dict.fromkeys(f"%{octet:02X}" for octet in octets_of(place.run[:_QUOTED])))
    hint = f"write {listed(written)} if it is part of the {_named(syntax, part)}" if options else _RESERVED_HINT
    if part in syntax.parts and place.state.taken("=") and not options:
        hint = syntax.parts[part].says or hint
    hint = "encode it" if part == "password" else hint
    if place.rest.startswith("//") and syntax.automaton.characters(place.state.reached) == 1 << ord(":"):
        hint = "leave out the `//`" + ("" if "host" in syntax.parts else ": the scheme has no host")
    message = f"{place.subject(part)}: expected {listed((*options, *written))}"
    expected = (*options, *(f'"{escape}"' for escape in written))
    return FaultMessage(message, part, rule_of(syntax, positions), expected, hint)


def broken_literal(place: FaultPlace, literal: Characters) -> FaultMessage:
    """Return the message for the beginning of `literal` with another character after it."""
    syntax, option = place.syntax, f'"{literal.literal}"'
    escape = f"%{ord(place.rest[0]):02X}"
    positions = place.state.taken(escape)
    part = part_of(syntax, positions)
    if literal.offset == 1 and part is not None:
        return reserved_character(place._replace(run=place.run[:1]), positions, (option,))
    hint = None
    if part is not None:
        sharing = sharing_part(syntax, part, place.rest)
        hint = f"write {escape} if {place.run[0]!r} is part of the {_named(syntax, sharing)}"
    rule = next((name for name in reversed(literal.path) if name in syntax.grammar.rules), None)
    message = f"{place.subject(part if part in _SECRET else None)}: expected {option}"
    return FaultMessage(message, None, rule, (option,), hint)


def excluded_octet(place: FaultPlace) -> FaultMessage:
    """Return the message for an escape of an octet that cannot stand there."""
    syntax, octet = place.syntax, int(place.rest[1:3], 16)
    percent = place.state.taken("%")
    lacking = {part.mark for part in syntax.parts.values() if octet not in part.escapes}
    around = [each.inside for each in syntax.automaton.marked if each.inside & percent and each.mark in lacking]
    name = part_of(syntax, around[-1] if around else place.state.reached) or part_of(syntax, percent)
    if name is not None:
        name = sharing_part(syntax, name, place.rest)
    part = syntax.parts.get(name or "")
    is_excluded = part is not None and octet in part.exclude
    there = " there" if part is not None and octet in part.escapes else ""
    which = "this octet" if name in _SECRET else f"the octet {octet:02X}{octet_name(octet)}"
    quoted = "" if name in _SECRET else f" {place.run!r}"
    subject = f"invalid {'escape' if place.run[:1] == '%' else 'character'}{quoted} at position {place.position}"
    rule = part.rule if part and is_excluded else rule_of(syntax, place.state.reached or percent)
    hint = "leave it out: the record of the scheme excludes it" if is_excluded else None
    problem = f"the {_named(syntax, name or 'URL')} cannot hold {which}{there}"
    return FaultMessage(f"{subject}: {problem}", name, rule, ("another octet",), hint)


def unexpected(place: FaultPlace) -> FaultMessage:
    """Return the message for a character that cannot stand there, even encoded; or for a URL that ends too early."""
    syntax, reached, ends = place.syntax, place.state.reached, not place.run
    automaton = syntax.automaton
    expected = automaton.nearest_to_end(place.state.expected) if ends else place.state.expected
    words = expected_words(syntax, expected)
    if not ends and automaton.tree.last & reached:
        words = (*words, END)
    part = part_of(syntax, expected, reached)
    begins = part is not None and not automaton.inside(syntax.parts[part].mark) & reached
    if part is not None and part != part_of(syntax, reached):
        rule: str | None = syntax.parts[part].decoded or syntax.parts[part].rule
    elif part is not None:
        rule = rule_of(syntax, expected)
    else:
        part = part_of(syntax, reached)
        rule = rule_of(syntax, reached if (part and not ends) or not expected else expected)
    after_part = not begins and part_of(syntax, expected, reached) is None
    subject = place.subject(None if after_part and part not in _SECRET else part, begins=begins)
    hint = _unexpected_hint(place, part, expected, words)
    return FaultMessage(f"{subject}: {choices(words)}", part, rule or syntax.rule, words, hint)


def _unexpected_hint(place: FaultPlace, part: str | None, expected: int, words: tuple[str, ...]) -> str | None:
    known, ends = place.syntax.parts.get(part or ""), not place.run
    if known is not None and known.says:
        return None  # the description of the part says more
    if words == (END,):
        return f"leave out the text after the {_named(place.syntax, part)}" if part else "leave it out"
    if known is not None and known.kind == "number" and not (ends and _are_literals(words)):
        return f"write the {known.called} in decimal digits"
    if known is not None and not known.escapes and place.run[:1] == "%":
        return f"the {known.called} has no escapes"
    return _missing(place.syntax, expected, words) if ends else None


def _missing(syntax: Syntax, expected: int, words: tuple[str, ...]) -> str:
    """Return the hint for a URL that ends too early: what to write, and the part that follows."""
    automaton = syntax.automaton
    if not _are_literals(words):
        part = _beginning_part(syntax, expected)
        return f"add the {_named(syntax, part)}" if part else f"add {listed(words)}"
    after, seen = automaton.following(expected), 0
    while automaton.begun(after) is not None and after & ~seen:  # the rest of a literal
        seen |= after
        after = automaton.following(after)
    part = _beginning_part(syntax, after)
    return f"add {listed(words)}{f' and the {_named(syntax, part)}' if part else ''}"


def _are_literals(words: tuple[str, ...]) -> bool:
    """Return True if nothing but certain characters was expected."""
    return all(word.startswith('"') for word in words)


def _beginning_part(syntax: Syntax, positions: int) -> str | None:
    """Return the first part that may begin at one of `positions`, by its outermost name; None if there is none."""
    mark = next((marked.mark for marked in syntax.automaton.marked if marked.first & positions), None)
    return next(
        (name for name, part in syntax.parts.items() if part.mark == mark and part.take != "all but the last"), None
    )
