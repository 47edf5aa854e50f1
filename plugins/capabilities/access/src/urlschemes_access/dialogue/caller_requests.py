"""Requests to the caller: credentials, answers to a form, content to send. Time spent by the caller does not count."""

from __future__ import annotations

import re
from collections.abc import AsyncIterable, Callable, Iterable, Iterator
from functools import partial
from time import monotonic
from typing import Any, NamedTuple

from urlschemes.errors import Hint, Remedy, UnsafeURL
from urlschemes.grammar.part import number_of
from urlschemes_access.credentials import Answers, Credentials
from urlschemes_access.dialogue.context import Context, DialoguePart
from urlschemes_access.errors import AuthRequired, InputRequired
from urlschemes_access.protocol import requests

_UNSENDABLE = re.compile(
    r"[\x00-\x1f\x7f\ud800-\udc7f\udd00-\udfff]"
)  # controls, and surrogates that stand for no octet

_END = object()

LARGE = 112 * 1024
"""Octets of a file that are read at once. From about 192 KiB on, glibc may map new memory for each piece."""
TOGETHER = 512 * 1024
"""Octets that are sent together if they come fast."""
FEW = 16
"""Pieces that are sent together as they are; more are so small that they are joined."""
LONGEST_HELD = 0.05
"""Seconds after which pieces are sent although more could be joined to them."""

OCTETS = (bytes, bytearray, memoryview)
"""The types of a piece of content."""


class Pieces(NamedTuple):
    """Pieces of content that are sent together."""

    pieces: tuple[Any, ...]


class CallerRequests(DialoguePart):
    """Passes requests of one operation on to the functions and the content of its caller, as far as there are any."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        settings = context.operation.settings
        self._credentials, self._ask = settings.credentials, settings.ask
        self._led_elsewhere = False
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
            login = self._login_in_advance(self._credentials, request.scheme, request.host, request.port)
            given: object = login if login is None or request.user in (None, login.user) else None
        else:
            given = await self._call(partial(self._credentials, request))
        if given is None:
            return None
        login = self._checked(given)
        if login.token and not request.tokens:
            raise AuthRequired(f"{request.host} requires a user name and a password, not a token")
        return login

    def known_login(self, host: str, port: int) -> Credentials | None:
        """Return the credentials that the caller gave as a value, if the current URL leads to a server they are for."""
        given = self._credentials
        if not isinstance(given, Credentials):
            return None
        return self._login_in_advance(given, self._context.url.scheme, host, port)

    def _login_in_advance(self, given: Credentials, scheme: str, host: str, port: int) -> Credentials | None:
        """Return credentials given as a value, for the origin of the URL; None for any other, and for a gateway.

        Once a redirect has led elsewhere, they are not even returned for the origin: another server chose the URL. A
        URL without a host names no server: then the scheme alone counts.
        """
        operation = self._context.operation
        raw, registration = operation.url.raw, operation.url.registration
        assert registration is not None
        own, text = raw.get("host"), raw.get("port")
        own_port = number_of(text) if isinstance(text, str) and text.isdecimal() else registration.default_port
        if scheme != self._scheme or (isinstance(own, str) and (host.lower(), port) != (own.lower(), own_port)):
            self._led_elsewhere = True
        if self._led_elsewhere or operation.gateway is not None:  # a gateway is another server
            return None
        return self._checked(given)

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
            prompts = ", ".join(f"'{question.prompt}'" for question in form.questions)
            raise InputRequired(
                f"the server asks for {prompts}: {'; '.join(form.title.splitlines())}",
                hint=Hint(Remedy("answers the form", "ask")),
            )
        given = await self._call(partial(self._ask, form))
        if given is None:
            raise InputRequired("the questions were not answered")
        if not isinstance(given, tuple) or not all(isinstance(answer, str) for answer in given):
            raise TypeError(f"ask must return a tuple of str, not {type(given).__name__}")
        wanted = len(form.questions)
        if len(given) != wanted:
            raise TypeError(f"ask must return one answer for each question: expected {wanted}, got {len(given)}")
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
    if isinstance(content, AsyncIterable):
        return partial(anext, aiter(content), _END)
    return partial(next, iter((content,) if isinstance(content, OCTETS) else content), _END)


def in_large_pieces(content: Any) -> Any:
    """Return content in large pieces. Pieces of an iterable are sent together if they come fast.

    A small piece takes about as much time to send as a large one. The first is never held back. Any other content is
    returned unchanged, even of a wrong type: it is refused when it is to be sent.
    """
    if content is None or isinstance(content, OCTETS) or hasattr(content, "__aiter__"):
        return content
    if hasattr(content, "read"):
        return iter(partial(content.read, LARGE), b"")
    return _together(iter(content))


def _together(pieces: Iterable[Any]) -> Iterator[Any]:
    held: list[bytes | bytearray | memoryview] = []
    size = 0
    until = 0.0
    for piece in pieces:
        if not isinstance(piece, OCTETS):
            yield piece
        held.append(piece)
        size += len(piece)
        if size >= (TOGETHER if len(held) <= FEW else LARGE) or monotonic() >= until:
            yield _group(held)
            held.clear()
            size = 0
            until = monotonic() + LONGEST_HELD
    yield _group(held)


def _group(held: list[Any]) -> Pieces:
    return Pieces(tuple(held) if len(held) <= FEW else (b"".join(held),))
