"""Requests, texts and other content, and servers that misbehave."""

from __future__ import annotations

import pytest
from gopher_dialogues import HOST, MENU, exchange, outcome_of, url_of
from hypothesis import given
from hypothesis import strategies as st
from outcomes import error_of

from urlschemes.errors import UnsupportedOperation
from urlschemes_access.errors import ConnectError, DeadlineExceeded, LimitExceeded, RemoteError, Truncated
from urlschemes_gopher import GopherURL
from urlschemes_gopher.access import access, find_attributes
from urlschemes_testing.replay import (
    Script,
    Step,
    client,
    connect,
    replay,
    server,
    server_closes,
    server_resets,
    silence,
    split_everywhere,
)


@pytest.mark.decision(10)
@pytest.mark.rfc1738(81, 86, 89)
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
        # Decision 10: no empty search field before a Gopher+ string, as in the example of section 3.4.9 ...
        ("0a%09%09+", b"a\t+\r\n"),
        ("1%09%09$", b"\t$\r\n"),
        ("0a%09%09!+ABSTRACT%20+SMELL", b"a\t!+ABSTRACT +SMELL\r\n"),
        ("0a%09%09+application/postscript%20Es_ES", b"a\t+application/postscript Es_ES\r\n"),
        ("0a%09b%09+", b"a\tb\t+\r\n"),
        # ... but a search has its words before it, even empty ones (Gopher+, section 2.4 and appendix II).
        ("7f%09words%09+", b"f\twords\t+\r\n"),
        ("7f%09%09!", b"f\t\t!\r\n"),
        # An empty Gopher+ string is not Gopher+.
        ("0a%09%09", b"a\t\r\n"),
    ],
)
def test_the_request_line(url: str, asked: bytes) -> None:
    outcome = outcome_of(url, Script(connect(HOST, 70), client(asked), server_closes()), closing=True)
    assert outcome.sent == {"connection": asked}


def test_the_port_of_the_url_is_connected_to() -> None:
    url = GopherURL.parse("gopher://host.dom:7070/9x")
    assert outcome_of(url, exchange("x", b"\x00\xff", port=7070), closing=True).content == b"\x00\xff"


@pytest.mark.fault(51, 52)
def test_a_text_ends_at_its_dot_and_loses_doubled_dots() -> None:
    outcome = outcome_of("0about", exchange("about", "Hello.", "..profile", "...", "", "."))
    assert outcome.content == b"Hello.\r\n.profile\r\n..\r\n\r\n"
    assert outcome.complete
    assert outcome.attributes is not None
    assert outcome.attributes.media_type == "text/plain"
    assert outcome.attributes.fields == {"protocol": "Gopher"}
    assert outcome.unclosed == ()


def test_a_dot_without_a_line_end_ends_nothing() -> None:
    outcome = outcome_of("0a", exchange("a", b"one\r\n."))
    assert (outcome.content, outcome.terminated, outcome.error) == (b"one\r\n", False, None)
    menu = outcome_of("1", exchange("", *MENU, b"."))
    assert (len(menu.entries), menu.terminated, menu.error) == (3, False, None)


@pytest.mark.fault(39)
def test_a_text_without_its_dot_is_delivered_and_marked() -> None:
    outcome = outcome_of("0a", exchange("a", b"one\r\ntwo"))
    assert (outcome.content, outcome.terminated, outcome.error) == (b"one\r\ntwo", False, None)


@pytest.mark.parametrize("rest", [b"more", b"\r\nmore\r\n", b"more\r\n.\r\n", b" " * 5000 + b"."])
@pytest.mark.parametrize("plus", [False, True], ids=["gopher", "gopher+"])
def test_octets_after_the_dot_of_a_text_are_counted_and_left_out(rest: bytes, plus: bool) -> None:
    path, asked, head = ("0a%09%09+", b"a\t+\r\n", b"+-1\r\n") if plus else ("0a", b"a\r\n", b"")
    script = exchange(asked, head + b"one\r\n.\r\n" + rest)
    run = outcome_of if len(rest) < 100 else lambda url, script: replay(access(url_of(url)), script)
    outcome = run(path, script)
    error = error_of(outcome, Truncated)
    assert f"but {len(rest):,} octets follow it, which were left out" in str(error)
    assert (outcome.content, error.expected, error.received) == (b"one\r\n", len(b"one\r\n.\r\n" + rest), 8)
    whole = split_everywhere if len(rest) < 100 else lambda algorithm, script: replay(algorithm(), script)
    outcome = whole(lambda: access(url_of(path), octets=True), script)
    assert (outcome.content, outcome.complete) == (b"one\r\n.\r\n" + rest, True)


@pytest.mark.parametrize("end", [silence(), server_resets()])
def test_octets_after_the_dot_are_counted_as_far_as_they_come(end: Step) -> None:
    script = Script(connect(HOST, 70), client("a"), server("one", "."), server("more"), end)
    assert "but at least 6 octets follow it" in str(error_of(replay(access(url_of("0a")), script), Truncated))


def test_blanks_after_the_dot_of_a_text_are_not_missed() -> None:
    assert replay(access(url_of("0a")), exchange("a", "one", ".", b" \r\n" * 2000)).complete


