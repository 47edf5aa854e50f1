"""The algorithm of http against written dialogues: good ones, cut at every octet and broken at every step; bad ones."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urlschemes
import urlschemes_access
from urlschemes_access.errors import (
    AccessError,
    AuthRequired,
    ConnectError,
    LimitExceeded,
    ProtocolError,
    RedirectRefused,
    RemoteError,
    Truncated,
)
from urlschemes_access.protocol import Algorithm
from urlschemes_http import HttpURL
from urlschemes_http.access import access, find_attributes
from urlschemes_testing.replay import (
    Dialogue,
    Outcome,
    Step,
    client,
    connect,
    fault_everywhere,
    follow,
    replay,
    server,
    server_closes,
    server_resets,
    split_everywhere,
)

URL = HttpURL.parse("http://Host.Dom/a%2fb/../%7E;c?x=%26&y")


def asks(target: str = "/a%2fb/../%7E;c?x=%26&y", *, method: str = "GET", host: str = "host.dom", on: str = "") -> Step:
    """The whole request: every octet of it counts."""
    return client(
        f"{method} {target} HTTP/1.1",
        f"Host: {host}",
        f"User-Agent: urlschemes/{urlschemes.__version__}",
        "Accept: */*",
        "Accept-Encoding: identity",
        "Connection: close",
        "",
        on=on,
    )


OPENING = Dialogue(connect("host.dom", 80), asks())


@dataclass
class Good:
    dialogue: Dialogue
    content: bytes
    url: HttpURL = URL
    ends_by_closing: bool = False


GOOD = {
    "a length": Good(
        OPENING.then(server("HTTP/1.1 200 OK", "Content-Type: text/plain", "Content-Length: 6", "", b"hello\n")),
        b"hello\n",
    ),
    "chunks": Good(
        OPENING.then(
            server("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", ""),
            server("6", b"hello\n\r\n", '0002;why="not"', b"ab\r\n", "000", "X-Sum: 1", ""),
        ),
        b"hello\nab",
    ),
    "until the connection closes": Good(
        OPENING.then(server("HTTP/1.1 200 OK", "", b"hello\n"), server_closes()), b"hello\n", ends_by_closing=True
    ),
    "HTTP/1.0 with bare line feeds": Good(
        OPENING.then(server(b"HTTP/1.0 200 Fine\nServer: CERN/3.0\n\nhello\n"), server_closes()),
        b"hello\n",
        ends_by_closing=True,
    ),
    "interim answers": Good(
        OPENING.then(
            server("HTTP/1.1 100 Continue", ""),
            server("HTTP/1.1 103 Early Hints", "Link: </a.css>; rel=preload", ""),
            server("HTTP/1.1 200 OK", "Content-Length: 2", "", b"ok"),
        ),
        b"ok",
    ),
    "more than was announced": Good(
        OPENING.then(server("HTTP/1.1 200 OK", "Content-Length: 2", "", b"okHTTP/1.1 200 OK\r\n")), b"ok"
    ),
    "nothing": Good(OPENING.then(server("HTTP/1.1 200 OK", "Content-Length: 0", "")), b""),
    "204, whatever it announces": Good(OPENING.then(server("HTTP/1.1 204 No Content", "Content-Length: 5", "")), b""),
    "204, even with chunks": Good(
        OPENING.then(server("HTTP/1.1 204 No Content", "Transfer-Encoding: chunked", "", b"nonsense")), b""
    ),
    "a status without words": Good(OPENING.then(server("HTTP/1.1 201", "Content-Length: 1", "", b"x")), b"x"),
    "another port": Good(
        Dialogue(
            connect("host.dom", 8080),
            asks("/", host="host.dom:8080"),
            server("HTTP/1.1 200 OK", "Content-Length: 1", "", b"x"),
        ),
        b"x",
        HttpURL.parse("http://host.dom:8080"),
    ),
    "redirects, over new connections, whose bodies nobody reads": Good(
        OPENING.then(
            server("HTTP/1.1 302 Found", "Location: /b", "Content-Length: 1000000", "", b"moved"),
            follow("/b", HttpURL.parse("http://host.dom/b")),
            connect("host.dom", 80),
            asks("/b"),
            server("HTTP/1.1 308 Permanent Redirect", "Location: //other.dom:8080/c#d", ""),
            follow("//other.dom:8080/c#d", HttpURL.parse("http://other.dom:8080/c")),
            connect("other.dom", 8080),
            asks("/c", host="other.dom:8080"),
            server("HTTP/1.1 200 OK", "Content-Length: 3", "", b"end"),
        ),
        b"end",
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_good_dialogue_gives_the_same_however_it_is_cut(name: str) -> None:
    good = GOOD[name]
    outcome = split_everywhere(lambda: access(good.url), good.dialogue)
    assert outcome.complete
    assert (outcome.kind, outcome.content) == ("document", good.content)
    assert outcome.unclosed == ()


@pytest.mark.parametrize("name", GOOD)
def test_fault_at_every_step_is_a_typed_error_and_never_a_success(name: str) -> None:
    good = GOOD[name]
    runs = fault_everywhere(lambda: access(good.url), good.dialogue, ends_by_closing=good.ends_by_closing)
    assert len(runs) > 10


HEAD = Dialogue(
    connect("host.dom", 80),
    asks(method="HEAD"),
    server("HTTP/1.1 301 Moved Permanently", "Location: http://host.dom/new", ""),
    follow("http://host.dom/new", HttpURL.parse("http://host.dom/new")),
    connect("host.dom", 80),
    asks("/new", method="HEAD"),
    server(
        "HTTP/1.1 200 OK",
        "Content-Type: text/html; charset=ISO-8859-1",
        "Content-Length: 1234",
        "Last-Modified: Tue, 15 Nov 1994 12:45:26 GMT",
        "",
    ),
)


def test_find_attributes_asks_by_head_and_follows() -> None:
    outcome = split_everywhere(lambda: find_attributes(URL), HEAD)
    assert outcome.complete
    assert outcome.kind == "attributes"
    attributes = outcome.attributes
    assert attributes is not None
    assert attributes.media_type == "text/html; charset=ISO-8859-1"
    assert attributes.size == 1234
    assert attributes.modified == datetime(1994, 11, 15, 12, 45, 26, tzinfo=UTC)
    assert dict(attributes.fields) == {
        ":status": "200 OK",
        "content-type": "text/html; charset=ISO-8859-1",
        "content-length": "1234",
        "last-modified": "Tue, 15 Nov 1994 12:45:26 GMT",
    }
    assert fault_everywhere(lambda: find_attributes(URL), HEAD)


def got(algorithm: Callable[[], Algorithm[None]], dialogue: Dialogue, *, ends_by_closing: bool = False) -> Outcome:
    """What comes of it, the same however the answers are cut, and honest under every fault."""
    outcome = split_everywhere(algorithm, dialogue)
    if outcome.error is None:
        fault_everywhere(algorithm, dialogue, ends_by_closing=ends_by_closing)
    return outcome


def answered(*head: str | bytes, body: bytes = b"", closes: bool = True) -> Outcome:
    octets = b"".join(line if isinstance(line, bytes) else line.encode() + b"\r\n" for line in (*head, "")) + body
    steps = [server(octets), *([server_closes()] if closes else [])]
    return got(partial(access, URL), OPENING.then(*steps), ends_by_closing=closes)


def attributes_of(*fields: str | bytes, body: bytes = b"") -> urlschemes_access.Attributes:
    outcome = answered("HTTP/1.1 200 OK", *fields, body=body)
    assert outcome.attributes is not None
    return outcome.attributes


@pytest.mark.parametrize(
    ("fields", "framing"),
    [
        (("Content-Length: 1",), "length"),
        (("Transfer-Encoding: Chunked",), "chunked"),
        ((), "close"),
    ],
)
def test_attributes_tell_how_the_end_is_known(fields: tuple[str, ...], framing: str) -> None:
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
def test_media_type(written: tuple[str, ...], media_type: str | None) -> None:
    assert attributes_of("Content-Length: 0", *written).media_type == media_type


@pytest.mark.parametrize(
    ("written", "modified"),
    [
        ("Sun, 06 Nov 1994 08:49:37 GMT", datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)),
        ("Sunday, 06-Nov-94 08:49:37 GMT", datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)),
        ("Sun Nov  6 08:49:37 1994", datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)),
        ("Sun, 06 Nov 1994 08:49:37 -0000", datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)),
        ("Sun, 99 Nov 1994 08:49:37 GMT", None),
        ("Sun, 06 Nov 1994 08:49:37 +999999999999999999999999", None),
        ("Sun, 06 Nov 99999999999999999999 08:49:37 GMT", None),
        ("yesterday", None),
        ("0", None),
    ],
)
def test_modified_reads_the_three_forms_of_a_date_and_nothing_else(written: str, modified: datetime | None) -> None:
    assert attributes_of("Content-Length: 0", f"Last-Modified: {written}").modified == modified


def test_header_fields_are_shown_safely() -> None:
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


def test_b19_a_coded_body_is_delivered_as_it_came_and_marked() -> None:
    outcome = answered(
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


# --- statuses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "temporary"),
    [
        ("300 Multiple Choices", False),
        ("305 Use Proxy", False),
        ("400 Bad Request", False),
        ("403 Forbidden", False),
        ("404 Not Found", False),
        ("408 Request Timeout", True),
        ("410 Gone", False),
        ("429 Too Many Requests", True),
        ("500 Internal Server Error", True),
        ("503 Service Unavailable", True),
    ],
)
def test_status_that_is_no_success_is_a_remote_error_whose_body_nobody_reads(status: str, temporary: bool) -> None:
    outcome = answered(f"HTTP/1.1 {status}", "Location: /x", "Content-Length: 1000", closes=False)
    error = outcome.error
    assert isinstance(error, RemoteError)
    assert outcome.kind is None
    assert (error.status, error.text, error.temporary) == (int(status[:3]), status[4:], temporary)
    assert str(error) == f"host.dom answers {status}"


def test_retry_after_is_passed_on() -> None:
    error = answered("HTTP/1.1 503 Busy", "Retry-After: 120").error
    assert str(error) == "host.dom answers 503 Busy; it says to try again after: 120"


def test_the_words_of_an_error_hold_no_control() -> None:
    error = answered(b"HTTP/1.1 404 \x1b]0;x\x07caf\xc3\xa9\r\n").error
    assert isinstance(error, RemoteError)
    assert error.text == "\\x1b]0;x\\x07café"
    assert str(error).isascii()
    assert str(error).isprintable()


@pytest.mark.parametrize(
    ("status", "challenge", "hint"),
    [
        ("401 Unauthorized", 'Basic realm="x"', "https"),
        ("401 Unauthorized", 'Digest realm="x", nonce="y"', "Basic is"),
        ("401 Unauthorized", "", "Basic is"),
        ("407 Proxy Authentication Required", 'Basic realm="x"', "proxies"),
    ],
)
def test_no_password_is_asked_for_or_sent_in_clear_text(status: str, challenge: str, hint: str) -> None:
    error = answered(f"HTTP/1.1 {status}", f"WWW-Authenticate: {challenge}").error
    assert isinstance(error, AuthRequired)
    assert hint in str(error)


@pytest.mark.parametrize("status", ["206 Partial Content", "304 Not Modified"])
def test_a_part_is_never_taken_for_the_whole(status: str) -> None:
    error = answered(f"HTTP/1.1 {status}", "Content-Length: 1", body=b"x").error
    assert isinstance(error, ProtocolError)
    assert error.where == "status line"


# --- what breaks the protocol ---------------------------------------------------------------------

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"

BROKEN: dict[str, tuple[bytes, str]] = {
    "B14 another protocol's banner": (b"220 host.dom FTP ready\r\n", "status line"),
    "B14 SSH": (b"SSH-2.0-OpenSSH_9.2\r\n", "status line"),
    "B14 a TLS alert": (b"\x15\x03\x01\x00\x02\x02\x16", "status line"),
    "B14 NULs": (bytes(1000), "status line"),
    "B14 all octets": (bytes(range(256)) * 10, "status line"),
    "HTTP/0.9": (b"<html>hello</html>", "status line"),
    "HTTP/2": (b"HTTP/2.0 200 OK\r\n\r\n", "status line"),
    "an empty line first": (b"\r\n" + OK + b"\r\n", "status line"),
    "letters for a status": (b"HTTP/1.1 abc OK\r\n\r\n", "header"),
    "a status of two digits": (b"HTTP/1.1 20 OK\r\n\r\n", "header"),
    "status 099": (b"HTTP/1.1 099 Low\r\n\r\n", "header"),
    "status 600": (b"HTTP/1.1 600 High\r\n\r\n", "status line"),
    "101 without having been asked": (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n", "header"),
    "a field without a colon": (OK + b"hello\r\n\r\n", "header"),
    "a blank before the colon": (OK + b"Content-Length : 5\r\n\r\nhello", "header"),
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
    "B16 twice, different": (OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "header"),
    "B16 twice, alike": (OK + b"Content-Length: 5\r\ncontent-length: 5\r\n\r\nhello", "Content-Length"),
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
    "B18 no hexadecimal at all": (CHUNKED + b"xyz\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 negative": (CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 a sign": (CHUNKED + b"+5\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 0x": (CHUNKED + b"0x5\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 empty": (CHUNKED + b"\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 2**64": (CHUNKED + b"10000000000000000\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 2**64, with zeros before it": (CHUNKED + b"00010000000000000000\r\nhello\r\n", "body"),
    "B18 30 digits": (CHUNKED + b"f" * 30 + b"\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 a chunk longer than its size": (CHUNKED + b"4\r\nhello\r\n0\r\n\r\n", "body"),
    "B18 bare line feeds": (CHUNKED + b"5\nhello\n0\n\n", "body"),
    "a length in the trailer that is none": (CHUNKED + b"0\r\nContent-Length: x\r\n\r\n", "body"),
    "B20 a redirect without a Location": (b"HTTP/1.1 302 Found\r\n\r\n", "Location"),
    "B20 an empty Location": (b"HTTP/1.1 302 Found\r\nLocation:\r\n\r\n", "Location"),
    "B20 two Locations": (b"HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\n\r\n", "Location"),
    "B20 two Locations alike": (b"HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /a\r\n\r\n", "Location"),
}


@pytest.mark.parametrize("chunk", [None, 1, 5])
@pytest.mark.parametrize("name", BROKEN)
def test_broken_answer_is_a_protocol_error_that_says_where(name: str, chunk: int | None) -> None:
    octets, where = BROKEN[name]
    # The server says no more and keeps the connection: the error must not need its end.
    outcome = replay(access(URL), OPENING.then(server(octets)), chunk=chunk)
    assert isinstance(outcome.error, ProtocolError), outcome
    assert outcome.error.where == where
    assert str(outcome.error).isascii()
    assert str(outcome.error).isprintable()
    assert len(str(outcome.error)) <= 300


SHORT: dict[str, tuple[bytes, bytes, int | None]] = {
    "B17 no body": (OK + b"Content-Length: 10\r\n\r\n", b"", 10),
    "B17 half a body": (OK + b"Content-Length: 10\r\n\r\nhello", b"hello", 10),
    "B16 a huge length": (OK + b"Content-Length: 9223372036854775807\r\n\r\nhello", b"hello", 2**63 - 1),
    "B17 no chunk": (CHUNKED, b"", None),
    "B17 half a chunk": (CHUNKED + b"a\r\nhello", b"hello", None),
    "B17 a chunk without its end": (CHUNKED + b"5\r\nhello", b"hello", None),
    "B17 no last chunk": (CHUNKED + b"5\r\nhello\r\n", b"hello", None),
    "B17 half a chunk size": (CHUNKED + b"5\r\nhello\r\n1", b"hello", None),
    "B17 no end of the trailer": (CHUNKED + b"5\r\nhello\r\n0\r\n", b"hello", None),
    "B17 half a trailer": (CHUNKED + b"5\r\nhello\r\n0\r\nA: b\r\n", b"hello", None),
}


@pytest.mark.parametrize("ending", [server_closes, server_resets])
@pytest.mark.parametrize("name", SHORT)
def test_short_body_is_truncated_and_says_what_came(name: str, ending: "type[object]") -> None:
    octets, came, expected = SHORT[name]
    outcome = replay(access(URL), OPENING.then(server(octets), ending()))  # type: ignore[arg-type]
    assert isinstance(outcome.error, Truncated), outcome
    assert (outcome.content, outcome.error.received, outcome.error.expected) == (came, len(came), expected)


def test_reset_within_a_body_that_only_closing_ends_is_truncated() -> None:
    outcome = replay(access(URL), OPENING.then(server(OK + b"\r\nhello"), server_resets()))
    assert isinstance(outcome.error, Truncated)
    assert (outcome.error.received, outcome.error.expected) == (5, None)


@pytest.mark.parametrize("ending", [server_closes(), server_resets()])
def test_no_answer_is_a_connect_error(ending: Step) -> None:
    outcome = replay(access(URL), OPENING.then(ending))
    assert isinstance(outcome.error, ConnectError)


@pytest.mark.parametrize(
    "octets", [b"H", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nA: b\r\n", b"HTTP/1.1 100 Go\r\n\r\n"]
)
def test_half_a_header_is_truncated(octets: bytes) -> None:
    outcome = replay(access(URL), OPENING.then(server(octets), server_closes()))
    assert isinstance(outcome.error, Truncated)
    assert outcome.error.received == 0


BEYOND: dict[str, tuple[bytes, str, int]] = {
    "B15 interim answers": (b"HTTP/1.1 100 Continue\r\n\r\n" * 9, "interim answers", 8),
    "B15 header fields": (OK + b"A: b\r\n" * 101 + b"\r\n", "header fields", 100),
    "B15 header fields of an interim answer": (
        b"HTTP/1.1 103 Early\r\n" + b"A: b\r\n" * 101 + b"\r\n",
        "header fields",
        100,
    ),
    "B15 header octets": (OK + b"A: " + b"b" * 65536 + b"\r\n\r\n", "header octets", 65536),
    "B15 header octets without an end": (OK + b"A: " + b"b" * 200_000, "header octets", 65536),
    "B15 header octets of all answers": (
        (b"HTTP/1.1 103 Early\r\nA: " + b"b" * 30_000 + b"\r\n\r\n") * 3,
        "header octets",
        65536,
    ),
    "B13 a status line without an end": (b"HTTP/1.1 200 " + b"O" * 200_000, "header octets", 65536),
    "B15 trailer fields": (CHUNKED + b"0\r\n" + b"A: b\r\n" * 33 + b"\r\n", "trailer fields", 32),
    "B15 trailer octets": (CHUNKED + b"0\r\nA: " + b"b" * 70_000 + b"\r\n\r\n", "trailer octets", 65536),
    "B15 trailer without an end": (CHUNKED + b"0\r\n" + b"A: b\r\n" * 30_000, "trailer octets", 65536),
    "B13 a chunk extension": (CHUNKED + b"5;" + b"x" * 8192 + b"\r\nhello\r\n0\r\n\r\n", "line", 8192),
    "B13 a chunk extension without an end": (CHUNKED + b"5;" + b"x" * 200_000, "line", 8192),
}


@pytest.mark.parametrize("chunk", [None, 1000])
@pytest.mark.parametrize("name", BEYOND)
def test_too_much_is_a_limit_that_has_a_name(name: str, chunk: int | None) -> None:
    octets, limit, value = BEYOND[name]
    outcome = replay(access(URL), OPENING.then(server(octets)), chunk=chunk)
    assert isinstance(outcome.error, LimitExceeded), outcome
    assert (outcome.error.limit, outcome.error.value) == (limit, value)


WITHIN = {
    "8 interim answers": b"HTTP/1.1 100 Continue\r\n\r\n" * 8 + OK + b"Content-Length: 2\r\n\r\nok",
    "100 header fields": OK + b"A: b\r\n" * 99 + b"Content-Length: 2\r\n\r\nok",
    "64 KiB of header": OK + b"Content-Length: 2\r\nA: " + b"b" * (65536 - 43) + b"\r\n\r\nok",
    "32 trailer fields": CHUNKED + b"2\r\nok\r\n0\r\n" + b"A: b\r\n" * 32 + b"\r\n",
    "an interim answer and the real one in one segment": b"HTTP/1.1 102 Wait\r\n\r\n"
    + CHUNKED
    + b"2\r\nok\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("name", WITHIN)
def test_what_is_just_within_the_limits_passes(name: str) -> None:
    octets = WITHIN[name]
    dialogue = OPENING.then(server(octets))
    outcome = got(partial(access, URL), dialogue) if len(octets) < 5000 else replay(access(URL), dialogue, chunk=1000)
    assert outcome.complete, outcome.error
    assert outcome.content == b"ok"


# --- redirects ------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_every_redirect_is_followed_by_get(status: int) -> None:
    dialogue = OPENING.then(
        server(f"HTTP/1.1 {status} Elsewhere", "location:  /b?c ", ""),
        follow("/b?c", HttpURL.parse("http://host.dom/b?c")),
        connect("host.dom", 80),
        asks("/b?c"),
        server("HTTP/1.1 200 OK", "Content-Length: 2", "", b"ok"),
    )
    assert got(partial(access, URL), dialogue).content == b"ok"


def test_b20_a_location_of_a_mebibyte_is_refused_as_what_it_is() -> None:
    octets = b"HTTP/1.1 302 Found\r\nServer: x\r\nLocation: " + b"/a" * 2**19 + b"\r\n\r\n"
    for chunk in (None, 1000):
        outcome = replay(access(URL), OPENING.then(server(octets)), chunk=chunk)
        assert isinstance(outcome.error, RedirectRefused)
        assert outcome.error.reason == "invalid"


def test_what_the_policy_refuses_is_not_connected_to() -> None:
    dialogue = OPENING.then(
        server("HTTP/1.1 302 Found", "Location: gopher://host.dom/", ""),
        follow("gopher://host.dom/", RedirectRefused("not from http", reason="scheme")),
    )
    outcome = replay(access(URL), dialogue)
    assert isinstance(outcome.error, RedirectRefused)
    assert list(outcome.sent) == ["connection"]


def test_a_url_of_another_kind_is_refused_even_where_the_driver_allows_it() -> None:
    dialogue = OPENING.then(
        server("HTTP/1.1 302 Found", "Location: x:y", ""), follow("x:y", urlschemes.parse_generic("x:y"))
    )
    error = replay(access(URL), dialogue).error
    assert isinstance(error, RedirectRefused)
    assert (error.reason, error.location) == ("scheme", "x:y")


def test_a_caller_who_leaves_early_is_not_an_error() -> None:
    many = CHUNKED + b"5\r\nhello\r\n" * 3
    outcome = replay(access(URL), OPENING.then(server(many), server(b"5\r\nworld\r\n0\r\n\r\n")), take=1)
    assert outcome.error is None
    assert outcome.content == b"hello" * 3


def test_small_chunks_are_delivered_together() -> None:
    body = b"1\r\nx\r\n" * 50 + b"0\r\n\r\n"
    outcome = got(partial(access, URL), OPENING.then(server(CHUNKED), server(body)))
    assert outcome.delivered == (b"x" * 50,)


SCRAPS = (
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.0 200\n",
    b"HTTP/1.1 100 Continue\r\n\r\n",
    b"HTTP/1.1 204 No Content\r\n",
    b"HTTP/1.1 404 Not Found\r\n",
    b"Content-Length: 5\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"X: y\r\n",
    b" folded\r\n",
    b"\r\n",
    b"\n",
    b"\r",
    b"5\r\nhello\r\n",
    b"0\r\n",
    b"hello",
    b"5;x=y",
    b":",
    b"\0",
)


@given(start=st.sampled_from(SCRAPS[:5]), scraps=st.lists(st.sampled_from(SCRAPS) | st.binary(max_size=3), max_size=12))
def test_whatever_a_server_says_the_outcome_is_the_same_however_it_is_cut(start: bytes, scraps: list[bytes]) -> None:
    dialogue = OPENING.then(server(start + b"".join(scraps)), server_closes())
    whole, octets = replay(access(URL), dialogue), replay(access(URL), dialogue, chunk=1)
    assert type(whole.error) is type(octets.error)
    assert whole.error is None or isinstance(whole.error, AccessError)
    assert (whole.kind, whole.attributes) == (octets.kind, octets.attributes)
    if whole.complete:
        assert whole.content == octets.content
    else:
        assert octets.content.startswith(whole.content)
