"""What goes over the wire, line by line, as `-v` and the demonstration show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from urlschemes_cli.output.delivery import dump
from urlschemes_cli.output.plain import line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes_access.trace_event import TraceEvent
    from urlschemes_cli.output.screen import Screen

__all__ = ["Narrator", "told"]

PEER = 10
"""Characters that the name of a connection has."""
LINES = 16
"""Lines of one message that are shown, unless all are wanted."""
COLUMNS = 160
"""Characters of one line that are shown, unless all are wanted."""
DUMPED = 64
"""Octets that are shown of a message that is no text, unless all are wanted."""
BINARY = 0.1
"""The share of control octets from which on octets are no text; a NUL never is."""


class Narrator:
    """Writes each event on a screen, as it happens."""

    def __init__(self, screen: Screen, *, everything: bool = False) -> None:
        self._screen = screen
        self._everything = everything

    def __call__(self, event: TraceEvent) -> None:
        """Write the lines for `event`."""
        for text in told(event, everything=self._everything):
            self._screen.print(text, soft_wrap=True)


def told(event: TraceEvent, *, everything: bool = False) -> Iterator[Text]:
    """The lines for one event: `>` was sent, `<` was received, `*` is everything else."""
    peer = f"{event.peer:<{PEER}}"
    if event.kind not in ("send", "receive"):
        yield Text(f"{peer} * {event.kind} {line(event.text)}".rstrip(), "dim")
        return
    mark, style = (">", "green") if event.kind == "send" else ("<", "cyan")
    lines, more = _lines(event.octets, everything=everything)
    for each in lines:
        yield Text.assemble((f"{peer} {mark} ", f"bold {style}"), (each, style))
    if more:
        yield Text(f"{peer} {mark} {more}", "dim")


def _lines(octets: bytes, *, everything: bool) -> tuple[list[str], str]:
    """The lines that are shown of a message, and what is said of the rest."""
    more = f"... ({len(octets)} octets in all)"
    begun = octets[:4096]
    controls = sum(1 for octet in begun if octet < 32 and octet not in b"\t\r\n")
    if 0 in begun or controls > BINARY * len(begun):
        shown = octets if everything else octets[:DUMPED]
        return list(dump(shown)), "" if len(shown) == len(octets) else more
    text = octets.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    lines = text.removesuffix("\n").split("\n")
    if everything or (len(lines) <= LINES and all(len(each) <= COLUMNS for each in lines)):
        return [line(each) for each in lines], ""
    cut = [each if len(each) <= COLUMNS else each[:COLUMNS] + "..." for each in lines[:LINES]]
    return list(map(line, cut)), more
