"""`mirror` goes through a tree of listings, and saves what it finds."""

from __future__ import annotations

import errno
import os
from collections import deque
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from urlschemes import URL
from urlschemes.errors import (
    Hint,
    InvalidURL,
    Remedy,
    UnknownScheme,
    UnsafeURL,
    UnsupportedOperation,
    URLError,
    require_type,
)
from urlschemes.redaction import in_line, one_line
from urlschemes_access import Client, Document, Listing, Part
from urlschemes_access.errors import (
    AccessError,
    ConnectError,
    DeadlineExceeded,
    InputRequired,
    LimitExceeded,
    PolicyDenied,
    RemoteError,
    ResolveError,
)
from urlschemes_access.resources.file_names import last_segment, safe_name
from urlschemes_mirror.folders import Folder
from urlschemes_mirror.names import Names
from urlschemes_mirror.record import RECORD, Record, SavedFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Unpack

    from urlschemes_access import Entry, Range, Session
    from urlschemes_access.client import Arguments

__all__ = ["DEPTH", "ENTRIES", "INDEX", "OCTETS", "MirrorStep", "mirror"]

DEPTH = 16
"""The default limit for folders in folders."""
MAX_DEPTH = 100
"""The most that the caller may ask for: each folder on the way is open."""
ENTRIES = 10_000
"""The default limit for the entries of all listings together."""
OCTETS = 1024**3
"""The default limit for the octets received as documents."""
INDEX = "index"
"""The name of the file with the lines of a listing, if names of entries are not names of files."""
LARGE = 1024 * 1024
"""Octets from which on it is worth while to continue a document."""
MAX_UNREACHABLE = 3
"""The failed connections in a row after which a mirror gives up."""

Action: TypeAlias = Literal["saved", "unchanged", "refused", "failed"]

_CONTINUES = "allows more: the same mirror continues where this one ended"
_REFUSALS = (InvalidURL, UnknownScheme, UnsafeURL, UnsupportedOperation, PolicyDenied, InputRequired)
_FULL = frozenset({errno.ENOSPC, errno.EROFS, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC)})


@dataclass(frozen=True, slots=True)
class MirrorStep:
    """One step of a mirror: a URL, with its password hidden and control characters escaped, and what was done with it.

    saved:      `path` is complete; `octets` of it were received, the rest was there as a part
    unchanged:  `path` was complete before
    refused:    left out: another server, a search, a session, a link to a folder, too deep, denied; `error` says why
    failed:     `error` says why

    `terminated` is that of the document: False if it lacks the end mark of its protocol.
    """

    action: Action
    url: str
    path: Path | None = None
    octets: int = 0
    error: URLError | None = None
    terminated: bool | None = None


def mirror(
    url: URL | str,
    folder: str | os.PathLike[str],
    *,
    client: Client | None = None,
    depth: int = DEPTH,
    entries: int = ENTRIES,
    octets: int = OCTETS,
    span_hosts: bool = False,
    refresh: bool = False,
    **arguments: Unpack[Arguments],
) -> Iterator[MirrorStep]:
    """Save the listing at `url`, and all that it leads to, as files in `folder`; return an iterator over the steps.

    Listings become folders, documents files. A listing with titles is also saved as the file `index`. Names of files
    are made from URLs; nothing is written outside `folder`, which must be empty, new, or of an earlier mirror of `url`.
    Each URL is accessed once. Other schemes are left out, and other servers unless `span_hosts`. `depth` limits folders
    in folders, `entries` the entries of all listings, `octets` what is received as documents.

    A file that was saved before is unchanged if the listing gives it the same size and time, or neither: `refresh` gets
    it again then. A document that was interrupted is continued if the scheme has ranges. The file
    `.urlschemes-mirror.json` is the record of what was saved.

    `arguments` are those of `Client.access`; `deadline` is that of the whole mirror, without the pauses of the caller.
    The iterator raises the errors of `access` if `url` itself fails, and UnsupportedOperation if its scheme delivers no
    listing there: `folder` is free for another mirror then. It raises LimitExceeded for `entries` and `octets`,
    DeadlineExceeded; ConnectError or ResolveError if the server cannot be reached any more; AccessError if `folder`
    cannot be used. Later, another call continues.
    """
    if not 0 <= depth <= MAX_DEPTH:
        raise ValueError(f"depth must be 0 to {MAX_DEPTH}, not {depth}")
    walk = _Walk(client, arguments, depth, entries, octets, span_hosts=span_hosts, refresh=refresh)
    return walk.steps(url, Path(folder))


class _Item(NamedTuple):
    """An entry to visit, and the name of its file or folder."""

    url: URL
    name: str
    entry: Entry


