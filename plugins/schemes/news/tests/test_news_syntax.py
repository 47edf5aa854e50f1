"""The syntax of news URLs (RFC 1738 section 3.6): parts, errors, constructor."""

from typing import Any

import pytest

import urlschemes
import urlschemes_lint
from urlschemes import URL, Encoded, InternetURL
from urlschemes.errors import InvalidURL, UnsafeURL
from urlschemes.record.record_fields import Example
from urlschemes_news import NewsURL, registration
from urlschemes_testing.examples import check_example


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_of_the_record_are_true(example: Example) -> None:
    check_example(NewsURL, example)


def test_the_record_is_that_of_the_scheme() -> None:
    assert (registration.scheme, registration.status, registration.default_port) == ("news", "permanent", None)
    assert registration.operations == ("access", "find attributes", "update")
    assert (registration.redirects, registration.local) == ((), False)
    assert (registration.ports, registration.options["server"].environment) == ((119,), "NNTPSERVER")
    assert "command" in registration.security_considerations
    assert sum(example.parts is None for example in registration.examples) >= 10


def test_the_grammar_is_that_of_section_5() -> None:
    lines = [line.partition("; section")[0].strip() for line in registration.syntax.bnf.strip().splitlines()]
    assert lines == [
        'newsurl        = "news:" grouppart',
        'grouppart      = "*" | group | article',
        'group          = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]',
        'article        = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host',
    ]


# Decision 12: the three forms


@pytest.mark.decision(12)
@pytest.mark.parametrize(
    ("part", "form", "group", "message_id"),
    [
        ("*", "groups", "*", None),
        ("a", "group", "a", None),
        ("comp.lang.c++", "group", "comp.lang.c++", None),
        ("hello_kitty_", "group", "hello_kitty_", None),
        ("a@b", "article", None, "a@b"),
        ("*@b", "article", None, "*@b"),
        ("**@b", "article", None, "**@b"),
        ("1@b", "article", None, "1@b"),
        ("a.b-c@d.e", "article", None, "a.b-c@d.e"),
        ("a!@d", "article", None, "a!@d"),
        ("/@d", "article", None, "/@d"),
        ("A@D.Dom", "article", None, "A@D.Dom"),
        ("%3C1%3e@1.2.3.4", "article", None, "<1>@1.2.3.4"),
        ("%FF%25@d", "article", None, "\udcff%@d"),
    ],
)
def test_all_groups_a_group_or_an_article(part: str, form: str, group: str | None, message_id: str | None) -> None:
    url = NewsURL.parse(f"news:{part}")
    assert (url.form, url.group, url.message_id) == (form, group, message_id)
    assert (url.raw["group"] or url.raw["message_id"]) == part


def test_an_error_of_a_group_names_its_rule() -> None:
    assert registration.syntax.automaton.reach("news:*") == len("news:*")
    assert registration.syntax.parts["group"].rule == "group"


@pytest.mark.decision(12)
def test_there_is_no_form_with_a_server() -> None:
    url = NewsURL.parse("news://h/1@x")
    assert (url.form, url.message_id) == ("article", "//h/1@x")
    assert isinstance(url, URL)
    assert not isinstance(url, InternetURL)
    for text in ("news://h/misc.test", "news://h/*", "news://h/", "news://h"):
        with pytest.raises(InvalidURL) as caught:
            NewsURL.parse(text)
        assert caught.value.code == "invalid-part"


@pytest.mark.parametrize(
    ("text", "spans"),
    [("news://h/1@x", [(5, 7)]), ("news:%2F%2Fh/1@x", []), ("news:1/2@x", []), ("news:a", [])],
)
def test_slashes_before_an_identifier_are_a_finding(text: str, spans: list[tuple[int, int]]) -> None:
    assert [found.span for found in urlschemes_lint.check(text) if found.code == "news-server"] == spans


@pytest.mark.decision(12)
def test_the_host_of_an_article_is_that_of_section_5() -> None:
    for host in ("", "a_b", "a.", ".a", "a..b", "-a", "1a.1", "1.2.3", "[1.2.3.4]", "a:1", "a/b", "%61"):
        with pytest.raises(InvalidURL):
            NewsURL.parse(f"news:1@{host}")


