"""`fix`: the nearest URL, with every change listed, and refusals where there is no one right answer."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import urlschemes_lint
from urlschemes import InvalidURL, Registry, UnknownScheme
from urlschemes.errors import URLTooLong
from urlschemes.url.fault_messages import HINTS
from urlschemes_lint import NotRepairable
from urlschemes_lint.fixing import Fixed


def apply_changes(text: str, fixed: Fixed) -> str:
    """Return `text` with the changes of `fixed`."""
    for change in reversed(fixed.changes):
        end = change.position + len(change.before)
        assert text[change.position : end] == change.before
        text = text[: change.position] + change.after + text[end:]
    return text


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
        ("x-album://h/a\tb", "x-album://h/a%09b", ["character encoded"], None),
        ("X-Album://H/a", "X-Album://H/a", [], None),
        ("x-album://h/?u=http://x.y/", "x-album://h/?u=http%3A//x.y/", ["character encoded"], None),
        ("x-album://h/:/./~", "x-album://h/:/./%7E", ["character encoded"], None),
        ("x-album://h/a./?b:/~", "x-album://h/a./?b%3A/%7E", ["character encoded", "character encoded"], None),
        ("x-album://joe:a:b@h/", "x-album://joe:a%3Ab@h/", ["character encoded"], None),
        ("x-album://h/a;", "x-album://h/a%3B", ["character encoded"], None),
        ("x-album://h/a;b;si/c;size=3", "x-album://h/a%3Bb%3Bsi/c;size=3", ["character encoded"] * 2, None),
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
    assert apply_changes(text, fixed) == url
    again = urlschemes_lint.fix(str(fixed.url), registry=registry)
    assert (again.url, again.changes) == (fixed.url, ())


def test_a_change_has_its_position_section_and_part(registry: Registry) -> None:
    change = urlschemes_lint.fix("<URL:x-album://h/~>", registry=registry).changes[1]
    assert (change.position, change.before, change.after, change.section) == (17, "~", "%7E", "RFC 1738 section 2.2")
    assert change.part == "picture"


def test_a_change_in_a_password_does_not_show_it(registry: Registry) -> None:
    changes = urlschemes_lint.fix("x-album://j~:pa~ss@h/a~/~", registry=registry).changes
    assert [change.part for change in changes] == ["user", "password", "albums", "picture"]
    assert "~" not in repr(changes[1])
    assert "~" in repr(changes[0])


@pytest.mark.parametrize(
    "text",
    [
        "x-album:h",  # a host is never guessed
        "x-album:///a",
        "x-album://a_b/",
        "x-album://a_b/~",
        "x-album://caf\u00e9/",
        "x-album://[::1]/",
        "x-album://1.2.3/",
        "x-album://h:8x/",
        "x-album://u:/x@h/",  # is `u` the host, or the user?
        "<x-album://h dom/a>",  # a blank is data, or a mistake
        "x-album://h/;size=x",
        "x-album://h/?a%0Ab",  # the part excludes the octet
        "x-album://h/\ud800",
        "x-album://h:" + "1" * 4001,
        "x-album:\\\\h\\a",
    ],
    ids=lambda text: ascii(text)[:40],
)
def test_a_text_without_a_safe_repair_is_not_repaired(registry: Registry, text: str) -> None:
    with pytest.raises(NotRepairable, match=r"^cannot be repaired without guessing: "):
        urlschemes_lint.fix(text, registry=registry)


@pytest.mark.parametrize(
    ("text", "position", "repairs"),
    [
        ("x-album://h/a\\b", 13, "`/` if it is a delimiter, `%5C` if it is data"),
        ("x-album://h/a\r\nb", 13, "left out if the URL was broken into lines, %0D%0A if it is data"),
        ("<URL:x-album://h/a-\n b>", 18, "kept if it belongs to the URL, left out if it only divides a word"),
        ("x-album://h/a;siz=3", 13, "`;size=` if that is meant, `%3B` for its first character if it is data"),
        ("x-album://h/a;size", 13, "`;size=` if that is meant, `%3B` for its first character if it is data"),
        ("x-pairs:a;b;c=d", 11, "`=` inserted before it, or `%3B` if it belongs to the whole"),
        ("x-album://u#1@h/", 11, "split off if it begins a fragment, %23 if it is part of a login"),
        ("x-album://u#1/2@h/", 11, "split off if it begins a fragment, %23 if it is part of a login"),
        ("x-open:a#b@c", 8, "split off if it begins a fragment, %23 if it is part of the text before the `@`"),
        ("x-tabs:a\tb", 8, "%09 if it ends the whole, left out if it is data, which the whole cannot hold"),
        ("x-album://h/a\u200bb", 13, "left out, or %E2%80%8B if it is data"),
        ("x-album://h/a\u00a0b", 13, "left out, or %C2%A0 if it is data"),
        ("x-pairs:<a>", 8, "left out if they delimit the URL, encoded if they are data"),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_an_ambiguous_text_is_not_repaired_and_both_repairs_are_named(
    registry: Registry, text: str, position: int, repairs: str
) -> None:
    with pytest.raises(NotRepairable, match=r"^ambiguous ") as caught:
        urlschemes_lint.fix(text, registry=registry)
    assert caught.value.message.endswith(f": {repairs}")
    assert f" position {position}" in caught.value.message
    assert caught.value.position == position


def test_the_error_is_about_what_cannot_be_repaired(registry: Registry) -> None:
    with pytest.raises(NotRepairable, match="'_' in the host at position 16") as caught:
        urlschemes_lint.fix("<URL:x-album://a_b/~ ~>", registry=registry)
    assert (caught.value.part, caught.value.position) == ("host", 16)


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
    assert apply_changes(text, fixed) == url


@pytest.mark.parametrize(
    ("text", "position", "hint"),
    [
        ("<URL:x-album://1.2.3./a>", 20, "leave out the dot at the end"),
        ("<x-album:\n//-a.b/>", 12, HINTS["host"]),
        (" URL:x-album://h/;size=x~", 23, "the size is a decimal number"),
        ("x-album//h/~", 7, "write `:` after `x-album`"),
    ],
)
def test_the_error_counts_positions_in_the_text_as_given(
    registry: Registry, text: str, position: int, hint: str
) -> None:
    with pytest.raises(NotRepairable) as caught:
        urlschemes_lint.fix(text, registry=registry)
    assert (caught.value.position, caught.value.hint) == (position, hint)


def test_a_repaired_url_longer_than_the_limit_is_an_error(registry: Registry) -> None:
    assert len(str(urlschemes_lint.fix("x-album://h/" + "~" * 21_000, registry=registry).url)) == 63_012
    with pytest.raises(NotRepairable, match="the repaired URL has 66012 characters, more than the limit of 65536"):
        urlschemes_lint.fix("x-album://h/" + "~" * 22_000, registry=registry)


@pytest.mark.parametrize("text", ["", "//h/x", "h/x", "example.com", "x_album://h", "\u212aiss:x"], ids=ascii)
def test_a_scheme_is_never_guessed(registry: Registry, text: str) -> None:
    with pytest.raises(NotRepairable, match=r"^there is no scheme name, and `fix` never guesses one: "):
        urlschemes_lint.fix(text, registry=registry)


@pytest.mark.parametrize("text", ["http://h/~", "URL:nobody:x"])
def test_an_unknown_scheme_is_an_error(registry: Registry, text: str) -> None:
    with pytest.raises(UnknownScheme):
        urlschemes_lint.fix(text, registry=registry)


def test_changes_are_in_the_order_of_the_text(registry: Registry) -> None:
    positions = [
        change.position for change in urlschemes_lint.fix("<URL:x-album://h/~joe/a b#top>", registry=registry).changes
    ]
    assert positions == [0, 17, 23, 25, 29]


def test_a_slash_is_inserted_before_a_question_mark_only_if_that_becomes_a_delimiter(registry: Registry) -> None:
    """The section is that of the rule. In `x-names://h/?q` the `?` would be a character of the name."""
    assert [each.section for each in urlschemes_lint.fix("x-album://h?q", registry=registry).changes] == [
        "The album specification section 2.1"
    ]
    for text in ("x-names://h?q", "x-names://h.?q"):
        with pytest.raises(NotRepairable):
            urlschemes_lint.fix(text, registry=registry)


def test_the_error_of_fix_does_not_recommend_fix(registry: Registry) -> None:
    with pytest.raises(UnknownScheme) as caught:
        urlschemes_lint.fix("URL:h", registry=registry)
    assert "`fix`" not in str(caught.value)


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
    with pytest.raises(URLTooLong):
        urlschemes_lint.fix("x-album://h/" + "~" * 70_000, registry=registry)


@pytest.mark.parametrize("end", ["\\", "?~", "<", ">", '"', "\uff0f", "\uff03", "\u2100", "\uff20"])
def test_a_login_that_other_programs_read_as_a_host_is_never_repaired(registry: Registry, end: str) -> None:
    with pytest.raises(NotRepairable):
        urlschemes_lint.fix(f"x-album://good.example{end}@evil.example/a", registry=registry)
