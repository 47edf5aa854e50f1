"""`check`: every error and warning, with its code, its span and its part."""

from __future__ import annotations

import random
import re
import sys
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


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        (
            "x-album://h/~a %zz/~~",
            [
                ("invalid-character", "albums", (12, 13)),
                ("invalid-character", "albums", (14, 15)),
                ("bad-escape", "albums", (15, 16)),
                ("invalid-character", "picture", (19, 21)),
            ],
        ),
        ("x-album://h/a#b c", [("fragment-present", "picture", (13, 14))]),
        ("x-album://h/~#b", [("invalid-character", "picture", (12, 13)), ("fragment-present", "picture", (13, 14))]),
        ("x-album://h/%zz#b", [("bad-escape", "picture", (12, 13)), ("fragment-present", "picture", (15, 16))]),
        ("x-album://h:/", [("invalid-port", "port", (12, 13))]),
        ("x-album://h:", [("invalid-port", "port", (12, 12))]),
        ("", [("invalid-scheme", "scheme", (0, 0))]),
        ("x-album:h/~", [("missing-authority", "host", (8, 9)), ("invalid-character", "picture", (10, 11))]),
        ("x-album://a@b@c:d/", [("invalid-userinfo", "user", (11, 12)), ("invalid-port", "port", (16, 17))]),
        (
            "x-album://a_b:8x/?c?d?e;size=f",
            [
                ("invalid-host", "host", (11, 12)),
                ("invalid-port", "port", (15, 16)),
                ("invalid-part", "words", (19, 20)),
                ("invalid-part", "words", (21, 22)),
                ("invalid-part", "size", (29, 30)),
            ],
        ),
        ("x-album:///??", [("empty-host", "host", (10, 11)), ("invalid-part", "words", (12, 13))]),
        (
            "x-bare://joe:x@h?a~",
            [
                ("userinfo-not-allowed", "user", (9, 14)),
                ("invalid-host", "host", (16, 17)),
                ("invalid-character", "host", (18, 19)),
            ],
        ),
        # A text after the end is one error, whatever else is wrong with it.
        ("x-bare://h/a b~", [("invalid-part", None, (11, 12))]),
        ("x-bare://h/~a", [("invalid-character", None, (11, 12))]),
        ("x-bare://h?a:8", [("invalid-host", "host", (10, 11)), ("invalid-part", "port", (14, 14))]),
        ("x-bare://h:8x?a", [("invalid-port", "port", (12, 13)), ("invalid-part", None, (14, 15))]),
        ("x-album://h/?a;size=b3", [("invalid-part", "size", (20, 21))]),
        # An address in brackets, and each error of a host, is reported once.
        ("x-album://[::1]/a", [("invalid-character", "host", (10, 11))]),
        ("x-album://u@[::1]:80/a", [("invalid-character", "host", (12, 13)), ("reserved-port", "port", (18, 20))]),
        ("x-album://a_b__c/", [("invalid-host", "host", (11, 12)), ("invalid-host", "host", (13, 15))]),
        (
            "x-album://-a-..b./",
            [
                ("invalid-host", "host", (10, 13)),
                ("invalid-host", "host", (14, 15)),
                ("invalid-host", "host", (16, 17)),
            ],
        ),
        # A name outside of US-ASCII is one error.
        (
            "x-album://b\u00fc\u00e9 c.\u00fc:8x/~",
            [
                ("invalid-character", "host", (11, 13)),
                ("invalid-character", "host", (13, 14)),
                ("invalid-port", "port", (19, 20)),
                ("invalid-character", "picture", (21, 22)),
            ],
        ),
        ("x-album://1.2./", [("invalid-host", "host", (13, 14))]),
        ("x-album://%41.b/~", [("invalid-host", "host", (10, 11)), ("invalid-character", "picture", (16, 17))]),
        ("x-album://;b/?c?", [("invalid-host", "host", (10, 11)), ("invalid-part", "words", (15, 16))]),
        ("x-album://" + "_a" * 20_000 + "/", [("invalid-host", "host", (at, at + 1)) for at in range(10, 210, 2)]),
        (
            "x-album://h?a b~c",
            [
                ("invalid-host", "host", (11, 12)),
                ("invalid-character", "words", (13, 14)),
                ("invalid-character", "words", (15, 16)),
            ],
        ),
        ("x-album://#a", [("fragment-present", "host", (10, 11))]),
        ("x-album://h:8~/~", [("invalid-character", "port", (13, 14)), ("invalid-character", "picture", (15, 16))]),
        ("x-album://h/a;b", [("invalid-part", "picture", (13, 15))]),
        ("x-album://h/a;si", [("invalid-part", None, (13, 16))]),
        ("x-album://h/a;size=", [("invalid-part", "size", (19, 19))]),
        ("x-album://h/?%0A%0a/", [("invalid-part", "words", (13, 16)), ("invalid-part", "words", (16, 19))]),
        ("x-bare://h/abc", [("invalid-part", None, (11, 12))]),
        ("x-bare://h", [("invalid-part", "host", (10, 10))]),
        # There are warnings too, but not about parts with errors.
        (
            "x-album://u:p~@1.1.1.500:x/a%2Fb%0A ",
            [
                ("password", "password", (12, 14)),
                ("invalid-character", "password", (13, 14)),
                ("impossible-address", "host", (21, 24)),
                ("invalid-port", "port", (25, 26)),
                ("encoded-delimiter", "picture", (28, 31)),
                ("control-octet", "picture", (32, 35)),
                ("invalid-character", "picture", (35, 36)),
            ],
        ),
        ("x-note:a?;x", [("question", "first", (8, 9)), ("invalid-part", "second", (10, 11))]),
        (
            "nobody:a b%0A",
            [
                ("unknown-scheme", "scheme", (0, 6)),
                ("invalid-character", "schemepart", (8, 9)),
                ("control-octet", "schemepart", (10, 13)),
            ],
        ),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_every_error_of_a_text_is_found(
    registry: Registry, text: str, findings: list[tuple[str, str | None, tuple[int, int]]]
) -> None:
    found = urlschemes_lint.check(text, registry=registry)
    assert [(each.code, each.part, each.span) for each in found] == findings
    for each in found:
        assert each.section
        assert each.message
        assert (each.severity == "error") == bool(each.rule)
        assert each.severity == "error" or not each.expected


