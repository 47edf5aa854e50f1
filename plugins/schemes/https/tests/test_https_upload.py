"""PUT and DELETE over TLS: what https adds to http."""

from __future__ import annotations

import threading
from base64 import b64encode
from collections.abc import Callable

import pytest
from https_dialogues import CHALLENGE, opening, request

import urlschemes_access
from urlschemes_access import Credentials, Policy
from urlschemes_access.errors import AuthRequired
from urlschemes_access.protocol import Algorithm
from urlschemes_http.access import delete
from urlschemes_http.access import replace as put
from urlschemes_https import HttpsURL
from urlschemes_servers import make_certificates
from urlschemes_testing.replay import (
    Script,
    client,
    credentials,
    fault_everywhere,
    replay,
    server,
    split_everywhere,
    upload,
)
from urlschemes_testing.rogue import Visitor, rogue, starts_tls

URL = HttpsURL.parse("https://host.dom/a%2fb?x")
LOGIN = b64encode(b"joe:secret").decode()
JOE = credentials("joe", "secret")
EXPECTS = ("Content-Length: 5", "Expect: 100-continue")
TARGET = "/a%2fb?x"
PUT_REFUSED = Script(
    upload(b"hello"),
    opening(),
    request("PUT", TARGET, *EXPECTS),
    CHALLENGE,
    JOE,
    opening(),
    request("PUT", TARGET, *EXPECTS, login=LOGIN),
)
PUT = PUT_REFUSED.then(server("HTTP/1.1 100 Continue", ""), client(b"hello"), server("HTTP/1.1 204 No Content", ""))
DELETE = Script(
    opening(),
    request("DELETE"),
    CHALLENGE,
    JOE,
    opening(),
    request("DELETE", login=LOGIN),
    server("HTTP/1.1 204 No Content", ""),
)


@pytest.mark.fault(51, 52)
@pytest.mark.parametrize(("operation", "script"), [(put, PUT), (delete, DELETE)], ids=["replace", "delete"])
def test_a_login_comes_before_the_content(operation: Callable[..., Algorithm[None]], script: Script) -> None:
    outcome = split_everywhere(lambda: operation(URL), script)
    assert outcome.complete
    assert [b"Authorization" in octets for octets in outcome.sent.values()] == [False, True]
    assert b"hello" not in outcome.sent["connection"]
    for run in fault_everywhere(lambda: operation(URL), script, also=(b"hello",)):
        assert LOGIN not in f"{run.request} {run.outcome.error}"


def test_a_refused_login_is_not_tried_again_and_sends_nothing() -> None:
    outcome = replay(put(URL), PUT_REFUSED.then(CHALLENGE))
    assert isinstance(outcome.error, AuthRequired)
    assert outcome.error.sent is None
    assert all(b"hello" not in octets for octets in outcome.sent.values())


HERE = Policy.interactive()


def test_a_server_that_challenges_before_it_reads_the_content() -> None:
    certificates = make_certificates()
    challenge = b'HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="vault"\r\nContent-Length: 0\r\n\r\n'
    stored = threading.Event()

    def decides(visitor: Visitor) -> None:
        if b"Authorization" not in visitor.hear_until(b"\r\n\r\n"):
            visitor.say(challenge)
            raise ConnectionError("the first visit ends here")
        visitor.say(b"HTTP/1.1 100 Continue\r\n\r\n")
        assert visitor.hear_exactly(5) == b"hello"
        visitor.say(b"HTTP/1.1 201 Created\r\n\r\n")
        stored.set()

    with rogue(starts_tls(certificates.server), decides) as address:
        found = urlschemes_access.replace(
            f"https://{address}/a",
            b"hello",
            policy=HERE,
            ssl_context=certificates.client(),
            credentials=lambda _: Credentials("joe", "secret"),
        )
    assert found.fields[":status"] == "201 Created"
    assert stored.is_set()
    assert b"hello" not in address.heard[0]
