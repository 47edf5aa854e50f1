"""The progress bar of a long transfer, on standard error."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Self

    from urlschemes_access import TraceEvent

__all__ = ["CountBar", "ProgressBar", "can_show_progress", "progress_of_sending"]

DELAY = 1.0
"""Seconds after which a transfer gets a progress bar."""


def progress_of_sending(*, is_typed: bool) -> ProgressBar | None:
    """Return a bar for what is sent; None if standard error is not a terminal, or the content is typed there."""
    return None if (is_typed and sys.stdin.isatty()) or not sys.stderr.isatty() else ProgressBar(sends=True)


def can_show_progress(target: Path | None) -> bool:
    """Return True if standard error is a terminal and the content goes to a file.

    A program behind a pipe may draw on the terminal itself.
    """
    if not sys.stderr.isatty():
        return False
    try:
        return target is not None or stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):  # a test, or a program, replaced standard output by an object without a file
        return False


class ProgressBar:
    """A tracer that counts the octets received, or those sent, and shows them as a bar if the transfer takes long."""

    def __init__(self, *, sends: bool = False) -> None:
        self._sends = sends
        self._began: float | None = None
        self._done = 0
        self._size: int | None = None
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, event: TraceEvent) -> None:
        """Count the octets of an event."""
        if self._began is None and event.kind == ("send" if self._sends else "open"):
            self._began = monotonic()
        if self._began is not None and event.kind == ("send" if self._sends else "receive"):
            self._done += len(event.octets)
            if self._bar is not None:
                self._bar.update(self._task, completed=self._done)
            elif monotonic() - self._began > DELAY:
                self._start()

    @contextmanager
    def transfer(self, size: int | None) -> Iterator[None]:
        """Show the transfer of `size` octets (None: unknown) within the `with` block; the bar is removed at its end."""
        self._size = size
        try:
            yield
        finally:
            if self._bar is not None:
                self._bar.stop()

    def _start(self) -> None:
        from rich import progress  # late: rich

        from urlschemes_cli.output.console import Console

        columns = (
            progress.BarColumn(),
            progress.DownloadColumn(),
            progress.TransferSpeedColumn(),
            progress.TimeRemainingColumn(),
        )
        self._bar = progress.Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=self._size, completed=self._done)
        self._bar.start()


class CountBar:
    """A bar on standard error that counts what is done, of `total` (None: unknown).

    It is for a `with` block, at whose end it is removed.
    """

    def __init__(self, total: int | None) -> None:
        from rich import progress  # late: rich

        from urlschemes_cli.output.console import Console

        columns = (progress.BarColumn(), progress.MofNCompleteColumn(), progress.TimeRemainingColumn())
        self._bar = progress.Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=total)

    def advance(self, count: int = 1) -> None:
        """Count `count` more."""
        self._bar.advance(self._task, count)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
