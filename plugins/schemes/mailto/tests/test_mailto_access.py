"""Submission by SMTP against written dialogues, cut at every octet and with every fault; and refusals before them."""

from __future__ import annotations

import getpass
import re
import socket
from dataclasses import dataclass, field
from typing import Any

import pytest
from mailto_dialogues import (
    ASKED,
    BODY,
    BYE,
    CONNECTED,
    DATA,
    EHLO,
    EXTENDED,
    GREETED,
    MAIL,
    MESSAGE,
    PLAIN,
    RCPT,
    READY,
    RELAY,
    SENT,
    TAKEN,
    TLS,
    URL,
    encoded,
    offers,
)

from urlschemes.errors import UnsafeURL, UnsupportedOperation, URLError
from urlschemes_access.credentials import Credentials
from urlschemes_access.errors import Indeterminate, PolicyDenied
from urlschemes_access.protocol import Authenticate, Connect, Send
from urlschemes_mailto import Delivery, MailtoURL, RecipientOutcome
from urlschemes_mailto.access import send
from urlschemes_testing.replay import (
    Script,
    Step,
    client,
    connect,
    credentials,
    exchange,
    fault_everywhere,
    replay,
    server,
    split_everywhere,
    start_tls,
)
from urlschemes_testing.replay.observing import observed


@dataclass(frozen=True)
class Success:
    steps: tuple[Step, ...]
    options: dict[str, Any] = field(default_factory=dict)
    message: bytes = MESSAGE
    size: int = len(MESSAGE)
    outcome: RecipientOutcome = RecipientOutcome("joe@host.dom", 250, "2.0.0 queued as 7")  # noqa: RUF009  it is frozen
    relay: str = f"{RELAY}:587"
    sender: str = "ann@home.dom"
    url: MailtoURL = URL

    @property
    def script(self) -> Script:
        return Script(*self.steps)

    def algorithm(self) -> Any:
        return send(self.url, **{"message": self.message, "relay": RELAY, "confirm": True, **self.options})


WITHOUT_LOGIN = "no credentials, and none are required"

