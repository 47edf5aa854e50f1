"""Files of the user's own: the folders that they lie in, and when what one says may be believed.

            Linux and others                     macOS                              Windows
    config  $XDG_CONFIG_HOME, ~/.config          ~/Library/Application Support      %APPDATA%
    data    $XDG_DATA_HOME, ~/.local/share       ~/Library/Application Support      %LOCALAPPDATA%
    cache   $XDG_CACHE_HOME, ~/.cache            ~/Library/Caches                   %LOCALAPPDATA%

and there `urlschemes`. A variable counts where it holds a whole path; those of the first column do on macOS too.

What is asked of a file is asked of the one that was opened, not of what its name led to before. On Windows its modes
say neither whose it is nor who may write to it: there every file is believed.
"""

# A first URL waits for this: pathlib would cost more than all the rest.
# ruff: noqa: PTH105, PTH108, PTH111, PTH117, PTH118

from __future__ import annotations

import os
import sys
from stat import S_IRWXG, S_IRWXO, S_ISREG, S_ISVTX, S_IWGRP, S_IWOTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypeAlias

    Kind: TypeAlias = Literal["config", "data", "cache"]
    Writers: TypeAlias = Literal["user", "root", "any"]

__all__ = [
    "NO_LINKS",
    "PLAINLY",
    "UnsafeFileError",
    "belongs",
    "folder",
    "is_own",
    "keeps_what_is_in_it",
    "opened",
    "opened_own",
    "read_own",
    "write_own",
]

PLAINLY = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
"""Flags with which to open something waits for nobody, takes no terminal, and changes no octet."""

NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
"""The flag with which a link in place of the file is an error, where the system has it."""

_FOLDERS = {
    "config": ("XDG_CONFIG_HOME", ".config", "Library/Application Support", "APPDATA"),
    "data": ("XDG_DATA_HOME", ".local/share", "Library/Application Support", "LOCALAPPDATA"),
    "cache": ("XDG_CACHE_HOME", ".cache", "Library/Caches", "LOCALAPPDATA"),
}


class UnsafeFileError(OSError):
    """A file that must not be used. `strerror` says why, and `hint` what to do about it, if anything can be done."""

    def __init__(self, why: str, hint: str | None = None) -> None:
        super().__init__(why)
        self.strerror = why
        self.hint = hint


def folder(kind: Kind, environ: Mapping[str, str]) -> str | None:
    """Where this user's files of that kind lie, whether or not there is such a folder; None where none can be."""
    variable, usual, mac, windows = _FOLDERS[kind]
    if sys.platform == "win32":
        base = environ.get(windows, "")
    else:
        base = environ.get(variable, "")
        if not os.path.isabs(base):  # so says the specification of that variable
            home = environ.get("HOME") or os.path.expanduser("~")
            base = os.path.join(home, *(mac if sys.platform == "darwin" else usual).split("/"))
    return os.path.join(base, "urlschemes") if os.path.isabs(base) else None


def belongs(status: os.stat_result) -> bool:
    """Whether it is this user's, whoever may write to it."""
    return _user() in {None, status.st_uid}


def is_own(status: os.stat_result) -> bool:
    """Whether it is this user's, and nobody else may write to it."""
    return _fault(status, "user") is None


def keeps_what_is_in_it(status: os.stat_result) -> bool:
    """Whether nobody but this user and root can put something else in the place of what lies in a folder."""
    if sys.platform == "win32":
        return True
    others = status.st_mode & (S_IWGRP | S_IWOTH)
    return (belongs(status) or status.st_uid == 0) and not (others and not status.st_mode & S_ISVTX)


def opened(path: str, flags: int = os.O_RDONLY, mode: int = 0o600) -> int:
    """A descriptor of the file at `path`, which is a regular one; `mode` is that of a file that is made.

    Raises OSError, also for a path that can be none: UnsafeFileError.
    """
    return _opened(path, flags, mode)[0]


def read_own(path: str, most: int, *, writers: Writers = "user", secret: bool = False, links: bool = True) -> bytes:
    """What the file holds, which is at most `most` octets. The rest is as for `opened_own`."""
    descriptor = opened_own(path, most, writers=writers, secret=secret, links=links)
    try:
        length = os.fstat(descriptor).st_size
        octets = os.read(descriptor, min(length, most) + 1)
        if len(octets) > length:  # it has grown, or its length is told by nobody
            while len(octets) <= most and (more := os.read(descriptor, 65536)):
                octets += more
    finally:
        os.close(descriptor)
    if len(octets) > most:
        raise _too_long(most)
    return octets


def opened_own(path: str, most: int, *, writers: Writers = "user", secret: bool = False, links: bool = True) -> int:
    """A descriptor to read the file by, which is at most `most` octets long.

    `writers` is who may be able to write to it: this user alone, `root` as well, or `any`body. What is `secret`
    must be closed to all others. Without `links` it must be no link. Raises OSError: UnsafeFileError where the file
    is there and must not be used.
    """
    descriptor, status = _opened(path, os.O_RDONLY if links else os.O_RDONLY | NO_LINKS)
    fault = _fault(status, writers, secret=secret)
    if fault is None and status.st_size <= most:
        return descriptor
    os.close(descriptor)
    raise UnsafeFileError(*fault) if fault else _too_long(most)


def _too_long(most: int) -> UnsafeFileError:
    return UnsafeFileError(f"it is longer than {most} octets")


def write_own(path: str, octets: bytes) -> None:
    """Make a file of this user's, for nobody else to read or write: there as a whole, or as it was. Raises OSError."""
    where, name = os.path.split(path)
    beside = os.path.join(where, f".{name}.{os.getpid()}.{os.urandom(4).hex()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINKS | PLAINLY, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(octets)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def _opened(path: str, flags: int, mode: int = 0o600) -> tuple[int, os.stat_result]:
    try:
        descriptor = os.open(path, flags | PLAINLY, mode)
    except ValueError:  # a NUL, or what the system's encoding has no octets for
        raise UnsafeFileError("there can be no such path") from None
    try:
        status = os.fstat(descriptor)
        if not S_ISREG(status.st_mode):
            raise UnsafeFileError("it is no regular file")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, status


def _fault(status: os.stat_result, writers: Writers, *, secret: bool = False) -> tuple[str, str | None] | None:
    """Why what has this status must not be used, and what to do about it."""
    if writers == "any" or sys.platform == "win32":
        return None
    if not belongs(status) and (writers != "root" or status.st_uid != 0):
        return "it belongs to somebody else, who decides what it says", None
    if secret and status.st_mode & (S_IRWXG | S_IRWXO):
        return "it is open to others", "chmod 600 on that file"
    if status.st_mode & (S_IWGRP | S_IWOTH):
        return "others may write it, and so decide what it says", "chmod go-w on that file"
    return None


def _user() -> int | None:
    """The user that this process works for; None where files have no owners. -1, which nobody is, in doubt."""
    if sys.platform == "win32":
        return None
    user = os.geteuid()
    return user if user == os.getuid() else -1
