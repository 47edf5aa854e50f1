"""Menus: their entries, and errors in place of a menu or a document (RFC 1436)."""

from __future__ import annotations

import pytest
from gopher_dialogues import MENU, exchange, outcome_of, url_of
from outcomes import error_of

from urlschemes_access.attributes import Entry
from urlschemes_access.errors import LimitExceeded, RemoteError, Truncated
from urlschemes_gopher import GopherURL
from urlschemes_gopher.access import access
from urlschemes_testing.replay import replay


def test_a_menu_is_a_listing_of_urls() -> None:
    outcome = outcome_of("", exchange("", *MENU, "."))
    assert outcome.kind == "listing"
    assert outcome.complete
    assert outcome.attributes is not None
    assert outcome.attributes.media_type == "application/gopher-menu"
    assert [(entry.name, entry.kind, entry.url, entry.problem) for entry in outcome.entries] == [
        ("About", "text", "gopher://host.dom/00/about", None),
        ("More", "menu", "gopher://other.dom:7070/11/more%09%09+", None),
        ("Find", "search", "gopher://host.dom/77/find", None),
    ]


def test_the_response_to_a_search_is_a_menu() -> None:
    outcome = outcome_of("7f%09a%20b", exchange("f\ta b", *MENU, "."))
    assert len(outcome.entries) == 3


def test_a_menu_without_its_dot_is_delivered_and_marked() -> None:
    outcome = outcome_of("1", exchange("", *MENU))
    assert (len(outcome.entries), outcome.terminated) == (3, False)


def test_an_empty_menu() -> None:
    assert outcome_of("1", exchange("", ".")).complete
    outcome = outcome_of("1", exchange(""))
    assert (outcome.kind, outcome.entries, outcome.terminated) == ("listing", (), False)


def test_lines_after_the_dot_of_a_menu_are_dropped() -> None:
    assert len(outcome_of("1", exchange("", *MENU, ".", "0More\tm\thost.dom\t70")).entries) == 3


def test_a_menu_that_ends_within_a_line_is_truncated() -> None:
    outcome = outcome_of("1", exchange("", *MENU, b"0Last\tlast\thost.dom\t7"))
    assert len(outcome.entries) == 3
    assert "0Last" in str(error_of(outcome, Truncated))


def one(line: str | bytes, *before: str) -> Entry:
    """Return the entry of a line that follows the lines `before`."""
    script = exchange("", *before, line if isinstance(line, str) else line + b"\r\n", MENU[0], ".")
    outcome = replay(access(url_of("1")), script)
    return outcome.entries[len(before)]


@pytest.mark.parametrize(
    ("line", "kind", "url"),
    [
        ("0A\ta\th.dom\t70", "text", "gopher://h.dom/0a"),
        ("1A\t\th.dom\t7071", "menu", "gopher://h.dom:7071/1"),
        ("2A\tph\th.dom\t105", "phone book", "gopher://h.dom:105/2ph"),
        ("4A\ta\th.dom\t70", "binhex", "gopher://h.dom/4a"),
        ("5A\ta\th.dom\t70", "archive", "gopher://h.dom/5a"),
        ("6A\ta\th.dom\t70", "uuencoded", "gopher://h.dom/6a"),
        ("8A\tguest\th.dom\t23", "telnet", "telnet://guest@h.dom/"),
        ("8A\t\th.dom\t2323", "telnet", "telnet://h.dom:2323/"),
        ("8A\t-oX y:z@/\th.dom\t23", "telnet", "telnet://-oX%20y%3Az%40%2F@h.dom/"),
        ("TA\tlib\th.dom\t23", "tn3270", "telnet://lib@h.dom/"),
        ("9A\ta b\th.dom\t70", "binary", "gopher://h.dom/9a%20b"),
        ("gA\ta\th.dom\t70", "image", "gopher://h.dom/ga"),
        (":A\ta\th.dom\t70", "image", "gopher://h.dom/:a"),
        ("<A\ta\th.dom\t70", "sound", "gopher://h.dom/%3Ca"),
        ("ZA\ta\th.dom\t70", "", "gopher://h.dom/Za"),
        ("0A\t/é\th.dom\t70", "text", "gopher://h.dom/0/%C3%A9"),
        ("0A\ta\tH.DOM\t0070", "text", "gopher://H.DOM/0a"),
        ("0A\ta\th.dom\t70\t+", "text", "gopher://h.dom/0a%09%09+"),
        ("0A\ta\th.dom\t70\t?", "text", "gopher://h.dom/0a%09%09?"),
        ("0A\ta\th.dom\t70\twhatever\tmore", "text", "gopher://h.dom/0a"),
        ("0A\ta\t+\t+", "text", "gopher://host.dom/0a"),
        ("hA\ta\th.dom\t70", "html", "gopher://h.dom/ha"),
        ("hA\tURL:http://x.dom/~y\th.dom\t70", "html", "http://x.dom/~y"),
        ("hA\t/URL:http://x.dom/\th.dom\t70", "html", "http://x.dom/"),
        ("hA\tURL:javascript:alert(1)\t\t", "html", "javascript:alert(1)"),
        ("0A\tURL:http://x.dom/\th.dom\t70", "text", "gopher://h.dom/0URL:http://x.dom/"),
    ],
)
def test_the_entry_of_a_line(line: str, kind: str, url: str) -> None:
    entry = one(line)
    assert (entry.name, entry.kind, entry.url, entry.problem) == ("A", kind, url, None)


