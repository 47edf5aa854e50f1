"""NewFile: a file that is written beside the one that it replaces, so that readers find the old or the new content."""

# `folder` may be a descriptor, which pathlib has no calls for.
# ruff: noqa: PTH118

from __future__ import annotations

import os
from contextlib import suppress

from urlschemes.storage import user_dirs

__all__ = ["NewFile"]


class NewFile:
    """A new file in `folder`, with a temporary name that cannot be guessed. `commit` renames it to `name`.

        file = NewFile("/srv/pub", "motd")
        try:
            file.create()
            file.write(b"Welcome.")
            file.commit()
        finally:
            file.discard()

    `folder` is a path, or the descriptor of an open folder. The file has the permissions of the one that it replaces,
    without setuid, and never more; if there is none, those of `mode` that the umask leaves. A link of that name is
    replaced, not followed. Every method but `discard` raises OSError.
    """

    def __init__(self, folder: int | str | os.PathLike[str], name: str, mode: int = 0o666) -> None:
        self._folder: int | None
        self._folder, before = (folder, "") if isinstance(folder, int) else (None, os.fspath(folder))
        self._target = os.path.join(before, name)
        # 60 characters: at most 240 octets
        self._temporary = os.path.join(before, f".{name[:60]}.{os.urandom(4).hex()}")
        self._mode = mode
        self.descriptor = -1
        """The descriptor of the file while it is open, otherwise -1."""

    def create(self) -> None:
        """Create the file."""
        mode = None
        with suppress(OSError):
            mode = os.stat(self._target, dir_fd=self._folder).st_mode & 0o777
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | user_dirs.PLAIN_FLAGS
        self.descriptor = os.open(self._temporary, flags, self._mode if mode is None else mode, dir_fd=self._folder)
        if mode is not None and hasattr(os, "fchmod"):
            with suppress(OSError):  # some file systems have no modes
                os.fchmod(self.descriptor, mode)

    def write(self, octets: bytes) -> None:
        """Append octets."""
        rest = memoryview(octets)
        while rest:
            rest = rest[os.write(self.descriptor, rest) :]

    def commit(self) -> None:
        """Close the file and give it its name; if that fails, remove it."""
        try:
            self._close()  # first: some systems rename no open file
            os.replace(self._temporary, self._target, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except BaseException:
            self._remove()
            raise

    def discard(self) -> None:
        """Close and remove the file, if it was created and not committed."""
        if self.descriptor >= 0:
            with suppress(OSError):
                self._close()
            self._remove()

    def _close(self) -> None:
        descriptor, self.descriptor = self.descriptor, -1
        os.close(descriptor)

    def _remove(self) -> None:
        with suppress(OSError):
            os.unlink(self._temporary, dir_fd=self._folder)
