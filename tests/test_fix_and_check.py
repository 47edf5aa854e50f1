"""`fix` and `check` for each scheme: what its own rules make of the same mistake, and what holds for all of them."""

from __future__ import annotations

import pickle
import random
import re
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from workspace import ROOT

import urlschemes
import urlschemes_lint
from urlschemes import InvalidURL, Registration, URLError
from urlschemes_lint import NotRepairable
from urlschemes_lint.findings import Finding
from urlschemes_lint.fixing import Fixed

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = [
    example.url
    for path in sorted(ROOT.glob("plugins/*/src/*/registration.toml"))
    for example in Registration.from_file(path).examples
]

# Where careless programs see the host: up to the first of `/`, `\`, `?` and `#`, behind the last `@` before it.
# A login by the rules of section 3.1, which may hold a `?`.
LOGIN = re.compile(r"(?:ftp|telnet)://[\w$.+!*'(),;?&=%-]*(?::[\w$.+!*'(),;?&=%-]*)?@", re.ASCII | re.IGNORECASE)
LENIENT = re.compile(r"[A-Za-z0-9+.\-]+://(?:[^/\\?#]*@)?(?P<host>[^/\\?#:@]*)")


def carried_out(text: str, fixed: Fixed) -> str:
    """`text` with the changes of `fixed` carried out."""
    for change in reversed(fixed.changes):
        end = change.position + len(change.before)
        assert text[change.position : end] == change.before
        text = text[: change.position] + change.after + text[end:]
    return text


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("ftp://h/a;b;type=i", "ftp://h/a%3Bb;type=i"),
        ("ftp://joe:a:b@h/~", "ftp://joe:a%3Ab@h/%7E"),
        ("http://h/~joe?a/b?c\\d", "http://h/%7Ejoe?a%2Fb%3Fc%5Cd"),
        ("https://h.?q", "https://h/?q"),
        ("gopher://h/7find%09two words", "gopher://h/7find%09two%20words"),
        ("gopher://h/0a%09%09\tb", "gopher://h/0a%09%09%09b"),
        ("gopher://h/1dir\\file", "gopher://h/1dir%5Cfile"),
        ('mailto:"a b"@h.dom', "mailto:%22a%20b%22@h.dom"),
        ("mailto:<joe@h.dom>", "mailto:joe@h.dom"),
        ("news:<12@h.dom>", "news:12@h.dom"),
        ("<URL:news:<12@h.dom.>>", "news:12@h.dom"),
        ("nntp://h:/comp.lang", "nntp://h/comp.lang"),
        ("telnet://joe{}@h:/", "telnet://joe%7B%7D@h/"),
        ("wais://h/db/text/a/b;c=d", "wais://h/db/text/a%2Fb%3Bc%3Dd"),
        ("wais://h?q", "wais://h/?q"),
        ("http://host.dom:/@joe", "http://host.dom/@joe"),
        ("http://host.dom./@joe", "http://host.dom/@joe"),
        ("ftp://u:?pw1@h/b~", "ftp://u:?pw1@h/b%7E"),
        ("mailto:a#b@c.d", "mailto:a%23b@c.d"),
        ("<http://h/a b and c>", "http://h/a%20b%20and%20c"),
        ("file:///a;b|c", "file:///a%3Bb%7Cc"),
        ("prospero://h/a;b=c/d=e", "prospero://h/a;b=c%2Fd%3De"),
    ],
)
def test_what_the_rules_of_the_scheme_leave_no_choice_about_is_repaired(text: str, url: str) -> None:
    fixed = urlschemes_lint.fix(text)
    assert str(fixed.url) == url
    assert carried_out(text, fixed) == url
    assert pickle.loads(pickle.dumps(fixed)) == fixed
    assert "error" in {each.severity for each in urlschemes_lint.check(text)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ftp://h/a;typ=i", "`;type=` where that is meant, and `%3B`"),
        ("ftp://h/a\\b", "`/` where it divides, and `%5C`"),
        ("file:///C:\\a", "`/` where it divides, and `%5C`"),
        ("http://h/a\nb", "left out where the URL was broken into lines"),
        ("<URL:http://h/a-\n b>", "stays where it belongs to the URL"),
        ("prospero://h/a;b;c=d", "`=` is inserted before it"),
        ("prospero://h/a;b", '"=" is due'),
        ("ftp://h/a;type=z", "not repaired, as that would be a guess"),
        ("wais://h/db/text", "not repaired, as that would be a guess"),
        ("mailto:a b@h.dom", "not repaired, as that would be a guess"),
        ("news:a@b@h", "not repaired, as that would be a guess"),
        ("nntp://h/g/", "not repaired, as that would be a guess"),
        ("telnet://h/a", "not repaired, as that would be a guess"),
        ("file:/etc/motd", "not repaired, as that would be a guess"),
        ("http://good.dom\\@evil.dom/", "not repaired, as that would be a guess"),
        ("ftp://joe#1@host.dom/", "it begins a fragment, .* a character of a login"),
        ("http://good.example#@evil.example/", "it begins a fragment, .* a character of a login"),
        ("news:a#b@c.d", "it begins a fragment, .* a character of what ends behind the `@`"),
        ("<mailto:a@b c>", "not repaired, as that would be a guess"),
        ("gopher://h/0a\tb", "it is %09 where it ends the selector, and is left out"),
        ("gopher://h?x", "not repaired, as that would be a guess"),
        ("ftp://h?x", "not repaired, as that would be a guess"),
        ("file://h?x", "not repaired, as that would be a guess"),
        ("prospero://h?x", "not repaired, as that would be a guess"),
        ("telnet://h?x", "not repaired, as that would be a guess"),
        ("ftp://good.dom\\@evil.dom/", "is a login to some programs, and holds the host to others"),
    ],
)
def test_what_may_mean_two_things_is_not_repaired(text: str, said: str) -> None:
    with pytest.raises(NotRepairable, match=said):
        urlschemes_lint.fix(text)


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
def test_what_a_delimiter_is_follows_from_the_rules_of_the_part(url: str, codes: list[str]) -> None:
    """Sections 3.4.1, 3.5, 3.11: nothing is reserved in a selector or a mail address, `/` not in an object's name."""
    found = urlschemes_lint.check(url)
    assert {each.code for each in found} <= {"encoded-delimiter", "password"}
    assert [url[slice(*each.span)] for each in found if each.code == "encoded-delimiter" and each.span] == codes


