"""`wrap`: a URL written as the Appendix recommends."""

from __future__ import annotations

from types import NoneType

from urlschemes import URL, InvalidURL
from urlschemes.errors import invalid_url, require_type
from urlschemes.grammar.regex_compat import compiled
from urlschemes.url.algorithms import algorithms_of

__all__ = ["wrap"]

# The pieces that are not broken: an escape; hyphens with the next character; the last character with the bracket.
_PIECE = compiled("-*+(?:%[0-9A-Fa-f]{2}|[^->])>?|-*+>")
_FRAGMENT = compiled(r"[^\s<>\x00-\x1f\x7f-\x9f\ud800-\udfff]*+")
_OPENING = "<URL:"


def wrap(url: URL, *, fragment: str | None = None, width: int | None = None) -> str:
    """Return `url` as the Appendix recommends to write it in a text: `<URL:...>`, with the fragment inside.

    With a `width`, longer lines are broken, but never after a hyphen, within an escape or before the closing bracket.
    `find` returns the same URL, and is certain of it. Where a fragment is part of a URL, `fragment` takes its place.

    Raises InvalidURL if `url` is not a URL object, or if `fragment` is not a str or has white space, controls or
    brackets; also if it is part of the URL, and has other characters that are not in its rule. Raises TypeError if
    `width` is not a number.
    """
    require_type("width", width, int, NoneType)
    error = _error(url, fragment)
    if error is not None:
        raise error
    text = str(url) if fragment is None else _with_fragment(url, fragment)
    if width is None:
        return f"{_OPENING}{text}>"
    lines, line = [], _OPENING
    for piece in _PIECE.findall(text + ">"):
        if len(line) + len(piece) > width and line != _OPENING:
            lines.append(line)
            line = ""
        line += piece
    return "\n".join([*lines, line])


def _with_fragment(url: URL, fragment: str) -> str:
    """Return the text of `url` with the fragment; it takes the place of one that is part of the URL."""
    return str(url.join(f"#{fragment}")) if url.syntax.profile.has_fragments else f"{url}#{fragment}"


def _error(url: object, fragment: object) -> InvalidURL | None:
    """Return the error for arguments that cannot be wrapped."""
    if not isinstance(url, URL):
        kind = type(url).__name__
        hint = "`parse` returns a URL object for a str"
        return invalid_url(f"<{kind}>", f"expected a URL object, got {kind}", hint=hint)
    if fragment is None:
        return None
    if not isinstance(fragment, str):
        kind = type(fragment).__name__
        return invalid_url(f"<{kind}>", f"a fragment must be str, not {kind}", part="fragment")
    if _FRAGMENT.fullmatch(fragment) is None:
        message = "a fragment in a text cannot hold white space, controls, lone surrogates, `<` or `>`"
        return invalid_url(fragment, message, part="fragment", section=algorithms_of(url.syntax.profile).delimiting)
    return None
