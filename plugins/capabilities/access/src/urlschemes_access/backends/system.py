"""SystemBackend: the resolver and local files, for the blocking and the event-loop backend."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from urlschemes_access.attributes import FileFacts
from urlschemes_access.backends.backend import FileRequest
from urlschemes_access.backends.local_files import File, OutputFile, close_file, use_file
from urlschemes_access.backends.sockets import addresses_of
from urlschemes_access.backends.worker_threads import Work
from urlschemes_access.protocol.requests import Transport

T = TypeVar("T")


class SystemBackend(ABC):
    """A backend that uses the sockets and files of this machine."""

    @abstractmethod
    async def in_thread(
        self, action: Callable[[], T], timeout: float | None, work: Work, undo: Callable[[T], object] | None = None
    ) -> T:
        """Carry out an action in a thread; `undo` gets a result that is no longer awaited."""

    async def resolve(self, host: str, port: int, transport: Transport, timeout: float) -> list[str]:
        action = partial(addresses_of, host, port, transport)
        return await self.in_thread(action, timeout, Work("urlschemes resolver"))

    async def use_file(
        self, request: FileRequest, folders: tuple[str, ...], most_entries: int, timeout: float | None
    ) -> Any:
        used = await self.in_thread(partial(use_file, request, folders, most_entries), timeout, Work(), close_file)
        return _FileChannel(used, self, timed=timeout is not None) if isinstance(used, File) else used


class _FileChannel:
    """A channel to an open file. Closed while a thread uses it, it is closed when the thread is done.

    Otherwise the thread could use a file descriptor that belongs to another file by then.
    """

    def __init__(self, file: File, backend: SystemBackend, *, timed: bool) -> None:
        self._file = file
        self._backend = backend
        self._timed = timed
        self._work = Work()

    async def receive(self, most: int, timeout: float, _enough: int) -> bytes:
        return await self._use(partial(self._file.read, most), timeout)

    async def send(self, pieces: list[memoryview], timeout: float) -> int:
        assert isinstance(self._file, OutputFile)
        return await self._use(partial(self._file.write, pieces[0]), timeout)

    async def commit(self, timeout: float) -> FileFacts:
        assert isinstance(self._file, OutputFile)
        return await self._use(self._file.commit, timeout)

    async def _use(self, action: Callable[[], T], timeout: float) -> T:
        return await self._backend.in_thread(action, timeout if self._timed else None, self._work)

    def peer_address(self) -> tuple[str, int]:
        raise OSError("a file has no address")

    def fileno(self) -> int:
        return self._file.descriptor

    def close(self) -> None:
        self._work.at_end(self._file.close)

    abort = close
