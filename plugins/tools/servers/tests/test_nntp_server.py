"""The NNTP server, tested line by line: RFC 3977, and the forms of older servers."""

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
    """Sends commands and reads replies; the dot at the end of a block is removed."""

    def __init__(self, address: Address) -> None:
        self.socket = socket.create_connection(address, 10)
        self.file = self.socket.makefile("rb")
        self.greeting = self.line()

    def line(self) -> str:
        return self.file.readline().decode("latin-1").removesuffix("\r\n")

    def send(self, line: str) -> list[str]:
        self.socket.sendall(line.encode() + b"\r\n")
        reply = [self.line()]
        if reply[0].startswith(BLOCKS) or (reply[0].startswith("211") and line.upper().startswith("LISTGROUP")):
            while (each := self.line()) != ".":
                reply.append(each)
        return reply

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def exchange(lines: list[str], **kind: Any) -> list[list[str]]:
    with nntp_server(GROUPS, **kind) as address:
        client = Client(address)
        try:
            return [client.send(line) for line in lines]
        finally:
            client.close()


DIALOGUE = {
    "capabilities": ["101 Capability list:", "VERSION 2", "IMPLEMENTATION loopback", "READER",
                     "LIST ACTIVE NEWSGROUPS", "OVER", "POST"],
    "mode reader": ["200 Posting allowed"],
    "MODE STREAM": ["501 Syntax: MODE READER"],
    "STAT": ["412 No group selected"],
    "OVER": ["412 No group selected"],
    "LISTGROUP": ["412 No group selected"],
    "STAT <2@h>": ["223 0 <2@h>"],
    "STAT <9@h>": ["430 No such article"],
    "GROUP no.such": ["411 No such group"],
    "GROUP": ["411 No such group"],
    "GROUP misc.empty": ["211 0 3 2 misc.empty"],
    "STAT 3": ["423 No article with that number"],
    "OVER 1-": ["423 No articles in that range"],
    "Group misc.test": ["211 2 7 8 misc.test"],
    "STAT 7": ["223 7 <1@h>"],
    "STAT 8": ["223 8 <2@h>"],
    "STAT 9": ["423 No article with that number"],
    "STAT " + "9" * 5000: ["423 No article with that number"],
    "stat": ["223 8 <2@h>"],
    "HEAD 7": ["221 7 <1@h>", "Path: loopback!not-for-mail", "From: Reader <reader@host.dom>", "Newsgroups: misc.test",
               "Subject: One", f"Date: {DATE}", "Message-ID: <1@h>"],
    "BODY <1@h>": ["222 0 <1@h>", "..dot", "...", "", "end"],
    "OVER 7": ["224 Overview follows", f"7\tOne\tReader <reader@host.dom>\t{DATE}\t<1@h>\t\t{len(ONE)}\t4"],
    "XOVER 8-": ["224 Overview follows",
                 f"8\tTwo 2\tReader <reader@host.dom>\t{DATE}\t<2@h>\t<1@h> <0@h>\t{len(TWO)}\t1"],
    "OVER 1-6": ["423 No articles in that range"],
    "LISTGROUP misc.test": ["211 2 7 8 misc.test", "7", "8"],
    "LIST": ["215 List follows", "misc.test 8 7 y", "misc.empty 2 3 y", "misc.closed 0 1 n"],
    "LIST NEWSGROUPS": ["215 List follows", "misc.test\tTests"],
    "LIST MOTD": ["503 Unknown list"],
    "": ["500 Unknown command"],
    "NEXT": ["500 Unknown command"],
    "QUIT": ["205 Goodbye"],
}  # fmt: skip


def test_each_command_has_its_reply() -> None:
    assert dict(zip(DIALOGUE, exchange([*DIALOGUE]), strict=True)) == DIALOGUE


def test_an_article_is_sent_with_dot_stuffing() -> None:
    (reply,) = exchange(["ARTICLE <1@h>"])
    assert reply[0] == "220 0 <1@h>"
    assert "\r\n".join(reply[1:]).encode() + b"\r\n" == ONE.replace(b"\r\n.", b"\r\n..")


