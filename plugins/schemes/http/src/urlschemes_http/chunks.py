"""Chunked content, decoded (RFC 9112 section 7.1).

h11 takes two to seven times as long, the longer the smaller the chunks are, and accepts sizes that this refuses.
"""

from __future__ import annotations

import re

from urlschemes_access.errors import LimitExceeded
from urlschemes_access.protocol import LINE, unexpected
from urlschemes_http.response import MAX_HEAD

__all__ = ["ChunkDecoder"]

MAX_TRAILER_FIELDS = 32
"""Fields after the last chunk."""

_SIZE = re.compile(rb"0*([0-9A-Fa-f]{1,15})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?\r\n")
_TRAILER_FIELD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n")


_CRLF = b"\r\n"
_CRLF_IS_DUE = -1


class ChunkDecoder:
    """Decodes chunked content piece by piece. `finished` is True after the last chunk and its trailer.

    `rest` are the octets that are not decoded yet: once it is finished, those that do not belong to the content.
    """

    __slots__ = ("_is_last", "_left", "_trailer_fields", "_trailer_octets", "finished", "rest")

    def __init__(self) -> None:
        self.finished = False
        self.rest = b""  # a line that is not complete
        self._left = 0  # octets that are left of the current chunk
        self._is_last = False
        self._trailer_fields = 0
        self._trailer_octets = 0

    def decode(self, octets: bytes) -> bytes:
        """Return the content in the next octets received.

        Raises ProtocolError for what is not a chunk or has a size from 2**60, LimitExceeded for a long line or trailer.
        """
        octets = self.rest + octets
        at = 0
        pieces: list[bytes] = []
        while not self._is_last:
            if self._left > 0:
                piece = octets[at : at + self._left]
                pieces.append(piece)
                at += len(piece)
                self._left = self._left - len(piece) or _CRLF_IS_DUE
                if at == len(octets):
                    break
            elif self._left == _CRLF_IS_DUE:
                end = octets[at : at + 2]
                if end != _CRLF:
                    if _CRLF.startswith(end):
                        break
                    raise unexpected(octets[at : at + LINE], "body", "the end of a chunk")
                at += 2
                self._left = 0
            else:
                size = _SIZE.match(octets, at)
                if size is None or size.end() - at > LINE:
                    _check_incomplete(octets, at, "a chunk size below 2**60")
                    break
                at = size.end()
                self._left = int(size[1], 16)
                self._is_last = not self._left
        if self._is_last:
            at = self._read_trailer(octets, at)
        self.rest = octets[at:]
        return b"".join(pieces)

    def _read_trailer(self, octets: bytes, at: int) -> int:
        """Skip the fields after the last chunk; return the place of what is not read yet."""
        while not self.finished:
            if octets[at : at + 2] == _CRLF:
                self.finished = True
                return at + 2
            field = _TRAILER_FIELD.match(octets, at)
            self._trailer_octets += (len(octets) if field is None else field.end()) - at
            if self._trailer_octets > MAX_HEAD:
                raise LimitExceeded(
                    f"the trailer is longer than {MAX_HEAD} octets", limit="trailer octets", value=MAX_HEAD
                )
            if field is None:
                self._trailer_octets -= len(octets) - at
                _check_incomplete(octets, at, "a field of the trailer")
                break
            at = field.end()
            self._trailer_fields += 1
            if self._trailer_fields > MAX_TRAILER_FIELDS:
                raise LimitExceeded(
                    f"the response has more than {MAX_TRAILER_FIELDS} trailer fields",
                    limit="trailer fields",
                    value=MAX_TRAILER_FIELDS,
                )
        return at


def _check_incomplete(octets: bytes, at: int, expected: str) -> None:
    """Raise LimitExceeded for a line that is too long, ProtocolError for one that is complete and not as expected."""
    end = octets.find(b"\n", at)
    if (len(octets) if end < 0 else end + 1) - at > LINE:
        raise LimitExceeded(f"a line between chunks is longer than {LINE} octets", limit="line", value=LINE)
    if end >= 0:
        raise unexpected(octets[at:end], "body", expected)
