r"""The repair of a text by the rules of its scheme, with one pass through the text.

What the rules do not accept is encoded if it can only be data: a character that no URL may hold, or a delimiter where
the scheme divides no more. So a repair never changes which resource is named. A character with another reading is not
encoded:

    //           superfluous after the colon of the scheme, if it has no hosts; and `/` after another `/`
    /            one of two, after the colon of a scheme that has hosts
    \            `/` for many programs, before the first `?` or `#` of a scheme with a hierarchy of `/`
    ?            the beginning of a query (RFC 3986 section 3), unless that of the scheme has begun; `#` of a fragment
    ;            the end of a name for some programs, if the scheme divides by it
    & = ?        a delimiter after another one that is missing
    also a control or invisible character, and %uXXXX
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property, lru_cache
from unicodedata import category

from urlschemes.grammar.automaton import State, bits
from urlschemes.grammar.derivation import part_of, rule_of
from urlschemes.grammar.octets import ESCAPE, encoded, octets_of
from urlschemes.grammar.profile import authority_of
from urlschemes.grammar.syntax import Syntax
from urlschemes.url.fault_messages import quoted_text, sharing_part
from urlschemes.url.fault_place import first_state
from urlschemes_lint.part_places import host_positions
from urlschemes_lint.source_text import Change, SourceText

_U_ESCAPE = re.compile(r"%u([0-9A-Fa-f]{4})")
"""The form that other software takes for the escape of a character."""
_LAYOUT = frozenset({"Cf", "Cc", "Zs", "Zl", "Zp"})
_FIELD = 100
"""The characters that are read to see whether a field begins; hostile texts ask often."""
_DROPPED = {":": "empty port dropped", ".": "dot dropped"}


@lru_cache(maxsize=100)
def is_layout(character: str) -> bool:
    """Return True if `character` is a control, a blank outside US-ASCII, or only controls how text is displayed.

    Such a character may have been pasted by mistake. A variation selector, which goes with an emoji, is data.
    """
    return category(character) in _LAYOUT and character != " "


@lru_cache(maxsize=100)
def is_literal(state: State) -> bool:
    """Return True if the last character can only belong to a literal of the rules."""
    return all(state.automaton.leaves[position].literal is not None for position in bits(state.reached))


def only_divides(state: State, character: str) -> bool:
    """Return True if `character` may come next, but only in a literal of the rules."""
    leaves = (state.automaton.leaves[position] for position in bits(state.expected))
    literals = [leaf.literal is not None for leaf in leaves if leaf.mask >> ord(character) & 1]
    return bool(literals) and all(literals)


@lru_cache(maxsize=100)
def _separators(state: State, character: str, reserved: str) -> tuple[list[tuple[str, State]], str | None]:
    """Return the other `reserved` characters that may come next as literals of the rules, each with the state after it.

    The one that must stand before `character` comes second, or None.
    """
    literals = {state.automaton.leaves[position].literal for position in bits(state.expected)}
    others = [(each, state.walk(each)[1]) for each in sorted(reserved) if each in literals and each != character]
    missing = None if state.ends else next((each for each, after in others if after.taken(character)), None)
    return others, missing  # at the end, nothing is missing


def _goes_on(state: State, character: str) -> bool:
    """Return True if `character`, or the end, may come next; a `?` as a delimiter after a `/` that is inserted."""
    if character == "?":
        length, after = state.walk("/")
        return length == 1 and only_divides(after, character)
    return bool(state.taken(character)) if character else state.ends


class Repair:
    """One pass through the text, side by side with the automaton; what the automaton does not accept is repaired."""

    def __init__(self, source: SourceText, syntax: Syntax) -> None:
        self._source, self._text = source, source.text
        self._syntax, self._reserved = syntax, syntax.profile.reserved
        # The texts taken so far, each with its index in the text, and the states before the first and after each.
        self._pieces, self._taken, self._states = list[str](), list[int](), [first_state(syntax, source.text)]
        self._changes: list[Change] = []
        self._in_query = False
        # The positions of hosts and ports in the automaton, also of a host within a part, as in an article of news.
        self._hosts, self._port = host_positions(syntax), syntax.automaton.inside("port")
        authority = self._authority = authority_of(source.text, syntax.profile)
        self._may_drop_colon = authority is None or ":" not in source.text[authority.colon + 1 : authority.end]
        self._last_at = source.text.rfind("@")
        self._next_index: dict[str, tuple[int, int]] = {}
        self._begun = cache(syntax.automaton.begun)
        self._part = cache(lambda state: part_of(syntax, state.reached) or part_of(syntax, state.expected))
        """The innermost part of the last character before a state, or else the one that must begin there."""
        self._begins_list = cache(self._may_begin_list)
        self._written = cache(self._escapes)

    def repaired(self) -> SourceText:
        """Return the source with the repaired text, or with the text up to where it has no repair. Raises Ambiguous."""
        text, source, index = self._text, self._source, 0
        while index < len(text) and self._goes_on(index):
            index += 1
        is_whole = index == len(text) and (self._state.ends or self._drops_before(index))
        pieces, taken = self._pieces, self._taken
        places = enumerate(zip(taken, pieces, strict=True))
        encoded = {number: index for number, (index, piece) in places if piece[0] == "%" != piece}
        delimiters = {*self._reserved} - {*source.data}
        reserved = {number: text[index] for number, index in encoded.items() if text[index] in delimiters}
        lost = _lost_delimiter(self._syntax, pieces, reserved) if is_whole and reserved else None
        source.lost = None if lost is None else source.positions[taken[lost]]
        source.is_repaired = is_whole and lost is None
        if source.is_repaired:
            for number, index in encoded.items():
                self._add_change("character encoded", index, text[index], pieces[number], source.section)
            source.changes += self._changes
        else:
            stop = min(reserved, default=len(pieces))
            rest = range(taken[stop] if reserved else index, len(text))
            pieces[stop:], taken[stop:] = text[rest.start :], rest
        source.read_as(pieces, taken)
        return source

    @property
    def _state(self) -> State:
        return self._states[-1]

    def _goes_on(self, index: int) -> bool:
        """Take the character at `index`, as it is or repaired; return False if that is impossible."""
        character = self._text[index]
        if character == "%" and not ESCAPE.match(self._text, index):
            return self._encodes(index)
        return self._takes(index, character) or self._repairs_authority(index, character) or self._encodes(index)

    def _takes(self, index: int, text: str) -> bool:
        """Take `text` for the character at `index`; return False if that is impossible, or begins a broken literal."""
        length, state = self._state.walk(text)
        if length < len(text):
            return False
        begun = self._begun(state.expected) if text[-1] in self._reserved else None
        if begun is not None and begun.offset == 1:
            left = len(str(begun.literal)) - 1
            rest = self._text[index + 1 : index + 1 + left]  # in either case
            if len(rest) < left or not state.taken(rest):
                return False
        self._in_query = self._in_query or (text[-1] == "?" and is_literal(state))
        return self._append(index, text, state)

    def _append(self, index: int, piece: str, state: State) -> bool:
        self._pieces.append(piece)
        self._taken.append(index)
        self._states.append(state)
        return True

    def _add_change(self, what: str, index: int, before: str, after: str, section: str) -> None:
        self._changes.append(Change(what, self._source.positions[index], before, after, section))

    def _encodes(self, index: int) -> bool:
        """Take the character at `index` encoded; return False if that is impossible. Raises Ambiguous."""
        before = self._state
        escapes, after = self._written(before, self._text[index])
        if after is None:
            return False
        self._check(index, escapes, before, after)
        if self._is_in_host(index, after.reached):
            return False  # a host is never guessed
        return self._append(index, escapes, after)

    def _escapes(self, state: State, character: str) -> tuple[str, State | None]:
        """Return the escapes of a character, and the state after them; None if they cannot come next."""
        try:
            escapes = encoded(octets_of(character))
        except UnicodeEncodeError:
            return "", None
        length, after = state.walk(escapes)
        return escapes, None if length < len(escapes) or self._part(after) == "host" else after

    def _is_in_host(self, index: int, positions: int) -> bool:
        """Return True for the host of an authority, and for `positions` of the rules of hosts that are of no login."""
        if self._authority is not None and self._authority.host <= index < self._authority.end:
            return True
        return bool(positions & self._hosts) and not (positions & ~self._hosts and self._login_may_end(index))

    def _repairs_authority(self, index: int, character: str) -> bool:
        """Drop a colon without a port or a dot after the host, or insert a `/` before a `?`, if that is needed here."""
        if character in ":/?" and self._drops_before(index) and self._takes(index, character):
            return True
        is_after_host = character == "?" and self._state.reached & (self._hosts | self._port)
        if not is_after_host or not _goes_on(self._state, character) or self._login_may_end(index):
            return False
        self._takes(index, "/" + character)
        rule = rule_of(self._syntax, self._state.reached) or self._syntax.rule
        self._add_change("slash inserted", index, "", "/", self._syntax.section_of(rule))
        return True

    def _login_may_end(self, index: int, *, anywhere: bool = False) -> bool:
        """Return True if an `@` that may end a login follows before the next `/`, or `anywhere`."""
        return self._last_at >= index and (anywhere or self._find("@", index) < self._find("/", index))

    def _drops_before(self, index: int) -> bool:
        """Drop a colon or dot before `index` if it is after a host, and the text can continue then.

        It stays if an `@` follows, which may end a login: then the text after a colon may be a password. A colon stays
        after the name of a scheme, a dot after what is no domain name.
        """
        last = self._pieces[-1] if self._pieces else ""
        if last not in _DROPPED:
            return False
        leaves = (self._syntax.automaton.leaves[position] for position in bits(self._state.reached))
        if last == ":":
            is_port = self._may_drop_colon and self._state.expected & self._port
            may_drop = is_port and not self._text.startswith("//", index)
        else:
            may_drop = last == "." and any("hostname" in leaf.path for leaf in leaves)
        is_password = last == ":" and "user" in self._syntax.parts
        if not may_drop or self._login_may_end(index, anywhere=is_password):
            return False
        if not _goes_on(self._states[-2], self._text[index : index + 1]):
            return False
        section = self._syntax.section_of(self._syntax.profile.host_rules[-1])
        self._add_change(_DROPPED[last], self._taken[-1], last, "", section)
        for each in (self._pieces, self._taken, self._states):
            each.pop()
        return True

    def _find(self, character: str, index: int) -> int:
        """Return the next index of `character` from `index` on; without one, the length of the text."""
        text = self._text
        start, found = self._next_index.get(character, (0, -1))
        if not start <= index <= found:
            found = text.find(character, index)
            found = len(text) if found < 0 else found
            self._next_index[character] = index, found
        return found

    def _check(self, index: int, escapes: str, state: State, after: State) -> None:
        """Raise Ambiguous unless the character at `index` can only be data, which is written `escapes`.

        It is between `state` and `after`.
        """
        character = self._text[index]
        if character in self._source.data:
            return
        reading = self._mistake(index, escapes, state, after)
        if reading is None and character in self._reserved:
            reading = self._delimiter(index, escapes, state, self._part(after))
        if reading is not None:
            text, advice = reading
            data = "//" if 2 * escapes in advice else character if escapes in advice else ""
            raise self._source.ambiguous(quoted_text(character), index, advice, text, data=data)

    def _mistake(self, index: int, escapes: str, state: State, after: State) -> tuple[str, str] | None:
        """Return the text of the other reading of a character that may be a mistake for another one, and advice."""
        text, character = self._text, self._text[index]
        has_levels = self._syntax.hierarchy is not None
        if character == "/" and text.find(":") == index - 1:
            if text.startswith("//", index):
                return self._replaced(index, "", 2), f"leave out the `//`, or write {2 * escapes} if it is data"
            if state.taken("//"):
                return self._replaced(index, "//"), f"write a second `/` if a host follows, or {escapes} if it is data"
        if has_levels and character == "/" == self._pieces[-1]:  # not after an escape of it
            return self._replaced(index, ""), f"leave it out, or write {escapes} if it is data"
        if is_literal(after):
            return self._replaced(index, ""), f"leave it out, or write {escapes} if the {self._part(state)} ends here"
        code = _U_ESCAPE.match(text, index)
        if code is not None:
            octets = chr(int(code[1], 16)).encode("utf-8", "surrogatepass")
            meant = self._source.profile.normal(encoded(octets))
            either = f"{meant} for the character, or " if state.taken(meant) else ""
            return self._replaced(index, meant, len(code[0])), f"write {either}%25 if the % is data"
        if character.isspace() and index > self._base64 > 0:
            return "".join(text.split()), "leave it out: base64 has no white space"
        part = self._syntax.parts.get(self._part(after) or "")
        division = part.division if part and part.kind == "pairs" else None
        data = "a control octet" if category(character) == "Cc" else "data"
        if division is not None and character.isspace() and division.separator == text[index - 1]:
            return self._replaced(index, ""), f"leave it out, or write {escapes} if it is {data}"
        if division is not None and state.taken(division.equals) and character != division.separator:
            start = text.rfind(division.separator, max(0, index - _FIELD), index)
            ends_list = only_divides(state.walk(f"{division.equals}a")[1], character)
            if ends_list and not state.taken(division.separator) and 0 <= start < index - 1:
                return text[:start] + text[index:], f"leave out `{text[start:index]}`, which is not name=value"
        if is_layout(character):
            return text.replace(character, ""), f"leave it out, or write {escapes} if it is {data}"
        if character == "\\" and has_levels and index < self._path_end:
            slashes = text[: self._path_end].replace("\\", "/") + text[self._path_end :]
            slash = "`/` if it is a delimiter, or " if state.taken("/") else ""
            return slashes, f"write {slash}{escapes} if it is data"
        return None

    @cached_property
    def _base64(self) -> int:
        """The index of what announces base64 in a scheme that has it (RFC 2397); -1 without."""
        return self._text.lower().find(";base64,") if "base64" in self._syntax.parts else -1

    def _replaced(self, index: int, by: str, length: int = 1) -> str:
        return self._text[:index] + by + self._text[index + length :]

    @cached_property
    def _path_end(self) -> int:
        """The index of the first `?` or `#` after a login."""
        authority = authority_of(self._text, self._source.profile)
        start = 0 if authority is None else authority.host
        return min(self._find("?", start), self._find("#", start))

    def _delimiter(self, index: int, escapes: str, state: State, part: str | None) -> tuple[str, str] | None:
        """Return the text of the other reading of a reserved character, as a delimiter, and advice."""
        text, character = self._text, self._text[index]

        def data() -> str:
            parts = self._syntax.parts
            name = "URL" if part is None else parts[sharing_part(self._syntax, part, text[index:])].called
            return f"{escapes} if the `{character}` is part of the {name}"

        if character == "#" and index == self._find("#", 0):
            return text[:index], f"leave out the fragment if it begins here, or write {data()}"
        if character == "?" and not self._in_query:
            return self._cut(index), f"leave out the query if it begins here, or write {data()}"
        if character == "?" and only_divides(state, "&") and self._find("=", index) < self._find("&", index):
            return self._replaced(index, "&"), f"write `&` if another field begins here, or {data()}"
        others, missing = _separators(state, character, self._reserved)
        follows_at_once = text.startswith(character, index + 1)
        for each, after_other in others if part and not follows_at_once else ():
            rest = text[index + 1 : min(self._find(character, index + 1), index + 1 + _FIELD)]
            if self._begins_list(after_other, rest, character, part):
                return self._replaced(index, each), f"write `{each}` if a field begins here, or {data()}"
        if missing is not None:
            either = f", or {data()}" if self._find(missing, index) < len(text) else ""
            return self._replaced(index, missing, 0), f"write `{missing}` before it{either}"
        if character == ";" and self._has_parameters:
            return self._cut(index), f"leave out the parameters if they begin here, or write {data()}"
        return None

    @cached_property
    def _has_parameters(self) -> bool:
        """True if the scheme divides by `;`."""
        return any(str(leaf.literal)[0] == ";" for leaf in self._syntax.automaton.leaves)

    def _cut(self, index: int) -> str:
        """Return the text before `index`, and the fragment if it is part of URLs."""
        fragment = self._find("#", index) if self._source.profile.has_fragments else len(self._text)
        return self._text[:index] + self._text[fragment:]

    def _may_begin_list(self, after: State, rest: str, character: str, part: str | None) -> bool:
        """Return True if another part begins with `rest` in the state `after`: a list that `character` divides."""
        length, state = after.walk(rest)
        later, known = self._part(state), self._syntax.parts
        is_list = length > 0 and later not in {None, part} and later in known and known[later].element is not None
        return is_list and state.ends and only_divides(state, character)


def _lost_delimiter(syntax: Syntax, pieces: Sequence[str], encoded: Mapping[int, str]) -> int | None:
    """Return the index of the first piece after the authority where a delimiter became data; None if none was lost.

    `encoded` are the reserved characters that were encoded, by the index of the piece. A reserved character may be the
    delimiter of a rule there if it follows the delimiter before it in some URL, whatever is between them. It is not
    lost if the same one follows.
    """
    text, automaton, reserved = "".join(pieces), syntax.automaton, syntax.profile.reserved
    authority = authority_of(text, syntax.profile)
    literals = [(1 << each, leaf) for each, leaf in enumerate(automaton.leaves) if leaf.literal is not None]
    dividing = sum(each for each, leaf in literals if str(leaf.literal) in reserved)
    delimiting = sum(each for each, leaf in literals if str(leaf.literal)[leaf.offset] in reserved)

    def ahead(positions: int) -> int:
        """Return the positions that come before the next delimiter, and those of that delimiter."""
        found, new = 0, positions
        while new:
            found |= new
            new = automaton.following(new & ~delimiting) & ~found
        return found

    @cache
    def step(positions: int, character: str) -> tuple[int, int]:
        """Return those of `positions` that hold the character, and what comes ahead of them."""
        here = sum(1 << each for each in bits(positions) if automaton.leaves[each].mask >> ord(character) & 1)
        return here, ahead(automaton.following(here))

    start = text.find(":") + 1 if authority is None else authority.end
    possible = ahead(first_state(syntax, text).walk(text[:start])[1].expected)
    end, lost = 0, dict[str, int]()
    for index, piece in enumerate(pieces):
        end += len(piece)
        for character in encoded.get(index, piece):
            if character not in reserved or end <= start:
                continue
            here, after = step(possible, character)
            if index in encoded:
                if here & dividing:
                    lost.setdefault(character, index)
            elif here:
                if here & dividing:
                    lost.pop(character, None)
                possible = after | (possible if here & ~dividing else 0)
    return min(lost.values(), default=None)
