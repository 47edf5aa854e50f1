"""HTTP with servers on this machine: one that follows the RFC, redirects, and servers that misbehave."""

from __future__ import annotations

import random
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

import urlschemes
import urlschemes_access
from urlschemes_access import Document, Limits, Policy, TraceEvent
from urlschemes_access.errors import (
    AccessError,
    ConnectError,
    LimitExceeded,
    PolicyDenied,
    ProtocolError,
    RedirectRefused,
    RemoteError,
    Truncated,
)
from urlschemes_servers.http import HttpRequest, HttpResponse, chunked, echo, http_server, redirect
from urlschemes_testing.rogue import Act, closes, floods, hears_until, resets, rogue, says, waits

HERE = Policy.interactive()


def opened(url: str, policy: Policy = HERE) -> Document:
    document = urlschemes_access.access(url, policy=policy)
    assert isinstance(document, Document)
    return document


# A server that follows the RFC


@pytest.mark.rfc1738(67)
@pytest.mark.parametrize("size", [0, 1, 65535, 65536, 65537, 1_000_003])
def test_content_octet_for_octet(tmp_path: Path, size: int) -> None:
    octets = random.Random(size).randbytes(size)
    (tmp_path / "file.bin").write_bytes(octets)
    with http_server(tmp_path) as server, opened(f"http://{server}/file.bin") as document:
        assert document.size == size
        assert b"".join(document) == octets
        assert document.terminated


def test_chunks_are_read_in_any_portions() -> None:
    pieces = [random.Random(n).randbytes(n * 1000) for n in range(1, 40)]
    with http_server(handler=chunked(*pieces)) as server, opened(f"http://{server}/") as document:
        assert document.size is None
        read = b""
        while octets := document.read(777):
            read += octets
        assert read == b"".join(pieces)


@pytest.mark.rfc1738(72)
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


def test_a_text_is_read_by_its_charset() -> None:
    answer = HttpResponse(200, "Grüße".encode("iso-8859-15"), [("Content-Type", "text/plain; charset=ISO-8859-15")])
    with http_server(handler=answer) as server, opened(f"http://{server}/") as document:
        assert document.read_text() == "Grüße"


def test_attributes_by_head_after_a_redirect() -> None:
    answers = {"/": redirect("/b"), "/b": HttpResponse(200, b"hello", [("Content-Type", "text/plain")])}
    with http_server(handler=answers) as server:
        attributes = urlschemes_access.find_attributes(f"http://{server}/", policy=HERE)
        assert (attributes.size, attributes.media_type) == (5, "text/plain")
        assert [(asked.method, asked.target) for asked in server.requests] == [("HEAD", "/"), ("HEAD", "/b")]


def test_a_refusal_has_status_and_reason() -> None:
    with http_server() as server, pytest.raises(RemoteError) as refused:
        urlschemes_access.access(f"http://{server}/missing", policy=HERE)
    assert (refused.value.status, refused.value.text) == (404, "Not Found")


# Redirects


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
def test_a_location_as_real_servers_write_it(location: str, target: str) -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        return redirect(location) if request.target == "/a/start" else echo(request)

    with http_server(handler=answer) as server, opened(f"http://{server}/a/start") as document:
        assert document.read_text() == target
        assert str(document.url) == f"http://{server}{target}"


@pytest.mark.fault(20)
def test_five_hops_and_no_more() -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        left = int(request.target[1:])
        return redirect(f"/{left - 1}") if left else echo(request)

    with http_server(handler=answer) as server:
        assert opened(f"http://{server}/5").read() == b"/0"
        with pytest.raises(RedirectRefused) as refused:
            urlschemes_access.access(f"http://{server}/6", policy=HERE)
        assert refused.value.reason == "hops"
        assert len(server.requests) == 6 + 6


