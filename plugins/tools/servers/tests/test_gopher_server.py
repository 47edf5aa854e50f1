"""The Gopher server, tested over a bare socket."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from urlschemes_servers import gopher_server
from urlschemes_servers.gopher import Item, binary, failing, form, link, menu, search, text

pytestmark = pytest.mark.usefixtures("no_open_sockets")


def exchange(address: tuple[str, int], octets: bytes) -> bytes:
    with socket.create_connection(address, 10) as client, client.makefile("rb") as answer:
        client.sendall(octets)
        return answer.read()


TREE = menu(
    {
        "about": text("Hello,\n.world\n", title="About", abstract="What this is.\nTwo lines."),
        "bare": text(b"no dot", terminated=False),
        "dotted": text(".\nend", block="dot"),
        "logo": binary(b"GIF89a\n.\n", gtype="g", media_type="image/gif", block="close"),
        "both": text("in English\n", views={"text/plain De_DE": b"auf Deutsch\r\n", "application/postscript": b"%!PS"}),
        "deep": menu({"er": text("deeper\n")}, title="A menu"),
        "find": search(title="Find"),
        "order": form(
            ["Ask: How many?", "Choose: Sure?\tYes\tNo"], lambda given: f"{'/'.join(given)}\r\n".encode(), title="Order"
        ),
        "busy": failing(2, "Try again later.", title="Busy"),
        "away": link("1", "/x", "other.dom", 7070, title="Away"),
        "old": text("old\n", plus=False),
    }
)


def test_items_are_sent_as_rfc_1436_says() -> None:
    with gopher_server(TREE) as address:
        port = b"%d" % address.port
        menu_lines = exchange(address, b"\r\n").split(b"\r\n")
        assert menu_lines[0] == b"0About\t/about\t127.0.0.1\t" + port + b"\t+"
        assert menu_lines[7] == b"0Order\t/order\t127.0.0.1\t" + port + b"\t?"
        assert menu_lines[9:] == [b"1Away\t/x\tother.dom\t7070", b"0old\t/old\t127.0.0.1\t" + port, b".", b""]
        assert exchange(address, b"/\r\n") == exchange(address, b"\n")
        assert exchange(address, b"/about\r\n") == b"Hello,\r\n..world\r\n.\r\n"
        assert exchange(address, b"/bare\r\n") == b"no dot\r\n"
        assert exchange(address, b"/dotted\r\n") == b"..\r\nend\r\n.\r\n"
        assert exchange(address, b"/logo\r\n") == b"GIF89a\n.\n"
        assert exchange(address, b"/deep/er\r\n") == b"deeper\r\n.\r\n"
        assert exchange(address, b"/nowhere\r\n") == b"3no such item\t\terror.host\t1\r\n.\r\n"
        assert exchange(address, b"/order\r\n").startswith(b"3this item has a form")


def test_a_search_finds_items_with_all_words() -> None:
    with gopher_server(TREE) as address:
        found = b"0About\t/about\t127.0.0.1\t%d\t+\r\n" % address.port
        assert exchange(address, b"/find\tHELLO world\r\n") == found + b".\r\n"
        assert exchange(address, b"/find\thello nobody\r\n") == b".\r\n"
        assert exchange(address, b"/find\thello world\t+\r\n") == b"+%d\r\n" % len(found) + found
        assert exchange(address, b"/find\t\t!\r\n").startswith(b"+")
    odd = Item(gtype="1", content=b"iRaw\r\n")  # a menu written by hand
    found = search(lambda words: ["/a"] if words == "+" else [])
    with gopher_server(menu({"a": text("x"), "s": found, "odd": odd})) as address:
        assert exchange(address, b"/s\t+\r\n").startswith(b"0a\t/a\t")
        assert exchange(address, b"/odd\r\n") == b"iRaw\r\n.\r\n"


def test_data_blocks_and_views_of_gopher_plus() -> None:
    with gopher_server(TREE) as address:
        assert exchange(address, b"/about\t+\r\n") == b"+16\r\nHello,\r\n.world\r\n"
        assert exchange(address, b"/dotted\t+\r\n") == b"+-1\r\n..\r\nend\r\n.\r\n"
        assert exchange(address, b"/logo\t+\r\n") == b"+-2\r\nGIF89a\n.\n"
        assert exchange(address, b"/both\t+text/plain\r\n") == b"+12\r\nin English\r\n"
        assert exchange(address, b"/both\t+Text/Plain de_de\r\n") == b"+13\r\nauf Deutsch\r\n"
        assert exchange(address, b"/both\t+application/postscript\t0\r\n") == b"+4\r\n%!PS"
        items = b"0er\t/deep/er\t127.0.0.1\t%d\t+\r\n" % address.port
        assert exchange(address, b"/deep\t+\r\n") == b"+%d\r\n" % len(items) + items
        assert exchange(address, b"/old\t+\r\n") == b"old\r\n.\r\n"


def test_errors_of_gopher_plus() -> None:
    admin = b"Test Administrator <admin@localhost>\r\n"
    with gopher_server(TREE) as address:
        assert exchange(address, b"/busy\t+\r\n") == b"--1\r\n2 " + admin + b"Try again later.\r\n.\r\n"
        assert exchange(address, b"/nowhere\t+\r\n") == b"--1\r\n1 " + admin + b"no such item\r\n.\r\n"
        assert (
            exchange(address, b"/both\t+image/gif\r\n") == b"--1\r\n1 " + admin + b"there is no view image/gif\r\n.\r\n"
        )
        assert exchange(address, b"/order\t+\r\n").startswith(b"--1\r\n1 ")


def test_attributes_of_gopher_plus() -> None:
    with gopher_server(TREE) as address:
        port = address.port
        about = exchange(address, b"/about\t!\r\n").decode()
        head, _, block = about.partition("\r\n")
        assert head == f"+{len(block)}"
        assert block.split("\r\n") == [
            f"+INFO: 0About\t/about\t127.0.0.1\t{port}\t+",
            "+ADMIN:",
            " Admin: Test Administrator <admin@localhost>",
            " Mod-Date: Thu Dec  1 00:00:00 1994 <19941201000000>",
            "+VIEWS:",
            " text/plain: <1k>",
            "+ABSTRACT:",
            " What this is.",
            " Two lines.",
            "",
        ]
        only = exchange(address, b"/about\t!+ABSTRACT\r\n").decode().split("\r\n")[1:]
        assert only == [
            f"+INFO: 0About\t/about\t127.0.0.1\t{port}\t+",
            "+ABSTRACT:",
            " What this is.",
            " Two lines.",
            "",
        ]
        all_views = exchange(address, b"\t$+VIEWS\r\n").decode()
        assert all_views.count("+INFO: ") == 11
        assert " text/plain De_DE: <1k>\r\n application/postscript: <1k>\r\n" in all_views
        assert "+ADMIN" not in all_views
        questions = exchange(address, b"/order\t!+ASK\r\n").decode()
        assert questions.endswith("+ASK:\r\n Ask: How many?\r\n Choose: Sure?\tYes\tNo\r\n")


@pytest.mark.parametrize(
    "block", [b"+-1\r\ntwo\r\n..Yes\r\n.\r\n", b"+11\r\ntwo\r\n.Yes\r\n", b"+11\r\ntwo\r\n.Yes\r\nand what follows"]
)
def test_forms_of_gopher_plus(block: bytes) -> None:
    with gopher_server(TREE) as address:
        assert exchange(address, b"/order\t+\t1\r\n" + block) == b"+10\r\ntwo/.Yes\r\n"


def test_a_folder_is_a_menu(folder: Path) -> None:
    with gopher_server(folder) as address:
        port = address.port
        assert exchange(address, b"/pub\r\n").decode().split("\r\n") == [
            f"9all.bin\t/pub/all.bin\t127.0.0.1\t{port}\t+",
            f"gdot.gif\t/pub/dot.gif\t127.0.0.1\t{port}\t+",
            f"hpage.html\t/pub/page.html\t127.0.0.1\t{port}\t+",
            f"0read me.txt\t/pub/read me.txt\t127.0.0.1\t{port}\t+",
            ".",
            "",
        ]
        assert exchange(address, b"/pub/read me.txt\r\n") == b"Hello,\r\n..world\r\n.\r\n"
        assert exchange(address, b"/pub/all.bin\r\n") == bytes(range(256)) * 400
