"""http over real sockets: the standard library's server, and servers that misbehave, row by row."""

import contextlib
import random
import socket
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import urlschemes
import urlschemes_access
from urlschemes_access import Document, Limits, Policy
from urlschemes_access.errors import (
    AccessError,
    ConnectError,
    DeadlineExceeded,
    LimitExceeded,
    PolicyDenied,
    ProtocolError,
    RedirectRefused,
    RemoteError,
    Truncated,
)
from urlschemes_http import HttpURL
from urlschemes_servers.http import HttpRequest, HttpResponse, chunked, echo, http_server, redirect
from urlschemes_testing.loopback import Loopback

HERE = Policy.interactive()
IMPATIENT = replace(HERE, limits=Limits(deadline=1, first_octet=0.4, idle=0.4))


def opened(url: str, policy: Policy = HERE) -> Document:
    resource = urlschemes_access.access(url, policy=policy)
    assert isinstance(resource, Document)
    return resource


# --- a server that behaves ------------------------------------------------------------------------


def test_content_octet_for_octet(tmp_path: Path) -> None:
    for size in (0, 1, 65535, 65536, 65537, 1_000_003):
        octets = random.Random(size).randbytes(size)
        (tmp_path / "file.bin").write_bytes(octets)
        with http_server(tmp_path) as server, opened(f"http://{server}/file.bin") as document:
            assert document.size == size
            assert b"".join(document) == octets
            assert document.terminated


def test_chunks_and_a_caller_who_takes_its_time() -> None:
    pieces = [random.Random(n).randbytes(n * 1000) for n in range(1, 40)]
    with http_server(handler=chunked(*pieces)) as server, opened(f"http://{server}/") as document:
        assert document.size is None
        read = b""
        while octets := document.read(777):
            read += octets
        assert read == b"".join(pieces)


@pytest.mark.parametrize("target", ["/", "/a%2fb/%7E/../;x?y=%26&z", "//x//", "/%0d%0aX:%20y"])
def test_target_octet_for_octet(target: str) -> None:
    with http_server(handler=echo) as server, opened(f"http://{server}{target}") as document:
        assert document.read_text() == target
        (request,) = server.requests
        assert request.headers.items() == [
            ("Host", str(server)),
            ("User-Agent", f"urlschemes/{urlschemes.__version__}"),
            ("Accept", "*/*"),
            ("Accept-Encoding", "identity"),
            ("Connection", "close"),
        ]


def test_text_by_its_charset() -> None:
    answer = HttpResponse(200, "Grüße".encode("iso-8859-15"), [("Content-Type", "text/plain; charset=ISO-8859-15")])
    with http_server(handler=answer) as server, opened(f"http://{server}/") as document:
        assert document.read_text() == "Grüße"


def test_attributes_by_head_after_a_redirect() -> None:
    answers = {"/": redirect("/b"), "/b": HttpResponse(200, b"hello", [("Content-Type", "text/plain")])}
    with http_server(handler=answers) as server:
        attributes = urlschemes_access.find_attributes(f"http://{server}/", policy=HERE)
        assert (attributes.size, attributes.media_type) == (5, "text/plain")
        assert [(asked.method, asked.target) for asked in server.requests] == [("HEAD", "/"), ("HEAD", "/b")]


# --- redirects ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("b", "/a/b"),
        ("../b?c", "/b?c"),
        ("/b#here", "/b"),
        ("/~joe", "/%7Ejoe"),
        ("/b?next=/x", "/b?next=%2Fx"),
        ("?q", "/a/start?q"),
    ],
)
def test_location_as_real_servers_write_it(location: str, target: str) -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        return redirect(location) if request.target == "/a/start" else echo(request)

    with http_server(handler=answer) as server, opened(f"http://{server}/a/start") as document:
        assert document.read_text() == target
        assert str(document.url) == f"http://{server}{target}"


def test_b20_five_hops_and_no_more() -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        left = int(request.target[1:])
        return redirect(f"/{left - 1}") if left else echo(request)

    with http_server(handler=answer) as server:
        assert opened(f"http://{server}/5").read() == b"/0"
        with pytest.raises(RedirectRefused) as refused:
            urlschemes_access.access(f"http://{server}/6", policy=HERE)
        assert refused.value.reason == "hops"
        assert len(server.requests) == 6 + 6


def test_b20_a_loop() -> None:
    with http_server(handler=redirect("/")) as server:
        with pytest.raises(RedirectRefused) as refused:
            urlschemes_access.access(f"http://{server}/", policy=HERE)
        assert refused.value.reason == "hops"


