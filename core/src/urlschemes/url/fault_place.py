"""The place and the reason at which a text is not a URL: computed only when an error is read.

This module finds the first fault of a text. It describes faults of user, password, host and port itself; the messages
of all others are in `fault_messages`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes import errors
from urlschemes.errors import BadEscape, Explanation, FragmentPresent, InvalidCharacter
from urlschemes.grammar.derivation import END, expected_words, listed, part_of, rule_of
from urlschemes.grammar.octets import SCHEME_NAME, encoded, octets_of
from urlschemes.grammar.part import DIGITS
from urlschemes.grammar.rule_tree import Characters
from urlschemes.url.fault_kind import AUTHORITY, LOGIN_RUN, NOT_IN_ANY_URL, STOP, refused
from urlschemes.url.fault_messages import (
    HINTS,
    FaultMessage,
    FaultPlace,
    OriginalText,
    bad_escape,
    broken_literal,
    choices,
    excluded_octet,
    fragment,
    quoted_text,
    reserved_character,
    sharing_part,
    unexpected,
    unsafe_character,
)

if TYPE_CHECKING:
    from urlschemes.errors import InvalidURL
    from urlschemes.grammar.part import Part
    from urlschemes.grammar.rule_tree import Repeated
    from urlschemes.grammar.syntax import Syntax

__all__ = ["ENDS_HOST", "explanation", "host_end", "impossible_login"]

ENDS_HOST = re.compile("[?;&=]")
"""The end of a host without a `/` after it: the reserved characters that separate no login, host and port."""

_PORT = re.compile(r":[0-9]{1,4000}+")
_SCHEME_AND_COLON = "a scheme name and a colon"


def explanation(text: str, syntax: Syntax, scheme: str | None, original: OriginalText | None = None) -> Explanation:
    """Return the reason why `syntax`, that of `scheme`, does not match `text`.

    If `text` is parsed in the place of an `original`, the position is that of `text`; the message counts and quotes the
    original.
    """
    search = _FaultSearch(text, syntax, original or OriginalText(text))
    message = search.message(type(refused(text, syntax, Explanation(""))))
    part = syntax.parts.get(message.part or "")
    return Explanation(
        message.message,
        scheme=scheme,
        part=message.part,
        position=search.position,
        expected=message.expected,
        rule=message.rule,
        definition=_definition(message.rule, part, syntax),
        section=syntax.section_of(message.rule) if message.rule else None,
        hint=message.best_hint(syntax),
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


def _definition(rule: str | None, part: Part | None, syntax: Syntax) -> str | None:
    """Return `rule` in the notation of section 5, with the limit of numbers and the octets that the record excludes."""
    if rule not in syntax.grammar.rules:
        return None
    written = str(syntax.grammar.rules[rule])
    if f"*{DIGITS}digit" in written:
        written = f"{written.replace(f'*{DIGITS}digit', '*digit')}, at most {DIGITS:,} of them"
    if part is not None and part.exclude and part.rule == rule:
        written += f", without {listed(tuple(f'{octet:02X}' for octet in sorted(part.exclude)), 'and')}"
    return written


class _FaultSearch:
    """The search for the first fault of a text. `position` is its index in the text, once it is known."""

    def __init__(self, text: str, syntax: Syntax, original: OriginalText) -> None:
        self.text = text
        self.syntax = syntax
        self.automaton = syntax.automaton
        self.original = original
        self.position = 0
        self.without = impossible_login(text, syntax)
        self.authority = AUTHORITY.match(text) if "host" in syntax.parts else None

    def message(self, kind: type[InvalidURL]) -> FaultMessage:
        """Return the message about the first fault, for an error of the type `kind`."""
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

    def place(self, position: int, *, length: int = 1, expected: int = 0, reached: int = 0) -> FaultPlace:
        """Note that the fault is at `position`, and return that place with `length` characters."""
        self.position = position
        run = self.original.run(position, min(position + length, len(self.text)))
        at = self.original.position(position)
        return FaultPlace(self.syntax, run, at, rest=self.text[position:], expected=expected, reached=reached)

    # Section 2.2

    def escape(self) -> FaultMessage:
        position = STOP.match(self.text).end() - 1  # type: ignore[union-attr]  # it ends with the percent sign
        return bad_escape(self.place(position), self.part_at(position))

    def character(self, kind: type[InvalidURL]) -> FaultMessage:
        position = NOT_IN_ANY_URL.search(self.text).start()  # type: ignore[union-attr]  # the error says so
        part = self.part_at(position)
        place, written = self.place(position), self.written(position, part)
        return fragment(place, part, written) if kind is FragmentPresent else unsafe_character(place, part, written)

    def part_at(self, position: int) -> str | None:
        """Return the part that the character at `position` would belong to, judging by the text before it."""
        text, found, syntax = self.text, self.authority, self.syntax
        if position <= text.find(":") or ":" not in text:
            return "scheme"
        if found is not None:
            if found.start("user") <= position < found.end("user"):
                return "password" if ":" in text[found.start("user") : position] else "user"
            if host_end(found, position) is None:
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
        return sharing_part(syntax, inside, text[position:]) if inside else None

    def before(self, position: int) -> str:
        """Return the text before `position`, with a valid host in place of an invalid authority."""
        text, found = self.text[:position], self.authority
        if found is None or found["slashes"] is None:
            return text
        ends = host_end(found, position)
        end = found.end() if ends is None else ends
        if end > position:
            return text
        head = text[:end]
        if self.reach(f"{head}/") is None:
            head = f"{text[: found.end('slashes')]}h"
        return f"{head}{'' if ends is None else '/'}{text[end:]}"

    def reach(self, text: str) -> tuple[int, int] | None:
        """Return what the automaton expects after `text`, and where its last character stands; None if it cannot be."""
        reached, expected, last = self.automaton.reach(text, self.without)
        return (expected, last) if reached == len(text) else None

    def written(self, position: int, part: str | None) -> str | None:
        """Return the character at `position` encoded; "" if that cannot stand there, None if it is not known."""
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
        return escaped if self.automaton.taken(expected, escaped) else ""  # nor if nothing could follow before it

    # Section 2.1

    def scheme(self) -> FaultMessage:
        text, name = self.text, SCHEME_NAME.match(self.text)
        position = name.end() if name else 0
        place, expected = self.place(position), '":"' if position else _SCHEME_AND_COLON
        message = f"{place.subject('scheme', begins=not position)}: {choices((expected,))}"
        if ":" in text[position:] and text[position] not in "/;?:":
            message = f'{place.subject("scheme")}: expected letters, digits, "+", "-" and "."'
        hint = HINTS["scheme"]
        if name is not None and text[position:].startswith(("//", ";//")):
            hint = f"write `:` after `{name[0][:40]}`" + (" instead of `;`" if text[position] == ";" else "")
        return FaultMessage(message, part="scheme", rule="scheme", expected=(expected,), hint=hint)

    # Section 3.1

    def slashes(self) -> FaultMessage:
        position = self.text.index(":") + 1
        has_one = self.text[position : position + 1] == "/"
        expected = 'a second "/"' if has_one else '"//"'
        hint = f"write {'a second `/`' if has_one else '`//`'} and the host"
        if self.syntax.host_may_be_empty:
            hint += ", or no host and the `/` that begins the path"
        message = f"{self.place(position + has_one).subject()}: expected {expected}"
        return FaultMessage(message, part="host", rule="ip-schemepart", expected=(expected,), hint=hint)

    def login(self, kind: type[InvalidURL], found: re.Match[str]) -> FaultMessage:
        start = found.start("user")
        if kind is errors.UserinfoNotAllowed:
            return FaultMessage(
                f"unexpected user name at position {self.place(start).position}: expected a host",
                part="user",
                rule="hostport",
                expected=("a host",),
                hint="leave out the text before the `@`: the scheme has no user name and no password",
            )
        position = start + LOGIN_RUN.match(found["user"]).end()  # type: ignore[union-attr]  # it may match nothing
        part = "password" if ":" in self.text[start:position] else "user"
        escape = f"%{ord(self.text[position]):02X}"
        return FaultMessage(
            f"{self.place(position).subject(part)}: expected {escape}",
            part=part,
            rule=part,
            expected=(f'"{escape}"',),
            hint="write %3A, %40 and %2F for `:`, `@` and `/` in a user name or password",
        )

    def port(self, found: re.Match[str]) -> FaultMessage:
        text, colon = self.text, found["colon"]
        digits = _PORT.match(colon)
        position = found.start("colon") + (digits.end() if digits else 1)
        place, hint = self.place(position), HINTS["port"]
        if text[position : position + 1].isdigit():
            return self.more_digits(place, "port", "port", hint)
        expected = ("a digit", '"/"', END) if digits else ("a digit",)
        if "user" in self.syntax.parts and "@" in text[position:]:  # it may be a password
            message = f"invalid port at position {place.position}"
            hint = "if this is a user name and a password, write %2F for `/` in them"
        elif colon == ":":
            message = f"missing port at position {place.position}"
            hint = "leave out the colon, or write the port after it"
        else:
            message = place.subject("port", begins=not digits)
        return FaultMessage(f"{message}: {choices(expected)}", part="port", rule="port", expected=expected, hint=hint)

    def host(self, found: re.Match[str]) -> FaultMessage:
        """Return the message about the first fault of a host."""
        host, start, colon = found["host"], found.start("host"), found["colon"]
        reached, expected, _ = self.automaton.reach(self.text, self.without)
        place = self.place(min(reached, found.end("host")), expected=expected)
        character = self.text[self.position : found.end("host")][:1]
        if not host:
            problem = f"missing host at position {place.position}: expected a domain name or four groups of digits"
            return self.host_message(place, problem, hint="write a domain name or four groups of digits after `//`")
        if colon is not None and "port" not in self.syntax.parts and not character:
            problem = f'unexpected port at position {place.position}: expected "/"'
            hint = "leave out the colon" + ("" if colon == ":" else " and the port")
            return self.host_message(place, problem, hint=hint, expected=('"/"',))
        if colon is not None and _is_ipv6(host + colon):
            return self.host_message(
                place,
                f"{self.quoted('host', start, found.end())}: expected a domain name or four groups of digits",
                "hostnumber",
                "RFC 1738 has no IPv6 addresses: write a domain name or an IPv4 address",
                ("a host",),
            )
        if character and character in "?;&=" and self.position > start:
            follows = self.automaton.taken(expected, f"/{character}")
            hint = "write a `/` after the host" if follows else "leave out the text after the host"
            return self.host_message(place, f'{place.subject()}: expected "/"', self.syntax.rule, hint, ('"/"',))
        if host.replace(".", "").isdigit() and "" not in host.split("."):
            return self.host_number(place, host, start)
        return self.domain_name(place, host, start, character)

    def host_message(
        self,
        place: FaultPlace,
        problem: str,
        rule: str = "host",
        hint: str = HINTS["host"],
        expected: tuple[str, ...] | None = None,
    ) -> FaultMessage:
        words = expected_words(self.syntax, place.expected) if expected is None else expected
        return FaultMessage(problem, part="host", rule=rule, hint=hint, expected=words)

    def host_number(self, place: FaultPlace, host: str, start: int) -> FaultMessage:
        """Return the message about a host that consists of groups of digits."""
        groups = host.split(".")
        long = next((group for group in re.finditer("[0-9]++", host) if len(group[0]) > DIGITS), None)
        if len(groups) == 4 and long is not None:
            place = self.place(start + long.start() + DIGITS)
            return self.more_digits(place, "host", "digits", "a group is a number from 0 to 255")
        problem = f"{self.quoted('host', start, start + len(host))}: expected four groups of digits, not {len(groups)}"
        hint = "an address is four groups of digits; the last label of a domain name begins with a letter"
        return self.host_message(place, problem, "hostnumber", hint)

    def domain_name(self, place: FaultPlace, host: str, start: int, character: str) -> FaultMessage:
        """Return the message about a domain name that begins at `start`, with its fault at `character`."""
        labels, index = host.split("."), self.position - start
        number = host[:index].count(".")
        label, last = labels[number], labels[-1]
        rule = "toplabel" if number == len(labels) - 1 else "domainlabel"
        if character == "%":
            problem = f"{place.subject('host')}: a host has no escapes"
            return self.host_message(place, problem, hint="write the character itself")
        if character == ",":
            problem = f'{place.subject("host")}: expected "."'
            return self.host_message(place, problem, "hostname", "the labels of a domain name are separated by dots")
        if character and character not in ".-" and not character.isalnum():
            return self.host_message(place, f"{place.subject('host')}: expected a letter, digit or hyphen", rule)
        if character == "." and host[index - 1 : index] in {"", "."}:
            problem = f"empty label in the host at position {place.position}: expected a letter or digit"
            return self.host_message(place, problem, "hostname", "leave out one of the dots")
        if last == "" and not character:
            problem = (
                f"unexpected '.' at position {self.place(self.position - 1).position}: expected the end of the host"
            )
            return self.host_message(
                place, problem, "hostname", "leave out the dot at the end", ("the end of the host",)
            )
        starts = [start + sum(len(each) + 1 for each in labels[:count]) for count in (number, len(labels) - 1)]
        if "-" in {label[:1], label[-1:]}:
            quoted = self.quoted("label", starts[0], starts[0] + len(label))
            verb = "begin" if label[:1] == "-" else "end"
            return self.host_message(place, f"{quoted}: labels of a host do not {verb} with a hyphen", rule)
        if last[:1].isdigit():
            quoted = self.quoted("label", starts[1], starts[1] + len(last))
            problem = f"{quoted}: the last label of a host begins with a letter"
            return self.host_message(place, problem, "toplabel")
        return self.host_message(
            place, f"{place.subject('host')}: {choices(expected_words(self.syntax, place.expected))}"
        )

    def quoted(self, what: str, start: int, end: int) -> str:
        """Return the beginning of a message: "invalid host '1.2' at position 7"."""
        quoted = quoted_text(self.original.run(start, end))
        return f"invalid {what} {quoted} at position {self.original.position(start)}"

    # The rules of a scheme

    def structure(self) -> FaultMessage:
        text, syntax, automaton = self.text, self.syntax, self.automaton
        position, expected, reached = automaton.reach(text, self.without)
        start = text.rfind("%", max(0, position - 2), position)
        if start >= 0:
            _, expected, reached = automaton.reach(text[:start], self.without)
            return excluded_octet(self.place(start, length=3, expected=expected, reached=reached))
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
                return reserved_character(place, escaped)
        elif automaton.tree.last & reached:
            return self.miscounted()
        return unexpected(place)

    def miscounted(self) -> FaultMessage:
        """Return the message for a text that the automaton accepts because it does not count."""
        passed = self.automaton.derivation(self.text, self.without)
        for item in self.automaton.counted:
            count = 0
            for index, positions in enumerate(passed):
                count = count + bool(positions & item.first) if positions & item.inside else 0
                if item.most is not None and count > item.most:
                    return self.too_many(item, index)
        place = self.place(len(self.text))
        message = f"too many characters before position {place.position}: expected fewer"
        return FaultMessage(message, part=None, rule=self.syntax.rule, expected=("fewer characters",))

    def too_many(self, item: Repeated, position: int) -> FaultMessage:
        """Return the message for a character at `position` that is one too many for the repetition `item`."""
        place = self.place(position)
        part, rule = part_of(self.syntax, item.inside), rule_of(self.syntax, item.inside)
        if item.most == DIGITS:
            return self.more_digits(place, part, rule, f"a number has at most {DIGITS:,} digits")
        what = "characters" if isinstance(item.item, Characters) else "elements"
        expected = f"at most {item.most} {what}"
        message = f"too many {what} in the {part or rule} at position {place.position}: expected at most {item.most}"
        return FaultMessage(message, part=part, rule=rule, expected=(expected,))

    def more_digits(self, place: FaultPlace, part: str | None, rule: str | None, hint: str) -> FaultMessage:
        """Return the message for a number whose digit at this place is one too many."""
        message = f"too many digits in the {part or rule} at position {place.position}: expected at most {DIGITS:,}"
        return FaultMessage(message, part=part, rule=rule, expected=(f"at most {DIGITS:,} digits",), hint=hint)


def _is_ipv6(text: str) -> bool:
    return text.count(":") > 1 and re.fullmatch("[0-9A-Fa-f:.]+", text) is not None
