"""Documents and listings, written to a file, a pipe or a terminal, and the attributes of resources.

Files and pipes get the octets of a document unchanged. A terminal gets text with its control characters escaped; binary
content is shown as a hex dump of its beginning. A listing is a table on a terminal; in files and pipes it is a line for
each entry, its fields separated by tabs. Names that a server sends never become names of local files.
"""

from __future__ import annotations

import codecs
import sys
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import IncrementalNewlineDecoder
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from urlschemes import URL
from urlschemes.errors import UnsupportedOperation
from urlschemes.redaction import HIDDEN, redact, shown
from urlschemes_access import Attributes, Client, Document, Entry, Listing, Session
from urlschemes_access.attributes import charset_of
from urlschemes_access.client import Arguments
from urlschemes_access.errors import AccessError
from urlschemes_access.resources.downloads import Part
from urlschemes_cli.output.console import Console, columns_table, facts_table
from urlschemes_cli.output.progress import ProgressBar
from urlschemes_cli.output.text import escaped_line, safe_line, write_line, write_note

__all__ = ["UNMARKED", "attributes_json", "hex_dump", "resource_json", "write_attributes", "write_resource"]

UNMARKED = "unmarked end"
"""The note on a document that lacks the end mark of its protocol, as most texts of gopher servers do."""
MAX_DUMPED = 256
"""Octets of binary content that a terminal shows."""
SAMPLE = 1024
"""Octets that are examined to tell text from binary content."""

# The codecs of character sets that are shown as text; anything else is read as UTF-8.
_CODECS = ("ascii", "cp125", "iso8859", "koi8", "mac", "utf-8", "utf-16")
_FIELDS = ("kind", "size", "modified", "name", "problem")


def write_resource(resource: Document | Listing | Session, target: Path | None) -> int:
    """Write a document or a listing to the file `target`, or to standard output; return the octets of a saved document.

    Raises UnsupportedOperation for a session.
    """
    saved = 0
    if isinstance(resource, Listing):
        _write_listing(resource, target)
    elif not isinstance(resource, Document):
        raise UnsupportedOperation(
            f"{safe_line(resource.url.redacted())} opens an interactive session, not a document or a listing",
            scheme=resource.url.scheme,
            hint="`urlschemes --help` lists the commands of plugins",
        )
    elif target is not None and (target.is_file() or not target.exists()):
        saved = resource.save(target.resolve())  # a link stays, and the file that it leads to is written
    elif target is not None:  # a device or a named pipe is written to; `save` would replace it by a file
        with open_target(target) as file:
            saved = _copy(resource, file)
    elif sys.stdout.isatty():
        _show(resource)
    else:
        _copy(resource, sys.stdout.buffer)
    if isinstance(resource, Document) and resource.terminated is False:
        write_note(UNMARKED)
    return saved


def resource_json(resource: Document | Listing | Session, target: Path | None) -> dict[str, Any]:
    """Return a document or listing as JSON: with its content, or with the name of the file `target` it is saved in.

    Raises UnsupportedOperation for a session.
    """
    if target is not None or not isinstance(resource, Document | Listing):
        return _json(resource, {"saved": str(target)}, write_resource(resource, target))
    if isinstance(resource, Listing):
        password = password_in(resource.url)
        return _json(resource, {"entries": [_entry_json(entry, password) for entry in resource]}, 0)
    octets = resource.read()
    try:
        content, encoding = octets.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        content, encoding = b64encode(octets).decode("ascii"), "base64"
    return _json(resource, {"content": content, "encoding": encoding}, len(octets))


def _json(resource: Document | Listing | Session, content: dict[str, Any], octets: int) -> dict[str, Any]:
    attributes, facts = resource.attributes, {}
    if isinstance(resource, Document):
        facts = {"octets": octets, "start": attributes.start, "terminated": resource.terminated}
    kind = "document" if facts else "listing"
    return {"url": resource.url.redacted(), "kind": kind, **content, **facts, "attributes": attributes_json(attributes)}


