"""Access by HTTP/1.1 (RFC 9110, RFC 9112), for `http` and `https`: GET for the content, HEAD for the attributes.

h11 reads and writes the messages; like an algorithm it does no input or output of its own. Redirects are followed here,
as far as the policy allows, and nowhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_access.errors import RedirectRefused
from urlschemes_access.protocol import Algorithm, Close, Follow, Open
from urlschemes_http import HttpURL
from urlschemes_http.answers import FOLLOWED, Answer, Method
from urlschemes_http.asking import Request, login_for
from urlschemes_http.writing import delete, replace

if TYPE_CHECKING:
    from urlschemes_access.credentials import Credentials

__all__ = ["access", "delete", "find_attributes", "replace"]


def access(url: HttpURL) -> Algorithm[None]:
    """GET `url`, and deliver the content as it comes; redirects are followed as the policy allows.

    Raises RemoteError for a final status that is no success, AuthRequired for 401 and 407, RedirectRefused,
    ProtocolError, LimitExceeded, and Truncated where less came than was announced.
    """
    answer = yield from _final_answer(url, "GET")
    yield from Open("document", answer.attributes())
    yield from answer.content()
    yield from Close(answer.peer)


def find_attributes(url: HttpURL) -> Algorithm[None]:
    """Ask by HEAD for what GET would say of the resource, with the same redirects and the same errors."""
    answer = yield from _final_answer(url, "HEAD")
    yield from Open("attributes", answer.attributes())
    yield from Close(answer.peer)


def _final_answer(url: HttpURL, method: Method) -> Algorithm[Answer]:
    """Ask, and ask again where the answers point to, until one is the resource's own."""
    login: Credentials | None = None
    while True:
        answer = yield from _ask(url, method, login)
        if answer.status in FOLLOWED:
            yield from Close(answer.peer)
            elsewhere = yield from Follow(answer.location())
            if not isinstance(elsewhere, HttpURL):
                raise RedirectRefused(
                    f"{url.host} points to another kind of resource", reason="scheme", location=str(elsewhere)
                )
            if url.tls and not elsewhere.tls:
                # Where the access began with http, the driver follows to http again; out of TLS nothing leads.
                raise RedirectRefused(
                    f"{url.host} points from https back to http", reason="downgrade", location=str(elsewhere)
                )
            if (elsewhere.tls, elsewhere.host, elsewhere.port) != (url.tls, url.host, url.port):
                login = None
            url = elsewhere
        elif answer.status == 401 and login is None:
            yield from Close(answer.peer)
            login = yield from login_for(answer)
        else:
            answer.judge()
            return answer


def _ask(url: HttpURL, method: Method, login: Credentials | None) -> Algorithm[Answer]:
    request = yield from Request.begin(url, method)
    yield from request.send_head(login)
    return (yield from request.answer())
