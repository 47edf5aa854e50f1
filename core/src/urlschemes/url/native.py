"""The native reader, an optional distribution: it runs the tables of schemes in C, with the results of their patterns.

`URLSCHEMES_NATIVE=none` switches it off, as does Python's development mode. It reads no text that is a subclass of str,
has more than 65,534 octets or a longer run than its table counts, and no scheme that has more than eight parts, or a
type with a `parse` of its own.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from urlschemes.errors import InvalidURL

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from urlschemes.grammar.part import Part
    from urlschemes.grammar.syntax import Syntax
    from urlschemes.url.value import URL

__all__ = ["Base", "fault_of", "form", "part_reader", "provide", "reader_of"]

ABI = 1
"""The version of the functions that are called here."""


def _module() -> Any:
    """Return the module of the native reader; None without one that may be used."""
    # A build of Python without a global lock is left to Python.
    if os.environ.get("URLSCHEMES_NATIVE") == "none" or sys.flags.dev_mode or "t" in getattr(sys, "abiflags", ""):
        return None
    try:
        module = import_module("urlschemes_native")
    except ImportError:
        return None
    return module if getattr(module, "ABI", None) == ABI else None


_native = _module()


class Base:
    """The base of URL types: a URL holds the match of its text by its syntax."""

    __slots__ = ("_match",)
    _match: re.Match[str]

    @property
    def _text(self) -> str:
        return self._match.string


if _native is not None and not TYPE_CHECKING:
    # A URL holds its text, its table and where its parts stand; `_match` is matched again when it is needed.
    Base = _native.Base


def _loaded(syntax: Syntax) -> Any:
    """Return the table of `syntax` as the native reader holds it; None if it cannot be used."""
    table = None if _native is None else syntax.table
    if table is None:
        return None
    if table.native is None:
        try:
            made = _native.Table(
                table.blob, table.marks, "host" in syntax.parts, bool({"user", "password"} & {*syntax.parts})
            )
        except ValueError:  # it is too large
            return None
        table.__dict__.setdefault("native", made)  # another thread may have been faster: all must use one table
    return table.native


def part_reader(
    syntax: Syntax, part: Part, lower: bool, absent: Any, decode: Callable[[str], Any], read: Callable[[Any], Any]
) -> Callable[[Any], Any]:
    """Return the function that reads `part` of a URL; `read` reads it from a match."""
    table = _loaded(syntax)
    if table is None:
        return read
    function: Callable[[Any], Any] = _native.part_reader(table, part.mark, *form(part, lower), absent, decode, read)
    return function


class KnownFault:
    """A fault of which the native reader knows code and position; the rest is computed when it is read."""

    __slots__ = ("_explain", "_fault", "_text", "code", "position")

    def __init__(self, code: str, position: int, text: str, explain: Callable[[str], Any]) -> None:
        self.code = code
        self.position = position
        self._text = text
        self._explain = explain

    def __getattr__(self, name: str) -> Any:
        if name == "_fault":
            self._fault = self._explain(self._text)
            return self._fault
        return getattr(self._fault, name)


def fault_of(syntax: Syntax, text: str, explain: Callable[[str], Any]) -> Any:
    """Return the fault of `text` as `explain` returns it, which is not called if code and position are known."""
    # The reader takes `/` alone for the end of an authority.
    table = _loaded(syntax) if syntax.profile.authority_ends == "/" else None
    if table is None:
        return explain(text)
    known = table.fault(text, None)
    if known is not None:
        code, position = known
        return KnownFault(code, position, text, explain)
    fault = explain(text)
    table.fault(text, lambda _: (fault.code, fault.position))
    return fault


def form(part: Part, lower: bool) -> tuple[str, str]:
    """Return how the value of a part is made of its text, in the words of the native reader; and a separator."""
    if lower:
        return "lower", ""
    if part.number:
        return "number", ""
    division = part.division
    if division is None:
        return "text", ""
    one = len(division.separator) == 1
    return (part.take, division.separator) if one and not division.leading else ("other", "")


def reader_of(registry: object, parse: Callable[..., URL], any_url: type[URL], limit: int) -> Any:
    """Return a native reader for `registry`, whose `parse` does what the reader does not; None if there is none."""
    return None if _native is None else _native.Reader(registry, parse, InvalidURL, any_url, limit)


def provide(reader: Any, name: str, kind: type[URL] | None, parts: tuple[object, ...] = ()) -> None:
    """Let `reader` read the scheme `name` as URLs of the type `kind`, or leave it to Python if that is None."""
    table = None if kind is None else _loaded(kind.syntax)
    if table is None:
        reader.remove(name)
    else:
        reader.set(name, table, kind, parts)
