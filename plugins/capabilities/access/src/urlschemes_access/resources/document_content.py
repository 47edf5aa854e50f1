"""Reading, decoding and saving the content of a document.

These operations are generators, so that blocking and awaited documents share them. A `ContentReader` yields None to get
the next piece, or a FileAction to have something done with a local file; the document waits in its own way.
"""

from __future__ import annotations

import os
import secrets
import stat
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
from urlschemes_access.errors import AccessError, DeadlineExceeded, LimitExceeded, ProtocolError, Truncated
from urlschemes_access.resources.resource import AnyResource

if TYPE_CHECKING:
    from io import FileIO

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
        file = _NewFile(Path(path))
        try:
            yield FileAction(file.create)
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
                    f"cannot write '{one_line(str(file.target), 160)}': {fault.strerror}", scheme=self.url.scheme
                )
            if file.is_begun and self._failure is None:  # what was taken is lost
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


class _NewFile:
    """A new file beside `target`, which it replaces when it is complete. It gets the permissions of that file."""

    def __init__(self, target: Path) -> None:
        self.target = target
        # 60 characters: at most 240 octets
        self._path = target.parent / f".{target.name[:60]}.{secrets.token_hex(4)}"
        self._file: FileIO | None = None

    @property
    def is_begun(self) -> bool:
        """True if the file was created."""
        return self._file is not None

    def create(self) -> None:
        """Create the file."""
        mode = None
        with suppress(OSError):
            mode = stat.S_IMODE(self.target.stat().st_mode) & 0o777

        def opened(name: str, flags: int) -> int:
            return os.open(name, flags, 0o666 if mode is None else mode)

        self._file = open(self._path, "xb", buffering=0, opener=opened)  # noqa: SIM115  it stays open
        if mode is not None and hasattr(os, "fchmod"):
            with suppress(OSError):  # some file systems have no modes
                os.fchmod(self._file.fileno(), mode)

    def write(self, octets: bytes) -> None:
        """Append octets."""
        assert self._file is not None
        rest = memoryview(octets)
        while rest:
            rest = rest[self._file.write(rest) :]

    def commit(self) -> None:
        """Close the file, and give it the name of the target."""
        assert self._file is not None
        self._file.close()
        self._path.replace(self.target)

    def discard(self) -> None:
        """Close and remove the file, unless it has the name of the target already."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            with suppress(OSError):
                self._path.unlink()
