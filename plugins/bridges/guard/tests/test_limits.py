"""What a guarded client gives up: servers that drip, endless and inflated content, and a wait that is too long."""

from __future__ import annotations

import gzip
import importlib
import socket
import time
import zlib
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from guarded import Guarded, clients
from local_web import Network, Start, contexts, respond

from urlschemes_access import Limits, Policy

SHORT = Policy(networks=("127.0.0.1",), limits=Limits(deadline=0.4))


def give_up(client: Guarded, policy: Policy, url: str, **options: Any) -> Any:
    """Return the error with which a client gives up for lack of time."""
    kinds = [client.module.RequestTimeout, *([TimeoutError] if client.library == "aiohttp" else [])]
    with pytest.raises(tuple(kinds)) as end:
        client.fetch(policy, url, **options)
    return end.value


def drip_head(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while True:
        handler.wfile.write(b"x")
        time.sleep(0.02)


def drip_body(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while True:
        handler.wfile.write(b"x")
        time.sleep(0.02)


def drip_chunks(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        handler.wfile.write(b"1\r\nx\r\n")
        time.sleep(0.02)


def continue_always(handler: BaseHTTPRequestHandler) -> None:
    while True:
        handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(0.02)


def silent(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.settimeout(20)
    handler.rfile.read()


def read_slowly(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    while handler.connection.recv(4096):
        time.sleep(0.02)


def redirect_slowly(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(0.15)
    respond(302, Location="/redirect")(handler)


TOO_LATE = [drip_head, drip_body, drip_chunks, continue_always, silent, redirect_slowly]
TOO_LATE_IN_TLS = [drip_head, drip_body]


@clients()
@pytest.mark.parametrize("act", TOO_LATE)
def test_the_deadline_is_a_wall(client: Guarded, serve: Start, act: Callable[[BaseHTTPRequestHandler], None]) -> None:
    server = serve({"*": act})
    error = give_up(client, SHORT, f"http://127.0.0.1:{server.port}/redirect")
    if client.library != "aiohttp":
        assert (error.error.code, error.rule) == ("deadline-exceeded", None)


@clients()
@pytest.mark.parametrize("act", TOO_LATE_IN_TLS)
def test_the_deadline_is_a_wall_over_tls(
    client: Guarded, serve: Start, authority: Any, act: Callable[[BaseHTTPRequestHandler], None]
) -> None:
    of_server, trusting, file = contexts(authority)
    server = serve({"*": act}, context=of_server)
    verify = str(file) if client.library == "requests" else trusting
    give_up(client, SHORT, f"https://127.0.0.1:{server.port}/", verify=verify)


@clients()
def test_a_slow_upload_ends_at_the_deadline(client: Guarded, serve: Start) -> None:
    server = serve({"/slow-upload": read_slowly})
    give_up(client, SHORT, f"http://127.0.0.1:{server.port}/slow-upload", method="POST", content=b"x" * 30_000_000)


@clients()
def test_a_name_server_that_hangs_ends_at_the_deadline(client: Guarded, network: Network) -> None:
    network.slow = {"slow.test": 2}
    give_up(client, SHORT, "http://slow.test/")
    limits = Limits(resolve=0.2)
    give_up(client, Policy(limits=limits), "http://slow.test/")


@clients()
def test_a_tls_handshake_that_hangs_ends_at_the_deadline(client: Guarded, serve: Start) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    with listener:
        give_up(client, SHORT, f"https://127.0.0.1:{listener.getsockname()[1]}/")


OTHER_WAITS = [
    (Limits(first_octet=0.2), silent),
    (Limits(idle=0.3), continue_always),
    (Limits(lowest_rate=1e6, rate_window=0.2), drip_body),
    (Limits(idle=0.3), drip_head),
]


@clients(complete=True)
@pytest.mark.parametrize(("limits", "act"), OTHER_WAITS)
def test_the_other_limits_of_time_hold(
    client: Guarded, serve: Start, limits: Limits, act: Callable[[BaseHTTPRequestHandler], None]
) -> None:
    server = serve({"*": act})
    give_up(client, Policy(networks=("127.0.0.1",), limits=limits), f"http://127.0.0.1:{server.port}/")


# Octets


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    for _ in range(1000):  # a client without a limit must not take all memory
        handler.wfile.write(b"x" * 65536)


def deflated(octets: bytes) -> bytes:
    made = zlib.compressobj(wbits=-15)
    return made.compress(octets) + made.flush()


def encoded(coding: str, octets: bytes) -> bytes:
    """Return `octets` with a coding."""
    if coding == "br":
        return bytes(pytest.importorskip("brotli").compress(octets))
    if coding == "zstd":
        return bytes(pytest.importorskip("zstandard").ZstdCompressor().compress(octets))
    if coding == "raw deflate":
        return deflated(octets)
    return gzip.compress(octets) if coding == "gzip" else zlib.compress(octets)


CODINGS = ["gzip", "deflate", "raw deflate", "br", "zstd"]


@clients(complete=True)
def test_endless_content_ends(client: Guarded, serve: Start) -> None:
    server = serve({"*": endless})
    policy = Policy(networks=("127.0.0.1",), limits=Limits(content=1_000_000))
    with pytest.raises(client.module.RequestRefused, match="the content is longer than 1000000") as end:
        client.fetch(policy, f"http://127.0.0.1:{server.port}/")
    assert end.value.error.code == "limit-exceeded"


@clients(complete=True)
@pytest.mark.parametrize("coding", CODINGS)
def test_inflated_content_ends(client: Guarded, serve: Start, coding: str) -> None:
    bomb = encoded(coding, bytes(20_000_000))
    server = serve({"*": respond(200, bomb, Content_Encoding=coding.rpartition(" ")[2])})
    policy = Policy(networks=("127.0.0.1",), limits=Limits(decoded=1_000_000))
    with pytest.raises(client.module.RequestRefused, match="decompression adds more octets than 1000000"):
        client.fetch(policy, f"http://127.0.0.1:{server.port}/")


@clients()
@pytest.mark.parametrize("coding", CODINGS)
def test_content_with_a_coding_arrives(client: Guarded, serve: Start, coding: str) -> None:
    text = b"".join(b"%d" % number for number in range(100_000))
    server = serve({"*": respond(200, encoded(coding, text), Content_Encoding=coding.rpartition(" ")[2])})
    (answer,) = client.fetch(Policy(networks=("127.0.0.1",)), f"http://127.0.0.1:{server.port}/")
    assert answer.body == text


@clients()
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("coding", CODINGS)
def test_an_answer_without_content_may_name_a_coding(client: Guarded, serve: Start, coding: str, method: str) -> None:
    server = serve({"*": respond(200, b"", Content_Encoding=coding.rpartition(" ")[2])})
    (answer,) = client.fetch(Policy(networks=("127.0.0.1",)), f"http://127.0.0.1:{server.port}/", method=method)
    assert (answer.status, answer.body) == (200, b"")


@clients(only="httpx")
def test_codings_that_cannot_be_undone_in_pieces_are_not_asked_for(client: Guarded, serve: Start) -> None:
    here = Policy(networks=("127.0.0.1",))
    server = serve({"/a": respond(), "/unknown": respond(200, b"x", Content_Encoding="x-odd")})
    client.fetch(here, f"http://127.0.0.1:{server.port}/a", headers={"Accept-Encoding": "x-odd, gzip;q=0.5, identity"})
    assert server.heard[0][2]["Accept-Encoding"] == "gzip;q=0.5, identity"
    broken = serve({"*": respond(200, b"no gzip at all", Content_Encoding="gzip")})
    for url in (f"http://127.0.0.1:{server.port}/unknown", f"http://127.0.0.1:{broken.port}/"):
        with pytest.raises(client.module.RequestRefused) as end:
            client.fetch(here, url)
        assert end.value.error.code == "protocol-error"


@clients(complete=True)
def test_connections_are_counted(client: Guarded, serve: Start) -> None:
    server = serve({"*": respond(302, Location="/", Connection="close")})
    policy = Policy(networks=("127.0.0.1",), limits=Limits(connections=2))
    with pytest.raises(client.module.RequestRefused, match="more connections than 2"):
        client.fetch(policy, f"http://127.0.0.1:{server.port}/")


@clients(only="requests")
def test_the_pauses_of_the_program_do_not_count(client: Guarded, serve: Start) -> None:
    importlib.import_module("requests")
    from urlschemes_guard.requests import Session

    server = serve({"*": respond(200, b"x" * 200_000)})
    with (
        Session(SHORT) as session,
        session.get(f"http://127.0.0.1:{server.port}/", stream=True, timeout=20) as response,
    ):
        pieces = response.iter_content(65536)
        next(pieces)
        time.sleep(0.6)
        assert sum(map(len, pieces)) > 0
