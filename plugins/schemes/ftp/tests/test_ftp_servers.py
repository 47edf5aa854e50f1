"""FTP over real sockets on this machine: an FTP server that nobody here wrote, and servers that misbehave."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import urlschemes_access
import urlschemes_access.protocol
import urlschemes_access.protocol.replies
import urlschemes_ftp.data_connection
from urlschemes_access import Credentials, Document, Limits, Listing, Policy
from urlschemes_access.errors import (
    AuthRequired,
    ConnectError,
    DeadlineExceeded,
    LimitExceeded,
    RemoteError,
    ResolveError,
    Truncated,
)
from urlschemes_ftp import FtpURL
from urlschemes_servers.ftp import FtpUser, ftp_server
from urlschemes_testing.loopback import Address
from urlschemes_testing.rogue import (
    Act,
    Visitor,
    after_data,
    deaf,
    drips,
    ends_output,
    floods,
    hears,
    loops,
    offers_data,
    refusing,
    resets,
    rogue,
    says,
    stays_silent,
)

HERE = Policy.interactive()
PATIENCE = 10


def document(url: str, **options: Any) -> Document:
    found = urlschemes_access.access(url, **{"policy": HERE, **options})
    assert isinstance(found, Document)
    return found


def listing(url: str, **options: Any) -> Listing:
    found = urlschemes_access.access(url, **{"policy": HERE, **options})
    assert isinstance(found, Listing)
    return found


def read(url: str, **options: Any) -> bytes:
    with document(url, **options) as found:
        return found.read()


# A real server --------------------------------------------------------------------------------------------------------

CONTENTS = {
    "pub/readme.txt": b"Hello from FTP\nline two\n",
    "pub/all-octets": bytes(range(256)) * 4,
    "pub/empty": b"",
    "pub/dir with space/f 1.txt": b"space\n",
    "pub/odd;type=x.txt": b"semicolon\n",
    "pub/100%.txt": b"percent\n",
    "pub/naïve.txt": b"utf-8\n",
    "pub/-rf": b"dash\n",
    "pub/big": hashlib.shake_128(b"big").digest(3_000_001),
    "etc/motd": b"the one of the root\n",
    "home/joe/etc/motd": b"the one of joe\n",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ftp")
    for name, content in CONTENTS.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        os.utime(file, (1_000_000_000, 1_000_000_000))
    (root / "nothing").mkdir()
    return root


@pytest.fixture(scope="module")
def server(tree: Path) -> Iterator[Address]:
    with ftp_server(tree, {"joe": FtpUser("s3cret/@:", home="/home/joe")}) as address:
        yield address


@pytest.mark.parametrize("name", CONTENTS)
def test_files_come_octet_by_octet(server: Address, name: str) -> None:
    *directories, last = name.split("/")
    url = FtpURL.build(host=server.host, port=server.port, directories=directories, name=last)
    with document(str(url)) as found:
        assert found.size == len(CONTENTS[name])
        assert found.read() == CONTENTS[name]
        assert found.terminated


def test_large_files_come_in_pieces(server: Address) -> None:
    with document(f"ftp://{server}/pub/big") as found:
        pieces = list(found)
    assert len(pieces) > 10
    assert max(map(len, pieces)) <= 128 * 1024
    assert b"".join(pieces) == CONTENTS["pub/big"]


def test_type_a_is_what_goes_over_the_wire(server: Address) -> None:
    assert read(f"ftp://{server}/pub/readme.txt;type=a") == b"Hello from FTP\r\nline two\r\n"
    assert read(f"ftp://{server}/pub/readme.txt;type=I") == CONTENTS["pub/readme.txt"]


def test_an_encoded_slash_is_not_the_default_directory(server: Address) -> None:
    login = "joe:s3cret%2F%40%3A@"
    assert read(f"ftp://{login}{server}/etc/motd") == b"the one of joe\n"
    assert read(f"ftp://{login}{server}/%2Fetc/motd") == b"the one of the root\n"
    # An empty CWD is for the server to understand or to refuse (decision 27); this one changes to the root.
    assert read(f"ftp://{login}{server}//etc/motd") == b"the one of the root\n"


@pytest.mark.parametrize("url", ["pub/", "pub;type=d", "pub/;type=D", "etc/../pub/"])
def test_a_directory_lists_urls_that_lead_on(server: Address, url: str) -> None:
    with listing(f"ftp://{server}/{url}") as found:
        entries = {entry.name: entry for entry in found}
    expected = {name.split("/")[1] for name in CONTENTS if name.startswith("pub/")}
    assert entries.keys() == expected
    for name, entry in entries.items():
        assert entry.problem is None
        assert entry.url is not None
        if entry.kind == "directory":
            assert name == "dir with space"
            with listing(entry.url) as inside:
                assert [each.name for each in inside] == ["f 1.txt"]
        else:
            assert entry.kind == "file"
            assert entry.size == len(CONTENTS[f"pub/{name}"])
            assert entry.modified is not None
            assert entry.modified.timestamp() == 1_000_000_000
            assert read(entry.url) == CONTENTS[f"pub/{name}"]


def test_an_empty_and_a_default_directory(server: Address) -> None:
    with listing(f"ftp://{server}/nothing/") as found:
        assert list(found) == []
    for url in (f"ftp://{server}", f"ftp://{server}/"):
        with listing(url) as found:
            assert sorted(entry.name for entry in found) == ["etc", "home", "nothing", "pub"]


def test_decision_25_a_directory_asked_for_as_a_file(server: Address) -> None:
    with pytest.raises(RemoteError) as refused:
        read(f"ftp://{server}/pub")
    assert refused.value.status == 550
    assert ";type=d" in str(refused.value)


def test_attributes(server: Address) -> None:
    found = urlschemes_access.find_attributes(f"ftp://{server}/pub/readme.txt", policy=HERE)
    assert (found.name, found.size) == ("readme.txt", 24)
    assert found.modified is not None
    assert found.modified.timestamp() == 1_000_000_000
    assert found.fields["type"] == "file"
    found = urlschemes_access.find_attributes(f"ftp://{server}/pub/", policy=HERE)
    assert found.size is None
    assert "dir" in found.fields["type"]
    with pytest.raises(RemoteError) as refused:
        urlschemes_access.find_attributes(f"ftp://{server}/pub/nothing", policy=HERE)
    assert refused.value.status == 550


def test_logins(server: Address) -> None:
    with pytest.raises(AuthRequired):
        read(f"ftp://joe@{server}/etc/motd")
    with pytest.raises(AuthRequired) as refused:
        read(f"ftp://joe:hunter2@{server}/etc/motd")
    assert "hunter2" not in str(refused.value)
    asked = []

    def credentials(request: urlschemes_access.protocol.Authenticate) -> Credentials:
        asked.append((request.host, request.port, request.user))
        return Credentials("joe", "s3cret/@:")

    assert read(f"ftp://joe@{server}/etc/motd", credentials=credentials) == b"the one of joe\n"
    assert asked == [(server.host, server.port, "joe")]


def test_the_trace_shows_the_dialogue_without_the_password(server: Address) -> None:
    events: list[object] = []
    read(f"ftp://joe:s3cret%2F%40%3A@{server}/etc/motd", trace=events.append)
    shown = repr(events)
    for command in ("USER joe", "PASS ***", "CWD etc", "TYPE I", "SIZE motd", "EPSV", "RETR motd", "QUIT"):
        assert command in shown
    assert "s3cret" not in shown


# Servers that misbehave -----------------------------------------------------------------------------------------------

LOGIN = (says("220 ready"), hears(), says("331 password"), hears(), says("230 in"))
NAMES = (hears(), says("500 What?"), hears(), says("200 OK"))
STARTS = (hears(), says("150 here it comes"))


def image(size: int | None) -> tuple[Act, ...]:
    return hears(), says("200 OK"), hears(), says("500 What?" if size is None else f"213 {size}")


def sending(*acts: Act) -> tuple[Act, ...]:
    """A data connection that goes through `acts`, and the 150."""
    return hears(), offers_data("229 (|||{port}|)", *acts), *STARTS


def quick(**limits: float) -> Policy:
    """The policy for this machine, with less patience."""
    few: dict[str, Any] = {"deadline": 3, "idle": 0.3, "first_octet": 0.3, "connect": 1, **limits}
    return Policy(networks=HERE.networks, limits=Limits(**few))


def test_b01_refused() -> None:
    with refusing() as server, pytest.raises(ConnectError):
        read(f"ftp://{server}/a", policy=quick())


def test_b02_deaf() -> None:
    with deaf() as server, pytest.raises(DeadlineExceeded) as late:
        read(f"ftp://{server}/a", policy=quick(connect=0.2))
    assert late.value.phase == "connect"


def test_b03_a_name_without_address() -> None:
    with pytest.raises((ResolveError, DeadlineExceeded)):
        read("ftp://no-such-host.invalid/a", policy=quick(resolve=2))


def test_b06_silence_instead_of_a_banner() -> None:
    with rogue(stays_silent()) as server, pytest.raises(DeadlineExceeded) as late:
        read(f"ftp://{server}/a", policy=quick())
    assert late.value.phase == "banner"


def test_b06_silence_instead_of_a_reply() -> None:
    with rogue(says("220 ready"), stays_silent()) as server, pytest.raises(DeadlineExceeded) as late:
        read(f"ftp://{server}/a", policy=quick())
    assert late.value.phase == "response"


def test_b09_reset_at_once() -> None:
    with rogue(resets()) as server, pytest.raises(ConnectError):
        read(f"ftp://{server}/a", policy=quick())


def test_b09_data_reset_in_the_middle() -> None:
    read_some = threading.Event()

    def once_read(_: Visitor) -> None:
        assert read_some.wait(PATIENCE)

    acts = (*LOGIN, *image(100), *sending(says(b"x" * 50), once_read, resets()), stays_silent())
    with rogue(*acts) as server, document(f"ftp://{server}/a", policy=quick(idle=PATIENCE)) as found:
        assert next(found) == b"x" * 50
        read_some.set()
        with pytest.raises(Truncated) as cut:
            next(found)
    assert (cut.value.received, cut.value.expected) == (50, 100)


def test_b10_half_closed_instead_of_a_reply() -> None:
    with rogue(says("220 ready"), ends_output(), stays_silent()) as server, pytest.raises(Truncated):
        read(f"ftp://{server}/a", policy=quick())


def test_b11_endless_content_is_bounded_where_it_is_held() -> None:
    acts = (*LOGIN, *image(None), *sending(floods()), stays_silent())
    with rogue(*acts) as server, pytest.raises(LimitExceeded) as much:
        read(f"ftp://{server}/a", policy=quick(content=1_000_000))
    assert much.value.limit == "content"


def test_b11_an_endless_listing() -> None:
    acts = (*LOGIN, *NAMES, *sending(floods(b"name\r\n")), stays_silent())
    with rogue(*acts) as server, pytest.raises(LimitExceeded) as much:
        list(listing(f"ftp://{server}/", policy=quick(entries=5000)))
    assert much.value.limit == "entries"


@pytest.mark.parametrize("words", [b"220-x\r\n", b"x"])
def test_b12_a_dripping_banner(words: bytes) -> None:
    with rogue(loops(drips(words))) as server, pytest.raises(DeadlineExceeded) as late:
        read(f"ftp://{server}/a", policy=quick(deadline=0.5))
    assert late.value.phase == "banner"


def test_b12_dripping_data() -> None:
    acts = (*LOGIN, *image(None), *sending(loops(drips(b"x"))), stays_silent())
    with rogue(*acts) as server, pytest.raises(DeadlineExceeded) as late:
        read(f"ftp://{server}/a", policy=quick(deadline=0.7))
    assert late.value.phase == "data"


def test_b13_a_reply_without_end() -> None:
    with rogue(floods(b"2")) as server, pytest.raises(LimitExceeded) as much:
        read(f"ftp://{server}/a", policy=quick())
    assert much.value.limit == "line"


def test_b26_a_reply_of_endless_lines() -> None:
    with rogue(floods(b"220-more\r\n")) as server, pytest.raises(LimitExceeded) as much:
        read(f"ftp://{server}/a", policy=quick())
    assert (much.value.limit, much.value.value) == ("reply", 1000)


def test_b27_the_address_in_pasv_is_not_dialled() -> None:
    with rogue(
        *LOGIN,
        *image(4),
        hears(),
        says("500 What?"),
        hears(),
        offers_data("227 Entering Passive Mode (192,0,2,7,{high},{low})", says(b"data")),
        hears(),
        says("150 here it comes", "226 sent"),
        hears(),
        says("221 bye"),
    ) as server:
        assert read(f"ftp://{server}/a") == b"data"
    assert server.heard[0].split(b"\r\n") == [
        b"USER anonymous",
        b"PASS anonymous@example.com",
        b"TYPE I",
        b"SIZE a",
        b"EPSV",
        b"PASV",
        b"RETR a",
        b"QUIT",
        b"",
    ]


def test_b28_nobody_listens_for_the_data() -> None:
    with refusing() as nobody:
        acts = (*LOGIN, *image(4), hears(), says(f"229 (|||{nobody.port}|)"), stays_silent())
        with rogue(*acts) as server, pytest.raises(ConnectError):
            read(f"ftp://{server}/a", policy=quick())


def test_b28_deaf_for_the_data() -> None:
    with deaf() as nobody:
        acts = (*LOGIN, *image(4), hears(), says(f"229 (|||{nobody.port}|)"), stays_silent())
        with rogue(*acts) as server, pytest.raises(DeadlineExceeded) as late:
            read(f"ftp://{server}/a", policy=quick(connect=0.2))
    assert late.value.phase == "data"


def test_b28_silent_data_and_the_control_connection_is_closed() -> None:
    gone = threading.Event()
    acts = (*LOGIN, *image(4), *sending(stays_silent()), stays_silent(), lambda _: gone.set())
    with rogue(*acts) as server:
        with pytest.raises(DeadlineExceeded) as late:
            read(f"ftp://{server}/a", policy=quick())
        assert late.value.phase == "data"
        assert gone.wait(PATIENCE)


@pytest.mark.parametrize("patience", [0.2, 15.0], ids=["its own bound", "the deadline"])
def test_b29_the_226_never_comes(monkeypatch: pytest.MonkeyPatch, patience: float) -> None:
    monkeypatch.setattr(urlschemes_ftp.data_connection, "CONFIRMATION_TIMEOUT", patience)
    acts = (*LOGIN, *image(4), *sending(says(b"data")), stays_silent())
    with rogue(*acts) as server, pytest.raises(Truncated) as cut:
        read(f"ftp://{server}/a", policy=quick(deadline=1, first_octet=5))
    assert (cut.value.received, cut.value.expected, cut.value.partial) == (4, 4, b"data")


def test_b29_426_and_a_size_that_disagrees() -> None:
    for end in ("426 aborted", "226 sent"):
        acts = (*LOGIN, *image(5), *sending(says(b"data")), after_data(), says(end), stays_silent())
        with rogue(*acts) as server, pytest.raises(Truncated) as cut:
            read(f"ftp://{server}/a")
        assert (cut.value.received, cut.value.expected, cut.value.partial) == (4, 5, b"data")


def test_b31_a_refusal_left_open() -> None:
    gone = threading.Event()
    with rogue(says("421 too many"), stays_silent(), lambda _: gone.set()) as server:
        with pytest.raises(RemoteError) as refused:
            read(f"ftp://{server}/a")
        assert (refused.value.status, refused.value.temporary) == (421, True)
        assert gone.wait(PATIENCE)
    assert server.heard == [b""]


def test_b50_leaving_in_the_middle_closes_both_connections() -> None:
    gone, data_gone = threading.Event(), threading.Event()
    data = (says(b"data"), stays_silent(), lambda _: data_gone.set())
    with rogue(*LOGIN, *image(None), *sending(*data), stays_silent(), lambda _: gone.set()) as server:
        with document(f"ftp://{server}/a") as found:
            assert next(found) == b"data"
        assert gone.wait(PATIENCE)
        assert data_gone.wait(PATIENCE)


def test_a_farewell_that_never_comes_spoils_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urlschemes_access.protocol.replies, "FAREWELL", 0.1)
    acts = (*LOGIN, *image(4), *sending(says(b"data")), says("226 sent"), stays_silent())
    with rogue(*acts) as server:
        assert read(f"ftp://{server}/a") == b"data"
