"""The syntax of wais URLs (RFC 1738 section 3.9): parts, errors, constructor."""

from typing import Any

import pytest

import urlschemes
import urlschemes_access
import urlschemes_lint
from urlschemes import Encoded
from urlschemes.errors import InvalidURL, UnsafeURL, UnsupportedOperation
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes.record.record_fields import Example
from urlschemes_testing.examples import check_example
from urlschemes_wais import WaisURL, registration


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_of_the_record_are_true(example: Example) -> None:
    check_example(WaisURL, example)


def test_the_record_is_that_of_the_scheme() -> None:
    assert (registration.scheme, registration.status, registration.default_port) == ("wais", "historical", 210)
    assert (registration.operations, registration.redirects, registration.local) == (("access",), (), False)
    assert "control octets" in registration.security_considerations.lower()
    assert sum(example.parts is None for example in registration.examples) >= 10


def test_the_grammar_is_that_of_section_5() -> None:
    lines = [line.partition("; ")[0].strip() for line in registration.syntax.bnf.strip().splitlines()]
    assert [line for line in lines if line] == [
        "waisurl        = waisdatabase | waisindex | waisdoc",
        'waisdatabase   = "wais://" hostport "/" database',
        'waisindex      = "wais://" hostport "/" database "?" search',
        'waisdoc        = "wais://" hostport "/" database "/" wtype "/" wpath',
        "database       = *uchar",
        'search         = *[ uchar | ";" | ":" | "@" | "&" | "=" ]',
        "wtype          = *uchar",
        "wpath          = *uchar",
    ]


def test_wais_offers_only_access() -> None:
    with pytest.raises(UnsupportedOperation):
        urlschemes_access.find_attributes("wais://localhost/db")


# Decision 15: three forms, empty and opaque parts


@pytest.mark.decision(15)
@pytest.mark.parametrize(
    ("path", "form", "parts"),
    [
        ("", "database", ("", None, None, None)),
        ("db", "database", ("db", None, None, None)),
        ("%2F%3f", "database", ("/?", None, None, None)),
        ("?", "search", ("", "", None, None)),
        ("db?", "search", ("db", "", None, None)),
        ("db?a%20b+c", "search", ("db", "a b+c", None, None)),
        ("db?;:@&=", "search", ("db", ";:@&=", None, None)),
        ("//", "document", ("", None, "", "")),
        ("db//", "document", ("db", None, "", "")),
        ("db/TEXT/", "document", ("db", None, "TEXT", "")),
        ("db//id", "document", ("db", None, "", "id")),
        ("db/TEXT/%01%07%00%FF", "document", ("db", None, "TEXT", "\x01\x07\x00\udcff")),
        ("0/%2F/%2F%3B%3D", "document", ("0", None, "/", "/;=")),
    ],
)
def test_one_of_three_forms(path: str, form: str, parts: tuple[str | None, ...]) -> None:
    url = WaisURL.parse(f"wais://h/{path}")
    assert (url.form, url.host, url.port) == (form, "h", 210)
    assert (url.database, url.search, url.wtype, url.wpath) == parts
    assert str(url) == f"wais://h/{path}"


@pytest.mark.decision(15)
@pytest.mark.parametrize("text", ["wais://h", "wais://h:210", "wais://h?q", "wais://h:210?q"])
def test_the_slash_before_the_database_is_required(text: str) -> None:
    with pytest.raises(InvalidURL):
        WaisURL.parse(text)


@pytest.mark.decision(15)
@pytest.mark.parametrize("octet", [";", ":", "@", "&", "="])
@pytest.mark.parametrize("path", ["a{}b", "db/a{}b/id", "db/TEXT/a{}b"])
def test_database_type_and_identifier_hold_no_reserved_character(path: str, octet: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        WaisURL.parse(f"wais://h/{path.format(octet)}")
    assert caught.value.code == "invalid-part"
    assert WaisURL.parse(f"wais://h/{path.format(f'%{ord(octet):02X}')}")


def test_the_identifier_is_octets_of_any_kind() -> None:
    octets = bytes(range(256))
    url = WaisURL(host="h", database="db", wtype="TEXT", wpath=text_of(octets))
    assert octets_of(url.wpath or "") == octets
    url.check_line()


@pytest.mark.parametrize(
    ("path", "spans"), [("db?a+b", [(13, 14)]), ("db?a%2Bb%20c", []), ("d+b", []), ("db/T+/i+d", [])]
)
def test_a_plus_sign_in_a_search_is_a_finding(path: str, spans: list[tuple[int, int]]) -> None:
    found = urlschemes_lint.check(f"wais://h/{path}")
    assert [each.span for each in found if each.code == "plus-for-blank"] == spans


@pytest.mark.parametrize("path", ["a%1Fb", "db?a%0Ab", "db?%00", "db/TEXT%00/id", "%7F/TEXT/id"])
def test_control_octets_are_parsed_and_never_sent(path: str) -> None:
    url = WaisURL.parse(f"wais://h/{path}")
    with pytest.raises(UnsafeURL) as caught:
        url.check_line()
    assert caught.value.scheme == "wais"


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("wais:h/db", "missing-authority", 5),
        ("wais:///db", "empty-host", 7),
        ("wais://u:p@h/db", "userinfo-not-allowed", 7),
        ("wais://h:/db", "invalid-port", 9),
        ("wais://w+w.dom/db", "invalid-host", 8),
        ("wais://h?q", "invalid-host", 8),
        ("wais://h", "invalid-part", 8),
        ("wais://h/db/", "invalid-part", 12),
        ("wais://h/db/TEXT", "invalid-part", 16),
        ("wais://h/db/TEXT?q", "invalid-part", 16),
        ("wais://h/db/TEXT/a/b", "invalid-part", 18),
        ("wais://h/db/TEXT/a?q", "invalid-part", 18),
        ("wais://h//db/TEXT/id", "invalid-part", 17),
        ("wais://h/db?a/b", "invalid-part", 13),
        ("wais://h/db?a?b", "invalid-part", 13),
        ("wais://h/~", "invalid-character", 9),
        ("wais://h/db?a b", "invalid-character", 13),
        ("wais://h/db#a", "fragment-present", 11),
        ("wais://h/db/TEXT/%0", "bad-escape", 17),
    ],
)
def test_invalid_urls_are_refused(text: str, code: str, position: int) -> None:
    with pytest.raises(InvalidURL) as caught:
        WaisURL.parse(text)
    assert caught.value.code == code
    assert caught.value.position == position
    assert not urlschemes.is_valid(text)


