"""RFC 1738 section 2: schemes, characters and octets, hierarchy."""

from __future__ import annotations

from itertools import product

import pytest
from rfc1738_helpers import (
    ASCII,
    CONTROLS,
    DIGITS,
    LETTERS,
    RESERVED,
    TEN,
    THING,
    UNRESERVED,
    UNSAFE,
    present,
    raw,
    refused,
    valid_examples,
)

import urlschemes_lint
from urlschemes import InvalidURL, Registration, RegistrationError, Registry, UnknownScheme, parse, parse_generic
from urlschemes.errors import GrammarError, NotHierarchical
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes_file import FileURL
from urlschemes_ftp import FtpURL
from urlschemes_gopher import GopherURL
from urlschemes_http import HttpURL
from urlschemes_prospero import ProsperoURL
from urlschemes_wais import WaisURL

# Section 2: other protocols, operations


@pytest.mark.rfc1738(3, 32, 142)
def test_the_generic_syntax_is_a_framework_for_other_schemes() -> None:
    registry = Registry(plugins=())
    with pytest.raises(UnknownScheme):
        registry.parse("x-thing://joe@host.dom/a:b")
    registry.register(Registration.from_text(THING))
    url = registry.parse("x-thing://joe@host.dom/a:b%2Fc")
    assert url.parts == {"user": "joe", "host": "host.dom", "thing": "a:b/c"}
    with pytest.raises(InvalidURL) as caught:
        registry.parse("x-thing://joe@host.dom/a/b")
    assert caught.value.code == "invalid-part"


@pytest.mark.rfc1738(4)
def test_a_record_names_its_operations() -> None:
    assert Registration.from_text(THING).operations == ()
    every = THING.replace("\n[syntax]", 'operations = ["access", "update", "replace", "find attributes"]\n[syntax]', 1)
    assert Registration.from_text(every).operations == ("access", "update", "replace", "find attributes")
    with pytest.raises(RegistrationError, match="operations"):
        Registration.from_text(every.replace('"find attributes"', '"Copy"'))


# Section 2.1


@pytest.mark.rfc1738(5)
def test_a_url_is_a_scheme_a_colon_and_a_part() -> None:
    url = parse_generic("x-foo:a:b/c?d")
    assert (url.scheme, url.schemepart) == ("x-foo", "a:b/c?d")
    for name in TEN:
        example = next(iter(valid_examples(name)))
        assert parse(example).scheme == name
        assert parse(example).schemepart == example.partition(":")[2]
    for text in ("", "http", "//host.dom/", "host.dom/a", ":a"):
        refused(text, "invalid-scheme", section="RFC 1738 section 2.1")


@pytest.mark.decision(1)
@pytest.mark.rfc1738(6)
def test_a_scheme_name_is_letters_digits_plus_period_and_hyphen() -> None:
    allowed = LETTERS + DIGITS + "+.-"
    assert parse_generic(f"{allowed}:x").scheme == allowed
    for character in allowed:
        assert parse_generic(f"{character}:x").scheme == character  # also at the beginning (decision 1)
    for character in sorted((UNRESERVED | RESERVED) - set(allowed + LETTERS.upper() + ":")):
        with pytest.raises(InvalidURL) as caught:
            parse_generic(f"a{character}b:x")
        assert caught.value.code == "invalid-scheme"
        assert (caught.value.position, caught.value.rule) == (1, "scheme")
    with pytest.raises(InvalidURL):
        parse_generic("h%74tp://host.dom/")
    with pytest.raises(RegistrationError, match=r"section 2\.1"):
        Registration.from_text(THING.replace('"x-thing"', '"x_thing"'))


@pytest.mark.decision(3)
@pytest.mark.rfc1738(7)
@pytest.mark.parametrize("name", TEN)
def test_upper_case_in_a_scheme_name_is_treated_as_lower_case(name: str) -> None:
    for example in valid_examples(name):
        rest = example.partition(":")[2]
        for written in (name.upper(), name.title()):
            url = parse(f"{written}:{rest}")
            assert str(url) == f"{written}:{rest}"
            assert (url.scheme, url) == (name, parse(f"{name}:{rest}"))


# Section 2.2: characters and octets


@pytest.mark.rfc1738(8)
def test_a_url_is_a_sequence_of_characters_in_any_coding() -> None:
    text = "http://host.dom/%7Ejoe"
    for coding in ("ascii", "utf-16", "cp500"):
        assert parse(text.encode(coding).decode(coding)) == parse(text)
    with pytest.raises(InvalidURL, match="not bytes"):
        parse(text.encode())  # type: ignore[call-overload]
    # A character that looks the same is a different one.
    refused(text.replace("/", "\u2044"), "invalid-character")
    refused("http://h\u043est.dom/", "invalid-character")


