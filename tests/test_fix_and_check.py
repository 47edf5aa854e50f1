"""`fix` and `check` for each scheme: how its rules decide about the same mistake, and laws for all schemes."""

from __future__ import annotations

import pickle
import random
import re
from functools import cache
from itertools import pairwise, product
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

import findings_page
import pytest
from hypothesis import HealthCheck, given, settings
from workspace import schemes_of_plugins

from urlschemes import InvalidURL, Registry, URLError, default_registry
from urlschemes_conformance import laws
from urlschemes_lint import Finding, Fixed, NotRepairable, check, explain, fix
from urlschemes_testing.strategies import near_misses

if TYPE_CHECKING:
    from collections.abc import Callable

REGISTRIES = {"rfc1738": default_registry, "rfc3986": Registry(profile="rfc3986")}
SAMPLES = [
    ("rfc1738", 0, 100),
    ("rfc3986", 0, 40),
    *(pytest.param(profile, seed, 500, marks=pytest.mark.slow) for profile, seed in product(REGISTRIES, range(1, 7))),
]
"""Profiles, seeds of random texts, and their numbers."""


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("ftp://joe:a:b@h/~", "ftp://joe:a%3Ab@h/%7E"),
        ("ftp://h/~;TYPE=I", "ftp://h/%7E;TYPE=I"),
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
        ("(http://h/a_(b))", "http://h/a_(b)"),
        ("[a link](http://h/a_(b))", "http://h/a_(b)"),
        *(
            (f"{pair[0]}http://h/{pair[1]}", "http://h/")
            for pair in ("()", "[]", "{}", "``", "\u201c\u201d", "\xab\xbb")
        ),
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
        ("ftp://h/a\\b", "^ambiguous .* write `/` if it is a delimiter, or %5C"),
        ("file:///C:\\a", "^ambiguous .* write `/` if it is a delimiter, or %5C"),
        ("http://h/a\nb", "^ambiguous line break "),
        ("<URL:http://h/a-\n b>", "^ambiguous hyphen "),
        ("http://h/a\tb", r"^ambiguous '\\t' at position 10: leave it out, or write %09"),
        ("http\uff1a//h/", r"^there is no scheme name, .* '\\uff1a' .*; write `:` of US-ASCII"),
        ("http://h/%u00e9", "^ambiguous '%' at position 9: write %C3%A9 for the character, or %25 if the % is data"),
        ("joe@h.dom", "; an address alone is not a URL: "),
        ("prospero://h/a;b;c=d", "^ambiguous .* write `=` before it, or %3B if "),
        ("prospero://h/a;b", '^cannot be repaired without guessing: .* expected .*"="'),
        ("ftp://h/a;type=z", "^cannot be repaired without guessing: "),
        ("wais://h/db/text", "^cannot be repaired without guessing: "),
        ("mailto:a b@h.dom", "^cannot be repaired without guessing: "),
        ("news:a@b@h", "^cannot be repaired without guessing: "),
        ("nntp://h/g/", "^cannot be repaired without guessing: "),
        ("telnet://h/a", "^cannot be repaired without guessing: "),
        ("file:/etc/motd", "^cannot be repaired without guessing: "),
        ("http://good.dom\\@evil.dom/", "^cannot be repaired without guessing: "),
        ("ftp://joe#1@host.dom/", "^ambiguous '#' .* %23 if the `#` is part of a login"),
        ("http://good.example#@evil.example/", "^ambiguous '#' .* %23 if the `#` is part of a login"),
        ("news:a#b@c.d", "^ambiguous '#' .* %23 if the `#` is part of the text before the `@`"),
        ("<mailto:a@b c>", "^cannot be repaired without guessing: "),
        ("gopher://h/0a\tb", "^ambiguous .* leave it out, or write %09 if the selector ends here"),
        ("http://127.0.0.1::80", "^cannot be repaired without guessing: "),
        ("http://h:?a:b", "^cannot be repaired without guessing: "),
        ("http://http::8080/", "^cannot be repaired without guessing: "),
        ("ftp://00g0::", "^cannot be repaired without guessing: "),
        ("gopher://h?x", "^cannot be repaired without guessing: "),
        ("ftp://h?x", "^cannot be repaired without guessing: "),
        ("file://h?x", "^cannot be repaired without guessing: "),
        ("prospero://h?x", "^cannot be repaired without guessing: "),
        ("telnet://h?x", "^cannot be repaired without guessing: "),
        (
            "ftp://good.dom\\@evil.dom/",
            "^ambiguous login at position 6: some programs take a part of it for the host",
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
    """Return the examples of all schemes."""
    return [each.url for record in REGISTRIES[profile].registrations() for each in record.examples]


@cache
def codes(profile: str) -> set[str]:
    """Return the codes that the docs list, and those of the records."""
    cautions = (caution for record in REGISTRIES[profile].registrations() for caution in record.cautions)
    return {*findings_page.SEVERITIES, *(caution.code for caution in cautions)}


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


def is_of(finding: Finding, error: InvalidURL) -> bool:
    """Return True if the finding is about an error, or a run of characters that begins with it."""
    found, error_facts = ((each.code, each.part, each.rule, each.section) for each in (finding, error))
    (start, end), (begin, stop) = finding.span or (0, 0), error.span or (0, 0)
    is_same = (end, finding.message, finding.expected) == (stop, str(error.message), error.expected)
    return found == error_facts and start == begin and (is_same or end > stop > start)


@pytest.mark.parametrize(("profile", "seed", "count"), SAMPLES)
def test_each_error_is_reported_once_and_the_first_is_that_of_parse(profile: str, seed: int, count: int) -> None:
    chance, registry = random.Random(100 + seed), REGISTRIES[profile]
    for _ in range(count):
        text = mutated(chance, profile)
        findings = check(text, registry=registry)
        assert {each.code for each in findings} <= codes(profile)
        errors = [each for each in findings if each.severity == "error"]
        spans = [each.span for each in errors if each.span and each.code != "unknown-scheme"]
        assert all(end <= start for (_, end), (start, _) in pairwise(spans)), "no character belongs to two errors"
        assert len(set(spans)) == len(spans)
        error = error_of(text, registry.parse)
        if isinstance(error, InvalidURL):
            assert is_of(errors[0], error), ascii(text)
        elif error is None:
            assert not errors
            levels = registry.profile.levels[1:2]  # "percent-encoding" alone, if there are levels
            normal = str(registry.parse(text).normalized(*levels))
            for each in findings:
                # An escape that normalization decodes is not a delimiter.
                if each.code == "encoded-delimiter" and each.span:
                    assert text[slice(*each.span)].upper() in normal


@pytest.mark.parametrize(
    ("profile", "scheme", "number"),
    [
        *(("rfc1738", scheme, 8) for scheme in sorted(default_registry)),
        ("rfc3986", "http", 8),
        *(
            pytest.param(profile, scheme, 200, marks=pytest.mark.slow)
            for profile, registry in REGISTRIES.items()
            for scheme in schemes_of_plugins(registry)
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
            assert is_of(errors[0], error), ascii(text)
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


@pytest.mark.decision(33)
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
        url, meant = str(fixed.url), as_meant(text, fixed, profile)
        for resource in (resource_of_rfc3986, resource_of_rfc1738, resource_of_browsers, resource_of_wget):
            assert resource(url) == resource(meant), (text, url)
    assert repaired > count // 20


AROUND = {
    "wrapper removed",
    "prefix removed",
    "white space removed",
    "angle bracket removed",
    "bracket added",
    "name encoded",
}
"""The changes around a URL, and of a host."""


def as_meant(text: str, fixed: Fixed, profile: str) -> str:
    """Return `text` with what `fix` changed around the URL and without its fragment, where that is no part.

    In RFC 1738, a host ends an article, and one may follow a `?` of a login: what is dropped after them is dropped.
    A `#` is data where no host follows the scheme.
    """
    ends_with_host = fixed.url.scheme == "news" or re.search("//[^/]*[?][^/]*@", text)
    around = AROUND | {"fragment split off"} | ({"dot dropped", "empty port dropped"} if ends_with_host else set())
    meant = laws.with_changes(text, (each for each in fixed.changes if each.what in around))
    assert meant is not None
    return meant.replace("#", "%23") if profile == "rfc1738" and "://" not in meant else meant


# The parts of RFC 3986 appendix B.
PARTS = re.compile(r"([^:/?#]+):(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)


def octets(text: str | None) -> bytes | None:
    return None if text is None else unquote_to_bytes(text.encode("utf-8", "surrogateescape"))


def server(authority: str | None) -> tuple[object, ...] | None:
    """Return the login, the host and the port of an authority; an empty port and the dot after a name are none."""
    if authority is None:
        return None
    login, at, host = authority.rpartition("@")
    found = re.fullmatch(r"(\[.*\]|.*?)(?::(\d*))?", host, re.DOTALL)
    assert found is not None
    return at and octets(login), octets(found[1].lower().removesuffix(".")), found[2] or None


def resource_of_rfc3986(text: str) -> tuple[object, ...]:
    """Return the parts of appendix B, decoded; after a server, no path is `/`."""
    found = PARTS.fullmatch(text)
    assert found is not None
    scheme, authority, path, query, fragment = found.groups()
    path = "/" if authority is not None and not path else path
    return scheme.lower(), server(authority), octets(path), octets(query), octets(fragment)


def resource_of_rfc1738(text: str) -> tuple[object, ...]:
    """Return the login, host, port and url-path of section 3.1, decoded; an http search has a `/` before it."""
    scheme, _, rest = text.partition(":")
    if not rest.startswith("//"):
        return resource_of_rfc3986(text)
    authority, _, path = re.sub(r"^//([^/?@]*)\?(?![^/]*@)", r"//\1/?", rest)[2:].partition("/")
    return scheme.lower(), server(authority), octets(path)


def resource_of_browsers(text: str) -> tuple[object, ...]:
    """Return the parts for programs that read a backslash as a slash in the path of some schemes."""
    if not re.match("(?:https?|ftp|file):", text, re.IGNORECASE):
        return resource_of_rfc3986(text)
    path, *rest = re.split("(?=[?#])", text, maxsplit=1)
    return resource_of_rfc3986("".join([path.replace("\\", "/"), *rest]))


def resource_of_wget(text: str) -> tuple[object, ...]:
    """Return the parts for programs that end the name of a file at the first `;`, as wget does in ftp."""
    ends_name = re.match("ftp:", text, re.IGNORECASE)
    return resource_of_rfc3986(re.sub("^([^?#;]*);[^?#]*", r"\1", text) if ends_name else text)


@pytest.mark.decision(33)
@pytest.mark.parametrize(
    ("profile", "text", "readings"),
    [
        ("rfc1738", r"file:///\server/file", ["file:////server/file", "file:///%5Cserver/file"]),
        ("rfc3986", r"file:///\server/file", ["file:////server/file", "file:///%5Cserver/file"]),
        ("rfc3986", "file:///\\", ["file:////", "file:///%5C"]),
        ("rfc3986", r"file://h/\x\y", ["file://h//x/y", "file://h/%5Cx%5Cy"]),
        ("rfc1738", r"http://h/a\b c?d\e", ["http://h/a/b%20c?d%5Ce", "http://h/a%5Cb%20c?d%5Ce"]),
        ("rfc3986", r"http://h/a\b#d\e", ["http://h/a/b#d%5Ce", "http://h/a%5Cb#d%5Ce"]),
        ("rfc3986", "file:///page.html?x=1", ["file:///page.html", "file:///page.html%3Fx=1"]),
        ("rfc3986", "ftp://h/a?b?c#d", ["ftp://h/a#d", "ftp://h/a%3Fb%3Fc#d"]),
        ("rfc3986", "news:a?b", ["news:a", "news:a%3Fb"]),
        ("rfc3986", "prospero://h/a?b", ["prospero://h/a", "prospero://h/a%3Fb"]),
        ("rfc1738", "wais://h/a/b/c?d", ["wais://h/a/b/c", "wais://h/a/b/c%3Fd"]),
        ("rfc3986", "wais://h/a/b/c?d", ["wais://h/a/b/c", "wais://h/a/b/c%3Fd"]),
        ("rfc1738", "ftp://h/a;b;type=i", ["ftp://h/a", "ftp://h/a%3Bb;type=i"]),
        ("rfc3986", "ftp://h/a;typ=i", ["ftp://h/a", "ftp://h/a%3Btyp=i"]),
        ("rfc1738", "ftp://h/a;1/b", ["ftp://h/a", "ftp://h/a%3B1/b"]),
        ("rfc1738", "prospero://h/a;b;c=d", ["prospero://h/a;b=;c=d", "prospero://h/a;b%3Bc=d"]),
        ("rfc3986", "mailto:a#b@h.example", ["mailto:a", "mailto:a%23b@h.example"]),
        ("rfc3986", "mailto://a@h.example", ["mailto:a@h.example", "mailto:%2F%2Fa@h.example"]),
        ("rfc3986", "mailto:a@h.example&cc=x", ["mailto:a@h.example?cc=x", "mailto:a@h.example%26cc%3Dx"]),
        ("rfc3986", "mailto:a@h.example?cc=b@h.example?body=c", ["mailto:a@h.example?cc=b@h.example&body=c",
                                                                 "mailto:a@h.example?cc=b@h.example%3Fbody%3Dc"]),
        ("rfc3986", "news:/h/a.b", ["news://h/a.b", "news:%2Fh%2Fa.b"]),
        ("rfc3986", "file:////h/s", ["file://h/s", "file:///%2Fh/s"]),
        ("rfc3986", "file:c:/a", ["file:///c:/a"]),
        ("rfc3986", "xmpp://a/b", ["xmpp://a@/b"]),
        ("rfc3986", "data:;base64,YQ  ==", ["data:;base64,YQ=="]),
        ("rfc1738", "wais://h/db/\x00", ["wais://h/db/", "wais://h/db/%00"]),
        ("rfc3986", "file:///c|/a b", ["file:///c:/a%20b", "file:///c%7C/a%20b"]),
        ("rfc3986", "http://::1:80/", ["http://[::1]:80/", "http://[::1:80]/"]),
        ("rfc1738", "gopher://h/0a\tb", ["gopher://h/0ab", "gopher://h/0a%09b"]),
        ("rfc1738", "http://h/%u00e9", ["http://h/%C3%A9", "http://h/%25u00e9"]),
        ("rfc1738", "http://h/a\u200bb\u200bc", ["http://h/abc", "http://h/a%E2%80%8Bb%E2%80%8Bc"]),
        ("rfc1738", "http://h/a\n  b", ["http://h/ab", "http://h/a%0A%20%20b"]),
        ("rfc1738", "<http://h/a-\n b>", ["http://h/a-b", "http://h/ab"]),
        ("rfc1738", "ftp://u#1@h/", ["ftp://u", "ftp://u%231@h/"]),
        ("rfc1738", "news:a#b@c.d", ["news:a", "news:a%23b@c.d"]),
        ("rfc1738", r"ftp://good.dom\@evil.dom/", ["ftp://good.dom/@evil.dom/", "ftp://good.dom%5C@evil.dom/"]),
        ("rfc3986", "ftp://good.dom>@evil.dom/", ["ftp://good.dom", "ftp://good.dom%3E@evil.dom/"]),
        ("rfc1738", "ftp://good.dom?~@evil.dom/", ["ftp://good.dom/?%7E@evil.dom/", "ftp://good.dom?%7E@evil.dom/"]),
        ("rfc1738", "http://h/#a\nb", ["http://h/"]),
    ],
)  # fmt: skip
def test_a_text_of_two_readings_is_refused_and_both_are_given(profile: str, text: str, readings: list[str]) -> None:
    """Readings are valid URLs, unless the scheme has none for one of them."""
    with pytest.raises(NotRepairable, match=r"^ambiguous ") as caught:
        fix(text, registry=REGISTRIES[profile])
    assert list(caught.value.readings) == readings
    assert caught.value.hint == f"it may mean {' or '.join(readings)}"
    assert pickle.loads(pickle.dumps(caught.value)).readings == caught.value.readings


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ftp://joe:secret@h/a;b", ("ftp://joe:***@h/a", "ftp://joe:***@h/a%3Bb")),
        ("ftp://joe:secret#x@h/", ("ftp://joe:***", "ftp://joe:***@h/")),
        ("ftp://joe:secret>x@h/", ("ftp://joe:***", "ftp://joe:***@h/")),
        ("ftp://joe:secret?\\x@h/", ("ftp://joe:***@h/",)),
    ],
)
def test_the_readings_are_shown_without_passwords(text: str, shown: tuple[str, ...]) -> None:
    with pytest.raises(NotRepairable) as caught:
        fix(text)
    assert "secret" in caught.value.readings[0]
    assert caught.value.hint == f"it may mean {' or '.join(caught.value.shown_readings)}"
    assert pickle.loads(pickle.dumps(caught.value)).readings == caught.value.shown_readings == shown
    assert "secret" not in explain(text)
