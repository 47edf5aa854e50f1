"""Who asks, and where it is: USER and PASS, then CWD for each directory (RFC 1738 section 3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import UnsafeURL
from urlschemes.grammar.octets import octets_of
from urlschemes.redaction import one_line
from urlschemes_access.errors import AuthRequired
from urlschemes_access.protocol import Algorithm, Authenticate, Connect
from urlschemes_ftp.control import Control

if TYPE_CHECKING:
    from urlschemes_access.protocol.replies import Reply
    from urlschemes_ftp import FtpURL

__all__ = ["change_directory", "is_directory", "log_in", "place", "representation"]

ANONYMOUS = b"anonymous"
ANONYMOUS_PASSWORD = b"anonymous@example.com"
"""The same for everybody: the address of the user, which the convention asks for, is nobody's business."""

MOST_SEGMENTS = 256
"""Segments in a path: each one is a command."""


def log_in(url: FtpURL) -> Algorithm[Control]:
    """Connect and log in, as section 3.2.1 says: USER, then PASS where the server asks for it, each once."""
    if len(url.directories) >= MOST_SEGMENTS:
        raise UnsafeURL(
            f"the path has more than {MOST_SEGMENTS} segments, and each costs the server a command",
            part="directories",
        )
    control = Control((yield from Connect(url.host, url.port, label="control")))
    if (yield from control.banner(120, 2)).code == 120:  # ready in so many minutes; 220 follows
        yield from control.banner(2)

    reply = yield from control.command(b"USER " + (ANONYMOUS if url.user is None else octets_of(url.user)))
    if reply.code == 331:
        password = yield from _password(url, reply)
        reply = yield from control.command(b"PASS ", secret=password)
    if reply.code == 332:
        raise AuthRequired(f"the server wants an account, which a URL cannot carry: {reply}")
    if reply.kind == 3:
        raise AuthRequired(f"the server asks again after the password: {reply}")
    if reply.code in (430, 530, 532):
        raise AuthRequired(
            f"the server refused the login: {reply}",
            hint="the URL names no user, so it was tried as anonymous" if url.user is None else None,
        )
    reply.checked("the login", 2)
    return control


def _password(url: FtpURL, asked: Reply) -> Algorithm[bytes]:
    if url.user is None:
        return ANONYMOUS_PASSWORD
    if url.password is not None:
        return octets_of(url.password)
    known = yield from Authenticate(url.host, url.port, user=url.user, realm=asked.text)
    if known is None or known.user != url.user:
        raise AuthRequired(
            f"the server wants a password for the user {one_line(url.user, 60)}",
            hint="the URL holds none, and no credentials were given",
        )
    return octets_of(known.password)


def change_directory(control: Control, url: FtpURL) -> Algorithm[None]:
    """CWD for each directory, the empty one too (section 3.2.2), and for a name that is to be listed."""
    for directory in place(url):
        hint = None if directory else "// in a path asks for this; /%2F begins a path at the root of the server"
        yield from control.carry_out(b"CWD " + octets_of(directory), hint=hint)


def is_directory(url: FtpURL) -> bool:
    """Whether the URL names a directory: an empty name, or `;type=d`."""
    return not url.name or url.typecode in ("d", "D")


def place(url: FtpURL) -> tuple[str, ...]:
    """The directories to change to, one after the other."""
    return (*url.directories, url.name) if url.name and is_directory(url) else url.directories


def representation(url: FtpURL) -> bytes:
    """The argument of TYPE: octets as they are, unless the URL says `;type=a`."""
    return b"A" if url.typecode in ("a", "A") else b"I"
