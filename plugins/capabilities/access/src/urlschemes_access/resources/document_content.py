"""Reading, decoding and saving the content of a document.

These operations are generators, so that blocking and awaited documents share them. A `ContentReader` yields None to get
the next piece, or a FileAction to have something done with a local file; the document waits in its own way.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from urlschemes.errors import URLError
from urlschemes.redaction import one_line
from urlschemes_access.attributes import charset_of
from urlschemes_access.backends.new_file import NewFile
from urlschemes_access.errors import AccessError, DeadlineExceeded, LimitExceeded, ProtocolError, Truncated
from urlschemes_access.resources.resource import AnyResource

if TYPE_CHECKING:
    import os

    from urlschemes_access.attributes import Attributes
    from urlschemes_access.resources.downloads import Download, Part
    from urlschemes_access.resources.source import RunningOperation

__all__ = ["AnyDocument", "ContentReader", "FileAction"]

T = TypeVar("T")

SMALL = 4096
"""Pieces of fewer octets are joined: a bytes object of a few octets takes many times their size."""
WRITTEN = 256 * 1024
"""Octets of joined pieces that are written at once."""
LONGEST_HELD = 0.1
"""Seconds after which joined pieces are written although there are fewer."""


@dataclass(slots=True)
class FileAction:
    """An action on a local file, which may block. One that cleans up gets time for it even after the deadline."""

    action: Callable[[], Any]
    cleans_up: bool = False


ContentReader: TypeAlias = Generator["FileAction | None", Any, T]
"""A generator that yields None for the next piece, `b""` at the end, or a FileAction for its result."""


class AnyDocument(AnyResource):
    """A document, whether reading it blocks or is awaited."""

    _KIND = "document"

    def __init__(self, operation: RunningOperation, attributes: Attributes) -> None:
        super().__init__(operation, attributes)
        self._rest = b""
        self._ended = False

    @property
    def media_type(self) -> str | None:
        """The media type with its parameters, from the server or the scheme; None if unknown."""
        return self._attributes.media_type

    @property
    def size(self) -> int | None:
        """The number of octets that the server announced; None if it announced none."""
        return self._attributes.size

    @property
    def terminated(self) -> bool | None:
        """None until the end; then False if the content lacks the end mark of its protocol."""
        return self._operation.terminated

    def _octets_of(self, piece: object) -> bytes:
        """Return the octets of a piece that was pulled; `b""` at the end."""
        self._ended = piece is None
        return piece if isinstance(piece, bytes) else b""

    def _next(self) -> ContentReader[bytes]:
        octets: bytes = self._rest or (yield None)
        self._rest = b""
        return octets

    def _read(self, most: int) -> ContentReader[bytes]:
        bound = self._operation.limits.content
        pieces: list[bytes | bytearray] = []
        held = 0
        while most < 0 or held < most:
            try:
                piece = yield from self._next()
            except Truncated as short:
                if short.partial is None:
                    short.partial = b"".join(pieces)
                raise
            if not piece:
                break
            if len(piece) >= SMALL:
                pieces.append(piece)
            elif pieces and isinstance(pieces[-1], bytearray):
                pieces[-1] += piece
            else:
                pieces.append(bytearray(piece))
            held += len(piece)
            if most < 0 and held > bound:
                self._close_now()
                raise LimitExceeded(
                    f"the content is longer than {bound} octets",
                    scheme=self.url.scheme,
                    limit="content",
                    value=bound,
                    hint="iterate over the document, save it, or raise Limits.content",
                )
        octets = b"".join(pieces)
        if 0 <= most < held:
            self._rest = octets[most:]
            return octets[:most]
        return octets

    def _read_text(self, encoding: str | None) -> ContentReader[str]:
        octets = yield from self._read(-1)
        if encoding is not None:
            try:
                return octets.decode(encoding)
            except UnicodeError:
                raise ProtocolError(
                    f"the content cannot be decoded as {one_line(encoding, 40)}",
                    scheme=self.url.scheme,
                    where="content",
                ) from None
        charset = charset_of(self.media_type)
        if charset is not None:
            return octets.decode(charset, "replace")
        try:
            return octets.decode("utf-8-sig")
        except UnicodeDecodeError:
            return octets.decode("iso-8859-1")

    def _save(self, path: str | os.PathLike[str]) -> ContentReader[int]:
        if self._ended:
            raise AccessError("the document was read to its end, nothing is left to save", scheme=self.url.scheme)
        target = Path(path)
        file = NewFile(target.parent, target.name)
        begun = False
        try:
            yield FileAction(file.create)
            begun = True
            written = yield from self._write_to(file.write)
            yield FileAction(file.commit)
        except GeneratorExit:  # nobody is left who could carry out an action
            file.discard()
            raise
        except BaseException as fault:
            with suppress(DeadlineExceeded):
                yield FileAction(file.discard, cleans_up=True)
            error = fault
            if isinstance(fault, OSError):
                error = AccessError(
                    f"cannot write '{one_line(str(target), 160)}': {fault.strerror}", scheme=self.url.scheme
                )
            if begun and self._failure is None:  # what was taken is lost
                interrupted = AccessError("saving this document was interrupted", scheme=self.url.scheme)
                self._failure = error if isinstance(error, URLError) else interrupted
            if error is fault:
                raise
            raise error from fault
        return written

    def _save_part(self, part: Part) -> ContentReader[Download]:
        yield FileAction(partial(part.begin, self._attributes))
        yield from self._write_to(part.write)
        download: Download = yield FileAction(part.finish)
        return download

    def _write_to(self, write: Callable[[bytes], object]) -> ContentReader[int]:
        """Write all that is left, small pieces together, even if they end with a failure; return how many octets."""
        held = bytearray()
        written, since = 0, monotonic()
        try:
            while octets := (yield from self._next()):
                written += len(octets)
                if len(octets) < SMALL or held:
                    held += octets
                    if len(held) < WRITTEN and monotonic() - since < LONGEST_HELD:
                        continue
                    octets, held, since = bytes(held), bytearray(), monotonic()
                yield FileAction(partial(write, octets))
        except (Exception, KeyboardInterrupt):
            if held:
                with suppress(URLError, OSError):
                    yield FileAction(partial(write, bytes(held)), cleans_up=True)
            raise
        if held:
            yield FileAction(partial(write, bytes(held)))
        return written
