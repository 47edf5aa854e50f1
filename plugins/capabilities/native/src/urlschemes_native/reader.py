"""The reader of URLs that runs the tables of schemes in C, with the results of their patterns.

It leaves to the pattern a text that is a subclass of str, has more than 65,534 octets or more than 4,000 digits in a
row, and a scheme that has more than eight parts.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from urlschemes.errors import InvalidURL
from urlschemes.grammar.profile import authority_of
from urlschemes.url.pattern_reader import LIMIT, PatternReader
from urlschemes_native import _native
from urlschemes_tables import table_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.grammar.automaton import State
    from urlschemes.grammar.part import Part
    from urlschemes.grammar.profile import Profile
    from urlschemes.grammar.syntax import Syntax
    from urlschemes.url.fault_place import Fault
    from urlschemes.url.original_text import OriginalText

__all__ = ["VARIABLE", "NativeReader"]

VARIABLE = "URLSCHEMES_NATIVE"
"""The variable that switches this reader off by the value `none`; others mean nothing."""

if os.environ.get(VARIABLE) == "none":
    raise ImportError(f"{VARIABLE} is none")
if "t" in getattr(sys, "abiflags", ""):
    raise ImportError("builds of Python without a global lock do not use it")


class NativeReader(PatternReader):
    """The native reader: see `urlschemes.url.pattern_reader`."""

    API = 1
    Base = _native.Base
    """A URL holds its text, its table and where its parts stand; `_match` is matched again when it is needed."""

    def __init__(self, registry: object, parse_slowly: Callable[[str, Any, int], Any]) -> None:
        from urlschemes.url.value import URL  # late: it builds on this reader

        super().__init__(registry, parse_slowly)
        self.native = _native.Reader(registry, super().parse, InvalidURL, URL, LIMIT)
        self.parse = self.native.parse  # type: ignore[method-assign]  # without a call in between
        self.columns, self.unknown = self.native.columns, self.native.unknown

    def set(self, name: str, kind: Any) -> None:
        """Read URLs of the scheme `name` as objects of the type `kind` from now on."""
        super().set(name, kind)
        table = loaded(kind.syntax)
        if table is None:
            self.native.remove(name)
        else:
            self.native.set(name, table, kind, _parts(kind))

    def remove(self, name: str) -> None:
        """Leave URLs of the scheme `name` to the function of the registry from now on."""
        super().remove(name)
        self.native.remove(name)

    @staticmethod
    def part(kind: Any, part: Part, absent: Any, *, lower: bool) -> Callable[[Any], Any]:
        """Return the function that reads a part of a URL, also of one that the pattern has read."""
        read = PatternReader.part(kind, part, absent, lower=lower)
        table = loaded(kind.syntax)
        if table is None:
            return read
        decode = str.lower if lower else part.decode
        return _native.part_reader(table, part.mark, *form(part, lower=lower), absent, decode, read)

    @staticmethod
    def explanation(kind: Any, text: str, original: OriginalText | None = None) -> Any:
        """Return the reason why `text` is not a URL of the type `kind`; at first its code and position, if known."""
        table = loaded(kind.syntax)
        if table is None:
            return PatternReader.explanation(kind, text, original)
        if original is None and (known := table.fault(text)) is not None:
            return _Known(kind, text, known)
        return explained(kind, text, original, table)


class _Known:
    """A fault like one that was explained before; all but its code and position is computed when it is first read."""

    __slots__ = ("_fault", "code", "kind", "position", "text")

    def __init__(self, kind: Any, text: str, place: tuple[str, int]) -> None:
        self.kind = kind
        self.text = text
        self.code, self.position = place

    def __getattr__(self, name: str) -> Any:
        if name == "_fault":
            self._fault = PatternReader.explanation(self.kind, self.text, None)
            return self._fault
        return getattr(self._fault, name)


def explained(kind: Any, text: str, original: OriginalText | None, table: _native.Table) -> Fault | InvalidURL:
    """Return the reason why `text` is not a URL, and let the native reader find others of its kind itself."""
    fault: Fault | InvalidURL = PatternReader.explanation(kind, text, original)
    if isinstance(fault, InvalidURL) or fault.syntax is not kind.syntax:
        return fault
    if fault.surplus is None and 0 <= text.find(":") < fault.index:  # the reader leaves the others to Python each time
        learn(fault, table)
    return fault


def learn(fault: Fault, table: _native.Table) -> None:
    """Tell `table` the states that the walk of the fault passed, its code and its place."""
    profile = fault.syntax.profile
    authority = authority_of(fault.text, profile)
    at = -1 if authority is None else authority.at
    state: State | None = fault.starts[0]
    states = [state]
    for index, character in enumerate(fault.text[: fault.index + 1]):
        if index == at:
            state = fault.starts[-1] if len(fault.starts) > 1 else state
            states.append(state)
        if index < fault.index and state is not None:
            state = state.step(character)
            states.append(state)
    with suppress(UnicodeEncodeError):  # a lone surrogate
        kinds, ends = _kinds(profile), profile.authority_ends
        table.learn(fault.scheme or "", kinds, ends, fault.text, states, fault.code, fault.at)


@cache
def _kinds(profile: Profile) -> bytes:
    """Return a number for each US-ASCII character: 0 if it is legal, else one for each code of illegal characters."""
    from urlschemes.url.fault_place import ILLEGAL_CODES  # only a program that reads an error needs it

    numbers = {character: number for number, character in enumerate(ILLEGAL_CODES, 2)}
    return bytes(0 if each in profile.characters else numbers.get(each, 1) for each in map(chr, range(128)))


def loaded(syntax: Syntax) -> Any:
    """Return the table of `syntax` as C holds it; None if it cannot be used."""
    return syntax.once(__name__, lambda: _load(syntax))


def _load(syntax: Syntax) -> _native.Table | None:
    table = table_of(syntax)
    with suppress(ValueError):  # it is too large
        return None if table is None else _native.Table(table.blob, table.marks)
    return None


def _parts(kind: Any) -> tuple[_native.Part, ...]:
    """Return what C needs to know of each part to read columns of URLs."""
    from urlschemes.url.fields import absent_value  # late: it uses this reader

    parts: list[_native.Part] = []
    for name, part in kind.syntax.parts.items():
        field = kind._fields.get(name)
        absent = None if field is None else absent_value(kind, name)
        parts.append((name, part.mark, *form(part, lower=field is not None and field.lower), absent))
    return tuple(parts)


def form(part: Part, *, lower: bool) -> tuple[_native.Form, str]:
    """Return how the value of a part is made of its text, and a separator."""
    if lower:
        return "lower", ""
    if part.kind == "number":
        return "number", ""
    division = part.division
    if division is None:
        return ("other" if part.number else "raw" if part.as_written else "text"), ""
    is_plain = len(division.separator) == 1 and not (division.leading or division.equals or division.optional)
    return (part.take, division.separator) if is_plain else ("other", "")
