"""Connections to news servers that a client keeps open."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from urlschemes_access import Client, Credentials, Document, Policy, TraceEvent
from urlschemes_access.errors import AccessError, AuthRequired, RemoteError
from urlschemes_servers.nntp import Newsgroup, article, nntp_server
from urlschemes_testing.loopback import Loopback

HERE = Policy.interactive()
GROUPS = {"misc.test": Newsgroup([article("One", "First.\n"), article("Two", "Second.\n")])}
CLEARTEXT = {"allow_cleartext": True}


class Events(list[TraceEvent]):
    """The events of several operations."""

    def __call__(self, event: TraceEvent) -> None:
        self.append(event)

    @property
    def connections(self) -> int:
        """The connections made, without those that were kept open."""
        return sum(event.kind == "connect" and "kept open" not in event.text for event in self)

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


def read(client: Client, url: str, **arguments: object) -> bytes:
    with client.access(url, **arguments) as document:  # type: ignore[arg-type]  # the tests pass what is valid
        assert isinstance(document, Document)
        return document.read()


@pytest.mark.parametrize("mode_reader", [False, True])
def test_a_client_uses_one_connection_for_several_articles(client: Client, events: Events, mode_reader: bool) -> None:
    with nntp_server(GROUPS, mode_reader=mode_reader) as server:
        for _ in range(2):
            assert b"First." in read(client, f"nntp://{server}/misc.test/1")
            assert b"Second." in read(client, f"nntp://{server}/misc.test/2")
        with client.access(f"nntp://{server}/misc.test") as listing:
            assert len(list(listing)) == 2  # type: ignore[arg-type]  # it is a listing
        client.update(f"nntp://{server}/misc.test", article("Three", "Third.\n"))
        assert b"Third." in read(client, f"nntp://{server}/misc.test/3")
    assert (events.connections, events.sent.count(b"MODE READER"), events.sent.count(b"QUIT")) == (1, mode_reader, 0)


def test_a_login_is_kept_for_the_same_credentials_only(events: Events) -> None:
    def joe(_: object) -> Credentials:
        return Credentials("joe", "secret")

    with nntp_server(GROUPS, users={"joe": "secret"}) as server, Client(policy=HERE, trace=events) as client:
        url = f"nntp://{server}/misc.test/1"
        for _ in range(2):
            read(client, url, credentials=joe, options=CLEARTEXT)
        assert (events.connections, events.sent.count(b"AUTHINFO USER joe")) == (1, 1)
        with pytest.raises(AuthRequired):
            read(client, url, options=CLEARTEXT)
        with pytest.raises(AuthRequired):
            read(client, url, credentials=joe)
        with pytest.raises(AuthRequired):
            read(client, url, credentials=lambda _: Credentials("joe", "wrong"), options=CLEARTEXT)


def test_a_refusal_ends_the_connection(client: Client, events: Events) -> None:
    with nntp_server(GROUPS) as server:
        with pytest.raises(RemoteError):
            read(client, f"nntp://{server}/misc.test/9")
        read(client, f"nntp://{server}/misc.test/1")
    assert events.connections == 2


CAPABILITIES = b"101\r\nREADER\r\n.\r\n"
GROUP = b"211 1 1 1 misc.test\r\n"
ARTICLE = b"220 1 <1@x>\r\nSubject: x\r\n\r\nFirst.\r\n.\r\n"


def scripted(connection: socket.socket, *, last: bytes | None) -> None:
    """Serve one article; then send `last` for GROUP, or close, as an empty `last` does at once."""
    connection.sendall(b"200 ready\r\n")
    for reply in (CAPABILITIES, GROUP, ARTICLE):
        connection.recv(1000)
        connection.sendall(reply)
    if last is not None:
        connection.recv(1000)
        connection.sendall(last)


@pytest.mark.parametrize(("last", "connections"), [(None, 2), (b"", 2), (b"205 timeout\r\n", None)])
def test_a_connection_that_the_server_closed_is_replaced_before_its_first_answer(
    client: Client, last: bytes | None, connections: int | None
) -> None:
    made: list[socket.socket] = []

    def serve(connection: socket.socket) -> None:
        made.append(connection)
        scripted(connection, last=last if len(made) == 1 else None)

    with Loopback(serve) as server:
        url = f"nntp://{server.address}/misc.test/1"
        assert b"First." in read(client, url)
        if connections is None:  # an answer is an answer
            with pytest.raises(AccessError):
                read(client, url)
        else:
            assert b"First." in read(client, url)
            assert len(made) == connections


def test_a_connection_with_octets_after_an_article_is_not_kept(client: Client) -> None:
    answers = {b"CAPAB": CAPABILITIES, b"GROUP": GROUP, b"ARTIC": ARTICLE + b"400 idle\r\n"}
    made: list[socket.socket] = []

    def serve(connection: socket.socket) -> None:
        made.append(connection)
        connection.sendall(b"200 ready\r\n")
        while (verb := connection.recv(1000)[:5]) in answers:
            connection.sendall(answers[verb])

    with Loopback(serve) as server:
        for _ in range(2):
            assert b"First." in read(client, f"nntp://{server.address}/misc.test/1")
    assert len(made) == 2
