"""An HTTP request and its response (RFC 9112).

A connection carries another request only if the response before it was read to its end and nothing followed, so that no
response can be mistaken for another's. A request that writes always has a connection of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import h11

from urlschemes import __version__
from urlschemes.errors import UnsupportedOperation
from urlschemes_access.errors import ConnectError
from urlschemes_access.protocol import CHUNK, Algorithm, Close, Connect, Peer, Send, StartTLS
from urlschemes_http.authentication import authorization
from urlschemes_http.response import MAX_HEAD, Method, Response, ResponseReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlschemes_access.credentials import Credentials
    from urlschemes_http import RequestURL

__all__ = ["Fields", "Request"]

Fields: TypeAlias = "Sequence[tuple[str, str]]"
"""Header fields, in their order."""


class Request:
    """One request and its response. The target is sent exactly as the URL writes it.

    A login is sent over TLS; without TLS to a loopback address, and if `cleartext` is true, but a token is refused.
    """

    __slots__ = ("_http", "_method", "_reader", "_secret", "may_log_in", "peer", "url")

    def __init__(self, url: RequestURL, method: Method, peer: Peer, *, cleartext: bool) -> None:
        # MAX_HEAD limits a header; h11's own limit must be higher.
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=2 * (MAX_HEAD + CHUNK))
        self._secret: bytes | None = None
        self._method = method
        self._reader = ResponseReader(self._http, peer, url.host)
        self.may_log_in = url.tls or cleartext or peer.is_loopback
        self.url = url
        self.peer = peer

    @classmethod
    def begin(cls, url: RequestURL, method: Method, *, cleartext: bool) -> Algorithm[Request]:
        """Connect, over TLS for https. For GET and HEAD, the connection may be one that was kept open."""
        key = "tls" if url.tls else ""
        peer = yield from Connect(url.host, url.port, reuse=key if method in ("GET", "HEAD") else None)
        if url.tls and not peer.secure:
            yield from StartTLS(peer, url.host)
        return cls(url, method, peer, cleartext=cleartext)

    @classmethod
    def exchange(
        cls, url: RequestURL, method: Method, login: Credentials | None, more: Fields = (), *, cleartext: bool
    ) -> Algorithm[Response]:
        """Send a request that has no content and may be repeated, with `more` header fields; return its response.

        If the server has closed a connection that was kept open, the request is sent again over another one.
        """
        while True:
            request = yield from cls.begin(url, method, cleartext=cleartext)
            try:
                yield from request.send_head(login, more)
                return (yield from request.response())
            except ConnectError:
                if request.peer.kept is None:
                    raise
                yield from Close(request.peer)

    def send_head(self, login: Credentials | None, more: Fields = (), *, complete: bool = True) -> Algorithm[None]:
        """Send the request line and the header fields, `more` among them; `complete` if no content follows.

        Without a `login`, the caller's credentials for this server are sent, if a login may be.
        """
        url = self.url
        fields = [
            ("Host", url.host if url.port == url.default_port else f"{url.host}:{url.port}"),
            ("User-Agent", f"urlschemes/{__version__}"),
            ("Accept", "*/*"),
            *([] if any(name == "Accept-Encoding" for name, _ in more) else [("Accept-Encoding", "identity")]),
            *([] if self.peer.keepable else [("Connection", "close")]),
            *more,
        ]
        login = login or self.peer.login
        if login is not None and login.token and not url.tls:
            raise UnsupportedOperation(
                "a token is sent over https only", scheme=url.scheme, hint="try the same URL with https"
            )
        # Asked again: the connection that demanded a login may have led to another address of the host.
        if login is not None and self.may_log_in:
            value, self._secret = authorization(login)
            fields.append(("Authorization", value))
        octets = self._http.send(h11.Request(method=self._method, target=url.target, headers=fields)) or b""
        if complete:
            octets += self._http.send(h11.EndOfMessage()) or b""
        yield from Send(self.peer, octets, secret=self._secret)

    def response(self, *, timeout: float | None = None) -> Algorithm[Response]:
        """Return the final response, up to its body. Raises DeadlineExceeded after `timeout` seconds without one."""
        return self._response((yield from self._reader.final(timeout=timeout)))

    def early_response(self, *, timeout: float) -> Algorithm[Response | None]:
        """Return a final response that comes before all was sent; None after 100 (Continue), or after `timeout`."""
        while (event := (yield from self._reader.next(timeout=timeout))) is not None:
            if isinstance(event, h11.Response):
                return self._response(event)
            if event.status_code == 100:
                break
        return None

    def _response(self, event: h11.Response) -> Response:
        response = Response(self.url, self._method, self.peer, self._http, event, self._reader.head)
        response.secret, response.may_log_in = self._secret, self.may_log_in
        return response
