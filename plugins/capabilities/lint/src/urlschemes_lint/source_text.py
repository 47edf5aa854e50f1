"""The text given to `fix`, and the part of it that is meant as the URL.

Angle brackets, the prefix `URL:` and the white space around a URL are left out, as the Appendix asks; so are white
space between `<URL:` and `>`, and white space around line breaks between `<` and `>`. Other brackets and quotation
marks, which no URL begins with, are left out too, as is the rest of a link in Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from functools import cache
from itertools import compress
from typing import NamedTuple

from urlschemes import URL, InvalidURL, PluginError
from urlschemes.grammar.octets import ESCAPE, encoded, octets_of
from urlschemes.grammar.profile import Profile, authority_of
from urlschemes.grammar.regex_compat import compiled
from urlschemes.redaction import redact
from urlschemes.url.algorithms import algorithms_of
from urlschemes.url.original_text import Rewritten

_SPACE = " \t\r\n\v\f"
_BLANKS = compiled(f"[{_SPACE}]++")
_LINE_BREAK = compiled("\r\n|\r|\n")
_PAIRS = ('""', "''", "``", "()", "[]", "{}", "\u201c\u201d", "\u2018\u2019", "\xab\xbb")
_HYPHEN_AT_LINE_END = compiled("-[ \t\v\f]*+[\r\n]")


@cache
def _around_url(profile: Profile) -> list[re.Pattern[str]]:
    """Return the patterns of a URL between brackets or quotation marks, and last of one after prefixes `URL:`.

    What is left out is `open` and `close`, which is empty after prefixes. A URL between `<` or `<URL:` and `>` may
    itself be in brackets, as in `news:<id@host>`; another may hold some.
    """
    begins = rf"(?=[{_SPACE}]*+{profile.scheme_name.pattern}:)"
    again = rf"URL:[{_SPACE}]*+{begins}"
    opening = rf"(?P<open><[{_SPACE}]*+(?P<prefix>(?:URL:[{_SPACE}]*+(?:{again})*+)?+))"
    closing = rf"(?P<inside>[^<>]*+(?:<[^<>]*+>)?+)(?P<close>>)[{_SPACE}]*+"
    wrappers = [f"{opening}{closing}"]
    for pair in _PAIRS:
        first, last = map(re.escape, pair)
        link = r"(?:\[[^\[\]]*+\])?+" if pair == "()" else ""
        inside = rf"(?:[^{first}{last}]|{first}[^{first}{last}]*+{last})*+" if first != last else f"[^{first}]*+"
        wrappers.append(
            rf"(?P<open>{link}{first}(?P<prefix>)){begins}(?P<inside>{inside})(?P<close>{last})[{_SPACE}]*+"
        )
    wrappers.append(rf"(?P<open>(?P<prefix>(?:{again})++))(?P<inside>(?s:.*+))(?P<close>)")
    return [compiled(f"[{_SPACE}]*+{each}", re.IGNORECASE | re.ASCII) for each in wrappers]


@cache
def wrong_run(profile: Profile) -> re.Pattern[str]:
    """Return the pattern of adjacent characters that no URL may hold, or of percent signs that begin no escape.

    Those of US-ASCII, others, and a `#` are not adjacent.
    """
    fragment = "" if profile.has_fragments else "#|"
    return compiled(rf"(?:(?=[ -~])(?!#){profile.illegal.pattern})++|{fragment}[^ -~]++|(?:(?!{ESCAPE.pattern})%)++")


class Change(NamedTuple):
    """One change made by `fix`: `what` was done, and the `section` that asks for it.

    The text `before` at `position` of the text as given became `after`. `part` is the part of the URL there, None
    outside of all parts. All changes, made from the last to the first, turn the text into the URL.
    """

    what: str
    position: int
    before: str
    after: str
    section: str
    part: str | None = None

    def __repr__(self) -> str:
        if self.part == "password":
            return f"Change({self.what!r}, {self.position}, in the password)"
        return f"Change({self.what!r}, {self.position}, {redact(self.before)!r} -> {redact(self.after)!r})"


class Ambiguous(Exception):
    """The text has several readings; `position` counts in the text as given.

    `readings` are the texts that it may mean; in them, the characters `data` can only be data.
    """

    def __init__(self, message: str, position: int, readings: tuple[str, ...], data: str = "") -> None:
        super().__init__(message)
        self.message, self.position, self.readings, self.data = message, position, readings, data


class SourceText:
    """The text as given (`whole`), and the part of it that is meant as the URL (`text`).

    The characters `data` can only be data in it. `section` is that of the characters of URLs. `changes` are the
    changes made so far, `wrapper` is what was around the URL, or None, and `fragment` the fragment that was split off,
    or None. `positions` has the place of each character of `text`, and of its end. `error` is that of `text` as it was
    read. A repair that fails leaves `text` as it is up to the first error without a repair; `lost` is the place of a
    delimiter which encoding would turn into data.
    """

    is_repaired = False
    fragment: str | None = None
    error: InvalidURL | None = None
    lost: int | None = None

    def __init__(self, whole: str, profile: Profile, data: str = "") -> None:
        self.whole, self.profile, self.data = whole, profile, data
        escape = profile.grammar.rules[profile.rule_names["escape"]]
        self.section = f"{profile.document} section {escape.section}"
        self.changes: list[Change] = []
        around = next(filter(None, (each.fullmatch(whole) for each in _around_url(profile))), None)
        self.wrapper = (around["open"], around["close"]) if around and around["close"] else None
        start, self._end = around.span("inside") if around else (0, len(whole))
        if around:
            removed = "wrapper removed" if self.wrapper else "prefix removed"
            self._leave_out("white space removed", 0, around.start("open"))
            self._leave_out(removed, *around.span("open"))
            self._leave_out(removed, *around.span("close"))
            self._leave_out("white space removed", around.end("close"), len(whole))
        self._leave_out_blanks(start, everywhere=bool(around and around["prefix"] and self.wrapper))
        kept = bytearray(b"\1") * len(whole)
        for each in self.changes:
            kept[each.position : each.position + len(each.before)] = bytes(len(each.before))
        self.positions = [*compress(range(len(whole)), kept)]
        self.text = "".join([whole[place] for place in self.positions])
        self.positions.append(self.positions[-1] + 1 if self.positions else self._end)

    def _leave_out_blanks(self, start: int, *, everywhere: bool) -> None:
        """Leave out white space after `start` that is not part of the URL."""
        for blanks in _BLANKS.finditer(self.whole, start, self._end):
            has_break = self.wrapper and _LINE_BREAK.search(blanks[0]) is not None
            if everywhere or has_break or blanks.start() == start or blanks.end() == self._end:
                self._leave_out("white space removed", *blanks.span())

    def ambiguous(self, what: str, index: int, advice: str, *readings: str, data: str = "") -> Ambiguous:
        """Return the error for `what` at `index` of `text`, which has these readings; one more if it is only `data`."""
        position, run = self.positions[index], data if self.text.startswith(data, index) else self.text[index]
        written = run
        if not data.isalnum() and len(data) < 3:
            with suppress(UnicodeEncodeError):
                written = encoded(octets_of(run))
        texts = (*readings, self.text[:index] + written + self.text[index + len(run) :]) if data else readings
        return Ambiguous(f"ambiguous {what} at position {position}: {advice}", position, texts, data)

    def check_line_breaks(self) -> None:
        """Raise Ambiguous if a line ends within the URL, and the URL can continue in two ways."""
        if self.wrapper is None:
            found = _LINE_BREAK.search(self.text)
            if found is not None and found[0] not in self.data:
                written = encoded(found[0].encode())
                advice = f"leave it out if it divides the URL, or write {written} if it is a control octet"
                joined = _BLANKS.sub(lambda blanks: "" if _LINE_BREAK.search(blanks[0]) else blanks[0], self.text)
                raise self.ambiguous("line break", found.start(), advice, joined, data="\r\n")
            return
        # A fragment that is split off may have any hyphens.
        fragment = -1 if self.profile.has_fragments else self.whole.find("#", self.positions[0], self._end)
        hyphen = _HYPHEN_AT_LINE_END.search(self.whole, self.positions[0], self._end if fragment < 0 else fragment)
        if hyphen is not None:
            index = self.positions.index(hyphen.start())
            without = self.text[:index] + self.text[index + 1 :]
            advice = "leave it out if it only divides a word, or write the URL on one line"
            raise self.ambiguous("hyphen before a line break", index, advice, self.text, without)

    def split_off_fragment(self) -> None:
        """Leave out the first `#` and what follows."""
        self.text, _, self.fragment = self.text.partition("#")
        start = self.positions[len(self.text)]
        self.changes = [change for change in self.changes if not start <= change.position < self._end]
        self._leave_out("fragment split off", start, self._end, self.section)
        del self.positions[len(self.text) + 1 :]

    def read_as(self, pieces: Sequence[str], indexes: Sequence[int]) -> None:
        """Write the text as `pieces`, each made of the character at one of the `indexes`."""
        places = [self.positions[index] for index, piece in zip(indexes, pieces, strict=True) for _ in piece]
        self.text, self.positions = "".join(pieces), [*places, self.positions[-1]]

    def error_in(self, url_type: type[URL]) -> InvalidURL:
        """Return the first error of the text, which counts in the text as given."""
        return InvalidURL(self.whole, Rewritten(url_type, self.text, self.positions))

    def without_brackets(self, *indexes: int) -> SourceText:
        """Return a copy in which the angle brackets at `indexes` of `text` are left out."""
        other = copy(self)
        other.changes, other.positions = [*self.changes], [*self.positions]
        for index in reversed(indexes):
            other.write("angle bracket removed", index, index + 1, "", self.section)
        return other

    def write(self, what: str, start: int, end: int, written: str, section: str) -> None:
        """Write `written` in place of the characters from `start` to `end` of `text`."""
        position = self.positions[start]
        self.changes.append(Change(what, position, self.text[start:end], written, section))
        self.positions[start:end] = [position] * len(written)
        self.text = self.text[:start] + written + self.text[end:]

    def write_name_in_ascii(self) -> None:
        """Write the host in US-ASCII if it is a domain name in other letters, and nothing was left out within it."""
        authority = authority_of(self.text, self.profile)
        if authority is None or self.text[authority.host : authority.colon].isascii():
            return
        first, start = authority.host, self.positions[authority.host]
        end = start + authority.colon - first
        if self.positions[first : authority.colon] != [*range(start, end)]:
            return
        with suppress(InvalidURL, PluginError):
            for place, stop, written in reversed([*algorithms_of(self.profile).name_in_ascii(self.whole, start, end)]):
                if written != self.whole[place:stop]:
                    shift = first - start
                    self.write("name encoded", place + shift, stop + shift, written, "RFC 5891 section 4")

    def _leave_out(self, what: str, start: int, end: int, section: str | None = None) -> None:
        if start < end:
            section = section or algorithms_of(self.profile).delimiting
            self.changes.append(Change(what, start, self.whole[start:end], "", section))
