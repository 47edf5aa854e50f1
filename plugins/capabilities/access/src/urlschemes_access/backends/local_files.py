"""Local files: read, listed, written and removed below allowed folders.

A path is checked twice: before it is opened, and on the open file, because a link may change in between. What is
written takes effect with `commit`. Closed before that, a file to replace stays as it was, and one appended to is
truncated again.
"""

# A path stays the str that the URL gave: pathlib would normalize it before it is checked.
# ruff: noqa: PTH115, PTH116, PTH117, PTH118

from __future__ import annotations

import errno
import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from urlschemes.redaction import one_line
from urlschemes.storage import user_dirs
from urlschemes_access.attributes import FileFacts
from urlschemes_access.backends.backend import FileRequest
from urlschemes_access.backends.new_file import NewFile
from urlschemes_access.errors import PolicyDenied
from urlschemes_access.protocol.requests import Examine, ListFolder, OpenFile, Remove

WRITTEN = 1024 * 1024
"""The most octets written at once: the deadline is checked between two writes."""

_SYSTEM_FOLDERS = ("/proc", "/sys", "/dev")
_EXAMINE = getattr(os, "O_PATH", os.O_RDONLY)
"""Opens a file only to ask for its status; with O_PATH it has no effect on the file and needs no permission."""
_BY_FOLDER = {os.open, os.stat, os.unlink, os.rename} <= os.supports_dir_fd  # names relative to an open folder


def use_file(
    request: FileRequest, folders: tuple[str, ...], most_entries: int
) -> File | FileFacts | list[FileFacts] | None:
    """Carry out a request on local files. This blocks for a moment, so an event loop calls it in a thread."""
    readable, writable = _Allowed(folders, "roots"), _Allowed(folders, "writable")
    match request:
        case OpenFile(path=path, to="read", start=start):
            return _open_at(_open_regular(path, readable, os.O_RDONLY), start)
        case OpenFile(path=path, to="replace"):
            return _ReplacingFile(path, writable)
        case OpenFile(path=path):
            return _AppendingFile(path, writable)
        case Examine(path=path):
            return _facts(path, _status(path, readable))
        case ListFolder(path=path):
            return _list_folder(path, readable, most_entries)
        case Remove(path=path):
            _remove(path, writable)
            return None


def close_file(used: object) -> None:
    """Close the result of `use_file`, if it is an open file."""
    if isinstance(used, File):
        used.close()


# --- Allowed folders --------------------------------------------------------------------------------------------------


class _Allowed(NamedTuple):
    """The folders below which files may be used, and the rule of the policy that names them."""

    folders: tuple[str, ...]
    rule: Literal["roots", "writable"]

    def check(self, real: str, path: str) -> None:
        """Raise PolicyDenied unless `real`, the path without links that `path` leads to, is in one of the folders."""
        if any(_within(real, folder) for folder in _SYSTEM_FOLDERS):
            raise self.denied(f"'{one_line(path, 160)}' is in a system folder")
        if not any(_within(real, os.path.realpath(folder)) for folder in self.folders):
            raise self.denied(
                f"'{one_line(path, 120)}' is in none of the allowed folders",
                hint=f"policy rule {self.rule!r}: add its folder to {self.rule}",
            )

    def resolve(self, path: str) -> str:
        """Return `path` without links. Raises PolicyDenied unless it is allowed, whether or not the file exists."""
        if not os.path.isabs(path) or path.startswith(("//", "\\\\")):
            raise self.denied(f"'{one_line(path, 160)}' is not a path on this machine")
        real = os.path.realpath(path)
        self.check(real, path)
        return real

    def denied(self, why: str, *, hint: str | None = None) -> PolicyDenied:
        return PolicyDenied(why, rule=self.rule, part="path", hint=hint)


def _within(real: str, folder: str) -> bool:
    return real == folder or real.startswith(folder.rstrip(os.sep) + os.sep)


def _open(real: str, flags: int) -> int:
    """Open `real`, which must not be a link; return the file descriptor."""
    return os.open(real, flags | user_dirs.PLAIN_FLAGS | getattr(os, "O_NOFOLLOW", 0))


