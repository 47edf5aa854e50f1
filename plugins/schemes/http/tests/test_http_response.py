"""The header of a response: attributes, what breaks the protocol, and limits."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from http_dialogues import CHUNKED, OK, OPENING, URL, outcome_of, outcome_of_response

from urlschemes_access import Attributes
from urlschemes_access.errors import ConnectError, LimitExceeded, ProtocolError, Truncated
from urlschemes_http.access import access
from urlschemes_testing.replay import Step, replay, server, server_closes, server_resets


def attributes_of(*fields: str | bytes, body: bytes = b"") -> Attributes:
    outcome = outcome_of_response("HTTP/1.1 200 OK", *fields, body=body)
    assert outcome.attributes is not None
    return outcome.attributes


@pytest.mark.parametrize(
    ("fields", "framing"),
    [(("Content-Length: 1",), "length"), (("Transfer-Encoding: Chunked",), "chunked"), ((), "close")],
)
def test_attributes_tell_how_the_body_ends(fields: tuple[str, ...], framing: str) -> None:
    assert attributes_of(*fields, body=b"0\r\n\r\n").fields[":framing"] == framing


@pytest.mark.parametrize(
    ("written", "media_type"),
    [
        (("Content-Type: text/html",), "text/html"),
        (("content-type:text/html;charset=utf-8 ",), "text/html;charset=utf-8"),
        (("Content-Type: text",), None),
        (("Content-Type:",), None),
        (("Content-Type: text/html", "Content-Type: text/plain"), None),
        ((), None),
    ],
)
def test_the_media_type(written: tuple[str, ...], media_type: str | None) -> None:
    assert attributes_of("Content-Length: 0", *written).media_type == media_type


@pytest.mark.parametrize(
    ("written", "modified"),
    [
        ("Sun, 06 Nov 1994 08:49:37 GMT", datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)),
        ("Sunday, 06-Nov-94 08:49:37 GMT", datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)),
        ("Sun Nov  6 08:49:37 1994", datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)),
        ("yesterday", None),
    ],
)
def test_the_time_of_modification_has_three_forms(written: str, modified: datetime | None) -> None:
    assert attributes_of("Content-Length: 0", f"Last-Modified: {written}").modified == modified


def test_header_fields_are_safe_to_print() -> None:
    fields = attributes_of(
        "Content-Length: 0",
        b"X-Name: \x1b[2J\x07 caf\xc3\xa9 \xe2\x80\xae \xff\r\n",
        "Set-Cookie: a=1",
        "Set-Cookie: b=2",
        "Content-Location: ftp://joe:secret@host.dom/",
    ).fields
    assert fields["x-name"] == "\\x1b[2J\\x07 café \\u202e \\xff"
    assert fields["set-cookie"] == "a=1, b=2"
    assert fields["content-location"] == "ftp://joe:***@host.dom/"


@pytest.mark.fault(19)
def test_a_body_with_a_content_coding_is_delivered_as_it_came_without_a_media_type() -> None:
    outcome = outcome_of_response(
        "HTTP/1.1 200 OK",
        "Content-Type: text/html",
        "Content-Encoding: " + ", ".join(["gzip"] * 50),
        "Content-Length: 4",
        body=b"\x1f\x8b\x08\xff",
    )
    assert outcome.complete
    assert outcome.content == b"\x1f\x8b\x08\xff"
    assert outcome.attributes is not None
    assert outcome.attributes.media_type is None
    assert outcome.attributes.fields["content-encoding"].startswith("gzip, gzip")
    assert outcome.attributes.fields["content-type"] == "text/html"


BROKEN: dict[str, tuple[bytes, str]] = {
    "B14 another protocol's banner": (b"220 host.dom FTP ready\r\n", "status line"),
    "B14 SSH": (b"SSH-2.0-OpenSSH_9.2\r\n", "status line"),
    "B14 a TLS alert": (b"\x15\x03\x01\x00\x02\x02\x16", "status line"),
    "B14 NULs": (bytes(1000), "status line"),
    "B14 all octets": (bytes(range(256)) * 10, "status line"),
    "HTTP/0.9": (b"<html>hello</html>", "status line"),
    "HTTP/2": (b"HTTP/2.0 200 OK\r\n\r\n", "status line"),
    "an empty line first": (b"\r\n" + OK + b"\r\n", "status line"),
    "a status of letters": (b"HTTP/1.1 abc OK\r\n\r\n", "header"),
    "a status of two digits": (b"HTTP/1.1 20 OK\r\n\r\n", "header"),
    "status 099": (b"HTTP/1.1 099 Low\r\n\r\n", "header"),
    "status 600": (b"HTTP/1.1 600 High\r\n\r\n", "status line"),
    "101 without an Upgrade": (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n", "header"),
    "a field without a colon": (OK + b"hello\r\n\r\n", "header"),
    "a space before the colon": (OK + b"Content-Length : 5\r\n\r\nhello", "header"),
    "a NUL in a field": (OK + b"A: b\0c\r\n\r\n", "header"),
    "a bare CR in a field": (OK + b"A: b\rContent-Length: 5\r\n\r\nhello", "header"),
    "a folded first line": (OK + b" A: b\r\n\r\n", "header"),
    "B16 negative": (OK + b"Content-Length: -5\r\n\r\nhello", "header"),
    "B16 a sign": (OK + b"Content-Length: +7\r\n\r\nhello", "header"),
    "B16 text": (OK + b"Content-Length: many\r\n\r\nhello", "header"),
    "B16 empty": (OK + b"Content-Length:\r\n\r\nhello", "header"),
    "B16 hexadecimal": (OK + b"Content-Length: 0x5\r\n\r\nhello", "header"),
    "B16 a fraction": (OK + b"Content-Length: 5.0\r\n\r\nhello", "header"),
    "B16 two words": (OK + b"Content-Length: 5 5\r\n\r\nhello", "header"),
    "B16 two that differ": (OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "header"),
    "B16 two alike": (OK + b"Content-Length: 5\r\ncontent-length: 5\r\n\r\nhello", "Content-Length"),
    "B16 a list": (OK + b"Content-Length: 5, 5\r\n\r\nhello", "Content-Length"),
    "B16 a folded list": (OK + b"Content-Length: 5\r\n ,5\r\n\r\nhello", "Content-Length"),
    "B16 2**63": (OK + b"Content-Length: 9223372036854775808\r\n\r\nhello", "Content-Length"),
    "B16 5,000 digits": (OK + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\nhello", "header"),
    "B16 with chunks": (OK + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "Content-Length"),
    "another transfer coding": (OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "header"),
    "two transfer codings": (
        OK + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "header",
    ),
    "chunks in HTTP/1.0": (b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "Transfer-Encoding"),
    "B18 letters": (CHUNKED + b"five\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 not hexadecimal": (CHUNKED + b"xyz\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 negative": (CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 a sign": (CHUNKED + b"+5\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 0x": (CHUNKED + b"0x5\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 empty": (CHUNKED + b"\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 2**64": (CHUNKED + b"10000000000000000\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 2**64, with leading zeros": (CHUNKED + b"00010000000000000000\r\nhello\r\n", "body"),
    "B18 30 digits": (CHUNKED + b"f" * 30 + b"\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 a chunk longer than its size": (CHUNKED + b"4\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 bare line feeds": (CHUNKED + b"5\nhello\n0\n\n", "body"),
    "not a field in the trailer": (CHUNKED + b"0\r\nnonsense\r\n\r\n", "body"),
    "B20 a redirect without a Location": (b"HTTP/1.1 302 Found\r\n\r\n", "Location"),
    "B20 an empty Location": (b"HTTP/1.1 302 Found\r\nLocation:\r\n\r\n", "Location"),
    "B20 two Locations": (b"HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\n\r\n", "Location"),
    "B20 two Locations alike": (b"HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /a\r\n\r\n", "Location"),
}


@pytest.mark.fault(16, 18)
@pytest.mark.parametrize("chunk", [None, 1, 5])
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_response_is_a_protocol_error_that_says_where(name: str, chunk: int | None) -> None:
    octets, where = BROKEN[name]
    # The server sends no more and keeps the connection open: the error must not wait for its end.
    error = replay(access(URL), OPENING.then(server(octets)), chunk=chunk).error
    assert isinstance(error, ProtocolError)
    assert error.where == where
    assert str(error).isascii()
    assert str(error).isprintable()
    assert len(str(error)) <= 300


@pytest.mark.parametrize("ending", [server_closes(), server_resets()], ids=["closed", "reset"])
def test_no_response_is_a_connect_error(ending: Step) -> None:
    assert isinstance(replay(access(URL), OPENING.then(ending)).error, ConnectError)


@pytest.mark.parametrize(
    "octets", [b"H", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nA: b\r\n", b"HTTP/1.1 100 Go\r\n\r\n"]
)
def test_half_a_header_is_truncated(octets: bytes) -> None:
    error = replay(access(URL), OPENING.then(server(octets), server_closes())).error
    assert isinstance(error, Truncated)
    assert error.received == 0


BEYOND: dict[str, tuple[bytes, str, int]] = {
    "B15 interim responses": (b"HTTP/1.1 100 Continue\r\n\r\n" * 9, "interim responses", 8),
    "B15 header fields": (OK + b"A: b\r\n" * 101 + b"\r\n", "header fields", 100),
    "B15 header fields of an interim response": (
        b"HTTP/1.1 103 Early\r\n" + b"A: b\r\n" * 101 + b"\r\n",
        "header fields",
        100,
    ),
    "B15 header octets": (OK + b"A: " + b"b" * 65536 + b"\r\n\r\n", "header octets", 65536),
    "B15 header octets without an end": (OK + b"A: " + b"b" * 200_000, "header octets", 65536),
    "B15 header octets of all responses": (
        (b"HTTP/1.1 103 Early\r\nA: " + b"b" * 30_000 + b"\r\n\r\n") * 3,
        "header octets",
        65536,
    ),
    "B13 a status line without an end": (b"HTTP/1.1 200 " + b"O" * 200_000, "header octets", 65536),
    "B15 trailer fields": (CHUNKED + b"0\r\n" + b"A: b\r\n" * 33 + b"\r\n", "trailer fields", 32),
    "B15 trailer octets": (
        CHUNKED + b"0\r\n" + (b"A: " + b"b" * 8000 + b"\r\n") * 9 + b"\r\n",
        "trailer octets",
        65536,
    ),
    "B15 trailer without an end": (CHUNKED + b"0\r\n" + b"A: b\r\n" * 30_000, "trailer fields", 32),
    "B13 a chunk extension": (CHUNKED + b"5;" + b"x" * 8192 + b"\r\nhello\r\n0\r\n\r\n", "line", 8192),
    "B13 a chunk extension without an end": (CHUNKED + b"5;" + b"x" * 200_000, "line", 8192),
}


@pytest.mark.fault(15)
@pytest.mark.parametrize("chunk", [None, 1000])
@pytest.mark.parametrize("name", BEYOND)
def test_a_response_beyond_a_limit_names_the_limit(name: str, chunk: int | None) -> None:
    octets, limit, value = BEYOND[name]
    error = replay(access(URL), OPENING.then(server(octets)), chunk=chunk).error
    assert isinstance(error, LimitExceeded)
    assert (error.limit, error.value) == (limit, value)


WITHIN = {
    "8 interim responses": b"HTTP/1.1 100 Continue\r\n\r\n" * 8 + OK + b"Content-Length: 2\r\n\r\nok",
    "100 header fields": OK + b"A: b\r\n" * 99 + b"Content-Length: 2\r\n\r\nok",
    "64 KiB of header": OK + b"Content-Length: 2\r\nA: " + b"b" * (65536 - 43) + b"\r\n\r\nok",
    "64 KiB of trailer": CHUNKED + b"2\r\nok\r\n0\r\n" + (b"A: " + b"b" * 8000 + b"\r\n") * 8 + b"\r\n",
    "32 trailer fields": CHUNKED + b"2\r\nok\r\n0\r\n" + b"A: b\r\n" * 32 + b"\r\n",
    "an interim and the final response in one segment": b"HTTP/1.1 102 Wait\r\n\r\n"
    + CHUNKED
    + b"2\r\nok\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("name", WITHIN)
def test_a_response_just_within_the_limits_is_accepted(name: str) -> None:
    octets = WITHIN[name]
    script = OPENING.then(server(octets))
    outcome = outcome_of(script) if len(octets) < 300 else replay(access(URL), script, chunk=1000)
    assert outcome.complete, outcome.error
    assert outcome.content == b"ok"
