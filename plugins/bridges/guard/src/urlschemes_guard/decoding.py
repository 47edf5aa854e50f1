"""Content codings undone in pieces of bounded size, for clients that decode whatever a server sends at once.

    encoded pieces  --Decoding-->  pieces of at most 64 KiB, or little more

The codings are those that the client's libraries know: gzip and deflate, br with `brotli`, zstd with the standard
library of Python 3.14, `backports.zstd` or `zstandard`.
"""

from __future__ import annotations

import importlib
import zlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from urlschemes_access.errors import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["Decoding", "accepted", "accepts"]

PIECE = 64 * 1024
MOST = 3
"""Codings that content may have one within the other."""
_SHORT = 256
"""Octets given at once to a library that knows no bound: zstd makes at most 32 KiB of one."""


def accepted(field: str) -> str:
    """Return the value of an Accept-Encoding field without the codings that cannot be undone in pieces."""
    wanted = [each.strip() for each in field.split(",")]
    return ", ".join(each for each in wanted if each.partition(";")[0].strip().lower() in {*_CODINGS, "identity", ""})


@lru_cache(maxsize=64)
def accepts(field: str) -> bool:
    """Return True if all codings of an Accept-Encoding field can be undone in pieces."""
    return accepted(field) == field


class Decoding:
    """The codings of one content, undone piece by piece. `names` is the value of its Content-Encoding field."""

    def __init__(self, names: str) -> None:
        wanted = [each.strip().lower() for each in names.split(",")]
        wanted = [each for each in wanted if each not in {"", "identity"}]
        unknown = [each for each in wanted if each not in _CODINGS]
        if unknown or len(wanted) > MOST:
            what = ", ".join(wanted)
            raise ProtocolError(f"the content has the coding {what}, which was not asked for", where="the head")
        self._decoders = [_CODINGS[each]() for each in reversed(wanted)]

    def pieces(self, octets: bytes) -> Iterator[bytes]:
        """Yield the content of encoded octets. Raises ProtocolError if they are damaged."""
        found: Iterable[bytes] = (octets,)
        for decoder in self._decoders:
            found = _through(decoder, found)
        try:
            yield from found
        except Exception as error:  # the libraries have no common one
            raise ProtocolError(f"the content cannot be decoded: {error}", where="the content") from error


def _through(decoder: Callable[[bytes], Iterator[bytes]], pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield from decoder(piece)


def _inflating(bits: int) -> Callable[[bytes], Iterator[bytes]]:
    decoder = zlib.decompressobj(bits)
    begun = bits != zlib.MAX_WBITS

    def decode(octets: bytes) -> Iterator[bytes]:
        nonlocal decoder, begun
        while octets and not decoder.eof:
            try:
                piece = decoder.decompress(octets, PIECE)
            except zlib.error:
                if begun:
                    raise
                decoder = zlib.decompressobj(-zlib.MAX_WBITS)  # some servers send deflate without its head
                piece = decoder.decompress(octets, PIECE)
            begun = True
            yield piece
            octets = decoder.unconsumed_tail

    return decode


def _unbrotli(brotli: Any) -> Callable[[bytes], Iterator[bytes]]:
    decoder = brotli.Decompressor()

    def decode(octets: bytes) -> Iterator[bytes]:
        yield decoder.process(octets, output_buffer_limit=PIECE)
        while piece := decoder.process(b"", output_buffer_limit=PIECE):
            yield piece

    return decode


def _unzstd(zstd: Any) -> Callable[[bytes], Iterator[bytes]]:
    decoder = zstd.ZstdDecompressor()

    def decode(octets: bytes) -> Iterator[bytes]:
        nonlocal decoder
        while octets or not decoder.needs_input:
            if decoder.eof:
                octets, decoder = decoder.unused_data + octets, zstd.ZstdDecompressor()
                if not octets:
                    return
            yield decoder.decompress(octets, PIECE)
            octets = b""
            if decoder.eof and not decoder.unused_data:
                return

    return decode


def _unzstandard(zstandard: Any) -> Callable[[bytes], Iterator[bytes]]:
    decoder = zstandard.ZstdDecompressor().decompressobj(read_across_frames=True)

    def decode(octets: bytes) -> Iterator[bytes]:
        for start in range(0, len(octets), _SHORT):
            yield decoder.decompress(octets[start : start + _SHORT])

    return decode


def _codings() -> dict[str, Callable[[], Callable[[bytes], Iterator[bytes]]]]:
    """Return the codings that can be undone, each with what makes a decoder."""
    found: dict[str, Callable[[], Callable[[bytes], Iterator[bytes]]]] = {
        "gzip": lambda: _inflating(16 + zlib.MAX_WBITS),
        "x-gzip": lambda: _inflating(16 + zlib.MAX_WBITS),
        "deflate": lambda: _inflating(zlib.MAX_WBITS),
    }
    for library, coding, make in (
        ("brotli", "br", _unbrotli),
        ("zstandard", "zstd", _unzstandard),
        ("backports.zstd", "zstd", _unzstd),
        ("compression.zstd", "zstd", _unzstd),
    ):
        try:
            module = importlib.import_module(library)
        except ImportError:
            continue
        if coding != "br" or hasattr(module.Decompressor, "can_accept_more_data"):
            found[coding] = lambda make=make, module=module: make(module)  # type: ignore[misc]
    return found


_CODINGS = _codings()
