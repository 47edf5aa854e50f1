"""How a telnet URL is opened: one connection, and a session on it (RFC 1738 section 3.8, RFC 854).

Nothing is sent before the service says something: another port than 23 may belong to a service that negotiates nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_access.protocol import Close, Connect, Open
from urlschemes_telnet.session import TelnetAttributes, TelnetSession, check_login

if TYPE_CHECKING:
    from urlschemes_access.protocol import Algorithm
    from urlschemes_telnet import TelnetURL

__all__ = ["open_session"]


def open_session(url: TelnetURL, *, columns: int = 0, rows: int = 0) -> Algorithm[None]:
    """Connect, and hand the session out. Nothing of the login is sent: the session's `login` types it.

    `columns` and `rows` are the size of the window, which the service is told if it asks; 0 is not known. Raises
    UnsafeURL, before it connects, for a login that could not be typed.
    """
    for part in ("user", "password"):
        if (text := getattr(url, part)) is not None:
            check_login(part, text)
    peer = yield from Connect(url.host, url.port)
    yield from Open("session", TelnetAttributes(columns=columns, rows=rows), session=TelnetSession, peer=peer)
    yield from Close(peer)
