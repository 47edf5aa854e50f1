"""Parts of SMTP dialogues, for the tests of this folder."""

from __future__ import annotations

from base64 import b64encode

from urlschemes_mailto import MailtoURL
from urlschemes_testing.replay import Step, client, connect, server, start_tls

URL = MailtoURL.parse("mailto:joe@host.dom")
RELAY = "relay.dom"
MESSAGE = b"From: ann@home.dom\r\nTo: joe@host.dom\r\nSubject: Locators\r\n\r\nHello\r\n.\r\n..two\r\n.end\r\n"
STUFFED_MESSAGE = (
    b"From: ann@home.dom\r\nTo: joe@host.dom\r\nSubject: Locators\r\n\r\nHello\r\n..\r\n...two\r\n..end\r\n"
)

CONNECTED = (connect(RELAY, 587),)
GREETED = (*CONNECTED, server("220 relay.dom ESMTP ready"))
EHLO = (client("EHLO [127.0.0.1]"), server("250 relay.dom at your service"))
READY = (*GREETED, *EHLO)
MAIL = (client("MAIL FROM:<ann@home.dom>"), server("250 2.1.0 Ok"))
RCPT = (client("RCPT TO:<joe@host.dom>"), server("250 2.1.5 Ok"))
DATA = (client("DATA"), server("354 End with a dot"))
BODY = (client(STUFFED_MESSAGE), client(".", early=True))
ACCEPTED = (server("250 2.0.0 queued as 7"),)
BYE = (client("QUIT"), server("221 2.0.0 Bye"))
TAKEN = (*ACCEPTED, *BYE)
ASKED = (*READY, *MAIL, *RCPT, *DATA)
TRANSACTION = (*MAIL, *RCPT, *DATA, *BODY, *ACCEPTED)
SENT = (*TRANSACTION, *BYE)
EXTENDED = server("250-relay.dom Hello", "250-PIPELINING", f"250-size {len(MESSAGE)}", "250-8BITMIME", "250 HELP")


def offers(*extensions: str) -> tuple[Step, ...]:
    """EHLO, and an answer with these extensions."""
    lines = ["relay.dom", *extensions]
    return client("EHLO [127.0.0.1]"), server(*(f"250-{each}" for each in lines[:-1]), f"250 {lines[-1]}")


def encoded(octets: bytes) -> str:
    return b64encode(octets).decode()


TLS = (client("STARTTLS"), server("220 Go ahead"), start_tls(RELAY))
PLAIN = encoded(b"\0ann\0hunter2")