def hex_dump(octets: bytes) -> Iterator[str]:
    """Return lines of 16 octets each: their offset, their values in hexadecimal, and their graphic characters."""
    for start in range(0, len(octets), 16):
        row = octets[start : start + 16]
        text = "".join(chr(octet) if 32 <= octet < 127 else "." for octet in row)
        yield f"{start:08x}  {row[:8].hex(' '):<23}  {row[8:].hex(' '):<23}  {text}"


@contextmanager
def open_target(target: Path) -> Iterator[BinaryIO]:
    """Open the file `target` for the `with` block, overwriting it. Raises AccessError if it cannot be written."""
    try:
        with target.open("wb") as file:
            yield file
    except OSError as error:
        raise AccessError(f"cannot write {safe_line(str(target))!r}: {error.strerror}") from error


def _copy(document: Document, file: BinaryIO) -> int:
    count = 0
    for octets in document:
        file.write(octets)
        count += len(octets)
    file.flush()
    return count


def _show(document: Document) -> None:
    pieces = iter(document)
    start = b""
    for octets in pieces:
        start += octets
        if len(start) >= SAMPLE:
            break
    codec = _codec(document.media_type, start)
    if b"\0" in start[:SAMPLE] and not codec.startswith("utf-16"):
        _show_dump(document, start)
        return
    decoder = codecs.getincrementaldecoder(codec)("backslashreplace")
    lines = IncrementalNewlineDecoder(decoder, translate=False)  # it never divides a CRLF
    last = "\n"
    for octets in chain([start], pieces, [b""]):
        text = lines.decode(octets, final=not octets).replace("\r\n", "\n")
        sys.stdout.write(shown(text))
        sys.stdout.flush()
        last = text[-1:] or last
    if last != "\n":
        write_line()


def _show_dump(document: Document, start: bytes) -> None:
    octets, size = start[:MAX_DUMPED], None if document.size is None else f"{document.size:,} octets"
    for row in hex_dump(octets):
        write_line(row)
    facts = ", ".join(safe_line(each) for each in (document.media_type, size) if each)
    write_note(
        f"the first {len(octets)} octets of a binary document{f' ({facts})' if facts else ''}: "
        "-o FILE saves it, and a pipe gets it unchanged"
    )


def _codec(media_type: str | None, start: bytes) -> str:
    """Return the codec for content that begins with `start`; UTF-8 if its media type names none that shows text.

    UTF-16 without a byte order mark is big-endian (RFC 2781 section 4.3).
    """
    name = charset_of(media_type) or ""
    if name == "utf-16" and not start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16-be"
    return name if name.startswith(_CODECS) else "utf-8"


def for_attributes(arguments: Arguments) -> Any:
    """Return the arguments of an access with those options only that a request for attributes takes too."""
    options = {name: value for name, value in arguments.get("options", {}).items() if name == "allow_cleartext"}
    return {**arguments, "options": options}


def download(client: Client, url: str, target: Path, arguments: Arguments, progress: ProgressBar) -> dict[str, Any]:
    """Save the document at `url` as `target`, from where an earlier download ended; return the result as JSON.

    If it is interrupted, a note says what was kept.
    """
    complete = False
    with Part(target, url, timeout=arguments.get("deadline")) as part:
        try:
            if part.needs_attributes:
                part.compare(client.find_attributes(url, **for_attributes(arguments)))
            opened = client.open_document(url, range=part.range, **arguments)
            with opened as document, progress.transfer(document.size):
                done = document.save_part(part)
            complete = True
        finally:
            if not complete and part.size:
                write_note(
                    f"{part.size:,} octets are kept in {safe_line(str(part.path))}: the same command continues there"
                )
    if done.begun_anew:
        write_note(f"started over: {done.begun_anew}")
    elif done.start == done.size:
        write_note(f"{safe_line(str(target))} is complete already")
    elif done.start:
        write_note(f"continued at octet {done.start:,}, {done.size:,} octets in all")
    return _json(document, {"saved": str(target)}, done.size - done.start) | {"begun_anew": done.begun_anew}


