"""Replies of an FTP server, and the error for each wrong one."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import pytest
from ftp_dialogues import (
    CONNECTED,
    FEATURES,
    GREETING,
    HOST,
    LOGIN,
    NO_FEATURES,
    TYPE_A,
    TYPE_I,
    cwd,
    download,
    epsv,
    steps,
    type_and_size,
)
from outcomes import check_failure

from urlschemes.errors import UnsafeURL, URLError
from urlschemes_access.errors import (
    AuthRequired,
    ConnectError,
    DeadlineExceeded,
    IsDirectory,
    LimitExceeded,
    ProtocolError,
    RemoteError,
    Truncated,
)
from urlschemes_ftp import FtpURL
from urlschemes_ftp.access import access, find_attributes
from urlschemes_testing.replay import (
    Outcome,
    Script,
    Step,
    client,
    connect_back,
    credentials,
    exchange,
    replay,
    server,
    server_closes,
    server_resets,
)

FILE = f"ftp://{HOST}/a"
DIRECTORY = f"ftp://{HOST}/"
JOE = f"ftp://joe@{HOST}/a"


@dataclass(frozen=True)
class Bad:
    """A dialogue, and the error that ends it: its type, words in its message, and the code of a RemoteError."""

    script: Script
    error: type[URLError]
    words: str
    status: int | None = None
    url: str = FILE
    find: bool = False


def bad(error: type[URLError], words: str, *parts: Step | tuple[Step, ...], **more: Any) -> Bad:
    return Bad(Script(*steps(*parts)), error, words, **more)


L = tuple(LOGIN)
USER = (*tuple(GREETING), client("USER anonymous"))
PASS = L[:5]
USER_JOE = (*tuple(GREETING), *exchange("USER joe", "331 Password"))
RETR = steps(L, type_and_size("a", 5), epsv(), client("RETR a"))
STARTED = steps(RETR, server("150 Here it comes"))
SENT = (server(b"abcde", on="data"), server_closes(on="data"))
LIST = steps(L, NO_FEATURES, TYPE_A, epsv(), client("LIST"))
NLST = steps(LIST, server("500 What?"), epsv(40002), client("NLST"))
LINE = b"-rw-r--r-- 1 0 0 7 May  6  2019 "

BANNERS = {
    # the server refuses (B31)
    "421": bad(RemoteError, "421 Too many", CONNECTED, server("421 Too many users"), status=421),
    "120 twice": bad(ProtocolError, "120 soon", CONNECTED, server("120 soon"), server("120 soon")),
    "none": bad(ConnectError, "closed the connection", CONNECTED, server_closes()),
}
LOGINS = {
    "530 to USER": bad(AuthRequired, "530 No anonymous; the URL names no user", USER, server("530 No anonymous")),
    "332 to USER": bad(AuthRequired, "an account", USER, server("332 Account?")),
    "530 to PASS": bad(AuthRequired, "530 Wrong", PASS, server("530 Wrong")),
    "430 to PASS": bad(AuthRequired, "430", PASS, server("430 Invalid user or password")),
    "331 to PASS": bad(AuthRequired, "asked for a password again", PASS, server("331 Again")),
    "332 to PASS": bad(AuthRequired, "an account", PASS, server("332 Account?")),
    "no credentials": bad(AuthRequired, "a password for the user 'joe'", USER_JOE, credentials(None), url=JOE),
    "credentials for another user": bad(
        AuthRequired, "'joe'; the credentials given are another user's", USER_JOE, credentials("jane", "x"), url=JOE
    ),
    "a password with a line break": bad(
        UnsafeURL, "the password given", USER_JOE, credentials("joe", "x\r\nDELE a"), url=JOE
    ),
    "a reply that repeats the password": bad(
        RemoteError,
        "'PASS ***': command not understood",
        *(USER_JOE, exchange("PASS hunter2", "500 'PASS hunter2': command not understood")),
        url=f"ftp://joe:hunter2@{HOST}/a",
        status=500,
    ),
}
COMMANDS = {
    "550 to CWD": bad(
        RemoteError, "CWD a/b: 550", L, exchange("CWD a/b", "550 No"), url=f"ftp://{HOST}/a%2Fb/c", status=550
    ),
    "501 to an empty CWD": bad(
        RemoteError,
        "CWD with an empty argument: 501 No argument; // in a path sends an empty CWD",
        *(L, exchange("CWD ", "501 No argument")),
        url=f"ftp://{HOST}//a",
        status=501,
    ),
    "550 to RETR": bad(
        RemoteError, "RETR a: 550 Not found", *(RETR, server("550 Not found"), *exchange("CWD a", "550 No")), status=550
    ),
    "550 to RETR, and no connection after it": bad(
        RemoteError, "RETR a: 550 No", *(RETR, server("550 No"), client("CWD a"), server_closes()), status=550
    ),
    "550 to RETR of a directory": bad(
        IsDirectory,
        "'a' is a directory: 550 Not a plain file; the same URL with ;type=d lists it",
        *(RETR, server("550 Not a plain file"), *exchange("CWD a", "250 Changed")),
        status=550,
    ),
    "550 to NLST": bad(RemoteError, "NLST: 550", NLST, server("550 Denied"), url=DIRECTORY, status=550),
    "550 to LIST": bad(RemoteError, "LIST: 550", LIST, server("550 Denied"), url=DIRECTORY, status=550),
    "226 to LIST": bad(ProtocolError, "226 Done", LIST, server("226 Done"), url=DIRECTORY),
    "226 to NLST": bad(ProtocolError, "226 Done", NLST, server("226 Done"), url=DIRECTORY),
    "421 to FEAT": bad(RemoteError, "421", L, exchange("FEAT", "421 Bye"), url=DIRECTORY, status=421),
    "150 to FEAT": bad(ProtocolError, "150 What?", L, exchange("FEAT", "150 What?"), url=DIRECTORY),
    "502 to EPSV and PASV": bad(
        RemoteError,
        "PASV: 502 No; active mode (PORT) is not offered: the client would accept a connection that anyone could",
        *(L, type_and_size("a", 5), exchange("EPSV", "502 No", "PASV", "502 No")),
        status=502,
    ),
}
TRANSFERS = {  # B28, B29
    "no data connection": bad(
        ConnectError,
        "refused",
        *(L, type_and_size("a", 5), epsv()[:2], connect_back(40001, error=ConnectError("refused"))),
    ),
    "silence": bad(DeadlineExceeded, "", STARTED),
    "a reset": bad(
        Truncated,
        "the data connection broke: received 3 of 5 octets",
        *(STARTED, server(b"abc", on="data"), server_resets(on="data")),
    ),
    "a reset at once": bad(Truncated, "received 0 of 5 octets", STARTED, server_resets(on="data")),
    "no 226": bad(Truncated, "the data ended without a reply 226: received 5 of 5 octets", STARTED, SENT),
    "closed before 226": bad(Truncated, "without a reply 226", STARTED, SENT, server_closes()),
    "reset before 226": bad(Truncated, "without a reply 226", STARTED, SENT, server_resets()),
    "426": bad(
        Truncated,
        "expected a reply 226 after the data, got '426 Aborted': received 5 of 5 octets",
        *(STARTED, SENT, server("426 Aborted")),
    ),
    "451 before the data": bad(
        Truncated, "451 Disk", *(STARTED, server("451 Disk error"), server(b"abc", on="data"), server_closes(on="data"))
    ),
    "221 for 226": bad(Truncated, "221 Bye", STARTED, SENT, server("221 Bye")),
    "less than SIZE": bad(
        Truncated,
        "the size of the data is not the one that SIZE announced: received 3 of 5 octets",
        *(STARTED, server(b"abc", on="data"), server_closes(on="data"), server("226 Done")),
    ),
    "more than SIZE": bad(
        Truncated,
        "received 7 of 5 octets",
        *(STARTED, server(b"abcdefg", on="data"), server_closes(on="data"), server("226 Done")),
    ),
    "a listing cut off": bad(
        Truncated,
        "426",
        *(
            LIST,
            server("150 Names"),
            server(LINE + b"a\r\n" + LINE + b"b", on="data"),
            server_closes(on="data"),
            server("426 Aborted"),
        ),
        url=DIRECTORY,
    ),
    "a name without end": bad(
        LimitExceeded, "8192 octets", LIST, server("150 Names"), server(b"x" * 70_000, on="data"), url=DIRECTORY
    ),
    "a long name": bad(
        LimitExceeded,
        "8192 octets",
        *(LIST, server("150 Names"), server(b"x" * 60_000, on="data"), server(b"x" * 6_000 + b"\r\n", on="data")),
        url=DIRECTORY,
    ),
}
ATTRIBUTES = {
    "neither SIZE, MDTM nor LIST": bad(
        RemoteError,
        "SIZE a: 502",
        *(L, TYPE_I, NO_FEATURES, exchange("MDTM a", "502 No", "SIZE a", "502 No")),
        *(TYPE_A, epsv(), download("LIST", "", b"-rw-r--r-- 1 0 0 7 May  6  2019 b\r\n")),
        status=502,
        find=True,
    ),
    "no MDTM, and no SIZE of a text": bad(
        RemoteError,
        "MDTM a: 550",
        *(L, TYPE_A, NO_FEATURES, exchange("MDTM a", "550 No", "CWD a", "550 No")),
        status=550,
        url=f"ftp://{HOST}/a;type=a",
        find=True,
    ),
    "550 to MDTM and SIZE of a directory": bad(
        IsDirectory,
        "'a' is a directory: 550 Not plain",
        *(L, TYPE_I, NO_FEATURES, exchange("MDTM a", "550 No", "SIZE a", "550 Not plain", "CWD a", "250 Changed")),
        status=550,
        find=True,
    ),
    "550 to MLST": bad(
        RemoteError, "MLST a: 550", L, TYPE_I, FEATURES, exchange("MLST a", "550 No"), status=550, find=True
    ),
    "MLST without facts": bad(
        ProtocolError, "a line of facts", L, TYPE_I, FEATURES, exchange("MLST a", "250 Done"), find=True
    ),
}
GROUPS = {"banner": BANNERS, "login": LOGINS, "command": COMMANDS, "data": TRANSFERS, "attributes": ATTRIBUTES}
BAD = {f"{group}: {name}": case for group, cases in GROUPS.items() for name, case in cases.items()}


def outcome_of(case: Bad) -> Outcome:
    return replay((find_attributes if case.find else access)(FtpURL.parse(case.url)), case.script)


@pytest.mark.fault(13, 25, 26, 28, 29, 30, 31)
@pytest.mark.decision(27)
@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_a_bad_dialogue_is_this_error(case: Bad) -> None:
    temporary = case.status is not None and case.status < 500
    secrets = ("geheim", "hunter2")
    check_failure(outcome_of(case), case.error, case.words, status=case.status, temporary=temporary, secrets=secrets)


def test_the_error_for_a_directory_has_the_url_that_lists_it() -> None:
    url = FtpURL.parse("ftp://joe:hunter2@host.dom/b/a;type=i")
    script = Script(*USER_JOE, *exchange("PASS hunter2", "230 Welcome"))
    script = script.then(
        *cwd("b"), *type_and_size("a", None), *epsv(), *exchange("RETR a", "550 No", "CWD a", "250 Changed")
    )
    error = replay(access(url), script).error
    assert isinstance(error, IsDirectory)
    assert str(error.listing) == "ftp://joe:hunter2@host.dom/b/a/"
    assert pickle.loads(pickle.dumps(error)).listing is None
    assert b"hunter2" not in pickle.dumps(error)


def test_truncated_counts_the_octets_received_and_expected() -> None:
    error = outcome_of(TRANSFERS["426"]).error
    assert isinstance(error, Truncated)
    assert (error.received, error.expected) == (5, 5)


def test_the_data_connection_is_closed_before_226_is_awaited() -> None:
    assert outcome_of(TRANSFERS["no 226"]).unclosed == ("connection",)


def test_cut_content_is_delivered_before_the_error() -> None:
    assert outcome_of(TRANSFERS["less than SIZE"]).content == b"abc"


def test_the_last_name_of_a_cut_listing_is_not_delivered() -> None:
    assert [entry.name for entry in outcome_of(TRANSFERS["a listing cut off"]).entries] == ["a"]
