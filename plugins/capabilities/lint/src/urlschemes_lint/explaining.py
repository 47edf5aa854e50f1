"""`explain`: a drawing of a URL with the names of its parts, or of the error in a text that is not one.

A drawing is lines of pieces of text, each with a role, so that a program that prints it can choose colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from textwrap import wrap
from typing import NamedTuple, TypeAlias
from unicodedata import bidirectional, east_asian_width

from urlschemes import URL, InvalidURL, Registry, UnknownScheme, URLError
from urlschemes.grammar.octets import unescape
from urlschemes.grammar.part import Part
from urlschemes.grammar.profile import Profile
from urlschemes.redaction import HIDDEN, in_line, one_line, redact, redact_url, shown
from urlschemes.registry.registry import registry_or_default
from urlschemes.url.algorithms import algorithms_of
from urlschemes.url.value import LIMIT, type_failed
from urlschemes_lint.advice import advice, advice_on_name, is_path
from urlschemes_lint.fixing import Fixed, repair_of

Line: TypeAlias = tuple[tuple[str, str], ...]

WIDTH = 100
"""The width of a drawing, unless the caller gives another."""
MAX_URL = 2000
"""Characters shown of a URL that is too long to be drawn."""
MAX_VALUE = 200
"""Characters shown of a value."""
MAX_FIELDS = 50
"""Fields shown of a query."""
_LABEL_WIDTH = 10


class Strokes(NamedTuple):
    """The strokes of a drawing.

    `first` and `other` underline the first character of a part and the others. A `stem` leads down to the line of the
    part, which begins with a `branch`, or with a `fork` if the stem goes on below.
    """

    first: str
    other: str
    stem: str
    branch: str
    fork: str


ASCII_STROKES = Strokes("^", "~", "|", "+- ", "+- ")
BOX_STROKES = Strokes("┬", "─", "│", "╰─ ", "├─ ")


class Drawing(NamedTuple):
    """A drawing of a URL; of an invalid one, or of one of an unknown scheme, with its `error`.

    Each line is pieces of text with their roles: `part N` for the part number N, `error`, `strong`, `label`, `section`,
    `good`, or "".
    """

    lines: list[Line]
    error: InvalidURL | UnknownScheme | None = None


class _Row(NamedTuple):
    """A part to draw: its name, its place in the text, its value as text, and its section."""

    name: str
    start: int
    end: int
    value: str
    section: str


def explain(
    text: str, *, registry: Registry | None = None, profile: Profile | str | None = None, limit: int = LIMIT
) -> str:
    """Return `text` with its parts named underneath; of an invalid URL, the error with a caret and how to fix it.

    A URL of an unknown scheme has the parts of all URLs, and the error below them. The result is several lines of
    US-ASCII, safe to print. Raises PluginError.
    """
    drawing = explanation(text, registry=registry_or_default(registry, profile), limit=limit)
    if isinstance(drawing.error, UnknownScheme):
        drawing = Drawing(drawing.lines + _message_lines(drawing.error, drawing.error.hint, WIDTH))
    return plain_text(drawing)


def explanation(
    text: str,
    *,
    registry: Registry | None = None,
    limit: int = LIMIT,
    width: int = WIDTH,
    strokes: Strokes = ASCII_STROKES,
) -> Drawing:
    """Return the drawing that `explain` prints, at most `width` columns wide. Raises PluginError.

    Only `explain` itself adds the message about an unknown scheme.
    """
    schemes, unknown = registry_or_default(registry), None
    try:
        try:
            url = schemes.parse(text, limit=limit)
        except UnknownScheme as error:
            error.hint = advice_on_name(error, text, repair_of(text, registry, limit))
            if is_path(text):
                return Drawing([((excerpt(text, 0, width)[1], ""),)], error)
            url, unknown = schemes.parse_generic(text, limit=limit), error
    except InvalidURL as error:
        url_type = schemes[error.scheme].url_type if error.scheme else algorithms_of(schemes.profile).url_type
        repair = repair_of(error.text, registry, limit)
        hint = advice(error, error.text, url_type, repair)
        lines = _error_lines(error, hint, min(width, WIDTH), letters=not strokes.stem.isascii())
        return Drawing(lines + _repair_lines(repair), error)
    return draw(url, width=width, strokes=strokes)._replace(error=unknown)


def _error_lines(error: InvalidURL, hint: str | None, width: int, *, letters: bool) -> list[Line]:
    """Return the text with a caret under the error, and the message; `letters` are shown as they are, or escaped."""
    lines: list[Line] = []
    if error.span is not None:
        before, after = excerpt(error.text, error.span[0], width, letters=letters)
        lines = [((before, ""), (after[:1], "error"), (after[1:], "")), ((" " * _columns(before) + "^", "error"),)]
    return lines + _message_lines(error, hint, width)


def _message_lines(error: InvalidURL | UnknownScheme, hint: str | None, width: int) -> list[Line]:
    """Return the message, and what is known of the error."""
    lines: list[Line] = [((line, "strong"),) for line in _wrapped(str(error.message), width)]
    rule = getattr(error, "definition", None) or error.rule
    for label, value in (("rule", rule), ("section", error.section), ("part", error.part), ("help", hint)):
        if value:
            first, *more = _wrapped(value, width - _LABEL_WIDTH - 2)
            lines.append((_label(label), (first, "")))
            lines.extend(((" " * (_LABEL_WIDTH + 2) + line, ""),) for line in more)
    return lines


def _repair_lines(repair: Fixed | URLError) -> list[Line]:
    """Return the URL that `fix` makes of a text, and its fragment; without a repair, the readings of the text."""
    if isinstance(repair, URLError):
        return [(_label("reading"), (one_line(each, MAX_URL), "")) for each in getattr(repair, "shown_readings", ())]
    lines: list[Line] = [(_label("repaired", "good"), (one_line(repair.url.redacted(), MAX_URL), "strong"))]
    if repair.fragment is not None:
        lines.append((_label("fragment", "good"), (one_line(repair.fragment), "")))
    return lines


def _label(text: str, role: str = "label") -> tuple[str, str]:
    return f"  {text:<{_LABEL_WIDTH}}", role


def _wrapped(text: str, width: int) -> list[str]:
    """Return `text`, safe to print, in lines of at most `width` characters, or of one word."""
    return wrap(in_line(text), max(width, 1), break_long_words=False, break_on_hyphens=False) or [""]


def excerpt(text: str, position: int, width: int, *, letters: bool = False) -> tuple[str, str]:
    """Return the text before and after `position`, safe to print, together at most `width` columns.

    It is US-ASCII; with `letters`, also those of other languages that are written from left to right.
    """
    clean = redact_url(text)
    if clean != text:  # a password was hidden, which may have moved the position
        same = _alike(text, clean)
        position = position if position < same else max(same, len(clean) - (len(text) - position))
    before = _safe(clean[max(0, position - width) : position], letters=letters)
    after = _safe(clean[position : position + width], letters=letters)
    if _columns(before + after) > len(before + after):
        width //= 2
    most = width * 2 // 3
    if len(before) > most:
        before = f"...{before[3 - most :]}"
    if len(before) + len(after) > width:
        after = f"{after[: max(width - len(before) - 3, 1)]}..."
    return before, after


def _safe(text: str, *, letters: bool) -> str:
    return "".join(
        each if letters and each.isalpha() and bidirectional(each) == "L" else one_line(each) for each in in_line(text)
    )


def _alike(one: str, other: str) -> int:
    """Return with how many equal characters two texts begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (old, new) in pairs if old != new), min(len(one), len(other)))


