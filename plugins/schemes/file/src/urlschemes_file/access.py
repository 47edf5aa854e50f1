"""Operations on file URLs of this machine (RFC 1738 section 3.10). No other host is ever contacted."""

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
    """Deliver the octets of a file, or an entry for each name in a directory.

    Raises PolicyDenied for another host, UnsafeURL if the URL has no path on this machine, RemoteError with the reason
    of the operating system, Truncated if the file became shorter while it was read.
    """
    facts = yield from _examine(url)
    if facts.kind == "directory":
        yield from _list(facts)
    else:
        yield from _read(facts)


def find_attributes(url: FileURL) -> Algorithm[None]:
    """Find size, time of modification and the media type that the name suggests. Raises what `access` raises."""
    facts = yield from _examine(url)
    yield from Open("attributes", _attributes(facts))


def replace(url: FileURL) -> Algorithm[None]:
    """Replace the file by the caller's content, or create it, after all of the content was received.

    Until then the older file is unchanged. Raises what `access` raises, and UnsupportedOperation for a directory.
    """
    yield from _write(url, "replace")


def update(url: FileURL) -> Algorithm[None]:
    """Append the caller's content to the file, which must exist. Raises what `replace` raises.

    After an error the file has its old length.
    """
    yield from _write(url, "append")


def delete(url: FileURL) -> Algorithm[None]:
    """Delete the file; of a link, the link alone. Raises what `replace` raises."""
    yield from Remove(_file_path(url))
    yield from Open("attributes", Attributes(name=url.segments[-1]))


def _read(facts: FileFacts) -> Algorithm[None]:
    file = yield from OpenFile(facts.path)
    yield from Open("document", _attributes(facts))
    reader = Reader(file)
    while octets := (yield from reader.some()):
        yield from Deliver(octets)
    if reader.received < facts.size:
        raise Truncated(
            f"the file became shorter: received {reader.received} of {facts.size} octets",
            received=reader.received,
            expected=facts.size,
        )
    yield from Close(file)


def _list(facts: FileFacts) -> Algorithm[None]:
    yield from Open("listing", _attributes(facts))
    for inner in (yield from ListFolder(facts.path)):
        yield from Deliver(_entry(inner))


def _write(url: FileURL, mode: Literal["replace", "append"]) -> Algorithm[None]:
    path = _file_path(url)
    octets = yield from Pull()  # a caller without content must not open a file
    file = yield from OpenFile(path, to=mode)
    while octets:
        yield from Send(file, octets)
        octets = yield from Pull()
    facts = yield from Keep(file)
    yield from Open("attributes", _attributes(facts))


def _examine(url: FileURL) -> Algorithm[FileFacts]:
    facts = yield from Examine(_path(url))
    if not url.segments[-1] and facts.kind != "directory":
        raise RemoteError(f"{url.path!r} ends with a slash, but is not a directory", scheme="file")
    return facts


def _path(url: FileURL) -> str:
    """Return the path on this machine. Raises PolicyDenied for another host, UnsafeURL."""
    _check_local(url)
    return str(url.to_path())


def _file_path(url: FileURL) -> str:
    """Return the path of a file to be written. Raises UnsupportedOperation if the URL names a directory."""
    _check_local(url)
    if url.segments[-1] in ("", ".", ".."):
        raise UnsupportedOperation(
            f"{url.path!r} names a directory: only files can be replaced, updated or deleted", part="segments"
        )
    return str(url.to_path())


def _check_local(url: FileURL) -> None:
    if not url.is_local:
        raise PolicyDenied(
            f"the host {url.host!r} is not this machine, and a file URL does not say how to reach another host",
            scheme="file",
            part="host",
            rule="local host",
            section="RFC 1738 section 3.10",
            hint="the empty host and localhost mean this machine",
        )


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
        problem="neither a regular file nor a directory" if facts.kind == "other" else None,
    )
