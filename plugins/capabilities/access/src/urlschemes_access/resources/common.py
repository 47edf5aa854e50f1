"""What resources are, apart from how their pieces are waited for: by blocking (resource.py) or on an event loop (aio).

What a document does with its octets is written as a generator, a `Reading`. It asks for the next piece, or for
something to be done with a file, and whoever carries it out waits in its own way.
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
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, TypeVar

from urlschemes.redaction import one_line
from urlschemes_access.attributes import charset_of
from urlschemes_access.errors import AccessError, LimitExceeded, ProtocolError, Truncated

if TYPE_CHECKING:
    import os
    from pathlib import Path
    from typing import BinaryIO

    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Attributes, Gateway
    from urlschemes_access.policy import Limits

__all__ = ["AnyDocument", "AnyResource", "OnDisk", "Reading", "Running"]

T = TypeVar("T")

SMALL = 4096
"""Octets below which a piece is put to others like it: by themselves, a few octets take many times their room."""


@dataclass(slots=True)
class OnDisk:
    """Something to do with a file of this machine: `work`, which may block for a moment.

    `undo` is given what `work` returned, if nobody waits for it any more.
    """

    work: Callable[[], Any]
    undo: Callable[[Any], object] | None = None


Reading: TypeAlias = Generator["OnDisk | None", Any, T]
"""Something to do with a document. None asks for its next piece, `b""` at the end; OnDisk for what `work` returns."""


class Running(Protocol):
    """What a resource knows of the access that it comes from."""

    @property
    def url(self) -> URL:
        """The URL accessed, after the redirects that were followed."""

    @property
    def limits(self) -> Limits:
        """The limits of the policy that holds."""

    @property
    def terminated(self) -> bool | None:
        """None until the end; then whether the content ended as its protocol says."""

    def close(self) -> None:
        """Close everything now; closing twice does nothing."""


class AnyResource:
    """What documents, listings and sessions have in common."""

    _KIND: ClassVar[str]

    def __init__(self, running: Running, attributes: Attributes) -> None:
        self._running = running
        self._attributes = attributes
        self._failure: BaseException | None = None
        self._closed = False

    @property
    def url(self) -> URL:
        """The URL of this resource, after any redirects."""
        return self._running.url

    @property
    def attributes(self) -> Attributes:
        """What the other side said of the resource before it sent it."""
        return self._attributes

    @property
    def gateway(self) -> Gateway | None:
        """The gateway that the resource was reached through; None where it was reached directly."""
        return self._attributes.gateway

    @property
    def closed(self) -> bool:
        """Whether it was closed by whoever uses it."""
        return self._closed

    def _check(self) -> None:
        """Raise what failed before: a part of a resource never looks like the whole. AccessError once it is closed."""
        if self._failure is not None:
            self._running.close()  # where it failed for being used twice at once, it is still open
            raise self._failure
        if self._closed:
            raise AccessError(f"this {self._KIND} is closed", scheme=self.url.scheme)

    def _shut(self) -> None:
        """Close everything now, without closing words."""
        self._closed = True
        self._running.close()

    def __del__(self) -> None:
        # Dropped unread, it must not leave a connection behind.
        if not getattr(self, "_closed", True):
            self._running.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {one_line(str(self.url), 200)}>"


class AnyDocument(AnyResource):
    """A stream of octets."""

    _KIND = "document"

    def __init__(self, running: Running, attributes: Attributes) -> None:
        super().__init__(running, attributes)
        self._rest = b""
        self._over = False

    @property
    def media_type(self) -> str | None:
        """The media type with its parameters, as the other side or the scheme gives it; None where neither does."""
        return self._attributes.media_type

    @property
    def size(self) -> int | None:
        """How many octets were announced; None where nothing was."""
        return self._attributes.size

    @property
    def terminated(self) -> bool | None:
        """None until the end has been reached; then whether the content ended as its protocol says it must."""
        return self._running.terminated

    def _came(self, piece: object) -> bytes:
        """The octets of a piece that was pulled; `b""` at the end."""
        self._over = piece is None
        return piece if isinstance(piece, bytes) else b""

    def _next(self) -> Reading[bytes]:
        octets: bytes = self._rest or (yield None)
        self._rest = b""
        return octets

    def _read(self, most: int) -> Reading[bytes]:
        bound = self._running.limits.content
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
                self._shut()
                raise LimitExceeded(
                    f"the content is longer than {bound} octets",
                    scheme=self.url.scheme,
                    limit="content",
                    value=bound,
                    hint="iterate over it, save it, or raise Limits.content",
                )
        octets = b"".join(pieces)
        if 0 <= most < held:
            self._rest = octets[most:]
            return octets[:most]
        return octets

    def _read_text(self, encoding: str | None) -> Reading[str]:
        octets = yield from self._read(-1)
        if encoding is not None:
            try:
                return octets.decode(encoding)
            except UnicodeError:
                raise ProtocolError(
                    f"the content is not {one_line(encoding, 40)}", scheme=self.url.scheme, where="content"
                ) from None
        charset = charset_of(self.media_type)
        if charset is not None:
            return octets.decode(charset, "replace")
        try:
            return octets.decode("utf-8-sig")
        except UnicodeDecodeError:
            return octets.decode("iso-8859-1")

    def _save(self, path: str | os.PathLike[str]) -> Reading[int]:
        if self._over:
            raise AccessError("the document was read to its end: nothing is left to save", scheme=self.url.scheme)
        target = Path(path)
        beside = target.parent / f".{target.name[:60]}.{secrets.token_hex(4)}"  # 60 characters: at most 240 octets
        written = 0
        try:
            with (yield OnDisk(partial(_made, beside, target), undo=partial(_discard, beside))) as file:
                while octets := (yield from self._next()):
                    yield OnDisk(partial(file.write, octets))
                    written += len(octets)
            yield OnDisk(partial(beside.replace, target))
        except BaseException as fault:
            with suppress(OSError):
                beside.unlink()
            if isinstance(fault, OSError):
                raise AccessError(
                    f"cannot write '{one_line(str(target), 160)}': {fault.strerror}", scheme=self.url.scheme
                ) from fault
            raise
        return written


def _made(beside: Path, target: Path) -> BinaryIO:
    """A new file, with the permissions of the older one whose place it will take."""
    mode = None
    with suppress(OSError):
        mode = stat.S_IMODE(target.stat().st_mode) & 0o777

    def opened(name: str, flags: int) -> int:
        return os.open(name, flags, 0o666 if mode is None else mode)

    file = open(beside, "xb", opener=opened)  # noqa: SIM115  it is handed out open
    if mode is not None and hasattr(os, "fchmod"):
        with suppress(OSError):  # some file systems have no modes
            os.fchmod(file.fileno(), mode)
    return file


def _discard(path: Path, file: BinaryIO) -> None:
    """Take away a file that was made for nobody."""
    with suppress(OSError):
        file.close()
        path.unlink()
