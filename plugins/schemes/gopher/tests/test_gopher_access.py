"""The gopher algorithms against written dialogues: what is sent, what comes of it, cut everywhere, with every fault."""

from datetime import UTC, datetime
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes.errors import UnsafeURL, UnsupportedOperation, URLError
from urlschemes_access.attributes import Entry
from urlschemes_access.credentials import Form, Question
from urlschemes_access.errors import (
    ConnectError,
    DeadlineExceeded,
    InputRequired,
    LimitExceeded,
    RemoteError,
    Truncated,
)
from urlschemes_access.protocol import Algorithm, Send
from urlschemes_gopher import GopherURL
from urlschemes_gopher.access import access, find_attributes
from urlschemes_gopher.attributes import MAX_OCTETS
from urlschemes_gopher.dot_stuffing import DotDecoder
from urlschemes_testing.replay import (
    Dialogue,
    Outcome,
    Step,
    answers,
    client,
    connect,
    fault_everywhere,
    replay,
    server,
    server_closes,
    server_resets,
    silence,
    split_everywhere,
)

HOST = "host.dom"
MENU = (
    "0About\t0/about\thost.dom\t70",
    "1More\t1/more\tother.dom\t7070\t+",
    "7Find\t7/find\thost.dom\t70",
)


def talk(asked: str | bytes, *answer: str | bytes, port: int = 70) -> Dialogue:
    """One question, one answer, and the server closes."""
    said = (server(*answer),) if answer else ()
    return Dialogue(connect(HOST, port), client(asked), *said, server_closes())


def path(path: str) -> GopherURL:
    return GopherURL.parse(f"gopher://{HOST}/{path}")


def got(url: str | GopherURL, dialogue: Dialogue, *, closing: bool = False, submit_form: bool = False) -> Outcome:
    """What comes of an access, which is the same however the answer is cut, and honest under every fault."""

    def algorithm() -> Algorithm[None]:
        return access(path(url) if isinstance(url, str) else url, submit_form=submit_form)

    outcome = split_everywhere(algorithm, dialogue)
    if outcome.error is None:
        fault_everywhere(algorithm, dialogue, ends_by_closing=closing)
    return outcome


def known(url: str, dialogue: Dialogue, *, closing: bool = False) -> Outcome:
    """The same for the attributes."""

    def algorithm() -> Algorithm[None]:
        return find_attributes(path(url))

    outcome = split_everywhere(algorithm, dialogue)
    if outcome.error is None:
        fault_everywhere(algorithm, dialogue, ends_by_closing=closing)
    return outcome


Failure = TypeVar("Failure", bound=URLError)


def failed(outcome: Outcome, error: type[Failure]) -> Failure:
    """The error that the access must have ended with."""
    assert isinstance(outcome.error, error), outcome
    return outcome.error


# --- what is asked for ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("", b"\r\n"),
        ("1", b"\r\n"),
        ("0/a%20b", b"/a b\r\n"),
        ("0a%C3%A9%FF", b"a\xc3\xa9\xff\r\n"),
        ("00a", b"0a\r\n"),
        ("7f%09two%20words", b"f\ttwo words\r\n"),
        ("7f%09", b"f\t\r\n"),
        ("7f", b"f\r\n"),
        # Decision 10: no empty search field before a Gopher+ string, as in the example of section 3.4.9 ...
        ("0a%09%09+", b"a\t+\r\n"),
        ("1%09%09$", b"\t$\r\n"),
        ("0a%09%09!+ABSTRACT%20+SMELL", b"a\t!+ABSTRACT +SMELL\r\n"),
        ("0a%09%09+application/postscript%20Es_ES", b"a\t+application/postscript Es_ES\r\n"),
        ("0a%09b%09+", b"a\tb\t+\r\n"),
        # ... but the item of a search has its words before it, be there none (Gopher+, section 2.4 and appendix II).
        ("7f%09words%09+", b"f\twords\t+\r\n"),
        ("7f%09%09!", b"f\t\t!\r\n"),
        # An empty Gopher+ string asks for nothing of Gopher+.
        ("0a%09%09", b"a\t\r\n"),
    ],
)
def test_the_line_that_is_sent(url: str, asked: bytes) -> None:
    outcome = got(url, Dialogue(connect(HOST, 70), client(asked), server_closes()), closing=True)
    assert outcome.sent == {"connection": asked}


def test_the_port_of_the_url_is_dialled() -> None:
    url = GopherURL.parse("gopher://host.dom:7070/9x")
    assert got(url, talk("x", b"\x00\xff", port=7070), closing=True).content == b"\x00\xff"


# --- texts ------------------------------------------------------------------------------------------------------------


def test_a_text_ends_at_its_dot_and_loses_the_doubled_ones() -> None:
    outcome = got("0about", talk("about", "Hello.", "..profile", "...", "", ".", "not this"))
    assert outcome.content == b"Hello.\r\n.profile\r\n..\r\n\r\n"
    assert outcome.complete
    assert outcome.attributes is not None
    assert outcome.attributes.media_type == "text/plain"
    assert outcome.attributes.fields == {"protocol": "Gopher"}
    assert outcome.unclosed == ()


def test_the_line_ends_of_a_text_may_lack_their_cr() -> None:
    outcome = got("0a", talk("a", b"one\ntwo\n.\n"))
    assert (outcome.content, outcome.complete) == (b"one\ntwo\n", True)


