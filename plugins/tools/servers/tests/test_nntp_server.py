"""The news server of the kit, asked line by line: what RFC 3977 says, and what older servers said."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest

from urlschemes_servers.nntp import Newsgroup, article, nntp_server
from urlschemes_servers.tls import make_certificates

if TYPE_CHECKING:
    from urlschemes_testing.loopback import Address

ONE = article("One", ".dot\n..\n\nend\n", message_id="1@h")
TWO = article("Two\t2", "x\n", message_id="2@h", fields={"References": "<1@h>\r\n <0@h>"})
GROUPS = {
    "misc.test": Newsgroup([ONE, TWO], description="Tests", first=7),
    "misc.empty": Newsgroup(first=3),
    "misc.closed": Newsgroup(posting="n"),
}
BLOCKS = ("101", "215", "220", "221", "222", "224")
DATE = "Thu, 01 Dec 1994 12:00:00 +0000"


class Client:
    """Says lines and hears replies; a block is heard to its end, and given without the dot."""

    def __init__(self, address: Address) -> None:
        self.socket = socket.create_connection(address, 10)
        self.file = self.socket.makefile("rb")
        self.greeting = self.line()

    def line(self) -> str:
        return self.file.readline().decode("latin-1").removesuffix("\r\n")

    def ask(self, line: str) -> list[str]:
        self.socket.sendall(line.encode() + b"\r\n")
        reply = [self.line()]
        if reply[0].startswith(BLOCKS) or (reply[0].startswith("211") and line.upper().startswith("LISTGROUP")):
            while (each := self.line()) != ".":
                reply.append(each)
        return reply

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def asked(lines: list[str], **kind: Any) -> list[list[str]]:
    with nntp_server(GROUPS, **kind) as address:
        client = Client(address)
        try:
            return [client.ask(line) for line in lines]
        finally:
            client.close()


DIALOGUE = {
    "capabilities": ["101 What there is:", "VERSION 2", "IMPLEMENTATION loopback", "READER",
                     "LIST ACTIVE NEWSGROUPS", "OVER", "POST"],
    "mode reader": ["200 Posting allowed"],
    "MODE STREAM": ["501 MODE READER"],
    "STAT": ["412 No group selected"],
    "OVER": ["412 No group selected"],
    "LISTGROUP": ["412 No group selected"],
    "STAT <2@h>": ["223 0 <2@h>"],
    "STAT <9@h>": ["430 No such article"],
    "GROUP no.such": ["411 No such group"],
    "GROUP": ["411 No such group"],
    "GROUP misc.empty": ["211 0 3 2 misc.empty"],
    "STAT 3": ["423 No article of that number"],
    "OVER 1-": ["423 No articles there"],
    "Group misc.test": ["211 2 7 8 misc.test"],
    "STAT 7": ["223 7 <1@h>"],
    "STAT 8": ["223 8 <2@h>"],
    "STAT 9": ["423 No article of that number"],
    "STAT " + "9" * 5000: ["423 No article of that number"],
    "stat": ["223 8 <2@h>"],
    "HEAD 7": ["221 7 <1@h>", "Path: loopback!not-for-mail", "From: Reader <reader@host.dom>", "Newsgroups: misc.test",
               "Subject: One", f"Date: {DATE}", "Message-ID: <1@h>"],
    "BODY <1@h>": ["222 0 <1@h>", "..dot", "...", "", "end"],
    "OVER 7": ["224 The overview:", f"7\tOne\tReader <reader@host.dom>\t{DATE}\t<1@h>\t\t{len(ONE)}\t4"],
    "XOVER 8-": ["224 The overview:",
                 f"8\tTwo 2\tReader <reader@host.dom>\t{DATE}\t<2@h>\t<1@h> <0@h>\t{len(TWO)}\t1"],
    "OVER 1-6": ["423 No articles there"],
    "LISTGROUP misc.test": ["211 2 7 8 misc.test", "7", "8"],
    "LIST": ["215 The list:", "misc.test 8 7 y", "misc.empty 2 3 y", "misc.closed 0 1 n"],
    "LIST NEWSGROUPS": ["215 The list:", "misc.test\tTests"],
    "LIST MOTD": ["503 No such list"],
    "": ["500 What?"],
    "NEXT": ["500 What?"],
    "QUIT": ["205 Goodbye"],
}  # fmt: skip


def test_a_dialogue() -> None:
    assert dict(zip(DIALOGUE, asked([*DIALOGUE]), strict=True)) == DIALOGUE


def test_an_article_goes_over_the_wire_with_its_dots_doubled() -> None:
    (reply,) = asked(["ARTICLE <1@h>"])
    assert reply[0] == "220 0 <1@h>"
    assert "\r\n".join(reply[1:]).encode() + b"\r\n" == ONE.replace(b"\r\n.", b"\r\n..")


@pytest.mark.parametrize(
    ("kind", "line", "reply"),
    [
        ({"capabilities": False}, "CAPABILITIES", "500 What?"),
        ({"overview": "XOVER"}, "OVER 7", "500 What?"),
        ({"overview": ""}, "XOVER 7", "500 What?"),
        ({"posting": False}, "POST", "440 No posting"),
        ({"mode_reader": True}, "GROUP misc.test", "502 Say MODE READER first"),
        ({"users": {"joe": "x"}}, "GROUP misc.test", "480 Log in first"),
        ({"users": {"joe": "x"}}, "AUTHINFO PASS x", "481 No"),
        ({"users": {"joe": "x"}}, "AUTHINFO", "481 No"),
        ({}, "STARTTLS", "502 No TLS"),
    ],
)
def test_the_kinds_of_server(kind: dict[str, Any], line: str, reply: str) -> None:
    assert asked([line], **kind) == [[reply]]


def test_capabilities_say_what_there_is_now() -> None:
    before, _, after = asked(["CAPABILITIES", "MODE READER", "CAPABILITIES"], mode_reader=True, overview="XOVER")
    assert before[3:] == ["MODE-READER"]
    assert after[3:] == ["READER", "LIST ACTIVE NEWSGROUPS", "POST"]
    with nntp_server(GROUPS, posting=False) as address:
        client = Client(address)
        assert client.greeting.startswith("201")
        client.close()


def test_a_login() -> None:
    lines = ["AUTHINFO USER joe", "AUTHINFO PASS open  sesame", "GROUP misc.test", "CAPABILITIES"]
    *replies, capabilities = asked(lines, users={"joe": "open sesame"})
    assert [reply[0][:3] for reply in replies] == ["381", "281", "211"]
    assert "AUTHINFO USER" not in capabilities


def test_tls() -> None:
    certificates = make_certificates()
    with nntp_server(GROUPS, users={"joe": "x"}, tls=certificates.server) as address:
        client = Client(address)
        assert {"STARTTLS", "AUTHINFO USER"} <= {*client.ask("CAPABILITIES")}
        assert client.ask("AUTHINFO USER joe") == ["483 TLS first"]
        assert client.ask("STARTTLS") == ["382 Begin"]
        with certificates.client().wrap_socket(client.socket, server_hostname="127.0.0.1") as secured:
            secured.sendall(b"AUTHINFO USER joe\r\nAUTHINFO PASS x\r\nSTARTTLS\r\nQUIT\r\n")
            with secured.makefile("rb") as file:
                assert [line[:3] for line in file] == [b"381", b"281", b"502", b"205"]
        client.close()


def test_posting() -> None:
    header = "From: me\r\nSubject: x\r\nNewsgroups: "
    articles = {
        header + "misc.empty,misc.test\r\nMessage-ID: <3@h>\r\n\r\n..\r\n...\r\n.": "240 Article received <3@h>",
        header + "misc.empty\r\nMessage-ID: <3@h>\r\n\r\n.": "441 That article is here already",
        header + "misc.closed\r\n\r\n.": "441 No such group takes articles",
        header + "no.such\r\n\r\n.": "441 No such group takes articles",
        "From: me\r\n\r\n.": "441 A field that every article has is missing",
        header + "misc.empty\r\n.": "441 A field that every article has is missing",
    }
    with nntp_server(GROUPS) as address:
        client = Client(address)
        for sent, reply in articles.items():
            assert client.ask("POST")[0].startswith("340")
            assert client.ask(sent) == [reply]
        assert client.ask("GROUP misc.empty") == ["211 1 3 3 misc.empty"]
        assert client.ask("GROUP misc.test") == ["211 3 7 9 misc.test"]
        assert client.ask("BODY <3@h>")[1:] == ["..", "..."]
        client.close()
    assert asked(["GROUP misc.empty"]) == [["211 0 3 2 misc.empty"]]


def test_a_client_that_leaves_in_the_middle_of_an_article_posts_nothing() -> None:
    with nntp_server(GROUPS) as address:
        client = Client(address)
        client.ask("POST")
        client.socket.sendall(b"From: me\r\nSubject: x\r\nNewsgroups: misc.empty\r\n\r\nx\r\n")
        client.close()
        client = Client(address)
        assert client.ask("GROUP misc.empty") == ["211 0 3 2 misc.empty"]
        client.close()
