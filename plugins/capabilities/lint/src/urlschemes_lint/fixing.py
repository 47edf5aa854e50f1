"""The nearest URL to a text that is none: `fix`.

What people write today breaks RFC 1738 in a few ways that have one right answer: `~`, blanks and letters outside
US-ASCII that must be encoded, a fragment, `/` and `?` in a query, a query behind the bare host, a colon without a
port, what the Appendix puts around a URL. These are repaired, and every change is listed. A scheme or a host is never
guessed, and where two repairs are possible there is none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from urlschemes import default_registry
from urlschemes.errors import InvalidURL, UnknownScheme
from urlschemes.grammar.derivation import rule_of
from urlschemes.grammar.octets import ESCAPE, encoded, octets_of
from urlschemes.grammar.regex_compat import compiled
from urlschemes.redaction import redact
from urlschemes.scheme.scheme import read_as
from urlschemes.url.alignment import RESERVED, Walk, delimiters, host_positions, part_at, places
from urlschemes.url.fault_kind import NOT_IN_ANY_URL, is_scheme_name, unfit
from urlschemes.url.fault_messages import Given, unseen
from urlschemes.url.fault_place import ReadInPlace
from urlschemes.url.value import LIMIT, URL
from urlschemes_lint.errors import NotRepairable

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.grammar.syntax import Syntax
    from urlschemes.registry.registry import Registry

__all__ = ["Change", "Fixed", "fix"]

_SPACE = " \t\r\n\v\f"
_BLANKS = compiled(f"[{_SPACE}]++")
_LINE = compiled("\r\n|\r|\n")
_HYPHEN = compiled("-[ \t\v\f]*+[\r\n]")
# The Appendix: `<URL:` and `>` around a URL; within them it may itself be in brackets, as `news:<id@host>`. Who writes
# the prefix twice means one.
_AGAIN = rf"URL:[{_SPACE}]*+(?=[A-Za-z0-9+.\-]++:)"
_WRAPPER = compiled(
    rf"[{_SPACE}]*+(?P<open><[{_SPACE}]*+(?P<prefix>(?:URL:[{_SPACE}]*+(?:{_AGAIN})*+)?+))"
    rf"(?P<inside>[^<>]*+(?:<[^<>]*+>)?+)(?P<close>>)[{_SPACE}]*+",
    re.IGNORECASE | re.ASCII,
)
_PREFIX = compiled(rf"[{_SPACE}]*+(?P<prefix>(?:{_AGAIN})++)", re.IGNORECASE | re.ASCII)
_BRACKETS = compiled(r"[^:]*+:(?P<open><)(?!//)[^<>]*+(?P<close>>)")
_WRONG = compiled(rf"{NOT_IN_ANY_URL.pattern}|%(?![0-9A-Fa-f]{{2}})")

_LOGIN = compiled(r"[^:]*+://(?P<login>[^/]*)@")
_IN_AUTHORITY = compiled(r"[^:]*+://[^/#]*+#")
# In a login, what other programs take for the end of it: `ftp://good.example\@evil.example/` has two readings.
_ENDS = '\\?<>"'

_DROPPED = {":": "empty port dropped", ".": "dot dropped"}
_APPENDIX = "RFC 1738 Appendix"
_UNSAFE = "RFC 1738 section 2.2"


class Change(NamedTuple):
    """One repair: `what` was done, and the `section` that asks for it.

    At `position` of the text as given stood `before`, and the URL has `after`; `part` is where, None outside of all
    parts. All changes of a text, carried out on it from the last to the first, give the text of the URL.
    """

    what: str
    position: int
    before: str
    after: str
    section: str
    part: "str | None" = None

    def __repr__(self) -> str:
        if self.part == "password":
            return f"Change({self.what!r}, {self.position}, in the password)"
        return f"Change({self.what!r}, {self.position}, {redact(self.before)!r} -> {redact(self.after)!r})"


class Fixed(NamedTuple):
    """What `fix` returns.

    `url`, the `changes` that led to it (none where the text was a URL), and the `fragment` that was split off, or None.
    """

    url: "URL"
    changes: "tuple[Change, ...]"
    fragment: "str | None"

    def __repr__(self) -> str:
        fragment = None if self.fragment is None else redact(self.fragment)
        return f"Fixed({self.url!r}, changes={len(self.changes)}, fragment={fragment!r})"


class _Refused(Exception):
    """Why there is no repair; `position` is that of the text as given."""

    def __init__(self, message: str, position: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.hint = hint


def fix(text: str, *, registry: Registry | None = None, limit: int = LIMIT) -> Fixed:
    """Return the nearest valid URL to `text`, with the list of changes; no scheme or host is ever guessed.

    Raises NotRepairable if no repair has one right answer, UnknownScheme, PluginError, and InvalidURL for a text longer
    than `limit`.
    """
    schemes = default_registry if registry is None else registry
    return fix_as(text, lambda name: schemes[name].url_type, limit)


def fix_as(text: str, type_of: Callable[[str], type[URL]], limit: int = LIMIT) -> Fixed:
    """As `fix`; `type_of` returns the type for a scheme's name, or raises an error of its own."""
    fault = unfit(text, limit)
    if fault is not None:
        raise fault
    given = _Given(text)
    scheme, colon, _ = given.text.partition(":")
    if not colon or not is_scheme_name(scheme):
        raise _not_repaired("there is no name of a scheme, and none is guessed", given.fault(URL), given)
    try:
        url_type = type_of(scheme)
    except UnknownScheme as error:
        if "`fix`" in (error.hint or ""):
            error.hint = None
        raise
    cause = None
    try:
        given.check_lines()
        try:
            return given.fixed(read_as(url_type, given.text, limit))
        except InvalidURL as error:
            cause = error
        given, repaired = _nearest(given, url_type.syntax)
        if repaired is None or url_type.syntax.fullmatch(repaired) is None:  # a walk does not count
            raise _not_repaired("not repaired, as that would be a guess", given.fault(url_type), given)
        if len(repaired) > limit:
            raise _Refused(f"repaired it has {len(repaired)} characters, and the bound is {limit}", given.at(limit))
        return given.fixed(read_as(url_type, repaired, limit))
    except _Refused as error:
        refused = NotRepairable(
            error.message,
            scheme=scheme.lower(),
            part=None if cause is None else cause.part,
            position=error.position,
            section=_APPENDIX if cause is None else cause.section,
            hint=error.hint,
        )
    raise refused from None


