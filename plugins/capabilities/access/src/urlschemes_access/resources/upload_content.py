"""The content that a caller sends, in pieces large enough to be sent fast."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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


@dataclass(slots=True)
class Pieces:
    """Pieces of content that are sent together."""

    pieces: tuple[Any, ...]


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
