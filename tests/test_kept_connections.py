"""Connections that a client keeps open, for each scheme that has them: when they serve another operation."""

from __future__ import annotations

import asyncio
import pickle
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from opening import HERE, content_of

import urlschemes_access
from urlschemes_access import AsyncClient, Client, Credentials, Policy, Range, TraceEvent
from urlschemes_access.errors import AccessError, AuthRequired, ConnectError, PolicyDenied, RemoteError
from urlschemes_servers import make_certificates
from urlschemes_servers.ftp import FtpUser, ftp_server
from urlschemes_servers.http import HttpAddress, HttpRequest, HttpResponse, chunked, echo, http_server, redirect
from urlschemes_servers.nntp import Newsgroup, article, nntp_server
from urlschemes_testing.loopback import Loopback

JOE = Credentials("joe", "secret")


def answer(request: HttpRequest) -> HttpResponse:
    if request.target == "/moved":
        return redirect("/here")
    if request.target == "/missing":
        return HttpResponse(404, b"missing")
    if request.target == "/chunked":
        return chunked(b"/chu", b"nked")
    return HttpResponse(200, request.target.encode(), [("Connection", "close")] if "close" in request.target else ())


@dataclass(frozen=True)
class Kept:
    """A scheme: a server, with a user joe or without; a URL of nothing, others with their contents; and a dialogue.

    The dialogue has the greeting, and the reply to each command of one operation on `url`, which reads `content`.
    """

    serve: Callable[[Path, bool], AbstractContextManager[Any]]
    missing: str
    reads: Mapping[str, bytes]
    url: str
    content: bytes
    greeting: bytes
    replies: Mapping[bytes, bytes]


GROUPS = {"misc.test": Newsgroup([article("One", "First.\n"), article("Two", "Second.\n")])}
SCHEMES = {
    "ftp": Kept(
        lambda folder, users: ftp_server(folder, {"joe": FtpUser("secret")}, anonymous=not users),
        "ftp://{}/missing",
        {
            "ftp://{}/a/b%20%22c%22/file": b'/a/b "c"/file',
            "ftp://{}/a/file": b"/a/file",
            "ftp://{}/file;type=a": b"/file",
        },
        "ftp://{}/;type=d",
        b"",
        b"220 ready\r\n",
        {
            b"USER": b"331 password\r\n",
            b"PASS": b"230 in\r\n",
            b"PWD": b'257 "/in" is current\r\n',
            b"TYPE": b"200 binary\r\n",
            b"FEAT": b"500 unknown\r\n",
            b"MDTM": b"213 19940101000000\r\n",
            b"SIZE": b"213 7\r\n",
        },
    ),
    "http": Kept(
        lambda _, __: http_server(handler=answer),
        "http://{}/missing",
        {"http://{}/": b"/", "http://{}/chunked": b"/chunked", "http://{}/a": b"/a"},
        "http://{}/",
        b"ok",
        b"",
        {b"GET": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"},
    ),
    "nntp": Kept(
        lambda _, users: nntp_server(GROUPS, users={"joe": "secret"} if users else None),
        "nntp://{}/misc.test/9",
        {f"nntp://{{}}/misc.test/{number}": octets for number, octets in enumerate(GROUPS["misc.test"].articles, 1)},
        "nntp://{}/misc.test/1",
        b"Subject: x\r\n\r\nFirst.\r\n",
        b"200 ready\r\n",
        {
            b"CAPABILITIES": b"101\r\nREADER\r\n.\r\n",
            b"GROUP": b"211 1 1 1 misc.test\r\n",
            b"ARTICLE": b"220 1 <1@x>\r\nSubject: x\r\n\r\nFirst.\r\n.\r\n",
        },
    ),
}
for_each_scheme = pytest.mark.parametrize("name", SCHEMES)


class Events(list[TraceEvent]):
    """The events of several operations."""

    def __call__(self, event: TraceEvent) -> None:
        self.append(event)

    @property
    def connections(self) -> int:
        """The connections made, without those that were kept open and those for data."""
        return sum(each.kind == "connect" and "kept open" not in each.text and each.peer != "data" for each in self)

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
    for folder in ("", "a/", 'a/b "c"/', '"home"/a/'):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "file").write_text(f"/{folder}file")
    return tmp_path


@pytest.fixture
def web() -> Iterator[HttpAddress]:
    with http_server(handler=answer) as server:
        yield server


def read(client: Client, url: str, **arguments: Any) -> bytes:
    return content_of(url, client, **arguments)


