"""Writing by ftp: STOR, APPE, DELE against dialogues, and against servers that fail at each step."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import urlschemes_access
from urlschemes.errors import UnsafeURL, UnsupportedOperation, URLError
from urlschemes_access import Attributes, Limits, Policy
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
from urlschemes_servers import FtpUser, ftp_server
from urlschemes_testing.replay import (
    Dialogue,
    Outcome,
    Step,
    client,
    client_closes,
    connect,
    connect_back,
    fault_everywhere,
    replay,
    server,
    server_closes,
    server_resets,
    split_everywhere,
    upload,
)
from urlschemes_testing.rogue import (
    Act,
    Visitor,
    after_data,
    closes,
    hears,
    hears_exactly,
    hears_until,
    offers_data,
    resets,
    rogue,
    says,
    stays_silent,
    waits,
)

LOGIN = Dialogue(
    connect("host.dom", 21),
    server("220 ready"),
    client("USER anonymous"),
    server("331 Password"),
    client("PASS anonymous@example.com"),
    server("230 In"),
)
BYE: tuple[Step, ...] = (client("QUIT"), server("221 Bye"))


def passive(kind: str = "I") -> tuple[Step, ...]:
    return (
        client(f"TYPE {kind}"),
        server("200 Type set"),
        client("EPSV"),
        server("229 Extended (|||40001|)"),
        connect_back(40001),
    )


def sent(command: str, *pieces: bytes, reply: str = "226 Stored") -> tuple[Step, ...]:
    return (
        client(command),
        server("150 Send it"),
        *(client(piece, on="data") for piece in pieces),
        client_closes(on="data"),
        server(reply),
    )


@dataclass(frozen=True)
class Good:
    operation: Callable[[FtpURL], Algorithm[None]]
    url: str
    dialogue: Dialogue
    attributes: Attributes


GOOD = {
    "STOR": Good(
        access.replace,
        "ftp://host.dom/pub/a.txt",
        LOGIN.then(
            upload(b"one\r\n"),
            upload(b"two \xff\x00\n"),
            client("CWD pub"),
            server("250 Changed"),
            *passive(),
            *sent("STOR a.txt", b"one\r\n", b"two \xff\x00\n"),
            *BYE,
        ),
        Attributes(media_type="text/plain", name="a.txt", size=12, fields={"reply": "226 Stored"}),
    ),
    "STOR of nothing": Good(
        access.replace,
        "ftp://host.dom/a",
        LOGIN.then(*passive(), *sent("STOR a"), *BYE),
        Attributes(name="a", size=0, fields={"reply": "226 Stored"}),
    ),
    "STOR as text, whose line ends become those of the network": Good(
        access.replace,
        "ftp://host.dom/a;type=a",
        LOGIN.then(
            *map(upload, (b"one\ntwo\r\nthree\r", b"\nfour", b"\nfive\r", b"six\n\n", b"\n")),
            *passive("A"),
            *sent("STOR a", b"one\r\ntwo\r\nthree\r", b"\nfour", b"\r\nfive\r", b"six\r\n\r\n", b"\r\n"),
            *BYE,
        ),
        Attributes(name="a", fields={"reply": "226 Stored"}),
    ),
    "APPE, by PASV, 125 and 250": Good(
        access.update,
        "ftp://joe:secret@host.dom/%2Fvar/log",
        Dialogue(
            connect("host.dom", 21),
            upload(b"more\n"),
            server("220 ready"),
            client("USER joe"),
            server("331 Password"),
            client("PASS secret"),
            server("230 In"),
            client("CWD /var"),
            server("250 Changed"),
            client("TYPE I"),
            server("200 Type set"),
            client("EPSV"),
            server("500 What?"),
            client("PASV"),
            server("227 Passive (10,0,0,1,156,65)"),
            connect_back(40001),
            client("APPE log"),
            server("125 Open already"),
            client(b"more\n", on="data"),
            client_closes(on="data"),
            server("250-It is", " there", "250 now"),
            *BYE,
        ),
        Attributes(name="log", fields={"reply": "250 It is  there now"}),
    ),
    "DELE": Good(
        access.delete,
        "ftp://host.dom/pub/-rf%20*;type=i",
        LOGIN.then(client("CWD pub"), server("250 Changed"), client("DELE -rf *"), server("250 It is gone"), *BYE),
        Attributes(name="-rf *", fields={"reply": "250 It is gone"}),
    ),
}


@pytest.mark.parametrize("case", GOOD.values(), ids=GOOD)
def test_a_good_dialogue_gives_this_however_it_is_cut(case: Good) -> None:  # B52
    outcome = split_everywhere(lambda: case.operation(FtpURL.parse(case.url)), case.dialogue)
    assert outcome.complete, outcome.error
    assert outcome.kind == "attributes"
    assert outcome.attributes == case.attributes


@pytest.mark.parametrize("case", GOOD.values(), ids=GOOD)
def test_every_fault_at_every_step_is_an_error_and_a_part_never_a_success(case: Good) -> None:  # B51
    runs = fault_everywhere(lambda: case.operation(FtpURL.parse(case.url)), case.dialogue, also=("QUIT",))
    assert len(runs) > 40
    for run in runs:
        error = run.outcome.error
        assert run.outcome.kind is None or error is None
        if run.outcome.sent.get("data") and error is not None:
            assert isinstance(error, (RemoteError, Truncated, DeadlineExceeded, Indeterminate, ProtocolError))
            assert error.sent is not None
            assert f"{error.sent} octet" in str(error) or not error.sent


NAMED_DIRECTORIES = ["ftp://host.dom/pub/", "ftp://host.dom", "ftp://host.dom/pub;type=d", "ftp://host.dom/;type=i"]


@pytest.mark.parametrize("url", NAMED_DIRECTORIES)
@pytest.mark.parametrize("operation", [access.replace, access.update, access.delete])
def test_a_directory_is_refused_before_anything_is_connected(
    url: str, operation: Callable[[FtpURL], Algorithm[None]]
) -> None:
    outcome = replay(operation(FtpURL.parse(url)), Dialogue())
    assert isinstance(outcome.error, UnsupportedOperation)


def test_control_octets_and_missing_content_are_refused_before_anything_is_connected() -> None:
    with pytest.raises(UnsafeURL):
        urlschemes_access.replace("ftp://host.dom/a%0D%0ADELE%20b", b"x")
    with pytest.raises(UnsafeURL):
        urlschemes_access.delete("ftp://host.dom/a%0D%0ADELE%20b")
    with pytest.raises(InputRequired):
        urlschemes_access.operate("replace", "ftp://host.dom/a")


BEGUN = LOGIN.then(upload(b"12345"), *passive())
DATA = (upload(b"67890"), client("STOR a"), server("150 Send it"), client(b"12345", on="data"))


@dataclass(frozen=True)
class Bad:
    error: type[URLError]
    says: str
    steps: tuple[Step, ...]
    status: int | None = None
    sent: int | None = None


BAD = {
    "550 to STOR": Bad(RemoteError, "refused STOR a: 550 No", (client("STOR a"), server("550 No")), 550),
    "553 to STOR": Bad(RemoteError, "553 Name", (client("STOR a"), server("553 Name not allowed")), 553),
    "452 to STOR": Bad(RemoteError, "452 Full", (client("STOR a"), server("452 Full")), 452),
    "532 to STOR": Bad(AuthRequired, "532 Account", (client("STOR a"), server("532 Account needed"))),
    "530 to STOR": Bad(AuthRequired, "530 Log in", (client("STOR a"), server("530 Log in"))),
    "226 to STOR, before any data": Bad(ProtocolError, "a reply 1xx was due", (client("STOR a"), server("226 Done"))),
    "350 to STOR": Bad(ProtocolError, "a reply 1xx was due", (client("STOR a"), server("350 More?"))),
    "nonsense to STOR": Bad(Indeterminate, "no reply to STOR a that can", (client("STOR a"), server("hm?"))),
    "no reply to STOR": Bad(Indeterminate, "no reply to STOR a came", (client("STOR a"), server_closes())),
    "552 in the middle": Bad(
        RemoteError, "552 Quota; 5 octets had been sent, and a part", (*DATA, server("552 Quota")), 552, 5
    ),
    "226 in the middle": Bad(ProtocolError, "silence until all was sent was due", (*DATA, server("226 OK")), sent=5),
    "nonsense in the middle": Bad(ProtocolError, "hm", (*DATA, server("hm?")), sent=5),
    "the control connection closes in the middle": Bad(
        Truncated, "the control connection broke; 5 octets had been sent", (*DATA, server_closes()), sent=5
    ),
    "the control connection breaks in the middle": Bad(
        Truncated, "the control connection broke; 5 octets had been sent", (*DATA, server_resets()), sent=5
    ),
    "451 at the end": Bad(
        RemoteError,
        "refused STOR a: 451 Disk; 10 octets had been sent, and a part of them may be there",
        (*DATA, client(b"67890", on="data"), client_closes(on="data"), server("451 Disk")),
        451,
        10,
    ),
    "200 at the end": Bad(
        ProtocolError,
        "a reply 226 or 250 was due",
        (*DATA, client(b"67890", on="data"), client_closes(on="data"), server("200 Fine")),
        sent=10,
    ),
    "nonsense at the end": Bad(
        Indeterminate,
        "all 10 octets were sent, and no 226 confirmed it",
        (*DATA, client(b"67890", on="data"), client_closes(on="data"), server("hm?")),
        sent=10,
    ),
    "no reply at the end": Bad(
        Indeterminate,
        "all 10 octets were sent, and no 226 confirmed it",
        (*DATA, client(b"67890", on="data"), client_closes(on="data"), server_closes()),
        sent=10,
    ),
    "a reset at the end": Bad(
        Indeterminate,
        "all 10 octets were sent",
        (*DATA, client(b"67890", on="data"), client_closes(on="data"), server_resets()),
        sent=10,
    ),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("operation", ["STOR", "APPE"])
def test_what_fails_says_how_much_was_sent(name: str, operation: str) -> None:
    bad = BAD[name]
    steps = tuple(client(f"{operation} a") if step == client("STOR a") else step for step in bad.steps)
    algorithm = access.replace if operation == "STOR" else access.update
    outcome = replay(algorithm(FtpURL.parse("ftp://host.dom/a")), BEGUN.then(*steps))
    error = outcome.error
    assert isinstance(error, AccessError)
    assert type(error) is bad.error, error
    assert bad.says.replace("STOR", operation) in str(error)
    assert error.sent == bad.sent
    assert getattr(error, "status", None) == bad.status
    assert outcome.kind is None


@pytest.mark.parametrize(
    ("steps", "error", "says"),
    [
        ((server("550 No such file"),), RemoteError, "refused DELE a: 550 No such file"),
        ((server("450 Busy"),), RemoteError, "refused DELE a: 450 Busy"),
        ((server("150 Wait"),), ProtocolError, "a reply 2xx was due"),
        ((server_closes(),), Indeterminate, "no reply to DELE a came"),
        ((server("hm?"),), Indeterminate, "no reply to DELE a that can be understood came"),
        ((server_resets(),), Indeterminate, "no reply to DELE a came"),
        ((), Indeterminate, "no reply to DELE a came"),
    ],
)
def test_a_file_that_cannot_be_deleted(steps: tuple[Step, ...], error: type[URLError], says: str) -> None:
    outcome = replay(access.delete(FtpURL.parse("ftp://host.dom/a")), LOGIN.then(client("DELE a"), *steps))
    assert type(outcome.error) is error
    assert says in str(outcome.error)


def outcome_without(content: bytes, *steps: Step) -> Outcome:
    return replay(access.replace(FtpURL.parse("ftp://host.dom/a")), LOGIN.then(upload(content), *steps))


def test_nothing_is_sent_where_the_directory_or_the_login_is_refused() -> None:
    refused = Dialogue(connect("host.dom", 21), server("220 ready"), client("USER anonymous"), server("530 No"))
    outcome = replay(access.replace(FtpURL.parse("ftp://host.dom/a")), refused.then(upload(b"x")))
    assert isinstance(outcome.error, AuthRequired)
    assert outcome.error.sent is None


# --- Servers over real sockets ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def here() -> Policy:
    return replace(Policy.interactive(), limits=Limits(deadline=20, first_octet=5, idle=5))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "home" / "etc").mkdir(parents=True)
    (tmp_path / "etc").mkdir()
    (tmp_path / "home" / "etc" / "motd").write_bytes(b"relative\n")
    (tmp_path / "etc" / "motd").write_bytes(b"absolute\n")
    return tmp_path


@pytest.fixture
def address(tree: Path) -> Iterator[str]:
    with ftp_server(tree, {"joe": FtpUser("secret", home="/home", writable=True)}) as found:
        yield f"joe:secret@{found}"


def test_relative_and_absolute_paths(address: str, tree: Path, here: Policy) -> None:
    urlschemes_access.replace(f"ftp://{address}/etc/motd", b"new\n", policy=here)
    assert (tree / "home" / "etc" / "motd").read_bytes() == b"new\n"
    assert (tree / "etc" / "motd").read_bytes() == b"absolute\n"
    urlschemes_access.update(f"ftp://{address}/%2Fetc/motd", [b"and ", b"more\n"], policy=here)
    assert (tree / "etc" / "motd").read_bytes() == b"absolute\nand more\n"
    found = urlschemes_access.delete(f"ftp://{address}/%2Fetc/motd", policy=here)
    assert found.fields["reply"].startswith("250 ")
    assert not (tree / "etc" / "motd").exists()
    assert (tree / "home" / "etc" / "motd").exists()


def test_what_is_stored_is_what_is_read(address: str, tree: Path, here: Policy) -> None:
    content = bytes(range(256)) * 20_000
    pieces = [content[at : at + 70_001] for at in range(0, len(content), 70_001)]
    assert urlschemes_access.replace(f"ftp://{address}/a%20b", pieces, policy=here).size == len(content)
    assert (tree / "home" / "a b").read_bytes() == content
    with urlschemes_access.access(f"ftp://{address}/a%20b", policy=here) as document:
        assert isinstance(document, urlschemes_access.Document)
        assert document.read() == content


def test_who_may_only_read(tree: Path, here: Policy) -> None:
    with ftp_server(tree) as place:
        for operation, content in (("replace", b"x"), ("update", b"x"), ("delete", None)):
            with pytest.raises(RemoteError) as refused:
                urlschemes_access.operate(operation, f"ftp://{place}/etc/motd", content, policy=here)
            assert refused.value.status == 550
    assert (tree / "etc" / "motd").read_bytes() == b"absolute\n"


class Heard:
    """What a data connection sent, and how it ended."""

    def __init__(self) -> None:
        self.octets = b""
        self.ended = ""
        self.over = threading.Event()

    def __call__(self, visitor: Visitor) -> None:
        try:
            while octets := visitor.hear():
                self.octets += octets
            self.ended = "in good order"
        except OSError as fault:
            self.ended = type(fault).__name__
        self.over.set()


WELCOME: tuple[Act, ...] = (says("220 ready"), hears(), says("230 in"), hears(), says("200 type"), hears())


def storing(*data: Act, then: tuple[Act, ...]) -> tuple[Act, ...]:
    return (*WELCOME, offers_data("229 here (|||{port}|)", *data), hears(), says("150 go"), *then)


def test_content_that_fails_in_the_middle_is_broken_off(here: Policy) -> None:
    def content() -> Iterator[bytes]:
        yield b"some"
        assert arrived.wait(5)
        raise KeyError("the caller's own")

    arrived = threading.Event()
    heard = Heard()

    def arrives(visitor: Visitor) -> None:
        heard.octets += visitor.hear()
        arrived.set()

    with rogue(*storing(arrives, heard, then=(after_data(), stays_silent()))) as place:
        with pytest.raises(KeyError):
            urlschemes_access.replace(f"ftp://{place}/a", content(), policy=here)
        assert heard.over.wait(5)
    assert (heard.octets, heard.ended) == (b"some", "ConnectionResetError")


def endless() -> Iterator[bytes]:
    while True:
        yield bytes(65536)


def test_b09_the_data_connection_is_reset_in_the_middle(here: Policy) -> None:
    for then, error, status in (
        ((after_data(), says("426 aborted")), RemoteError, 426),
        ((after_data(), closes()), Truncated, None),
        ((stays_silent(),), Truncated, None),
    ):
        with rogue(*storing(hears_exactly(100_000), resets(), then=then)) as place, pytest.raises(URLError) as caught:
            urlschemes_access.replace(f"ftp://{place}/a", endless(), policy=here)
        assert type(caught.value) is error, caught.value
        assert getattr(caught.value, "status", None) == status
        assert caught.value.sent is not None
        assert caught.value.sent >= 100_000
        assert "a part of them may be there" in str(caught.value)


def test_b06_a_server_that_takes_nothing(here: Policy) -> None:
    short = replace(here, limits=Limits(deadline=20, idle=0.5))
    with rogue(*storing(waits(5), then=(stays_silent(),))) as place, pytest.raises(DeadlineExceeded) as late:
        urlschemes_access.replace(f"ftp://{place}/a", endless(), policy=short)
    assert late.value.sent is not None
    assert "a part of them may be there" in str(late.value)


def test_a_server_that_is_full_ends_an_endless_upload(here: Policy) -> None:
    with (
        rogue(
            *storing(hears_exactly(100_000), stays_silent(), then=(waits(0.2), says("552 full"), stays_silent()))
        ) as place,
        pytest.raises(RemoteError, match="552 full") as full,
    ):
        urlschemes_access.replace(f"ftp://{place}/a", endless(), policy=here)
    assert full.value.status == 552


def test_lost_after_all_was_sent(here: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlschemes_ftp.upload.CONFIRMATION_TIMEOUT", 0.3)
    for then in ((after_data(), closes()), (after_data(), resets()), (after_data(), stays_silent())):
        heard = Heard()
        with rogue(*storing(heard, then=then)) as place, pytest.raises(Indeterminate) as lost:
            urlschemes_access.update(f"ftp://{place}/a", b"all of it", policy=here)
        assert (heard.octets, heard.ended) == (b"all of it", "in good order")
        assert lost.value.sent == 9


def test_nothing_is_tried_twice(here: Policy) -> None:
    with rogue(says("220 ready"), hears(), says("230 in"), hears(), closes()) as place:
        with pytest.raises(Indeterminate):
            urlschemes_access.delete(f"ftp://{place}/a", policy=here)
        assert len(place.visits) == 1
    assert place.heard == [b"USER anonymous\r\nDELE a\r\n"]


def test_b27_the_data_go_to_the_machine_of_the_control_connection(here: Policy) -> None:
    heard = Heard()
    acts = (
        *WELCOME,
        says("500 what?"),
        hears(),
        offers_data("227 passive (192,0,2,7,{high},{low})", heard),
        hears_until(b"\n"),
        says("150 go"),
        after_data(),
        says("226 done"),
        hears(),
    )
    with rogue(*acts) as place:
        urlschemes_access.replace(f"ftp://{place}/a", b"octets", policy=here)
    assert heard.octets == b"octets"
