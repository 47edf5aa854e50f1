"""The end of a URL without brackets. It is guessed; the guess never drops a character that was meant as part of it."""

from __future__ import annotations

import re
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
# Escapes of source code for what ends a bare URL: `\n`, `\'`, `\x1b`, `\u003c`; that of `&`, `\u0026`, does not. A
# letter after `\b` shows that the backslash is meant as a slash, as in `host\bin`.
_ESCAPE = r"\\{0,3}(?:[nrt'\"0-7]|[abefv](?=[^A-Za-z])|x[0-9A-Fa-f]{2}|u(?!0026)[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|N\{)"
# In a list without blanks, the mark before the next URL, which ends a bare one.
_NEXT = r"[,;][A-Za-z][A-Za-z0-9+.\-]*+://"
_OPENING = {")": "(", "]": "[", "}": "{"}
_SEPARATORS = "!'*,;("
_TRAILING = ".,;:!?([{\\"
# Characters of a bare URL that need no closer look. Some that no URL of a profile contains are among them: they are
# written in what is meant as one.
_PLAIN = r"A-Za-z0-9$\-_.+/?:@=%~^"
# The characters of US-ASCII that are in no bare URL; "" is the end of the text.
_ENDS = frozenset({"", *map(chr, range(33)), *'<>"|`\x7f'})


def _run(marks: str) -> re.Pattern[str]:
    """Return the pattern of a run of plain characters and `marks`; brackets that it opens, it may close again."""
    brackets = {closing: opening for closing, opening in _OPENING.items() if opening in marks}
    openings = re.escape("".join(brackets.values()))
    plain = f"[{_PLAIN}{''.join(each for each in marks if each not in openings + ',;')}]*+"
    separators = rf"(?!{_NEXT})[,;]|" if "," in marks else ""
    mark = rf"(?:{separators}&(?!{_REFERENCE})|\\(?!{_ESCAPE}))"
    within = f"{plain}(?:{mark}{plain})*+"
    pairs = [rf"\{opening}{within}\{closing}" for closing, opening in brackets.items()]
    unpaired = [f"[{openings}]+(?=[{openings}])", *pairs, f"[{openings}]"] if brackets else []
    return compiled(f"{plain}(?:(?:{'|'.join([mark, *unpaired])}){plain})*+")


CHARACTERS = _run("")
"""A run of characters that need no closer look."""
_BEFORE_SEPARATOR = _run("[{")
_AFTER_SEPARATOR = {False: _run("!'*,;#([{"), True: _run("!*,;#([{")}  # if the URL is quoted
_NEXT_URL = compiled(_NEXT)
_CLOSING_RUN = compiled(r"\)++|\]++|\}++")
_BEYOND_ASCII = compiled(r"[^\x00-\x7f]++")


def end_of_bare_url(window: Window, registry: Registry, start: int, after: int, limit: int, *, is_quoted: bool) -> int:
    """Return where the bare URL from `start` to at least `after` ends; more than `limit` characters mean: too long.

    Brackets must pair. If the URL `is_quoted`, with an apostrophe before it, the next apostrophe ends it. Raises
    Unfinished.
    """
    text, most = window.text, start + limit + 1
    run = _BEFORE_SEPARATOR
    separator = None  # the first one, until it is known whether it ends the URL
    open_brackets: dict[str, tuple[int, int]] = {}  # up to where they are counted, and their number
    index = window.match_end(run, after, most)
    while index < most and (character := text[index : index + 1]) not in _ENDS:
        if character in _OPENING:
            counted, count = open_brackets.get(character, (after, 0))
            count += text.count(_OPENING[character], counted, index) - text.count(character, counted, index)
            if not count:
                return index
            end = min(index + count, window.match_end(_CLOSING_RUN, index, most))
            open_brackets[character] = end, index + count - end
            index = end
        elif character in _SEPARATORS or character == "#":
            if character == "'" and is_quoted:
                return index
            # In an authority, what is before the next URL may be half of a password.
            if _NEXT_URL.match(text, index) and (
                text.find("/", after + 2, index) > 0 or registry.is_valid(text[start:index], limit=limit)
            ):
                return index
            if separator is None and character != "#":
                separator = index
            elif separator is None:  # there is none in a fragment
                run = _AFTER_SEPARATOR[is_quoted]
            index += 1
        else:
            end = _end_beyond_ascii(window, index, most)
            if end == index:
                return index
            index = end
        index = window.match_end(run, index, most)
        if separator is not None and index > separator + 1:
            if _must_end(text[start : separator + 1], registry, limit):
                return separator
            separator, run = None, _AFTER_SEPARATOR[is_quoted]
            index = window.match_end(run, index, most)
    return index


def without_trailing_marks(text: str, start: int, before: str) -> str:
    """Return the text of a URL without punctuation at its end that belongs to the sentence.

    `start` is the index after its colon, and `before` the character before it. A final `*` stays if only marks follow
    the colon, as in `news:*`.
    """
    marks = _TRAILING + ("'" if text.count("'") % 2 else "") + (before if before in {"_", "~"} else "")
    stripped = text.rstrip(marks + "*")
    return stripped if len(stripped) >= start else text.rstrip(marks)


def _end_beyond_ascii(window: Window, index: int, most: int) -> int:
    """Return where the characters beyond US-ASCII at `index` end, or the first of them that ends a URL.

    A reference of HTML and an escape of source code end it too. Raises Unfinished.
    """
    text = window.text
    if text[index] == "&" and len(text) < index + _MAX_REFERENCE and not window.complete:
        raise Unfinished
    if text[index] in "&\\" or _ends(text[index]):
        return index
    others = text[index : window.match_end(_BEYOND_ASCII, index, most)]
    return index + min((others.index(each) for each in set(others) if _ends(each)), default=len(others))


def _ends(character: str) -> bool:
    """Return True for punctuation, white space, a control or an invisible character."""
    kind = category(character)
    return kind[0] in "PZ" or kind in {"Cc", "Cf"}


def _must_end(text: str, registry: Registry, limit: int) -> bool:
    """Return True if `text` without its last character, a separator, is a URL, and does not go on with it.

    So an apostrophe ends `http://host.dom's`: the rules of some profiles allow one in a host, but no host has one.
    """
    if not registry.is_valid(text[:-1], limit=limit):
        return False
    if text.count("/") > 2 and registry.is_valid(text, limit=limit):  # which is fast
        return False
    syntax = registry[text.partition(":")[0]].url_type.syntax
    if syntax.automaton.reach(text) < len(text):
        return True
    authority = authority_of(text, syntax.profile) if "host" in syntax.parts else None
    has_login = not syntax.parts.keys().isdisjoint({"user", "userinfo"})
    return authority is not None and authority.end == len(text) and not has_login
