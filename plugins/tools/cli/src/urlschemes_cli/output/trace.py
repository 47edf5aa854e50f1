"""The dialogue with a server, line by line, as `-v` and `demo` show it."""

from __future__ import annotations

from collections.abc import Iterator

from urlschemes_access.trace_event import TraceEvent, Tracer
from urlschemes_cli.output.console import Console
from urlschemes_cli.output.documents import hex_dump
from urlschemes_cli.output.text import safe_line

PEER_WIDTH = 10
"""The width of the column with the name of the connection."""
MAX_LINES = 16
"""Lines shown of one message, unless all are wanted."""
MAX_COLUMNS = 160
"""Characters shown of one line, unless all are wanted."""
MAX_BINARY = 64
"""Octets shown of a binary message, unless all are wanted."""
BINARY_SHARE = 0.1
"""The share of control octets above which a message is binary. One that holds a NUL always is."""


def trace_printer(console: Console, *, everything: bool) -> Tracer:
    """Return a tracer that prints each event on a console; with `everything`, messages are not shortened."""

    def show(event: TraceEvent) -> None:
        for pieces in trace_lines(event, everything=everything):
            console.print_line(*pieces)

    return show


def trace_lines(event: TraceEvent, *, everything: bool = False) -> Iterator[tuple[tuple[str, str], ...]]:
    """Return the lines for an event, in pieces with styles: `>` marks what was sent, `<` what was received."""
    peer = f"{event.peer:<{PEER_WIDTH}}"
    if event.kind not in ("send", "receive"):
        yield ((f"{peer} * {event.kind} {safe_line(event.text)}", "dim"),)
        return
    mark, style = (">", "green") if event.kind == "send" else ("<", "cyan")
    lines, is_complete = _message_lines(event.octets, everything=everything)
    for line in lines:
        yield (f"{peer} {mark} ", f"bold {style}"), (line, style)
    if not is_complete:
        yield ((f"{peer} {mark} ... ({len(event.octets)} octets in all)", "dim"),)


def _message_lines(octets: bytes, *, everything: bool) -> tuple[list[str], bool]:
    """Return the lines to show of a message, and True if they show all of it."""
    start = octets[:4096]
    controls = sum(1 for octet in start if octet < 32 and octet not in b"\t\r\n")
    if 0 in start or controls > BINARY_SHARE * len(start):
        part = octets if everything else octets[:MAX_BINARY]
        return list(hex_dump(part)), len(part) == len(octets)
    text = octets.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    lines = text.removesuffix("\n").split("\n")
    cut = (each if len(each) <= MAX_COLUMNS else f"{each[:MAX_COLUMNS]}..." for each in lines[:MAX_LINES])
    kept = lines if everything else [*cut]
    return list(map(safe_line, kept)), kept == lines
