"""The examples of a record, parsed by the rules of the record; no plugin is imported.

A valid example is its text in segments, and its parts with their values. An invalid one has its error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from urlschemes import InvalidURL, Registry, URLError
from urlschemes_cli.output.text import escaped_line
from urlschemes_lint import fix

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from urlschemes import Registration

__all__ = ["ErrorOfExample", "Example", "PartOfExample", "Segment", "parsed_examples", "registry_of"]


class PartOfExample(NamedTuple):
    """A part of an example: its number from 1, its name, its place and text in the example, its value, its section."""

    number: int
    name: str
    start: int
    end: int
    written: str
    value: str
    section: str


class Segment(NamedTuple):
    """A piece of the text of an example, in the part `part` or in none. `begins` are the parts that begin with it."""

    text: str
    part: PartOfExample | None
    begins: tuple[PartOfExample, ...]


class ErrorOfExample(NamedTuple):
    """The error of an invalid example: the text `before` its position, `at` it and `after` it; and the repaired URL."""

    before: str
    at: str
    after: str
    error: InvalidURL
    repaired: str | None


class Example(NamedTuple):
    """An example: its text, what it shows, and the result of parsing it.

    `problem` describes a contradiction between the record and its rules.
    """

    url: str
    says: str
    valid: bool
    segments: tuple[Segment, ...] = ()
    parts: tuple[PartOfExample, ...] = ()
    error: ErrorOfExample | None = None
    problem: str | None = None


def parsed_examples(record: Registration) -> tuple[Example, ...]:
    """Return the examples of `record`. Raises GrammarError, RegistrationError if its rules cannot be used."""
    registry = registry_of(record)
    return tuple(
        _parsed(registry, record, each.url, each.says, is_valid=each.parts is not None) for each in record.examples
    )


def registry_of(record: Registration) -> Registry:
    """Return a registry with nothing but the scheme of a record. Raises GrammarError, RegistrationError."""
    registry = Registry([], profile=record.profile)
    registry.register(record)
    return registry


def _parsed(registry: Registry, record: Registration, text: str, says: str, *, is_valid: bool) -> Example:
    try:
        url = registry.parse(text)
    except InvalidURL as error:
        problem = "The record calls this a URL, but its rules refuse it." if is_valid else None
        return Example(text, says, is_valid, error=_error(registry, error), problem=problem)
    except URLError as error:  # the text has another scheme
        return Example(text, says, is_valid, segments=(Segment(text, None, ()),), problem=error.message)
    problem = None if is_valid else "The rules accept this; the code of the plugin refuses it."
    parts = tuple(_parts(record, text, {name: getattr(url, name) for name in url.parts}))
    return Example(text, says, is_valid, tuple(_segments(text, parts)), parts, problem=problem)


def _error(registry: Registry, error: InvalidURL) -> ErrorOfExample:
    text = error.text
    position = len(text) if error.position is None else error.position
    try:
        repaired = str(fix(text, registry=registry).url)
    except URLError:
        repaired = None
    return ErrorOfExample(text[:position], text[position : position + 1], text[position + 1 :], error, repaired)


def _parts(record: Registration, text: str, values: Mapping[str, Any]) -> Iterator[PartOfExample]:
    """Return the parts that are not absent, in the order of the text: an empty part first, then a longer one."""
    syntax = record.syntax
    match = syntax.fullmatch(text)
    assert match is not None
    places: list[tuple[int, int, str]] = []
    if "scheme" not in syntax.parts:
        places.append((0, text.index(":"), "scheme"))
    for name in syntax.parts:
        place = syntax.place(match, name)
        if place is not None:
            places.append((*place, name))
    places.sort(key=lambda each: (each[0], each[1] > each[0], -each[1]))
    for number, (start, end, name) in enumerate(places, 1):
        value = _value_text(values[name]) if name in values else record.scheme
        section = (
            syntax.section_of(syntax.parts[name].rule) if name in syntax.parts else record.profile.section("scheme")
        )
        yield PartOfExample(number, name, start, end, text[start:end], value, section)


def _value_text(value: object) -> str:
    """Return a value as text: of a list its elements, of a pair both texts."""
    if isinstance(value, tuple):
        return ", ".join(map(_element_text, value)) or "no elements"
    return _quoted(value) if isinstance(value, str) else str(value)


def _element_text(value: object) -> str:
    texts = value if isinstance(value, tuple) else (value,)
    return " = ".join(_quoted(str(each)) for each in texts if each is not None)


def _quoted(text: str) -> str:
    return f"“{escaped_line(text)}”"


def _segments(text: str, parts: tuple[PartOfExample, ...]) -> Iterator[Segment]:
    """Return the text divided where a part begins or ends; a segment belongs to the innermost part."""
    cuts = sorted({0, len(text), *(cut for part in parts for cut in (part.start, part.end))})
    for start, end in zip(cuts, [*cuts[1:], len(text)], strict=True):
        begins = tuple(part for part in parts if part.start == start)
        around = [part for part in parts if part.start <= start < end <= part.end]
        if start < end or begins:
            yield Segment(text[start:end], around[-1] if around else None, begins)
