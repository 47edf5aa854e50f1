"""GET and HEAD over TLS: what https adds to http, in dialogues."""

from __future__ import annotations

from base64 import b64encode
from functools import partial

import pytest
from https_dialogues import CHALLENGE, opening, request
from outcomes import checked

from urlschemes_access.errors import AuthRequired, RedirectRefused
from urlschemes_http import HttpURL
from urlschemes_http.access import access, find_attributes
from urlschemes_https import HttpsURL
from urlschemes_testing.replay import (
    Script,
    connect,
    credentials,
    fault_everywhere,
    follow,
    replay,
    server,
    split_everywhere,
)

URL = HttpsURL.parse("https://host.dom/a%2fb?x")
LOGIN = b64encode("joe:pässword:".encode()).decode()
OK = server("HTTP/1.1 200 OK", "Content-Length: 2", "", b"ok")
JOE = credentials("joe", "pässword:")
LOGGED_IN = Script(opening(), request(), CHALLENGE, JOE, opening(), request(login=LOGIN))

CASES = {
    "plain": Script(opening(), request(), OK),
    "a redirect to another host": Script(
        opening(),
        request(),
        server("HTTP/1.1 301 Moved", "Location: https://other.dom:8443/", ""),
        follow("https://other.dom:8443/", HttpsURL.parse("https://other.dom:8443/")),
        opening("other.dom", 8443),
        request("GET", "/", host="other.dom:8443"),
        OK,
    ),
    "a login": LOGGED_IN.then(OK),
    "a login, and a redirect within the host": LOGGED_IN.then(
        server("HTTP/1.1 303 See Other", "Location: /c", ""),
        follow("/c", HttpsURL.parse("https://host.dom/c")),
        *opening(),
        request("GET", "/c", login=LOGIN),
        OK,
    ),
    "B22 a login is not sent to another port": LOGGED_IN.then(
        server("HTTP/1.1 302 Found", "Location: https://host.dom:8443/c", ""),
        follow("https://host.dom:8443/c", HttpsURL.parse("https://host.dom:8443/c")),
        *opening(port=8443),
        request("GET", "/c", host="host.dom:8443"),
        OK,
    ),
    "B22 a login is not sent to another host, which asks for its own": LOGGED_IN.then(
        server("HTTP/1.1 302 Found", "Location: https://other.dom/", ""),
        follow("https://other.dom/", HttpsURL.parse("https://other.dom/")),
        *opening("other.dom"),
        request("GET", "/", host="other.dom"),
        CHALLENGE,
        credentials("ann", "x"),
        *opening("other.dom"),
        request("GET", "/", host="other.dom", login="YW5uOng="),
        OK,
    ),
}


@pytest.mark.fault(22, 52)
@pytest.mark.parametrize("name", CASES)
def test_a_good_dialogue_gives_this_however_it_is_cut(name: str) -> None:
    outcome = split_everywhere(lambda: access(URL), CASES[name])
    assert outcome.complete, outcome.error
    assert outcome.content == b"ok"
    assert outcome.unclosed == ()


@pytest.mark.fault(51)
@pytest.mark.parametrize("name", CASES)
def test_every_fault_at_every_step_is_an_error_that_shows_no_password(name: str) -> None:
    runs = fault_everywhere(lambda: access(URL), CASES[name])
    assert len(runs) > 10
    for run in runs:
        shown = f"{run.request} {run.outcome.error}"
        assert LOGIN not in shown
        assert "pässword" not in shown


def test_a_redirect_from_http_to_https_is_protected() -> None:
    script = Script(
        connect("host.dom", 80),
        request("GET", "/"),
        server("HTTP/1.1 301 Moved Permanently", "Location: https://host.dom/a%2fb?x", ""),
        follow("https://host.dom/a%2fb?x", URL),
        CASES["plain"],
    )
    assert checked(partial(access, HttpURL.parse("http://host.dom/")), script).content == b"ok"


def test_a_redirect_from_http_over_https_back_to_http_is_refused() -> None:
    script = Script(
        connect("host.dom", 80),
        request("GET", "/"),
        server("HTTP/1.1 302 Found", "Location: https://host.dom/a%2fb?x", ""),
        follow("https://host.dom/a%2fb?x", URL),
        opening(),
        request(),
        server("HTTP/1.1 302 Found", "Location: http://host.dom/", ""),
    )
    error = replay(access(HttpURL.parse("http://host.dom/")), script).error
    assert isinstance(error, RedirectRefused)
    assert error.reason == "scheme"


def test_find_attributes_logs_in_as_well() -> None:
    script = Script(
        opening(),
        request("HEAD"),
        CHALLENGE,
        JOE,
        opening(),
        request("HEAD", login=LOGIN),
        server("HTTP/1.1 200 OK", "Content-Length: 12", ""),
    )
    outcome = checked(partial(find_attributes, URL), script)
    assert outcome.attributes is not None
    assert outcome.attributes.size == 12


def test_a_login_needs_credentials() -> None:
    error = replay(access(URL), Script(opening(), request(), CHALLENGE, credentials(None))).error
    assert isinstance(error, AuthRequired)
    assert """host.dom requires a user name and a password for 'the "vault"'""" in str(error)


def test_a_refused_login_is_not_tried_again() -> None:
    error = replay(access(URL), LOGGED_IN.then(CHALLENGE)).error
    assert isinstance(error, AuthRequired)
    assert "the login was refused" in str(error)


def test_a_user_name_with_a_colon_is_not_sent() -> None:
    script = Script(opening(), request(), CHALLENGE, credentials("jo:e", "x"))
    assert isinstance(replay(access(URL), script).error, AuthRequired)


@pytest.mark.parametrize("challenge", ["Digest realm=x", "Basically", "NotBasic", "NotBearer", "X-Basic realm=x"])
def test_another_authentication_scheme_is_not_mistaken_for_basic(challenge: str) -> None:
    script = Script(opening(), request(), server("HTTP/1.1 401 No", f"WWW-Authenticate: {challenge}", ""))
    error = replay(access(URL), script).error
    assert isinstance(error, AuthRequired)
    assert "an authentication scheme that is not supported" in str(error)


@pytest.mark.parametrize(
    "challenge", ["Basic", 'BASIC realm="x"', "Basic realm=x", 'Bearer realm="y", Basic realm="x"']
)
def test_a_basic_challenge_has_several_forms(challenge: str) -> None:
    script = Script(
        opening(),
        request(),
        server("HTTP/1.1 401 No", f"WWW-Authenticate: {challenge}", ""),
        JOE,
        opening(),
        request(login=LOGIN),
        OK,
    )
    assert replay(access(URL), script).complete
