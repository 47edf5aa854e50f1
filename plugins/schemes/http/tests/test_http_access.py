"""GET and HEAD: complete dialogues, cut at every octet and broken at every step; redirects; refused statuses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from http_dialogues import CHUNKED, OPENING, TARGET, URL, outcome_of, outcome_of_response, request
from hypothesis import given
from hypothesis import strategies as st

import urlschemes
from urlschemes.errors import UnsupportedOperation
from urlschemes_access import Credentials
from urlschemes_access.errors import AccessError, AuthRequired, ProtocolError, RedirectRefused, RemoteError
from urlschemes_access.protocol import Peer, Send
from urlschemes_http import HttpURL
from urlschemes_http.access import access, find_attributes
from urlschemes_http.request import Request
from urlschemes_testing.replay import (
    Script,
    connect,
    credentials,
    fault_everywhere,
    follow,
    replay,
    server,
    server_closes,
    silence,
    split_everywhere,
)

JOE = Credentials("joe", "secret")


@dataclass
class Case:
    script: Script
    content: bytes
    url: HttpURL = URL
    ends_by_closing: bool = False


CASES = {
    "a length": Case(
        OPENING.then(server("HTTP/1.1 200 OK", "Content-Type: text/plain", "Content-Length: 6", "", b"hello\n")),
        b"hello\n",
    ),
    "chunks": Case(
        OPENING.then(
            server("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", ""),
            server("6", b"hello\n\r\n", '0002;why="not"', b"ab\r\n", "000", "X-Sum: 1", ""),
        ),
        b"hello\nab",
    ),
    "until the connection closes": Case(
        OPENING.then(server("HTTP/1.1 200 OK", "", b"hello\n"), server_closes()), b"hello\n", ends_by_closing=True
    ),
    "HTTP/1.0 with bare line feeds": Case(
        OPENING.then(server(b"HTTP/1.0 200 Fine\nServer: CERN/3.0\n\nhello\n"), server_closes()),
        b"hello\n",
        ends_by_closing=True,
    ),
    "interim responses": Case(
        OPENING.then(
            server("HTTP/1.1 100 Continue", ""),
            server("HTTP/1.1 103 Early Hints", "Link: </a.css>; rel=preload", ""),
            server("HTTP/1.1 200 OK", "Content-Length: 2", "", b"ok"),
        ),
        b"ok",
    ),
    "more than announced": Case(
        OPENING.then(server("HTTP/1.1 200 OK", "Content-Length: 2", "", b"okHTTP/1.1 200 OK\r\n")), b"ok"
    ),
    "nothing": Case(OPENING.then(server("HTTP/1.1 200 OK", "Content-Length: 0", "")), b""),
    "204 with a length": Case(OPENING.then(server("HTTP/1.1 204 No Content", "Content-Length: 5", "")), b""),
    "204 with chunks": Case(
        OPENING.then(server("HTTP/1.1 204 No Content", "Transfer-Encoding: chunked", "", b"nonsense")), b""
    ),
    "a status without a reason": Case(OPENING.then(server("HTTP/1.1 201", "Content-Length: 1", "", b"x")), b"x"),
    "another port": Case(
        Script(
            connect("host.dom", 8080),
            request("GET", "/", host="host.dom:8080"),
            server("HTTP/1.1 200 OK", "Content-Length: 1", "", b"x"),
        ),
        b"x",
        HttpURL.parse("http://host.dom:8080"),
    ),
    "redirects, over new connections, whose bodies are not read": Case(
        OPENING.then(
            server("HTTP/1.1 302 Found", "Location: /b", "Content-Length: 1000000", "", b"moved"),
            follow("/b", HttpURL.parse("http://host.dom/b")),
            connect("host.dom", 80),
            request("GET", "/b"),
            server("HTTP/1.1 308 Permanent Redirect", "Location: //other.dom:8080/c#d", ""),
            follow("//other.dom:8080/c#d", HttpURL.parse("http://other.dom:8080/c")),
            connect("other.dom", 8080),
            request("GET", "/c", host="other.dom:8080"),
            server("HTTP/1.1 200 OK", "Content-Length: 3", "", b"end"),
        ),
        b"end",
    ),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@pytest.mark.fault(52)
@every_case
def test_a_good_dialogue_gives_this_however_it_is_cut(case: Case) -> None:
    outcome = split_everywhere(lambda: access(case.url), case.script)
    assert outcome.complete
    assert (outcome.kind, outcome.content) == ("document", case.content)
    assert outcome.unclosed == ()


@pytest.mark.fault(51)
@every_case
def test_every_fault_at_every_step_is_an_error_and_never_a_short_success(case: Case) -> None:
    runs = fault_everywhere(lambda: access(case.url), case.script, ends_by_closing=case.ends_by_closing)
    assert len(runs) > 10


HEAD = Script(
    connect("host.dom", 80),
    request("HEAD"),
    server("HTTP/1.1 301 Moved Permanently", "Location: http://host.dom/new", ""),
    follow("http://host.dom/new", HttpURL.parse("http://host.dom/new")),
    connect("host.dom", 80),
    request("HEAD", "/new"),
    server(
        "HTTP/1.1 200 OK",
        "Content-Type: text/html; charset=ISO-8859-1",
        "Content-Length: 1234",
        "Last-Modified: Tue, 15 Nov 1994 12:45:26 GMT",
        "",
    ),
)


def test_find_attributes_sends_head_and_follows_redirects() -> None:
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
def test_a_status_that_is_not_a_success_is_a_remote_error_without_the_body(status: str, temporary: bool) -> None:
    outcome = outcome_of_response(f"HTTP/1.1 {status}", "Location: /x", "Content-Length: 1000", closes=False)
    error = outcome.error
    assert isinstance(error, RemoteError)
    assert outcome.kind is None
    assert (error.status, error.text, error.temporary) == (int(status[:3]), status[4:], temporary)
    assert str(error) == f"host.dom responded with {status}"


NGINX = b"""<html>
<head><title>400 No required SSL certificate was sent</title></head>
<body>
<center><h1>400 Bad Request</h1></center>
<center>No required SSL certificate was sent</center>
<hr><center>nginx/1.22.1</center>
</body>
</html>
"""
SAYS = "host.dom responded with 403 No; the server says: "


@pytest.mark.parametrize(
    ("fields", "body", "said"),
    [
        (("Content-Type: text/html",), NGINX, "400 Bad Request / No required SSL certificate was sent / nginx/1.22.1"),
        (
            ("Content-Type: text/plain",),
            b"\n  No  way.\r\n403 No\r\n\r\nNo  way.\nNot here.\n\n3\n4",
            "No way. / Not here. / 3",
        ),
        (("Content-Type: text/plain; charset=iso-8859-1",), b"Gru\xdf \x1b[2J", r"Gru\xdf \x1b[2J"),
        (("Content-Type: text/html",), b"<style>a { b: c }</style>&lt;b&gt; &amp;c<!-- d > --><script>e", "<b> &c"),
        (("Content-Type: application/json",), b'{"error": "no"}', '{"error": "no"}'),
        (("Content-Type: text/plain", "Content-Length: 100"), b"cut", "cut"),
        (("Content-Type: text/plain", "Transfer-Encoding: chunked"), b"2\r\nno\r\n0\r\n\r\n", "no"),
        (("Content-Type: text/plain", "Transfer-Encoding: chunked"), b"2\r\nno\r\n!", "no"),
        (("Content-Type: text/plain", "Retry-After: 9"), b"busy", "busy; the server says to retry after: 9"),
        (("Content-Type: text/plain",), b"x" * 9000, "x" * 197 + "..."),
        (("Content-Type: image/png",), b"no", None),
        (("Content-Type: text/plain", "Content-Encoding: gzip"), b"no", None),
        ((), b"no", None),
    ],
)
def test_the_body_of_an_error_explains_it(fields: tuple[str, ...], body: bytes, said: str | None) -> None:
    error = outcome_of_response("HTTP/1.1 403 No", *fields, body=body).error
    assert str(error) == (SAYS + said if said else SAYS.partition(";")[0])


def test_a_slow_explanation_is_not_waited_for() -> None:
    script = OPENING.then(server("HTTP/1.1 403 No", "Content-Type: text/plain", "", b"be"), silence())
    assert str(replay(access(URL), script).error) == f"{SAYS}be"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("x" * 190 + "am9lOnA8w6Qi", "x" * 190 + "***"),
        ("x" * 190 + 'p<ä"', "x" * 190 + "***"),
        (r'{"wrong": "p<\u00e4\""}', '{"wrong": "***"}'),
    ],
)
def test_an_explanation_never_shows_a_part_of_the_login(body: str, said: str) -> None:
    script = OPENING.then(
        *(server("HTTP/1.1 401 No", 'WWW-Authenticate: Basic realm="x"', "Content-Length: 0", ""),),
        *(credentials("joe", 'p<ä"'), connect("host.dom", 80)),
        request("GET", TARGET, "Authorization: Basic am9lOnA8w6Qi"),
        server("HTTP/1.1 403 No", "Content-Type: text/plain", "", body.encode()),
        server_closes(),
    )
    error = replay(access(URL, allow_cleartext=True), script).error
    assert str(error) == f"{SAYS}{said}"


def test_retry_after_is_a_hint() -> None:
    error = outcome_of_response("HTTP/1.1 503 Busy", "Retry-After: 120").error
    assert str(error) == "host.dom responded with 503 Busy; the server says to retry after: 120"


def test_the_reason_of_an_error_is_safe_to_print() -> None:
    error = outcome_of_response(b"HTTP/1.1 404 \x1b]0;x\x07caf\xc3\xa9\r\n").error
    assert isinstance(error, RemoteError)
    assert error.text == "\\x1b]0;x\\x07café"
    assert str(error).isascii()
    assert str(error).isprintable()


@pytest.mark.parametrize(
    ("status", "challenge", "hint"),
    [
        ("401 Unauthorized", 'Basic realm="x"', 'https; options={"allow_cleartext": True} sends the password'),
        ("401 Unauthorized", "Bearer", "https"),
        ("401 Unauthorized", 'Digest realm="x", nonce="y"', "only Basic"),
        ("401 Unauthorized", "", "only Basic"),
        ("407 Proxy Authentication Required", 'Basic realm="x"', "proxies"),
    ],
)
def test_no_password_is_asked_for_or_sent_in_clear_text(status: str, challenge: str, hint: str) -> None:
    error = outcome_of_response(f"HTTP/1.1 {status}", f"WWW-Authenticate: {challenge}").error
    assert isinstance(error, AuthRequired)
    assert hint in str(error)


@pytest.mark.parametrize(
    ("address", "allow_cleartext", "login", "is_sent"),
    [
        ("192.0.2.1", False, JOE, False),
        ("192.0.2.1", True, JOE, True),
        ("127.0.0.1", False, JOE, True),
        ("::1", False, JOE, True),
        ("::ffff:127.0.0.1", False, JOE, False),
    ],
)
def test_a_login_without_tls(address: str, allow_cleartext: bool, login: Credentials, is_sent: bool) -> None:
    for known, asked_for in ((login, None), (None, login)):
        peer = Peer("connection", (address, 80))
        peer.login = known
        sending = next(Request(URL, "GET", peer, cleartext=allow_cleartext).send_head(asked_for))
        assert isinstance(sending, Send)
        assert (b"Authorization" in sending.octets) is is_sent


def test_no_option_sends_a_token_in_clear_text() -> None:
    peer = Peer("connection", ("192.0.2.1", 80))
    with pytest.raises(UnsupportedOperation, match="a token is sent over https only"):
        next(Request(URL, "GET", peer, cleartext=True).send_head(Credentials(token="t")))


def test_a_password_may_be_sent_in_clear_text_if_the_option_says_so() -> None:
    script = OPENING.then(
        *(server("HTTP/1.1 401 No", 'WWW-Authenticate: Basic realm="x"', "Content-Length: 0", ""),),
        *(credentials("joe", "secret"), connect("host.dom", 80)),
        request("GET", TARGET, "Authorization: Basic am9lOnNlY3JldA=="),
        server("HTTP/1.1 200 OK", "Content-Length: 2", "", b"ok"),
    )
    assert replay(access(URL, allow_cleartext=True), script).content == b"ok"


@pytest.mark.parametrize("status", ["206 Partial Content", "304 Not Modified"])
def test_a_part_is_never_taken_for_the_whole(status: str) -> None:
    error = outcome_of_response(f"HTTP/1.1 {status}", "Content-Length: 1", body=b"x").error
    assert isinstance(error, ProtocolError)
    assert error.where == "status line"


# Redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_every_redirect_is_followed_by_get(status: int) -> None:
    script = OPENING.then(
        server(f"HTTP/1.1 {status} Elsewhere", "location:  /b?c ", ""),
        follow("/b?c", HttpURL.parse("http://host.dom/b?c")),
        connect("host.dom", 80),
        request("GET", "/b?c"),
        server("HTTP/1.1 200 OK", "Content-Length: 2", "", b"ok"),
    )
    assert outcome_of(script).content == b"ok"


@pytest.mark.fault(20)
@pytest.mark.parametrize("chunk", [None, 1000])
def test_a_location_of_a_mebibyte_is_refused_as_a_redirect(chunk: int | None) -> None:
    octets = b"HTTP/1.1 302 Found\r\nServer: x\r\nLocation: " + b"/a" * 2**19 + b"\r\n\r\n"
    error = replay(access(URL), OPENING.then(server(octets)), chunk=chunk).error
    assert isinstance(error, RedirectRefused)
    assert error.reason == "invalid"


def test_a_redirect_that_the_policy_refuses_is_not_connected_to() -> None:
    script = OPENING.then(
        server("HTTP/1.1 302 Found", "Location: gopher://host.dom/", ""),
        follow("gopher://host.dom/", RedirectRefused("not from http", reason="scheme")),
    )
    outcome = replay(access(URL), script)
    assert isinstance(outcome.error, RedirectRefused)
    assert list(outcome.sent) == ["connection"]


def test_a_redirect_to_another_kind_of_url_is_refused_even_if_the_policy_allows_it() -> None:
    script = OPENING.then(
        server("HTTP/1.1 302 Found", "Location: x:y", ""), follow("x:y", urlschemes.parse_generic("x:y"))
    )
    error = replay(access(URL), script).error
    assert isinstance(error, RedirectRefused)
    assert (error.reason, error.location) == ("scheme", "x:y")


# Any response


def test_a_caller_who_stops_reading_causes_no_error() -> None:
    many = CHUNKED + b"5\r\nhello\r\n" * 3
    outcome = replay(access(URL), OPENING.then(server(many), server(b"5\r\nworld\r\n0\r\n\r\n")), take=1)
    assert outcome.error is None
    assert outcome.content == b"hello" * 3


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
def test_any_response_gives_the_same_outcome_octet_by_octet(start: bytes, scraps: list[bytes]) -> None:
    script = OPENING.then(server(start + b"".join(scraps)), server_closes())
    whole, octets = replay(access(URL), script), replay(access(URL), script, chunk=1)
    assert type(whole.error) is type(octets.error)
    assert whole.error is None or isinstance(whole.error, AccessError)
    assert (whole.kind, whole.attributes) == (octets.kind, octets.attributes)
    if whole.complete:
        assert whole.content == octets.content
    else:
        assert octets.content.startswith(whole.content)
