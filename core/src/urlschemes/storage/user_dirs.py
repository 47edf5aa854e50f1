"""The folders of this user, and access to files in them that no other user can change.

            Linux and others                     macOS                              Windows
    config  $XDG_CONFIG_HOME, ~/.config          ~/Library/Application Support      %APPDATA%
    data    $XDG_DATA_HOME, ~/.local/share       ~/Library/Application Support      %LOCALAPPDATA%
    cache   $XDG_CACHE_HOME, ~/.cache            ~/Library/Caches                   %LOCALAPPDATA%

each with `urlschemes` appended. A variable counts if it holds an absolute path; those of the first column count on
macOS too. Owner and permissions are checked on the open file or folder, not on its name. Windows does not report them
in the mode of a file: there, every file is trusted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from stat import S_IRWXG, S_IRWXO, S_ISREG, S_IWGRP, S_IWOTH
from typing import Literal, TypeAlias

__all__ = [
    "PLAIN_FLAGS",
    "UnsafeFileError",
    "check_writers",
    "folder",
    "is_owned",
    "open_own",
    "open_regular",
    "own_dir",
    "read_own",
    "write_own",
]

AnyPath: TypeAlias = "str | os.PathLike[str]"
Kind: TypeAlias = Literal["config", "data", "cache"]
Writers: TypeAlias = Literal["user", "root", "any"]

PLAIN_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
"""Flags with which opening a file waits for no pipe, takes no controlling terminal, and translates no line ends."""

_FOLDERS = {
    "config": ("XDG_CONFIG_HOME", ".config", "Library/Application Support", "APPDATA"),
    "data": ("XDG_DATA_HOME", ".local/share", "Library/Application Support", "LOCALAPPDATA"),
    "cache": ("XDG_CACHE_HOME", ".cache", "Library/Caches", "LOCALAPPDATA"),
}


class UnsafeFileError(OSError):
    """A file or folder that must not be used. `strerror` says why; `hint`, if there is one, what to do."""

    def __init__(self, reason: str, hint: str | None = None) -> None:
        super().__init__(reason)
        self.strerror = reason
        self.hint = hint


def folder(kind: Kind, environ: Mapping[str, str]) -> str | None:
    """Return the folder of this user's files of that kind, whether it exists or not; None if it is unknown."""
    variable, usual, mac, windows = _FOLDERS[kind]
    if sys.platform == "win32":
        base = environ.get(windows, "")
    else:
        base = environ.get(variable, "")
        if not os.path.isabs(base):  # the specification of these variables asks for absolute paths
            home = environ.get("HOME") or os.path.expanduser("~")
            base = os.path.join(home, mac if sys.platform == "darwin" else usual)
    return os.path.join(base, "urlschemes") if os.path.isabs(base) else None


@contextmanager
def own_dir(path: str) -> Iterator[int | None]:
    """Open a folder that only this user can write, and not by a link; yield its descriptor, or None on Windows.

    Raises OSError: UnsafeFileError if another user owns the folder or can write it.
    """
    if sys.platform == "win32":
        yield None
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if fault := _fault(os.fstat(descriptor)):
            raise UnsafeFileError(*fault)
        yield descriptor
    finally:
        os.close(descriptor)


def check_writers(path: AnyPath) -> None:
    """Raise UnsafeFileError if other users than this one and `root` can write a file or folder, OSError without it."""
    if fault := _fault(os.stat(path), writers="root"):
        raise UnsafeFileError(*fault)


def is_owned(path: AnyPath) -> bool:
    """Return True if a file or folder is there, and only this user and `root` can write it."""
    try:
        check_writers(path)
    except OSError:
        return False
    return True


def open_regular(path: AnyPath, flags: int = os.O_RDONLY, mode: int = 0o600) -> int:
    """Open a regular file and return its descriptor; `mode` is that of a file that is created.

    Raises OSError: UnsafeFileError if `path` is not a regular file.
    """
    return _open(path, flags, mode)[0]


def open_own(
    path: AnyPath, max_octets: int, *, writers: Writers = "user", secret: bool = False, within: int | None = None
) -> int:
    """Open a regular file for reading and return its descriptor.

    `writers` says who may be able to write the file: only this user, `root` too, or `any` user. A `secret` file must
    not be readable by others. `within` is the descriptor of its folder: the file is then opened in that folder, and no
    link is followed. Raises OSError: UnsafeFileError if the file exists and must not be used, or is longer than
    `max_octets`.
    """
    descriptor, status = _open(path, os.O_RDONLY, within=within)
    if fault := _fault(status, max_octets, writers, secret=secret):
        os.close(descriptor)
        raise UnsafeFileError(*fault)
    return descriptor


def read_own(
    path: AnyPath, max_octets: int, *, writers: Writers = "user", secret: bool = False, within: int | None = None
) -> bytes:
    """Return the content of a file. Arguments and errors are those of `open_own`."""
    with os.fdopen(open_own(path, max_octets, writers=writers, secret=secret, within=within), "rb") as file:
        return file.read(max_octets)


def write_own(path: AnyPath, octets: bytes) -> None:
    """Write a file that only this user can read or write, as a whole or not at all. Raises OSError."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.{os.urandom(4).hex()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | PLAIN_FLAGS, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(octets)
        os.replace(temporary, path)
    finally:
        with suppress(FileNotFoundError):  # unless something failed, it has its name now
            os.unlink(temporary)


def _open(path: AnyPath, flags: int, mode: int = 0o600, within: int | None = None) -> tuple[int, os.stat_result]:
    try:
        if within is not None:
            path, flags = os.path.basename(path), flags | os.O_NOFOLLOW
        descriptor = os.open(path, flags | PLAIN_FLAGS, mode, dir_fd=within)
    except ValueError:  # a NUL, or a character that the system's encoding lacks
        raise UnsafeFileError("no file can have such a path") from None
    status = os.fstat(descriptor)
    if not S_ISREG(status.st_mode):
        os.close(descriptor)
        raise UnsafeFileError("it is not a regular file")
    return descriptor, status


def _fault(
    status: os.stat_result, max_octets: int = sys.maxsize, writers: Writers = "user", *, secret: bool = False
) -> tuple[str, str | None] | None:
    """Return why a file or folder with this status must not be used and what to do, or None if it may."""
    if status.st_size > max_octets:
        return f"it is longer than {max_octets} octets", None
    if writers == "any" or sys.platform == "win32":
        return None
    if status.st_uid != os.geteuid() and (writers != "root" or status.st_uid != 0):
        return "it belongs to another user", None
    if secret and status.st_mode & (S_IRWXG | S_IRWXO):
        return "other users can read it", "run chmod 600 on it"
    if status.st_mode & (S_IWGRP | S_IWOTH):
        return "other users can write it", "run chmod go-w on it"
    return None
