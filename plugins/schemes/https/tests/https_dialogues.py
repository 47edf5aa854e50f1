"""Parts of HTTPS dialogues, for the tests of this folder."""

from __future__ import annotations

import urlschemes
from urlschemes_testing.replay import Script, Step, client, connect, server, start_tls

CHALLENGE = server("HTTP/1.1 401 Unauthorized", r'WWW-Authenticate: Digest qop="auth", basic realm="the \"vault\""', "")


def opening(host: str = "host.dom", port: int = 443) -> Script:
    """Return the steps that open a connection over TLS."""
    return Script(connect(host, port), start_tls(host))


def request(
    method: str = "GET", target: str = "/a%2fb?x", *fields: str, host: str = "host.dom", login: str | None = None
) -> Step:
    """Return the step of a whole request, in which every octet counts."""
    return client(
        f"{method} {target} HTTP/1.1",
        f"Host: {host}",
        f"User-Agent: urlschemes/{urlschemes.__version__}",
        "Accept: */*",
        "Accept-Encoding: identity",
        "Connection: close",
        *fields,
        *([f"Authorization: Basic {login}"] if login else []),
        "",
    )
