"""Requests to the caller: credentials, answers to a form, content to send. Time spent by the caller does not count."""

from __future__ import annotations

import re
from collections.abc import AsyncIterable
from functools import partial
from typing import TYPE_CHECKING

from urlschemes.errors import UnsafeURL
from urlschemes_access.credentials import Credentials
from urlschemes_access.dialogue.context import Context, DialoguePart
from urlschemes_access.errors import AuthRequired, InputRequired
from urlschemes_access.resources.upload_content import OCTETS, Pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from urlschemes_access.credentials import Answers
    from urlschemes_access.protocol import requests

__all__ = ["CallerRequests"]

_UNSENDABLE = re.compile(
    r"[\x00-\x1f\x7f\ud800-\udc7f\udd00-\udfff]"
)  # controls, and surrogates that stand for no octet

_END = object()


class CallerRequests(DialoguePart):
    """Passes requests of one operation on to the functions and the content of its caller, as far as there are any.

    `origin` is the scheme, host and port that credentials given as a value are for; the host is None for a URL without
    one, which names no server; the origin is None if they are for none.
    """

    def __init__(self, context: Context, origin: tuple[str, str | None, int | None] | None) -> None:
        super().__init__(context)
        self._credentials = context.operation.settings.credentials
        self._origin = origin
        self._ask = context.operation.settings.ask
        self._next_piece = _next_piece_of(context.operation.content)

    async def authenticate(self, request: requests.Authenticate) -> Credentials | None:
        """Return the caller's login for a server; None without one.

        Raises UnsafeURL for credentials that no protocol line can carry, TypeError for anything but credentials, and
        AuthRequired for a token where the protocol has none.
        """
        if self._credentials is None:
            return None
        request.scheme = request.scheme or self._scheme
        if isinstance(self._credentials, Credentials):
            login = self.known_login(request.scheme, request.host, request.port)
            given: object = login if login is None or request.user in (None, login.user) else None
        else:
            given = await self._call(partial(self._credentials, request))
        if given is None:
            return None
        login = self._checked(given)
        if login.token and not request.tokens:
            raise AuthRequired(f"{request.host} requires a user name and a password, not a token")
        return login

    def known_login(self, scheme: str, host: str, port: int) -> Credentials | None:
        """Return the credentials that the caller gave as a value, for the origin of the URL; None for any other.

        Once a redirect has led elsewhere, they are not even returned for the origin: another server chose the URL.
        """
        if not isinstance(self._credentials, Credentials) or self._origin is None:
            return None
        of_scheme, of_host, of_port = self._origin
        if scheme != of_scheme or (of_host is not None and (host.lower(), port) != (of_host.lower(), of_port)):
            self._origin = None
            return None
        return self._checked(self._credentials)

    def _checked(self, given: object) -> Credentials:
        """Return credentials, whose secret is hidden from now on. Raises TypeError, UnsafeURL."""
        if not isinstance(given, Credentials):
            raise TypeError(f"credentials must return Credentials or None, not {type(given).__name__}")
        for part, text in (("user", given.user), ("password", given.password), ("token", given.token)):
            if found := _UNSENDABLE.search(text):
                what = "control character" if found[0].isascii() else "surrogate that stands for no octet"
                raise UnsafeURL(f"the {part} given contains a {what}", part=part)
        if secret := given.password or given.token:
            self._trace.add_secret(secret.encode("utf-8", "surrogateescape"))
        return given

    async def ask(self, request: requests.Ask) -> Answers:
        """Return the caller's answers to a form.

        Raises InputRequired if the caller passed no `ask` or it returns None, TypeError for anything but answers.
        """
        form = request.form
        if self._ask is None:
            raise InputRequired(
                f"the server asks {len(form.questions)} questions: {form.title}",
                hint="pass ask=, a function that answers a Form",
            )
        given = await self._call(partial(self._ask, form))
        if given is None:
            raise InputRequired("the questions were not answered")
        if not isinstance(given, tuple) or not all(isinstance(answer, str) for answer in given):
            raise TypeError(f"ask must return a tuple of str, not {type(given).__name__}")
        if len(given) != len(form.questions):
            raise TypeError(f"ask must return {len(form.questions)} answers, one for each question, not {len(given)}")
        return given

    async def pull(self, _: requests.Pull) -> tuple[bytes, ...]:
        """Return the next pieces of the caller's content, none of them empty; `()` at its end.

        Raises InputRequired if there is nothing to send, TypeError for a piece that is not bytes.
        """
        if self._next_piece is None:
            raise InputRequired("the operation sends content, but none was given", hint="pass it after the URL")
        while True:
            given = await self._call(self._next_piece)
            if given is _END:
                return ()
            pieces: tuple[object, ...] = given.pieces if isinstance(given, Pieces) else (given,)
            if filled := tuple([octets for piece in pieces if (octets := _octets_of(piece))]):
                return filled

    async def _call(self, function: Callable[[], object]) -> object:
        self._deadline.pause()
        try:
            return await self._context.backend.call(function)
        finally:
            self._deadline.resume()


def _octets_of(piece: object) -> bytes:
    """Return a piece of the caller's content. Raises TypeError for one that is not bytes."""
    if not isinstance(piece, OCTETS):
        raise TypeError(f"content must be bytes or an iterable of bytes, got a piece of {type(piece).__name__}")
    return bytes(piece)


def _next_piece_of(content: bytes | Iterable[bytes] | AsyncIterable[bytes] | None) -> Callable[[], object] | None:
    """Return a function that returns the next piece of content, and _END after the last one."""
    if content is None:
        return None
    if isinstance(content, OCTETS):
        return partial(next, iter((content,)), _END)
    if isinstance(content, AsyncIterable):
        return partial(anext, aiter(content), _END)
    return partial(next, iter(content), _END)
