"""Text that is safe on a terminal, written to standard output or standard error without rich."""

from __future__ import annotations

import sys
from typing import IO

from urlschemes.redaction import redact, shown

__all__ = ["escaped_line", "safe_line", "write_line", "write_log_as_notes", "write_note"]

_BREAKS = str.maketrans({"\n": "\\n", "\t": "\\t"})


def safe_line(text: str) -> str:
    """Return `text` as one line without control characters, invisible characters and the passwords of URLs."""
    return escaped_line(redact(text))


def escaped_line(text: str) -> str:
    """Return `text` as one line without control and invisible characters.

    Passwords stay: this is for the text of a record, whose examples hold no secrets.
    """
    return shown(text).translate(_BREAKS)


def write_line(text: str = "", *, stream: IO[str] | None = None) -> None:
    """Write one line to standard output, or to `stream`."""
    print(text, file=stream or sys.stdout, flush=stream is sys.stderr)


def write_note(text: str) -> None:
    """Write a remark on standard error, after what was written to standard output, where the result is."""
    sys.stdout.flush()
    write_line(f"urlschemes: {safe_line(text)}", stream=sys.stderr)


def write_log_as_notes() -> None:
    """Write what the library logs as notes, unless a handler for it exists already."""
    import logging  # late: commands that only parse do without it

    class Notes(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            write_note(record.getMessage())

    logger = logging.getLogger("urlschemes")
    if not logger.hasHandlers():
        logger.addHandler(Notes())