def _open_checked(path: str, allowed: _Allowed, flags: int) -> int:
    """Open `path` and check where the open file is: a link may have changed meanwhile. Return the file descriptor."""
    real = allowed.resolve(path)
    descriptor = _open(real, flags)
    try:
        allowed.check(_path_of(descriptor, real), path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _path_of(descriptor: int, real: str) -> str:
    """Return the path of an open file. Without Linux's /proc, `real` is resolved again and must be the same file."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        again = os.path.realpath(real)
        if not os.path.samestat(os.stat(again), os.fstat(descriptor)):
            raise OSError("the file was moved while it was opened") from None
        return again


def _status(path: str, allowed: _Allowed) -> os.stat_result:
    """Return what the system knows of a file, asked of the file itself: a path may lead elsewhere a moment later."""
    descriptor = _open_checked(path, allowed, _EXAMINE)
    try:
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _open_regular(path: str, allowed: _Allowed, flags: int) -> int:
    # Checked before it is opened: opening a FIFO or a device has effects.
    _check_regular(_status(path, allowed).st_mode, path, allowed)
    descriptor = _open_checked(path, allowed, flags)
    try:
        _check_regular(os.fstat(descriptor).st_mode, path, allowed)
        if hasattr(os, "set_blocking"):
            os.set_blocking(descriptor, True)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _open_at(descriptor: int, start: int) -> File:
    """Return the file of `descriptor`, to be read from the octet `start` on."""
    file = File(descriptor)
    try:
        os.lseek(descriptor, start, os.SEEK_SET)
    except BaseException:
        file.close()
        raise
    return file


def _check_regular(mode: int, path: str, allowed: _Allowed) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISLNK(mode):  # links are resolved, unless they lead in a circle
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if not stat.S_ISREG(mode):
        raise allowed.denied(f"'{one_line(path, 160)}' is not a regular file")


# --- Open files -------------------------------------------------------------------------------------------------------


class File:
    """An open file."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def read(self, most: int) -> bytes:
        return os.read(self.descriptor, most)

    def close(self) -> None:
        if self.descriptor >= 0:
            descriptor, self.descriptor = self.descriptor, -1
            os.close(descriptor)


class OutputFile(File, ABC):
    """A file that is written. The change takes effect with `commit`; `close` before that undoes it."""

    def __init__(self, descriptor: int, path: str) -> None:
        super().__init__(descriptor)
        self.path = path
        self.written = 0

    def write(self, octets: memoryview) -> int:
        count = os.write(self.descriptor, octets[:WRITTEN])
        self.written += count
        return count

    def commit(self) -> FileFacts:
        """Make the change permanent, on the disk too, and close the file; return what the file is now."""
        os.fsync(self.descriptor)
        facts = _facts(self.path, os.fstat(self.descriptor))
        self._apply()
        return facts

    def close(self) -> None:
        """Undo the change, unless it was committed, and close the file; closing twice does nothing."""
        if self.descriptor >= 0:
            with suppress(OSError):
                self._undo()
        super().close()

    @abstractmethod
    def _apply(self) -> None:
        """Close the file and let the change take effect."""

    @abstractmethod
    def _undo(self) -> None:
        """Restore the state before the file was opened."""


class _AppendingFile(OutputFile):
    """Appends to a file. Undone, the file gets its old length back, unless others wrote to it too."""

    def __init__(self, path: str, allowed: _Allowed) -> None:
        super().__init__(_open_regular(path, allowed, os.O_WRONLY | os.O_APPEND), path)
        self.start = os.fstat(self.descriptor).st_size

    def _apply(self) -> None:
        File.close(self)

    def _undo(self) -> None:
        if os.fstat(self.descriptor).st_size == self.start + self.written:
            os.ftruncate(self.descriptor, self.start)


class _ReplacingFile(OutputFile):
    """Writes a new file in the same folder, which replaces the old one when it is committed."""

    def __init__(self, path: str, allowed: _Allowed) -> None:
        self.folder = _Folder(path, allowed)
        try:
            with suppress(FileNotFoundError):
                _check_regular(self.folder.stat().st_mode, path, allowed)
            self.file = NewFile(self.folder.place, self.folder.name)
            self.file.create()
        except BaseException:
            self.folder.close()
            raise
        super().__init__(self.file.descriptor, path)

    def _apply(self) -> None:
        self._end(self.file.commit)

    def _undo(self) -> None:
        self._end(self.file.discard)

    def _end(self, action: Callable[[], None]) -> None:
        self.descriptor = -1  # the new file closes it
        try:
            action()
        finally:
            self.folder.close()


class _Folder:
    """The folder of the file that `path` leads to, open if the system supports that; `name` is the file's name in it.

    Raises PolicyDenied unless the file is allowed.
    """

    def __init__(self, path: str, allowed: _Allowed, *, follow: bool = True) -> None:
        real = allowed.resolve(path)
        if not follow:
            parent, name = os.path.split(path)
            real = os.path.join(os.path.realpath(parent), name)
            allowed.check(real, path)
        parent, self.name = os.path.split(real)
        self._descriptor: int | None = None
        self._before = parent
        if not self.name:
            _check_regular(stat.S_IFDIR, path, allowed)
        if _BY_FOLDER:
            self._descriptor = _open(parent, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
            self._before = ""
            try:
                allowed.check(os.path.join(_path_of(self._descriptor, parent), self.name), path)
            except BaseException:
                self.close()
                raise

    @property
    def place(self) -> int | str:
        """The descriptor of the folder, or its path."""
        return self._before if self._descriptor is None else self._descriptor

    def stat(self) -> os.stat_result:
        return os.stat(self._path, dir_fd=self._descriptor, follow_symlinks=False)

    def unlink(self) -> None:
        os.unlink(self._path, dir_fd=self._descriptor)

    def close(self) -> None:
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)

    @property
    def _path(self) -> str:
        return os.path.join(self._before, self.name)


def _remove(path: str, allowed: _Allowed) -> None:
    """Remove a file. A link is removed, not its target, which must be an allowed regular file too."""
    _check_regular(_status(path, allowed).st_mode, path, allowed)
    folder = _Folder(path, allowed, follow=False)
    try:
        mode = folder.stat().st_mode
        if not stat.S_ISLNK(mode):
            _check_regular(mode, path, allowed)
        folder.unlink()
    finally:
        folder.close()


# --- Facts ------------------------------------------------------------------------------------------------------------


def _list_folder(path: str, allowed: _Allowed, most: int) -> list[FileFacts]:
    """Return the entries of a folder, sorted by name: at most `most` and one more."""
    if os.scandir not in os.supports_fd:
        return _scan(allowed.resolve(path), path, allowed, most)
    descriptor = _open_checked(path, allowed, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        return _scan(descriptor, path, allowed, most)
    finally:
        os.close(descriptor)


def _scan(folder: int | str, path: str, allowed: _Allowed, most: int) -> list[FileFacts]:
    listed: list[FileFacts] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            where = os.path.join(path, entry.name)
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:  # removed after its name was read
                continue
            if entry.is_symlink():
                # A link that leads nowhere, or out of the allowed folders, is listed as a link.
                with suppress(OSError, PolicyDenied):
                    status = _status(where, allowed)
            listed.append(_facts(where, status))
            if len(listed) > most:
                break
    return sorted(listed, key=lambda facts: facts.path)


def _facts(path: str, status: Any) -> FileFacts:
    kind: Literal["file", "directory", "other"] = "other"
    if stat.S_ISREG(status.st_mode):
        kind = "file"
    elif stat.S_ISDIR(status.st_mode):
        kind = "directory"
    try:
        modified = datetime.fromtimestamp(status.st_mtime, UTC)
    except (OverflowError, ValueError, OSError):
        modified = datetime.fromtimestamp(0, UTC)  # a time that datetime cannot hold
    return FileFacts(path, kind, status.st_size, modified)
