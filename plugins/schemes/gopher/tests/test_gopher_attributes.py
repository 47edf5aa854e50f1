"""Gopher+ attributes of an item, and of the items of a menu."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from gopher_dialogues import BLOCKS, INFO, MENU, attributes_outcome, exchange, outcome_of, url_of
from outcomes import error_of

from urlschemes_access.errors import LimitExceeded, RemoteError
from urlschemes_gopher.access import find_attributes
from urlschemes_gopher.attributes import MAX_OCTETS
from urlschemes_testing.replay import Script, replay


def test_the_attributes_of_an_item() -> None:
    outcome = attributes_outcome("0moo", exchange("moo\t!", "+-1", *BLOCKS, "."))
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
    outcome = attributes_outcome(
        "0moo", exchange("moo\t!", head % len(lines) if "%" in head else head, lines), closing=head == "+-2"
    )
    assert outcome.attributes is not None
    assert (outcome.attributes.fields["+SMELL"], outcome.attributes.size) == ("sweet", None)


@pytest.mark.rfc1738(92)
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
def test_the_request_for_attributes(url: str, asked: str) -> None:
    outcome = attributes_outcome(url, exchange(asked, "+-1", *BLOCKS, "."))
    assert outcome.attributes is not None
    assert outcome.attributes.name == "Some file"


def test_an_item_without_views_or_dates() -> None:
    outcome = attributes_outcome(
        "h/x", exchange("/x\t!", "+-1", "+INFO: hPage\t/x\thost.dom\t70\t+", "+ADMIN:", " Mod-Date: <19930799>", ".")
    )
    assert outcome.attributes is not None
    assert (outcome.attributes.media_type, outcome.attributes.modified) == ("text/html", None)
    impossible = attributes_outcome(
        "h/x", exchange("/x\t!", "+-1", INFO, "+ADMIN:", " Mod-Date: <19931399000000>", ".")
    )
    assert impossible.attributes is not None
    assert impossible.attributes.modified is None


def test_no_attributes_at_all() -> None:
    outcome = attributes_outcome("0x", exchange("x\t!", "+-1", "."))
    assert outcome.attributes is not None
    assert dict(outcome.attributes.fields) == {"protocol": "Gopher+"}


def test_without_gopher_plus_the_type_tells_the_attributes() -> None:
    outcome = attributes_outcome("g/x.gif", exchange("/x.gif\t!", b"GIF89a"))
    assert outcome.attributes is not None
    assert outcome.attributes.media_type == "image/gif"
    assert "fallback" in outcome.attributes.fields
    error_of(attributes_outcome("0x", exchange("x\t!", "3No x\t\terror.host\t1")), RemoteError)


def test_a_server_without_single_attributes_is_asked_for_all() -> None:
    script = Script(exchange("moo\t!+ADMIN", "Some file"), exchange("moo\t!", "+-1", *BLOCKS, "."))
    outcome = attributes_outcome("0moo%09%09!+ADMIN", script)
    assert outcome.attributes is not None
    assert outcome.attributes.name == "Some file"


def test_the_length_of_attributes_is_limited() -> None:
    lines = b" %s\r\n" % (b"x" * 100) * (MAX_OCTETS // 100)
    error = error_of(replay(find_attributes(url_of("0a")), exchange("a\t!", "+-2", "+ABSTRACT:", lines)), LimitExceeded)
    assert error.limit == "attributes"


def test_access_to_attributes_is_a_text() -> None:
    outcome = outcome_of("0moo%09%09!+ADMIN", exchange("moo\t!+ADMIN", "+-1", *BLOCKS[:5], "."))
    assert outcome.content == "".join(f"{line}\r\n" for line in BLOCKS[:5]).encode()
    assert outcome.attributes is not None
    assert outcome.attributes.media_type == "text/plain"


def test_the_attributes_of_all_items_of_a_menu() -> None:
    second = ("+INFO: 1Hot pups\tother\thost3.dom\t7070\t+", "+ADMIN:", " Date: <19910101080003>")
    for url, asked in (("1%09%09$", "\t$"), ("1%09%09$+ADMIN", "\t$+ADMIN")):
        outcome = outcome_of(url, exchange(asked, "+-1", *BLOCKS, *second, "."))
        assert outcome.complete
        assert [(entry.name, entry.kind, entry.url) for entry in outcome.entries] == [
            ("Some file", "text", "gopher://host.dom/0moo%09%09+"),
            ("Hot pups", "menu", "gopher://host3.dom:7070/1other%09%09+"),
        ]
        assert outcome.entries[0].fields["+SMELL"] == "sweet"
        assert outcome.entries[0].fields["type"] == "0"
        assert outcome.entries[1].modified == datetime(1991, 1, 1, 8, 0, 3, tzinfo=UTC)


def test_an_item_that_no_url_can_describe_keeps_its_attributes() -> None:
    outcome = outcome_of("1%09%09$", exchange("\t$", "+-1", "+INFO: 0A\ta\th.dom\t99999", "+ABSTRACT:", " why", "."))
    assert (outcome.entries[0].url, outcome.entries[0].fields["+ABSTRACT"]) == (None, "why")
    assert outcome.entries[0].problem == "invalid port '99999': expected 1 to 65535"


def test_an_item_without_a_menu_line_has_a_problem() -> None:
    outcome = outcome_of("1%09%09$", exchange("\t$", "+-1", "+INFO: 0A", "+ABSTRACT:", " why", "."))
    assert (outcome.entries[0].name, outcome.entries[0].fields["+ABSTRACT"]) == ("0A", "why")
    assert outcome.entries[0].problem


def test_the_attribute_view_of_a_menu_may_be_a_plain_menu() -> None:
    asked = "\t+application/gopher+-menu"
    outcome = outcome_of("1%09%09+application/gopher+-menu", exchange(asked, "+-1", *MENU, "."))
    assert [entry.name for entry in outcome.entries] == ["About", "More", "Find"]
    blocks = outcome_of("1%09%09+application/gopher+-menu", exchange(asked, "+-1", *BLOCKS, "."))
    assert [entry.name for entry in blocks.entries] == ["Some file"]
