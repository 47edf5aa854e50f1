"""The end of a URL without brackets. It is guessed; the guess never drops a character that was meant as part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category

from urlschemes.grammar.profile import authority_of
from urlschemes.grammar.regex_compat import compiled
from urlschemes_text.window import Unfinished

if TYPE_CHECKING:
    from urlschemes import Registry
    from urlschemes_text.window import Window

__all__ = ["CHARACTERS", "end_of_bare_url", "without_trailing_marks"]

# In HTML, the references to `<`, `>`, `"` and the no-break space, which end a bare URL; one to an apostrophe ends it if
# no letter or digit follows.
_REFERENCE = (
    "(?:lt|gt|quot|nbsp|LT|GT|QUOT|#0{0,4}+(?:34|60|62|160)|#[xX]0{0,4}+(?:22|3[CcEe]|[Aa]0)"
    "|(?:apos|#0{0,4}+39|#[xX]0{0,4}+27)(?!;[A-Za-z0-9]));"
)
_MAX_REFERENCE = 12
# Characters of a bare URL that need no closer look. Some that no URL of a profile contains are among them: they are
# written in what is meant as one.
_PLAIN = r"[A-Za-z0-9$\-_.+/?:@=%~\\^]*+"
CHARACTERS = compiled(f"{_PLAIN}(?:&(?!{_REFERENCE}){_PLAIN})*+")
_SPECIAL = frozenset("!'*,;()[]{}#")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_SEPARATORS = frozenset("!'*,;(")
_TRAILING = ".,;:!?([{\\"


def end_of_bare_url(window: Window, registry: Registry, start: int, after: int, limit: int, *, is_quoted: bool) -> int:
    """Return where the bare URL from `start` to at least `after` ends; more than `limit` characters mean: too long.

    Brackets must pair. If the URL `is_quoted`, with an apostrophe before it, the next apostrophe ends it. Raises
    Unfinished.
    """
    most = start + limit
    index = window.match_end(CHARACTERS, after, most + 1)
    if window.text[index : index + 1].isspace():  # mostly
        return index
    open_brackets = dict.fromkeys(_CLOSING.values(), 0)
    separator = None  # the first one
    separates = True  # unless the URL goes on with it
    in_fragment = False
    while True:
        index = window.match_end(CHARACTERS, index, most + 1)
        if separator is not None and separates and index > separator + 1:
            if _must_end(window.text[start : separator + 1], registry, limit):
                return separator
            separates = False
        if index > most or index == len(window.text):
            return index
        character = window.text[index]
        if character not in _SPECIAL:
            if _ends(window, index):
                return index
        elif character == "#":
            in_fragment = True
        elif character == "'" and is_quoted:
            return index
        elif character in open_brackets:
            if not open_brackets[character]:
                return index
            open_brackets[character] -= 1
        elif character in _CLOSING:
            open_brackets[_CLOSING[character]] += 1
        if character in _SEPARATORS and separator is None and not in_fragment:
            separator = index
        index += 1


def without_trailing_marks(text: str, start: int, before: str) -> str:
    """Return the text of a URL without punctuation at its end that belongs to the sentence.

    `start` is the index after its colon, and `before` the character before it. A final `*` stays if only marks follow
    the colon, as in `news:*`.
    """
    if text[-1].isalnum() or text[-1] == "/":
        return text
    marks = _TRAILING + ("'" if text.count("'") % 2 else "") + (before if before in {"_", "~"} else "")
    stripped = text.rstrip(marks + "*")
    return stripped if len(stripped) >= start else text.rstrip(marks)


def _ends(window: Window, index: int) -> bool:
    """Return True if the character at `index`, which is not one of a URL, ends it. Raises Unfinished."""
    character = window.text[index]
    if character == "&" and len(window.text) < index + _MAX_REFERENCE and not window.complete:
        raise Unfinished
    if character.isascii():
        return True
    kind = category(character)  # punctuation, white space, a control or an invisible character
    return kind[0] in "PZ" or kind in {"Cc", "Cf"}


def _must_end(text: str, registry: Registry, limit: int) -> bool:
    """Return True if `text` without its last character, a separator, is a URL, and does not go on with it.

    So `http://host.dom,http://other.dom` is two URLs: the rules of some profiles allow a comma in a host, but no host
    has one.
    """
    if not registry.is_valid(text[:-1], limit=limit):
        return False
    syntax = registry[text.partition(":")[0]].url_type.syntax
    if syntax.automaton.reach(text) < len(text):
        return True
    authority = authority_of(text, syntax.profile) if "host" in syntax.parts else None
    has_login = not syntax.parts.keys().isdisjoint({"user", "userinfo"})
    return authority is not None and authority.end == len(text) and not has_login
