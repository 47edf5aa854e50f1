"""The files of this machine: read, listed, written and removed, below the folders that the policy names.

A path is checked twice: when it is asked for, and on what was really opened, since a link may change in between. What
is written is nobody's until it is kept: closed before that, a new file vanishes and a longer one gets its old length.
"""

# A path is text as the URL gave it, and stays so: pathlib would tidy it before it is checked.
# ruff: noqa: PTH115, PTH116, PTH117, PTH118

from __future__ import annotations

import errno
import os
import secrets
import stat
from abc import ABC, abstractmethod
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from urlschemes.redaction import one_line
from urlschemes.storage import user_dirs
from urlschemes_access.attributes import FileFacts
from urlschemes_access.backends import primitives
from urlschemes_access.errors import PolicyDenied

__all__ = ["File", "FileStep", "perform_on_files"]

FileStep: TypeAlias = (
    primitives.OpenFile
    | primitives.Examine
    | primitives.ListFolder
    | primitives.Remove
    | primitives.Keep
    | primitives.Read
    | primitives.Write
)

WRITTEN = 1024 * 1024
"""Octets written at once, at most: the deadline is looked at between two writes."""

_SYSTEM_FOLDERS = ("/proc", "/sys", "/dev")
_BY_FOLDER = {os.open, os.stat, os.unlink, os.rename} <= os.supports_dir_fd  # names within a folder held open


def perform_on_files(step: FileStep) -> Any:
    """Perform a step on files: a few system calls, which block for a moment (an event loop gives them to a thread)."""
    match step:
        case primitives.OpenFile(path, folders, to):
            under = _Under(folders, "roots" if to == "read" else "writable")
            if to == "read":
                return File(_open_regular(path, under, os.O_RDONLY))
            return _Replacing(path, under) if to == "replace" else _Appending(path, under)
        case primitives.Examine(path, folders):
            return _facts(path, os.stat(_admitted(path, _Under(folders, "roots"))))
        case primitives.ListFolder(path, folders, most):
            return _list_folder(path, _Under(folders, "roots"), most)
        case primitives.Remove(path, folders):
            return _remove(path, _Under(folders, "writable"))
        case primitives.Keep(channel):
            return cast("_Output", channel).keep()
        case primitives.Read(channel, most):
            return os.read(cast("File", channel).descriptor, most)
        case primitives.Write(channel, octets):
            return cast("_Output", channel).write(octets)


# --- What may be reached ----------------------------------------------------------------------------------------------


class _Under(NamedTuple):
    """The folders below which something may be done, and the rule of the policy that names them."""

    folders: tuple[str, ...]
    rule: Literal["roots", "writable"]

    def check(self, real: str, path: str) -> None:
        """Raise PolicyDenied unless `real`, a path without links that `path` leads to, lies in one of the folders."""
        if any(_within(real, folder) for folder in _SYSTEM_FOLDERS):
            raise self.denied(f"'{one_line(path, 160)}' is the system's own")
        if not any(_within(real, os.path.realpath(folder)) for folder in self.folders):
            raise self.denied(
                f"'{one_line(path, 120)}' is under none of the folders allowed",
                hint=f"policy rule {self.rule!r}: add its folder to {self.rule}",
            )

    def denied(self, why: str, *, hint: str | None = None) -> PolicyDenied:
        return PolicyDenied(why, rule=self.rule, part="path", hint=hint)


def _within(real: str, folder: str) -> bool:
    return real == folder or real.startswith(folder.rstrip(os.sep) + os.sep)


def _admitted(path: str, under: _Under) -> str:
    """`path` without links, if it lies where it may. Raises PolicyDenied, whether or not anything is there."""
    if not os.path.isabs(path) or path.startswith(("//", "\\\\")):
        raise under.denied(f"'{one_line(path, 160)}' is no path on this machine")
    real = os.path.realpath(path)
    under.check(real, path)
    return real


def _open(real: str, flags: int) -> int:
    """A descriptor of what stands at `real`, which is no link."""
    return os.open(real, flags | user_dirs.PLAIN_FLAGS | getattr(os, "O_NOFOLLOW", 0))


