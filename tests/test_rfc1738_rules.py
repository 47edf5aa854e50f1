"""RFC 1738 section 5: the notation, and the rules one by one."""

from __future__ import annotations

import re
from functools import cache
from itertools import product

import pytest
from rfc1738_helpers import DIGITS, LETTERS, RESERVED, TEN, UNRESERVED, UNSAFE, bare, escapes, with_rules
from workspace import ROOT

import urlschemes
from urlschemes import default_registry, parse, parse_generic
from urlschemes.rfc1738 import RFC1738

# Section 5: the notation


@pytest.mark.rfc1738(152)
def test_the_notation_has_options_groups_and_repetitions() -> None:
    registry = with_rules('thingurl = "x-thing:" [ "a" ] *[ "b" | "c" ] 2*"d" 1*[ "e" "f" ] *"g"')
    for text in ("ddef", "addef", "bcbddef", "acddddefefef", "ddefggg"):
        assert registry.is_valid(f"x-thing:{text}"), text
    for text in ("def", "aaddef", "dd", "ddefe", "ddfe", "ddefh"):
        assert not registry.is_valid(f"x-thing:{text}"), text


@pytest.mark.decision(3)
@pytest.mark.rfc1738(152)
def test_a_literal_matches_in_any_letter_case() -> None:
    assert with_rules('thingurl = "x-thing:" "aB"').is_valid("X-THING:Ab")
    assert parse("ftp://h/a;TYPE=d").parts["typecode"] == "d"


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
"""The rules of section 5, with erratum 5118: the `/` of gopherurl is a literal."""


DEPARTURES = {
    # "No characters are reserved" (section 3.4.1), but the rule of section 5 is that of http (decision 8).
    ("gopher", "search"): "*xchar",
    # The fields together have a rule, so that they can be one part.
    ("prospero", "prosperourl"): '"prospero://" hostport "/" ppath fieldspecs',
}


ADDED = {
    "prospero": {"fieldspecs"},
    # Section 5 refers to RFC 822 for these (decision 11).
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
    """Return the rules as they are written, without comments and with single spaces."""
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


@cache
def section_5_rules() -> dict[str, str]:
    return rules(SECTION_5)


@pytest.mark.rfc1738(153, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171)
@pytest.mark.parametrize("name", ["", *TEN])
def test_each_rule_is_that_of_section_5(name: str) -> None:
    shared = (ROOT / "core" / "src" / "urlschemes" / "rfc1738" / "rfc1738.bnf").read_text("utf-8")
    found = rules(default_registry.registration(name).syntax.bnf if name else shared)
    for rule, text in found.items():
        if rule in ADDED.get(name, set()):
            assert rule not in section_5_rules()
        else:
            assert text == DEPARTURES.get((name, rule), section_5_rules()[rule]), rule
    assert ADDED.get(name, set()) <= set(found)
    assert {rule for where, rule in DEPARTURES if where == name} <= set(found)


@pytest.mark.rfc1738(153, 154)
def test_every_rule_of_section_5_is_used() -> None:
    own = {rule for name in TEN for rule in rules(default_registry.registration(name).syntax.bnf)}
    assert set(section_5_rules()) == (own | set(RFC1738.grammar.rules)) - {
        rule for added in ADDED.values() for rule in added
    }
    starts = {default_registry.registration(name).syntax.rule for name in TEN}
    assert starts == {f"{name}url" for name in TEN}


@pytest.mark.decision(2)
@pytest.mark.rfc1738(153, 154, 156)
@pytest.mark.parametrize("text", ["x:", "x://", "x:///", "x:a", "foo://u:p@h:1/a", "foo:@:@", "ftp:anything"])
def test_a_generic_url_is_any_scheme_and_any_characters(text: str) -> None:
    url = parse_generic(text)
    assert f"{url.scheme}:{url.schemepart}" == text


# The reserved characters that each part may contain unencoded; all of these parts may contain escapes.
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
def test_a_part_contains_these_characters_unencoded(template: str, part: str, reserved: str) -> None:
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
def test_the_ends_of_a_label_are_letters_or_digits() -> None:
    for first, last in product(UNRESERVED, repeat=2):
        host = f"{first}-{last}"
        inner = {first, last} <= set(LETTERS + LETTERS.upper() + DIGITS)
        assert urlschemes.is_valid(f"http://{host}.dom/") == inner
        assert urlschemes.is_valid(f"http://dom.{host}/") == (inner and first not in DIGITS)


@pytest.mark.rfc1738(159, 167)
@pytest.mark.parametrize(("template", "part"), [("http://h:{}/", "port"), ("nntp://h/a/{}", "article")])
def test_a_number_consists_of_digits(template: str, part: str) -> None:
    assert bare(template, part, first="1", last="2") == set(DIGITS)
    assert not urlschemes.is_valid(template.format(""))


@pytest.mark.rfc1738(171)
def test_the_classes_of_characters() -> None:
    written = {
        name: set(re.findall(r'"(.)"', section_5_rules()[name])) for name in ("safe", "extra", "national", "reserved")
    }
    assert written["safe"] | written["extra"] | set(LETTERS + LETTERS.upper() + DIGITS) == UNRESERVED
    assert written["reserved"] == RESERVED
    assert written["national"] | set('<>#%"') | {" "} == UNSAFE
