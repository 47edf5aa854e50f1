"""Submission against dialogues: what comes of them, cut at every octet and faulted at every step."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from urlschemes.errors import UnsafeURL, UnsupportedOperation, URLError
from urlschemes_access.credentials import Credentials
from urlschemes_access.errors import (
    AccessError,
    AuthRequired,
    ConnectError,
    Indeterminate,
    LimitExceeded,
    PolicyDenied,
    ProtocolError,
    RemoteError,
    TLSError,
    Truncated,
)
from urlschemes_access.protocol import Authenticate, Connect, Peer, Send
from urlschemes_mailto import Delivery, MailtoURL, RecipientOutcome
from urlschemes_mailto.access import send
from urlschemes_testing.replay import (
    Dialogue,
    Step,
    client,
    connect,
    credentials,
    fault_everywhere,
    replay,
    server,
    server_closes,
    server_resets,
    split_everywhere,
    start_tls,
)
from urlschemes_testing.replay import Outcome as Replayed

URL = MailtoURL.parse("mailto:joe@host.dom")
RELAY = "relay.dom"
MESSAGE = b"From: ann@home.dom\r\nTo: joe@host.dom\r\nSubject: Locators\r\n\r\nHello\r\n.\r\n..two\r\n.end\r\n"
SENT = b"From: ann@home.dom\r\nTo: joe@host.dom\r\nSubject: Locators\r\n\r\nHello\r\n..\r\n...two\r\n..end\r\n"

C = (connect(RELAY, 587),)
G = (*C, server("220 relay.dom ESMTP ready"))
HELLO = (client("EHLO [127.0.0.1]"), server("250 relay.dom at your service"))
E = (*G, *HELLO)
MAIL = (client("MAIL FROM:<ann@home.dom>"), server("250 2.1.0 Ok"))
RCPT = (client("RCPT TO:<joe@host.dom>"), server("250 2.1.5 Ok"))
GO = (client("DATA"), server("354 End with a dot"))
BODY = (client(SENT), client(".", early=True))
TAKEN = (server("250 2.0.0 queued as 7"),)
BYE = (client("QUIT"), server("221 2.0.0 Bye"))
TRANSACTION = (*MAIL, *RCPT, *GO, *BODY, *TAKEN)
EXTENDED = server("250-relay.dom Hello", "250-PIPELINING", "250-size 1000000", "250-8BITMIME", "250 HELP")


def offers(*extensions: str) -> tuple[Step, ...]:
    """EHLO, and an answer with these extensions."""
    lines = ["relay.dom", *extensions]
    return client("EHLO [127.0.0.1]"), server(*(f"250-{each}" for each in lines[:-1]), f"250 {lines[-1]}")


def secret(octets: bytes) -> str:
    return b64encode(octets).decode()


@dataclass(frozen=True)
class Good:
    steps: tuple[Step, ...]
    options: dict[str, Any] = field(default_factory=dict)
    message: bytes = MESSAGE
    size: int = len(MESSAGE)
    outcome: RecipientOutcome = RecipientOutcome("joe@host.dom", 250, "2.0.0 queued as 7")  # noqa: RUF009  it is frozen
    relay: str = f"{RELAY}:587"
    sender: str = "ann@home.dom"
    url: MailtoURL = URL

    @property
    def dialogue(self) -> Dialogue:
        return Dialogue(*self.steps)

    def algorithm(self) -> Any:
        return send(self.url, **{"message": self.message, "relay": RELAY, "confirm": True, **self.options})


TLS = (client("STARTTLS"), server("220 Go ahead"), start_tls(RELAY))
PLAIN = secret(b"\0ann\0hunter2")
WITHOUT = "nobody knows a login, and none is needed"

GOOD = {
    "no extensions": Good((*E, *TRANSACTION, *BYE)),
    "a greeting and answers of several lines": Good(
        (
            *C,
            server("220-relay.dom ESMTP", "220-no spam", "220 ready"),
            *HELLO,
            client("MAIL FROM:<ann@home.dom>"),
            server("250-well", "250 done"),
            *RCPT,
            *GO,
            *BODY,
            server("250-2.0.0 queued", "250 as 7"),
            *BYE,
        )
    ),
    "a code without words": Good(
        (
            *C,
            server("220"),
            client("EHLO [127.0.0.1]"),
            server("250"),
            client("MAIL FROM:<ann@home.dom>"),
            server("250"),
            client("RCPT TO:<joe@host.dom>"),
            server("250 "),
            client("DATA"),
            server("354"),
            *BODY,
            server("250"),
            client("QUIT"),
            server("221"),
        ),
        outcome=RecipientOutcome("joe@host.dom", 250, ""),
    ),
    "a relay that knows no EHLO": Good(
        (
            *G,
            client("EHLO [127.0.0.1]"),
            server("502 Command not implemented"),
            client("HELO [127.0.0.1]"),
            server("250 relay.dom"),
            *TRANSACTION,
            *BYE,
        )
    ),
    "SIZE and 8BITMIME": Good(
        (
            *G,
            client("EHLO [127.0.0.1]"),
            EXTENDED,
            client(f"MAIL FROM:<ann@home.dom> SIZE={len(MESSAGE)}"),
            server("250 Ok"),
            *RCPT,
            *GO,
            *BODY,
            *TAKEN,
            *BYE,
        )
    ),
    "octets of 8 bits": Good(
        (
            *G,
            *offers("8BITMIME"),
            client("MAIL FROM:<ann@home.dom> BODY=8BITMIME"),
            server("250 Ok"),
            *RCPT,
            *GO,
            client(b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\nna\xc3\xafve\r\n"),
            client(".", early=True),
            *TAKEN,
            *BYE,
        ),
        message=b"From: ann@home.dom\nTo: joe@host.dom\n\nna\xc3\xafve",
        size=len(b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\nna\xc3\xafve\r\n"),
    ),
    "line ends of all kinds, and a first line that is a dot": Good(
        (
            *E,
            *MAIL,
            *RCPT,
            *GO,
            client(b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\n..\r\n..\r\n\r\n..\r\nQUIT\r\n"),
            client(".", early=True),
            *TAKEN,
            *BYE,
        ),
        message=b"From: ann@home.dom\nTo: joe@host.dom\r\n\n.\r.\r\r\n.\nQUIT",
        size=len(b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\n.\r\n.\r\n\r\n.\r\nQUIT\r\n"),
    ),
    "STARTTLS, and EHLO again": Good((*G, *offers("STARTTLS", "SIZE 1"), *TLS, *HELLO, *TRANSACTION, *BYE)),
    "STARTTLS required": Good((*G, *offers("STARTTLS"), *TLS, *HELLO, *TRANSACTION, *BYE), {"starttls": "required"}),
    "STARTTLS never": Good((*G, *offers("STARTTLS"), *TRANSACTION, *BYE), {"starttls": "never"}),
    "TLS at once, on port 465": Good(
        (connect(RELAY, 465), start_tls(RELAY), server("220 ready"), *offers("STARTTLS"), *TRANSACTION, *BYE),
        {"relay": "relay.dom:465"},
        relay="relay.dom:465",
    ),
    "a login by PLAIN": Good(
        (
            *G,
            *offers("STARTTLS"),
            *TLS,
            *offers("AUTH LOGIN PLAIN CRAM-MD5"),
            credentials("ann", "hunter2"),
            client("AUTH PLAIN"),
            server("334 "),
            client(PLAIN),
            server("235 2.7.0 Welcome"),
            *TRANSACTION,
            *BYE,
        )
    ),
    "a login by LOGIN, in the clear because it was allowed": Good(
        (
            *G,
            *offers("AUTH LOGIN"),
            credentials("ann", "hunter2"),
            client("AUTH LOGIN"),
            server("334 VXNlcm5hbWU6"),
            client(secret(b"ann")),
            server("334 UGFzc3dvcmQ6"),
            client(secret(b"hunter2")),
            server("235 Welcome"),
            *TRANSACTION,
            *BYE,
        ),
        {"allow_cleartext": True},
    ),
    WITHOUT: Good((*G, *offers("AUTH PLAIN"), credentials(None), *TRANSACTION, *BYE), {"allow_cleartext": True}),
    "a login that could only be sent in the clear is not asked for": Good(
        (*G, *offers("AUTH PLAIN"), *TRANSACTION, *BYE)
    ),
    "logins of other kinds alone": Good((*G, *offers("AUTH CRAM-MD5"), *TRANSACTION, *BYE), {"allow_cleartext": True}),
    "another sender for failures, another port": Good(
        (
            connect("192.0.2.9", 2525),
            server("220 ready"),
            *HELLO,
            client("MAIL FROM:<bounces@home.dom>"),
            server("250 Ok"),
            client("RCPT TO:<joe@host.dom>"),
            server("251 User not local; will forward"),
            *GO,
            *BODY,
            *TAKEN,
            *BYE,
        ),
        {"relay": "192.0.2.9:2525", "sender": "bounces@home.dom"},
        relay="192.0.2.9:2525",
        sender="bounces@home.dom",
    ),
    "a quoted recipient, whom the header names otherwise": Good(
        (
            *E,
            *MAIL,
            client('RCPT TO:<"first.of \\"two\\""@host.dom>'),
            server("250 Ok"),
            *GO,
            client(b'From: ann@home.dom\r\nTo: Joe <"first.of \\"two\\""@host.dom>\r\n\r\n'),
            client(".", early=True),
            *TAKEN,
            *BYE,
        ),
        message=b'From: ann@home.dom\r\nTo: Joe <"first.of \\"two\\""@host.dom>\r\n\r\n',
        url=MailtoURL(address='first."of \\"two\\""@host.dom'),
        size=len('From: ann@home.dom\r\nTo: Joe <"first.of \\"two\\""@host.dom>\r\n\r\n'),
        outcome=RecipientOutcome('"first.of \\"two\\""@host.dom', 250, "2.0.0 queued as 7"),
    ),
}


def knowing_a_login(algorithm: Any) -> Any:
    """The same algorithm, for a caller who always answers `Authenticate` alike."""
    answer: Any = None
    error: BaseException | None = None
    while True:
        try:
            request = algorithm.throw(error) if error else algorithm.send(answer)
        except StopIteration:
            return
        answer, error = None, None
        if isinstance(request, Authenticate):
            answer = Credentials("ann", "hunter2")
            continue
        try:
            answer = yield request
        except BaseException as raised:  # noqa: BLE001  as in urlschemes_testing.replay.recording
            error = raised


def submitted(*steps: Step, **options: Any) -> Replayed:
    return replay(send(URL, **{"message": MESSAGE, "relay": RELAY, "confirm": True, **options}), Dialogue(*steps))


@pytest.mark.parametrize("case", GOOD.values(), ids=GOOD)
def test_b52_a_good_dialogue_gives_this_however_it_is_cut(case: Good) -> None:
    outcome = split_everywhere(case.algorithm, case.dialogue)
    assert outcome.error is None
    assert outcome.complete
    delivery = outcome.attributes
    assert isinstance(delivery, Delivery)
    assert (delivery.sender, delivery.relay, delivery.size) == (case.sender, case.relay, case.size)
    assert delivery.outcomes == (case.outcome,)
    assert delivery.fields["the message"].startswith("250")


@pytest.mark.parametrize("case", [case for name, case in GOOD.items() if name != WITHOUT])
def test_b51_every_fault_at_every_step_is_an_error_and_never_success(case: Good) -> None:
    # Without a login it goes on, which is another dialogue and not a fault of this one: that is the next test's.
    dialogue = Dialogue(*(step for step in case.steps if not isinstance(step, type(credentials(None)))))
    runs = fault_everywhere(lambda: knowing_a_login(case.algorithm()), dialogue, also=["QUIT"])
    assert any(run.fault == "cancelled" for run in runs)
    failed = [run for run in runs if run.outcome.error is not None]
    assert len(failed) > len(case.dialogue)
    for run in failed:
        error = run.outcome.error
        assert isinstance(error, URLError)
        sent = b"".join(run.outcome.sent.values())
        dot = b"\r\n.\r\n" in sent
        assert isinstance(error, Indeterminate) == dot, run
        assert sent.count(b"DATA\r\n") <= 1


def test_b51_every_fault_where_nobody_knows_a_login() -> None:
    case = GOOD[WITHOUT]
    runs = fault_everywhere(case.algorithm, case.dialogue, also=["QUIT"])
    assert len([run for run in runs if run.outcome.error is not None]) > len(case.dialogue)


def test_what_is_sent_ends_with_one_dot_whatever_the_message_holds() -> None:
    for body in (b"", b".", b"\n.\n", b"\r.\r", b"\r\n.\r\nMAIL FROM:<x@y>", b"\n..\n.", b".\r\n.\r\r\n\n.\n"):
        algorithm: Any = send(URL, message=b"From: a@b\nTo: joe@host.dom\n\n" + body, relay=RELAY, confirm=True)
        request = next(algorithm)
        for reply in ("220", "250", "250", "250", "354"):
            request = algorithm.send(Peer("relay", ("192.0.2.1", 587)) if reply == "220" else None)
            request = algorithm.send(f"{reply} \r\n".encode())
        message = request.octets
        dot = algorithm.send(None).octets
        assert dot == b".\r\n"
        assert (message + dot).find(b"\r\n.\r\n") == len(message) - 2
        lines = message.replace(b"\r\n", b"")
        assert b"\r" not in lines
        assert b"\n" not in lines


# Faults ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bad:
    steps: tuple[Step, ...]
    error: type[URLError]
    says: str
    status: int | None = None
    temporary: bool = False
    step: str = ""
    options: dict[str, Any] = field(default_factory=dict)


def refused(code: int, step: str, *steps: Step, **more: Any) -> Bad:
    """A refusal, and the leave that is taken after it."""
    end = () if code == 421 else BYE
    return Bad((*steps, *end), RemoteError, f"{step}: {code}", code, code < 500, step, **more)


BAD = {
    # B31: banners that say no, the connection left open
    "banner 421": refused(421, "the connection", *C, server("421 Too many")),
    "banner 450": refused(450, "the connection", *C, server("450 Later")),
    "banner 502": refused(502, "the connection", *C, server("502 No")),
    "banner 554": refused(554, "the connection", *C, server("554 Go away")),
    # B14, B24: no SMTP, or no reply code
    "banner of HTTP": Bad((*C, server("HTTP/1.1 400 Bad Request")), ProtocolError, "HTTP/1.1 400"),
    "banner of SSH": Bad((*C, server("SSH-2.0-OpenSSH_9.2")), ProtocolError, "SSH-2.0"),
    "banner of octets": Bad((*C, server(bytes(range(256)) + b"\n")), ProtocolError, "x00"),
    "banner 999": Bad((*C, server("999 Ready")), ProtocolError, "999"),
    "banner 120": Bad((*C, server("120 Ready")), ProtocolError, "120"),
    "banner 22": Bad((*C, server("22 Ready")), ProtocolError, "22 R"),
    "banner 220:": Bad((*C, server("220: Ready")), ProtocolError, "220:"),
    "banner of letters": Bad((*C, server("two twenty")), ProtocolError, "two"),
    "banner of Arabic digits": Bad((*C, server("٢٢٠ Ready".encode() + b"\r\n")), ProtocolError, "a reply"),
    "banner 250": Bad((*C, server("250 Ready")), ProtocolError, "a reply 220"),
    "banner 354": Bad((*C, server("354 Ready")), ProtocolError, "a reply 220"),
    "no banner": Bad((*C, server_closes()), ConnectError, "closed the connection"),
    "half a banner": Bad((*C, server(b"220 rel"), server_closes()), Truncated, "within a line"),
    "a banner, reset": Bad((*C, server_resets()), ConnectError, "broke off"),
    "two codes in one reply": Bad((*C, server("220-Hello", "250 there")), ProtocolError, "250 there"),
    "a continuation without a code": Bad((*C, server("220-Hello", "there", "220 x")), ProtocolError, "there"),
    "354 to EHLO": Bad((*G, client("EHLO [127.0.0.1]"), server("354 What?")), ProtocolError, "a reply 2xx"),
    "250 to nothing, where 2xx is due": Bad(
        (*E, client("MAIL FROM:<ann@home.dom>"), server("334 ")), ProtocolError, "2xx"
    ),
    # B13, B26
    "a huge line": Bad((*C, server(b"220 " + b"x" * 9000)), LimitExceeded, "longer than 8192"),
    "a reply without end": Bad((*C, server(b"220-more\r\n" * 1001)), LimitExceeded, "1000 lines"),
    "a long reply": Bad((*C, server((b"220-" + b"x" * 8000 + b"\r\n") * 9)), LimitExceeded, "65536 octets"),
    "a reply cut off": Bad((*C, server("220-Hello"), server_closes()), Truncated, "closed"),
    # B25: replies that nobody asked for
    "two banners": Bad((*C, server("220 ready", "220 ready")), ProtocolError, "silence before EHLO"),
    "a forged acceptance": Bad(
        (*E, client("MAIL FROM:<ann@home.dom>"), server("250 Ok", "250 Ok")), ProtocolError, "silence before RCPT TO"
    ),
    "acceptance before the message": Bad(
        (*E, *MAIL, *RCPT, client("DATA"), server("354 Go", "250 queued")), ProtocolError, "silence before the message"
    ),
    # B35: a refusal at each step
    "550 to EHLO": refused(550, "EHLO", *G, client("EHLO [127.0.0.1]"), server("550 Not you")),
    "451 to EHLO": refused(451, "EHLO", *G, client("EHLO [127.0.0.1]"), server("451 Later")),
    "550 to HELO": refused(
        550,
        "HELO",
        *G,
        client("EHLO [127.0.0.1]"),
        server("500 What?"),
        client("HELO [127.0.0.1]"),
        server("550 Not you"),
    ),
    "454 to STARTTLS": refused(454, "STARTTLS", *G, *offers("STARTTLS"), client("STARTTLS"), server("454 Not now")),
    "501 to STARTTLS": refused(501, "STARTTLS", *G, *offers("STARTTLS"), client("STARTTLS"), server("501 What?")),
    "451 to MAIL": refused(451, "MAIL FROM", *E, client("MAIL FROM:<ann@home.dom>"), server("451 Later")),
    "553 to MAIL": refused(553, "MAIL FROM", *E, client("MAIL FROM:<ann@home.dom>"), server("553 Bad sender")),
    "450 to RCPT": refused(450, "RCPT TO", *E, *MAIL, client("RCPT TO:<joe@host.dom>"), server("450 Greylisted")),
    "550 to RCPT": refused(550, "RCPT TO", *E, *MAIL, client("RCPT TO:<joe@host.dom>"), server("550 Unknown")),
    "421 to RCPT": refused(421, "RCPT TO", *E, *MAIL, client("RCPT TO:<joe@host.dom>"), server("421 Closing")),
    "599 to RCPT": refused(599, "RCPT TO", *E, *MAIL, client("RCPT TO:<joe@host.dom>"), server("599 Odd")),
    "451 to DATA": refused(451, "DATA", *E, *MAIL, *RCPT, client("DATA"), server("451 Later")),
    "554 to DATA": refused(554, "DATA", *E, *MAIL, *RCPT, client("DATA"), server("554 No valid recipients")),
    "452 to the message": refused(452, "the message", *E, *MAIL, *RCPT, *GO, *BODY, server("452 Full")),
    "554 to the message": refused(554, "the message", *E, *MAIL, *RCPT, *GO, *BODY, server("554 Spam")),
    "421 to the message": refused(421, "the message", *E, *MAIL, *RCPT, *GO, *BODY, server("421 Closing")),
    # B37: no message without a 354
    "250 to DATA": Bad((*E, *MAIL, *RCPT, client("DATA"), server("250 Ok")), ProtocolError, "a reply 354"),
    "334 to DATA": Bad((*E, *MAIL, *RCPT, client("DATA"), server("334 Ok")), ProtocolError, "a reply 354"),
    # B36: lost behind the dot
    "closed behind the dot": Bad((*E, *MAIL, *RCPT, *GO, *BODY, server_closes()), Indeterminate, "not known"),
    "reset behind the dot": Bad((*E, *MAIL, *RCPT, *GO, *BODY, server_resets()), Indeterminate, "not known"),
    "silence behind the dot": Bad((*E, *MAIL, *RCPT, *GO, *BODY), Indeterminate, "not known"),
    "half a reply behind the dot": Bad(
        (*E, *MAIL, *RCPT, *GO, *BODY, server(b"250 2.0"), server_closes()), Indeterminate, "not known"
    ),
    "no reply behind the dot": Bad((*E, *MAIL, *RCPT, *GO, *BODY, server("queued")), Indeterminate, "not known"),
    "354 behind the dot": Bad((*E, *MAIL, *RCPT, *GO, *BODY, server("354 More?")), Indeterminate, "neither"),
    "closed before the message": Bad((*E, *MAIL, *RCPT, client("DATA"), server_closes()), Truncated, "DATA"),
    # B38, B07: TLS
    "plain text behind STARTTLS": Bad(
        (*G, *offers("STARTTLS"), client("STARTTLS"), server("220 Go", "250 forged")),
        ProtocolError,
        "silence before TLS",
    ),
    "a certificate of somebody else": Bad(
        (
            *G,
            *offers("STARTTLS"),
            client("STARTTLS"),
            server("220 Go"),
            start_tls(RELAY, error=TLSError("the certificate is another host's")),
        ),
        TLSError,
        "another host's",
    ),
    "TLS required and not offered": Bad((*G, *HELLO), TLSError, "does not offer TLS", options={"starttls": "required"}),
    "TLS required, and no EHLO": Bad(
        (*G, client("EHLO [127.0.0.1]"), server("500 What?"), client("HELO [127.0.0.1]"), server("250 Ok")),
        TLSError,
        "does not offer TLS",
        options={"starttls": "required"},
    ),
    # Who submits
    "530 to MAIL": Bad(
        (*E, client("MAIL FROM:<ann@home.dom>"), server("530 5.7.0 Log in"), *BYE),
        AuthRequired,
        "a login before MAIL FROM",
    ),
    "535 to AUTH PLAIN": Bad(
        (
            *G,
            *offers("AUTH PLAIN"),
            credentials("ann", "hunter2"),
            client("AUTH PLAIN"),
            server("334 "),
            client(PLAIN),
            server(f"535 5.7.8 {PLAIN} is not it, nor hunter2"),
            *BYE,
        ),
        AuthRequired,
        "535 5.7.8 *** is not it, nor ***",
        options={"allow_cleartext": True},
    ),
    "504 to AUTH": Bad(
        (*G, *offers("AUTH PLAIN"), credentials("a", "b"), client("AUTH PLAIN"), server("504 What?"), *BYE),
        AuthRequired,
        "504",
        options={"allow_cleartext": True},
    ),
    "454 to AUTH": refused(
        454,
        "AUTH",
        *G,
        *offers("AUTH PLAIN"),
        credentials("a", "b"),
        client("AUTH PLAIN"),
        server("454 Later"),
        allow_cleartext=True,
    ),
    "334 without end": Bad(
        (
            *G,
            *offers("AUTH PLAIN"),
            credentials("a", "b"),
            client("AUTH PLAIN"),
            server("334 "),
            client(secret(b"\0a\0b")),
            server("334 More"),
        ),
        ProtocolError,
        "a reply 2xx",
        options={"allow_cleartext": True},
    ),
    # What the relay says that it does not take
    "too large": Bad((*G, *offers("SIZE 10"), *BYE), RemoteError, "10 octets at most", step="EHLO"),
    "8 bits": Bad(
        (*E, *BYE),
        RemoteError,
        "8 bits",
        step="EHLO",
        options={"message": b"From: ann@home.dom\nTo: joe@host.dom\n\n\xff"},
    ),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_a_bad_dialogue_is_this_error(case: Bad) -> None:
    outcome = submitted(*case.steps, **case.options)
    error = outcome.error
    assert type(error) is case.error
    text = str(error)
    assert case.says in text
    assert text.isprintable()
    assert text.isascii()
    assert len(text) <= 300
    assert "hunter2" not in text
    assert PLAIN not in text
    assert not outcome.complete
    if isinstance(error, RemoteError):
        assert (error.status, error.temporary, error.step) == (case.status, case.temporary, case.step)
    if case.error is not Indeterminate and case.step != "the message":
        assert SENT not in outcome.sent["connection"]


def test_errors_are_one_family() -> None:
    assert {case.error for case in BAD.values()} <= set(AccessError.__subclasses__())


DUE = {
    "the connection": (C, {"220"}),
    "EHLO": (G + HELLO[:1], {"2", "500", "501", "502", "504"}),
    "MAIL FROM": (E + MAIL[:1], {"2"}),
    "RCPT TO": (E + MAIL + RCPT[:1], {"2"}),
    "DATA": (E + MAIL + RCPT + GO[:1], {"354"}),
    "the message": (E + MAIL + RCPT + GO + BODY, {"2"}),
}
CODES = ["211", "214", "220", "221", "235", "250", "251", "252", "299", "334", "354", "399", "421", "432", "450", "451",
         "452", "454", "455", "499", "500", "501", "502", "503", "504", "521", "530", "534", "535", "538", "550", "551",
         "552", "553", "554", "555", "556", "599"]  # fmt: skip


@pytest.mark.parametrize("step", DUE)
def test_b24_b35_every_reply_code_at_every_step(step: str) -> None:
    begun, good = DUE[step]
    tried = 0
    for code in CODES:
        if code in good or code[0] in good:
            continue
        leave = BYE if code[0] in "45" and code != "421" else ()
        error = submitted(*begun, server(f"{code} It says so"), *leave).error
        expected: type[URLError] = RemoteError if code[0] in "45" else ProtocolError
        if code == "530":
            expected = AuthRequired
        elif step == "the message" and code[0] == "3":
            expected = Indeterminate
        assert type(error) is expected, code
        assert code in str(error)
        if isinstance(error, RemoteError):
            assert (error.status, error.temporary, error.step) == (int(code), code[0] == "4", step)
        tried += 1
    assert tried >= 20


def test_a_lost_farewell_spoils_nothing() -> None:
    for ending in ((client("QUIT"), server_resets()), (client("QUIT"), server_closes()), (client("QUIT"),)):
        outcome = submitted(*E, *TRANSACTION, *ending)
        assert outcome.error is None
        assert outcome.kind == "attributes"
    closed_already = submitted(
        *E, *MAIL, *RCPT, *GO, *BODY, server("250 queued", "421 Bye"), client("QUIT"), server_resets()
    )
    assert closed_already.error is None


def test_a_lost_farewell_hides_no_refusal() -> None:
    outcome = submitted(
        *E, *MAIL, client("RCPT TO:<joe@host.dom>"), server("550 Unknown"), client("QUIT"), server_resets()
    )
    assert isinstance(outcome.error, RemoteError)
    assert outcome.error.status == 550


# What is never sent ---------------------------------------------------------------------------------------------------


def first_request(**options: Any) -> object:
    return next(send(URL, **{"message": MESSAGE, "relay": RELAY, "confirm": True, **options}))


def test_nothing_is_resolved_before_it_was_confirmed() -> None:
    assert isinstance(first_request(), Connect)
    for confirm in (False, None, 1, "yes"):
        with pytest.raises(PolicyDenied, match="have been shown") as refusal:
            first_request(confirm=confirm)
        assert refusal.value.rule == "confirm"


REFUSED: dict[str, tuple[dict[str, Any], type[URLError], str]] = {
    "no relay": ({"relay": ""}, UnsupportedOperation, "names no server"),
    "a relay with a blank": ({"relay": "a b"}, UnsafeURL, "host or host:port"),
    "a relay with a line break": ({"relay": "a:25\r\nx"}, UnsafeURL, "host or host:port"),
    "a relay with a login": ({"relay": "ann@relay.dom"}, UnsafeURL, "host or host:port"),
    "a relay with a long port": ({"relay": "relay.dom:123456"}, UnsafeURL, "host or host:port"),
    "another way of TLS": ({"starttls": "maybe"}, UnsupportedOperation, "'required' or 'never'"),
    "no message": ({"message": b""}, UnsupportedOperation, "one recipient"),
    "a message that is no octets": ({"message": "From: a@b"}, UnsupportedOperation, "octets"),
    "a NUL": ({"message": MESSAGE + b"\0"}, UnsafeURL, "NUL"),
    "a long line": ({"message": MESSAGE + b"x" * 999}, UnsafeURL, "998"),
    "a header of 8 bits": ({"message": b"Subject: \xc3\xaf\r\n" + MESSAGE}, UnsafeURL, "US-ASCII"),
    "no header": ({"message": b"Hello,\r\n\r\n" + MESSAGE}, UnsafeURL, "header"),
    "a blank before a colon": ({"message": b"Cc : eve@host.dom\r\n" + MESSAGE}, UnsafeURL, "header"),
    "a line of a mailbox file": ({"message": b"From ann Thu Dec  1\r\n" + MESSAGE}, UnsafeURL, "header"),
    "two recipients": (
        {"message": MESSAGE.replace(b"To: ", b"To: eve@host.dom, ")},
        UnsupportedOperation,
        "names 2 addresses; send it to each",
    ),
    "two fields": ({"message": b"To: eve@host.dom\r\n" + MESSAGE}, UnsupportedOperation, "2 fields To"),
    "no recipient": ({"message": b"From: a@b\r\n\r\n"}, UnsupportedOperation, "0 fields To"),
    "a group": (
        {"message": MESSAGE.replace(b"joe@host.dom", b"us: joe@host.dom;")},
        UnsupportedOperation,
        "names 1 addresses",
    ),
    "an empty group": ({"message": MESSAGE.replace(b"joe@host.dom", b"us:;")}, UnsupportedOperation, "0 addresses"),
    "Cc": ({"message": b"Cc: eve@host.dom\r\n" + MESSAGE}, UnsupportedOperation, "a field Cc; send it to each"),
    "Bcc": ({"message": b"bcc: eve@host.dom\r\n" + MESSAGE}, UnsupportedOperation, "a field Bcc"),
    "Resent-To": ({"message": b"Resent-To: eve@host.dom\r\n" + MESSAGE}, UnsupportedOperation, "a field Resent-To"),
    "another recipient": (
        {"message": MESSAGE.replace(b"joe@", b"eve@")},
        UnsupportedOperation,
        "names joe@host.dom, and the message is to eve@host.dom",
    ),
    "an encoded word for a recipient": (
        {"message": MESSAGE.replace(b"joe@host.dom", b"=?utf-8?q?joe?=@host.dom")},
        UnsafeURL,
        "no address",
    ),
    "no sender": ({"message": b"To: joe@host.dom\r\n\r\n"}, UnsupportedOperation, "0 fields From; pass sender="),
    "two senders": (
        {"message": MESSAGE.replace(b"ann@", b"ann@home.dom, eve@")},
        UnsupportedOperation,
        "names 2 addresses; pass sender=",
    ),
    "a sender that is no address": ({"sender": "ann"}, UnsafeURL, "no address"),
    "a sender that is a command": ({"sender": "ann@home.dom>\r\nRCPT TO:<eve@host.dom"}, UnsafeURL, "no address"),
    "a sender that is no mailbox": ({"sender": "ann@[a>b]"}, UnsafeURL, "neither the name of a host"),
    "nobody": ({"sender": ""}, UnsafeURL, "no address"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_is_refused_before_anything_is_resolved(case: tuple[dict[str, Any], type[URLError], str]) -> None:
    options, error, says = case
    with pytest.raises(error) as refusal:
        first_request(**options)
    assert type(refusal.value) is error
    assert says in str(refusal.value)


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
def test_decision_11_an_address_that_is_not_meant_or_not_safe_is_not_sent_to(url: str) -> None:
    with pytest.raises(UnsafeURL):
        next(send(MailtoURL.parse(url), message=MESSAGE, relay=RELAY, confirm=True))


def test_an_encoded_question_mark_is_meant() -> None:
    message = MESSAGE.replace(b"joe@", b"joe?@")
    assert isinstance(
        next(send(MailtoURL.parse("mailto:joe%3F@host.dom"), message=message, relay=RELAY, confirm=True)), Connect
    )


def test_a_login_is_marked_as_secret_and_nothing_of_this_machine_is_told() -> None:
    import getpass
    import socket

    case = GOOD["a login by PLAIN"]
    outcome = replay(case.algorithm(), case.dialogue)
    sent = outcome.sent["connection"]
    assert b"EHLO [127.0.0.1]\r\n" in sent
    for private in (socket.gethostname(), getpass.getuser()):
        assert private.encode() not in sent
    seen = []
    algorithm = case.algorithm()

    def watched() -> Any:
        answer: Any = None
        try:
            while True:
                request = algorithm.send(answer)
                seen.append(request)
                answer = yield request
        except StopIteration:
            return

    replay(watched(), case.dialogue)
    (login,) = [request for request in seen if isinstance(request, Send) and PLAIN.encode() in request.octets]
    assert PLAIN not in repr(login)
    assert "***" in repr(login)
    (asked,) = [request for request in seen if isinstance(request, Authenticate)]
    assert (asked.host, asked.port, asked.user, asked.realm) == (RELAY, 587, None, "relay.dom")


def test_what_was_offered_before_tls_counts_for_nothing() -> None:
    offered = offers("STARTTLS", "SIZE 1", "AUTH PLAIN", "8BITMIME")
    dialogue = Dialogue(*G, *offered, *TLS, *HELLO, *TRANSACTION, *BYE)
    sending = partial(send, URL, message=MESSAGE, relay=RELAY, confirm=True)
    assert split_everywhere(sending, dialogue).complete
    fault_everywhere(sending, dialogue, also=["QUIT"])
