"""The repair of a text by the rules of its scheme, with one pass through the text."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from urlschemes import URL, InvalidURL
from urlschemes.grammar.automaton import State, bits
from urlschemes.grammar.derivation import rule_of
from urlschemes.grammar.octets import ESCAPE, encoded, octets_of
from urlschemes.grammar.profile import authority_of
from urlschemes.grammar.regex_compat import compiled
from urlschemes.grammar.syntax import Syntax
from urlschemes.scheme.scheme import read_as
from urlschemes.url.fault_messages import is_like_ipv6, quoted_text
from urlschemes.url.fault_place import first_state
from urlschemes_lint.misplaced import Misplaced, check_login, is_literal, lost_delimiter, only_divides
from urlschemes_lint.part_places import host_positions
from urlschemes_lint.source_text import Ambiguous, Change, SourceText, wrong_run

_BRACKETS = compiled(r"[^:]*+:<(?P<inside>(?!//)[^<>]*+)>")
_DROPPED = {":": "empty port dropped", ".": "dot dropped"}


class Repair(Misplaced):
    """One pass through the text, side by side with the automaton; what the automaton does not accept is repaired."""

    def __init__(self, source: SourceText, syntax: Syntax) -> None:
        super().__init__(source, syntax)
        self._begun = cache(syntax.automaton.begun)
        self._taken = [(0, "", first_state(syntax, source.text))]
        """The texts taken so far, each with its index in the text, and the state after it; first the one before."""
        # The positions of hosts and ports in the automaton, also of a host within a part, as in an article of news.
        self._hosts = host_positions(syntax)
        self._port = syntax.automaton.inside("port")
        authority = self._authority = authority_of(source.text, syntax.profile)
        self._may_drop_colon = authority is None or ":" not in source.text[authority.colon + 1 : authority.end]
        self._last_at = source.text.rfind("@")
        self._changes: list[Change] = []
        self._written = cache(self._escapes)

    def repaired(self) -> SourceText:
        """Return the source with the repaired text, or with the text up to where it has no repair. Raises Ambiguous."""
        text, source, index = self._text, self._source, 0
        while index < len(text) and self._goes_on(index):
            index += 1
        is_whole = index == len(text) and (self._state.ends or self._drops_before(index))
        taken = [(index, piece) for index, piece, _ in self._taken[1:]]
        encoded = {number: index for number, (index, piece) in enumerate(taken) if piece[0] == "%" != piece}
        delimiters = {*self._reserved} - {*source.data}
        reserved = {number: text[index] for number, index in encoded.items() if text[index] in delimiters}
        pieces = [piece for _, piece in taken]
        lost = lost_delimiter(self._syntax, pieces, reserved) if is_whole and reserved else None
        source.lost = None if lost is None else source.positions[taken[lost][0]]
        source.is_repaired = is_whole and lost is None
        if source.is_repaired:
            for number, index in encoded.items():
                self._add_change("character encoded", index, text[index], pieces[number], source.section)
            source.changes += self._changes
        elif reserved:
            del taken[min(reserved) + 1 :]
            index, _ = taken.pop()
        source.read_as(taken + [(place, text[place]) for place in range(index, len(text))] * (not source.is_repaired))
        return source

    @property
    def _state(self) -> State:
        return self._taken[-1][2]

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
        self._taken.append((index, text, state))
        return True

    def _add_change(self, what: str, index: int, before: str, after: str, section: str) -> None:
        self._changes.append(Change(what, self._source.positions[index], before, after, section))

    def _encodes(self, index: int) -> bool:
        """Take the character at `index` encoded; return False if that is impossible. Raises Ambiguous."""
        before = self._state
        escapes, after = self._written(before, self._text[index])
        if after is None:
            return False
        self.check(index, escapes, before, after)
        if self._is_in_host(index, after.reached):
            return False  # a host is never guessed
        self._taken.append((index, escapes, after))
        return True

    def _escapes(self, state: State, character: str) -> tuple[str, State | None]:
        """Return the escapes of a character, and the state after them; None if they cannot come next."""
        try:
            escapes = encoded(octets_of(character))
        except UnicodeEncodeError:
            return "", None
        length, after = state.walk(escapes)
        return escapes, None if length < len(escapes) or self.part(after) == "host" else after

    def _is_in_host(self, index: int, positions: int) -> bool:
        """Return True for the host of an authority, and for `positions` of the rules of hosts that are of no login."""
        if self._authority is not None and self._authority.host <= index < self._authority.end:
            return True
        return bool(positions & self._hosts) and not (positions & ~self._hosts and self._login_may_end(index))

    def _repairs_authority(self, index: int, character: str) -> bool:
        """Drop a colon without a port or a dot after the host, or insert a `/` before a `?`, if that is needed here."""
        if character in ":/?" and self._drops_before(index) and self._takes(index, character):
            return True
        state = self._state
        if (
            character != "?"
            or not state.reached & (self._hosts | self._port)
            or not _delimits_after_slash(state, character)
        ):
            return False
        if self._login_may_end(index):
            return False  # the text before it may be meant as a login
        self._takes(index, "/" + character)
        rule = rule_of(self._syntax, self._state.reached) or self._syntax.rule
        self._add_change("slash inserted", index, "", "/", self._syntax.section_of(rule))
        return True

    def _login_may_end(self, index: int, *, anywhere: bool = False) -> bool:
        """Return True if an `@` that may end a login follows before the next `/`, or `anywhere`."""
        return self._last_at >= index and (anywhere or self.find("@", index) < self.find("/", index))

    def _drops_before(self, index: int) -> bool:
        """Drop a colon or dot before `index` if it is after a host, and the text can continue then.

        It stays if an `@` follows, which may end a login: then the text after a colon may be a password.
        """
        place, last, state = self._taken[-1]
        if last not in _DROPPED:
            return False
        if self._login_may_end(index, anywhere=last == ":" and "user" in self._syntax.parts):
            return False
        if last == ":" and not (self._may_drop_colon and state.expected & self._port):
            return False
        if last == ":" and self._text.startswith("//", index):
            return False  # the text before the colon is the name of a scheme, not a host
        leaves = [self._syntax.automaton.leaves[position] for position in bits(state.reached)]
        if last == "." and not any("hostname" in leaf.path for leaf in leaves):
            return False  # only a domain name may be meant to end with a dot
        (_, _, before), next_character = self._taken[-2], self._text[index : index + 1]
        if next_character == "?":
            goes_on = _delimits_after_slash(before, next_character)
        else:
            goes_on = bool(before.taken(next_character)) if next_character else before.ends
        if not goes_on or not before.reached & (self._hosts | self._port):
            return False
        section = self._syntax.section_of(self._syntax.profile.host_rules[-1])
        self._add_change(_DROPPED[last], place, last, "", section)
        self._taken.pop()
        return True


def _delimits_after_slash(state: State, character: str) -> bool:
    """Return True if a `/` can be inserted before `character`, which then is a delimiter and not data."""
    length, after = state.walk("/")
    return length == 1 and only_divides(after, character)


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
    source = _without_fragment(source, url_type.syntax)
    # The pattern alone knows that a number is too long.
    if not source.is_repaired or url_type.syntax.fullmatch(source.text) is None:
        return source, None
    if len(source.text) > limit:
        message = f"the repaired URL has {len(source.text)} characters, more than the limit of {limit}"
        raise Ambiguous(message, source.positions[limit], ())
    return source, read_as(url_type, source.text, limit)


def _check_nonstandard(source: SourceText, url_type: type[URL]) -> None:
    """Raise Ambiguous if `url_type` has a method `from_nonstandard` that reads the text despite its first error."""
    read = getattr(url_type, "from_nonstandard", None)
    index = source.error.position if read is not None and source.error else None
    if read is None or index is None or source.text[index : index + 1] in source.data:
        return
    try:
        rest = wrong_run(source.profile).sub(lambda found: encoded(octets_of(found[0])), source.text[index + 1 :])
        url = read(source.text[: index + 1] + rest)
    except (InvalidURL, UnicodeEncodeError):
        return
    character, reader = source.text[index], f"`{url_type.__name__}.from_nonstandard`"
    data = "" if character.isalnum() else f", or write {encoded(octets_of(character))} if it is data"
    advice = f"read the nonstandard form by {reader}{data}"
    raise source.ambiguous(quoted_text(character), index, advice, str(url), data=character)


def _without_fragment(source: SourceText, syntax: Syntax) -> SourceText:
    """Return the source with the repaired text, without the fragment where it is no part. Raises Ambiguous."""
    _add_brackets(source, syntax)
    text = source.text
    index = -1 if syntax.profile.has_fragments else text.find("#")
    if index < 0:
        return _repaired(source, syntax)
    rest, authority, with_hash = text[index + 1 :], authority_of(text, syntax.profile), source.without_brackets()

    def ambiguous(alternative: str) -> Ambiguous:
        advice = f"leave out the fragment if it begins here, or write %23 if the `#` is part of {alternative}"
        return source.ambiguous("'#'", index, advice, text[:index], f"{text[:index]}%23{rest}")

    if "host" in syntax.parts:
        login = rest if "user" in syntax.parts else rest.partition("/")[0]
        if authority is not None and index < authority.end and "@" in login:
            raise ambiguous("a login")
    elif "@" in rest and authority is None:
        # There is no host after which a fragment could begin: the `#` may be part of an article's name or an address.
        with suppress(Ambiguous):
            with_hash = _repaired(with_hash, syntax)
    error = ambiguous("the text before the `@`")
    source.split_off_fragment()
    source = _repaired(source, syntax)
    if source.is_repaired and with_hash.is_repaired:
        raise error
    return with_hash if with_hash.is_repaired else source


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
        source.write("bracket added", end, end, "]", section)
        source.write("bracket added", start, start, "[", section)


def _repaired(source: SourceText, syntax: Syntax) -> SourceText:
    """Return the source with the repaired text, without brackets if that helps. Raises Ambiguous."""
    check_login(source, syntax)
    brackets = _BRACKETS.fullmatch(source.text)
    if brackets is None:
        return Repair(source, syntax).repaired()
    start, end = brackets.span("inside")
    bare = source.without_brackets(start - 1, end)
    source, bare = Repair(source, syntax).repaired(), Repair(bare, syntax).repaired()
    if source.is_repaired and bare.is_repaired:
        advice = "leave them out if they delimit the URL, or encode them if they are data"
        raise source.ambiguous("angle brackets", start - 1, advice, bare.text, source.text)
    return bare if bare.is_repaired else source
