"""Connections that a client keeps open: when they serve another request, and when they must not."""

from __future__ import annotations

import asyncio
import pickle
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

import urlschemes_access
from urlschemes_access import AsyncClient, Client, Credentials, Document, Policy
from urlschemes_access.errors import ConnectError, PolicyDenied, RemoteError
from urlschemes_servers import make_certificates
from urlschemes_servers.http import HttpAddress, HttpRequest, HttpResponse, chunked, echo, http_server, redirect
from urlschemes_testing.loopback import Loopback

HERE = Policy.interactive()
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(policy=HERE) as client:
        yield client


@pytest.fixture
def server() -> Iterator[HttpAddress]:
    with http_server(handler=answer) as server:
        yield server


def answer(request: HttpRequest) -> HttpResponse:
    if request.target == "/moved":
        return redirect("/here")
    if request.target == "/missing":
        return HttpResponse(404, b"missing")
    if request.target == "/chunked":
        return chunked(b"/chu", b"nked")
    return HttpResponse(200, request.target.encode(), [("Connection", "close")] if "close" in request.target else ())


def read(client: Client, url: str, **arguments: object) -> bytes:
    with client.access(url, **arguments) as document:  # type: ignore[arg-type]  # the tests pass what is valid
        assert isinstance(document, Document)
        return document.read()


@pytest.mark.parametrize("target", ["/", "/chunked", "/a"])
def test_a_client_uses_one_connection_for_several_documents(server: HttpAddress, client: Client, target: str) -> None:
    for _ in range(4):
        assert read(client, f"http://{server}{target}") == target.encode()
    assert client.find_attributes(f"http://{server}/").size == 1
    assert read(client, f"http://{server}{target}") == target.encode()
    assert (len(server.connections), len(server.requests)) == (1, 6)


def test_an_asynchronous_client_keeps_connections_too(server: HttpAddress) -> None:
    async def run() -> None:
        async with AsyncClient(policy=HERE) as client:
            for _ in range(4):
                async with await client.access(f"http://{server}/a") as document:
                    assert await document.read() == b"/a"  # type: ignore[union-attr]  # it is a document

    asyncio.run(run())
    assert len(server.connections) == 1


def test_nothing_is_kept_without_a_client_or_against_its_setting(server: HttpAddress) -> None:
    with urlschemes_access.access(f"http://{server}/", policy=HERE) as document:
        list(document)  # type: ignore[arg-type]  # it is a document
    client = Client(policy=HERE, keep_connections=False)
    read(client, f"http://{server}/")
    assert len(server.connections) == 2
    assert [request.headers["Connection"] for request in server.requests] == ["close", "close"]


@pytest.mark.parametrize("target", ["/close", "/moved", "/missing", "unread", "partly"])
def test_a_response_that_does_not_end_in_good_order_ends_its_connection(
    server: HttpAddress, client: Client, target: str
) -> None:
    url = f"http://{server}{target if target.startswith('/') else '/a'}"
    if target == "/missing":
        with pytest.raises(RemoteError):
            client.access(url)
    else:
        with client.access(url) as document:
            assert isinstance(document, Document)
            if target != "unread":
                document.read(1 if target == "partly" else -1)
    read(client, f"http://{server}/")
    assert len(server.connections) == 2


def test_a_request_that_writes_has_a_connection_of_its_own(server: HttpAddress, client: Client) -> None:
    read(client, f"http://{server}/")
    client.replace(f"http://{server}/new", b"content")
    client.delete(f"http://{server}/new")
    assert len(server.connections) == 3


def test_closing_the_client_closes_the_connections_and_pickles_have_none(server: HttpAddress, client: Client) -> None:
    read(client, f"http://{server}/")
    pickle.loads(pickle.dumps(Client(policy=HERE)))
    twin = pickle.loads(pickle.dumps(client))
    read(twin, f"http://{server}/")
    client.close()
    twin.close()
    read(client, f"http://{server}/")
    assert len(server.connections) == 3


# What a server can do to a kept connection