SUCCESSES = {
    "no extensions": Success((*READY, *SENT)),
    "a greeting and answers of several lines": Success(
        (
            *CONNECTED,
            server("220-relay.dom ESMTP", "220-no spam", "220 ready"),
            *EHLO,
            client("MAIL FROM:<ann@home.dom>"),
            server("250-well", "250 done"),
            *RCPT,
            *DATA,
            *BODY,
            server("250-2.0.0 queued", "250 as 7"),
            *BYE,
        )
    ),
    "codes without words": Success(
        (
            *CONNECTED,
            server("220"),
            *exchange("EHLO [127.0.0.1]", "250", "MAIL FROM:<ann@home.dom>", "250"),
            *exchange("RCPT TO:<joe@host.dom>", "250 ", "DATA", "354"),
            *BODY,
            server("250"),
            *exchange("QUIT", "221"),
        ),
        outcome=RecipientOutcome("joe@host.dom", 250, ""),
    ),
    "a relay that does not know EHLO": Success(
        (
            *GREETED,
            *exchange("EHLO [127.0.0.1]", "502 Command not implemented"),
            *exchange("HELO [127.0.0.1]", "250 relay.dom"),
            *SENT,
        )
    ),
    "SIZE and 8BITMIME": Success(
        (
            *GREETED,
            client("EHLO [127.0.0.1]"),
            EXTENDED,
            *exchange(f"MAIL FROM:<ann@home.dom> SIZE={len(MESSAGE)}", "250 Ok"),
            *RCPT,
            *DATA,
            *BODY,
            *TAKEN,
        )
    ),
    "octets of 8 bits": Success(
        (
            *GREETED,
            *offers("8BITMIME"),
            *exchange("MAIL FROM:<ann@home.dom> BODY=8BITMIME", "250 Ok"),
            *RCPT,
            *DATA,
            client(b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\nna\xc3\xafve\r\n"),
            client(".", early=True),
            *TAKEN,
        ),
        message=b"From: ann@home.dom\nTo: joe@host.dom\n\nna\xc3\xafve",
        size=len(b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\nna\xc3\xafve\r\n"),
    ),
    "line ends of all kinds, and a first line that is a dot": Success(
        (
            *ASKED,
            client(b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\n..\r\n..\r\n\r\n..\r\nQUIT\r\n"),
            client(".", early=True),
            *TAKEN,
        ),
        message=b"From: ann@home.dom\nTo: joe@host.dom\r\n\n.\r.\r\r\n.\nQUIT",
        size=len(b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\n.\r\n.\r\n\r\n.\r\nQUIT\r\n"),
    ),
    "carriage returns alone, among lines with right ends": Success(
        (
            *ASKED,
            client(b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\nHi\r\n..\r\nQUIT\r\n"),
            client(".", early=True),
            *TAKEN,
        ),
        message=b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\nHi\r.\rQUIT\r\n",
        size=len(b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\nHi\r\n.\r\nQUIT\r\n"),
    ),
    "STARTTLS, and EHLO again: what was offered before TLS is forgotten": Success(
        (*GREETED, *offers("STARTTLS", "SIZE 1", "AUTH PLAIN", "8BITMIME"), *TLS, *EHLO, *SENT)
    ),
    "STARTTLS required": Success((*GREETED, *offers("STARTTLS"), *TLS, *EHLO, *SENT), {"starttls": "required"}),
    "STARTTLS never": Success((*GREETED, *offers("STARTTLS"), *SENT), {"starttls": "never"}),
    "TLS at once, on port 465": Success(
        (connect(RELAY, 465), start_tls(RELAY), server("220 ready"), *offers("STARTTLS"), *SENT),
        {"relay": "relay.dom:465"},
        relay="relay.dom:465",
    ),
    "a login by PLAIN": Success(
        (
            *GREETED,
            *offers("STARTTLS"),
            *TLS,
            *offers("auth login plain cram-md5"),
            credentials("ann", "hunter2"),
            *exchange("AUTH PLAIN", "334 ", PLAIN, "235 2.7.0 Welcome"),
            *SENT,
        )
    ),
    "a login by LOGIN, in clear text because it was allowed": Success(
        (
            *GREETED,
            *offers("AUTH LOGIN"),
            credentials("ann", "hunter2"),
            *exchange("AUTH LOGIN", "334 VXNlcm5hbWU6", encoded(b"ann"), "334 UGFzc3dvcmQ6"),
            *exchange(encoded(b"hunter2"), "235 Welcome"),
            *SENT,
        ),
        {"allow_cleartext": True},
    ),
    WITHOUT_LOGIN: Success((*GREETED, *offers("AUTH PLAIN"), credentials(None), *SENT), {"allow_cleartext": True}),
    "no login without TLS": Success((*GREETED, *offers("AUTH PLAIN"), *SENT)),
    "no login because it was declined": Success((*GREETED, *offers("AUTH PLAIN"), *SENT), {"login": False}),
    "only unknown mechanisms": Success((*GREETED, *offers("AUTH CRAM-MD5"), *SENT), {"allow_cleartext": True}),
    "another sender for failures, another port": Success(
        (
            connect("192.0.2.9", 2525),
            server("220 ready"),
            *EHLO,
            *exchange("MAIL FROM:<bounces@home.dom>", "250 Ok"),
            *exchange("RCPT TO:<joe@host.dom>", "251 User not local; will forward"),
            *DATA,
            *BODY,
            *TAKEN,
        ),
        {"relay": "192.0.2.9:2525", "sender": "bounces@home.dom"},
        relay="192.0.2.9:2525",
        sender="bounces@home.dom",
    ),
    "a quoted recipient, quoted differently in the header": Success(
        (
            *READY,
            *MAIL,
            *exchange('RCPT TO:<"first.of \\"two\\""@host.dom>', "250 Ok"),
            *DATA,
            client(b'From: ann@home.dom\r\nTo: Joe <"first.of \\"two\\""@host.dom>\r\n\r\n'),
            client(".", early=True),
            *TAKEN,
        ),
        message=b'From: ann@home.dom\r\nTo: Joe <"first.of \\"two\\""@host.dom>\r\n\r\n',
        url=MailtoURL(address='first."of \\"two\\""@host.dom'),
        size=len('From: ann@home.dom\r\nTo: Joe <"first.of \\"two\\""@host.dom>\r\n\r\n'),
        outcome=RecipientOutcome('"first.of \\"two\\""@host.dom', 250, "2.0.0 queued as 7"),
    ),
}


def with_login(algorithm: Any, login: Credentials | None) -> Any:
    """Run the algorithm, and answer each `Authenticate` with `login`."""
    answer: Any = None
    error: BaseException | None = None
    while True:
        try:
            request = algorithm.throw(error) if error else algorithm.send(answer)
        except StopIteration:
            return
        answer, error = None, None
        if isinstance(request, Authenticate):
            answer = login
            continue
        try:
            answer = yield request
        except BaseException as raised:  # noqa: BLE001  as in urlschemes_testing.replay.observing
            error = raised


@pytest.mark.fault(52)
@pytest.mark.parametrize("case", SUCCESSES.values(), ids=SUCCESSES)
def test_a_dialogue_gives_the_same_delivery_however_the_octets_are_cut(case: Success) -> None:
    outcome = split_everywhere(case.algorithm, case.script)
    assert outcome.error is None
    assert outcome.complete
    delivery = outcome.attributes
    assert isinstance(delivery, Delivery)
    assert (delivery.sender, delivery.relay, delivery.size) == (case.sender, case.relay, case.size)
    assert delivery.outcomes == (case.outcome,)
    assert delivery.fields["the message"].startswith("250")


@pytest.mark.fault(51)
@pytest.mark.parametrize(
    "case",
    [
        case if number % 3 == 0 else pytest.param(case, marks=pytest.mark.slow)
        for number, (name, case) in enumerate(SUCCESSES.items())
        if name != WITHOUT_LOGIN
    ],
)
def test_every_fault_at_every_step_is_an_error(case: Success) -> None:
    # Without credentials the dialogue continues differently: the next test has that case.
    script = Script(*(step for step in case.steps if not isinstance(step, type(credentials(None)))))
    login = Credentials("ann", "hunter2") if len(script) < len(case.script) else None
    runs = fault_everywhere(lambda: with_login(case.algorithm(), login), script, also=["QUIT"])
    assert any(run.fault == "cancelled" for run in runs)
    failed = [run for run in runs if run.outcome.error is not None]
    assert len(failed) > len(case.script)
    for run in failed:
        error = run.outcome.error
        assert isinstance(error, URLError)
        sent = b"".join(run.outcome.sent.values())
        dot_sent_in_part = re.search(rb"\r\n\.(?!\.)", sent) is not None
        assert isinstance(error, Indeterminate) == dot_sent_in_part, run
        assert sent.count(b"DATA\r\n") <= 1


@pytest.mark.fault(51)
def test_every_fault_without_credentials_is_an_error() -> None:
    case = SUCCESSES[WITHOUT_LOGIN]
    runs = fault_everywhere(case.algorithm, case.script, also=["QUIT"])
    assert len([run for run in runs if run.outcome.error is not None]) > len(case.script)


# Before connecting ----------------------------------------------------------------------------------------------------


def first_request(**options: Any) -> object:
    return next(send(URL, **{"message": MESSAGE, "relay": RELAY, "confirm": True, **options}))


def test_nothing_is_resolved_without_confirmation() -> None:
    assert isinstance(first_request(), Connect)
    for confirm in (False, None, 1, "yes"):
        with pytest.raises(PolicyDenied, match="has not been confirmed") as refusal:
            first_request(confirm=confirm)
        assert refusal.value.rule == "confirm"


REFUSED: dict[str, tuple[dict[str, Any], type[URLError], str]] = {
    "no relay": ({"relay": ""}, UnsupportedOperation, "names no relay"),
    "a relay with a space": ({"relay": "a b"}, UnsafeURL, "expected host or host:port"),
    "a relay with a line break": ({"relay": "a:25\r\nx"}, UnsafeURL, "expected host or host:port"),
    "a relay with a login": ({"relay": "ann@relay.dom"}, UnsafeURL, "expected host or host:port"),
    "a relay with a long port": ({"relay": "relay.dom:123456"}, UnsafeURL, "expected host or host:port"),
    "an unknown starttls": ({"starttls": "maybe"}, UnsupportedOperation, "'required' or 'never'"),
    "no message": ({"message": b""}, UnsupportedOperation, "has no recipient"),
    "a message that is not bytes": ({"message": "From: a@b"}, UnsupportedOperation, "must be bytes, not str"),
    "a NUL": ({"message": MESSAGE + b"\0"}, UnsafeURL, "NUL"),
    "a long line": ({"message": MESSAGE + b"x" * 999}, UnsafeURL, "998"),
    "a header of 8 bits": ({"message": b"Subject: \xef\r\n" + MESSAGE}, UnsafeURL, "UTF-8"),
    "no header": ({"message": b"Hello,\r\n\r\n" + MESSAGE}, UnsafeURL, "header"),
    "a space before a colon": ({"message": b"Cc : eve@host.dom\r\n" + MESSAGE}, UnsafeURL, "header"),
    "a From line of a mailbox file": ({"message": b"From ann Thu Dec  1\r\n" + MESSAGE}, UnsafeURL, "header"),
    "two recipients": (
        {"message": MESSAGE.replace(b"To: ", b"To: eve@host.dom, ")},
        UnsupportedOperation,
        "to eve@host.dom, joe@host.dom: expected joe@host.dom",
    ),
    "two fields": ({"message": b"To: eve@host.dom\r\n" + MESSAGE}, UnsupportedOperation, "2 fields To"),
    "no recipient": ({"message": b"From: a@b\r\n\r\n"}, UnsupportedOperation, "has no recipient"),
    "a group": (
        {"message": MESSAGE.replace(b"joe@host.dom", b"us: joe@host.dom;")},
        UnsupportedOperation,
        "names a group",
    ),
    "an empty group": ({"message": MESSAGE.replace(b"joe@host.dom", b"us:;")}, UnsupportedOperation, "names a group"),
    "Cc": (
        {"message": b"Cc: eve@host.dom\r\n" + MESSAGE},
        UnsupportedOperation,
        "to joe@host.dom, eve@host.dom: expected joe@host.dom",
    ),
    "two fields Cc": ({"message": b"Cc: a@b\r\nCC: c@d\r\n" + MESSAGE}, UnsupportedOperation, "2 fields Cc"),
    "too many": (
        {"message": MESSAGE.replace(b"joe@", b",".join(b"%d@h" % number for number in range(100)) + b", joe@")},
        UnsupportedOperation,
        "101 recipients",
    ),
    "Bcc": ({"message": b"bcc: eve@host.dom\r\n" + MESSAGE}, UnsupportedOperation, "a field Bcc"),
    "Resent-To": ({"message": b"Resent-To: eve@host.dom\r\n" + MESSAGE}, UnsupportedOperation, "a field Resent-To"),
    "another recipient": (
        {"message": MESSAGE.replace(b"joe@", b"eve@")},
        UnsupportedOperation,
        "to eve@host.dom: expected joe@host.dom",
    ),
    "an encoded word for a recipient": (
        {"message": MESSAGE.replace(b"joe@host.dom", b"=?utf-8?q?joe?=@host.dom")},
        UnsafeURL,
        "invalid address",
    ),
    "no sender": (
        {"message": b"To: joe@host.dom\r\n\r\n"},
        UnsupportedOperation,
        "names 0 addresses; pass an address as sender=",
    ),
    "two senders": (
        {"message": MESSAGE.replace(b"ann@", b"ann@home.dom, eve@")},
        UnsupportedOperation,
        "names 2 addresses; pass an address as sender=",
    ),
    "a sender that is not an address": ({"sender": "ann"}, UnsafeURL, "expected an address"),
    "a sender that is a command": (
        {"sender": "ann@home.dom>\r\nRCPT TO:<eve@host.dom"},
        UnsafeURL,
        "expected an address",
    ),
    "a sender that no envelope can carry": ({"sender": "ann@[a>b]"}, UnsafeURL, "neither a host name"),
    "an empty sender": ({"sender": ""}, UnsafeURL, "expected an address"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_a_message_that_cannot_be_sent_is_refused_before_connecting(
    case: tuple[dict[str, Any], type[URLError], str],
) -> None:
    options, error, text = case
    with pytest.raises(error) as refusal:
        first_request(**options)
    assert type(refusal.value) is error
    assert text in str(refusal.value)


@pytest.mark.decision(11)
@pytest.mark.parametrize(
    "url",
    [
        "mailto:joe@host.dom?subject=hello",
        "mailto:joe@host.dom?attach=/etc/passwd",
        "mailto://joe@host.dom",
        "mailto:%22joe%0A%22@host.dom",
        "mailto:%22joe%5C%0D%22@host.dom",
        "mailto:joe@%5Ba%3Eb%5D",
        "mailto:joe@%5Ba%20b%5D",
        f"mailto:{'a' * 255}@host.dom",
    ],
)
def test_an_address_that_is_ambiguous_or_unsafe_is_refused(url: str) -> None:
    with pytest.raises(UnsafeURL):
        next(send(MailtoURL.parse(url), message=MESSAGE, relay=RELAY, confirm=True))


def test_an_address_with_an_encoded_question_mark_is_accepted() -> None:
    message = MESSAGE.replace(b"joe@", b"joe?@")
    assert isinstance(
        next(send(MailtoURL.parse("mailto:joe%3F@host.dom"), message=message, relay=RELAY, confirm=True)), Connect
    )


def test_the_login_is_secret_and_nothing_about_this_machine_is_sent() -> None:
    case = SUCCESSES["a login by PLAIN"]
    outcome = replay(case.algorithm(), case.script)
    sent = outcome.sent["connection"]
    assert b"EHLO [127.0.0.1]\r\n" in sent
    for private in (socket.gethostname(), getpass.getuser()):
        assert private.encode() not in sent
    seen: list[Any] = []
    replay(observed(case.algorithm(), before=seen.append), case.script)
    (login,) = [request for request in seen if isinstance(request, Send) and PLAIN.encode() in request.octets]
    assert PLAIN not in repr(login)
    assert "***" in repr(login)
    (asked,) = [request for request in seen if isinstance(request, Authenticate)]
    assert (asked.host, asked.port, asked.user, asked.realm) == (RELAY, 587, None, "relay.dom")
