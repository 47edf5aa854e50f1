"""HTTP over TLS: what it adds to http. Dialogues that are written down; the servers are in test_https_server.py."""

from base64 import b64encode
from collections.abc import Callable
from functools import partial

import pytest

import urlschemes
from urlschemes_access.errors import AuthRequired, RedirectRefused, TLSError, Truncated
from urlschemes_access.protocol import Algorithm
from urlschemes_http import HttpURL
from urlschemes_http.access import access, find_attributes
from urlschemes_https import HttpsURL
from urlschemes_testing.replay import (
    Dialogue,
    Outcome,
    Step,
    client,
    connect,
    credentials,
    fault_everywhere,
    follow,
    replay,
    server,
    server_closes,
    split_everywhere,
    start_tls,
)

URL = HttpsURL.parse("https://host.dom/a%2fb?x")
LOGIN = b64encode("joe:pässword:".encode()).decode()


def asks(target: str = "/a%2fb?x", *, method: str = "GET", host: str = "host.dom", login: str | None = None) -> Step:
    return client(
        f"{method} {target} HTTP/1.1",
        f"Host: {host}",
        f"User-Agent: urlschemes/{urlschemes.__version__}",
        "Accept: */*",
        "Accept-Encoding: identity",
        "Connection: close",
        *([f"Authorization: Basic {login}"] if login else []),
        "",
    )


def opening(host: str = "host.dom", port: int = 443) -> Dialogue:
    return Dialogue(connect(host, port), start_tls(host))


OK = server("HTTP/1.1 200 OK", "Content-Length: 2", "", b"ok")
CHALLENGE = server("HTTP/1.1 401 Unauthorized", r'WWW-Authenticate: Digest qop="auth", basic realm="the \"vault\""', "")

GOOD = {
    "plain": Dialogue(opening(), asks(), OK),
    "a redirect to another host": Dialogue(
        opening(),
        asks(),
        server("HTTP/1.1 301 Moved", "Location: https://other.dom:8443/", ""),
        follow("https://other.dom:8443/", HttpsURL.parse("https://other.dom:8443/")),
        opening("other.dom", 8443),
        asks("/", host="other.dom:8443"),
        OK,
    ),
    "a login": Dialogue(
        opening(), asks(), CHALLENGE, credentials("joe", "pässword:"), opening(), asks(login=LOGIN), OK
    ),
    "a login, and a redirect within the host": Dialogue(
        opening(),
        asks(),
        CHALLENGE,
        credentials("joe", "pässword:"),
        opening(),
        asks(login=LOGIN),
        server("HTTP/1.1 303 See Other", "Location: /c", ""),
        follow("/c", HttpsURL.parse("https://host.dom/c")),
        opening(),
        asks("/c", login=LOGIN),
        OK,
    ),
    "B22 a login that is not carried to another port": Dialogue(
        opening(),
        asks(),
        CHALLENGE,
        credentials("joe", "pässword:"),
        opening(),
        asks(login=LOGIN),
        server("HTTP/1.1 302 Found", "Location: https://host.dom:8443/c", ""),
        follow("https://host.dom:8443/c", HttpsURL.parse("https://host.dom:8443/c")),
        opening(port=8443),
        asks("/c", host="host.dom:8443"),
        OK,
    ),
    "B22 a login that is not carried to another host, which asks for its own": Dialogue(
        opening(),
        asks(),
        CHALLENGE,
        credentials("joe", "pässword:"),
        opening(),
        asks(login=LOGIN),
        server("HTTP/1.1 302 Found", "Location: https://other.dom/", ""),
        follow("https://other.dom/", HttpsURL.parse("https://other.dom/")),
        opening("other.dom"),
        asks("/", host="other.dom"),
        CHALLENGE,
        credentials("ann", "x"),
        opening("other.dom"),
        asks("/", host="other.dom", login="YW5uOng="),
        OK,
    ),
}


def got(algorithm: Callable[[], Algorithm[None]], dialogue: Dialogue) -> Outcome:
    """What comes of it, the same however the answers are cut, and honest under every fault."""
    outcome = split_everywhere(algorithm, dialogue)
    if outcome.error is None:
        fault_everywhere(algorithm, dialogue)
    return outcome


@pytest.mark.parametrize("name", GOOD)
def test_good_dialogue_gives_the_same_however_it_is_cut(name: str) -> None:
    outcome = split_everywhere(lambda: access(URL), GOOD[name])
    assert outcome.complete, outcome.error
    assert outcome.content == b"ok"
    assert outcome.unclosed == ()


