"""The syntax of nntp URLs (RFC 1738 section 3.7): parts, errors, constructor."""

from typing import Any

import pytest

import urlschemes
from urlschemes.errors import InvalidURL
from urlschemes.record.record_fields import Example
from urlschemes_nntp import NntpURL, registration
from urlschemes_testing.examples import check_example


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_of_the_record_are_true(example: Example) -> None:
    check_example(NntpURL, example)


def test_the_record_is_that_of_the_scheme() -> None:
    assert (registration.scheme, registration.status, registration.default_port) == ("nntp", "permanent", 119)
    assert registration.operations == ("access", "find attributes", "update")
    assert (registration.redirects, registration.local) == ((), False)
    assert "command" in registration.security_considerations
    assert sum(example.parts is None for example in registration.examples) >= 10


def test_the_grammar_is_that_of_section_5() -> None:
    lines = [line.partition("; ")[0].strip() for line in registration.syntax.bnf.strip().splitlines()]
    assert lines == [
        'nntpurl        = "nntp://" hostport "/" group [ "/" digits ]',
        'group          = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]',
    ]


# Decision 13: the number of the article


@pytest.mark.decision(13)
@pytest.mark.parametrize(
    ("path", "group", "article"),
    [
        ("a", "a", None),
        ("a/0", "a", 0),
        ("a/007", "a", 7),
        ("misc.test/2147483648", "misc.test", 2147483648),
        ("comp.lang.c++/1", "comp.lang.c++", 1),
        ("A-b_c.9/1", "A-b_c.9", 1),
    ],
)
def test_the_number_of_the_article_is_optional(path: str, group: str, article: int | None) -> None:
    url = NntpURL.parse(f"nntp://h/{path}")
    assert (url.group, url.article, url.host, url.port) == (group, article, "h", 119)
    assert url.raw["article"] == (path.partition("/")[2] or None)


def test_a_number_has_4000_digits_at_most() -> None:
    assert NntpURL.parse(f"nntp://h/a/{'1' * 4000}").article
    with pytest.raises(InvalidURL) as caught:
        NntpURL.parse(f"nntp://h/a/{'1' * 4001}")
    assert caught.value.code == "invalid-part"


@pytest.mark.parametrize("path", ["%61", "a%2Eb", "a/%31", "a/1%30"])
def test_neither_group_nor_number_holds_an_escape(path: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        NntpURL.parse(f"nntp://h/{path}")
    assert caught.value.code == "invalid-part"


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("nntp:a", "missing-authority", 5),
        ("nntp:/h/a", "missing-authority", 6),
        ("nntp:///a", "empty-host", 7),
        ("nntp://u@h/a", "userinfo-not-allowed", 7),
        ("nntp://h:/a", "invalid-port", 9),
        ("nntp://h..i/a", "invalid-host", 9),
        ("nntp://h", "invalid-part", 8),
        ("nntp://h/", "invalid-part", 9),
        ("nntp://h/1", "invalid-part", 9),
        ("nntp://h/.a", "invalid-part", 9),
        ("nntp://h/*", "invalid-part", 9),
        ("nntp://h//a", "invalid-part", 9),
        ("nntp://h/a/", "invalid-part", 11),
        ("nntp://h/a/*", "invalid-part", 11),
        ("nntp://h/a/1x", "invalid-part", 12),
        ("nntp://h/a/1/2", "invalid-part", 12),
        ("nntp://h/a,b", "invalid-part", 10),
        ("nntp://h/a@b", "invalid-part", 10),
        ("nntp://h/a b", "invalid-character", 10),
        ("nntp://h/a\r\nb", "invalid-character", 10),
        ("nntp://h/a/1#x", "fragment-present", 12),
    ],
)
def test_invalid_urls_are_refused(text: str, code: str, position: int) -> None:
    with pytest.raises(InvalidURL) as caught:
        NntpURL.parse(text)
    assert caught.value.code == code
    assert caught.value.position == position
    assert not urlschemes.is_valid(text)


# Constructor and replace


def test_a_constructor_encodes_its_parts() -> None:
    assert str(NntpURL(host="h", group="a.b")) == "nntp://h/a.b"
    assert str(NntpURL(host="h", port=1119, group="c++", article=12)) == "nntp://h:1119/c++/12"


@pytest.mark.parametrize(
    "parts",
    [
        {"group": ""},
        {"group": "1a"},
        {"group": "*"},
        {"group": "a b"},
        {"group": "a/1"},
        {"group": "a\r\nQUIT"},
        {"article": -1},
        {"article": "1"},
        {"host": "h/x"},
        {"port": True},
    ],
)
def test_values_without_a_url_are_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidURL):
        NntpURL(**{"host": "h", "group": "a"} | parts)


@pytest.mark.parametrize(
    ("before", "parts", "after"),
    [
        ("nntp://h/a/007", {"group": "b"}, "nntp://h/b/007"),
        ("nntp://h/a/007", {"article": 8}, "nntp://h/a/8"),
        ("nntp://h/a/007", {"article": None}, "nntp://h/a"),
        ("nntp://h/a", {"article": 1}, "nntp://h/a/1"),
        ("nntp://H:0119/a", {"host": "i"}, "nntp://i:0119/a"),
        ("nntp://h:119/a", {"port": None}, "nntp://h/a"),
    ],
)
def test_replace_changes_the_given_parts(before: str, parts: dict[str, Any], after: str) -> None:
    assert str(NntpURL.parse(before).replace(**parts)) == after
