"""An FTP server: pyftpdlib, embedded."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import NoneType
from typing import TYPE_CHECKING, Any

from urlschemes.errors import members, require_type
from urlschemes_testing.loopback import FAREWELL, HOST, LIFETIME, PATIENCE, Address

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FtpUser", "ftp_server"]

READ = "elr"
WRITE = "elradfmwMT"
TICK = 0.02
"""Seconds that the loop of pyftpdlib sleeps; closing the server takes as long."""


@dataclass(frozen=True, slots=True)
class FtpUser:
    """A user. `home` is the directory after the login, below the root that is served.

    With a home other than `/`, `ftp://user@host/etc/motd` differs from `ftp://user@host/%2Fetc/motd` (RFC 1738 section
    3.2.2).
    """

    password: str = field(repr=False)
    home: str = "/"
    writable: bool = False


@contextmanager
def ftp_server(
    root: str | os.PathLike[str],
    users: Mapping[str, FtpUser] | None = None,
    *,
    anonymous: bool = True,
    banner: str = "ready",
    host: str = HOST,
    lifetime: float = LIFETIME,
    patience: float = PATIENCE,
) -> Iterator[Address]:
    """Serve the folder `root` by FTP until the block is left, or for `lifetime` seconds.

    `users` may log in by name; with `anonymous`, everybody may read. A client that sends nothing for `patience`
    seconds is disconnected.
    """
    require_type("users", users, Mapping, NoneType)
    members("users", (users or {}).values(), FtpUser)
    server = _make_server(host, os.fspath(root), users or {}, anonymous=anonymous, banner=banner, patience=patience)
    address = Address(*server.address[:2])  # before the thread, which may close the server at once
    closing = threading.Event()
    ends = time.monotonic() + lifetime

    def run() -> None:
        try:
            while not closing.is_set() and time.monotonic() < ends:
                # As ioloop.loop(), which would configure logging for the whole process.
                server.ioloop.poll(TICK)
                server.ioloop.sched.poll()
        finally:
            server.close_all()

    thread = threading.Thread(target=run, name="ftp server", daemon=True)
    thread.start()
    try:
        yield address
    finally:
        closing.set()
        thread.join(FAREWELL)


def _make_server(
    host: str, root: str, users: Mapping[str, FtpUser], *, anonymous: bool, banner: str, patience: float
) -> Any:
    with warnings.catch_warnings():
        # On Python 3.11, asyncore, which pyftpdlib imports, warns that it will be removed.
        warnings.simplefilter("ignore", DeprecationWarning)
        from pyftpdlib.authorizers import DummyAuthorizer
        from pyftpdlib.handlers import FTPHandler
        from pyftpdlib.ioloop import IOLoop
        from pyftpdlib.servers import FTPServer

    authorizer = DummyAuthorizer()
    if anonymous:
        authorizer.add_anonymous(root, perm=READ)
    for name, user in users.items():
        authorizer.add_user(name, user.password, root, perm=WRITE if user.writable else READ)

    def on_login(handler: Any, username: str) -> None:
        if username in users:
            handler.fs.cwd = users[username].home

    # A class and a loop for each server, because two servers would otherwise share their users.
    handler = type(
        "Handler",
        (FTPHandler,),
        {
            "authorizer": authorizer,
            "auth_failed_timeout": 0,
            "banner": banner,
            "dtp_handler": type("Data", (FTPHandler.dtp_handler,), {"timeout": patience}),
            "passive_dtp": type("Passive", (FTPHandler.passive_dtp,), {"timeout": patience}),
            "on_login": on_login,
            "timeout": patience,
        },
    )
    return FTPServer((host, 0), handler, ioloop=IOLoop())
