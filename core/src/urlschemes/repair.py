"""The nearest URL to a text that is none: `fix`.

What people write today breaks RFC 1738 in a few ways that have one right answer: `~`, spaces and letters outside
US-ASCII that must be encoded, a fragment, `/` and `?` in a query, a query behind the bare host, a colon without a
port. These are repaired, and every change is listed. A scheme or a host is never guessed.
"""

import re

from urlschemes.automaton import bits
from urlschemes.errors import InvalidURL, NotRepairable
from urlschemes.expansion import marks
from urlschemes.explanation import impossible_login
from urlschemes.octets import octets_of
from urlschemes.refusal import is_scheme_name, unfit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.syntax import Syntax
    from urlschemes.url import URL

__all__ = ["Change", "Fixed", "fix"]

_WRAPPER = re.compile(r"\s*+<(?:URL:)?+(?P<inside>[^<>]*+)>\s*+", re.IGNORECASE)
_PREFIX = re.compile(r"URL:(?=[A-Za-z0-9+.\-]++:)", re.IGNORECASE | re.ASCII)

_LOGIN = re.compile(r"[^:]*+://(?P<login>[^/]*)@")
# In a login, what other programs take for the end of it: `ftp://good.example\@evil.example/` has two readings.
_ENDS = '\\?<>"'

_DROPPED = {":": "empty port dropped", ".": "dot dropped"}


class Change:
    """One repair: `what` was done, at `position` of the text as given, and the `section` that asks for it."""

    __slots__ = ("after", "before", "position", "section", "what")

    def __init__(self, what: str, position: int, before: str, after: str, section: str) -> None:
        self.what = what
        self.position = position
        self.before = before
        self.after = after
        self.section = section

    def __repr__(self) -> str:
        return f"Change({self.what!r}, {self.position}, {self.before!r} -> {self.after!r})"


class Fixed:
    """What `fix` returns.

    `url`, the `changes` that led to it (none where the text was a URL), and the `fragment` that was split off, or None.
    """

    __slots__ = ("changes", "fragment", "url")

    def __init__(self, url: "URL", changes: tuple[Change, ...], fragment: str | None) -> None:
        self.url = url
        self.changes = changes
        self.fragment = fragment

    def __repr__(self) -> str:
        return f"Fixed({self.url!r}, changes={len(self.changes)}, fragment={self.fragment!r})"


def fix(text: str, type_of: "Callable[[str], type[URL]]", limit: int) -> Fixed:
    """The nearest valid URL. `type_of` gives the type for a scheme's name, or raises UnknownScheme.

    Raises NotRepairable where there is no repair with one right answer, UnknownScheme, InvalidURL for no text or a
    long one.
    """
    fault = unfit(text, limit)
    if fault is not None:
        raise fault
    changes: list[Change] = []
    start, inside = _unwrapped(text, changes)
    scheme, colon, _ = inside.partition(":")
    if not colon or not is_scheme_name(scheme):
        raise NotRepairable(
            "there is no name of a scheme, and none is guessed",
            part="scheme",
            position=start,
            section="RFC 1738 section 2.1",
            hint="write the scheme and a colon in front",
        )
    url_type = type_of(scheme)
    try:
        return Fixed(url_type.parse(inside, limit=limit), tuple(changes), None)
    except InvalidURL as error:
        cause = error
    inside, hash_, fragment = inside.partition("#")
    if hash_:
        changes.append(Change("fragment split off", start + len(inside), hash_ + fragment, "", "RFC 1738 section 2.2"))
    repaired = None
    if "user" not in url_type.syntax.parts or not _has_two_hosts(inside):
        repaired = _Walk(url_type.syntax, inside, start, changes).repaired()
    if repaired is None:
        raise NotRepairable(
            f"no repair has one right answer: {cause.message}",
            scheme=cause.scheme,
            part=cause.part,
            position=cause.position,
            section=cause.section,
            hint=None if cause.hint is None or "`fix`" in cause.hint else cause.hint,
        )
    changes.sort(key=lambda change: change.position)
    return Fixed(url_type.parse(repaired, limit=4 * limit), tuple(changes), fragment if hash_ else None)


def _has_two_hosts(text: str) -> bool:
    """Whether the login of `text` holds what some programs take for its end, as it is or when they normalize it."""
    login = _LOGIN.match(text)
    if login is None:
        return False
    from unicodedata import normalize

    return not set(_ENDS).isdisjoint(login["login"]) or any(
        not set(_ENDS + "@:/#").isdisjoint(normalize("NFKC", character))
        for character in login["login"]
        if character > "\x7f"
    )


