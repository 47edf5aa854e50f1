"""RFC 1738, statement by statement: what it says of the text of URLs, shown section by section.

A test names the statements that it shows by their numbers, which are those of docs/rfc1738.md: that page says what each
statement is, and links to the test. The tests at the end hold the two together.
"""

from __future__ import annotations

import ast
import re
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from workspace import ROOT

import urlschemes
import urlschemes_access
import urlschemes_lint
from urlschemes import (
    InternetURL,
    InvalidURL,
    LoginURL,
    Registration,
    RegistrationError,
    Registry,
    UnknownScheme,
    UnsafeURL,
    parse,
    parse_generic,
)
from urlschemes import default_registry as REGISTRY  # noqa: N812  it does not change here
from urlschemes.errors import (
    BadEscape,
    EmptyHost,
    FragmentPresent,
    GrammarError,
    InvalidCharacter,
    InvalidHost,
    InvalidPart,
    InvalidPort,
    InvalidScheme,
    InvalidUserinfo,
    MissingAuthority,
    NotHierarchical,
    UnsupportedOperation,
    UserinfoNotAllowed,
)
from urlschemes.grammar.bnf import shared_rules
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes_access import Policy
from urlschemes_access.errors import PolicyDenied
from urlschemes_access.resources import Listing
from urlschemes_file import FileURL
from urlschemes_ftp import FtpURL
from urlschemes_gopher import GopherURL
from urlschemes_http import HttpURL
from urlschemes_mailto import MailtoURL
from urlschemes_news import NewsURL
from urlschemes_nntp import NntpURL
from urlschemes_prospero import ProsperoURL
from urlschemes_servers.nntp import Newsgroup, article, nntp_server
from urlschemes_servers.prospero import directory, external, prospero_server
from urlschemes_servers.prospero import file as prospero_file
from urlschemes_servers.telnet import telnet_server
from urlschemes_telnet import TelnetURL, open_session
from urlschemes_text import Broken, find, wrap
from urlschemes_wais import WaisURL

if TYPE_CHECKING:
    from collections.abc import Iterator

E = TypeVar("E", bound=Exception)

TEN = ("ftp", "http", "gopher", "mailto", "news", "nntp", "telnet", "wais", "file", "prospero")
INTERNET = ("ftp", "http", "gopher", "nntp", "telnet", "wais", "file", "prospero")
"""Those whose URLs begin with `//` and a host."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
UNRESERVED = frozenset(LETTERS + LETTERS.upper() + DIGITS + "$-_.+" + "!*'(),")
RESERVED = frozenset(";/?:@&=")
UNSAFE = frozenset(' <>"#%{}|\\^~[]`')
CONTROLS = frozenset(map(chr, [*range(0x20), 0x7F]))
ASCII = frozenset(map(chr, range(0x80)))


def refused(text: str, error: type[E], **facts: object) -> E:
    """The error that says why `text` is no URL: of that class, with these attributes."""
    with pytest.raises(error) as caught:
        parse(text)
    assert type(caught.value) is error, text
    for name, value in facts.items():
        assert getattr(caught.value, name) == value, (text, name)
    return caught.value


def present(text: str) -> dict[str, object]:
    """The parts of a URL without those that are absent."""
    return {name: value for name, value in parse(text).parts.items() if value is not None}


def raw(url: urlschemes.URL, part: str) -> object:
    """A part as it is written; of a list its last element, of a pair its value."""
    written: object = url.raw[part]
    while isinstance(written, tuple):
        written = written[-1]
    return written


def bare(template: str, part: str, *, first: str = "a", last: str = "z") -> frozenset[str]:
    """The US-ASCII characters that stand in `part` of a URL as they are."""
    taken = set()
    for character in ASCII:
        piece = f"{first}{character}{last}"
        text = template.format(piece)
        if urlschemes.is_valid(text) and raw(parse(text), part) == piece:
            taken.add(character)
    return frozenset(taken)


def escapes(template: str, part: str) -> bool:
    """Whether an encoded letter can stand in `part` of a URL."""
    text = template.format("a%41z")
    return urlschemes.is_valid(text) and raw(parse(text), part) == "a%41z"


# Every example URL

EXAMPLES: dict[str, dict[str, Any]] = {
    # Section 1
    "http://www.acl.lanl.gov/URI/archive/uri-archive.index.html": {
        "host": "www.acl.lanl.gov",
        "port": 80,
        "path": "URI/archive/uri-archive.index.html",
    },
    # Section 3.1
    "ftp://@host.com/": {"user": "", "host": "host.com", "port": 21, "directories": (), "name": ""},
    "ftp://host.com/": {"host": "host.com", "port": 21, "directories": (), "name": ""},
    "ftp://foo:@host.com/": {
        "user": "foo",
        "password": "",
        "host": "host.com",
        "port": 21,
        "directories": (),
        "name": "",
    },
    # Section 3.2.2
    "ftp://myname@host.dom/%2Fetc/motd": {
        "user": "myname",
        "host": "host.dom",
        "port": 21,
        "directories": ("/etc",),
        "name": "motd",
    },
    "ftp://myname@host.dom/etc/motd": {
        "user": "myname",
        "host": "host.dom",
        "port": 21,
        "directories": ("etc",),
        "name": "motd",
    },
    "ftp://myname@host.dom//etc/motd": {
        "user": "myname",
        "host": "host.dom",
        "port": 21,
        "directories": ("", "etc"),
        "name": "motd",
    },
    # Section 3.6
    "news:*": {"group": "*"},
    # Section 3.10
    "file://vms.host.edu/disk$user/my/notes/note12345.txt": {
        "host": "vms.host.edu",
        "segments": ("disk$user", "my", "notes", "note12345.txt"),
    },
    # Section 3.11
    "prospero://host.dom//pros/name": {"host": "host.dom", "port": 1525, "hsoname": "/pros/name", "fields": ()},
    # Appendix
    "ftp://info.cern.ch/pub/www/doc;type=d": {
        "host": "info.cern.ch",
        "port": 21,
        "directories": ("pub", "www"),
        "name": "doc",
        "typecode": "d",
    },
    "ftp://ds.internic.net/rfc": {"host": "ds.internic.net", "port": 21, "directories": (), "name": "rfc"},
    "http://ds.internic.net/instructions/overview.html": {
        "host": "ds.internic.net",
        "port": 80,
        "path": "instructions/overview.html",
    },
}

# The references, in their order: the host, the directories, and the name of each document.
REFERENCES: dict[str, tuple[str, tuple[str, ...], str]] = {
    "ftp://ds.internic.net/rfc/rfc1436.txt;type=a": ("ds.internic.net", ("rfc",), "rfc1436.txt"),
    "ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol/Gopher+/Gopher+.txt": (
        "boombox.micro.umn.edu",
        ("pub", "gopher", "gopher_protocol", "Gopher+"),
        "Gopher+.txt",
    ),
    "ftp://ds.internic.net/rfc/rfc1630.txt": ("ds.internic.net", ("rfc",), "rfc1630.txt"),
    "ftp://info.cern.ch/pub/www/doc/http-spec.txt.Z": ("info.cern.ch", ("pub", "www", "doc"), "http-spec.txt.Z"),
    "ftp://ds.internic.net/rfc/rfc1123.txt": ("ds.internic.net", ("rfc",), "rfc1123.txt"),
    "ftp://ds.internic.net/rfc/rfc822.txt": ("ds.internic.net", ("rfc",), "rfc822.txt"),
    "ftp://quake.think.com/pub/wais/doc/protspec.txt": ("quake.think.com", ("pub", "wais", "doc"), "protspec.txt"),
    "ftp://ds.internic.net/rfc/rfc1036.txt": ("ds.internic.net", ("rfc",), "rfc1036.txt"),
    "ftp://quake.think.com/pub/wais/doc/doc-ids.txt": ("quake.think.com", ("pub", "wais", "doc"), "doc-ids.txt"),
    "ftp://ds.internic.net/rfc/rfc977.txt": ("ds.internic.net", ("rfc",), "rfc977.txt"),
    "ftp://ds.internic.net/internet-drafts/draft-ietf-uri-irl-fun-req-02.txt": (
        "ds.internic.net",
        ("internet-drafts",),
        "draft-ietf-uri-irl-fun-req-02.txt",
    ),
    "ftp://ds.internic.net/rfc/rfc1034.txt": ("ds.internic.net", ("rfc",), "rfc1034.txt"),
    "ftp://prospero.isi.edu/pub/prospero/doc/prospero-protocol.PS.Z": (
        "prospero.isi.edu",
        ("pub", "prospero", "doc"),
        "prospero-protocol.PS.Z",
    ),
    "ftp://ds.internic.net/rfc/rfc959.txt": ("ds.internic.net", ("rfc",), "rfc959.txt"),
    "ftp://ds.internic.net/rfc/rfc1737.txt": ("ds.internic.net", ("rfc",), "rfc1737.txt"),
    "ftp://ds.internic.net/rfc/rfc1625.txt": ("ds.internic.net", ("rfc",), "rfc1625.txt"),
    "ftp://uu.psi.com/wp/nir.txt": ("uu.psi.com", ("wp",), "nir.txt"),
}


@pytest.mark.rfc1738(1, 2, 40, 61, 107, 127, 139, 181)
@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_url_has_the_parts_that_the_rfc_says(text: str) -> None:
    url = parse(text)
    assert str(url) == text
    assert present(text) == EXAMPLES[text]


@pytest.mark.rfc1738(184)
@pytest.mark.parametrize("text", REFERENCES)
def test_the_urls_of_the_references(text: str) -> None:
    url = parse(text, FtpURL)
    assert (url.host, url.directories, url.name) == REFERENCES[text]
    assert (url.user, url.password, url.raw["port"]) == (None, None, None)
    assert url.typecode == ("a" if text.endswith(";type=a") else None)


# Section 2: other protocols, operations

THING = """
api = 1
scheme = "x-thing"
status = "experimental"
title = "Things"
reference = "the specification of things"
contact = "the tests"
change_controller = "the tests"
encoding_considerations = "None."
interoperability_considerations = "None."
security_considerations = "A thing is as safe as its name."

[syntax]
rule = "thingurl"
bnf = '''
thingurl = "x-thing://" login [ "/" thing ]
thing    = 1*[ uchar | ":" ]
'''