@pytest.mark.parametrize("group", ["%61", "a%2Eb", "a%"])
def test_a_group_holds_no_escape(group: str) -> None:
    with pytest.raises(InvalidURL):
        NewsURL.parse(f"news:{group}")


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("news:", "invalid-part", 5),
        ("news:1", "invalid-part", 6),
        ("news:_a", "invalid-part", 7),
        ("news:*.a", "invalid-part", 8),
        ("news:a,b", "invalid-part", 8),
        ("news:@h", "invalid-part", 5),
        ("news:a@", "invalid-part", 7),
        ("news:a@b@c", "invalid-part", 8),
        ("news:a@b?c", "invalid-part", 8),
        ("news:a@b_c", "invalid-part", 8),
        ("news:<a@b>", "invalid-character", 5),
        ("news:a b@c", "invalid-character", 6),
        ("news:a@b\n", "invalid-character", 8),
        ("news:a@b#c", "fragment-present", 8),
        ("news:%GG@c", "bad-escape", 5),
        ("news:%F@c", "bad-escape", 5),
    ],
)
def test_invalid_urls_are_refused(text: str, code: str, position: int) -> None:
    with pytest.raises(InvalidURL) as caught:
        NewsURL.parse(text)
    assert caught.value.code == code
    assert caught.value.position == position
    assert not urlschemes.is_valid(text)


@pytest.mark.parametrize("unique", ["1%0D%0APOST", "%00", "a%1Bb", "a%7F", "%09"])
def test_control_octets_are_parsed_and_never_sent(unique: str) -> None:
    url = NewsURL.parse(f"news:{unique}@h")
    with pytest.raises(UnsafeURL) as caught:
        url.check_line()
    assert (caught.value.scheme, caught.value.part) == ("news", "message_id")


# Constructor and replace


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"group": "*"}, "news:*"),
        ({"group": "misc.test"}, "news:misc.test"),
        ({"message_id": "1@h"}, "news:1@h"),
        ({"message_id": "a b%#[]@h.dom"}, "news:a%20b%25%23%5B%5D@h.dom"),
        ({"message_id": ";/?:&=$@h"}, "news:;/?:&=$@h"),
        ({"message_id": "a@b@h"}, "news:a%40b@h"),
        ({"message_id": "@@@h"}, "news:%40%40@h"),
        ({"message_id": "\u00e9@\udcff@h"}, "news:%C3%A9%40%FF@h"),
        ({"message_id": Encoded("a%40b%2f@h")}, "news:a%40b%2f@h"),
        ({"message_id": "<a@h"}, "news:%3Ca@h"),
    ],
)
def test_a_constructor_encodes_its_parts(parts: dict[str, Any], text: str) -> None:
    assert str(NewsURL(**parts)) == text


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({}, "no news URL has exactly these parts: none; also give group or message_id"),
        (
            {"group": "a", "message_id": "1@h"},
            "no news URL has exactly these parts: group, message_id; leave out group or message_id",
        ),
        ({"message_id": "<1@h>"}, "invalid message id '%3C1@h%3E'; an article is unique@host without `<>`"),
        ({"message_id": Encoded("<1@h>")}, "invalid message id '<1@h>'"),
        ({"group": "1"}, "invalid group '1'"),
        ({"group": "a b"}, "invalid group"),
        ({"group": "a@h"}, "invalid group"),
        ({"group": "a%62"}, "invalid group"),
        ({"message_id": "1"}, "invalid message id"),
        ({"message_id": "@h"}, "invalid message id"),
        ({"message_id": "1@h_h"}, "invalid message id"),
        ({"message_id": Encoded("a@b@h")}, "invalid message id"),
        ({"message_id": "a@\ud800@h"}, "the message id cannot hold a surrogate that is no octet"),
        ({"message_id": 1}, "the message id must be str, not int"),
    ],
)
def test_values_without_a_url_are_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidURL, match=f"^{message}"):
        NewsURL(**parts)


@pytest.mark.parametrize(
    ("before", "parts", "after"),
    [
        ("NEWS:a", {"group": "b"}, "NEWS:b"),
        ("news:a", {"group": "*"}, "news:*"),
        ("news:*", {"group": "a"}, "news:a"),
        ("news:1@h", {"message_id": "2@[]@h"}, "news:2%40%5B%5D@h"),
        ("news:1@h", {"message_id": None, "group": "a"}, "news:a"),
        ("news:a", {"message_id": "1@h", "group": None}, "news:1@h"),
        ("news:%31@h", {}, "news:%31@h"),
    ],
)
def test_replace_changes_the_given_parts(before: str, parts: dict[str, Any], after: str) -> None:
    assert str(NewsURL.parse(before).replace(**parts)) == after


@pytest.mark.parametrize(
    "parts", [{"message_id": "1@h"}, {"group": None}, {"message_id": "<1@h>", "group": None}, {"group": "1"}]
)
def test_replace_refuses_values_without_a_url(parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidURL):
        NewsURL.parse("news:a").replace(**parts)