@for_each_scheme
def test_one_connection_serves_several_operations(client: Client, events: Events, site: Path, name: str) -> None:
    scheme = SCHEMES[name]
    with scheme.serve(site, False) as server:
        for _ in range(2):
            for url, content in scheme.reads.items():
                assert read(client, url.format(server)) == content
                client.find_attributes(url.format(server))
    assert (events.connections, events.sent.count(b"QUIT")) == (1, 0)
    assert [events.sent.count(word) for word in (b"USER ", b"PWD", b"CAPABILITIES")] in ([1, 1, 0], [0, 0, 1], [0] * 3)


@for_each_scheme
def test_an_error_or_a_document_that_is_not_read_to_its_end_ends_the_connection(
    client: Client, events: Events, site: Path, name: str
) -> None:
    scheme = SCHEMES[name]
    url = [*scheme.reads][-1]
    with scheme.serve(site, False) as server:
        with pytest.raises(RemoteError):
            read(client, scheme.missing.format(server))
        for octets in (0, 1):
            with client.open_document(url.format(server)) as document:
                document.read(octets)
        read(client, url.format(server))
    assert events.connections == 4


@for_each_scheme
def test_a_connection_is_kept_for_the_same_credentials(client: Client, events: Events, site: Path, name: str) -> None:
    scheme = SCHEMES[name]
    options = {"allow_cleartext": True} if name == "nntp" else {}
    with scheme.serve(site, True) as server:
        url = [*scheme.reads][-1].format(server).replace("ftp://", "ftp://joe@")
        for number, credentials in enumerate((lambda _: JOE, lambda _: JOE), 1):
            for _ in range(2):
                read(client, url, credentials=credentials, options=options)
                assert events.connections == number
        if name == "http":  # whose server asks nobody
            return
        for wrong in (None, lambda _: Credentials("joe", "wrong")):
            with pytest.raises(AuthRequired):
                read(client, url, credentials=wrong, options=options)


@for_each_scheme
def test_the_policy_of_each_operation_is_checked(client: Client, events: Events, site: Path, name: str) -> None:
    scheme = SCHEMES[name]
    with scheme.serve(site, False) as server:
        url = [*scheme.reads][-1].format(server)
        read(client, url)
        sent = events.sent
        for strict in (
            Policy.untrusted(),
            replace(HERE, denied_networks=("127.0.0.1",)),
            replace(HERE, hosts=frozenset({"x.dom"})),
        ):
            with pytest.raises(PolicyDenied):
                read(client, url, policy=strict)
    assert events.sent == sent


# What a server can do to a connection


def scripted(name: str, *, last: bytes | None = b"", after: Callable[[socket.socket], None] | None = None) -> Any:
    """Return a function that serves one operation; a client that asks for more gets `last`, and the connection ends.

    With None, it ends at once. With `after`, which is called after each operation, there may be any number.
    """
    scheme = SCHEMES[name]

    def serve(connection: socket.socket) -> None:
        connection.sendall(scheme.greeting)
        replies = dict(scheme.replies)
        while octets := connection.recv(65536):
            reply = replies.pop(octets.split()[0], last or b"")
            connection.sendall(reply)
            if reply == last or not reply:
                return
            if not replies and last is None:
                return
            if not replies and after:
                after(connection)
                replies = dict(scheme.replies)

    return serve


def operated(client: Client, name: str, server: Loopback) -> None:
    """Carry out the operation of the dialogue: `find attributes` by ftp, which needs no other connection."""
    url = SCHEMES[name].url.format(server.address)
    if name == "ftp":
        assert client.find_attributes(url.replace(";type=d", "file")).size == 7
    else:
        assert read(client, url) == SCHEMES[name].content


@pytest.mark.parametrize(
    ("name", "last"),
    [
        *((name, last) for name in SCHEMES for last in (None, b"")),
        *(("ftp", last) for last in (b"421 timeout\r\n", b"550 no such directory\r\n", b"?\r\n")),
    ],
)
def test_a_connection_that_the_server_ended_is_replaced(
    client: Client, events: Events, name: str, last: bytes | None
) -> None:
    with Loopback(scripted(name, last=last)) as server:
        for _ in range(2):
            operated(client, name, server)
    assert events.connections == 2
    assert events.sent.count(b"CWD /in") <= 1


def test_an_answer_is_an_answer(client: Client, events: Events) -> None:
    with Loopback(scripted("nntp", last=b"205 timeout\r\n")) as server:
        operated(client, "nntp", server)
        with pytest.raises(AccessError, match="205"):
            operated(client, "nntp", server)
    assert events.connections == 1


EVIL = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"