@pytest.mark.rfc1738(9, 11)
def test_every_octet_can_be_encoded_in_either_case() -> None:
    for octet in range(256):
        for digits in {f"{octet:02X}", f"{octet:02x}"}:
            url = parse(f"ftp://host.dom/a%{digits}z/%{digits}", FtpURL)
            assert octets_of(url.directories[0]) == b"a" + bytes([octet]) + b"z"
            assert octets_of(url.name or "") == bytes([octet])
            assert url.raw["name"] == f"%{digits}"


@pytest.mark.rfc1738(11)
def test_an_escape_is_a_percent_sign_and_two_hexadecimal_digits() -> None:
    hexadecimal = frozenset("0123456789ABCDEFabcdef")
    for first, second in product(UNRESERVED | RESERVED, repeat=2):
        text = f"x:%{first}{second}"
        if {first, second} <= hexadecimal:
            assert str(parse_generic(text)) == text
        else:
            with pytest.raises(InvalidURL) as caught:
                parse_generic(text)
            assert caught.value.code == "bad-escape"
    for end in ("%", "%4", "a%"):
        refused(f"http://host.dom/{end}", "bad-escape", rule="escape", section="RFC 1738 section 2.2")


@pytest.mark.rfc1738(10)
def test_an_unencoded_character_is_the_octet_of_its_code() -> None:
    for character in UNRESERVED:
        url = parse(f"ftp://host.dom/{character}", FtpURL)
        assert octets_of(url.name or "") == bytes([ord(character)])
        assert url.equivalent(parse(f"ftp://host.dom/%{ord(character):02X}"))


@pytest.mark.rfc1738(12, 15)
@pytest.mark.parametrize("name", TEN)
def test_octets_other_than_printable_us_ascii_must_be_encoded(name: str) -> None:
    example = valid_examples(name)[0]
    facts = {"position": len(example), "section": "RFC 1738 section 2.2", "scheme": name}
    for octet in [*range(0x20), *range(0x7F, 0x100)]:
        refused(example + chr(octet), "invalid-character", **facts)
        assert str(FtpURL(host="h", name=text_of(bytes([octet])))) == f"ftp://h/%{octet:02X}"


@pytest.mark.rfc1738(13, 16, 17, 18, 21, 22)
@pytest.mark.parametrize("character", sorted(UNSAFE - set("#%")))
def test_unsafe_characters_must_always_be_encoded(character: str) -> None:
    for name in TEN:
        example = valid_examples(name)[0]
        refused(
            example + character, "invalid-character", position=len(example), section="RFC 1738 section 2.2", scheme=name
        )
    escape = f"%{ord(character):02X}"
    assert str(FtpURL(host="h", name=character)) == f"ftp://h/{escape}"
    assert parse(f"ftp://h/{escape}", FtpURL).name == character
    assert str(HttpURL(host="h", path=character)) == f"http://h/{escape}"
    if character != "\\":  # `fix` reads it as a `/`
        assert str(urlschemes_lint.fix(f"http://h/a{character}z").url) == f"http://h/a{escape}z"


@pytest.mark.rfc1738(22)
@pytest.mark.parametrize("literal", [*(f'"{character}"' for character in sorted(UNSAFE - {'"'})), '<">', "%x07"])
def test_a_record_that_permits_an_unsafe_character_is_refused(literal: str) -> None:
    record = Registration.from_text(THING.replace('1*[ uchar | ":" ]', f'1*[ "a" | {literal} ]'))
    with pytest.raises(GrammarError):
        Registry(plugins=()).register(record)


@pytest.mark.decision(20)
@pytest.mark.rfc1738(19)
@pytest.mark.parametrize("name", TEN)
def test_a_number_sign_must_be_encoded_in_every_scheme(name: str) -> None:
    for example in valid_examples(name):
        refused(f"{example}#top", "fragment-present", position=len(example), section="RFC 1738 section 2.2")
    example = valid_examples(name)[0]
    fixed = urlschemes_lint.fix(f"{example}#top")
    assert (str(fixed.url), fixed.fragment) == (example, "top")
    assert str(HttpURL(host="h", path="a#b")) == "http://h/a%23b"


@pytest.mark.rfc1738(20)
def test_a_percent_sign_that_is_data_must_be_encoded() -> None:
    refused("http://h/100%", "bad-escape", position=12)
    assert str(FtpURL(host="h", name="100%")) == "ftp://h/100%25"
    assert parse("ftp://h/%2541", FtpURL).name == "%41"  # decoded once


# Section 2.2: reserved characters


# Parts that may contain any octet, with the text around them.
PLACES = [
    ("ftp://h/{}", "name"),
    ("ftp://{}@h/", "user"),
    ("http://h/{}", "path"),
    ("http://h/?{}", "search"),
    ("gopher://h/0{}", "selector"),
    ("mailto:%22{}%22@h", "address"),
    ("news:{}@h", "message_id"),
    ("telnet://u:{}@h/", "password"),
    ("wais://h/{}", "database"),
    ("wais://h/d?{}", "search"),
    ("wais://h/d/t/{}", "wpath"),
    ("file:///{}", "segments"),
    ("prospero://h/{}", "hsoname"),
    ("prospero://h/a;b={}", "fields"),
]


