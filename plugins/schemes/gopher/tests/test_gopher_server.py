"""Gopher with servers on this machine: a Gopher+ server, and servers that misbehave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from opening import HERE, content_of, entries_of, open_document

import urlschemes_access
from urlschemes.errors import UnsafeURL
from urlschemes_access.errors import RemoteError
from urlschemes_servers.gopher import binary, form, gopher_server, link, menu, search, text
from urlschemes_testing.loopback import Address
from urlschemes_testing.rogue import hears, rogue, says, stays_silent

ALL_OCTETS = bytes(range(256)) * 300
POEM = "Roses are red.\n.Violets are dotted.\n..\n.\nThe end.\n"
SENT = POEM.replace("\n", "\r\n").encode()

TREE = menu(
    {
        "poem": text(POEM, title="A poem", abstract="Short.\nVery short."),
        "open": text("Hello.\n", terminated=False, plus=False),
        "dotted": text(POEM, block="dot"),
        "closing": text(POEM, block="close"),
        "octets": binary(ALL_OCTETS),
        "report": text("English\n", views={"text/plain De_DE": b"Deutsch\r\n", "application/pdf": b"%PDF"}),
        "sub menu": menu({"inner": text("Inside.\n")}, title="A menu", block="dot"),
        "find": search(title="Search"),
        "order": form(
            ["Ask: How many?", "AskL: Remarks", "Choose: Sure?\tYes\tNo"],
            lambda answers: "|".join(answers).encode(),
            title="Order",
        ),
        "elsewhere": link("1", "/", "other.dom", 70, title="Another server"),
        "login": link("8", "guest", "other.dom", 23, title="A login"),
    }
)


@pytest.fixture(scope="module")
def server() -> Iterator[Address]:
    with gopher_server(TREE) as address:
        yield address


def entries(url: str, **options: Any) -> dict[str, str | None]:
    return {entry.name: entry.url for entry in entries_of(url, **options)}


# A Gopher+ server


@pytest.mark.rfc1738(74)
def test_the_top_menu_leads_everywhere(server: Address) -> None:
    found = entries(f"gopher://{server}")
    assert found["A poem"] == f"gopher://{server}/0/poem%09%09+"
    assert found["A menu"] == f"gopher://{server}/1/sub%20menu%09%09+"
    assert found["Order"] == f"gopher://{server}/0/order%09%09?"
    assert found["open"] == f"gopher://{server}/0/open"
    assert found["Another server"] == "gopher://other.dom/1/"
    assert found["A login"] == "telnet://guest@other.dom/"
    assert entries(f"gopher://{server}/1%09%09+") == found
    assert entries(str(found["A menu"])) == {"inner": f"gopher://{server}/0/sub%20menu/inner%09%09+"}


@pytest.mark.rfc1738(90)
@pytest.mark.parametrize(
    ("path", "content"),
    [
        *((f"0/{path}", SENT) for path in ("poem", "poem%09%09+", "dotted%09%09+", "closing%09%09+")),
        *((f"9/octets{plus}", ALL_OCTETS) for plus in ("", "%09%09+")),
        ("0/report%09%09+text/plain%20De_DE", b"Deutsch\r\n"),
        ("0/report%09%09+application/pdf", b"%PDF"),
    ],
)
def test_a_document_is_delivered_however_it_is_sent(server: Address, path: str, content: bytes) -> None:
    with open_document(f"gopher://{server}/{path}") as document:
        assert (document.read(), document.terminated) == (content, True)


@pytest.mark.rfc1738(86)
def test_searches_attributes_and_forms(server: Address) -> None:
    expected = {"A poem": f"gopher://{server}/0/poem%09%09+"}
    for path in ("7/find%09a%20poem", "7/find%09a%20poem%09+"):
        assert expected.items() <= entries(f"gopher://{server}/{path}").items()
    for path in ("0/poem", "0/poem%09%09+", "0/poem%09%09!"):
        found = urlschemes_access.find_attributes(f"gopher://{server}/{path}", policy=HERE)
        assert (found.name, found.fields["+ABSTRACT"]) == ("A poem", "Short.\nVery short.")
    assert content_of(f"gopher://{server}/0/poem%09%09!+ABSTRACT").startswith(b"+INFO: 0A poem\t/poem\t")
    assert content_of(f"gopher://{server}/0/order%09%09?", ask=lambda _: ("3", "one\n.two", "No")) == b"3|2|one|.two|No"


def test_errors(server: Address) -> None:
    for path in ("0/nothing", "1/nothing%09%09+", "0/report%09%09+image/gif"):
        with pytest.raises(RemoteError, match=r"there is no|no such item"):
            open_document(f"gopher://{server}/{path}")


# Refused before connecting


@pytest.mark.parametrize(
    "path",
    [
        "_HELO%20x%00",
        "%0D",
        "%0A",
        "%09",
        "0%00",
        "0a%1B",
        "0a%7F",
        "7a%09b%00",
        "0a%09q%09+x%09y",
        "0a%09%09+%0D%0AQUIT%0D%0A",
        "0a%09%09+%091%0D%0A+-1%0D%0Aone%0D%0A.%0D%0A",  # not port 70
    ],
)
def test_control_characters_never_reach_a_server(path: str) -> None:
    with rogue(stays_silent()) as server:
        for options in ({}, {"submit_form": True}):
            with pytest.raises(UnsafeURL):
                open_document(f"gopher://{server}/{path}", options=options)
        with pytest.raises(UnsafeURL):
            urlschemes_access.find_attributes(f"gopher://{server}/{path}", policy=HERE)
        assert server.visits == []


# Servers that misbehave


@pytest.mark.fault(40)
def test_no_server_of_a_menu_is_contacted() -> None:
    with rogue(stays_silent()) as other:
        lines = (f"0A\ta\t127.0.0.1\t{other.port}", f"hB\tURL:gopher://{other}/0b\t127.0.0.1\t{other.port}", ".")
        with rogue(hears(), says(*lines)) as server:
            found = entries(f"gopher://{server}/1")
        assert list(found.values()) == [f"gopher://{other}/0a", f"gopher://{other}/0b"]
        assert other.visits == []
