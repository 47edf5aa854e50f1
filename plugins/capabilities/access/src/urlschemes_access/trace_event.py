"""Trace events: what a caller can watch of an operation while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["EventKind", "Outcome", "TraceEvent", "Tracer"]

EventKind: TypeAlias = Literal[
    "gateway", "option", "resolve", "connect", "tls", "send", "receive", "keep", "close", "file", "follow", "open"
]
"""The kinds of events."""


Outcome: TypeAlias = Literal["opened", "completed", "abandoned", "failed"]
"""The outcome of an operation so far, as observers get it."""


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One event of an operation. `peer` is the label of its connection or file.

    `octets` are the octets sent or received, with passwords as `***`. `text` describes the event, safe to print.
    """

    kind: EventKind
    peer: str = ""
    text: str = ""
    octets: bytes = b""


Tracer: TypeAlias = Callable[[TraceEvent], None]
"""A function called with every event of an operation."""
