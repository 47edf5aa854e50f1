"""The repair of a text by the rules of its scheme, with one pass through the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.derivation import rule_of
from urlschemes.grammar.octets import ESCAPE, encoded, octets_of
from urlschemes_lint.advice import U_ESCAPE, is_layout
from urlschemes_lint.automaton_walk import Walk
from urlschemes_lint.part_places import delimiters, host_positions, lost_delimiter
from urlschemes_lint.source_text import Ambiguous, Change

if TYPE_CHECKING:
    from urlschemes.grammar.syntax import Syntax
    from urlschemes_lint.source_text import SourceText

__all__ = ["Repair"]

_DROPPED = {":": "empty port dropped", ".": "dot dropped"}
_FIELD = 100
"""The characters that are read to see whether a field begins; hostile texts ask often."""


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
        self._in_hostname = sum(
            1 << each for each, leaf in enumerate(syntax.automaton.leaves) if "hostname" in leaf.path
        )
        self._last_at = self._text.rfind("@")
        self._next_index: dict[str, tuple[int, int]] = {}
        self._delimiters: dict[str, frozenset[str]] = {}
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
                restart = self._encode_begun_literal()
                if restart is None:
                    self._source.stop = index
                    return None
                index = restart
            index += 1
        lost = lost_delimiter(self._walk.syntax, self._walk.pieces, self._encoded) if self._encoded else None
        if lost is not None:
            self._source.stop = self._taken[lost]
            return None
        self._source.changes += self._changes
        return "".join(self._walk.pieces)

    def _goes_on(self, index: int) -> bool:
        """Take the character at `index`, as it is or repaired; return False if that is impossible."""
        character = self._text[index]
        if character == "%" and not ESCAPE.match(self._text, index):
            return self._encodes(index)
        if self._takes(index, character) or self._repairs_authority(index, character):
            return True
        self._check_alternatives(index, character)
        return self._encodes(index)

    def _takes(self, index: int, text: str) -> bool:
        if not self._walk.take(text):
            return False
        self._taken.append(index)
        return True

    def _add_change(self, what: str, index: int, before: str, after: str, section: str) -> None:
        self._changes.append(Change(what, self._source.position(index), before, after, section))

    def _encodes(self, index: int) -> bool:
        """Take the character at `index` encoded; return False if that is impossible. Raises Ambiguous."""
        character, part = self._text[index], self._walk.part
        try:
            escapes = encoded(octets_of(character))
        except UnicodeEncodeError:
            return False
        if self._walk.part_by(escapes) == "host" or not self._takes(index, escapes):
            return False  # a host is never guessed
        self._check_encoded(index, escapes, part)
        if character in self._profile.reserved:
            self._encoded[len(self._taken) - 1] = character
        self._add_change("character encoded", index, character, escapes, self._source.section)
        return True

    def _check_encoded(self, index: int, escapes: str, part: str | None) -> None:
        """Raise Ambiguous if the character at `index`, which is taken as `escapes`, may be meant otherwise."""
        character, position = self._text[index], self._source.position(index)
        begins_authority = self._text.startswith("//", index) and self._text.find(":") == index - 1
        has_levels = self._walk.syntax.hierarchy is not None
        if begins_authority or (has_levels and character == "/" and self._walk.pieces[-2:-1] == ["/"]):
            slashes = "//" if begins_authority else "/"
            raise Ambiguous(
                f"ambiguous {slashes!r} at position {position}: left out, or {len(slashes) * escapes} if it is data",
                position,
            )
        if self._walk.at_literal:
            raise Ambiguous(
                f"ambiguous {character!a} at position {position}: {escapes} if it ends the {part}, "
                f"left out if it is data, which the {part} cannot hold",
                position,
            )
        code = U_ESCAPE.match(self._text, index)
        if code is not None:
            meant = encoded(chr(int(code[1], 16)).encode("utf-8", "surrogatepass"))
            raise Ambiguous(
                f"ambiguous {code[0]!r} at position {position}: {meant} if it is a character, %25 if the % is data",
                position,
                "an escape is one octet; a character is written as the octets of its UTF-8",
            )
        if is_layout(character):
            raise Ambiguous(
                f"ambiguous invisible character {character!a} at position {position}: left out, "
                f"or {escapes} if it is data",
                position,
            )

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
        return self._last_at >= index and (anywhere or self._find("@", index) < self._find("/", index))

    def _find(self, character: str, index: int) -> int:
        """Return the next index of `character` from `index` on; without one, the length of the text."""
        start, found = self._next_index.get(character, (0, -1))
        if not start <= index <= found:
            found = self._text.find(character, index)
            found = len(self._text) if found < 0 else found
            self._next_index[character] = index, found
        return found

    def _drops_before(self, index: int) -> bool:
        """Drop a colon or dot before `index` if it is after a host, and the text can continue then.

        It stays if an `@` follows, which may end a login: then the text after a colon may be a password.
        """
        last = self._walk.pieces[-1] if self._walk.pieces else ""
        if last not in _DROPPED:
            return False
        if self._login_may_end(index, anywhere=last == ":" and "user" in self._walk.syntax.parts):
            return False
        if last == ":" and not self._walk.expected & self._port:
            return False
        if last == ":" and self._text.startswith("//", index):
            return False  # the text before the colon is the name of a scheme, not a host
        if last == "." and not self._walk.reached & self._in_hostname:
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

    def _encode_begun_literal(self) -> int | None:
        """Go back to a literal that was begun and does not continue, and encode its first character.

        Returns the index of that character; None if there is none, or if it cannot be encoded. Raises Ambiguous.
        """
        count, literal = self._walk.begun
        if not count:
            return None
        index = self._taken[-count]
        written = "".join(self._walk.back() for _ in range(count))[::-1]
        del self._taken[-count:]
        if not self._encodes(index):
            return None
        if 2 * count > len(literal):
            position = self._source.position(index)
            raise Ambiguous(
                f"ambiguous {written!r} at position {position}: `{literal}` if that is meant, "
                f"`{self._walk.pieces[-1]}` for its first character if it is data",
                position,
            )
        return index

    def _begins_list(self, separator: str, index: int, character: str, part: str) -> bool:
        """Return True if `separator` in place of the character begins another part, a list that `character` divides."""
        self._walk.take(separator)
        rest = self._text[index + 1 : min(self._find(character, index + 1), index + 1 + _FIELD)]
        length, _ = self._walk.state.walk(rest)
        self._walk.take(rest[:length])
        known, later = self._walk.syntax.parts, self._walk.part
        is_list = length > 0 and later not in {None, part} and later in known and known[later].element is not None
        divides = is_list and self._walk.at_end and self._walk.only_divides(character)
        self._walk.back()
        self._walk.back()
        return divides

    def _is_delimiter(self, character: str, part: str) -> bool:
        if part not in self._delimiters:
            self._delimiters[part] = delimiters(self._walk.syntax, part)
        return character in self._delimiters[part]

    def _check_alternatives(self, index: int, character: str) -> None:
        """Raise Ambiguous if `character` can be encoded, and another repair is as good."""
        if character not in self._profile.reserved and character != "\\":
            return
        escape, position = f"%{ord(character):02X}", self._source.position(index)
        part = self._walk.part_by(escape)
        if part is None or part == "host":
            return
        if character == "\\":
            if self._walk.takes("/") and self._is_delimiter("/", part):
                raise Ambiguous(
                    f"ambiguous backslash at position {position}: `/` if it is a delimiter, `{escape}` if it is data",
                    position,
                    "browsers read `/`, the rules give it no meaning: write the one that is meant",
                )
            return
        if character == "?" and self._walk.only_divides("&") and self._find("=", index) < self._find("&", index):
            raise Ambiguous(
                f"ambiguous '?' at position {position}: `&` if another field begins here, {escape} if it is data",
                position,
                "write `&` between header fields, or %3F",
            )
        for separator in sorted(self._walk.separators() - {character}):
            if self._begins_list(separator, index, character, part):
                raise Ambiguous(
                    f"ambiguous {character!r} at position {position}: `{separator}` if a field begins here, "
                    f"or `{escape}` if it belongs to the {self._walk.syntax.parts[part].called}",
                    position,
                    f"`{character}` divides only what comes after `{separator}`",
                )
        if self._walk.at_end:
            return  # nothing is missing before it
        for separator in sorted(self._walk.separators()):
            if self._walk.takes(separator + character):
                raise Ambiguous(
                    f"ambiguous {character!r} at position {position}: `{separator}` inserted before it, "
                    f"or `{escape}` if it belongs to the {part}",
                    position,
                )
