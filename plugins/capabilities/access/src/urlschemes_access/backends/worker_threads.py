"""Threads for what cannot be interrupted: the resolver, and local files under a deadline or an event loop.

Each piece of work gets a daemon thread of its own, which ends with the work: neither the end of the loop nor that of
the program waits for it. (The threads of an executor, asyncio's or anyio's, delay the exit while a resolver hangs.)
"""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
__all__ = ["FileWork", "begin", "result_of", "undo_later"]

T = TypeVar("T")


class FileWork:
    """Actions on a local file, each in a thread, one after another.

    An action that was given up still ends before the next begins: what cleans up finds all that was done.
    """

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: Future[Any] | None = None

    def begin(self, action: Callable[[], T]) -> Future[T]:
        """Begin an action as soon as the one before has ended."""
        before = self._last
        if before is not None and not before.done():
            action = partial(_after, before, action)
        future = begin(action, "urlschemes file")
        self._last = future
        return future

    def carry_out(self, action: Callable[[], T], timeout: float | None) -> T:
        """Block until the action has ended; without `timeout`, in this thread. Raises TimeoutError without an errno."""
        return action() if timeout is None else result_of(self.begin(action), timeout)


def _after(before: Future[Any], action: Callable[[], T]) -> T:
    before.exception()  # waits
    return action()


def begin(work: Callable[[], T], name: str) -> Future[T]:
    """Begin `work` in a thread. Raises OSError if the system has no more threads."""
    from concurrent.futures import Future  # imports logging

    future: Future[T] = Future()
    future.set_running_or_notify_cancel()  # from now on it cannot be cancelled: what cleans up is always done

    def run() -> None:
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


def result_of(future: Future[T], timeout: float | None, *, undo: Callable[[T], object] | None = None) -> T:
    """Block until the result of `future` is there. Raises TimeoutError, without an errno, after `timeout` seconds.

    The thread continues then; `undo` is called with its result.
    """
    try:
        return future.result(timeout)
    except BaseException:
        undo_later(future, undo)
        raise


def undo_later(future: Future[T], undo: Callable[[T], object] | None) -> None:
    """Call `undo` with the result of `future` as soon as there is one; its result is no longer awaited."""
    if undo is not None:
        future.add_done_callback(partial(_undo, undo))  # now, if the work is done


def _undo(undo: Callable[[T], object], future: Future[T]) -> None:
    if not future.cancelled() and future.exception() is None:
        undo(future.result())