def write_attributes(attributes: Attributes, *, if_none: str) -> None:
    """Write a table of the attributes; if there are none, write the note `if_none`."""
    rows = [
        ("media type", attributes.media_type),
        ("size", None if attributes.size is None else f"{attributes.size:,} octets"),
        ("modified", time_text(attributes, " ") or None),
        ("name", attributes.name),
        ("gateway", attributes.gateway and attributes.gateway.source),
        *(attributes.fields.items()),
    ]
    if all(value is None for _, value in rows):
        write_note(if_none)
    Console().print_table(facts_table(rows))


def attributes_json(attributes: Attributes) -> dict[str, Any]:
    """Return the attributes as JSON."""
    found = {name: getattr(attributes, name) for name in ("media_type", "size", "modified", "name", "fields")}
    via = attributes.gateway
    urls = via and {"asked": via.asked.redacted(), "url": via.url.redacted(), "source": redact(via.source)}
    return {**found, "modified": time_text(attributes) or None, "gateway": urls}


def time_text(item: Attributes | Entry, between: str = "T") -> str:
    """Return when a resource was modified, as far as that is known: a time without seconds has no time zone, either."""
    if item.modified is None:
        return ""
    text = item.modified.isoformat(between)
    return text[: {"day": 10, "minute": 16}.get(item.precision)]


def password_in(url: URL) -> str | None:
    """Return the password in the URL of a listing, as it is written there; None if there is none."""
    password = url.raw.get("password")
    return password if isinstance(password, str) and password else None


def write_entries(entries: Iterable[Entry], password: str | None, target: Path) -> None:
    """Write entries to the file `target`, with `password` hidden in their URLs. Raises AccessError."""
    with open_target(target) as file:
        _write_lines(entries, password, file)


def _write_listing(listing: Listing, target: Path | None) -> None:
    password = password_in(listing.url)
    if target is not None:
        write_entries(list(listing), password, target)  # read before an older file is overwritten
    elif sys.stdout.isatty():
        _show_table(_entry_json(entry, password) for entry in listing)
    else:
        _write_lines(listing, password, sys.stdout.buffer)
    if password is not None:
        write_note(f"{HIDDEN} stands for the password in your URL")


def _entry_json(entry: Entry, password: str | None) -> dict[str, Any]:
    """Return an entry as JSON, its URL without `password`; one that the server itself wrote there is shown."""
    hidden = entry.url is not None and password is not None and f":{password}@" in entry.url
    names = ("name", "url", "kind", "size", "modified", "fields", "problem")
    changed = {"url": redact(str(entry.url)) if hidden else entry.url, "modified": time_text(entry) or None}
    return {name: getattr(entry, name) for name in names} | changed


def _write_lines(entries: Iterable[Entry], password: str | None, file: BinaryIO) -> None:
    for entry in entries:
        value = _entry_json(entry, password)
        texts = ("" if value[name] is None else str(value[name]) for name in _FIELDS)
        line = "\t".join((escaped_line(value["url"] or ""), *map(safe_line, texts)))
        file.write(f"{line}\n".encode("utf-8", "backslashreplace"))
    file.flush()


def _show_table(entries: Iterable[dict[str, Any]]) -> None:
    """Print a table; if it is too wide, each entry on two lines, because a wrapped URL cannot be copied."""
    rows = [
        {
            "name": safe_line(entry["name"]),
            "kind": safe_line(entry["kind"]),
            "size": "" if entry["size"] is None else f"{entry['size']:,}",
            "modified": (entry["modified"] or "").replace("T", " ")[:16],
            "URL": escaped_line(entry["url"]) if entry["url"] else safe_line(entry["problem"] or ""),  # why it has none
        }
        for entry in entries
    ]
    console, columns = Console(), [name for name in rows[0] if any(row[name] for row in rows)] if rows else []
    table = columns_table(*columns, unwrapped=("kind", "size", "modified"))
    for column in table.columns:
        column.style = "bold" if column.header == "name" else ""
        column.justify = "right" if column.header == "size" else "left"
    for row in rows:
        table.add_row(*(row[name] for name in columns))
    if console.fits(table):
        console.print_table(table)
    else:
        for row in rows:
            *facts, url = row.values()
            console.print_line("  ".join(filter(None, facts)))
            console.print_line("    ", (url, "bold"))
    console.print_line((f"{len(rows)} {'entry' if len(rows) == 1 else 'entries'}", "dim"))
