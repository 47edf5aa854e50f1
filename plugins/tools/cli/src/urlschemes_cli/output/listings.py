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
from urlschemes_cli.output.documents import attributes_json, open_target, time_text
from urlschemes_cli.output.text import escaped_line, safe_line, write_note

_FIELDS = ("kind", "size", "modified", "name", "problem")
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


def _entry_json(entry: Entry, password: str | None) -> dict[str, Any]:
    """Return an entry as JSON, its URL without `password`; one that the server itself wrote there is shown."""
    hidden = entry.url is not None and password is not None and f":{password}@" in entry.url
    names = ("name", "url", "kind", "size", "modified", "fields", "problem")
    changed = {"url": redact(str(entry.url)) if hidden else entry.url, "modified": time_text(entry) or None}
    return {name: getattr(entry, name) for name in names} | changed


def write_entries(entries: Iterable[Entry], password: str | None, target: Path) -> None:
    """Write entries to the file `target`, with `password` hidden in their URLs. Raises AccessError."""
    with open_target(target) as file:
        _write_lines(entries, password, file)


def listing_json(listing: Listing, target: Path | None) -> dict[str, Any]:
    """Return a listing as JSON: with its entries, or with the name of the file `target` after saving them there."""
    result: dict[str, Any] = {"url": listing.url.redacted(), "kind": "listing"}
    if target is None:
        password = password_in(listing.url)
        result["entries"] = [_entry_json(entry, password) for entry in listing]
    else:
        write_listing(listing, target)
        result["saved"] = str(target)
    return {**result, "attributes": attributes_json(listing.attributes)}


def _write_lines(entries: Iterable[Entry], password: str | None, file: BinaryIO) -> None:
    for entry in entries:
        value = _entry_json(entry, password)
        texts = ("" if value[name] is None else str(value[name]) for name in _FIELDS)
        line = "\t".join((escaped_line(value["url"] or ""), *map(safe_line, texts)))
        file.write(f"{line}\n".encode("utf-8", "backslashreplace"))
    file.flush()


def _show_table(listing: Listing, password: str | None) -> None:
    """Print a table; if it is too wide, each entry on two lines, because a wrapped URL cannot be copied."""
    console, rows = Console(), [_row(_entry_json(entry, password)) for entry in listing]
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


def _row(entry: dict[str, Any]) -> dict[str, str]:
    """Return the cells of an entry; the last one is its URL, or why it has none."""
    return {
        "name": safe_line(entry["name"]),
        "kind": safe_line(entry["kind"]),
        "size": "" if entry["size"] is None else f"{entry['size']:,}",
        "modified": (entry["modified"] or "").replace("T", " ")[:16],
        "URL": escaped_line(entry["url"]) if entry["url"] else safe_line(entry["problem"] or ""),
    }
