"""The file scheme (RFC 1738 section 3.10): files and directories of a host, by their names there.

    file://<host>/<path>

The syntax is in `registration.toml`, the algorithms are in `access.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from urlschemes import InternetURL, Listed, Registration, Scheme, list_part, text_part

if TYPE_CHECKING:
    import os
    from pathlib import Path
    from typing import Self

__all__ = ["SEGMENTS", "FileURL", "registration", "scheme"]

registration = Registration.of(__name__)

SEGMENTS: Final[Any] = list_part(
    default=("",), doc="The segments of the path, decoded. An empty one at the end is the `/` there."
)


class FileURL(InternetURL, registration=registration):
    """A URL that designates a file or a directory by its name on a host, but no way to get there."""

    host: str = text_part(default="", lower=True, doc="The host, in lower case; empty for this machine.")
    segments: Listed[str] = SEGMENTS

    _no_host = ""

    @property
    def path(self) -> str:
        """The path from its first `/`, decoded, to be shown. `to_path` returns one that can be opened."""
        return "/" + "/".join(self.segments)

    @property
    def is_local(self) -> bool:
        """True if the URL means this machine: if its host is empty or `localhost`."""
        return self.host in {"", "localhost"}

    def to_path(self) -> Path:
        """Return the path on this machine that the URL means, without touching the file system.

        Raises UnsafeURL if there is none: for another host, a NUL, a `/` within a segment, an empty segment in front (a
        network path), and for names that Windows does not take for a file on a drive.
        """
        from urlschemes_file.paths import path_of  # pathlib is not needed for parsing

        return path_of("" if self.is_local else self.host, self.segments, self.syntax.section)

    @classmethod
    def from_path(cls, path: str | os.PathLike[str]) -> Self:
        """Return the URL of a path; a relative one starts at the current directory, and links are not followed.

        A pure path may be one of another system. Raises UnsafeURL for a network path, which is not on one machine, and
        for a relative path of another system.
        """
        from urlschemes_file.paths import segments_of  # as above

        return cls(host=cls._no_host, segments=segments_of(path))

    def normalized(self, level: str | None = None) -> Self:
        """Return the URL as `URL.normalized` does, with an empty host for `localhost`: this machine."""
        url = super().normalized(level)
        return url.replace(host=self._no_host) if url.is_local and level in {None, "scheme"} else url


scheme = Scheme(registration, FileURL, access="urlschemes_file.access")