@pytest.mark.parametrize(
    ("kind", "line", "reply"),
    [
        ({"capabilities": False}, "CAPABILITIES", "500 Unknown command"),
        ({"overview": "XOVER"}, "OVER 7", "500 Unknown command"),
        ({"overview": ""}, "XOVER 7", "500 Unknown command"),
        ({"posting": False}, "POST", "440 No posting"),
        ({"mode_reader": True}, "GROUP misc.test", "502 MODE READER required"),
        ({"users": {"joe": "x"}}, "GROUP misc.test", "480 Authentication required"),
        ({"users": {"joe": "x"}}, "AUTHINFO PASS x", "481 Authentication failed"),
        ({"users": {"joe": "x"}}, "AUTHINFO", "481 Authentication failed"),
        ({}, "STARTTLS", "502 STARTTLS not available"),
    ],
)
def test_a_server_of_another_kind_refuses_a_command(kind: dict[str, Any], line: str, reply: str) -> None:
    assert exchange([line], **kind) == [[reply]]


def test_the_capabilities_change_with_the_state() -> None:
    before, _, after = exchange(["CAPABILITIES", "MODE READER", "CAPABILITIES"], mode_reader=True, overview="XOVER")
    assert before[3:] == ["MODE-READER"]
    assert after[3:] == ["READER", "LIST ACTIVE NEWSGROUPS", "POST"]
    with nntp_server(GROUPS, posting=False) as address:
        client = Client(address)
        assert client.greeting.startswith("201")
        client.close()


def test_a_login_permits_the_commands() -> None:
    lines = ["AUTHINFO USER joe", "AUTHINFO PASS open  sesame", "GROUP misc.test", "CAPABILITIES"]
    *replies, capabilities = exchange(lines, users={"joe": "open sesame"})
    assert [reply[0][:3] for reply in replies] == ["381", "281", "211"]
    assert "AUTHINFO USER" not in capabilities


def test_starttls_protects_the_login() -> None:
    certificates = make_certificates()
    with nntp_server(GROUPS, users={"joe": "x"}, tls=certificates.server) as address:
        client = Client(address)
        assert {"STARTTLS", "AUTHINFO USER"} <= {*client.send("CAPABILITIES")}
        assert client.send("AUTHINFO USER joe") == ["483 TLS required"]
        assert client.send("STARTTLS") == ["382 Begin TLS negotiation"]
        with certificates.client().wrap_socket(client.socket, server_hostname="127.0.0.1") as secured:
            secured.sendall(b"AUTHINFO USER joe\r\nAUTHINFO PASS x\r\nSTARTTLS\r\nQUIT\r\n")
            with secured.makefile("rb") as file:
                assert [line[:3] for line in file] == [b"381", b"281", b"502", b"205"]
        client.close()


def test_a_posted_article_is_stored_while_the_server_runs() -> None:
    header = "From: me\r\nSubject: x\r\nNewsgroups: "
    articles = {
        header + "misc.empty,misc.test\r\nMessage-ID: <3@h>\r\n\r\n..\r\n...\r\n.": "240 Article received <3@h>",
        header + "misc.empty\r\nMessage-ID: <3@h>\r\n\r\n.": "441 Duplicate article",
        header + "misc.closed\r\n\r\n.": "441 Posting to these groups not permitted",
        header + "no.such\r\n\r\n.": "441 Posting to these groups not permitted",
        "From: me\r\n\r\n.": "441 Required header field missing",
        header + "misc.empty\r\n.": "441 Required header field missing",
    }
    with nntp_server(GROUPS) as address:
        client = Client(address)
        for sent, reply in articles.items():
            assert client.send("POST")[0].startswith("340")
            assert client.send(sent) == [reply]
        assert client.send("GROUP misc.empty") == ["211 1 3 3 misc.empty"]
        assert client.send("GROUP misc.test") == ["211 3 7 9 misc.test"]
        assert client.send("BODY <3@h>")[1:] == ["..", "..."]
        client.close()
    assert exchange(["GROUP misc.empty"]) == [["211 0 3 2 misc.empty"]]


def test_an_incomplete_article_is_not_posted() -> None:
    with nntp_server(GROUPS) as address:
        client = Client(address)
        client.send("POST")
        client.socket.sendall(b"From: me\r\nSubject: x\r\nNewsgroups: misc.empty\r\n\r\nx\r\n")
        client.close()
        client = Client(address)
        assert client.send("GROUP misc.empty") == ["211 0 3 2 misc.empty"]
        client.close()
