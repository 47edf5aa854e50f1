"""Sending content by PUT (RFC 9110 section 9.3.4), and the errors of requests that write.

The server is asked before the content is sent (`Expect: 100-continue`), so that it can first refuse or require a login.
Redirects are not followed: the server does not choose what is replaced or deleted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.redaction import one_line, redact
from urlschemes_access.errors import AccessError, Indeterminate, ProtocolError, RedirectRefused
from urlschemes_access.protocol import Algorithm, Close, sent_so_far, upload
from urlschemes_access.protocol.upload import CONFIRMATION_TIMEOUT, decisive_answer
from urlschemes_http.authentication import login_for
from urlschemes_http.request import Request

if TYPE_CHECKING:
    from urlschemes_access.credentials import Credentials
    from urlschemes_http import RequestURL
    from urlschemes_http.response import Response

__all__ = ["Upload", "check_written"]

CONTINUE_TIMEOUT = 1.0
"""Seconds to wait for 100 (Continue). Not all servers know it: then the content is sent all the same."""


class Upload(upload.Upload):
    """The content of a PUT request, whole or in chunks, and its response.

    Without h11, which would take longer to frame the chunks than the system to send them.
    """

    __slots__ = ("_chunked", "_request")

    def __init__(self, request: Request, *, chunked: bool) -> None:
        super().__init__(request.peer)
        self._request = request
        self._chunked = chunked

    @classmethod
    def begin(
        cls, url: RequestURL, fields: list[tuple[str, str]], *, has_content: bool, chunked: bool, cleartext: bool
    ) -> Algorithm[Upload]:
        """Send the head of a PUT request, and wait until the content may be sent."""
        login: Credentials | None = None
        expects = has_content
        while True:
            request = yield from Request.begin(url, "PUT", cleartext=cleartext)
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

    def send_pieces(self, pieces: tuple[bytes, ...]) -> Algorithm[None]:
        """Send some of the content, in a chunk if it is sent in chunks. Raises the errors of `send`."""
        if self._chunked:
            size = b"%x\r\n" % sum(map(len, pieces))
            yield from self.send(pieces, before=size, after=b"\r\n")
        else:
            yield from self.send(pieces)

    def end(self) -> Algorithm[Response]:
        """End the content, and return the response. Raises Indeterminate if there is none."""
        if self._chunked:
            yield from self.send((), after=b"0\r\n\r\n")
        answer = self._request.response(timeout=CONFIRMATION_TIMEOUT)
        what, state = f"response from {self._request.url.host}", "the content may or may not be stored"
        return (yield from decisive_answer(answer, what, state, sent=self.sent))

    def early_error(self, within: float) -> Algorithm[AccessError | None]:
        """Return the error of a response that comes before the server has received the whole content."""
        response = yield from self._request.early_response(timeout=within)
        return None if response is None else _error_of(response, self.sent)


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
