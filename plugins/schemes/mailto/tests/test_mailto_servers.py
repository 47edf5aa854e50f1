"""Mail over real sockets on this machine: a relay that nobody here wrote, and relays that misbehave."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any

import pytest

import urlschemes
import urlschemes_access
import urlschemes_access.protocol.replies
from urlschemes.errors import UnsupportedOperation
from urlschemes_access import Credentials, Limits, Policy
from urlschemes_access.errors import (
    AuthRequired,
    DeadlineExceeded,
    Indeterminate,
    LimitExceeded,
    PolicyDenied,
    ProtocolError,
    RemoteError,
    TLSError,
    Truncated,
)
from urlschemes_access.protocol import Authenticate
from urlschemes_access.trace_event import TraceEvent
from urlschemes_mailto import Delivery, Submission, compose, registration, send
from urlschemes_servers.smtp import SmtpAddress, smtp_server
from urlschemes_servers.tls import Certificates, make_certificates
from urlschemes_testing.loopback import HOST
from urlschemes_testing.rogue import (
    Act,
    closes,
    drips,
    ends_output,
    floods,
    hears,
    hears_until,
    loops,
    resets,
    rogue,
    says,
    starts_tls,
    stays_silent,
)

HERE = Policy.interactive()
PATIENCE = 10
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


def sent(relay: object, given: EmailMessage | None = None, **options: Any) -> Delivery:
    return send(given or message(), relay=str(relay), **{"policy": HERE, "confirm": True, **options})


# A real server --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "mailto:joe@host.dom",
        "mailto:%22Joe%20Q.%20Public%22@host.dom",
        "mailto:joe%25far@host.dom",
        "mailto:joe@%5B192.0.2.7%5D",
    ],
)
def test_a_message_arrives_octet_by_octet(relay: SmtpAddress, url: str) -> None:
    given = message(url)
    delivery = sent(relay, given)
    (came,) = relay.messages
    address = urlschemes.parse(url).parts["address"]
    assert (came.sender, came.recipients, came.content) == ("ann@home.dom", (address,), given.as_bytes())
    (outcome,) = delivery.outcomes
    assert (outcome.recipient, outcome.status, outcome.text) == (address, 250, "2.0.0 queued as 1")
    assert (delivery.size, delivery.relay, delivery.sender) == (len(came.content), str(relay), "ann@home.dom")


def test_what_was_shown_is_what_arrives(relay: SmtpAddress) -> None:
    shown: list[Submission] = []

    def confirm(submission: Submission) -> bool:
        assert not relay.messages
        shown.append(submission)
        return True

    given = compose("mailto:joe@host.dom", body="no From yet")
    sent(relay, given, confirm=confirm, sender="ann@home.dom")
    (came,) = relay.messages
    (submission,) = shown
    assert came.content == submission.message
    assert came.content.startswith(b"From: ann@home.dom\r\n")
    assert (came.sender, came.recipients) == (submission.sender, (submission.recipient,))


def test_a_large_message(relay: SmtpAddress) -> None:
    given = message()
    given.add_attachment(bytes(range(256)) * 8192, maintype="application", subtype="octet-stream")
    sent(relay, given)
    assert relay.messages[0].content == given.as_bytes()


def test_a_message_with_dots_that_somebody_else_wrote_in_8_bits(relay: SmtpAddress) -> None:
    octets = b"From: ann@home.dom\nTo: joe@host.dom\n\n.\n\xff\xfe\r.\r\n..\n"
    urlschemes_access.operate(
        "send", "mailto:joe@host.dom", options={"message": octets, "relay": str(relay), "confirm": True}, policy=HERE
    )
    assert relay.messages[0].content == b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\n.\r\n\xff\xfe\r\n.\r\n..\r\n"


@pytest.mark.parametrize(("name", "status", "temporary"), [("nobody", 550, False), ("late", 450, True)])
def test_a_recipient_who_is_refused(relay: SmtpAddress, name: str, status: int, *, temporary: bool) -> None:
    with pytest.raises(RemoteError) as refusal:
        sent(relay, message(f"mailto:{name}@host.dom"))
    error = refusal.value
    assert (error.status, error.temporary, error.step, error.scheme) == (status, temporary, "RCPT TO", "mailto")
    assert not relay.messages


def test_a_message_that_is_refused_or_too_large() -> None:
    with smtp_server(replies={"": "554 5.6.0 No"}) as relay, pytest.raises(RemoteError, match="554 5") as refusal:
        sent(relay)
    assert refusal.value.step == "the message"
    with smtp_server(size=100) as relay, pytest.raises(RemoteError, match="100 octets at most"):
        sent(relay)
    assert not relay.messages


def test_nothing_is_sent_to_this_machine_unless_the_policy_allows_it(relay: SmtpAddress) -> None:
    with pytest.raises(PolicyDenied) as refusal:
        sent(relay, policy=None)
    assert refusal.value.rule == "networks"
    for port in (80, 110):
        with pytest.raises(PolicyDenied) as refusal:
            sent(f"127.0.0.1:{port}")
        assert refusal.value.rule == "ports"
    assert registration.ports == (25, 465, 587)


def test_requirement_101_there_is_nothing_to_access() -> None:
    with pytest.raises(UnsupportedOperation, match="it offers send"):
        urlschemes_access.access("mailto:joe@host.dom")


# TLS and logins -------------------------------------------------------------------------------------------------------


def test_tls_and_a_login(certificates: Certificates) -> None:
    asked: list[Authenticate] = []

    def login(request: Authenticate) -> Credentials:
        asked.append(request)
        return Credentials("ann", "s3cret pass")

    events: list[object] = []
    with smtp_server({"ann": "s3cret pass"}, tls=certificates.server) as relay:
        sent(relay, ssl_context=certificates.client(), credentials=login, starttls="required", trace=events.append)
        assert relay.messages[0].user == "ann"
    assert [(each.host, each.port) for each in asked] == [(HOST, relay.port)]
    shown = repr(events)
    assert "s3cret" not in shown
    assert "AG" + "FubgBzM2NyZXQ" not in shown
    assert "AUTH PLAIN" in shown


def test_logins_that_are_refused_or_missing(certificates: Certificates) -> None:
    with smtp_server({"ann": "s3cret"}, tls=certificates.server) as relay:
        for known in (None, Credentials("ann", "hunter2")):
            with pytest.raises(AuthRequired) as refusal:
                sent(relay, ssl_context=certificates.client(), credentials=lambda _, known=known: known)
            assert "hunter2" not in str(refusal.value)
        assert not relay.messages


def test_a_password_goes_in_the_clear_only_where_that_was_allowed() -> None:
    asked = []

    def login(request: Authenticate) -> Credentials:
        asked.append(request)
        return Credentials("ann", "s3cret")

    with smtp_server({"ann": "s3cret"}) as relay:
        with pytest.raises(AuthRequired):
            sent(relay, credentials=login)
        assert not asked
        sent(relay, credentials=login, allow_cleartext=True)
        assert relay.messages[0].user == "ann"


def test_tls_at_once_on_the_port_for_it(certificates: Certificates, monkeypatch: pytest.MonkeyPatch) -> None:
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
        monkeypatch.setattr("urlschemes_mailto.access.SUBMISSIONS", server.port)
        assert sent(server, ssl_context=certificates.client()).outcomes[0].text == "queued"


# Servers that misbehave -----------------------------------------------------------------------------------------------

HELLO = (says("220 ready"), hears(), says("250 relay"))
ENVELOPE = (*HELLO, hears(), says("250 ok"), hears(), says("250 ok"))
DATA = (*ENVELOPE, hears(), says("354 go"), hears_until(b"\r\n.\r\n"))


def quick(**limits: float) -> Policy:
    """The policy for this machine, with less patience."""
    few: dict[str, Any] = {"deadline": 3, "idle": 0.3, "first_octet": 0.3, "connect": 1, **limits}
    return Policy(networks=HERE.networks, limits=Limits(**few))


SILENT: dict[str, tuple[tuple[Act, ...], str]] = {
    "banner": ((), "banner"),
    "EHLO": ((says("220 ready"),), "response"),
    "MAIL": (HELLO, "response"),
    "DATA": (ENVELOPE, "response"),
}


@pytest.mark.parametrize("case", SILENT.values(), ids=SILENT)
def test_b06_silence(case: tuple[tuple[Act, ...], str]) -> None:
    acts, phase = case
    with rogue(*acts, stays_silent()) as server, pytest.raises(DeadlineExceeded) as late:
        sent(server, policy=quick())
    assert late.value.phase == phase


def test_b11_b13_replies_without_end() -> None:
    with rogue(floods(b"2")) as server, pytest.raises(LimitExceeded) as much:
        sent(server, policy=quick())
    assert much.value.limit == "line"
    with rogue(floods(b"220-more\r\n")) as server, pytest.raises(LimitExceeded) as much:
        sent(server, policy=quick())
    assert (much.value.limit, much.value.value) == ("reply", 1000)  # B26


def test_b25_a_reply_that_nobody_asked_for() -> None:
    acts = (*HELLO, hears(), says("250 ok", "250 ok", "354 go", "250 queued"), stays_silent())
    with rogue(*acts) as server, pytest.raises(ProtocolError, match="silence before RCPT TO"):
        sent(server, policy=quick())
    assert b"RCPT" not in server.heard[0]


@pytest.mark.parametrize("banner", ["421 too many", "400 no", "502 no", "554 go away"])
def test_b31_a_refusal_left_open(banner: str) -> None:
    gone = threading.Event()
    with rogue(says(banner), stays_silent(), lambda _: gone.set()) as server:
        with pytest.raises(RemoteError) as refusal:
            sent(server, policy=quick())
        assert (refusal.value.status, refusal.value.temporary) == (int(banner[:3]), banner[0] == "4")
        assert gone.wait(PATIENCE)
    assert server.heard == [b"" if banner.startswith("421") else b"QUIT\r\n"]


STEPS: dict[str, tuple[tuple[Act, ...], str]] = {
    "EHLO": ((says("220 ready"), hears()), "EHLO"),
    "MAIL": ((*HELLO, hears()), "MAIL FROM"),
    "RCPT": ((*HELLO, hears(), says("250 ok"), hears()), "RCPT TO"),
    "DATA": ((*ENVELOPE, hears()), "DATA"),
    "message": (DATA, "the message"),
}


@pytest.mark.parametrize("reply", ["451 later", "554 never"])
@pytest.mark.parametrize("case", STEPS.values(), ids=STEPS)
def test_b35_a_refusal_at_each_step_ends_it(case: tuple[tuple[Act, ...], str], reply: str) -> None:
    acts, step = case
    with rogue(*acts, says(reply), hears(), says("221 bye")) as server, pytest.raises(RemoteError) as refusal:
        sent(server, policy=quick())
    assert (refusal.value.step, refusal.value.temporary) == (step, reply[0] == "4")
    (heard,) = server.heard  # one connection: it was not tried again
    assert heard.endswith(b"QUIT\r\n")
    assert heard.count(b"DATA\r\n") <= 1


ENDS: dict[str, tuple[Act, ...]] = {
    "closed": (closes(),),
    "reset": (resets(),),
    "half closed": (ends_output(), stays_silent()),
    "silent": (stays_silent(),),
    "nonsense": (says("queued, I think"), stays_silent()),
    "half a line": (says(b"250 2.0.0 que"), closes()),
    "dripping": (loops(drips(b"250-x\r\n")),),
    "endless": (floods(b"2"),),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_b36_lost_behind_the_dot_is_neither_sent_nor_not_and_is_not_tried_again(end: tuple[Act, ...]) -> None:
    with rogue(*DATA, *end) as server, pytest.raises(Indeterminate) as unknown:
        sent(server, policy=quick(deadline=1))
    assert unknown.value.__cause__ is not None
    assert len(server.heard) == 1


def test_b36_lost_before_the_message_is_an_ordinary_error() -> None:
    for end in (closes(), resets()):
        with rogue(*ENVELOPE, hears(), end) as server, pytest.raises(Truncated):
            sent(server, policy=quick())


def test_b37_250_where_354_is_due() -> None:
    with rogue(*ENVELOPE, hears(), says("250 ok"), stays_silent()) as server, pytest.raises(ProtocolError, match="354"):
        sent(server, policy=quick())
    assert server.heard[0].endswith(b"DATA\r\n")


def test_b38_plain_text_behind_starttls(certificates: Certificates) -> None:
    forged = (says("220 ready"), hears(), says("250-relay", "250 STARTTLS"), hears(), says("220 go", "250 forged"))
    with (
        rogue(*forged, starts_tls(certificates.server), stays_silent()) as server,
        pytest.raises((ProtocolError, TLSError)),
    ):
        sent(server, policy=quick(), ssl_context=certificates.client())
    assert b"MAIL" not in server.heard[0]


def test_b50_interrupted_it_closes() -> None:
    gone = threading.Event()

    def interrupts(event: TraceEvent) -> None:
        if event.octets.startswith(b"MAIL"):
            raise KeyboardInterrupt

    with rogue(*HELLO, stays_silent(), lambda _: gone.set()) as server:
        with pytest.raises(KeyboardInterrupt):
            sent(server, trace=interrupts)
        assert gone.wait(PATIENCE)


def test_a_farewell_that_never_comes_spoils_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urlschemes_access.protocol.replies, "FAREWELL", 0.1)
    for end in ((stays_silent(),), (closes(),), (resets(),), (says("500 what?"),), (floods(),)):
        with rogue(*DATA, says("250 queued"), *end) as server:
            assert sent(server).outcomes[0].status == 250


def test_nothing_a_relay_says_reaches_a_terminal_as_more_than_text() -> None:
    evil = "550 \x1b[2J\x9b31m\u202egnp.exe\u2028next".encode()
    with rogue(*HELLO, hears(), says(evil + b"\r\n"), stays_silent()) as server, pytest.raises(RemoteError) as refusal:
        sent(server, policy=quick())
    for text in (str(refusal.value), refusal.value.text, repr(refusal.value)):
        assert text.isprintable()
        assert text.isascii()
    with rogue(*DATA, says(evil.replace(b"550", b"250") + b"\r\n"), hears(), says("221 bye")) as server:
        delivery = sent(server)
    for text in (delivery.outcomes[0].text, *delivery.fields.values(), repr(delivery)):
        assert text.isprintable()
        assert text.isascii()
