"""Gopher+ responses: their length, their errors, and servers that do not know Gopher+."""

from __future__ import annotations

import pytest
from gopher_dialogues import HOST, MENU, attributes_outcome, exchange, outcome_of, url_of
from outcomes import error_of

from urlschemes_access.errors import RemoteError, Truncated
from urlschemes_gopher.access import access
from urlschemes_testing.replay import Script, client, connect, replay, server, silence


def test_a_response_of_known_length() -> None:
    outcome = outcome_of("0a%09%09+", exchange("a\t+", b"+11\r\n.\r\n..x\r\n.\r\n"))
    assert outcome.content == b".\r\n..x\r\n.\r\n"
    assert outcome.attributes is not None
    assert (outcome.attributes.size, outcome.attributes.fields) == (11, {"protocol": "Gopher+"})
    assert outcome_of("0a%09%09+", exchange("a\t+", b"+0\r\n")).complete


def test_octets_after_a_response_of_known_length_are_dropped() -> None:
    assert outcome_of("0a%09%09+", exchange("a\t+", b"+2\r\nab", b"cd")).content == b"ab"


def test_a_response_shorter_than_its_length_is_truncated() -> None:
    error = error_of(outcome_of("0a%09%09+", exchange("a\t+", b"+11\r\nabc")), Truncated)
    assert (error.received, error.expected) == (3, 11)


def test_a_response_up_to_a_dot() -> None:
    outcome = outcome_of("9a%09%09+", exchange("a\t+", "+-1", "one", "..two", "."))
    assert (outcome.content, outcome.complete) == (b"one\r\n.two\r\n", True)


def test_a_response_without_its_promised_dot_is_truncated() -> None:
    outcome = outcome_of("0a%09%09+", exchange("a\t+", "+-1", "one"))
    assert outcome.content == b"one\r\n"
    error_of(outcome, Truncated)


def test_a_response_up_to_the_end() -> None:
    outcome = outcome_of("0a%09%09+", exchange("a\t+", "+-2", "one", ".", "..two"), closing=True)
    assert (outcome.content, outcome.complete) == (b"one\r\n.\r\n..two\r\n", True)


@pytest.mark.parametrize("head", ["+-1", "+-2", "+%d"])
def test_a_menu_of_gopher_plus(head: str) -> None:
    lines = "".join(f"{line}\r\n" for line in (*MENU, *(["."] if head != "+-2" else []))).encode()
    outcome = outcome_of(
        "1%09%09+", exchange("\t+", head % len(lines) if "%" in head else head, lines), closing=head == "+-2"
    )
    assert [entry.name for entry in outcome.entries] == ["About", "More", "Find"]
    assert outcome.complete


def test_a_menu_shorter_than_its_length_is_truncated() -> None:
    error_of(outcome_of("1%09%09+", exchange("\t+", "+500", *MENU)), Truncated)


def test_no_response_is_truncated() -> None:
    error_of(outcome_of("0a%09%09+", exchange("a\t+")), Truncated)
    error_of(outcome_of("0a%09%09+", exchange("a\t+", b"+1")), Truncated)


@pytest.mark.rfc1738(95)
def test_another_view() -> None:
    outcome = outcome_of(
        "0a%09%09+Application/PostScript%20Es_ES", exchange("a\t+Application/PostScript Es_ES", b"+2\r\n%!")
    )
    assert outcome.attributes is not None
    assert (outcome.attributes.media_type, outcome.content) == ("application/postscript", b"%!")


def test_another_view_of_a_menu_is_a_document() -> None:
    outcome = outcome_of("1%09%09+text/html", exchange("\t+text/html", b"+6\r\n<html>"))
    assert (outcome.kind, outcome.content) == ("document", b"<html>")


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
        outcome = outcome_of(url, exchange(asked, *answer))
        error = error_of(outcome, RemoteError)
        assert isinstance(error, RemoteError)
        assert (error.status, error.temporary, error.text) == (status, temporary, text)
        assert outcome.kind is None
    error_of(attributes_outcome("0a", exchange("a\t!", *answer)), RemoteError)


@pytest.mark.parametrize(
    "words", [("3 0New\tnew\tnew.dom\t70\t+",), ("3 Admin <a@host.dom>", "0New\tnew\tnew.dom\t70\t+")]
)
def test_an_item_that_has_moved_is_an_error_with_its_new_url(words: tuple[str, ...]) -> None:
    error = error_of(outcome_of("0a%09%09+", exchange("a\t+", "--1", *words, ".")), RemoteError)
    assert (error.status, error.text) == (3, "gopher://new.dom/0new%09%09+")
    assert error.hint == "the item has moved to gopher://new.dom/0new%09%09+"


def test_the_text_of_an_error_is_limited_and_needs_no_end() -> None:
    script = Script(connect(HOST, 70), client("a\t+"), server("--2", "1 <a@h>", b"x\r\n" * 3000))
    error_of(replay(access(url_of("0a%09%09+")), script), RemoteError)
    held_open = Script(connect(HOST, 70), client("a\t+"), server("--2", "2 <a@h>", "Busy"), silence())
    error = error_of(replay(access(url_of("0a%09%09+")), held_open), RemoteError)
    assert (error.text, error.temporary) == ("Busy", True)


def test_a_server_without_gopher_plus_gives_the_item_itself() -> None:
    for url, asked in (("0a%09%09+", "a\t+"), ("0a%09%09!", "a\t!"), ("0a%09%09+text/html", "a\t+text/html")):
        outcome = outcome_of(url, exchange(asked, "Hello.", "."))
        assert outcome.content == b"Hello.\r\n"
        assert outcome.attributes is not None
        assert outcome.attributes.media_type == "text/plain"
        assert outcome.attributes.fields["protocol"] == "Gopher"
        assert "ignored the Gopher+ string" in outcome.attributes.fields["fallback"]


def test_a_menu_of_a_server_without_gopher_plus() -> None:
    for url, asked in (("1%09%09+", "\t+"), ("1%09%09$", "\t$")):
        outcome = outcome_of(url, exchange(asked, *MENU, "."))
        assert [entry.name for entry in outcome.entries] == ["About", "More", "Find"]
        assert outcome.attributes is not None
        assert "fallback" in outcome.attributes.fields


@pytest.mark.parametrize("content", [b"+-3\r\nx", b"+1x\r\n", b"-\r\n", b"+ plus\r\n", b"-1 is minus one", b"+" * 50])
def test_content_that_only_looks_like_gopher_plus(content: bytes) -> None:
    assert outcome_of("9a%09%09+", exchange("a\t+", content), closing=True).content == content
