"""What the server says: replies (RFC 3977 section 3.2)."""

from __future__ import annotations

from urlschemes_access.protocol import replies

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


class Reply(replies.Reply):
    """The first line of a response. A code of 4xx says that the command was correct and not carried out."""

    __slots__ = ()

    @property
    def temporary(self) -> bool:
        """Whether trying later may help."""
        return super().temporary and self.code not in _FINAL

    @property
    def meaning(self) -> str | None:
        """What the code says by RFC 3977, where that is more than that the server refused."""
        return _MEANINGS.get(self.code)