@pytest.mark.parametrize(
    ("before", "wrong", "behind"),
    [
        ("x-album://", "u@v@", "h/?a?b"),
        ("x-album://", "u@v@", "h/?a%0Ab"),
        ("x-album://", "u@v@", "h/a;sez=1"),
        ("x-album://", "u@v@", "h/a;b"),
        ("x-album://", "u@v@", "h/;size=x"),
        ("x-album://", "u@v@", "h/;size="),
        ("x-album://", "u@v@", "h./"),
        ("x-album://", "u@v@", "h_h/"),
        ("x-album://", "u@v@", "h/;size=1~"),
        ("x-album://", "u@v@", "h/%zz"),
        ("x-album://", "u@v@", "h?a b"),
        ("x-bare://", "u@", "h"),
        ("x-bare://", "u@", "h/a"),
        ("x-note:", "~a", "a;x"),
        ("x-note:", "~a", "a;"),
        ("x-note:", "~a", "a b"),
    ],
)
def test_an_error_after_another_one_has_the_same_message(
    registry: Registry, before: str, wrong: str, behind: str
) -> None:
    alone = urlschemes_lint.check(before + behind, registry=registry)[-1]
    later = urlschemes_lint.check(before + wrong + behind, registry=registry)[-1]
    assert alone.span is not None
    start, end = (place + len(wrong) for place in alone.span)
    shown = re.search(r"position (\d+)", alone.message)
    if shown is not None:
        place = int(shown[1])
        assert alone.span[0] <= place <= alone.span[1]
        alone = alone._replace(message=alone.message.replace(shown[0], f"position {place + len(wrong)}"))
    assert later._replace(hint=None) == alone._replace(span=(start, end), hint=None), "advice is about the whole text"


