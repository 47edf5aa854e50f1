"""FTP over real sockets on this machine: an FTP server that nobody here wrote, and servers that misbehave."""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import urlschemes
import urlschemes_ftp.access
from urlschemes import Credentials, Document, Limits, Listing, Policy
from urlschemes.errors import (
    AuthRequired,
    ConnectError,
    DeadlineExceeded,
    LimitExceeded,
    ProtocolError,
    RemoteError,
    ResolveError,
    Truncated,
)
from urlschemes_ftp import FtpURL
from urlschemes_testing.loopback import Address, Loopback
from urlschemes_testing.servers.ftp import FtpUser, ftp_server

HERE = Policy.interactive()
PATIENCE = 10


def document(url: str, **options: object) -> Document:
    found = urlschemes.access(url, **{"policy": HERE, **options})  # type: ignore[arg-type]
    assert isinstance(found, Document)
    return found


def listing(url: str, **options: object) -> Listing:
    found = urlschemes.access(url, **{"policy": HERE, **options})  # type: ignore[arg-type]
    assert isinstance(found, Listing)
    return found


def read(url: str, **options: object) -> bytes:
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
    assert max(map(len, pieces)) <= 64 * 1024
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
    found = urlschemes.find_attributes(f"ftp://{server}/pub/readme.txt", policy=HERE)
    assert (found.name, found.size) == ("readme.txt", 24)
    assert found.modified is not None
    assert found.modified.timestamp() == 1_000_000_000
    assert found.fields["type"] == "file"
    found = urlschemes.find_attributes(f"ftp://{server}/pub/", policy=HERE)
    assert found.size is None
    assert "dir" in found.fields["type"]
    with pytest.raises(RemoteError) as refused:
        urlschemes.find_attributes(f"ftp://{server}/pub/nothing", policy=HERE)
    assert refused.value.status == 550


def test_logins(server: Address) -> None:
    with pytest.raises(AuthRequired):
        read(f"ftp://joe@{server}/etc/motd")
    with pytest.raises(AuthRequired) as refused:
        read(f"ftp://joe:hunter2@{server}/etc/motd")
    assert "hunter2" not in str(refused.value)
    asked = []

    def credentials(request: urlschemes.wire.Authenticate) -> Credentials:
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


class Control:
    """The server's side of a control connection, with a listener for data connections."""

    def __init__(self, connection: socket.socket, closing: threading.Event) -> None:
        self.connection = connection
        self.commands = connection.makefile("rb")
        self.closing = closing
        self.data = socket.create_server(("127.0.0.1", 0))
        self.data.settimeout(PATIENCE)

    def say(self, *lines: str | bytes) -> None:
        octets = (line if isinstance(line, bytes) else line.encode() + b"\r\n" for line in lines)
        self.connection.sendall(b"".join(octets))

    def hear(self, verb: str) -> None:
        line = self.commands.readline()
        if not line:
            raise ConnectionError("the client has gone")
        assert line.startswith(verb.encode()), line

    def log_in(self) -> None:
        self.say("220 ready")
        self.hear("USER")
        self.say("331 password")
        self.hear("PASS")
        self.say("230 in")

    def image(self, size: int | None) -> None:
        self.hear("TYPE I")
        self.say("200 OK")
        self.hear("SIZE")
        self.say("500 What?" if size is None else f"213 {size}")

    def names(self) -> None:
        self.hear("FEAT")
        self.say("500 What?")
        self.hear("TYPE A")
        self.say("200 OK")

    def passive(self) -> None:
        self.hear("EPSV")
        self.say(f"229 (|||{self.data.getsockname()[1]}|)")

    def transfer(self, verb: str) -> socket.socket:
        self.passive()
        self.hear(verb)
        connection, _ = self.data.accept()
        connection.settimeout(PATIENCE)
        self.say("150 here it comes")
        return connection

    def wait(self) -> None:
        self.closing.wait(PATIENCE)

    def drip(self, octets: bytes, on: socket.socket | None = None) -> None:
        while not self.closing.wait(0.02):
            (on or self.connection).sendall(octets)


