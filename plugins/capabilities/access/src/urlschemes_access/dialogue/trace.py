"""Trace events of an operation, and the secrets to be hidden in events, errors and attributes."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from urlschemes.errors import InvalidURL, URLError
from urlschemes.redaction import one_line
from urlschemes_access.attributes import Attributes
from urlschemes_access.dialogue.deadline import Deadline
from urlschemes_access.protocol.requests import Peer
from urlschemes_access.trace_event import EventKind, TraceEvent, Tracer

SHORTEST = 4
"""The shortest secret, in octets, that is searched for: hiding a shorter one everywhere would reveal it."""


class Trace:
    """The trace of an operation. Events go to `tracer`, whose time does not count for the deadline.

    `wanted` is True if there is a tracer.
    """

    def __init__(self, tracer: Tracer | None, deadline: Deadline) -> None:
        self._tracer = tracer
        self._deadline = deadline
        self._secrets: set[bytes] = set()
        self._forms: set[bytes] = set()  # in which the secrets are searched for in octets, in small letters
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
        """Hide `secret` from now on, in capital and small letters, and its base64 form, also within a longer one."""
        self._secrets.add(secret)
        if len(secret) >= SHORTEST:
            self._forms.update(form.lower() for form in (*_in_letters(secret), *_in_base64(secret)))

    def hide_in_octets(self, octets: bytes) -> bytes:
        lower = octets.lower()  # to search for fixed octets is much faster than a pattern
        if not any(form in lower for form in self._forms):
            return octets
        return re.sub(_pattern(secret for secret in self._secrets if len(secret) >= SHORTEST), b"***", octets)

    def hide_in_error(self, error: BaseException | None) -> None:
        """Hide the secrets in an error and in its causes: it may quote a server that repeats a password."""
        texts = self._secret_texts()
        if texts is None:
            return
        while isinstance(error, URLError):
            if not isinstance(error, InvalidURL):  # which quotes the caller's own text
                error.args = tuple(_hidden(value, texts) for value in error.args)
                vars(error).update({name: _hidden(value, texts) for name, value in vars(error).items()})
            error = error.__cause__ or error.__context__

    def hide_in_attributes(self, attributes: Attributes) -> Attributes:
        """Return attributes with the secrets hidden: a server may repeat a password in them."""
        texts = self._secret_texts()
        if texts is None:
            return attributes
        fields = {name: _hidden(value, texts) for name, value in attributes.fields.items()}
        return attributes if fields == attributes.fields else replace(attributes, fields=fields)

    def hide_in_text(self, text: str) -> str:
        """Return a message with the secrets hidden, however short they are."""
        return re.sub(_text(_pattern(self._secrets)), "***", text) if self._secrets else text

    def _secret_texts(self) -> re.Pattern[str] | None:
        """Return a pattern for the secrets in a text, as they are and as messages show them."""
        secrets = {secret for secret in self._secrets if len(secret) >= SHORTEST}
        secrets |= {one_line(_text(secret)).encode() for secret in secrets}
        return re.compile(_text(_pattern(secrets))) if secrets else None


def _pattern(secrets: Iterable[bytes]) -> bytes:
    """Return a regular expression for the secrets: the longest first, which may contain others."""
    plain: set[bytes] = set()
    encoded: set[bytes] = set()
    for secret in secrets:
        plain |= _in_letters(secret)
        if len(secret) >= SHORTEST:
            encoded |= _in_base64(secret)
    alternatives = [b"(?i:%b)" % re.escape(form) for form in sorted(plain, key=len, reverse=True)]
    alternatives += [b"[A-Za-z0-9+/]?%b[A-Za-z0-9+/]*={0,2}" % re.escape(form) for form in sorted(encoded)]
    return b"|".join(alternatives)


def _in_letters(secret: bytes) -> set[bytes]:
    """Return `secret`, and in capital and small letters: patterns of octets ignore the case of US-ASCII only."""
    text = _text(secret)
    return {secret, *(form.encode("utf-8", "surrogateescape") for form in (text.upper(), text.lower()))}


def _in_base64(secret: bytes) -> set[bytes]:
    """Return the characters of base64 that `secret` determines, at each of its three positions in a longer text."""
    forms = set()
    for before in range(3):
        encoded = b64encode(bytes(before) + secret)
        forms.add(encoded[(0, 2, 3)[before] : (before + len(secret)) * 8 // 6])
    return forms


def _text(octets: bytes) -> str:
    return octets.decode("utf-8", "surrogateescape")


def _hidden(value: Any, secrets: re.Pattern[str]) -> Any:
    # A text without secrets stays as it is: a hint keeps its remedies.
    return secrets.sub("***", value) if isinstance(value, str) and secrets.search(value) else value
