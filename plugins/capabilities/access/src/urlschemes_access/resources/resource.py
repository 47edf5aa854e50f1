"""The base of all resources, and of documents: coroutines that Document drives and AsyncDocument awaits."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import ClassVar, TypeVar

from urlschemes.errors import Hint, Remedy, UnsupportedOperation, URLError
from urlschemes.redaction import one_line
from urlschemes.url.value import URL
from urlschemes_access.attributes import Attributes, Entry, Gateway, charset_of
from urlschemes_access.backends.new_file import NewFile
from urlschemes_access.backends.worker_threads import CLEANING, Work
from urlschemes_access.dialogue import Dialogue
from urlschemes_access.errors import AccessError, DeadlineExceeded, LimitExceeded, ProtocolError, Truncated
from urlschemes_access.resources.downloads import Download, Part

T = TypeVar("T")
R = TypeVar("R", bound="AnyResource")

SMALL = 4096
"""Pieces of fewer octets are joined: a bytes object of a few octets takes many times their size."""
WRITTEN = 256 * 1024
"""Octets of joined pieces that are written at once."""
LONGEST_HELD = 0.1
"""Seconds after which joined pieces are written although there are fewer."""


class AnyResource:
    """A resource, whether reading it blocks or is awaited."""

    _KIND: ClassVar[str]

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue
        self._failure: BaseException | None = None
        self._closed = False

    @property
    def url(self) -> URL:
        """The URL of this resource, after redirects."""
        return self._dialogue.url

    @property
    def attributes(self) -> Attributes:
        """The attributes that the server announced before the content."""
        return self._dialogue.attributes

    @property
    def gateway(self) -> Gateway | None:
        """The gateway that the resource was reached through; None if it was reached directly."""
        return self.attributes.gateway

    @property
    def closed(self) -> bool:
        """True if the caller has closed the resource."""
        return self._closed

    def _check(self) -> None:
        """Raise the earlier failure, so that a part never looks complete; AccessError if the resource is closed."""
        if self._failure is not None:
            self._dialogue.close()  # still open if it failed for being used twice at once
            raise self._failure
        if self._closed:
            raise AccessError(f"this {self._KIND} is closed", scheme=self.url.scheme)

    async def _pull(self) -> bytes | Entry | None:
        """Return the next piece or entry, None at the end. After a failure, only that failure is raised."""
        self._check()
        try:
            return await self._dialogue.pull()
        except (Exception, KeyboardInterrupt, SystemExit) as failure:
            self._failure = failure
            raise
        except BaseException:  # the task was cancelled
            self._failure = AccessError(f"reading this {self._KIND} was cancelled", scheme=self.url.scheme)
            raise

    def _close_now(self) -> None:
        """Close everything now, without ending the dialogue."""
        self._closed = True
        self._dialogue.close()

    def __del__(self) -> None:
        # A resource that is dropped unread must not leave a connection open.
        if not getattr(self, "_closed", True):
            self._dialogue.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {one_line(str(self.url), 200)}>"


def expected(resource: AnyResource, kind: type[R]) -> R:
    """Return `resource`, which must be of a `kind`. Raises UnsupportedOperation if it is not, and closes it."""
    if isinstance(resource, kind):
        return resource
    resource._close_now()  # noqa: SLF001  as below, of a class of this module
    found, wanted = resource._KIND, kind._KIND  # noqa: SLF001  as above
    message = f"{one_line(str(resource.url), 160)} is a {found}, not a {wanted}"
    raise UnsupportedOperation(message, scheme=resource.url.scheme, hint=f"open it as a {found}")


class AnyDocument(AnyResource):
    """A document, whether reading it blocks or is awaited."""

    _KIND = "document"
    _PATIENCE: ClassVar[float] = CLEANING
    """Seconds that may be waited for threads after an error or an interrupt, when nothing is awaited."""

    def __init__(self, dialogue: Dialogue) -> None:
        super().__init__(dialogue)
        self._rest = b""
        self._ended = False

    @property
    def media_type(self) -> str | None:
        """The media type with its parameters, from the server or the scheme; None if unknown."""
        return self.attributes.media_type

    @property
    def size(self) -> int | None:
        """The number of octets that the server announced; None if it announced none."""
        return self.attributes.size

    @property
    def terminated(self) -> bool | None:
        """None until the end; then False if the content lacks the end mark of its protocol."""
        return self._dialogue.terminated

    async def _next(self) -> bytes:
        octets, self._rest = self._rest, b""
        if not octets:
            piece = await self._pull()
            self._ended = piece is None
            octets = piece if isinstance(piece, bytes) else b""
        return octets

    async def _read(self, most: int) -> bytes:
        bound = self._dialogue.limits.content
        pieces: list[bytes | bytearray] = []
        held = 0
        while most < 0 or held < most:
            try:
                piece = await self._next()
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
                    hint=Hint(
                        Remedy("takes a document of any length", "Document.save()"),
                        Remedy("changes it", "Limits.content"),
                    ),
                )
        octets = b"".join(pieces)
        if 0 <= most < held:
            self._rest = octets[most:]
            return octets[:most]
        return octets

    async def _read_text(self, encoding: str | None) -> str:
        octets = await self._read(-1)
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

    async def _save(self, path: str | os.PathLike[str]) -> int:
        if self._ended:
            raise AccessError("the document was read to its end, nothing is left to save", scheme=self.url.scheme)
        target = Path(path)
        file, work = NewFile(target.parent, target.name), Work()
        begun = False
        try:
            await self._act(file.create, work)
            begun = True
            written = await self._write_to(file.write, work)
            await self._act(file.commit, work)
        except BaseException as fault:
            work.clean_up(file.discard, self._PATIENCE)
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

    async def _save_part(self, part: Part) -> Download:
        await self._act(partial(part.begin, self.attributes), part.work)
        await self._write_to(part.write, part.work)
        return await self._act(part.finish, part.work)

    async def _write_to(self, write: Callable[[bytes], object], work: Work) -> int:
        """Write all that is left, small pieces together, even if they end with a failure; return how many octets."""
        held = bytearray()
        written, since = 0, monotonic()
        try:
            while octets := await self._next():
                written += len(octets)
                if len(octets) < SMALL or held:
                    held += octets
                    if len(held) < WRITTEN and monotonic() - since < LONGEST_HELD:
                        continue
                    octets, held, since = bytes(held), bytearray(), monotonic()
                await self._act(partial(write, octets), work)
        except BaseException:
            if held:
                with suppress(URLError, OSError):
                    work.clean_up(partial(write, bytes(held)), self._PATIENCE)
            raise
        if held:
            await self._act(partial(write, bytes(held)), work)
        return written

    async def _act(self, action: Callable[[], T], work: Work) -> T:
        try:
            return await self._dialogue.act(action, work)
        except DeadlineExceeded as failure:
            self._failure = failure
            raise
