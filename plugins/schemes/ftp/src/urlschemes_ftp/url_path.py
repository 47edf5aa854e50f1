"""The path of an ftp URL, and the commands that it stands for (RFC 1738 sections 3.2.2 and 3.2.3)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import octets_of
from urlschemes.redaction import one_line
from urlschemes_access.errors import AccessError, IsDirectory
from urlschemes_access.protocol.replies import command_name

if TYPE_CHECKING:
    from urlschemes_access.protocol import Algorithm
    from urlschemes_access.protocol.replies import Reply
    from urlschemes_ftp import FtpURL
    from urlschemes_ftp.control import Control

__all__ = [
    "change_directory",
    "directory_url",
    "file_name",
    "names_directory",
    "refusal_of_file",
    "representation_type",
]


def names_directory(url: FtpURL) -> bool:
    """Return True if the URL names a directory: by an empty name, or by `;type=d`."""
    return not url.name or url.typecode in ("d", "D")


def directory_url(url: FtpURL) -> FtpURL:
    """Return the URL of the directory that `url` names, ended by `/`: the name becomes the last CWD."""
    return url.replace(directories=(*url.directories, *filter(None, [url.name])), name="", typecode=None)


def file_name(url: FtpURL) -> bytes:
    """Return the name of the file as the commands send it."""
    return octets_of(url.name or "")


def representation_type(url: FtpURL) -> bytes:
    """Return the argument of TYPE: `A` for `;type=a`, else `I`, so that the octets arrive unchanged."""
    return b"A" if url.typecode in ("a", "A") else b"I"


def change_directory(control: Control, url: FtpURL) -> Algorithm[None]:
    """Send one CWD for each directory, also for an empty one (section 3.2.2)."""
    for directory in (directory_url(url) if names_directory(url) else url).directories:
        hint = None if directory else "// in a path sends an empty CWD; a path from the root begins with /%2F"
        yield from control.carry_out(b"CWD " + octets_of(directory), hint=hint)


def refusal_of_file(control: Control, url: FtpURL, reply: Reply, command: bytes) -> Algorithm[AccessError]:
    """Return the error for a reply that refuses a file: IsDirectory if CWD shows that the name is of a directory."""
    with suppress(AccessError):  # of a server that closes the connection
        if reply.code == 550 and (yield from control.command(b"CWD " + file_name(url))).kind == 2:
            return IsDirectory(
                f"'{one_line(url.name or '', 60)}' is a directory: {reply}",
                listing=directory_url(url),
                status=reply.code,
                text=reply.text,
                step=command_name(command),
                hint="the same URL with ;type=d lists it",
            )
    return reply.refusal(command_name(command))
