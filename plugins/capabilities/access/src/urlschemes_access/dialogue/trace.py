"""Trace events of an operation, and the secrets to be hidden in events, errors and attributes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from urlschemes.errors import InvalidURL, URLError
from urlschemes.redaction import one_line
from urlschemes_access.trace_event import TraceEvent

if TYPE_CHECKING:
    from urlschemes_access.attributes import Attributes
    from urlschemes_access.dialogue.deadline import Deadline
    from urlschemes_access.protocol.requests import Peer
    from urlschemes_access.trace_event import EventKind, Tracer

__all__ = ["Trace"]

SHORTEST = 4
"""The shortest secret, in octets, that is searched for: hiding a shorter one everywhere would reveal it."""


class Trace:
    """The trace of an operation. Events go to `tracer`, whose time does not count for the deadline.

    `wanted` is True if there is a tracer.
    """

    __slots__ = ("_deadline", "_secrets", "_tracer", "wanted")

    def __init__(self, tracer: Tracer | None, deadline: Deadline) -> None:
        self._tracer = tracer
        self._deadline = deadline
        self._secrets: set[bytes] = set()
        self.wanted = tracer is not None

    def emit(self, kind: EventKind, peer: Peer | None, text: str = "", octets: bytes = b"") -> None:
        """Emit an event. `octets` must no longer contain a secret."""
        if self._tracer is not None:
            self._deadline.pause()
            try:
                self._tracer(TraceEvent(kind, peer.label if peer is not None else "", one_line(text), octets))
            finally:
                self._deadline.resume()

    def add_secret(self, secret: bytes) -> None:
        """Hide `secret` from now on."""
        self._secrets.add(secret)

    def hide_in_octets(self, octets: bytes) -> bytes:
        """Return received octets with the secrets hidden."""
        for secret in self._secrets:
            if len(secret) >= SHORTEST:
                octets = octets.replace(secret, b"***")
        return octets

    def hide_in_error(self, error: BaseException | None) -> None:
        """Hide the secrets in an error and in its causes: it may quote a server that repeats a password."""
        texts = self._secret_texts()
        if not texts:
            return
        texts = sorted({*texts, *map(one_line, texts)}, key=len, reverse=True)
        while isinstance(error, URLError):
            if not isinstance(error, InvalidURL):  # which quotes the caller's own text
                error.args = tuple(_hidden(value, texts) for value in error.args)
                vars(error).update({name: _hidden(value, texts) for name, value in vars(error).items()})
            error = error.__cause__ or error.__context__

    def hide_in_attributes(self, attributes: Attributes) -> Attributes:
        """Return attributes with the secrets hidden: a server may repeat a password in them."""
        texts = self._secret_texts()
        fields = {name: _hidden(value, texts) for name, value in attributes.fields.items()}
        return attributes if fields == attributes.fields else replace(attributes, fields=fields)

    def hide_in_text(self, text: str) -> str:
        """Return a message with the secrets hidden, however short they are."""
        for secret in self._secrets:
            text = text.replace(secret.decode("utf-8", "surrogateescape"), "***")
        return text

    def _secret_texts(self) -> list[str]:
        return [secret.decode("utf-8", "surrogateescape") for secret in self._secrets if len(secret) >= SHORTEST]


def _hidden(value: Any, secrets: list[str]) -> Any:
    for secret in secrets if isinstance(value, str) else ():
        value = value.replace(secret, "***")
    return value
