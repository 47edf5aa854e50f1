"""Access to files and directories of this machine (RFC 1738 section 3.10), and writing. No other host is ever asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from urlschemes.errors import UnsupportedOperation
from urlschemes_access.attributes import Attributes, Entry, media_type_of
from urlschemes_access.errors import PolicyDenied, RemoteError, Truncated
from urlschemes_access.protocol import (
    Algorithm,
    Close,
    Deliver,
    Examine,
    Keep,
    ListFolder,
    Open,
    OpenFile,
    Pull,
    Reader,
    Remove,
    Send,
)
from urlschemes_file import FileURL

if TYPE_CHECKING:
    from urlschemes_access.attributes import FileFacts

__all__ = ["access", "delete", "find_attributes", "replace", "update"]


def access(url: FileURL) -> Algorithm[None]:
    """Deliver the octets of the file, or an entry for each name in the directory.

    Raises PolicyDenied for another host, UnsafeURL for what cannot be a path here, RemoteError with the system's words,
    Truncated where the file became shorter while it was read.
    """
    facts = yield from _examine(url)
    if facts.kind == "directory":
        yield from Open("listing", _attributes(facts))
        for inner in (yield from ListFolder(facts.path)):
            yield from Deliver(_entry(inner))
        return
    file = yield from OpenFile(facts.path)
    yield from Open("document", _attributes(facts))
    reader = Reader(file)
    while octets := (yield from reader.some()):
        yield from Deliver(octets)
    if reader.received < facts.size:
        raise Truncated(
            f"the file had {facts.size} octets, and {reader.received} could be read",
            received=reader.received,
            expected=facts.size,
        )
    yield from Close(file)


def find_attributes(url: FileURL) -> Algorithm[None]:
    """Size, time of modification, and a guess at the media type, by the name. Raises what `access` raises."""
    yield from Open("attributes", _attributes((yield from _examine(url))))


def replace(url: FileURL) -> Algorithm[None]:
    """Put the caller's content in the place of the file, or make it one, when all of it has come.

    Until then the older file is as it was. Raises what `access` raises, and UnsupportedOperation for a directory.
    """
    yield from _write(url, "replace")


def update(url: FileURL) -> Algorithm[None]:
    """Add the caller's content to the end of the file, which must be there. Raises what `replace` raises.

    What fails leaves the file as long as it was.
    """
    yield from _write(url, "append")


def delete(url: FileURL) -> Algorithm[None]:
    """Remove the file; of a link, the link alone. Raises what `replace` raises."""
    path = _path(url, to_write=True)
    yield from Remove(path)
    yield from Open("attributes", Attributes(name=url.segments[-1]))


def _write(url: FileURL, to: Literal["replace", "append"]) -> Algorithm[None]:
    path = _path(url, to_write=True)
    octets = yield from Pull()
    file = yield from OpenFile(path, to=to)
    while octets:
        yield from Send(file, octets)
        octets = yield from Pull()
    facts = yield from Keep(file)
    yield from Open("attributes", _attributes(facts))


def _path(url: FileURL, *, to_write: bool = False) -> str:
    if not url.is_local:
        raise PolicyDenied(
            f"the host {url.host!r} is not this machine, and a file URL says nothing of how to reach another",
            scheme="file",
            part="host",
            rule="local host",
            section="RFC 1738 section 3.10",
            hint="this machine is the empty host, or localhost",
        )
    if to_write and url.segments[-1] in ("", ".", ".."):
        raise UnsupportedOperation(
            f"{url.path!r} ends with a slash, or a dot behind one, so that it names a directory, and only files are "
            "written",
            part="segments",
        )
    return str(url.to_path())


def _examine(url: FileURL) -> Algorithm[FileFacts]:
    facts = yield from Examine(_path(url))
    if not url.segments[-1] and facts.kind != "directory":
        raise RemoteError(f"{url.path!r} ends with a slash and is not a directory", scheme="file")
    return facts


def _attributes(facts: FileFacts) -> Attributes:
    is_file = facts.kind == "file"
    name = FileURL.from_path(facts.path).segments[-1]
    return Attributes(
        media_type=media_type_of(name) if is_file else None,
        size=facts.size if is_file else None,
        modified=facts.modified,
        name=name or None,
        fields={"kind": facts.kind},
    )


def _entry(facts: FileFacts) -> Entry:
    url = FileURL.from_path(facts.path)
    name = url.segments[-1]
    if facts.kind == "directory":
        url = url.replace(segments=(*url.segments, ""))
    return Entry(
        name=name,
        url=str(url),
        kind=facts.kind,
        size=facts.size if facts.kind == "file" else None,
        modified=facts.modified,
        problem=None if facts.kind != "other" else "neither a regular file nor a directory",
    )
