"""Credentials that the caller gives in advance, and bearer tokens: where they go, and where they never go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest
from opening import content_of

from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes_access import Client, Credentials, Policy, TraceEvent
from urlschemes_access.errors import AuthRequired
from urlschemes_servers import Certificates, make_certificates
from urlschemes_servers.http import HttpAddress, HttpRequest, HttpResponse, echo, http_server, redirect

HERE = Policy.interactive()
JOE = Credentials("joe", "secret")
JOE_SENT = "Basic am9lOnNlY3JldA=="
TOKEN = Credentials(token="opensesame-1234")
TOKEN_SENT = "Bearer opensesame-1234"


@pytest.fixture(scope="module")
def certificates() -> Certificates:
    return make_certificates()


@pytest.fixture
def server(certificates: Certificates) -> Iterator[HttpAddress]:
    with http_server(handler=echo, writable=True, tls=certificates.server) as server:
        yield server


@pytest.fixture
def client(certificates: Certificates) -> Client:
    return Client(policy=HERE, ssl_context=certificates.client())


def read(client: Client, url: str, **arguments: Any) -> bytes:
    return content_of(url, client, **arguments)


def sent(server: HttpAddress) -> list[str | None]:
    """Return what each request had as Authorization."""
    return [request.headers.get("Authorization") for request in server.requests]


@pytest.mark.parametrize(("login", "expected"), [(JOE, JOE_SENT), (TOKEN, TOKEN_SENT)])
def test_credentials_given_as_a_value_are_sent_at_once(
    server: HttpAddress, client: Client, login: Credentials, expected: str
) -> None:
    events: list[TraceEvent] = []
    read(client, f"https://{server}/a", credentials=login, trace=events.append)
    client.find_attributes(f"https://{server}/a", credentials=login)
    assert sent(server) == [expected] * 2
    octets = b"".join(event.octets for event in events)
    assert b"Authorization: " in octets
    assert expected.split()[1].encode() not in octets
    assert "opensesame" not in repr(login)


@pytest.mark.parametrize("operation", ["replace", "delete"])
def test_requests_that_write_have_the_login_too(certificates: Certificates, client: Client, operation: str) -> None:
    with http_server(handler=HttpResponse(204), tls=certificates.server) as server:
        content = b"x" if operation == "replace" else None
        client.operate(operation, f"https://{server}/a", content, credentials=TOKEN)
        assert sent(server) == [TOKEN_SENT]


@pytest.mark.parametrize("asks", [False, True])
@pytest.mark.parametrize("login", [JOE, TOKEN])
def test_they_go_to_no_other_origin_and_not_back_from_one(
    certificates: Certificates, client: Client, login: Credentials, asks: bool
) -> None:
    def first(request: HttpRequest) -> HttpResponse:
        if asks and request.target == "/a" and "Authorization" not in request.headers:
            return HttpResponse(401, headers=[("WWW-Authenticate", 'Basic realm="x", Bearer')])
        places = {"/a": "/b", "/b": f"https://{other}/c"}
        return redirect(places[request.target]) if request.target in places else echo(request)

    def second(_: HttpRequest) -> HttpResponse:
        return redirect(f"https://{server}/d")

    with (
        http_server(handler=first, tls=certificates.server) as server,
        http_server(handler=second, tls=certificates.server) as other,
    ):
        credentials = (lambda _: login) if asks else login
        assert read(client, f"https://{server}/a", credentials=credentials) == b"/d"
        assert [authorization is None for authorization in sent(server)] == [True] * asks + [False, False, True]
        assert sent(other) == [None]


def test_they_are_not_given_to_another_server_that_asks(certificates: Certificates, client: Client) -> None:
    asks = HttpResponse(401, headers=[("WWW-Authenticate", "Bearer")])
    with http_server(handler=asks, tls=certificates.server) as other:
        away = redirect(f"https://{other}/")
        with http_server(handler=away, tls=certificates.server) as server, pytest.raises(AuthRequired):
            read(client, f"https://{server}/", credentials=TOKEN)
        assert sent(other) == [None]


@pytest.mark.parametrize(("login", "expected"), [(JOE, JOE_SENT), (TOKEN, None)])
def test_http_sends_a_password_to_a_loopback_address_but_no_token(
    client: Client, login: Credentials, expected: str | None
) -> None:
    with http_server(handler=echo) as server:
        for operate in (read, lambda *to, **by: Client.replace(*to, b"x", **by), Client.delete):
            with nullcontext() if expected else pytest.raises(UnsupportedOperation, match="over https only"):
                operate(client, f"http://{server}/", credentials=login)
        assert sent(server) == ([expected] * 3 if expected else [])
    asks = HttpResponse(401, headers=[("WWW-Authenticate", 'Basic realm="x", Bearer')])
    with http_server(handler=asks) as server:
        for operate in (read, Client.find_attributes, Client.delete):
            with pytest.raises(AuthRequired):
                operate(client, f"http://{server}/", credentials=lambda _: login)
    assert {*sent(server)} == {None, expected}


def test_a_gateway_gets_none(certificates: Certificates) -> None:
    with http_server(handler=echo, tls=certificates.server) as server:
        gateways = {"wais": f"https://{server}/?{{url}}"}
        client = Client(policy=HERE, ssl_context=certificates.client(), gateways=gateways)
        read(client, f"wais://{server}/db", credentials=JOE)
        assert sent(server) == [None]


def test_a_login_that_is_refused_is_sent_once(certificates: Certificates, client: Client) -> None:
    asks = HttpResponse(401, headers=[("WWW-Authenticate", "Bearer")])
    with http_server(handler=asks, tls=certificates.server) as server:
        with pytest.raises(AuthRequired, match="the login was refused"):
            read(client, f"https://{server}/", credentials=TOKEN)
        with pytest.raises(AuthRequired):
            client.delete(f"https://{server}/", credentials=TOKEN)
        assert sent(server) == [TOKEN_SENT] * 2


@pytest.mark.parametrize(
    ("challenge", "login", "message"),
    [
        ("Bearer", TOKEN, None),
        ('bearer error="invalid_token"', TOKEN, None),
        ('Basic realm="x"', TOKEN, "requires a user name and a password, not a token"),
        ("Bearer", JOE, "requires a token, not a user name and a password"),
        ('Basic realm="x"', None, r"requires a user name and a password for 'x'; credentials=\.\.\. logs in$"),
        ("Bearer", None, r"requires a token; Credentials\(token=\.\.\.\) sends a token$"),
        ("Digest", TOKEN, "only Basic and Bearer are supported"),
        ("Bearer", Credentials(token="a b"), "a bearer token must consist of"),
    ],
)
def test_a_function_may_return_a_token_where_the_server_asks_for_one(
    certificates: Certificates, client: Client, challenge: str, login: Credentials | None, message: str | None
) -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        known = request.headers.get("Authorization") == TOKEN_SENT
        return echo(request) if known else HttpResponse(401, headers=[("WWW-Authenticate", challenge)])

    with http_server(handler=answer, tls=certificates.server) as server:
        if message is None:
            assert read(client, f"https://{server}/", credentials=lambda _: login) == b"/"
        else:
            with pytest.raises(AuthRequired, match=message):
                read(client, f"https://{server}/", credentials=lambda _: login)


def test_a_client_has_no_credentials_for_every_server() -> None:
    with pytest.raises(TypeError, match="credentials must be a function, not Credentials; pass it to one operation"):
        Client(credentials=JOE)


def test_credentials_that_cannot_be_sent_are_refused_before_anything_is_sent(
    server: HttpAddress, client: Client
) -> None:
    with pytest.raises(ValueError, match="not both"):
        Credentials("joe", token="x")
    for login, error in ((Credentials("a:b"), AuthRequired), (Credentials(token="a\r\nb"), UnsafeURL)):
        with pytest.raises(error):
            read(client, f"https://{server}/", credentials=login)
    assert server.requests == []
