"""The path of an ftp URL, and the commands that it stands for (RFC 1738 sections 3.2.2 and 3.2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.octets import octets_of

if TYPE_CHECKING:
    from urlschemes_access.protocol import Algorithm
    from urlschemes_ftp import FtpURL
    from urlschemes_ftp.control import Control

__all__ = ["change_directory", "file_name", "names_directory", "representation_type", "working_directory"]


def names_directory(url: FtpURL) -> bool:
    """Return True if the URL names a directory: by an empty name, or by `;type=d`."""
    return not url.name or url.typecode in ("d", "D")


def working_directory(url: FtpURL) -> tuple[str, ...]:
    """Return the arguments of the CWD commands; a directory that is to be listed is the last of them."""
    return (*url.directories, url.name) if url.name and names_directory(url) else url.directories


def file_name(url: FtpURL) -> bytes:
    """Return the name of the file as the commands send it."""
    return octets_of(url.name or "")


def representation_type(url: FtpURL) -> bytes:
    """Return the argument of TYPE: `A` for `;type=a`, else `I`, so that the octets arrive unchanged."""
    return b"A" if url.typecode in ("a", "A") else b"I"


def change_directory(control: Control, url: FtpURL) -> Algorithm[None]:
    """Send one CWD for each directory, also for an empty one (section 3.2.2)."""
    for directory in working_directory(url):
        hint = None if directory else "// in a path sends an empty CWD; a path from the root begins with /%2F"
        yield from control.carry_out(b"CWD " + octets_of(directory), hint=hint)