def serving(*functions: Callable[[socket.socket], None]) -> Loopback:
    """Return a server that gives each connection to the next function."""
    following = iter(functions)

    def serve(connection: socket.socket) -> None:
        next(following)(connection)

    return Loopback(serve)


def answers(connection: socket.socket, *, then: bytes = b"") -> None:
    """Answer one request."""
    connection.recv(65536)
    connection.sendall(OK + then)


def answers_and_waits(connection: socket.socket) -> None:
    """Answer one request, wait for the next one, and close."""
    answers(connection)
    connection.recv(65536)


def test_a_connection_that_the_server_closed_is_not_used(client: Client) -> None:
    with serving(answers, answers) as server:
        assert read(client, f"http://{server.address}/") == b"ok"
        assert read(client, f"http://{server.address}/") == b"ok"


def test_a_request_is_repeated_if_the_server_closes_instead_of_answering(client: Client) -> None:
    with serving(answers_and_waits, answers) as server:
        assert read(client, f"http://{server.address}/") == b"ok"
        assert read(client, f"http://{server.address}/") == b"ok"


def test_a_request_over_a_new_connection_is_not_repeated(client: Client) -> None:
    with serving(lambda connection: None, answers) as server, pytest.raises(ConnectError):
        read(client, f"http://{server.address}/")


@pytest.mark.parametrize("when", ["at once", "later"])
def test_what_a_server_sends_unasked_is_no_response(client: Client, when: str) -> None:
    stray = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    sent = threading.Event()

    def speaks_unasked(connection: socket.socket) -> None:
        answers(connection, then=stray if when == "at once" else b"")
        if when == "later":
            connection.sendall(stray)
        sent.set()
        connection.recv(65536)

    with serving(speaks_unasked, answers) as server:
        for _ in range(2):
            assert read(client, f"http://{server.address}/") == b"ok"
            assert sent.wait(60)


# Whose connection it is


def test_the_policy_of_each_operation_is_checked(server: HttpAddress, client: Client) -> None:
    url = f"http://{server}/"
    read(client, url)
    for strict in (
        Policy.untrusted(),
        replace(HERE, denied_networks=("127.0.0.1",)),
        replace(HERE, hosts=frozenset({"x.dom"})),
    ):
        with pytest.raises(PolicyDenied):
            read(client, url, policy=strict)
    assert len(server.requests) == 1


def test_a_name_is_checked_by_the_address_that_is_connected(server: HttpAddress, client: Client) -> None:
    url = f"http://localhost:{server.port}/"
    read(client, url)
    with pytest.raises(PolicyDenied):
        read(client, url, policy=replace(HERE, denied_networks=("127.0.0.0/8", "::1/128")))
    assert len(server.requests) == 1


def test_other_credentials_or_trust_get_another_connection() -> None:
    certificates = make_certificates()
    first, second = certificates.client(), certificates.client()
    with http_server(handler=echo, tls=certificates.server) as server, Client(policy=HERE) as client:
        url = f"https://{server}/"
        for context, connections in ((first, 1), (first, 1), (second, 2), (first, 2)):
            read(client, url, ssl_context=context)
            assert len(server.connections) == connections
        read(client, url, ssl_context=first, credentials=lambda _: Credentials("joe", "secret"))
        assert len(server.connections) == 3


def test_tls_is_kept_by_both_kinds_of_clients() -> None:
    certificates = make_certificates()
    context: ssl.SSLContext = certificates.client()
    with http_server(handler=echo, tls=certificates.server) as server:

        async def run() -> None:
            async with AsyncClient(policy=HERE, ssl_context=context) as client:
                for _ in range(3):
                    async with await client.access(f"https://{server}/a") as document:
                        assert await document.read() == b"/a"  # type: ignore[union-attr]  # it is a document

        asyncio.run(run())
        with Client(policy=HERE, ssl_context=context) as client:
            for _ in range(3):
                assert read(client, f"https://{server}/a") == b"/a"
        assert len(server.connections) == 2
