"""Connecting and logging in (RFC 1738 section 3.2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import Hint, Remedy, UnsafeURL
from urlschemes.grammar.octets import octets_of
from urlschemes.redaction import one_line
from urlschemes_access.errors import AuthRequired, ConnectError, ProtocolError, Truncated
from urlschemes_access.protocol import Algorithm, Authenticate, Close, Connect
from urlschemes_ftp.control import Control

if TYPE_CHECKING:
    from urlschemes_access.protocol.replies import Reply
    from urlschemes_ftp import FtpURL

__all__ = ["log_in"]

ANONYMOUS = b"anonymous"
ANONYMOUS_PASSWORD = b"anonymous@example.com"
"""The same for all users: their own address, which the convention asks for, is private."""

MAX_SEGMENTS = 256
"""Segments that a path may have: each one is a command."""


def log_in(url: FtpURL) -> Algorithm[Control]:
    """Connect, send USER and, if the server asks for it, PASS; return the control connection.

    Raises AuthRequired if the server refuses the login or wants a password that is not known.
    """
    segments = len(url.directories) + 1
    if segments > MAX_SEGMENTS:
        raise UnsafeURL(
            f"the path has {segments} segments: expected at most {MAX_SEGMENTS}, because each is a command",
            part="directories",
        )
    control = Control((yield from Connect(url.host, url.port, label="control", reuse=f"{url.user!r} {url.password!r}")))
    if control.peer.kept is not None:
        if (yield from _returned(control)):
            return control
        yield from Close(control.peer)
        control = Control((yield from Connect(url.host, url.port, label="control")))
    yield from _log_in(control, url)
    if control.peer.keepable:
        yield from control.find_login_directory()
    return control


def _returned(control: Control) -> Algorithm[bool]:
    """Return to the login directory, on a connection that was kept open; False if the server does not do so."""
    directory = control.peer.kept
    try:
        reply = yield from control.command(b"CWD " + directory)
    except (ConnectError, ProtocolError, Truncated):
        return False
    control.login_directory = directory
    return reply.kind == 2


def _log_in(control: Control, url: FtpURL) -> Algorithm[None]:
    if (yield from control.banner(120, 2)).code == 120:  # ready in some minutes; 220 follows
        yield from control.banner(2)

    login = control.peer.login if url.user is None else None
    if login is not None and not login.user:
        raise AuthRequired(f"{url.host} requires a user name and a password, not a token")
    user = login.user if login is not None else url.user
    reply = yield from control.command(b"USER " + (ANONYMOUS if user is None else octets_of(user)))
    if reply.code == 331:
        password = octets_of(login.password) if login is not None else (yield from _password(url, reply))
        reply = yield from control.command(b"PASS ", secret=password)
    if reply.code == 332:
        raise AuthRequired(f"the server requires an account, which no URL can hold: {reply}")
    if reply.kind == 3:
        raise AuthRequired(f"the server asked for a password again: {reply}")
    if reply.code in (430, 530, 532):
        hint = "the URL names no user, so the login was anonymous" if user is None else None
        raise AuthRequired(f"the server refused the login: {reply}", hint=hint)
    reply.checked("the login", 2)


def _password(url: FtpURL, reply: Reply) -> Algorithm[bytes]:
    """Return the password of the URL's user: that of the URL, else of the caller's credentials."""
    if url.user is None:
        return ANONYMOUS_PASSWORD
    if url.password is not None:
        return octets_of(url.password)
    credentials = yield from Authenticate(url.host, url.port, user=url.user, realm=reply.text)
    if credentials is None or credentials.user != url.user:
        raise AuthRequired(
            f"the server requires a password for the user '{one_line(url.user, 60)}'",
            hint="the credentials given are another user's"
            if credentials
            else Hint("the URL has none", Remedy("logs in", "credentials")),
        )
    return octets_of(credentials.password)
