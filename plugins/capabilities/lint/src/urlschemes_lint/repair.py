"""The repair of a text by the rules of its scheme, with one pass through the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import InvalidURL
from urlschemes.grammar.derivation import rule_of
from urlschemes.grammar.octets import ESCAPE, encoded, octets_of
from urlschemes.grammar.profile import authority_of
from urlschemes.grammar.regex_compat import compiled
from urlschemes.scheme.scheme import read_as
from urlschemes.url.fault_messages import is_like_ipv6
from urlschemes_lint.automaton_walk import Walk
from urlschemes_lint.misplaced import Misplaced, check_login, lost_delimiter
from urlschemes_lint.part_places import host_positions
from urlschemes_lint.source_text import Ambiguous, Change

if TYPE_CHECKING:
    from urlschemes import URL
    from urlschemes.grammar.syntax import Syntax
    from urlschemes_lint.source_text import SourceText

__all__ = ["nearest"]

_BRACKETS = compiled(r"[^:]*+:(?P<open><)(?!//)[^<>]*+(?P<close>>)")
_DROPPED = {":": "empty port dropped", ".": "dot dropped"}


class Repair:
    """One pass through the text, side by side with the automaton; what the automaton does not accept is repaired."""

    def __init__(self, source: SourceText, syntax: Syntax) -> None:
        self._source = source
        self._text = source.text
        self._profile = syntax.profile
        self._walk = Walk(syntax, self._text)
        # The positions of hosts and ports in the automaton, also of a host within a part, as in an article of news.
        self._in_host = host_positions(syntax)
        self._port = syntax.automaton.inside("port")
        self._in_host |= self._port
        authority = authority_of(self._text, syntax.profile)
        self._may_drop_colon = authority is None or ":" not in self._text[authority.colon + 1 : authority.end]
        self._misplaced = Misplaced(source, self._walk)
        self._in_query = False
        self._last_at = self._text.rfind("@")
        self._changes: list[Change] = []
        # The index in the text of each piece that the walk took.
        self._taken: list[int] = []
        # The reserved characters that were encoded, by the index of the piece.
        self._encoded: dict[int, str] = {}

    def repaired(self) -> str | None:
        """Return the repaired text, None if there is no repair. Raises Ambiguous if there are several."""
        index = 0
        while index < len(self._text) or not (self._walk.at_end or self._drops_before(index)):
            if not (index < len(self._text) and self._goes_on(index)):
                self._source.stop = index + self._walk.state.walk(self._text[index:])[0]
                return None
            index += 1
        lost = lost_delimiter(self._walk.syntax, self._walk.pieces, self._encoded) if self._encoded else None
        if lost is not None:
            self._source.lost = self._source.stop = self._taken[lost]
            return None
        self._source.changes += self._changes
        return "".join(self._walk.pieces)

    def _goes_on(self, index: int) -> bool:
        """Take the character at `index`, as it is or repaired; return False if that is impossible."""
        character = self._text[index]
        if character == "%" and not ESCAPE.match(self._text, index):
            return self._encodes(index)
        return self._takes(index, character) or self._repairs_authority(index, character) or self._encodes(index)

    def _takes(self, index: int, text: str) -> bool:
        """Take `text` for the character at `index`; return False if that is impossible, or begins a broken literal."""
        if not self._walk.take(text):
            return False
        count, literal = self._walk.begun if text[-1] in self._profile.reserved else (0, "")
        rest = self._text[index + 1 : index + len(literal)]
        if count == 1 and not (len(rest) == len(literal) - 1 and self._walk.takes(rest)):
            self._walk.back()
            return False
        self._in_query = self._in_query or (text[-1] == "?" and self._walk.at_literal)
        self._taken.append(index)
        return True

    def _add_change(self, what: str, index: int, before: str, after: str, section: str) -> None:
        self._changes.append(Change(what, self._source.position(index), before, after, section))

    def _encodes(self, index: int) -> bool:
        """Take the character at `index` encoded; return False if that is impossible. Raises Ambiguous."""
        character = self._text[index]
        try:
            escapes = encoded(octets_of(character))
        except UnicodeEncodeError:
            return False
        if not self._walk.takes(escapes) or self._walk.part_by(escapes) == "host":
            return False  # a host is never guessed
        self._misplaced.check(index, escapes, in_query=self._in_query)
        self._takes(index, escapes)
        if character in self._profile.reserved and character not in self._source.data:
            self._encoded[len(self._taken) - 1] = character
        self._add_change("character encoded", index, character, escapes, self._source.section)
        return True

    def _repairs_authority(self, index: int, character: str) -> bool:
        """Drop a colon without a port or a dot after the host, or insert a `/` before a `?`, if that is needed here."""
        if character in ":/?" and self._drops_before(index) and self._takes(index, character):
            return True
        if character != "?" or not self._walk.reached & self._in_host or not self._delimits_after_slash(character):
            return False
        if self._login_may_end(index):
            return False  # the text before it may be meant as a login
        self._takes(index, "/" + character)
        rule = rule_of(self._walk.syntax, self._walk.reached) or self._walk.syntax.rule
        self._add_change("slash inserted", index, "", "/", self._walk.syntax.section_of(rule))
        return True

    def _delimits_after_slash(self, character: str) -> bool:
        """Return True if a `/` can be inserted before `character`, which then is a delimiter and not data."""
        if not self._walk.take("/"):
            return False
        delimits = self._walk.only_divides(character)
        self._walk.back()
        return delimits

    def _login_may_end(self, index: int, *, anywhere: bool = False) -> bool:
        """Return True if an `@` that may end a login follows before the next `/`, or `anywhere`."""
        return self._last_at >= index and (
            anywhere or self._misplaced.find("@", index) < self._misplaced.find("/", index)
        )

    def _drops_before(self, index: int) -> bool:
        """Drop a colon or dot before `index` if it is after a host, and the text can continue then.

        It stays if an `@` follows, which may end a login: then the text after a colon may be a password.
        """
        last = self._walk.pieces[-1] if self._walk.pieces else ""
        if last not in _DROPPED:
            return False
        if self._login_may_end(index, anywhere=last == ":" and "user" in self._walk.syntax.parts):
            return False
        if last == ":" and not (self._may_drop_colon and self._walk.expected & self._port):
            return False
        if last == ":" and self._text.startswith("//", index):
            return False  # the text before the colon is the name of a scheme, not a host
        if last == "." and not self._walk.is_in("hostname"):
            return False  # only a domain name may be meant to end with a dot
        self._walk.back()
        next_character = self._text[index : index + 1]
        if next_character == "?":
            goes_on = self._delimits_after_slash(next_character)
        else:
            goes_on = self._walk.takes(next_character) if next_character else self._walk.at_end
        if not goes_on or not self._walk.reached & self._in_host:
            self._walk.take(last)
            return False
        section = self._walk.syntax.section_of(self._profile.host_rules[-1])
        self._add_change(_DROPPED[last], self._taken.pop(), last, "", section)
        return True


def nearest(source: SourceText, url_type: type[URL], limit: int) -> tuple[SourceText, URL | None]:
    """Return the nearest URL of `url_type`, None if there is none, and the source with the changes.

    Raises Ambiguous if there are several.
    """
    source.check_line_breaks()
    try:
        return source, read_as(url_type, source.text, limit)
    except InvalidURL as error:
        source.error = error
    _check_nonstandard(source, url_type)
    if "host" in url_type.syntax.parts:
        source.write_name_in_ascii()
    repaired_source, text = _without_fragment(source, url_type.syntax)
    # The automaton does not count repetitions, so the repaired text may still be invalid.
    if text is None or url_type.syntax.fullmatch(text) is None:
        return repaired_source, None
    if len(text) > limit:
        message = f"the repaired URL has {len(text)} characters, more than the limit of {limit}"
        raise Ambiguous(message, source.position(limit), ())
    return repaired_source, read_as(url_type, text, limit)


def _check_nonstandard(source: SourceText, url_type: type[URL]) -> None:
    """Raise Ambiguous if `url_type` has a method `from_nonstandard` that reads the text despite its first error."""
    read = getattr(url_type, "from_nonstandard", None)
    index = source.error.position if read is not None and source.error else None
    if read is None or index is None or source.text[index : index + 1] in source.data:
        return
    try:
        url = read(source.encoded_after(index))
    except (InvalidURL, UnicodeEncodeError):
        return
    character, reader = source.text[index], f"`{url_type.__name__}.from_nonstandard`"
    data = "" if character.isalnum() else f", or write {encoded(octets_of(character))} if it is data"
    advice = f"read the nonstandard form by {reader}{data}"
    raise source.ambiguous(ascii(character), index, advice, str(url), data=character)


def _without_fragment(source: SourceText, syntax: Syntax) -> tuple[SourceText, str | None]:
    """Return the text of the nearest URL, without the fragment where it is no part; None if there is none.

    The source with the changes comes first. Raises Ambiguous.
    """
    text = source.text
    index = -1 if syntax.profile.has_fragments else text.find("#")
    _add_brackets(source, syntax)
    if index < 0:
        return source, _repaired(source, syntax)
    if "host" in syntax.parts:
        source.check_fragment(has_login="user" in syntax.parts)
    elif "@" in text[index + 1 :] and authority_of(text, syntax.profile) is None:
        # There is no host after which a fragment could begin: the `#` may be part of an article's name or an address.
        with_hash = source.without_brackets()
        try:
            repaired = _repaired(with_hash, syntax)
        except Ambiguous:
            repaired = None
        if repaired is not None:
            source.split_off_fragment()
            if _repaired(source, syntax) is not None:
                raise with_hash.ambiguous_hash(index, "part of the text before the `@`")
            return with_hash, repaired
    source.split_off_fragment()
    return source, _repaired(source, syntax)


def _add_brackets(source: SourceText, syntax: Syntax) -> None:
    """Write brackets around an IPv6 address that has none, if the rules ask for them. Raises Ambiguous."""
    text, authority = source.text, authority_of(source.text, syntax.profile)
    if authority is None or "host" not in syntax.parts or not is_like_ipv6(text[authority.host : authority.end]):
        return
    start, address = authority.host, text[authority.host : authority.end]
    if ":::" in address:
        return  # one colon too many
    ends = {authority.end, start + address.rindex(":")}  # the last group may be meant as the port
    readings = {end: f"[{text[start:end]}]{text[end : authority.end]}" for end in sorted(ends)}
    automaton = syntax.automaton
    right = [
        end for end, written in readings.items() if automaton.reach(text[:start] + written) == start + len(written)
    ]
    if len(right) > 1:
        texts = (text[:start] + written + text[authority.end :] for written in readings.values())
        raise source.ambiguous("IPv6 address", start, f"write {' or '.join(readings.values())}", *texts)
    section = syntax.section_of(syntax.parts["host"].rule)
    for end in right:
        source.insert("bracket added", end, "]", section)
        source.insert("bracket added", start, "[", section)


def _repaired(source: SourceText, syntax: Syntax) -> str | None:
    """Return the text of the nearest URL, None if there is none, and add the changes to `source`. Raises Ambiguous."""
    check_login(source, syntax)
    repaired = Repair(source, syntax).repaired()
    brackets = _BRACKETS.fullmatch(source.text)
    if brackets is not None:
        bare = source.without_brackets(brackets.start("open"), brackets.start("close"))
        without = Repair(bare, syntax).repaired()
        if without is not None and repaired is not None:
            advice = "leave them out if they delimit the URL, or encode them if they are data"
            raise source.ambiguous("angle brackets", brackets.start("open"), advice, without, repaired)
        if without is not None:
            source.changes = bare.changes
            repaired = without
    return repaired
