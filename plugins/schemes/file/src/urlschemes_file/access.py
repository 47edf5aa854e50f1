"""Operations on file URLs of this machine (RFC 1738 section 3.10). No other host is ever contacted."""

from __future__ import annotations

from dataclasses import replace as replaced
from typing import TYPE_CHECKING, Literal

from urlschemes.errors import UnsupportedOperation
from urlschemes_access.attributes import Attributes, Entry, media_type_of
from urlschemes_access.errors import PolicyDenied, RemoteError, Truncated
from urlschemes_access.protocol import (
    CHUNK,
    Algorithm,
    Close,
    Deliver,
    Examine,
    Keep,
    ListFolder,
    Open,
    OpenFile,
    Pull,
    Receive,
    Remove,
    Send,
)
from urlschemes_access.protocol.ranges import WHOLE, Range, decide
from urlschemes_file.paths import segments_of

if TYPE_CHECKING:
    from urlschemes_access.attributes import FileFacts
    from urlschemes_file import FileURL

__all__ = ["access", "delete", "find_attributes", "replace", "update"]


def access(url: FileURL, *, range: Range = WHOLE) -> Algorithm[None]:  # noqa: A002  the name of the option
    """Deliver the octets of a file, or of a range of it, or an entry for each name in a directory.

    Raises PolicyDenied for another host, UnsafeURL if the URL has no path on this machine, RemoteError with the reason
    of the operating system, Truncated if the file became shorter while it was read, UnsupportedOperation for a range of
    a directory.
    """
    facts = yield from _examine(url)
    if facts.kind != "directory":
        yield from _read(facts, range)
    elif range.is_whole or range.unchanged is not None:
        yield from _list(facts, type(url))
    else:
        raise UnsupportedOperation(f"{url.path!r} is a directory: it has no ranges", part="segments")


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
    """Delete the file; of a link, only the link. Raises what `replace` raises."""
    yield from Remove(_file_path(url))
    yield from Open("attributes", Attributes(name=url.segments[-1]))


def _read(facts: FileFacts, wanted: Range) -> Algorithm[None]:
    attributes = _attributes(facts)
    wanted = decide(wanted, attributes).range or wanted  # at its end, a file may grow
    expected = wanted.length(facts.size)
    file = yield from OpenFile(facts.path, start=wanted.start)
    yield from Open("document", replaced(attributes, size=expected, start=wanted.start))
    received = 0
    while most := CHUNK if wanted.stop is None else min(wanted.stop - wanted.start - received, CHUNK):
        octets = yield from Receive(file, most=most)
        if not octets:  # a file that grows is read to its end
            break
        received += len(octets)
        yield from Deliver(octets)
    if received < expected:
        raise Truncated(
            f"the file became shorter: received {received} of {expected} octets", received=received, expected=expected
        )
    yield from Close(file)


def _list(facts: FileFacts, kind: type[FileURL]) -> Algorithm[None]:
    yield from Open("listing", _attributes(facts))
    for inner in (yield from ListFolder(facts.path)):
        yield from Deliver(_entry(inner, kind))


def _write(url: FileURL, mode: Literal["replace", "append"]) -> Algorithm[None]:
    path = _file_path(url)
    pieces = yield from Pull()  # a caller without content must not open a file
    file = yield from OpenFile(path, to=mode)
    while pieces:
        yield from Send(file, pieces)
        pieces = yield from Pull()
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
            hint="the empty host and localhost mean this machine",
        )


def _attributes(facts: FileFacts) -> Attributes:
    is_file = facts.kind == "file"
    name = segments_of(facts.path)[-1]
    return Attributes(
        media_type=media_type_of(name) if is_file else None,
        size=facts.size if is_file else None,
        modified=facts.modified,
        name=name or None,
        fields={"kind": facts.kind},
    )


def _entry(facts: FileFacts, kind: type[FileURL]) -> Entry:
    url = kind.from_path(facts.path)
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
