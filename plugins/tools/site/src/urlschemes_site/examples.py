"""The examples of a record, taken apart by the record's own rules; no plugin is asked.

An example that is a URL is its text in segments, each of a part or of none, and the parts with their values. One that
must be refused has the error: where, why, by which rule, and what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from urlschemes import Registry
from urlschemes.errors import InvalidURL, URLError
from urlschemes_cli.output.text import escaped_line
from urlschemes_lint import fix

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from urlschemes import Registration

__all__ = ["Example", "Fault", "Found", "Segment", "taken_apart"]


class Found(NamedTuple):
    """A part of an example: its number (from 1, in the order of the text), its name, its text, its value in words."""

    number: int
    name: str
    written: str
    value: str
    section: str


class Segment(NamedTuple):
    """A piece of an example's text: of the part `part`, or of none. `begins` are the parts that begin with it."""

    text: str
    part: Found | None
    begins: tuple[Found, ...]


class Fault(NamedTuple):
    """Why an example is no URL: the text `before` the place, what stands `at` it, what comes `after`."""

    before: str
    at: str
    after: str
    error: InvalidURL
    repaired: str | None


class Example(NamedTuple):
    """An example of a record: its text, what it shows, and what came of reading it.

    `doubt` says where the record and its rules disagree.
    """

    url: str
    says: str
    valid: bool
    segments: tuple[Segment, ...] = ()
    parts: tuple[Found, ...] = ()
    fault: Fault | None = None
    doubt: str | None = None


def taken_apart(record: Registration) -> tuple[Example, ...]:
    """The examples of `record`, in its order. Raises GrammarError, RegistrationError where its rules cannot be used."""
    registry = Registry([])
    registry.register(record)
    return tuple(_read(registry, record, each.url, each.parts, each.says) for each in record.examples)


def _read(registry: Registry, record: Registration, text: str, parts: Mapping[str, Any] | None, says: str) -> Example:
    valid = parts is not None
    try:
        url = registry.parse(text)
    except InvalidURL as error:
        doubt = "The record calls this a URL, and its rules refuse it." if valid else None
        return Example(text, says, valid, fault=_fault(registry, error), doubt=doubt)
    except URLError as error:  # a text of another scheme
        return Example(text, says, valid, segments=(Segment(text, None, ()),), doubt=error.message)
    doubt = None if valid else "The rules take this for a URL; it is the plugin's own code that refuses it."
    found = _parts(record, text, url.parts)
    segments = tuple(_segments(text, found))
    return Example(text, says, valid, segments, tuple(part for part, _ in found), doubt=doubt)


def _fault(registry: Registry, error: InvalidURL) -> Fault:
    text, place = error.text, error.position
    place = len(text) if place is None else place
    try:
        repaired = str(fix(text, registry=registry).url)
    except URLError:
        repaired = None
    return Fault(text[:place], text[place : place + 1], text[place + 1 :], error, repaired)


def _parts(record: Registration, text: str, values: Mapping[str, Any]) -> list[tuple[Found, tuple[int, int]]]:
    """The parts that are there, with their places, in the order of the text: an empty one first, then a longer one."""
    syntax = record.syntax
    match = syntax.fullmatch(text)
    if match is None:  # a URL of another scheme, by what a type of its own reads
        return []
    places: list[tuple[int, int, str]] = []
    if "scheme" not in syntax.parts:
        places.append((0, text.index(":"), "scheme"))
    for name in syntax.parts:
        place = syntax.place(match, name)
        if place is not None:
            places.append((*place, name))
    places.sort(key=lambda each: (each[0], each[1] > each[0], -each[1]))
    found = []
    for number, (start, end, name) in enumerate(places, 1):
        value = _worded(values[name]) if name in values else record.scheme
        section = syntax.section_of(syntax.parts[name].rule) if name in syntax.parts else "RFC 1738 section 2.1"
        found.append((Found(number, name, text[start:end], value, section), (start, end)))
    return found


def _worded(value: object) -> str:
    """A value as it is read; of a list, its elements; of a pair, both."""
    if isinstance(value, tuple):
        return ", ".join(map(_element, value)) or "no elements"
    return str(value) if isinstance(value, int) else _quoted(str(value))


def _element(value: object) -> str:
    return " = ".join(map(_quoted, value)) if isinstance(value, tuple) else _quoted(str(value))


def _quoted(text: str) -> str:
    return f"“{escaped_line(text)}”"


def _segments(text: str, found: Iterable[tuple[Found, tuple[int, int]]]) -> Iterable[Segment]:
    """The text cut wherever a part begins or ends; of parts within parts, a segment is of the innermost one."""
    places = list(found)
    cuts = sorted({0, len(text), *(cut for _, span in places for cut in span)})
    for start, end in zip(cuts, [*cuts[1:], len(text)], strict=True):
        begins = tuple(part for part, span in places if span[0] == start)
        inner = [part for part, span in places if span[0] <= start and end <= span[1] and start < end]
        if start < end or begins:
            yield Segment(text[start:end], inner[-1] if inner else None, begins)
