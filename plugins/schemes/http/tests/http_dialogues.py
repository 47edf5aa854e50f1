"""Parts of HTTP dialogues, for the tests of this folder."""

from __future__ import annotations

from functools import partial

from outcomes import checked

import urlschemes
from urlschemes_http import HttpURL
from urlschemes_http.access import access
from urlschemes_testing.replay import Outcome, Script, Step, client, connect, server, server_closes

URL = HttpURL.parse("http://Host.Dom/a%2fb/../%7E;c?x=%26&y")
TARGET = "/a%2fb/../%7E;c?x=%26&y"
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def request(method: str = "GET", target: str = TARGET, *fields: str, host: str = "host.dom") -> Step:
    """Return the step of a whole request, in which every octet counts."""
    return client(
        f"{method} {target} HTTP/1.1",
        f"Host: {host}",
        f"User-Agent: urlschemes/{urlschemes.__version__}",
        "Accept: */*",
        "Accept-Encoding: identity",
        "Connection: close",
        *fields,
        "",
    )


OPENING = Script(connect("host.dom", 80), request())


def outcome_of(script: Script, *, ends_by_closing: bool = False) -> Outcome:
    """Return the outcome of GET: the same however the response is cut, and never a short success after a fault."""
    return checked(partial(access, URL), script, ends_by_closing=ends_by_closing)


def outcome_of_response(*head: str | bytes, body: bytes = b"", closes: bool = True) -> Outcome:
    """Return the outcome of GET with this response."""
    octets = b"".join(line if isinstance(line, bytes) else line.encode() + b"\r\n" for line in (*head, "")) + body
    steps = [server(octets), *([server_closes()] if closes else [])]
    return outcome_of(OPENING.then(*steps), ends_by_closing=closes)
