"""HTTPS with servers on this machine: which are trusted, and connections that are cut below TLS."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable

import pytest
import trustme
from opening import HERE, content_of, open_document

import urlschemes_access
from urlschemes_access import TraceEvent
from urlschemes_access.errors import TLSError, Truncated
from urlschemes_servers import Certificates, make_certificates
from urlschemes_servers.http import echo, http_server
from urlschemes_testing.loopback import Loopback


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


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_request_goes_to_the_host_of_the_url(host: str, identity: ssl.SSLContext, trust: ssl.SSLContext) -> None:
    with http_server(handler=echo, tls=identity) as server:
        with open_document(f"https://{host}:{server.port}/a%2fb?x", ssl_context=trust) as document:
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
    "self-signed": (self_signed, "cacert="),
    "an unknown authority": (lambda: (make_certificates().server, None), "cacert="),
    "another host": (lambda: contexts("other.dom"), "for another host"),
    "expired": (lambda: contexts(expired=True), "has expired, or the clock"),
}


@pytest.mark.fault(7)
@pytest.mark.parametrize("name", UNTRUSTED)
def test_nothing_is_sent_to_a_server_that_is_not_trusted(name: str) -> None:
    make_contexts, hint = UNTRUSTED[name]
    server_context, client_context = make_contexts()
    traced: list[TraceEvent] = []
    with http_server(handler=echo, tls=server_context) as server:
        with pytest.raises(TLSError) as refused:
            urlschemes_access.access(f"https://{server}/", policy=HERE, ssl_context=client_context, trace=traced.append)
        assert server.requests == []
    assert hint in str(refused.value.hint)
    assert "send" not in {event.kind for event in traced}


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
        open_document(f"https://{server.address}/", ssl_context=trust) as document,
        pytest.raises(Truncated) as short,
    ):
        document.read()
    assert (short.value.received, short.value.partial) == (5, b"hello")


def test_a_complete_body_needs_no_end_of_tls(identity: ssl.SSLContext, trust: ssl.SSLContext) -> None:
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    with Loopback(cut(whole), tls=identity) as server:
        assert content_of(f"https://{server.address}/", ssl_context=trust) == b"hello"