def test_what_looks_like_header_fields_is_reported() -> None:
    (found,) = urlschemes_lint.check("mailto:joe@h.dom?subject=hello")
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
def test_what_readers_or_programs_take_for_something_else_is_reported(
    url: str, code: str, spans: list[tuple[int, int]]
) -> None:
    found = [each for each in urlschemes_lint.check(url) if each.code == code]
    assert [each.span for each in found] == spans
    assert all(each.severity == "warning" and each.section and each.hint for each in found)


def mutated(chance: random.Random) -> str:
    """An example of a record, with a few characters left out, put in or changed."""
    odd = [*'/:@?;=&#%~ \\"<>[]|.-\t\n\x00\u00e9\ud800', "%00", "%2F", ";type=", "URL:", "<URL:", "//", "://", "\uff0f"]
    text = chance.choice(EXAMPLES)
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(["", *odd]) + text[at + chance.randrange(2) :]
    return f"<URL:{text}>" if chance.random() < 0.1 else text


def error_of(text: str, read: Callable[[str], object] = urlschemes.parse) -> URLError | None:
    """What `read` raises."""
    try:
        read(text)
    except URLError as error:
        return error
    return None


def said(thing: InvalidURL | Finding) -> tuple[object, ...]:
    return thing.code, str(thing.message), thing.part, thing.rule, thing.section, thing.hint, thing.expected


