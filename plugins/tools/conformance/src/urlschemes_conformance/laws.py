"""The laws that the type of a scheme could break, each stated once.

A law is a function that raises BrokenLaw if a URL, or a text, violates it. The review tests them with generated URLs,
the tests of the workspace with Hypothesis, and `python3 dev fuzz` with as many texts as there is time for.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, TypeVar

import urlschemes_lint
from urlschemes.errors import InvalidURL, URLError
from urlschemes.grammar.derivation import rule_of
from urlschemes.url.fault_messages import quoted_text
from urlschemes.url.value import URL
from urlschemes_lint.part_places import derivation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from urlschemes.registry.registry import Registry

    T = TypeVar("T")

__all__ = [
    "BrokenLaw",
    "builds_back",
    "has_value",
    "is_normalized_once",
    "is_present",
    "loses_nothing",
    "points_at_the_error",
    "tools_agree",
    "with_changes",
]

MAX_MESSAGE = 300
"""Characters of the message of an error."""


class BrokenLaw(AssertionError):
    """A URL violates a law. The text describes how."""


def _require(condition: object, message: str) -> None:
    if not condition:
        raise BrokenLaw(message)


# Laws of URLs


def builds_back(url: URL) -> None:
    """A URL built from the parts of `url` has these parts, and no other."""
    for values in _part_sets(url):
        _build(type(url), values, like=url)


def _build(url_type: type[URL], values: dict[str, Any], like: URL) -> None:
    built = url_type(**values)
    for name, value in values.items():
        _require(has_value(built, name, value), f"built with {name}={value!r} it has {built.parts[name]!r}: {built!s}")
    added = [name for name in built.parts if is_present(built, name) and not is_present(like, name)]
    _require(not added, f"it is built with the part {''.join(added[:1])}, which was not given: {built!s}")


def _part_sets(url: URL) -> Iterator[dict[str, Any]]:
    """Yield the parts that are present: those within other parts are left out, then those around them."""
    syntax = url.syntax
    parts = {name: value for name, value in url.parts.items() if is_present(url, name)}
    inner = {mark for name in parts for mark in syntax.within(syntax.parts[name].mark)}
    yield {name: value for name, value in parts.items() if syntax.parts[name].mark not in inner}
    if inner:
        yield {name: value for name, value in parts.items() if not syntax.within(syntax.parts[name].mark)}


def is_present(url: URL, name: str) -> bool:
    """Return True if the part is in the text of the URL; a list without elements can be the absent one."""
    return url.raw[name] not in {None, url.syntax.parts[name].absent}


def has_value(url: URL, part: str, value: object) -> bool:
    """Return True if the part has that value, encoded as needed if the part is as written.

    A type may return a part in lower case, as it returns the host.
    """
    has, known = getattr(url, part), url.syntax.parts[part]
    if known.as_written and isinstance(value, str):
        value = known.written(value)
    return bool(has == value or (isinstance(value, str) and has == value.lower()))


def loses_nothing(url: URL) -> None:
    """A URL built from all the parts of `url`, absent ones included, is equivalent to it."""
    built = type(url)(**url.parts)
    if not built.equivalent(url):
        raise BrokenLaw(f"built from its parts it is another URL, {built!s}: {_lost(url, built)}")


def _lost(url: URL, built: URL) -> str:
    """Return which text of `url` is not in `built`."""
    text, syntax = str(url), url.syntax
    changes = SequenceMatcher(None, text.lower(), str(built).lower(), autojunk=False).get_opcodes()
    start, end = next(((start, end) for change, start, end, *_ in changes if change in {"delete", "replace"}), (0, 0))
    match = syntax.fullmatch(text)
    if start == end or match is None:
        return "text is lost"
    places = {name: syntax.place(match, name) for name in syntax.parts}
    part = next((name for name, place in places.items() if place and place[0] < end and start < place[1]), None)
    if part is not None:
        return f"text of the part {part} is lost"
    rule = rule_of(syntax, derivation(text, syntax.automaton.start)[end - 1])
    return f"{text[start:end]!r} at position {start} (rule {rule}) belongs to no part"


def is_normalized_once(url: URL) -> None:
    """A normalized URL is of the same type, and stays the same when normalized again: both are equivalent."""
    once = url.normalized()
    _require(type(once) is type(url), f"normalized, it is a {type(once).__name__}")
    again = once.normalized()
    _require(str(again) == str(once), f"normalized, it is {once!s}; normalized again, {again!s}")


# Laws of texts


_PLACE = re.compile(r"""(?:(?P<quoted>['"].*?['"](?:\.\.\.)?)(?:(?!position \d)[^'"])*)?position (?P<number>\d+)""")
_BEGINNINGS = {"bad-escape": "%", "fragment-present": "#"}
"""The characters that errors of a code are about."""


def points_at_the_error(text: str, error: Any) -> None:
    """The position and the span of an error lie in `text`, and what its message quotes stands where the message says.

    `error` has the attributes of an InvalidURL, a NotRepairable, a Finding, or of the JSON of the command.
    """
    message, span = str(error.message), error.span
    _require(getattr(error, "text", text) == text, f"an error is about another text: {message}")
    position = getattr(error, "position", None if span is None else span[0])
    start: Any = position if span is None else span[0]
    end: Any = position if span is None else span[1]
    if position is not None:
        _require(0 <= start <= position <= end <= len(text), f"an error has the place {position}, {span}: {message}")
        character, expected = text[position : position + 1], _BEGINNINGS.get(error.code, "")
        is_legal = error.code == "invalid-character" and character.isascii() and character.isalnum()
        _require(character.startswith(expected) and not is_legal, f"an error is about another character: {message}")
    for place in _PLACE.finditer(message):
        number, quoted = int(place["number"]), place["quoted"] or ""
        runs = (quoted_text(text[number : number + size]) for size in range(len(quoted)))
        stands_there = not quoted or any(map(quoted.endswith, runs))
        _require(number == start and stands_there, f"a message is about another place: {message}")


def tools_agree(text: str, registry: Registry) -> None:
    """For any text: parse, is_valid, check, fix and explain agree on it, and raise only errors that can be printed.

    The errors point at what they are about, and the changes of `fix` made to the text give the URL.
    """
    parsed = _result(lambda: registry.parse(text))
    generic = _result(lambda: registry.parse_generic(text))
    is_valid = isinstance(parsed, URL)
    _require(registry.is_valid(text) == is_valid, "is_valid and parse differ")
    findings = _result(lambda: urlschemes_lint.check(text, registry=registry))
    if isinstance(findings, tuple):
        has_error = any(finding.severity == "error" for finding in findings)
        _require(has_error != is_valid, "check reports an error for a URL, or none for a text that parse refuses")
    else:
        _require(not is_valid, "check raises an error for a URL")
    explanation = str(_result(lambda: urlschemes_lint.explain(text, registry=registry)))
    _require(all(line.isprintable() for line in explanation.split("\n")), "explain returns unprintable characters")
    fixed = _result(lambda: urlschemes_lint.fix(text, registry=registry))
    for error in (parsed, generic, fixed, *(findings if isinstance(findings, tuple) else ())):
        if isinstance(error, InvalidURL | urlschemes_lint.NotRepairable | urlschemes_lint.Finding):
            points_at_the_error(text, error)
    if isinstance(fixed, urlschemes_lint.Fixed):
        _require(with_changes(text, fixed.changes) == str(fixed.url), "the changes of fix do not give its URL")
        _require(registry.parse(str(fixed.url)) == fixed.url, "the URL that fix returns cannot be parsed")
        again = urlschemes_lint.fix(str(fixed.url), registry=registry)
        unchanged = (again.url, again.changes, again.fragment) == (fixed.url, (), None)
        _require(unchanged, "fix changes a URL that it returned")
    if is_valid:
        unchanged = isinstance(fixed, urlschemes_lint.Fixed) and (fixed.url, fixed.changes) == (parsed, ())
        _require(unchanged, "fix changes or refuses a URL")


def with_changes(text: str, changes: Iterable[urlschemes_lint.Change]) -> str | None:
    """Return `text` with these changes of `fix` made, None if it is not what one of them changes."""
    for change in reversed(tuple(changes)):
        before, after = text[: change.position], text[change.position :]
        if not after.startswith(change.before):
            return None
        text = before + change.after + after.removeprefix(change.before)
    return text


def _result(function: Callable[[], T]) -> T | URLError:
    """Return the result of `function`, or the error that it raises, which must be one line of printable ASCII."""
    try:
        return function()
    except URLError as error:
        message = str(error)
        printable = len(message) <= MAX_MESSAGE and message.isascii() and message.isprintable()
        _require(printable, f"the message of an error is {message[:400]!a}")
        return error