def _not_repaired(why: str, cause: InvalidURL, given: "_Given") -> NotRepairable:
    """The error for a text whose fault, `cause`, has no repair, or none that `fix` knows."""
    return NotRepairable(
        f"{why}: {cause.message}",
        scheme=cause.scheme,
        part=cause.part,
        position=None if cause.position is None else given.at(cause.position),
        section=cause.section,
        hint=None if cause.hint is None or "`fix`" in cause.hint else cause.hint,
    )


class _Given:
    """The text as given, and `text`: what of it is meant as the URL, by the Appendix.

    The wrapper, the `URL:` prefix and the white space around a URL are left out, and white space within `<URL:` and
    `>`; within `<` and `>` alone, as is usual today, that around line breaks.
    """

    def __init__(self, whole: str) -> None:
        self.whole = whole
        self.changes: list[Change] = []
        self.fragment: str | None = None
        self.stop = 0
        wrapper, prefix = _WRAPPER.fullmatch(whole), _PREFIX.match(whole)
        self.wrapped = wrapper is not None
        start, self.end = 0, len(whole)
        everywhere = wrapper is not None and bool(wrapper["prefix"])
        if wrapper is not None:
            start, self.end = wrapper.span("inside")
            self._leave_out("white space removed", 0, wrapper.start("open"))
            self._leave_out("wrapper removed", *wrapper.span("open"))
            self._leave_out("wrapper removed", *wrapper.span("close"))
            self._leave_out("white space removed", wrapper.end("close"), len(whole))
        elif prefix is not None:
            start = prefix.end("prefix")
            self._leave_out("white space removed", 0, prefix.start("prefix"))
            self._leave_out("prefix removed", *prefix.span("prefix"))
        kept: list[int] = []
        before = start
        for blanks in _BLANKS.finditer(whole, start, self.end):
            broken = self.wrapped and _LINE.search(blanks[0]) is not None
            if everywhere or broken or blanks.start() == start or blanks.end() == self.end:
                self._leave_out("white space removed", *blanks.span())
                kept += range(before, blanks.start())
                before = blanks.end()
        kept += range(before, self.end)
        self._kept = kept
        self.text = "".join([whole[index] for index in kept])

    def at(self, index: int) -> int:
        """Where the character `index` of the text stands in the whole."""
        return self._kept[index] if index < len(self._kept) else self.end

    def check_lines(self) -> None:
        """Raise _Refused where a line ends within the text, and nobody can say what is meant."""
        if not self.wrapped:
            line = _LINE.search(self.text)
            if line is not None:
                raise _Refused(
                    f"the line break at position {self.at(line.start())} has two repairs: it is left out where the URL "
                    f"was broken into lines, and it is {encoded(line[0].encode())} where it is data",
                    self.at(line.start()),
                    "write `<URL:` and `>` around a URL that is broken into lines",
                )
            return
        hyphen = _HYPHEN.search(self.whole, self.at(0), self.end)
        if hyphen is not None and "#" not in self.whole[self.at(0) : hyphen.start()]:
            raise _Refused(
                f"the hyphen at position {hyphen.start()}, where a line ends, has two repairs: it stays where it "
                "belongs to the URL, and is left out where it only divides a word",
                hyphen.start(),
                "write the URL in one line",
            )

    def split_off_fragment(self) -> None:
        """Leave out the first `#` and what follows."""
        text, hash_, fragment = self.text.partition("#")
        if hash_:
            start = self.at(len(text))
            self.changes = [change for change in self.changes if not start <= change.position < self.end]
            self._leave_out("fragment split off", start, self.end, _UNSAFE)
            self.text, self.fragment = text, fragment

    def check_fragment(self, *, login: bool) -> None:
        """Raise _Refused where a `#` before the path may stand in a login, as an `@` follows before the next `/`.

        Where the scheme has a `login`, an `@` anywhere behind it is one too many.
        """
        before = _IN_AUTHORITY.match(self.text)
        if before is None:
            return
        behind = self.text[before.end() :]
        if "@" in (behind if login else behind.partition("/")[0]):
            raise self.two_readings_of_hash(before.end() - 1, "a login")

    def two_readings_of_hash(self, index: int, of: str) -> _Refused:
        at = self.at(index)
        return _Refused(
            f"the '#' at position {at} has two repairs: it begins a fragment, which is split off, and it is %23 where "
            f"it is a character of {of}",
            at,
            "leave the fragment out, or encode what is data",
        )

    def fault(self, url_type: "type[URL]") -> InvalidURL:
        """The error that has no repair: that of the text in which all others before it are put right."""
        stop = self.stop
        if _WRONG.match(self.text, stop) is None:
            stop = len(self.text)
        text = _WRONG.sub("x", self.text[:stop]) + self.text[stop:]
        if url_type.syntax.fullmatch(text) is not None:
            text = self.text
        scheme = url_type.registration.scheme if url_type.registration else None
        return ReadInPlace(url_type.syntax, scheme, Given(self.whole, [*self._kept, self.end])).refused(text)

    def without(self, *indexes: int) -> "_Given":
        """The same with these characters of the text left out, which are angle brackets; a copy without any."""
        other = _Given.__new__(_Given)
        other.whole, other.end, other.wrapped, other.fragment = self.whole, self.end, self.wrapped, self.fragment
        other._kept = [place for index, place in enumerate(self._kept) if index not in indexes]
        other.text = "".join([character for index, character in enumerate(self.text) if index not in indexes])
        other.changes = [*self.changes]
        for index in indexes:
            other._leave_out("angle bracket removed", self.at(index), self.at(index) + 1, _UNSAFE)
        return other

    def fixed(self, url: "URL") -> Fixed:
        """What comes of it: `url`, with the changes in the order of the text, each with its part."""
        parts = places(url.syntax, url._match)
        changes = []
        shift = 0
        for change in sorted(self.changes, key=lambda change: change.position):
            part = part_at(parts, change.position + shift) if change.after else None
            changes.append(change._replace(part=part))
            shift += len(change.after) - len(change.before)
        return Fixed(url, tuple(changes), self.fragment)

    def _leave_out(self, what: str, start: int, end: int, section: str = _APPENDIX) -> None:
        if start < end:
            self.changes.append(Change(what, start, self.whole[start:end], "", section))


