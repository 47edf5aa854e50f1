"""Tests of the URLs of a scheme, as a table in a module of tests.

    test_ftp_urls = url_tests(FtpURL, [
        valid("ftp://h/a//b", directories=("a", ""), name="b"),
        invalid("ftp://h/a;b", "invalid-part", 11),
    ])

Each row is a test, and each example of the record. A failure names the file and the line of the row. A row takes marks
of pytest, for instance one for the requirement that it proves.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from urlschemes.errors import InvalidURL, UnsafeURL, URLError
from urlschemes_lint import check
from urlschemes_testing.examples import check_example

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from urlschemes.url.value import URL

__all__ = ["Row", "built", "changed", "invalid", "refused", "unsafe", "url_tests", "valid", "warned"]

MAX_MESSAGE = 300
"""Characters of an error message."""

_Mark = pytest.MarkDecorator


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: what `check` asserts of a type of URLs."""

    name: str
    marks: tuple[_Mark, ...]
    check: Callable[[type[URL]], None]
    place: str
    """The file and the line."""


def url_tests(url_type: type[URL], rows: Iterable[Row]) -> Callable[[Row], None]:
    """Return a test of each of `rows`, and of each example in the record of `url_type`."""
    record = url_type.registration
    examples = [
        Row(each.url, (), partial(check_example, example=each), str(record and record.source))
        for each in (record.examples if record else ())
    ]
    params = [pytest.param(row, marks=row.marks, id=row.name[:80]) for row in (*examples, *rows)]

    @pytest.mark.parametrize("row", params)
    def test(row: Row) -> None:
        __tracebackhide__ = True
        try:
            row.check(url_type)
        except (AssertionError, AttributeError, TypeError, URLError) as error:
            raise AssertionError(f"{row.place}: {row.name[:200]!r}: {error}") from None

    return test


def valid(text: str, /, *marks: _Mark, **facts: object) -> Row:
    """Return the row of a URL with these attributes, to which the URL built from its parts is equivalent.

    `normalized` is the text of its normal form, and `raw` has some of its parts as written.
    """

    def law(kind: type[URL]) -> None:
        url = kind.parse(text)
        _equal("str", str(url), text)
        expected = {**facts}
        for name, written in dict(expected.pop("raw", {})).items():  # type: ignore[call-overload]
            _equal(f"raw[{name!r}]", url.raw[name], written)
        if "normalized" in expected:
            _equal("normalized", str(url.normalized()), expected.pop("normalized"))
        for name, value in expected.items():
            _equal(name, getattr(url, name), value)
        from_parts = kind(**{name: value for name, value in url.parts.items() if value is not None})
        _equal("the URL built from its parts, normalized", str(from_parts.normalized()), str(url.normalized()))

    return _row(text, marks, law)


def invalid(text: str, code: str, position: int | None, /, *marks: _Mark, **facts: object) -> Row:
    """Return the row of a text that is refused with this code and position, and these attributes of the error."""

    def law(kind: type[URL]) -> None:
        error = _refusal(lambda: kind.parse(text))
        for name, value in {"code": code, "position": position, **facts}.items():
            _equal(name, getattr(error, name), value)

    return _row(text, marks, law)


def built(text: str, /, *marks: _Mark, **parts: object) -> Row:
    """Return the row of parts from which the constructor makes the URL `text`."""

    def law(kind: type[URL]) -> None:
        url = kind(**parts)
        _equal("str", str(url), text)
        _equal("the URL", url, kind.parse(text))

    return _row(text, marks, law)


def refused(code: str, part: str | None, /, *marks: _Mark, **parts: object) -> Row:
    """Return the row of parts that the constructor refuses with this code, because of `part`."""

    def law(kind: type[URL]) -> None:
        error = _refusal(lambda: kind(**parts))
        _equal("code", error.code, code)
        _equal("part", error.part, part)

    return _row(", ".join(f"{name}={value!r}" for name, value in parts.items()), marks, law)


def changed(before: str, after: str | None, /, *marks: _Mark, **parts: object) -> Row:
    """Return the row of parts that turn the URL `before` into `after`; None if no URL has them."""

    def law(kind: type[URL]) -> None:
        url = kind.parse(before)
        if after is None:
            _refusal(lambda: url.replace(**parts))
        else:
            _equal("str", str(url.replace(**parts)), after)

    return _row(f"{before} {parts}", marks, law)


def unsafe(text: str, part: str, /, *marks: _Mark) -> Row:
    """Return the row of a URL that has control octets in `part`, which no protocol line may hold."""

    def law(kind: type[URL]) -> None:
        try:
            kind.parse(text).check_line()
        except UnsafeURL as error:
            _equal("part", error.part, part)
        else:
            raise AssertionError("check_line() must raise UnsafeURL")

    return _row(text, marks, law)


def warned(text: str, findings: dict[str, tuple[int, int]], /, *marks: _Mark) -> Row:
    """Return the row of a URL for which `urlschemes_lint.check` has exactly these codes, with their spans."""

    def law(kind: type[URL]) -> None:
        profile = kind.syntax.profile.name
        found = [(each.code, each.span) for each in check(text, profile=profile)]
        _equal("findings", sorted(found), sorted(findings.items()))

    return _row(text, marks, law)


def _row(name: str, marks: tuple[_Mark, ...], law: Callable[[type[URL]], None]) -> Row:
    caller = sys._getframe(2)  # noqa: SLF001  # the line of the table
    return Row(name, marks, law, f"{Path(caller.f_code.co_filename).name}:{caller.f_lineno}")


def _equal(name: str, found: object, expected: object) -> None:
    if found != expected:  # an assert would be rewritten by pytest, which adds a line
        raise AssertionError(f"{name}: expected {expected!r}, got {found!r}")


def _refusal(make: Callable[[], object]) -> InvalidURL:
    """Return the InvalidURL that `make` raises, whose message can be shown."""
    try:
        made = make()
    except InvalidURL as error:
        message = str(error)
        if not (message.isascii() and message.isprintable() and len(message) <= MAX_MESSAGE):
            raise AssertionError(f"the message is too long, or not printable US-ASCII: {message!r}") from None
        return error
    raise AssertionError(f"must be refused, but is {made!r}")
