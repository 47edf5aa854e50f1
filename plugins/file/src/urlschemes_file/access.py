"""Access to files and directories of this machine (RFC 1738 section 3.10). No other host is ever asked."""

from __future__ import annotations

from mimetypes import guess_type
from typing import TYPE_CHECKING

from urlschemes.errors import PolicyDenied, RemoteError, Truncated
from urlschemes.resource import Attributes, Entry
from urlschemes.wire import Algorithm, Close, Deliver, Examine, ListFolder, Open, OpenFile, Reader
from urlschemes_file import FileURL

if TYPE_CHECKING:
    from urlschemes.resource import FileFacts

__all__ = ["access", "find_attributes"]

_CODINGS = {"gzip": "application/gzip", "bzip2": "application/x-bzip2", "xz": "application/x-xz"}


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


def _examine(url: FileURL) -> Algorithm[FileFacts]:
    if not url.is_local:
        raise PolicyDenied(
            f"the host {url.host!r} is not this machine, and a file URL says nothing of how to reach another",
            scheme="file",
            part="host",
            rule="local host",
            section="3.10",
            hint="this machine is the empty host, or localhost",
        )
    facts = yield from Examine(str(url.to_path()))
    if not url.segments[-1] and facts.kind != "directory":
        raise RemoteError(f"{url.path!r} ends with a slash and is not a directory", scheme="file")
    return facts


def _attributes(facts: FileFacts) -> Attributes:
    is_file = facts.kind == "file"
    name = FileURL.from_path(facts.path).segments[-1]
    return Attributes(
        media_type=_media_type(name) if is_file else None,
        size=facts.size if is_file else None,
        modified=facts.modified,
        name=name or None,
        fields={"kind": facts.kind},
    )


def _media_type(name: str) -> str | None:
    guessed, coding = guess_type(f"/{name}", strict=False)  # without the slash, a name could look like a URL
    return guessed if coding is None else _CODINGS.get(coding)


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