[syntax.parts]
user = { at = "user" }
host = { at = "host" }
thing = { at = "thing" }
"""


def with_rules(*rules: str) -> Registry:
    """A registry of one scheme `x-thing`, whose URLs derive from the first of `rules`."""
    head, _, _ = THING.partition("[syntax]")
    lines = "\n".join(rules)
    name = rules[0].partition(" ")[0]
    registry = Registry(plugins=())
    registry.register(Registration.from_text(f"{head}[syntax]\nrule = '{name}'\nbnf = '''\n{lines}\n'''\n"))
    return registry


@pytest.mark.rfc1738(3, 32, 142)
def test_the_generic_syntax_is_a_framework_for_other_schemes() -> None:
    registry = Registry(plugins=())
    with pytest.raises(UnknownScheme):
        registry.parse("x-thing://joe@host.dom/a:b")
    registry.register(Registration.from_text(THING))
    url = registry.parse("x-thing://joe@host.dom/a:b%2Fc")
    assert url.parts == {"user": "joe", "host": "host.dom", "thing": "a:b/c"}
    with pytest.raises(InvalidPart):
        registry.parse("x-thing://joe@host.dom/a/b")


@pytest.mark.rfc1738(4)
def test_of_four_operations_only_access_is_always_there_to_be_specified() -> None:
    assert Registration.from_text(THING).operations == ("access",)
    every = THING.replace("\n[syntax]", 'operations = ["access", "update", "replace", "find attributes"]\n[syntax]', 1)
    assert Registration.from_text(every).operations == ("access", "update", "replace", "find attributes")
    with pytest.raises(RegistrationError, match="operations"):
        Registration.from_text(every.replace('"find attributes"', '"Copy"'))


# Section 2.1


@pytest.mark.rfc1738(5)
def test_a_url_is_a_scheme_a_colon_and_a_part_that_depends_on_the_scheme() -> None:
    url = parse_generic("x-foo:a:b/c?d")
    assert (url.scheme, url.schemepart) == ("x-foo", "a:b/c?d")
    for name in TEN:
        example = next(iter(valid_examples(name)))
        assert parse(example).scheme == name
        assert parse(example).schemepart == example.partition(":")[2]
    for text in ("", "http", "//host.dom/", "host.dom/a", ":a"):
        refused(text, InvalidScheme, section="RFC 1738 section 2.1")


@pytest.mark.rfc1738(6, 155)
def test_a_scheme_name_is_letters_digits_plus_period_and_hyphen() -> None:
    allowed = LETTERS + DIGITS + "+.-"
    assert parse_generic(f"{allowed}:x").scheme == allowed
    for character in allowed:
        assert parse_generic(f"{character}:x").scheme == character  # also the first (decision 1)
    for character in sorted((UNRESERVED | RESERVED) - set(allowed + LETTERS.upper() + ":")):
        with pytest.raises(InvalidScheme) as caught:
            parse_generic(f"a{character}b:x")
        assert (caught.value.position, caught.value.rule) == (1, "scheme")
    with pytest.raises(InvalidURL):
        parse_generic("h%74tp://host.dom/")
    with pytest.raises(RegistrationError, match=r"section 2\.1"):
        Registration.from_text(THING.replace('"x-thing"', '"x_thing"'))


@pytest.mark.rfc1738(7, 155)
@pytest.mark.parametrize("name", TEN)
def test_upper_case_in_a_scheme_name_is_treated_as_lower_case(name: str) -> None:
    for example in valid_examples(name):
        rest = example.partition(":")[2]
        for written in (name.upper(), name.title()):
            url = parse(f"{written}:{rest}")
            assert str(url) == f"{written}:{rest}"
            assert (url.scheme, url) == (name, parse(f"{name}:{rest}"))


def valid_examples(name: str) -> list[str]:
    """The texts of the valid examples of one scheme's record."""
    return [example.url for example in REGISTRY.registration(name).examples if example.parts is not None]


# Section 2.2: characters and octets


@pytest.mark.rfc1738(8)
def test_only_the_identity_of_the_characters_counts() -> None:
    text = "http://host.dom/%7Ejoe"
    for coding in ("ascii", "utf-16", "cp500"):
        assert parse(text.encode(coding).decode(coding)) == parse(text)
    with pytest.raises(InvalidURL, match="not bytes"):
        parse(text.encode())  # type: ignore[call-overload]
    # A character that looks the same is another one.
    refused(text.replace("/", "\u2044"), InvalidCharacter)
    refused("http://h\u043est.dom/", InvalidCharacter)


@pytest.mark.rfc1738(9, 11)
@pytest.mark.parametrize("octet", range(256))
def test_every_octet_can_be_encoded_by_two_hexadecimal_digits_of_any_case(octet: int) -> None:
    for digits in {f"{octet:02X}", f"{octet:02x}"}:
        url = parse(f"ftp://host.dom/a%{digits}z/%{digits}", FtpURL)
        assert octets_of(url.directories[0]) == b"a" + bytes([octet]) + b"z"
        assert octets_of(url.name or "") == bytes([octet])
        assert url.raw["name"] == f"%{digits}"


@pytest.mark.rfc1738(11, 171)
def test_an_escape_is_a_percent_sign_and_two_hexadecimal_digits() -> None:
    hexadecimal = frozenset("0123456789ABCDEFabcdef")
    for first, second in product(UNRESERVED | RESERVED, repeat=2):
        text = f"x:%{first}{second}"
        if {first, second} <= hexadecimal:
            assert str(parse_generic(text)) == text
        else:
            with pytest.raises(BadEscape):
                parse_generic(text)
    for end in ("%", "%4", "a%"):
        refused(f"http://host.dom/{end}", BadEscape, rule="escape", section="RFC 1738 section 2.2")


@pytest.mark.rfc1738(10)
def test_a_character_stands_for_the_octet_that_is_its_code() -> None:
    for character in UNRESERVED:
        url = parse(f"ftp://host.dom/{character}", FtpURL)
        assert octets_of(url.name or "") == bytes([ord(character)])
        assert url.equivalent(parse(f"ftp://host.dom/%{ord(character):02X}"))


@pytest.mark.rfc1738(12, 15)
@pytest.mark.parametrize("octet", [*range(0x20), *range(0x7F, 0x100)])
def test_what_is_no_graphic_us_ascii_character_must_be_encoded(octet: int) -> None:
    for name in TEN:
        example = valid_examples(name)[0]
        refused(
            example + chr(octet), InvalidCharacter, position=len(example), section="RFC 1738 section 2.2", scheme=name
        )
    assert str(FtpURL(host="h", name=text_of(bytes([octet])))) == f"ftp://h/%{octet:02X}"


@pytest.mark.rfc1738(13, 16, 17, 18, 21, 22)
@pytest.mark.parametrize("character", sorted(UNSAFE - set("#%")))
def test_unsafe_characters_must_always_be_encoded(character: str) -> None:
    for name in TEN:
        example = valid_examples(name)[0]
        refused(
            example + character, InvalidCharacter, position=len(example), section="RFC 1738 section 2.2", scheme=name
        )
    escape = f"%{ord(character):02X}"
    assert str(HttpURL(host="h", path=character)) == f"http://h/{escape}"
    assert parse(f"http://h/{escape}", HttpURL).path == character
    if character != "\\":  # it may be meant as a `/`
        assert str(urlschemes_lint.fix(f"http://h/a{character}z").url) == f"http://h/a{escape}z"


@pytest.mark.rfc1738(22)
@pytest.mark.parametrize("literal", [*(f'"{character}"' for character in sorted(UNSAFE - {'"'})), '<">', "%x07"])
def test_no_record_can_allow_an_unsafe_character(literal: str) -> None:
    record = Registration.from_text(THING.replace('1*[ uchar | ":" ]', f'1*[ "a" | {literal} ]'))
    with pytest.raises(GrammarError):
        Registry(plugins=()).register(record)


@pytest.mark.rfc1738(19)
@pytest.mark.parametrize("name", TEN)
def test_a_number_sign_must_be_encoded_in_every_scheme(name: str) -> None:
    for example in valid_examples(name):
        refused(f"{example}#top", FragmentPresent, position=len(example), section="RFC 1738 section 2.2")
    example = valid_examples(name)[0]
    fixed = urlschemes_lint.fix(f"{example}#top")
    assert (str(fixed.url), fixed.fragment) == (example, "top")
    assert str(HttpURL(host="h", path="a#b")) == "http://h/a%23b"


@pytest.mark.rfc1738(20)
def test_a_percent_sign_that_is_data_must_be_encoded() -> None:
    refused("http://h/100%", BadEscape, position=12)
    assert str(HttpURL(host="h", path="100%")) == "http://h/100%25"
    assert parse("http://h/%2541", HttpURL).path == "%41"  # decoded once


# Section 2.2: reserved characters

# Where each scheme has parts that can hold any octet: the text around one, and the part's name.
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
def test_no_other_character_is_reserved_and_encoding_it_changes_nothing(template: str, part: str) -> None:
    for character in sorted(UNRESERVED):
        plain = parse(template.format(f"a{character}z"))
        encoded = parse(template.format(f"a%{ord(character):02X}z"))
        assert plain.parts == encoded.parts
        assert plain.equivalent(encoded)
        assert raw(plain, part) != raw(encoded, part)
        assert encoded.normalized() == plain.normalized()


@pytest.mark.rfc1738(27)
def test_what_may_stand_unencoded() -> None:
    assert UNRESERVED | RESERVED | UNSAFE | CONTROLS == ASCII
    for character in ASCII:
        text = f"x:a{character}z"
        if character in UNRESERVED | RESERVED:
            assert parse_generic(text).schemepart == f"a{character}z"
        else:
            with pytest.raises((InvalidCharacter, BadEscape)):
                parse_generic(text)


@pytest.mark.rfc1738(28)
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("%68ttp://h/", InvalidScheme),
        ("http://%68/", InvalidHost),
        ("http:%2F%2Fh/", MissingAuthority),
        ("http://h:%38/", InvalidPort),
        ("ftp://h/a;type=%61", InvalidPart),
        ("news:%61", InvalidPart),
        ("nntp://h/a/%31", InvalidPart),
    ],
)
def test_nothing_is_encoded_where_its_rule_has_no_escape(text: str, error: type[InvalidURL]) -> None:
    refused(text, error)


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
    # An encoded slash divides nothing.
    assert str(parse("http://h/a%2Fb/c").join("../d")) == "http://h/d"


# Section 3


