"""`check`: the errors in a text that should be a URL, or warnings about a valid URL.

The first error is the one that `parse` raises. After each error the automaton goes on: in the state after the encoded
character, or else in the nearest state in which a later character can come next. An error at a place where another one
was reported may be due to the repair only, and is not reported. At the end, the repaired text is a URL: there are
warnings about it, too.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from urlschemes import URL, InvalidURL, Registry, UnknownScheme
from urlschemes.errors import Hint
from urlschemes.grammar.automaton import State, bits
from urlschemes.grammar.octets import ESCAPE, encoded, octets_of
from urlschemes.grammar.profile import Profile, authority_of
from urlschemes.registry.registry import registry_or_default
from urlschemes.scheme.scheme import read_as
from urlschemes.url.algorithms import algorithms_of
from urlschemes.url.fault_messages import bad_escape, escapes, is_like_ipv6, unsafe_character
from urlschemes.url.fault_place import ILLEGAL_CODES, Fault
from urlschemes.url.original_text import OriginalText
from urlschemes.url.value import LIMIT, unfit
from urlschemes_lint.advice import Outcome, advice, advice_on_name, is_path, remedies_in
from urlschemes_lint.findings import CODES, Finding, error_finding
from urlschemes_lint.fixing import repair_of
from urlschemes_lint.source_text import SourceText, wrong_run
from urlschemes_lint.warning_checks import Warnings

_PERCENT = 1 << ord("%")
_FOREIGN = re.compile("[^\x00-\x7f]")
_MAX_ERRORS = 100


def check(
    text: str, *, registry: Registry | None = None, profile: Profile | str | None = None, limit: int = LIMIT
) -> tuple[Finding, ...]:
    """Return the errors in `text`, and warnings about what is legal but unwise in the order of the text.

    The first error is that of `parse`; at most 100 are reported, and each run of the same error is one. An unknown
    scheme is an error too; the text is then checked by the rules for all URLs. Raises PluginError.
    """
    schemes = registry_or_default(registry, profile)
    unreadable = unfit(text, limit)
    if unreadable is not None:
        return (error_finding(unreadable),)
    findings: list[Finding] = []
    name = text.partition(":")[0]
    url_type: type[URL] = algorithms_of(schemes.profile).url_type
    if len(name) < len(text) and schemes.profile.is_scheme_name(name):
        try:
            url_type = schemes[name].url_type
        except UnknownScheme as error:
            hint = advice_on_name(error, text, repair_of(text, schemes, limit))
            about = "scheme", schemes.profile.section("scheme"), hint, ("the name of an installed scheme",), "scheme"
            findings.append(Finding(error.code, "error", str(error.message), (0, len(name)), *about))
            if is_path(text):
                return tuple(findings)
    try:
        url = read_as(url_type, text, limit)
    except InvalidURL as error:
        findings += _all_errors(text, url_type, error, repair_of(text, schemes, limit))
    else:
        match = url.syntax.fullmatch(text)
        assert match is not None
        findings += Warnings(url_type, match, range(len(text) + 1))
        authority = authority_of(text, schemes.profile)
        name = "" if authority is None else text[authority.host : authority.end]
        if authority is not None and name in schemes and text.startswith("//", authority.end):
            message = f"the host {name!r} has the name of a scheme, and `//` follows"
            hint = f"if that is the scheme of the URL, begin with `{name}://`"
            place = (authority.host, authority.end), "host", CODES["second-scheme"].section(schemes.profile)
            findings.append(Finding("second-scheme", "warning", message, *place, hint))
    findings.sort(key=lambda each: each.span or (0, 0))
    return tuple(findings)


def _all_errors(text: str, url_type: type[URL], error: InvalidURL, repair: Outcome) -> list[Finding]:
    """Return the errors in `text`, and the warnings about it, which `url_type` refused with `error`.

    `repair` is what `fix` returns or raises for the text.
    """
    reading = _Reading(text, url_type, repair)
    reading.findings.append(error_finding(error)._replace(hint=advice(error, text, url_type, repair)))
    start, reading.end = error.span or (0, 0)  # a type with its own parser may blame a later place
    reading.read()
    source, first, *others = SourceText(text, url_type.syntax.profile), *reading.findings
    if start < source.positions[0]:  # the first error is about all that `fix` leaves out around the URL
        kept = {*source.positions[:-1], len(text)}
        places = [range(start, max(start + 1, end)) for start, end in (each.span or (0, 0) for each in others)]
        others = [each for each, place in zip(others, places, strict=True) if not kept.isdisjoint(place)]
    return [first, *others]


class _Edit(NamedTuple):
    """The text from `start` to `end` is read as `written`."""

    start: int
    end: int
    written: str


class _Reading:
    """The states of the automaton along a text, with the edits that let it go on, and the findings so far.

    `text` is the `whole` text with the edits, and `positions` has the place in the whole text of each of its
    characters, and of its end. `states[n]` is the state before the character n.
    """

    def __init__(self, text: str, url_type: type[URL], repair: Outcome) -> None:
        self.whole = self.text = text
        self.positions = [*range(len(text) + 1)]
        self.url_type, self.syntax, self.repair = url_type, url_type.syntax, repair
        self.findings: list[Finding] = []
        self.end = 0
        """The end of the errors so far, in the whole text. An error before it may be due to a repair only."""
        self.end_of_edit = 0
        self._replaced = bytearray(len(text))
        """1 for each character of the whole text that an edit replaced."""
        self._before = Finding("", "error", "", (-1, -1))
        """The error before; an error of the same kind that follows at once is part of it."""
        self._skipped_parts: set[str] = set()
        """Parts that were repaired otherwise than by encoding, about which there are no warnings."""
        self._bridge = cache(lambda state: _Bridge(state, self.syntax.profile))

    def read(self) -> None:
        """Report the errors after the first, and the warnings if all errors are repaired."""
        self._begin()
        for count in range(_MAX_ERRORS):
            if len(self.states) > len(self.text) and self.states[-1].ends:
                match = self.syntax.fullmatch(self.text) if len(self.text) <= LIMIT else None
                if match is not None:  # it could be a URL, and no number is too long
                    found = Warnings(self.url_type, match, self.positions, self._skipped_parts)
                    self.findings += (each for each in found if not self._is_of_edits(each))
                return
            fault = _NextFault(self)
            edit = self._repair(fault, *self._report(fault, is_first=count == 0))
            if edit is None:
                return
            self._edit(edit, begins=fault.region in {"scheme", "slashes"})

    def _is_of_edits(self, warning: Finding) -> bool:
        """Return True for a warning about what stands in the text with the edits only."""
        start, end = warning.span or (0, 0)
        return 0 < end - start == sum(self._replaced[start:end])

    def _begin(self) -> None:
        """Read the text from its beginning."""
        fault = Fault(self.text, self.syntax, None)
        self.login = self._end_of_login()
        self.states = self._read(0, fault.starts[0])

    def _end_of_login(self) -> tuple[int, int | None]:
        """Return the index of the `@` after a login, and its place in the whole text; -1 and None without one."""
        authority = authority_of(self.text, self.syntax.profile) if "host" in self.syntax.parts else None
        at = -1 if authority is None else authority.at
        return at, self.positions[at] if at >= 0 else None

    def _read(self, index: int, state: State) -> list[State]:
        """Return the states from `index` on, where `state` is, as far as the text can be read."""
        text, states = self.text, [state]
        for place in range(index, len(text)):
            if place == self.login[0]:  # until here only a login was looked for
                states[-1] = state = state.automaton.state_after(state.reached, state.automaton.start.within)
            after = state.step(text[place])
            if after is None:
                break
            states.append(state := after)
        return states

    def _edit(self, edit: _Edit, *, begins: bool) -> None:
        """Make an edit, and read on behind it, or from the beginning if it `begins` the text, or moves the login."""
        start, end, written = edit
        states = [self.states[start]]
        while len(states) <= len(written) and (after := states[-1].step(written[len(states) - 1])):
            states.append(after)
        written = written[: len(states) - 1]
        first, last = self.positions[start], self.positions[end]
        self._replaced[first:last] = bytes([1]) * (last - first)
        self.text = self.text[:start] + written + self.text[end:]
        self.positions[start:end] = [first] * len(written)
        self.end_of_edit = start + len(written)
        before, self.login = self.login, self._end_of_login()
        if begins or before[1] != self.login[1]:
            self._begin()
        else:
            self.states[start:] = states[:-1] + self._read(self.end_of_edit, states[-1])

    def _report(self, fault: Fault, *, is_first: bool) -> tuple[int, int]:
        """Report a fault, the first of which is reported already; return the place to repair."""
        (start, end), blamed = fault.blamed, fault.span
        is_illegal = fault.code in {"invalid-character", "bad-escape"}
        wrong = wrong_run(self.syntax.profile).match(self.text, start) if is_illegal else None
        if wrong is not None:
            end = wrong.end()  # adjacent characters that are wrong anywhere are one error
        span = first, last = self.positions[start], self.positions[end]
        finding = error_finding(fault)._replace(span=span)
        if end - start > 1 and fault.code == "invalid-character":
            written = escapes(self.text[start:end]) if fault.expected else ""
            message = unsafe_character(fault.place(start, end), fault.part, written)
            hint = finding.hint if fault.part == "host" else message.best_hint(self.syntax)
            finding = finding._replace(message=message.message, hint=hint, expected=message.expected)
        before, (begin, stop) = self._before, self._before.span or (-1, -1)
        is_alike = (fault.code, fault.part, fault.rule) == (before.code, before.part, before.rule)
        if wrong is None and is_alike and stop == first == last - 1:
            if self.findings[-1] is before:
                self.findings[-1] = finding = before._replace(span=(begin, last))
        elif is_first and (self.findings[0].span != blamed or span == blamed):
            finding = self.findings[0]
        elif is_first or (first >= self.end and fault.region != "scheme"):  # one error says that there is no scheme
            known = Hint(finding.hint, *remedies_in(self.findings[0].hint)) if is_first else finding.hint
            finding = finding._replace(hint=known)
            hint = advice(finding, self.whole, self.url_type, self.repair, self.states[fault.at])
            self.findings[len(self.findings) - is_first :] = [finding := finding._replace(hint=hint)]
        self._before = finding
        self.end = max(self.end, last, first + 1)
        return start, end

    def _repair(self, fault: Fault, start: int, end: int) -> _Edit | None:
        """Return the edit for a fault which blames the text from `start` to `end`; None if there is none."""
        text, authority, here = self.text, fault.authority, self.states[fault.at]
        start = min(start, fault.at)  # an address may be blamed for the bracket before it
        if fault.code == "fragment-present":
            self.text, self.positions = text[:start], self.positions[: start + 1]
            self._bridge.cache_clear()
            return _Edit(start, start, "")
        name_end = authority.colon if authority is not None and fault.part == "host" else start
        if start < name_end and not text[start].isascii():  # the hint is about all of it
            self.text = text[:start] + _FOREIGN.sub("a", text[start:name_end]) + text[name_end:]
            self._bridge.cache_clear()
            self._skipped_parts.add("host")
            return _Edit(start, start, "")
        if (address := self._address(fault, start, end)) is not None:
            start, end, _ = address
        elif fault.code != "userinfo-not-allowed" and fault.region != "host":  # where an escape is rarely intended
            is_encoded = self._encoded(start, end if fault.code == "invalid-character" else start + 1)
            if is_encoded is not None:
                return is_encoded
        self._skipped_parts |= {"user", "password"} if fault.region == "login" else {str(fault.part)}
        if fault.code == "userinfo-not-allowed" and authority is not None:
            return _Edit(start, authority.at + 1, "")
        if text[start:end] == "[" and fault.region == "host" and authority is not None:
            end = text.find("]", start, authority.end) + 1 or end  # an address that the rules do not have is one error
        elif not here.expected:
            end = len(text)
        edits = [] if address is None else [address]
        if start == fault.at < fault.index < end and text[start] not in "%/":  # a literal that is no `//` was begun
            edits.append(self._bridged(self.states[fault.index], fault.index, end))
        edits.append(self._bridged(self.states[start], start, end))
        leaves = [self.syntax.automaton.leaves[position] for position in bits(here.expected)]
        is_delimiter = text[start : start + 1] in self.syntax.profile.reserved or (
            leaves and all(leaf.literal for leaf in leaves)
        )
        is_whole_host = fault.region == "host" and end - start > 1
        if start == fault.at < len(text) and is_delimiter and not is_whole_host:
            # A delimiter is kept, and what is missing before it is inserted, if the text then goes on as far. That is
            # no `?`: in a query, most delimiters are data.
            missing = self._bridged(here, start, start)
            edits[:0] = [] if "?" in missing.written else [missing]
        best = max(edits, key=self._progress)
        if fault.region == "part" and here.expected:
            self._report_illegal(fault, best.end)
        return best if best.start < best.end or best.written else None

    def _report_illegal(self, fault: Fault, end: int) -> None:
        """Report the characters before `end` that no URL may hold, which the repair of a fault leaves out."""
        behind = fault.at + self.end - self.positions[fault.at]
        for wrong in wrong_run(self.syntax.profile).finditer(self.text, behind, end):
            place = fault.place(*wrong.span())
            message = bad_escape(place, None) if wrong[0][0] == "%" else unsafe_character(place, None, "")
            code = ILLEGAL_CODES.get(wrong[0][0], "invalid-character")
            about = self.syntax.section_of(str(message.rule)), message.hint, message.expected, message.rule
            self.findings.append(Finding(code, "error", message.message, fault.span, None, *about))
            self.end = fault.span[1]

    def _address(self, fault: Fault, start: int, end: int) -> _Edit | None:
        """Return the edit that writes a name for the address that a fault is in: all of it is one error.

        None if the rules have no brackets there.
        """
        authority, text = fault.authority, self.text
        if fault.region != "host" or authority is None or not text.startswith("[", authority.host):
            return None
        if fault.code == "invalid-character" and fault.blamed[0] == authority.host:  # the bracket
            return None
        bracket = text.find("]", authority.host, authority.end) + 1 or authority.end
        return _Edit(min(start, authority.host), max(end, bracket), "a")

    def _encoded(self, start: int, end: int) -> _Edit | None:
        """Return the edit that encodes the characters from `start` to `end`; None if they cannot stand there so."""
        try:
            written = encoded(octets_of(self.text[start:end]))
        except UnicodeEncodeError:
            return None
        return _Edit(start, end, written) if written and self.states[start].taken(written) else None

    def _bridged(self, state: State, start: int, end: int) -> _Edit:
        """Return the shortest edit from `start`, before which the automaton is in `state`, at least to `end`."""
        return _Edit(start, *self._bridge(state).over(self.text, end))

    def _progress(self, edit: _Edit) -> int:
        """Return how far the text can be read with an edit."""
        count, state = self.states[edit.start].walk(edit.written)
        further = len(self._read(edit.end, state)) - 1 if count == len(edit.written) else 0
        return edit.end + further if further else edit.start


class _NextFault(Fault):
    """The fault at which a reading stopped; what is before it was repaired."""

    def __init__(self, reading: _Reading) -> None:
        self._reading = reading
        original = OriginalText(reading.whole, reading.positions, reading.positions[1:])
        super().__init__(reading.text, reading.syntax, None, original)

    def _walk(self) -> tuple[int, State]:
        return len(self._reading.states) - 1, self._reading.states[-1]

    def _lacks_brackets(self) -> bool:
        if self.authority is None or self.index > self.authority.end or "[" not in self.syntax.profile.reserved:
            return False
        return is_like_ipv6(self._given(self.authority.host, self.authority.end))  # edits may write hex digits

    def _part(self) -> str | None:
        part = super()._part()
        if part == "user" and self.authority is not None and ":" in self._given(self.authority.start, self.at):
            return "password"  # the colon was encoded
        return part

    def _given(self, start: int, end: int) -> str:
        """Return what stands from `start` to `end` in the whole text."""
        positions = self._reading.positions
        return self._reading.whole[positions[start] : positions[end]]

    def _at(self) -> int:
        at = super()._at()
        return at if at >= self._reading.end_of_edit else self.index

    def _hint_of_authority(self, part: str | None) -> str | None:
        authority, text, reading = self.authority, self.text, self._reading
        if part == "host" and authority is not None and not text[self.at].isascii():
            places = range(authority.host, authority.colon)
            if any(text[place] != reading.whole[reading.positions[place]] for place in places):
                return None  # a repair wrote some of the name
        return super()._hint_of_authority(part)

    def state_before(self, index: int) -> State:
        """Return the state before the character `index`."""
        return self._reading.states[index]


class _Bridge:
    """The shortest texts after which the automaton, which is in a state, can take a later character of a text."""

    def __init__(self, state: State, profile: Profile) -> None:
        automaton = self._automaton = state.automaton
        self._before: dict[int, int | None] = dict.fromkeys(bits(state.expected))
        leaves = [automaton.leaves[position] for position in self._before]
        has_sets = any(leaf.literal is None for leaf in leaves)
        words = [str(leaf.literal)[leaf.offset :].strip(profile.reserved) for leaf in leaves]
        self._asks_word = any(words) and not has_sets
        self._goals: dict[str, int | None] = {}  # the positions to reach before characters, and words of the rules
        ahead, seen, known = list(self._before), state.expected, 0
        hidden = -1 if has_sets else 0  # where only delimiters and words are goals: behind a word, too
        for position in ahead:
            leaf, before = automaton.leaves[position], self._before[position]
            is_word = leaf.literal is not None and leaf.literal[leaf.offset].isalnum()
            if is_word and not leaf.offset:
                self._goals.setdefault(str(leaf.literal), before)
            for character in () if is_word else map(chr, bits(leaf.mask & ~known)):
                divides = character in profile.reserved or leaf.literal is not None
                if before is None or divides or not hidden >> position & 1:
                    self._goals[character] = before
            known |= 0 if is_word else leaf.mask
            if leaf.mask == _PERCENT:
                continue  # no octet is made up
            new = automaton.follow[position] & state.within & ~seen
            seen |= new
            hidden |= new if is_word or hidden >> position & 1 else 0
            for after in bits(new):
                self._before[after] = position
                ahead.append(after)
        escape = f"%(?={ESCAPE.pattern[1:]})|" if "%" in self._goals else ""
        end = None if state.ends else next((each for each in ahead if automaton.tree.last >> each & 1), None)
        self._goals |= dict.fromkeys(["", *"#"[profile.has_fragments :]], end)
        self._delimiters = {"#", *profile.reserved} - self._goals.keys()
        goals = sorted(self._goals.keys() - {"%", ""}, reverse=True)  # the longest word first
        self._goal = re.compile("|".join([*map(re.escape, goals), escape + r"\Z"]))
        self._next: tuple[int, int, str] = -1, 0, ""
        """How far from the end of the text the last search began, how far from it the goal found is, and the goal.

        Edits change the text before it only.
        """

    def over(self, text: str, index: int) -> tuple[int, str]:
        """Return the end of what is replaced in `text`, at least `index`, and the text that replaces it.

        Delimiters that can never come next are replaced, too; other characters are errors of their own, unless the
        rules ask for a word.
        """
        size, (first, last, goal) = len(text), self._next
        if not last <= size - index <= first:
            found = self._goal.search(text, index)
            assert found is not None  # at the end at the latest
            last, goal = size - found.start(), found[0]
            self._next = size - index, last, goal
        end = size - last
        if not self._asks_word:
            end = max([index, *(text.rfind(each, index, end) + 1 for each in self._delimiters)])
        return end, self._written(self._goals[goal])

    def _written(self, goal: int | None) -> str:
        """Return the text that leads to a position."""
        written = ""
        while goal is not None:
            mask = self._automaton.leaves[goal].mask
            written = (next((each for each in "a0" if mask >> ord(each) & 1), "") or chr(next(bits(mask)))) + written
            goal = self._before[goal]
        return written
