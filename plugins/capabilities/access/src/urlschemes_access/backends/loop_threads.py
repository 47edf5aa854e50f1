"""What blocks, in a thread beside the event loop: files, the resolver.

Each gets a daemon thread of its own, which ends with its work: nothing waits for it, neither the end of the loop nor
that of the program. Where the loop has lost interest, what came of the work is undone.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from urlschemes_access.backends import primitives
from urlschemes_access.backends.local_files import File, perform_on_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_access.backends.local_files import FileStep

__all__ = ["LoopFile", "beside"]

T = TypeVar("T")


class _Work(Generic[T]):
    """Something under way in a thread, which may be abandoned at any moment."""

    def __init__(self, work: Callable[[], T], undo: Callable[[T], object] | None) -> None:
        self._work = work
        self._undo = undo
        self._lock = threading.Lock()
        self._abandoned = False
        self._done = False
        self.value: T | None = None
        self.fault: Exception | None = None

    def run(self, tell: Callable[[], object]) -> None:
        """In the thread."""
        try:
            self.value = self._work()
        except Exception as fault:  # noqa: BLE001  it is raised again where the work is waited for
            self.fault = fault
        with self._lock:
            self._done = True
            abandoned = self._abandoned
        if abandoned:
            self._undone()
        else:
            with suppress(RuntimeError):  # the loop has been closed: whoever waits for it is dropped with it
                tell()

    def abandon(self) -> None:
        """On the loop: nobody will take what comes of it."""
        with self._lock:
            self._abandoned = True
            done = self._done
        if done:
            self._undone()

    def _undone(self) -> None:
        if self._undo is not None and self.fault is None:
            self._undo(cast("T", self.value))


async def beside(
    work: Callable[[], T],
    *,
    undo: Callable[[T], object] | None = None,
    timeout: float | None = None,  # noqa: ASYNC109  as every step has one
    name: str = "urlschemes beside the loop",
) -> T:
    """What `work` returns, called in a thread. Raises what it raises; TimeoutError, without an errno, when time is up.

    `undo` is given what it returned if that comes too late, or the task was cancelled. `name` is that of the thread.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[bool] = loop.create_future()

    def settle(value: bool) -> None:
        if not done.done():
            done.set_result(value)

    under_way = _Work(work, undo)
    tell = loop.call_soon_threadsafe
    thread = threading.Thread(target=under_way.run, args=(lambda: tell(settle, True),), name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError as fault:
        raise OSError(str(fault)) from fault  # the system has no more threads
    timer = None if timeout is None else loop.call_later(timeout, settle, False)
    try:
        in_time = await done
    except BaseException:
        under_way.abandon()
        raise
    finally:
        if timer is not None:
            timer.cancel()
    if not in_time:
        under_way.abandon()
        raise TimeoutError
    if under_way.fault is not None:
        raise under_way.fault
    return cast("T", under_way.value)


class LoopFile:
    """An open file, as a channel. Closed while a thread works on it, it is closed by that thread, as its last act.

    Were it closed at once, its number might be that of another file before the thread gets to use it.
    """

    __slots__ = ("_busy", "_closed", "_file", "_lock")

    def __init__(self, file: File) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._busy = False
        self._closed = False

    def address(self) -> tuple[str, int]:
        """A file has none: raises OSError."""
        return self._file.address()

    def fileno(self) -> int:
        """The system's number of it."""
        return self._file.fileno()

    def close(self) -> None:
        """Close it, at once or as soon as its thread is through."""
        with self._lock:
            self._closed = True
            if self._busy:
                return
        self._file.close()

    def abort(self) -> None:
        """The same: there is no other side."""
        self.close()

    def perform(self, step: primitives.Read | primitives.Write | primitives.Keep) -> Any:
        """In a thread: perform a step on the file."""
        with self._lock:
            if self._closed:
                raise OSError("the file was closed")
            self._busy = True
        try:
            return perform_on_files(_on(step, self._file))
        finally:
            self._let_go()

    def _let_go(self) -> None:
        with self._lock:
            self._busy = False
            if not self._closed:
                return
        self._file.close()


def _on(step: primitives.Read | primitives.Write | primitives.Keep, file: File) -> FileStep:
    match step:
        case primitives.Read(_, most, timeout):
            return primitives.Read(file, most, timeout)
        case primitives.Write(_, octets, timeout):
            return primitives.Write(file, octets, timeout)
        case primitives.Keep(_):
            return primitives.Keep(file)
