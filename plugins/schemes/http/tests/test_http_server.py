"""HTTP with servers on this machine: one that follows the RFC, redirects, and servers that misbehave."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest
from opening import HERE, open_document

import urlschemes
import urlschemes_access
from urlschemes_access import TraceEvent
from urlschemes_access.errors import RedirectRefused, RemoteError, Truncated
from urlschemes_servers.http import HttpRequest, HttpResponse, echo, http_server, redirect
from urlschemes_testing.rogue import closes, floods, hears_until, rogue, says

# A server that follows the RFC


@pytest.mark.rfc1738(67)
@pytest.mark.parametrize("size", [0, 1, 65535, 65536, 65537, 1_000_003])
def test_content_octet_for_octet(tmp_path: Path, size: int) -> None:
    octets = random.Random(size).randbytes(size)
    (tmp_path / "file.bin").write_bytes(octets)
    with http_server(tmp_path) as server, open_document(f"http://{server}/file.bin") as document:
        assert document.size == size
        assert b"".join(document) == octets
        assert document.terminated


@pytest.mark.rfc1738(72)
@pytest.mark.parametrize("target", ["/", "/a%2fb/%7E/../;x?y=%26&z", "//x//", "/%0d%0aX:%20y"])
def test_target_octet_for_octet(target: str) -> None:
    with http_server(handler=echo) as server, open_document(f"http://{server}{target}") as document:
        assert document.read_text() == target
        (request,) = server.requests
        assert request.headers.items() == [
            ("Host", str(server)),
            ("User-Agent", f"urlschemes/{urlschemes.__version__}"),
            ("Accept", "*/*"),
            ("Accept-Encoding", "identity"),
            ("Connection", "close"),
        ]


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

    with http_server(handler=answer) as server, open_document(f"http://{server}/a/start") as document:
        assert document.read_text() == target
        assert str(document.url) == f"http://{server}{target}"


def refused_redirect(location: str) -> RedirectRefused:
    with http_server(handler=redirect(location)) as server:
        with pytest.raises(RedirectRefused) as refused:
            urlschemes_access.access(f"http://{server}/", policy=HERE)
        assert len(server.requests) == 1
    return refused.value


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


def test_a_redirect_leads_back_to_an_address_by_each_of_its_names() -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        other = {"/a": "localhost", "/b": "127.0.0.1", "/c": "localhost"}.get(request.target)
        port, following = request.headers["Host"].partition(":")[2], chr(ord(request.target[1]) + 1)
        return redirect(f"http://{other}:{port}/{following}") if other else echo(request)

    with http_server(handler=answer) as server, open_document(f"http://localhost:{server.port}/a") as document:
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


# Servers that misbehave, beyond what servers of all schemes can do

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.fault(11)
def test_an_endless_body_is_streamed_in_constant_memory() -> None:
    chunk = b"8000\r\n" + bytes(2**15) + b"\r\n"
    acts = (hears_until(b"\r\n\r\n"), says(CHUNKED), floods(chunk))
    with rogue(*acts) as server, open_document(f"http://{server}/") as document:
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
                open_document(f"http://{server}/").read()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 2**22
    assert (short.value.received, short.value.expected, short.value.partial) == (5, 9 * 10**18, b"hello")
