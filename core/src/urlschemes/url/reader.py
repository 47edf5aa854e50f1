"""The reader of the texts that a registry is given: the pattern of each syntax, or another reader that is installed.

Another reader gives the same answers in another way. One is chosen in a process, by `urlschemes.registry.readers`,
before the first type of URLs is made: the types build on it, and its module is imported by `import urlschemes`, before
the names of that package exist. Each registry has an object of it, `registry.reader`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol, TypeAlias

from urlschemes.grammar.part import Part
from urlschemes.url.original_text import OriginalText
from urlschemes.url.pattern_reader import PatternReader

__all__ = ["READER", "Kind", "Reader"]

Kind: TypeAlias = Any
"""A type of URLs: `urlschemes.URL`, which builds on the reader, or a subclass."""


class Reader(Protocol):
    """A reader of the URLs of one registry; its class has what the types of URLs need.

    It is best a subclass of PatternReader, which does what it leaves.
    """

    API: ClassVar[int]
    """The version of this protocol that the reader is written for, stated by the class itself: it is not inherited."""
    Base: ClassVar[type]
    """The base of all types of URLs. `_text` is the text; `_match`, its match by the pattern, can also be set."""

    def __init__(self, registry: object, parse_slowly: Callable[[str, Kind, int], Any]) -> None:
        """Make the reader of a registry, whose function parses all texts, but slowly."""

    @property
    def parse(self) -> Callable[..., Any]:
        """The `parse` of the registry; a method serves. Its arguments are `text`, `type=None` and `limit=LIMIT`."""

    def set(self, name: str, kind: Kind) -> None:
        """Read URLs of the scheme `name` as objects of the type `kind` from now on."""

    def remove(self, name: str) -> None:
        """Leave URLs of the scheme `name` to the function of the registry from now on."""

    @staticmethod
    def part(kind: Kind, part: Part, absent: Any, *, lower: bool) -> Callable[[Any], Any]:
        """Return the function that reads a part of a URL; `absent` is its value in a URL that lacks it.

        With `lower`, it is text, and read in lower case.
        """

    @staticmethod
    def explanation(kind: Kind, text: str, original: OriginalText | None = None) -> Any:
        """Return what `kind._explain` returns, or an object with the same attributes."""


READER: type[Reader] = PatternReader
"""The reader of this process. `urlschemes.registry.readers` sets it once."""
