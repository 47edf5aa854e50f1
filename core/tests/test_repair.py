"""`fix`: the nearest URL, with every change listed, and refusals where there is no one right answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from urlschemes import InvalidURL, Registration, Registry, UnknownScheme
from urlschemes.errors import NotRepairable, URLTooLong

REGISTRY = Registry(plugins=())
REGISTRY.register(Registration.from_file(Path(__file__).parent / "album.toml"))


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
        ("<URL:x-album://h>", "x-album://h", ["wrapper removed"], None),
        ("<x-album://h>", "x-album://h", ["wrapper removed"], None),
        ("url:x-album://h", "x-album://h", ["prefix removed"], None),
        (" x-album://h\n", "x-album://h", ["white space removed"], None),
        ("X-Album://H/a", "X-Album://H/a", [], None),
        ("x-album://h/?u=http://x.y/", "x-album://h/?u=http%3A//x.y/", ["character encoded"], None),
        ("x-album://h/:/./~", "x-album://h/:/./%7E", ["character encoded"], None),
        ("x-album://h/a./?b:/~", "x-album://h/a./?b%3A/%7E", ["character encoded", "character encoded"], None),
        ("x-album://joe:a:b@h/", "x-album://joe:a%3Ab@h/", ["character encoded"], None),
    ],
)
def test_repairs(text: str, url: str, what: list[str], fragment: str | None) -> None:
    fixed = REGISTRY.fix(text)
    assert str(fixed.url) == url
    assert [change.what for change in fixed.changes] == what
    assert fixed.fragment == fragment
    again = REGISTRY.fix(str(fixed.url))
    assert (again.url, again.changes) == (fixed.url, ())


def test_a_change_says_where_and_by_which_section() -> None:
    change = REGISTRY.fix("<URL:x-album://h/~>").changes[1]
    assert (change.position, change.before, change.after, change.section) == (17, "~", "%7E", "RFC 1738 section 2.2")


@pytest.mark.parametrize(
    "text",
    [
        "x-album:h",  # a host is never guessed
        "x-album:///a",
        "x-album://a_b/",
        "x-album://caf\u00e9/",
        "x-album://[::1]/",
        "x-album://1.2.3/",
        "x-album://h:8x/",
        "x-album://u:/x@h/",  # is `u` the host, or the user?
        "x-album://h/;size=x",
        "x-album://h/?a\nb",  # the part excludes the octet
        "x-album://h/\ud800",
    ],
    ids=ascii,
)
def test_what_has_no_one_right_answer_is_refused(text: str) -> None:
    with pytest.raises(NotRepairable, match="no repair has one right answer"):
        REGISTRY.fix(text)


@pytest.mark.parametrize("text", ["", "//h/x", "h/x", "example.com", "x_album://h", "\u212aiss:x"], ids=ascii)
def test_a_scheme_is_never_guessed(text: str) -> None:
    with pytest.raises(NotRepairable, match="there is no name of a scheme"):
        REGISTRY.fix(text)


@pytest.mark.parametrize("text", ["http://h/~", "URL:nobody:x"])
def test_a_scheme_that_nobody_registered_is_unknown(text: str) -> None:
    with pytest.raises(UnknownScheme):
        REGISTRY.fix(text)


def test_changes_stand_in_the_order_of_the_text() -> None:
    positions = [change.position for change in REGISTRY.fix("<URL:x-album://h/~joe/a b#top>").changes]
    assert positions == sorted(positions)
    assert len(positions) == 4


def test_what_is_no_text_or_too_long_is_refused() -> None:
    hostile: Any = 5
    with pytest.raises(InvalidURL, match="a URL is text"):
        REGISTRY.fix(hostile)
    with pytest.raises(URLTooLong):
        REGISTRY.fix("x-album://h/" + "~" * 70_000)


@pytest.mark.parametrize("end", ["\\", "?~", "<", ">", '"', "\uff0f", "\uff03", "\u2100", "\uff20"])
def test_a_login_that_others_read_as_a_host_is_never_repaired(end: str) -> None:
    with pytest.raises(NotRepairable):
        REGISTRY.fix(f"x-album://good.example{end}@evil.example/a")