@pytest.mark.parametrize(
    "location",
    [
        "ftp://127.0.0.1/",
        "gopher://127.0.0.1/",
        "telnet://127.0.0.1/",
        "mailto:a@b.example",
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
        "x-nobody:y",
    ],
)
def test_b21_redirect_to_another_scheme_resolves_and_loads_nothing(location: str) -> None:
    with http_server(handler=redirect(location)) as server:
        with pytest.raises(RedirectRefused) as refused:
            urlschemes_access.access(f"http://{server}/", policy=HERE)
        assert refused.value.reason == "scheme"
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "location",
    [
        "http://good.example@127.0.0.1/",
        "http://127.0.0.1\\@good.example/",
        "http://127.0.0.1 /",
        "http://127.0.0.1\r/x",
        "http://127.0.0.1\x00/",
        "http://127.0.0.1\x0b/",
        "http:///x",
        "http://127.1/",
        "//",
    ],
)
def test_b23_redirect_to_what_is_no_url(location: str) -> None:
    with http_server(handler=redirect(location)) as server:
        with pytest.raises(RedirectRefused) as refused:
            urlschemes_access.access(f"http://{server}/", policy=HERE)
        assert refused.value.reason == "invalid"
        assert str(refused.value).isprintable()


@pytest.mark.parametrize("location", ["http://169.254.169.254/latest/", "http://127.0.0.1:25/", "http://0177.0.0.1/"])
def test_redirect_is_under_the_same_policy(location: str) -> None:
    refusals = (PolicyDenied, RedirectRefused, urlschemes.UnsafeURL)
    with http_server(handler=redirect(location)) as server, pytest.raises(refusals):
        urlschemes_access.access(f"http://{server}/", policy=HERE)


def test_the_default_policy_is_the_public_internet() -> None:
    with http_server(handler=echo) as server:
        with pytest.raises(PolicyDenied):
            urlschemes_access.access(f"http://{server}/")
        assert server.requests == []


def test_a_refusal_is_told_with_its_status() -> None:
    with http_server() as server, pytest.raises(RemoteError) as refused:
        urlschemes_access.access(f"http://{server}/missing", policy=HERE)
    assert (refused.value.status, refused.value.text) == (404, "Not Found")


# --- servers that misbehave -----------------------------------------------------------------------

OK = b"HTTP/1.1 200 OK\r\n"
Behaviour = Callable[[socket.socket, threading.Event], None]


def says(octets: bytes) -> Behaviour:
    """Say `octets`, and close."""
    return lambda connection, _: connection.sendall(octets)


def says_and_waits(octets: bytes) -> Behaviour:
    """Say `octets`, and keep the connection open."""

    def behave(connection: socket.socket, closing: threading.Event) -> None:
        connection.sendall(octets)
        closing.wait(30)

    return behave


def says_for_ever(octets: bytes, more: bytes) -> Behaviour:
    def behave(connection: socket.socket, closing: threading.Event) -> None:
        connection.sendall(octets)
        while not closing.is_set():
            connection.sendall(more)

    return behave


def drips(octets: bytes, more: bytes) -> Behaviour:
    """Say `octets`, then `more` again and again, one octet every twentieth of a second."""

    def behave(connection: socket.socket, closing: threading.Event) -> None:
        connection.sendall(octets)
        while True:
            for octet in more:
                if closing.wait(0.05):
                    return
                connection.sendall(bytes([octet]))

    return behave


