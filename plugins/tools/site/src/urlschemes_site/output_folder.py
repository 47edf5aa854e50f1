"""The folder of a site. It is written, and written again, without losing a file that does not belong to the site.

A marker file lists the files of the site with their hashes. Other files are not touched, and neither are files that
were changed since.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from urlschemes import URLError
from urlschemes.errors import members, require_type

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["MARKER", "FolderRefused", "write"]

MARKER = "urlschemes-site.txt"
"""The file that lists the files of the site."""
_FIRST_LINE = (
    "A site written by `urlschemes site`. The files below belong to it, and are replaced when it is written again."
)
_PART = "urlschemes-site.part"
_NAME = re.compile(r"[a-z0-9][a-z0-9+._-]*\.html")
_ENTRY = re.compile(rf"([0-9a-f]{{64}})  ({_NAME.pattern})")
_OTHER_FOLDER = "name a folder that is new or empty"
_MOVE_FILE = "move or delete that file"


class FolderRefused(URLError):
    """A site cannot be written to the folder `folder`: other files are in the way, or the system refuses."""

    code = "folder-refused"

    def __init__(self, message: str, *, folder: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.folder = folder


def write(pages: Mapping[str, str], directory: str | os.PathLike[str]) -> None:
    """Write the `pages`, by their file names, to a folder that is new, empty, or contains a site of this function.

    Pages that the site no longer has are removed. Raises FolderRefused, before anything is written, if a page would
    replace a file that is not of the site or was changed; and if the system refuses.
    """
    require_type("pages", pages, Mapping)
    members("pages", (*pages, *pages.values()), str)
    folder = Path(directory)
    contents = {name: text.encode("utf-8") for name, text in sorted(pages.items())}
    try:
        if not os.fspath(directory):
            raise ValueError("it has no name")
        for name in pages:
            if _NAME.fullmatch(name) is None:
                raise ValueError(f"a page cannot have the file name {name[:80]!r}")
        folder.mkdir(parents=True, exist_ok=True)
        old = _old_entries(folder, contents)
        new = {(sha256(content).hexdigest(), name) for name, content in contents.items()}
        # Until all is written, a page may be an old or a new one: both are listed.
        _replace(folder, MARKER, _listing(old | new))
        for name, content in contents.items():
            _replace(folder, name, content)
        for name in {name for _, name in old} - contents.keys():
            (folder / name).unlink(missing_ok=True)
        _replace(folder, MARKER, _listing(new))
    except (OSError, ValueError) as error:  # ValueError for a name with NUL
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise FolderRefused(
            f"{os.fspath(directory) or 'the folder'} cannot be written: {reason}",
            folder=os.fspath(directory),
            hint="name a new folder, or one that you may write to",
        ) from None


def _old_entries(folder: Path, pages: Collection[str]) -> set[tuple[str, str]]:
    """Return the hash and the name of each file of the site in the folder. Raises FolderRefused."""
    names = sorted(each.name for each in folder.iterdir())
    marker = folder / MARKER
    if MARKER not in names:
        if names and names != [_PART]:
            raise _refused(
                folder, f"is not empty and not a site of this command: it contains {names[0]!r}", _OTHER_FOLDER
            )
        return set()
    first, *rest = marker.read_text("utf-8", "replace").splitlines() if _is_plain(marker) else [""]
    entries = {(entry[1], entry[2]) for line in rest if (entry := _ENTRY.fullmatch(line))}
    if first != _FIRST_LINE or len(entries) != len(rest):
        raise _refused(folder, f"contains a file {MARKER} that this command did not write", _OTHER_FOLDER)
    listed = {name for _, name in entries}
    for name in names:
        if name in listed:
            if not _is_plain(folder / name) or (_hash(folder / name), name) not in entries:
                raise _refused(folder, f"contains {name}, which was changed after the site was written", _MOVE_FILE)
        elif name in pages:
            raise _refused(folder, f"contains {name}, which does not belong to the site", _MOVE_FILE)
    return entries


def _refused(folder: Path, reason: str, hint: str) -> FolderRefused:
    return FolderRefused(f"the folder {folder} {reason}", folder=str(folder), hint=hint)


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _hash(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def _listing(entries: set[tuple[str, str]]) -> bytes:
    lines = [_FIRST_LINE, *(f"{digest}  {name}" for digest, name in sorted(entries, key=lambda each: each[::-1]))]
    return ("\n".join(lines) + "\n").encode()


def _replace(folder: Path, name: str, content: bytes) -> None:
    """Write a file completely, or leave it as it was."""
    part = folder / _PART
    part.unlink(missing_ok=True)
    with part.open("xb") as file:
        file.write(content)
    part.replace(folder / name)
