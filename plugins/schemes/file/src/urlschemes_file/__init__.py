"""The file scheme (RFC 1738 section 3.10): files and directories of a host, by their names there.

    file://<host>/<path>

The syntax is in `registration.toml`, the algorithms are in `access.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import UNCHANGED, Encoded, InternetURL, Registration, Scheme, Unchanged

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Self

__all__ = ["FileURL", "registration", "scheme"]

registration = Registration.of(__name__)


class FileURL(InternetURL, registration=registration):
    """A URL that designates a file or a directory by its name on a host, and says nothing of how to get there."""

    __slots__ = ()

    @property
    def segments(self) -> tuple[str, ...]:
        """The segments of the path, decoded. An empty one at the end stands for the `/` there."""
        return self._elements("segments")

    @property
    def path(self) -> str:
        """The path from its first `/` on, decoded: to be shown. `to_path` gives what can be opened."""
        return "/" + "/".join(self.segments)

    @property
    def is_local(self) -> bool:
        """Whether the URL means this machine: its host is empty or `localhost` (section 3.10)."""
        return self.host in {"", "localhost"}

    def to_path(self) -> Path:
        """The path on this machine that the URL means; nothing is looked up.

        Raises UnsafeURL where it means none: another host, a NUL, a `/` within a segment, an empty segment in front (a
        network path), and what Windows takes for something else than a file on a drive.
        """
        from urlschemes_file.paths import path_of

        return path_of(self)

    @classmethod
    def from_path(cls, path: str | os.PathLike[str]) -> Self:
        """The URL of a path of this machine; a relative one counts from the current directory. No link is followed.

        Raises UnsafeURL for a network path, which no file URL of this machine can mean.
        """
        from urlschemes_file.paths import segments_of

        return cls.build(segments=segments_of(path))

    @classmethod
    def build(cls, *, host: str = "", segments: Sequence[str | Encoded] = ("",)) -> Self:
        """The URL of these segments, each encoded where it must be; `Encoded` ones are taken as they are.

        Raises InvalidURL where no URL can hold them.
        """
        return cls._build(host=host or None, segments=segments)

    def replace(
        self,
        *,
        host: str | Unchanged = UNCHANGED,
        segments: Sequence[str | Encoded] | Unchanged = UNCHANGED,
    ) -> Self:
        """The same URL but for these parts; the text of the others does not change. The host `""` is the empty one."""
        return self._replace(host=None if host == "" else host, segments=segments)

    def normalized(self) -> Self:
        """As `URL.normalized`; the host `localhost` is the empty one: both are this machine (section 3.10)."""
        url = super().normalized()
        return url.replace(host="") if url.host == "localhost" else url


scheme = Scheme(registration, FileURL, access="urlschemes_file.access")
