"""Listings: a table on a terminal; in files and pipes a line for each entry, its fields separated by tabs."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from urlschemes import URL
from urlschemes.redaction import HIDDEN, redact
from urlschemes_access import Entry, Listing
from urlschemes_cli.output.console import Console, columns_table
from urlschemes_cli.output.documents import attributes_json, open_target
from urlschemes_cli.output.text import escaped_line, safe_line, time_text, write_note

_COLUMNS = ("name", "kind", "size", "modified", "URL")


def write_listing(listing: Listing, target: Path | None) -> None:
    """Write the entries to the file `target`, or to standard output."""
    password = password_in(listing.url)
    if target is None and sys.stdout.isatty():
        _show_table(listing, password)
    elif target is None:
        _write_lines(listing, password, sys.stdout.buffer)
    else:
        write_entries(list(listing), password, target)  # read before an older file is overwritten
    if password is not None:
        write_note(f"{HIDDEN} stands for the password in your URL")


def password_in(url: URL) -> str | None:
    """Return the password in the URL of a listing, as it is written there; None if there is none."""
    password = url.raw.get("password")
    return password if isinstance(password, str) and password else None


def _url_of(entry: Entry, password: str | None) -> str | None:
    """Return the URL of an entry without `password`; one that the server itself wrote there is shown."""
    hidden = entry.url is not None and password is not None and f":{password}@" in entry.url
    return redact(str(entry.url)) if hidden else entry.url


def write_entries(entries: Iterable[Entry], password: str | None, target: Path) -> None:
    """Write entries to the file `target`, with `password` hidden in their URLs. Raises AccessError."""
    with open_target(target) as file:
        _write_lines(entries, password, file)


def listing_json(listing: Listing, target: Path | None) -> dict[str, Any]:
    """Return a listing as JSON: with its entries, or with the name of the file `target` after saving them there."""
    result: dict[str, Any] = {"url": listing.url.redacted(), "kind": "listing"}
    if target is None:
        password = password_in(listing.url)
        names = ("name", "url", "kind", "size", "modified", "fields", "problem")
        result["entries"] = [
            {name: getattr(each, name) for name in names}
            | {"url": _url_of(each, password), "modified": time_text(each) or None}
            for each in listing
        ]
    else:
        write_listing(listing, target)
        result["saved"] = str(target)
    return {**result, "attributes": attributes_json(listing.attributes)}


def _write_lines(entries: Iterable[Entry], password: str | None, file: BinaryIO) -> None:
    for entry in entries:
        size = "" if entry.size is None else str(entry.size)
        fields = map(safe_line, (entry.kind, size, time_text(entry), entry.name, entry.problem or ""))
        url = escaped_line(_url_of(entry, password) or "")
        file.write(("\t".join((url, *fields)) + "\n").encode("utf-8", "backslashreplace"))
    file.flush()


def _show_table(listing: Listing, password: str | None) -> None:
    """Print a table; if it is too wide, each entry on two lines, because a wrapped URL cannot be copied."""
    console, rows = Console(), [_row(entry, password) for entry in listing]
    columns = [name for name in _COLUMNS if any(row[name] for row in rows)]
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


def _row(entry: Entry, password: str | None) -> dict[str, str]:
    """Return the cells of an entry; the last one is its URL, or why it has none."""
    url = _url_of(entry, password)
    return {
        "name": safe_line(entry.name),
        "kind": safe_line(entry.kind),
        "size": "" if entry.size is None else f"{entry.size:,}",
        "modified": time_text(entry, " ")[:16],
        "URL": escaped_line(url) if url else safe_line(entry.problem or ""),
    }