@pytest.mark.rfc1738(31)
def test_the_ten_schemes_are_there_each_with_its_own_type() -> None:
    assert set(TEN) < set(REGISTRY)
    types = {REGISTRY[name].url_type for name in TEN}
    assert len(types) == 10
    assert not {urlschemes.URL, InternetURL, LoginURL} & types
    for name in TEN:
        record = REGISTRY.registration(name)
        assert record.scheme == name
        assert re.match(r"RFC 1738 section 3\.\d", record.reference)


# Section 3.1


@pytest.mark.rfc1738(33, 35)
@pytest.mark.parametrize("name", TEN)
def test_schemes_of_an_ip_based_protocol_begin_with_two_slashes(name: str) -> None:
    assert issubclass(REGISTRY[name].url_type, InternetURL) == (name in INTERNET)
    if name in INTERNET:
        for rest in ("host.dom/a", "/host.dom/a", ""):
            refused(f"{name}:{rest}", MissingAuthority, section="RFC 1738 section 3.1", scheme=name)
    else:
        assert "host" not in REGISTRY.registration(name).syntax.parts


@pytest.mark.rfc1738(34, 36, 37, 38)
@pytest.mark.parametrize(
    ("login", "user", "password"),
    [("", None, None), ("@", "", None), ("u@", "u", None), (":@", "", ""), ("u:p@", "u", "p")],
)
@pytest.mark.parametrize(("colon", "port"), [("", 21), (":2121", 2121)])
@pytest.mark.parametrize(("path", "name"), [("", None), ("/", ""), ("/p", "p")])
def test_all_but_the_host_may_be_left_out(
    login: str, user: str | None, password: str | None, colon: str, port: int, path: str, name: str | None
) -> None:
    url = parse(f"ftp://{login}h{colon}{path}", FtpURL)
    assert (url.user, url.password, url.host, url.port, url.name) == (user, password, "h", port, name)


@pytest.mark.rfc1738(34, 42)
@pytest.mark.parametrize("text", ["ftp:///a", "ftp://", "ftp://u@/a", "ftp://u:p@:21/a", "http:///a", "telnet://:23"])
def test_the_host_may_not_be_left_out(text: str) -> None:
    refused(text, EmptyHost, section="RFC 1738 section 3.1", part="host")


@pytest.mark.rfc1738(36, 70, 133)
@pytest.mark.parametrize("name", INTERNET)
def test_ftp_and_telnet_have_a_user_name_and_no_other_scheme(name: str) -> None:
    assert issubclass(REGISTRY[name].url_type, LoginURL) == (name in {"ftp", "telnet"})
    for login in ("joe@", "joe:secret@", "@", ":@"):
        text = f"{name}://{login}host.dom/" + ("" if name == "telnet" else "a")
        if name in {"ftp", "telnet"}:
            assert parse(text).parts["user"] == login.partition(":")[0].strip("@")
        else:
            refused(text, UserinfoNotAllowed, scheme=name, section="RFC 1738 section 3.1")


@pytest.mark.rfc1738(39, 157, 160)
@pytest.mark.parametrize("character", [":", "@", "/"])
def test_no_colon_at_sign_or_slash_in_a_user_or_password(character: str) -> None:
    escape = f"%{ord(character):02X}"
    url = parse(f"ftp://a{escape}b:c{escape}d@h/", FtpURL)
    assert (url.user, url.password) == (f"a{character}b", f"c{character}d")
    assert FtpURL(host="h", user=f"a{character}b", password=f"c{character}d", name="") == url
    with pytest.raises(InvalidURL):
        parse(f"telnet://u:c{character}d@h/")


@pytest.mark.rfc1738(39)
def test_what_an_unencoded_delimiter_in_a_login_is_taken_for() -> None:
    error = refused("ftp://a:b:c@h/", InvalidUserinfo, part="password", section="RFC 1738 section 3.1", position=9)
    assert "%3A, %40, %2F" in str(error)
    refused("ftp://a@b@h/", InvalidUserinfo, section="RFC 1738 section 3.1", position=7)
    assert "%3A, %40, %2F" in str(urlschemes_lint.explain("ftp://a@b@h/"))
    url = parse("ftp://a/b@h/", FtpURL)  # the slash ends the host
    assert (url.user, url.host, url.directories) == (None, "a", ("b@h",))


@pytest.mark.rfc1738(40)
def test_empty_and_absent_are_three_different_things() -> None:
    three = [parse(text, FtpURL) for text in ("ftp://@host.com/", "ftp://host.com/", "ftp://foo:@host.com/")]
    assert [(url.user, url.password) for url in three] == [("", None), (None, None), ("foo", "")]
    assert len({url.normalized() for url in three}) == 3
    assert str(FtpURL(host="host.com", user="", name="")) == "ftp://@host.com/"
    assert str(FtpURL(host="host.com", user="foo", password="", name="")) == "ftp://foo:@host.com/"


@pytest.mark.rfc1738(41)
def test_no_password_without_a_user_name() -> None:
    assert parse("telnet://:secret@h/", TelnetURL).user == ""
    for kind in (FtpURL, TelnetURL):
        with pytest.raises(InvalidUserinfo, match="needs a user name"):
            kind(host="h", password="secret")
    with pytest.raises(InvalidUserinfo, match="needs a user name"):
        parse("ftp://u:p@h/", FtpURL).replace(user=None)


HOSTS = ["h", "host.dom", "a.b.c.d.e", "3com.com", "1.2.3.h", "a-b.c--d", "x1.y2z", "localhost", "H-1.D9", "0.0.0.0"]
NO_HOSTS = [
    "-a",
    "a-",
    "a.-b",
    "a-.b",
    "a..b",
    ".a",
    "a.",
    "a_b",
    "a.1",
    "1",
    "1.2.3",
    "1.2.3.4.5",
    "a.b.2c",
    "1.2.3.4.",
]


@pytest.mark.rfc1738(42, 43, 44, 157, 159)
@pytest.mark.parametrize("host", [*HOSTS, "192.0.2.7", "999.1.2.3", "0177.00.0.1", "00000.1.1.12345"])
def test_a_host_is_a_domain_name_or_four_groups_of_digits(host: str) -> None:
    for name in INTERNET:
        url = parse(f"{name}://{host}/" + ("" if name == "telnet" else "a"), InternetURL)
        assert (url.host, url.raw["host"]) == (host.lower(), host)
    assert parse(f"news:a@{host}", NewsURL).message_id == f"a@{host}"


@pytest.mark.rfc1738(43, 44, 158)
@pytest.mark.parametrize("host", NO_HOSTS)
def test_what_is_no_host(host: str) -> None:
    for name in INTERNET:
        error = refused(f"{name}://{host}/" + ("" if name == "telnet" else "a"), InvalidHost, scheme=name, part="host")
        assert error.section == "RFC 1738 section 3.1"
    refused(f"news:a@{host}", InvalidPart, scheme="news")


@pytest.mark.rfc1738(44)
def test_a_last_label_that_begins_with_a_digit_is_no_name() -> None:
    assert parse("http://1.2.3.4a.b/", HttpURL).host == "1.2.3.4a.b"
    refused("http://1.2.3.4a/", InvalidHost, part="host")
    assert refused("http://h.1/", InvalidHost, position=10).rule == "toplabel"


@pytest.mark.rfc1738(45, 49, 69, 77, 111, 116, 121, 132)
@pytest.mark.parametrize(
    ("name", "port"),
    [
        ("ftp", 21),
        ("http", 80),
        ("gopher", 70),
        ("nntp", 119),
        ("telnet", 23),
        ("wais", 210),
        ("file", None),
        ("prospero", 1525),
    ],
)
def test_the_port_is_the_schemes_own_unless_another_is_given(name: str, port: int | None) -> None:
    end = "/" if name == "telnet" else "/a"
    assert REGISTRY.registration(name).default_port == port
    if port is None:
        refused(f"{name}://h:80{end}", InvalidHost, scheme=name, position=8)
        return
    url = parse(f"{name}://h{end}", InternetURL)
    assert (url.port, url.raw["port"]) == (port, None)
    other = parse(f"{name}://h:4711{end}", InternetURL)
    assert (other.port, other.raw["port"]) == (4711, "4711")
    assert parse(f"{name}://h:{port}{end}").equivalent(url)


@pytest.mark.rfc1738(45)
@pytest.mark.parametrize("name", [name for name in INTERNET if name != "file"])
@pytest.mark.parametrize("port", ["", "a", "-1", "+1", "8a", "0x50", "80:80"])
def test_a_port_is_decimal_digits_and_no_port_has_no_colon(name: str, port: str) -> None:
    end = "/" if name == "telnet" else "/a"
    refused(f"{name}://h:{port}{end}", InvalidPort, part="port", section="RFC 1738 section 3.1")
    for digits in ("0", "00080", "65536"):
        assert parse(f"{name}://h:{digits}{end}", InternetURL).port == int(digits)


@pytest.mark.rfc1738(46, 47)
def test_the_slash_behind_the_host_is_no_part_of_the_path() -> None:
    assert parse("http://h/a/b", HttpURL).path == "a/b"
    assert parse("http://h//a", HttpURL).path == "/a"
    assert parse("ftp://h/a", FtpURL).directories == ()
    assert parse("ftp://h//a", FtpURL).directories == ("",)
    assert parse("gopher://h/0/a", GopherURL).selector == "/a"
    assert parse("prospero://h//a", ProsperoURL).hsoname == "/a"
    assert parse("file:///a", FileURL).segments == ("a",)


@pytest.mark.rfc1738(47)
def test_what_the_path_is_depends_on_the_scheme() -> None:
    assert {name: present(f"{name}://h/a?b;c=d") for name in ("http", "gopher", "prospero")} == {
        "http": {"host": "h", "port": 80, "path": "a", "search": "b;c=d"},
        "gopher": {"host": "h", "port": 70, "gtype": "a", "selector": "?b;c=d"},
        "prospero": {"host": "h", "port": 1525, "hsoname": "a?b", "fields": (("c", "d"),)},
    }
    refused("ftp://h/a?b;c=d", InvalidPart, scheme="ftp")
    refused("telnet://h/a?b;c=d", InvalidPart, scheme="telnet")


# Section 3.2: ftp


