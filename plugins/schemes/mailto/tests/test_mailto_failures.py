"""Relays that refuse, break the protocol or hang: each dialogue ends with one error, which is safe to print."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from mailto_dialogues import (
    BODY,
    BYE,
    CONNECTED,
    DATA,
    EHLO,
    GREETED,
    MAIL,
    MESSAGE,
    PLAIN,
    RCPT,
    READY,
    RELAY,
    STUFFED_MESSAGE,
    TRANSACTION,
    URL,
    encoded,
    offers,
)

from urlschemes.errors import URLError
from urlschemes_access.errors import (
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
from urlschemes_mailto.access import send
from urlschemes_testing.replay import (
    Outcome,
    Script,
    Step,
    client,
    credentials,
    replay,
    server,
    server_closes,
    server_resets,
    start_tls,
)


def submitted(*steps: Step, **options: Any) -> Outcome:
    return replay(send(URL, **{"message": MESSAGE, "relay": RELAY, "confirm": True, **options}), Script(*steps))


@dataclass(frozen=True)
class Failure:
    steps: tuple[Step, ...]
    error: type[URLError]
    message: str
    status: int | None = None
    temporary: bool = False
    step: str = ""
    options: dict[str, Any] = field(default_factory=dict)


def refused(code: int, step: str, *steps: Step, **more: Any) -> Failure:
    """A refusal, and the QUIT after it."""
    quit_steps = () if code == 421 else BYE
    return Failure((*steps, *quit_steps), RemoteError, f"{step}: {code}", code, code < 500, step, **more)


FAILURES = {
    # Banners that say no, the connection left open
    "banner 421": refused(421, "the connection", *CONNECTED, server("421 Too many")),
    "banner 450": refused(450, "the connection", *CONNECTED, server("450 Later")),
    "banner 502": refused(502, "the connection", *CONNECTED, server("502 No")),
    "banner 554": refused(554, "the connection", *CONNECTED, server("554 Go away")),
    # No SMTP, or no reply code
    "banner of HTTP": Failure((*CONNECTED, server("HTTP/1.1 400 Bad Request")), ProtocolError, "HTTP/1.1 400"),
    "banner of SSH": Failure((*CONNECTED, server("SSH-2.0-OpenSSH_9.2")), ProtocolError, "SSH-2.0"),
    "banner of octets": Failure((*CONNECTED, server(bytes(range(256)) + b"\n")), ProtocolError, "x00"),
    "banner 999": Failure((*CONNECTED, server("999 Ready")), ProtocolError, "999"),
    "banner 120": Failure((*CONNECTED, server("120 Ready")), ProtocolError, "120"),
    "banner 22": Failure((*CONNECTED, server("22 Ready")), ProtocolError, "22 R"),
    "banner 220:": Failure((*CONNECTED, server("220: Ready")), ProtocolError, "220:"),
    "banner of letters": Failure((*CONNECTED, server("two twenty")), ProtocolError, "two"),
    "banner of Arabic digits": Failure((*CONNECTED, server("٢٢٠ Ready".encode() + b"\r\n")), ProtocolError, "a reply"),
    "banner 250": Failure((*CONNECTED, server("250 Ready")), ProtocolError, "a reply 220"),
    "banner 354": Failure((*CONNECTED, server("354 Ready")), ProtocolError, "a reply 220"),
    "no banner": Failure((*CONNECTED, server_closes()), ConnectError, "closed the connection"),
    "half a banner": Failure((*CONNECTED, server(b"220 rel"), server_closes()), Truncated, "within a line"),
    "a banner, reset": Failure((*CONNECTED, server_resets()), ConnectError, "broke before the first octet"),
    "two codes in one reply": Failure((*CONNECTED, server("220-Hello", "250 there")), ProtocolError, "250 there"),
    "a continuation without a code": Failure(
        (*CONNECTED, server("220-Hello", "there", "220 x")), ProtocolError, "there"
    ),
    "354 to EHLO": Failure((*GREETED, client("EHLO [127.0.0.1]"), server("354 What?")), ProtocolError, "a reply 2xx"),
    "334 to MAIL": Failure((*READY, client("MAIL FROM:<ann@home.dom>"), server("334 ")), ProtocolError, "2xx"),
    # Too long
    "a huge line": Failure((*CONNECTED, server(b"220 " + b"x" * 9000)), LimitExceeded, "longer than 8192"),
    "a reply without end": Failure((*CONNECTED, server(b"220-more\r\n" * 1001)), LimitExceeded, "1000 lines"),
    "a long reply": Failure((*CONNECTED, server((b"220-" + b"x" * 8000 + b"\r\n") * 9)), LimitExceeded, "65536 octets"),
    "a reply cut off": Failure((*CONNECTED, server("220-Hello"), server_closes()), Truncated, "closed"),
    # Unrequested replies
    "two banners": Failure(
        (*CONNECTED, server("220 ready", "220 ready")), ProtocolError, "expected nothing before EHLO"
    ),
    "a forged acceptance": Failure(
        (*READY, client("MAIL FROM:<ann@home.dom>"), server("250 Ok", "250 Ok")),
        ProtocolError,
        "expected nothing before RCPT TO",
    ),
    # A refusal at each step
    "550 to EHLO": refused(550, "EHLO", *GREETED, client("EHLO [127.0.0.1]"), server("550 Not you")),
    "451 to EHLO": refused(451, "EHLO", *GREETED, client("EHLO [127.0.0.1]"), server("451 Later")),
    "550 to HELO": refused(
        550,
        "HELO",
        *GREETED,
        client("EHLO [127.0.0.1]"),
        server("500 What?"),
        client("HELO [127.0.0.1]"),
        server("550 Not you"),
    ),
    "454 to STARTTLS": refused(
        454, "STARTTLS", *GREETED, *offers("STARTTLS"), client("STARTTLS"), server("454 Not now")
    ),
    "501 to STARTTLS": refused(501, "STARTTLS", *GREETED, *offers("STARTTLS"), client("STARTTLS"), server("501 What?")),
    "451 to MAIL": refused(451, "MAIL FROM", *READY, client("MAIL FROM:<ann@home.dom>"), server("451 Later")),
    "553 to MAIL": refused(553, "MAIL FROM", *READY, client("MAIL FROM:<ann@home.dom>"), server("553 Bad sender")),
    "450 to RCPT": refused(450, "RCPT TO", *READY, *MAIL, client("RCPT TO:<joe@host.dom>"), server("450 Greylisted")),
    "550 to RCPT": refused(550, "RCPT TO", *READY, *MAIL, client("RCPT TO:<joe@host.dom>"), server("550 Unknown")),
    "421 to RCPT": refused(421, "RCPT TO", *READY, *MAIL, client("RCPT TO:<joe@host.dom>"), server("421 Closing")),
    "599 to RCPT": refused(599, "RCPT TO", *READY, *MAIL, client("RCPT TO:<joe@host.dom>"), server("599 Odd")),
    "451 to DATA": refused(451, "DATA", *READY, *MAIL, *RCPT, client("DATA"), server("451 Later")),
    "554 to DATA": refused(554, "DATA", *READY, *MAIL, *RCPT, client("DATA"), server("554 No valid recipients")),
    "452 to the message": refused(452, "the message", *READY, *MAIL, *RCPT, *DATA, *BODY, server("452 Full")),
    "554 to the message": refused(554, "the message", *READY, *MAIL, *RCPT, *DATA, *BODY, server("554 Spam")),
    "421 to the message": refused(421, "the message", *READY, *MAIL, *RCPT, *DATA, *BODY, server("421 Closing")),
    # No message without a 354
    "250 to DATA": Failure((*READY, *MAIL, *RCPT, client("DATA"), server("250 Ok")), ProtocolError, "a reply 354"),
    "334 to DATA": Failure((*READY, *MAIL, *RCPT, client("DATA"), server("334 Ok")), ProtocolError, "a reply 354"),
    # Lost after the dot
    "closed after the dot": Failure((*READY, *MAIL, *RCPT, *DATA, *BODY, server_closes()), Indeterminate, "not known"),
    "closed before the message": Failure((*READY, *MAIL, *RCPT, client("DATA"), server_closes()), Truncated, "DATA"),
    # TLS
    "clear text after STARTTLS": Failure(
        (*GREETED, *offers("STARTTLS"), client("STARTTLS"), server("220 Go", "250 forged")),
        ProtocolError,
        "expected nothing before TLS",
    ),
    "a certificate of another host": Failure(
        (
            *GREETED,
            *offers("STARTTLS"),
            client("STARTTLS"),
            server("220 Go"),
            start_tls(RELAY, error=TLSError("the certificate is another host's")),
        ),
        TLSError,
        "another host's",
    ),
    "TLS required and not offered": Failure(
        (*GREETED, *EHLO), TLSError, "does not offer STARTTLS", options={"starttls": "required"}
    ),
    "TLS required, and no EHLO": Failure(
        (*GREETED, client("EHLO [127.0.0.1]"), server("500 What?"), client("HELO [127.0.0.1]"), server("250 Ok")),
        TLSError,
        "does not offer STARTTLS",
        options={"starttls": "required"},
    ),
    # Logins
    "530 to MAIL": Failure(
        (*READY, client("MAIL FROM:<ann@home.dom>"), server("530 5.7.0 Log in"), *BYE),
        AuthRequired,
        "a login before MAIL FROM",
    ),
    "535 to AUTH PLAIN": Failure(
        (
            *GREETED,
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
    "504 to AUTH": Failure(
        (*GREETED, *offers("AUTH PLAIN"), credentials("a", "b"), client("AUTH PLAIN"), server("504 What?"), *BYE),
        AuthRequired,
        "504",
        options={"allow_cleartext": True},
    ),
    "credentials, and no TLS": Failure(
        (*GREETED, *offers("AUTH PLAIN"), credentials("ann", "hunter2"), *BYE), PolicyDenied, "login=False sends"
    ),
    "credentials, and AUTH only after TLS": Failure(
        (*GREETED, *offers("STARTTLS"), credentials("ann", "hunter2"), *BYE),
        PolicyDenied,
        "not protected by TLS",
        options={"starttls": "never"},
    ),
    "credentials, and neither TLS nor AUTH": Failure(
        (*READY, credentials("ann", "hunter2"), *BYE), PolicyDenied, "not protected by TLS"
    ),
    "credentials, and only unknown mechanisms": Failure(
        (*GREETED, *offers("AUTH CRAM-MD5"), credentials("ann", "hunter2"), *BYE),
        AuthRequired,
        "only by CRAM-MD5",
        options={"allow_cleartext": True},
    ),
    "454 to AUTH": refused(
        454,
        "AUTH",
        *GREETED,
        *offers("AUTH PLAIN"),
        credentials("a", "b"),
        client("AUTH PLAIN"),
        server("454 Later"),
        options={"allow_cleartext": True},
    ),
    "334 without end": Failure(
        (
            *GREETED,
            *offers("AUTH PLAIN"),
            credentials("a", "b"),
            client("AUTH PLAIN"),
            server("334 "),
            client(encoded(b"\0a\0b")),
            server("334 More"),
        ),
        ProtocolError,
        "a reply 2xx",
        options={"allow_cleartext": True},
    ),
    # Messages that the relay does not accept
    "too large": Failure((*GREETED, *offers("SIZE 10"), *BYE), RemoteError, "at most 10 octets", step="EHLO"),
    "8 bits": Failure(
        (*READY, *BYE),
        RemoteError,
        "8-bit octets",
        step="EHLO",
        options={"message": b"From: ann@home.dom\nTo: joe@host.dom\n\n\xff"},
    ),
}


@pytest.mark.fault(13, 25, 26, 31, 36, 37, 38)
@pytest.mark.parametrize("case", FAILURES.values(), ids=FAILURES)
def test_a_dialogue_that_fails_ends_with_its_error(case: Failure) -> None:
    outcome = submitted(*case.steps, **case.options)
    error = outcome.error
    assert type(error) is case.error
    text = str(error)
    assert case.message in text
    assert text.isprintable()
    assert text.isascii()
    assert len(text) <= 320
    assert "hunter2" not in text
    assert PLAIN not in text
    assert not outcome.complete
    if isinstance(error, RemoteError):
        assert (error.status, error.temporary, error.step) == (case.status, case.temporary, case.step)
    if case.error is not Indeterminate and case.step != "the message":
        assert STUFFED_MESSAGE not in outcome.sent["connection"]


EXPECTED = {
    "the connection": (CONNECTED, {"220"}),
    "EHLO": (GREETED + EHLO[:1], {"2", "500", "501", "502", "504"}),
    "MAIL FROM": (READY + MAIL[:1], {"2"}),
    "RCPT TO": (READY + MAIL + RCPT[:1], {"2"}),
    "DATA": (READY + MAIL + RCPT + DATA[:1], {"354"}),
    "the message": (READY + MAIL + RCPT + DATA + BODY, {"2"}),
}
CODES = ["211", "214", "220", "221", "235", "250", "251", "252", "299", "334", "354", "399", "421", "432", "450", "451",
         "452", "454", "455", "499", "500", "501", "502", "503", "504", "521", "530", "534", "535", "538", "550", "551",
         "552", "553", "554", "555", "556", "599"]  # fmt: skip


@pytest.mark.fault(24, 35)
@pytest.mark.parametrize("step", EXPECTED)
def test_every_unexpected_reply_code_at_every_step_is_an_error(step: str) -> None:
    sent, expected_codes = EXPECTED[step]
    tried = 0
    for code in CODES:
        if code in expected_codes or code[0] in expected_codes:
            continue
        quit_steps = BYE if code[0] in "45" and code != "421" else ()
        error = submitted(*sent, server(f"{code} It says so"), *quit_steps).error
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


def test_the_reply_to_quit_may_be_lost() -> None:
    for ending in ((client("QUIT"), server_resets()), (client("QUIT"), server_closes()), (client("QUIT"),)):
        outcome = submitted(*READY, *TRANSACTION, *ending)
        assert outcome.error is None
        assert outcome.kind == "attributes"
    closed_already = submitted(
        *READY, *MAIL, *RCPT, *DATA, *BODY, server("250 queued", "421 Bye"), client("QUIT"), server_resets()
    )
    assert closed_already.error is None


def test_a_lost_reply_to_quit_hides_no_refusal() -> None:
    outcome = submitted(
        *READY, *MAIL, client("RCPT TO:<joe@host.dom>"), server("550 Unknown"), client("QUIT"), server_resets()
    )
    assert isinstance(outcome.error, RemoteError)
    assert outcome.error.status == 550