def test_a_dot_without_its_line_end_is_no_end() -> None:
    outcome = got("0a", talk("a", b"one\r\n."))
    assert (outcome.content, outcome.terminated, outcome.error) == (b"one\r\n", False, None)
    menu = got("1", talk("", *MENU, b"."))
    assert (len(menu.entries), menu.terminated, menu.error) == (3, False, None)


def test_a_text_without_its_dot_is_delivered_and_marked() -> None:
    outcome = got("0a", talk("a", b"one\r\ntwo"))
    assert (outcome.content, outcome.terminated, outcome.error) == (b"one\r\ntwo", False, None)


def test_an_empty_text_with_its_dot_is_whole_and_without_is_marked() -> None:
    assert got("0a", talk("a", ".")).complete
    outcome = got("0a", talk("a"))
    assert (outcome.kind, outcome.content, outcome.terminated) == ("document", b"", False)


def test_a_server_that_doubles_no_dots_is_found_out() -> None:
    outcome = got("0a", talk("a", b".profile\n..two\nend\n"))
    assert outcome.content == b".profile\n..two\nend\n"


def test_dots_within_lines_stay() -> None:
    assert got("0a", talk("a", "a.b", "c.", " .", ".")).content == b"a.b\r\nc.\r\n .\r\n"


@pytest.mark.parametrize("gtype", ["4", "6"])
def test_binhex_and_uuencoded_are_texts(gtype: str) -> None:
    assert got(f"{gtype}a", talk("a", "begin 644 x", ".")).content == b"begin 644 x\r\n"


def test_a_line_of_a_text_is_bounded() -> None:
    long = b"x" * 70_000
    error = failed(replay(access(path("0a")), talk("a", long)), LimitExceeded)
    assert (error.limit, error.value) == ("line", 65536)
    assert failed(replay(access(path("0a")), talk("a", long), chunk=7), LimitExceeded).hint is not None
    assert replay(access(path("0a")), talk("a", b"x" * 65_000 + b"\r\n", ".")).complete
    # Type 9 has no lines.
    assert replay(access(path("9a")), talk("a", long)).content == long


def test_the_reader_of_texts_forgets_what_follows_the_dot() -> None:
    text = DotDecoder()
    assert text.feed(b"a\n.\nb\n") == b"a\n"
    assert text.terminated
    assert text.feed(b"more\n") == b""
    assert text.end() == b""


# --- other content ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "media_type"),
    [
        ("9/a.zip", "application/zip"),
        ("9/a.tar.gz", "application/gzip"),
        ("9/a", "application/octet-stream"),
        ("5/a.zip", "application/zip"),
        ("g/a", "image/gif"),
        ("I/a.jpg", "image/jpeg"),
        ("I/a.zip", "application/octet-stream"),
        ("h/a", "text/html"),
        ("s/a.au", "audio/basic"),
        ("%3A/a.png", "image/png"),
        ("%3B/a.mpeg", "video/mpeg"),
        ("%3C/a.au", "audio/basic"),
        ("P/a", "application/pdf"),
        ("d/a.pdf", "application/pdf"),
        ("Z/a", None),
    ],
)
def test_binary_content_is_untouched_to_the_end(url: str, media_type: str | None) -> None:
    octets = b"GIF89a\x00\xff\r\n..\r\n.\r\nmore\r\n.\r\n"
    outcome = got(url, talk(path(url).selector, octets), closing=True)
    assert outcome.content == octets
    assert outcome.complete
    assert outcome.attributes is not None
    assert outcome.attributes.media_type == media_type


def test_html_for_a_url_selector_is_a_document_like_any_other() -> None:
    outcome = got("hURL:javascript:alert(1)", talk("URL:javascript:alert(1)", b"<html>"), closing=True)
    assert outcome.content == b"<html>"


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("2ph", None),
        ("3x", None),
        ("ix", None),
        ("8-oX", "it means telnet://-oX@host.dom:70/"),
        ("Tab%20c", "it means telnet://ab%20c@host.dom:70/"),
        ("8", "it means telnet://host.dom:70/"),
    ],
)
def test_items_that_are_no_resource_of_a_gopher_server(url: str, hint: str | None) -> None:
    for operation in (access, find_attributes):
        error = failed(replay(operation(path(url)), Dialogue()), UnsupportedOperation)
        assert (error.hint, error.part) == (hint, "gtype")


def test_a_reset_is_truncated_and_before_the_first_octet_a_failed_connection() -> None:
    begun = Dialogue(connect(HOST, 70), client("a"), server(b"some"), server_resets())
    failed(replay(access(path("9a")), begun), Truncated)
    failed(replay(access(path("9a")), Dialogue(connect(HOST, 70), client("a"), server_resets())), ConnectError)


# --- menus ------------------------------------------------------------------------------------------------------------


def test_a_menu_is_entries_with_urls() -> None:
    outcome = got("", talk("", *MENU, "."))
    assert outcome.kind == "listing"
    assert outcome.complete
    assert outcome.attributes is not None
    assert outcome.attributes.media_type == "application/gopher-menu"
    assert [(entry.name, entry.kind, entry.url, entry.problem) for entry in outcome.entries] == [
        ("About", "text", "gopher://host.dom/00/about", None),
        ("More", "menu", "gopher://other.dom:7070/11/more%09%09+", None),
        ("Find", "search", "gopher://host.dom/77/find", None),
    ]
    assert all(GopherURL.parse(entry.url or "").host for entry in outcome.entries)


