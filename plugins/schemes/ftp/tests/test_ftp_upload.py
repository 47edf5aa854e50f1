"""Writing by FTP: STOR, APPE and DELE in dialogues, and against servers that fail at each step."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from ftp_dialogues import CONNECTED, LOGIN, QUIT, TYPE_I, cwd, epsv, steps, store
from opening import HERE

import urlschemes_access
from urlschemes.errors import UnsafeURL, UnsupportedOperation, URLError
from urlschemes_access import Attributes
from urlschemes_access.errors import (
    AccessError,
    AuthRequired,
    DeadlineExceeded,
    Indeterminate,
    InputRequired,
    ProtocolError,
    RemoteError,
    Truncated,
)
from urlschemes_access.protocol import Algorithm
from urlschemes_ftp import FtpURL, access
from urlschemes_testing.replay import (
    Script,
    Step,
    client,
    client_closes,
    connect_back,
    exchange,
    fault_everywhere,
    replay,
    server,
    server_closes,
    split_everywhere,
    upload,
)
from urlschemes_testing.rogue import Visitor, after_data, hears, offers_data, rogue, says, stays_silent

Operation = Callable[[FtpURL], Algorithm[None]]


@dataclass(frozen=True)
class Case:
    operation: Operation
    url: str
    script: Script
    attributes: Attributes


CASES = {
    "STOR": Case(
        access.replace,
        "ftp://host.dom/pub/a.txt",
        LOGIN.then(
            *(upload(b"one\r\n"), upload(b"two \xff\x00\n")),
            *steps(cwd("pub"), TYPE_I, epsv(), store("STOR a.txt", b"one\r\n", b"two \xff\x00\n"), QUIT),
        ),
        Attributes(media_type="text/plain", name="a.txt", size=12, fields={"reply": "226 Stored"}),
    ),
    "STOR without content": Case(
        access.replace,
        "ftp://host.dom/a",
        LOGIN.then(*steps(TYPE_I, epsv(), store("STOR a"), QUIT)),
        Attributes(name="a", size=0, fields={"reply": "226 Stored"}),
    ),
    "STOR of a text, whose line ends become CR LF": Case(
        access.replace,
        "ftp://host.dom/a;type=a",
        LOGIN.then(
            *map(upload, (b"one\ntwo\r\nthree\r", b"\nfour", b"\nfive\r", b"six\n\n", b"\n")),
            *steps(exchange("TYPE A", "200 Type set"), epsv()),
            *store("STOR a", b"one\r\ntwo\r\nthree\r", b"\nfour", b"\r\nfive\r", b"six\r\n\r\n", b"\r\n"),
            *QUIT,
        ),
        Attributes(name="a", fields={"reply": "226 Stored"}),
    ),
    "APPE, by PASV, 125 and 250": Case(
        access.update,
        "ftp://joe:secret@host.dom/%2Fvar/log",
        Script(
            *(*CONNECTED, upload(b"more\n"), server("220 ready")),
            *exchange("USER joe", "331 Password", "PASS secret", "230 In"),
            *steps(cwd("/var"), TYPE_I),
            *exchange("EPSV", "500 What?", "PASV", "227 Passive (10,0,0,1,156,65)"),
            *(connect_back(40001), *exchange("APPE log", "125 Open already")),
            *(client(b"more\n", on="data"), client_closes(on="data")),
            *(server("250-It is", " there", "250 now"), *QUIT),
        ),
        Attributes(name="log", fields={"reply": "250 It is  there now"}),
    ),
    "DELE": Case(
        access.delete,
        "ftp://host.dom/pub/-rf%20*;type=i",
        LOGIN.then(*steps(cwd("pub"), exchange("DELE -rf *", "250 It is gone"), QUIT)),
        Attributes(name="-rf *", fields={"reply": "250 It is gone"}),
    ),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@pytest.mark.fault(52)
@every_case
def test_a_good_dialogue_gives_this_however_it_is_cut(case: Case) -> None:  # B52
    outcome = split_everywhere(lambda: case.operation(FtpURL.parse(case.url)), case.script)
    assert outcome.complete, outcome.error
    assert (outcome.kind, outcome.attributes) == ("attributes", case.attributes)


@pytest.mark.fault(51)
@every_case
def test_every_fault_at_every_step_is_an_error_and_a_part_never_a_success(case: Case) -> None:  # B51
    runs = fault_everywhere(lambda: case.operation(FtpURL.parse(case.url)), case.script, also=("QUIT",))
    assert len(runs) > 40
    for run in runs:
        error, sent = run.outcome.error, run.outcome.sent.get("data")
        assert run.outcome.kind is None or error is None
        if sent and error is not None:
            assert isinstance(error, (RemoteError, Truncated, DeadlineExceeded, Indeterminate, ProtocolError))
            assert error.sent == len(sent)
            assert f"{error.sent} octet" in str(error)
        if run.request.startswith("Send(peer=<Peer data>") and "a reply" in run.fault:  # 226 before the end of the data
            assert isinstance(error, ProtocolError), run


@pytest.mark.parametrize(
    "url", ["ftp://host.dom/pub/", "ftp://host.dom", "ftp://host.dom/pub;type=d", "ftp://host.dom/;type=i"]
)
@pytest.mark.parametrize("operation", [access.replace, access.update, access.delete])
def test_a_directory_is_refused_before_connecting(url: str, operation: Operation) -> None:
    outcome = replay(operation(FtpURL.parse(url)), Script())
    assert isinstance(outcome.error, UnsupportedOperation)


def test_control_characters_and_missing_content_are_refused_before_connecting() -> None:
    with pytest.raises(UnsafeURL):
        urlschemes_access.replace("ftp://host.dom/a%0D%0ADELE%20b", b"x")
    with pytest.raises(UnsafeURL):
        urlschemes_access.delete("ftp://host.dom/a%0D%0ADELE%20b")
    with pytest.raises(InputRequired):
        urlschemes_access.operate("replace", "ftp://host.dom/a")


BEGUN = LOGIN.then(upload(b"12345"), *TYPE_I, *epsv())
HALF = (upload(b"67890"), *exchange("STOR a", "150 Send it"), client(b"12345", on="data"))
ALL = (*HALF, client(b"67890", on="data"), client_closes(on="data"))


@dataclass(frozen=True)
class Bad:
    error: type[URLError]
    words: str
    steps: tuple[Step, ...]
    status: int | None = None
    sent: int | None = None


BAD = {
    "550 to STOR": Bad(RemoteError, "STOR a: 550 No", exchange("STOR a", "550 No"), 550),
    "532 to STOR": Bad(AuthRequired, "532 Account", exchange("STOR a", "532 Account needed")),
    "530 to STOR": Bad(AuthRequired, "530 Log in", exchange("STOR a", "530 Log in")),
    "226 to STOR, before any data": Bad(ProtocolError, "226 Done", exchange("STOR a", "226 Done")),
    "nonsense to STOR": Bad(Indeterminate, "no valid reply to STOR a", exchange("STOR a", "hm?")),
    "no reply to STOR": Bad(Indeterminate, "no reply to STOR a", (client("STOR a"), server_closes())),
    "552 in the middle": Bad(RemoteError, "552 Quota; 5 octets", (*HALF, server("552 Quota")), 552, 5),
    "226 in the middle": Bad(ProtocolError, "no reply before all was sent", (*HALF, server("226 OK")), sent=5),
    "nonsense in the middle": Bad(ProtocolError, "hm", (*HALF, server("hm?")), sent=5),
    "the control connection closed in the middle": Bad(
        Truncated, "instead of sending a reply to STOR a; 5 octets", (*HALF, server_closes()), sent=5
    ),
    "451 at the end": Bad(RemoteError, "STOR a: 451 Disk; 10 octets", (*ALL, server("451 Disk")), 451, 10),
    "200 at the end": Bad(ProtocolError, "200 Fine", (*ALL, server("200 Fine")), sent=10),
    "nonsense at the end": Bad(
        Indeterminate, "sent all 10 octets, but received no valid reply 226", (*ALL, server("hm?")), sent=10
    ),
    "no reply at the end": Bad(Indeterminate, "received no reply 226", (*ALL, server_closes()), sent=10),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
@pytest.mark.parametrize("command", ["STOR", "APPE"])
def test_an_error_says_how_much_was_sent(case: Bad, command: str) -> None:
    script = BEGUN.then(*(client(f"{command} a") if step == client("STOR a") else step for step in case.steps))
    algorithm = access.replace if command == "STOR" else access.update
    outcome = replay(algorithm(FtpURL.parse("ftp://host.dom/a")), script)
    error = outcome.error
    assert isinstance(error, AccessError)
    assert type(error) is case.error, error
    assert case.words.replace("STOR", command) in str(error)
    assert error.sent == case.sent
    assert getattr(error, "status", None) == case.status
    assert outcome.kind is None


@pytest.mark.parametrize(
    ("steps", "error", "words"),
    [
        ((server("550 No such file"),), RemoteError, "DELE a: 550 No such file"),
        ((server("150 Wait"),), ProtocolError, "150 Wait"),
        ((server_closes(),), Indeterminate, "no reply to DELE a: it may or may not have been carried out"),
        ((server("hm?"),), Indeterminate, "no valid reply to DELE a"),
    ],
)
def test_a_file_that_cannot_be_deleted(steps: tuple[Step, ...], error: type[URLError], words: str) -> None:
    outcome = replay(access.delete(FtpURL.parse("ftp://host.dom/a")), LOGIN.then(client("DELE a"), *steps))
    assert type(outcome.error) is error
    assert words in str(outcome.error)


def test_nothing_is_sent_if_the_login_is_refused() -> None:
    refused = Script(*CONNECTED, server("220 ready"), *exchange("USER anonymous", "530 No"), upload(b"x"))
    error = replay(access.replace(FtpURL.parse("ftp://host.dom/a")), refused).error
    assert isinstance(error, AuthRequired)
    assert error.sent is None


# Over sockets


def test_content_that_fails_in_the_middle_resets_the_data_connection() -> None:
    arrived, over = threading.Event(), threading.Event()
    received: list[object] = []

    def content() -> Iterator[bytes]:
        yield b"some"
        assert arrived.wait(60)
        raise KeyError("the caller's own")

    def receive(visitor: Visitor) -> None:
        received.append(visitor.hear())
        arrived.set()
        try:
            received.append(visitor.hear())
        except OSError as fault:
            received.append(type(fault))
        over.set()

    logs_in = (says("220 ready"), hears(), says("230 in"), hears(), says("200 type"), hears())
    stores = (offers_data("229 here (|||{port}|)", receive), hears(), says("150 go"), after_data(), stays_silent())
    with rogue(*logs_in, *stores) as address:
        with pytest.raises(KeyError):
            urlschemes_access.replace(f"ftp://{address}/a", content(), policy=HERE)
        assert over.wait(60)
    assert received == [b"some", ConnectionResetError]
