"""Operations on http and https URLs, by HTTP/1.1 (RFC 9110, RFC 9112).

`access` is GET, `find_attributes` HEAD, `replace` PUT, `delete` DELETE. h11 parses and writes the messages; like these
algorithms it does no I/O. Redirects of GET and HEAD are followed as far as the policy allows.
"""

from __future__ import annotations

from dataclasses import replace as replaced
from typing import TYPE_CHECKING

from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes.redaction import one_line
from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import RedirectRefused
from urlschemes_access.protocol import Algorithm, Close, Follow, Open, Pull
from urlschemes_access.protocol.ranges import WHOLE, Range
from urlschemes_access.protocol.upload import decisive_answer
from urlschemes_http import RequestURL
from urlschemes_http.authentication import login_for
from urlschemes_http.body import deliver_body, read_explanation
from urlschemes_http.ranges import has_wanted, range_fields
from urlschemes_http.request import Fields, Request
from urlschemes_http.response import MEDIA_TYPE, REDIRECTS, Method, Response
from urlschemes_http.upload import Upload, check_written

if TYPE_CHECKING:
    from urlschemes_access.credentials import Credentials

__all__ = ["access", "delete", "find_attributes", "replace"]


def access(
    url: RequestURL,
    *,
    range: Range = WHOLE,  # noqa: A002  the name of the option
    compressed: bool = False,
    allow_cleartext: bool = False,
) -> Algorithm[None]:
    """Send GET, and deliver the content, or a range of it, as it comes.

    With `compressed`, ask for the whole content with a content coding, and decode it. Without TLS, a user name and a
    password are sent only if `allow_cleartext` is true or the address that was dialled is a loopback address.

    Raises RemoteError for a status that is not a success, AuthRequired for 401 and 407, RedirectRefused, ProtocolError,
    LimitExceeded, Truncated if the content is shorter than announced, and UnsupportedOperation if the server has no
    ranges.
    """
    response = yield from _response_to_get(url, range, compressed=compressed, cleartext=allow_cleartext)
    if response.status == 416:
        yield from Open("document", Attributes(size=0, start=range.start, fields=response.fields()))
    else:
        decoder = response.decoder() if compressed and response.status != 206 else None
        attributes = response.attributes(decoded=decoder is not None)
        yield from Open("document", replaced(attributes, start=range.start) if response.status == 206 else attributes)
        yield from deliver_body(response, decoder)
    yield from response.end()


def find_attributes(url: RequestURL, *, allow_cleartext: bool = False) -> Algorithm[None]:
    """Send HEAD, for what GET would say of the resource. Redirects, logins and errors are those of `access`."""
    response = yield from _final_response(url, "HEAD", cleartext=allow_cleartext)
    yield from Open("attributes", response.attributes())
    yield from response.end()


def replace(url: RequestURL, *, media_type: str = "", allow_cleartext: bool = False) -> Algorithm[None]:
    """Send the caller's content by PUT: with a Content-Length if it is one piece, else in chunks. Logins: see `access`.

    Raises RemoteError and AuthRequired as `access`, and RedirectRefused for any redirect. After an error, part of the
    content may be stored: the error's `sent` counts the octets sent. Raises Indeterminate if all was sent and there is
    no response, or 202 (Accepted).
    """
    _check_media_type(media_type)
    first = yield from Pull()  # a caller without content must not open a connection
    second = (yield from Pull()) if first else ()
    framing = ("Transfer-Encoding", "chunked") if second else ("Content-Length", str(sum(map(len, first))))
    fields = [framing, *([("Content-Type", media_type)] if media_type else [])]
    upload = yield from Upload.begin(
        url, fields, has_content=bool(first), chunked=bool(second), cleartext=allow_cleartext
    )
    for pieces in filter(None, (first, second)):
        yield from upload.send_pieces(pieces)
    while second and (pieces := (yield from Pull())):
        yield from upload.send_pieces(pieces)
    response = yield from upload.end()
    yield from _report(response, sent=upload.sent)