def test_the_answer_to_a_search_is_a_menu() -> None:
    outcome = got("7f%09a%20b", talk("f\ta b", *MENU, "."))
    assert len(outcome.entries) == 3


def test_a_menu_without_its_dot_is_delivered_and_marked() -> None:
    outcome = got("1", talk("", *MENU))
    assert (len(outcome.entries), outcome.terminated) == (3, False)


def test_an_empty_menu() -> None:
    assert got("1", talk("", ".")).complete
    outcome = got("1", talk(""))
    assert (outcome.kind, outcome.entries, outcome.terminated) == ("listing", (), False)


def test_what_follows_the_dot_of_a_menu_is_dropped() -> None:
    assert len(got("1", talk("", *MENU, ".", "0More\tm\thost.dom\t70")).entries) == 3


def test_a_menu_that_ends_within_a_line_is_truncated() -> None:
    outcome = got("1", talk("", *MENU, b"0Last\tlast\thost.dom\t7"))
    assert len(outcome.entries) == 3
    assert "0Last" in str(failed(outcome, Truncated))


def one(line: str | bytes, *before: str) -> Entry:
    """The entry that comes of one line, behind one that is good."""
    dialogue = talk("", *before, line if isinstance(line, str) else line + b"\r\n", MENU[0], ".")
    return (got("1", dialogue) if len(line) < 1000 else replay(access(path("1")), dialogue)).entries[len(before)]


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
def test_what_a_line_says(line: str, kind: str, url: str) -> None:
    entry = one(line)
    assert (entry.name, entry.kind, entry.url, entry.problem) == ("A", kind, url, None)


def test_the_name_is_kept_as_it_came() -> None:
    assert one(b"0\x1b[2J caf\xe9\ta\th.dom\t70").name == "\x1b[2J caf\udce9"


def test_a_port_may_have_any_number_of_zeros_before_it() -> None:
    assert one("0A\ta\th.dom\t" + "0" * 5000 + "71").url == "gopher://h.dom:71/0a"


def test_the_plus_of_a_link_file_is_the_host_and_port_asked() -> None:
    url = GopherURL.parse("gopher://host.dom:7070/1")
    entry = got(url, talk("", "0A\ta\t+\t+", ".", port=7070)).entries[0]
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
def test_lines_to_be_read(line: str, name: str) -> None:
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
def test_a_line_that_no_url_can_come_from_is_kept_with_its_problem(line: bytes) -> None:
    entry = one(line)
    assert entry.url is None
    assert entry.problem
    assert entry.problem.isascii()
    assert entry.problem.isprintable()
    assert len(entry.problem) <= 300


def test_the_problem_says_what_is_wrong_and_the_fields_what_came() -> None:
    entry = one("0A\ta\th.dom\t99999")
    assert (entry.name, entry.problem) == ("A", "'99999' is no port")
    assert entry.fields == {"type": "0", "selector": "a", "host": "h.dom", "port": "99999"}


def test_a_line_of_a_menu_is_bounded() -> None:
    error = failed(replay(access(path("1")), talk("", b"0" + b"x" * 9000)), LimitExceeded)
    assert (error.limit, error.value) == ("line", 8192)
    failed(replay(access(path("1")), talk("", MENU[0], b"0" + b"x" * 9000 + b"\r\n", ".")), LimitExceeded)


# --- errors in the way of RFC 1436 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["0a", "1a", "9a", "7a"])
@pytest.mark.parametrize("end", [(), (".",)])
def test_an_answer_of_one_error_item_is_an_error(url: str, end: tuple[str, ...]) -> None:
    outcome = got(url, talk("a", "3'a' does not exist\t\terror.host\t1", *end))
    error = failed(outcome, RemoteError)
    assert (error.text, error.status, error.temporary) == ("'a' does not exist", None, False)
    assert outcome.kind is None


def test_an_error_item_among_others_is_an_entry() -> None:
    outcome = got("1", talk("", "3Partly down\t\terror.host\t1", *MENU, "."))
    assert [entry.kind for entry in outcome.entries] == ["error", "text", "menu", "search"]
    assert outcome.entries[0].url is None


def test_a_text_that_begins_with_a_3_is_a_text() -> None:
    for words in (b"3 pigs\r\n", b"3", b"3a\tb\tc\t70\r\nand more\r\n", b"3" + b"0" * 10_000):
        assert got("9a", talk("a", words), closing=True).content == words


def test_words_where_a_menu_was_due_are_an_error() -> None:
    outcome = got("1a", talk("a", "Error: File or directory not found!"))
    error = failed(outcome, RemoteError)
    assert error.text == "Error: File or directory not found!"


def test_a_long_text_where_a_menu_was_due_is_an_error_too() -> None:
    failed(replay(access(path("1a")), talk("a", *["just words"] * 1000)), RemoteError)


def test_a_menu_of_bad_lines_that_ends_with_its_dot_is_a_menu() -> None:
    outcome = got("1a", talk("a", "no tabs here", "."))
    assert [(entry.name, bool(entry.problem)) for entry in outcome.entries] == [("no tabs here", True)]


