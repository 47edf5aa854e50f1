"""The HTTP server, tested with http.client."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest

from urlschemes_servers import http_server, make_certificates
from urlschemes_servers.http import HttpRequest, HttpResponse, chunked, echo, redirect

pytestmark = pytest.mark.usefixtures("no_open_sockets")


def exchange(address: tuple[str, int], octets: bytes) -> bytes:
    with socket.create_connection(address, 10) as client, client.makefile("rb") as answer:
        client.sendall(octets)
        return answer.read()


def test_http_client_reads_files_and_listings(folder: Path) -> None:
    with http_server(folder) as address:
        client = http.client.HTTPConnection(*address, timeout=10)
        client.request("GET", "/pub/all.bin")
        response = client.getresponse()
        assert (response.status, response.read()) == (200, bytes(range(256)) * 400)
        client.request("HEAD", "/pub/read%20me.txt")
        response = client.getresponse()
        assert (response.status, response.getheader("Content-Length"), response.read()) == (200, "14", b"")
        assert response.getheader("Content-Type") == "text/plain"
        client.request("GET", "/pub/")
        assert b"read%20me.txt" in client.getresponse().read()
        client.request("GET", "/missing")
        assert client.getresponse().status == 404
        client.close()
        assert [request.method for request in address.requests] == ["GET", "HEAD", "GET", "GET"]


def test_a_handler_chooses_the_response() -> None:
    def posted(request: HttpRequest) -> HttpResponse:
        return HttpResponse(201, request.body[::-1], [("X-Seen", request.headers["X-Mine"])])

    answers: dict[str, HttpResponse | Callable[[HttpRequest], HttpResponse | None]] = {
        "/old": redirect("/new?x#y"),
        "/echo": echo,
        "/stream": chunked(b"a" * 10, b"", b"b"),
        "/post": posted,
    }
    with http_server(handler=answers) as address:
        client = http.client.HTTPConnection(*address, timeout=10)
        client.request("GET", "/old")
        response = client.getresponse()
        assert (response.status, response.getheader("Location")) == (302, "/new?x#y")
        response.read()
        client.request("GET", "/echo?a%2fb%7E//;p=1/../x?")
        assert client.getresponse().read() == b"/echo?a%2fb%7E//;p=1/../x?"
        client.request("GET", "/stream")
        response = client.getresponse()
        assert (response.getheader("Transfer-Encoding"), response.read()) == ("chunked", b"a" * 10 + b"b")
        client.request("HEAD", "/stream")
        assert client.getresponse().read() == b""
        client.request("POST", "/post", b"abc", {"X-Mine": "yes"})
        response = client.getresponse()
        assert (response.status, response.getheader("X-Seen"), response.read()) == (201, "yes", b"cba")
        client.request("GET", "/nothing")
        assert client.getresponse().status == 404
        client.close()


def test_leading_slashes_of_the_request_target_are_kept() -> None:
    with http_server(handler=echo) as address:
        answer = exchange(address, b"GET //a//b?c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert answer.endswith(b"\r\n\r\n//a//b?c")


def test_a_client_that_trusts_the_authority_reads_over_tls(folder: Path) -> None:
    pytest.importorskip("trustme")
    certificates = make_certificates()
    with http_server(folder, tls=certificates.server) as (_, port):
        for host in ("127.0.0.1", "localhost"):
            client = http.client.HTTPSConnection(host, port, timeout=10, context=certificates.client())
            client.request("GET", "/etc/motd")
            assert client.getresponse().read() == b"of the machine\n"
            client.close()
        for context in (ssl.create_default_context(), make_certificates().client()):
            client = http.client.HTTPSConnection("127.0.0.1", port, timeout=10, context=context)
            with pytest.raises(ssl.SSLCertVerificationError):
                client.request("GET", "/etc/motd")
            client.close()


@pytest.mark.parametrize(("names", "expired"), [(("other.example",), False), ((), True)])
def test_a_certificate_for_other_names_or_an_expired_one_is_refused(names: tuple[str, ...], expired: bool) -> None:
    pytest.importorskip("trustme")
    certificates = make_certificates(*names, expired=expired)
    with http_server(handler=echo, tls=certificates.server) as address:
        client = http.client.HTTPSConnection(*address, timeout=10, context=certificates.client())
        with pytest.raises(ssl.SSLCertVerificationError):
            client.request("GET", "/")
        client.close()
        assert address.requests == []


def test_an_incomplete_body_replaces_no_file(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_bytes(b"older")
    with http_server(tmp_path, writable=True) as (host, port):
        for words in (
            b"Transfer-Encoding: chunked\r\n\r\n5\r\nnewer\r\n",
            b"Transfer-Encoding: chunked\r\n\r\n5\r\nnewer\r\n0\r\n",
            b"Content-Length: 10\r\n\r\nnewer",
        ):
            with socket.create_connection((host, port), 5) as connection:
                connection.sendall(b"PUT /notes.txt HTTP/1.1\r\nHost: h\r\n" + words)
                connection.shutdown(socket.SHUT_WR)
                assert connection.recv(100) == b""
            assert notes.read_bytes() == b"older"
