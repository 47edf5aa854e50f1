"""What an algorithm asks of the caller: a login, the answers to a form, content to send. It is the caller's time."""

from __future__ import annotations

import re
from collections.abc import AsyncIterable
from functools import partial
from typing import TYPE_CHECKING

from urlschemes.errors import UnsafeURL
from urlschemes_access.backends import primitives
from urlschemes_access.credentials import Credentials
from urlschemes_access.dialogue.system_errors import are, breach
from urlschemes_access.errors import InputRequired

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_access.credentials import Answers
    from urlschemes_access.dialogue.deadline import Deadline
    from urlschemes_access.dialogue.trace import Trace
    from urlschemes_access.operation_arguments import Content, Terms
    from urlschemes_access.protocol import requests

__all__ = ["Caller"]

_UNSENDABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udc7f\udd00-\udfff]")  # controls, and surrogates of no octet

_END = object()


class Caller:
    """The caller of one access, by what it gave: any of these may be missing."""

    __slots__ = ("_ask", "_clock", "_content", "_credentials", "_scheme", "_trace")

    def __init__(self, scheme: str, clock: Deadline, trace: Trace, terms: Terms) -> None:
        self._scheme = scheme
        self._clock = clock
        self._trace = trace
        self._credentials = terms.credentials
        self._ask = terms.ask
        self._content = _pieces(terms.content)

    def authenticate(self, request: requests.Authenticate) -> primitives.Steps[Credentials | None]:
        """Raises UnsafeURL for credentials that no protocol line can carry."""
        if self._credentials is None:
            return None
        request.scheme = request.scheme or self._scheme
        given = yield from self._consult(partial(self._credentials, request))
        if given is None:
            return None
        if not isinstance(given, Credentials):
            raise breach(self._scheme, "Credentials or None, from the credentials callable", given)
        for part, text in (("user", given.user), ("password", given.password)):
            if not are(str, text):
                raise breach(self._scheme, f"a {part} that is text, from the credentials callable", text)
            if found := _UNSENDABLE.search(text):
                what = "control character" if found[0].isascii() else "surrogate, which stands for no octet"
                raise UnsafeURL(f"the {part} given holds a {what}", part=part)
        if given.password:
            self._trace.hide(given.password.encode("utf-8", "surrogateescape"))
        return given

    def ask(self, request: requests.Ask) -> primitives.Steps[Answers]:
        """Raises InputRequired where nobody can be asked, or nobody answers."""
        if self._ask is None:
            raise InputRequired(
                f"the other side asks {len(request.form.questions)} questions: {request.form.title}",
                hint="pass ask=, a callable that answers a Form",
            )
        given = yield from self._consult(partial(self._ask, request.form))
        if given is None:
            raise InputRequired("the questions were not answered")
        if (
            not isinstance(given, tuple)
            or len(given) != len(request.form.questions)
            or not all(isinstance(answer, str) for answer in given)
        ):
            raise breach(self._scheme, "one answer for each question, from the ask callable", given)
        return given

    def pull(self, _: requests.Pull) -> primitives.Steps[bytes]:
        """Raises InputRequired where there is nothing to send."""
        if self._content is None:
            raise InputRequired("this operation sends content, and none was given", hint="it stands behind the URL")
        while True:
            piece = yield from self._consult(self._content)
            if piece is _END:
                return b""
            if not isinstance(piece, bytes | bytearray | memoryview):
                raise TypeError(f"content comes in pieces of octets, not {type(piece).__name__}")
            if piece:
                return bytes(piece)

    def _consult(self, question: Callable[[], object]) -> primitives.Steps[object]:
        self._clock.pause()
        try:
            return (yield primitives.Consult(question))
        finally:
            self._clock.resume()


def _pieces(content: Content | AsyncIterable[bytes] | None) -> Callable[[], object] | None:
    """What gives the next piece, _END at the end; on an event loop perhaps something to be awaited."""
    if content is None:
        return None
    if isinstance(content, bytes | bytearray | memoryview):
        return partial(next, iter((content,)), _END)
    if isinstance(content, AsyncIterable):
        return partial(anext, aiter(content), _END)
    return partial(next, iter(content), _END)
