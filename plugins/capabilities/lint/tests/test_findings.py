"""`check`: every finding, with its code, its span and its section."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import urlschemes_lint
from urlschemes import Registration, Registry
from urlschemes.errors import InvalidURL
from urlschemes_lint.finding_codes import CODES

ALBUM = Path(__file__).parent / "album.toml"
REGISTRY = Registry(plugins=())
REGISTRY.register(Registration.from_file(ALBUM))


def other(name: str, bnf: str, parts: str, more: str = "") -> Registration:
    """The record of a scheme `name` with these rules, and without a port of its own."""
    head = ALBUM.read_text("utf-8").partition("[syntax]")[0].replace("x-album", name).replace("default_port = 4711", "")
    return Registration.from_text(f"{head}[syntax]\nrule = \"url\"\nbnf = '''{bnf}'''\n[syntax.parts]\n{parts}\n{more}")


REGISTRY.register(
    other(
        "x-note",
        """
url   = "x-note:" whole
whole = first [ ";" second ]
first = 1*[ uchar | "/" | "?" ]
second = digits
""",
        "whole = { at = 'whole' }\nfirst = { at = 'first' }\nsecond = { at = 'second', number = true }",
        "[[cautions]]\ncode = 'question'\npart = 'first'\nholds = '?'\nmessage = 'no question'\n",
    )
)
REGISTRY.register(
    other("x-bare", 'url = "x-bare://" hostport "/"', "host = { at = 'host' }\nport = { at = 'port', number = true }")
)
REGISTRY.register(
    other(
        "x-atom",
        """
