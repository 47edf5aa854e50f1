"""PUT and DELETE: in dialogues, and against servers that fail at each step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from http_dialogues import request

import urlschemes_access
from urlschemes.errors import PluginError, UnsafeURL, UnsupportedOperation, URLError
from urlschemes_access import Policy
from urlschemes_access.errors import (
    AccessError,
    AuthRequired,
    Indeterminate,
    InputRequired,
    ProtocolError,
    RedirectRefused,
    RemoteError,
    Truncated,
)
from urlschemes_access.protocol import Algorithm
from urlschemes_http import HttpURL, access
from urlschemes_testing.replay import (
    Script,
    Step,
    client,
    connect,
    fault_everywhere,
    replay,
    server,
    server_closes,
    silence,
    split_everywhere,
    upload,
)
from urlschemes_testing.rogue import ends_output, hears_exactly, hears_until, rogue, says, stays_silent

URL = HttpURL.parse("http://Host.Dom/a%2fb;c?x")


def asks(method: str, *fields: str) -> Step:
    return request(method, "/a%2fb;c?x", *fields)


def responds(status: str, *fields: str) -> Step:
    return server(f"HTTP/1.1 {status}", *fields, "")


WHOLE = Script(connect("host.dom", 80), upload(b"hello"), asks("PUT", "Content-Length: 5", "Expect: 100-continue"))
PIECES = Script(
    connect("host.dom", 80),
    upload(b"hello"),
    upload(b"world"),
    asks("PUT", "Transfer-Encoding: chunked", "Expect: 100-continue"),
)
CONTINUE = responds("100 Continue")
CREATED = server("HTTP/1.1 201 Created", "ETag: x", "Content-Length: 100", "", b"a body that is not read")


@dataclass(frozen=True)
class Case:
    script: Script
    fields: dict[str, str] = field(
        default_factory=lambda: {":status": "201 Created", "etag": "x", "content-length": "100"}
    )
    media_type: str = ""
    also: tuple[bytes, ...] = ()  # what may be sent if the server does not respond to Expect


CASES = {
    "whole": Case(WHOLE.then(CONTINUE, client(b"hello"), CREATED)),
    "a server that does not know 100": Case(WHOLE.then(silence(), client(b"hello"), CREATED)),
    "in pieces": Case(
        PIECES.then(
            responds("103 Early Hints", "Link: </a>"),
            CONTINUE,
            client(b"5\r\nhello\r\n"),
            client(b"5\r\nworld\r\n"),
            upload(b"!"),
            client(b"1\r\n!\r\n"),
            client(b"0\r\n\r\n"),
            responds("204 Stored"),
        ),
        {":status": "204 Stored"},
    ),
    "empty content, without Expect": Case(
        Script(
            connect("host.dom", 80),
            asks("PUT", "Content-Length: 0", "Content-Type: text/plain; charset=utf-8"),
            responds("200 OK"),
        ),
        {":status": "200 OK"},
        "text/plain; charset=utf-8",
    ),
    "a server that refuses Expect": Case(
        WHOLE.then(
            responds("417 Expectation Failed"),
            connect("host.dom", 80),
            asks("PUT", "Content-Length: 5"),
            client(b"hello"),
            CREATED,
        ),
        also=(b"hello",),
    ),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def content_octets(request: bytes) -> int:
    """Return the number of octets of content in a request as far as it was sent, whole or in chunks."""
    head, _, body = request.partition(b"\r\n\r\n")
    if b"chunked" not in head:
        return len(body)
    count = 0
    while body:
        size, _, body = body.partition(b"\r\n")
        count += min(int(size, 16), len(body))
        body = body[int(size, 16) + 2 :]
    return count


def put(media_type: str = "") -> Algorithm[None]:
    return access.replace(URL, media_type=media_type)


@pytest.mark.fault(52)
@every_case
def test_a_good_dialogue_gives_this_however_it_is_cut(case: Case) -> None:  # B52
    outcome = split_everywhere(lambda: put(case.media_type), case.script)
    assert outcome.complete, outcome.error
    assert (outcome.kind, outcome.unclosed) == ("attributes", ())
    assert outcome.attributes is not None
    assert outcome.attributes.fields == case.fields
    assert (outcome.attributes.size, outcome.attributes.media_type) == (None, None)


@pytest.mark.fault(51)
@every_case
def test_every_fault_at_every_step_is_an_error_and_a_part_never_a_success(case: Case) -> None:  # B51
    runs = fault_everywhere(lambda: put(case.media_type), case.script, also=case.also)
    assert len(runs) > 10
    for run in runs:
        error = run.outcome.error
        sent = sum(content_octets(octets) for octets in run.outcome.sent.values())
        if isinstance(error, AccessError) and (sent or error.sent):
            assert error.sent == sent
            assert f"{sent} octet" in str(error)
        if sent and run.fault.endswith("a reply and reset"):
            assert isinstance(error, ProtocolError), run


DELETED = Script(connect("host.dom", 80), asks("DELETE"), responds("204 No Content"))


def test_delete() -> None:
    outcome = split_everywhere(lambda: access.delete(URL), DELETED)
    assert outcome.attributes is not None
    assert outcome.attributes.fields == {":status": "204 No Content"}
    for run in fault_everywhere(lambda: access.delete(URL), DELETED):
        if run.request.startswith("Receive") and run.outcome.error is not None:
            assert isinstance(run.outcome.error, Indeterminate)


HALF = PIECES.then(CONTINUE, client(b"5\r\nhello\r\n"))
ALL = WHOLE.then(CONTINUE, client(b"hello"))


@dataclass(frozen=True)
class Bad:
    script: Script
    error: type[URLError]
    words: str
    sent: int | None = None


BAD = {
    "refused before the content": Bad(
        WHOLE.then(responds("403 Forbidden")), RemoteError, "host.dom responded with 403 Forbidden"
    ),
    "too large": Bad(WHOLE.then(responds("413 Too Large")), RemoteError, "413"),
    "a password in clear text": Bad(
        WHOLE.then(responds("401 No", 'WWW-Authenticate: Basic realm="x"')), AuthRequired, "in clear text"
    ),
    "moved, before the content": Bad(
        WHOLE.then(responds("307 Moved", "Location: http://other.dom/")),
        RedirectRefused,
        "307 Moved: a request that writes follows no redirect; the redirect points to http://other.dom/",
    ),
    "done before the content": Bad(
        WHOLE.then(responds("201 Created")), ProtocolError, "which does not answer this request"
    ),
    "a refusal between two pieces": Bad(HALF.then(responds("507 Full")), RemoteError, "507 Full; 5 octets", 5),
    "a success between two pieces": Bad(
        HALF.then(responds("200 OK")), ProtocolError, "does not answer this request; 5 octets", 5
    ),
    "a success before the last chunk": Bad(
        HALF.then(client(b"5\r\nworld\r\n"), responds("200 OK")), ProtocolError, "does not answer this request", 10
    ),
    "an end between two pieces": Bad(HALF.then(server_closes()), Truncated, "interrupted: the response ended", 5),
    "nonsense between two pieces": Bad(HALF.then(server("220 ready")), ProtocolError, "an HTTP/1 status line", 5),
    "refused after the content": Bad(ALL.then(responds("500 Oops")), RemoteError, "500 Oops; 5 octets", 5),
    "moved, after the content": Bad(
        ALL.then(responds("302 Moved", "Location: /x")), RedirectRefused, "follows no redirect; 5 octets", 5
    ),
    "moved to nowhere": Bad(ALL.then(responds("303 Moved")), RedirectRefused, "follows no redirect", 5),
    "a choice": Bad(ALL.then(responds("300 Choose")), RedirectRefused, "follows no redirect", 5),
    "a login after the content": Bad(ALL.then(responds("401 Who?")), AuthRequired, "401 Who?; 5 octets", 5),
    "accepted for later": Bad(ALL.then(responds("202 Accepted")), Indeterminate, "may or may not be carried out", 5),
    "a part": Bad(ALL.then(responds("206 Part")), ProtocolError, "neither a range nor a condition", 5),
    "unchanged": Bad(ALL.then(responds("304 Unchanged")), ProtocolError, "neither a range nor a condition", 5),
    "several outcomes": Bad(ALL.then(responds("207 Multi-Status")), ProtocolError, "does not answer", 5),
    "no response": Bad(ALL.then(server_closes()), Indeterminate, "sent all 5 octets, but received no response", 5),
    "half a response": Bad(ALL.then(server(b"HTTP/1.1 20"), server_closes()), Indeterminate, "sent all 5 octets", 5),
    "endless interim responses": Bad(ALL.then(*[responds("102 Wait")] * 9), Indeterminate, "no valid response", 5),
    "nonsense instead of a response": Bad(ALL.then(server("220 ready")), Indeterminate, "no valid response", 5),
    "an invalid length": Bad(ALL.then(responds("200 OK", "Content-Length: x")), Indeterminate, "no valid response", 5),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_an_error_says_how_much_was_sent(case: Bad) -> None:
    error = replay(put(), case.script).error
    assert isinstance(error, AccessError)
    assert type(error) is case.error, error
    assert case.words in str(error)
    assert error.sent == case.sent


@pytest.mark.parametrize(
    ("steps", "error"),
    [
        ((responds("404 Gone"),), RemoteError),
        ((responds("301 Moved", "Location: /b"),), RedirectRefused),
        ((responds("202 Accepted"),), Indeterminate),
        ((responds("207 Multi-Status"),), ProtocolError),
        ((server_closes(),), Indeterminate),
    ],
)
def test_a_resource_that_cannot_be_deleted(steps: tuple[Step, ...], error: type[URLError]) -> None:
    outcome = replay(access.delete(URL), Script(connect("host.dom", 80), asks("DELETE"), *steps))
    assert type(outcome.error) is error


def test_the_location_of_a_refused_redirect_is_safe_to_print() -> None:
    moved = server(b"HTTP/1.1 302 Moved\r\nLocation: http://u:secret@h/\xe2\x80\xaee\r\n\r\n")
    error = replay(put(), ALL.then(moved)).error
    assert isinstance(error, RedirectRefused)
    assert "secret" not in str(error) + error.location
    assert error.location.isprintable()
    assert error.location.isascii()


@pytest.mark.parametrize(
    "media_type", ["text", "text/plain\r\nX: y", "text/plain; a=\x00", "text/pl\u00e4in", "a/b;\u20ac", "a/b; "]
)
def test_an_invalid_media_type_is_refused_before_connecting(media_type: str) -> None:
    assert isinstance(replay(put(media_type), Script()).error, UnsafeURL)


def test_there_is_no_update_and_replace_needs_content() -> None:
    with pytest.raises(UnsupportedOperation):
        urlschemes_access.update("http://host.dom/", b"x")
    with pytest.raises(InputRequired):
        urlschemes_access.operate("replace", "http://host.dom/")


# Over sockets

HERE = Policy.interactive()
CONTINUES = says(b"HTTP/1.1 100 Continue\r\n\r\n")
END = b"\r\n\r\n"


def endless() -> Iterator[bytes]:
    while True:
        yield bytes(65536)


def test_a_refusal_ends_an_endless_upload() -> None:
    full = says(b"HTTP/1.1 507 Full\r\nContent-Length: 0\r\n\r\n")
    acts = (hears_until(END), CONTINUES, hears_exactly(200_000), full, ends_output(), stays_silent())
    with rogue(*acts) as address, pytest.raises(RemoteError) as refused:
        urlschemes_access.replace(f"http://{address}/a", endless(), policy=HERE)
    assert refused.value.status == 507
    assert refused.value.sent


def test_an_exception_of_the_callers_content_is_not_a_plugin_error() -> None:
    def content() -> Iterator[bytes]:
        yield b"a"
        yield b"b" * 2**20  # sent by itself
        raise KeyError("the caller's own")

    with rogue(hears_until(END), CONTINUES, stays_silent()) as address:
        with pytest.raises(KeyError) as raised:
            urlschemes_access.replace(f"http://{address}/a", content(), policy=HERE)
        assert not isinstance(raised.value, PluginError)
    assert not address.heard[0].endswith(b"0\r\n\r\n")