def _unwrapped(text: str, changes: list[Change]) -> tuple[int, str]:
    """Where the URL begins in `text`, and the URL.

    Without the wrapper, the white space around it and the `URL:` prefix of the Appendix.
    """
    found = _WRAPPER.fullmatch(text)
    start, inside = (found.start("inside"), found["inside"]) if found else (0, text)
    if found:
        changes.append(Change("wrapper removed", 0, text, inside, "RFC 1738 Appendix"))
    elif (prefix := _PREFIX.match(inside)) is not None:
        start, inside = prefix.end(), inside[prefix.end() :]
        changes.append(Change("prefix removed", 0, prefix[0], "", "RFC 1738 Appendix"))
    stripped = inside.strip(" \t\r\n")
    if stripped != inside:
        changes.append(Change("white space removed", start, inside, stripped, "RFC 1738 Appendix"))
        start += inside.find(stripped)
    return start, stripped


class _Walk:
    """Goes through the text once, side by side with the automaton, and encodes or leaves out what it does not take."""

    def __init__(self, syntax: "Syntax", text: str, start: int, changes: list[Change]) -> None:
        self.automaton = syntax.automaton
        self.without = impossible_login(text, syntax)
        self.host_ends = 0
        for marked in marks(self.automaton.tree):
            if marked.mark in {"host", "port"}:
                self.host_ends |= marked.last
        self.text = text
        self.start = start
        self.changes = changes
        self.out: list[str] = []
        self.expected = self.automaton.tree.first & ~self.without
        self.reached = 0

    def repaired(self) -> str | None:
        index = 0
        while index < len(self.text):
            character = self.text[index]
            if character == "%" and not re.match("%[0-9A-Fa-f]{2}", self.text[index : index + 3]):
                taken = self.encoded(index, character)
            else:
                taken = self.take(character) or self.mended(index, character) or self.encoded(index, character)
            if not taken:
                return None
            index += 1
        if not self.automaton.tree.last & self.reached and not self.dropped(len(self.text)):
            return None
        return "".join(self.out)

    def take(self, text: str) -> bool:
        """Go on by `text`, if it can stand here."""
        expected, reached = self.expected, self.reached
        for character in text:
            code = ord(character)
            reached = self.among(expected, code) if code < 128 else 0
            if not reached:
                return False
            expected = 0
            for position in bits(reached):
                expected |= self.automaton.follow[position] & ~self.without
        self.expected, self.reached = expected, reached
        self.out.append(text)
        return True

    def among(self, positions: int, code: int) -> int:
        found = 0
        for position in bits(positions):
            if self.automaton.leaves[position].mask >> code & 1:
                found |= 1 << position
        return found

    def encoded(self, index: int, character: str) -> bool:
        try:
            octets = octets_of(character)
        except UnicodeEncodeError:
            return False
        escaped = "".join(f"%{octet:02X}" for octet in octets)
        if not self.take(escaped):
            return False
        self.changes.append(Change("character encoded", self.start + index, character, escaped, "RFC 1738 section 2.2"))
        return True

    def mended(self, index: int, character: str) -> bool:
        """A colon without a port, a dot behind the host, a `?` without the `/` before it."""
        if character in ":/" and self.dropped(index):
            return self.take(character)
        in_authority = "@" in self.text[index:].partition("/")[0]  # then what stands before it may be meant as a login
        if character == "?" and not in_authority and self.reached & self.host_ends and self.take("/" + character):
            self.changes.append(Change("slash inserted", self.start + index, "", "/", "RFC 1738 section 3.3"))
            return True
        return False

    def dropped(self, index: int) -> bool:
        """Leave out a colon or dot before `index`, if the host may end before it.

        Not where an `@` behind it says that it may be a login.
        """
        last = self.out[-1] if self.out else ""
        if last not in _DROPPED or "@" in self.text[index:]:
            return False
        before = self.out, self.expected, self.reached
        if not self.reread("".join(self.out[:-1])) or not self.reached & self.host_ends:
            self.out, self.expected, self.reached = before
            return False
        self.changes.append(Change(_DROPPED[last], self.start + index - 1, last, "", "RFC 1738 section 3.1"))
        return True

    def reread(self, text: str) -> bool:
        """Begin anew and go by `text`, which must lead to where the host may end."""
        self.out = []
        self.expected, self.reached = self.automaton.tree.first & ~self.without, 0
        return all(map(self.take, text))