class _Level(NamedTuple):
    """A folder of the mirror, by its path, and the items of its listing."""

    path: tuple[str, ...]
    items: list[_Item]

    def path_of(self, name: str) -> str:
        """Return the path of a file in the folder of the mirror."""
        return "/".join((*self.path, name))


class _Walk:
    def __init__(
        self,
        client: Client | None,
        arguments: Arguments,
        depth: int,
        entries: int,
        octets: int,
        *,
        span_hosts: bool,
        refresh: bool,
    ) -> None:
        self._own_client = client is None
        require_type("client", client, Client, NoneType)
        self._client = client or Client()
        deadline = arguments.get("deadline")
        self._end = None if deadline is None else monotonic() + deadline
        self._arguments: Any = {name: value for name, value in arguments.items() if name != "deadline"}
        self._depth, self._entries, self._octets = depth, entries, octets
        self._planned = self._received = 0
        self._span_hosts, self._refresh = span_hosts, refresh
        self._server: tuple[object, ...] = ()
        self._seen: set[URL] = set()
        self._unreachable = 0
        self._listed: set[tuple[tuple[str, str | None], ...]] = set()
        self._levels: deque[_Level] = deque()
        self._top: Folder
        self._record: Record

    def steps(self, url: URL | str, path: Path) -> Iterator[MirrorStep]:
        """Yield the steps."""
        with self._client if self._own_client else nullcontext():
            start = url if isinstance(url, URL) else self._client.registry.parse(url)
            self._server = _server(start)
            self._seen.add(start.normalized())
            path = Path(os.path.realpath(path))
            made = [each for each in (path, *path.parents) if not os.path.exists(each)]  # noqa: PTH110  raises nothing
            self._top = Folder.top(path)
            with closing(self._top):
                self._record = Record(self._top, start.redacted())
                try:
                    listed = self._begin(start)
                except BaseException:
                    with suppress(OSError):
                        for each in made:
                            each.rmdir()
                    raise
                self._record.write()
                try:
                    for step in self._steps(start, listed):
                        paused = monotonic()
                        yield step
                        if self._end is not None:
                            self._end += monotonic() - paused
                finally:
                    self._record.write()

    def _begin(self, start: URL) -> _Listed:
        """Read the listing at the URL where the mirror begins."""
        with self._access(start) as resource:
            self._check_server(resource.url)
            if hasattr(start, "to_path") and self._top.path.is_relative_to(os.path.realpath(start.to_path())):
                raise UnsafeURL("the folder of the mirror lies in the tree that it saves", hint="choose another folder")
            if isinstance(resource, Listing):
                listed = self._read(resource, ())
                if listed.error is not None and not listed.entries:
                    raise listed.error
                return listed
        is_document = isinstance(resource, Document)
        raise UnsupportedOperation(
            f"{start.scheme} delivers a {'document' if is_document else 'session'} here, and a mirror needs a listing",
            scheme=start.scheme,
            hint="links in documents are not followed" if is_document else None,
        )

    def _steps(self, start: URL, listed: _Listed) -> Iterator[MirrorStep]:
        """Go through the tree level by level, so that a document is saved where the fewest steps lead to it."""
        yield from self._enter((), start, listed)
        while self._levels:
            level = self._levels.popleft()
            try:
                folder = self._top.walk(level.path)
            except AccessError as error:  # the folder was there, and was replaced
                yield MirrorStep("failed", self._top.path.joinpath(*level.path).as_uri(), None, 0, error)
                continue
            with closing(folder):
                for item in level.items:
                    yield from self._visit(level, folder, item)
        if self._planned > self._entries:
            problem, hint = f"the listings have more than {self._entries} entries", Hint(Remedy(_CONTINUES, "entries"))
            raise LimitExceeded(problem, limit="entries", value=self._entries, hint=hint)

    def _visit(self, level: _Level, folder: Folder, item: _Item) -> Iterator[MirrorStep]:
        """Save a document, or make the folder of a listing."""
        url = item.url
        shown = url.redacted()
        path = folder.path / item.name
        if self._is_saved(level, folder, item, shown):
            yield MirrorStep("unchanged", shown, path)
            return
        try:
            result = self._save(level, folder, item)
            self._unreachable = 0
        except _REFUSALS as error:
            yield MirrorStep("refused", shown, None, 0, error)
            return
        except URLError as error:
            if self._ends(error):
                raise
            is_link = isinstance(error, RemoteError) and "link" in item.entry.kind  # to a folder, or to nothing
            if is_link or (isinstance(error, LimitExceeded) and error.limit == "depth"):
                yield MirrorStep("refused", shown, None, 0, error)
            else:
                yield MirrorStep("failed", shown, path, 0, error)
            return
        if isinstance(result, _Listed):
            yield from self._enter((*level.path, item.name), url, result)
        else:
            yield MirrorStep("saved", shown, path, result.octets, terminated=result.terminated)

    def _is_saved(self, level: _Level, folder: Folder, item: _Item, shown: str) -> bool:
        """Return True if the file is there, and complete and unchanged as far as the listing tells."""
        status = folder.status(item.name)
        if status is None:
            return False
        path, entry = level.path_of(item.name), item.entry
        before = self._record.files.get(shown)
        if before is not None:
            return before.is_current(path, status, entry, refresh=self._refresh)
        # A mirror that was killed has not recorded its last files.
        if entry.modified is None or entry.size != status.st_size:
            return False
        if int(entry.modified.timestamp()) != int(status.st_mtime):
            return False
        self._record.add(shown, SavedFile.of(path, status.st_size, entry))
        return True

    def _save(self, level: _Level, folder: Folder, item: _Item) -> _Saved | _Listed:
        """Save a document, or read a listing."""
        name = item.name
        try:
            with Part(folder.file(name), item.url) as part:
                part.needs_attributes = False  # the target is complete, of an older version
                with self._access_rest(item, part.range) as resource:
                    self._check_server(resource.url)
                    if isinstance(resource, Listing):
                        return self._read(resource, (*level.path, name))
                    if not isinstance(resource, Document):
                        raise UnsupportedOperation("it opens an interactive session", scheme=item.url.scheme)
                    saved = _Saved(self._receive(resource, part), resource.terminated)
                    size = part.finish().size
                    modified = resource.attributes.modified or item.entry.modified
        except AccessError as error:
            if folder.shown(error.message) == error.message:
                raise
            raise AccessError(folder.shown(error.message), hint=error.hint) from error.__cause__
        if modified is not None:
            folder.set_modified(name, modified)
        self._record.add(item.url.redacted(), SavedFile.of(level.path_of(name), size, item.entry))
        return saved

    def _access_rest(self, item: _Item, missing: Range) -> Document | Listing | Session:
        """Open a resource, only what is `missing` if its scheme has ranges."""
        # A server may then say more of the resource, which takes time: what is needed to continue it later.
        if missing.start or (item.entry.size or 0) >= LARGE:
            try:
                return self._access(item.url, missing)
            except UnsupportedOperation:  # no ranges: begin anew
                pass
        return self._access(item.url)

    def _access(self, url: URL, missing: Range | None = None) -> Document | Listing | Session:
        """Open a resource, or what is `missing` of it, before the deadline of the mirror."""
        arguments = self._arguments
        if self._end is not None:
            left = self._end - monotonic()
            if left <= 0:
                raise DeadlineExceeded("the deadline passed", phase="mirror")
            arguments = {**arguments, "deadline": left}
        return self._client.access(url, range=missing, **arguments)

    def _receive(self, document: Document, part: Part) -> int:
        """Write a document to its part; return the octets received."""
        received = 0
        part.begin(document.attributes)
        for piece in document:
            received += len(piece)
            self._received += len(piece)
            if self._received > self._octets:
                raise LimitExceeded(
                    f"the documents are longer than {self._octets} octets",
                    limit="octets",
                    value=self._octets,
                    hint=Hint(Remedy(_CONTINUES, "octets")),
                )
            part.write(piece)
        return received

    def _read(self, listing: Listing, path: tuple[str, ...]) -> _Listed:
        """Read the listing that the folder at `path` is for. If it breaks off, what arrived is used."""
        entries: list[Entry] = []
        if len(path) > self._depth:
            hint = Hint(Remedy("allows more", "depth"))
            problem = f"more than {self._depth} folders in folders"
            raise LimitExceeded(problem, limit="depth", value=self._depth, hint=hint)
        try:
            entries.extend(listing)
        except AccessError as error:
            if self._ends(error):
                raise
            return _Listed(listing.url, entries, error)
        return _Listed(listing.url, entries, None)

    def _enter(self, path: tuple[str, ...], url: URL, listed: _Listed) -> Iterator[MirrorStep]:
        """Make the folder at `path` for the listing at `url`, and plan to visit its items."""
        shown = url.redacted()
        if listed.error is not None:
            yield MirrorStep("failed", shown, None, 0, listed.error)
        self._seen.add(listed.url.normalized())
        lines = tuple((entry.name, entry.url) for entry in listed.entries)
        if lines in self._listed:  # the same listing by another URL
            return
        self._listed.add(lines)
        inner = _Level(path, [])
        refused: list[MirrorStep] = []
        for entry in listed.entries:
            try:
                target = self._url_of(entry)
            except URLError as error:
                refused.append(MirrorStep("refused", in_line(entry.url or entry.name), None, 0, error))
            else:
                if target is not None and self._is_new(target):
                    inner.items.append(_Item(target, "", entry))
        has_index = _has_titles(listed.entries)
        self._give_names(inner, _names(RECORD, *([INDEX] if has_index else [])))
        try:
            with closing(self._top.walk(inner.path)) as folder:
                if has_index:
                    folder.write(INDEX, _index(listed.entries, inner.items))
        except AccessError as error:
            if self._ends(error):
                raise
            yield MirrorStep("failed", shown, self._top.path.joinpath(*inner.path), 0, error)
            return
        self._levels.append(inner)
        yield from refused

    def _is_new(self, url: URL) -> bool:
        """Count a URL; return True if it is to be visited: for the first time, and within the limit."""
        normalized = url.normalized()
        if normalized in self._seen:
            return False
        self._planned += 1
        if self._planned > self._entries:
            return False
        self._seen.add(normalized)
        return True

    def _give_names(self, level: _Level, names: Names) -> None:
        """Give the items names: first those that have files of an earlier mirror."""
        before = [self._name_before(item.url, level) for item in level.items]
        kept = [name if name and names.reserve(name) else None for name in before]
        level.items[:] = [
            item._replace(name=name or names.new(str(item.url), number))
            for number, (item, name) in enumerate(zip(level.items, kept, strict=True), 1)
        ]

    def _name_before(self, url: URL, level: _Level) -> str | None:
        saved = self._record.files.get(url.redacted())
        if saved is None:
            return None
        name = saved.path.rpartition("/")[2]
        return name if saved.path == level.path_of(name) and name == safe_name(name) else None

    def _url_of(self, entry: Entry) -> URL | None:
        """Return the URL of an entry, None if it is only a line of text. Raises an error if it is left out."""
        if entry.url is None and entry.problem is None:
            return None
        if entry.url is not None:
            self._check_scheme(entry.url.partition(":")[0].lower())
        url = entry.parse()
        if entry.kind == "search":
            raise InputRequired("a search needs words", scheme=url.scheme)
        self._check_server(url)
        return url

    def _check_scheme(self, scheme: str) -> None:
        if scheme != self._server[0]:
            raise PolicyDenied(f"it leads to another scheme, {one_line(scheme, 40)}", rule="span_hosts")

    def _check_server(self, url: URL) -> None:
        """Raise PolicyDenied if a URL leads to another server than the first one."""
        self._check_scheme(url.scheme)
        if not self._span_hosts and _server(url) != self._server:
            hint = Hint(Remedy("allows other servers of the scheme", "span_hosts", value=True))
            raise PolicyDenied("it leads to another server", rule="span_hosts", hint=hint)

    def _ends(self, error: URLError) -> bool:
        """Return True if no later step can succeed."""
        if isinstance(error, ConnectError | ResolveError):
            self._unreachable += 1
            return self._unreachable >= MAX_UNREACHABLE
        if isinstance(error, DeadlineExceeded):
            return self._end is not None and monotonic() >= self._end - 0.1
        if isinstance(error, LimitExceeded):
            return error.limit == "octets" and self._received > self._octets
        cause = error.__cause__
        return isinstance(cause, OSError) and cause.errno in _FULL


class _Saved(NamedTuple):
    """A document that was saved: the octets received, and whether it had an end mark."""

    octets: int
    terminated: bool | None


class _Listed(NamedTuple):
    """A listing that was read; `error` is why it broke off."""

    url: URL
    entries: list[Entry]
    error: AccessError | None


def _names(*reserved: str) -> Names:
    names = Names()
    for each in reserved:
        names.reserve(each)
    return names


def _server(url: URL) -> tuple[object, ...]:
    """Return what all URLs of a server have in common."""
    return url.scheme, getattr(url, "host", None), getattr(url, "port", None)


def _has_titles(entries: Sequence[Entry]) -> bool:
    """Return True if there are lines that are not names of files: then they are saved, too."""
    return any(
        entry.problem is None if entry.url is None else last_segment(entry.url) != entry.name for entry in entries
    )


def _index(entries: Sequence[Entry], items: Sequence[_Item]) -> bytes:
    """Return the lines of a listing as text: title, file, URL."""
    names = {id(item.entry): item.name for item in items}
    lines = []
    for entry in entries:
        fields = (entry.name, names.get(id(entry), ""), entry.url or "")
        lines.append("\t".join(in_line(field).replace("\t", " ") for field in fields).rstrip("\t"))
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