@contextmanager
def misbehaving(behave: Callable[[Control], None]) -> Iterator[Address]:
    def serve(connection: socket.socket) -> None:
        control = Control(connection, rogue.closing)
        with control.data, control.commands:
            behave(control)

    with Loopback(serve, lifetime=60, patience=PATIENCE) as rogue:
        yield rogue.address


def quick(**limits: float) -> Policy:
    """The policy for this machine, with less patience."""
    few: dict[str, float] = {"deadline": 3, "idle": 0.3, "first_octet": 0.3, "connect": 1, **limits}
    return Policy(networks=HERE.networks, limits=Limits(**few))  # type: ignore[arg-type]


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    connection.close()


def test_b01_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ConnectError):
        read(f"ftp://127.0.0.1:{port}/a", policy=quick())


def test_b03_a_name_without_address() -> None:
    with pytest.raises((ResolveError, DeadlineExceeded)):
        read("ftp://no-such-host.invalid/a", policy=quick(resolve=2))


def test_b06_silence_instead_of_a_banner() -> None:
    with misbehaving(Control.wait) as server, pytest.raises(DeadlineExceeded) as late:
        read(f"ftp://{server}/a", policy=quick())
    assert late.value.phase == "banner"


def test_b06_silence_instead_of_a_reply() -> None:
    def behave(control: Control) -> None:
        control.say("220 ready")
        control.hear("USER")
        control.wait()

    with misbehaving(behave) as server, pytest.raises(DeadlineExceeded) as late:
        read(f"ftp://{server}/a", policy=quick())
    assert late.value.phase == "response"


def test_b09_reset_at_once() -> None:
    def behave(control: Control) -> None:
        control.commands.close()
        reset(control.connection)

    with misbehaving(behave) as server, pytest.raises(ConnectError):
        read(f"ftp://{server}/a", policy=quick())


def test_b09_data_reset_in_the_middle() -> None:
    def behave(control: Control) -> None:
        control.log_in()
        control.image(100)
        data = control.transfer("RETR")
        data.sendall(b"x" * 50)
        assert read_some.wait(PATIENCE)
        reset(data)
        control.wait()

    read_some = threading.Event()
    with misbehaving(behave) as server, document(f"ftp://{server}/a", policy=quick(idle=5)) as found:
        assert next(found) == b"x" * 50
        read_some.set()
        with pytest.raises(Truncated) as cut:
            next(found)
    assert (cut.value.received, cut.value.expected) == (50, 100)


def test_b10_closed_instead_of_a_reply() -> None:
    def behave(control: Control) -> None:
        control.say("220 ready")
        control.connection.shutdown(socket.SHUT_WR)
        control.wait()

    with misbehaving(behave) as server, pytest.raises(Truncated):
        read(f"ftp://{server}/a", policy=quick())


def test_b11_endless_content_is_bounded_where_it_is_held() -> None:
    def behave(control: Control) -> None:
        control.log_in()
        control.image(None)
        with control.transfer("RETR") as data:
            while not control.closing.is_set():
                data.sendall(b"x" * 65536)

    policy = quick(content=1_000_000)
    with misbehaving(behave) as server, pytest.raises(LimitExceeded) as much:
        read(f"ftp://{server}/a", policy=policy)
    assert much.value.limit == "content"


def test_b11_endless_listing() -> None:
    def behave(control: Control) -> None:
        control.log_in()
        control.names()
        with control.transfer("NLST") as data:
            while not control.closing.is_set():
                data.sendall(b"name\r\n" * 1000)

    with misbehaving(behave) as server, pytest.raises(LimitExceeded) as much:
        list(listing(f"ftp://{server}/", policy=quick(entries=5000)))
    assert much.value.limit == "entries"


@pytest.mark.parametrize("words", [b"220-x\r\n", b"x", b"120 soon\r\n"])
def test_b12_a_dripping_banner(words: bytes) -> None:
    error = ProtocolError if words.startswith(b"120") else DeadlineExceeded
    with misbehaving(lambda control: control.drip(words)) as server, pytest.raises(error):
        read(f"ftp://{server}/a", policy=quick(deadline=0.5))


