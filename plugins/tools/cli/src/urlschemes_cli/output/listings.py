"""Listings: a table on a terminal; in files and pipes a line for each entry, its fields separated by tabs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, BinaryIO

from urlschemes.redaction import HIDDEN, redact
from urlschemes_cli.output.attributes import attributes_json
from urlschemes_cli.output.target import open_target
from urlschemes_cli.output.text import escaped_line, safe_line, write_note

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rich.text import Text

    from urlschemes import URL
    from urlschemes_access import Entry, Listing
    from urlschemes_cli.output.console import Console

__all__ = ["listing_json", "password_in", "write_entries", "write_listing"]


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
        result["entries"] = [_entry_json(entry, password) for entry in listing]
    else:
        write_listing(listing, target)
        result["saved"] = str(target)
    return {**result, "attributes": attributes_json(listing.attributes)}


def _entry_json(entry: Entry, password: str | None) -> dict[str, Any]:
    return {
        "name": entry.name,
        "url": _url_of(entry, password),
        "kind": entry.kind,
        "size": entry.size,
        "modified": entry.modified,
        "fields": dict(entry.fields),
        "problem": entry.problem,
    }


def _write_lines(entries: Iterable[Entry], password: str | None, file: BinaryIO) -> None:
    for entry in entries:
        size = "" if entry.size is None else str(entry.size)
        modified = entry.modified.isoformat() if entry.modified else ""
        fields = map(safe_line, (entry.kind, size, modified, entry.name, entry.problem or ""))
        url = escaped_line(_url_of(entry, password) or "")
        file.write(("\t".join((url, *fields)) + "\n").encode("utf-8", "backslashreplace"))
    file.flush()


def _show_table(listing: Listing, password: str | None) -> None:
    from urlschemes_cli.output.console import Console  # late: rich

    console = Console()
    entries = list(listing)
    columns = ["name", "kind"]
    columns += ["size"] if any(entry.size is not None for entry in entries) else []
    columns += ["modified"] if any(entry.modified is not None for entry in entries) else []
    _print_rows(console, [*columns, "URL"], [_row(entry, columns, password) for entry in entries])
    console.print_line((f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}", "dim"))


def _row(entry: Entry, columns: list[str], password: str | None) -> tuple[Text, ...]:
    """Return the cells of an entry; the last one is its URL, or why it has none."""
    from rich.text import Text  # late: rich

    cells = {
        "name": Text(safe_line(entry.name), "bold"),
        "kind": Text(safe_line(entry.kind), "cyan"),
        "size": Text("" if entry.size is None else f"{entry.size:,}", justify="right"),
        "modified": Text(entry.modified.strftime("%Y-%m-%d %H:%M") if entry.modified else ""),
    }
    url = _url_of(entry, password)
    last = Text(escaped_line(url)) if url else Text(safe_line(entry.problem or ""), "dim italic")
    return (*(cells[column] for column in columns), last)


def _print_rows(console: Console, columns: list[str], rows: list[tuple[Text, ...]]) -> None:
    """Print the rows as a table; if it is too wide, each entry on two lines, because a wrapped URL cannot be copied."""
    from rich.cells import cell_len  # late: rich
    from rich.text import Text

    from urlschemes_cli.output.console import columns_table

    widths = (max(map(cell_len, map(str, cells))) for cells in zip(columns, *rows, strict=True))
    if sum(widths) + 2 * (len(columns) - 1) <= console.width:
        table = columns_table(*columns, unwrapped=("kind", "size", "modified"))
        for row in rows:
            table.add_row(*row)
        console.print_table(table)
        return
    for *facts, last in rows:
        console.print(Text("  ").join(each for each in facts if each), soft_wrap=True)
        console.print(Text.assemble("    ", last), soft_wrap=True)
