"""The content that a caller sends, in pieces of a size that is quickly sent."""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["in_large_pieces"]

LARGE = 112 * 1024
"""Octets of a file that are read at once, and below which a piece is joined to the next.

From about 192 KiB on, glibc may map new memory for each piece.
"""
LONGEST_HELD = 0.05
"""Seconds after which pieces are sent although more could be joined to them."""

_OCTETS = (bytes, bytearray, memoryview)


def in_large_pieces(content: Any) -> Any:
    """Return content whose pieces are large: files are read so, small pieces of an iterable joined if they come fast.

    A small piece takes about as much time to send as a large one. The first is never held back. Any other content is
    returned unchanged, even of a wrong type: it is refused when it is to be sent.
    """
    if content is None or isinstance(content, _OCTETS) or hasattr(content, "__aiter__"):
        return content
    if hasattr(content, "read"):
        return iter(partial(content.read, LARGE), b"")
    return _joined(iter(content))


def _joined(pieces: Iterable[Any]) -> Iterator[Any]:
    held: list[bytes | bytearray | memoryview] = []
    size = 0
    until = 0.0
    for piece in pieces:
        if not isinstance(piece, _OCTETS):
            yield piece
        held.append(piece)
        size += len(piece)
        if size >= LARGE or monotonic() >= until:
            yield b"".join(held)
            held.clear()
            size = 0
            until = monotonic() + LONGEST_HELD
    yield b"".join(held)
