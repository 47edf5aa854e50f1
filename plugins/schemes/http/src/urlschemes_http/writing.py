"""Writing by HTTP/1.1: PUT and DELETE (RFC 9110 sections 9.3.4 and 9.3.5), each only where it was asked for.

The server is asked before the content is sent (`Expect: 100-continue`): what it refuses is not sent, and the login that
it wants is given first. No redirect is followed: the URL says what is replaced or deleted, and a server cannot choose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import UnsafeURL
from urlschemes.redaction import one_line, redact
from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import (
    AccessError,
    ConnectError,
    DeadlineExceeded,
    Indeterminate,
    ProtocolError,
    RedirectRefused,
    Truncated,
)
from urlschemes_access.protocol import Algorithm, Close, Open, Pull, Ready, Send, sent_so_far
from urlschemes_http.answers import MEDIA_TYPE
from urlschemes_http.asking import Request, login_for

if TYPE_CHECKING:
    from urlschemes_access.credentials import Credentials
    from urlschemes_http import HttpURL
    from urlschemes_http.answers import Answer

__all__ = ["delete", "replace"]

GO_AHEAD = 1.0
"""Seconds to wait for 100 (Continue): not all servers know it, and without it the content is sent all the same."""
DONE = 60.0
"""Seconds that the answer may take after the content: what the system has taken from us may still be on its way."""
LISTEN = 1024 * 1024
"""Octets that are sent at most without listening whether the server says something."""
REASON = 2.0
"""Seconds to wait for what the server says of a connection that broke."""


def replace(url: HttpURL, *, media_type: str = "") -> Algorithm[None]:
    """PUT the caller's content: with its length where it comes whole, else in chunks. `media_type` says what it is.

    Raises RemoteError and AuthRequired as access does; RedirectRefused, whatever the redirect leads to. Where something
    was sent, the error's `sent` says how much, and a part may be there: also Truncated, DeadlineExceeded, and
    Indeterminate where all was sent and no answer came, or one that promises it for later (202).
    """
    if media_type and not (
        MEDIA_TYPE.fullmatch(media_type) and media_type.isascii() and media_type.isprintable() and media_type[-1] != " "
    ):
        raise UnsafeURL(f"'{one_line(media_type, 60)}' is no media type", part="media_type")
    first = yield from Pull()  # whoever has nothing to send has no business there
    second = (yield from Pull()) if first else b""
    framing = ("Transfer-Encoding", "chunked") if second else ("Content-Length", str(len(first)))
    fields = [framing, *([("Content-Type", media_type)] if media_type else [])]
    request = yield from _admitted(url, fields, asks=bool(first))
    upload = _Upload(request, chunked=bool(second))
    for octets in filter(None, (first, second)):
        yield from upload.send(octets)
    while second and (octets := (yield from Pull())):
        yield from upload.send(octets)
    answer = yield from upload.end()
    yield from _done(answer, upload.sent)


def delete(url: HttpURL) -> Algorithm[None]:
    """DELETE what `url` locates. Raises what `replace` raises; Indeterminate also where no answer came."""
    login: Credentials | None = None
    while True:
        request = yield from Request.begin(url, "DELETE")
        yield from request.send_head(login)
        try:
            answer = yield from request.answer()
        except AccessError as error:
            raise Indeterminate(
                f"{_no_answer(error)} to DELETE came from {url.host}: whether it is gone cannot be known"
            ) from error
        if answer.status != 401 or login is not None:
            break
        yield from Close(answer.peer)
        login = yield from login_for(answer)
    yield from _done(answer, None)


def _admitted(url: HttpURL, fields: list[tuple[str, str]], *, asks: bool) -> Algorithm[Request]:
    """A request whose content may be sent now, as far as the server cares to say; `asks` whether to ask it."""
    login: Credentials | None = None
    while True:
        request = yield from Request.begin(url, "PUT")
        expects = [("Expect", "100-continue")] if asks else []
        yield from request.send_head(login, [*fields, *expects], complete=False)
        answer = (yield from request.early_answer(within=GO_AHEAD)) if asks else None
        if answer is None:
            return request
        yield from Close(answer.peer)
        if answer.status == 401 and login is None:
            login = yield from login_for(answer)
        elif answer.status == 417:  # it does not know what it was asked
            asks = False
        else:
            raise _refusal(answer, None)


class _Upload:
    """The content of a request, in chunks or as it is, and the answer to it. `sent` counts the octets of it sent.

    h11 has no part in it: it would take longer to frame the chunks than the system to send them.
    """

    __slots__ = ("_chunked", "_heard", "_request", "sent")

    def __init__(self, request: Request, *, chunked: bool) -> None:
        self._request = request
        self._chunked = chunked
        self._heard = 0  # octets that had been sent when the server was last listened to
        self.sent = 0

    def send(self, octets: bytes) -> Algorithm[None]:
        """Send some of the content. Raises what an answer means that comes too early, or Truncated without one."""
        if self.sent < LISTEN or self.sent - self._heard >= LISTEN:
            yield from self._check_silence()
        size = b"%x\r\n" % len(octets) if self._chunked else b""
        try:
            yield from Send(self._request.peer, b"%b%b\r\n" % (size, octets) if self._chunked else octets)
        except (ConnectError, DeadlineExceeded, Truncated) as error:
            self.sent += min(max((error.sent or 0) - len(size), 0), len(octets))
            raise (yield from self._reason(error)) from error
        self.sent += len(octets)

    def _check_silence(self) -> Algorithm[None]:
        self._heard = self.sent
        if (yield from Ready((self._request.peer,), within=0)) is None:
            return
        try:
            answer = yield from self._request.early_answer(within=0)
        except (ConnectError, Truncated) as error:
            raise self._cut(error) from error
        except AccessError as error:
            error.sent = self.sent
            raise
        if answer is not None:
            raise _refusal(answer, self.sent)

    def end(self) -> Algorithm[Answer]:
        """Say that this was all. Raises Indeterminate where no answer comes."""
        if self._chunked:
            try:
                yield from Send(self._request.peer, b"0\r\n\r\n")
            except (ConnectError, DeadlineExceeded, Truncated) as error:
                raise (yield from self._reason(error)) from error
        try:
            return (yield from self._request.answer(within=DONE))
        except AccessError as error:
            raise Indeterminate(
                f"all {self.sent} octets were sent, and {_no_answer(error)} came from {self._request.url.host}: "
                "whether they are there cannot be known",
                sent=self.sent,
            ) from error

    def _reason(self, error: AccessError) -> Algorithm[AccessError]:
        """Why the connection broke, in the server's words where it has any."""
        try:
            answer = yield from self._request.early_answer(within=REASON)
        except AccessError:
            answer = None
        return self._cut(error) if answer is None else _refusal(answer, self.sent)

    def _cut(self, error: AccessError) -> AccessError:
        if isinstance(error, DeadlineExceeded):
            return DeadlineExceeded(f"{error.message}; {sent_so_far(self.sent)}", phase=error.phase, sent=self.sent)
        return Truncated(f"the connection to {self._request.url.host} broke; {sent_so_far(self.sent)}", sent=self.sent)


