"""What the server says: replies (RFC 3977 section 3.2), and the errors that they mean."""

from __future__ import annotations

from dataclasses import dataclass

from urlschemes.display import one_line
from urlschemes.errors import ProtocolError, RemoteError
from urlschemes.octets import text_of

__all__ = ["Reply"]

_MEANINGS = {
    411: "the server has no such group",
    420: "the group has no such article",
    423: "the group has no article of that number",
    430: "the server has no such article",
    440: "the server takes no articles from here",
    441: "the server did not accept the article",
}
_FINAL = frozenset((401, 411, 412, 420, 421, 422, 423, 430, 435, 437, 440, 441, 480, 481, 482, 483))
"""Codes from 400 to 499 that stay what they are until something else changes."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The first line of a response: its code, and the text behind it."""

    code: int
    words: bytes

    @property
    def kind(self) -> int:
        """The first digit: 1 information, 2 done, 3 go on, 4 correct and not carried out, 5 unknown or refused."""
        return self.code // 100

    def __str__(self) -> str:
        return one_line(f"{self.code} {text_of(self.words)}".rstrip(), 160)

    def without(self, secret: bytes) -> Reply:
        """The same reply where it quotes `secret` hidden: servers repeat a command that they do not know."""
        return Reply(self.code, self.words.replace(secret, b"***"))

    def refusal(self, what: str) -> RemoteError:
        """The error that this reply to `what` means."""
        meaning = _MEANINGS.get(self.code, "the server refused")
        return RemoteError(
            f"{meaning}: {what} was answered '{self}'",
            status=self.code,
            text=one_line(text_of(self.words)),
            temporary=self.kind == 4 and self.code not in _FINAL,
        )

    def astray(self, what: str, wanted: str) -> ProtocolError:
        """The error of a reply that may not follow `what`."""
        return ProtocolError(f"{wanted} was due in answer to {what}, but '{self}' came", where=what)

    def checked(self, what: str, *codes: int) -> Reply:
        """The reply itself, if its code is one that means success of `what`. Raises RemoteError, ProtocolError."""
        if self.kind in (4, 5):
            raise self.refusal(what)
        if self.code not in codes:
            raise self.astray(what, f"a reply {' or '.join(map(str, codes))}")
        return self