def test_a_request_over_a_new_connection_is_not_repeated(client: Client) -> None:
    with Loopback(lambda _: None) as server, pytest.raises(ConnectError):
        operated(client, "http", server)


@pytest.mark.parametrize(
    ("name", "stray", "later"),
    [
        ("http", EVIL, False),
        ("http", EVIL, True),
        ("nntp", b"400 idle\r\n", False),
        ("ftp", b"421 idle\r\n", False),
    ],
)
def test_what_a_server_sends_unasked_is_no_response(
    client: Client, events: Events, monkeypatch: pytest.MonkeyPatch, name: str, stray: bytes, later: bool
) -> None:
    sent = threading.Event()

    def speak(connection: socket.socket) -> None:
        if later:
            connection.sendall(stray)
        sent.set()

    if not later:
        command, reply = [*SCHEMES[name].replies.items()][-1]
        replies = {**SCHEMES[name].replies, command: reply + stray}
        monkeypatch.setitem(SCHEMES, name, replace(SCHEMES[name], replies=replies))
    with Loopback(scripted(name, after=speak)) as server:
        for _ in range(2):
            operated(client, name, server)
            assert sent.wait(60)
    assert (events.connections, events.sent.count(b"QUIT")) == (2, 0 if name == "http" else 2)


# ftp: the directory of the login


def test_each_path_begins_at_the_directory_of_the_login(client: Client, events: Events, site: Path) -> None:
    with ftp_server(site, {"joe": FtpUser("secret", home='/"home"', writable=True)}) as server:
        url = f"ftp://joe:secret@{server}"
        for _ in range(2):
            assert read(client, f"{url}/a/file") == b'/"home"/a/file'
            assert read(client, f"{url}/%2Fa/file") == b"/a/file"
        with client.access(f"{url}/a/;type=d") as listing:
            assert len(list(listing)) == 1  # type: ignore[arg-type]  # it is a listing
        client.replace(f"{url}/a/new", b"new")
        client.update(f"{url}/a/new", b"er")
        assert read(client, f"{url}/a/new") == b"newer"
        client.delete(f"{url}/a/new")
    assert (events.connections, (site / '"home"/a/new').exists()) == (1, False)


def test_a_login_of_the_url_is_kept_for_the_same_user_and_password(client: Client, events: Events, site: Path) -> None:
    with ftp_server(site, {"joe": FtpUser("secret")}) as server:
        for login in ("", "joe:secret@", "", "joe:secret@"):
            read(client, f"ftp://{login}{server}/file")
        assert events.connections == 2
        with pytest.raises(AuthRequired):
            read(client, f"ftp://joe:wrong@{server}/file")


@pytest.mark.parametrize("reply", [b"500 unknown\r\n", b"257 none\r\n", b'257 "a\x01b"\r\n'])
def test_nothing_is_kept_if_the_login_directory_is_not_known(
    client: Client, events: Events, monkeypatch: pytest.MonkeyPatch, reply: bytes
) -> None:
    replies = {**SCHEMES["ftp"].replies, b"PWD": reply}
    monkeypatch.setitem(SCHEMES, "ftp", replace(SCHEMES["ftp"], replies=replies))
    with Loopback(scripted("ftp")) as server:
        for _ in range(2):
            operated(client, "ftp", server)
    assert (events.connections, events.sent.count(b"QUIT")) == (2, 2)


def test_nothing_is_kept_after_a_part_whose_reply_is_not_awaited(client: Client, events: Events) -> None:
    def serve(connection: socket.socket) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            more = {
                b"CWD": b"250 in\r\n",
                b"EPSV": b"229 (|||%d|)\r\n" % port,
                b"RETR": b"150 here\r\n",
            }  # and no reply 226
            replies = {**SCHEMES["ftp"].replies, **more}
            connection.sendall(b"220 ready\r\n")
            while (verb := connection.recv(1000)[:4].strip()) in replies:
                connection.sendall(replies[verb])
                if verb == b"RETR":
                    with listener.accept()[0] as data:
                        data.sendall(b"content")

    with Loopback(serve) as server:
        for _ in range(2):
            assert read(client, f"ftp://{server.address}/file", options={"range": Range(0, 3)}) == b"con"
    assert events.connections == 2


# nntp


