"""The folders of a mirror. Where the system can, they are open: a link put in their place leads nowhere."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from urlschemes.redaction import one_line
from urlschemes_access import NewFile
from urlschemes_access.errors import AccessError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from typing import Self

__all__ = ["Folder"]

_OPEN = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_DESCRIPTORS = Path("/proc/self/fd")


class Folder:
    """A folder for files. `path` is shown to the user. Every method raises AccessError."""

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self.path = path
        self._descriptor = descriptor
        self._base = path if descriptor is None else _DESCRIPTORS / str(descriptor)

    @classmethod
    def top(cls, path: Path) -> Self:
        """Return the folder `path`, which is made if there is none."""
        with _system_errors(path):
            path.mkdir(parents=True, exist_ok=True)
            path = path.resolve()
            return cls(path, os.open(path, _OPEN) if _can_use_descriptors() else None)

    def enter(self, name: str) -> Folder:
        """Return the folder `name` in this folder, which is made if there is none. A link is not followed."""
        path = self.path / name
        with _system_errors(path):
            inner = self.file(name)
            with suppress(FileExistsError):
                inner.mkdir()
            status = inner.lstat()
            if not stat.S_ISDIR(status.st_mode) or _is_junction(status):
                raise NotADirectoryError(errno.ENOTDIR, "it exists, and is not a folder")
            if self._descriptor is None:
                return Folder(path, None)
            return Folder(path, os.open(name, _OPEN | os.O_NOFOLLOW, dir_fd=self._descriptor))

    def walk(self, path: Iterable[str]) -> Folder:
        """Return the folder at the end of a path below this folder; each on the way is entered."""
        with _system_errors(self.path):
            folder = Folder(self.path, None if self._descriptor is None else os.dup(self._descriptor))
        for name in path:
            inner = folder.enter(name)
            folder.close()
            folder = inner
        return folder

    def file(self, name: str) -> Path:
        """Return the path by which to open the file `name`: it leads to this folder even if that was moved."""
        return self._base / name

    def status(self, name: str) -> os.stat_result | None:
        """Return the status of the regular file `name`; None if there is none."""
        try:
            status = self.file(name).lstat()
        except OSError:
            return None
        return status if stat.S_ISREG(status.st_mode) else None

    def is_empty(self) -> bool:
        """Return True if nothing is in the folder."""
        with _system_errors(self.path), os.scandir(self._base) as entries:
            return next(entries, None) is None

    def write(self, name: str, octets: bytes) -> None:
        """Write the file `name`, as a whole or not at all."""
        with _system_errors(self.path / name):
            file = NewFile(self.path if self._descriptor is None else self._descriptor, name, 0o644)
            try:
                file.create()
                file.write(octets)
                file.commit()
            finally:
                file.discard()

    def set_modified(self, name: str, modified: datetime) -> None:
        """Give the file `name` the time of its resource, if the system can."""
        with suppress(OSError, OverflowError, ValueError, NotImplementedError):
            if self._descriptor is None:
                os.utime(self.file(name), (modified.timestamp(),) * 2)
            else:
                os.utime(name, (modified.timestamp(),) * 2, dir_fd=self._descriptor, follow_symlinks=False)

    def remove(self, name: str) -> None:
        """Remove the file `name`, if it is there."""
        with suppress(OSError):
            self.file(name).unlink()

    def shown(self, text: str) -> str:
        """Return a message about a file of this folder with its path as the user knows it."""
        return text if self._descriptor is None else text.replace(f"{self._base}/", f"{self.path}/")

    def close(self) -> None:
        """Close the folder; closing twice does nothing."""
        if self._descriptor is not None and self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            os.close(descriptor)


def _can_use_descriptors() -> bool:
    """Return True on systems (Linux) where a path can begin at an open folder."""
    return os.mkdir in os.supports_dir_fd and _DESCRIPTORS.is_dir()


def _is_junction(status: os.stat_result) -> bool:
    """Return True for a folder of Windows that is another folder."""
    tag: int = getattr(status, "st_reparse_tag", False)
    return tag != 0


@contextmanager
def _system_errors(path: Path) -> Iterator[None]:
    """Raise AccessError for a fault of the system."""
    try:
        yield
    except OSError as fault:
        reason = one_line(fault.strerror or str(fault))
        raise AccessError(f"cannot write '{one_line(str(path), 160)}': {reason}") from fault
