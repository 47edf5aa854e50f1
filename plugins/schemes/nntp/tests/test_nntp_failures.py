"""Servers that refuse, break the protocol or hang: each dialogue ends with one error, which is safe to print."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from nntp_dialogues import ARTICLE, DOT, GREETING, GROUP, HEADER, HOST, OFFERS_TLS, READY, READY_RFC977, SELECTED
from outcomes import check_failure

from urlschemes.errors import UnsafeURL, URLError
from urlschemes_access.credentials import Credentials
from urlschemes_access.errors import (
    AuthRequired,
    DeadlineExceeded,
    LimitExceeded,
    ProtocolError,
    RemoteError,
    TLSError,
    Truncated,
)
from urlschemes_access.protocol import Authenticate, Peer, Send
from urlschemes_nntp import NntpURL
from urlschemes_nntp.access import access, find_attributes
from urlschemes_testing.replay import (
    Outcome,
    Script,
    Step,
    client,
    connect,
    credentials,
    exchange,
    replay,
    server,
    server_closes,
    server_resets,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_access.protocol import Algorithm


OFFERED = GREETING.then(*OFFERS_TLS)

OVERVIEW = b"7\tHello\r\n"


@dataclass(frozen=True)
class Failure:
    script: Script
    error: type[URLError]
    message: str
    status: int | None = None
    temporary: bool = False
    url: str = ARTICLE
    algorithm: Callable[..., Algorithm[None]] = access
    options: dict[str, Any] = field(default_factory=dict)


def failure(error: type[URLError], message: str, *steps: Step | Script, **more: Any) -> Failure:
    return Failure(Script(*steps), error, message, **more)


CONNECT = connect(HOST, 119)
REQUESTED = READY.then(*SELECTED, client("ARTICLE 7"))
BEGUN = REQUESTED.then(server("220 7 <7@host.dom>"))
LISTED = READY.then(*SELECTED, client("OVER 7-9"))
LISTGROUP_SENT = READY_RFC977.then(*SELECTED, client("XOVER 7-9"), server("500 What?"), client("LISTGROUP misc.test"))
LOGIN_DEMANDED = READY.then(client("GROUP misc.test"), server("480 Who are you?"))
USER_SENT = LOGIN_DEMANDED.then(credentials("joe", "s3cret"), client("AUTHINFO USER joe"))
PASSWORD_SENT = USER_SENT.then(server("381 Password?"), client("AUTHINFO PASS s3cret"))
CLEARTEXT = {"allow_cleartext": True}

FAILURES = {
    # Greetings that say no, the connection left open
    "greeting 421": failure(RemoteError, "421", CONNECT, server("421 Busy"), status=421),
    # Too long
    "a huge line without end": failure(LimitExceeded, "longer than 65536", BEGUN, server(b"x" * 70000)),
    "a huge header": failure(
        LimitExceeded, "header", BEGUN, server((b"X: " + b"x" * 60 + b"\r\n") * 1100 + b"\r\n.\r\n")
    ),
    "a thousand capabilities and one": failure(
        LimitExceeded, "1000 capabilities", GREETING, *exchange("CAPABILITIES", b"101 list\r\n" + b"X\r\n" * 1001 + DOT)
    ),
    # No such group or article
    "411": failure(RemoteError, "no such group", READY, client("GROUP misc.test"), server("411 What?"), status=411),
    "423": failure(RemoteError, "no article with that number", REQUESTED, server("423 What?"), status=423),
    "430": failure(RemoteError, "no such article", REQUESTED, server("430 What?"), status=430),
    "423 to HEAD": failure(
        RemoteError,
        "no article with that number",
        READY.then(*SELECTED, client("HEAD 7")),
        server("423 What?"),
        status=423,
        algorithm=find_attributes,
    ),
    "502 to MODE READER": failure(
        RemoteError,
        "502 No readers",
        GREETING,
        client("CAPABILITIES"),
        server("101 list", "VERSION 2", "MODE-READER", "."),
        *exchange("MODE READER", "502 No readers"),
        status=502,
    ),
    "502 to MODE READER of an old server": failure(
        RemoteError, "502", *tuple(READY_RFC977)[:-1], server("502 No readers"), status=502
    ),
    "502 to HEAD": failure(
        RemoteError,
        "502 No",
        LISTGROUP_SENT,
        server("211 list", "8", "."),
        *exchange("HEAD 8", "502 No"),
        url=GROUP,
        status=502,
    ),
    # Another article, another group, no end
    "another number": failure(ProtocolError, "the article 7", REQUESTED, server("220 8 <8@host.dom>")),
    "no number": failure(ProtocolError, "the article 7", REQUESTED, server("220 <7@host.dom>")),
    "a number of 5000 digits": failure(
        ProtocolError, "the article 7", REQUESTED, server("220 " + "9" * 5000 + " <7@h>")
    ),
    "another group": failure(ProtocolError, "three numbers", READY, *exchange("GROUP misc.test", "211 3 7 9 alt.sex")),
    "no counts": failure(ProtocolError, "three numbers", READY, client("GROUP misc.test"), server("211 misc.test")),
    "counts of 5000 digits": failure(
        ProtocolError, "three numbers", READY, *exchange("GROUP misc.test", f"211 3 7 {'9' * 5000} misc.test")
    ),
    "an article without its end": failure(Truncated, "single dot", BEGUN, server(HEADER + b"\r\nHel"), server_closes()),
    "LF, dot, LF is not the end": failure(
        Truncated, "single dot", BEGUN, server(HEADER + b"\r\na\n.\n"), server_closes()
    ),
    "an article, reset": failure(Truncated, "broke", BEGUN, server(HEADER + b"\r\nHel"), server_resets()),
    "an article, then silence": failure(
        DeadlineExceeded, "while waiting for content", BEGUN, server(HEADER + b"\r\nHel")
    ),
    "a listing without its end": failure(
        Truncated, "single dot", LISTED, server(b"224 x\r\n" + OVERVIEW), server_closes(), url=GROUP
    ),
    "capabilities without their end": failure(
        Truncated, "single dot", GREETING, client("CAPABILITIES"), server("101 list", "VERSION 2"), server_closes()
    ),
    # Who asks
    "480, and clear text is not allowed": failure(AuthRequired, "the connection is not encrypted", LOGIN_DEMANDED),
    "480, and no credentials": failure(
        AuthRequired, "no credentials", LOGIN_DEMANDED, credentials(None), options=CLEARTEXT
    ),
    "480 again": failure(
        AuthRequired,
        "login again",
        PASSWORD_SENT,
        server("281 Welcome"),
        *exchange("GROUP misc.test", "480 Who are you?"),
        options=CLEARTEXT,
    ),
    "480 to a later command": failure(
        AuthRequired,
        "login again",
        PASSWORD_SENT,
        server("281 Welcome"),
        *SELECTED,
        *exchange("ARTICLE 7", "480 Who are you?"),
        options=CLEARTEXT,
    ),
    "381 again and again": failure(
        AuthRequired, "refused the login: 381", PASSWORD_SENT, server("381 Password?"), options=CLEARTEXT
    ),
    "480 to USER": failure(
        AuthRequired, "refused the login: 480", USER_SENT, server("480 Who are you?"), options=CLEARTEXT
    ),
    "481": failure(AuthRequired, "refused the login: 481", PASSWORD_SENT, server("481 No"), options=CLEARTEXT),
    "482": failure(AuthRequired, "refused the login: 482", USER_SENT, server("482 Not now"), options=CLEARTEXT),
    "502 to USER": failure(AuthRequired, "refused the login: 502", USER_SENT, server("502 No"), options=CLEARTEXT),
    "483 to USER": failure(AuthRequired, "an encrypted connection", USER_SENT, server("483 TLS"), options=CLEARTEXT),
    "483": failure(AuthRequired, "an encrypted connection: 483", READY, client("GROUP misc.test"), server("483 TLS")),
    "400 to PASS": failure(
        RemoteError, "400", PASSWORD_SENT, server("400 Bye"), status=400, temporary=True, options=CLEARTEXT
    ),
    "500 to USER": failure(RemoteError, "500", USER_SENT, server("500 What?"), status=500, options=CLEARTEXT),
    "200 to PASS": failure(ProtocolError, "a reply 281", PASSWORD_SENT, server("200 Fine"), options=CLEARTEXT),
    "the password repeated": failure(
        RemoteError, "501 PASS ***?", PASSWORD_SENT, server("501 PASS s3cret?"), status=501, options=CLEARTEXT
    ),
    "no TLS": failure(TLSError, "580 No", GREETING, *exchange("STARTTLS", "580 No"), options={"starttls": "required"}),
    "no STARTTLS": failure(
        TLSError, "500", GREETING, *exchange("STARTTLS", "500 What?"), options={"starttls": "required"}
    ),
    "no TLS, although it was offered": failure(
        TLSError, "580 No", OFFERED, *exchange("STARTTLS", "580 No"), options={"starttls": "if offered"}
    ),
}


def outcome_of(case: Failure) -> Outcome:
    return replay(case.algorithm(NntpURL.parse(case.url), **case.options), case.script)


@pytest.mark.fault(32)
@pytest.mark.parametrize("case", FAILURES.values(), ids=FAILURES)
def test_a_dialogue_that_fails_ends_with_its_error(case: Failure) -> None:
    known = {"status": case.status, "temporary": case.temporary}
    check_failure(outcome_of(case), case.error, case.message, **known, secrets=("s3cret",))


@pytest.mark.fault(9)
def test_content_before_the_cut_is_delivered() -> None:
    outcome = outcome_of(FAILURES["an article without its end"])
    assert outcome.content == HEADER + b"\r\nHel"
    assert isinstance(outcome.error, Truncated)


def test_a_group_that_is_too_large_to_be_listed_by_header_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlschemes_nntp.groups.MAX_REQUESTS", 2)
    error = outcome_of(
        failure(LimitExceeded, "", LISTGROUP_SENT, server("211 list", "7", "8", "9", "."), url=GROUP)
    ).error
    assert isinstance(error, LimitExceeded)
    assert error.hint == "list fewer with the option newest"


# Logins ---------------------------------------------------------------------------------------------------------------


def request_after(algorithm: Algorithm[None], *answers: object) -> object:
    """The request that the algorithm makes after its earlier ones were answered."""
    request: object = next(algorithm)
    for answer in answers:
        request = algorithm.send(answer)
    return request


def test_the_login_request_names_the_server_and_the_password_is_a_secret() -> None:
    greeted = (Peer("connection"), b"200 hi\r\n", None, b"480 Say \x1b who\r\n")
    request = request_after(access(NntpURL.parse(ARTICLE), allow_cleartext=True), *greeted)
    assert isinstance(request, Authenticate)
    assert (request.host, request.port, request.user, request.realm) == (HOST, 119, None, r"Say \x1b who")
    more = (*greeted, Credentials("joe", "s3cret"), None, b"381 Password\r\n")
    request = request_after(access(NntpURL.parse(ARTICLE), allow_cleartext=True), *more)
    assert isinstance(request, Send)
    assert request.octets == b"AUTHINFO PASS s3cret\r\n"
    assert repr(request).endswith(r"octets=b'AUTHINFO PASS ***\r\n')")


def test_a_user_name_with_a_line_end_is_not_sent() -> None:
    script = LOGIN_DEMANDED.then(credentials("joe\r\nPOST", "s3cret"))
    outcome = replay(access(NntpURL.parse(ARTICLE), allow_cleartext=True), script)
    assert type(outcome.error) is UnsafeURL
    assert b"POST" not in outcome.sent["connection"]
