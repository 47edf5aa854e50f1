"""Control connections that a client keeps open."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from urlschemes_access import Client, Credentials, Document, Policy, Range, TraceEvent
from urlschemes_access.errors import AuthRequired, RemoteError
from urlschemes_servers.ftp import FtpUser, ftp_server
from urlschemes_testing.loopback import Loopback

HERE = Policy.interactive()


class Events(list[TraceEvent]):
    """The events of several operations."""

    def __call__(self, event: TraceEvent) -> None:
        self.append(event)

    @property
    def logins(self) -> int:
        return self.sent.count(b"USER ")

    @property
    def sent(self) -> bytes:
        return b"".join(event.octets for event in self if event.kind == "send")


@pytest.fixture
def events() -> Events:
    return Events()


@pytest.fixture
def client(events: Events) -> Iterator[Client]:
    with Client(policy=HERE, trace=events) as client:
        yield client


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for folder in ("", "a/", 'a/b "c"/', "home/a/"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "file").write_text(f"/{folder}file")
    return tmp_path


def read(client: Client, url: str, **arguments: object) -> bytes:
    with client.access(url, **arguments) as document:  # type: ignore[arg-type]  # the tests pass what is valid
        assert isinstance(document, Document)
        return document.read()


def test_a_client_logs_in_once_for_several_operations(client: Client, events: Events, site: Path) -> None:
    with ftp_server(site) as server:
        for _ in range(2):
            assert read(client, f"ftp://{server}/a/b%20%22c%22/file") == b'/a/b "c"/file'
            assert read(client, f"ftp://{server}/a/file") == b"/a/file"
            assert read(client, f"ftp://{server}/file;type=a") == b"/file"
        with client.access(f"ftp://{server}/a/;type=d") as listing:
            assert len(list(listing)) == 2  # type: ignore[arg-type]  # it is a listing
        assert client.find_attributes(f"ftp://{server}/a/file").size == 7
    assert (events.logins, events.sent.count(b"PWD"), events.sent.count(b"QUIT")) == (1, 1, 0)


def test_each_path_begins_at_the_directory_of_the_login(client: Client, events: Events, site: Path) -> None:
    with ftp_server(site, {"joe": FtpUser("secret", home="/home", writable=True)}) as server:
        url = f"ftp://joe:secret@{server}"
        for _ in range(2):
            assert read(client, f"{url}/a/file") == b"/home/a/file"
            assert read(client, f"{url}/%2Fa/file") == b"/a/file"
        client.replace(f"{url}/a/new", b"new")
        client.update(f"{url}/a/new", b"er")
        assert read(client, f"{url}/a/new") == b"newer"
        client.delete(f"{url}/a/new")
    assert (events.logins, (site / "home/a/new").exists()) == (1, False)


def test_a_login_is_kept_for_the_same_user_password_and_credentials_only(
    client: Client, events: Events, site: Path
) -> None:
    def joe(_: object) -> Credentials:
        return Credentials("joe", "secret")

    with ftp_server(site, {"joe": FtpUser("secret")}) as server:
        for url, arguments in (
            (f"ftp://{server}/file", {}),
            (f"ftp://joe:secret@{server}/file", {}),
            (f"ftp://joe@{server}/file", {"credentials": joe}),
            (f"ftp://joe@{server}/file", {"credentials": lambda _: Credentials("joe", "secret")}),
        ):
            before = events.logins
            for _ in range(2):
                read(client, url, **arguments)
            assert events.logins == before + 1
        for url in (f"ftp://joe:wrong@{server}/file", f"ftp://joe@{server}/file"):
            with pytest.raises(AuthRequired):
                read(client, url)


def test_an_error_ends_the_connection(client: Client, events: Events, site: Path) -> None:
    with ftp_server(site) as server:
        with pytest.raises(RemoteError):
            read(client, f"ftp://{server}/missing")
        with client.access(f"ftp://{server}/file"):
            pass  # nothing of it is read
        read(client, f"ftp://{server}/file")
    assert events.logins == 3


REPLIES = {
    b"USER": b"331 password",
    b"PASS": b"230 in",
    b"PWD": b'257 "/in" is current',
    b"TYPE": b"200 binary",
    b"FEAT": b"500 unknown",
    b"MDTM": b"213 19940101000000",
    b"SIZE": b"213 7",
}


@pytest.mark.parametrize("last", [b"", b"421 timeout", b"550 no such directory", b"?"])
def test_a_connection_that_cannot_return_to_the_login_directory_is_replaced(
    client: Client, events: Events, last: bytes
) -> None:
    def serve(connection: socket.socket) -> None:
        connection.sendall(b"220 ready\r\n")
        while (verb := connection.recv(1000)[:4].strip()) in REPLIES:
            connection.sendall(REPLIES[verb] + b"\r\n")
        if last:
            connection.sendall(last + b"\r\n")

    with Loopback(serve) as server:
        for _ in range(2):
            assert client.find_attributes(f"ftp://{server.address}/file").size == 7
    assert (events.logins, events.sent.count(b"CWD /in")) == (2, 1)


@pytest.mark.parametrize("answer", [b"500 unknown", b"257 none", b'257 "a\x01b"'])
def test_nothing_is_kept_if_the_login_directory_is_not_known(client: Client, events: Events, answer: bytes) -> None:
    def serve(connection: socket.socket) -> None:
        connection.sendall(b"220 ready\r\n")
        while (verb := connection.recv(1000)[:4].strip()) in REPLIES:
            connection.sendall((answer if verb == b"PWD" else REPLIES[verb]) + b"\r\n")

    with Loopback(serve) as server:
        for _ in range(2):
            assert client.find_attributes(f"ftp://{server.address}/file").size == 7
    assert (events.logins, events.sent.count(b"QUIT")) == (2, 2)


def test_nothing_is_kept_after_a_part_whose_reply_is_not_awaited(client: Client, events: Events) -> None:
    def serve(connection: socket.socket) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            more = {b"CWD": b"250 in", b"EPSV": b"229 (|||%d|)" % port, b"RETR": b"150 here"}  # and no reply 226
            answers = REPLIES | more
            connection.sendall(b"220 ready\r\n")
            while (verb := connection.recv(1000)[:4].strip()) in answers:
                connection.sendall(answers[verb] + b"\r\n")
                if verb == b"RETR":
                    with listener.accept()[0] as data:
                        data.sendall(b"content")

    with Loopback(serve) as server:
        for _ in range(2):
            assert read(client, f"ftp://{server.address}/file", options={"range": Range(0, 3)}) == b"con"
    assert events.logins == 2