url   = "x-atom:" whole
whole = 1*xchar
pair  = word "@" word
word  = 1*[ alpha ]
""",
        "whole = { at = 'whole', decoded = 'pair' }".replace("word = { at = 'pair/word' }", ""),
    )
)


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("x-album://h/a", []),
        ("x-album://h:4711/a", []),
        ("x-album://h:8080/", [("other-port", "port", (12, 16))]),
        ("x-album://h:25/", [("reserved-port", "port", (12, 14))]),
        ("x-album://h:0/", [("impossible-port", "port", (12, 13))]),
        ("x-album://h:65536/", [("impossible-port", "port", (12, 17))]),
        ("x-bare://h:8080/", []),
        ("x-bare://h:25/", [("reserved-port", "port", (11, 13))]),
        ("x-album://u:p@h/", [("password", "password", (12, 13))]),
        ("x-album://u:@h/", [("password", "password", (12, 12))]),
        ("x-album://www.h.dom@h/", [("misleading-user", "user", (10, 19))]),
        (
            "x-album://h.dom%2Fa@h/",
            [("misleading-user", "user", (10, 19)), ("encoded-delimiter", "user", (15, 18))],
        ),
        ("x-album://joe%40h.dom@h/", [("encoded-delimiter", "user", (13, 16))]),
        ("x-album://h/%0d", [("control-octet", "picture", (12, 15))]),
        ("x-album://h/%0D%0A%7f/a", [("control-octet", "albums", (12, 21))]),
        ("x-album://h/a%2Fb/%7F", [("encoded-delimiter", "albums", (13, 16)), ("control-octet", "picture", (18, 21))]),
        (
            "x-album://h/%3F%3B%3A%26",
            [("encoded-delimiter", "picture", (12, 15)), ("encoded-delimiter", "picture", (15, 18))],
        ),
        ("x-album://h/?%2F%3B", [("encoded-delimiter", "words", (16, 19))]),
        ("x-note:%2F%3F%3B%40", [("encoded-delimiter", "first", (13, 16))]),
        ("x-atom:a%40b", []),
        ("x-note:a?b;1", [("question", "first", (8, 9))]),
        ("x-album://256.1.1.01/", [("impossible-address", "host", (10, 13)), ("impossible-address", "host", (18, 20))]),
        ("x-album://b." + "a" * 64 + "/", [("long-label", "host", (12, 76))]),
        ("x-album://" + "a." * 130 + "b/", [("long-host", "host", (10, 271))]),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_what_is_legal_and_unwise(text: str, findings: list[tuple[str, str, tuple[int, int]]]) -> None:
    found = urlschemes_lint.check(text, registry=REGISTRY)
    assert [(each.code, each.part, each.span) for each in found] == findings
    assert all(each.severity == "warning" and each.section and each.message for each in found)


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
        ("x-album://h/%zz#b", [("bad-escape", "picture", (12, 13)), ("fragment-present", None, (15, 16))]),
        ("x-album://h:/", [("invalid-port", "port", (12, 13))]),
        ("x-album://h:", [("invalid-port", "port", (12, 12))]),
        ("", [("invalid-scheme", "scheme", (0, 0))]),
        ("x-album:h/~", [("missing-authority", "host", (8, 9)), ("invalid-character", None, (10, 11))]),
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
                ("userinfo-not-allowed", "user", (9, 10)),
                ("invalid-character", None, (16, 19)),
            ],
        ),
        # What cannot stand there at all is one fault, whatever is wrong with it besides.
        ("x-bare://h/a b~", [("invalid-character", None, (11, 15))]),
        ("x-bare://h/~a", [("invalid-character", None, (11, 13))]),
        ("x-bare://h?a:8", [("invalid-host", "host", (10, 14))]),
        ("x-bare://h:8x?a", [("invalid-port", "port", (12, 15))]),
        ("x-album://h/?a;size=b3", [("invalid-part", "size", (20, 21))]),
        # What is in brackets, and each fault of a host, once.
        ("x-album://[::1]/a", [("invalid-character", "host", (10, 15))]),
        ("x-album://u@[::1]:80/a", [("invalid-character", "host", (12, 17)), ("reserved-port", "port", (18, 20))]),
        ("x-album://a_b__c/", [("invalid-host", "host", (11, 12)), ("invalid-host", "host", (13, 15))]),
        (
            "x-album://-a-..b./",
            [
                ("invalid-host", "host", (10, 11)),
                ("invalid-host", "host", (12, 13)),
                ("invalid-host", "host", (14, 15)),
                ("invalid-host", "host", (16, 17)),
            ],
        ),
        ("x-album://1.2./", [("invalid-host", "host", (10, 13)), ("invalid-host", "host", (13, 14))]),
        ("x-album://%41.b/~", [("invalid-host", "host", (10, 13)), ("invalid-character", "picture", (16, 17))]),
        ("x-album://;b/?c?", [("invalid-host", "host", (10, 11)), ("invalid-part", "words", (15, 16))]),
        (
            "x-album://" + "_a" * 40 + "/",
            [*(("invalid-host", "host", (at, at + 1)) for at in range(10, 42, 2)), ("invalid-host", "host", (42, 90))],
        ),
        (
            "x-album://h?a b~c",
            [
                ("invalid-host", "host", (11, 12)),
                ("invalid-character", "words", (13, 14)),
                ("invalid-character", "words", (15, 16)),
            ],
        ),
        ("x-album://#a", [("empty-host", "host", (10, 10)), ("fragment-present", "host", (10, 11))]),
        ("x-album://h:8~/~", [("invalid-character", "port", (13, 14)), ("invalid-character", "picture", (15, 16))]),
        ("x-album://h/a;b", [("invalid-part", "picture", (13, 14))]),
        ("x-album://h/a;si", [("invalid-part", None, (13, 14))]),
        ("x-album://h/a;size=", [("invalid-part", "size", (19, 19))]),
        ("x-album://h/?%0A%0a/", [("invalid-part", "words", (13, 16)), ("invalid-part", "words", (16, 19))]),
        ("x-bare://h/abc", [("invalid-part", None, (11, 14))]),
        ("x-bare://h", [("invalid-part", "host", (10, 10))]),
        # Warnings are found beside the errors, but for the parts that are wrong.
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
def test_every_fault_of_a_text(text: str, findings: list[tuple[str, str | None, tuple[int, int]]]) -> None:
    found = urlschemes_lint.check(text, registry=REGISTRY)
    assert [(each.code, each.part, each.span) for each in found] == findings
    for each in found:
        assert each.section
        assert each.message
        assert (each.severity == "error") == bool(each.expected)
        assert (each.severity == "error") == bool(each.rule)


def test_the_first_fault_is_told_as_parse_tells_it() -> None:
    for text in ("x-album://h/~a", "x-album://a_b/", "x-album://h/?a?b?c", "x-album://h/a;size=x", "x-album:h"):
        with pytest.raises(InvalidURL) as caught:
            REGISTRY.parse(text)
        error, found = caught.value, urlschemes_lint.check(text, registry=REGISTRY)[0]
        assert (found.code, found.message, found.expected, found.rule, found.part, found.section, found.hint) == (
            error.code,
            error.message,
            error.expected,
            error.rule,
            error.part,
            error.section,
            error.hint,
        )


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
def test_a_fault_is_told_in_the_same_words_behind_another(before: str, wrong: str, behind: str) -> None:
    alone = urlschemes_lint.check(before + behind, registry=REGISTRY)[-1]
    later = urlschemes_lint.check(before + wrong + behind, registry=REGISTRY)[-1]
    assert alone.span is not None
    start, end = (place + len(wrong) for place in alone.span)
    shown = re.search(r"position (\d+)", alone.message)
    if shown is not None:
        place = int(shown[1])
        assert alone.span[0] <= place <= alone.span[1]
        alone = alone._replace(message=alone.message.replace(shown[0], f"position {place + len(wrong)}"))
    assert later == alone._replace(span=(start, end))


@pytest.mark.parametrize(
    ("text", "part", "said", "hint"),
    [
        ("x-album:/h/~", None, "'~' at position 11 is unsafe and must be encoded always", "as data it is written %7E"),
        ("x-album://h/;size=a~", None, "'~' at position 19", "as data it is written %7E"),
        ("x-album://h_h:x/~", "picture", "'~' at position 16 is unsafe and must", "write %7E"),
        ("x-album://h?a b", "words", "a blank at position 13 is unsafe and must", "write %20"),
        ("x-bare://h?a b", None, "a blank at position 12 is unsafe, and cannot stand there", "leave out what stands"),
        (
            "x-album://h b?a",
            "host",
            "a blank at position 11 is unsafe, and cannot stand there in any form",
            "labels hold",
        ),
    ],
)
def test_what_is_said_of_a_character_goes_by_its_place_alone(text: str, part: str | None, said: str, hint: str) -> None:
    """Another mistake before it changes nothing; where nobody knows its place, it is only said how to write it."""
    with pytest.raises(InvalidURL) as caught:
        REGISTRY.parse(text)
    assert caught.value.part == part
    assert said in caught.value.message
    assert str(caught.value.hint).startswith(hint)
    place = caught.value.position
    assert place is not None
    (found,) = [
        each
        for each in urlschemes_lint.check(text, registry=REGISTRY)
        if each.span and each.span[0] <= place < each.span[1]
    ]
    assert (found.message, found.part, found.hint) == (caught.value.message, part, caught.value.hint)


def test_a_run_of_characters_is_one_fault_in_the_words_of_one() -> None:
    first, run = urlschemes_lint.check("x-album://h/~/{^}", registry=REGISTRY)[-2:]
    assert (run.message, run.hint) == (
        "'{^}' from position 14 on are unsafe and must be encoded always",
        "write %7B%5E%7D, or let `fix` do it",
    )
    assert (first.message, first.hint) == (
        "'~' at position 12 is unsafe and must be encoded always",
        "write %7E, or let `fix` do it",
    )


def test_a_later_fault_says_what_is_due() -> None:
    _, found = urlschemes_lint.check("x-album://h/?a?b?c", registry=REGISTRY)
    assert (found.message, found.expected, found.rule, found.hint) == (
        "'?' at position 16 cannot stand in the words as it is",
        ('"%3F"',),
        "words",
        "within the words it is reserved: write %3F",
    )
    _, found = urlschemes_lint.check("x-album://h?a;size=b", registry=REGISTRY)
    assert (found.message, found.expected) == ("'b' at position 19 where a digit is due", ("a digit",))


def test_no_finding_shows_a_password() -> None:
    secret = "QZ~ %0D:QZ\u00e9"
    for text in (f"x-album://joe:{secret}@h/~", f"x-album://joe:{secret}@", f"x-bare://joe:{secret}@h/"):
        for found in urlschemes_lint.check(text, registry=REGISTRY):
            assert "QZ" not in f"{found!r}{found.message}{found.hint}{found.expected}"
    found = urlschemes_lint.check("x-album://joe:a%0Db@h/", registry=REGISTRY)[1]
    assert (found.code, "%0D" in found.message) == ("control-octet", False)


def test_what_is_no_text_or_too_long_is_one_finding() -> None:
    hostile: Any = 5
    assert [(each.code, each.span) for each in urlschemes_lint.check(hostile, registry=REGISTRY)] == [
        ("invalid-url", None)
    ]
    (found,) = urlschemes_lint.check("x-album://h/" + "~" * 70_000, registry=REGISTRY)
    assert (found.code, found.span) == ("url-too-long", (65_536, 65_537))
    assert len(urlschemes_lint.check("x-album://h/" + "~" * 70_000, limit=80_000, registry=REGISTRY)) == 1


def test_there_is_an_error_where_there_is_no_url_and_nowhere_else() -> None:
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
    for _ in range(3000):
        text = "".join(chance.choices(pieces[:1] * 5 + pieces, k=1) + chance.choices(pieces, k=chance.randrange(9)))
        found = urlschemes_lint.check(text, registry=REGISTRY)
        assert any(each.severity == "error" for each in found) != REGISTRY.is_valid(text)
        for each in found:
            assert each.span is None or 0 <= each.span[0] <= each.span[1] <= len(text)
            assert each.code in CODES
        spans = [each.span for each in found if each.span]
        assert [start for start, _ in spans] == sorted(start for start, _ in spans)


@pytest.mark.parametrize("run", ["~a", " ", "?", "/", ";", ";s", "%0A", "%", "@", ":", ".-", "\u00e9", "[@", "_a"])
@pytest.mark.parametrize("head", ["x-album://h/?", "x-album://", "x-note:", "x-bare://h/"])
def test_steps_are_bounded_by_the_length(head: str, run: str) -> None:
    """Twice the text takes about twice the steps: counted in lines of Python, so that no clock is asked."""
    counts = []
    for times in (400, 800):
        lines = 0

        def count(_: Any, event: str, __: Any) -> Any:
            nonlocal lines
            lines += event == "line"
            return count

        text = head + run * times
        urlschemes_lint.check(text, registry=REGISTRY)
        sys.settrace(count)
        try:
            urlschemes_lint.check(text, registry=REGISTRY)
        finally:
            sys.settrace(None)
        counts.append(lines)
    assert counts[1] < 2.2 * counts[0] + 500


def test_every_error_of_a_text_has_a_code_that_is_listed() -> None:
    ahead = [InvalidURL]
    while ahead:
        kind = ahead.pop()
        assert CODES[kind.code].severity == "error"
        ahead += kind.__subclasses__()
