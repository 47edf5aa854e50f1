"""`fix`: the nearest URL, with every change listed, and refusals where there is no one right answer."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import urlschemes_lint
from urlschemes import InvalidURL, Registry
from urlschemes_conformance import laws
from urlschemes_lint import NotRepairable


@pytest.mark.decision(22)
@pytest.mark.parametrize(
    ("text", "url", "what", "fragment"),
    [
        ("x-album://h/~joe", "x-album://h/%7Ejoe", ["character encoded"], None),
        ("x-album://h/a b", "x-album://h/a%20b", ["character encoded"], None),
        ("x-album://h/\u00e9", "x-album://h/%C3%A9", ["character encoded"], None),
        ("x-album://h/100%", "x-album://h/100%25", ["character encoded"], None),
        ("x-album://h/%zz", "x-album://h/%25zz", ["character encoded"], None),
        ("x-album://h/?a?b", "x-album://h/?a%3Fb", ["character encoded"], None),
        ("x-album://h/?\udcff", "x-album://h/?%FF", ["character encoded"], None),
        ("x-album://h/a#b#c", "x-album://h/a", ["fragment split off"], "b#c"),
        ("x-album://h/a#", "x-album://h/a", ["fragment split off"], ""),
        ("x-album://h?q", "x-album://h/?q", ["slash inserted"], None),
        ("x-album://h:/a", "x-album://h/a", ["empty port dropped"], None),
        ("x-album://h:", "x-album://h", ["empty port dropped"], None),
        ("x-album://h./a", "x-album://h/a", ["dot dropped"], None),
        ("x-album://h.:80", "x-album://h:80", ["dot dropped"], None),
        ("x-album://h.", "x-album://h", ["dot dropped"], None),
        ("x-album://h.?q", "x-album://h/?q", ["dot dropped", "slash inserted"], None),
        ("x-album://h:?q", "x-album://h/?q", ["empty port dropped", "slash inserted"], None),
        ("x-album://h./@joe", "x-album://h/@joe", ["dot dropped"], None),
        ("x-album://h:80/#@a", "x-album://h:80/", ["fragment split off"], "@a"),
        ("x-album://u:?p@h/~", "x-album://u:?p@h/%7E", ["character encoded"], None),
        (
            "<x-album://h/a b\n  c>",
            "x-album://h/a%20bc",
            ["wrapper removed", "character encoded", "white space removed", "wrapper removed"],
            None,
        ),
        ("< x-album://h >", "x-album://h", ["wrapper removed", "white space removed", "wrapper removed"], None),
        ("URL:url: x-album://h", "x-album://h", ["prefix removed"], None),
        ("<URL:URL:x-album://h>", "x-album://h", ["wrapper removed", "wrapper removed"], None),
        ("<URL:x-album://h>", "x-album://h", ["wrapper removed", "wrapper removed"], None),
        ("<x-album://h>", "x-album://h", ["wrapper removed", "wrapper removed"], None),
        (
            "<URL:x-album://h/a\n  b c>",
            "x-album://h/abc",
            ["wrapper removed", "white space removed", "white space removed", "wrapper removed"],
            None,
        ),
        (
            "<URL:x-album://h/a b#c d >",
            "x-album://h/ab",
            ["wrapper removed", "white space removed", "fragment split off", "wrapper removed"],
            "cd",
        ),
        ("url:x-album://h", "x-album://h", ["prefix removed"], None),
        ("  URL: x-album://h", "x-album://h", ["white space removed", "prefix removed"], None),
        (" x-album://h\n", "x-album://h", ["white space removed", "white space removed"], None),
        ("X-Album://H/a", "X-Album://H/a", [], None),
        ("x-album://h/?u=http://x.y/", "x-album://h/?u=http%3A//x.y/", ["character encoded"], None),
        ("x-album://h/:/./~", "x-album://h/:/./%7E", ["character encoded"], None),
        ("x-album://h/a./?b:/~", "x-album://h/a./?b%3A/%7E", ["character encoded", "character encoded"], None),
        ("x-album://joe:a:b@h/", "x-album://joe:a%3Ab@h/", ["character encoded"], None),
        ("x-album://h/?a\\b", "x-album://h/?a%5Cb", ["character encoded"], None),
    ],
)
def test_a_text_with_one_right_repair_is_repaired(
    registry: Registry, text: str, url: str, what: list[str], fragment: str | None
) -> None:
    fixed = urlschemes_lint.fix(text, registry=registry)
    assert str(fixed.url) == url
    assert [change.what for change in fixed.changes] == what
    assert fixed.fragment == fragment
    laws.tools_agree(text, registry)


def test_a_change_has_its_position_section_and_part(registry: Registry) -> None:
    change = urlschemes_lint.fix("<URL:x-album://h/~>", registry=registry).changes[1]
    assert (change.position, change.before, change.after, change.section) == (17, "~", "%7E", "RFC 1738 section 2.2")
    assert change.part == "picture"


def test_a_change_in_a_password_does_not_show_it(registry: Registry) -> None:
    changes = urlschemes_lint.fix("x-album://j~:pa~ss@h/a~/~", registry=registry).changes
    assert [change.part for change in changes] == ["user", "password", "albums", "picture"]
    assert "~" not in repr(changes[1])
    assert "~" in repr(changes[0])


def test_a_repaired_url_longer_than_the_limit_is_an_error(registry: Registry) -> None:
    assert len(str(urlschemes_lint.fix("x-album://h/" + "~" * 21_000, registry=registry).url)) == 63_012
    with pytest.raises(NotRepairable, match="the repaired URL has 66012 characters, more than the limit of 65536"):
        urlschemes_lint.fix("x-album://h/" + "~" * 22_000, registry=registry)


def test_changes_are_in_the_order_of_the_text(registry: Registry) -> None:
    positions = [
        change.position for change in urlschemes_lint.fix("<URL:x-album://h/~joe/a b#top>", registry=registry).changes
    ]
    assert positions == [0, 17, 23, 25, 29]


def test_results_are_immutable_values(registry: Registry) -> None:
    text = "x-album://joe:pa~ss@h/a~#ftp://a:secret@b"
    one, other = urlschemes_lint.fix(text, registry=registry), urlschemes_lint.fix(text, registry=registry)
    found = urlschemes_lint.check(text, registry=registry)
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one.changes)) == other.changes
    assert pickle.loads(pickle.dumps(found)) == urlschemes_lint.check(text, registry=registry)
    for thing, name in ((one, "fragment"), (one.changes[0], "after"), (found[0], "message")):
        with pytest.raises(AttributeError):
            setattr(thing, name, "other")
    assert "pa" not in repr(one.changes[0]).partition("in the password")[0].replace("password", "")
    assert "secret" not in f"{one!r}{one.changes!r}"


def test_an_object_that_is_no_string_and_a_text_too_long_are_errors(registry: Registry) -> None:
    hostile: Any = 5
    with pytest.raises(InvalidURL, match="a URL must be str"):
        urlschemes_lint.fix(hostile, registry=registry)
    with pytest.raises(InvalidURL) as caught:
        urlschemes_lint.fix("x-album://h/" + "~" * 70_000, registry=registry)
    assert caught.value.code == "url-too-long"


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("x-mail:<a@h.dom>", "x-mail:a@h.dom"),
        ("<URL:x-mail:<a@h.dom.>>", "x-mail:a@h.dom"),
        ("x-pairs:a;b=c=d", "x-pairs:a;b=c%3Dd"),
    ],
)
def test_a_delimiter_that_has_one_possible_meaning_is_repaired(registry: Registry, text: str, url: str) -> None:
    fixed = urlschemes_lint.fix(text, registry=registry)
    assert str(fixed.url) == url
    laws.tools_agree(text, registry)


@pytest.mark.parametrize(
    ("text", "span", "rule"),
    [("<URL: x-album://h:x/>", (18, 19), "port"), ("x-album://", (10, 10), "host"), ("album", (5, 5), "scheme")],
)
def test_what_is_not_repairable_has_the_span_and_the_rule_of_the_error(
    text: str, span: tuple[int, int], rule: str, registry: Registry
) -> None:
    with pytest.raises(NotRepairable) as refused:
        urlschemes_lint.fix(text, registry=registry)
    error = refused.value
    assert (error.span, error.rule, error.position) == (span, rule, span[0])