def test_b12_dripping_data() -> None:
    def behave(control: Control) -> None:
        control.log_in()
        control.image(None)
        with control.transfer("RETR") as data:
            control.drip(b"x", data)

    with misbehaving(behave) as server, pytest.raises(DeadlineExceeded) as late:
        read(f"ftp://{server}/a", policy=quick(deadline=0.7))
    assert late.value.phase == "data"


def test_b13_a_reply_without_end() -> None:
    def behave(control: Control) -> None:
        with contextlib.suppress(OSError):
            while not control.closing.is_set():
                control.say(b"2" * 4096)

    with misbehaving(behave) as server, pytest.raises(LimitExceeded) as much:
        read(f"ftp://{server}/a", policy=quick())
    assert much.value.limit == "line"


def test_b27_the_address_in_pasv_is_not_dialled() -> None:
    def behave(control: Control) -> None:
        control.log_in()
        control.image(4)
        control.hear("EPSV")
        control.say("500 What?")
        control.hear("PASV")
        high, low = divmod(control.data.getsockname()[1], 256)
        control.say(f"227 Entering Passive Mode (192,0,2,7,{high},{low})")
        control.hear("RETR")
        data, _ = control.data.accept()
        control.say("150 here it comes", "226 sent")
        data.sendall(b"data")
        data.close()
        control.hear("QUIT")
        control.say("221 bye")

    with misbehaving(behave) as server:
        assert read(f"ftp://{server}/a") == b"data"


def test_b28_nobody_listens_for_the_data() -> None:
    def behave(control: Control) -> None:
        control.log_in()
        control.image(4)
        control.hear("EPSV")
        port = control.data.getsockname()[1]
        control.data.close()
        control.say(f"229 (|||{port}|)")
        control.wait()

    with misbehaving(behave) as server, pytest.raises(ConnectError):
        read(f"ftp://{server}/a", policy=quick())


def test_b28_silent_data_and_the_control_connection_is_closed() -> None:
    seen = threading.Event()

    def behave(control: Control) -> None:
        control.log_in()
        control.image(4)
        with control.transfer("RETR") as data:
            assert data.recv(1) == b""
            assert control.commands.readline() == b""
        seen.set()

    with misbehaving(behave) as server:
        with pytest.raises(DeadlineExceeded) as late:
            read(f"ftp://{server}/a", policy=quick())
        assert late.value.phase == "data"
        assert seen.wait(PATIENCE)


def test_b29_the_226_never_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    def behave(control: Control) -> None:
        control.log_in()
        control.image(4)
        with control.transfer("RETR") as data:
            data.sendall(b"data")
        control.wait()

    for patience in (0.2, 15.0):  # its own bound, and the deadline of the access
        monkeypatch.setattr(urlschemes_ftp.access, "CONFIRMATION", patience)
        with misbehaving(behave) as server, pytest.raises(Truncated) as cut:
            read(f"ftp://{server}/a", policy=quick(deadline=1, first_octet=5))
        assert (cut.value.received, cut.value.expected, cut.value.partial) == (4, 4, b"data")


def test_b31_a_refusal_left_open() -> None:
    def behave(control: Control) -> None:
        control.say("421 too many")
        assert control.commands.readline() == b""

    with misbehaving(behave) as server, pytest.raises(RemoteError) as refused:
        read(f"ftp://{server}/a")
    assert (refused.value.status, refused.value.temporary) == (421, True)


def test_b50_leaving_in_the_middle_closes_both_connections() -> None:
    closed = threading.Event()

    def behave(control: Control) -> None:
        control.log_in()
        control.image(None)
        with control.transfer("RETR") as data:
            data.sendall(b"data")
            assert data.recv(1) == b""
            assert control.commands.readline() == b""
        closed.set()

    with misbehaving(behave) as server:
        with document(f"ftp://{server}/a") as found:
            assert next(found) == b"data"
        assert closed.wait(PATIENCE)


def test_a_farewell_that_never_comes_spoils_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def behave(control: Control) -> None:
        control.log_in()
        control.image(4)
        with control.transfer("RETR") as data:
            data.sendall(b"data")
        control.say("226 sent")
        control.hear("QUIT")
        control.wait()

    monkeypatch.setattr(urlschemes_ftp.access, "FAREWELL", 0.1)
    with misbehaving(behave) as server:
        assert read(f"ftp://{server}/a") == b"data"
