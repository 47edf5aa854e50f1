"""HTTP authentication by the Basic scheme (RFC 7617)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.redaction import shown
from urlschemes_access.errors import AuthRequired
from urlschemes_access.protocol import Algorithm, Authenticate

if TYPE_CHECKING:
    from urlschemes_access.credentials import Credentials
    from urlschemes_http.response import Response

__all__ = ["login_for"]

_BASIC = re.compile(r'(?:^|,)[ \t]*basic(?:[ \t]+realm="((?:[^"\\]|\\.)*)"|(?=[ \t,]|$))', re.IGNORECASE)


def login_for(response: Response) -> Algorithm[Credentials]:
    """Return credentials for a response 401. Raises AuthRequired if there are none, or if they must not be sent.

    The Basic scheme does not protect a password, so that it is sent over TLS only.
    """
    url = response.url
    challenge = _BASIC.search(response.field("www-authenticate") or "")
    if challenge is None:
        raise AuthRequired(
            f"{url.host} requires an authentication scheme that is not supported",
            hint="only Basic is supported, over https",
        )
    if not url.tls:
        raise AuthRequired(
            f"{url.host} requires a password, which http would send in clear text",
            hint="try the same URL with https",
        )
    realm = shown(re.sub(r"\\(.)", r"\1", challenge[1] or ""))
    login = yield from Authenticate(url.host, url.port, realm=realm, scheme=url.scheme, protected=url.tls)
    if login is None:
        raise AuthRequired(f"{url.host} requires a user name and a password for {realm!r}", hint="pass credentials")
    if ":" in login.user:
        raise AuthRequired("a user name for Basic authentication must not contain a colon (RFC 7617 section 2)")
    return login
