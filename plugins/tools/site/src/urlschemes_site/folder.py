"""The folder of a site: made, or made anew, and never at the cost of a file that is somebody else's.

A file beside the pages says which files are the site's, each with its hash. What it does not list is not touched; what
it lists and has another hash was changed by somebody, and is not touched either.
"""

from __future__ import annotations

import os
import re
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from urlschemes.errors import URLError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import NoReturn

__all__ = ["MARKER", "FolderRefused", "write"]

MARKER = "urlschemes-site.txt"
"""The file that says which files are the site's."""
_FIRST_LINE = "A site made by `urlschemes site`. The files below are its own, and are replaced when it is made anew."
_PART = "urlschemes-site.part"
_ENTRY = re.compile(r"([0-9a-f]{64})  ([a-z0-9][a-z0-9+._-]*\.html)")


class FolderRefused(URLError):
    """A site cannot be written to the folder `folder`: it holds something else, or cannot be written to."""

    code = "folder-refused"

    def __init__(self, message: str, *, folder: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.folder = folder


def write(pages: Mapping[str, str], directory: str | os.PathLike[str]) -> None:
    """Write the `pages`, by their file names, to a folder that is new, empty, or holds a site made by this function.

    Pages that the site had and has no more are removed. Raises FolderRefused, before anything is written, where a file
    that is not the site's, or that somebody has changed, is in the way; and where the system refuses.
    """
    folder = Path(directory)
    octets = {name: text.encode("utf-8") for name, text in sorted(pages.items())}
    try:
        if not os.fspath(directory):
            raise ValueError("it has no name")
        folder.mkdir(parents=True, exist_ok=True)
        old = _checked(folder, octets)
        made = {(sha256(content).hexdigest(), name) for name, content in octets.items()}
        # Until all is written, a page may be of the old site or of the new one: both are the site's.
        _replace(folder, MARKER, _listing(old | made))
        for name, content in octets.items():
            _replace(folder, name, content)
        for name in {name for _, name in old} - octets.keys():
            (folder / name).unlink(missing_ok=True)
        _replace(folder, MARKER, _listing(made))
    except (OSError, ValueError) as error:  # a ValueError for a name with NUL
        said = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise FolderRefused(
            f"{os.fspath(directory) or 'the folder'} cannot be written: {said}",
            folder=os.fspath(directory),
            hint="name a folder that you may write to, or one that is not there yet",
        ) from None


def _checked(folder: Path, pages: Iterable[str]) -> set[tuple[str, str]]:
    """The files of the site that the folder holds, by hash and name. Raises FolderRefused."""
    names = sorted(each.name for each in folder.iterdir())
    marker = folder / MARKER
    if MARKER not in names:
        if names and names != [_PART]:
            _refuse(folder, f"is not empty (it holds {names[0]!r}) and is no site made by this command", "another one")
        return set()
    first, *rest = marker.read_text("utf-8", "replace").splitlines() if _is_plain(marker) else [""]
    entries = {(found[1], found[2]) for line in rest if (found := _ENTRY.fullmatch(line))}
    if first != _FIRST_LINE or len(entries) != len(rest):
        _refuse(folder, f"has a file {MARKER} that this command did not write", "another one")
    listed = {name for _, name in entries}
    for name in names:
        if name in listed:
            if not _is_plain(folder / name) or (_hash(folder / name), name) not in entries:
                _refuse(folder, f"holds {name}, which was changed since the site was made", "move or delete that file")
        elif name in pages:
            _refuse(folder, f"holds {name}, which is not of the site", "move or delete that file")
    return entries


def _refuse(folder: Path, what: str, how: str) -> NoReturn:
    hint = "name a folder that is empty or not there yet" if how == "another one" else how
    raise FolderRefused(f"the folder {folder} {what}", folder=str(folder), hint=hint)


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _hash(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def _listing(entries: set[tuple[str, str]]) -> bytes:
    lines = [_FIRST_LINE, *(f"{digest}  {name}" for digest, name in sorted(entries, key=lambda each: each[::-1]))]
    return ("\n".join(lines) + "\n").encode()


def _replace(folder: Path, name: str, content: bytes) -> None:
    """Let the file hold `content`, all of it or what it held before."""
    part = folder / _PART
    part.unlink(missing_ok=True)
    with part.open("xb") as file:
        file.write(content)
    part.replace(folder / name)
