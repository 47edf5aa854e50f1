"""Passages of a text: URLs, and what should be URLs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain, product
from typing import TYPE_CHECKING, Literal

from urlschemes import URL, InvalidURL, URLError
from urlschemes.grammar.regex_compat import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from urlschemes.grammar.profile import Profile

    Grade: TypeAlias = Literal["delimited", "bare"]
    Span: TypeAlias = tuple[int, int]

__all__ = [
    "BREAKS",
    "HYPHEN_AT_LINE_END",
    "Broken",
    "Found",
    "Passage",
    "divided",
    "fill_placeholders",
    "without_white_space",
]

BREAKS = r"\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
"""The characters that end a line, for a set of a regular expression."""
HYPHEN_AT_LINE_END = compiled(rf"-(?:(?![{BREAKS}])\s)*+[{BREAKS}]\s*+")

# As in `http://{host}:%(port)d/`, `http://$HOST/${path}`, `http://$(name)/%s`, `http://@HOST@:PORT/<id>`; and
# references of HTML, `&#38;`. One that holds a blank or a mark may have been cut off there.
_PLACEHOLDER = compiled(
    r"[$#%]?\{[^{}]*+\}?|\}|\$(?:\w++|\([^()]*+\)?|\Z)|%\(\w*+\)?[a-z]?"
    r"|%(?:[1-9]\$)?[sdiuvq@](?![0-9A-Za-z])|&#[Xx]?[0-9A-Fa-f]++;|(?<=:)(?:PORT|port)\b"
    r"|(?<=//)(?:\[[\w-]++\]|([@%])\w{3,}+\1)|<[A-Za-z][\w:-]*+>"
)
# Escapes of source code and Markdown that are within a URL: `\_`, `\u0026`.
_ESCAPED = compiled(r"\\(?:u0026|[!-/:-@\[-`{-~])")
_SURELY_MEANT = compiled("[A-Za-z][A-Za-z0-9+.-]*+:(?:/|[^/@]*+@)")
_IN_BRACKETS = compiled("[A-Za-z][A-Za-z0-9+.-]*+:")

MAX_COMBINED = 8
"""Hyphens at line ends up to which `Found.readings` tries every combination."""
MAX_READINGS = 2**MAX_COMBINED
"""Readings that are tried for one passage."""


@dataclass(slots=True, unsafe_hash=True)  # frozen, it would take longer to make than its URL
class Passage:
    """A passage of a text.

    `text` is the passage as written. `span` is its place in the whole text, with its brackets or prefix, and `inside`
    the place of the URL with its fragment; both count characters from 0. `line` and `column` are where it begins,
    counted from 1; a line ends with a line feed. `grade` is "delimited" between brackets, else "bare".
    """

    span: Span
    inside: Span
    line: int
    column: int
    grade: Grade
    text: str = field(repr=False)

    def place_of(self, index: int) -> tuple[int, int]:
        """Return line and column, counted from 1, of the character `index` of the URL, or of its end."""
        places = [*range(self.inside[0] - self.span[0], len(self.text) + 1)]
        if self.grade == "delimited":  # white space within brackets is not part of the URL
            places = [at for at in places if not self.text[at : at + 1].isspace()]
        before = self.text[: places[index]]
        line_break = before.rfind("\n")
        column = len(before) - line_break if line_break >= 0 else self.column + len(before)
        return self.line + before.count("\n"), column


@dataclass(slots=True, unsafe_hash=True)
class Found(Passage):
    """A URL in a text, with its `fragment` as it is written (None if there is none; "" is an empty one).

    In the profile of RFC 1738 the fragment follows the `url`; in others it is a part of it.

    `url` has the type of its scheme; between brackets it may have an unknown scheme, and then is a generic URL.

    `uncertain` is true if the text has another reading: a hyphen before a line break may have been added when the line
    was broken; and a closing bracket at the beginning of a line may be the quotation mark of a mail program.
    """

    url: URL
    fragment: str | None
    uncertain: bool

    @property
    def meant(self) -> str | None:
        """The text that is meant as a URL, to be checked."""
        return str(self.url)

    def readings(self) -> Iterator[Found]:
        """Return the readings that are URLs, this one first: with each hyphen before a line break kept, or left out.

        If there are more than 8 hyphens: with all of them, without any, and without one of them, at most 256 readings.
        """
        end = len(self.text) - (self.grade == "delimited")  # the last hyphen may be directly before the bracket
        first, *others = HYPHEN_AT_LINE_END.split(self.text[self.inside[0] - self.span[0] : end])
        for kept in _kept_hyphens(len(others)):
            pieces = ("-" * keep + piece for keep, piece in zip(kept, others, strict=True))
            text, fragment = divided(without_white_space(first + "".join(pieces)), self.url.syntax.profile)
            try:
                url = type(self.url).parse(text, limit=len(text))
            except InvalidURL:
                continue
            yield replace(self, url=url, fragment=fragment)


@dataclass(slots=True, unsafe_hash=True)
class Broken(Passage):
    """A passage that should be a URL, and is not; `error` is that of its text, in brackets without white space.

    `is_attribute` is true for the value of an attribute of HTML, such as `href="..."`.
    """

    error: URLError = field(compare=False)
    is_attribute: bool = False

    @property
    def meant(self) -> str | None:
        """The text that is meant as a URL, to be checked, up to an escape; None for words such as `file:line`."""
        text: str = getattr(self.error, "text", self.text)
        if self.grade == "delimited" or self.is_attribute:
            return text if _IN_BRACKETS.match(text) else None
        return _ESCAPED.split(text, 1)[0] if _SURELY_MEANT.match(text) else None


def fill_placeholders(text: str) -> str:
    """Return `text` with letters x in place of placeholders such as `{host}`, as many as each has characters."""
    return _PLACEHOLDER.sub(lambda match: "x" * len(match[0]), text)


def divided(text: str, profile: Profile) -> tuple[str, str | None]:
    """Return the URL in `text`, and its fragment, which is part of the URL in some profiles."""
    url, mark, fragment = text.partition("#")
    return text if profile.has_fragments else url, fragment if mark else None


def without_white_space(text: str) -> str:
    """Return `text` without white space."""
    return "".join(text.split())


def _kept_hyphens(count: int) -> Iterator[tuple[bool, ...]]:
    """Return which of `count` hyphens each reading keeps."""
    if count <= MAX_COMBINED:
        return product((True, False), repeat=count)
    without_one = (tuple(index != out for index in range(count)) for out in range(min(count, MAX_READINGS - 2)))
    return chain(((True,) * count, (False,) * count), without_one)
