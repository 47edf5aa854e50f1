"""How Prospero writes lines and tokens (version 5, section "Spaces, quoting, and line-feeds").

A line ends in LF, blanks and tabs stand between its tokens. An apostrophe begins and ends a quotation, also in the
midst of a token; within it every octet stands for itself, but that two apostrophes are one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes_access.errors import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["lines", "quoted"]

_PLAIN = re.compile(rb"[A-Za-z0-9._-]*")
_PIECE = re.compile(rb"(?P<text>[^ \t\n]+)|(?P<end>\n)|[ \t]+")


def quoted(token: bytes) -> bytes:
    """The token as it is written: from the first octet that is no letter, digit, `.`, `_` or `-`, within quotes."""
    plain = _PLAIN.match(token)
    assert plain is not None
    rest = token[plain.end() :]
    if token and not rest:
        return token
    return plain[0] + b"'" + rest.replace(b"'", b"''") + b"'"


def lines(text: bytes) -> Iterator[list[bytes]]:
    """The lines of a message, each as its tokens; empty lines are left out. Raises ProtocolError for an open quote."""
    parts = text.split(b"'")
    if len(parts) % 2 == 0:
        raise ProtocolError("a quotation does not end", where="answer")
    tokens: list[bytes] = []
    token: list[bytes] = []  # the pieces of the token that is being read: an empty quotation is one too
    for index, part in enumerate(parts):
        if index % 2:
            token.append(part)
        elif not part and 0 < index < len(parts) - 1:
            token.append(b"'")
        else:
            for found in _PIECE.finditer(part):
                if found["text"] is not None:
                    token.append(found["text"])
                elif token:
                    tokens.append(b"".join(token))
                    token = []
                if found["end"] and tokens:
                    yield tokens
                    tokens = []
    if token:
        tokens.append(b"".join(token))
    if tokens:
        yield tokens
