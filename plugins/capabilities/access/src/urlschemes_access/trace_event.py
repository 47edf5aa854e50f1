"""What a caller can be told while an operation goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Happening", "TraceEvent", "Tracer"]

Happening: TypeAlias = Literal[
    "gateway", "option", "resolve", "connect", "tls", "send", "receive", "close", "file", "follow", "open"
]
"""What a TraceEvent tells of."""


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """Something that happened in an access. `peer` is the label of the connection or file it happened on.

    `octets` are what was sent or received, with passwords as `***`; `text` says the rest in words, safe to print.
    """

    kind: Happening
    peer: str = ""
    text: str = ""
    octets: bytes = b""


Tracer: TypeAlias = Callable[[TraceEvent], None]
"""A function that is called with every event of an access."""
