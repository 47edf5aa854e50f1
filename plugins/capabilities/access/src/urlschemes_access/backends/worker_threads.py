"""Threads for actions that cannot be interrupted: the resolver, and local files under a deadline or an event loop.

Each action gets a daemon thread of its own, which ends with the action: neither the end of the loop nor that of the
program waits for it. (The threads of an executor, asyncio's or anyio's, delay the exit while a resolver hangs.)
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")

CLEANING = 0.2
"""Seconds that are waited, after an error or an interrupt, for an action that cleans up."""


class Work:
    """Actions on one thing, such as a local file, each in a thread, one after another.

    An action that is no longer awaited still ends before the next begins, so that a clean-up sees all its effects.
    """

    def __init__(self, name: str = "urlschemes file") -> None:
        self._name = name
        self._last: Future[Any] | None = None

    def begin(self, action: Callable[[], T]) -> Future[T]:
        """Begin an action as soon as the one before has ended. Raises OSError if the system has no more threads."""
        from concurrent.futures import Future  # imports logging

        before = self._last
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()  # it cannot be cancelled: a clean-up is always done

        def run() -> None:
            if before is not None:
                before.exception()  # waits
            try:
                result = action()
            except Exception as failure:  # noqa: BLE001  it is raised again where the result is awaited
                future.set_exception(failure)
            else:
                future.set_result(result)

        try:
            threading.Thread(target=run, name=self._name, daemon=True).start()
        except RuntimeError as error:
            raise OSError(str(error)) from error
        self._last = future
        return future

    def at_end(self, action: Callable[[], object]) -> None:
        """Carry out an action when the last one has ended: now, or in its thread."""
        if self._last is None:
            action()
        else:
            self._last.add_done_callback(lambda _: action())

    def clean_up(self, action: Callable[[], object], patience: float = CLEANING) -> None:
        """Carry out an action after an error or an interrupt, when nothing may be awaited.

        If threads were used, it gets one too. It is awaited for at most `patience` seconds; it may take longer.
        """
        if self._last is None:
            action()
        else:
            with suppress(TimeoutError):
                self.begin(action).result(patience)


def undo_later(future: Future[T], undo: Callable[[T], object]) -> None:
    """Call `undo` with the result of `future` as soon as there is one; its result is no longer awaited."""

    def done(future: Future[T]) -> None:
        if future.exception() is None:
            undo(future.result())

    future.add_done_callback(done)  # now, if the work is done
