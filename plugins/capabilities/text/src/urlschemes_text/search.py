"""URLs in context (the Appendix): `find` takes them out of running text, `wrap` writes them so that they are found.

Within `<URL:...>` a URL is delimited: the brackets say where it begins and ends, and white space in it is ignored.
Anywhere else it is bare, and its end has to be guessed. The guess never leaves off what was written as a part of it:
where that is no URL of its scheme, there is none.

The text is read through a window that moves on, in time linear in its length. How it comes in pieces changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, product
from typing import TYPE_CHECKING, Literal, overload
from unicodedata import category

from urlschemes import default_registry
from urlschemes.errors import Explanation, InvalidURL, UnknownScheme
from urlschemes.grammar.octets import SCHEME
from urlschemes.grammar.regex_compat import compiled
from urlschemes.scheme.scheme import lower_case
from urlschemes.url.fault_kind import fault_of, unfit
from urlschemes.url.value import LIMIT, URL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from urlschemes.errors import URLError
    from urlschemes.registry.registry import Registry

    Grade: TypeAlias = Literal["delimited", "bare"]
    Span: TypeAlias = tuple[int, int]

__all__ = ["Broken", "Found", "Passage", "find", "wrap"]

_CHUNK = 64 * 1024
_NAME = 128
"""Characters before a colon that are looked at to find a name, which has 64 at most, and what touches it."""
_BEHIND = _NAME + 8
"""Characters before a colon that the window keeps: a name, and the prefix, bracket or quotation mark before it."""

# What may touch a name in running text and be no part of it: a full stop, the number of an item, a plus sign.
_LEAD = compiled(r"(?:[0-9]*+[+.\-]++)*+")
# What makes one longer thing of a name and the word before it: `local_file:` is not `file:`, nor is `a/http:` a URL.
_JOINING = "_$/@&#+-."
_IN_WORDS = frozenset({"Lu", "Ll", "Lt", "Nd", "Cs"})
"""Categories of characters that a name goes on from: letters that have cases, digits, octets that are no text."""
_UNSEEN = frozenset({"Mn", "Mc", "Me", "Cf"})
"""Categories of characters that lie upon another one, or are not seen."""
_PREFIX = compiled(r"[^A-Za-z0-9+.\-]?+(?P<prefix>URL:)\Z", re.IGNORECASE)

_BREAKS = r"\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
_BREAK = compiled(f"[{_BREAKS}]")
_HYPHEN = compiled(rf"-(?:(?![{_BREAKS}])\s)*+[{_BREAKS}]\s*+")
_BLANK = compiled(rf"(?<!\s)(?:(?![{_BREAKS}])\s)++(?!\s)")
_WITHIN = compiled("[^<>]*+")
# What brackets within brackets hold that are no wrapper themselves.
_INNER = compiled(r"[^<>:\s]*+")

# In the text of a page of HTML, the references to `<`, `>`, `"` and the no-break space: what ends a bare URL. One to an
# apostrophe does where no letter or digit follows.
_REFERENCE = (
    "(?:lt|gt|quot|nbsp|LT|GT|QUOT|#0{0,4}+(?:34|60|62|160)|#[xX]0{0,4}+(?:22|3[CcEe]|[Aa]0)"
    "|(?:apos|#0{0,4}+39|#[xX]0{0,4}+27)(?!;[A-Za-z0-9]));"
)
_LONGEST_REFERENCE = 12
# A bare URL consists of these; of what needs a closer look; and of letters and symbols outside of US-ASCII. The
# characters that are no part of a URL, but are written in what is meant as one, are among them: `~`, `[`, `\`.
_CHARACTERS = r"[A-Za-z0-9$\-_.+/?:@=%~\\^]*+"
_PLAIN = compiled(f"{_CHARACTERS}(?:&(?!{_REFERENCE}){_CHARACTERS})*+")
_SPECIAL = frozenset("!'*,;()[]{}#")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_SEPARATING = frozenset("!'*,;(")
_TRAILING = ".,;:!?([{\\"

# What `wrap` leaves in one piece: an escape; hyphens with what follows them; the last character with its bracket.
_PIECE = compiled("-*+(?:%[0-9A-Fa-f]{2}|[^->])>?|-*+>")
_FRAGMENT = compiled(r"[^\s<>]*+")

HYPHENS = 8
"""How many hyphens before line breaks `readings` keeps or leaves out in every combination."""
READINGS = 2**HYPHENS
"""How many readings of a passage are tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A passage of a text.

    `span` is where it stands, with its wrapper or prefix, and `inside` where the URL with its fragment stands: offsets
    in the whole text, in characters from 0. `line` and `column` are where it begins, from 1; a line ends with a line
    feed. `text` is the passage as it stands there. `grade` is "delimited" where brackets are around it, else "bare".
    """

    span: Span
    inside: Span
    line: int
    column: int
    grade: Grade
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Passage):
    """A URL in a text, and its fragment (None where there is none, which is not the same as an empty one).

    `url` is of its scheme's type; between brackets, and of a scheme that nobody registered, the generic URL.

    `uncertain` says that the text can be read in another way: a hyphen stands before a line break, and may have been
    put there by whoever broke the line; or the closing bracket is the first on its line, where mail programs put one
    to mark what they quote.
    """

    url: URL
    fragment: str | None
    uncertain: bool

    def readings(self) -> Iterator[Found]:
        """The readings that are URLs, this one first: with each hyphen before a line break kept, or left out.

        Of more than 8 hyphens: with all of them, without any, and without one of them, 256 readings at most.
        """
        end = len(self.text) - (self.grade == "delimited")  # a hyphen may be the last thing within the brackets
        first, *others = _HYPHEN.split(self.text[self.inside[0] - self.span[0] : end])
        for kept in _kept(len(others)):
            pieces = ("-" * keep + piece for keep, piece in zip(kept, others, strict=True))
            text, mark, fragment = _joined(first + "".join(pieces)).partition("#")
            try:
                url = type(self.url).parse(text, limit=len(text))
            except InvalidURL:
                continue
            yield replace(self, url=url, fragment=fragment if mark else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken(Passage):
    """A passage that should be a URL and is none: `error` says why, of its text without the white space."""

    error: URLError = field(compare=False)


@overload
def find(
    text: str | Iterable[str], *, registry: Registry | None = None, invalid: Literal[False] = False, limit: int = LIMIT
) -> Iterator[Found]: ...
@overload
def find(
    text: str | Iterable[str], *, registry: Registry | None = None, invalid: bool, limit: int = LIMIT
) -> Iterator[Found | Broken]: ...
def find(
    text: str | Iterable[str], *, registry: Registry | None = None, invalid: bool = False, limit: int = LIMIT
) -> Iterator[Found] | Iterator[Found | Broken]:
    """The URLs in `text`, in its order: each a Found. With `invalid`, also what should be one and is none: a Broken.

    `text` may be a text, pieces of one, or a text file, which is read as far as is needed: no more of it is held than
    a few times `limit` and the longest piece. A URL longer than `limit` is given up.

    Delimited are `<URL:...>`, and `<...>` around a URL of a scheme that is registered. Bare URLs are of registered
    schemes only: those of `registry` (the default one) when `find` is called.

    Raises InvalidURL for what is no text, PluginError where the plugin of a scheme is at fault.
    """
    passages = _Window(_pieces(text), default_registry if registry is None else registry, limit).passages()
    return passages if invalid else (passage for passage in passages if isinstance(passage, Found))


def _kept(count: int) -> Iterator[tuple[bool, ...]]:
    """Which of `count` hyphens are kept, in one reading after the other."""
    if count <= HYPHENS:
        return product((True, False), repeat=count)
    one = (tuple(index != out for index in range(count)) for out in range(min(count, READINGS - 2)))
    return chain(((True,) * count, (False,) * count), one)


def wrap(url: URL, *, fragment: str | None = None, width: int | None = None) -> str:
    """`url` as the Appendix recommends to write it in a text: `<URL:...>`, its fragment within the brackets.

    With a `width`, lines are broken where they would be longer; they stay longer where nothing may be broken: after a
    hyphen, within an escape, before the closing bracket. `find` gives the URL back, and is certain of it.

    Raises InvalidURL for what is no URL object, and for a fragment that is no text, or has white space or brackets,
    which could not be read again.
    """
    fault = _unwritable(url, fragment)
    if fault is not None:
        raise fault
    text = str(url) if fragment is None else f"{url}#{fragment}"
    if width is None:
        return f"<URL:{text}>"
    lines, line = [], "<URL:"
    for piece in _PIECE.findall(text + ">"):
        if len(line) + len(piece) > width and line != "<URL:":
            lines.append(line)
            line = ""
        line += piece
    return "\n".join([*lines, line])


def _unwritable(url: object, fragment: object) -> InvalidURL | None:
    """Why `url` cannot be wrapped with `fragment`, if it cannot."""
    if not isinstance(url, URL):
        kind = type(url).__name__
        return InvalidURL(
            f"<{kind}>", Explanation(f"a URL is wrapped, not {kind}", hint="`parse` makes a URL of a text")
        )
    if fragment is None:
        return None
    if not isinstance(fragment, str):
        kind = type(fragment).__name__
        return fault_of("fragment", f"<{kind}>", f"a fragment is text (str), not {kind}")
    if _FRAGMENT.fullmatch(fragment) is None:
        message = "a fragment in a text holds no white space and no `<` or `>`"
        return fault_of("fragment", fragment, message, section="RFC 1738 Appendix")
    return None


def _pieces(text: object) -> Iterator[object]:
    if isinstance(text, str):
        return iter((text,))
    read = getattr(text, "read", None)
    if callable(read):
        return iter(partial(read, _CHUNK), "")
    if isinstance(text, Iterable) and not isinstance(text, bytes | bytearray):
        return iter(text)
    raise _no_text(text)


def _no_text(thing: object) -> InvalidURL:
    fault = unfit(thing, LIMIT)
    assert fault is not None
    return fault


class _Unfinished(Exception):
    """What is looked at goes on behind the end of the window."""


class _Window:
    """The piece of the text that is looked at, and where: the passages of the text, one after the other.

    Nothing is decided by where the window ends: what touches its end is looked at again when there is more of it.
    """

    def __init__(self, pieces: Iterator[object], registry: Registry, limit: int) -> None:
        self.pieces = pieces
        self.registry = registry
        self.limit = max(limit, 0)
        self.names = frozenset(registry)
        self.text = ""
        self.offset = 0
        """Where the window begins in the whole text."""
        self.complete = False
        self.next = 0
        """Where to go on looking for a colon."""
        self.done = 0
        """Where the last passage ended."""
        self.line = 1
        self.line_start = 0
        self.counted = 0

    def passages(self) -> Iterator[Found | Broken]:
        while True:
            colon = self.text.find(":", self.next)
            if colon < 0:
                if self.complete:
                    return
                self.next = len(self.text)
                self.move(self.next)
                continue
            try:
                passage = self.around(colon)
            except _Unfinished:
                self.move(colon)
                continue
            if passage is None:
                self.next = max(self.next, colon + 1)
            else:
                self.next = max(self.done, colon + 1)
                yield passage

    def move(self, to: int) -> None:
        """Drop what a passage around the index `to` does not need, and read as much again as stands behind it.

        So a passage that comes in many small pieces is looked at a few times only.
        """
        more: list[str] = []
        wanted = max(1, len(self.text) - to)
        for piece in self.pieces:
            if not isinstance(piece, str):
                raise _no_text(piece)
            more.append(piece)
            wanted -= len(piece)
            if wanted <= 0:
                break
        else:
            self.complete = True
        dropped = max(0, to - _BEHIND)
        self.count(dropped)
        self.text = self.text[dropped:] + "".join(more)
        self.offset += dropped
        self.next -= dropped
        self.done -= dropped
        self.counted -= dropped

    def count(self, index: int) -> None:
        """Count the lines before `index`."""
        lines = self.text.count("\n", self.counted, index)
        if lines:
            self.line += lines
            self.line_start = self.offset + self.text.rindex("\n", self.counted, index) + 1
        self.counted = max(self.counted, index)

    def around(self, colon: int) -> Found | Broken | None:
        """The passage whose scheme's name, or prefix, ends before `colon`."""
        text = self.text
        behind = text[max(0, colon - _NAME) : colon]
        run = behind[len(behind.rstrip(SCHEME)) :]
        if not run:
            return None
        start = colon - len(run)
        opened = start > self.done and text[start - 1] == "<"
        if opened and run.lower() == "url":
            return self.delimited(start - 1, colon + 1)
        name = run
        if run.lower() not in self.names:
            name = run[_LEAD.match(run).end() :]  # type: ignore[union-attr]  # it matches the empty text too
        if name.lower() not in self.names or _goes_on(behind[: -len(run)], more=colon > _NAME):
            self.pass_over(colon)
            return None
        if name != run:
            start, opened = colon - len(name), False
        if start < self.done:
            return None
        return (self.delimited(start - 1, start) if opened else None) or self.bare(start, colon + 1)

    def pass_over(self, colon: int) -> None:
        """Go on behind the URL of a scheme that nobody registered: a URL within it is a part of it."""
        if len(self.text) < colon + 3 and not self.complete:
            raise _Unfinished
        if self.text.startswith("//", colon + 1):
            self.next = self.run(_PLAIN, colon + 3, colon + 3 + self.limit)

    def delimited(self, start: int, inside: int) -> Found | Broken | None:
        """The passage from the bracket at `start` to the closing one; None where there is none before another opens.

        Brackets that touch what stands before them, as in `<URL:news:<1@host.dom>>`, are within: that is no URL.
        Without the prefix `URL:`, white space is ignored only around line breaks: else it may be a passage of prose.
        """
        text = self.text
        most = inside + 2 * self.limit  # as much white space as URL
        end = self.run(_WITHIN, inside, most + 1)
        while end <= most and text[end : end + 1] == "<" and not text[end - 1].isspace():
            end = self.run(_INNER, end + 1, most + 1)
            if text[end : end + 1] != ">":
                return None
            end = self.run(_WITHIN, end + 1, most + 1)
        if end > most or text[end : end + 1] != ">":
            return None
        content = text[inside:end]
        if inside == start + 1 and _BLANK.search(content):
            return None
        after = len(content.rstrip())
        uncertain = _BREAK.search(content, after) is not None or _HYPHEN.search(content) is not None
        before = min(len(content) - len(content.lstrip()), after)
        return self.passage((start, end + 1), (inside + before, inside + after), "delimited", uncertain=uncertain)

    def bare(self, start: int, after: int) -> Found | Broken | None:
        """The passage of the URL that begins at `start`, and has its colon before `after`."""
        text = self.text
        prefix = _PREFIX.match(text, max(start - 5, self.done, 0), start)
        outer = start if prefix is None else prefix.start("prefix")
        before = text[outer - 1 : outer]
        end = self.end(start, after, quoted=before == "'")
        if end > start + self.limit:
            end = start + self.limit
            return self.passage((outer, end), (start, end), "bare", fault=unfit(text[start : end + 1], self.limit))
        if end == after and text[end : end + 1] == "<":
            # `mailto:<joe@host.dom>`, `news:<1@host.dom>`: what mail has within brackets
            close = self.run(_INNER, end + 1, start + self.limit + 1)
            if text[close : close + 1] != ">" or "@" not in text[end:close]:
                return None
            return self.passage((outer, close + 1), (start, close + 1), "bare")
        written = text[start:end]
        marks = _TRAILING + ("'" if written.count("'") % 2 else "") + (before if before in {"_", "~"} else "")
        end = start + (len(written.rstrip(marks + "*")))
        if end < after:
            end = start + len(written.rstrip(marks))  # all of it is marks, as in `news:*`
        if end <= after:
            return None
        passage = self.passage((outer, end), (start, end), "bare")
        # `http://` alone speaks of a scheme.
        return None if isinstance(passage, Broken) and not text[after:end].strip("/") else passage

    def end(self, start: int, index: int, *, quoted: bool) -> int:
        """Where the bare URL from `start` ends, if it does not before `index`; more than the limit: it is too long.

        Brackets must pair. `quoted`: an apostrophe stands before it, and so behind it.
        """
        most = start + self.limit
        open_brackets = dict.fromkeys(_CLOSING.values(), 0)
        separator = None  # the first one, until something follows it
        in_fragment = False
        while True:
            index = self.run(_PLAIN, index, most + 1)
            if separator and index > separator + 1:  # something follows it
                if self.must_end(start, separator):
                    return separator
                separator = 0  # it is none
            if index > most or index == len(self.text):
                return index
            character = self.text[index]
            if character not in _SPECIAL:
                if character == "&" and len(self.text) < index + _LONGEST_REFERENCE and not self.complete:
                    raise _Unfinished
                if character.isascii() or _is_mark(character):
                    return index
            elif character == "#":
                in_fragment = True
            elif character == "'" and quoted:
                return index
            elif character in open_brackets:
                if not open_brackets[character]:
                    return index
                open_brackets[character] -= 1
            elif character in _CLOSING:
                open_brackets[_CLOSING[character]] += 1
            if character in _SEPARATING and separator is None and not in_fragment:
                separator = index
            index += 1

    def must_end(self, start: int, index: int) -> bool:
        """Whether the text from `start` to `index` is a URL, and the mark at `index` cannot go on with it.

        So `http://host.dom,http://other.dom` are two.
        """
        text = self.text[start : index + 1]
        if not self.registry.is_valid(text[:-1], limit=self.limit):
            return False
        syntax = self.registry[text.partition(":")[0]].url_type.syntax
        return syntax.automaton.reach(text)[0] < len(text)

    def run(self, pattern: re.Pattern[str], start: int, most: int) -> int:
        """Where the characters of `pattern` end that stand from `start` on, but no further than `most`."""
        found = pattern.match(self.text, start, max(start, most))
        assert found is not None
        if found.end() == len(self.text) and found.end() < most and not self.complete:
            raise _Unfinished
        return found.end()

    def passage(
        self, span: Span, inside: Span, grade: Grade, *, uncertain: bool = False, fault: InvalidURL | None = None
    ) -> Found | Broken:
        self.count(span[0])
        self.done = span[1]
        begins, ends = (self.offset + index for index in span)
        where = {"span": (begins, ends), "inside": (self.offset + inside[0], self.offset + inside[1])}
        line, column = self.line, begins - self.line_start + 1
        written = self.text[slice(*span)]
        text, mark, fragment = _joined(self.text[slice(*inside)]).partition("#")
        try:
            if fault is not None:
                raise fault
            known = lower_case(text.partition(":")[0]) in self.names
            parse = self.registry.parse if known else self.registry.parse_generic
            url = parse(text, limit=self.limit)
        except (InvalidURL, UnknownScheme) as error:
            error = error.with_traceback(None)  # it would keep the window
            return Broken(**where, line=line, column=column, grade=grade, text=written, error=error)
        return Found(
            **where,
            line=line,
            column=column,
            grade=grade,
            text=written,
            url=url,
            fragment=fragment if mark else None,
            uncertain=uncertain,
        )


def _joined(text: str) -> str:
    return "".join(text.split())


def _goes_on(before: str, *, more: bool) -> bool:
    """Whether the name of a scheme that stands behind `before` goes on from it, and so is no name by itself.

    `more` says that there is more text, which nobody looked at.
    """
    for character in reversed(before):
        if character in _JOINING:
            continue
        if character == "%":  # it begins an escape
            return True
        if (kind := category(character)) not in _UNSEEN:
            return kind in _IN_WORDS
    return more


def _is_mark(character: str) -> bool:
    """Whether a character outside of US-ASCII ends a URL: punctuation, white space, a control, or invisible."""
    kind = category(character)
    return kind[0] in "PZ" or kind in {"Cc", "Cf"}
