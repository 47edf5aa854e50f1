"""`find`: the URLs in running text.

Between `<URL:` and `>` a URL is delimited: the brackets mark its beginning and end, and white space in it is ignored.
Anywhere else it is bare, and its end is guessed. A bare text that is not a URL of its scheme is not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache, partial
from itertools import groupby
from typing import TYPE_CHECKING, Literal, overload
from unicodedata import category

from urlschemes import InvalidURL, UnknownScheme
from urlschemes.grammar.regex_compat import compiled
from urlschemes.registry.registry import registry_or_default
from urlschemes.scheme.scheme import lower_case
from urlschemes.url.value import LIMIT, unfit
from urlschemes_text.bare_urls import CHARACTERS, end_of_bare_url, without_trailing_marks
from urlschemes_text.passages import BREAKS, HYPHEN_AT_LINE_END, Broken, Found, divided, without_white_space
from urlschemes_text.window import Unfinished, Window, not_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from urlschemes import URL, Registry, URLError
    from urlschemes.grammar.profile import Profile
    from urlschemes_text.passages import Grade, Span

__all__ = ["find"]

_CHUNK = 64 * 1024
"""Characters that are read from a file at once."""
_MAX_NAME = 128
"""Characters before a colon that are examined for a scheme's name, which has at most 64, and for what touches it."""
_MAX_BEFORE = 16
"""Characters before a name that are examined for the prefix, bracket or attribute there."""
_KEPT = _MAX_NAME + _MAX_BEFORE
"""Characters before a colon that the window keeps."""

# What may be written directly before a name without being part of it: a full stop, the number of an item, a plus sign,
# the letter of an escape of source code, the end of one of a terminal.
_LEAD = compiled(r"(?:(?<=\\)[nrt]|(?<=[\[;])[0-9]*+[mK])?(?:[0-9]*+[+.\-]++)*+")
# What joins a name with the word before it: `local_file:` is not `file:`, and `a/http:` is not a URL.
_JOINING = "_$/@&#+-."
_WORD_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Nd", "Cs"})
"""Letters that have case, digits, and octets that are not text."""
_INVISIBLE_CATEGORIES = frozenset({"Mn", "Mc", "Me", "Cf"})
"""Characters that combine with another one, or are invisible."""
_PREFIX = compiled(r"[^A-Za-z0-9+.\-]?+(?P<prefix>URL:)\Z", re.IGNORECASE)

_ATTRIBUTE = compiled(r"(?<![\w.])(?:(?:href|src|action)=|url\(\s{0,4})[\"']\Z", re.IGNORECASE)
_IN_ATTRIBUTE = {mark: compiled(rf"[^{mark}<>{BREAKS}]*+") for mark in "\"'"}
_IN_QUOTES = {mark: compiled(rf"[^{mark}\s\\]*+") for mark in "\"'"}
_END_IN_QUOTES = compiled("[<>`|]")
"""What ends a bare URL, but is data in one between quotation marks."""

_BREAK = compiled(f"[{BREAKS}]")
_BLANK_WITHIN_LINE = compiled(rf"(?<!\s)(?:(?![{BREAKS}])\s)++(?!\s)")
_INSIDE = compiled("[^<>]*+")
_SOLID = compiled(r"[^<>\s]*+")
# The content of brackets within brackets, unless they are a wrapper themselves.
_INNER_BRACKETS = compiled(r"[^<>:\s]*+")


@cache
def _before_name(scheme_characters: str) -> frozenset[str]:
    """Return the ASCII characters after which a name begins, and no longer word does.

    "" is the beginning of the text.
    """
    return frozenset({"", *map(chr, range(128))} - {*scheme_characters, *_JOINING, "%"})