def test_a_name_is_utf_8_or_else_latin_1() -> None:
    assert one(b"0\x1b[2J caf\xe9\ta\th.dom\t70").name == "\x1b[2J caf\u00e9"


def test_a_port_may_have_leading_zeros() -> None:
    assert one("0A\ta\th.dom\t" + "0" * 5000 + "71").url == "gopher://h.dom:71/0a"


def test_a_plus_is_the_host_and_port_of_the_menu() -> None:
    url = GopherURL.parse("gopher://host.dom:7070/1")
    entry = outcome_of(url, exchange("", "0A\ta\t+\t+", ".", port=7070)).entries[0]
    assert entry.url == "gopher://host.dom:7070/0a"


def test_a_redundant_server_has_the_type_of_the_item_before_it() -> None:
    entry = one("+Mirror\ta\tmirror.dom\t70", "9A\ta\th.dom\t70", "iNote\t\t\t0")
    assert (entry.kind, entry.url) == ("redundant server", "gopher://mirror.dom/9a")
    again = one("+Mirror\ta\tmirror.dom\t70", "9A\ta\th.dom\t70", "+One\ta\tone.dom\t70")
    assert again.url == "gopher://mirror.dom/9a"


@pytest.mark.parametrize(
    ("line", "name"),
    [("iHello\tfake\t(NULL)\t0", "Hello"), ("iHello", "Hello"), ("i\t\t\t", ""), ("", ""), ("i one\ttwo", " one")],
)
def test_lines_of_text(line: str, name: str) -> None:
    entry = one(line)
    assert (entry.name, entry.kind, entry.url, entry.problem) == (name, "info", None, None)


@pytest.mark.parametrize(
    "line",
    [
        b"no tabs at all",
        b"0A\ta\th.dom",
        b"0A\ta\th.dom\t99999",
        b"0A\ta\th.dom\t0",
        b"0A\ta\th.dom\t-70",
        b"0A\ta\th.dom\t7_0",
        b"0A\ta\th.dom\t" + b"7" * 5000,
        b"0A\ta\th.dom\t",
        b"0A\ta\t-o\t70",
        b"0A\ta\t\t70",
        b"0A\ta\th_x.dom\t70",
        b"0A\ta\t[::1]\t70",
        b"0A\ta\th.dom/x\t70",
        b"0A\tu@h.dom\tu:p@h.dom\t70",
        b"0A\ta\rb\th.dom\t70",
        b"0A\ta\x00b\th.dom\t70",
        b"0A\ta\x1bb\th.dom\t70",
        b"\x1bA\ta\th.dom\t70",
        b"\tA\ta\th.dom\t70",
        b"8A\tgue\x1bst\th.dom\t23",
        b"hA\tURL:http://x.dom/\x1b[2J\th.dom\t70",
        b"hA\tURL:http://x.dom/a b\th.dom\t70",
        b"hA\tURL:\th.dom\t70",
    ],
)
def test_a_line_that_no_url_can_describe_has_a_problem(line: bytes) -> None:
    entry = one(line)
    assert entry.url is None
    assert entry.problem
    assert entry.problem.isascii()
    assert entry.problem.isprintable()
    assert len(entry.problem) <= 300


