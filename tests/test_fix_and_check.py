"""`fix` and `check` for each scheme: how its rules decide about the same mistake, and laws for all schemes."""

from __future__ import annotations

import pickle
import random
import re
from functools import cache
from itertools import pairwise, product
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings

from urlschemes import InvalidURL, Registry, URLError, default_registry
from urlschemes_conformance import laws
from urlschemes_lint import Finding, NotRepairable, check, fix
from urlschemes_testing.strategies import near_misses

if TYPE_CHECKING:
    from collections.abc import Callable

# A login by the rules of section 3.1, which may contain a `?`.
LOGIN = re.compile(r"(?:ftp|telnet)://[\w$.+!*'(),;?&=%-]*(?::[\w$.+!*'(),;?&=%-]*)?@", re.ASCII | re.IGNORECASE)
# The host as careless programs see it: up to the first of `/`, `\`, `?` and `#`, after the last `@` before it.
LENIENT = re.compile(r"[A-Za-z0-9+.\-]+://(?:[^/\\?#]*@)?(?P<host>\[[^/\\?#@\]]*\]|[^/\\?#:@]*)")

REGISTRIES = {"rfc1738": default_registry, "rfc3986": Registry(profile="rfc3986")}
SAMPLES = [
    ("rfc1738", 0, 500),
    ("rfc3986", 0, 100),
    *(pytest.param(profile, seed, 500, marks=pytest.mark.slow) for profile, seed in product(REGISTRIES, range(1, 13))),
]
"""Profiles, seeds of random texts, and their numbers."""


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("ftp://h/a;b;type=i", "ftp://h/a%3Bb;type=i"),
        ("ftp://joe:a:b@h/~", "ftp://joe:a%3Ab@h/%7E"),
        ("http://h/~joe?a/b?c\\d", "http://h/%7Ejoe?a%2Fb%3Fc%5Cd"),
        ("https://h.?q", "https://h/?q"),
        ("gopher://h/7find%09two words", "gopher://h/7find%09two%20words"),
        ("gopher://h/1dir\\file", "gopher://h/1dir%5Cfile"),
        ('mailto:"a b"@h.dom', "mailto:%22a%20b%22@h.dom"),
        ("mailto:<joe@h.dom>", "mailto:joe@h.dom"),
        ("news:<12@h.dom>", "news:12@h.dom"),
        ("<URL:news:<12@h.dom.>>", "news:12@h.dom"),
        ("nntp://h:/comp.lang", "nntp://h/comp.lang"),
        ("telnet://joe{}@h:/", "telnet://joe%7B%7D@h/"),
        ("wais://h/db/text/a/b;c=d", "wais://h/db/text/a%2Fb%3Bc%3Dd"),
        ("wais://h?q", "wais://h/?q"),
        ("wais://host.dom////", "wais://host.dom///%2F"),
        ("news:@a@h.dom", "news:%40a@h.dom"),
        ("http://host.dom:/@joe", "http://host.dom/@joe"),
        ("http://host.dom./@joe", "http://host.dom/@joe"),
        ("ftp://u:?pw1@h/b~", "ftp://u:?pw1@h/b%7E"),
        ("mailto:a#b@c.d", "mailto:a%23b@c.d"),
        ('"http://h/a b"', "http://h/a%20b"),
        (" 'http://h/'\n", "http://h/"),
        ("<http://h/a b and c>", "http://h/a%20b%20and%20c"),
        ("file:///a;b|c", "file:///a%3Bb%7Cc"),
        ("prospero://h/a;b=c/d=e", "prospero://h/a;b=c%2Fd%3De"),
    ],
)
def test_a_mistake_with_one_right_repair_is_repaired(text: str, url: str) -> None:
    fixed = fix(text)
    assert str(fixed.url) == url
    laws.tools_agree(text, default_registry)
    assert pickle.loads(pickle.dumps(fixed)) == fixed
    assert "error" in {each.severity for each in check(text)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ftp://h/a;typ=i", "^ambiguous .*`;type=` if that is meant, `%3B`"),
        ("ftp://h/a\\b", "^ambiguous backslash .* `/` if it is a delimiter, `%5C`"),
        ("file:///C:\\a", "^ambiguous backslash .* `/` if it is a delimiter, `%5C`"),
        ("http://h/a\nb", "^ambiguous line break "),
        ("<URL:http://h/a-\n b>", "^ambiguous hyphen "),
        ("http://h/a\tb", r"^ambiguous invisible character '\\t' at position 10: left out, or %09"),
        ("http\uff1a//h/", r"^there is no scheme name, .* '\\uff1a' .*; write `:` of US-ASCII"),
        ("http://h/%u00e9", "^ambiguous '%u00e9' at position 9: %C3%A9 if it is a character, %25 if the % is data"),
        ("joe@h.dom", "; an address alone is not a URL: "),
        ("(http://h/)", r"; leave out `\(` and `\)` around the URL"),
        ("prospero://h/a;b;c=d", "^ambiguous .* `=` inserted before it"),
        ("prospero://h/a;b", '^cannot be repaired without guessing: .* expected .*"="'),
        ("ftp://h/a;type=z", "^cannot be repaired without guessing: "),
        ("wais://h/db/text", "^cannot be repaired without guessing: "),
        ("mailto:a b@h.dom", "^cannot be repaired without guessing: "),
        ("news:a@b@h", "^cannot be repaired without guessing: "),
        ("nntp://h/g/", "^cannot be repaired without guessing: "),
        ("telnet://h/a", "^cannot be repaired without guessing: "),
        ("file:/etc/motd", "^cannot be repaired without guessing: "),
        ("http://good.dom\\@evil.dom/", "^cannot be repaired without guessing: "),
        ("ftp://joe#1@host.dom/", "^ambiguous '#' .* %23 if it is part of a login"),
        ("http://good.example#@evil.example/", "^ambiguous '#' .* %23 if it is part of a login"),
        ("news:a#b@c.d", "^ambiguous '#' .* %23 if it is part of the text before the `@`"),
        ("<mailto:a@b c>", "^cannot be repaired without guessing: "),
        ("gopher://h/0a\tb", "^ambiguous .* %09 if it ends the selector, left out"),
        ("gopher://h?x", "^cannot be repaired without guessing: "),
        ("ftp://h?x", "^cannot be repaired without guessing: "),
        ("file://h?x", "^cannot be repaired without guessing: "),
        ("prospero://h?x", "^cannot be repaired without guessing: "),
        ("telnet://h?x", "^cannot be repaired without guessing: "),
        (
            "ftp://good.dom\\@evil.dom/",
            "^ambiguous login from position 6 on: some programs take a part of it for the host",
        ),
    ],
)
def test_a_mistake_without_one_right_repair_is_not_repaired(text: str, message: str) -> None:
    with pytest.raises(NotRepairable, match=message):
        fix(text)


