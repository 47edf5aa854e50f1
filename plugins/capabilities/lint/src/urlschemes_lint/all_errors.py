"""Every error of an invalid URL: what `check` reports beyond the first error.

The first is the error that `parse` raises. Each error is repaired, as far as the automaton says how, and the text is
read again, until it is a URL: then there are warnings about it too. An error at a place where another one was reported
may be due to the repair only, and is not reported.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.grammar.automaton import bits
from urlschemes.grammar.octets import encoded, octets_of
from urlschemes.url.fault_messages import escapes, unsafe_character
from urlschemes.url.fault_place import Fault, first_state
from urlschemes.url.original_text import OriginalText
from urlschemes_lint.findings import error_finding
from urlschemes_lint.source_text import wrong_run
from urlschemes_lint.warning_checks import warnings

if TYPE_CHECKING:
    from urlschemes import URL, InvalidURL
    from urlschemes.grammar.automaton import State
    from urlschemes.grammar.profile import Profile
    from urlschemes_lint.findings import Finding

__all__ = ["all_errors"]

_PERCENT = 1 << ord("%")
_FOREIGN = re.compile("[^\x00-\x7f]")
_MAX_ERRORS = 100
_MAX_READ = 1 << 20
"""Errors that are reported at most, and characters that are read: the text is read again after each error."""


def all_errors(text: str, url_type: type[URL], error: InvalidURL, hint: str | None) -> list[Finding]:
    """Return the errors in `text`, and the warnings about it, which `url_type` refused with `error`.

    `hint` is that about the first error.
    """
    reading = _Reading(text, url_type)
    reading.findings.append(error_finding(error, hint))
    reading.end = error.span[1] if error.span else 0  # a type with its own parser may blame a later place
    reading.read()
    return reading.findings


class _Reading:
    """The text as it is read: repaired step by step, with the findings so far.

    `text` is the repaired text, and `positions[n]` the position of its character n in the text as given.
    """

    def __init__(self, text: str, url_type: type[URL]) -> None:
        self.given = text
        self.url_type = url_type
        self.syntax = url_type.syntax
        self.findings: list[Finding] = []
        self.text = text
        self.positions = list(range(len(text) + 1))
        self.end = 0
        """The end of the errors so far. An error that begins before it may be due to a repair only."""
        self.before: Finding | None = None
        """The error before; an error of the same kind that follows at once is part of it."""
        self.skipped_parts: set[str] = set()
        """Parts that were repaired otherwise than by encoding, about which there are no warnings."""

    def read(self) -> None:
        """Report the errors after the first, and the warnings if all errors are repaired."""
        for count in range(min(_MAX_ERRORS, _MAX_READ // max(len(self.text), 1) + 1)):
            match = self.syntax.fullmatch(self.text)
            if match is not None:
                self.findings += warnings(self.url_type, match, self.positions, frozenset(self.skipped_parts))
                return
            fault = Fault(self.text, self.syntax, None, OriginalText(self.given, self.positions))
            start, end = self._report(fault, is_first=count == 0)
            before = self.text
            self._repair(fault, start, end)
            if self.text == before:
                return

    def _report(self, fault: Fault, *, is_first: bool) -> tuple[int, int]:
        """Report a fault of the repaired text, the first of which is reported already; return the place to repair."""
        start, end = fault.blamed
        is_illegal = fault.code in {"invalid-character", "bad-escape"}
        wrong = wrong_run(self.syntax.profile).match(self.text, start) if is_illegal else None
        if wrong is not None and not is_first:
            end = wrong.end()  # adjacent characters that are wrong anywhere are one error
        first = self.positions[start]
        last = self.positions[end - 1] + 1 if end > start else first
        finding = error_finding(fault)._replace(span=(first, last))
        if end - start > 1 and fault.code == "invalid-character":
            written = escapes(self.text[start:end]) if fault.expected else ""
            message = unsafe_character(fault.place(start, end), fault.part, written)
            hint = finding.hint if fault.part == "host" else message.best_hint(self.syntax)
            finding = finding._replace(message=message.message, hint=hint, expected=message.expected)
        before = self.before
        if before is not None and wrong is None and _are_one(before, finding):
            if self.findings[-1] is before and before.span is not None:  # the first error is as `parse` has it
                self.findings[-1] = finding = before._replace(span=(before.span[0], last))
        elif not is_first and first >= self.end:
            self.findings.append(finding)
        self.before = finding
        self.end = max(self.end, last, first + 1)
        return start, end

    def _repair(self, fault: Fault, start: int, end: int) -> None:
        """Repair a fault which blames the text from `start` to `end`."""
        text, authority, here = self.text, fault.authority, fault.state_before(fault.at)
        profile = self.syntax.profile
        if fault.code == "fragment-present":
            self.text, self.positions = text[:start], self.positions[: start + 1]
            return
        name = text[start : authority.colon] if authority is not None and fault.part == "host" else ""
        if _FOREIGN.match(name):  # the hint is about all of it
            self.text = text[:start] + _FOREIGN.sub("a", name) + text[start + len(name) :]
            self.skipped_parts.add("host")
            return
        is_encoded, repairs = False, []
        address = _address_in_brackets(fault, end)
        if address is not None:
            start, end = address
            repairs.append((start, end, "a"))  # a name
        elif fault.code != "userinfo-not-allowed":
            is_encoded = self._encode(fault, start, end if fault.code == "invalid-character" else start + 1)
        if not is_encoded or fault.region == "host":  # where an escape is rarely intended
            self.skipped_parts |= {"user", "password"} if fault.region == "login" else {str(fault.part)}
        if authority is not None and start <= authority.colon < end == authority.end:
            self.skipped_parts.add("port")
        if is_encoded:
            return
        if fault.code == "userinfo-not-allowed" and authority is not None:
            self._replace(start, authority.at + 1, "")
            return
        counted = fault.counted
        if counted is not None:
            held = self.syntax.automaton.characters(counted.inside)
            while text[end : end + 1].isascii() and end < len(text) and held >> ord(text[end]) & 1:
                end += 1
        elif text[start:end] == "[" and fault.region == "host" and authority is not None:
            end = text.find("]", start, authority.end) + 1 or end  # an address that the rules do not have is one error
        elif not here.expected:
            end = len(text)
        repairs = [*repairs, _bridged(profile, fault.state_before(start), text, start, end)]
        leaves = [self.syntax.automaton.leaves[position] for position in bits(here.expected)]
        is_delimiter = text[start : start + 1] in profile.reserved or (leaves and all(leaf.literal for leaf in leaves))
        is_whole_host = fault.region == "host" and end - start > 1
        if start == fault.at < len(text) and is_delimiter and not is_whole_host:
            # A delimiter is kept, and what is missing before it is inserted, if the text then goes on as far.
            repairs.insert(0, _bridged(profile, here, text, start, start))
        self._replace(*max(repairs, key=lambda repair: self._progress(*repair)))

    def _encode(self, fault: Fault, start: int, end: int) -> bool:
        """Encode the characters from `start` to `end`; return False if they cannot stand there encoded."""
        try:
            written = encoded(octets_of(self.text[start:end]))
        except UnicodeEncodeError:
            return False
        if start == len(self.text) or not fault.state_before(start).taken(written):
            return False
        self._replace(start, end, written)
        return True

    def _progress(self, start: int, end: int, written: str) -> int:
        """Return how far the text can be read if it is replaced from `start` to `end`: an index in `text`."""
        text = self.text[:start] + written + self.text[end:]
        further = first_state(self.syntax, text).walk(text)[0] - start - len(written)
        return end + further if further > 0 else start

    def _replace(self, start: int, end: int, written: str) -> None:
        """Replace the text from `start` to `end`."""
        self.text = self.text[:start] + written + self.text[end:]
        self.positions[start:end] = [self.positions[start]] * len(written)


def _address_in_brackets(fault: Fault, end: int) -> tuple[int, int] | None:
    """Return the place of the address that a fault which ends at `end` is in: all of it is one error.

    None if the rules have no brackets there.
    """
    authority, text = fault.authority, fault.text
    if fault.region != "host" or authority is None or not text.startswith("[", authority.host):
        return None
    if fault.code == "invalid-character" and fault.blamed[0] == authority.host:
        return None
    return authority.host, max(end, text.find("]", authority.host, authority.end) + 1 or authority.end)


def _are_one(before: Finding, after: Finding) -> bool:
    """Return True if two errors are of one kind, and the second is the character after the first."""
    (_, end), (start, last) = before.span or (0, 0), after.span or (0, 0)
    kinds = [(each.code, each.part, each.rule) for each in (before, after)]
    return end == start == last - 1 and kinds[0] == kinds[1]


def _bridged(profile: Profile, state: State, text: str, start: int, end: int) -> tuple[int, int, str]:
    """Return what to replace in `text` from `start`, before which the automaton is in `state`, at least to `end`.

    It becomes the shortest text after which the next character is allowed. Delimiters that are never allowed there are
    replaced too.
    """
    automaton = state.automaton
    before: dict[int, int | None] = dict.fromkeys(bits(state.expected))
    has_sets = any(automaton.leaves[position].literal is None for position in before)
    ahead, seen = list(before), state.expected
    for position in ahead:
        if automaton.leaves[position].mask == _PERCENT:
            continue  # no octet is made up
        new = automaton.follow[position] & state.within & ~seen
        seen |= new
        for after in bits(new):
            before[after] = position
            ahead.append(after)
    goal = None if state.ends else next((each for each in ahead if automaton.tree.last >> each & 1), None)
    index = end
    nearest: dict[str, int | None] = {}
    while index < len(text) and (text[index] != "#" or profile.has_fragments):
        wrong, code = wrong_run(profile).match(text, index), ord(text[index])
        if text[index] not in nearest:
            places = (each for each in ahead if automaton.leaves[each].mask >> code & 1)
            nearest[text[index]] = next(places, None)
        at = nearest[text[index]]
        divides = text[index] in profile.reserved or (at is not None and automaton.leaves[at].literal is not None)
        if wrong is not None:  # an error of its own
            index = wrong.end()
        elif at is not None and (before[at] is None or not has_sets or divides):
            goal = before[at]
            break
        elif divides:
            index = end = index + 1
        else:  # an error of its own
            index += 1
    written = ""
    while goal is not None:
        mask = automaton.leaves[goal].mask
        written = (next((each for each in "a0" if mask >> ord(each) & 1), "") or chr(next(bits(mask)))) + written
        goal = before[goal]
    return start, end, written