def test_a_menu_may_hold_nothing_but_lines_to_be_read() -> None:
    outcome = got("1a", talk("a", "iSo far", "inothing."))
    assert [entry.name for entry in outcome.entries] == ["So far", "nothing."]
    many = got("1a", talk("a", *["ione\t\t\t0"] * 100, MENU[0], "."))
    assert (len(many.entries), many.complete) == (101, True)


# --- Gopher+: how long an answer is -----------------------------------------------------------------------------------


def test_a_counted_answer() -> None:
    outcome = got("0a%09%09+", talk("a\t+", b"+11\r\n.\r\n..x\r\n.\r\n"))
    assert outcome.content == b".\r\n..x\r\n.\r\n"
    assert outcome.attributes is not None
    assert (outcome.attributes.size, outcome.attributes.fields) == (11, {"protocol": "Gopher+"})
    assert got("0a%09%09+", talk("a\t+", b"+0\r\n")).complete


def test_what_follows_a_counted_answer_is_dropped() -> None:
    assert got("0a%09%09+", talk("a\t+", b"+2\r\nab", b"cd")).content == b"ab"


def test_a_counted_answer_that_is_short_is_truncated() -> None:
    error = failed(got("0a%09%09+", talk("a\t+", b"+11\r\nabc")), Truncated)
    assert (error.received, error.expected) == (3, 11)


def test_an_answer_to_the_dot() -> None:
    outcome = got("9a%09%09+", talk("a\t+", "+-1", "one", "..two", "."))
    assert (outcome.content, outcome.complete) == (b"one\r\n.two\r\n", True)


def test_a_dot_that_was_promised_and_did_not_come_is_truncated() -> None:
    outcome = got("0a%09%09+", talk("a\t+", "+-1", "one"))
    assert outcome.content == b"one\r\n"
    failed(outcome, Truncated)


def test_an_answer_to_the_end() -> None:
    outcome = got("0a%09%09+", talk("a\t+", "+-2", "one", ".", "..two"), closing=True)
    assert (outcome.content, outcome.complete) == (b"one\r\n.\r\n..two\r\n", True)


@pytest.mark.parametrize("head", ["+-1", "+-2", "+%d"])
def test_a_menu_of_gopher_plus(head: str) -> None:
    lines = "".join(f"{line}\r\n" for line in (*MENU, *(["."] if head != "+-2" else []))).encode()
    outcome = got("1%09%09+", talk("\t+", head % len(lines) if "%" in head else head, lines), closing=head == "+-2")
    assert [entry.name for entry in outcome.entries] == ["About", "More", "Find"]
    assert outcome.complete


def test_a_counted_menu_that_is_short_is_truncated() -> None:
    failed(got("1%09%09+", talk("\t+", "+500", *MENU)), Truncated)


def test_no_answer_at_all_is_truncated() -> None:
    failed(got("0a%09%09+", talk("a\t+")), Truncated)
    failed(got("0a%09%09+", talk("a\t+", b"+1")), Truncated)


def test_another_view() -> None:
    outcome = got("0a%09%09+Application/PostScript%20Es_ES", talk("a\t+Application/PostScript Es_ES", b"+2\r\n%!"))
    assert outcome.attributes is not None
    assert (outcome.attributes.media_type, outcome.content) == ("application/postscript", b"%!")


def test_another_view_of_a_menu_is_a_document() -> None:
    outcome = got("1%09%09+text/html", talk("\t+text/html", b"+6\r\n<html>"))
    assert (outcome.kind, outcome.content) == ("document", b"<html>")


# --- Gopher+: errors --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "status", "temporary", "text"),
    [
        (("--1", "1 Admin <a@host.dom>", "No such item.", "."), 1, False, "No such item."),
        (("--1", "2 <a@host.dom>", "Too busy,", "come back.", "."), 2, True, "Too busy, come back."),
        (("--2", "1 Admin <a@host.dom>", "No such item."), 1, False, "No such item."),
        ((b"-16\r\n1 <a@h>\r\nNothing",), 1, False, "Nothing"),
        (("--1", "7 new kind of error", "."), 7, False, "new kind of error"),
        (("--1", "something is wrong", "."), None, False, "something is wrong"),
        (("--1", "2", "."), 2, True, ""),
    ],
)
def test_an_error_of_gopher_plus(
    answer: tuple[str | bytes, ...], status: int | None, temporary: bool, text: str
) -> None:
    for url, asked in (("0a%09%09+", "a\t+"), ("1a%09%09$", "a\t$"), ("0a%09%09!", "a\t!"), ("0a%09%09?", "a\t!")):
        outcome = got(url, talk(asked, *answer))
        error = failed(outcome, RemoteError)
        assert isinstance(error, RemoteError)
        assert (error.status, error.temporary, error.text) == (status, temporary, text)
        assert outcome.kind is None
    failed(known("0a", talk("a\t!", *answer)), RemoteError)


@pytest.mark.parametrize(
    "words", [("3 0New\tnew\tnew.dom\t70\t+",), ("3 Admin <a@host.dom>", "0New\tnew\tnew.dom\t70\t+")]
)
def test_an_item_that_moved_tells_where_to_and_is_not_followed(words: tuple[str, ...]) -> None:
    error = failed(got("0a%09%09+", talk("a\t+", "--1", *words, ".")), RemoteError)
    assert (error.status, error.text) == (3, "gopher://new.dom/0new%09%09+")
    assert error.hint == "it is now gopher://new.dom/0new%09%09+"


