"""The progress bar of a long transfer, on standard error."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import Any

import urlschemes_access  # for a type: what it offers is imported when it is used
from urlschemes_cli.output.console import Console

__all__ = ["ProgressBar", "can_show_progress", "count_bar", "progress_of_sending"]

DELAY = 1.0
"""Seconds after which a transfer gets a progress bar."""


def progress_of_sending(*, is_typed: bool) -> ProgressBar:
    """Return a bar for what is sent, which is not shown unless standard error is a terminal, where nothing is typed."""
    return ProgressBar(shown=sys.stderr.isatty() and not (is_typed and sys.stdin.isatty()), sends=True)


def can_show_progress(target: os.PathLike[str] | None) -> bool:
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
    """A bar of the octets received, or of those sent, which is `shown` if the transfer takes long.

    Its `tracer`, None unless it is shown, counts them.
    """

    def __init__(self, *, shown: bool, sends: bool = False) -> None:
        self.tracer = self._count if shown else None
        self._sends = sends
        self._began: float | None = None
        self._done = 0
        self._size: int | None = None
        self._bar: Any = None

    def _count(self, event: urlschemes_access.TraceEvent) -> None:
        if self._began is None and event.kind == ("send" if self._sends else "open"):
            self._began = monotonic()
        if self._began is not None and event.kind == ("send" if self._sends else "receive"):
            self._done += len(event.octets)
            if self._bar is not None:
                self._bar.update(self._bar.task_ids[0], completed=self._done)
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
        from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn  # late

        columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=Console(stderr=True).rich, transient=True)
        self._bar.add_task("", total=self._size, completed=self._done)
        self._bar.start()


@contextmanager
def count_bar(total: int | None, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """Show a bar that counts what is done, of `total` (None: unknown); yield the function that counts some more."""
    if not shown:
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn  # late: rich

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True).rich, transient=True) as bar:
        yield partial(bar.advance, bar.add_task("", total=total))
