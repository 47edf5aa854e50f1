"""Lines and tokens of Prospero messages (version 5, section "Spaces, quoting, and line-feeds").

A line ends with LF; spaces and tabs separate its tokens. An apostrophe begins and ends a quotation, even within a
token; in a quotation each octet stands for itself, and two apostrophes for one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes_access.errors import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["quote", "split_lines"]

_PLAIN = re.compile(rb"[A-Za-z0-9._-]*")
_PIECE = re.compile(rb"(?P<text>[^ \t\n]+)|(?P<end>\n)|[ \t]+")


def quote(token: bytes) -> bytes:
    """Return the token as it is written: quoted from the first octet that is not a letter, digit, `.`, `_` or `-`."""
    plain = _PLAIN.match(token)
    assert plain is not None
    rest = token[plain.end() :]
    if token and not rest:
        return token
    return plain[0] + b"'" + rest.replace(b"'", b"''") + b"'"


def split_lines(text: bytes) -> Iterator[list[bytes]]:
    """Yield the tokens of each line that is not empty. Raise ProtocolError if a quotation does not end."""
    parts = text.split(b"'")
    if len(parts) % 2 == 0:
        raise ProtocolError("a quotation in the response does not end", where="response")
    tokens: list[bytes] = []
    token: list[bytes] = []  # the pieces of the current token; an empty quotation is a piece too
    for index, part in enumerate(parts):
        if index % 2:
            token.append(part)
        elif not part and 0 < index < len(parts) - 1:
            token.append(b"'")
        else:
            for match in _PIECE.finditer(part):
                if match["text"] is not None:
                    token.append(match["text"])
                elif token:
                    tokens.append(b"".join(token))
                    token = []
                if match["end"] and tokens:
                    yield tokens
                    tokens = []
    if token:
        tokens.append(b"".join(token))
    if tokens:
        yield tokens