@pytest.mark.rfc1738(53, 54, 55, 161)
@pytest.mark.parametrize(
    ("path", "directories", "name", "typecode"),
    [
        ("/a/b/c;type=a", ("a", "b"), "c", "a"),
        ("/a/b/c;type=i", ("a", "b"), "c", "i"),
        ("/a/b/c;type=d", ("a", "b"), "c", "d"),
        ("/a/b/c;type=D", ("a", "b"), "c", "D"),
        ("/a/b/c", ("a", "b"), "c", None),
        ("/c", (), "c", None),
        ("/", (), "", None),
        ("//", ("",), "", None),
        ("///c", ("", ""), "c", None),
        ("/a/", ("a",), "", None),
        ("/;type=d", (), "", "d"),
    ],
)
def test_an_ftp_path_is_directories_a_name_and_a_typecode(
    path: str, directories: tuple[str, ...], name: str, typecode: str | None
) -> None:
    url = parse(f"ftp://h{path}", FtpURL)
    assert (url.directories, url.name, url.typecode) == (directories, name, typecode)
    assert FtpURL(host="h", directories=directories, name=name, typecode=typecode) == url


@pytest.mark.rfc1738(53)
@pytest.mark.parametrize("end", [";type=", ";type=x", ";type=ai", ";type=a;type=i", ";type=%61", ";typ=a", ";", ";a"])
def test_what_is_no_typecode(end: str) -> None:
    refused(f"ftp://h/a{end}", InvalidPart, scheme="ftp")


@pytest.mark.rfc1738(56)
def test_the_whole_ftp_path_may_be_left_out_with_its_slash() -> None:
    assert (parse("ftp://h", FtpURL).name, parse("ftp://h", FtpURL).directories) == (None, ())
    assert str(FtpURL(host="h")) == "ftp://h"
    assert parse("ftp://h").equivalent(parse("ftp://h/"))
    refused("ftp://h;type=d", InvalidHost, scheme="ftp")


@pytest.mark.rfc1738(60)
@pytest.mark.parametrize("character", ["/", ";"])
def test_slash_and_semicolon_are_encoded_within_an_ftp_name_or_directory(character: str) -> None:
    data, escape = f"a{character}b", f"a%{ord(character):02X}b"
    url = FtpURL(host="h", directories=(data,), name=data)
    assert str(url) == f"ftp://h/{escape}/{escape}"
    assert (url.directories, url.name) == ((data,), data)
    assert (url.raw["directories"], url.raw["name"]) == ((escape,), escape)
    if character == ";":
        refused("ftp://h/a;b", InvalidPart, scheme="ftp")
        refused("ftp://h/a;b/c", InvalidPart, scheme="ftp")


@pytest.mark.rfc1738(61)
def test_three_urls_that_look_alike_and_name_other_directories() -> None:
    texts = [f"ftp://myname@host.dom/{path}" for path in ("%2Fetc/motd", "etc/motd", "/etc/motd")]
    assert [parse(text, FtpURL).directories for text in texts] == [("/etc",), ("etc",), ("", "etc")]
    assert len({parse(text).normalized() for text in texts}) == 3


@pytest.mark.rfc1738(64)
def test_an_ftp_url_has_no_path_that_could_be_taken_for_a_file_name() -> None:
    url = parse("ftp://h/../%2e%2e/a%2Fb", FtpURL)
    assert not hasattr(url, "path")
    assert (url.directories, url.name) == (("..", ".."), "a/b")  # no dot and no slash is resolved
    assert str(url.normalized()) == "ftp://h/../../a%2Fb"


# Section 3.3: http


@pytest.mark.rfc1738(68, 71)
@pytest.mark.parametrize(
    ("text", "path", "search"),
    [
        ("http://h", None, None),
        ("http://h/", "", None),
        ("http://h/a", "a", None),
        ("http://h/a/b;c", "a/b;c", None),
        ("http://h/?", "", ""),
        ("http://h/?q", "", "q"),
        ("http://h:8080/a?q=1&r;s:t@u", "a", "q=1&r;s:t@u"),
    ],
)
def test_an_http_url_is_a_path_and_a_search_each_optional(text: str, path: str | None, search: str | None) -> None:
    url = parse(text, HttpURL)
    assert (url.path, url.search, url.host) == (path, search, "h")


@pytest.mark.rfc1738(71)
def test_the_slash_of_an_http_url_may_only_be_left_out_where_nothing_follows() -> None:
    assert parse("http://h").equivalent(parse("http://h/"))
    refused("http://h?q", InvalidHost, position=8, expected=('"/"',))
    assert str(urlschemes_lint.fix("http://h?q").url) == "http://h/?q"
    assert str(HttpURL(host="h", search="q")) == "http://h/?q"


@pytest.mark.rfc1738(72, 163)
def test_slash_semicolon_and_question_mark_in_an_http_path_and_search() -> None:
    assert (parse("http://h/a?b", HttpURL).path, parse("http://h/a%3Fb", HttpURL).path) == ("a", "a?b")
    for character in "/?":
        error = refused(f"http://h/?a{character}b", InvalidPart, part="search", rule="search")
        assert error.section == "RFC 1738 section 3.3"
    url = HttpURL(host="h", path="a?b", search="c/d?e")
    assert str(url) == "http://h/a%3Fb?c%2Fd%3Fe"
    # An escape may mean something else to the server: what is reserved stays as it is written.
    for reserved in (";", "%3B"):
        assert str(parse(f"http://h/a{reserved}b?c{reserved}d").normalized()) == f"http://h/a{reserved}b?c{reserved}d"


# Section 3.4: gopher


@pytest.mark.rfc1738(75, 76, 84, 85, 87, 88)
@pytest.mark.parametrize(
    ("path", "gtype", "selector", "search", "gopher_plus"),
    [
        ("0", "0", "", None, None),
        ("0/sel", "0", "/sel", None, None),
        ("7/sel%09two%20words", "7", "/sel", "two words", None),
        ("7/sel%09", "7", "/sel", "", None),
        ("0/sel%09words%09+", "0", "/sel", "words", "+"),
        ("0/sel%09%09+", "0", "/sel", "", "+"),
        ("1%09%09$", "1", "", "", "$"),
        ("0%09%09", "0", "", "", ""),
    ],
)
def test_the_three_forms_of_a_gopher_path(
    path: str, gtype: str, selector: str, search: str | None, gopher_plus: str | None
) -> None:
    url = parse(f"gopher://h/{path}", GopherURL)
    assert (url.gtype, url.selector, url.search, url.gopher_plus) == (gtype, selector, search, gopher_plus)
    built = GopherURL(host="h", gtype=gtype, selector=selector, search=search, gopher_plus=gopher_plus)
    assert built.equivalent(url)


@pytest.mark.rfc1738(78)
def test_the_gopher_type_is_a_single_character() -> None:
    for character in sorted(UNRESERVED | RESERVED):
        url = parse(f"gopher://h/{character}sel", GopherURL)
        assert (url.gtype, url.selector) == (character, "sel")
    for gtype in ("", "00", "\u00e9"):
        with pytest.raises(InvalidPart) as caught:
            GopherURL(host="h", gtype=gtype, selector="sel")
        assert caught.value.part == "gtype"


@pytest.mark.rfc1738(79)
@pytest.mark.parametrize("text", ["gopher://h", "gopher://h/", "gopher://h:70"])
def test_an_empty_gopher_path_means_type_1_and_needs_no_slash(text: str) -> None:
    url = parse(text, GopherURL)
    assert (url.gtype, url.effective_gtype, url.selector, url.search, url.gopher_plus) == (None, "1", "", None, None)
    assert url.equivalent(parse("gopher://h"))


@pytest.mark.rfc1738(80)
def test_a_selector_holds_every_octet_but_tab_line_feed_and_carriage_return() -> None:
    octets = bytes(octet for octet in range(256) if octet not in {0x09, 0x0A, 0x0D})
    url = GopherURL(host="h", gtype="9", selector=text_of(octets))
    assert octets_of(parse(str(url), GopherURL).selector) == octets
    for octet in ("\t", "\n", "\r"):
        with pytest.raises(InvalidPart, match=f"octet {ord(octet):02X}"):
            GopherURL(host="h", gtype="9", selector=f"a{octet}b")
    for escape in ("%0A", "%0d"):
        refused(f"gopher://h/9a{escape}b", InvalidPart, part="selector", section="RFC 1738 section 3.4.1")


@pytest.mark.rfc1738(82)
def test_no_character_is_reserved_within_a_gopher_path() -> None:
    for template, part in (
        ("gopher://h/0{}", "selector"),
        ("gopher://h/7s%09{}", "search"),
        ("gopher://h/0s%09%09{}", "gopher_plus"),
    ):
        assert bare(template, part) == UNRESERVED | RESERVED
        for character in sorted(RESERVED):
            encoded = parse(template.format(f"%{ord(character):02X}"))
            assert encoded.equivalent(parse(template.format(character)))


@pytest.mark.rfc1738(83)
def test_a_selector_that_begins_with_its_type_has_it_twice() -> None:
    url = parse("gopher://h/00/about", GopherURL)
    assert (url.gtype, url.selector) == ("0", "0/about")
    assert str(GopherURL(host="h", gtype="0", selector="0/about")) == "gopher://h/00/about"


@pytest.mark.rfc1738(88)
def test_a_gopher_plus_string_needs_a_search_be_it_empty() -> None:
    assert parse("gopher://h/0s%09+", GopherURL).search == "+"  # one tab: these are the words of a search
    assert str(GopherURL(host="h", gtype="0", selector="s", gopher_plus="+")) == "gopher://h/0s%09%09+"


@pytest.mark.rfc1738(90, 92, 93, 94, 95, 96)
@pytest.mark.parametrize(
    ("written", "decoded"),
    [
        ("+", "+"),
        ("?", "?"),
        ("!", "!"),
        ("$", "$"),
        ("!+ABSTRACT", "!+ABSTRACT"),
        ("$+ABSTRACT", "$+ABSTRACT"),
        ("!+ABSTRACT%20+SMELL", "!+ABSTRACT +SMELL"),
        ("+application/postscript%20Es_ES", "+application/postscript Es_ES"),
        ("+%091%0D%0A+-1%0D%0Aone%0D%0Atwo%0D%0A.%0D%0A", "+\t1\r\n+-1\r\none\r\ntwo\r\n.\r\n"),
    ],
)
def test_the_gopher_plus_strings_that_the_rfc_names(written: str, decoded: str) -> None:
    url = parse(f"gopher://h/0sel%09%09{written}", GopherURL)
    assert (url.selector, url.search, url.gopher_plus) == ("sel", "", decoded)
    assert GopherURL(host="h", gtype="0", selector="sel", search="", gopher_plus=decoded) == url


# Section 3.5: mailto


