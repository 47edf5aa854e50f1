"""The SMTP server, tested with smtplib."""

from __future__ import annotations

import smtplib
import threading
from collections.abc import Iterator

import pytest

from urlschemes_servers import Received, make_certificates, smtp_server

MESSAGE = b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\nHello\r\n.\r\n..dots\r\n\xff\r\n"


@pytest.fixture(autouse=True)
def no_thread_left(no_open_sockets: None) -> Iterator[None]:
    before = threading.active_count()
    yield
    assert threading.active_count() == before


def test_received_messages_are_stored() -> None:
    with smtp_server() as relay, smtplib.SMTP(*relay, timeout=10) as client:
        assert client.sendmail("ann@home.dom", ["joe@host.dom", "eve@host.dom"], MESSAGE) == {}
        assert client.sendmail("", ["joe@host.dom"], b"\r\n") == {}
        assert not client.has_extn("AUTH")
        assert not client.has_extn("STARTTLS")
    assert relay.messages == [
        Received("ann@home.dom", ("joe@host.dom", "eve@host.dom"), MESSAGE),
        Received("", ("joe@host.dom",), b"\r\n"),
    ]


def test_recipients_and_messages_are_refused_with_the_given_replies() -> None:
    replies = {"nobody@host.dom": "550 5.1.1 No such user", "late@host.dom": "450 4.2.0 Later"}
    with smtp_server(replies=replies) as relay, smtplib.SMTP(*relay, timeout=10) as client:
        refused = client.sendmail("ann@home.dom", ["joe@host.dom", *replies], MESSAGE)
        assert {address: code for address, (code, _) in refused.items()} == {
            "nobody@host.dom": 550,
            "late@host.dom": 450,
        }
    assert [each.recipients for each in relay.messages] == [("joe@host.dom",)]
    with smtp_server(replies={"": "554 5.6.0 No"}) as relay, smtplib.SMTP(*relay, timeout=10) as client:
        with pytest.raises(smtplib.SMTPDataError) as refusal:
            client.sendmail("ann@home.dom", "joe@host.dom", MESSAGE)
        assert refusal.value.smtp_code == 554
    assert relay.messages == []


def test_a_message_over_the_size_is_refused() -> None:
    with smtp_server(size=100) as relay, smtplib.SMTP(*relay, timeout=10) as client:
        with pytest.raises((smtplib.SMTPSenderRefused, smtplib.SMTPDataError)) as refusal:
            client.sendmail("ann@home.dom", "joe@host.dom", MESSAGE + b"x" * 100)
        assert refusal.value.smtp_code == 552
        assert relay.messages == []


def test_a_login_is_possible_only_over_tls() -> None:
    certificates = make_certificates()
    with smtp_server({"ann": "s3cret"}, tls=certificates.server) as relay, smtplib.SMTP(*relay, timeout=10) as client:
        with pytest.raises(smtplib.SMTPSenderRefused) as refusal:
            client.sendmail("ann@home.dom", "joe@host.dom", MESSAGE)
        assert refusal.value.smtp_code == 530
        assert not client.has_extn("AUTH")
        client.starttls(context=certificates.client())
        with pytest.raises(smtplib.SMTPAuthenticationError):
            client.login("ann", "wrong")
        client.login("ann", "s3cret")
        client.sendmail("ann@home.dom", "joe@host.dom", MESSAGE)
    assert [each.user for each in relay.messages] == ["ann"]


def test_a_server_without_tls_offers_logins_in_the_clear() -> None:
    with smtp_server({"ann": "s3cret"}) as relay, smtplib.SMTP(*relay, timeout=10) as client:
        client.login("ann", "s3cret")
        client.sendmail("ann@home.dom", "joe@host.dom", MESSAGE)
    assert [each.user for each in relay.messages] == ["ann"]


@pytest.mark.parametrize("handshake", [b"", b"no TLS\r\n"])
def test_a_connection_ends_with_the_server_within_the_handshake_of_tls(handshake: bytes) -> None:
    with smtplib.SMTP() as client:
        with smtp_server(tls=make_certificates().server) as relay:
            client.connect(*relay)
            client.docmd("EHLO", "home.dom")
            assert client.docmd("STARTTLS")[0] == 220
            assert client.sock is not None
            client.sock.sendall(handshake)
        client.close()
