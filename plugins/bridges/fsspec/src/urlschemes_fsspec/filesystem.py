"""URLFileSystem: every installed scheme that gives documents and listings, for fsspec."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from fsspec.asyn import AsyncFileSystem, _run_coros_in_chunks, sync  # type: ignore[import-untyped]  # it has no types

from urlschemes.errors import UnsupportedOperation, URLError
from urlschemes.redaction import redact
from urlschemes_access import AsyncClient, AsyncDocument, AsyncListing, Policy, Range
from urlschemes_access.errors import AccessError
from urlschemes_access.settings import options_of
from urlschemes_fsspec.os_errors import os_errors
from urlschemes_fsspec.ranged_file import RangedFile, is_changed

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Callable

    from urlschemes_access import AsyncSession, Attributes

__all__ = ["URLFileSystem"]

Info: TypeAlias = dict[str, Any]
"""The facts about a path: its name, size, type and more."""

PREFIX = "urlschemes+"
"""With it, the name of a scheme leads to this filesystem where fsspec or pandas has another way to open the scheme."""
OWN = ("gopher", "news", "nntp", "prospero", "wais")
"""The schemes that fsspec has no filesystem for: they lead here without the prefix, too."""
OTHERS = ("file", "ftp", "http", "https")
"""The schemes that lead here with the prefix only."""

DIRECTORIES = frozenset({"directory", "group", "menu", "union"})
"""The kinds of entries that are listings themselves."""

IN_MEMORY = 4 * 1024 * 1024
"""Octets of an open document that are held in memory; a longer one is read in parts, or is in a temporary file."""


class URLFileSystem(AsyncFileSystem):  # type: ignore[misc]  # fsspec has no types
    """A filesystem whose paths are whole URLs. Nothing can be written.

    `policy` is a Policy or its plain data (`Policy.to_dict`); the default allows the public Internet. `settings` are
    those of AsyncClient, such as `credentials`, `options`, `gateways`, `deadline`. At most `batch_size` accesses of one
    call run at once.
    """

    protocol = ("urlschemes", *OWN, *(f"{PREFIX}{name}" for name in (*OTHERS, *OWN)))
    cachable = False  # fsspec shares instances whose arguments have the same repr, and a repr hides passwords

    def __init__(
        self,
        policy: Policy | Mapping[str, Any] | None = None,
        *,
        batch_size: int = 8,
        asynchronous: bool = False,
        loop: Any = None,
        **settings: Any,
    ) -> None:
        if "target_protocol" in settings:  # what fsspec passes to all but the last filesystem of a chain
            raise ValueError(
                "fsspec divides a path at `::`: write an IPv6 address without it, such as [0:0:0:0:0:0:0:1], or open "
                "the path by a method of URLFileSystem()"
            )
        super().__init__(asynchronous=asynchronous, loop=loop, batch_size=batch_size)
        checked = Policy.from_dict(policy) if isinstance(policy, Mapping) else policy
        self._client = AsyncClient(policy=checked, **settings)

    # Paths

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        """Return the URL without `urlschemes+`, and a news URL without the `//` that fsspec expects."""
        if isinstance(path, list):
            return [cls._strip_protocol(each) for each in path]
        url = str(path).removeprefix(PREFIX)
        return f"news:{url[7:]}" if url.startswith("news://") else url

    def unstrip_protocol(self, name: str) -> str:
        """Return the URL in the form that leads fsspec to this filesystem."""
        url = self._strip_protocol(name)
        scheme, _, rest = url.partition(":")
        if scheme not in OWN:
            return f"{PREFIX}{url}"
        return url if rest.startswith("//") else f"{scheme}://{rest}"

    async def _glob(self, path: str, *_: Any, detail: bool = False, **__: Any) -> Any:
        """Return only the path: in a URL, `*` and `?` are ordinary characters."""
        url = self._strip_protocol(path)
        return {url: await self._info(url)} if detail else [url]

    # Content

    @asynccontextmanager
    async def _opened(
        self, path: str, part: Range | None = None
    ) -> AsyncIterator[AsyncDocument | AsyncListing | AsyncSession[Any]]:
        """Access the URL, or a part of the document there."""
        with os_errors():
            async with await self._client.access(self._strip_protocol(path), range=part) as resource:
                yield resource

    async def read_part(self, path: str, part: Range) -> bytes:
        """Return a part of the document. Raises io.UnsupportedOperation if the scheme or the server has no ranges."""
        async with self._opened(path, part) as resource:
            if not isinstance(resource, AsyncDocument):
                raise IsADirectoryError(f"{redact(path)} is not a document")
            if part.unchanged is not None and is_changed(part.unchanged, resource.attributes):
                raise OSError(f"{redact(path)} was changed while it was read")
            if resource.attributes.start != part.start:
                raise io.UnsupportedOperation(f"{redact(path)} has no ranges")
            return await resource.read(-1 if part.stop is None else part.stop - part.start)

    async def _slice(self, path: str, start: int | None, end: int | None) -> bytes:
        """Return what a slice of the content would be, without the rest. Raises the errors of `read_part`."""
        first, last = start or 0, end
        if first < 0 or (last is not None and last < 0):
            size = (await self._attributes(path)).size
            if size is None:
                raise io.UnsupportedOperation(f"the size of {redact(path)} is unknown")
            first, last, _step = slice(start, end).indices(size)
        if last is not None and last <= first:
            return b""
        try:
            return await self.read_part(path, Range(first, last))
        except FileNotFoundError:
            size = (await self._attributes(path)).size
            if size is None or first < size:
                raise
            return b""

    async def _attributes(self, path: str) -> Attributes:
        """Return what the server tells without the content."""
        with os_errors():
            return await self._client.find_attributes(self._strip_protocol(path))

    async def spooled(self, path: str) -> IO[bytes]:
        """Return the content of the document, which is transferred whole, as a file at its beginning."""
        limits = self._client.policy.limits
        file: IO[bytes] = io.BytesIO()
        try:
            async with self._opened(path) as resource:
                if not isinstance(resource, AsyncDocument):
                    raise IsADirectoryError(f"{redact(path)} is not a document")
                async for octets in resource:
                    if file.write(octets) and file.tell() > limits.content:
                        raise limits.exceeded("content", "the document is longer than")
                    if isinstance(file, io.BytesIO) and file.tell() > IN_MEMORY:
                        file = _on_disk(file)
            file.seek(0)
        except BaseException:  # a task may be cancelled
            file.close()
            raise
        return file

    def _open(self, path: str, mode: str = "rb", block_size: int | None = None, **settings: Any) -> Any:
        if mode != "rb":
            raise io.UnsupportedOperation(f"mode {mode!r}: URLs are opened for reading only")
        attributes: Attributes | None = sync(self.loop, self._attributes_for_ranges, path)
        if attributes is None:
            return sync(self.loop, self.spooled, path)
        known = {name: settings[name] for name in ("cache_type", "cache_options") if name in settings}
        return RangedFile(self, path, attributes, block_size=block_size, **known)

    async def _attributes_for_ranges(self, path: str) -> Attributes | None:
        """Return the attributes of a long document whose parts can be read; None if it is to be transferred whole."""
        url = self._strip_protocol(path)
        if not self._has_ranges(url):
            return None
        try:
            attributes: Attributes = await self._client.find_attributes(url)
        except (AccessError, UnsupportedOperation):  # the access will tell, if it fails too
            return None
        size = attributes.size
        return None if size is None or size <= IN_MEMORY or is_changed(attributes, attributes) else attributes

    def _has_ranges(self, url: str) -> bool:
        """Return True if the scheme of a URL has ranges."""
        with os_errors():
            scheme = self._client.registry[self._client.registry.parse(url).scheme]
            return "range" in options_of(scheme.algorithm("access"))

    async def _cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        if start or end is not None:
            with suppress(io.UnsupportedOperation):
                return await self._slice(path, start, end)
        with await self.spooled(path) as file:
            first, last, _step = slice(start, end).indices(file.seek(0, 2))
            file.seek(first)
            return file.read(max(0, last - first))

    async def _cat_ranges(
        self,
        paths: list[str],
        starts: Iterable[int | None] | int | None,
        ends: Iterable[int | None] | int | None,
        *_: Any,
        batch_size: int | None = None,
        on_error: str = "return",
        **__: Any,
    ) -> list[bytes | Exception]:
        """Return the ranges, and transfer nothing else; a document without ranges is transferred once."""
        first = starts if isinstance(starts, Iterable) else [starts] * len(paths)
        last = ends if isinstance(ends, Iterable) else [ends] * len(paths)
        wanted: dict[str, list[tuple[int | None, int | None]]] = {}
        for path, start, end in zip(paths, first, last, strict=True):
            wanted.setdefault(path, []).append((start, end))
        found = await _run_coros_in_chunks(
            [self._slices(path, slices) for path, slices in wanted.items()],
            batch_size=batch_size or self.batch_size,
            nofiles=True,
            return_exceptions=True,
        )
        if on_error != "return":
            for failure in found:
                if isinstance(failure, BaseException):
                    raise failure
        results = {
            path: [each] * len(wanted[path]) if isinstance(each, Exception) else each
            for path, each in zip(wanted, found, strict=True)
        }
        return [results[path].pop(0) for path in paths]

    async def _slices(self, path: str, slices: list[tuple[int | None, int | None]]) -> list[bytes]:
        with suppress(io.UnsupportedOperation):
            return [await self._slice(path, start, end) for start, end in slices]
        whole = await self._cat_file(path)
        return [whole[start:end] for start, end in slices]

    async def _get_file(self, rpath: str, lpath: str | os.PathLike[str], **_: Any) -> None:
        async with self._opened(rpath) as resource:
            if not isinstance(resource, AsyncDocument):
                raise IsADirectoryError(f"{redact(rpath)} is not a document")
            await resource.save(lpath)

    # Listings

    async def _info(self, path: str, **_: Any) -> Info:
        """Return the facts about the resource, which is opened and closed again."""
        async with self._opened(path) as resource:
            return _info_of(self._strip_protocol(path), resource)

    async def _size(self, path: str) -> int:
        """Return the size in octets; a document is transferred to count them if the server does not know it."""
        size: int | None = (await self._info(path))["size"]
        if size is None:
            with await self.spooled(path) as file:
                size = file.seek(0, 2)
        return size

    def modified(self, path: str) -> datetime:
        """Return the time of the last change; the present if the server does not tell it."""
        time: datetime | None = self.info(path)["mtime"]
        if time is None:
            with suppress(OSError):  # such as that of a scheme without attributes
                time = sync(self.loop, self._attributes, path).modified
        return time or datetime.now(UTC)

    async def _ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        """Return the entries that have URLs; of a document, the document itself."""
        url = self._strip_protocol(path)
        async with self._opened(url) as resource:
            if not isinstance(resource, AsyncListing):
                entries = [_info_of(url, resource)]
            else:
                entries = [
                    {
                        "name": entry.url,
                        "size": entry.size,
                        "type": "directory" if entry.kind in DIRECTORIES else "file",
                        "title": entry.name,
                        "kind": entry.kind,
                        "mtime": entry.modified,
                    }
                    async for entry in resource
                    if entry.url is not None
                ]
        return entries if detail else [entry["name"] for entry in entries]

    async def _walk(
        self,
        path: str,
        maxdepth: int | None = None,
        topdown: bool = True,
        on_error: str | Callable[[OSError], object] = "omit",
        *,
        detail: bool = False,
        **_: Any,
    ) -> AsyncIterator[tuple[str, Any, Any]]:
        """Yield the listings below `path`, each once, with their entries on the same server; their names are URLs.

        Menus may lead to any server, and back. Together, the listings have at most `Limits.entries` entries.
        """
        if maxdepth is not None and maxdepth < 1:
            raise ValueError("maxdepth must be at least 1")
        limits = self._client.policy.limits
        top = self._strip_protocol(path)
        waiting, seen, walked, count = [(top, 1)], {top}, [], 0
        while waiting:
            url, depth = waiting.pop()
            try:
                entries = await self._ls(url)
            except OSError as error:
                if on_error == "raise" or (url == top and not isinstance(error, FileNotFoundError)):
                    raise
                if callable(on_error):
                    on_error(error)
                entries = []
            count += len(entries)
            if count > limits.entries:
                with os_errors():
                    raise limits.exceeded("entries", "the entries of all listings are more than")
            own = {entry["name"]: entry for entry in entries if self._site(entry["name"]) == self._site(top)}
            directories = {name: entry for name, entry in own.items() if entry["type"] == "directory"}
            files = {name: entry for name, entry in own.items() if name not in directories}
            found = (url, directories, files) if detail else (url, [*directories], [*files])
            if topdown:
                yield found
            else:
                walked.append(found)
            if maxdepth is None or depth < maxdepth:
                below = [name for name in directories if name not in seen]
                seen.update(below)
                waiting += [(name, depth + 1) for name in reversed(below)]
        for found in reversed(walked):
            yield found

    def _site(self, url: str) -> tuple[Any, ...]:
        """Return the scheme of a URL, and its host and port if a server is named; the text of what is not a URL."""
        try:
            parsed = self._client.registry.parse(url)
        except URLError:
            return (url,)
        if not parsed.schemepart.startswith("//"):  # the host of a message-id is not a server
            return (parsed.scheme,)
        return parsed.scheme, parsed.raw.get("host"), parsed.raw.get("port")


def _on_disk(content: io.BytesIO) -> IO[bytes]:
    """Return a temporary file with this content, at its end."""
    file = TemporaryFile()  # noqa: SIM115  the caller closes it
    file.write(content.getbuffer())
    return file


def _info_of(url: str, resource: AsyncDocument | AsyncListing | AsyncSession[Any]) -> Info:
    types = {AsyncDocument: "file", AsyncListing: "directory"}
    attributes: Attributes = resource.attributes
    return {
        "name": url,
        "size": attributes.size,
        "type": types.get(type(resource), "other"),
        "mimetype": attributes.media_type,
        "mtime": attributes.modified,
    }