@pytest.mark.parametrize("end", [(server(b"\r\n"), server_closes()), (server_resets(),), (silence(),)])
def test_a_text_ends_at_its_dot_whatever_the_connection_does(end: tuple[Step, ...]) -> None:
    outcome = replay(access(url_of("0a")), Script(connect(HOST, 70), client("a"), server("one", "."), *end))
    assert (outcome.content, outcome.terminated, outcome.error) == (b"one\r\n", True, None)


def test_an_empty_text_needs_its_dot_too() -> None:
    assert outcome_of("0a", exchange("a", ".")).complete
    outcome = outcome_of("0a", exchange("a"))
    assert (outcome.kind, outcome.content, outcome.terminated) == ("document", b"", False)


@pytest.mark.parametrize("gtype", ["4", "6"])
def test_binhex_and_uuencoded_are_texts(gtype: str) -> None:
    assert outcome_of(f"{gtype}a", exchange("a", "begin 644 x", ".")).content == b"begin 644 x\r\n"


def test_the_length_of_a_text_line_is_limited() -> None:
    long = b"x" * 70_000
    error = error_of(replay(access(url_of("0a")), exchange("a", long)), LimitExceeded)
    assert (error.limit, error.value) == ("line", 65536)
    assert error.hint is not None
    # Type 9 has no lines, and neither has a text delivered as octets.
    assert replay(access(url_of("9a")), exchange("a", long)).content == long
    assert replay(access(url_of("0a"), octets=True), exchange("a", long)).content == long


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
def test_other_content_is_delivered_unchanged(url: str, media_type: str | None) -> None:
    octets = b"GIF89a\x00\xff\r\n..\r\n.\r\nmore\r\n.\r\n"
    outcome = outcome_of(url, exchange(url_of(url).selector, octets), closing=True)
    assert outcome.content == octets
    assert outcome.complete
    assert outcome.attributes is not None
    assert outcome.attributes.media_type == media_type


def test_a_url_selector_is_requested_like_any_other() -> None:
    outcome = outcome_of("hURL:javascript:alert(1)", exchange("URL:javascript:alert(1)", b"<html>"), closing=True)
    assert outcome.content == b"<html>"


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("2ph", None),
        ("3x", None),
        ("ix", None),
        ("8-oX", "its URL is telnet://-oX@host.dom:70/"),
        ("Tab%20c", "its URL is telnet://ab%20c@host.dom:70/"),
        ("8", "its URL is telnet://host.dom:70/"),
    ],
)
def test_items_that_are_not_on_a_gopher_server(url: str, hint: str | None) -> None:
    for operation in (access, find_attributes):
        error = error_of(replay(operation(url_of(url)), Script()), UnsupportedOperation)
        assert (error.hint, error.part) == (hint, "gtype")


def test_a_reset_is_truncated_or_before_the_first_octet_a_connect_error() -> None:
    begun = Script(connect(HOST, 70), client("a"), server(b"some"), server_resets())
    error_of(replay(access(url_of("9a")), begun), Truncated)
    error_of(replay(access(url_of("9a")), Script(connect(HOST, 70), client("a"), server_resets())), ConnectError)


def test_a_silent_server_meets_the_deadline() -> None:
    for url, asked in (("0a", "a"), ("1", ""), ("9a", "a"), ("0a%09%09+", "a\t+"), ("0a%09%09?", "a\t!")):
        error_of(replay(access(url_of(url)), Script(connect(HOST, 70), client(asked))), DeadlineExceeded)


@pytest.mark.parametrize(
    "words", [b"220 host.dom ESMTP\r\n", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.0 400 Bad\r\n\r\n<html>\r\n"]
)
def test_a_banner_of_another_protocol_is_not_a_menu(words: bytes) -> None:
    error_of(replay(access(url_of("1")), exchange("", words)), RemoteError)


def test_all_octets_in_place_of_a_menu() -> None:
    outcome = outcome_of("1", exchange("", bytes(range(256)) * 4, b"\r\n.\r\n"))
    problems = [(entry.url, entry.problem) for entry in outcome.entries]
    assert problems == [(None, "the line does not have the four fields of an item")] * 5


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
def test_any_response_gives_the_same_outcome_however_it_is_cut(asked: tuple[str, str], pieces: list[bytes]) -> None:
    url, line = asked
    script = exchange(line, *pieces)
    whole = replay(access(url_of(url)), script)
    assert whole.error is None or str(whole.error).isprintable()
    assert replay(access(url_of(url)), script, chunk=1).essence == whole.essence
    assert replay(access(url_of(url)), script, chunk=3).essence == whole.essence


@given(pieces=st.lists(st.sampled_from(SAYINGS) | st.binary(min_size=1, max_size=4), max_size=12))
def test_any_response_gives_the_same_attributes_however_it_is_cut(pieces: list[bytes]) -> None:
    script = exchange("a\t!", *pieces)
    whole = replay(find_attributes(url_of("0a")), script)
    assert whole.error is None or str(whole.error).isprintable()
    assert replay(find_attributes(url_of("0a")), script, chunk=1).essence == whole.essence