def _nearest(given: _Given, syntax: "Syntax") -> tuple[_Given, str | None]:
    """What is meant as the URL, and the text of the URL that is nearest, None where there is none. Raises _Refused."""
    text = given.text
    index = text.find("#")
    if "host" in syntax.parts:
        given.check_fragment(login="user" in syntax.parts)
    elif "@" in text[index + 1 :] and index >= 0:
        # Without a host that would say where a fragment can begin, the `#` may belong to an article or an address.
        whole = given.without()
        try:
            repaired = _repaired(whole, syntax)
        except _Refused:
            repaired = None
        if repaired is not None:
            given.split_off_fragment()
            if _repaired(given, syntax) is not None:
                raise whole.two_readings_of_hash(index, "what ends behind the `@`")
            return whole, repaired
    given.split_off_fragment()
    return given, _repaired(given, syntax)


def _repaired(given: _Given, syntax: "Syntax") -> str | None:
    """The text of the URL that is nearest, None where there is none; `given` gets the changes. Raises _Refused."""
    if "user" in syntax.parts and _has_two_hosts(given.text, syntax):
        at = given.at(given.text.index("://") + 3)
        raise _Refused(
            f"what begins at position {at} and ends with `@` is a login to some programs, and holds the host to others",
            at,
            "encode what belongs to the user name, or write the host alone",
        )
    repaired = _Repair(given, syntax).repaired()
    brackets = _BRACKETS.fullmatch(given.text)
    if brackets is not None:
        bare = given.without(brackets.start("open"), brackets.start("close"))
        without = _Repair(bare, syntax).repaired()
        if without is not None and repaired is not None:
            at = given.at(brackets.start("open"))
            raise _Refused(
                f"the angle brackets from position {at} on have two repairs: they are left out where they only "
                "delimit, and encoded where they are data",
                at,
            )
        if without is not None:
            given.changes = bare.changes
            repaired = without
    return repaired