def _no_answer(error: AccessError) -> str:
    """What came instead of an answer."""
    silent = isinstance(error, ConnectError | DeadlineExceeded | Truncated)
    return "no answer" if silent else "no answer that can be understood"


def _done(answer: Answer, sent: int | None) -> Algorithm[None]:
    """Open what a success says. Raises what any other answer means."""
    yield from Close(answer.peer)
    if answer.status == 202:
        raise Indeterminate(f"{answer}: whether it will be carried out cannot be known", sent=sent)
    if answer.status not in {200, 201, 204}:
        raise _refusal(answer, sent)
    yield from Open("attributes", Attributes(fields=answer.fields()))


def _refusal(answer: Answer, sent: int | None) -> AccessError:
    """What an answer means that is no success, or comes too early to be one; after so many octets had been `sent`."""
    after = "" if sent is None else f"; {sent_so_far(sent)}"
    if 300 <= answer.status < 400 and answer.status != 304:
        where = one_line(redact(answer.field("location") or ""), 120)
        return RedirectRefused(
            f"{answer}, and writing follows no redirect{after}",
            reason="writing",
            location=where,
            sent=sent,
            hint=f"it points to {where}" if where else None,
        )
    try:
        answer.judge(sent=sent)
    except AccessError as refusal:
        return refusal
    return ProtocolError(f"{answer}, which is no answer to this{after}", where="status line", sent=sent)