@pytest.mark.rfc1738(97, 98)
@pytest.mark.parametrize(
    ("text", "local_part", "domain"),
    [
        ("mailto:joe@host.dom", "joe", "host.dom"),
        ("mailto:Joe.Q.Public@host.dom", "Joe.Q.Public", "host.dom"),
        ("mailto:%22Joe%20Q%22@host.dom", '"Joe Q"', "host.dom"),
        ("mailto:joe@%5B192.0.2.7%5D", "joe", "[192.0.2.7]"),
        ("mailto:joe%40host.dom", "joe", "host.dom"),
        ("mailto:host!joe/a=b&c@h", "host!joe/a=b&c", "h"),
    ],
)
def test_a_mailto_url_is_an_encoded_addr_spec_and_nothing_else(text: str, local_part: str, domain: str) -> None:
    url = parse(text, MailtoURL)
    assert (url.address, url.local_part, url.domain) == (f"{local_part}@{domain}", local_part, domain)
    assert set(url.parts) == {"address", "local_part", "domain"}
    assert MailtoURL(address=f"{local_part}@{domain}").equivalent(url)


@pytest.mark.rfc1738(98, 165)
@pytest.mark.parametrize("text", ["", "joe", "@h", "joe@", "a@b@c", "a,b@c", "Joe%20%3Cjoe@h%3E", ".a@b", "a..b@c"])
def test_what_is_no_addr_spec_is_no_mailto_url(text: str) -> None:
    refused(f"mailto:{text}", InvalidPart, scheme="mailto")


@pytest.mark.rfc1738(99)
def test_no_character_is_reserved_in_a_mailto_url() -> None:
    for character in sorted(RESERVED):
        plain, encoded = (parse(f"mailto:%22a{c}z%22@h", MailtoURL) for c in (character, f"%{ord(character):02X}"))
        assert plain.address == encoded.address == f'"a{character}z"@h'
        assert plain.equivalent(encoded)
    url = parse("mailto:joe?subject=hello@h", MailtoURL)
    assert url.local_part == "joe?subject=hello"  # no header fields
    assert [finding.code for finding in urlschemes_lint.check(str(url))] == ["header-fields"]


@pytest.mark.rfc1738(100)
def test_a_percent_sign_in_an_address_is_encoded() -> None:
    assert str(MailtoURL(address="joe%far@gateway.dom")) == "mailto:joe%25far@gateway.dom"
    assert parse("mailto:joe%25far@gateway.dom", MailtoURL).local_part == "joe%far"
    refused("mailto:joe%gar@gateway.dom", BadEscape, position=10)


@pytest.mark.rfc1738(101)
def test_a_mailto_url_is_no_object_to_be_accessed() -> None:
    assert "access" not in REGISTRY.registration("mailto").operations
    with pytest.raises(UnsupportedOperation) as caught:
        urlschemes_access.access("mailto:joe@host.dom")
    assert caught.value.scheme == "mailto"


# Section 3.6: news


@pytest.mark.rfc1738(102, 103, 107)
@pytest.mark.parametrize(
    ("text", "form", "group"),
    [
        ("news:comp.infosystems.www.misc", "group", "comp.infosystems.www.misc"),
        ("news:a", "group", "a"),
        ("news:Comp.lang.c++", "group", "Comp.lang.c++"),
        ("news:a-b_c", "group", "a-b_c"),
        ("news:*", "groups", "*"),
    ],
)
def test_a_news_url_is_a_group_or_all_of_them(text: str, form: str, group: str) -> None:
    url = parse(text, NewsURL)
    assert (url.form, url.group, url.message_id) == (form, group, None)
    assert str(NewsURL(group=group)) == text


@pytest.mark.rfc1738(102, 104, 105)
@pytest.mark.parametrize(
    ("text", "message_id"),
    [
        ("news:123.ABC@host.dom", "123.ABC@host.dom"),
        ("news:a/b?c:d;e&f=g@host.dom", "a/b?c:d;e&f=g@host.dom"),
        ("news:a%40b@host.dom", "a@b@host.dom"),
        ("news://h/1@x", "//h/1@x"),
        ("news:1@192.0.2.7", "1@192.0.2.7"),
    ],
)
def test_an_at_sign_tells_an_article_from_a_group(text: str, message_id: str) -> None:
    url = parse(text, NewsURL)
    assert (url.form, url.group, url.message_id) == ("article", None, message_id)
    assert NewsURL(message_id=message_id).equivalent(url)


@pytest.mark.rfc1738(104, 166)
@pytest.mark.parametrize("rest", ["", "1a", ".a", "a%62", "a/b", "**", "a@", "@h", "a@b@c", "a@h.1", "*@h_"])
def test_what_is_no_news_url(rest: str) -> None:
    refused(f"news:{rest}", InvalidPart, scheme="news")


@pytest.mark.rfc1738(104)
def test_a_message_id_stands_without_its_angle_brackets() -> None:
    refused("news:<1@h>", InvalidCharacter, position=5)
    with pytest.raises(InvalidPart, match="leave them out"):
        NewsURL(message_id="<1@h>")
    assert str(urlschemes_lint.fix("news:<1@h>").url) == "news:1@h"


@pytest.mark.rfc1738(106)
def test_nothing_but_the_at_sign_is_reserved_in_an_article() -> None:
    for character in sorted(RESERVED - {"@"}):
        plain, encoded = (parse(f"news:a{c}z@h", NewsURL) for c in (character, f"%{ord(character):02X}"))
        assert plain.message_id == encoded.message_id
        assert plain.equivalent(encoded)


@pytest.mark.rfc1738(108)
def test_a_news_url_names_no_server() -> None:
    assert not issubclass(NewsURL, InternetURL)
    assert set(parse("news:a").parts) == {"group", "message_id"}


@pytest.mark.rfc1738(102, 107, 108)
def test_a_news_url_is_accessed_on_the_server_that_the_caller_names() -> None:
    letter = article("One", "First.\n", message_id="1@host.dom")
    with nntp_server({"misc.test": Newsgroup([letter]), "misc.empty": Newsgroup()}) as server:
        terms: dict[str, Any] = {"policy": Policy.interactive(), "server": str(server)}
        for text, names in (("news:*", ["misc.test", "misc.empty"]), ("news:misc.test", ["One"])):
            with urlschemes_access.access(text, **terms) as listing:
                assert isinstance(listing, urlschemes_access.Listing)
                assert [entry.name for entry in listing] == names
        with urlschemes_access.access("news:1@host.dom", **terms) as document:
            assert isinstance(document, urlschemes_access.Document)
            assert document.read() == letter
    with pytest.raises(UnsupportedOperation, match="names no server"):
        urlschemes_access.access("news:misc.test")


# Section 3.7: nntp


@pytest.mark.rfc1738(109, 110)
@pytest.mark.parametrize(
    ("text", "group", "article"),
    [
        ("nntp://h/comp.lang.c/42", "comp.lang.c", 42),
        ("nntp://h:1119/a/007", "a", 7),
        ("nntp://h/a", "a", None),
    ],
)
def test_an_nntp_url_is_a_group_and_an_articles_number(text: str, group: str, article: int | None) -> None:
    url = parse(text, NntpURL)
    assert (url.host, url.group, url.article) == ("h", group, article)


@pytest.mark.rfc1738(110, 167)
@pytest.mark.parametrize("rest", ["h/", "h/1a", "h/a/", "h/a/b", "h/a/1/2", "h/*", "h/a@h", "h/%61", "h/a/-1"])
def test_what_is_no_nntp_url(rest: str) -> None:
    refused(f"nntp://{rest}", InvalidPart, scheme="nntp")


@pytest.mark.rfc1738(109, 110)
def test_an_nntp_url_asks_its_server_for_the_article_of_that_number() -> None:
    letters = [article(str(number), "Text.\n") for number in (7, 8)]
    sent: list[bytes] = []
    with (
        nntp_server({"misc.test": Newsgroup(letters, first=7)}) as server,
        urlschemes_access.access(
            f"nntp://{server}/misc.test/8",
            policy=Policy.interactive(),
            trace=lambda event: sent.append(event.octets) if event.kind == "send" else None,
        ) as document,
    ):
        assert isinstance(document, urlschemes_access.Document)
        assert document.read() == letters[1]
    assert sent == [b"CAPABILITIES\r\n", b"GROUP misc.test\r\n", b"ARTICLE 8\r\n", b"QUIT\r\n"]


# Section 3.8: telnet


@pytest.mark.rfc1738(113, 114, 115, 117)
@pytest.mark.parametrize(
    ("login", "user", "password"),
    [("", None, None), ("u@", "u", None), ("u:p@", "u", "p"), ("@", "", None), (":@", "", "")],
)
@pytest.mark.parametrize("slash", ["", "/"])
def test_a_telnet_url_is_a_login_and_perhaps_a_slash(
    login: str, user: str | None, password: str | None, slash: str
) -> None:
    url = parse(f"telnet://{login}h:2323{slash}", TelnetURL)
    assert (url.user, url.password, url.host, url.port) == (user, password, "h", 2323)
    assert url.equivalent(parse(f"telnet://{login}h:2323"))


@pytest.mark.rfc1738(115, 168)
@pytest.mark.parametrize("end", ["//", "/a", "/?", "/;a"])
def test_nothing_follows_the_last_slash_of_a_telnet_url(end: str) -> None:
    refused(f"telnet://h{end}", InvalidPart, scheme="telnet", expected=("the end of the URL",))


@pytest.mark.rfc1738(113, 114, 118)
@pytest.mark.parametrize("login", ["", "guest@", "guest:welcome@"])
def test_a_telnet_url_opens_a_session_and_its_login_is_advice(login: str) -> None:
    sent: list[bytes] = []
    with (
        telnet_server({"guest": "welcome"}, negotiates=False) as server,
        open_session(
            f"telnet://{login}{server}/",
            policy=Policy.interactive(),
            trace=lambda event: sent.append(event.octets) if event.kind == "send" else None,
        ) as session,
    ):
        assert session.read() == b"Welcome.\r\nlogin: "
        assert session.advice == (login.rstrip("@").partition(":")[0] or None, "welcome" if ":" in login else None)
        assert sent == []  # nothing is typed that nobody asked for
        if ":" in login:
            session.login()
            assert sent == [b"guest\r\n", b"***\r\n"]
            assert session.read() == b"Welcome, guest.\r\n> "
    assert [visit.user for visit in server.visits] == ["guest" if ":" in login else None]


# Section 3.9: wais


