"""The native reader, an optional distribution: it runs the tables of schemes in C, with the results of their patterns.

`URLSCHEMES_NATIVE=none` switches it off. It reads no text that is a subclass of str, has more than 65,534 octets or
more than 4,000 digits in a row, and no scheme that has more than eight parts, or a type with a `parse` of its own.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from urlschemes.errors import InvalidURL
from urlschemes.grammar.profile import authority_of
from urlschemes.redaction import described

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from urlschemes.grammar.automaton import State
    from urlschemes.grammar.part import Part
    from urlschemes.grammar.profile import Profile
    from urlschemes.grammar.syntax import Syntax
    from urlschemes.url.fault_place import Fault

__all__ = ["VARIABLE", "Base", "form", "learned", "part_reader", "provide", "reader_of", "why_unused"]

ABI = 4
"""The version of the functions that are called here."""


VARIABLE = "URLSCHEMES_NATIVE"
"""The variable that switches the native reader off by the value `none`; others mean nothing."""


def _module() -> tuple[Any, str]:
    """Return the module of the native reader; without one that may be used, None and the reason."""
    if os.environ.get(VARIABLE) == "none":
        return None, f"{VARIABLE} is none"
    if "t" in getattr(sys, "abiflags", ""):
        return None, "builds of Python without a global lock do not use it"
    try:
        module = import_module("urlschemes_native")
    except ImportError as error:
        return None, "it is not installed" if error.name == "urlschemes_native" else described(error)
    found = getattr(module, "ABI", None)
    return (module, "") if found == ABI else (None, f"its ABI is {found}, and this version of urlschemes needs {ABI}")


_native, why_unused = _module()


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
            made = _native.Table(table.blob, table.marks)
        except ValueError:  # it is too large
            return None
        table.__dict__.setdefault("native", made)  # another thread may have been faster: all must use one table
    syntax.known_fault = table.native.fault
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


@cache
def _kinds(profile: Profile) -> bytes:
    """Return a number for each US-ASCII character: 0 if it is legal, else one for each code of illegal characters."""
    from urlschemes.url.fault_place import ILLEGAL_CODES  # only a program that reads an error needs it

    numbers = {character: number for number, character in enumerate(ILLEGAL_CODES, 2)}
    return bytes(0 if each in profile.characters else numbers.get(each, 1) for each in map(chr, range(128)))


def learned(fault: Fault, syntax: Syntax) -> Fault:
    """Return the fault, and let the native reader of `syntax` learn it, so that it finds others of its kind itself."""
    table = syntax.table if syntax.known_fault is not None and fault.syntax is syntax else None
    if table is None or fault.surplus is not None:  # the reader leaves long numbers to Python
        return fault
    profile = syntax.profile
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
        table.native.learn(fault.scheme or "", kinds, ends, fault.text, states, fault.code, fault.at)
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
    return (part.take, division.separator) if one and not (division.leading or division.equals) else ("other", "")


def reader_of(registry: object, parse: Callable[..., object], any_url: type, limit: int) -> Any:
    """Return a native reader for `registry`, whose `parse` does what the reader does not; None if there is none."""
    return None if _native is None else _native.Reader(registry, parse, InvalidURL, any_url, limit)


def provide(reader: Any, name: str, kind: Any, parts: tuple[object, ...] = ()) -> None:
    """Let `reader` read the scheme `name` as URLs of the type `kind`, or leave it to Python if that is None."""
    table = None if kind is None else _loaded(kind.syntax)
    if table is None:
        reader.remove(name)
    else:
        reader.set(name, table, kind, parts)