def test_the_words_of_an_error_are_bounded_and_need_no_end() -> None:
    dialogue = Dialogue(connect(HOST, 70), client("a\t+"), server("--2", "1 <a@h>", b"x\r\n" * 3000))
    failed(replay(access(path("0a%09%09+")), dialogue), RemoteError)
    held_open = Dialogue(connect(HOST, 70), client("a\t+"), server("--2", "2 <a@h>", "Busy"), silence())
    error = failed(replay(access(path("0a%09%09+")), held_open), RemoteError)
    assert (error.text, error.temporary) == ("Busy", True)


# --- Gopher+ asked of a server that knows only Gopher -----------------------------------------------------------------


def test_a_server_without_gopher_plus_gives_the_item_itself() -> None:
    for url, asked in (("0a%09%09+", "a\t+"), ("0a%09%09!", "a\t!"), ("0a%09%09+text/html", "a\t+text/html")):
        outcome = got(url, talk(asked, "Hello.", "."))
        assert outcome.content == b"Hello.\r\n"
        assert outcome.attributes is not None
        assert outcome.attributes.media_type == "text/plain"
        assert outcome.attributes.fields["protocol"] == "Gopher"
        assert "took no notice" in outcome.attributes.fields["fallback"]


def test_a_menu_of_a_server_without_gopher_plus() -> None:
    for url, asked in (("1%09%09+", "\t+"), ("1%09%09$", "\t$")):
        outcome = got(url, talk(asked, *MENU, "."))
        assert [entry.name for entry in outcome.entries] == ["About", "More", "Find"]
        assert outcome.attributes is not None
        assert "fallback" in outcome.attributes.fields


@pytest.mark.parametrize("content", [b"+-3\r\nx", b"+1x\r\n", b"-\r\n", b"+ plus\r\n", b"-1 is minus one", b"+" * 50])
def test_content_that_only_looks_like_gopher_plus(content: bytes) -> None:
    assert got("9a%09%09+", talk("a\t+", content), closing=True).content == content


# --- Gopher+: attributes ----------------------------------------------------------------------------------------------

INFO = "+INFO: 0Some file\tmoo\thost.dom\t70\t+"
BLOCKS = (
    INFO,
    "+ADMIN:",
    " Admin: Frodo <fng@bogus.edu>",
    " Creation-Date: then <19900101000000>",
    " Mod-Date: Wed Jul 28 17:02:01 1993 <19930728170201>",
    "+VIEWS:",
    " Text/plain: <10k>",
    " application/postscript De_DE: <100k>",
    "+ABSTRACT: 0long abstract\tlong\thost2.dom\t70\t+",
    "+SMELL: 0reference\tsmell\thost2.dom\t70",
    " sweet",
    "+URL: http://host.dom/",
    "+EMPTY",
)


def test_the_attributes_of_an_item() -> None:
    outcome = known("0moo", talk("moo\t!", "+-1", *BLOCKS, "."))
    assert outcome.kind == "attributes"
    found = outcome.attributes
    assert found is not None
    assert (found.media_type, found.name, found.size) == ("text/plain", "Some file", None)
    assert found.modified == datetime(1993, 7, 28, 17, 2, 1, tzinfo=UTC)
    assert dict(found.fields) == {
        "protocol": "Gopher+",
        "+INFO": "gopher://host.dom/0moo%09%09+",
        "+ADMIN": "\n".join(line[1:] for line in BLOCKS[2:5]),
        "+VIEWS": "Text/plain: <10k>\napplication/postscript De_DE: <100k>",
        "+ABSTRACT": "gopher://host2.dom/0long%09%09+",
        "+SMELL": "sweet",
        "+URL": "http://host.dom/",
        "+EMPTY": "",
    }


@pytest.mark.parametrize("head", ["+-1", "+-2", "+%d"])
def test_attributes_however_they_end(head: str) -> None:
    lines = "".join(f"{line}\r\n" for line in (*BLOCKS, *(["."] if head == "+-1" else []))).encode()
    outcome = known("0moo", talk("moo\t!", head % len(lines) if "%" in head else head, lines), closing=head == "+-2")
    assert outcome.attributes is not None
    assert (outcome.attributes.fields["+SMELL"], outcome.attributes.size) == ("sweet", None)


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("0moo%09%09+", "moo\t!"),
        ("0moo%09%09!", "moo\t!"),
        ("0moo%09%09!+ADMIN", "moo\t!+ADMIN"),
        ("0moo%09%09?", "moo\t!"),
        ("7moo%09words", "moo\t\t!"),
    ],
)
def test_how_attributes_are_asked_for(url: str, asked: str) -> None:
    outcome = known(url, talk(asked, "+-1", *BLOCKS, "."))
    assert outcome.attributes is not None
    assert outcome.attributes.name == "Some file"