def refused_redirect(location: str) -> RedirectRefused:
    with http_server(handler=redirect(location)) as server:
        with pytest.raises(RedirectRefused) as refused:
            urlschemes_access.access(f"http://{server}/", policy=HERE)
        if refused.value.reason != "hops":
            assert len(server.requests) == 1
    return refused.value


@pytest.mark.fault(20)
def test_a_loop() -> None:
    assert refused_redirect("/").reason == "hops"


@pytest.mark.fault(21)
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
def test_a_redirect_to_another_scheme_is_refused(location: str) -> None:
    assert refused_redirect(location).reason == "scheme"


@pytest.mark.fault(23)
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
def test_a_redirect_to_an_invalid_url_is_refused(location: str) -> None:
    error = refused_redirect(location)
    assert error.reason == "invalid"
    assert str(error).isprintable()


@pytest.mark.parametrize("location", ["http://169.254.169.254/latest/", "http://127.0.0.1:25/", "http://0177.0.0.1/"])
def test_a_redirect_is_under_the_same_policy(location: str) -> None:
    refusals = (PolicyDenied, RedirectRefused, urlschemes.UnsafeURL)
    with http_server(handler=redirect(location)) as server, pytest.raises(refusals):
        urlschemes_access.access(f"http://{server}/", policy=HERE)


@pytest.mark.parametrize("host", ["127.0.0.2", "localhost.", "10.0.0.1", "[::1]"])
def test_a_redirect_leads_to_no_other_address_of_a_network_that_is_not_public(host: str) -> None:
    with http_server(handler=lambda request: redirect(f"http://{host}:{request.headers['Host'][10:]}/b")) as server:
        with pytest.raises((PolicyDenied, RedirectRefused)):
            urlschemes_access.access(f"http://{server}/a", policy=HERE)
        assert [request.target for request in server.requests] == ["/a"]


def test_a_redirect_leads_back_to_an_address_by_each_of_its_names() -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        other = {"/a": "localhost", "/b": "127.0.0.1", "/c": "localhost"}.get(request.target)
        port, following = request.headers["Host"].partition(":")[2], chr(ord(request.target[1]) + 1)
        return redirect(f"http://{other}:{port}/{following}") if other else echo(request)

    with http_server(handler=answer) as server, opened(f"http://localhost:{server.port}/a") as document:
        assert document.read() == b"/d"


# PUT and DELETE


def test_put_and_delete_change_a_folder(tmp_path: Path) -> None:
    content = bytes(range(256)) * 5000
    with http_server(tmp_path, writable=True) as address:
        url = f"http://{address}/a%20b"
        events: list[TraceEvent] = []
        done = urlschemes_access.replace(url, content, policy=HERE, trace=events.append)
        assert done.fields[":status"] == "201 Created"
        assert (tmp_path / "a b").read_bytes() == content
        sent = [event.octets for event in events if event.kind == "send"]
        assert b"".join(sent[1:]) == content
        assert len(sent) > 4, "a tracer cannot show the progress"
        pieces = [content[at : at + 60_001] for at in range(0, len(content), 60_001)]
        again = urlschemes_access.replace(url, pieces, policy=HERE)
        assert again.fields[":status"] == "204 No Content"
        assert (tmp_path / "a b").read_bytes() == content
        urlschemes_access.delete(url, policy=HERE)
        assert list(tmp_path.iterdir()) == []
        with pytest.raises(RemoteError) as missing:
            urlschemes_access.delete(url, policy=HERE)
        assert missing.value.status == 404
        put_whole, put_again, *_ = address.requests
    assert put_whole.headers["Content-Length"] == str(len(content))
    assert put_again.headers["Transfer-Encoding"] == "chunked"
    assert put_whole.headers["Expect"] == put_again.headers["Expect"] == "100-continue"