@pytest.mark.parametrize(
    ("url", "codes"),
    [
        ("http://h/a%2Fb%3Fc%3Bd?e%2Ff%26g", ["%2F", "%3F"]),
        ("ftp://a%40b:c%3Ad%2F@h/e%2Ff%3Bg%3F", ["%40", "%3A", "%2F", "%2F", "%3B"]),
        ("gopher://h/1%2F%3F%3B", []),
        ("mailto:a%40h.dom", []),
        ("news:a%40b%2F@h.dom", ["%40"]),
        ("wais://h/a%2Fb%3F/c%2Fd/e%2Ff", ["%2F", "%3F", "%2F"]),
        ("wais://h/db?a%2F%3F", []),
        ("file:///a%2Fb%3B", ["%2F"]),
        ("prospero://h/a%2Fb%3Bc;d%3D=%3B", ["%3B", "%3D", "%3B"]),
        ("telnet://a%3Ab@h", ["%3A"]),
    ],
)
def test_the_delimiters_of_a_part_follow_from_its_rules(url: str, codes: list[str]) -> None:
    """Sections 3.4.1, 3.5, 3.11: nothing is reserved in a selector or a mail address, `/` not in an object's name."""
    found = check(url)
    assert {each.code for each in found} <= {"encoded-delimiter", "password"}
    assert [url[slice(*each.span)] for each in found if each.code == "encoded-delimiter" and each.span] == codes


