"""The base of all types of URLs, and the declaration of a part in a class body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

from urlschemes.grammar.part import Kind
from urlschemes.grammar.syntax import Syntax
from urlschemes.record.registration import Registration
from urlschemes.url import pattern_reader
from urlschemes.url.original_text import OriginalText
from urlschemes.url.pattern_reader import Base

REQUIRED: Final[Any] = object()

if not TYPE_CHECKING:
    Base = pattern_reader.READER.Base


class Field(NamedTuple):
    """A part as a class body declares it.

    `default` is the value of the part in a URL that lacks it, and REQUIRED if the constructor needs the part.
    """

    kind: Kind
    default: Any
    doc: str
    lower: bool = False
    when_needed: str | None = None


class URLBase(Base):
    """A text that the syntax of its type has matched."""

    __slots__ = ()
    registration: ClassVar[Registration | None] = None
    """The record of the scheme; None for the generic URL."""
    syntax: ClassVar[Syntax]
    """The syntax of the URLs of this type."""
    default_port: ClassVar[int | None] = None
    """The default port of the scheme; None if it has none."""
    _scheme: ClassVar[str] = ""
    _fields: ClassVar[Mapping[str, Field]] = {}

    if TYPE_CHECKING:

        @classmethod
        def parse(cls, text: str, *, limit: int = ...) -> Self:
            """Return the URL that `text` is. Raises InvalidURL."""

        @classmethod
        def explanation(cls, text: str, original: OriginalText | None = None) -> Any:
            """Return the reason why `text`, perhaps made of an `original`, is not a URL of this type."""

    else:
        explanation = classmethod(pattern_reader.READER.explanation)