def test_an_item_without_views_or_dates() -> None:
    outcome = known(
        "h/x", talk("/x\t!", "+-1", "+INFO: hPage\t/x\thost.dom\t70\t+", "+ADMIN:", " Mod-Date: <19930799>", ".")
    )
    assert outcome.attributes is not None
    assert (outcome.attributes.media_type, outcome.attributes.modified) == ("text/html", None)
    impossible = known("h/x", talk("/x\t!", "+-1", INFO, "+ADMIN:", " Mod-Date: <19931399000000>", "."))
    assert impossible.attributes is not None
    assert impossible.attributes.modified is None


def test_no_attributes_at_all() -> None:
    outcome = known("0x", talk("x\t!", "+-1", "."))
    assert outcome.attributes is not None
    assert dict(outcome.attributes.fields) == {"protocol": "Gopher+"}


def test_the_type_tells_what_a_server_without_gopher_plus_does_not() -> None:
    outcome = known("g/x.gif", talk("/x.gif\t!", b"GIF89a"))
    assert outcome.attributes is not None
    assert outcome.attributes.media_type == "image/gif"
    assert "fallback" in outcome.attributes.fields
    failed(known("0x", talk("x\t!", "3No x\t\terror.host\t1")), RemoteError)


def test_a_server_that_knows_all_attributes_together_is_asked_for_all() -> None:
    dialogue = Dialogue(talk("moo\t!+ADMIN", "Some file"), talk("moo\t!", "+-1", *BLOCKS, "."))
    outcome = known("0moo%09%09!+ADMIN", dialogue)
    assert outcome.attributes is not None
    assert outcome.attributes.name == "Some file"


def test_the_attributes_of_one_item_are_bounded() -> None:
    lines = b" x\r\n" * (MAX_OCTETS // 2)
    error = failed(replay(find_attributes(path("0a")), talk("a\t!", "+-2", "+ABSTRACT:", lines)), LimitExceeded)
    assert error.limit == "attributes"


def test_access_of_attributes_is_their_text() -> None:
    outcome = got("0moo%09%09!+ADMIN", talk("moo\t!+ADMIN", "+-1", *BLOCKS[:5], "."))
    assert outcome.content == "".join(f"{line}\r\n" for line in BLOCKS[:5]).encode()
    assert outcome.attributes is not None
    assert outcome.attributes.media_type == "text/plain"


def test_the_attributes_of_all_items_of_a_menu() -> None:
    second = ("+INFO: 1Hot pups\tother\thost3.dom\t7070\t+", "+ADMIN:", " Date: <19910101080003>")
    for url, asked in (("1%09%09$", "\t$"), ("1%09%09$+ADMIN", "\t$+ADMIN")):
        outcome = got(url, talk(asked, "+-1", *BLOCKS, *second, "."))
        assert outcome.complete
        assert [(entry.name, entry.kind, entry.url) for entry in outcome.entries] == [
            ("Some file", "text", "gopher://host.dom/0moo%09%09+"),
            ("Hot pups", "menu", "gopher://host3.dom:7070/1other%09%09+"),
        ]
        assert outcome.entries[0].fields["+SMELL"] == "sweet"
        assert outcome.entries[0].fields["type"] == "0"
        assert outcome.entries[1].modified == datetime(1991, 1, 1, 8, 0, 3, tzinfo=UTC)


def test_an_item_that_no_url_can_come_from_keeps_its_attributes() -> None:
    outcome = got("1%09%09$", talk("\t$", "+-1", "+INFO: 0A\ta\th.dom\t99999", "+ABSTRACT:", " why", "."))
    assert (outcome.entries[0].url, outcome.entries[0].fields["+ABSTRACT"]) == (None, "why")
    assert outcome.entries[0].problem == "'99999' is no port"


def test_an_item_without_a_descriptor_is_kept_with_its_problem() -> None:
    outcome = got("1%09%09$", talk("\t$", "+-1", "+INFO: 0A", "+ABSTRACT:", " why", "."))
    assert (outcome.entries[0].name, outcome.entries[0].fields["+ABSTRACT"]) == ("0A", "why")
    assert outcome.entries[0].problem


def test_the_attribute_view_of_a_menu_may_be_a_plain_menu() -> None:
    asked = "\t+application/gopher+-menu"
    outcome = got("1%09%09+application/gopher+-menu", talk(asked, "+-1", *MENU, "."))
    assert [entry.name for entry in outcome.entries] == ["About", "More", "Find"]
    blocks = got("1%09%09+application/gopher+-menu", talk(asked, "+-1", *BLOCKS, "."))
    assert [entry.name for entry in blocks.entries] == ["Some file"]


# --- Gopher+: forms ---------------------------------------------------------------------------------------------------

ASK = (
    "+INFO: 0Order\torder\thost.dom\t70\t?",
    "+ASK:",
    " Note: All fields are needed.",
    " Ask: How many volts?\t230",
    " AskP: Password:",
    " AskL: Remarks",
    " Choose: Colour\tred\tblue",
    " Select: Send it:1",
)
FORM = Form(
    "Order\nAll fields are needed.",
    (
        Question("Ask", "How many volts?", "230"),
        Question("AskP", "Password:", hidden=True),
        Question("AskL", "Remarks"),
        Question("Choose", "Colour", "red", ("red", "blue")),
        Question("Select", "Send it", "1", ("0", "1")),
    ),
)


def asking(*given: str, ask: tuple[str, ...] = ASK, then: tuple[Step, ...] = ()) -> Dialogue:
    return Dialogue(talk("order\t!", "+-1", *ask, "."), answers(*given), *then)


def test_a_form_is_fetched_answered_and_sent() -> None:
    block = ("+-1", "400", "hunter2", "2", "first", "..second", "blue", "0", ".")
    sent = client("order\t+\t1", *block)
    dialogue = asking(
        "400",
        "hunter2",
        "first\n.second",
        "blue",
        "0",
        then=(connect(HOST, 70), sent, server("+-1", "Thank you.", "."), server_closes()),
    )
    outcome = got("0order%09%09?", dialogue)
    assert outcome.content == b"Thank you.\r\n"
    assert outcome.forms == (FORM,)
    assert outcome.complete


@pytest.mark.parametrize(
    ("given", "sent"),
    [("", ("0",)), ("one", ("1", "one")), ("one\r\n\ntwo\n", ("3", "one", "", "two")), ("\u2028é", ("1", "\u2028é"))],
)
def test_an_answer_of_several_lines_is_counted(given: str, sent: tuple[str, ...]) -> None:
    ask = (INFO, "+ASK:", " AskL: Remarks")
    then = (connect(HOST, 70), client("order\t+\t1", "+-1", *sent, "."), server("+0"), server_closes())
    assert got("0order%09%09?", asking(given, ask=ask, then=then)).complete


def test_the_answer_to_a_password_is_marked_as_a_secret() -> None:
    algorithm = access(path("0order%09%09?"))
    answers_of: dict[str, object] = {
        "Connect": object(),
        "Receive": "\r\n".join(("+-1", *ASK, ".", "")).encode(),
        "Ask": ("1", "hunter2", "", "red", "1"),
    }
    sent: list[Send] = []
    request = next(algorithm)
    while len(sent) < 2:
        if isinstance(request, Send):
            sent.append(request)
        request = algorithm.send(answers_of.get(type(request).__name__))
    algorithm.close()
    assert b"hunter2" in sent[1].octets
    assert "hunter2" not in repr(sent[1])


def test_the_answer_to_a_form_can_be_a_menu() -> None:
    ask = ("+INFO: 1Order\torder\thost.dom\t70\t?", "+ASK:", " Ask: What?")
    dialogue = asking(
        "x",
        ask=ask,
        then=(connect(HOST, 70), client("order\t+\t1", "+-1", "x", "."), server("+-1", *MENU, "."), server_closes()),
    )
    assert len(got("1order%09%09?", dialogue).entries) == 3


def test_without_answers_nothing_is_sent() -> None:
    outcome = replay(access(path("0order%09%09?")), talk("order\t!", "+-1", *ASK, "."))
    failed(outcome, InputRequired)
    assert outcome.forms == (FORM,)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (("400",), InputRequired),
        (("1", "p", "r", "green", "1"), InputRequired),
        (("1", "p", "r", "red", "yes"), InputRequired),
        (("1\r\n.", "p", "r", "red", "1"), UnsafeURL),
        (("1", "p\x00", "r", "red", "1"), UnsafeURL),
        (("1", "p", "r\x1b[2J", "red", "1"), UnsafeURL),
        (("1", "p", "one\x0btwo", "red", "1"), UnsafeURL),
        (("1", "p", "one\rtwo", "red", "1"), UnsafeURL),
        (("1", "p\ud800", "r", "red", "1"), UnsafeURL),
    ],
)
def test_answers_that_do_not_fit_are_not_sent(given: tuple[str, ...], error: type[URLError]) -> None:
    refused = failed(replay(access(path("0order%09%09?")), asking(*given)), error)
    assert "p\x00" not in str(refused)