@pytest.mark.parametrize(("operation", "content"), [("replace", b"x"), ("delete", None)])
def test_a_server_that_may_not_be_written_to(tmp_path: Path, operation: str, content: bytes | None) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with http_server(tmp_path) as address, pytest.raises(RemoteError) as refused:
        urlschemes_access.operate(operation, f"http://{address}/a", content, policy=HERE)
    assert refused.value.status == 405
    assert (tmp_path / "a").read_bytes() == b"old"


@pytest.mark.parametrize(("operation", "content"), [("replace", b"x"), ("delete", None)])
def test_a_request_that_writes_follows_no_redirect(operation: str, content: bytes | None) -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        return redirect("/b", 307) if request.target == "/a" else HttpResponse(200)

    with http_server(handler=answer) as address:
        with pytest.raises(RedirectRefused) as refused:
            urlschemes_access.operate(operation, f"http://{address}/a", content, policy=HERE)
        assert (refused.value.reason, refused.value.location) == ("writing", "/b")
        assert [request.target for request in address.requests] == ["/a"]


# Servers that misbehave, beyond what servers of all schemes can do

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
LONG_LOCATION = b"HTTP/1.1 301 Moved\r\nLocation: /" + b"a" * 2**20 + b"\r\n\r\n"

ROWS: dict[str, tuple[tuple[Act, ...], type[AccessError]]] = {
    "B09 closed at once": ((closes(),), ConnectError),
    "B09 reset in a body without a length": ((says(OK + b"\r\nhello"), waits(0.1), resets()), Truncated),
    "B11 endless, without a length": ((says(OK + b"\r\n"), floods(bytes(65536))), LimitExceeded),
    "B11 endless empty lines": ((floods(b"\r\n" * 1000),), ProtocolError),
    "B15 endless trailers": ((says(CHUNKED + b"0\r\n"), floods(b"A: b\r\n")), LimitExceeded),
    "B20 a mebibyte of Location": ((says(LONG_LOCATION), waits(2)), RedirectRefused),
}


@pytest.mark.fault(15)
@pytest.mark.parametrize("name", ROWS)
def test_a_misbehaving_server_gives_the_error_of_its_row(name: str) -> None:
    acts, kind = ROWS[name]
    with rogue(hears_until(b"\r\n\r\n"), *acts) as server, pytest.raises(kind) as raised:
        opened(f"http://{server}/", replace(HERE, limits=Limits(content=2**20))).read()
    assert len(str(raised.value)) <= 300
    assert str(raised.value).isascii()
    assert str(raised.value).isprintable()


@pytest.mark.fault(11)
def test_an_endless_body_is_streamed_in_constant_memory() -> None:
    chunk = b"8000\r\n" + bytes(2**15) + b"\r\n"
    acts = (hears_until(b"\r\n\r\n"), says(CHUNKED), floods(chunk))
    with rogue(*acts) as server, opened(f"http://{server}/") as document:
        next(document)
        tracemalloc.start()
        try:
            received = 0
            while received < 2**24:
                received += len(next(document))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 2**21


@pytest.mark.fault(16)
def test_memory_follows_what_was_received_and_not_what_was_announced() -> None:
    head = OK + b"Content-Length: 9000000000000000000\r\n\r\n"
    with rogue(hears_until(b"\r\n\r\n"), says(head + b"hello"), closes()) as server:
        tracemalloc.start()
        try:
            with pytest.raises(Truncated) as short:
                opened(f"http://{server}/").read()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 2**22
    assert (short.value.received, short.value.expected, short.value.partial) == (5, 9 * 10**18, b"hello")


@pytest.mark.fault(19)
def test_the_body_of_a_redirect_is_not_read() -> None:
    with http_server(handler=echo) as server:
        head = f"HTTP/1.1 302 Found\r\nLocation: http://{server}/there\r\n\r\n".encode()
        acts = (hears_until(b"\r\n\r\n"), says(head), floods(bytes(65536)))
        with rogue(*acts) as endless, opened(f"http://{endless}/") as document:
            assert document.read() == b"/there"
