"""Parts of NNTP dialogues, for the tests of this folder."""

from __future__ import annotations

from urlschemes_testing.replay import Script, Step, client, connect, exchange, server

HOST = "news.dom"
GROUP = f"nntp://{HOST}/misc.test"
ARTICLE = f"{GROUP}/7"
DOT = b".\r\n"

GREETING = Script(connect(HOST, 119), server("200 news.dom ready, posting allowed"))
CAPABILITIES = (client("CAPABILITIES"), server("101 Capabilities:", "VERSION 2", "READER", "OVER", "POST", "."))
READY = GREETING.then(*CAPABILITIES)
READY_RFC977 = GREETING.then(*exchange("CAPABILITIES", "500 What?", "MODE READER", "200 Hello, reader"))
OFFERS_TLS = (client("CAPABILITIES"), server("101 list", "VERSION 2", "READER", "OVER", "starttls", "."))
SELECTED = (client("GROUP misc.test"), server("211 3 7 9 misc.test"))
BYE: tuple[Step, ...] = (client("QUIT"), server("205 Goodbye"))

HEADER = (
    b"Path: a!b\r\nFrom: J\xf6e <joe@host.dom>\r\nNewsgroups: misc.test\r\nSubject: =?utf-8?q?na=C3=AFve?=\r\n =?x?\r\n"
    b"Date: Thu, 01 Dec 1994 12:00:00 +0100\r\nMessage-ID: <7@host.dom>\r\nX: 1\r\nno field\r\nx:\t2\r\n"
)
