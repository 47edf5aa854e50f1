"""Threads for what would block the event loop: files and the resolver.

Each piece of work gets a daemon thread of its own, which ends with the work: neither the end of the loop nor that of
the program waits for it. (The threads of an executor, asyncio's or anyio's, delay the exit while a resolver hangs.)
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_access.backends.local_files import File

__all__ = ["LoopFile", "in_thread"]

T = TypeVar("T")


async def in_thread(
    work: Callable[[], T],
    *,
    undo: Callable[[T], object] | None = None,
    timeout: float | None = None,  # noqa: ASYNC109  as every primitive has one
    name: str = "urlschemes file",
) -> T:
    """Call `work` in a thread and return its result. Raises TimeoutError, without an errno, after `timeout` seconds.

    If the task is cancelled or the time is up, the thread continues; `undo` is called with its result.
    """
    return await _result_of(_start(work, name), undo, timeout)


class LoopFile:
    """A channel to an open file that threads use. Closed while a thread uses it, it is closed when the thread is done.

    Otherwise the thread could use a file descriptor that belongs to another file by then.
    """

    __slots__ = ("_last_work", "file")

    def __init__(self, file: File) -> None:
        self.file = file
        self._last_work: Future[object] | None = None

    def peer_address(self) -> tuple[str, int]:
        """Raise OSError: a file has no address."""
        return self.file.peer_address()

    def fileno(self) -> int:
        """Return the file descriptor."""
        return self.file.fileno()

    def close(self) -> None:
        """Close the file, now or when its thread is done."""
        if self._last_work is None:
            self.file.close()
        else:
            self._last_work.add_done_callback(lambda _: self.file.close())

    def abort(self) -> None:
        """Close the file."""
        self.close()

    async def in_thread(self, work: Callable[[], object]) -> object:
        """Call `work`, which uses the file, in a thread."""
        self._last_work = _start(work, "urlschemes file")
        return await _result_of(self._last_work, None, None)


def _start(work: Callable[[], T], name: str) -> Future[T]:
    """Start a thread for `work`. Raises OSError if the system has no more threads."""
    future: Future[T] = Future()

    def run() -> None:
        if future.set_running_or_notify_cancel():
            try:
                result = work()
            except Exception as failure:  # noqa: BLE001  it is raised again where the result is awaited
                future.set_exception(failure)
            else:
                future.set_result(result)

    try:
        threading.Thread(target=run, name=name, daemon=True).start()
    except RuntimeError as error:
        raise OSError(str(error)) from error
    return future


async def _result_of(future: Future[T], undo: Callable[[T], object] | None, seconds: float | None) -> T:
    try:
        async with asyncio.timeout(seconds):
            return await asyncio.wrap_future(future)
    except BaseException:
        if undo is not None:
            future.add_done_callback(partial(_undo, undo))  # now, if the work is done
        raise


def _undo(undo: Callable[[T], object], future: Future[T]) -> None:
    if not future.cancelled() and future.exception() is None:
        undo(future.result())
