"""Relays that refuse, break the protocol or hang: each dialogue ends with one error, which is safe to print."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from mailto_dialogues import (
    ASKED,
    BODY,
    BYE,
    CONNECTED,
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
from outcomes import check_failure

from urlschemes.errors import URLError
from urlschemes_access.errors import (
    AuthRequired,
    Indeterminate,
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
    exchange,
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
    # A refusal at each step
    "550 to HELO": refused(
        550, "HELO", *GREETED, *exchange("EHLO [127.0.0.1]", "500 What?", "HELO [127.0.0.1]", "550 Not you")
    ),
    "454 to STARTTLS": refused(454, "STARTTLS", *GREETED, *offers("STARTTLS"), *exchange("STARTTLS", "454 Not now")),
    "501 to STARTTLS": refused(501, "STARTTLS", *GREETED, *offers("STARTTLS"), client("STARTTLS"), server("501 What?")),
    "421 to RCPT": refused(421, "RCPT TO", *READY, *MAIL, client("RCPT TO:<joe@host.dom>"), server("421 Closing")),
    "421 to the message": refused(421, "the message", *ASKED, *BODY, server("421 Closing")),
    # Lost after the dot
    "closed after the dot": Failure((*ASKED, *BODY, server_closes()), Indeterminate, "not known"),
    "closed before the message": Failure((*READY, *MAIL, *RCPT, client("DATA"), server_closes()), Truncated, "DATA"),
    # TLS
    "a certificate of another host": Failure(
        (
            *GREETED,
            *offers("STARTTLS"),
            *exchange("STARTTLS", "220 Go"),
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
            *exchange("AUTH PLAIN", "334 ", PLAIN, f"535 5.7.8 {PLAIN} is not it, nor hunter2"),
            *BYE,
        ),
        AuthRequired,
        "535 5.7.8 *** is not it, nor ***",
        options={"allow_cleartext": True},
    ),
    "504 to AUTH": Failure(
        (*GREETED, *offers("AUTH PLAIN"), credentials("a", "joy"), *exchange("AUTH PLAIN", "504 No joy"), *BYE),
        AuthRequired,
        "504 No ***",
        options={"allow_cleartext": True},
    ),
    "credentials, and no TLS": Failure(
        (*GREETED, *offers("AUTH PLAIN"), credentials("ann", "hunter2"), *BYE), PolicyDenied, "login=False sends"
    ),
    "credentials, and AUTH only after TLS": Failure(
        (*GREETED, *offers("STARTTLS"), credentials("ann", "hunter2"), *BYE),
        PolicyDenied,
        "TLS does not protect",
        options={"starttls": "never"},
    ),
    "credentials, and neither TLS nor AUTH": Failure(
        (*READY, credentials("ann", "hunter2"), *BYE), PolicyDenied, "TLS does not protect"
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
        *exchange("AUTH PLAIN", "454 Later"),
        options={"allow_cleartext": True},
    ),
    "334 without end": Failure(
        (
            *GREETED,
            *offers("AUTH PLAIN"),
            credentials("a", "b"),
            *exchange("AUTH PLAIN", "334 ", encoded(b"\0a\0b"), "334 More"),
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
    known = {"status": case.status, "temporary": case.temporary}
    check_failure(outcome, case.error, case.message, **known, secrets=("hunter2", PLAIN))
    assert getattr(outcome.error, "step", "") == case.step
    if case.error is not Indeterminate and case.step != "the message":
        assert STUFFED_MESSAGE not in outcome.sent["connection"]


def test_the_reply_to_quit_may_be_lost() -> None:
    for ending in ((client("QUIT"), server_resets()), (client("QUIT"), server_closes()), (client("QUIT"),)):
        outcome = submitted(*READY, *TRANSACTION, *ending)
        assert outcome.error is None
        assert outcome.kind == "attributes"
    closed_already = submitted(*ASKED, *BODY, server("250 queued", "421 Bye"), client("QUIT"), server_resets())
    assert closed_already.error is None


def test_a_lost_reply_to_quit_hides_no_refusal() -> None:
    outcome = submitted(
        *READY, *MAIL, *exchange("RCPT TO:<joe@host.dom>", "550 Unknown"), client("QUIT"), server_resets()
    )
    assert isinstance(outcome.error, RemoteError)
    assert outcome.error.status == 550
