"""One request, over a connection of its own: nothing of one answer can be taken for a part of another. And logins."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import TYPE_CHECKING

import h11

from urlschemes import __version__
from urlschemes.redaction import shown
from urlschemes_access.errors import AuthRequired
from urlschemes_access.protocol import CHUNK, Algorithm, Authenticate, Connect, Peer, Send, StartTLS
from urlschemes_http.answers import MOST_HEAD, Answer, Head, Method

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlschemes_access.credentials import Credentials
    from urlschemes_http import HttpURL

__all__ = ["Request", "login_for"]

_BASIC = re.compile(r'(?:^|,)[ \t]*basic(?:[ \t]+realm="((?:[^"\\]|\\.)*)"|(?=[ \t,]|$))', re.IGNORECASE)


class Request:
    """One request. h11 writes it, and sends the target exactly as the URL writes it."""

    __slots__ = ("_head", "_method", "http", "peer", "url")

    def __init__(self, url: HttpURL, method: Method, peer: Peer) -> None:
        # What bounds a header is MOST_HEAD; h11's own bound must not be met before.
        self.http = h11.Connection(h11.CLIENT, max_incomplete_event_size=2 * (MOST_HEAD + CHUNK))
        self.url = url
        self.peer = peer
        self._method = method
        self._head = Head(self.http, peer, url.host)

    @classmethod
    def begin(cls, url: HttpURL, method: Method) -> Algorithm[Request]:
        """Connect, over TLS where the URL says so."""
        peer = yield from Connect(url.host, url.port)
        if url.tls:
            yield from StartTLS(peer, url.host)
        return cls(url, method, peer)

    def send_head(
        self, login: Credentials | None, more: Iterable[tuple[str, str]] = (), *, complete: bool = True
    ) -> Algorithm[None]:
        """Send the request line and the header fields, `more` among them; `complete` where no content follows."""
        url = self.url
        fields = [
            ("Host", url.host if url.port == url.default_port else f"{url.host}:{url.port}"),
            ("User-Agent", f"urlschemes/{__version__}"),
            ("Accept", "*/*"),
            ("Accept-Encoding", "identity"),
            ("Connection", "close"),
            *more,
        ]
        secret: bytes | None = None
        if login is not None:
            secret = b64encode(f"{login.user}:{login.password}".encode("utf-8", "surrogateescape"))
            fields.append(("Authorization", f"Basic {secret.decode('ascii')}"))
        octets = self.http.send(h11.Request(method=self._method, target=url.target, headers=fields)) or b""
        if complete:
            octets += self.http.send(h11.EndOfMessage()) or b""
        yield from Send(self.peer, octets, secret=secret)

    def answer(self, *, within: float | None = None) -> Algorithm[Answer]:
        """The final answer, up to its body. Raises DeadlineExceeded where `within` seconds passed without one."""
        return self._answer((yield from self._head.final(within=within)))

    def early_answer(self, *, within: float) -> Algorithm[Answer | None]:
        """The final answer, where it comes before all was sent; None where 100 comes, or nothing."""
        while (event := (yield from self._head.next(within=within))) is not None:
            if isinstance(event, h11.Response):
                return self._answer(event)
            if event.status_code == 100:
                break
        return None

    def _answer(self, response: h11.Response) -> Answer:
        return Answer(self.url, self._method, self.peer, self.http, response, self._head.octets)


def login_for(answer: Answer) -> Algorithm[Credentials]:
    """What to answer a 401 with: the Basic scheme (RFC 7617), over TLS only, since it hides nothing by itself."""
    url = answer.url
    challenge = _BASIC.search(answer.field("www-authenticate") or "")
    if challenge is None:
        raise AuthRequired(f"{url.host} wants a login of a kind that is not supported", hint="Basic is, over https")
    if not url.tls:
        raise AuthRequired(f"{url.host} wants a password in clear text", hint="try the same URL with https")
    realm = shown(re.sub(r"\\(.)", r"\1", challenge[1] or ""))
    login = yield from Authenticate(url.host, url.port, realm=realm, scheme=url.scheme, protected=url.tls)
    if login is None:
        raise AuthRequired(f"{url.host} wants a user name and a password for {realm!r}", hint="pass credentials")
    if ":" in login.user:
        raise AuthRequired("a user name with a colon cannot be sent (RFC 7617 section 2)")
    return login
