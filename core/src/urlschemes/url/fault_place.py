"""Why a text is no URL: the slow path, taken only when somebody reads the error.

The place of the first fault, and what is said of it: of user, host and port here, of all else by `wording`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from urlschemes import errors
from urlschemes.errors import BadEscape, Explanation, FragmentPresent, InvalidCharacter
from urlschemes.grammar.derivation import END, due, listed, part_of, rule_of
from urlschemes.grammar.octets import SCHEME_NAME, encoded, octets_of
from urlschemes.grammar.part import DIGITS
from urlschemes.grammar.rule_tree import Characters
from urlschemes.url.fault_kind import AUTHORITY, LOGIN_RUN, NOT_IN_ANY_URL, STOP, refused
from urlschemes.url.fault_messages import (
    LABELS,
    Given,
    Place,
    Told,
    bad_escape,
    broken_literal,
    fixable,
    fragment,
    octet,
    reserved,
    share,
    unexpected,
    unsafe,
)

if TYPE_CHECKING:
    from urlschemes.errors import InvalidURL
    from urlschemes.grammar.part import Part
    from urlschemes.grammar.rule_tree import Repeated
    from urlschemes.grammar.syntax import Syntax

__all__ = ["ENDS_HOST", "ReadInPlace", "explanation", "host_end", "impossible_login"]

ENDS_HOST = re.compile("[?;&=]")
"""The end of a host without a `/` after it: the reserved characters that separate no login, host and port."""

_PORT = re.compile(r":[0-9]{1,4000}+")
_IPV6 = re.compile(r"(?=[^:]*:[^:]*:)[0-9A-Fa-f:.]{2,}")
_OTHER_SCHEME = re.compile(r"//[A-Za-z0-9]")

NAME = "a scheme name and a colon"
NO_IPV6 = "RFC 1738 knows no IPv6 addresses: write a domain name or an IPv4 address"


def explanation(text: str, syntax: Syntax, scheme: str | None, given: Given | None = None) -> Explanation:
    """Why `syntax`, that of `scheme`, does not match `text`, which is read in place of the text `given`.

    The position is that of `text`; the message counts and quotes what was given.
    """
    explaining = _Explaining(text, syntax, given or Given(text))
    told = explaining.told(type(refused(text, syntax, Explanation(""))))
    part = syntax.parts.get(told.part or "")
    return Explanation(
        told.message,
        scheme=scheme,
        part=told.part,
        position=explaining.position,
        expected=told.expected,
        rule=told.rule,
        definition=_definition(told.rule, part, syntax),
        section=syntax.section_of(told.rule) if told.rule else None,
        hint=told.hint(syntax),
    )


def impossible_login(text: str, syntax: Syntax) -> int:
    """Return the positions of user name and password if `text` has none.

    Without an `@`, the text after `//` is a host, even if it looks like the beginning of a login.
    """
    found = AUTHORITY.match(text)
    positions = 0
    if found is not None and found["user"] is None:
        for marked in syntax.automaton.marked:
            if marked.mark in {"user", "password"}:
                positions |= marked.inside
    return positions


def host_end(authority: re.Match[str], before: int) -> int | None:
    """Return where a host ends without a `/` after it, before the index `before`; None if nowhere.

    `authority` is a match of AUTHORITY.
    """
    if authority["slashes"] is None:
        return None
    end = ENDS_HOST.search(authority.string, authority.start("host"), min(before, authority.end()))
    return end.start() if end is not None and end.start() > authority.start("host") else None


class ReadInPlace(NamedTuple):
    """Why a text of `syntax` is no URL that is read in place of the text `given`: what its errors say."""

    syntax: Syntax
    scheme: str | None
    given: Given

    def explanation(self, text: str) -> Explanation:
        """Why `text` was refused."""
        return explanation(text, self.syntax, self.scheme, self.given)

    def refused(self, text: str) -> InvalidURL:
        """The error for `text`."""
        return refused(text, self.syntax, self)


def _definition(rule: str | None, part: Part | None, syntax: Syntax) -> str | None:
    """`rule` in the notation of section 5; the bound of numbers, and what the record excludes, in words behind it."""
    if rule not in syntax.grammar.rules:
        return None
    written = str(syntax.grammar.rules[rule])
    if f"*{DIGITS}digit" in written:
        written = f"{written.replace(f'*{DIGITS}digit', '*digit')}, of which at most {DIGITS:,} are read"
    if part is not None and part.exclude and part.rule == rule:
        written += f", without {listed(tuple(f'{octet:02X}' for octet in sorted(part.exclude)), 'and')}"
    return written


class _Explaining:
    """A text that is no URL, as it is looked at. `position` is where the fault lies, once that is known."""

    def __init__(self, text: str, syntax: Syntax, given: Given) -> None:
        self.text = text
        self.syntax = syntax
        self.automaton = syntax.automaton
        self.given = given
        self.position = 0
        self.without = impossible_login(text, syntax)
        self.authority = AUTHORITY.match(text) if "host" in syntax.parts else None

    def told(self, kind: type[InvalidURL]) -> Told:
        if issubclass(kind, InvalidCharacter | BadEscape):
            return self.escape() if kind is BadEscape else self.character(kind)
        if kind is errors.InvalidScheme:
            return self.scheme()
        if self.authority is not None:
            if kind is errors.MissingAuthority:
                return self.slashes()
            if issubclass(kind, errors.InvalidUserinfo):
                return self.login(kind, self.authority)
            if kind is errors.InvalidPort:
                return self.port(self.authority)
            if issubclass(kind, errors.InvalidHost):
                return self.host(self.authority)
        return self.structure()

    def place(self, position: int, *, length: int = 1, expected: int = 0, reached: int = 0) -> Place:
        """The fault lies at `position`, and what is wrong there has this `length`."""
        self.position = position
        run = self.given.run(position, min(position + length, len(self.text)))
        place = self.given.place(position)
        return Place(self.syntax, run, place, behind=self.text[position:], expected=expected, reached=reached)

    # What a URL is written with (section 2.2)

    def escape(self) -> Told:
        position = STOP.match(self.text).end() - 1  # type: ignore[union-attr]  # it ends with the percent sign
        return bad_escape(self.place(position), self.part_at(position))

    def character(self, kind: type[InvalidURL]) -> Told:
        position = NOT_IN_ANY_URL.search(self.text).start()  # type: ignore[union-attr]
        part = self.part_at(position)
        place, written = self.place(position), self.written(position, part)
        if kind is FragmentPresent:
            return fragment(place, part, written)
        told = unsafe(place, part, written, repaired=fixable(self.text, self.syntax))
        hint = self.character_hint(position, part, written)
        if hint is not None:
            told.advise(hint)
        return told

    def character_hint(self, position: int, part: str | None, written: str | None) -> str | None:
        """What to do about a character, where that follows from what stands around it."""
        text, syntax, character = self.text, self.syntax, self.text[position]
        if text.startswith("\\"):
            return "this is the path of a file, and no URL"
        if not text[:position].strip(" \t\r\n<"):
            return "no URL begins with it: leave it out" + (", or let `fix` do it" if character in " \t\r\n<" else "")
        if not text[position:].strip():
            return "leave out the white space at the end, or let `fix` do it"
        if character == "\\" and self.authority is not None and part in {"host", "scheme", None}:
            hint = "a URL is divided by `/`, on every system"
            return f"{hint}; where the path begins here, a third `/` stands before it" if self.may_be_path() else hint
        if character == "\\" and written and part != "user":
            return f"write `/` where it divides, and {written} where it is data"
        if character == "[" and part == "host":
            return NO_IPV6
        if character == "<" and text.endswith(">") and not fixable(text, syntax):
            within = syntax.fullmatch(f"{text[:position]}{text[position + 1 : -1]}")
            return None if within is None else "leave out `<` and `>`, or let `fix` do it"
        return None

    def may_be_path(self) -> bool:
        """Whether what stands where the host should may be the path of a URL that has none."""
        found = self.authority
        return found is not None and found["slashes"] is not None and self.syntax.host_may_be_empty

    def part_at(self, position: int) -> str | None:
        """The part that the character at `position` would belong to, as far as the text before it tells."""
        text, found, syntax = self.text, self.authority, self.syntax
        if position <= text.find(":") or ":" not in text:
            return "scheme"
        if found is not None:
            if found.start("user") <= position < found.end("user"):
                return "password" if ":" in text[found.start("user") : position] else "user"
            if self.host_end(position) is None:
                if found.start("host") <= position < found.end("host"):
                    return "host"
                if found.start("colon") <= position < found.end("colon"):
                    return "port" if "port" in syntax.parts else "host"
        standing = self.reach(self.before(position))
        if standing is None:
            return None
        expected, last = standing
        escaped = self.automaton.taken(expected, "%00") or self.automaton.taken(expected, "%41")
        inside = part_of(syntax, escaped, last) or part_of(syntax, last)
        if inside is None:
            # A part begins here, if only one does.
            begins = {part_of(syntax, marked.first) for marked in self.automaton.marked if marked.first & expected}
            inside = begins.pop() if len(begins) == 1 else None
        return share(syntax, inside, text[position:]) if inside else None

    def host_end(self, position: int) -> int | None:
        """Where before `position` a host ends without the `/` that should follow it."""
        return None if self.authority is None else host_end(self.authority, position)

    def before(self, position: int) -> str:
        """What stands before `position`, with a host in place of an authority that is none: so the rest can be told."""
        text, found = self.text[:position], self.authority
        if found is None or found["slashes"] is None:
            return text
        ends = self.host_end(position)
        end = found.end() if ends is None else ends
        if end > position:
            return text
        head = text[:end]
        if self.reach(f"{head}/") is None:
            head = f"{text[: found.end('slashes')]}h"
        return f"{head}{'' if ends is None else '/'}{text[end:]}"

    def reach(self, text: str) -> tuple[int, int] | None:
        """What the automaton expects behind `text`, and where its last character stands; None where it cannot be."""
        reached, expected, last = self.automaton.reach(text, self.without)
        return (expected, last) if reached == len(text) else None

    def written(self, position: int, part: str | None) -> str | None:
        """The character at `position` encoded, "" where it cannot stand there so, and None where nobody knows."""
        try:
            escaped = encoded(octets_of(self.text[position]))
        except UnicodeEncodeError:
            return ""
        if part in {"scheme", "host", "port"}:
            return ""
        before = self.before(position)
        reached, expected, _ = self.automaton.reach(before, self.without)
        if reached < len(before) and expected:
            return None
        return escaped if self.automaton.taken(expected, escaped) else ""  # nor where nothing could follow before it

    # The scheme's name (section 2.1)

    def scheme(self) -> Told:
        text, name = self.text, SCHEME_NAME.match(self.text)
        position = name.end() if name else 0
        hint = "a URL begins with the name of its scheme: letters, digits, `+`, `-` and `.`, then a colon"
        if text.startswith("//"):
            hint = "this is a relative reference: `join` it with the URL that it was found in, or write its scheme"
            hint += " in front"
        elif text.startswith(("/", ".", "?")):
            hint = "this is a path or a relative reference: `join` it with the URL that it was found in"
        elif name is not None and text[position:].startswith(("//", ";//")):
            instead = " in place of `;`" if text[position] == ";" else ""
            hint = f"write `:` after `{name[0][:40]}`{instead}"
        elif name is not None and "." in name[0]:
            hint = "a host alone is no URL: write the name of the scheme, a colon and `//` in front of it"
        expected = '":"' if position else NAME
        message = f"{self.place(position).came()} where {expected} is due"
        if ":" in text[position:] and text[position] not in "/;?:":
            message = f"{self.place(position).came()} cannot stand in the name of a scheme"
        return Told(message, part="scheme", rule="scheme", expected=(expected,), hint=hint)

    # The Common Internet Scheme Syntax (section 3.1)

    def slashes(self) -> Told:
        position = self.text.index(":") + 1
        one = self.text[position : position + 1] == "/"
        hint = f"write {'a second `/`' if one else '`//`'} and then the host"
        if self.syntax.host_may_be_empty:
            hint += ", or no host and then the `/` that begins the path"
        expected = 'a second "/"' if one else '"//"'
        message = f"{self.place(position + one).came()} where {expected} is due"
        return Told(message, part="host", rule="ip-schemepart", expected=(expected,), hint=hint)

    def login(self, kind: type[InvalidURL], found: re.Match[str]) -> Told:
        start = found.start("user")
        if kind is errors.UserinfoNotAllowed:
            said = (
                f"the scheme has no user name and no password, and one begins at position {self.place(start).position}"
            )
            hint = "leave out what stands before the `@`; an `@` before the path can only end a user name or password"
            return Told(said, part="user", rule="hostport", expected=("a host",), hint=hint)
        position = start + LOGIN_RUN.match(found["user"]).end()  # type: ignore[union-attr]
        part, named = ("password", "password") if ":" in self.text[start:position] else ("user", "user name")
        return Told(
            f"{self.place(position).came()} cannot stand in a {named} as it is",
            part=part,
            rule=part,
            expected=(f'"%{ord(self.text[position]):02X}"',),
            hint="within a user name or password `:`, `@` and `/` must be encoded: %3A, %40, %2F",
        )

    def port(self, found: re.Match[str]) -> Told:
        text, colon = self.text, found["colon"]
        digits = _PORT.match(colon)
        position = found.start("colon") + (digits.end() if digits else 1)
        place, came = self.place(position), text[position : position + 1]
        if came.isdigit():
            return self.more_digits(place, "port", "port", "a port is a decimal number")
        expected = ("a digit", '"/"', END) if digits else ("a digit",)
        told = Told(f"{place.came()} where {listed(expected)} is due", part="port", rule="port", expected=expected)
        told.advise("a port is a decimal number" if digits else "a port is a decimal number; the path begins with `/`")
        if "user" in self.syntax.parts and "@" in text[position:]:
            told.message = f"what stands at position {place.position} is no port"
            told.advise("if a user name and a password are meant, encode `/` within them: %2F")
        elif _IPV6.fullmatch(found["host"] + colon):
            told.rule = "hostnumber"
            told.advise(NO_IPV6)
        elif colon == ":" and _OTHER_SCHEME.match(text, position):
            told.advise("there are two schemes: leave out the first, or the colon if a host of that name is meant")
        elif colon == ":":
            told.advise("leave out the colon, or write the port after it")
        elif came == ":":
            told.advise("a host has one port")
        return told

    def host(self, found: re.Match[str]) -> Told:
        """One of many: what is wrong in a host, the first fault of it."""
        host, start, colon = found["host"], found.start("host"), found["colon"]
        reached, expected, _ = self.automaton.reach(self.text, self.without)
        position = min(reached, found.end("host"))
        place = self.place(position)
        came, index = place.came(), position - start
        character = host[index : index + 1]
        labels = host.split(".")
        before = host[:index].count(".")
        numeric = host.replace(".", "").isdigit()
        words = due(self.syntax, expected)
        of_label = "toplabel" if before == len(labels) - 1 else "domainlabel"

        def told(message: str, rule: str, hint: str = LABELS, expected: tuple[str, ...] = words) -> Told:
            return Told(message, part="host", rule=rule, hint=hint, expected=expected)

        if not host:
            hint = "write a domain name or four groups of digits after `//`"
            return told(f"no host stands at position {place.position}", "host", hint)
        if colon is not None and "port" not in self.syntax.parts and position == found.end("host"):
            hint = "leave out the colon" + ("" if colon == ":" else " and the port")
            if colon == ":" and self.syntax.host_may_be_empty:
                hint += f"; or, if `{host[:40]}:` begins the path, write a third `/` before it"
            return told(f"{came} begins a port, and the scheme has none", "host", hint, ('"/"',))
        if colon is not None and _IPV6.fullmatch(host + colon):
            at = self.place(start).position
            said = f"what begins at position {at} is neither a domain name nor four groups of digits"
            return told(said, "hostnumber", NO_IPV6, ("a host",))
        if character and character in "?;&=" and index:
            hint = "leave out what stands behind the host"
            if self.automaton.taken(expected, f"/{character}"):
                hint = "a `/` must stand between the host and what follows it"
            return told(f'{came} where "/" is due', self.syntax.rule, hint, ('"/"',))
        if character == "%":
            return told(f"{came} cannot stand in a host", "host", "a host has no escapes")
        if character == ",":
            hint = "the labels of a domain name are divided by dots"
            return told(f"{came} cannot stand in a domain name", "hostname", hint)
        if character and character not in ".-" and not character.isalnum():
            return told(f"{came} cannot stand in a domain name", of_label)
        if numeric and len(labels) == 4 and "" not in labels:
            long = next(found for found in re.finditer("[0-9]++", host) if len(found[0]) > DIGITS)
            place = self.place(start + long.start() + DIGITS)
            return self.more_digits(place, "host", "digits", "a group is a number from 0 to 255")
        if numeric and "" not in labels:
            quoted = self.given.run(start, start + len(host))[:40]
            said = f"four groups of digits are an address, and {quoted} has {len(labels)}"
            hint = "an address is four groups of digits; a domain name ends in a label that begins with a letter"
            return told(said, "hostnumber", hint)
        if character == "." and host[index - 1 : index] in {"", "."}:
            said = f"a label of the domain name is empty at position {place.position}"
            return told(said, "hostname", "leave out the dot that is too many")
        if labels[-1] == "" and not character:
            said = f"the domain name ends with a dot at position {self.place(position - 1).position}"
            return told(said, "hostname", "leave out the dot at the end", ("the end of the host",))
        if "-" in {labels[before][:1], labels[before][-1:]}:
            verb = "begins" if labels[before][:1] == "-" else "ends"
            return told(f"the label {self.label(start, labels, before)} {verb} with a hyphen", of_label)
        if labels[-1][:1].isdigit():
            last = self.label(start, labels, len(labels) - 1)
            return told(f"the last label of the domain name, {last}, begins with a digit", "toplabel")
        return told(f"{came} where {listed(words)} is due", "host")

    def label(self, start: int, labels: list[str], index: int) -> str:
        """The label of this index, of a host that begins at `start`, as it was given."""
        start += sum(len(label) + 1 for label in labels[:index])
        return ascii(self.given.run(start, start + len(labels[index]))[:40])

    # What a scheme's own rules say

    def structure(self) -> Told:
        text, syntax, automaton = self.text, self.syntax, self.automaton
        position, expected, reached = automaton.reach(text, self.without)
        start = text.rfind("%", max(0, position - 2), position)
        if start >= 0:
            _, expected, reached = automaton.reach(text[:start], self.without)
            return octet(self.place(start, length=3, expected=expected, reached=reached))
        literal = automaton.begun(expected)
        if literal is not None and position > literal.offset:
            at = position - literal.offset
            _, expected, reached = automaton.reach(text[:at], self.without)
            place = self.place(at, length=literal.offset + 1, expected=expected, reached=reached)
            return broken_literal(place, literal)
        place = self.place(position, expected=expected, reached=reached)
        if position < len(text):
            escaped = automaton.taken(expected, f"%{ord(text[position]):02X}")
            if text[position] != "%" and part_of(syntax, escaped) is not None:
                return reserved(place, escaped)
        elif automaton.tree.last & reached:
            return self.miscounted()
        return unexpected(place)

    def miscounted(self) -> Told:
        """What derives as far as the automaton knows, which does not count."""
        passed = self.automaton.derivation(self.text, self.without)
        for item in self.automaton.counted:
            count = 0
            for index, positions in enumerate(passed):
                count = count + bool(positions & item.first) if positions & item.inside else 0
                if item.most is not None and count > item.most:
                    return self.too_many(item, index)
        place = self.place(len(self.text))
        said = f"the URL that ends at position {place.position} is longer than its rules allow"
        return Told(said, part=None, rule=self.syntax.rule, expected=("less",))

    def too_many(self, item: Repeated, position: int) -> Told:
        """What stands at `position` is more than the repetition `item` may have."""
        place = self.place(position)
        part, rule = part_of(self.syntax, item.inside), rule_of(self.syntax, item.inside)
        if item.most == DIGITS:
            return self.more_digits(place, part, rule, f"a number has at most {DIGITS:,} digits")
        what = "characters" if isinstance(item.item, Characters) else "elements"
        said = (
            f"too many {what} in the {part or rule}: the one at position {place.position} is more than its rule allows"
        )
        return Told(said, part=part, rule=rule, expected=(f"fewer {what}",))

    def more_digits(self, place: Place, part: str | None, rule: str | None, hint: str) -> Told:
        """A number whose digit at this place is one too many."""
        message = f"a number of more than {DIGITS:,} digits: the one at position {place.position} is too many"
        return Told(message, part=part, rule=rule, expected=(f"at most {DIGITS:,} digits",), hint=hint)
