"""Writing by http: PUT and DELETE against dialogues, and against servers that fail at each step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

import urlschemes
import urlschemes_access
from urlschemes.errors import PluginError, UnsafeURL, UnsupportedOperation, URLError
from urlschemes_access import Limits, Policy
from urlschemes_access.errors import (
    AccessError,
    AuthRequired,
    ConnectError,
    DeadlineExceeded,
    Indeterminate,
    InputRequired,
    ProtocolError,
    RedirectRefused,
    RemoteError,
    Truncated,
)
from urlschemes_access.protocol import Algorithm
from urlschemes_http import HttpURL, access
from urlschemes_http.writing import GO_AHEAD
from urlschemes_servers import HttpRequest, HttpResponse, http_server
from urlschemes_servers.http import redirect
from urlschemes_testing.replay import (
    Dialogue,
    Outcome,
    Step,
    client,
    connect,
    fault_everywhere,
    replay,
    server,
    server_closes,
    server_resets,
    silence,
    split_everywhere,
    upload,
)
from urlschemes_testing.rogue import (
    closes,
    ends_output,
    hears_exactly,
    hears_until,
    resets,
    rogue,
    says,
    stays_silent,
    waits,
)

URL = HttpURL.parse("http://Host.Dom/a%2fb;c?x")


def asks(method: str, *fields: str) -> Step:
    return client(
        f"{method} /a%2fb;c?x HTTP/1.1",
        "Host: host.dom",
        f"User-Agent: urlschemes/{urlschemes.__version__}",
        "Accept: */*",
        "Accept-Encoding: identity",
        "Connection: close",
        *fields,
        "",
    )


WHOLE = Dialogue(connect("host.dom", 80), upload(b"hello"), asks("PUT", "Content-Length: 5", "Expect: 100-continue"))
PIECES = Dialogue(
    connect("host.dom", 80),
    upload(b"hello"),
    upload(b"world"),
    asks("PUT", "Transfer-Encoding: chunked", "Expect: 100-continue"),
)
CONTINUE = server("HTTP/1.1 100 Continue", "")
CREATED = server("HTTP/1.1 201 Created", "ETag: x", "Content-Length: 100", "", b"more than anybody reads")


@dataclass(frozen=True)
class Good:
    dialogue: Dialogue
    fields: dict[str, str] = field(
        default_factory=lambda: {":status": "201 Created", "etag": "x", "content-length": "100"}
    )
    media_type: str = ""
    also: tuple[bytes, ...] = ()  # what silence, instead of the answer to what was asked, lets be sent


GOOD = {
    "whole": Good(WHOLE.then(CONTINUE, client(b"hello"), CREATED)),
    "a server that does not know 100 gets it all the same": Good(WHOLE.then(silence(), client(b"hello"), CREATED)),
    "in pieces": Good(
        PIECES.then(
            server("HTTP/1.1 103 Early Hints", "Link: </a>", ""),
            CONTINUE,
            client(b"5\r\nhello\r\n"),
            client(b"5\r\nworld\r\n"),
            upload(b"!"),
            client(b"1\r\n!\r\n"),
            client(b"0\r\n\r\n"),
            server("HTTP/1.1 204 Stored", ""),
        ),
        {":status": "204 Stored"},
    ),
    "nothing, which nobody is asked about": Good(
        Dialogue(
            connect("host.dom", 80),
            asks("PUT", "Content-Length: 0", "Content-Type: text/plain; charset=utf-8"),
            server("HTTP/1.1 200 OK", ""),
        ),
        {":status": "200 OK"},
        "text/plain; charset=utf-8",
    ),
    "a server that refuses to be asked": Good(
        WHOLE.then(
            server("HTTP/1.1 417 Expectation Failed", ""),
            connect("host.dom", 80),
            asks("PUT", "Content-Length: 5"),
            client(b"hello"),
            CREATED,
        ),
        also=(b"hello",),
    ),
}


def put(media_type: str = "") -> Algorithm[None]:
    return access.replace(URL, options={"media_type": media_type})


@pytest.mark.parametrize("case", GOOD.values(), ids=GOOD)
def test_a_good_dialogue_gives_the_same_however_it_is_cut(case: Good) -> None:  # B52
    outcome = split_everywhere(lambda: put(case.media_type), case.dialogue)
    assert outcome.complete, outcome.error
    assert (outcome.kind, outcome.unclosed) == ("attributes", ())
    assert outcome.attributes is not None
    assert outcome.attributes.fields == case.fields
    assert (outcome.attributes.size, outcome.attributes.media_type) == (None, None)


@pytest.mark.parametrize("case", GOOD.values(), ids=GOOD)
def test_every_fault_at_every_step_is_an_error_and_a_part_never_a_success(case: Good) -> None:  # B51
    runs = fault_everywhere(lambda: put(case.media_type), case.dialogue, also=case.also)
    assert len(runs) > 10
    for run in runs:
        error = run.outcome.error
        if isinstance(error, Indeterminate):
            assert error.sent is not None
        if isinstance(error, AccessError) and error.sent:
            assert f"{error.sent} octet" in str(error)


DELETED = Dialogue(connect("host.dom", 80), asks("DELETE"), server("HTTP/1.1 204 No Content", ""))


def test_delete() -> None:
    outcome = split_everywhere(lambda: access.delete(URL), DELETED)
    assert outcome.attributes is not None
    assert outcome.attributes.fields == {":status": "204 No Content"}
    for run in fault_everywhere(lambda: access.delete(URL), DELETED):
        if run.request.startswith("Receive") and run.outcome.error is not None:
            assert isinstance(run.outcome.error, Indeterminate)
    assert "update" not in URL.registration.operations


HALF = PIECES.then(CONTINUE, client(b"5\r\nhello\r\n"))
ALL = WHOLE.then(CONTINUE, client(b"hello"))


@dataclass(frozen=True)
class Bad:
    dialogue: Dialogue
    error: type[URLError]
    says: str
    sent: int | None = None


def head(status: str, *fields: str) -> Step:
    return server(f"HTTP/1.1 {status}", *fields, "")


BAD = {
    "refused before the content": Bad(WHOLE.then(head("403 Forbidden")), RemoteError, "host.dom answers 403 Forbidden"),
    "too large": Bad(WHOLE.then(head("413 Too Large")), RemoteError, "413"),
    "a password in clear text": Bad(
        WHOLE.then(head("401 No", 'WWW-Authenticate: Basic realm="x"')), AuthRequired, "in clear text"
    ),
    "moved, before the content": Bad(
        WHOLE.then(head("307 Moved", "Location: http://other.dom/")),
        RedirectRefused,
        "writing follows no redirect; it points to http://other.dom/",
    ),
    "done before the content": Bad(WHOLE.then(head("201 Created")), ProtocolError, "which is no answer to this"),
    "a refusal between two pieces": Bad(
        HALF.then(head("507 Full")), RemoteError, "507 Full; 5 octets had been sent and may be stored in part", 5
    ),
    "a success between two pieces": Bad(HALF.then(head("200 OK")), ProtocolError, "no answer to this; 5 octets had", 5),
    "an end between two pieces": Bad(HALF.then(server_closes()), Truncated, "broke; 5 octets had been sent", 5),
    "a reset between two pieces": Bad(HALF.then(server_resets()), Truncated, "broke; 5 octets had been sent", 5),
    "nonsense between two pieces": Bad(HALF.then(server("220 ready")), ProtocolError, "an HTTP/1 status line", 5),
    "refused after the content": Bad(ALL.then(head("500 Oops")), RemoteError, "500 Oops; 5 octets had been sent", 5),
    "moved, after the content": Bad(
        ALL.then(head("302 Moved", "Location: /x")), RedirectRefused, "follows no redirect; 5 octets had been sent", 5
    ),
    "moved to nowhere": Bad(ALL.then(head("303 Moved")), RedirectRefused, "follows no redirect", 5),
    "a choice": Bad(ALL.then(head("300 Choose")), RedirectRefused, "follows no redirect", 5),
    "a login after the content": Bad(ALL.then(head("401 Who?")), AuthRequired, "401 Who?; 5 octets", 5),
    "accepted for later": Bad(ALL.then(head("202 Accepted")), Indeterminate, "whether it will be carried out", 5),
    "a part": Bad(ALL.then(head("206 Part")), ProtocolError, "neither a part nor a condition", 5),
    "unchanged": Bad(ALL.then(head("304 Unchanged")), ProtocolError, "neither a part nor a condition", 5),
    "several outcomes": Bad(ALL.then(head("207 Multi-Status")), ProtocolError, "no answer to this", 5),
    "no answer": Bad(ALL.then(server_closes()), Indeterminate, "all 5 octets were sent, and no answer came", 5),
    "a reset instead of an answer": Bad(ALL.then(server_resets()), Indeterminate, "all 5 octets were sent", 5),
    "half an answer": Bad(ALL.then(server(b"HTTP/1.1 20"), server_closes()), Indeterminate, "all 5 octets", 5),
    "silence": Bad(ALL, Indeterminate, "all 5 octets were sent", 5),
    "endless interim answers": Bad(ALL.then(*[head("102 Wait")] * 9), Indeterminate, "no answer that can be", 5),
    "nonsense instead of an answer": Bad(ALL.then(server("220 ready")), Indeterminate, "no answer that can be", 5),
    "a length that is none": Bad(ALL.then(head("200 OK", "Content-Length: x")), Indeterminate, "no answer that", 5),
}


def outcome_of(dialogue: Dialogue) -> Outcome:
    return replay(put(), dialogue)


@pytest.mark.parametrize("name", BAD)
def test_what_fails_says_how_much_was_sent(name: str) -> None:
    bad = BAD[name]
    error = outcome_of(bad.dialogue).error
    assert isinstance(error, AccessError)
    assert type(error) is bad.error, error
    assert bad.says in str(error)
    assert error.sent == bad.sent


@pytest.mark.parametrize(
    ("steps", "error"),
    [
        ((head("404 Gone"),), RemoteError),
        ((head("301 Moved", "Location: /b"),), RedirectRefused),
        ((head("202 Accepted"),), Indeterminate),
        ((head("207 Multi-Status"),), ProtocolError),
        ((server_closes(),), Indeterminate),
        ((server_resets(),), Indeterminate),
        ((server("220 ready"),), Indeterminate),
        ((), Indeterminate),
    ],
)
def test_what_cannot_be_deleted(steps: tuple[Step, ...], error: type[URLError]) -> None:
    outcome = replay(access.delete(URL), Dialogue(connect("host.dom", 80), asks("DELETE"), *steps))
    assert type(outcome.error) is error


def test_a_redirects_words_are_shown_safely() -> None:
    moved = server(b"HTTP/1.1 302 Moved\r\nLocation: http://u:secret@h/\xe2\x80\xaee\r\n\r\n")
    error = outcome_of(ALL.then(moved)).error
    assert isinstance(error, RedirectRefused)
    assert "secret" not in str(error) + error.location
    assert error.location.isprintable()
    assert error.location.isascii()


@pytest.mark.parametrize(
    "media_type", ["text", "text/plain\r\nX: y", "text/plain; a=\x00", "text/pl\u00e4in", "a/b;\u20ac", "a/b; "]
)
def test_a_media_type_that_is_none_is_refused_before_anything_is_connected(media_type: str) -> None:
    assert isinstance(replay(put(media_type), Dialogue()).error, UnsafeURL)


def test_what_is_not_offered_or_has_no_content() -> None:
    with pytest.raises(UnsupportedOperation):
        urlschemes_access.update("http://host.dom/", b"x")
    with pytest.raises(InputRequired):
        urlschemes_access.operate("replace", "http://host.dom/")


# --- over real sockets ------------------------------------------------------------------------------------------------

HERE = replace(Policy.interactive(), limits=Limits(deadline=20, first_octet=5, idle=5))


def test_put_and_delete_change_a_folder(tmp_path: Path) -> None:
    content = bytes(range(256)) * 5000
    with http_server(tmp_path, writable=True) as address:
        assert (
            urlschemes_access.replace(f"http://{address}/a%20b", content, policy=HERE).fields[":status"]
            == "201 Created"
        )
        assert (tmp_path / "a b").read_bytes() == content
        pieces = [content[at : at + 60_001] for at in range(0, len(content), 60_001)]
        again = urlschemes_access.replace(f"http://{address}/a%20b", pieces, policy=HERE)
        assert again.fields[":status"] == "204 No Content"
        assert (tmp_path / "a b").read_bytes() == content
        urlschemes_access.delete(f"http://{address}/a%20b", policy=HERE)
        assert list(tmp_path.iterdir()) == []
        with pytest.raises(RemoteError) as missing:
            urlschemes_access.delete(f"http://{address}/a%20b", policy=HERE)
        assert missing.value.status == 404
        put_whole, put_again, *_ = address.requests
    assert put_whole.headers["Content-Length"] == str(len(content))
    assert put_again.headers["Transfer-Encoding"] == "chunked"
    assert put_whole.headers["Expect"] == put_again.headers["Expect"] == "100-continue"


def test_a_server_that_may_not_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with http_server(tmp_path) as address:
        for operation, content in (("replace", b"x"), ("delete", None)):
            with pytest.raises(RemoteError) as refused:
                urlschemes_access.operate(operation, f"http://{address}/a", content, policy=HERE)
            assert refused.value.status == 405
    assert (tmp_path / "a").read_bytes() == b"old"


def test_no_redirect_is_followed() -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        return redirect("/b", 307) if request.target == "/a" else HttpResponse(200)

    with http_server(handler=answer) as address:
        for operation, content in (("replace", b"x"), ("delete", None)):
            with pytest.raises(RedirectRefused) as refused:
                urlschemes_access.operate(operation, f"http://{address}/a", content, policy=HERE)
            assert (refused.value.reason, refused.value.location) == ("writing", "/b")
        assert [request.target for request in address.requests] == ["/a", "/a"]


def endless() -> Iterator[bytes]:
    while True:
        yield bytes(65536)


GO = says(b"HTTP/1.1 100 Continue\r\n\r\n")
END = b"\r\n\r\n"


def test_b09_a_reset_in_the_middle() -> None:
    with rogue(hears_until(END), GO, hears_exactly(200_000), resets()) as place, pytest.raises(Truncated) as cut:
        urlschemes_access.replace(f"http://{place}/a", endless(), policy=HERE)
    assert cut.value.sent is not None
    assert cut.value.sent >= 200_000 - 1000
    assert "may be stored in part" in str(cut.value)


def test_a_refusal_ends_an_endless_upload() -> None:
    full = says(b"HTTP/1.1 507 Full\r\nContent-Length: 0\r\n\r\n")
    acts = (hears_until(END), GO, hears_exactly(200_000), full, ends_output(), stays_silent())
    with rogue(*acts) as place, pytest.raises(RemoteError) as refused:
        urlschemes_access.replace(f"http://{place}/a", endless(), policy=HERE)
    assert refused.value.status == 507
    assert refused.value.sent


def test_b06_a_server_that_takes_nothing() -> None:
    short = replace(HERE, limits=Limits(deadline=20, idle=0.5))
    with rogue(hears_until(END), GO, waits(5)) as place, pytest.raises(DeadlineExceeded) as late:
        urlschemes_access.replace(f"http://{place}/a", endless(), policy=short)
    assert late.value.sent is not None
    assert "may be stored in part" in str(late.value)


def test_lost_after_all_was_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlschemes_http.writing.DONE", 0.3)
    for last in (closes(), resets(), stays_silent()):
        with rogue(hears_until(END), GO, hears_exactly(9), last) as place, pytest.raises(Indeterminate) as lost:
            urlschemes_access.replace(f"http://{place}/a", b"all of it", policy=HERE)
        assert lost.value.sent == 9
        assert len(place.visits) == 1


def test_nothing_is_tried_twice() -> None:
    with rogue(hears_until(END), closes()) as place:
        with pytest.raises(Indeterminate):
            urlschemes_access.delete(f"http://{place}/a", policy=HERE)
        assert len(place.visits) == 1
    with rogue(closes()) as place:
        with pytest.raises((ConnectError, Truncated, Indeterminate)):
            urlschemes_access.replace(f"http://{place}/a", b"x", policy=HERE)
        assert len(place.visits) == 1


def test_a_server_that_waits_for_the_content_gets_it_after_a_second() -> None:
    acts = (hears_until(END), hears_exactly(5), says(b"HTTP/1.1 204 Fine\r\n\r\n"))
    with rogue(*acts) as place:
        assert urlschemes_access.replace(f"http://{place}/a", b"hello", policy=HERE).fields[":status"] == "204 Fine"
    assert GO_AHEAD <= 1


def test_content_that_fails_is_not_the_schemes_fault() -> None:
    def content() -> Iterator[bytes]:
        yield b"a"
        yield b"b"
        raise KeyError("the caller's own")

    with rogue(hears_until(END), GO, stays_silent()) as place:
        with pytest.raises(KeyError) as raised:
            urlschemes_access.replace(f"http://{place}/a", content(), policy=HERE)
        assert not isinstance(raised.value, PluginError)
    assert not place.heard[0].endswith(b"0\r\n\r\n")
