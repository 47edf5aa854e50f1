"""`fix`: the nearest URL, with every change listed, and refusals where there is no one right answer."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import urlschemes_lint
from urlschemes import InvalidURL, Registration, Registry, UnknownScheme
from urlschemes.errors import URLTooLong
from urlschemes.url.fault_messages import HINTS
from urlschemes_lint.errors import NotRepairable
from urlschemes_lint.fixing import Fixed

REGISTRY = Registry(plugins=())
ALBUM = Path(__file__).parent / "album.toml"
REGISTRY.register(Registration.from_file(ALBUM))


def other(name: str, bnf: str) -> Registration:
    """The record of a scheme `name` without a host."""
    head = ALBUM.read_text("utf-8").partition("[syntax]")[0].replace("x-album", name)
    return Registration.from_text(
        f'{head}[syntax]\nrule = \'url\'\nbnf = """{bnf}"""\n[syntax.parts]\nwhole = {{ at = \'whole\' }}\n'
    )


REGISTRY.register(
    other(
        "x-pairs",
        r"""
url   = \"x-pairs:\" whole
whole = name *[ \";\" name \"=\" name ]
name  = *uchar
""",
    )
)
REGISTRY.register(
    other(
        "x-note",
        r"""
url   = \"x-note:\" whole
whole = 1*uchar \"@\" host
""",
    )
)


REGISTRY.register(
    other(
        "x-open",
        r"""
url   = \"x-open:\" whole
whole = 1*uchar [ \"@\" 1*uchar ]
""",
    )
)


def parted(name: str, bnf: str, parts: str) -> Registration:
    """The record of a scheme `name` with these rules and parts."""
    head = ALBUM.read_text("utf-8").partition("[syntax]")[0].replace("x-album", name)
    return Registration.from_text(f"{head}[syntax]\nrule = \"url\"\nbnf = '''{bnf}'''\n[syntax.parts]\n{parts}\n")


REGISTRY.register(
    parted(
        "x-tabs",
        'url = "x-tabs:" whole [ "%09" more ]\nwhole = *uchar\nmore = *uchar',
        'whole = { at = "whole", exclude = ["09"] }\nmore = { at = "more" }',
    )
)
REGISTRY.register(
    parted(
        "x-names",
        'url = "x-names://" hostport "/" name\nname = *[ uchar | "?" ]',
        'host = { at = "host" }\nname = { at = "name" }',
    )
)


def carried_out(text: str, fixed: Fixed) -> str:
    """`text` with the changes of `fixed` carried out."""
    for change in reversed(fixed.changes):
        end = change.position + len(change.before)
        assert text[change.position : end] == change.before
        text = text[: change.position] + change.after + text[end:]
    return text


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
def test_repairs(text: str, url: str, what: list[str], fragment: str | None) -> None:
    fixed = urlschemes_lint.fix(text, registry=REGISTRY)
    assert str(fixed.url) == url
    assert [change.what for change in fixed.changes] == what
    assert fixed.fragment == fragment
    assert carried_out(text, fixed) == url
    again = urlschemes_lint.fix(str(fixed.url), registry=REGISTRY)
    assert (again.url, again.changes) == (fixed.url, ())


def test_a_change_says_where_and_by_which_section() -> None:
    change = urlschemes_lint.fix("<URL:x-album://h/~>", registry=REGISTRY).changes[1]
    assert (change.position, change.before, change.after, change.section) == (17, "~", "%7E", "RFC 1738 section 2.2")
    assert change.part == "picture"


def test_a_change_within_a_password_does_not_show_it() -> None:
    changes = urlschemes_lint.fix("x-album://j~:pa~ss@h/a~/~", registry=REGISTRY).changes
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
def test_what_has_no_one_right_answer_is_refused(text: str) -> None:
    with pytest.raises(NotRepairable, match="not repaired, as that would be a guess"):
        urlschemes_lint.fix(text, registry=REGISTRY)


@pytest.mark.parametrize(
    ("text", "position", "said"),
    [
        ("x-album://h/a\\b", 13, "`/` where it divides, and `%5C` where it is data"),
        ("x-album://h/a\r\nb", 13, "it is left out .* and it is %0D%0A where it is data"),
        ("<URL:x-album://h/a-\n b>", 18, "it stays where it belongs to the URL, and is left out"),
        ("x-album://h/a;siz=3", 13, "`;size=` where that is meant, and `%3B`"),
        ("x-album://h/a;size", 13, "`;size=` where that is meant, and `%3B`"),
        ("x-pairs:a;b;c=d", 11, "`=` is inserted before it, and it is `%3B`"),
        ("x-album://u#1@h/", 11, "it begins a fragment, .* and it is %23 where it is a character of a login"),
        ("x-album://u#1/2@h/", 11, "it begins a fragment, .* and it is %23 where it is a character of a login"),
        ("x-open:a#b@c", 8, "it begins a fragment, .* and it is %23 where it is a character"),
        ("x-tabs:a\tb", 8, "it is %09 where it ends the whole, and is left out where it is data"),
        ("x-album://h/a\u200bb", 13, "it is left out, as it cannot be seen, and it is %E2%80%8B where it is data"),
        ("x-album://h/a\u00a0b", 13, "it is left out, as it cannot be seen, and it is %C2%A0 where it is data"),
        ("x-pairs:<a>", 8, "they are left out where they only delimit, and encoded where they are data"),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_of_two_repairs_both_are_named(text: str, position: int, said: str) -> None:
    with pytest.raises(NotRepairable, match=said) as caught:
        urlschemes_lint.fix(text, registry=REGISTRY)
    assert caught.value.position == position


def test_the_error_is_the_one_that_cannot_be_repaired() -> None:
    with pytest.raises(NotRepairable, match="'_' at position 16 cannot stand in a domain name") as caught:
        urlschemes_lint.fix("<URL:x-album://a_b/~ ~>", registry=REGISTRY)
    assert (caught.value.part, caught.value.position) == ("host", 16)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("x-note:<a@h.dom>", "x-note:a@h.dom"),
        ("<URL:x-note:<a@h.dom.>>", "x-note:a@h.dom"),
        ("x-pairs:a;b=c=d", "x-pairs:a;b=c%3Dd"),
    ],
)
def test_a_delimiter_that_can_only_be_data_or_be_left_out(text: str, url: str) -> None:
    fixed = urlschemes_lint.fix(text, registry=REGISTRY)
    assert str(fixed.url) == url
    assert carried_out(text, fixed) == url


@pytest.mark.parametrize(
    ("text", "position", "said", "hint"),
    [
        ("<URL:x-album://1.2.3./a>", 20, "ends with a dot at position 20", "leave out the dot at the end"),
        (
            "<x-album:\n//-a.b/>",
            12,
            "the label '-a' begins with a hyphen",
            HINTS["host"],
        ),
        (" URL:x-album://h/;size=x~", 23, "'x' at position 23 where a digit is due", "the size is a decimal number"),
        ("x-album//h/~", 7, "'/' at position 7 where \":\" is due", "write `:` after `x-album`"),
    ],
)
def test_what_is_not_repaired_is_told_of_the_text_as_given(text: str, position: int, said: str, hint: str) -> None:
    with pytest.raises(NotRepairable) as caught:
        urlschemes_lint.fix(text, registry=REGISTRY)
    assert caught.value.message.endswith(said)
    assert (caught.value.position, caught.value.hint) == (position, hint)


def test_a_repair_that_is_longer_than_the_bound_is_none() -> None:
    assert len(str(urlschemes_lint.fix("x-album://h/" + "~" * 21_000, registry=REGISTRY).url)) == 63_012
    with pytest.raises(NotRepairable, match="has 66012 characters, and the bound is 65536"):
        urlschemes_lint.fix("x-album://h/" + "~" * 22_000, registry=REGISTRY)


@pytest.mark.parametrize("text", ["", "//h/x", "h/x", "example.com", "x_album://h", "\u212aiss:x"], ids=ascii)
def test_a_scheme_is_never_guessed(text: str) -> None:
    with pytest.raises(NotRepairable, match="there is no name of a scheme"):
        urlschemes_lint.fix(text, registry=REGISTRY)


@pytest.mark.parametrize("text", ["http://h/~", "URL:nobody:x"])
def test_a_scheme_that_nobody_registered_is_unknown(text: str) -> None:
    with pytest.raises(UnknownScheme):
        urlschemes_lint.fix(text, registry=REGISTRY)


def test_changes_stand_in_the_order_of_the_text() -> None:
    positions = [
        change.position for change in urlschemes_lint.fix("<URL:x-album://h/~joe/a b#top>", registry=REGISTRY).changes
    ]
    assert positions == [0, 17, 23, 25, 29]


def test_a_question_mark_behind_the_host_gets_its_slash_only_where_it_divides_then() -> None:
    """The section is that of the rule. In `x-names://h/?q` the `?` would be a character of the name."""
    assert [each.section for each in urlschemes_lint.fix("x-album://h?q", registry=REGISTRY).changes] == [
        "The album specification section 2.1"
    ]
    for text in ("x-names://h?q", "x-names://h.?q"):
        with pytest.raises(NotRepairable):
            urlschemes_lint.fix(text, registry=REGISTRY)


def test_the_refusal_of_fix_does_not_send_to_fix() -> None:
    with pytest.raises(UnknownScheme) as caught:
        urlschemes_lint.fix("URL:h", registry=REGISTRY)
    assert "`fix`" not in str(caught.value)


def test_what_fix_and_check_return_are_values() -> None:
    text = "x-album://joe:pa~ss@h/a~#ftp://a:secret@b"
    one, other = urlschemes_lint.fix(text, registry=REGISTRY), urlschemes_lint.fix(text, registry=REGISTRY)
    found = urlschemes_lint.check(text, registry=REGISTRY)
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one.changes)) == other.changes
    assert pickle.loads(pickle.dumps(found)) == urlschemes_lint.check(text, registry=REGISTRY)
    for thing, name in ((one, "fragment"), (one.changes[0], "after"), (found[0], "message")):
        with pytest.raises(AttributeError):
            setattr(thing, name, "other")
    assert "pa" not in repr(one.changes[0]).partition("in the password")[0].replace("password", "")
    assert "secret" not in f"{one!r}{one.changes!r}"


def test_what_is_no_text_or_too_long_is_refused() -> None:
    hostile: Any = 5
    with pytest.raises(InvalidURL, match="a URL is text"):
        urlschemes_lint.fix(hostile, registry=REGISTRY)
    with pytest.raises(URLTooLong):
        urlschemes_lint.fix("x-album://h/" + "~" * 70_000, registry=REGISTRY)


@pytest.mark.parametrize("end", ["\\", "?~", "<", ">", '"', "\uff0f", "\uff03", "\u2100", "\uff20"])
def test_a_login_that_others_read_as_a_host_is_never_repaired(end: str) -> None:
    with pytest.raises(NotRepairable):
        urlschemes_lint.fix(f"x-album://good.example{end}@evil.example/a", registry=REGISTRY)