def draw(url: URL, *, width: int = WIDTH, strokes: Strokes = ASCII_STROKES) -> Drawing:
    """Draw a valid URL: with its parts underneath, or as a table if that would be wider than `width`.

    Raises PluginError if the URL's type returns values that cannot be shown.
    """
    text = url.redacted()
    try:
        rows = _rows(type(url).parse(text, limit=len(text)))
    except InvalidURL:  # the rule of a password need not derive what hides it
        rows = _moved(_rows(url), str(url), text)
    if len(text) <= width:
        lines = _parts_underneath(text, rows, strokes)
        if all(sum(_columns(piece) for piece, _ in line) <= width for line in lines):
            return Drawing(lines)
    return Drawing(_table(text, rows, width))


def plain_text(drawing: Drawing) -> str:
    """Return a drawing as text in US-ASCII."""
    lines = ("".join(piece for piece, _ in line).rstrip() for line in drawing.lines)
    return "\n".join(lines).encode("ascii", "backslashreplace").decode("ascii")


def _rows(url: URL) -> list[_Row]:
    """Return the parts of `url`, whose password is hidden, in the order of the text, outer ones first."""
    text, syntax = str(url), url.syntax
    rows: list[_Row] = []
    if "scheme" not in syntax.parts:
        rows.append(_Row("scheme", 0, text.index(":"), url.scheme, syntax.profile.section("scheme")))
    for part in syntax.parts.values():
        span, value = url.span(part.name), getattr(url, part.name)
        if span is None or value == ():
            continue
        start, end = span
        said = HIDDEN if part.name == "password" else _value_text(url, part, value)
        rows.append(_Row(part.name, start, end, said, syntax.section_of(part.rule)))
        is_form = part.name == "query" or (part.name == "search" and hasattr(url, "query_fields"))
        if is_form and "=" in text[start:end]:
            rows.extend(_fields(url, text[start:end], start))
    rows.sort(key=lambda row: (row.start, -row.end))
    return rows


