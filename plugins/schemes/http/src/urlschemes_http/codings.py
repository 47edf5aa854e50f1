"""Content codings, decoded as the content comes (RFC 9110 section 8.4.1, RFC 8878).

`gzip` and `deflate` are always known, `zstd` if Python has `compression.zstd` (3.14) or `backports.zstd` is installed.
Content is one gzip member or one zstd frame: what follows it is an error.
"""

from __future__ import annotations

import sys
import zlib
from functools import cache
from typing import TYPE_CHECKING, Any

from urlschemes_access.errors import ProtocolError, Truncated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["ContentDecoder", "accepted_codings", "zstd_module"]

PIECE = 256 * 1024
"""Octets that are decoded at once, whatever the size of the content that they come from."""
MAX_WINDOW_LOG = 23
"""The window of zstd is at most 8 MiB (RFC 9659)."""


def accepted_codings() -> str:
    """Return the value of Accept-Encoding."""
    return "gzip, deflate, zstd" if zstd_module() is not None else "gzip, deflate"


class ContentDecoder:
    """Decodes content with the coding `name`. Raises ProtocolError for a coding that was not asked for."""

    def __init__(self, name: str) -> None:
        known: dict[str, Callable[[], _Inflater | _Zstd]] = {"gzip": _gzip, "x-gzip": _gzip, "deflate": _Deflate}
        if zstd_module() is not None:
            known["zstd"] = _Zstd
        if name.lower() not in known:
            raise ProtocolError(
                f"the content has the coding {name!r}: expected one of {accepted_codings()}", where="Content-Encoding"
            )
        self.name = name.lower()
        self._stream = known[self.name]()
        self._received = 0

    def pieces(self, octets: bytes) -> Iterator[bytes]:
        """Yield the next octets of the content, decoded, in pieces. Raises ProtocolError."""
        self._received += len(octets)
        try:
            yield from self._stream.pieces(octets)
        except _errors() as error:
            raise self._invalid("cannot be decoded") from error
        if self._stream.excess:
            raise self._invalid("goes on after its end")

    def check_end(self) -> None:
        """Raise Truncated if the content, which ended, is not complete. Nothing at all is empty content."""
        if self._received and not self._stream.is_finished():
            raise Truncated(
                f"the {self.name} content is incomplete after {self._received} octets", received=self._received
            )

    def _invalid(self, why: str) -> ProtocolError:
        return ProtocolError(f"the {self.name} content {why}", where="content")


class _Inflater:
    """One stream of zlib, as `pieces` decodes it."""

    def __init__(self, window: int) -> None:
        self._decompress = zlib.decompressobj(window)

    def is_finished(self) -> bool:
        return self._decompress.eof

    @property
    def excess(self) -> bytes:
        return self._decompress.unused_data

    def pieces(self, octets: bytes) -> Iterator[bytes]:
        if self.is_finished():
            self._decompress.decompress(octets)  # adds them to `unused_data`
            return
        while True:
            piece = self._decompress.decompress(octets, PIECE)
            if piece:
                yield piece
            octets = self._decompress.unconsumed_tail
            if self.is_finished() or (not octets and len(piece) < PIECE):
                return


def _gzip() -> _Inflater:
    return _Inflater(16 + zlib.MAX_WBITS)


class _Deflate(_Inflater):
    """The zlib format; or deflate without its header and check, which some servers send under the same name."""

    def __init__(self) -> None:
        super().__init__(zlib.MAX_WBITS)
        self._start: bytes | None = b""

    def pieces(self, octets: bytes) -> Iterator[bytes]:
        if self._start is not None:
            octets = self._start + octets
            if len(octets) < 2:
                self._start = octets
                return
            self._start = None
            if octets[0] & 15 != 8 or int.from_bytes(octets[:2], "big") % 31:
                self._decompress = zlib.decompressobj(-zlib.MAX_WBITS)
        yield from super().pieces(octets)


class _Zstd:
    """Like `_Inflater`, for one frame of zstd."""

    def __init__(self) -> None:
        zstd = zstd_module()
        options = {zstd.DecompressionParameter.window_log_max: MAX_WINDOW_LOG}
        self._frame = zstd.ZstdDecompressor(options=options)
        self._more = b""

    def is_finished(self) -> bool:
        return bool(self._frame.eof)

    @property
    def excess(self) -> bytes:
        return self._more or bytes(self._frame.unused_data)

    def pieces(self, octets: bytes) -> Iterator[bytes]:
        if self.is_finished():
            self._more += octets
            return
        while True:
            if piece := self._frame.decompress(octets, PIECE):
                yield piece
            octets = b""
            if self.is_finished() or self._frame.needs_input:
                return


@cache
def zstd_module() -> Any:
    """Return the module for zstd; None if there is none."""
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError:
        return None
    return zstd


def _errors() -> tuple[type[Exception], ...]:
    zstd = zstd_module()
    return (zlib.error,) if zstd is None else (zlib.error, zstd.ZstdError)