@lru_cache(maxsize=16)
def _colons(names: frozenset[str], scheme_characters: str) -> re.Pattern[str]:
    """Return the pattern of the colons that matter: after one of `names` or `<URL`, or between another name and `//`.

    The first group holds `URL`, another one the name; one that is not of `names` has no group. The pattern begins with
    a colon, so that `re` runs to the next one. Then it looks at few characters first: most colons are those of times,
    addresses and sentences. No URL follows white space, unless the name is in brackets.
    """
    behind = [rf"(?<=<({_in_any_case('url')}):)"]
    for length, same in groupby(sorted(names, key=lambda name: (len(name), name)), len):
        alike = "|".join(map(_in_any_case, same))
        behind.append(rf"(?<=({alike}):)(?:(?!\s)|(?<=<.{{{length}}}:))")
    last = "".join(sorted({case for name in {*names, "url"} for case in (name[-1], name[-1].upper())}))
    known = rf"(?<=[{re.escape(last)}]:)(?:{'|'.join(behind)})"
    return compiled(rf":(?<=[{re.escape(scheme_characters)}]:)(?:{known}|(?=//))")


def _in_any_case(name: str) -> str:
    """Return the expression of a name, with a set for each letter: `re` passes over a wrong set at once."""
    return "".join(f"[{letter}{letter.upper()}]" if letter.isalpha() else re.escape(letter) for letter in name)


@overload
def find(
    text: str | Iterable[str],
    *,
    registry: Registry | None = None,
    profile: Profile | str | None = None,
    registries: Sequence[Registry] = (),
    invalid: Literal[False] = False,
    limit: int = LIMIT,
) -> Iterator[Found]: ...
@overload
def find(
    text: str | Iterable[str],
    *,
    registry: Registry | None = None,
    profile: Profile | str | None = None,
    registries: Sequence[Registry] = (),
    invalid: bool,
    limit: int = LIMIT,
) -> Iterator[Found | Broken]: ...
def find(
    text: str | Iterable[str],
    *,
    registry: Registry | None = None,
    profile: Profile | str | None = None,
    registries: Sequence[Registry] = (),
    invalid: bool = False,
    limit: int = LIMIT,
) -> Iterator[Found | Broken]:
    """Return the URLs in `text`, in its order, as Found; with `invalid` also passages that should be URLs, as Broken.

    `text` is a str, an iterable of pieces, or a text file. It is read as far as needed, and at most a few times `limit`
    and the longest piece are in memory. URLs longer than `limit` are not found.

    Delimited URLs are `<URL:...>`, and `<...>` around a URL of a known scheme. Bare URLs are of known schemes; those of
    others are Broken if they have `//`, with UnknownScheme as `error`. The known schemes are those of `registry`
    (default: that of the process, in `profile`) when `find` is called, or those of several `registries`: each scheme
    is read by the first of them that has it.

    Raises InvalidURL for what is not text, TypeError for two of these arguments, ValueError for a negative `limit`,
    and PluginError if the plugin of a scheme is faulty.
    """
    if limit < 0:
        raise ValueError(f"limit must be a number of characters, at least 0, not {limit}")
    if not registries:
        registries = [registry_or_default(registry, profile)]
    elif registry is not None or profile is not None:
        raise TypeError("registries cannot be combined with registry or profile")
    window = Window((), _KEPT, text) if isinstance(text, str) else Window(_pieces(text), _KEPT)
    return _Search(window, registries, limit).passages(invalid=invalid)


def _pieces(text: object) -> Iterable[object]:
    read = getattr(text, "read", None)
    if callable(read):
        return iter(partial(read, _CHUNK), "")
    if isinstance(text, Iterable) and not isinstance(text, bytes | bytearray):
        return text
    raise not_text(text)


