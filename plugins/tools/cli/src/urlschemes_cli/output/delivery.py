"""Where octets and listings go: a file, a pipe, or a terminal, which gets nothing that it could obey.

To a file or a pipe go the octets as they came. A terminal gets text, its control characters escaped; what is no text is
shown as a dump of its beginning. No name that a server gives becomes the name of a local file.
"""

from __future__ import annotations

import codecs
import sys
from base64 import b64encode
from contextlib import contextmanager
from itertools import chain
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO

from urlschemes.redaction import shown
from urlschemes_access.attributes import charset_of
from urlschemes_access.errors import AccessError
from urlschemes_cli.output.plain import line, note, write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from urlschemes_access.attributes import Attributes, Entry, Gateway
    from urlschemes_access.resources import Document, Listing
    from urlschemes_access.trace_event import TraceEvent

__all__ = [
    "Progress",
    "attributes_json",
    "deliver",
    "deliver_listing",
    "document_json",
    "dump",
    "listing_json",
    "write_attributes",
]

LONG = 1.0
"""Seconds after which a transfer is long enough for a progress bar."""
DUMPED = 256
"""Octets of binary content that a terminal shows."""
LOOKED_AT = 1024
"""Octets by which text is told from binary content."""

# Character sets that a person may read.
_CHARSETS = ("ascii", "cp125", "iso8859", "koi8", "mac", "utf-8", "utf-16")


def deliver(document: Document, target: Path | None) -> int:
    """Bring the octets of `document` to the file `target`, or to standard output; how many there were."""
    if target is not None:
        count = _save(document, target)
    elif sys.stdout.isatty():
        count = _show(document)
    else:
        count = _copy(document, sys.stdout.buffer)
    if document.terminated is False:
        note("the other side left out the mark that ends the content; it may not be whole")
    return count


def _save(document: Document, target: Path) -> int:
    if not target.exists() or target.is_file():
        # Where it is a link, the file that it leads to is written, and the link stays.
        return document.save(target.resolve())
    # A device or a pipe that the user names is written to, and never replaced by a file.
    try:
        with target.open("wb") as file:
            return _copy(document, file)
    except OSError as fault:
        raise AccessError(f"cannot write {line(str(target))!r}: {fault.strerror}") from fault


def _copy(document: Document, file: BinaryIO) -> int:
    count = 0
    for octets in document:
        file.write(octets)
        count += len(octets)
    file.flush()
    return count


def _show(document: Document) -> int:
    """Write the document on the terminal."""
    pieces = iter(document)
    count, begun = 0, b""
    for octets in pieces:
        begun += octets
        if len(begun) >= LOOKED_AT:
            break
    decode = _decoder(document.media_type, begun)
    if b"\0" in begun[:LOOKED_AT] and not _charset(document.media_type).startswith("utf-16"):
        return _show_dump(document, begun)
    held, last = "", "\n"
    for octets in chain([begun], pieces):
        count += len(octets)
        text = held + decode.decode(octets)
        held = "\r" if text.endswith("\r") else ""
        text = text.removesuffix("\r").replace("\r\n", "\n")
        sys.stdout.write(shown(text))
        sys.stdout.flush()
        last = text[-1:] or last
    rest = held + decode.decode(b"", final=True)
    sys.stdout.write(shown(rest) + ("" if (rest or last).endswith("\n") else "\n"))
    return count


def _show_dump(document: Document, begun: bytes) -> int:
    """Show how the content begins, and leave the rest where it is."""
    for text in dump(begun[:DUMPED]):
        write(text)
    size = None if document.size is None else f"{document.size:,} octets"
    what = ", ".join(line(each) for each in (document.media_type, size) if each)
    of = f" of what is no text ({what})" if what else " of what is no text"
    note(f"the first {len(begun[:DUMPED])} octets{of}: -o FILE saves it, and a pipe gets it as it is")
    return len(begun)


def _charset(media_type: str | None) -> str:
    """The name of Python's codec for what the media type says; UTF-8 where it says nothing that a person may read."""
    found = charset_of(media_type) or ""
    return found if found.startswith(_CHARSETS) else "utf-8"


def _decoder(media_type: str | None, begun: bytes) -> codecs.IncrementalDecoder:
    """A decoder for what has `begun` so: UTF-16 without its mark is big-endian (RFC 2781 section 4.3)."""
    charset = _charset(media_type)
    if charset == "utf-16" and not begun.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        charset = "utf-16-be"
    return codecs.getincrementaldecoder(charset)("backslashreplace")


def dump(octets: bytes) -> Iterator[str]:
    """Octets as numbers and, beside them, as characters where they are graphic ones."""
    for start in range(0, len(octets), 16):
        row = octets[start : start + 16]
        text = "".join(chr(octet) if 32 <= octet < 127 else "." for octet in row)
        yield f"{start:08x}  {row[:8].hex(' '):<23}  {row[8:].hex(' '):<23}  {text}"


# Listings


def deliver_listing(listing: Listing, target: Path | None) -> int:
    """Write the entries: as a table on a terminal, otherwise as lines of fields with tabs between them."""
    if target is None and sys.stdout.isatty():
        return _show_table(listing)
    if target is None:
        return _write_lines(listing, sys.stdout.buffer)
    entries = list(listing)  # before an older file is touched
    try:
        with target.open("wb") as file:
            return _write_lines(entries, file)
    except OSError as fault:
        raise AccessError(f"cannot write {line(str(target))!r}: {fault.strerror}") from fault