def _open_checked(path: str, under: _Under, flags: int) -> int:
    """A descriptor of what `path` names, if what was opened lies where it may: a link may have changed meanwhile."""
    real = _admitted(path, under)
    descriptor = _open(real, flags)
    try:
        under.check(_path_of(descriptor, real), path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _path_of(descriptor: int, real: str) -> str:
    """Where the open file lies. Linux says it; elsewhere the path is looked up anew and must name the same file."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        again = os.path.realpath(real)
        if not os.path.samestat(os.stat(again), os.fstat(descriptor)):
            raise OSError("the file changed its place while it was opened") from None
        return again


def _open_regular(path: str, under: _Under, flags: int) -> int:
    # Looked at before it is opened: opening a FIFO or a device has effects already.
    _check_regular(os.stat(_admitted(path, under)).st_mode, path, under)
    descriptor = _open_checked(path, under, flags)
    try:
        _check_regular(os.fstat(descriptor).st_mode, path, under)
        if hasattr(os, "set_blocking"):
            os.set_blocking(descriptor, True)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _check_regular(mode: int, path: str, under: _Under) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISLNK(mode):  # what is looked at has no links left, but those that lead in a circle
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if not stat.S_ISREG(mode):
        raise under.denied(f"'{one_line(path, 160)}' is no regular file")


# --- Files that are open ----------------------------------------------------------------------------------------------


class File:
    """An open file, as a channel."""

    __slots__ = ("descriptor",)

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def address(self) -> tuple[str, int]:
        """A file has none: raises OSError."""
        raise OSError("a file has no address")

    def fileno(self) -> int:
        """The system's number of it."""
        return self.descriptor

    def close(self) -> None:
        """Close it; closing twice does nothing."""
        if self.descriptor >= 0:
            descriptor, self.descriptor = self.descriptor, -1
            os.close(descriptor)

    def abort(self) -> None:
        """The same: there is no other side."""
        self.close()


class _Output(File, ABC):
    """A file that is written to. What was written counts once `keep` has returned; `close` before that undoes it."""

    __slots__ = ("path", "written")

    def __init__(self, descriptor: int, path: str) -> None:
        super().__init__(descriptor)
        self.path = path
        self.written = 0

    def write(self, octets: memoryview) -> int:
        count = os.write(self.descriptor, octets[:WRITTEN])
        self.written += count
        return count

    def keep(self) -> FileFacts:
        """Let what was written stay, on the disk and not only in the system's memory; what is there now."""
        os.fsync(self.descriptor)
        facts = _facts(self.path, os.fstat(self.descriptor))
        self._settle()
        return facts

    def close(self) -> None:
        if self.descriptor >= 0:
            with suppress(OSError):  # nobody is left who could be told
                self._undo()
        super().close()

    @abstractmethod
    def _settle(self) -> None:
        """Close the file, and let what was written take its place."""

    @abstractmethod
    def _undo(self) -> None:
        """Let everything be as it was before the file was opened."""


class _Appending(_Output):
    """What is written goes to the end of the file; undone, it has its old length, unless others wrote to it as well."""

    __slots__ = ("start",)

    def __init__(self, path: str, under: _Under) -> None:
        super().__init__(_open_regular(path, under, os.O_WRONLY | os.O_APPEND), path)
        self.start = os.fstat(self.descriptor).st_size

    def _settle(self) -> None:
        File.close(self)

    def _undo(self) -> None:
        if os.fstat(self.descriptor).st_size == self.start + self.written:
            os.ftruncate(self.descriptor, self.start)


class _Replacing(_Output):
    """What is written goes to a new file in the same folder, which takes the place of the older one when it is kept."""

    __slots__ = ("beside", "folder", "name")

    def __init__(self, path: str, under: _Under) -> None:
        self.folder = _Folder(path, under)
        try:
            self.name = self.folder.name
            self.beside = f".{self.name[:60]}.{secrets.token_hex(4)}"  # 60 characters: at most 240 octets
            older = None
            with suppress(FileNotFoundError):
                older = self.folder.stat(self.name).st_mode
                _check_regular(older, path, under)
            # Never, not even for a moment, may others read what they could not read before; and what is new has not
            # earned the bits that let a program run as its owner.
            mode = 0o666 if older is None else stat.S_IMODE(older) & 0o777
            super().__init__(self.folder.create(self.beside, mode), path)
        except BaseException:
            self.folder.close()
            raise
        if older is not None and hasattr(os, "fchmod"):
            with suppress(OSError):  # some file systems have no modes
                os.fchmod(self.descriptor, mode)

    def _settle(self) -> None:
        File.close(self)  # first: some systems rename no open file
        try:
            self.folder.rename(self.beside, self.name)
        except OSError:
            self._remove()
            raise
        self.folder.close()

    def _undo(self) -> None:
        File.close(self)
        self._remove()

    def _remove(self) -> None:
        try:
            self.folder.unlink(self.beside)
        finally:
            self.folder.close()


class _Folder:
    """The folder that what `path` leads to lies in, held open where the system can do that; `name` is its name there.

    Raises PolicyDenied unless that lies where it may.
    """

    __slots__ = ("_before", "_descriptor", "name")

    def __init__(self, path: str, under: _Under, *, follow: bool = True) -> None:
        real = _admitted(path, under)
        if not follow:
            parent, name = os.path.split(path)
            real = os.path.join(os.path.realpath(parent), name)
            under.check(real, path)
        parent, self.name = os.path.split(real)
        self._descriptor: int | None = None
        self._before = parent
        if not self.name:
            _check_regular(stat.S_IFDIR, path, under)
        if _BY_FOLDER:
            self._descriptor = _open(parent, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
            self._before = ""
            try:
                under.check(os.path.join(_path_of(self._descriptor, parent), self.name), path)
            except BaseException:
                self.close()
                raise

    def stat(self, name: str) -> os.stat_result:
        return os.stat(self._at(name), dir_fd=self._descriptor, follow_symlinks=False)

    def create(self, name: str, mode: int) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | user_dirs.PLAIN_FLAGS
        return os.open(self._at(name), flags, mode, dir_fd=self._descriptor)

    def rename(self, name: str, to: str) -> None:
        os.replace(self._at(name), self._at(to), src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)

    def unlink(self, name: str) -> None:
        os.unlink(self._at(name), dir_fd=self._descriptor)

    def close(self) -> None:
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)

    def _at(self, name: str) -> str:
        return os.path.join(self._before, name)


def _remove(path: str, under: _Under) -> None:
    """Take the name away. Of a link, what it leads to stays, and must be a regular file that might have gone itself."""
    _check_regular(os.stat(_admitted(path, under)).st_mode, path, under)
    folder = _Folder(path, under, follow=False)
    try:
        mode = folder.stat(folder.name).st_mode
        if not stat.S_ISLNK(mode):
            _check_regular(mode, path, under)
        folder.unlink(folder.name)
    finally:
        folder.close()


# --- What the file system says ----------------------------------------------------------------------------------------


def _list_folder(path: str, under: _Under, most: int) -> list[FileFacts]:
    """At most one more than `most` entries, sorted by name."""
    if os.scandir not in os.supports_fd:
        return _scan(_admitted(path, under), path, under, most)
    descriptor = _open_checked(path, under, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        return _scan(descriptor, path, under, most)
    finally:
        os.close(descriptor)


def _scan(folder: int | str, path: str, under: _Under, most: int) -> list[FileFacts]:
    found: list[FileFacts] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            where = os.path.join(path, entry.name)
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:  # it went away after its name was read
                continue
            if entry.is_symlink():
                # One that leads nowhere, or out of the folders allowed, is shown as the link that it is.
                with suppress(OSError, PolicyDenied):
                    status = os.stat(_admitted(where, under))
            found.append(_facts(where, status))
            if len(found) > most:
                break
    return sorted(found, key=lambda facts: facts.path)


def _facts(path: str, status: Any) -> FileFacts:
    kind: Literal["file", "directory", "other"] = "other"
    if stat.S_ISREG(status.st_mode):
        kind = "file"
    elif stat.S_ISDIR(status.st_mode):
        kind = "directory"
    try:
        modified = datetime.fromtimestamp(status.st_mtime, UTC)
    except (OverflowError, ValueError, OSError):
        modified = datetime.fromtimestamp(0, UTC)  # a time beyond the calendar's
    return FileFacts(path, kind, status.st_size, modified)
