"""What is told of an access while it goes on, and the secrets that are hidden in it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from urlschemes.errors import InvalidURL, URLError
from urlschemes.redaction import one_line
from urlschemes_access.trace_event import TraceEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_access.attributes import Attributes
    from urlschemes_access.dialogue.deadline import Deadline
    from urlschemes_access.protocol.requests import Peer
    from urlschemes_access.trace_event import Happening

__all__ = ["Trace"]

SHORT = 3
"""Octets up to which a secret is not looked for: it would stand everywhere, and hiding it there would show it."""


class Trace:
    """Tells `listener`, whose time is not counted by `clock`; without one, nobody is told.

    `wanted` says whether anybody listens: what costs something to show need not be made otherwise.
    """

    __slots__ = ("_clock", "_listener", "_secrets", "wanted")

    def __init__(self, listener: Callable[[TraceEvent], None] | None, clock: Deadline) -> None:
        self._listener = listener
        self._clock = clock
        self._secrets: set[bytes] = set()
        self.wanted = listener is not None

    def tell(self, kind: Happening, peer: Peer | None, text: str = "", octets: bytes = b"") -> None:
        """Tell of something that happened. The octets must hold no secret any more."""
        if self._listener is not None:
            self._clock.pause()
            try:
                self._listener(TraceEvent(kind, peer.label if peer is not None else "", one_line(text), octets))
            finally:
                self._clock.resume()

    def hide(self, secret: bytes) -> None:
        """Never show `secret` from now on."""
        self._secrets.add(secret)

    def without_secrets(self, octets: bytes) -> bytes:
        """What was received, fit to be shown."""
        for secret in self._secrets:
            if len(secret) > SHORT:
                octets = octets.replace(secret, b"***")
        return octets

    def hide_secrets(self, error: BaseException | None) -> None:
        """Take the secrets out of an error, and of those it came from: it may quote what the other side repeated."""
        written = self._written()
        if not written:
            return
        forms = sorted({*written, *map(one_line, written)}, key=len, reverse=True)
        while isinstance(error, URLError):
            if not isinstance(error, InvalidURL):  # its text is the caller's own, and its words are made of that
                error.args = tuple(_hidden(value, forms) for value in error.args)
                vars(error).update({name: _hidden(value, forms) for name, value in vars(error).items()})
            error = error.__cause__ or error.__context__

    def without_secrets_in(self, attributes: Attributes) -> Attributes:
        """What the other side says of a resource, fit to be shown: it may repeat a password in its words."""
        forms = self._written()
        fields = {name: _hidden(value, forms) for name, value in attributes.fields.items()}
        return attributes if fields == attributes.fields else replace(attributes, fields=fields)

    def _written(self) -> list[str]:
        """The secrets that are looked for, as text."""
        return [secret.decode("utf-8", "surrogateescape") for secret in self._secrets if len(secret) > SHORT]

    def clean(self, text: str) -> str:
        """A message, fit to be shown."""
        for secret in self._secrets:
            text = text.replace(secret.decode("utf-8", "surrogateescape"), "***")
        return text


def _hidden(value: Any, forms: list[str]) -> Any:
    """A text without any of the `forms`; what is no text as it is."""
    for form in forms if isinstance(value, str) else ():
        value = value.replace(form, "***")
    return value
