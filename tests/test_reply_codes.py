"""Every reply code to every command of ftp, nntp and mailto: the codes that the client does not expect are errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from urlschemes.errors import URLError
from urlschemes_access import Range
from urlschemes_access.errors import AuthRequired, Indeterminate, ProtocolError, RemoteError
from urlschemes_ftp import FtpURL
from urlschemes_ftp.access import access as access_ftp
from urlschemes_mailto import MailtoURL
from urlschemes_mailto.access import send
from urlschemes_nntp import NntpURL
from urlschemes_nntp.access import access as access_nntp
from urlschemes_testing.replay import Script, Step, client, connect, connect_back, replay, server


class Talk(NamedTuple):
    """An algorithm, its port, and each command with a good reply and the expected codes, or their first digits.

    An error of a code 4xx is temporary unless it is among the `permanent` ones.
    """

    algorithm: Callable[[], Any]
    port: int
    exchanges: tuple[tuple[str, str, str], ...]
    permanent: str = ""


MESSAGE = b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\nHi\r\n"
PERMANENT = "401 411 412 420 421 422 423 430 435 437 440 441 480 481 482 483"
LOGIN = ("430", "530", "532", "3")
NNTP = (("", "200 ready", "200 201"), ("CAPABILITIES", "101 list\r\nVERSION 2\r\nREADER\r\nOVER\r\n.", "101 5 480 483"))
OLD = (
    NNTP[0],
    ("CAPABILITIES", "500 What?", "101 5 480 483"),
    ("MODE READER", "200 Hi", "200 201 500 501 503 480 483"),
)
GROUP = ("GROUP misc.test", "211 3 7 9 misc.test", "211 480 483")
TALKS = {
    "ftp": Talk(
        lambda: access_ftp(FtpURL.parse("ftp://host.dom/d/a"), range=Range(1)),
        21,
        (
            ("", "220 ready", "120 2"),
            ("USER anonymous", "331 Password", "331 2"),
            ("PASS anonymous@example.com", "230 In", "2"),
            ("CWD d", "250 In", "2"),
            ("TYPE I", "200 OK", "2"),
            ("SIZE a", "213 9", "213 4 5"),
            ("EPSV", "229 (|||40001|)", "229 5"),
            ("REST 1", "350 OK", "3 5"),
            ("RETR a", "150 Here", "1"),
        ),
    ),
    "nntp": Talk(
        lambda: access_nntp(NntpURL.parse("nntp://host.dom/misc.test/7")),
        119,
        (*NNTP, GROUP, ("ARTICLE 7", "", "220 480 483")),
        PERMANENT,
    ),
    "nntp group": Talk(
        lambda: access_nntp(NntpURL.parse("nntp://host.dom/misc.test")),
        119,
        (*NNTP, GROUP, ("OVER 7-9", "", "224 5 420 423 480 483")),
        PERMANENT,
    ),
    "nntp group of RFC 977": Talk(
        lambda: access_nntp(NntpURL.parse("nntp://host.dom/misc.test")),
        119,
        (
            *OLD,
            GROUP,
            ("XOVER 7-9", "500 What?", "224 5 420 423 480 483"),
            ("LISTGROUP misc.test", "", "211 5 480 483"),
        ),
        PERMANENT,
    ),
    "mailto": Talk(
        lambda: send(MailtoURL.parse("mailto:joe@host.dom"), message=MESSAGE, relay="host.dom", confirm=True),
        587,
        (
            ("", "220 ready", "220"),
            ("EHLO [127.0.0.1]", "250 relay.dom", "2 500 501 502 504"),
            ("MAIL FROM:<ann@home.dom>", "250 Ok", "2"),
            ("RCPT TO:<joe@host.dom>", "250 Ok", "2"),
            ("DATA", "354 Go", "354"),
            (".", "250 queued", "2"),
        ),
    ),
}
PLACES = {
    (name.partition(" ")[0], exchange[0]): (name, place)
    for name, talk in TALKS.items()
    for place, exchange in enumerate(talk.exchanges)
}
"""A place for each command of a scheme."""
ENDS = ("00", "02", "03", "11", "20", "21", "26", "30", "31", "32", "50", "54", "80", "82")
CODES = [f"{kind}{end}" for kind in range(1, 6) for end in ENDS]


def error_for(name: str, command: str, code: str) -> type[URLError]:
    if (name, command[:4]) in {("ftp", "USER"), ("ftp", "PASS")} and code.startswith(LOGIN):
        return AuthRequired
    if name == "mailto" and (code == "530" or (command == "." and code[0] in "13")):
        return AuthRequired if code == "530" else Indeterminate
    return RemoteError if code[0] in "45" else ProtocolError


@pytest.mark.fault(24, 35)
@pytest.mark.parametrize(("name", "place"), PLACES.values(), ids=[f"{name} {command}" for name, command in PLACES])
def test_every_unexpected_reply_code_to_every_command_is_an_error(name: str, place: int) -> None:
    algorithm, port, exchanges, permanent = TALKS[name]
    steps: list[Step] = [connect("host.dom", port)]
    for command, reply, _ in exchanges[: place + 1]:
        if command == "REST 1":
            steps.append(connect_back(40001))
        if command == ".":
            steps.append(client(MESSAGE))
        steps += [*([client(command)] if command else []), server(reply)]
    command, _, expected = exchanges[place]
    refused = 0
    for code in CODES:
        if code.startswith(tuple(expected.split())) and code != "421":  # which ends the connection
            continue
        leaves = (client("QUIT"), server("221 Bye")) if name == "mailto" and code[0] in "45" and code != "421" else ()
        if (command, code) == ("RETR a", "550"):
            leaves = (client("CWD a"), server("550 No"))  # or else it is a directory
        error = replay(algorithm(), Script(*steps[:-1], server(f"{code} It says so"), *leaves)).error
        assert type(error) is error_for(name, command, code), (code, error)
        assert code in str(error)
        if isinstance(error, RemoteError):
            assert (error.status, error.temporary) == (int(code), code[0] == "4" and code not in permanent)
        refused += 1
    assert refused >= 30
