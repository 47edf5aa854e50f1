"""Mail over real sockets: the relay of urlschemes-servers, which is aiosmtpd, and relays that misbehave."""

from __future__ import annotations

import email
from email.message import EmailMessage
from email.policy import SMTPUTF8
from typing import TYPE_CHECKING, Any

import pytest

import urlschemes
import urlschemes_access
import urlschemes_access.protocol.replies
from urlschemes_access import Credentials, Limits, Policy
from urlschemes_access.errors import ConnectError, DeadlineExceeded, PolicyDenied, RemoteError, Truncated
from urlschemes_mailto import Delivery, Submission, compose, registration, send
from urlschemes_servers.smtp import SmtpAddress, smtp_server
from urlschemes_servers.tls import Certificates, make_certificates
from urlschemes_testing.loopback import HOST, LIFETIME
from urlschemes_testing.rogue import closes, hears, hears_until, resets, rogue, says, starts_tls, waits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes_access.protocol import Authenticate

HERE = Policy.interactive()
MODERN = urlschemes.Registry(profile="rfc3986")
BODY = "Hello\n.\n..dots\nnaïve\n.\n"


@pytest.fixture(scope="module")
def certificates() -> Certificates:
    return make_certificates()


@pytest.fixture
def relay() -> Iterator[SmtpAddress]:
    with smtp_server(
        replies={"nobody@host.dom": "550 5.1.1 Nobody here", "late@host.dom": "450 4.2.0 Later"}
    ) as address:
        yield address


def message(url: str = "mailto:joe@host.dom") -> EmailMessage:
    return compose(url, subject="Locators: naïve", body=BODY, sender="Ann <ann@home.dom>")


def submit(relay: object, composed: EmailMessage | None = None, **arguments: Any) -> Delivery:
    return send(composed or message(), relay=str(relay), **{"policy": HERE, "confirm": True, **arguments})


# A relay --------------------------------------------------------------------------------------------------------------


@pytest.mark.rfc1738(101)
@pytest.mark.parametrize(
    "url",
    [
        "mailto:joe@host.dom",
        "mailto:%22Joe%20Q.%20Public%22@host.dom",
        "mailto:joe%25far@host.dom",
        "mailto:joe@%5B192.0.2.7%5D",
    ],
)
def test_a_message_arrives_unchanged(relay: SmtpAddress, url: str) -> None:
    composed = message(url)
    delivery = submit(relay, composed)
    (received,) = relay.messages
    address = urlschemes.parse(url).parts["address"]
    assert (received.sender, received.recipients, received.content) == ("ann@home.dom", (address,), composed.as_bytes())
    (outcome,) = delivery.outcomes
    assert (outcome.recipient, outcome.status, outcome.text) == (address, 250, "2.0.0 queued as 1")
    assert (delivery.size, delivery.relay, delivery.sender) == (len(received.content), str(relay), "ann@home.dom")


@pytest.mark.parametrize(
    ("url", "sender", "recipients"),
    [
        ("mailto:jos%C3%A9@host.dom?cc=%22a%20%C3%A9%22@b", "ann@home.dom", ("josé@host.dom", '"a é"@b')),
        ("mailto:joe@host.dom", "Änn <änn@home.dom>", ("joe@host.dom",)),
    ],
)
def test_addresses_outside_us_ascii_need_a_relay_with_smtputf8(
    url: str, sender: str, recipients: tuple[str, ...]
) -> None:
    composed = compose(url, subject="naïve", body=BODY, sender=sender, registry=MODERN)
    with smtp_server(utf8=True) as relay:
        submit(relay, composed, registry=MODERN)
    (received,) = relay.messages
    assert (received.sender, received.recipients) == (sender.rsplit(maxsplit=1)[-1].strip("<>"), recipients)
    header = email.message_from_string(received.content.decode(), policy=SMTPUTF8)
    assert (header["To"], header["From"], header["Subject"]) == (recipients[0], sender, "naïve")
    with smtp_server() as relay, pytest.raises(RemoteError, match="the relay does not offer SMTPUTF8"):
        submit(relay, composed, registry=MODERN)
    assert not relay.messages


