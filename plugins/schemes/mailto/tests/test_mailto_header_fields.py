"""Messages composed from the header fields of a URL, and sent to several recipients (RFC 6068)."""

from __future__ import annotations

import email
import json
import sys
from email.policy import default

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from mailto_dialogues import BYE, READY, RELAY

from urlschemes import Registry
from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes_access import Policy
from urlschemes_access.errors import RemoteError
from urlschemes_cli.app import command
from urlschemes_mailto import compose, send, unused_fields
from urlschemes_mailto.access import send as algorithm
from urlschemes_mailto.envelope import RecipientOutcome
from urlschemes_mailto.header_fields import recipients_of
from urlschemes_mailto.message import message_octets, submission_of
from urlschemes_mailto.rfc3986 import MailtoURI
from urlschemes_servers.smtp import smtp_server
from urlschemes_testing.replay import Script, client, replay, server

MODERN = Registry(profile="rfc3986")
SENDER = "ann@home.dom"
KEPT = {"from", "to", "date", "message-id", "content-type", "content-transfer-encoding", "mime-version"}
"""The fields of every message with a sender."""


def composed(text, **arguments):
    """The message of a URL, as its recipient reads it."""
    return email.message_from_bytes(message_octets(compose(MailtoURI.parse(text), **arguments)), policy=default)


# Header fields --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "fields", "body"),
    [
        ("mailto:chris@example.com", {"To": "chris@example.com"}, ""),
        ("mailto:a@b?subject=current-issue", {"To": "a@b", "Subject": "current-issue"}, ""),
        ("mailto:a@b?body=send%20current-issue%0D%0Asend%20index", {"To": "a@b"}, "send current-issue\nsend index"),
        (
            "mailto:list@example.org?In-Reply-To=%3C3469A91.D10AF4C@example.com%3E",
            {"To": "list@example.org", "In-Reply-To": "<3469A91.D10AF4C@example.com>"},
            "",
        ),
        (
            "mailto:joe@example.com?cc=bob@example.com&body=hello",
            {"To": "joe@example.com", "Cc": "bob@example.com"},
            "hello",
        ),
        ("mailto:user@example.org?subject=caf%C3%A9&body=caf%C3%A9", {"Subject": "café"}, "café"),
        ("mailto:a@b?subject=%3D%3Futf-8%3FQ%3Fcaf%3DC3%3DA9%3F%3D", {"Subject": "café"}, ""),
        ("mailto:a@b?subject=%3D%3Fiso-8859-1%3FQ%3Fcaf%3DE9%3F%3D", {"Subject": "café"}, ""),
        ("mailto:a@b?body=%3D%3Futf-8%3FQ%3Fa%3F%3D", {}, "=?utf-8?Q?a?="),
        (
            "mailto:user@%E7%B4%8D%E8%B1%86.example.org?subject=Test&body=NATTO",
            {"To": "user@xn--99zt52a.example.org", "Subject": "Test"},
            "NATTO",
        ),
        ("mailto:a@b,c@d?to=e@f,%20a@b&CC=g@h&cc=i@j,c@d", {"To": "a@b, c@d, e@f", "Cc": "g@h, i@j"}, ""),
        ("mailto:?to=addr1@an.example,addr2@an.example", {"To": "addr1@an.example, addr2@an.example"}, ""),
        ("mailto:a@b?cc=Bob%20%3Cc@d%3E,%22x@y%22%20%3Ce@f%3E", {"Cc": "c@d, e@f"}, ""),
        ("mailto:%22a%2Cb%22@c?to=%22d%2Ce%22@f", {"To": '"a,b"@c, "d,e"@f'}, ""),
        ("mailto:?keywords=x,y&references=%3Ca@b%3E%20%3Cc@d%3E", {"Keywords": "x,y", "References": "<a@b> <c@d>"}, ""),
        ("mailto:a@b?subject=1+1%3D2&body=a+b", {"Subject": "1+1=2"}, "a+b"),
    ],
)  # fmt: skip
def test_a_message_has_the_fields_of_the_url(text, fields, body):
    message = composed(text)
    assert {name: str(message[name]) for name in fields} == fields
    assert message.get_content().rstrip() == body.replace("\n", "\r\n")
    assert set(message.keys()) <= {
        *fields, "To", "Cc", "Subject", "Date", "MIME-Version", "Content-Type", "Content-Transfer-Encoding"
    }  # fmt: skip


def test_what_the_caller_gives_takes_the_place_of_the_fields():
    message = composed("mailto:a@b?subject=x&body=y&subject=z&body=z", subject="mine", body="", sender=SENDER)
    assert (message["Subject"], message.get_content().strip(), message["From"]) == ("mine", "", SENDER)


def test_the_fields_that_are_not_used_are_named():
    url = MailtoURI.parse(
        "mailto:a@b?Bcc=c@d&from=e@f&subject=x&BCC=g@h&Content-Type=text/html&=&x%0Dy=1".replace("/", "%2F")
    )
    assert unused_fields(url) == ("bcc", "from", "content-type", "(without a name)", "x\\x0dy")
    message = composed(str(url))
    assert not {"Bcc", "From", "x"} & set(message.keys())
    assert message.get_content_type() == "text/plain"