def _moved(rows: list[_Row], text: str, redacted: str) -> list[_Row]:
    """Return the rows of `text` at their places in `redacted`; what is hidden there has no value."""
    start = _alike(text, redacted)
    end = len(text) - _alike(text[:start:-1], redacted[:start:-1])
    more = len(redacted) - len(text)
    return [
        row._replace(
            start=row.start + more * (row.start >= end),
            end=row.end + more * (row.end >= end),
            value=HIDDEN if row.start < end and row.end > start else row.value,
        )
        for row in rows
    ]


def _fields(url: URL, query: str, start: int) -> Iterator[_Row]:
    """Yield the fields of a query, which begins at `start`; a `+` is a blank in a form only, and so in http."""
    blank = " " if hasattr(url, "query_fields") else "+"
    fields = query.split("&")
    for field in fields[:MAX_FIELDS]:
        if field:
            name, equals, value = (unescape(each.replace("+", blank)) for each in field.partition("="))
            shown_value = _clipped(f"{name!r} = {value!r}" if equals else repr(name))
            yield _Row("field", start, start + len(field), shown_value, "")
        start += len(field) + 1
    if len(fields) > MAX_FIELDS:
        yield _Row("fields", start, start, f"{len(fields) - MAX_FIELDS} more", "")


def _value_text(url: URL, part: Part, value: object) -> str:
    """Return the value of a part as text; the elements of a list are separated as they are in the URL.

    Raises PluginError if the URL's type returned a value that cannot be shown.
    """
    try:
        text = repr(value) if isinstance(value, str) else str(value)
        if isinstance(value, tuple) and part.division is not None:
            elements = ([each] if isinstance(each, str) else each for each in value)
            texts = ([repr(each) for each in element if each is not None] for element in elements)
            text = f" {part.division.separator} ".join(map(f" {part.division.equals} ".join, texts))
    except MemoryError:
        raise
    except Exception as error:
        raise type_failed(type(url), error, f"the {part.name} cannot be shown") from error
    return _clipped(text)


def _clipped(text: str) -> str:
    """Return the text of a value, safe to print, at most `MAX_VALUE` characters."""
    text = shown(redact(text[: 4 * MAX_VALUE]))
    return text if len(text) <= MAX_VALUE else text[: MAX_VALUE - 3] + "..."


def _parts_underneath(text: str, rows: list[_Row], strokes: Strokes) -> list[Line]:
    roles, marks = [""] * len(text), [(" ", "")] * (len(text) + 1)
    stems, below = dict[int, tuple[str, str]](), list[Line]()
    for index, row in enumerate(rows):
        role, length = f"part {index}", row.end - row.start
        roles[row.start : row.end] = [role] * length
        marks[row.start : row.start + max(length, 1)] = [(strokes.first, role), *[(strokes.other, role)] * (length - 1)]
        before = _merged(stems.get(column, (" ", "")) for column in range(row.start))
        branch = strokes.fork if row.start in stems else strokes.branch
        name, value = (row.name, f"{role} strong"), (f" {row.value}", "")
        below.append((*before, (branch, role), name, value, *_section_pieces(row.section)))
        stems[row.start] = strokes.stem, role
    return [_merged(zip(text, roles, strict=True)), _merged(marks), *reversed(below)]


def _table(text: str, rows: list[_Row], width: int) -> list[Line]:
    url = text if len(text) <= MAX_URL else f"{text[: MAX_URL - 3]}..."
    lines: list[Line] = [((url, ""),), ()]
    name_width = max((len(row.name) for row in rows), default=0)
    for index, row in enumerate(rows):
        value_width = max(width - name_width - len(row.section) - 6, 20)
        first, *more = [row.value[at : at + value_width] for at in range(0, len(row.value), value_width)]
        name = (f"  {row.name:<{name_width}}", f"part {index} strong")
        lines.append((name, (f"  {first}", ""), *_section_pieces(row.section)))
        lines.extend(((" " * (name_width + 4) + rest, ""),) for rest in more)
    return lines


def _section_pieces(section: str) -> Line:
    return ((f"  {section}", "section"),) if section else ()


def _merged(pieces: Iterable[tuple[str, str]]) -> Line:
    """Return the pieces with adjacent ones of the same role merged."""
    return tuple(("".join(piece for piece, _ in run), role) for role, run in groupby(pieces, lambda each: each[1]))


def _columns(text: str) -> int:
    """Return the columns that `text` takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