@pytest.mark.parametrize(
    ("text", "part", "position", "hint"),
    [
        ("x-album:/h/~", "picture", 11, "write %7E"),
        ("x-album://h_h:x/~", "picture", 16, "write %7E"),
        ("x-album://h?a b", "words", 13, "write %20"),
        ("x-album://h b?a", "host", 11, "remove the white space"),
        ("x-album:/b\u00fc\u00e9/", "host", 10, "write the name in its US-ASCII form"),
    ],
)
def test_the_message_about_a_character_depends_on_its_place_only(
    registry: Registry, text: str, part: str, position: int, hint: str
) -> None:
    """An error before it changes nothing."""
    findings = urlschemes_lint.check(text, registry=registry)
    (found,) = [each for each in findings if each.span and each.span[0] <= position < each.span[1]]
    assert (found.code, found.part) == ("invalid-character", part)
    assert f"position {position}: " in found.message
    assert str(found.hint).startswith(hint)


def test_adjacent_wrong_characters_are_one_error(registry: Registry) -> None:
    first, run = urlschemes_lint.check("x-album://h/~/{^}", registry=registry)[-2:]
    assert (first.span, run.span) == ((12, 13), (14, 17))
    assert "'{^}'" in run.message
    assert run.hint == "write %7B%5E%7D, or let `fix` do it"


def test_a_later_error_says_what_was_expected(registry: Registry) -> None:
    _, found = urlschemes_lint.check("x-album://h/?a?b?c", registry=registry)
    assert (found.span, found.expected, found.rule) == ((16, 17), ('"%3F"',), "words")
    _, found = urlschemes_lint.check("x-album://h?a;size=b", registry=registry)
    assert (found.span, found.expected) == ((19, 20), ("a digit",))


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("x-nodes://1-2_3.4:zz/", ["invalid-host", "invalid-host", "invalid-port"]),
        ("x-nodes://[::1]/", ["invalid-character"]),
        ("x-nodes://1\u00e9/", ["invalid-character"]),
        ("x-nodes://1:2:3/", ["invalid-port"]),
        ("x-nodes://_:/", ["invalid-host", "invalid-port"]),
        ("x-nodes:///", ["empty-host"]),
        ("x-dots://1.2.3./", ["invalid-host"]),
        ("x-dots://1..2_/", ["invalid-host", "invalid-host"]),
        ("x-under://a-b/", ["invalid-host"]),
        ("x-under://a..b/", ["invalid-host"]),
        ("x-under://a,b/", ["invalid-host"]),
        ("x-under://(a-)/", ["invalid-host"]),
    ],
)
def test_the_errors_of_a_host_follow_its_rule(registry: Registry, text: str, codes: list[str]) -> None:
    """Other characters are right in these hosts, and nothing is said of them that holds for the usual host."""
    findings = urlschemes_lint.check(text, registry=registry)
    assert [each.code for each in findings] == codes
    for said in (
        *map(str, findings),
        *(f"{each.message} {each.hint}" for each in findings),
        *explained(registry, text),
    ):
        for word in ("hyphens", "labels", "by dots", "domain name", "IPv", "xn--", "groups of digits"):
            assert word not in said


@pytest.mark.parametrize(
    "text", ["x-album://joe:zq/", "x-album://joe:1zq z/", "x-album://joe:\uff5aq/", "x-bare://j:zq/"]
)
def test_nothing_that_is_said_quotes_what_may_be_a_password(registry: Registry, text: str) -> None:
    assert "z" not in "".join(f"{each.message} {each.hint}" for each in urlschemes_lint.check(text, registry=registry))


def explained(registry: Registry, text: str) -> list[str]:
    return urlschemes_lint.explain(text, registry=registry).splitlines()


@pytest.mark.parametrize("run", ["~a", "?", "%0A", ":", ".-", "_a"])
@pytest.mark.parametrize("head", ["x-album://h/?", "x-album://"])
def test_the_steps_do_not_grow_faster_than_the_text(registry: Registry, head: str, run: str) -> None:
    """Twice the text takes at most about twice the steps, counted in lines of Python."""
    counts = []
    for times in (200, 400):
        lines = 0

        def count(_: Any, event: str, __: Any) -> Any:
            nonlocal lines
            lines += event == "line"
            return count

        text = head + run * times
        urlschemes_lint.check(text, registry=registry)
        sys.settrace(count)
        try:
            urlschemes_lint.check(text, registry=registry)
        finally:
            sys.settrace(None)
        counts.append(lines)
    assert counts[1] < 2.2 * counts[0] + 500
