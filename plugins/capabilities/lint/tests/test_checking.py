"""`check`: every error and warning, with its code, its span and its part."""

from __future__ import annotations

import random
from typing import Any

import pytest

import urlschemes_lint
from urlschemes import URL, Registration, Registry, Scheme
from urlschemes.errors import InvalidURL, URLError, invalid_url
from urlschemes.url.value import LIMIT
from urlschemes_lint.advice import advice
from urlschemes_lint.findings import CODES
from urlschemes_lint.fixing import repair_of


@pytest.mark.parametrize(
    "text", ["x-album://h/~a", "x-album://a_b/", "x-album://h/?a?b?c", "x-album://h/a;size=x", "x-album:h"]
)
def test_the_first_error_is_that_of_parse_with_better_advice(registry: Registry, text: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        registry.parse(text)
    error, found = caught.value, urlschemes_lint.check(text, registry=registry)[0]
    assert (found.code, found.message, found.expected, found.rule, found.part, found.section) == (
        error.code,
        error.message,
        error.expected,
        error.rule,
        error.part,
        error.section,
    )
    assert found.hint == advice(error, text, registry["x-album"].url_type, repair_of(text, registry, LIMIT))


def test_the_first_error_is_also_that_of_a_type_that_parses_by_itself(album: Registration) -> None:
    kind: Any = Scheme(album).url_type

    def parse(_: object, text: str, *, limit: int = 0) -> URL:
        raise invalid_url(text, "no ~ here", part="picture", span=(18, 19))

    registry = Registry(plugins=())
    registry.register(Scheme(album, type("OwnURL", (kind,), {"parse": classmethod(parse)})))
    found = urlschemes_lint.check("x-album://h/~a/~b/~c/~d", registry=registry)
    assert [(each.message, each.span) for each in found if "no" in each.message] == [("no ~ here", (18, 19))]
    assert [each.span for each in found] == [(18, 19), (21, 22)]


def test_an_object_that_is_no_string_and_a_text_too_long_are_one_finding(registry: Registry) -> None:
    hostile: Any = 5
    assert [(each.code, each.span) for each in urlschemes_lint.check(hostile, registry=registry)] == [
        ("invalid-url", None)
    ]
    (found,) = urlschemes_lint.check("x-album://h/" + "~" * 70_000, registry=registry)
    assert (found.code, found.span) == ("url-too-long", (65_536, 70_012))
    (found,) = urlschemes_lint.check("x-album://h/" + "~" * 70_000, limit=80_000, registry=registry)
    assert (found.code, found.span) == ("invalid-character", (12, 70_012))


@pytest.mark.parametrize("number", [300, pytest.param(3000, marks=pytest.mark.slow)])
def test_a_text_has_errors_exactly_if_it_is_invalid(registry: Registry, number: int) -> None:
    chance = random.Random(1738)
    pieces = [
        "x-album://",
        "h",
        "u:p@",
        ":80",
        ":",
        "/",
        "a",
        "?",
        ";size=",
        "3",
        ";",
        "%2F",
        "%0A",
        "%",
        "~",
        " ",
        "#",
        "\u00e9",
        "@",
    ]
    for _ in range(number):
        text = "".join(chance.choices(pieces[:1] * 5 + pieces, k=1) + chance.choices(pieces, k=chance.randrange(9)))
        found = urlschemes_lint.check(text, registry=registry)
        errors = [each for each in found if each.severity == "error"]
        assert bool(errors) != registry.is_valid(text)
        if errors:
            with pytest.raises(URLError) as caught:
                registry.parse(text)
            expected = caught.value if isinstance(caught.value, InvalidURL) else errors[0]
            assert errors[0].code == caught.value.code
            for name in ("part", "rule", "section"):
                assert getattr(errors[0], name) == getattr(expected, name), text
            (start, end), (begins, ends) = expected.span or (0, 0), errors[0].span or (0, 0)
            assert start == begins
            assert end <= ends
        for each in found:
            assert each.code in CODES
        spans = [each.span for each in found if each.span]
        assert [start for start, _ in spans] == sorted(start for start, _ in spans)
