"""The dialogue with a server, line by line, as `-v` and `demo` show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from urlschemes_cli.output.documents import hex_dump
from urlschemes_cli.output.text import safe_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes_access import TraceEvent
    from urlschemes_cli.output.console import Console

__all__ = ["TracePrinter", "trace_lines"]

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


class TracePrinter:
    """A tracer that prints each event on a console; with `everything`, messages are not shortened."""

    def __init__(self, console: Console, *, everything: bool = False) -> None:
        self._console = console
        self._everything = everything

    def __call__(self, event: TraceEvent) -> None:
        """Print an event."""
        for text in trace_lines(event, everything=self._everything):
            self._console.print(text, soft_wrap=True)


def trace_lines(event: TraceEvent, *, everything: bool = False) -> Iterator[Text]:
    """Return the lines for an event: `>` marks what was sent, `<` what was received, `*` all other events."""
    peer = f"{event.peer:<{PEER_WIDTH}}"
    if event.kind not in ("send", "receive"):
        yield Text(f"{peer} * {event.kind} {safe_line(event.text)}".rstrip(), "dim")
        return
    mark, style = (">", "green") if event.kind == "send" else ("<", "cyan")
    lines, is_complete = _message_lines(event.octets, everything=everything)
    for line in lines:
        yield Text.assemble((f"{peer} {mark} ", f"bold {style}"), (line, style))
    if not is_complete:
        yield Text(f"{peer} {mark} ... ({len(event.octets)} octets in all)", "dim")


def _message_lines(octets: bytes, *, everything: bool) -> tuple[list[str], bool]:
    """Return the lines to show of a message, and True if they show all of it."""
    start = octets[:4096]
    controls = sum(1 for octet in start if octet < 32 and octet not in b"\t\r\n")
    if 0 in start or controls > BINARY_SHARE * len(start):
        part = octets if everything else octets[:MAX_BINARY]
        return list(hex_dump(part)), len(part) == len(octets)
    text = octets.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    lines = text.removesuffix("\n").split("\n")
    if everything or (len(lines) <= MAX_LINES and all(len(each) <= MAX_COLUMNS for each in lines)):
        return [safe_line(each) for each in lines], True
    cut = [each if len(each) <= MAX_COLUMNS else each[:MAX_COLUMNS] + "..." for each in lines[:MAX_LINES]]
    return list(map(safe_line, cut)), False