def _has_two_hosts(text: str, syntax: "Syntax") -> bool:
    """Whether the login of `text` holds what some programs take for its end, as it is or when they normalize it.

    Not where it is a login by the rules, and nothing of it is repaired.
    """
    login = _LOGIN.match(text)
    if login is None or syntax.automaton.reach(login[0])[0] == login.end():
        return False

    return not set(_ENDS).isdisjoint(login["login"]) or any(
        not set(_ENDS + "@:/#").isdisjoint(normalize("NFKC", character))
        for character in login["login"]
        if character > "\x7f"
    )


class _Repair:
    """Goes through the text once, side by side with the automaton, and encodes or leaves out what it does not take."""

    def __init__(self, given: _Given, syntax: "Syntax") -> None:
        self.given = given
        self.text = given.text
        self.walk = Walk(syntax, self.text)
        # Where a host or a port stands, also one within a part, as in an article of news.
        self.in_host = host_positions(syntax)
        for marked in syntax.automaton.marked:
            if marked.mark == "port":
                self.in_host |= marked.inside
        self.last_at = self.text.rfind("@")
        self.ahead: dict[str, tuple[int, int]] = {}
        self.delimiters: dict[str, frozenset[str]] = {}
        self.changes: list[Change] = []
        # Where in the text each piece that was taken stands.
        self.taken: list[int] = []

    def repaired(self) -> str | None:
        """The repaired text, None where there is no repair. Raises _Refused where there is more than one."""
        index = 0
        while index < len(self.text) or not (self.walk.at_end or self.dropped(index)):
            if not (index < len(self.text) and self.went_on(index)):
                begun = self.begun()
                if begun is None:
                    self.given.stop = index
                    return None
                index = begun
            index += 1
        self.given.changes += self.changes
        return "".join(self.walk.pieces)

    def went_on(self, index: int) -> bool:
        """Take the character at `index`, as it is or repaired."""
        character = self.text[index]
        if character == "%" and not ESCAPE.match(self.text, index):
            return self.encoded(index)
        if self.take(index, character) or self.mended(index, character):
            return True
        self.check_choice(index, character)
        return self.encoded(index)

    def take(self, index: int, text: str) -> bool:
        if not self.walk.take(text):
            return False
        self.taken.append(index)
        return True

    def changed(self, what: str, index: int, before: str, after: str, section: str) -> None:
        self.changes.append(Change(what, self.given.at(index), before, after, section))

    def encoded(self, index: int) -> bool:
        character, part = self.text[index], self.walk.part
        try:
            escapes = encoded(octets_of(character))
        except UnicodeEncodeError:
            return False
        if not self.take(index, escapes):
            return False
        if self.walk.at_literal:
            at = self.given.at(index)
            raise _Refused(
                f"the {character!a} at position {at} has two repairs: it is {escapes} where it ends the {part}, and is "
                f"left out where it is data, which the {part} cannot hold",
                at,
            )
        if unseen(character):
            at = self.given.at(index)
            raise _Refused(
                f"{character!a} at position {at} has two repairs: it is left out, as it cannot be seen, and it is "
                f"{escapes} where it is data",
                at,
            )
        self.changed("character encoded", index, character, escapes, _UNSAFE)
        return True

    def mended(self, index: int, character: str) -> bool:
        """A colon without a port, a dot behind the host, a `?` without the `/` before it."""
        if character in ":/?" and self.dropped(index) and self.take(index, character):
            return True
        if character != "?" or not self.walk.reached & self.in_host or not self.divides_behind_slash(character):
            return False
        if self.login_may_end(index):
            return False  # what stands before it may be meant as a login
        self.take(index, "/" + character)
        rule = rule_of(self.walk.syntax, self.walk.reached) or self.walk.syntax.rule
        self.changed("slash inserted", index, "", "/", self.walk.syntax.section_of(rule))
        return True

    def divides_behind_slash(self, character: str) -> bool:
        """Whether a `/` can be inserted before `character`, and that divides then: it is no data."""
        if not self.walk.take("/"):
            return False
        divides = self.walk.only_divides(character)
        self.walk.back()
        return divides

    def login_may_end(self, index: int, *, anywhere: bool = False) -> bool:
        """Whether an `@` follows that may be meant as the end of a login: before the next `/`, or `anywhere`."""
        return self.last_at >= index and (anywhere or self.next("@", index) < self.next("/", index))

    def next(self, character: str, index: int) -> int:
        """Where `character` comes next, from `index` on; the length of the text where it does not."""
        start, found = self.ahead.get(character, (0, -1))
        if not start <= index <= found:
            found = self.text.find(character, index)
            found = len(self.text) if found < 0 else found
            self.ahead[character] = index, found
        return found

    def dropped(self, index: int) -> bool:
        """Leave out a colon or dot before `index`, if it stands behind a host and what follows may come then.

        Not where an `@` behind it says that it may be a login: what stands behind a colon could be a password.
        """
        last = self.walk.pieces[-1] if self.walk.pieces else ""
        if last not in _DROPPED:
            return False
        if self.login_may_end(index, anywhere=last == ":" and "user" in self.walk.syntax.parts):
            return False
        if last == ":" and self.text.startswith("//", index):
            return False  # what stands before it is the name of a scheme, and no host
        self.walk.back()
        follows = self.text[index : index + 1]
        if follows == "?":
            goes_on = self.divides_behind_slash(follows)
        else:
            goes_on = self.walk.takes(follows) if follows else self.walk.at_end
        if not goes_on or not self.walk.reached & self.in_host:
            self.walk.take(last)
            return False
        self.changed(_DROPPED[last], self.taken.pop(), last, "", "RFC 1738 section 3.1")
        return True

    def begun(self) -> int | None:
        """Encode the first character of a literal that was begun and does not go on; its index.

        None where there is none, or where it cannot be encoded.
        """
        count, literal = self.walk.begun
        if not count:
            return None
        index = self.taken[-count]
        written = "".join(self.walk.back() for _ in range(count))[::-1]
        del self.taken[-count:]
        if not self.encoded(index):
            return None
        if 2 * count > len(literal):
            raise _Refused(
                f"{written!r} at position {self.given.at(index)} has two repairs: `{literal}` where that is meant, "
                f"and `{self.walk.pieces[-1]}` for its first character where it is data",
                self.given.at(index),
            )
        return index

    def divides(self, character: str, part: str) -> bool:
        """Whether `character` is a delimiter of the part."""
        if part not in self.delimiters:
            self.delimiters[part] = delimiters(self.walk.syntax, part)
        return character in self.delimiters[part]

    def check_choice(self, index: int, character: str) -> None:
        """Raise _Refused where `character` can be encoded, and another repair is as near."""
        if character not in RESERVED and character != "\\":
            return
        escape, at = f"%{ord(character):02X}", self.given.at(index)
        part = self.walk.part_by(escape)
        if part is None:
            return
        if character == "\\":
            if self.walk.takes("/") and self.divides("/", part):
                raise _Refused(
                    f"the backslash at position {at} has two repairs: `/` where it divides, "
                    f"and `{escape}` where it is data",
                    at,
                    "a URL is divided by `/`, on every system",
                )
            return
        if self.walk.at_end:
            return  # nothing is missing before it
        for separator in sorted(self.walk.separators()):
            if self.walk.takes(separator + character):
                raise _Refused(
                    f"{character!r} at position {at} has two repairs: `{separator}` is inserted before it, and it is "
                    f"`{escape}` where it belongs to the {part}",
                    at,
                )