# Constructor and replace


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({}, "wais://h/db"),
        ({"database": ""}, "wais://h/"),
        ({"database": "a/b?c;d"}, "wais://h/a%2Fb%3Fc%3Bd"),
        ({"port": 8210, "search": "a/b c?d;e"}, "wais://h:8210/db?a%2Fb%20c%3Fd;e"),
        ({"search": ""}, "wais://h/db?"),
        ({"search": Encoded("a%20b")}, "wais://h/db?a%20b"),
        ({"wtype": "TEXT", "wpath": "\x01\udcff/"}, "wais://h/db/TEXT/%01%FF%2F"),
        ({"database": "", "wtype": "", "wpath": ""}, "wais://h///"),
    ],
)
def test_a_constructor_encodes_its_parts(parts: dict[str, Any], text: str) -> None:
    assert str(WaisURL(**{"host": "h", "database": "db"} | parts)) == text


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"search": "a", "wtype": "TEXT", "wpath": "1"}, "search, wtype, wpath; leave out search"),
        ({"search": "a", "wpath": "1"}, "search, wpath; leave out search or wpath"),
        ({"search": "", "wtype": ""}, "search, wtype; leave out search or wtype"),
        ({"wpath": "1"}, "wpath; also give wtype"),
        ({"wtype": "TEXT"}, "wtype; also give wpath"),
    ],
)
def test_parts_of_two_forms_are_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidURL, match=f"^no wais URL has exactly these parts: host, database, {message}$"):
        WaisURL(**{"host": "h", "database": "db"} | parts)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"search": Encoded("a/b")}, "invalid search 'a/b'"),
        ({"wtype": "TEXT", "wpath": Encoded("a;b")}, "invalid wpath 'a;b'"),
        ({"database": Encoded("a b")}, "invalid database 'a b'"),
        ({"database": 1}, "the database must be str, not int"),
        ({"host": "h:1"}, "invalid host 'h:1'"),
    ],
)
def test_values_without_a_url_are_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidURL, match=f"^{message}"):
        WaisURL(**{"host": "h", "database": "db"} | parts)


@pytest.mark.parametrize(
    ("before", "parts", "after"),
    [
        ("wais://h/d%62", {"search": "a b"}, "wais://h/d%62?a%20b"),
        ("wais://h/d%62?q", {"search": None}, "wais://h/d%62"),
        ("wais://h/d%62?q", {"search": "r"}, "wais://h/d%62?r"),
        ("wais://h/db?q", {"database": "e"}, "wais://h/e?q"),
        ("wais://h/db/%54/id", {"wpath": "\x00"}, "wais://h/db/%54/%00"),
        ("wais://h/db/%54/id", {"database": "e", "port": 1}, "wais://h:1/e/%54/id"),
        ("wais://h/db/T/id", {"wtype": None, "wpath": None}, "wais://h/db"),
        ("wais://h/db/T/id", {"wtype": None, "wpath": None, "search": "q"}, "wais://h/db?q"),
        ("wais://h/db?q", {"wtype": "T", "wpath": "id", "search": None}, "wais://h/db/T/id"),
        ("wais://h/", {"wtype": "T", "wpath": "id"}, "wais://h//T/id"),
    ],
)
def test_replace_changes_the_given_parts(before: str, parts: dict[str, Any], after: str) -> None:
    assert str(WaisURL.parse(before).replace(**parts)) == after


@pytest.mark.parametrize(
    ("before", "parts"),
    [
        ("wais://h/db/T/id", {"search": "q"}),
        ("wais://h/db/T/id", {"wtype": None}),
        ("wais://h/db?q", {"wtype": "T", "wpath": "id"}),
        ("wais://h/db", {"wpath": "id"}),
    ],
)
def test_replace_refuses_parts_of_two_forms(before: str, parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidURL):
        WaisURL.parse(before).replace(**parts)
