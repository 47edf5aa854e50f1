"""The folder of the pages: it is written, and written again, without losing a file of anybody else."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from urlschemes import URLError
from urlschemes.errors import members, require_type

__all__ = ["FolderRefused", "write"]

_MARK = "<!-- Written by `urlschemes site`, which replaces this file. -->\n\n"
_NAME = re.compile(r"[a-z0-9][a-z0-9+._-]*\.md")


class FolderRefused(URLError):
    """Pages cannot be written to the folder `folder`: other files are there, or the system refuses."""

    code = "folder-refused"

    def __init__(self, message: str, *, folder: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.folder = folder


def write(pages: Mapping[str, str], directory: str | os.PathLike[str]) -> None:
    """Write the `pages`, by their file names, to a folder that is new, empty, or contains only pages of this function.

    Old pages are replaced or removed. Raises FolderRefused: before anything is written, if the folder contains anything
    else; or if the system refuses.
    """
    require_type("pages", pages, Mapping)
    members("pages", (*pages, *pages.values()), str)
    folder = Path(directory)
    try:
        if not os.fspath(directory):
            raise ValueError("it has no name")
        for name in pages:
            if _NAME.fullmatch(name) is None:
                raise ValueError(f"a page cannot have the file name {name[:80]!r}")
        folder.mkdir(parents=True, exist_ok=True)
        old = sorted(folder.iterdir())
        for path in old:
            if not _is_page(path):
                raise FolderRefused(
                    f"the folder {directory} contains {path.name!r}, which is not a page of this command",
                    folder=str(directory),
                    hint="name a folder that is new or empty",
                )
        for path in old:
            path.unlink()
        for name, text in pages.items():
            (folder / name).write_text(_MARK + text, "utf-8", newline="\n")
    except (OSError, ValueError) as error:  # ValueError for a name with NUL
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise FolderRefused(f"the folder {directory} cannot be written: {reason}", folder=str(directory)) from error


def _is_page(path: Path) -> bool:
    """Return True if a file was written by `write`."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MARK)) == _MARK.encode()
