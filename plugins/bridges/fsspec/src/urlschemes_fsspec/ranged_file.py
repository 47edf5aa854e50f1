"""Open documents of which only those parts are transferred that are read."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any

from fsspec.asyn import sync  # type: ignore[import-untyped]  # it has no types
from fsspec.spec import AbstractBufferedFile  # type: ignore[import-untyped]  # it has no types

from urlschemes_access import Range
from urlschemes_access.protocol.ranges import difference

if TYPE_CHECKING:
    from urlschemes_access import Attributes

__all__ = ["RangedFile", "is_changed"]


class RangedFile(AbstractBufferedFile):  # type: ignore[misc]  # fsspec has no types
    """The document at `path`, which has these attributes; it must not change as long as it is read.

    If the server turns out to have no ranges, the whole document is transferred once.
    """

    def __init__(self, fs: Any, path: str, attributes: Attributes, **settings: Any) -> None:
        super().__init__(fs, path, size=attributes.size, **settings)
        self._attributes = attributes
        self._whole: IO[bytes] | None = None

    def _fetch_range(self, start: int, end: int) -> bytes:
        if self._whole is None:
            part = Range(start, end, unchanged=self._attributes)
            try:
                octets: bytes = sync(self.fs.loop, self.fs.read_part, self.path, part)
            except io.UnsupportedOperation:
                self._whole = sync(self.fs.loop, self.fs.spooled, self.path)
            else:
                return octets
        self._whole.seek(start)
        return self._whole.read(end - start)

    def close(self) -> None:
        """Close the document."""
        super().close()
        if self._whole is not None:
            self._whole.close()


def is_changed(before: Attributes, now: Attributes) -> bool:
    """Return True unless the attributes, of the whole or of a part, show that the document is unchanged."""
    return difference(replace(before, size=None), replace(now, size=None)) is not None