INJECTIONS = ["x%0D%0ABcc:eve@h", "x%0ABcc:eve@h", "x%0Dy", "%00", "%C2%85x", "%E2%80%A8x", "%FF", "%1B%5B2J"]
ENCODED_INJECTION = "%3D%3Futf-8%3Fq%3F%3D0D%3D0ABcc:_eve@h%3F%3D"


@pytest.mark.parametrize("name", ["subject", "keywords", "to", "cc", "in-reply-to", "references"])
@pytest.mark.parametrize("value", [*INJECTIONS, ENCODED_INJECTION])
def test_a_value_never_becomes_another_field(name, value):
    with pytest.raises(UnsafeURL) as refused:
        compose(MailtoURI.parse(f"mailto:a@b?{name}={value}"))
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "fields",
    [
        "subject=a&Subject=b",
        "body=a&body=b",
        "in-reply-to=x",
        "references=%3Ca@b%3E,%3Cc@d%3E",
        "in-reply-to=%3Ca%20b@c%3E",
        "cc=x",
        "to=a@b%20c@d",
        "cc=us:a@b;",
        "to=a%C2%85@b",
        "cc=a@-%E7%B4%8D.example",
        "cc=%3D%3Futf-8%3Fq%3Fa%3F%3D@b",
        "to=" + "(" * 9000,
        "subject=" + "x" * 10_001,
    ],
)
def test_a_field_that_cannot_be_sent_as_it_is_is_refused(fields):
    with pytest.raises((UnsafeURL, UnsupportedOperation)):
        compose(MailtoURI.parse(f"mailto:a@b?{fields}"))


@pytest.mark.parametrize(
    "text",
    [
        "mailto:jos%C2%85@host.dom",
        "mailto:jos%E2%80%AE@host.dom",
        "mailto:%2f%2Fjoe@host.dom",
        "mailto:a@%E2%98%83%EF%B8%8F.example",
        "mailto:a@b%C2%AD",
    ],
)
def test_an_address_that_smtp_cannot_carry_is_refused(text):
    with pytest.raises(UnsafeURL):
        compose(MailtoURI.parse(text))


@given(
    st.sampled_from(["subject", "Keywords", "to", "cc", "In-Reply-To", "references", "body", "bcc"]),
    st.lists(
        st.sampled_from([*'ab@<>,;:()[]. \\"\r\n=?', "=?utf-8?q?", "?=", "=0D=0A", "é", "Bcc: ", "c@d"]), max_size=9
    ),
)
@settings(max_examples=60)
def test_any_value_gives_a_message_with_known_fields_or_is_refused(name, pieces):
    try:
        message = compose(MailtoURI(to=["a@b"], headers=[(name, "".join(pieces))]), sender=SENDER)
        submission = submission_of(message_octets(message), relay=RELAY)
    except (UnsafeURL, UnsupportedOperation):
        return
    fields = email.message_from_bytes(submission.message, policy=default).keys()
    assert len(fields) == len(set(fields))
    assert {each.lower() for each in fields} - {name.lower()} == KEPT - {name.lower()}
    assert submission.recipients[0] == "a@b"
    assert name in {"to", "cc"} or len(submission.recipients) == 1


def test_a_domain_outside_us_ascii_needs_the_library_idna(monkeypatch):
    monkeypatch.setitem(sys.modules, "idna", None)
    with pytest.raises(UnsupportedOperation, match="idna is not installed"):
        compose(MailtoURI(to=["user@納豆.example"]))


def test_many_recipients_are_folded_without_a_change():
    addresses = [f"recipient.number.{number}@a.long.domain.example" for number in range(100)]
    submission = submission_of(message_octets(compose(MailtoURI(to=addresses)), SENDER), relay=RELAY)
    assert submission.recipients == tuple(addresses)
    assert all(f"to    {address}" in submission.envelope for address in addresses)


# Several recipients ---------------------------------------------------------------------------------------------------

URL = MailtoURI.parse("mailto:a@b,c@d?cc=e@f&subject=x#top")
MESSAGE = b"From: ann@home.dom\r\nTo: a@b, c@d\r\nCc: e@f\r\n\r\nHello\r\n"
ENVELOPE = (*READY, client(f"MAIL FROM:<{SENDER}>"), server("250 ok"))
CONTENT = (client("DATA"), server("354 go"), client(MESSAGE), client(".", early=True), server("250 queued"), *BYE)


def transaction(*replies):
    return tuple(
        step
        for address, reply in zip(("a@b", "c@d", "e@f"), replies, strict=False)
        for step in (client(f"RCPT TO:<{address}>"), server(reply))
    )


def submit(script):
    return replay(algorithm(URL, message=MESSAGE, relay=RELAY, confirm=True), Script(*script))