def resets(octets: bytes) -> Behaviour:
    """Say `octets`, give them time to arrive, and break the connection off."""

    def behave(connection: socket.socket, closing: threading.Event) -> None:
        connection.sendall(octets)
        closing.wait(0.1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()

    return behave


def half_closes(octets: bytes) -> Behaviour:
    def behave(connection: socket.socket, closing: threading.Event) -> None:
        connection.sendall(octets)
        connection.shutdown(socket.SHUT_WR)
        closing.wait(30)

    return behave


@contextlib.contextmanager
def misbehaving(behaviour: Behaviour) -> Iterator[str]:
    """A server that reads one request and then does what `behaviour` says; gives the text of a URL."""

    def serve(connection: socket.socket) -> None:
        request = b""
        while b"\r\n\r\n" not in request:
            octets = connection.recv(65536)
            if not octets:
                return
            request += octets
        behaviour(connection, loopback.closing)

    with Loopback(serve, lifetime=60, patience=20) as loopback:
        yield f"http://{loopback.address}/"


CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"

ROWS: dict[str, tuple[Behaviour, type[AccessError]]] = {
    "B06 silence": (says_and_waits(b""), DeadlineExceeded),
    "B06 silence after the status line": (says_and_waits(OK), DeadlineExceeded),
    "B06 silence in the body": (says_and_waits(OK + b"Content-Length: 10\r\n\r\nhello"), DeadlineExceeded),
    "B09 closed at once": (says(b""), ConnectError),
    "B09 reset at once": (resets(b""), ConnectError),
    "B09 reset in the header": (resets(OK), Truncated),
    "B09 reset in the body": (resets(OK + b"Content-Length: 10\r\n\r\nhello"), Truncated),
    "B09 reset in a body without a length": (resets(OK + b"\r\nhello"), Truncated),
    "B10 half closed": (half_closes(OK + b"Content-Length: 10\r\n\r\nhello"), Truncated),
    "B10 half closed in a chunk": (half_closes(CHUNKED + b"a\r\nhello"), Truncated),
    "B11 endless, with no length": (says_for_ever(OK + b"\r\n", bytes(65536)), LimitExceeded),
    "B11 endless chunks": (says_for_ever(CHUNKED, b"1000\r\n" + bytes(4096) + b"\r\n"), LimitExceeded),
    "B11 endless empty lines": (says_for_ever(b"", b"\r\n" * 1000), ProtocolError),
    "B12 a dripping status line": (drips(b"", b"HTTP/1.1 200 OOOOOOOOOOOOOOOOOOOOOOOOOOOOOOO"), DeadlineExceeded),
    "B12 a dripping header": (drips(OK, b"A: b\r\n"), DeadlineExceeded),
    "B12 a dripping body": (drips(OK + b"Content-Length: 1000000\r\n\r\n", b"x"), DeadlineExceeded),
    "B12 dripping chunks": (drips(CHUNKED, b"1\r\nx\r\n"), DeadlineExceeded),
    "B13 an endless line": (says_for_ever(b"HTTP/1.1 200 ", b"O" * 1000), LimitExceeded),
    "B14 another protocol's banner": (says_and_waits(b"220 smtp.example ESMTP\r\n"), ProtocolError),
    "B14 NULs": (says_and_waits(bytes(100)), ProtocolError),
    "B14 all octets": (says_and_waits(bytes(range(256))), ProtocolError),
    "B15 endless interim answers": (says_for_ever(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), LimitExceeded),
    "B15 endless header fields": (says_for_ever(OK, b"A: b\r\n"), LimitExceeded),
    "B15 endless trailers": (says_for_ever(CHUNKED + b"0\r\n", b"A: b\r\n"), LimitExceeded),
    "B16 a length twice": (says(OK + b"Content-Length: 5\r\n" * 2 + b"\r\nhello"), ProtocolError),
    "B16 a signed length": (says(OK + b"Content-Length: +7\r\n\r\nhello"), ProtocolError),
    "B16 a huge length": (says(OK + b"Content-Length: 9000000000000000000\r\n\r\nhello"), Truncated),
    "B17 a short body": (says(OK + b"Content-Length: 10\r\n\r\nhello"), Truncated),
    "B17 a cut chunk": (says(CHUNKED + b"a\r\nhello"), Truncated),
    "B18 2**64": (says_and_waits(CHUNKED + b"10000000000000000\r\nhello"), ProtocolError),
    "B18 no chunk size": (says_and_waits(CHUNKED + b"hello\r\n"), ProtocolError),
    "B20 no Location": (says_and_waits(b"HTTP/1.1 301 Moved\r\n\r\n"), ProtocolError),
    "B20 a mebibyte of Location": (
        says_and_waits(b"HTTP/1.1 301 Moved\r\nLocation: /" + b"a" * 2**20 + b"\r\n\r\n"),
        RedirectRefused,
    ),
}

SMALL = replace(IMPATIENT, limits=replace(IMPATIENT.limits, content=2**20))


@pytest.mark.parametrize("row", ROWS)
def test_misbehaving_server_gives_the_error_of_its_row(row: str) -> None:
    behaviour, kind = ROWS[row]
    with misbehaving(behaviour) as url, pytest.raises(kind) as raised:
        opened(url, SMALL).read()
    assert len(str(raised.value)) <= 300
    assert str(raised.value).isascii()
    assert str(raised.value).isprintable()


def test_b01_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ConnectError):
        urlschemes_access.access(f"http://127.0.0.1:{port}/", policy=HERE)


def test_b11_an_endless_body_is_streamed_in_flat_memory() -> None:
    with misbehaving(says_for_ever(CHUNKED, b"8000\r\n" + bytes(2**15) + b"\r\n")) as url, opened(url) as document:
        next(document)
        tracemalloc.start()
        try:
            received = 0
            for octets in document:
                received += len(octets)
                if received > 2**26:
                    break
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 2**21


def test_b16_memory_follows_what_came_and_not_what_was_announced() -> None:
    with misbehaving(says(OK + b"Content-Length: 9000000000000000000\r\n\r\nhello")) as url:
        tracemalloc.start()
        try:
            with pytest.raises(Truncated) as short:
                opened(url).read()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 2**22
    assert (short.value.received, short.value.expected, short.value.partial) == (5, 9 * 10**18, b"hello")


def test_b19_a_coded_body_comes_as_it_is_within_the_cap() -> None:
    head = OK + b"Content-Encoding: gzip, br\r\nContent-Length: 6\r\n\r\n"
    with misbehaving(says(head + b"\x1f\x8b\x08oops")) as url, opened(url) as document:
        assert document.read() == b"\x1f\x8b\x08oop"
        assert document.media_type is None
        assert document.attributes.fields["content-encoding"] == "gzip, br"


def test_b19_the_body_of_a_redirect_is_not_read() -> None:
    with http_server(handler=echo) as server:
        endless = says_for_ever(f"HTTP/1.1 302 Found\r\nLocation: http://{server}/there\r\n\r\n".encode(), bytes(65536))
        with misbehaving(endless) as url, opened(url, IMPATIENT) as document:
            assert document.read() == b"/there"


def test_httpurl_is_what_the_registry_gives() -> None:
    assert type(urlschemes.parse("http://h/")) is HttpURL