@pytest.mark.parametrize("seed", range(4))
def test_each_fault_is_told_once_and_that_of_parse_in_its_words(seed: int) -> None:
    chance = random.Random(100 + seed)
    for _ in range(1500):
        text = mutated(chance)
        faults = [each for each in urlschemes_lint.check(text) if each.severity == "error"]
        spans = [each.span for each in faults if each.span and each.code != "unknown-scheme"]
        assert all(end <= start for (_, end), (start, _) in pairwise(spans)), "no character belongs to two faults"
        assert len(set(spans)) == len(spans)
        error = error_of(text)
        if isinstance(error, InvalidURL):
            told = [each.span for each in faults if said(each) == said(error)]
            if error.position is None:
                assert told == [None]
            else:
                assert any(span and span[0] <= error.position <= span[1] for span in told)
        elif error is None:
            assert not faults
            normal = str(urlschemes.parse(text).normalized())
            for each in urlschemes_lint.check(text):
                # What is written in another way in the normal form is no delimiter.
                if each.code == "encoded-delimiter" and each.span:
                    assert text[slice(*each.span)].upper() in normal


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("http://[::1]/a", [("invalid-character", (7, 12), "'[' at position 7 cannot stand in a host")]),
        ("telnet://h?x", [("invalid-host", (10, 12), "'?' at position 10 where \"/\" is due")]),
        ("nntp://h/1/x/", [("invalid-part", (9, 10), "a letter is due"), ("invalid-part", (11, 13), "a digit is due")]),
        ("telnet://h/a b", [("invalid-character", (11, 14), "a blank at position 12 is unsafe")]),
        ("http://a_b_c.dom/", [("invalid-host", (8, 9), "'_' at position 8"), ("invalid-host", (10, 11), "'_'")]),
        (
            "http://h:8~0/",
            [("invalid-character", (10, 11), "'~' at position 10 is unsafe, and cannot stand there in any form")],
        ),
        ("wais://h/d~b", [("invalid-character", (10, 11), "'~' at position 10 is unsafe and must be encoded always")]),
    ],
)
def test_one_fault_is_one_finding(text: str, findings: list[tuple[str, tuple[int, int], str]]) -> None:
    found = urlschemes_lint.check(text)
    assert [(each.code, each.span) for each in found] == [(code, span) for code, span, _ in findings]
    assert all(words in each.message for each, (_, _, words) in zip(found, findings, strict=True))


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
def test_a_host_within_a_part_is_looked_at_as_any_other(
    url: str, code: str | None, span: tuple[int, int] | None
) -> None:
    """Decision 18, for what stands behind the `@` of an article; the domain of an address is no host of section 5."""
    assert [(each.code, each.span, each.part) for each in urlschemes_lint.check(url)] == (
        [(code, span, "message_id")] if code else []
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_message_names_the_place_that_it_is_about(seed: int) -> None:
    """In the text as given, whatever was left out of it or made right before."""
    chance = random.Random(200 + seed)
    for _ in range(1000):
        text = mutated(chance)
        for found in urlschemes_lint.check(text):
            if found.span is not None and (place := re.search(r"position (\d+)", found.message)):
                assert found.span[0] <= int(place[1]) <= found.span[1], found.message
        for read in (urlschemes.parse, urlschemes_lint.fix):
            error = error_of(text, read)
            if error is not None and error.position is not None:
                place = re.search(r"position (\d+)", str(error.message))
                assert place is None or int(place[1]) == error.position, error.message


@pytest.mark.parametrize("seed", range(4))
def test_what_holds_for_every_text(seed: int) -> None:
    chance = random.Random(seed)
    repaired = 0
    for _ in range(1500):
        text = mutated(chance)
        valid = urlschemes.is_valid(text)
        for found in urlschemes_lint.check(text):
            assert found.span is None or 0 <= found.span[0] <= found.span[1] <= len(text)
            assert found.message.isprintable()
        assert any(found.severity == "error" for found in urlschemes_lint.check(text)) != valid
        try:
            fixed = urlschemes_lint.fix(text)
        except URLError:
            assert not valid
            continue
        url = str(fixed.url)
        repaired += not valid
        assert carried_out(text, fixed) == url
        assert valid == (not fixed.changes)
        assert urlschemes.parse(url) == fixed.url
        assert urlschemes_lint.fix(url).changes == ()
        if LOGIN.match(text):
            continue  # what is a login by the rules is one, whatever others make of it
        lenient = LENIENT.match(text.removeprefix("URL:"))
        if lenient and not valid:
            assert getattr(fixed.url, "host", None) in {None, "", lenient["host"].lower().rstrip(".")}
    assert repaired > 100
