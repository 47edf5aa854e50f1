"""Errors follow the rules of their scheme, also where it has other hosts and ports than those of RFC 1738."""

from __future__ import annotations

from pathlib import Path

import pytest

from urlschemes import Registration, Scheme
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738
from urlschemes.url.fault_place import Fault

ALBUM = Scheme(Registration.from_file(Path(__file__).parent.parent / "album.toml")).url_type
ALIKE = {name: name for name in ("user", "password", "path")}
OTHER = Syntax(
    """
    url    = "x-other://" [ user [ ":" password ] "@" ] node [ ":" door ] "/" path
    node   = name *[ "_" name ]
    name   = 1*alpha
    door   = 1*4hex
    path   = *[ uchar ]
    """,
    "url",
    [Part(name, [at]) for name, at in {**ALIKE, "host": "node", "port": "door"}.items()],
    profile=RFC1738,
)

BARE = Syntax(
    """
    url    = "x-bare://" host [ ":" port ] "/" path
    path   = *[ uchar ]
    """,
    "url",
    [Part("host", ["host"]), Part("port", ["port"], number=True), Part("path", ["path"])],
    profile=RFC1738,
)

TICKET = Syntax(
    """
    url    = "x-ticket://" [ who "!" ticket "@" ] host "/"
    who    = 1*alpha
    ticket = 1*uchar
    """,
    "url",
    [Part("who", ["who"]), Part("ticket", ["ticket"]), Part("host", ["host"])],
    profile=RFC1738,
)


@pytest.mark.parametrize(
    ("text", "code", "part", "position"),
    [
        ("x-ticket://joe!@h/", "invalid-part", "ticket", 15),
        ("x-ticket://joe!a:b@h/", "invalid-part", "ticket", 16),
        ("x-ticket://joe!a b@h/", "invalid-character", "ticket", 16),
        ("x-ticket://joe!a@b_c/", "invalid-host", "host", 18),
    ],
)
def test_the_parts_before_the_at_sign_may_have_other_names_than_a_login(
    text: str, code: str, part: str, position: int
) -> None:
    assert TICKET.fullmatch("x-ticket://joe!a@b/")
    fault = Fault(text, TICKET, None)
    assert (fault.code, fault.part, fault.position) == (code, part, position)


@pytest.mark.parametrize("begin", ["x-mail:", "x-mail://"])
@pytest.mark.parametrize(
    ("text", "code", "part", "position"),
    [
        ("", "invalid-part", "user", 0),
        ("joe", "invalid-part", "user", 3),
        ("joe@", "empty-host", "host", 4),
        ("j~oe@h", "invalid-character", "user", 1),
        ("joe@h_h", "invalid-host", "host", 5),
        ("joe@h#", "fragment-present", "host", 5),
    ],
)
def test_a_user_name_may_be_required(begin: str, text: str, code: str, part: str, position: int) -> None:
    """There may be no `//` before it either."""
    syntax = Syntax(
        f'url = "{begin}" word "@" host\nword = 1*uchar\n',
        "url",
        [Part("user", ["word"]), Part("host", ["host"])],
        profile=RFC1738,
    )
    fault = Fault(begin + text, syntax, None)
    assert (fault.code, fault.part, fault.position) == (code, part, len(begin) + position)


@pytest.mark.parametrize(("text", "position"), [("h/joe#", 16), ("h/j~", 14), ("h/", 13), ("j@h/a", 11)])
def test_a_user_name_may_stand_behind_the_host(text: str, position: int) -> None:
    parts = [Part("user", ["who"]), Part("host", ["host"])]
    syntax = Syntax('url = "x-finger://" host [ "/" who ]\nwho = 1*uchar\n', "url", parts, profile=RFC1738)
    assert Fault(f"x-finger://{text}", syntax, None).position == position