def test_the_problem_says_what_is_wrong_and_the_fields_what_was_received() -> None:
    entry = one("0A\ta\th.dom\t99999")
    assert (entry.name, entry.problem) == ("A", "invalid port '99999': expected 1 to 65535")
    assert entry.fields == {"type": "0", "selector": "a", "host": "h.dom", "port": "99999"}


def test_the_length_of_a_menu_line_is_limited() -> None:
    error = error_of(replay(access(url_of("1")), exchange("", b"0" + b"x" * 9000)), LimitExceeded)
    assert (error.limit, error.value) == ("line", 8192)
    error_of(replay(access(url_of("1")), exchange("", MENU[0], b"0" + b"x" * 9000 + b"\r\n", ".")), LimitExceeded)


@pytest.mark.parametrize(("url", "asked"), [("0a", "a"), ("1a", "a"), ("9a", "a"), ("7a%09b", "a\tb")])
@pytest.mark.parametrize("gtype", ["0", "3"])  # servers of the University of Minnesota send 0
@pytest.mark.parametrize("end", [(), (".",)])
def test_a_response_of_one_error_item_is_an_error(url: str, asked: str, gtype: str, end: tuple[str, ...]) -> None:
    outcome = outcome_of(url, exchange(asked, f"{gtype}'a' does not exist\t\terror.host\t1", *end))
    error = error_of(outcome, RemoteError)
    assert (error.text, error.status, error.temporary) == ("'a' does not exist", None, False)
    assert outcome.kind is None


@pytest.mark.parametrize("url", ["0a", "1a"])
def test_an_error_may_have_several_lines(url: str) -> None:
    lines = [f"0{text}\t\terror.host\t1" for text in ("It failed:", "no disk")]
    assert error_of(outcome_of(url, exchange("a", *lines, ".")), RemoteError).text == "It failed: no disk"


def test_an_error_item_among_others_is_an_entry() -> None:
    for gtype in "03":
        outcome = outcome_of("1", exchange("", f"{gtype}Partly down\t\terror.host\t1", *MENU, "."))
        assert [entry.kind for entry in outcome.entries] == ["error", "text", "menu", "search"]
        assert outcome.entries[0].url is None


@pytest.mark.parametrize(
    "octets",
    [
        *(b"3 pigs\r\n", b"3", b"3a\tb\tc\t70\r\nand more\r\n", b"0", b"0a\tb\thost.dom\t70\r\n"),
        *(b"0a\tb\terror.host\t1\r\nand more\r\n", b"0a\tb\terror.host\t1\r\n.\r\nand more"),
    ],
)
def test_content_that_begins_like_an_error_item_is_no_error(octets: bytes) -> None:
    assert outcome_of("9a", exchange("a", octets), closing=True).content == octets


def test_long_content_that_begins_with_a_3_is_no_error() -> None:
    octets = b"3" + b"0" * 10_000
    assert replay(access(url_of("9a")), exchange("a", octets), chunk=100).content == octets


def test_plain_text_in_place_of_a_menu_is_an_error() -> None:
    outcome = outcome_of("1a", exchange("a", "Error: File or directory not found!"))
    error = error_of(outcome, RemoteError)
    assert error.text == "Error: File or directory not found!"


def test_a_long_text_in_place_of_a_menu_is_an_error_too() -> None:
    error_of(replay(access(url_of("1a")), exchange("a", *["just words"] * 1000)), RemoteError)


def test_a_menu_of_bad_lines_that_ends_with_its_dot_is_a_menu() -> None:
    outcome = outcome_of("1a", exchange("a", "no tabs here", "."))
    assert [(entry.name, bool(entry.problem)) for entry in outcome.entries] == [("no tabs here", True)]


def test_a_menu_may_consist_of_lines_of_text() -> None:
    outcome = outcome_of("1a", exchange("a", "iSo far", "inothing."))
    assert [entry.name for entry in outcome.entries] == ["So far", "nothing."]
    many = outcome_of("1a", exchange("a", *["ione"] * 40, MENU[0], "."))
    assert (len(many.entries), many.complete) == (41, True)