@pytest.mark.rfc1738(119, 120, 122, 123)
@pytest.mark.parametrize(
    ("path", "form", "parts"),
    [
        ("db", "database", ("db", None, None, None)),
        ("", "database", ("", None, None, None)),
        ("db?two%20words", "search", ("db", "two words", None, None)),
        ("db?", "search", ("db", "", None, None)),
        ("db/TEXT/42", "document", ("db", None, "TEXT", "42")),
        ("//", "document", ("", None, "", "")),
    ],
)
def test_the_three_forms_of_a_wais_url(path: str, form: str, parts: tuple[str | None, ...]) -> None:
    url = parse(f"wais://h/{path}", WaisURL)
    assert (url.form, (url.database, url.search, url.wtype, url.wpath)) == (form, parts)
    database, search, wtype, wpath = parts
    assert WaisURL(host="h", database=database or "", search=search, wtype=wtype, wpath=wpath) == url


@pytest.mark.rfc1738(120, 169)
@pytest.mark.parametrize("rest", ["h", "h/db/", "h/db/TEXT", "h/db/TEXT/a/b", "h/db/TEXT/1?q", "h/db?a?b", "h/a:b"])
def test_what_is_no_wais_url(rest: str) -> None:
    refused(f"wais://{rest}", InvalidPart, scheme="wais")


@pytest.mark.rfc1738(124, 125)
def test_a_wais_document_id_is_octets_encoded_and_opaque() -> None:
    octets = bytes(range(256))
    url = WaisURL(host="h", database="db", wtype="TEXT", wpath=text_of(octets))
    assert octets_of(parse(str(url), WaisURL).wpath or "") == octets
    assert isinstance(url.raw["wpath"], str)  # one text, which nothing here divides
    assert str(url.replace(wpath="3=a/b;")) == "wais://h/db/TEXT/3%3Da%2Fb%3B"


# Section 3.10: file


@pytest.mark.rfc1738(126, 127, 128)
@pytest.mark.parametrize(
    ("text", "host", "segments", "local"),
    [
        ("file:///a/b", "", ("a", "b"), True),
        ("file://localhost/a", "localhost", ("a",), True),
        ("file://LOCALHOST/a", "localhost", ("a",), True),
        ("file://vms.host.edu/a/", "vms.host.edu", ("a", ""), False),
        ("file://192.0.2.7/", "192.0.2.7", ("",), False),
        ("file:///", "", ("",), True),
    ],
)
def test_a_file_url_is_a_host_or_this_machine_and_a_path(
    text: str, host: str, segments: tuple[str, ...], local: bool
) -> None:
    url = parse(text, FileURL)
    assert (url.host, url.segments, url.is_local) == (host, segments, local)
    assert FileURL(host=host, segments=segments).equivalent(url)