@pytest.mark.parametrize("name", GOOD)
def test_fault_at_every_step_is_a_typed_error_and_shows_no_password(name: str) -> None:
    runs = fault_everywhere(lambda: access(URL), GOOD[name])
    assert len(runs) > 10
    for run in runs:
        shown = f"{run.request} {run.outcome.error}"
        assert LOGIN not in shown
        assert "pässword" not in shown


def test_from_http_to_https_the_next_connection_is_protected() -> None:
    dialogue = Dialogue(
        connect("host.dom", 80),
        asks("/"),
        server("HTTP/1.1 301 Moved Permanently", "Location: https://host.dom/a%2fb?x", ""),
        follow("https://host.dom/a%2fb?x", URL),
        GOOD["plain"],
    )
    assert got(partial(access, HttpURL.parse("http://host.dom/")), dialogue).content == b"ok"


def test_no_way_leads_from_http_over_https_back_to_http() -> None:
    dialogue = Dialogue(
        connect("host.dom", 80),
        asks("/"),
        server("HTTP/1.1 302 Found", "Location: https://host.dom/a%2fb?x", ""),
        follow("https://host.dom/a%2fb?x", URL),
        opening(),
        asks(),
        server("HTTP/1.1 302 Found", "Location: http://host.dom/", ""),
        follow("http://host.dom/", HttpURL.parse("http://host.dom/")),
    )
    error = replay(access(HttpURL.parse("http://host.dom/")), dialogue).error
    assert isinstance(error, RedirectRefused)
    assert error.reason == "downgrade"


def test_find_attributes_logs_in_as_well() -> None:
    dialogue = Dialogue(
        opening(),
        asks(method="HEAD"),
        CHALLENGE,
        credentials("joe", "pässword:"),
        opening(),
        asks(method="HEAD", login=LOGIN),
        server("HTTP/1.1 200 OK", "Content-Length: 12", ""),
    )
    outcome = got(partial(find_attributes, URL), dialogue)
    assert outcome.attributes is not None
    assert outcome.attributes.size == 12


def test_login_that_nobody_knows() -> None:
    error = replay(access(URL), Dialogue(opening(), asks(), CHALLENGE, credentials(None))).error
    assert isinstance(error, AuthRequired)
    assert """host.dom wants a user name and a password for 'the "vault"'""" in str(error)


def test_refused_login_is_not_tried_again() -> None:
    dialogue = Dialogue(
        opening(), asks(), CHALLENGE, credentials("joe", "pässword:"), opening(), asks(login=LOGIN), CHALLENGE
    )
    error = replay(access(URL), dialogue).error
    assert isinstance(error, AuthRequired)
    assert "the login was refused" in str(error)


def test_user_name_that_the_scheme_cannot_carry_is_not_sent() -> None:
    dialogue = Dialogue(opening(), asks(), CHALLENGE, credentials("jo:e", "x"))
    assert isinstance(replay(access(URL), dialogue).error, AuthRequired)


@pytest.mark.parametrize("challenge", ["Digest realm=x", "Basically", "NotBasic", "Bearer", "X-Basic realm=x"])
def test_another_kind_of_login_is_not_mistaken_for_basic(challenge: str) -> None:
    dialogue = Dialogue(opening(), asks(), server("HTTP/1.1 401 No", f"WWW-Authenticate: {challenge}", ""))
    error = replay(access(URL), dialogue).error
    assert isinstance(error, AuthRequired)
    assert "of a kind that is not supported" in str(error)


@pytest.mark.parametrize(
    "challenge", ["Basic", 'BASIC realm="x"', "Basic realm=x", 'Bearer realm="y", Basic realm="x"']
)
def test_forms_of_a_basic_challenge(challenge: str) -> None:
    dialogue = Dialogue(
        opening(),
        asks(),
        server("HTTP/1.1 401 No", f"WWW-Authenticate: {challenge}", ""),
        credentials("joe", "pässword:"),
        opening(),
        asks(login=LOGIN),
        OK,
    )
    assert got(partial(access, URL), dialogue).complete


def test_b07_nothing_is_sent_where_tls_fails() -> None:
    dialogue = Dialogue(connect("host.dom", 443), start_tls("host.dom", error=TLSError("self-signed certificate")))
    outcome = replay(access(URL), dialogue)
    assert isinstance(outcome.error, TLSError)
    assert dict(outcome.sent) == {"connection": b""}


def test_short_body_is_truncated_over_tls_too() -> None:
    half = server("HTTP/1.1 200 OK", "Content-Length: 5", "", b"ok")
    outcome = replay(access(URL), Dialogue(opening(), asks(), half, server_closes()))
    assert isinstance(outcome.error, Truncated)
    assert outcome.content == b"ok"
