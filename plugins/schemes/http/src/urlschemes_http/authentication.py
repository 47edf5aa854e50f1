"""HTTP authentication: the Basic scheme (RFC 7617) for a user and a password, Bearer (RFC 6750) for a token."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import TYPE_CHECKING

from urlschemes.errors import Hint, Remedy
from urlschemes.redaction import shown
from urlschemes_access.errors import AuthRequired
from urlschemes_access.protocol import Algorithm, Authenticate

if TYPE_CHECKING:
    from urlschemes_access.credentials import Credentials
    from urlschemes_http.response import Response

__all__ = ["authorization", "login_for"]

_BASIC = re.compile(r'(?:^|,)[ \t]*basic(?:[ \t]+realm="((?:[^"\\]|\\.)*)"|(?=[ \t,]|$))', re.IGNORECASE)
_BEARER = re.compile(r"(?:^|,)[ \t]*bearer(?=[ \t,]|$)", re.IGNORECASE)
_CLEARTEXT = Remedy("sends the password unencrypted", "options.allow_cleartext", value=True)
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")


def authorization(login: Credentials) -> tuple[str, bytes]:
    """Return the value of the Authorization field, and the secret in it. Raises AuthRequired if it cannot be written.

    Neither scheme protects its secret.
    """
    if login.token:
        if _TOKEN.fullmatch(login.token) is None:
            raise AuthRequired("a bearer token must consist of letters, digits and -._~+/, and = at its end (RFC 6750)")
        return f"Bearer {login.token}", login.token.encode("ascii")
    if ":" in login.user:
        raise AuthRequired("a user name for Basic authentication must not contain a colon (RFC 7617 section 2)")
    secret = b64encode(f"{login.user}:{login.password}".encode("utf-8", "surrogateescape"))
    return f"Basic {secret.decode('ascii')}", secret


def login_for(response: Response) -> Algorithm[Credentials]:
    """Return credentials for a response 401. Raises AuthRequired if there are none, or if they must not be sent."""
    url = response.url
    challenges = response.field("www-authenticate") or ""
    basic, bearer = _BASIC.search(challenges), _BEARER.search(challenges)
    if basic is None and bearer is None:
        raise AuthRequired(
            f"{url.host} requires an authentication scheme that is not supported",
            hint="only Basic and Bearer are supported",
        )
    what = "a user name and a password" if basic else "a token"
    if not (url.tls or (basic and response.may_log_in)):
        raise AuthRequired(
            f"{url.host} requires {'a password' if basic else what}, which http would send in clear text",
            hint=Hint("try the same URL with https", _CLEARTEXT if basic else None),
        )
    realm = shown(re.sub(r"\\(.)", r"\1", (basic and basic[1]) or ""))
    takes_token = url.tls and bearer is not None
    login = yield from Authenticate(
        url.host,
        url.port,
        realm=realm,
        scheme=url.scheme,
        protected=url.tls,
        tokens=takes_token,
    )
    if login is None:
        message = f"{url.host} requires {what}{f' for {realm!r}' if basic else ''}"
        remedies = [Remedy("logs in", "credentials")] if basic else []
        remedies += [Remedy("sends a token", "Credentials.token")] if takes_token else []
        raise AuthRequired(message, hint=Hint(*remedies))
    if basic is None and not login.token:
        raise AuthRequired(f"{url.host} requires a token, not a user name and a password")
    authorization(login)  # raises before another connection is opened
    return login
