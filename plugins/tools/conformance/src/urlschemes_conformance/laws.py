"""The laws that hold for the URLs of every scheme, each stated once.

A law is a function that raises BrokenLaw if a URL, or a text, violates it. The review tests them with generated URLs,
the tests of the workspace with Hypothesis and, in a mutation campaign, with millions of texts.
"""

from __future__ import annotations

import copy
import pickle
import re
import sys
from ast import literal_eval
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import urlschemes_lint
from urlschemes.errors import InvalidURL, URLError
from urlschemes.grammar.part import Encoded
from urlschemes.url.value import URL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from urlschemes.grammar.syntax import Syntax
    from urlschemes.registry.registry import Registry

    T = TypeVar("T")

__all__ = [
    "BrokenLaw",
    "builds_back",
    "compares_as_text",
    "is_normalized_once",
    "parts_around",
    "points_at_the_error",
    "prints_back",
    "replaces_one_part",
    "replaces_within",
    "separate_parts",
    "survives_copying",
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


def prints_back(text: str, url_type: type[URL], registry: Registry) -> None:
    """A parsed URL is written back octet for octet, whether the type or the registry parses it."""
    url = url_type.parse(text)
    _require(str(url) == text, f"it is written back as {str(url)!r}")
    by_registry = registry.parse(text)
    same = type(by_registry) is type(url) and str(by_registry) == text
    _require(same, f"the registry parses it as the {type(by_registry).__name__} {str(by_registry)!r}")


def builds_back(url: URL) -> None:
    """A URL built from the parts of `url` has these parts, and no other."""
    for values in _part_sets(url):
        _build(type(url), values, like=url)


def _build(url_type: type[URL], values: dict[str, Any], like: URL) -> None:
    built = url_type(**values)
    for name, value in values.items():
        _require(_has_value(built, name, value), f"built with {name}={value!r} it has {built.parts[name]!r}: {built!s}")
    added = [name for name in built.parts if _is_present(built, name) and not _is_present(like, name)]
    _require(not added, f"it is built with the part {''.join(added[:1])}, which was not given: {built!s}")


def _part_sets(url: URL) -> Iterator[dict[str, Any]]:
    """Yield the parts that are present: those within other parts are left out, then those around them."""
    syntax = url.syntax
    parts = {name: value for name, value in url.parts.items() if _is_present(url, name)}
    inner = {mark for name in parts for mark in syntax.within(syntax.parts[name].mark)}
    yield {name: value for name, value in parts.items() if syntax.parts[name].mark not in inner}
    if inner:
        yield {name: value for name, value in parts.items() if not syntax.within(syntax.parts[name].mark)}


def _is_present(url: URL, name: str) -> bool:
    return url.raw[name] not in {None, ()}


def replaces_one_part(url: URL, part: str, value: object) -> None:
    """Replacing one part gives it that value, and changes no octet of the others; replacing it back gives `url`.

    Raises InvalidURL if the URL cannot have that value.
    """
    changed = url.replace(**{part: value})
    _require(_has_value(changed, part, value), f"{part} is then {changed.parts[part]!r}")
    for other in separate_parts(url, part):
        if url.raw[other] is not None:
            _require(
                changed.raw[other] == url.raw[other], f"{other} changes too, to {changed.raw[other]!r}: {changed!s}"
            )
    if _is_present(url, part):
        back = changed.replace(**{part: _encoded(url.raw[part])})
        # The colon of an empty port belongs to no part, and may be left out.
        same = back == url or (back.raw == url.raw and back.normalized() == url.normalized())
        _require(same, f"replacing {part} back gives {back!s}")


def _has_value(url: URL, part: str, value: object) -> bool:
    """Return True if the part has that value; a type may return a part in lower case, as it returns the host."""
    has = url.parts[part] if isinstance(value, Encoded) else getattr(url, part)
    return bool(has == value or (isinstance(value, str) and has == value.lower()))


def separate_parts(url: URL, part: str) -> list[str]:
    """Return the parts that share no octet with `part`."""
    syntax = url.syntax
    mark = syntax.parts[part].mark
    return [name for name, each in syntax.parts.items() if each.mark != mark and not syntax.overlap(name, part)]


def _encoded(raw: Any) -> Any:
    """Return a raw part as a value that is encoded already."""
    return Encoded(raw) if isinstance(raw, str) else tuple(map(_encoded, raw))


def parts_around(syntax: Syntax, inner: str) -> list[str]:
    """Return the parts within which the part `inner` lies."""
    mark = syntax.parts[inner].mark
    return [name for name, part in syntax.parts.items() if mark in syntax.within(part.mark)]


def replaces_within(url: URL, outer: str, inner: str, giver: URL) -> None:
    """A part within another is a piece of it, and changes with it, and it with the part.

    The new values are those of `giver`. Raises InvalidURL if `url` cannot have them.
    """
    text, around, within = str(url), url.span(outer), url.span(inner)
    if around is None or within is None:
        return
    _require(around[0] <= within[0] <= within[1] <= around[1], f"{inner} does not lie within {outer}")
    changed = url.replace(**{inner: giver.parts[inner]})
    _require(changed.parts[inner] == giver.parts[inner], f"{inner} is then {changed.parts[inner]!r}")
    expected = f"{text[around[0] : within[0]]}{changed.raw[inner]}{text[within[1] : around[1]]}"
    _require(changed.raw[outer] == expected, f"{outer} is then {changed.raw[outer]!r}")
    changed = url.replace(**{outer: giver.parts[outer]})
    _require(changed.parts[inner] == giver.parts[inner], f"{inner} does not change with {outer}")


def is_normalized_once(url: URL) -> None:
    """A normalized URL is equivalent, of the same type, and stays the same when normalized again."""
    once = url.normalized()
    _require(type(once) is type(url), f"normalized, it is a {type(once).__name__}")
    again = once.normalized()
    _require(str(again) == str(once), f"normalized, it is {once!s}; normalized again, {again!s}")
    _require(url.equivalent(once) and once.equivalent(url), f"it is not equivalent to {once!s}, its normal form")


def compares_as_text(url: URL, other: URL) -> None:
    """URLs are equal, hash and are ordered as their texts are, with the scheme in lower case."""
    scheme, _, rest = str(url).partition(":")
    generic = url.syntax.profile.algorithms.url_type
    for same in (type(url).parse(str(url)), generic.parse(str(url)), type(url).parse(f"{scheme.upper()}:{rest}")):
        equal = (url == same, same == url, url != same) == (True, True, False)
        _require(equal and hash(url) == hash(same), f"it is not equal to {same!r}, or has another hash")
    key, other_key = _key(url), _key(other)
    right = (url == other) == (key == other_key) and (url != other) == (key != other_key)
    _require(right, f"== or != {other!s} is not what it is for the texts")
    right = (url < other) == (key < other_key) and (other > url) == (key < other_key)
    _require(right, f"< or > {other!s} is not what it is for the texts")


def _key(url: URL) -> str:
    scheme, colon, rest = str(url).partition(":")
    return scheme.lower() + colon + rest


def survives_copying(url: URL) -> None:
    """A pickled or copied URL is equal to the original, and of the same type if that can be imported."""
    for copied in (pickle.loads(pickle.dumps(url)), copy.copy(url), copy.deepcopy(url)):  # noqa: S301  our own
        _require(isinstance(copied, URL) and str(copied) == str(url), f"a copy of it is {copied!r}")
        same = type(copied) is type(url) or not _can_be_imported(type(url))
        _require(same, f"a copy of it is a {type(copied).__name__}")


def _can_be_imported(kind: type[URL]) -> bool:
    """Return True if the type is found under its name; a type that the core makes from a record is not."""
    try:
        return attrgetter(kind.__qualname__)(sys.modules[kind.__module__]) is kind
    except (AttributeError, KeyError):
        return False


# Laws of texts


_PLACE = re.compile(
    r"""(?:(?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?:\.\.\.)?(?:(?!position \d)[^'"])*)?"""
    r"position (?P<number>\d+)"
)
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
        number, quoted = int(place["number"]), literal_eval(place["quoted"] or "''")
        _require(number == start and text.startswith(quoted, number), f"a message is about another place: {message}")


def tools_agree(text: str, registry: Registry) -> None:
    """For any text: parse, is_valid, check, fix and explain agree on it, and raise only errors that can be printed.

    The errors point at what they are about, and the changes of `fix` made to the text give the URL.
    """
    parsed = _result(lambda: registry.parse(text))
    generic = _result(lambda: registry.parse_generic(text))
    is_valid = isinstance(parsed, URL)
    _require(is_valid <= isinstance(generic, URL), "parse accepts it, but parse_generic does not")
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
