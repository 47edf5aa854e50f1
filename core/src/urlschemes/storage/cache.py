"""The cache: values that take long to compute, as JSON, followed by a checksum, in the user's cache folder.

`URLSCHEMES_CACHE` names another folder, or is `none`. Folder and file count only if this user owns them and no other
user can write them; neither may be a link. A file that is damaged, or cannot be read or written, is not an error: the
value is then computed again.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from time import time_ns
from typing import Any
from zlib import crc32

from urlschemes.storage import user_dirs
from urlschemes.version import __version__

VARIABLE = "URLSCHEMES_CACHE"
"""The variable that names the folder, or is `none`."""

MAX_OCTETS = 8 * 1024 * 1024
"""Octets that a file may have: enough for more than ten thousand plugins."""

MAX_FILES = 512
"""Files that the folder may hold; when there are more, the older half is deleted."""

SETTLED_AFTER = 2_000_000_000
"""Nanoseconds after which another change would show in a file's times, on every file system in use."""

_NAME = "*-{}.cache".format("[0-9a-f]" * 8)
_in_memory: dict[tuple[str, str], Any] = {}


def folder() -> str | None:
    """Return the cache folder, whether it exists or not; None if there is none."""
    configured = os.environ.get(VARIABLE, "")
    if not configured:
        return user_dirs.folder("cache", os.environ)
    return configured if os.path.isabs(configured) else None


def key_of(packages: Iterable[str], *values: Any) -> str:
    """Return a key of `values` that Python and the code of `packages` compute."""
    return json.dumps([sys.version, *map(_code_of, packages), *values], default=str)


@functools.cache
def _code_of(package: str) -> list[tuple[str, int, int]]:
    """Return the state of the files in `package`: in a checkout they change without the version."""
    try:
        files = [file for folder in sys.modules[package].__path__ for file in os.scandir(folder) if file.is_file()]
        return sorted((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)
    except OSError:  # they are in an archive, whose content does not change within a version
        return []


def state_of(paths: Iterable[str]) -> list[list[Any]]:
    """Return each path with its inode, size, time of modification and time of change, which tell that it changed."""
    state: list[list[Any]] = []
    for path in paths:
        try:
            found = os.stat(path or os.curdir)
        except (OSError, ValueError):  # ValueError for a NUL
            state.append([path, 0, 0, 0, 0])
        else:
            state.append([path, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns])
    return state


def made_of(paths: Iterable[str], kind: str, key: str, compute: Callable[[], tuple[Any, Iterable[str]]]) -> Any:
    """Return the value that `compute` returns, before the paths that it was made of besides `paths`.

    It is computed once, in this process and in others, until one of the paths changes.
    """
    state = state_of(paths)
    kept = _in_memory.get((kind, key)) or load(kind, key) or [None, [], None]
    if kept[0] != state or kept[1] != state_of(path for path, *_ in kept[1]):
        value, others = compute()
        kept = [state, state_of(others), value]
        if any(changed >= time_ns() - SETTLED_AFTER for *_, changed in [*kept[0], *kept[1]]):
            return value
        store(kind, key, kept)
    _in_memory[kind, key] = kept
    return kept[2]


def load(kind: str, key: str) -> Any:
    """Return the value that was stored as `kind` under `key` by this version of the core, or None."""
    try:
        path = _path(kind, key)
        with user_dirs.own_dir(os.path.dirname(path)) as descriptor:
            octets = user_dirs.read_own(path, MAX_OCTETS, within=descriptor)
        body, checksum = octets[:-8], int(octets[-8:], 16)
        version, stored_key, value = json.loads(body)
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    return value if (version, stored_key, checksum) == (__version__, key, crc32(body)) else None


def store(kind: str, key: str, value: Any) -> None:
    """Store `value`, which JSON can represent, for `load` with the same arguments."""
    octets = json.dumps([__version__, key, value], separators=(",", ":")).encode()
    with suppress(OSError):  # a full disk, a read-only home
        path = _path(kind, key)
        os.makedirs(where := os.path.dirname(path), mode=0o700, exist_ok=True)
        with user_dirs.own_dir(where):
            _delete_older_half(where)
            user_dirs.write_own(path, octets + b"%08x" % crc32(octets))


def _path(kind: str, key: str) -> str:
    """Return the path of the file, which names its key: two keys may have one. Raises OSError if there is no cache."""
    if (where := folder()) is None:
        raise FileNotFoundError
    return os.path.join(where, f"{kind}-{crc32(key.encode('utf-8', 'surrogatepass')):08x}.cache")


def _delete_older_half(where: str) -> None:
    """Delete the older half of the cache's own files if there are too many."""
    from pathlib import Path  # only a process that stores something needs it

    files = [(file.stat().st_mtime, file) for file in Path(where).glob(_NAME)]
    for _, file in sorted(files)[: MAX_FILES // 2] if len(files) >= MAX_FILES else ():
        file.unlink(missing_ok=True)