@pytest.mark.rfc1738(127, 162)
@pytest.mark.parametrize(
    "text", ["file:a", "file:/a", "file://h", "file://", "file://h:80/a", "file://u@h/a", "file:///a;b"]
)
def test_what_is_no_file_url(text: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        parse(text)
    assert caught.value.scheme == "file"


@pytest.mark.rfc1738(129)
def test_a_file_url_has_no_port_and_other_hosts_are_not_asked() -> None:
    assert REGISTRY.registration("file").default_port is None
    with pytest.raises(PolicyDenied):
        urlschemes_access.access("file://host.example/etc/motd", policy=Policy.interactive())


# Section 3.11: prospero


@pytest.mark.rfc1738(130, 131, 138, 139, 140, 141)
@pytest.mark.parametrize(
    ("path", "hsoname", "fields"),
    [
        ("", "", ()),
        ("name", "name", ()),
        ("/pros/name", "/pros/name", ()),
        ("a//b/", "a//b/", ()),
        ("a;OBJECT-VERSION=2", "a", (("OBJECT-VERSION", "2"),)),
        ("a;b=c;d=;=e;b=c", "a", (("b", "c"), ("d", ""), ("", "e"), ("b", "c"))),
        ("a?b:c@d&e=f", "a?b:c@d&e=f", ()),
        ("a%3Bb;c%3Dd=e%2Ff", "a;b", (("c=d", "e/f"),)),
    ],
)
def test_a_prospero_url_is_a_name_and_fields(path: str, hsoname: str, fields: tuple[tuple[str, str], ...]) -> None:
    url = parse(f"prospero://h/{path}", ProsperoURL)
    assert (url.hsoname, url.fields) == (hsoname, fields)
    assert ProsperoURL(host="h", hsoname=hsoname, fields=fields) == url


@pytest.mark.rfc1738(134, 138)
def test_an_hsoname_is_one_text_that_nothing_here_divides() -> None:
    url = parse("prospero://h/a/../b%2Fc", ProsperoURL)
    assert url.hsoname == "a/../b/c"
    assert str(url.normalized()) == "prospero://h/a/../b/c"
    octets = bytes(range(256))
    assert octets_of(ProsperoURL(host="h", hsoname=text_of(octets)).hsoname) == octets


@pytest.mark.rfc1738(135, 140)
@pytest.mark.parametrize("path", ["a;b", "a;", "a;b;c=d", "a;b=c=d", "a;b=c/d", "a;b/c=d"])
def test_a_semicolon_in_a_prospero_url_begins_a_field(path: str) -> None:
    refused(f"prospero://h/{path}", InvalidPart, scheme="prospero")
    assert str(ProsperoURL(host="h", hsoname="a;b")) == "prospero://h/a%3Bb"


@pytest.mark.rfc1738(131, 170)
def test_a_prospero_url_has_its_slash() -> None:
    refused("prospero://h", InvalidPart, scheme="prospero", position=12, expected=('"/"',))
    refused("prospero://h;a=b", InvalidHost, scheme="prospero")


@pytest.mark.rfc1738(136, 137)
def test_a_prospero_server_is_asked_for_access_methods_which_are_urls() -> None:
    by_ftp = ("AFTP", "INTERNET-D", "h.dom", "ASCII", "/a b", "TEXT")
    by_gopher = ("GOPHER", "INTERNET-D", "h.dom(7)", "ASCII", "0/a")
    links = {"external": external(by_gopher)}
    tree = directory({"object": prospero_file(None, methods=[by_ftp, by_gopher]), "links": directory(links)})
    with prospero_server(tree) as server:
        for name, urls in (
            ("object", ["ftp://h.dom/a%20b;type=a", "gopher://h.dom:7/00/a"]),
            ("links", ["gopher://h.dom:7/00/a"]),
        ):
            with urlschemes_access.access(f"prospero://{server}//{name}", policy=Policy.interactive()) as listing:
                assert isinstance(listing, Listing)
                assert [entry.url for entry in listing] == urls


# Section 4: registration


@pytest.mark.rfc1738(143, 144)
def test_names_that_begin_with_x_are_for_experiments() -> None:
    assert Registration.from_text(THING).status == "experimental"
    for status in ("permanent", "provisional", "historical"):
        with pytest.raises(RegistrationError, match=r"`x-`.*section 4"):
            Registration.from_text(THING.replace('"experimental"', f'"{status}"'))
    with pytest.raises(RegistrationError, match=r"`x-`.*section 4"):
        Registration.from_text(THING.replace("x-thing", "thing"))
    for name in TEN:
        assert REGISTRY.registration(name).status in {"permanent", "historical"}
    with pytest.raises(UnknownScheme):
        parse("x-nobody:a")
    assert parse_generic("x-nobody:a").scheme == "x-nobody"


@pytest.mark.rfc1738(146, 148)
@pytest.mark.parametrize(
    "field",
    ["bnf", "rule", "encoding_considerations", "interoperability_considerations", "security_considerations", "title"],
)
def test_a_registration_without_a_syntax_or_without_its_texts_is_refused(field: str) -> None:
    assert f"\n{field} = " in THING
    with pytest.raises(RegistrationError, match=field):
        Registration.from_text(THING.replace(f"\n{field} = ", f"\nx_{field} = "))


@pytest.mark.rfc1738(146)
def test_a_registration_without_an_algorithm_parses_and_cannot_be_accessed() -> None:
    registry = Registry(plugins=())
    registry.register(Registration.from_text(THING))
    assert registry.is_valid("x-thing://h/a")
    with pytest.raises(UnsupportedOperation, match="access"):
        urlschemes_access.access("x-thing://h/a", registry=registry)


@pytest.mark.rfc1738(149)
def test_a_new_scheme_has_the_rules_of_section_3_1_and_cannot_change_them() -> None:
    registry = Registry(plugins=())
    registry.register(Registration.from_text(THING))
    with pytest.raises(InvalidHost) as caught:
        registry.parse("x-thing://a_b/c")
    assert caught.value.section == "RFC 1738 section 3.1"
    with pytest.raises(RegistrationError, match="host"):
        Registration.from_text(THING.replace("thing    =", 'host = "h"\nthing ='))


@pytest.mark.rfc1738(151)
@pytest.mark.parametrize("name", ["afs", "mid", "cid", "nfs", "tn3270", "mailserver", "z39.50"])
def test_the_seven_names_that_section_4_reserves(name: str) -> None:
    with pytest.raises(UnknownScheme) as caught:
        parse(f"{name}:a")
    assert str(caught.value).startswith(f"the name {name} is reserved by RFC 1738 section 4 for ")
    assert "since then: " in str(caught.value)
    assert parse_generic(f"{name}:a").scheme == name


# Section 5: the notation


@pytest.mark.rfc1738(152)
def test_brackets_are_optional_or_repeated_and_a_star_counts() -> None:
    registry = with_rules('thingurl = "x-thing:" [ "a" ] *[ "b" | "c" ] 2*"d" 1*[ "e" "f" ] *"g"')
    for text in ("ddef", "addef", "bcbddef", "acddddefefef", "ddefggg"):
        assert registry.is_valid(f"x-thing:{text}"), text
    for text in ("def", "aaddef", "dd", "ddefe", "ddfe", "ddefh"):
        assert not registry.is_valid(f"x-thing:{text}"), text


@pytest.mark.rfc1738(152)
def test_a_literal_matches_in_any_letter_case() -> None:
    assert parse("ftp://h/a;TyPe=a", FtpURL).typecode == "a"
    assert parse("file://LocalHost/a", FileURL).is_local
    assert with_rules('thingurl = "x-thing:" "aB"').is_valid("X-THING:Ab")


# Section 5: rule by rule

SECTION_5 = r"""
genericurl     = scheme ":" schemepart
scheme         = 1*[ lowalpha | digit | "+" | "-" | "." ]
schemepart     = *xchar | ip-schemepart
ip-schemepart  = "//" login [ "/" urlpath ]
login          = [ user [ ":" password ] "@" ] hostport
hostport       = host [ ":" port ]
host           = hostname | hostnumber
hostname       = *[ domainlabel "." ] toplabel
domainlabel    = alphadigit | alphadigit *[ alphadigit | "-" ] alphadigit
toplabel       = alpha | alpha *[ alphadigit | "-" ] alphadigit
alphadigit     = alpha | digit
hostnumber     = digits "." digits "." digits "." digits
port           = digits
user           = *[ uchar | ";" | "?" | "&" | "=" ]
password       = *[ uchar | ";" | "?" | "&" | "=" ]
urlpath        = *xchar
ftpurl         = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]
fpath          = fsegment *[ "/" fsegment ]
fsegment       = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
ftptype        = "A" | "I" | "D" | "a" | "i" | "d"
fileurl        = "file://" [ host | "localhost" ] "/" fpath
httpurl        = "http://" hostport [ "/" hpath [ "?" search ]]
hpath          = hsegment *[ "/" hsegment ]
hsegment       = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
search         = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
gopherurl      = "gopher://" hostport [ "/" [ gtype [ selector
                 [ "%09" search [ "%09" gopher+_string ] ] ] ] ]
gtype          = xchar
selector       = *xchar
gopher+_string = *xchar
mailtourl      = "mailto:" encoded822addr
encoded822addr = 1*xchar
newsurl        = "news:" grouppart
grouppart      = "*" | group | article
group          = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]
article        = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
nntpurl        = "nntp://" hostport "/" group [ "/" digits ]
telneturl      = "telnet://" login [ "/" ]
waisurl        = waisdatabase | waisindex | waisdoc
waisdatabase   = "wais://" hostport "/" database
waisindex      = "wais://" hostport "/" database "?" search
waisdoc        = "wais://" hostport "/" database "/" wtype "/" wpath
database       = *uchar
wtype          = *uchar
wpath          = *uchar
prosperourl    = "prospero://" hostport "/" ppath *[ fieldspec ]
ppath          = psegment *[ "/" psegment ]
psegment       = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
fieldspec      = ";" fieldname "=" fieldvalue
fieldname      = *[ uchar | "?" | ":" | "@" | "&" ]
fieldvalue     = *[ uchar | "?" | ":" | "@" | "&" ]
lowalpha       = "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" |
                 "i" | "j" | "k" | "l" | "m" | "n" | "o" | "p" |
                 "q" | "r" | "s" | "t" | "u" | "v" | "w" | "x" |
                 "y" | "z"
hialpha        = "A" | "B" | "C" | "D" | "E" | "F" | "G" | "H" | "I" |
                 "J" | "K" | "L" | "M" | "N" | "O" | "P" | "Q" | "R" |
                 "S" | "T" | "U" | "V" | "W" | "X" | "Y" | "Z"
alpha          = lowalpha | hialpha
digit          = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" |
                 "8" | "9"
safe           = "$" | "-" | "_" | "." | "+"
extra          = "!" | "*" | "'" | "(" | ")" | ","
national       = "{" | "}" | "|" | "\" | "^" | "~" | "[" | "]" | "`"
punctuation    = "<" | ">" | "#" | "%" | <">
reserved       = ";" | "/" | "?" | ":" | "@" | "&" | "="
hex            = digit | "A" | "B" | "C" | "D" | "E" | "F" |
                 "a" | "b" | "c" | "d" | "e" | "f"
escape         = "%" hex hex
unreserved     = alpha | digit | safe | extra
uchar          = unreserved | escape
xchar          = unreserved | reserved | escape
digits         = 1*digit
"""
"""The rules as they are printed there, with erratum 5118 applied: the `/` of gopherurl is a literal."""

DEPARTURES = {
    # No bound on a number is printed (decision 18).
    ("", "digits"): "1*4000digit",
    # "No characters are reserved" (section 3.4.1), where the printed rule takes http's search (decision 8).
    ("gopher", "search"): "*xchar",
    # All fields together have a name, so that they can be one part.
    ("prospero", "prosperourl"): '"prospero://" hostport "/" ppath fieldspecs',
}
ADDED = {
    "prospero": {"fieldspecs"},
    # What section 5 leaves to RFC 822 (decision 11).
    "mailto": {
        "addr-spec",
        "atom",
        "domain",
        "domain-literal",
        "dtext",
        "local-part",
        "qtext",
        "quoted-pair",
        "quoted-string",
        "sub-domain",
        "word",
    },
}


def rules(bnf: str) -> dict[str, str]:
    """The rules as they are written, without comments and with single blanks."""
    written: dict[str, str] = {}
    name = ""
    for line in bnf.splitlines():
        text = re.sub(r"(^|\s); .*", "", line).strip()
        defined = re.match(r"([\w+-]+)\s+=\s(.*)", text)
        if defined:
            name, text = defined[1], defined[2]
            written[name] = ""
        if text:
            written[name] = " ".join(f"{written[name]} {text}".split())
    return written


PRINTED = rules(SECTION_5)


@pytest.mark.rfc1738(153, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171)
@pytest.mark.parametrize("name", ["", *TEN])
def test_each_rule_is_the_one_that_section_5_prints(name: str) -> None:
    shared = (ROOT / "core" / "src" / "urlschemes" / "rfc1738.bnf").read_text("utf-8")
    found = rules(REGISTRY.registration(name).syntax.bnf if name else shared)
    for rule, text in found.items():
        if rule in ADDED.get(name, set()):
            assert rule not in PRINTED
        else:
            assert text == DEPARTURES.get((name, rule), PRINTED[rule]), rule
    assert ADDED.get(name, set()) <= set(found)
    assert {rule for where, rule in DEPARTURES if where == name} <= set(found)


@pytest.mark.rfc1738(153, 154)
def test_no_rule_of_section_5_is_left_out_and_the_registry_is_the_rule_url() -> None:
    held = {rule for name in TEN for rule in rules(REGISTRY.registration(name).syntax.bnf)}
    assert set(PRINTED) == (held | set(shared_rules().rules)) - {rule for added in ADDED.values() for rule in added}
    starts = {REGISTRY.registration(name).syntax.rule for name in TEN}
    assert starts == {f"{name}url" for name in TEN}


@pytest.mark.rfc1738(153, 154, 156)
@pytest.mark.parametrize("text", ["x:", "x://", "x:///", "x:a", "foo://u:p@h:1/a", "foo:@:@", "ftp:anything"])
def test_a_generic_url_is_any_scheme_and_any_characters(text: str) -> None:
    url = parse_generic(text)
    assert f"{url.scheme}:{url.schemepart}" == text


@pytest.mark.rfc1738(154)
def test_a_known_scheme_must_match_its_own_rule_and_other_names_are_unknown() -> None:
    refused("ftp:anything", MissingAuthority)
    with pytest.raises(UnknownScheme):
        parse("foo:anything")


# The reserved characters that each part takes as they are; all of these take escapes.
PARTS = [
    ("telnet://{}@h/", "user", ";?&="),
    ("telnet://u:{}@h/", "password", ";?&="),
    ("ftp://{}@h/", "user", ";?&="),
    ("ftp://h/{}", "name", "?:@&="),
    ("ftp://h/{}/n", "directories", "?:@&="),
    ("file:///{}", "segments", "?:@&="),
    ("http://h/{}", "path", ";:@&=/"),
    ("http://h/?{}", "search", ";:@&="),
    ("gopher://h/0{}", "selector", ";/?:@&="),
    ("gopher://h/7%09{}", "search", ";/?:@&="),
    ("gopher://h/0%09%09{}", "gopher_plus", ";/?:@&="),
    ("wais://h/{}", "database", ""),
    ("wais://h/d?{}", "search", ";:@&="),
    ("wais://h/d/{}/p", "wtype", ""),
    ("wais://h/d/t/{}", "wpath", ""),
    ("prospero://h/{}", "hsoname", "?:@&=/"),
    ("prospero://h/a;b={}", "fields", "?:@&"),
]


@pytest.mark.rfc1738(160, 161, 162, 163, 164, 168, 169, 170, 171)
@pytest.mark.parametrize(("template", "part", "reserved"), PARTS)
def test_the_characters_that_each_part_takes(template: str, part: str, reserved: str) -> None:
    assert bare(template, part) == UNRESERVED | set(reserved)
    assert escapes(template, part)


@pytest.mark.rfc1738(157, 166, 167)
@pytest.mark.parametrize(
    ("template", "part", "characters"),
    [
        ("http://{}/", "host", LETTERS + LETTERS.upper() + DIGITS + "-."),
        ("news:{}", "group", LETTERS + LETTERS.upper() + DIGITS + "-.+_"),
        ("nntp://h/{}", "group", LETTERS + LETTERS.upper() + DIGITS + "-.+_"),
    ],
)
def test_hosts_and_groups_take_no_escapes(template: str, part: str, characters: str) -> None:
    assert bare(template, part) == set(characters)
    assert not escapes(template, part)


@pytest.mark.rfc1738(158)
def test_a_label_begins_and_ends_with_a_letter_or_digit_and_the_last_with_a_letter() -> None:
    for first, last in product(UNRESERVED, repeat=2):
        host = f"{first}-{last}"
        inner = {first, last} <= set(LETTERS + LETTERS.upper() + DIGITS)
        assert urlschemes.is_valid(f"http://{host}.dom/") == inner
        assert urlschemes.is_valid(f"http://dom.{host}/") == (inner and first not in DIGITS)


@pytest.mark.rfc1738(159, 167)
@pytest.mark.parametrize(("template", "part"), [("http://h:{}/", "port"), ("nntp://h/a/{}", "article")])
def test_numbers_are_digits_alone(template: str, part: str) -> None:
    assert bare(template, part, first="1", last="2") == set(DIGITS)
    assert not urlschemes.is_valid(template.format(""))


@pytest.mark.rfc1738(165)
def test_an_encoded_address_takes_every_character_of_a_url() -> None:
    for character in UNRESERVED | RESERVED:
        assert parse(f"mailto:%22a{character}z%22@h", MailtoURL).local_part == f'"a{character}z"'


@pytest.mark.rfc1738(166)
def test_an_article_takes_every_character_of_a_url_but_the_at_sign() -> None:
    for character in UNRESERVED | RESERVED - {"@"}:
        assert parse(f"news:1{character}2@h", NewsURL).message_id == f"1{character}2@h"
    refused("news:1@2@h", InvalidPart, scheme="news")


@pytest.mark.rfc1738(164)
def test_the_fields_of_a_gopher_url_divide_at_the_first_two_tabs() -> None:
    url = parse("gopher://h/0a%09b%09c%09d", GopherURL)
    assert (url.selector, url.search, url.gopher_plus) == ("a", "b", "c\td")


@pytest.mark.rfc1738(171)
def test_the_classes_of_characters() -> None:
    assert bare("wais://h/{}", "database") == UNRESERVED  # uchar, but for its escapes
    assert bare("gopher://h/0{}", "selector") == UNRESERVED | RESERVED  # xchar
    written = {name: set(re.findall(r'"(.)"', PRINTED[name])) for name in ("safe", "extra", "national", "reserved")}
    assert written["safe"] | written["extra"] | set(LETTERS + LETTERS.upper() + DIGITS) == UNRESERVED
    assert written["reserved"] == RESERVED
    assert written["national"] | set('<>#%"') | {" "} == UNSAFE


# Section 6


@pytest.mark.rfc1738(173)
def test_a_port_that_is_not_the_schemes_own_is_reported_and_that_of_another_protocol_refused() -> None:
    def codes(text: str) -> list[str]:
        return [finding.code for finding in urlschemes_lint.check(text)]

    assert codes("gopher://h/0a") == codes("gopher://h:70/0a") == []
    assert codes("gopher://h:7070/0a") == ["other-port"]
    assert codes("gopher://h:25/0a") == ["reserved-port"]
    with pytest.raises(PolicyDenied, match="port 25"):
        urlschemes_access.access("gopher://h:25/0HELO", policy=Policy.interactive())


@pytest.mark.rfc1738(174)
@pytest.mark.parametrize(
    "text",
    [
        "ftp://h/a%0D%0ADELE%20b",
        "ftp://u%0A@h/",
        "gopher://h/%0Da",
        "gopher://h/0%00",
        "gopher://h/0a%09%09+%0D%0AQUIT",
    ],
)
def test_encoded_delimiters_of_a_protocol_are_reported_and_never_sent(text: str) -> None:
    assert "control-octet" in [finding.code for finding in urlschemes_lint.check(text)]
    with pytest.raises(UnsafeURL) as caught:
        urlschemes_access.access(text, policy=Policy.interactive())
    assert caught.value.section == "RFC 1738 section 6"


@pytest.mark.rfc1738(174)
def test_a_line_end_in_a_telnet_login_is_reported() -> None:
    (finding,) = urlschemes_lint.check("telnet://guest%0D%0A@h/")
    assert (finding.code, finding.part, finding.section) == ("control-octet", "user", "RFC 1738 section 6")


@pytest.mark.rfc1738(175)
@pytest.mark.parametrize("name", ["ftp", "telnet"])
def test_a_password_in_a_url_is_reported_and_hidden(name: str) -> None:
    text = f"{name}://joe:secret@h/"
    assert [(finding.code, finding.part) for finding in urlschemes_lint.check(text)] == [("password", "password")]
    assert "secret" not in repr(parse(text))
    assert "secret" not in str(urlschemes_lint.explain(text))
    with pytest.raises(InvalidURL) as caught:
        parse(f"{text}#a")
    assert "secret" not in str(caught.value)


# The Appendix


def found(text: str) -> list[tuple[str, str | None]]:
    """The URLs in a text, with their fragments."""
    return [(str(each.url), each.fragment) for each in find(text)]


@pytest.mark.rfc1738(176)
@pytest.mark.parametrize("prefix", ["URL:", "url:", "Url:"])
def test_the_prefix_tells_a_url_from_other_data_and_is_no_part_of_it(prefix: str) -> None:
    (each,) = find(f"see {prefix}ftp://host.dom/a now")
    assert (str(each.url), each.grade) == ("ftp://host.dom/a", "bare")
    assert str(urlschemes_lint.fix(f"{prefix}ftp://host.dom/a").url) == "ftp://host.dom/a"
    with pytest.raises(UnknownScheme):
        parse(f"{prefix}ftp://host.dom/a")


@pytest.mark.rfc1738(177)
def test_angle_brackets_and_the_prefix_delimit_a_url_and_are_no_part_of_it() -> None:
    text = "I found it (<URL:ftp://host.dom/a.>)."
    (each,) = find(text)
    assert (str(each.url), each.grade, each.uncertain) == ("ftp://host.dom/a.", "delimited", False)
    assert text[slice(*each.span)] == "<URL:ftp://host.dom/a.>"
    assert wrap(each.url) == "<URL:ftp://host.dom/a.>"
    with pytest.raises(InvalidURL):
        parse("<URL:ftp://host.dom/a.>")
    assert isinstance(next(find("<URL:nothing>", invalid=True)), Broken)
    assert found("<URL:nothing>") == []


@pytest.mark.rfc1738(178)
def test_a_url_is_found_without_a_wrapper_and_written_without_one() -> None:
    assert found("<http://host.dom/a> and http://host.dom/b, and") == [
        ("http://host.dom/a", None),
        ("http://host.dom/b", None),
    ]
    assert str(parse("http://host.dom/a")) == "http://host.dom/a"


@pytest.mark.rfc1738(179, 181)
def test_a_fragment_stands_within_the_brackets_and_beside_the_url() -> None:
    (each,) = find("<URL:http://ds.internic.\n      net/instructions/overview.html#WARNING>")
    assert (str(each.url), each.fragment) == ("http://ds.internic.net/instructions/overview.html", "WARNING")
    assert wrap(each.url, fragment="WARNING") == "<URL:http://ds.internic.net/instructions/overview.html#WARNING>"
    assert found("<URL:http://h/a#>") == [("http://h/a", "")]
    assert found("<URL:http://h/a>") == [("http://h/a", None)]


@pytest.mark.rfc1738(180, 181)
def test_white_space_within_a_wrapper_is_ignored() -> None:
    text = """Yes, Jim, I found it under <URL:ftp://info.cern.ch/pub/www/doc;
      type=d> but you can probably pick it up from <URL:ftp://ds.in
      ternic.net/rfc>.  Note the warning in <URL:http://ds.internic.
      net/instructions/overview.html#WARNING>."""
    assert found(text) == [
        ("ftp://info.cern.ch/pub/www/doc;type=d", None),
        ("ftp://ds.internic.net/rfc", None),
        ("http://ds.internic.net/instructions/overview.html", "WARNING"),
    ]
    assert [each.uncertain for each in find(text)] == [False, False, False]
    for blank in (" ", "\t", "\n", "\r\n", "\n\t  ", "\f"):
        assert found(f"<URL:{blank}ftp://h/a{blank}b{blank}>") == [("ftp://h/ab", None)]
    assert found("<ftp://h/a\n b>") == [("ftp://h/ab", None)]
    assert found("<ftp://h/a b>") == [("ftp://h/a", None)]  # without the prefix it may be prose


@pytest.mark.rfc1738(180)
def test_a_long_url_is_broken_across_lines_and_found_again() -> None:
    url = parse("ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol/Gopher+/Gopher+.txt")
    lines = wrap(url, width=30).splitlines()
    assert len(lines) > 2
    assert all(len(line) <= 30 for line in lines)
    assert found("\n    ".join(lines)) == [(str(url), None)]


@pytest.mark.rfc1738(182)
def test_no_line_is_broken_after_a_hyphen() -> None:
    url = parse("ftp://h/a-b--c-%2D-d")
    for width in range(1, 40):
        text = wrap(url, width=width)
        assert not re.search(r"-\s", text)
        (each,) = find(text)
        assert (each.url, each.uncertain) == (url, False)


@pytest.mark.rfc1738(183)
def test_a_hyphen_at_a_line_break_may_or_may_not_belong_to_the_url() -> None:
    (each,) = find("<URL:ftp://host.dom/pub/some- \n   thing#else>")
    assert (str(each.url), each.fragment, each.uncertain) == ("ftp://host.dom/pub/some-thing", "else", True)
    assert [str(reading.url) for reading in each.readings()] == [
        "ftp://host.dom/pub/some-thing",
        "ftp://host.dom/pub/something",
    ]
    (sure,) = find("<URL:ftp://host.dom/pub/some\n   -thing>")
    assert (str(sure.url), sure.uncertain) == ("ftp://host.dom/pub/some-thing", False)


@pytest.mark.rfc1738(2)
@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_url_is_found_in_its_wrapper(text: str) -> None:
    assert found(f"(E.g., <URL:{text}> is one.)") == [(text, None)]


@pytest.mark.rfc1738(184)
def test_the_broken_urls_of_the_references_are_found_whole() -> None:
    pieces = [
        ("ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol", "/Gopher+/Gopher+.txt"),
        ("ftp://ds.internic.net/internet-drafts", "/draft-ietf-uri-irl-fun-req-02.txt"),
        ("ftp://prospero.isi.edu/pub/prospero/doc", "/prospero-protocol.PS.Z"),
    ]
    for first, second in pieces:
        (each,) = find(f"       <URL:{first}\n       {second}>\n")
        assert str(each.url) == first + second
        assert str(each.url) in REFERENCES
        assert not each.uncertain
    assert found(" ".join(f"[{n}] <URL:{text}>," for n, text in enumerate(REFERENCES))) == [
        (text, None) for text in REFERENCES
    ]


# The page and these tests

PAGE = (ROOT / "docs" / "rfc1738.md").read_text("utf-8")
ROWS = {
    int(number): re.findall(r"\[`(test_\w+)`\]\(\.\./([\w/.-]+)\)", tests)
    for number, tests in re.findall(r"^\| (\d+) \|.*\| ([^|]*) \|$", PAGE, re.MULTILINE)
}


def named_here() -> Iterator[tuple[int, str]]:
    """Each number of a mark in this file, with its test."""
    for node in ast.parse(Path(__file__).read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            for mark in node.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.rfc1738":
                    yield from ((int(ast.literal_eval(number)), node.name) for number in mark.args)


def test_every_statement_has_one_row() -> None:
    numbers = [int(number) for number in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)]
    assert numbers == [*range(1, 185)]
    assert set(ROWS) == set(numbers)


def test_every_test_that_the_page_links_to_exists() -> None:
    tests: dict[str, set[str]] = {}
    for name, path in (link for links in ROWS.values() for link in links):
        if path not in tests:
            tree = ast.parse((ROOT / path).read_text("utf-8"))
            tests[path] = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert name in tests[path], f"{path}: {name}"


def test_the_page_and_the_marks_name_the_same_tests() -> None:
    linked = {(number, name) for number, links in ROWS.items() for name, path in links if path.endswith("rfc1738.py")}
    assert linked == set(named_here())