def test_a_mail_address_that_looks_like_header_fields_is_reported() -> None:
    (found,) = check("mailto:joe@h.dom?subject=hello")
    assert (found.code, found.severity, found.part, found.span) == ("header-fields", "warning", "address", (16, 17))


@pytest.mark.parametrize(
    ("url", "code", "spans"),
    [
        ("mailto://joe@h.dom", "slashes-before-address", [(7, 9)]),
        ("mailto:a//b@h.dom", "slashes-before-address", []),
        ("news:a%3Eb%3c%20@h.dom", "ends-identifier", [(6, 9), (10, 13), (13, 16)]),
        ("news://h.dom/a@b", "news-server", [(5, 7)]),
        ("telnet://-fjoe@h/", "option-for-user", [(9, 10)]),
        ("telnet://%2dfjoe@h/", "option-for-user", [(9, 12)]),
        ("telnet://joe-f@h/", "option-for-user", []),
        ("wais://h/db?a+b", "plus-for-blank", [(13, 14)]),
    ],
)
def test_the_cautions_of_records_are_reported(url: str, code: str, spans: list[tuple[int, int]]) -> None:
    found = [each for each in check(url) if each.code == code]
    assert [each.span for each in found] == spans
    assert all(each.severity == "warning" and each.section and each.hint for each in found)


ODD = (
    *'/:@?;=&#%~ \\"<>[]|.-\t\n\x00\u00e9\ud800',
    *("%00", "%2F", ";type=", "URL:", "<URL:", "//", "://", "\uff0f"),
)


@cache
def examples(profile: str) -> list[str]:
    """Return the examples of all installed schemes."""
    return [example.url for record in REGISTRIES[profile].registrations() for example in record.examples]


def mutated(chance: random.Random, profile: str) -> str:
    """Return an example with a few characters left out, inserted or replaced."""
    text = chance.choice(examples(profile))
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(["", *ODD]) + text[at + chance.randrange(2) :]
    return f"<URL:{text}>" if chance.random() < 0.1 else text


def error_of(text: str, read: Callable[[str], object]) -> URLError | None:
    """Return the error that `read` raises, or None."""
    try:
        read(text)
    except URLError as error:
        return error
    return None


def facts_of(thing: InvalidURL | Finding) -> tuple[object, ...]:
    return thing.code, thing.span, str(thing.message), thing.part, thing.rule, thing.section, thing.expected


@pytest.mark.parametrize(("profile", "seed", "count"), SAMPLES)
def test_each_error_is_reported_once_and_the_first_is_that_of_parse(profile: str, seed: int, count: int) -> None:
    chance, registry = random.Random(100 + seed), REGISTRIES[profile]
    for _ in range(count):
        text = mutated(chance, profile)
        errors = [each for each in check(text, registry=registry) if each.severity == "error"]
        spans = [each.span for each in errors if each.span and each.code != "unknown-scheme"]
        assert all(end <= start for (_, end), (start, _) in pairwise(spans)), "no character belongs to two errors"
        assert len(set(spans)) == len(spans)
        error = error_of(text, registry.parse)
        if isinstance(error, InvalidURL):
            assert facts_of(errors[0]) == facts_of(error)
        elif error is None:
            assert not errors
            levels = registry.profile.levels[1:2]  # "percent-encoding" alone, if there are levels
            normal = str(registry.parse(text).normalized(*levels))
            for each in check(text, registry=registry):
                # An escape that normalization decodes is not a delimiter.
                if each.code == "encoded-delimiter" and each.span:
                    assert text[slice(*each.span)].upper() in normal