def test_a_form_that_asks_for_a_local_file_is_refused() -> None:
    dialogue = talk("order\t!", "+-1", ASK[0], "+ASK:", " ChooseF: Which file?", ".")
    assert "local file" in str(failed(replay(access(path("0order%09%09?")), dialogue), UnsupportedOperation))
    unknown = talk("order\t!", "+-1", ASK[0], "+ASK:", " Guess: What?", ".")
    assert "'Guess'" in str(failed(replay(access(path("0order%09%09?")), unknown), UnsupportedOperation))


def test_an_item_without_a_form_is_simply_fetched() -> None:
    dialogue = Dialogue(talk("order\t!", "+-1", INFO, "."), talk("order\t+", b"+2\r\nok"))
    assert got("0order%09%09?", dialogue).content == b"ok"


def test_a_server_without_forms_gives_what_it_gives() -> None:
    outcome = got("0order%09%09?", talk("order\t!", "Plain.", "."))
    assert outcome.content == b"Plain.\r\n"
    assert outcome.attributes is not None
    assert "fallback" in outcome.attributes.fields


# --- a form filled in within the URL (section 3.4.9) ------------------------------------------------------------------

FILLED = "0order%09%09+%091%0D%0A+-1%0D%0Aone%0D%0Atwo%0D%0A.%0D%0A"


def test_a_form_filled_in_is_sent_as_section_3_4_9_says_when_asked_for() -> None:
    dialogue = talk(b"order\t+\t1\r\n+-1\r\none\r\ntwo\r\n.\r\n", b"+2\r\nok")
    assert got(FILLED, dialogue, submit_form=True).content == b"ok"


def test_a_form_filled_in_is_not_sent_unasked() -> None:
    error = failed(replay(access(path(FILLED)), Dialogue()), UnsafeURL)
    assert error.hint == "the option submit_form sends it"
    failed(replay(find_attributes(path(FILLED)), Dialogue()), UnsafeURL)


