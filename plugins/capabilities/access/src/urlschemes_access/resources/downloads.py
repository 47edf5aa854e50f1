"""Downloads that continue where an earlier one was interrupted.

The octets received are in `NAME.part`, beside the file that they become. `NAME.part.json` says of which resource, and
how to tell whether it is still the same.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import Any, Self

from urlschemes.redaction import one_line, redact
from urlschemes.storage import user_dirs
from urlschemes.url.value import URL
from urlschemes_access.attributes import Attributes
from urlschemes_access.backends.worker_threads import Work
from urlschemes_access.errors import AccessError, DeadlineExceeded
from urlschemes_access.protocol.ranges import Range, decide

__all__ = ["Download", "Part"]

MAX_DESCRIPTION = 64 * 1024
"""Octets of a `NAME.part.json`."""
_KEPT_FIELDS = ("etag", "date")


@dataclass(frozen=True, slots=True)
class Download:
    """A download that is complete: the file, and its size in octets.

    `start` counts the octets that were there before, from an earlier download. `begun_anew` says why such octets were
    not used; None if they were, or if there were none.
    """

    path: Path
    size: int
    start: int = 0
    begun_anew: str | None = None


class Part:
    """The part of the resource at `url` that was received, or will be, for the file `target`; use it in a `with` block.

        with Part("big.iso", url) as part:
            if part.needs_attributes:
                part.compare(client.find_attributes(url))
            with client.access(url, range=part.range) as document:
                download = document.save_part(part)

    `range` is what is missing. Links are never followed, and no other program's part is changed. To find what an
    earlier download left may take `timeout` seconds. Raises AccessError, DeadlineExceeded.
    """

    def __init__(self, target: str | os.PathLike[str], url: URL | str, *, timeout: float | None = None) -> None:
        self.target = Path(target)
        if not self.target.name:
            raise AccessError(f"'{one_line(str(target), 160)}' names no file")
        self.path = self.target.with_name(f"{self.target.name}.part")
        self.range = Range(unchanged=Attributes())
        self.needs_attributes = False
        """True if the target may be a part that another program left: `compare` decides."""
        self._description = self.target.with_name(f"{self.target.name}.part.json")
        self._url = redact(str(url))
        self._file: FileIO | None = None
        self._target_status: os.stat_result | None = None
        self._begun_anew: str | None = None
        self._finished = False
        self._timeout = timeout
        self.work = Work()

    @property
    def size(self) -> int:
        """The octets that are kept for the next download."""
        try:
            return os.lstat(self.path).st_size
        except OSError:
            return 0

    def __enter__(self) -> Self:
        with self._system_errors(self.path):
            try:
                if self._timeout is None:
                    self._open()
                else:
                    self.work.begin(self._open).result(self._timeout)
            except BaseException as fault:
                self.close()
                if self._timeout is None or not isinstance(fault, TimeoutError) or fault.errno is not None:
                    raise
                late = "the deadline passed while waiting for local file"
                raise DeadlineExceeded(late, phase="local file") from None
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def compare(self, attributes: Attributes) -> None:
        """Continue the target, if it is newer than the resource, which has these attributes, and not longer."""
        status = self._target_status
        assert status is not None
        self.needs_attributes = False
        if attributes.modified is None:
            self._begin_anew("it is unknown when the resource was modified")
        elif attributes.modified.timestamp() >= status.st_mtime:
            self._begin_anew("the resource is newer than the file")
        else:
            self._continue(status.st_size, attributes)

    def begin(self, attributes: Attributes) -> None:
        """Prepare to write octets of the document that has these attributes. Call this, `write` and `finish` in order.

        What was received before is kept if the document begins there. Raises AccessError if its scheme delivered the
        rest of another resource.
        """
        with self._system_errors(self.path):
            start, rest = attributes.start, attributes.size
            if start:
                assert start == self.range.start
                whole = replace(attributes, size=None if rest is None else start + rest)
                if reason := decide(self.range, whole, compared=True).reason:
                    raise AccessError(f"'{one_line(str(self.path), 160)}' cannot be continued: {reason}")
                if self._file is None and attributes.size != 0:
                    self._use_target()
                return
            if self.range.start:
                reason = decide(self.range, attributes).reason
                self._begin_anew(reason or "the server ignored the request for the rest, or has no ranges")
            if self._file is None:
                self._file = self._create()
            self._file.truncate(0)
            user_dirs.write_own(self._description, self._described(attributes))

    def write(self, octets: bytes) -> None:
        """Append octets to the part."""
        assert self._file is not None
        with self._system_errors(self.path):
            rest = memoryview(octets)
            while rest:
                rest = rest[self._file.write(rest) :]

    def finish(self) -> Download:
        """Give the complete part the name of the target, and return what was done."""
        with self._system_errors(self.target):
            if self._file is not None:
                self._set_permissions(self._file)
                if os.name == "nt":  # it renames no open file
                    self._file.close()
                self.path.replace(self.target)
                self._finished = True
            with suppress(FileNotFoundError):
                self._description.unlink()
            size = self.target.stat().st_size
        return Download(self.target, size, self.range.start, self._begun_anew)

    def close(self) -> None:
        """Close the part, as soon as nothing is written any more. It stays, unless it is empty.

        Closing twice does nothing.
        """
        self.work.clean_up(self._close)

    def _close(self) -> None:
        if self._file is None:
            return
        file, self._file = self._file, None
        if not self._finished and not self.size:
            for path in (self.path, self._description):
                with suppress(OSError):
                    path.unlink()
        with suppress(OSError):
            file.close()

    def _open(self) -> None:
        """Find what an earlier download left."""
        if not os.path.lexists(self.path):
            with suppress(FileNotFoundError):
                status = self.target.lstat()
                if not stat.S_ISREG(status.st_mode) or not status.st_size:
                    return
                if not _is_own(status):
                    self._begin_anew("the file is another user's, or has two names")
                    return
                self._target_status = status
                self.needs_attributes = True
            return
        if self.path.is_symlink():
            raise AccessError(f"'{one_line(str(self.path), 160)}' is a link, which is not followed", hint="remove it")
        self._file = self._open_own(self.path)
        size = os.fstat(self._file.fileno()).st_size
        if not size:
            return
        described = self._described_before()
        attributes = None if described is None else _attributes_of(described)
        if described is None or attributes is None:
            self._begin_anew(f"{self._description.name} is damaged")
        elif described.get("url") != self._url:
            self._begin_anew(f"{self.path.name} is a part of another URL")
        else:
            self._continue(size, attributes)

    def _continue(self, size: int, attributes: Attributes) -> None:
        """Continue after `size` octets of the resource that has these attributes, unless it has fewer."""
        wanted = Range(size, unchanged=attributes)
        reason = decide(wanted, attributes, compared=True).reason
        if reason is None:
            self.range = wanted
        else:
            self._begin_anew(reason)

    def _begin_anew(self, reason: str) -> None:
        self._begun_anew = reason
        self.range = Range(unchanged=Attributes())

    def _open_own(self, path: Path) -> FileIO:
        """Open a regular file of this user to append to it, and lock it."""
        descriptor = user_dirs.open_regular(path, os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
        file: FileIO = os.fdopen(descriptor, "r+b", buffering=0)
        try:
            self._lock(descriptor)
            opened = os.fstat(descriptor)
            if not os.path.samestat(opened, os.lstat(path)):
                raise AccessError(f"'{one_line(str(path), 160)}' was replaced just now")
            if not _is_own(opened):
                raise AccessError(f"'{one_line(str(path), 160)}' is another user's, or has two names", hint="remove it")
        except BaseException:
            file.close()
            raise
        return file

    def _create(self) -> FileIO:
        """Create the part; no more users may read it than an existing target."""
        mode = 0o666
        with suppress(OSError):
            mode = stat.S_IMODE(self.target.stat().st_mode) & 0o777 | 0o600
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | user_dirs.PLAIN_FLAGS
        file: FileIO = os.fdopen(os.open(self.path, flags, mode), "r+b", buffering=0)
        try:
            self._lock(file.fileno())
        except BaseException:
            file.close()
            raise
        return file

    def _set_permissions(self, file: FileIO) -> None:
        """Give the part the permissions of the target that it will replace."""
        if hasattr(os, "fchmod"):
            with suppress(OSError):  # there is no target; or the file system has no modes
                os.fchmod(file.fileno(), stat.S_IMODE(self.target.stat().st_mode) & 0o777)

    def _use_target(self) -> None:
        """Make the target, which another program left, the part."""
        assert self._target_status is not None
        file = self._open_own(self.target)
        try:
            now, before = os.fstat(file.fileno()), self._target_status
            if (now.st_ino, now.st_size, now.st_mtime_ns) != (before.st_ino, before.st_size, before.st_mtime_ns):
                raise AccessError(f"'{one_line(str(self.target), 160)}' was changed just now")
            assert self.range.unchanged is not None
            user_dirs.write_own(self._description, self._described(self.range.unchanged))
            if os.path.lexists(self.path):
                raise AccessError(f"'{one_line(str(self.path), 160)}' was made just now")
            if os.name == "nt":
                file.close()
            self.target.rename(self.path)
            self._file = self._open_own(self.path) if os.name == "nt" else file
        except BaseException:
            file.close()
            raise

    def _lock(self, descriptor: int) -> None:
        """Lock a file as long as it is open, if the system can. Raises AccessError if another process has locked it."""
        try:
            import fcntl  # Windows has none
        except ImportError:
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AccessError(f"another download writes '{one_line(str(self.path), 160)}' at the moment") from None
        except OSError:  # some file systems have no locks
            return

    def _described(self, attributes: Attributes) -> bytes:
        modified = attributes.modified
        described = {
            "url": self._url,
            "size": attributes.size,
            "modified": None if modified is None else modified.isoformat(),
            **{name: attributes.fields[name] for name in _KEPT_FIELDS if name in attributes.fields},
        }
        return json.dumps(described, indent=2).encode() + b"\n"

    def _described_before(self) -> dict[str, Any] | None:
        """Return the description of the part, None if it is damaged. Raises AccessError if there is none."""
        try:
            if self._description.is_symlink():
                raise FileNotFoundError
            described = json.loads(user_dirs.read_own(self._description, MAX_DESCRIPTION))
        except FileNotFoundError:
            raise AccessError(
                f"'{one_line(str(self.path), 160)}' has no description "
                f"'{one_line(self._description.name, 120)}', and may be the file of another program",
                hint=f"remove {one_line(self.path.name, 120)}, or save under another name",
            ) from None
        except (ValueError, RecursionError):
            return None
        return described if isinstance(described, dict) else None

    @contextmanager
    def _system_errors(self, path: Path) -> Iterator[None]:
        """Raise AccessError for a fault of the system."""
        try:
            yield
        except OSError as fault:
            reason = fault.strerror or str(fault)
            raise AccessError(f"cannot write '{one_line(str(path), 160)}': {one_line(reason)}") from fault


def _is_own(status: os.stat_result) -> bool:
    """Return True if a file is this user's, and no other name leads to it."""
    return status.st_nlink == 1 and (not hasattr(os, "getuid") or status.st_uid == os.getuid())


def _attributes_of(described: dict[str, Any]) -> Attributes | None:
    """Return the attributes of the resource that a part belongs to; None if they are damaged."""
    size, modified = described.get("size"), described.get("modified")
    fields = {name: described[name] for name in _KEPT_FIELDS if name in described}
    if not (size is None or type(size) is int) or not all(type(text) is str for text in fields.values()):
        return None
    try:
        time = None if modified is None else datetime.fromisoformat(modified).astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        return None
    return Attributes(size=size, modified=time, fields=fields)