def _write_lines(entries: Iterable[Entry], file: BinaryIO) -> int:
    count = 0
    for count, entry in enumerate(entries, 1):  # noqa: B007  how many there were
        size = "" if entry.size is None else str(entry.size)
        modified = entry.modified.isoformat() if entry.modified else ""
        fields = (entry.url or "", entry.kind, size, modified, entry.name, entry.problem or "")
        file.write(("\t".join(map(line, fields)) + "\n").encode("utf-8", "backslashreplace"))
    file.flush()
    return count


def _show_table(listing: Listing) -> int:
    from rich.cells import cell_len
    from rich.text import Text

    from urlschemes_cli.output.screen import Screen, grid

    screen = Screen()
    entries = list(listing)
    columns = ["name", "kind"]
    columns += ["size"] if any(entry.size is not None for entry in entries) else []
    columns += ["modified"] if any(entry.modified is not None for entry in entries) else []
    rows = []
    for entry in entries:
        values = {
            "name": Text(line(entry.name), "bold"),
            "kind": Text(line(entry.kind), "cyan"),
            "size": Text("" if entry.size is None else f"{entry.size:,}", justify="right"),
            "modified": Text(entry.modified.strftime("%Y-%m-%d %H:%M") if entry.modified else ""),
        }
        last = Text(line(entry.url)) if entry.url else Text(line(entry.problem or ""), "dim italic")
        rows.append((*(values[column] for column in columns), last))
    widths = (max(map(cell_len, map(str, cells))) for cells in zip((*columns, "URL"), *rows, strict=True))
    if sum(widths) + 2 * len(columns) <= screen.width:
        table = grid(*columns, "URL", whole=("kind", "size", "modified"))
        for row in rows:
            table.add_row(*row)
        screen.table(table)
    else:  # a URL that is broken over lines of a table cannot be copied
        for *known, last in rows:
            screen.print(Text("  ").join(each for each in known if each), soft_wrap=True)
            screen.print(Text.assemble("    ", last), soft_wrap=True)
    screen.print(Text(f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}", "dim"))
    return len(entries)


def write_attributes(attributes: Attributes, *, otherwise: str) -> None:
    """Write a table of what is known; where that is nothing, say `otherwise`."""
    from urlschemes_cli.output.screen import Screen, facts

    rows = [
        ("media type", attributes.media_type),
        ("size", None if attributes.size is None else f"{attributes.size:,} octets"),
        ("modified", attributes.modified and attributes.modified.isoformat(" ", "seconds")),
        ("name", attributes.name),
        ("gateway", attributes.gateway and attributes.gateway.source),
        *(attributes.fields.items()),
    ]
    if all(value is None for _, value in rows):
        note(otherwise)
    Screen().table(facts(rows))


# As JSON


def attributes_json(attributes: Attributes) -> dict[str, Any]:
    """Attributes as a program reads them."""
    return {
        "media_type": attributes.media_type,
        "size": attributes.size,
        "modified": attributes.modified,
        "name": attributes.name,
        "fields": dict(attributes.fields),
        "gateway": _gateway_json(attributes.gateway),
    }


def _gateway_json(gateway: Gateway | None) -> dict[str, str] | None:
    if gateway is None:
        return None
    return {"asked": gateway.asked.redacted(), "url": gateway.url.redacted(), "source": line(gateway.source)}


def document_json(document: Document, target: Path | None) -> dict[str, Any]:
    """A document with its content, or, where it went to `target`, with the name of that file."""
    said: dict[str, Any] = {"kind": "document"}
    if target is None:
        octets = document.read()
        count = len(octets)
        try:
            content, encoding = octets.decode("utf-8"), "utf-8"
        except UnicodeDecodeError:
            content, encoding = b64encode(octets).decode("ascii"), "base64"
        said |= {"content": content, "encoding": encoding}
    else:
        count = deliver(document, target)
        said |= {"saved": str(target)}
    said |= {"octets": count, "terminated": document.terminated}
    return {"url": document.url.redacted(), **said, "attributes": attributes_json(document.attributes)}


def listing_json(listing: Listing, target: Path | None) -> dict[str, Any]:
    """A listing with its entries, or, where they went to `target`, with the name of that file."""
    said: dict[str, Any] = {"url": listing.url.redacted(), "kind": "listing"}
    if target is None:
        said["entries"] = [_entry(entry) for entry in listing]
    else:
        deliver_listing(listing, target)
        said["saved"] = str(target)
    return {**said, "attributes": attributes_json(listing.attributes)}


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "url": entry.url and line(entry.url),
        "kind": entry.kind,
        "size": entry.size,
        "modified": entry.modified,
        "fields": dict(entry.fields),
        "problem": entry.problem,
    }


# Progress


class Progress:
    """A bar on standard error for transfers that take long; it is told of the octets by the trace of the access."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._received = 0
        self._bar: Any = None
        self._task: Any = None
        self.size: int | None = None

    def __call__(self, event: TraceEvent) -> None:
        """Count what was received; after a while, show it."""
        if event.kind == "open":
            self._began = monotonic()
        elif event.kind == "receive" and self._began is not None:
            self._received += len(event.octets)
            if self._bar is not None:
                self._bar.update(self._task, completed=self._received)
            elif monotonic() - self._began > LONG:
                self._start()

    @contextmanager
    def shown(self, size: int | None) -> Iterator[None]:
        """The transfer of `size` octets (None: nobody knows) goes on within this block."""
        self.size = size
        try:
            yield
        finally:
            if self._bar is not None:
                self._bar.stop()

    def _start(self) -> None:
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )
        from rich.progress import (
            Progress as Bar,
        )

        from urlschemes_cli.output.screen import Screen

        columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
        self._bar = Bar(*columns, console=Screen(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=self.size, completed=self._received)
        self._bar.start()
