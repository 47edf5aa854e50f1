"""Writing over TLS: what it adds to http. A login is given before the content is sent."""

import ssl
import threading
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest

import urlschemes
import urlschemes_access
from urlschemes_access import Credentials, Limits, Policy
from urlschemes_access.errors import AuthRequired, Indeterminate, RemoteError, TLSError, Truncated
from urlschemes_http.access import delete
from urlschemes_http.access import replace as put
from urlschemes_https import HttpsURL
from urlschemes_servers import HttpRequest, HttpResponse, http_server, make_certificates
from urlschemes_testing.replay import (
    Dialogue,
    Step,
    client,
    connect,
    credentials,
    fault_everywhere,
    replay,
    server,
    split_everywhere,
    start_tls,
    upload,
)
from urlschemes_testing.rogue import Visitor, hears_exactly, hears_until, rogue, says, starts_tls

URL = HttpsURL.parse("https://host.dom/a")
LOGIN = b64encode(b"joe:secret").decode()
CHALLENGE = server("HTTP/1.1 401 Unauthorized", 'WWW-Authenticate: Basic realm="vault"', "")
OPENING = Dialogue(connect("host.dom", 443), start_tls("host.dom"))


def asks(method: str, *fields: str, login: str | None = None) -> Step:
    return client(
        f"{method} /a HTTP/1.1",
        "Host: host.dom",
        f"User-Agent: urlschemes/{urlschemes.__version__}",
        "Accept: */*",
        "Accept-Encoding: identity",
        "Connection: close",
        *fields,
        *([f"Authorization: Basic {login}"] if login else []),
        "",
    )


ASKED = ("Content-Length: 5", "Expect: 100-continue")
PUT = Dialogue(
    upload(b"hello"),
    OPENING,
    asks("PUT", *ASKED),
    CHALLENGE,
    credentials("joe", "secret"),
    OPENING,
    asks("PUT", *ASKED, login=LOGIN),
    server("HTTP/1.1 100 Continue", ""),
    client(b"hello"),
    server("HTTP/1.1 204 No Content", ""),
)
DELETE = Dialogue(
    OPENING,
    asks("DELETE"),
    CHALLENGE,
    credentials("joe", "secret"),
    OPENING,
    asks("DELETE", login=LOGIN),
    server("HTTP/1.1 204 No Content", ""),
)


@pytest.mark.parametrize(("operation", "dialogue"), [(put, PUT), (delete, DELETE)], ids=["replace", "delete"])
def test_a_login_comes_before_the_content(operation: object, dialogue: Dialogue) -> None:
    assert callable(operation)
    outcome = split_everywhere(lambda: operation(URL), dialogue)
    assert outcome.complete
    assert [b"Authorization" in octets for octets in outcome.sent.values()] == [False, True]
    assert b"hello" not in outcome.sent["connection"]
    for run in fault_everywhere(lambda: operation(URL), dialogue, also=(b"hello",)):
        assert LOGIN not in f"{run.request} {run.outcome.error}"


def test_a_login_that_is_refused_is_not_tried_again_and_sends_nothing() -> None:
    dialogue = Dialogue(*tuple(PUT)[:-3], CHALLENGE)
    outcome = replay(put(URL), dialogue)
    assert isinstance(outcome.error, AuthRequired)
    assert outcome.error.sent is None
    assert all(b"hello" not in octets for octets in outcome.sent.values())


HERE = replace(Policy.interactive(), limits=Limits(deadline=20, first_octet=5, idle=5))


def test_content_goes_over_tls_to_whom_the_certificate_names(tmp_path: Path) -> None:
    certificates = make_certificates()
    content = bytes(range(256)) * 2000

    def guarded(request: HttpRequest) -> HttpResponse | None:
        if request.headers["Authorization"] == f"Basic {LOGIN}":
            return None
        return HttpResponse(401, headers=[("WWW-Authenticate", 'Basic realm="vault"')])

    with http_server(tmp_path, handler=guarded, writable=True, tls=certificates.server) as address:
        url = f"https://{address}/a"
        with pytest.raises(TLSError):
            urlschemes_access.replace(url, content, policy=HERE)
        assert address.requests == []
        with pytest.raises(AuthRequired):
            urlschemes_access.delete(url, policy=HERE, ssl_context=certificates.client())
        (tmp_path / "a").write_bytes(b"old")
        urlschemes_access.delete(
            url, policy=HERE, ssl_context=certificates.client(), credentials=lambda _: Credentials("joe", "secret")
        )
        assert not (tmp_path / "a").exists()


def test_a_server_that_challenges_before_it_reads() -> None:
    certificates = make_certificates()
    head = b'HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="vault"\r\nContent-Length: 0\r\n\r\n'
    heard = threading.Event()

    def decides(visitor: Visitor) -> None:
        request = visitor.hear_until(b"\r\n\r\n")
        if b"Authorization" not in request:
            visitor.say(head)
            raise ConnectionError("that was all")
        visitor.say(b"HTTP/1.1 100 Continue\r\n\r\n")
        assert visitor.hear_exactly(5) == b"hello"
        visitor.say(b"HTTP/1.1 201 Created\r\n\r\n")
        heard.set()

    with rogue(starts_tls(certificates.server), decides) as place:
        found = urlschemes_access.replace(
            f"https://{place}/a",
            b"hello",
            policy=HERE,
            ssl_context=certificates.client(),
            credentials=lambda _: Credentials("joe", "secret"),
        )
    assert found.fields[":status"] == "201 Created"
    assert heard.is_set()
    assert b"hello" not in place.heard[0]


def test_an_early_refusal_in_the_middle_is_heard_over_tls() -> None:
    certificates = make_certificates()

    def endless() -> object:
        while True:
            yield bytes(65536)

    full = says(b"HTTP/1.1 507 Full\r\nContent-Length: 0\r\n\r\n")
    acts = (
        starts_tls(certificates.server),
        hears_until(b"\r\n\r\n"),
        says(b"HTTP/1.1 100 Continue\r\n\r\n"),
        hears_exactly(200_000),
        full,
        lambda visitor: visitor.wait(0.3),
    )
    context: ssl.SSLContext = certificates.client()
    with rogue(*acts) as place, pytest.raises((RemoteError, Truncated)) as refused:
        urlschemes_access.replace(f"https://{place}/a", endless(), policy=HERE, ssl_context=context)  # type: ignore[arg-type]
    assert not isinstance(refused.value, Indeterminate)
    assert refused.value.sent
