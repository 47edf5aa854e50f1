"""Every error of an invalid URL: what `check` reports beyond the first error.

First come the characters and escapes that are wrong anywhere; then user, host and port; then the rules of the scheme
(in `rule_errors`). After each error the text is read on as if it were corrected there, so that the errors
after it are found, and what section 6 warns of. No character belongs to two errors, and one of them is the error that
`parse` raises, with the same message. Each step passes through the text once, or a fixed number of times.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import ILLEGAL
from urlschemes.grammar.regex_compat import compiled
from urlschemes.url.fault_messages import (
    FaultMessage,
    FaultPlace,
    OriginalText,
    bad_escape,
    escapes,
    fragment,
    unsafe_character,
)
from urlschemes.url.fault_place import authority_of, first_state
from urlschemes_lint.advice import advice
from urlschemes_lint.findings import error_finding, new_finding
from urlschemes_lint.part_places import part_at, places
from urlschemes_lint.rule_errors import RuleErrors
from urlschemes_lint.source_text import ReplacedText
from urlschemes_lint.warning_checks import warnings

if TYPE_CHECKING:
    from urlschemes import URL, InvalidURL
    from urlschemes.url.fault_place import Authority
    from urlschemes_lint.findings import Finding

__all__ = ["Reading", "all_errors"]

# Adjacent characters that no URL may contain: of US-ASCII, or others; or adjacent percent signs that begin no escape.
_WRONG_ANYWHERE = compiled(rf"(?:(?=[ -~]){ILLEGAL.pattern})++|[^ -~]++|(?:%(?![0-9A-Fa-f]{{2}}))++")
_BRACKETED_HOST = compiled(r"[^:]*+://(?:[^/]*@)?+(\[[^\]/?#]*+\]?+)")
# The end of a host without a `/` after it: the reserved characters that separate no login, host and port.
_ENDS_HOST = compiled("[?;&=]")

_MAX_AUTHORITY_ERRORS = 16
"""Errors in user, host and port that are reported one by one; the rest of the host is then one error."""


def all_errors(text: str, url_type: type[URL], error: InvalidURL) -> list[Finding]:
    """Return the errors in `text`, and the warnings about it, which `url_type` refused with `error`."""
    reading = Reading(text, url_type, error)
    reading.read()
    return reading.findings


class Reading:
    """The text as it is read: corrected step by step, with the findings so far.

    `text` is the corrected text, and `positions[n]` the position of its character n in the text as given. `wrong_runs`
    are the characters that are wrong anywhere, by their first and their last position plus one; in `text` each of them
    is an `x`, and `is_wrong` is 1 at their positions.
    """

    def __init__(self, text: str, url_type: type[URL], error: InvalidURL) -> None:
        self.given = text
        self.url_type = url_type
        self.syntax = url_type.syntax
        self.first_error = error
        self.findings: list[Finding] = []
        self.reported: set[int] = set()
        """The positions at which an error was reported."""
        self.skipped_parts: set[str] = set()
        """Parts with errors, about which there are no warnings."""
        self.encodable: dict[int, bool] = {}
        """For the first characters of wrong runs: True if they are allowed when encoded."""
        self.parts: dict[int, str] = {}
        """The parts of wrong characters that are no longer in `text`."""
        host = self.syntax.parts.get("host")
        held = "" if host is None else "".join(map(chr, sorted(host.bare)))
        self.filler = "x" if "x" in held else held[:1]
        """A character that is put into a host in place of a wrong one."""
        self.not_in_host = compiled(rf"(?:%[0-9A-Fa-f]{{2}})++|[^{re.escape(held)}%]++|%")
        self.end = text.find("#") if "#" in text else len(text)
        self.wrong_runs = self._find_wrong_runs()
        pieces, before = [], 0
        for start, end in sorted(self.wrong_runs.items()):
            pieces += [text[before:start], "x" * (end - start)]
            before = end
        self.text = "".join([*pieces, text[before : self.end]])
        self.positions = list(range(self.end + 1))
        self.is_wrong = bytearray(len(text) + 1)
        for start, end in self.wrong_runs.items():
            self.is_wrong[start:end] = b"\x01" * (end - start)

    def _find_wrong_runs(self) -> dict[int, int]:
        runs = dict(run.span() for run in _WRONG_ANYWHERE.finditer(self.given, 0, self.end))
        bracketed = _BRACKETED_HOST.match(self.given, 0, self.end) if "host" in self.syntax.parts else None
        if bracketed is not None:  # an IPv6 address is one error
            start, end = bracketed.span(1)
            runs = {first: last for first, last in runs.items() if not start <= first < end} | {start: end}
        return runs

    def read(self) -> None:
        """Find all errors and warnings."""
        part_places: list[tuple[int, int, str]] = []
        self._note_wrong_in_authority()
        if self._read_authority():
            corrected = RuleErrors(self).corrected()
            match = self.syntax.fullmatch(corrected)
            if match is not None:
                part_places = places(self.syntax, match)
                self.findings += warnings(self.url_type, match, self.positions, frozenset(self.skipped_parts))
        by_position = {position: index for index, position in reversed(list(enumerate(self.positions)))}

        def part(position: int) -> str | None:
            index = by_position.get(position)
            return self.parts.get(position) or (None if index is None else part_at(part_places, index))

        self.findings += [self._wrong_run_finding(start, end, part(start)) for start, end in self.wrong_runs.items()]
        if self.end < len(self.given):
            self.findings.append(self._fragment_finding(part(self.end - 1)))
        self._align_with_parse()

    def _align_with_parse(self) -> None:
        """Give the finding at the position of the error that `parse` raises the same message."""
        error, position = self.first_error, self.first_error.position
        if position is None:
            self.findings.append(error_finding(error, len(self.given)))
            return
        hint = advice(error, self.syntax)
        candidates = [
            (each.code != error.code, each.span[1] == position, each.span[1] - each.span[0], index)
            for index, each in enumerate(self.findings)
            if each.severity == "error" and each.span is not None and each.span[0] <= position <= each.span[1]
        ]
        if not candidates:
            # The automaton does not see it: for example a number with too many digits.
            self.findings.append(error_finding(error, len(self.given), position=position, hint=hint))
            return
        index = min(candidates)[-1]
        start, end = self.findings[index].span or (position, position)
        self.findings[index] = error_finding(error, len(self.given), position=start, end=end, hint=hint)

    # Characters and escapes (section 2.2)

    def _wrong_run_finding(self, start: int, end: int, part: str | None) -> Finding:
        place = FaultPlace(self.syntax, self.given[start:end], start, self.syntax.automaton.start)
        if place.run[0] == "%":
            return self.new_finding("bad-escape", bad_escape(place, part), start, end)
        encoded_run = self._encoded_run(start, end)
        return self.new_finding("invalid-character", unsafe_character(place, part, encoded_run), start, end)

    def _encoded_run(self, start: int, end: int) -> str | None:
        """Return the wrong characters encoded, "" if that is not allowed there, None if it is unknown."""
        if start not in self.encodable:
            return None
        return escapes(self.given[start:end]) if self.encodable[start] else ""

    def _fragment_finding(self, part: str | None) -> Finding:
        place = FaultPlace(self.syntax, "#", self.end, self.syntax.automaton.start)
        return self.new_finding("fragment-present", fragment(place, part, None), self.end, self.end + 1)

    def new_finding(self, code: str, fault: FaultMessage, start: int, end: int) -> Finding:
        """Return the finding for an error of the text as given from `start` to `end`."""
        return new_finding(
            code,
            fault.message,
            span=(start, end),
            part=fault.part,
            section=self.syntax.section_of(fault.rule or self.syntax.rule),
            hint=fault.best_hint(self.syntax),
            expected=fault.expected,
            rule=fault.rule or self.syntax.rule,
        )

    # User, host and port (section 3.1)

    def _note_wrong_in_authority(self) -> None:
        """Note which wrong characters are in the host or the port, which have no escapes."""
        authority = authority_of(self.text) if "host" in self.syntax.parts else None
        if authority is None:
            return
        ends = _ENDS_HOST.search(self.text, authority.host + 1, authority.end)
        end_of_host = None if ends is None else ends.start()
        for part, start, end in (
            ("host", authority.host, authority.colon),
            ("port", authority.colon, authority.end),
        ):
            for run in self.wrong_runs:
                if start <= run < end and (end_of_host is None or run < end_of_host):
                    self.parts[run] = part if part in self.syntax.parts else "host"
                    self.encodable[run] = False
                    self.skipped_parts.add(part)

    def _read_authority(self) -> bool:
        """Report and correct the errors in scheme, user, host and port; return False if the rest cannot be read."""
        text = self.text
        for count in range(_MAX_AUTHORITY_ERRORS + 1):
            if self.syntax.fullmatch(text):
                return True
            error = self.error_of(text)
            if error.code == "invalid-part":
                return True
            authority = authority_of(self.text)
            if authority is None or error.code in {"invalid-scheme", "missing-authority"}:
                self.report(error)
                return False
            if count == _MAX_AUTHORITY_ERRORS:
                self.report(error, error.position, authority.colon)
                self._replace(authority.host, authority.colon, self.filler * (authority.colon - authority.host))
                self._replace(authority.colon, authority.end, "")
            elif error.code in {"invalid-userinfo", "userinfo-not-allowed"}:
                self.report(error)
                self._correct_login(error, authority.start, authority.at)
            elif error.code == "invalid-port":
                self._correct_port(error, authority)
            else:
                self._correct_host(error, authority)
            # The text after the authority was read already, and has no influence on the errors in the authority.
            authority = authority_of(self.text)
            text = self.text if authority is None else self.text[: authority.end + 1]
        return True

    def error_of(self, text: str) -> InvalidURL:
        """Return the error of `text`, the beginning of the corrected text; its message is about the text as given."""
        return ReplacedText(self.syntax, None, OriginalText(self.given, [*self.positions])).refused(text)

    def _correct_login(self, error: InvalidURL, start: int, end: int) -> None:
        if error.code == "userinfo-not-allowed":
            self._replace(start, end + 1, "")
            return
        user, colon, password = self.text[start:end].partition(":")
        for part, text, first in (("user", user, start), ("password", password, end - len(password))):
            if colon or part == "user":
                self.skipped_parts.add(part)
                self._replace(first, first + len(text), re.sub("[:@]", "x", text))

    def _correct_port(self, error: InvalidURL, authority: Authority) -> None:
        """Report the port, and leave it out with its colon."""
        self.skipped_parts.add("port")
        start, end = authority.colon, authority.end
        index = error.position or start
        end_of_host = _ENDS_HOST.search(self.text, start, end)
        after = end if end_of_host is None or not self._goes_on(authority, end_of_host[0]) else end_of_host.start()
        if end_of_host is None or after < end:
            self.report(error, index, index + 1)
            self._replace(after, after, "/" if after < end else "")
        else:
            self.report(error, index, end)
            self.absorb(self.positions[index], self.positions[end - 1] + 1)
        self._replace(start, after, "")

    def _correct_host(self, error: InvalidURL, authority: Authority) -> None:
        """Report and correct one error of the host."""
        self.skipped_parts.add("host")
        start, end = authority.host, authority.colon
        index = end if error.position is None else error.position
        character = self.text[index:end][:1]
        is_port = index == end < authority.end and "port" not in self.syntax.parts
        if is_port and not self.text[start:end].endswith("."):
            self.report(error, index, index + 1)
            self._replace(end, authority.end, "")
        elif start == end:
            self.report(error, start, start + 1)
            self._replace(start, end, self.filler)
        elif _ENDS_HOST.match(character) and index > start:
            if self._goes_on(authority, character):
                self.report(error, index, index + 1)
                self._replace(index, index, "/")
            else:
                self.report(error, index, authority.end)
                self.absorb(self.positions[index], self.positions[authority.end - 1] + 1)
                self._replace(index, authority.end, "")
        else:
            first, last = self._wrong_in_host(start, end, index)
            if not any(self.is_wrong[self.positions[each]] for each in range(first, last)):
                self.report(error, first, last)
            # A final dot is left out: a letter instead of it would be another label.
            is_final_dot = self.text[first:last] == "." and last == end
            self._replace(first, last, "" if is_final_dot else self.filler * (last - first))

    def _wrong_in_host(self, start: int, end: int, index: int) -> tuple[int, int]:
        """Return the characters to correct for an error at `index` of the host from `start` to `end`."""
        text = self.text
        foreign = self.not_in_host.match(text, index, end)
        if foreign is not None:
            return foreign.span()
        if text[index:end].startswith("-"):
            return index, index + 1
        if index > start and (text[index - 1] == "-" or (text[index - 1] == "." and index == end)):
            return index - 1, index  # the end of a label, or of the host
        if text[index:end].startswith("."):
            return index, index + 1
        host = text[start:end]
        if host.replace(".", "").isdigit():
            return start, end
        start += host.rfind(".") + 1
        stops = (
            each for each in range(start + 1, end) if self._is_reported(each) or self.is_wrong[self.positions[each]]
        )
        return start, next(stops, end)

    def _is_reported(self, index: int) -> bool:
        return self.positions[index] in self.reported

    def absorb(self, start: int, end: int) -> None:
        """Report no error of their own for wrong characters from `start` to `end` of the text as given."""
        for position in range(start, end):
            self.wrong_runs.pop(position, None)

    def _goes_on(self, authority: Authority, character: str) -> bool:
        """Return True if `character` is allowed after the `/` that follows the host."""
        text = f"{self.text[: authority.host]}{self.filler}/{character}"
        return bool(first_state(self.syntax, text).taken(text))

    def _replace(self, start: int, end: int, text: str) -> None:
        """Replace the corrected text from `start` to `end`: by as many characters, or by none; or insert some."""
        self.text = self.text[:start] + text + self.text[end:]
        same_length = len(text) == end - start
        self.positions[start:end] = self.positions[start:end] if same_length else [self.positions[start]] * len(text)

    def report(self, error: InvalidURL, start: int | None = None, end: int | None = None) -> None:
        """Report an error of the corrected text from `start` to `end`, unless the text as given has another one there.

        Without `start` and `end` it is about one character.
        """
        if error.position is None:
            self.findings.append(error_finding(error, len(self.given)))
            return
        start = error.position if start is None else start
        position, last = self.positions[min(start, len(self.text))], len(self.text)
        if self.is_wrong[position]:
            return
        if end is None:
            after = position + 1
        else:
            after = self.positions[end - 1] + 1 if start < end <= last else self.positions[min(end, last)]
        self.findings.append(error_finding(error, self.end, position=position, end=after))
        self.reported.add(position)