def test_a_form_filled_in_is_sent_to_port_70_only() -> None:
    url = path(FILLED).replace(port=7070)
    error = failed(replay(access(url, submit_form=True), Dialogue()), UnsafeURL)
    assert (error.part, error.section) == ("gopher_plus", "RFC 1738 section 3.4.9")


@pytest.mark.parametrize(
    "plus",
    [
        "+x%09y",
        "+%091",
        "+%091%0D%0A",
        "+%091%0D%0A+-1%0D%0Aone%0D%0A.",
        "+%091%0D%0A+-1%0D%0Aone%0D%0A",
        "+%091%0D%0A+-1%0D%0Aone%0A.%0D%0A",
        "+%091%0D%0A+-1%0D%0Aone%00%0D%0A.%0D%0A",
        "+%091%0D%0A+-1%0D%0Aone%09two%0D%0A.%0D%0A",
        "+%091%0D%0A+-1%0D%0A.%0D%0AQUIT%0D%0A.%0D%0A",
        "+%091%0D%0A+-1%0D%0Aone%0D%0A.%0D%0AQUIT%0D%0A",
        "+%091%0D%0A+-2%0D%0Aone%0D%0A.%0D%0A",
        "+%090%0D%0A+-1%0D%0Aone%0D%0A.%0D%0A",
        "+text/plain%091%0D%0A+-1%0D%0Aone%0D%0A.%0D%0A",
        "!%0D%0A",
        "%00",
    ],
)
def test_control_octets_in_any_other_form_are_refused_before_connecting(plus: str) -> None:
    for operation in (lambda url: access(url, submit_form=True), find_attributes):
        error = failed(replay(operation(path(f"0order%09%09{plus}")), Dialogue()), UnsafeURL)
        assert error.part == "gopher_plus"


def test_an_empty_form_filled_in_is_one() -> None:
    dialogue = talk(b"o\t+\t1\r\n+-1\r\n.\r\n", b"+2\r\nok")
    assert got("0o%09%09+%091%0D%0A+-1%0D%0A.%0D%0A", dialogue, submit_form=True).content == b"ok"


# --- faults -----------------------------------------------------------------------------------------------------------


def test_a_silent_server_meets_the_deadline() -> None:
    for url, asked in (("0a", "a"), ("1", ""), ("9a", "a"), ("0a%09%09+", "a\t+"), ("0a%09%09?", "a\t!")):
        failed(replay(access(path(url)), Dialogue(connect(HOST, 70), client(asked))), DeadlineExceeded)


@pytest.mark.parametrize(
    "words", [b"220 host.dom ESMTP\r\n", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.0 400 Bad\r\n\r\n<html>\r\n"]
)
def test_the_words_of_another_protocol_are_no_menu(words: bytes) -> None:
    failed(replay(access(path("1")), talk("", words)), RemoteError)


def test_all_octets_where_a_menu_was_due() -> None:
    outcome = got("1", talk("", bytes(range(256)) * 4, b"\r\n.\r\n"))
    assert outcome.error is None or str(outcome.error).isprintable()
    assert all(entry.url is None or entry.url.isascii() for entry in outcome.entries)


SAYINGS = (
    *(b"+-1\r\n", b"+-2\r\n", b"+9\r\n", b"--1\r\n", b"1 <a@h>\r\n"),
    *(b"+INFO: 0A\ta\th.dom\t70\t+\r\n", b"+ASK:\r\n", b" Ask: What?\r\n"),
    *(b"0A\ta\th.dom\t70\r\n", b"3No\t\te\t1\r\n", b"iNote\r\n", b".\r\n", b".", b"..x\n", b"\r\n", b"\t"),
)


@given(
    asked=st.sampled_from(
        [
            *(("0a", "a"), ("1a", "a"), ("9a", "a"), ("7a%09b", "a\tb")),
            *(("0a%09%09+", "a\t+"), ("1a%09%09+", "a\t+"), ("1a%09%09$", "a\t$"), ("0a%09%09!", "a\t!")),
        ]
    ),
    pieces=st.lists(st.sampled_from(SAYINGS) | st.binary(min_size=1, max_size=4), max_size=12),
)
def test_whatever_a_server_says_the_outcome_is_the_same_however_it_is_cut(
    asked: tuple[str, str], pieces: list[bytes]
) -> None:
    url, line = asked
    dialogue = talk(line, *pieces)
    whole = replay(access(path(url)), dialogue)
    assert whole.error is None or str(whole.error).isprintable()
    assert replay(access(path(url)), dialogue, chunk=1).essence == whole.essence
    assert replay(access(path(url)), dialogue, chunk=3).essence == whole.essence


@given(pieces=st.lists(st.sampled_from(SAYINGS) | st.binary(min_size=1, max_size=4), max_size=12))
def test_whatever_a_server_says_its_attributes_are_the_same_however_it_is_cut(pieces: list[bytes]) -> None:
    dialogue = talk("a\t!", *pieces)
    whole = replay(find_attributes(path("0a")), dialogue)
    assert whole.error is None or str(whole.error).isprintable()
    assert replay(find_attributes(path("0a")), dialogue, chunk=1).essence == whole.essence
