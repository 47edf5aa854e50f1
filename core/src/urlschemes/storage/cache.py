"""The cache: JSON files in this user's cache folder, so that the next process need not compute the same again.

`URLSCHEMES_CACHE` names another folder, or is `none`. A file counts only if this user owns it and nobody else can write
to it. A file that cannot be read, or not be written, is no error: the value is then computed again.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

from urlschemes.storage import user_dirs
from urlschemes.version import __version__

__all__ = ["VARIABLE", "folder", "load", "store"]

VARIABLE = "URLSCHEMES_CACHE"
"""The variable that names the folder, or is `none`."""

MAX_OCTETS = 8 * 1024 * 1024
"""Octets that a file may have: enough for more than ten thousand plugins."""

MAX_FILES = 512
"""Files that the folder may hold; when there are more, the older half is deleted."""


def folder() -> Path | None:
    """Return the cache folder, whether it exists or not; None if there is none."""
    configured = os.environ.get(VARIABLE, "")
    if not configured:
        return user_dirs.folder("cache", os.environ)
    return None if configured.strip().lower() == "none" or not os.path.isabs(configured) else Path(configured)


def load(kind: str, key: str) -> Any:
    """Return the value that was stored as `kind` under `key` by this version, or None."""
    path = _path(kind, key)
    if path is None:
        return None
    try:
        return json.loads(user_dirs.read_own(path, MAX_OCTETS))
    except (OSError, ValueError, RecursionError):
        return None


def store(kind: str, key: str, value: Any) -> None:
    """Store `value`, which JSON can hold, for `load` with the same arguments."""
    path = _path(kind, key)
    if path is None:
        return
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_room(path.parent)
        user_dirs.write_own(path, json.dumps(value, separators=(",", ":")).encode())
    except OSError:  # a full disk, a read-only home
        return


def _path(kind: str, key: str) -> Path | None:
    where = folder()
    digest = sha256(f"{__version__} {key}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return None if where is None else where / f"{kind}-{digest}.json"


def _make_room(where: Path) -> None:
    files = [(file.stat().st_mtime, file) for file in where.glob("*-*.json")]
    if len(files) >= MAX_FILES:
        for _, file in sorted(files)[: MAX_FILES // 2]:
            file.unlink(missing_ok=True)
