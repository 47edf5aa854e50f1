"""File URLs and paths on this machine, by the rules of POSIX or Windows."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath, PureWindowsPath

from urlschemes.errors import UnsafeURL
from urlschemes.grammar.octets import octets_of, text_of

__all__ = ["local_path", "path_of", "segments_of"]

_DRIVE = re.compile(r"[A-Za-z]:")
# Windows opens these names as devices, with any extension, dots or spaces after them.
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\..*)?", re.IGNORECASE | re.DOTALL
)


def path_of(host: str, segments: tuple[str, ...], section: str) -> Path:
    """Return the path on this machine that `segments` mean; `host` is empty if it is this machine.

    Raises UnsafeURL, with the `section` that defines the URL, if there is none.
    """
    try:
        if host:
            raise _unsafe("host", f"the host {host!r} is not this machine")
        return Path(local_path(segments, windows=os.name == "nt"))
    except UnsafeURL as error:
        error.section = section
        raise


def local_path(segments: tuple[str, ...], *, windows: bool) -> str:
    """Return the path that `segments` mean, as text. Raises UnsafeURL if there is none on such a machine."""
    if len(segments) > 1 and not segments[0]:
        raise _unsafe("segments", "the path begins with two slashes, as a network path does")
    for segment in segments:
        if "\0" in segment:
            raise _unsafe("segments", "a segment contains a NUL, which no file name can contain")
        if "/" in segment:
            raise _unsafe("segments", "a segment contains an encoded slash, which no file name can contain")
    if not windows:
        return os.fsdecode(octets_of("/" + "/".join(segments)))
    drive, *rest = segments
    if not _DRIVE.fullmatch(drive) or not rest:
        raise _unsafe("segments", "the path does not begin with a drive and a slash, as in /C:/")
    for segment in rest:
        if "\\" in segment or ":" in segment or _DEVICE.fullmatch(segment.rstrip(". ")):
            raise _unsafe("segments", f"{segment!r} is not a file name on Windows")
    return drive + "\\" + "\\".join(rest)


def segments_of(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the segments of the URL that means `path`; a PurePath may be one of another system.

    Raises UnsafeURL for a path that is not on a drive, or is relative on another system.
    """
    absolute = path if isinstance(path, PurePath) else Path(path)
    if isinstance(absolute, PureWindowsPath) == (os.name == "nt"):
        absolute = Path(absolute).absolute()
    elif not absolute.is_absolute():
        raise _unsafe("segments", f"{os.fspath(absolute)!r} is a relative path of another system: make it absolute")
    root, *names = absolute.parts
    if root == "/":
        return tuple(text_of(os.fsencode(name)) for name in names) or ("",)
    if _DRIVE.fullmatch(root.removesuffix("\\")):
        return (root[:2], *names) if names else (root[:2], "")
    raise _unsafe("segments", f"{os.fspath(absolute)!r} is a network path")


def _unsafe(part: str, why: str) -> UnsafeURL:
    return UnsafeURL(why, scheme="file", part=part)
