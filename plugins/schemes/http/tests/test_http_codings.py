"""Compressed content: asked for only if the caller wants it, decoded as it comes, and never more than a limit."""

from __future__ import annotations

import gzip
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

import urlschemes_access
from urlschemes_access import Document, Limits, Policy, Range
from urlschemes_access.errors import AccessError, LimitExceeded, ProtocolError, Truncated
from urlschemes_http.codings import ContentDecoder, accepted_codings, zstd_module
from urlschemes_servers.http import HttpRequest, HttpResponse, chunked, http_server

HERE = Policy.interactive()
TEXT = b"".join(b"line %d of a text that can be compressed\n" % number for number in range(20_000))


def raw_deflate(octets: bytes) -> bytes:
    deflater = zlib.compressobj(wbits=-15)
    return deflater.compress(octets) + deflater.flush()


CODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw deflate": raw_deflate,
}
if "zstd" in accepted_codings():
    CODERS["zstd"] = zstd_module().compress


def name_of(coding: str) -> str:
    return coding.removeprefix("raw ")


def coded(coding: str, octets: bytes, *, media_type: str = "text/plain") -> HttpResponse:
    fields = [("Content-Encoding", name_of(coding)), ("Content-Type", media_type)]
    return HttpResponse(200, octets, headers=fields)


def opened(url: str, *, policy: Policy = HERE, **options: Any) -> Document:
    return urlschemes_access.open_document(url, policy=policy, options={"compressed": True, **options})


def read(url: str, **options: Any) -> tuple[bytes, Document]:
    with opened(url, **options) as document:
        return document.read(), document


@pytest.mark.parametrize("coding", CODERS)
def test_compressed_content_is_decoded_and_keeps_its_media_type(coding: str) -> None:
    with http_server(handler=coded(coding, CODERS[coding](TEXT))) as server:
        octets, document = read(f"http://{server}/")
        assert server.requests[0].headers["Accept-Encoding"] == accepted_codings()
    assert octets == TEXT
    assert (document.media_type, document.size) == ("text/plain", None)
    assert document.attributes.fields[":decoded"] == name_of(coding)


@pytest.mark.parametrize("coding", CODERS)
def test_every_split_of_the_content_gives_the_same(coding: str) -> None:
    octets = CODERS[coding](TEXT[:300])
    for split in range(len(octets)):
        decoder = ContentDecoder(name_of(coding))
        pieces = [*decoder.pieces(octets[:split]), *decoder.pieces(octets[split:])]
        decoder.check_end()
        assert b"".join(pieces) == TEXT[:300]


def test_without_the_option_no_coding_is_asked_for_or_decoded() -> None:
    with http_server(handler=coded("gzip", gzip.compress(TEXT))) as server:
        octets, document = read(f"http://{server}/", compressed=False)
        assert server.requests[0].headers["Accept-Encoding"] == "identity"
    assert gzip.decompress(octets) == TEXT
    assert document.media_type is None


def test_content_without_a_coding_and_empty_content_are_delivered_as_they_are() -> None:
    with http_server(handler={"/a": HttpResponse(200, TEXT), "/b": coded("gzip", b"")}) as server:
        assert read(f"http://{server}/a")[1].size == len(TEXT)
        assert read(f"http://{server}/b")[0] == b""


def test_a_range_is_of_the_content_without_a_coding() -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        assert request.headers["Accept-Encoding"] == "identity"
        return HttpResponse(206, TEXT[5:], headers=[("Content-Range", f"bytes 5-{len(TEXT) - 1}/{len(TEXT)}")])

    with http_server(handler=answer) as server:
        assert read(f"http://{server}/", range=Range(5))[0] == TEXT[5:]


GZIP = gzip.compress(TEXT)
WRONG: dict[str, tuple[HttpResponse, type[AccessError], str]] = {
    "cut": (coded("gzip", GZIP[:-1]), Truncated, "the gzip content is incomplete"),
    "cut in the middle": (HttpResponse(200, GZIP[:99], [("Content-Encoding", "gzip")]), Truncated, "after 99 octets"),
    "trailing octets": (coded("gzip", GZIP + b"x"), ProtocolError, "goes on after its end"),
    "a second member": (coded("gzip", GZIP + GZIP), ProtocolError, "goes on after its end"),
    "trailing octets in a chunk of their own": (
        replace(chunked(GZIP, b"x"), headers=[("Content-Encoding", "gzip")]),
        ProtocolError,
        "goes on after its end",
    ),
    "a wrong check": (coded("gzip", GZIP[:-8] + bytes(8)), ProtocolError, "cannot be decoded"),
    "no code at all": (coded("deflate", b"\x07plain text"), ProtocolError, "cannot be decoded"),
    "a coding not asked for": (coded("br", b"x"), ProtocolError, "has the coding 'br'"),
    "codings upon codings": (coded("gzip,gzip", b"x"), ProtocolError, "has the coding 'gzip,gzip'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_damaged_content_is_an_error(name: str) -> None:
    response, kind, message = WRONG[name]
    with http_server(handler=response) as server, pytest.raises(kind, match=message):
        read(f"http://{server}/")


def zeros(coding: str, mebibytes: int) -> bytes:
    """Return so many MiB of zeros, compressed."""
    if coding == "zstd":
        return bytes(CODERS["zstd"](bytes(mebibytes << 20)))
    deflater = zlib.compressobj(9, wbits=31)
    return b"".join(deflater.compress(bytes(1 << 20)) for _ in range(mebibytes)) + deflater.flush()


@pytest.mark.parametrize("coding", [name for name in CODERS if name in ("gzip", "zstd")])
def test_content_that_grows_without_end_is_stopped(coding: str) -> None:
    limits = Limits(decoded=16 << 20)
    with http_server(handler=coded(coding, zeros(coding, 40))) as server:
        tracemalloc.start()
        try:
            policy = replace(HERE, limits=limits)
            with opened(f"http://{server}/", policy=policy) as document, pytest.raises(LimitExceeded) as exceeded:
                count_octets(document)
            assert tracemalloc.get_traced_memory()[1] < 4 << 20
        finally:
            tracemalloc.stop()
    assert (exceeded.value.limit, exceeded.value.value) == ("decoded", 16 << 20)


def count_octets(pieces: Iterable[bytes]) -> int:
    return sum(map(len, pieces))


@pytest.mark.slow
def test_a_gibibyte_of_zeros_costs_little_time() -> None:
    with http_server(handler=coded("gzip", zeros("gzip", 1024))) as server:
        began = time.process_time()
        with opened(f"http://{server}/") as document, pytest.raises(LimitExceeded):
            count_octets(document)
        assert time.process_time() - began < 2
