"""`explain`: a drawing of a URL, or of the error in a text that is not one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import URL, InvalidURL, URLError, default_registry
from urlschemes.grammar.regex_compat import compiled
from urlschemes.redaction import HIDDEN, one_line, redact
from urlschemes.url.value import LIMIT
from urlschemes_lint.advice import advice
from urlschemes_lint.drawing import ASCII_STROKES, MAX_URL, WIDTH, Drawing, draw, plain_text
from urlschemes_lint.fixing import fix

if TYPE_CHECKING:
    from urlschemes import Registry
    from urlschemes_lint.drawing import Line, Strokes

__all__ = ["excerpt", "explain", "explanation"]

# The password of an invalid URL: there may be other slashes than `//`, an `@` in the user name, and blanks.
_PASSWORD = compiled(r"\A((?:[^:/?#]*+:)?+[/\\]*+[^/:]*+:)[^/]*(?=@)")

_LABEL_WIDTH = 10


def explain(text: str, *, registry: Registry | None = None, limit: int = LIMIT) -> str:
    """Return `text` with its parts named underneath; of an invalid URL, the error with a caret and how to fix it.

    The result is several lines of US-ASCII, safe to print. Raises UnknownScheme, PluginError.
    """
    return plain_text(explanation(text, registry=registry, limit=limit))


def explanation(
    text: str,
    *,
    registry: Registry | None = None,
    limit: int = LIMIT,
    width: int = WIDTH,
    strokes: Strokes = ASCII_STROKES,
) -> Drawing:
    """Return the drawing that `explain` prints, at most `width` columns wide. Raises UnknownScheme, PluginError."""
    schemes = default_registry if registry is None else registry
    try:
        url = schemes.parse(text, limit=limit)
    except InvalidURL as error:
        syntax = schemes[error.scheme].url_type.syntax if error.scheme else URL.syntax
        lines = _error_lines(error, advice(error, syntax), min(width, WIDTH))
        lines += _repair_lines(error.text, registry, limit)
        return Drawing(lines, error)
    return draw(url, width=width, strokes=strokes)


def _error_lines(error: InvalidURL, hint: str | None, width: int) -> list[Line]:
    """Return the text with a caret under the error, the message, and what is known of the error."""
    lines: list[Line] = []
    if error.position is not None:
        before, after = excerpt(error.text, error.position, width)
        lines = [((before, ""), (after[:1], "error"), (after[1:], "")), ((" " * len(before) + "^", "error"),)]
    lines.extend(((line, "strong"),) for line in _wrapped(one_line(str(error.message)), width))
    for label, value in (
        ("rule", error.definition or error.rule),
        ("section", error.section),
        ("part", error.part),
        ("help", hint),
    ):
        if value:
            first, *more = _wrapped(one_line(value), width - _LABEL_WIDTH - 2)
            lines.append((_label(label), (first, "")))
            lines.extend(((" " * (_LABEL_WIDTH + 2) + line, ""),) for line in more)
    return lines


def _repair_lines(text: str, registry: Registry | None, limit: int) -> list[Line]:
    """Return the URL that `fix` makes of the text, and its fragment; nothing if there is no repair."""
    try:
        fixed = fix(text, registry=registry, limit=limit)
    except URLError:
        return []
    lines: list[Line] = [(_label("repaired", "good"), (one_line(fixed.url.redacted(), MAX_URL), "strong"))]
    if fixed.fragment is not None:
        lines.append((_label("fragment", "good"), (one_line(fixed.fragment), "")))
    return lines


def _label(text: str, role: str = "label") -> tuple[str, str]:
    return f"  {text:<{_LABEL_WIDTH}}", role


def _wrapped(text: str, width: int) -> list[str]:
    """Return `text` in lines of at most `width` characters, or of one word."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return lines


def excerpt(text: str, position: int, width: int) -> tuple[str, str]:
    """Return the text before and after `position`, safe to print, together at most `width` characters."""
    clean = _PASSWORD.sub(rf"\1{HIDDEN}", redact(text))
    if clean != text:  # a password was hidden, which may have moved the position
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
