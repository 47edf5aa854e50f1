"""URLs taken apart for a reader: `explain`.

The text with its parts named underneath, or with a caret under the character at fault and what is wrong there. What is
drawn is lines of pieces, each with the role that it plays, so that whoever prints them may give the roles colours.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from urlschemes import default_registry
from urlschemes.errors import InvalidURL, PluginContractError, URLError
from urlschemes.grammar.regex_compat import compiled
from urlschemes.redaction import HIDDEN, one_line, redact, shown
from urlschemes.url.value import LIMIT, type_failed
from urlschemes_lint.fixing import fix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from urlschemes.grammar.part import Part
    from urlschemes.registry.registry import Registry
    from urlschemes.url.value import URL
    from urlschemes_lint.fixing import Fixed

    Line: TypeAlias = tuple[tuple[str, str], ...]
    Row: TypeAlias = tuple[str, tuple[int, int], str, str]

__all__ = ["LINES", "PLAIN", "Picture", "Strokes", "around", "draw", "explain", "picture_of", "plain"]

# The password of a text that is no URL: it may have other slashes than `//`, an `@` in its user name, and blanks.
_CARELESS = compiled(r"\A((?:[^:/?#]*+:)?+[/\\]*+[^/:]*+:)[^/]*(?=@)")

WIDTH = 100
"""The columns of a drawing, where nobody says how many there are."""
LONGEST = 2000
"""The characters of a URL that are shown where it is too long to be drawn."""
VALUE = 200
"""The characters of a value that are shown."""


class Strokes:
    """What a drawing is drawn with.

    `one` and `more` underline the first character of a part and the others, a `stem` leads down to the part's line,
    which begins with a `branch`, or with a `fork` where the stem leads further.
    """

    __slots__ = ("branch", "fork", "more", "one", "stem")

    def __init__(self, one: str, more: str, stem: str, branch: str, fork: str) -> None:
        self.one = one
        self.more = more
        self.stem = stem
        self.branch = branch
        self.fork = fork


PLAIN = Strokes("^", "~", "|", "+- ", "+- ")
LINES = Strokes("┬", "─", "│", "╰─ ", "├─ ")


class Picture:
    """What `explain` draws: its lines, and the `error` where the text is no URL.

    A line is pieces of text, each with its role: `part N` for what belongs to the part number N, `fault`, `strong`,
    `label`, `section`, `good`, or "".
    """

    __slots__ = ("error", "lines")

    def __init__(self, lines: list[Line], error: InvalidURL | None = None) -> None:
        self.lines = lines
        self.error = error


def explain(text: str, *, registry: Registry | None = None, limit: int = LIMIT) -> str:
    """Return `text` with its parts named underneath; or why it is not a URL, with a caret, and how to fix it.

    The result is several lines of US-ASCII, safe to print. Raises UnknownScheme, PluginError.
    """
    return plain(picture_of(text, registry=registry, limit=limit))


def picture_of(
    text: str,
    *,
    registry: Registry | None = None,
    limit: int = LIMIT,
    width: int = WIDTH,
    strokes: Strokes = PLAIN,
) -> Picture:
    """Return what `explain` draws, at most `width` columns wide. Raises UnknownScheme, PluginError."""
    schemes = default_registry if registry is None else registry
    try:
        return draw(schemes.parse(text, limit=limit), width=width, strokes=strokes)
    except InvalidURL as error:
        return _refusal(error, partial(fix, registry=registry, limit=limit), min(width, WIDTH))


def plain(picture: Picture) -> str:
    """The picture as plain text, in US-ASCII."""
    lines = ("".join(piece for piece, _ in line).rstrip() for line in picture.lines)
    return "\n".join(lines).encode("ascii", "backslashreplace").decode("ascii")


def draw(url: URL, *, width: int = WIDTH, strokes: Strokes = PLAIN) -> Picture:
    """`url` taken apart: with its parts underneath, or in a table where that would be wider than `width`."""
    text, rows = _rows(url)
    if len(text) <= width:
        drawn = _underneath(text, rows, strokes)
        if all(sum(_columns(piece) for piece, _ in line) <= width for line in drawn):
            return Picture(drawn)
    return Picture(_table(text, rows, width))


def _password(url: URL) -> tuple[int, int] | None:
    return url.syntax.span(url._match, "password") if "password" in url.syntax.parts else None


def _rows(url: URL) -> tuple[str, list[Row]]:
    """The text of `url` without its password, and each part: its name, where it stands there, its value, its section.

    In the order of the text; a part before those that lie within it.
    """
    syntax, values = url.syntax, url.parts
    text, password = url.redacted(), _password(url)
    shift = len(HIDDEN) - (password[1] - password[0]) if password else 0
    rows: list[Row] = []
    if "scheme" not in syntax.parts:
        rows.append(("scheme", (0, text.index(":")), url.scheme, "RFC 1738 section 2.1"))
    for part in syntax.parts.values():
        span = syntax.place(url._match, part.name)
        if span is None or values[part.name] == ():
            continue
        start, end = span
        if password and start >= password[1] and part.name != "password":
            start += shift
        if password and end >= password[1]:
            end += shift
        value = HIDDEN if part.name == "password" else _said(url, part, values[part.name])
        rows.append((part.name, (start, end), value, syntax.section_of(part.rule)))
    rows.sort(key=lambda row: (row[1][0], -row[1][1]))
    return text, rows


def _said(url: URL, part: Part, value: object) -> str:
    """The value of a part in words. Raises PluginError where the type gives what cannot be shown."""
    try:
        if not isinstance(value, tuple) or part.division is None or _is_list(value, part.division.equals):
            return _worded(value, part)
        has = one_line(repr(value), 100)
    except MemoryError:
        raise
    except Exception as error:  # of a value that a plugin made
        raise type_failed(type(url), error, f"the {part.name} cannot be shown") from error
    wants = "a tuple of pairs of texts" if part.division.equals else "a tuple of texts"
    raise PluginContractError(
        f"the type {type(url).__name__} failed: {part.name} is {has}, not {wants}",
        scheme=url.scheme,
        wants=wants,
        has=has,
        hint=f"give another name to what you make of the {part.name}",
    )


def _is_list(value: tuple[object, ...], equals: str) -> bool:
    """Whether `value` is a tuple of texts; of pairs of texts, where `equals` stands within each."""
    if not equals:
        return all(isinstance(each, str) for each in value)
    return all(isinstance(each, tuple) and len(each) == 2 and _is_list(each, "") for each in value)


def _worded(value: object, part: Part) -> str:
    """The value of a part in words; a list as its elements, with between them what divides them in the URL."""
    if isinstance(value, tuple) and part.division is not None:
        elements = [
            f" {part.division.equals} ".join(map(repr, [each] if isinstance(each, str) else each)) for each in value
        ]
        said = f" {part.division.separator} ".join(elements)
    else:
        said = str(value) if isinstance(value, int) else repr(value)
    said = shown(redact(said[: 4 * VALUE]))
    return said if len(said) <= VALUE else said[: VALUE - 3] + "..."


def _underneath(text: str, rows: list[Row], strokes: Strokes) -> list[Line]:
    roles = [""] * len(text)
    marks = [(" ", "")] * (len(text) + 1)
    for index, (_, (start, end), _, _) in enumerate(rows):
        roles[start:end] = [f"part {index}"] * (end - start)
        marks[start : max(end, start + 1)] = [(strokes.more, f"part {index}")] * max(end - start, 1)
    for index, (_, (start, _), _, _) in enumerate(rows):
        marks[start] = (strokes.one, f"part {index}")
    lines = [_joined(zip(text, roles, strict=True)), _joined(marks)]
    for index, (name, (start, _), value, section) in reversed(list(enumerate(rows))):
        stems = {row[1][0]: f"part {number}" for number, row in enumerate(rows[:index])}
        cells = [(strokes.stem, stems[column]) if column in stems else (" ", "") for column in range(start)]
        branch = strokes.fork if start in stems else strokes.branch
        role = f"part {index}"
        lines.append((*_joined(cells), (branch, role), (name, f"{role} strong"), (f" {value}", ""), *_noted(section)))
    return lines


def _noted(section: str) -> Line:
    return ((f"  {section}", "section"),) if section else ()


def _joined(pieces: Iterable[tuple[str, str]]) -> Line:
    """`pieces`, with those of one role that stand side by side made one."""
    joined: list[tuple[str, str]] = []
    for piece, role in pieces:
        if joined and joined[-1][1] == role:
            joined[-1] = (joined[-1][0] + piece, role)
        else:
            joined.append((piece, role))
    return tuple(joined)


def _table(text: str, rows: list[Row], width: int) -> list[Line]:
    whole = text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
    lines: list[Line] = [((whole, ""),), ()]
    names = max((len(row[0]) for row in rows), default=0)
    for index, (name, _, value, section) in enumerate(rows):
        room = max(width - names - len(section) - 6, 20)
        first, *more = [value[start : start + room] for start in range(0, len(value), room)]
        lines.append(((f"  {name:<{names}}", f"part {index} strong"), (f"  {first}", ""), *_noted(section)))
        lines.extend(((" " * (names + 4) + rest, ""),) for rest in more)
    return lines


def _columns(text: str) -> int:
    if text.isascii():
        return len(text)

    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _refusal(error: InvalidURL, fix: Callable[[str], Fixed], width: int) -> Picture:
    """The text of `error` with a caret under the character, what is wrong there, and the URL that it may become."""
    lines: list[Line] = []
    if error.position is not None:
        before, after = around(error.text, error.position, width)
        lines = [((before, ""), (after[:1], "fault"), (after[1:], "")), ((" " * len(before) + "^", "fault"),)]
    lines.extend(((line, "strong"),) for line in _wrapped(one_line(str(error.message)), width))
    for label, value in (
        ("rule", error.definition or error.rule),
        ("section", error.section),
        ("part", error.part),
        ("help", error.hint),
    ):
        if value:
            first, *more = _wrapped(one_line(value), width - 12)
            lines.append(((f"  {label:<10}", "label"), (first, "")))
            lines.extend(((" " * 12 + line, ""),) for line in more)
    try:
        fixed = fix(error.text)
    except URLError:
        return Picture(lines, error)
    lines.append((("  repaired  ", "good"), (one_line(fixed.url.redacted(), LONGEST), "strong")))
    if fixed.fragment is not None:
        lines.append((("  fragment  ", "good"), (one_line(fixed.fragment), "")))
    return Picture(lines, error)


def _wrapped(text: str, width: int) -> list[str]:
    """`text` in lines of at most `width`, or of one word."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return lines


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
