"""HTTPS with servers on this machine: which are trusted, where logins go, and faults below HTTP."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from dataclasses import replace

import pytest
import trustme

import urlschemes_access
from urlschemes_access import Credentials, Document, Limits, Policy, TraceEvent
from urlschemes_access.errors import AccessError, DeadlineExceeded, RedirectRefused, TLSError, Truncated
from urlschemes_access.protocol import Authenticate
from urlschemes_servers import Certificates, make_certificates
from urlschemes_servers.http import HttpRequest, HttpResponse, echo, http_server, redirect
from urlschemes_testing.loopback import Loopback

HERE = Policy.interactive()


@pytest.fixture(scope="module")
def certificates() -> Certificates:
    return make_certificates()


@pytest.fixture(scope="module")
def identity(certificates: Certificates) -> ssl.SSLContext:
    """The TLS context of a server that the client trusts."""
    return certificates.server


@pytest.fixture(scope="module")
def trust(certificates: Certificates) -> ssl.SSLContext:
    """The TLS context of a client."""
    return certificates.client()


def opened(url: str, context: ssl.SSLContext | None, policy: Policy = HERE) -> Document:
    resource = urlschemes_access.access(url, policy=policy, ssl_context=context)
    assert isinstance(resource, Document)
    return resource


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_request_goes_to_the_host_of_the_url(host: str, identity: ssl.SSLContext, trust: ssl.SSLContext) -> None:
    with http_server(handler=echo, tls=identity) as server:
        with opened(f"https://{host}:{server.port}/a%2fb?x", trust) as document:
            assert document.read() == b"/a%2fb?x"
        assert server.requests[0].headers["Host"] == f"{host}:{server.port}"


def self_signed() -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Return the contexts of a server whose certificate is its own authority's, and of a client with another."""
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    with authority.private_key_pem.tempfile() as key, authority.cert_pem.tempfile() as certificate:
        context.load_cert_chain(certificate, key)
    return context, make_certificates().client()


def contexts(*names: str, expired: bool = False) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    made = make_certificates(*names, expired=expired)
    return made.server, made.client()


UNTRUSTED: dict[str, tuple[Callable[[], tuple[ssl.SSLContext, ssl.SSLContext | None]], str]] = {
    "self-signed": (self_signed, "self"),
    "an unknown authority": (lambda: (make_certificates().server, None), "issuer"),
    "another host": (lambda: contexts("other.dom"), "127.0.0.1"),
    "expired": (lambda: contexts(expired=True), "expired"),
}


@pytest.mark.fault(7)
@pytest.mark.parametrize("name", UNTRUSTED)
def test_nothing_is_sent_to_a_server_that_is_not_trusted(name: str) -> None:
    make_contexts, reason = UNTRUSTED[name]
    server_context, client_context = make_contexts()
    traced: list[TraceEvent] = []
    with http_server(handler=echo, tls=server_context) as server:
        with pytest.raises(TLSError) as refused:
            urlschemes_access.access(f"https://{server}/", policy=HERE, ssl_context=client_context, trace=traced.append)
        assert server.requests == []
    assert reason in str(refused.value)
    assert "send" not in {event.kind for event in traced}


@pytest.mark.fault(8)
@pytest.mark.parametrize(
    "octets", [b"220 smtp.example ESMTP\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", b"\x15\x03\x03\0\2\2\x28"]
)
def test_a_server_without_tls(octets: bytes, trust: ssl.SSLContext) -> None:
    with (
        Loopback(lambda connection: connection.sendall(octets)) as server,
        pytest.raises(AccessError) as refused,
    ):
        urlschemes_access.access(f"https://{server.address}/", policy=HERE, ssl_context=trust)
    assert isinstance(refused.value, TLSError)


@pytest.mark.fault(8)
def test_a_handshake_that_hangs(trust: ssl.SSLContext) -> None:
    impatient = replace(HERE, limits=Limits(connect=0.4))
    with Loopback(waits) as server, pytest.raises(DeadlineExceeded) as late:
        urlschemes_access.access(f"https://{server.address}/", policy=impatient, ssl_context=trust)
    assert late.value.phase == "tls"


def waits(connection: socket.socket) -> None:
    """Read everything, and send nothing."""
    while connection.recv(65536):
        pass


def cut(octets: bytes) -> Callable[[socket.socket], None]:
    """Send `octets` over TLS, and close the connection without the close alert of TLS."""

    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(octets)
        socket.socket.shutdown(connection, socket.SHUT_RDWR)  # that of SSLSocket would end TLS too

    return serve


@pytest.mark.fault(17)
@pytest.mark.parametrize(
    "head", [b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n"], ids=["length", "close"]
)
def test_a_connection_cut_below_tls_does_not_end_a_body(
    head: bytes, identity: ssl.SSLContext, trust: ssl.SSLContext
) -> None:
    with (
        Loopback(cut(head + b"hello"), tls=identity) as server,
        opened(f"https://{server.address}/", trust) as document,
        pytest.raises(Truncated) as short,
    ):
        document.read()
    assert (short.value.received, short.value.partial) == (5, b"hello")


def test_a_complete_body_needs_no_end_of_tls(identity: ssl.SSLContext, trust: ssl.SSLContext) -> None:
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    with (
        Loopback(cut(whole), tls=identity) as server,
        opened(f"https://{server.address}/", trust) as document,
    ):
        assert document.read() == b"hello"


@pytest.mark.fault(22)
def test_from_http_to_https_and_never_back(identity: ssl.SSLContext, trust: ssl.SSLContext) -> None:
    with http_server(handler=echo) as clear:
        back = {"/": redirect(f"http://{clear}/stolen"), "/ok": echo}
        with http_server(handler=back, tls=identity) as safe:
            to_ok = redirect(f"https://{safe}/ok")
            with http_server(handler=to_ok) as start, opened(f"http://{start}/", trust) as document:
                assert document.read() == b"/ok"
                assert document.url.scheme == "https"
            with http_server(handler=redirect(f"https://{safe}/")) as start:
                for url in (f"http://{start}/", f"https://{safe}/"):
                    with pytest.raises(RedirectRefused):
                        urlschemes_access.access(url, policy=HERE, ssl_context=trust)
        assert clear.requests == []


@pytest.mark.fault(22)
def test_a_login_stays_with_the_host_and_port_that_asked(identity: ssl.SSLContext, trust: ssl.SSLContext) -> None:
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
        http_server(handler=echo, tls=identity) as other,
        http_server(handler=vault, tls=identity) as server,
    ):
        for path, content in (("/in", b"gold"), ("/out", b"/")):
            resource = urlschemes_access.access(
                f"https://{server}{path}", policy=HERE, ssl_context=trust, credentials=login, trace=traced.append
            )
            assert isinstance(resource, Document)
            assert resource.read() == content
        assert asked == [(server.host, server.port, "vault")] * 2
        assert [request.headers["Authorization"] for request in other.requests] == [None]
    shown = b"".join(event.octets for event in traced)
    assert b"Authorization: Basic ***" in shown
    assert b"am9lOnNlY3JldA==" not in shown