def test_the_confirmed_message_is_the_one_that_arrives(relay: SmtpAddress) -> None:
    shown: list[Submission] = []

    def confirm(submission: Submission) -> bool:
        assert not relay.messages
        shown.append(submission)
        return True

    composed = compose("mailto:joe@host.dom", body="no From yet")
    submit(relay, composed, confirm=confirm, sender="ann@home.dom")
    (received,) = relay.messages
    (submission,) = shown
    assert received.content == submission.message
    assert received.content.startswith(b"From: ann@home.dom\r\n")
    assert (received.sender, received.recipients) == (submission.sender, submission.recipients)


def test_a_message_of_8_bit_octets_and_dots_arrives_with_its_line_ends_normalized(relay: SmtpAddress) -> None:
    octets = b"From: ann@home.dom\nTo: joe@host.dom\n\n.\n\xff\xfe\r.\r\n..\n"
    urlschemes_access.operate(
        "send", "mailto:joe@host.dom", options={"message": octets, "relay": str(relay), "confirm": True}, policy=HERE
    )
    assert relay.messages[0].content == b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\n.\r\n\xff\xfe\r\n.\r\n..\r\n"


def test_the_policy_applies_to_the_relay(relay: SmtpAddress) -> None:
    with pytest.raises(PolicyDenied) as refusal:
        submit(relay, policy=None)
    assert refusal.value.rule == "networks"
    for port in (80, 110):
        with pytest.raises(PolicyDenied) as refusal:
            submit(f"127.0.0.1:{port}")
        assert refusal.value.rule == "ports"
    assert registration.ports == (25, 465, 587)


# TLS and logins -------------------------------------------------------------------------------------------------------


def test_over_tls_a_login_is_sent_and_the_trace_hides_the_password(certificates: Certificates) -> None:
    asked: list[Authenticate] = []

    def login(request: Authenticate) -> Credentials:
        asked.append(request)
        return Credentials("ann", "s3cret pass")

    events: list[object] = []
    with smtp_server({"ann": "s3cret pass"}, tls=certificates.server) as relay:
        submit(relay, ssl_context=certificates.client(), credentials=login, starttls="required", trace=events.append)
        assert relay.messages[0].user == "ann"
    assert [(each.host, each.port) for each in asked] == [(HOST, relay.port)]
    shown = repr(events)
    assert "s3cret" not in shown
    assert "AG" + "FubgBzM2NyZXQ" not in shown
    assert "AUTH PLAIN" in shown


def test_tls_begins_at_once_on_port_465(certificates: Certificates, monkeypatch: pytest.MonkeyPatch) -> None:
    dialogue = (
        says("220 ready"),
        *(hears(), says("250 relay")) * 3,
        hears(),
        says("354 go"),
        hears_until(b"\r\n.\r\n"),
        says("250 queued"),
        hears(),
        says("221 bye"),
    )
    with rogue(starts_tls(certificates.server), *dialogue) as server:
        monkeypatch.setattr("urlschemes_mailto.connection.IMPLICIT_TLS_PORT", server.port)
        assert submit(server, ssl_context=certificates.client()).outcomes[0].text == "queued"


def test_composing_counts_for_the_deadline(relay: SmtpAddress, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter((100.0, 102.5))
    monkeypatch.setattr("urlschemes_mailto.client.monotonic", lambda: next(ticks))
    with pytest.raises(DeadlineExceeded, match="longer than 2 seconds") as refusal:
        submit(relay, deadline=2)
    assert refusal.value.phase == "compose"
    assert not relay.messages


# Relays that misbehave ------------------------------------------------------------------------------------------------

HELLO = (says("220 ready"), hears(), says("250 relay"))
ENVELOPE = (*HELLO, hears(), says("250 ok"), hears(), says("250 ok"))


def test_a_connection_lost_within_the_message_is_an_ordinary_failure() -> None:
    composed = compose("mailto:joe@host.dom", body="x" * 70 + "\n", sender="ann@home.dom")
    composed.set_content(("x" * 70 + "\n") * 200_000)  # more than the system buffers
    begins = (*ENVELOPE, hears(), says("354 go"), hears_until(b"xxx"))
    for end in (closes(), resets()):
        with rogue(*begins, end) as server, pytest.raises((Truncated, ConnectError)):
            submit(server, composed)
    with rogue(*begins, waits(LIFETIME)) as server, pytest.raises(DeadlineExceeded):
        submit(server, composed, policy=Policy(networks=HERE.networks, limits=Limits(idle=1.5)))
