"""https over real sockets: who is trusted, what is never sent, and servers that misbehave below HTTP."""

import socket
import ssl
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import urlschemes_access
from urlschemes_access import Credentials, Document, Limits, Policy
from urlschemes_access.errors import AccessError, DeadlineExceeded, RedirectRefused, TLSError, Truncated
from urlschemes_access.protocol import Authenticate
from urlschemes_access.trace_event import TraceEvent
from urlschemes_servers.http import HttpRequest, HttpResponse, echo, http_server, redirect
from urlschemes_testing.loopback import Loopback

CERTIFICATES = Path(__file__).parent / "certificates"
HERE = Policy.interactive()
IMPATIENT = replace(HERE, limits=Limits(deadline=1, connect=0.4, first_octet=0.4, idle=0.4))


def identity(name: str) -> ssl.SSLContext:
    """What a server needs to be `name`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / f"{name}.pem")
    return context


@pytest.fixture(scope="module")
def trust() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=CERTIFICATES / "authority.pem")


def opened(url: str, context: ssl.SSLContext | None, policy: Policy = HERE) -> Document:
    resource = urlschemes_access.access(url, policy=policy, ssl_context=context)
    assert isinstance(resource, Document)
    return resource


def test_content_and_target(trust: ssl.SSLContext) -> None:
    with http_server(handler=echo, tls=identity("good")) as server:
        with opened(f"https://{server}/a%2fb?x", trust) as document:
            assert document.read() == b"/a%2fb?x"
        assert server.requests[0].headers["Host"] == str(server)


def test_name_of_the_host(trust: ssl.SSLContext) -> None:
    with http_server(handler=echo, tls=identity("good")) as server:
        with opened(f"https://localhost:{server.port}/", trust) as document:
            assert document.read() == b"/"
        assert server.requests[0].headers["Host"] == f"localhost:{server.port}"


@pytest.mark.parametrize(
    ("name", "trusting", "why"),
    [
        ("self-signed", True, "self"),
        ("good", False, "issuer"),
        ("other-host", True, "127.0.0.1"),
        ("expired", True, "expired"),
    ],
)
def test_b07_nothing_is_sent_to_who_cannot_be_trusted(
    name: str, trusting: bool, why: str, trust: ssl.SSLContext
) -> None:
    traced: list[TraceEvent] = []
    with http_server(handler=echo, tls=identity(name)) as server:
        with pytest.raises(TLSError) as refused:
            urlschemes_access.access(
                f"https://{server}/", policy=HERE, ssl_context=trust if trusting else None, trace=traced.append
            )
        assert server.requests == []
    assert why in str(refused.value)
    assert "send" not in {event.kind for event in traced}


@pytest.mark.parametrize(
    "octets", [b"220 smtp.example ESMTP\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", b"\x15\x03\x03\0\2\2\x28"]
)
def test_b08_what_is_no_tls(octets: bytes, trust: ssl.SSLContext) -> None:
    with (
        Loopback(lambda connection: connection.sendall(octets)) as server,
        pytest.raises(AccessError) as refused,
    ):
        urlschemes_access.access(f"https://{server.address}/", policy=HERE, ssl_context=trust)
    assert isinstance(refused.value, TLSError)


def test_b08_a_handshake_that_hangs(trust: ssl.SSLContext) -> None:
    with Loopback(waits) as server, pytest.raises(DeadlineExceeded) as late:
        urlschemes_access.access(f"https://{server.address}/", policy=IMPATIENT, ssl_context=trust)
    assert late.value.phase == "tls"


def waits(connection: socket.socket) -> None:
    """Take whatever comes, and say nothing."""
    while connection.recv(65536):
        pass


def cut(octets: bytes) -> Callable[[socket.socket], None]:
    """Say `octets` over TLS, and close the connection below it without TLS's own end."""

    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(octets)
        socket.socket.shutdown(connection, socket.SHUT_RDWR)  # that of ssl.SSLSocket would forget TLS as well

    return serve


@pytest.mark.parametrize(
    "head", [b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n"], ids=["length", "close"]
)
def test_a_connection_that_is_cut_below_tls_is_no_end_of_a_body(head: bytes, trust: ssl.SSLContext) -> None:
    with (
        Loopback(cut(head + b"hello"), tls=identity("good")) as server,
        opened(f"https://{server.address}/", trust) as document,
        pytest.raises(Truncated) as short,
    ):
        document.read()
    assert (short.value.received, short.value.partial) == (5, b"hello")


def test_a_body_that_is_whole_needs_no_end_of_tls(trust: ssl.SSLContext) -> None:
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    with (
        Loopback(cut(whole), tls=identity("good")) as server,
        opened(f"https://{server.address}/", trust) as document,
    ):
        assert document.read() == b"hello"


def test_b22_from_http_to_https_and_never_back(trust: ssl.SSLContext) -> None:
    with http_server(handler=echo) as clear:
        back = {"/": redirect(f"http://{clear}/stolen"), "/ok": echo}
        with http_server(handler=back, tls=identity("good")) as safe:
            to_ok = redirect(f"https://{safe}/ok")
            with http_server(handler=to_ok) as start, opened(f"http://{start}/", trust) as document:
                assert document.read() == b"/ok"
                assert document.url.scheme == "https"
            with http_server(handler=redirect(f"https://{safe}/")) as start:
                for url in (f"http://{start}/", f"https://{safe}/"):
                    with pytest.raises(RedirectRefused):
                        urlschemes_access.access(url, policy=HERE, ssl_context=trust)
        assert clear.requests == []


def test_b22_a_login_stays_with_the_host_and_port_that_asked(trust: ssl.SSLContext) -> None:
    def vault(request: HttpRequest) -> HttpResponse:
        if request.headers["Authorization"] != "Basic am9lOnNlY3JldA==":
            return HttpResponse(401, b"", [("WWW-Authenticate", 'Basic realm="vault"')])
        return redirect(f"https://{other}/") if request.target == "/out" else HttpResponse(200, b"gold")

    asked: list[tuple[str, int, str]] = []
    traced: list[TraceEvent] = []

    def login(question: Authenticate) -> Credentials:
        asked.append((question.host, question.port, question.realm))
        return Credentials("joe", "secret")

    with (
        http_server(handler=echo, tls=identity("good")) as other,
        http_server(handler=vault, tls=identity("good")) as server,
    ):
        for path, content in (("/in", b"gold"), ("/out", b"/")):
            resource = urlschemes_access.access(
                f"https://{server}{path}", policy=HERE, ssl_context=trust, credentials=login, trace=traced.append
            )
            assert isinstance(resource, Document)
            assert resource.read() == content
        assert asked == [(server.host, server.port, "vault")] * 2
        assert [request.headers["Authorization"] for request in other.requests] == [None]
    said = b"".join(event.octets for event in traced)
    assert b"Authorization: Basic ***" in said
    assert b"am9lOnNlY3JldA==" not in said
