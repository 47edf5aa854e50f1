"""The reader of the texts that a registry is given: the pattern of each syntax, or another reader that is installed.

Another reader is a subclass that gives the same answers in another way. One is chosen in a process, by
`urlschemes.registry.readers`, before the first type of URLs is made: the types build on it, and its module is imported
by `import urlschemes`, before the names of that package exist.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from urlschemes.errors import InvalidURL
from urlschemes.grammar.octets import unescape
from urlschemes.grammar.part import DIGITS, Part, number_of
from urlschemes.url.original_text import OriginalText

__all__ = ["LIMIT", "READER", "Base", "PatternReader", "new"]

LIMIT: Final = 64 * 1024
"""The default limit for the characters of a URL."""

new = object.__new__


class Base:
    """The base of all types of URLs: a URL holds the match of its text. `_match` can be set in any base."""

    __slots__ = ("_match",)
    _match: re.Match[str]

    @property
    def _text(self) -> str:
        return self._match.string


class PatternReader:
    """The reader of one registry, which matches patterns; its class has what the types of URLs need.

    `kind` is a type of URLs: `urlschemes.URL`, which builds on the reader, or a subclass.
    """

    API: ClassVar[int] = 1
    """The version of this class that a reader is written for, stated by the subclass itself: it is not inherited."""
    Base: ClassVar[type] = Base

    def __init__(self, registry: object, parse_slowly: Callable[[str, Any, int], Any]) -> None:
        """Make the reader of a registry, whose function `parse_slowly` parses all texts, but slowly."""
        self.registry = registry
        self._parse_slowly = parse_slowly
        # The pattern and the type of each scheme in use, by its name in lower case.
        self._schemes: dict[str, tuple[Callable[[str], re.Match[str] | None], Any]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle `registry.parse` as the `parse` of the registry where the pickle is loaded, by any reader."""
        return getattr, (self.registry, "reader")

    # `limit` is positional here: as a keyword-only argument it would cost a twentieth of the whole.
    def parse(self, text: str, type: Any = None, limit: int = LIMIT) -> Any:  # noqa: A002  what it is
        """Return the URL that `text` is: an object of its scheme's type, which must be `type` or a subclass."""
        scheme: Any = None
        try:
            if text.__class__ is str and (size := len(text)) <= limit and size <= DIGITS:
                scheme = self._schemes[text.partition(":")[0]]
        except (KeyError, TypeError):
            pass  # go on outside of the handler, so that errors have no other error as their context
        if scheme is None:
            return self._parse_slowly(text, type, limit)
        match, kind = scheme
        found = match(text)
        if type is not None and (found is None or not issubclass(kind, type)):
            return self._parse_slowly(text, type, limit)
        if found is None:
            raise InvalidURL(text, kind)
        url = new(kind)
        url._match = found
        return url

    def set(self, name: str, kind: Any) -> None:
        """Read URLs of the scheme `name` as objects of the type `kind` from now on."""
        self._schemes[name] = (kind.syntax.regex.fullmatch, kind)  # for texts too short for a long number

    def remove(self, name: str) -> None:
        """Leave URLs of the scheme `name` to the function of the registry from now on."""
        self._schemes.pop(name, None)

    @staticmethod
    def part(kind: Any, part: Part, absent: Any, *, lower: bool) -> Callable[[Any], Any]:
        """Return the function that reads a part of a URL; `absent` is its value in a URL that lacks it.

        With `lower`, it is text, and read in lower case. Of the groups of a part, at most one is not None.
        """
        pattern = kind.syntax.regex
        groups: Sequence[int] = [pattern.groupindex[group] for group in kind.syntax.groups[part.name]]
        group, decode = groups[0], str.lower if lower else part.decode

        def read_one_of(url: Any) -> Any:
            match = url._match
            for group in groups:
                if (text := match[group]) is not None:
                    return decode(text)
            return absent

        def read_text(url: Any) -> Any:
            text = url._match[group]
            if text is None:
                return absent
            return unescape(text) if "%" in text else text

        def read_as_written(url: Any) -> Any:
            text = url._match[group]
            return absent if text is None else text

        def read_other(url: Any) -> Any:
            text = url._match[group]
            return absent if text is None else decode(text)

        def read_number(url: Any) -> Any:
            text = url._match[group]
            try:
                return absent if text is None else int(text)
            except ValueError:  # Python limits the digits, with the zeros at the beginning
                return number_of(text)

        if len(groups) > 1:
            return read_one_of
        return {unescape: read_text, str: read_as_written, number_of: read_number}.get(decode, read_other)

    @staticmethod
    def explanation(kind: Any, text: str, original: OriginalText | None = None) -> Any:
        """Return what `kind._explain` returns, or an object with the same attributes."""
        return kind._explain(text, original)


READER: type[PatternReader] = PatternReader
"""The reader of this process. `urlschemes.registry.readers` sets it once."""
