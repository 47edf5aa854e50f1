"""The syntax of gopher URLs (RFC 1738 section 3.4): parts, errors, constructor."""

from typing import Any

import pytest

import urlschemes
from urlschemes import Encoded
from urlschemes.errors import InvalidURL, UnsafeURL
from urlschemes.record.record_fields import Example
from urlschemes_gopher import GopherURL, registration
from urlschemes_gopher.rfc3986 import GopherURI
from urlschemes_testing.examples import check_example


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_of_the_record_are_true(example: Example) -> None:
    check_example(GopherURL, example)


def test_the_record_is_that_of_the_scheme() -> None:
    assert (registration.scheme, registration.status, registration.default_port) == ("gopher", "permanent", 70)
    assert registration.operations == ("access", "find attributes")
    assert registration.redirects == ()
    assert not registration.local
    assert "port" in registration.security_considerations
    assert sum(example.parts is None for example in registration.examples) >= 10


def test_the_grammar_is_that_of_section_5_with_decision_8() -> None:
    printed = """
gopherurl      = "gopher://" hostport [ "/" [ gtype [ selector
[ "%09" search [ "%09" gopher+_string ] ] ] ] ]
gtype          = xchar
selector       = *xchar
search         = *xchar
gopher+_string = *xchar
"""
    lines = [line.partition("; ")[0].strip() for line in registration.syntax.bnf.strip().splitlines()]
    assert "\n".join(line for line in lines if line) == printed.strip()


# Decision 9: the type


@pytest.mark.decision(9)
@pytest.mark.parametrize("text", ["gopher://h", "gopher://h/", "gopher://h:70", "GOPHER://H/"])
def test_an_empty_path_means_type_1(text: str) -> None:
    url = GopherURL.parse(text)
    assert (url.gtype, url.effective_gtype, url.selector) == (None, "1", "")
    assert (url.search, url.gopher_plus, url.port, url.host) == (None, None, 70, "h")


@pytest.mark.decision(9)
@pytest.mark.parametrize(
    ("written", "gtype"), [("0", "0"), ("%30", "0"), ("%3a", ":"), ("%FF", "\udcff"), ("%0D", "\r"), ("%09", "\t")]
)
def test_the_type_is_one_octet_encoded_or_not(written: str, gtype: str) -> None:
    url = GopherURL.parse(f"gopher://h/{written}x")
    assert (url.gtype, url.effective_gtype, url.selector) == (gtype, gtype, "x")
    assert url.raw["gtype"] == written


# Decision 8: the fields


@pytest.mark.decision(8)
@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("0", ("0", "", None, None)),
        ("0%09", ("0", "", "", None)),
        ("0%09%09", ("0", "", "", "")),
        ("0a%09b", ("0", "a", "b", None)),
        ("0a%09b%09c", ("0", "a", "b", "c")),
        ("0a%09b%09c%09d%09", ("0", "a", "b", "c\td\t")),
        ("%09%09%09%09", ("\t", "", "", "\t")),
        ("%09x%09y", ("\t", "x", "y", None)),
        ("7/a/b?c=d;e@f&g:h%09/i/j?k", ("7", "/a/b?c=d;e@f&g:h", "/i/j?k", None)),
        ("0a%09%09+%0D%0A", ("0", "a", "", "+\r\n")),
        ("0a%2509b", ("0", "a%09b", None, None)),
    ],
)
def test_the_fields_divide_at_the_first_and_the_second_tab(path: str, fields: tuple[str | None, ...]) -> None:
    url = GopherURL.parse(f"gopher://h/{path}")
    assert (url.gtype, url.selector, url.search, url.gopher_plus) == fields
    assert str(url) == f"gopher://h/{path}"


@pytest.mark.decision(8)
@pytest.mark.parametrize("octet", ["%0A", "%0D", "%0a", "%0d"])
@pytest.mark.parametrize("path", ["0a{}b", "0{}", "0a%09b{}c", "0%09{}"])
@pytest.mark.parametrize("kind", [GopherURL, GopherURI])
def test_a_selector_and_a_search_hold_no_line_end(kind: type[GopherURL | GopherURI], path: str, octet: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        kind.parse(f"gopher://h/{path.format(octet)}")
    assert caught.value.code == "invalid-part"
    assert caught.value.scheme == "gopher"


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("gopher:h/0a", "missing-authority", 7),
        ("gopher:/h/0a", "missing-authority", 8),
        ("gopher://", "empty-host", 9),
        ("gopher:///0a", "empty-host", 9),
        ("gopher://u:p@h/0a", "userinfo-not-allowed", 9),
        ("gopher://h:/0a", "invalid-port", 11),
        ("gopher://h:7a/0a", "invalid-port", 12),
        ("gopher://h_h/0a", "invalid-host", 10),
        ("gopher://h/~", "invalid-character", 11),
        ("gopher://h/0a b", "invalid-character", 13),
        ("gopher://h/0a\r\nb", "invalid-character", 13),
        ("gopher://h/0a\tb", "invalid-character", 13),
        ("gopher://h/0a#b", "fragment-present", 13),
        ("gopher://h/%0", "bad-escape", 11),
        ("gopher://h/0%9", "bad-escape", 12),
    ],
)
def test_invalid_urls_are_refused(text: str, code: str, position: int) -> None:
    with pytest.raises(InvalidURL) as caught:
        GopherURL.parse(text)
    assert caught.value.code == code
    assert caught.value.position == position
    assert not urlschemes.is_valid(text)