@pytest.mark.parametrize(
    ("profile", "scheme", "number"),
    [
        *(("rfc1738", scheme, 20) for scheme in sorted(default_registry)),
        ("rfc3986", "http", 20),
        *(
            pytest.param(profile, scheme, 200, marks=pytest.mark.slow)
            for profile, registry in REGISTRIES.items()
            for scheme in sorted(registry)
        ),
    ],
)
def test_the_first_error_of_a_near_miss_is_that_of_parse(profile: str, scheme: str, number: int) -> None:
    registry = REGISTRIES[profile]

    @settings(max_examples=number, suppress_health_check=[HealthCheck.too_slow])
    @given(near_misses(scheme, registry=registry))
    def law(text: str) -> None:
        error = error_of(text, registry.parse)
        errors = [each for each in check(text, registry=registry) if each.severity == "error"]
        if isinstance(error, InvalidURL):
            assert facts_of(errors[0]) == facts_of(error)
        else:
            assert [each.code for each in errors][:1] == ([] if error is None else [error.code])

    law()


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("http://[::1]/a", [("invalid-character", (7, 8))]),
        ("http://[::1]80/", [("invalid-character", (7, 8)), ("invalid-host", (12, 14))]),
        ("ftp://[2/1:db8::7]/a", [("invalid-character", (6, 7)), ("invalid-host", (7, 8)),
                                  ("invalid-character", (17, 18))]),
        ("telnet://h?x", [("invalid-host", (10, 11))]),
        ("nntp://h/1/x/", [("invalid-part", (9, 10)), ("invalid-part", (11, 12))]),
        ("telnet://h/a b", [("invalid-part", (11, 12))]),
        ("http://a_b_c.dom/", [("invalid-host", (8, 9)), ("invalid-host", (10, 11))]),
        ("http://h:8~0/", [("invalid-character", (10, 11))]),
        ("wais://h/d~b", [("invalid-character", (10, 11))]),
        # Nothing is blamed that only a repair brought about.
        ("http://1.2.3.4\u2100", [("invalid-character", (14, 15))]),
        ("http:#/", [("fragment-present", (5, 6))]),
        ("nntp://#h", [("fragment-present", (7, 8))]),
        ("wais://%C3%A9/", [("invalid-host", (7, 8)), ("invalid-host", (10, 11))]),
    ],
)  # fmt: skip
def test_one_error_is_one_finding(text: str, findings: list[tuple[str, tuple[int, int]]]) -> None:
    assert [(each.code, each.span) for each in check(text)] == findings


@pytest.mark.parametrize(
    ("url", "code", "span"),
    [
        ("news:a@256.1.1.1", "impossible-address", (7, 10)),
        ("news:a@1.2.3.04", "impossible-address", (13, 15)),
        ("news:a@h." + "b" * 64, "long-label", (9, 73)),
        ("news:a@" + "a." * 130 + "b", "long-host", (7, 268)),
        ("news:256.1.1.1/a@h.dom", None, None),
        ("mailto:a@256.1.1.1", None, None),
    ],
)
def test_a_host_within_a_part_is_checked_like_any_other(
    url: str, code: str | None, span: tuple[int, int] | None
) -> None:
    """After the `@` of an article there is a host of section 5; the domain of a mail address is none."""
    assert [(each.code, each.span, each.part) for each in check(url)] == ([(code, span, "message_id")] if code else [])


@pytest.mark.parametrize(("profile", "seed", "count"), SAMPLES)
def test_laws_of_check_and_fix(profile: str, seed: int, count: int) -> None:
    chance, registry = random.Random(seed), REGISTRIES[profile]
    repaired = 0
    for _ in range(count):
        text = mutated(chance, profile)
        laws.tools_agree(text, registry)
        for found in check(text, registry=registry):
            assert found.message.isprintable()
            assert found.section or found.code in {"invalid-url", "url-too-long"}
        try:
            fixed = fix(text, registry=registry)
        except URLError:
            continue
        valid = registry.is_valid(text)
        repaired += not valid
        if LOGIN.match(text):
            continue  # a login by the rules is one, even if careless programs see another host
        lenient = LENIENT.match(text.removeprefix("URL:"))
        if lenient and not valid:
            host, meant = (getattr(fixed.url, "host", None) or "").rstrip("."), lenient["host"].lower().rstrip(".")
            assert host in {"", meant} or host.startswith(f"[{meant}:"), "brackets may be added"
    assert repaired > count // 17