@pytest.mark.parametrize(
    "replies",
    [
        ("250 ok", "250 ok", "251 forwarded"),
        ("250 ok", "550 5.1.1 nobody", "250 ok"),
        ("450 later", "550 5.1.1 nobody", "250 ok"),
    ],
)
def test_the_message_is_sent_to_those_whom_the_relay_accepts(replies):
    delivery = submit((*ENVELOPE, *transaction(*replies), *CONTENT)).attributes
    assert [outcome.recipient for outcome in delivery.outcomes] == ["a@b", "c@d", "e@f"]
    for outcome, reply in zip(delivery.outcomes, replies, strict=True):
        assert outcome.accepted == reply.startswith("25")
        assert (outcome.status, outcome.text) == ((250, "queued") if outcome.accepted else (int(reply[:3]), reply[4:]))
    assert len(delivery.refused) == sum(not reply.startswith("25") for reply in replies)


@pytest.mark.parametrize(
    ("replies", "status", "says_goodbye"),
    [
        (("550 nobody", "551 not here", "450 later"), 550, True),
        (("250 ok", "421 closing"), 421, False),
        (("250 ok", "503 no"), 503, True),
    ],
)
def test_nothing_is_sent_if_the_relay_accepts_no_recipient_or_ends(replies, status, says_goodbye):
    outcome = submit((*ENVELOPE, *transaction(*replies), *(BYE if says_goodbye else ())))
    assert isinstance(outcome.error, RemoteError)
    assert outcome.error.status == status


@pytest.mark.parametrize(
    "message",
    [
        MESSAGE.replace(b"Cc: e@f\r\n", b""),
        MESSAGE.replace(b"e@f", b"e@f, eve@h"),
        MESSAGE.replace(b"Cc:", b"Bcc:"),
    ],
)
def test_the_recipients_are_those_of_the_url(message):
    with pytest.raises(UnsupportedOperation):
        next(algorithm(URL, message=message, relay=RELAY, confirm=True))


def test_recipients_are_those_of_the_address_and_of_the_fields():
    assert recipients_of(URL) == (("a@b", "c@d"), ("e@f",))


def test_a_message_to_several_arrives_once():
    message = compose(str(URL), sender=SENDER, registry=MODERN)
    with smtp_server(replies={"c@d": "550 5.1.1 nobody"}) as relay:
        with pytest.raises(UnsupportedOperation, match="the message has 3"):
            send(message, relay=str(relay), confirm=True, policy=Policy.interactive())
        delivery = send(message, relay=str(relay), confirm=True, policy=Policy.interactive(), registry=MODERN)
    (received,) = relay.messages
    assert received.recipients == ("a@b", "e@f")
    assert delivery.refused == (RecipientOutcome("c@d", 550, "5.1.1 nobody"),)


# The command ----------------------------------------------------------------------------------------------------------


def run(relay, url, *arguments):
    options = ["--profile", "rfc3986", "send", url, "--relay", str(relay), "--from", SENDER, "--yes", *arguments]
    return CliRunner().invoke(command, options, prog_name="urlschemes")


def test_the_command_sends_what_the_url_says_and_names_what_it_does_not():
    url = "mailto:a@b.example?subject=x&body=y%0D%0Az&cc=c@d.example&bcc=eve@h&from=eve@h"
    with smtp_server() as relay:
        done = run(relay, url)
        assert done.exit_code == 0, done.stderr
        assert "not used: bcc, from" in done.stderr
        for line in ("to    a@b.example", "to    c@d.example", "Subject: x", "Cc: c@d.example"):
            assert line in done.stderr
        done = run(relay, url, "--subject", "mine", "--body", "own", "--json")
        assert json.loads(done.stdout)["unused_fields"] == ["bcc", "from"]
    first, second = (email.message_from_bytes(each.content, policy=default) for each in relay.messages)
    assert (first["Subject"], first.get_content()) == ("x", "y\r\nz\r\n")
    assert (second["Subject"], second.get_content()) == ("mine", "own\r\n")
    assert {each.recipients for each in relay.messages} == {("a@b.example", "c@d.example")}


def test_the_command_fails_if_a_recipient_is_refused():
    with smtp_server(replies={"c@d": "550 5.1.1 nobody"}) as relay:
        done = run(relay, "mailto:a@b,c@d?body=x")
    assert done.exit_code == 3
    assert (
        done.stdout == f"a@b: accepted by {relay}: 250 2.0.0 queued as 1\nc@d: REFUSED by {relay}: 550 5.1.1 nobody\n"
    )


@pytest.mark.parametrize(
    ("url", "message"),
    [("mailto:?body=x", "no recipient"), ("mailto:a@b?subject=x%0Ay&body=z", "header field"), ("http://h/", "no mail")],
)
def test_the_command_refuses_what_cannot_be_sent(url, message):
    with smtp_server() as relay:
        done = run(relay, url, "--json")
    assert done.exit_code == 4
    assert message in done.stderr
    assert not relay.messages
