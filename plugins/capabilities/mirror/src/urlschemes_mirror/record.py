"""The record of a mirror, `.urlschemes-mirror.json` in its folder: which files were saved, and from where."""

from __future__ import annotations

import json
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from urlschemes.redaction import one_line
from urlschemes.storage import user_dirs
from urlschemes_access.errors import AccessError

if TYPE_CHECKING:
    import os

    from urlschemes_access import Entry
    from urlschemes_mirror.folders import Folder

__all__ = ["RECORD", "Record", "SavedFile"]

RECORD = ".urlschemes-mirror.json"
"""The name of the record. No name made from a URL begins with a dot."""
MAX_RECORD = 256 * 1024 * 1024
"""Octets of a record."""
PAUSE = 2.0
"""Seconds between two writes of the record."""

_HINT = "choose an empty or a new folder"


class SavedFile(NamedTuple):
    """A file that was saved: its path in the folder, its size, and what the listing said of it."""

    path: str
    octets: int
    size: int | None
    modified: str | None

    @classmethod
    def of(cls, path: str, octets: int, entry: Entry) -> SavedFile:
        """Return the file saved for an entry of a listing."""
        return cls(path, octets, entry.size, entry.modified.isoformat() if entry.modified else None)

    def is_current(self, path: str, status: os.stat_result, entry: Entry, *, refresh: bool) -> bool:
        """Return True if the file is there, complete, and listed as before; `refresh`: only if the listing tells."""
        if self.path != path or self.octets != status.st_size:
            return False
        if entry.size is None and entry.modified is None:
            return not refresh
        return self == SavedFile.of(path, self.octets, entry)


class Record:
    """The record in the folder of a mirror of `url`, a text without a password. Nothing is written before `write`.

    Raises AccessError unless the folder is empty or holds the record of a mirror of the same URL.
    """

    def __init__(self, folder: Folder, url: str) -> None:
        self._folder = folder
        self._url = url
        self._written = monotonic()
        self._changed = True
        self.files: dict[str, SavedFile] = {}
        shown = one_line(str(folder.path), 160)
        if folder.status(RECORD) is None:
            if not folder.is_empty():
                raise AccessError(f"'{shown}' is neither empty nor a mirror: it has no {RECORD}", hint=_HINT)
        else:
            before = self._read()
            if before != url:
                raise AccessError(f"'{shown}' is a mirror of {one_line(str(before), 160)}", hint=_HINT)

    def add(self, url: str, file: SavedFile) -> None:
        """Add a file that was saved for a URL without a password."""
        self.files[url] = file
        self._changed = True
        if monotonic() - self._written > PAUSE:
            self.write()

    def write(self) -> None:
        """Write the record, if it has changed. Raises AccessError."""
        if self._changed:
            files = {url: file._asdict() for url, file in self.files.items()}
            self._folder.write(RECORD, json.dumps({"url": self._url, "files": files}, indent=0).encode())
            self._changed = False
        self._written = monotonic()

    def _read(self) -> Any:
        """Read the files, and return the URL. Raises AccessError if the record is damaged."""
        try:
            described = json.loads(user_dirs.read_own(self._folder.file(RECORD), MAX_RECORD))
            for url, file in described["files"].items():
                saved = SavedFile(**file)
                if type(saved.path) is not str:
                    raise ValueError("a path must be a text")
                self.files[url] = saved
            return described["url"]
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
            reason = getattr(fault, "strerror", None) or "it is damaged"
            raise AccessError(
                f"cannot use '{one_line(str(self._folder.path / RECORD), 160)}': {reason}", hint=_HINT
            ) from None