@pytest.mark.parametrize(
    ("text", "code", "position", "rule", "message", "hint"),
    [
        ("x-other://a-b/", "invalid-host", 11, "name", "expected a letter", None),
        ("x-other://a_/", "invalid-host", 12, "name", "expected a letter", None),
        ("x-other://10.0.0.1/", "invalid-host", 10, "node", "expected a letter", None),
        ("x-other://a.b/", "invalid-host", 11, "name", "expected a letter", None),
        ("x-other:///", "empty-host", 10, "node", "expected a letter", None),
        ("x-other://a b/", "invalid-character", 11, "xchar", 'expected letters and "_"', "leave it out"),
        ("x-other://a:G/", "invalid-port", 12, "door", "expected a hexadecimal digit", None),
        ("x-other://a:/", "invalid-port", 12, "door", "missing port at position 12", "leave out the colon"),
        ("x-other://a:fffff/", "invalid-port", 16, "door", "too many characters in the port", None),
        ("x-other://a:f~/", "invalid-character", 13, "xchar", 'expected digits, "A"', "leave it out"),
        ("x-other://u:p:q@a_b:ff/", "invalid-userinfo", 13, "password", "expected %3A", "write %3A"),
    ],
)
def test_errors_and_hints_follow_the_rules_of_the_scheme(
    text: str, code: str, position: int, rule: str, message: str, hint: str | None
) -> None:
    assert OTHER.fullmatch("x-other://a_b:ff/")
    assert OTHER.fullmatch(text) is None
    fault = Fault(text, OTHER, None)
    assert (fault.code, fault.position, fault.rule) == (code, position, rule)
    assert message in fault.message
    assert str(fault.hint).startswith(str(hint))
    for word in ("hyphen", "label", " decimal", "domain name", "groups of digits"):
        assert word not in f"{fault.message} {fault.hint} {fault.expected}"


@pytest.mark.parametrize(
    "text",
    [
        "x-bare://h/a b",
        "x-bare://h.-b/",
        "x-bare://h:8x/",
        "x-bare://h:",
        "x-bare://h/a?b",
        "x-bare://1.2.3/",
        "x-bare:/h",
        "x-bare://h./",
        "x-bare://h",
        "x-bare://",
    ],
)
def test_the_position_is_the_end_of_the_longest_prefix_of_a_url(text: str) -> None:
    ends = ["", "a", "0", "/", "h/", "a/", "0/", ".0.0.0/", ".0.0/", ".0/", "/h/", "//h/"]
    begun = [text[:length] for length in range(len(text) + 1)]
    assert Fault(text, BARE, None).position == max(len(b) for b in begun for e in ends if BARE.fullmatch(b + e))


@pytest.mark.parametrize(
    ("text", "position", "span"),
    [
        ("x-album://h/a%4", 13, (13, 14)),
        ("x-album://h/?a%0Ab", 14, (14, 17)),
        ("x-album://h/;siz", 12, (12, 16)),
        ("x-album://h./", 12, (11, 12)),
        ("x-album://1.2/", 13, (10, 13)),
        ("x-album://h:", 12, (12, 12)),
    ],
)
def test_an_escape_and_a_literal_are_blamed_from_their_beginning(
    text: str, position: int, span: tuple[int, int]
) -> None:
    fault = Fault(text, ALBUM.syntax, None)
    assert (fault.position, fault.span) == (position, span)


@pytest.mark.parametrize("wrong", ["", "@", ":", "#", "%", "%4", " ", "~", "\u00e9", "?", "[", "%00", ";", "\\"])
@pytest.mark.parametrize("before", ["x-album://joe:", "x-other://joe:", "x-bare://joe:", "x-bare://joe@joe:"])
@pytest.mark.parametrize("behind", ["@h h/", "/", " /", ""])
def test_no_character_of_a_password_is_quoted(before: str, wrong: str, behind: str) -> None:
    """Without an `@`, what may be a password is read as a port."""
    syntax = {"x-album": ALBUM.syntax, "x-other": OTHER, "x-bare": BARE}[before.partition(":")[0]]
    text = f"{before}zq{wrong}zq{behind}"
    fault = Fault(text, syntax, None)
    shown = f"{fault.message} {fault.hint} {fault.definition}"
    assert "zq" not in shown


def test_a_number_is_too_long_only_where_nothing_else_is_wrong() -> None:
    digits = "9" * 4001
    for text, position in ((f"x-album://h:{digits}", 12 + 4000), (f"x-album://h:{digits}~", 12 + 4001)):
        assert Fault(text, ALBUM.syntax, None).position == position