def delete(url: RequestURL, *, allow_cleartext: bool = False) -> Algorithm[None]:
    """Send DELETE. Logins: see `access`. Raises what `replace` raises; Indeterminate if there is no response."""
    response = yield from _delete(url, None, cleartext=allow_cleartext)
    if response.status == 401 and not response.had_login:
        yield from Close(response.peer)
        response = yield from _delete(url, (yield from login_for(response)), cleartext=allow_cleartext)
    yield from _report(response, sent=None)


def _response_to_get(url: RequestURL, wanted: Range, *, compressed: bool, cleartext: bool) -> Algorithm[Response]:
    """Return the response with the range, or with the whole resource if it is not the unchanged one; 416 at its end."""
    fields = range_fields(wanted)
    # A range of coded content would be a range of the codes.
    more = fields or _accepting() if compressed else fields
    response = yield from _final_response(url, "GET", more, cleartext=cleartext)
    if not fields:
        return response
    if response.status in {206, 416}:
        if has_wanted(response, wanted):
            return response
    elif wanted.unchanged is None:
        raise UnsupportedOperation(
            f"{url.host} has no ranges for this resource", part="range", hint="only the whole resource can be accessed"
        )
    else:
        return response
    yield from Close(response.peer)
    return (yield from _final_response(url, "GET", cleartext=cleartext))


def _final_response(url: RequestURL, method: Method, fields: Fields = (), *, cleartext: bool) -> Algorithm[Response]:
    """Send the request, follow redirects and log in, and return the response that succeeds.

    The response to a request for a range, by `fields`, may also be 206 or 416.
    """
    login: Credentials | None = None
    while True:
        response = yield from Request.exchange(url, method, login, fields, cleartext=cleartext)
        if response.status in REDIRECTS:
            yield from Close(response.peer)
            target = yield from _target(url, response)
            if (target.tls, target.host, target.port) != (url.tls, url.host, url.port):
                login = None
            url = target
        elif response.status == 401 and not response.had_login:
            yield from Close(response.peer)
            login = yield from login_for(response)
        else:
            if not fields or response.status not in {206, 416}:
                response.explanation = yield from read_explanation(response)
                response.check_success()
            return response


def _accepting() -> list[tuple[str, str]]:
    from urlschemes_http.codings import accepted_codings  # late: only for compressed content

    return [("Accept-Encoding", accepted_codings())]


def _target(url: RequestURL, response: Response) -> Algorithm[RequestURL]:
    """Return the URL that a redirect points to. Raises RedirectRefused."""
    target = yield from Follow(response.location())
    if not isinstance(target, RequestURL):
        raise RedirectRefused(f"{url.host} redirects to a URL of another kind", reason="scheme", location=str(target))
    if url.tls and not target.tls:
        # The policy cannot tell: it follows to http if the access began with http.
        raise RedirectRefused(f"{url.host} redirects from https to http", reason="downgrade", location=str(target))
    return target


def _delete(url: RequestURL, login: Credentials | None, *, cleartext: bool) -> Algorithm[Response]:
    request = yield from Request.begin(url, "DELETE", cleartext=cleartext)
    yield from request.send_head(login)
    what, state = f"response from {url.host} to DELETE", "the resource may or may not be deleted"
    return (yield from decisive_answer(request.response(), what, state))


def _report(response: Response, *, sent: int | None) -> Algorithm[None]:
    """Give the caller the header fields of a response to PUT or DELETE, if it is a success."""
    response.explanation = yield from read_explanation(response)
    yield from Close(response.peer)
    check_written(response, sent=sent)
    yield from Open("attributes", Attributes(fields=response.fields()))


def _check_media_type(media_type: str) -> None:
    valid = MEDIA_TYPE.fullmatch(media_type) and media_type.isascii() and media_type.isprintable()
    if media_type and (not valid or media_type.endswith(" ")):
        raise UnsafeURL(
            f"invalid media type '{one_line(media_type, 60)}': expected type/subtype, as in text/plain",
            part="media_type",
        )