@pytest.mark.rfc1738(14, 24)
def test_a_reserved_character_that_is_data_must_be_encoded() -> None:
    data = "a/b;c?d:e@f&g=h"
    for url, written in (
        (FtpURL(host="h", user=data, name=data), "ftp://a%2Fb;c?d%3Ae%40f&g=h@h/a%2Fb%3Bc?d:e@f&g=h"),
        (HttpURL(host="h", path=data, search=data), "http://h/a/b;c%3Fd:e@f&g=h?a%2Fb;c%3Fd:e@f&g=h"),
        (GopherURL(host="h", gtype="0", selector=data), f"gopher://h/0{data}"),
        (WaisURL(host="h", database=data), "wais://h/a%2Fb%3Bc%3Fd%3Ae%40f%26g%3Dh"),
        (FileURL(segments=(data,)), "file:///a%2Fb%3Bc?d:e@f&g=h"),
        (ProsperoURL(host="h", hsoname=data), "prospero://h/a/b%3Bc?d:e@f&g=h"),
    ):
        assert str(url) == written
        assert parse(written).parts == url.parts


@pytest.mark.rfc1738(23, 26)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ftp://h/a/b", "ftp://h/a%2Fb"),
        ("ftp://h/a;type=i", "ftp://h/a%3Btype=i"),
        ("ftp://a:b@h/", "ftp://a%3Ab@h/"),
        ("http://h/a/b", "http://h/a%2Fb"),
        ("http://h/a?b", "http://h/a%3Fb"),
        ("http://h/a?b=c&d", "http://h/a?b%3Dc%26d"),
        ("news:a@b", "news:a%40b@b"),
        ("wais://h/a?b", "wais://h/a%3Fb"),
        ("wais://h/a/b/c", "wais://h/a%2Fb%2Fc"),
        ("file:///a/b", "file:///a%2Fb"),
        ("prospero://h/a;b=c", "prospero://h/a%3Bb=c"),
        ("prospero://h/a;b=c", "prospero://h/a;b%3Dc=c"),
    ],
)
def test_encoding_a_reserved_character_changes_the_meaning(one: str, other: str) -> None:
    assert parse(one) != parse(other)
    assert not parse(one).equivalent(parse(other))
    assert parse(one).normalized() != parse(other).normalized()


@pytest.mark.rfc1738(25, 26, 28)
@pytest.mark.parametrize(("template", "part"), PLACES)
def test_encoding_any_other_character_changes_nothing(template: str, part: str) -> None:
    for character in sorted(UNRESERVED):
        plain = parse(template.format(f"a{character}z"))
        encoded = parse(template.format(f"a%{ord(character):02X}z"))
        as_written = plain.syntax.parts[part].as_written
        assert (present(str(plain)) == present(str(encoded))) is not as_written
        assert plain.equivalent(encoded)
        assert raw(plain, part) != raw(encoded, part)
        assert encoded.normalized() == plain.normalized()


@pytest.mark.rfc1738(27)
def test_only_unreserved_and_reserved_characters_may_be_unencoded() -> None:
    assert UNRESERVED | RESERVED | UNSAFE | CONTROLS == ASCII
    for character in ASCII:
        text = f"x:a{character}z"
        if character in UNRESERVED | RESERVED:
            assert parse_generic(text).schemepart == f"a{character}z"
        else:
            with pytest.raises(InvalidURL) as caught:
                parse_generic(text)
            assert caught.value.code in {"invalid-character", "fragment-present", "bad-escape"}


@pytest.mark.decision(4)
@pytest.mark.rfc1738(28)
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("%68ttp://h/", "invalid-scheme"),
        ("http://%68/", "invalid-host"),
        ("http:%2F%2Fh/", "missing-authority"),
        ("http://h:%38/", "invalid-port"),
        ("ftp://h/a;type=%61", "invalid-part"),
        ("news:%61", "invalid-part"),
        ("nntp://h/a/%31", "invalid-part"),
    ],
)
def test_an_escape_is_refused_where_the_rule_has_none(text: str, code: str) -> None:
    refused(text, code)


# Section 2.3


@pytest.mark.rfc1738(29, 30, 73)
def test_ftp_http_and_file_are_hierarchical_by_their_slashes() -> None:
    for name in TEN:
        url = parse(valid_examples(name)[0])
        if name in {"ftp", "http", "file"}:
            assert str(parse(f"{name}://h/a/b/c").join("../d")) == f"{name}://h/a/d"
        else:
            with pytest.raises(NotHierarchical) as caught:
                url.join("b")
            assert (caught.value.scheme, caught.value.section) == (name, "RFC 1738 section 2.3")
    # An encoded slash separates nothing.
    assert str(parse("http://h/a%2Fb/c").join("../d")) == "http://h/d"