class _Search:
    """A search through a text, from one colon that matters to the next."""

    def __init__(self, window: Window, registries: Sequence[Registry], limit: int) -> None:
        self.window = window
        self.limit = limit
        self.first = registries[0]
        self.names = {name: registry for registry in reversed(registries) for name in registry}
        self.scheme_characters = "".join(sorted({*"".join(each.profile.scheme_characters for each in registries)}))
        self.next_colon = _colons(frozenset(self.names), self.scheme_characters).search
        self.before_name = _before_name(self.scheme_characters)

    def passages(self, *, invalid: bool) -> Iterator[Found | Broken]:
        """Return the passages, if `invalid` also those that should be URLs."""
        window = self.window
        while True:
            text = window.text
            match = self.next_colon(text, window.next)
            if match is None:
                if window.complete:
                    return
                window.next = max(window.next, len(text) - 2)  # what follows a colon may be missing
                window.move_to(window.next)
                continue
            colon, name = match.start(), match.lastindex or 0
            start = match.start(name)
            try:
                if name > 1 and start >= window.done and text[start - 1 : start] in self.before_name:
                    passage = self._known(start, colon + 1)
                else:
                    passage = self._around(colon)
            except Unfinished:
                window.move_to(colon)
                continue
            if passage is None:
                window.next = max(window.next, colon + 1)
            else:
                window.next = max(window.done, colon + 1)
                if invalid or isinstance(passage, Found):
                    yield passage

    def _around(self, colon: int) -> Found | Broken | None:
        """Return the passage whose scheme name, or prefix, ends before `colon`. Raises Unfinished."""
        text, done = self.window.text, self.window.done
        before = text[max(0, colon - _MAX_NAME) : colon]
        run = before[len(before.rstrip(self.scheme_characters)) :]
        if not run:
            return None
        start, name = colon - len(run), run.lower()
        if name == "url" and start > done and text[start - 1] == "<":
            return self._delimited(start - 1, colon + 1)
        if name not in self.names:
            lead = _LEAD.match(before, len(before) - len(run))
            name = before[lead.end() :].lower()  # type: ignore[union-attr]  # it matches the empty text too
        start, is_word = colon - len(name), not _continues(before[: -len(run)], is_cut=colon > _MAX_NAME)
        if name not in self.names or not is_word:
            return self._unknown(start, colon, is_name=is_word and start >= done and name[:1].isalpha())
        return None if start < done else self._known(start, colon + 1)

    def _unknown(self, start: int, colon: int, *, is_name: bool) -> Found | Broken | None:
        """Return the passage of a URL of an unknown scheme; continue after it and any URL in it. Raises Unfinished."""
        window, text = self.window, self.window.text
        if len(text) < colon + 3 and not window.complete:
            raise Unfinished
        if not text.startswith("//", colon + 1):
            return None
        window.next = window.match_end(CHARACTERS, colon + 3, colon + 3 + self.limit)
        end = start + len(without_trailing_marks(text[start : window.next], colon + 1 - start, text[start - 1 : start]))
        if not (is_name and text[colon + 1 : end].strip("/")):
            return None
        name, span = text[start:colon].lower(), (start, end)
        return self._passage(
            span, span, "bare", error=UnknownScheme(f"no plugin provides the scheme {name}", scheme=name)
        )

    def _delimited(self, start: int, inside: int) -> Found | Broken | None:
        """Return the passage from the bracket at `start` to the closing one; None if another one opens before it.

        Brackets without a blank before them, as in `<URL:news:<1@host.dom>>`, are part of the URL, and break it.
        Without the prefix `URL:`, white space is ignored around line breaks only: the brackets may be around prose.
        """
        window = self.window
        text = window.text
        most = inside + 2 * self.limit  # as much white space as URL
        end = window.match_end(_SOLID, inside, most + 1)
        if text[end : end + 1] == ">" and end <= most:
            return self._passage((start, end + 1), (inside, end), "delimited")
        end = window.match_end(_INSIDE, end, most + 1)
        while end <= most and text[end : end + 1] == "<" and not text[end - 1].isspace():
            end = window.match_end(_INNER_BRACKETS, end + 1, most + 1)
            if text[end : end + 1] != ">":
                return None
            end = window.match_end(_INSIDE, end + 1, most + 1)
        if end > most or text[end : end + 1] != ">":
            return None
        content = text[inside:end]
        has_prefix = inside > start + 1
        if not has_prefix and _BLANK_WITHIN_LINE.search(content):
            return None
        last = len(content.rstrip())
        first = min(len(content) - len(content.lstrip()), last)
        is_uncertain = _BREAK.search(content, last) is not None or HYPHEN_AT_LINE_END.search(content) is not None
        return self._passage((start, end + 1), (inside + first, inside + last), "delimited", uncertain=is_uncertain)

    def _known(self, start: int, after: int) -> Found | Broken | None:
        """Return the passage of the URL of a known scheme that begins at `start`, with its colon before `after`."""
        window = self.window
        text = window.text
        outer, before = start, text[start - 1 : start]
        if before == "<" and start > window.done and (passage := self._delimited(start - 1, start)) is not None:
            return passage
        if before == ":":
            prefix = _PREFIX.match(text, max(start - 5, window.done, 0), start)
            outer = start if prefix is None else prefix.start("prefix")
            before = text[outer - 1 : outer]
        if before in _IN_QUOTES and (passage := self._in_quotes(outer, start, after, before)) is not None:
            return passage
        registry = self.names[lower_case(text[start : after - 1])]
        end = end_of_bare_url(window, registry, start, after, self.limit, is_quoted=before == "'")
        if end > start + self.limit:
            end = start + self.limit
            error = unfit(text[start : end + 1], self.limit)
            return self._passage((outer, end), (start, end), "bare", error=error)
        if end == after and text[end : end + 1] == "<":
            return self._bare_in_brackets(outer, start, end)
        if text.startswith(("-->",) if before in _IN_QUOTES else ("-->", "*/"), end - 2):  # the end of a comment
            end = max(after, end - 2)
        if not (text[end - 1].isalnum() or text[end - 1] == "/"):
            end = start + len(without_trailing_marks(text[start:end], after - start, before))
        if end <= after:
            return None
        inside = (start, end)
        passage = self._passage(inside if outer == start else (outer, end), inside, "bare")
        # `http://` alone is the name of a scheme.
        return None if isinstance(passage, Broken) and not text[after:end].strip("/") else passage

    def _in_quotes(self, outer: int, start: int, after: int, mark: str) -> Found | Broken | None:
        """Return the passage up to the closing quotation mark, if only that ends it. Raises Unfinished."""
        window, text = self.window, self.window.text
        is_attribute = _ATTRIBUTE.search(text, max(outer - _MAX_BEFORE, 0), outer) is not None
        inside = (_IN_ATTRIBUTE if is_attribute else _IN_QUOTES)[mark]
        end = window.match_end(inside, after, start + self.limit + 1)
        is_whole = is_attribute or _END_IN_QUOTES.search(text, after, end) is not None
        if text[end : end + 1] != mark or end == after or not is_whole:
            return None
        end = start + len(text[start:end].rstrip())
        return self._passage((outer, end), (start, end), "bare", is_attribute=is_attribute)

    def _bare_in_brackets(self, outer: int, start: int, bracket: int) -> Found | Broken | None:
        """Return the passage for `mailto:<joe@host.dom>` or `news:<1@host.dom>`, with the brackets of mail."""
        window = self.window
        close = window.match_end(_INNER_BRACKETS, bracket + 1, start + self.limit + 1)
        if window.text[close : close + 1] != ">" or "@" not in window.text[bracket:close]:
            return None
        return self._passage((outer, close + 1), (start, close + 1), "bare")

    def _passage(
        self,
        span: Span,
        inside: Span,
        grade: Grade,
        *,
        uncertain: bool = False,
        error: URLError | None = None,
        is_attribute: bool = False,
    ) -> Found | Broken:
        window = self.window
        window.done = span[1]
        line, column = window.line_and_column(span[0])
        offset = window.offset
        whole = (offset + span[0], offset + span[1])
        passage = window.text[span[0] : span[1]]
        within, text = whole, passage
        if inside is not span:
            within = (offset + inside[0], offset + inside[1])
            text = window.text[inside[0] : inside[1]]
        if grade == "delimited":
            text = without_white_space(text)
        name = lower_case(text.partition(":")[0])
        registry = self.names.get(name, self.first)
        parse: Callable[..., URL] = registry.parse if name in self.names else registry.parse_generic
        try:
            if error is not None:
                raise error
            fragment = None
            if "#" in text:
                text, fragment = divided(text, registry.profile)
            url = parse(text, limit=self.limit)
        except (InvalidURL, UnknownScheme) as caught:
            caught = caught.with_traceback(None)  # which would keep the window in memory
            return Broken(whole, within, line, column, grade, passage, caught, is_attribute)
        return Found(whole, within, line, column, grade, passage, url, fragment, uncertain)


def _continues(before: str, *, is_cut: bool) -> bool:
    """Return True if a scheme name after `before` is the end of a longer word. `is_cut`: there is more text before."""
    for character in reversed(before):
        if character in _JOINING:
            continue
        if character == "%":  # the beginning of an escape
            return True
        if (kind := category(character)) not in _INVISIBLE_CATEGORIES:
            return kind in _WORD_CATEGORIES
    return is_cut
