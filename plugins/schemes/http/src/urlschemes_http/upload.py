"""Sending content by PUT (RFC 9110 section 9.3.4), and the errors of requests that write.

The server is asked before the content is sent (`Expect: 100-continue`), so that it can first refuse or require a login.
Redirects are not followed: the server does not choose what is replaced or deleted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.redaction import one_line, redact
from urlschemes_access.errors import (
    AccessError,
    ConnectError,
    DeadlineExceeded,
    Indeterminate,
    ProtocolError,
    RedirectRefused,
    TLSError,
    Truncated,
)
from urlschemes_access.protocol import Algorithm, Close, Ready, Send, sent_so_far
from urlschemes_http.authentication import login_for
from urlschemes_http.request import Request

if TYPE_CHECKING:
    from urlschemes_access.credentials import Credentials
    from urlschemes_http import RequestURL
    from urlschemes_http.response import Response

__all__ = ["Upload", "check_written", "missing_response"]

CONTINUE_TIMEOUT = 1.0
"""Seconds to wait for 100 (Continue). Not all servers know it: then the content is sent all the same."""
RESPONSE_TIMEOUT = 60.0
"""Seconds to wait for the response after the last octet was sent: it may still be on its way to the server."""
REASON_TIMEOUT = 2.0
"""Seconds to wait for a response that says why the connection broke."""
CHECK_INTERVAL = 1024 * 1024
"""Octets to send, at most, before checking whether the server has responded."""


class Upload:
    """The content of a PUT request, whole or in chunks, and its response. `sent` counts the octets of content sent.

    Without h11, which would take longer to frame the chunks than the system to send them.
    """

    __slots__ = ("_checked_at", "_chunked", "_request", "sent")

    def __init__(self, request: Request, *, chunked: bool) -> None:
        self._request = request
        self._chunked = chunked
        self._checked_at = 0  # the value of `sent` at the last check for a response
        self.sent = 0

    @classmethod
    def begin(
        cls, url: RequestURL, fields: list[tuple[str, str]], *, has_content: bool, chunked: bool
    ) -> Algorithm[Upload]:
        """Send the head of a PUT request, and wait until the content may be sent."""
        login: Credentials | None = None
        expects = has_content
        while True:
            request = yield from Request.begin(url, "PUT")
            more = [*fields, *([("Expect", "100-continue")] if expects else [])]
            yield from request.send_head(login, more, complete=False)
            response = (yield from request.early_response(timeout=CONTINUE_TIMEOUT)) if expects else None
            if response is None:
                return cls(request, chunked=chunked)
            yield from Close(response.peer)
            if response.status == 401 and not response.had_login:
                login = yield from login_for(response)
            elif response.status == 417:  # the server does not support Expect
                expects = False
            else:
                raise _error_of(response, None)

    def send(self, pieces: tuple[bytes, ...]) -> Algorithm[None]:
        """Send some of the content. Raises the error of a response that comes early; Truncated without a response."""
        if self.sent < CHECK_INTERVAL or self.sent - self._checked_at >= CHECK_INTERVAL:
            yield from self._check_no_response()
        octets = sum(map(len, pieces))
        size = b"%x\r\n" % octets if self._chunked else b""
        try:
            yield from Send(self._request.peer, (size, *pieces, b"\r\n") if self._chunked else pieces)
        except (ConnectError, DeadlineExceeded, TLSError, Truncated) as error:
            self.sent += min(max(error.accepted - len(size), 0), octets)
            raise (yield from self._failure(error)) from error
        self.sent += octets

    def end(self) -> Algorithm[Response]:
        """End the content, and return the response. Raises Indeterminate if there is none."""
        if self._chunked:
            try:
                yield from Send(self._request.peer, b"0\r\n\r\n")
            except (ConnectError, DeadlineExceeded, TLSError, Truncated) as error:
                raise (yield from self._failure(error)) from error
        try:
            return (yield from self._request.response(timeout=RESPONSE_TIMEOUT))
        except AccessError as error:
            raise Indeterminate(
                f"sent all {self.sent} octets, but received {missing_response(error)} from {self._request.url.host}: "
                "the content may or may not be stored",
                sent=self.sent,
            ) from error

    def _check_no_response(self) -> Algorithm[None]:
        """Raise an error if the server has responded before it received the whole content."""
        self._checked_at = self.sent
        if (yield from Ready((self._request.peer,), within=0)) is None:
            return
        try:
            response = yield from self._request.early_response(timeout=0)
        except (ConnectError, Truncated) as error:
            raise self._broken(error) from error
        except AccessError as error:
            error.sent = self.sent
            raise
        if response is not None:
            raise _error_of(response, self.sent)

    def _failure(self, error: AccessError) -> Algorithm[AccessError]:
        """Return the error for a broken connection: that of a response, if one comes."""
        try:
            response = yield from self._request.early_response(timeout=REASON_TIMEOUT)
        except AccessError:
            response = None
        return self._broken(error) if response is None else _error_of(response, self.sent)

    def _broken(self, error: AccessError) -> AccessError:
        if isinstance(error, DeadlineExceeded):
            return DeadlineExceeded(f"{error.message}; {sent_so_far(self.sent)}", phase=error.phase, sent=self.sent)
        if isinstance(error, TLSError):
            return TLSError(f"{error.message}; {sent_so_far(self.sent)}", hint=error.hint, sent=self.sent)
        return Truncated(f"the connection to {self._request.url.host} broke; {sent_so_far(self.sent)}", sent=self.sent)


def missing_response(error: AccessError) -> str:
    """Return what an error message says of a response that did not come, or cannot be parsed."""
    silent = isinstance(error, ConnectError | DeadlineExceeded | Truncated)
    return "no response" if silent else "no valid response"


def check_written(response: Response, *, sent: int | None) -> None:
    """Raise the error of a response to PUT or DELETE, unless it says that the operation was done."""
    if response.status == 202:
        raise Indeterminate(f"{response}: the operation may or may not be carried out later", sent=sent)
    if response.status not in {200, 201, 204}:
        raise _error_of(response, sent)


def _error_of(response: Response, sent: int | None) -> AccessError:
    """Return the error of a response that is not a success, or comes too early to be one."""
    after = "" if sent is None else f"; {sent_so_far(sent)}"
    if 300 <= response.status < 400 and response.status != 304:
        location = one_line(redact(response.field("location") or ""), 120)
        return RedirectRefused(
            f"{response}: a request that writes follows no redirect{after}",
            reason="writing",
            location=location,
            sent=sent,
            hint=f"the redirect points to {location}" if location else None,
        )
    try:
        response.check_success(sent=sent)
    except AccessError as error:
        return error
    return ProtocolError(f"{response}, which does not answer this request{after}", where="status line", sent=sent)