def test_a_group_and_posting_use_the_connection_of_the_articles(client: Client, events: Events) -> None:
    with nntp_server(GROUPS, mode_reader=True) as server:
        for _ in range(2):
            assert b"First." in read(client, f"nntp://{server}/misc.test/1")
        with client.access(f"nntp://{server}/misc.test") as listing:
            assert len(list(listing)) == 2  # type: ignore[arg-type]  # it is a listing
        client.update(f"nntp://{server}/misc.test", article("Three", "Third.\n"))
        assert b"Third." in read(client, f"nntp://{server}/misc.test/3")
    assert (events.connections, events.sent.count(b"MODE READER")) == (1, 1)


def test_on_a_connection_that_replaces_another_the_client_logs_in_again(client: Client, events: Events) -> None:
    capabilities, group, article = SCHEMES["nntp"].replies.values()

    def serve(connection: socket.socket) -> None:
        for reply in (b"200 ready\r\n", capabilities, b"480 who?\r\n", b"281 in\r\n", group, article):
            connection.sendall(reply)
            connection.recv(1000)

    def credentials(_: object) -> Credentials:
        return JOE

    with Loopback(serve) as server:
        url = SCHEMES["nntp"].url.format(server.address)
        for _ in range(2):
            content = read(client, url, credentials=credentials, options={"allow_cleartext": True})
            assert content == SCHEMES["nntp"].content
    assert (events.connections, events.sent.count(b"AUTHINFO")) == (2, 2)


# http


@pytest.mark.parametrize(
    "response",
    [
        EVIL,  # has a body, which the response to HEAD must not have
        b"HTTP/1.1 200 OK\r\nConnection: Upgrade, Close\r\nContent-Length: 4\r\n\r\n",
        b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\n",
    ],
)
def test_a_response_to_head_may_end_its_connection(client: Client, events: Events, response: bytes) -> None:
    def serve(connection: socket.socket) -> None:
        while connection.recv(65536):
            connection.sendall(response)

    with Loopback(serve) as server:
        for _ in range(2):
            assert client.find_attributes(f"http://{server.address}/").size == 4
    assert events.connections == 2


@pytest.mark.parametrize("tls", [False, True])
def test_an_asynchronous_client_keeps_connections_too(tls: bool) -> None:
    certificates = make_certificates()
    with http_server(handler=echo, tls=certificates.server if tls else None) as server:

        async def run() -> None:
            async with AsyncClient(policy=HERE, ssl_context=certificates.client()) as client:
                for _ in range(3):
                    async with await client.access(f"http{'s' * tls}://{server}/a") as document:
                        assert await document.read() == b"/a"  # type: ignore[union-attr]  # it is a document

        asyncio.run(run())
    assert len(server.connections) == 1


def test_nothing_is_kept_without_a_client_or_against_its_setting(web: HttpAddress) -> None:
    with urlschemes_access.access(f"http://{web}/", policy=HERE) as document:
        list(document)  # type: ignore[arg-type]  # it is a document
    read(Client(policy=HERE, keep_connections=False), f"http://{web}/")
    assert len(web.connections) == 2
    assert [request.headers["Connection"] for request in web.requests] == ["close", "close"]


@pytest.mark.parametrize("target", ["/close", "/moved"])
def test_a_response_may_end_its_connection(web: HttpAddress, client: Client, target: str) -> None:
    read(client, f"http://{web}{target}")
    read(client, f"http://{web}/")
    assert len(web.connections) == 2


def test_a_request_that_writes_has_a_connection_of_its_own(web: HttpAddress, client: Client) -> None:
    read(client, f"http://{web}/")
    client.replace(f"http://{web}/new", b"content")
    client.delete(f"http://{web}/new")
    assert len(web.connections) == 3


def test_closing_the_client_closes_the_connections_and_pickles_have_none(web: HttpAddress) -> None:
    client = Client(policy=HERE)
    read(client, f"http://{web}/")
    twin = pickle.loads(pickle.dumps(client))
    read(twin, f"http://{web}/")
    client.close()
    twin.close()
    read(client, f"http://{web}/")
    client.close()
    assert len(web.connections) == 3


def test_a_name_is_checked_by_the_address_that_is_connected(web: HttpAddress, client: Client) -> None:
    url = f"http://localhost:{web.port}/"
    read(client, url)
    with pytest.raises(PolicyDenied):
        read(client, url, policy=replace(HERE, denied_networks=("127.0.0.0/8", "::1/128")))
    assert len(web.requests) == 1


def test_other_trust_gets_another_connection(client: Client) -> None:
    certificates = make_certificates()
    first, second = certificates.client(), certificates.client()
    with http_server(handler=echo, tls=certificates.server) as server:
        for context, connections in ((first, 1), (first, 1), (second, 2), (first, 2)):
            read(client, f"https://{server}/", ssl_context=context)
            assert len(server.connections) == connections
