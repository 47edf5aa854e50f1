"""URLs taken apart for a reader: the text with its parts named underneath, or the error with a caret: `explain`."""

import re

from urlschemes.display import HIDDEN, one_line, redact
from urlschemes.errors import InvalidURL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.syntax import Part
    from urlschemes.url import URL

__all__ = ["Drawing", "around", "draw", "draw_error", "explain"]

# The password of a text that is no URL: it may have other slashes than `//`, an `@` in its user name, and blanks.
_CARELESS = re.compile(r"\A((?:[^:/?#]*+:)?+[/\\]*+[^/:]*+:)[^/]*(?=@)")

WIDTH = 100
"""Characters of a text that an error shows around its caret."""


class Drawing:
    """A URL taken apart; `str(drawing)` draws it.

    `text` is the URL, its password hidden; `rows` has for each part its name, where it stands in `text`, its value in
    words, and the section that defines it.
    """

    __slots__ = ("rows", "text")

    def __init__(self, text: str, rows: "tuple[tuple[str, tuple[int, int], str, str], ...]") -> None:
        self.text = text
        self.rows = rows

    def __str__(self) -> str:
        lines = [self.text]
        rows = [row for row in self.rows if row[1] != (0, 0)]
        marks = [" "] * (len(self.text) + 1)
        for _, (start, end), _, _ in rows:
            for column in range(start, max(end, start + 1)):
                marks[column] = "~"
        for _, (start, _), _, _ in rows:
            marks[start] = "^"
        lines.append("".join(marks).rstrip())
        width = max((len(name) for name, *_ in rows), default=0)
        for index, (name, (start, _), value, section) in reversed(list(enumerate(rows))):
            stems = sorted({row[1][0] for row in rows[:index]})
            line = [" "] * start
            for stem in stems:
                if stem < start:
                    line[stem] = "|"
            note = f"{name:<{width}}  {value}"
            lines.append("".join(line) + "+- " + (f"{note}  ({section})" if section else note))
        return "\n".join(lines)


def explain(text: str, parse: "Callable[[str], URL]") -> str:
    """`text` taken apart, or why it is no URL, as plain text of several lines. Raises UnknownScheme."""
    try:
        return str(draw(parse(text)))
    except InvalidURL as error:
        return draw_error(error)


def draw(url: "URL") -> Drawing:
    """`url` taken apart."""
    text, syntax = str(url), url.syntax
    rows = (
        [("scheme", (0, text.index(":")), url.scheme, "RFC 1738 section 2.1")] if "scheme" not in syntax.parts else []
    )
    password = syntax.span(url._match, "password") if "password" in syntax.parts else None
    shift = 0
    if password:
        text = text[: password[0]] + HIDDEN + text[password[1] :]
        shift = len(HIDDEN) - (password[1] - password[0])
    for part in syntax.parts.values():
        span = _span(url, part)
        if span is None:
            continue
        if password and part.name == "password":
            span = (span[0], span[0] + len(HIDDEN))
        elif password and span[0] >= password[1]:
            span = (span[0] + shift, span[1] + shift)
        value = HIDDEN if part.name == "password" else one_line(str(_value(url, part)), 200)
        rows.append((part.name, span, value, syntax.section_of(part.rule)))
    return Drawing(text, tuple(rows))


def _value(url: "URL", part: "Part") -> object:
    value = getattr(url, part.name)
    return value if isinstance(value, int) else repr(value)


def _span(url: "URL", part: "Part") -> tuple[int, int] | None:
    """Where `part` stands: of a list that two parts share, each its own share."""
    span = url.syntax.span(url._match, part.name)
    if span is None or part.division is None or part.take == "all":
        return span
    separator = part.division.separator
    cut = str(url).rfind(separator, *span)
    if part.take == "last":
        return (cut + len(separator) if cut >= 0 else span[0], span[1])
    return (span[0], cut) if cut >= 0 else None


def draw_error(error: InvalidURL) -> str:
    """The text of `error` with a caret under the character, and what was expected there."""
    lines = []
    if error.position is not None:
        before, after = around(error.text, error.position, WIDTH)
        lines = [before + after, " " * len(before) + "^"]
    lines.append(one_line(str(error.message)))
    if error.rule:
        lines.append(f"  rule: {error.rule}" + (f" ({error.section})" if error.section else ""))
    if error.part:
        lines.append(f"  part: {error.part}")
    if error.hint:
        lines.append(f"  help: {one_line(error.hint)}")
    return "\n".join(lines)


def around(text: str, position: int, width: int) -> tuple[str, str]:
    """What stands in `text` before `position`, and from there on: safe to print, together at most `width` columns."""
    clean = _CARELESS.sub(rf"\1{HIDDEN}", redact(text))
    if clean != text:  # a password was hidden, and with it the place has moved
        pairs = enumerate(zip(text, clean, strict=False))
        same = next((index for index, (old, new) in pairs if old != new), min(len(text), len(clean)))
        position = position if position < same else max(same, len(clean) - (len(text) - position))
    before = one_line(clean[max(0, position - width) : position], 10 * width)
    after = one_line(clean[position : position + width], 10 * width)
    most = width * 2 // 3
    if len(before) > most or position > width:
        before = f"...{before[3 - most :]}"
    if len(before) + len(after) > width:
        after = f"{after[: max(width - len(before) - 3, 1)]}..."
    return before, after