# Constructor and replace


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({}, "gopher://h"),
        ({"port": 7070}, "gopher://h:7070"),
        ({"gtype": "0"}, "gopher://h/0"),
        ({"selector": "a b"}, "gopher://h/1a%20b"),
        ({"gtype": "7", "selector": "/f", "search": "q/r"}, "gopher://h/7/f%09q/r"),
        ({"search": "q"}, "gopher://h/1%09q"),
        ({"gopher_plus": "$"}, "gopher://h/1%09%09$"),
        ({"gtype": "0", "selector": "a", "gopher_plus": "+\t1\r\n"}, "gopher://h/0a%09%09+%091%0D%0A"),
        ({"gtype": "0", "selector": Encoded("a%2Fb")}, "gopher://h/0a%2Fb"),
        ({"gtype": "~", "selector": "é\udcff%"}, "gopher://h/%7E%C3%A9%FF%25"),
    ],
)
def test_a_constructor_encodes_its_parts(parts: dict[str, Any], text: str) -> None:
    assert str(GopherURL(host="h", **parts)) == text


@pytest.mark.parametrize(
    "parts",
    [
        {"gtype": "00"},
        {"gtype": ""},
        {"gtype": "é"},
        {"selector": "a\tb"},
        {"selector": "a\nb"},
        {"search": "a\rb"},
        {"selector": Encoded("a b")},
        {"selector": Encoded("a%09b")},
        {"port": "70"},
        {"host": "h/0x"},
    ],
)
def test_values_without_a_url_are_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidURL):
        GopherURL(**{"host": "h"} | parts)


@pytest.mark.parametrize(
    ("before", "parts", "after"),
    [
        ("gopher://h/7%2ff%09a", {"search": "b c"}, "gopher://h/7%2ff%09b%20c"),
        ("gopher://h/7f%09a", {"search": None}, "gopher://h/7f"),
        ("gopher://h/0f", {"gopher_plus": "!"}, "gopher://h/0f%09%09!"),
        ("gopher://h/0f%09%09+", {"gopher_plus": "?"}, "gopher://h/0f%09%09?"),
        ("gopher://h/0f", {"host": "i", "port": 71}, "gopher://i:71/0f"),
        ("gopher://h", {"selector": "f"}, "gopher://h/1f"),
        ("gopher://h/", {"search": "f"}, "gopher://h/1%09f"),
        ("gopher://h", {"gopher_plus": "$"}, "gopher://h/1%09%09$"),
        ("gopher://h:7/", {"port": 71}, "gopher://h:71/"),
    ],
)
def test_replace_changes_the_given_parts(before: str, parts: dict[str, Any], after: str) -> None:
    assert str(GopherURL.parse(before).replace(**parts)) == after


# Control octets

FORM = "+%091%0D%0A+-1%0D%0Aone%0D%0Atwo%0D%0A.%0D%0A"


@pytest.mark.decision(9)
@pytest.mark.parametrize("path", ["%0D", "%09x", "%00", "0%00", "0a%1Bb", "0a%7F", "7a%09b%08"])
def test_control_octets_are_parsed_and_never_sent(path: str) -> None:
    url = GopherURL.parse(f"gopher://h/{path}")
    with pytest.raises(UnsafeURL) as caught:
        url.check_line()
    assert caught.value.scheme == "gopher"


@pytest.mark.parametrize("plus", ["+x%09y", FORM, FORM + "QUIT"])
def test_control_octets_of_a_gopher_plus_string_are_left_to_the_algorithm(plus: str) -> None:
    url = GopherURL.parse(f"gopher://h/0a%09%09{plus}")
    url.check_line()
    for check in (lambda: url.check_line(include_checked=True), lambda: url.line("gopher_plus")):
        with pytest.raises(UnsafeURL) as caught:
            check()
        assert caught.value.part == "gopher_plus"


def test_an_empty_path_stays_empty() -> None:
    url = GopherURL.parse("gopher://h:70/")
    assert url.replace(selector="") == url
    assert str(url.replace(selector="a")) == "gopher://h:70/1a"
    assert str(GopherURL(**url.parts)) == "gopher://h"  # type: ignore[arg-type]  # the parts by their names
    assert str(url.__replace__(selector="x")) == "gopher://h:70/1x"
